"""Writes what a column of Arrow cannot say by itself in a companion column, and reads it.

The companion of a column ``Cpus`` is the column ``Cpus:classad``, of texts in new syntax: where it
is not null, it says what the cell is, else the column does.  It is an ordinary column, so
it outlives filters, sorting, Parquet and programs that drop metadata.  An attribute that no
expression in new syntax stands for exactly, such as a real that is no number, has a text that
begins with ``=``.
"""

from __future__ import annotations

import re
from typing import Final

from classad.ads.ad import Stored, node_of_value, stored_form
from classad.ads.expression import Expression, parsed
from classad.binding.ad import ClassAd
from classad.language.spelling import quote_name
from classad.language.values import AbsTime, RelTime
from classad.syntax.nodes import Literal, Reference, Unary
from classad.syntax.unparse import EXPANDERS, Expander, Pieces, write

#: What the name of a companion ends with.
COMPANION: Final = ":classad"
_REAL: Final = "=real "
_SPAN: Final = "=relTime "
_TIME: Final = "=absTime "
_NOWHERE: Final = ClassAd()


def companion(name: str) -> str:
    """The name of the companion of a column."""
    return name + COMPANION


def written(cell: Stored) -> str:
    """The text of a cell."""
    if cell.__class__ is float and cell - cell != 0:
        return f"{_REAL}{cell!r}"
    if cell.__class__ is AbsTime:
        return f"{_TIME}{cell.secs} {cell.offset}"
    node = node_of_value(cell)
    if isinstance(node, Literal) and node.value.__class__ is RelTime:
        return f"{_SPAN}{node.value.secs!r}"
    return write(node, False, expanders=_EXACT)


def _reference(node: Reference, old: bool, spread: bool) -> Pieces | str:
    """HTCondor does not quote the name that is selected, nor keep it from a number before."""
    if node.base is None:
        plain: str = EXPANDERS[Reference](node, old, spread)
        return plain
    dot = " ." if isinstance(node.base, Literal) else "."
    return [node.base, dot + quote_name(node.name, old)]


def _literal(node: Literal, old: bool, spread: bool) -> str:
    """HTCondor's reals lose the last bit, and it does not read offsets of more than 99 hours."""
    value = node.value
    if value.__class__ is float and value == value:
        return repr(value).replace("inf", "1e999")
    text: str = EXPANDERS[Literal](node, old, spread)
    if value.__class__ is AbsTime:
        hours = abs(value.offset) // 3600
        minutes = abs(value.offset) // 60 - 99 * 60
        return re.sub(rf"{hours}:\d\d\"", f'99:{minutes}"', text) if hours > 99 else text
    return text


_EXACT: Final[dict[type, Expander]] = {
    **EXPANDERS,
    Reference: _reference,
    # A sign that touches a number would be part of it.
    Unary: lambda node, old, spread: [f" {node.operator} ", node.operand],
    Literal: _literal,
}


def read(text: str) -> Stored:
    """The cell that has this text; ``ClassAdParseError``: none has."""
    if text.startswith(_REAL):
        return float(text.removeprefix(_REAL))
    if text.startswith(_SPAN):
        return Expression.from_node(Literal(RelTime(float(text.removeprefix(_SPAN)))))
    if text.startswith(_TIME):
        seconds, _, offset = text.removeprefix(_TIME).partition(" ")
        return AbsTime(int(seconds), int(offset))
    return stored_form(Expression.from_node(parsed(text)), _NOWHERE)
