"""Converts Python values to what ads store and to syntax trees, for the public interface.

Which ClassAd value a Python object stands for is the table in the documentation of ``ClassAd``.  A
naive ``datetime`` needs the zone of the machine, which ``datetime.timestamp`` asks for.

Inputs: a Python value and the path that names it in errors.  Outputs: what an ad stores (a plain
scalar or an ``Expression``), or a node.
Follows: the conversions of classad2 25.14.1, without its crashes; aware datetimes keep their
offset (see DIVERGENCES.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final, Protocol, cast

from classad.ads.ad import Ad, ListValue, node_of_value
from classad.ads.expression import Expression
from classad.binding.python_values import COPY_HELP, is_htcondors
from classad.errors import ClassAdTypeError
from classad.language.values import INT_MAX, INT_MIN, UNDEFINED, AbsTime, RelTime, Value, from_bytes
from classad.syntax.nodes import AdExpr, ListExpr, Literal, Node, unique_attributes

#: Containers nested deeper than this cannot be printed and read back; a loop ends here too.
MAX_DEPTH: Final = 165

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)

#: The first words of the error for a value without counterpart, as classad2 has them.
CANNOT_CONVERT: Final = "Unable to convert Python object to a ClassAd expression."


def to_stored(value: object, path: str = "value") -> object:
    """What an ad stores for a Python value."""
    kind = value.__class__
    if kind is str or kind is bool or kind is float or kind is Value:
        return value
    if kind is int:
        return _integer(value, path)  # type: ignore[arg-type]
    if isinstance(value, Expression):
        return Expression.sharing(value)
    node = to_node(value, path)
    if node.__class__ is Literal and node.value.__class__ is not RelTime:
        return node.value
    return Expression.from_node(node)


def to_node(value: object, path: str = "value", depth: int = 0) -> Node:
    """The syntax tree that stands for a Python value."""
    if isinstance(value, Expression):
        return value.node
    if isinstance(value, Ad | ListValue):
        return node_of_value(value)
    scalar = _scalar(value, path)
    if scalar is not None:
        return Literal(scalar)
    if is_htcondors(value):
        raise ClassAdTypeError(f"{CANNOT_CONVERT} `{path}`: {COPY_HELP}")
    if depth > MAX_DEPTH:
        raise ClassAdTypeError(f"{CANNOT_CONVERT} `{path}` is nested too deeply")
    if isinstance(value, Mapping) or callable(getattr(value, "items", None)):
        return AdExpr(
            unique_attributes(
                (check_name(name), to_node(item, f"{path}.{name}", depth + 1))
                for name, item in cast("_HasItems", value).items()
            )
        )
    if isinstance(value, Iterable):
        return ListExpr(
            tuple(to_node(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(value))
        )
    raise ClassAdTypeError(f"{CANNOT_CONVERT} `{path}` has no counterpart in the language")


class _HasItems(Protocol):
    """What looks like a dictionary."""

    def items(self) -> Iterable[tuple[object, object]]:
        """Names and values."""


def check_name(name: object) -> str:
    """An attribute name as it may be inserted, or the error that classad2 means."""
    if not isinstance(name, str):
        raise TypeError("ClassAd keys are strings")
    if not name:
        raise ClassAdTypeError("Insert(key, v) failed: attribute name is empty")
    if "\0" in name:
        raise ValueError("embedded null character")
    return str(name)


def _scalar(
    value: object, path: str
) -> Value | bool | int | float | str | AbsTime | RelTime | None:
    """The scalar that a Python object stands for, or None."""
    if value is None:
        return UNDEFINED
    if isinstance(value, Value | bool | AbsTime | RelTime):
        return value
    if isinstance(value, int):
        return _integer(int(value), path)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return from_bytes(value)
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, timedelta):
        return RelTime(value / _SECOND)
    if isinstance(value, date):
        raise ClassAdTypeError(f"{CANNOT_CONVERT} `{path}` is a date without a time")
    return None


def _integer(value: int, path: str) -> int:
    if INT_MIN <= value <= INT_MAX:
        return value
    raise OverflowError(f"`{path}` is {value}, which does not fit in 64 bits")


def instant(value: datetime) -> AbsTime:
    """Whole seconds; a naive datetime is local time and is stored without an offset."""
    offset = value.utcoffset()
    if offset is None:
        return AbsTime((value.astimezone(UTC) - _EPOCH) // _SECOND, 0)
    return AbsTime((value - _EPOCH) // _SECOND, offset // _SECOND)
