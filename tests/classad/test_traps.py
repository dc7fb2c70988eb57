"""Calls that look right and would lose data or answer another question."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

import classad
from classad import ClassAd, ClassAdParseError, ExprTree, ParserType, Table
from classad.errors import Diagnostic
from classad.formats.common import Errors
from classad.loading.long_form import load_long

TEXTS = {
    "long": "a = 1\nb = 2\n\na = 3\nb = 4\n",
    "new": "[a = 1; // one\nb = 2]\n[a = 3;\nb = 4]\n",
    "json": '[{"a": 1,\n"b": 2},\n{"a": 3, "b": 4}]\n',
    "xml": '<classads>\n<c><a n="a"><i>1</i></a>\n<a n="b"><i>2</i></a></c>\n'
    '<c><a n="a"><i>3</i></a><a n="b"><i>4</i></a></c>\n</classads>\n',
}
#: Ways of handing over the lines of a text.
LINES: dict[str, Callable[[str], Any]] = {
    "without ends": str.splitlines,
    "with ends": lambda text: text.splitlines(keepends=True),
    "a tuple": lambda text: tuple(text.splitlines()),
    "a generator": lambda text: (line for line in text.splitlines()),
    "bytes": lambda text: text.encode().splitlines(),
    "one piece": lambda text: [text],
    "the last one cut": lambda text: text[:-1].splitlines(keepends=True),
    "several a piece": lambda text: [text[: text.index("\n") + 1], text[text.index("\n") + 1 :]],
}
BOTH = [ClassAd({"a": 1, "b": 2}), ClassAd({"a": 3, "b": 4})]


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_lines_are_read_as_lines(text: str, lines: Callable[[str], Any]) -> None:
    assert list(classad.parseAds(lines(text), errors="strict")) == BOTH
    assert list(classad.read_ads(lines(text))) == BOTH
    assert classad.parseNext(lines(text)) == BOTH[0]
    assert classad.parseOne(lines(text)) == BOTH[1]


def test_pieces_of_a_text_are_not_lines() -> None:
    text = TEXTS["long"]
    pieces = [text[:9], text[9:]]
    readers: tuple[Any, ...] = (classad.parseAds, classad.read_ads)
    for read in readers:
        with pytest.raises(ValueError, match="a text in pieces, not lines"):
            list(read(pieces, errors="htcondor"))


#: A line of an ad in long form, and the beginning of it that has the value.
BEHIND = {
    "a = 1 junk": "a = 1",
    "a = 2048 MB": "a = 2048",
    'a = "x" "y"': 'a = "x"',
    "a = b + 1 junk": "a = b + 1",
    "a = b ? 2 : 3 junk": "a = b ? 2 : 3",
    "a = {1, 2} junk": "a = {1, 2}",
    "a = [b = 1]]": "a = [b = 1]",
    "a = 1; b = 2": "a = 1",
    'a = absTime("2024-01-02T03:04:05Z") + 1 s': 'a = absTime("2024-01-02T03:04:05Z") + 1',
    'a = absTime("2024-01-02T03:04:05Z") s': 'a = absTime("2024-01-02T03:04:05Z")',
}


def _by_parsing(text: str, errors: Errors, problems: list[Diagnostic]) -> list[ClassAd]:
    return list(classad.parseAds(text, ParserType.Old, errors=errors, diagnostics=problems))


def _by_reading(text: str, errors: Errors, problems: list[Diagnostic]) -> list[ClassAd]:
    source = io.StringIO(text)
    return list(classad.read_ads(source, "long", errors=errors, diagnostics=problems))


def _by_loading(text: str, errors: Errors, problems: list[Diagnostic]) -> list[ClassAd]:
    loaded = load_long(text.encode(), errors=errors)
    problems += loaded.diagnostics
    return list(loaded.to_ads(ClassAd))


@pytest.mark.parametrize("read", [_by_parsing, _by_reading, _by_loading])
@pytest.mark.parametrize("line", BEHIND)
def test_text_behind_a_value(read: Any, line: str) -> None:
    text = f"x = 1\n{line}\ny = 2\n\n{line}\nz = 3\n"
    with pytest.raises(ClassAdParseError) as caught:
        read(text, "strict", [])
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.line == 2
    assert caught.value.diagnostic.column is not None
    assert caught.value.diagnostic.column > len(BEHIND[line])
    sound = list(classad.parseAds(text.replace(line, BEHIND[line]), errors="strict"))
    for errors in ("htcondor", "warn"):
        problems: list[Diagnostic] = []
        assert read(text, errors, problems) == sound
        assert [(it.line, it.severity) for it in problems] == [(2, "warning"), (5, "warning")]


def test_text_behind_a_value_in_a_long_text() -> None:
    text = "".join(f'Name = "slot{n}"\nCpus = {n}\nRank = Cpus * {n}\n\n' for n in range(5000))
    assert len(list(classad.parseAds(text, errors="strict"))) == 5000
    with pytest.raises(ClassAdParseError, match=":20000:17: error"):
        list(classad.parseAds(text[:-1] + "Rank = 1 + Cpus junk\n", errors="strict"))


def test_text_behind_a_value_in_other_forms() -> None:
    texts = {
        '<c><a n="a"><e>b + 1 junk</e></a></c>': ParserType.XML,
        '<c><a n="a"><e>b + 1</e>junk</a></c>': ParserType.XML,
        r'{"a": "\/Expr(b ? 1 : 2 junk)\/"}': ParserType.JSON,
    }
    for text, parser in texts.items():
        problems: list[Diagnostic] = []
        (ad,) = classad.parseAds(text, parser, diagnostics=problems)
        assert ad == ClassAd("[a = b + 1]" if parser is ParserType.XML else "[a = b ? 1 : 2]")
        assert [problem.severity for problem in problems] == ["warning"]
        with pytest.raises(ClassAdParseError):
            list(classad.parseAds(text, parser, errors="strict"))


def test_text_behind_a_conditional() -> None:
    with pytest.raises(ClassAdParseError, match="found `junk`"):
        ExprTree("true ? 2 : 3 junk")
    # As HTCondor's own parser has it.
    assert ExprTree('eval("true ? 2 : 3 junk")').eval() == 2


class Theirs:
    """Stands for an ad of HTCondor's module."""


