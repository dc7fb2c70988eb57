"""Says what is known about any macro of HTCondor, knob of the cycle or not, as ``Parameter``.

A knob of the cycle is known by its declaration, every other macro by its rows in the recorded
tables.
Follows: the parameter table of 25.14.1; macros that only the programs know have no default there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from attr import evolve, frozen

from policy.data.tables import builtin_table, meanings, parameter_rows, spelling
from policy.history import builtin_rows, is_read
from policy.knobs import find_knob
from policy.knobs.declaration import Knob
from policy.versions import NEWEST, Version


@frozen
class Parameter:
    """One macro; ``default`` is raw text, None where the parameter table has none."""

    name: str
    default: str | None
    type: str
    range: str | None
    unit: str | None
    doc: str
    reader: str


def of_knob(knob: Knob, macro: str) -> Parameter:
    """What the declaration of a knob says of a macro."""
    bounds = ["" if bound is None else f"{bound:g}" for bound in (knob.minimum, knob.maximum)]
    return Parameter(
        macro if knob.is_family else knob.name,
        knob.default,
        knob.kind.value,
        ",".join(bounds) if any(bounds) else None,
        knob.unit or None,
        knob.doc,
        knob.read_by,
    )


def of_row(name: str, row: Sequence[str] | None, meaning: Sequence[str] | None) -> Parameter | None:
    """What the tables say of a macro, None if neither has it."""
    if row is None and meaning is None:
        return None
    default, kind, bounds = (*(row or ()), "", "", "")[:3]
    doc, unit, reader, own = (*(meaning or ()), "", "", "", "")[:4]
    # The table calls expressions nothing at all; the daemons that read them know better.
    kind = kind or own or "string"
    known = None if row is None else default
    return Parameter(name, known, kind, bounds or None, unit or None, doc, reader)


def find_parameter(macro: str, version: Version = NEWEST) -> Parameter | None:
    """What is known about a macro in a version; None if that does not read it."""
    if not is_read(macro, version):
        return None
    knob = find_knob(macro)
    if knob is not None:
        known = of_knob(knob, macro)
        rows = {knob.name: [knob.default or ""]}
        row = builtin_rows(version, rows).get(knob.name)
        return known if row == rows[knob.name] else evolve(known, default=row[0] if row else None)
    name = spelling(macro)
    return of_row(name, _table(version).get(macro.casefold()), meanings().get(name))


@lru_cache(maxsize=4)
def _table(version: Version) -> Mapping[str, Sequence[str]]:
    if version >= NEWEST:
        return builtin_table()
    rows = builtin_rows(version, parameter_rows())
    return {name.casefold(): row for name, row in rows.items()}
