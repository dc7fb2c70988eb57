"""Says what is known about any macro of HTCondor, knob of the cycle or not, as ``Parameter``.

A knob of the cycle is known by its declaration, every other macro by its rows in the recorded
tables.
Follows: the parameter table of 25.14.1; macros that only the programs know have no default there.
"""

from __future__ import annotations

from collections.abc import Sequence

from attr import frozen

from policy.data.tables import builtin_table, meanings, spelling
from policy.knobs import find_knob
from policy.knobs.declaration import Knob


@frozen
class Parameter:
    """One macro; ``default`` is raw text, None where the parameter table has none."""

    name: str
    default: str | None
    type: str
    range: str
    unit: str
    doc: str
    reader: str

    def as_json(self) -> dict[str, str | None]:
        """The fields under their names."""
        return {
            "name": self.name,
            "default": self.default,
            "type": self.type,
            "range": self.range or None,
            "unit": self.unit or None,
            "meaning": self.doc,
            "read_by": self.reader,
        }


def of_knob(knob: Knob, macro: str) -> Parameter:
    """What the declaration of a knob says of a macro."""
    bounds = ["" if bound is None else f"{bound:g}" for bound in (knob.minimum, knob.maximum)]
    return Parameter(
        macro if knob.is_family else knob.name,
        knob.default,
        knob.kind.value,
        ",".join(bounds) if any(bounds) else "",
        knob.unit,
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
    return Parameter(name, None if row is None else default, kind, bounds, unit, doc, reader)


def find_parameter(macro: str) -> Parameter | None:
    """What is known about a macro."""
    knob = find_knob(macro)
    if knob is not None:
        return of_knob(knob, macro)
    name = spelling(macro)
    return of_row(name, builtin_table().get(macro.casefold()), meanings().get(name))
