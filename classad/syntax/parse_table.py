"""Loads the parse table, the automaton of grammar/classad.lark, once per process.

Inputs: the grammar and the table made from it, found in the installed package or in a checkout.
Outputs: ``Tables``, plain lists and dictionaries for the loop in parser.py.  A table that does not
belong to the grammar beside it is not used; then Lark makes a new one in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from classad.syntax.actions import BUILDERS, Parts, Place
from classad.syntax.lexing import Vocabulary
from classad.syntax.make_table import Table, fingerprint, make_table

Build = Callable[[Place, Parts], object]


class Reduction(NamedTuple):
    """A rule to be applied: how many values it takes, its name and what it builds.

    ``build`` is None for a rule of the form ``a: b``, which hands its value on.
    """

    size: int
    origin: str
    build: Build | None


class Tables(NamedTuple):
    """The automaton.

    ``actions``: per state, the state that a terminal leads to or the rule that it ends.
    ``gotos``: per state, the state that a finished rule leads to.  ``starts``: per start symbol,
    the first and the last state.  ``landings``: the memory of ``parser.py`` for chains of rules.
    """

    vocabulary: Vocabulary
    actions: list[dict[str, int | Reduction]]
    gotos: list[dict[str, int]]
    starts: dict[str, tuple[int, int]]
    landings: dict[tuple[int, str, str], int]


def grammar_file(name: str) -> str:
    """A file of the grammar directory, from a checkout or from the installed package."""
    package = Path(__file__).resolve().parents[1]
    for place in (package.parent / "grammar" / name, package / "grammar" / name):
        if place.is_file():  # pragma: no branch - the first of a checkout is there
            return place.read_text("utf-8")
    from importlib import resources  # pragma: no cover - the package is an archive

    found = resources.files("classad.grammar")  # pragma: no cover - the package is an archive
    return (found / name).read_text("utf-8")  # pragma: no cover - the package is an archive


def read_table() -> Table:
    """The table in the file if it belongs to the grammar, else a new one."""
    grammar = grammar_file("classad.lark")
    try:
        table: Table = json.loads(grammar_file("classad.table.json"))
    except (FileNotFoundError, ModuleNotFoundError):
        return make_table(grammar)
    return table if table["grammar"] == fingerprint(grammar) else make_table(grammar)


@cache
def load_tables() -> Tables:
    """The automaton of the grammar."""
    table = read_table()
    rules = [
        Reduction(size, origin, None if name is None else BUILDERS[name])
        for size, origin, name in table["rules"]
    ]
    actions: list[dict[str, int | Reduction]] = [
        {kind: number if number >= 0 else rules[-1 - number] for kind, number in row.items()}
        for row in table["actions"]
    ]
    return Tables(Vocabulary(table["terminals"]), actions, table["gotos"], table["starts"], {})
