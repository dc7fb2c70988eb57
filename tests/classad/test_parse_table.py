"""The parse table in the file belongs to the grammar, and is only a short cut."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from classad.syntax import parse_table
from classad.syntax.actions import BUILDERS
from classad.syntax.make_table import make_table, table_text
from classad.syntax.parse_table import grammar_file, read_table

ROOT = Path(__file__).parents[2]


def test_the_file_is_what_the_grammar_gives() -> None:
    """If not: ``python -m classad.syntax.make_table``."""
    assert grammar_file("classad.table.json") == table_text(
        make_table(grammar_file("classad.lark"))
    )


def test_every_alternative_has_a_builder_and_every_builder_an_alternative() -> None:
    used = {name for _, _, name in read_table()["rules"] if name is not None}
    assert used == set(BUILDERS)


@pytest.mark.parametrize("state", ["missing", "of another grammar"])
def test_without_a_fitting_file_the_table_is_made(
    monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    def other_file(name: str) -> str:
        if not name.endswith(".json"):
            return grammar_file(name)
        if state == "missing":
            raise FileNotFoundError(name)
        return json.dumps({"grammar": 0})

    monkeypatch.setattr(parse_table, "grammar_file", other_file)
    made = read_table()
    monkeypatch.undo()
    # JSON has lists where the table has tuples.
    assert json.loads(json.dumps(made)) == read_table()


def test_parsing_does_not_need_lark() -> None:
    code = (
        "import sys; from classad.syntax.parser import parse_expression as p; p('a + 1');"
        "print(sorted({'lark', 'importlib.resources'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
