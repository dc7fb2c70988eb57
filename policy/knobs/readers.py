"""Says of any macro which daemons read it, as what, and which of them a bad value ends.

Follows: the programs of 25.14.1, asked one macro at a time (``policy/data/README.md``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from attr import frozen

from policy.data.tables import builtin_table, reader_rows
from policy.knobs.declaration import Kind, Knob, Need

#: The daemons whose verdicts a check gives, in the order in which a pool needs them.
MAIN: Final = ("MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD")
_KINDS: Final = {
    "integer": Kind.INT,
    "boolean": Kind.BOOL,
    "double": Kind.DOUBLE,
    "expression": Kind.EXPR,
}
#: Defaults of booleans that the daemons also take a word for.
_OTHER_WORDS: Final = frozenset(("auto",))
_DIGITS: Final = re.compile(r"\d+")


@frozen
class Readers:
    """``daemons`` read the macro; ``ended`` are those that were seen to end at a bad value, with
    their exit statuses."""

    name: str
    kind: str
    daemons: frozenset[str]
    ended: Mapping[str, int]
    low: int | None = None
    high: int | None = None

    def knob(self, daemon: str) -> Knob | None:
        """A declaration for one of the daemons; None if any text is right."""
        kind = _KINDS.get(self.kind)
        if kind is None:
            return None
        row = builtin_table().get(self.name.casefold())
        default = row[0] if row else None
        if kind is Kind.BOOL and default and default.casefold() in _OTHER_WORDS:
            return None
        return Knob(
            self.name,
            kind,
            default,
            "",
            need=Need.IRRELEVANT,
            minimum=self.low,
            maximum=self.high,
            read_by=daemon,
        )


def find_readers(macro: str) -> Readers | None:
    """Who reads a macro; NUM_SLOTS_TYPE_7 is read as NUM_SLOTS_TYPE_1 is.  None: nobody known."""
    folded = macro.casefold()
    table = _table()
    return table.get(folded) or table.get(_DIGITS.sub("1", folded))


@cache
def _table() -> dict[str, Readers]:
    return {name.casefold(): _readers(name, *row) for name, row in reader_rows().items()}


def _readers(
    name: str, kind: object, daemons: object, ended: object, low: object = None, high: object = None
) -> Readers:
    readers = frozenset(MAIN if daemons == "all" else str(daemons).split())
    bounds = [bound if isinstance(bound, int) else None for bound in (low, high)]
    marked = (word.partition("/") for word in str(ended).split())
    statuses = {daemon: int(status or 4) for daemon, _, status in marked}
    return Readers(name, str(kind), readers, statuses, *bounds)


def reader_names() -> tuple[str, ...]:
    """Every name that some program of HTCondor reads."""
    return tuple(reader_rows())