Theirs.__module__ = "classad2._class_ad"


def test_what_to_do_instead() -> None:
    slots = Table([ClassAd({"Memory": 1})])
    theirs: Any = Theirs()
    calls: dict[str, Callable[[], object]] = {
        "did you mean `Memory`": lambda: slots.column("Memroy"),
        "`names` lists what they have": lambda: slots.column("Nope"),
        "for the numbers of an expression call `numbers`": lambda: slots.rank("Memory"),  # type: ignore[arg-type]
        "not an ad; for the ads that match an ad call `match`": lambda: slots.select(ClassAd()),  # type: ignore[arg-type]
        "in which an expression is true call `select`": lambda: slots.match("Memory > 1"),  # type: ignore[arg-type]
        "None, str, or dict; .* `from_classad2` copies it": lambda: ClassAd(theirs),
        "`a`: it belongs to .* `from_classad2` copies it": lambda: ClassAd({"a": theirs}),
        "a text, a number .* `from_classad2` copies it": lambda: ExprTree(theirs),
        "scope must be a ClassAd; .* `from_classad2`": lambda: ExprTree("1").eval(theirs),
    }
    for message, call in calls.items():
        with pytest.raises((TypeError, KeyError), match=message):
            call()


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
@pytest.mark.parametrize("count", [2000, 5200])
def test_each_ad_of_a_long_text_comes_once(count: int, ending: str) -> None:
    """Texts of over a megabyte are read in pieces, whose ends may be in the middle of an ad."""
    body = "".join(f"Attribute{number} = {number}\n" for number in range(40))
    text = "\n".join(f'Name = "slot{number}"\n{body}' for number in range(count))
    text = text.removesuffix("\n") + ending
    assert len(text) > 1 << 20
    names = [ad["Name"] for ad in classad.parseAds(text, ParserType.Old)]
    assert names == [f"slot{number}" for number in range(count)]
