"""Where lines and values stand in the text of their file, to the character."""

from __future__ import annotations

from classad.source import Source
from policy.config import Config, load_config
from policy.io import builtin_library
from policy.language.lines import LineReader
from policy.language.sources import MemorySources
from policy.lint.expressions import untaken
from policy.lint.view import view

TEXT = """\
# first
  # pieslice: ignore P100 because I say so
A = 1
  B  =  two words \t
C = a, \\
    b, \\
\tc
if false
  D = not taken
  E = nor \\
      this
  F =
endif
G = last"""


def read(text: str) -> Config:
    return load_config("/c", MemorySources({"/c": text}), builtin_library())


def test_every_character_of_a_line_stands_where_it_was() -> None:
    lines = list(LineReader(Source(TEXT, "/c")))
    assert [line.text for line in lines][:3] == ["A = 1", "B  =  two words", "C = a, b, c"]
    for line in lines:
        places = [line.offset(position) for position in range(len(line.text))]
        assert [TEXT[place] for place in places] == list(line.text)
        assert places == sorted(set(places))


def test_a_value_stands_from_its_first_to_its_last_character() -> None:
    config = read(TEXT)
    spans = {}
    for name in "ABCG":
        entry = config.lookup(name)
        assert entry is not None
        spans[name] = TEXT[entry.start : entry.end]
    assert spans == {
        "A": "1", "B": "two words", "C": "a, \\\n    b, \\\n\tc", "G": "last"
    }  # fmt: skip


def test_so_does_one_in_a_branch_that_is_not_taken() -> None:
    found = [(one.name, TEXT[one.start : one.end]) for one in untaken(view(read(TEXT)))]
    assert found == [("D", "not taken"), ("E", "nor \\\n      this")]


def test_the_macro_that_a_warning_of_a_template_makes_has_no_value_in_its_text() -> None:
    entry = read("use FEATURE : DefaultCheckpointDestination\n").lookup("warning")
    assert entry is not None
    assert entry.source is not None
    assert entry.start == entry.end
    assert entry.source.text[entry.start :].startswith("warning")
