"""Reads macros as the tools and the Python interface do, by the type in the parameter table.

Where a daemon would abort a tool hands out clamped numbers, or the default for what is invalid.
Inputs: a ``Config``, the type and range of the macro in HTCondor's table.  Outputs: Python values
(None: undefined).
Follows: the ``htcondor.param`` mapping of 25.14.1 (golden vectors ``typed``).
"""

from __future__ import annotations

from attr import frozen

from policy.config import Config
from policy.knobs import KNOBS
from policy.knobs.declaration import KnobKind
from policy.language.numbers import (
    INT32,
    clamp,
    leading_boolean,
    read_boolean,
    read_double,
    read_integer,
)


@frozen
class TableRow:
    """A macro in the parameter table: default text, type (empty: text), integer range."""

    default: str
    type: str = ""
    low: int = INT32[0]
    high: int = INT32[1]


#: Where the table's type is not the one the daemon reads the knob with.
_TABLE_TYPES = {
    "CONCURRENCY_LIMIT_DEFAULT": "int",
    "NEGOTIATE_ALL_JOBS_IN_CLUSTER": "",
}
_KIND_TYPES = {
    KnobKind.BOOL: "bool",
    KnobKind.INT: "int",
    KnobKind.DOUBLE: "double",
    KnobKind.LEADING: "double",
}


def table_row(name: str, table: dict[str, list[str]]) -> TableRow | None:
    """The row of a macro: from its declaration if it is a knob, else from the data table."""
    knob = KNOBS.get(name.casefold())
    if knob is not None and knob.in_table:
        kind = _TABLE_TYPES.get(knob.name, _KIND_TYPES.get(knob.kind, ""))
        low = INT32[0] if knob.minimum is None else int(knob.minimum)
        high = INT32[1] if knob.maximum is None else int(knob.maximum)
        return TableRow(knob.default or "", kind, low, high)
    row = table.get(name.casefold())
    if row is None:
        return None
    default, kind, *limits = (*row, "")[: max(2, len(row))]
    if kind in ("int", "long") and len(limits) == 2:
        return TableRow(default, kind, int(limits[0]), int(limits[1]))
    return TableRow(default, kind)


def tool_value(config: Config, name: str, row: TableRow | None) -> object:
    """What a tool reads for ``name``; None when it is undefined."""
    text = config.text(name)
    kind = "" if row is None else row.type
    if kind not in ("bool", "int", "long", "double"):
        return text
    assert row is not None
    default = config.scope.expand(row.default)
    value = _number(config, kind, text or "", row)
    if value is None:
        value = _number(config, kind, default, row)
    return value


def _number(config: Config, kind: str, text: str, row: TableRow) -> bool | int | float | None:
    evaluate = config.scope.functions.evaluate
    if not text:
        return None
    if kind == "bool":
        found = read_boolean(text, evaluate)
        return leading_boolean(text) if found is None else found
    if kind == "double":
        return read_double(text, evaluate)
    integer = read_integer(text, evaluate)
    if integer is None or kind == "long":
        return integer
    if clamp(integer, INT32) != integer:
        return clamp(integer, INT32)  # the table's range is not looked at then
    return clamp(integer, (row.low, row.high))
