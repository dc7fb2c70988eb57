"""Python values to ClassAd values and back, for the public interface.

What is decided here: which Python object stands for which ClassAd value (the table in the
documentation of ``ClassAd``).  Inside the package plain scalars and ``ExprTree`` are used as they
are stored; this module is the border.

Inputs: a Python value and the path that names it in errors; or what an ad stores.
Outputs: what an ad stores (a plain scalar or an ``ExprTree``); or a Python value.
Never here: evaluation, except that a literal is its value; the clock.  A naive ``datetime`` needs
the zone of the machine, which ``datetime.timestamp`` asks for.
Follows: the conversions of classad2 25.14.1, without its crashes; aware datetimes keep their
offset (see DIVERGENCES.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from classad.ads.ad import ClassAd
from classad.ads.expression import ExprTree
from classad.ads.lists import ListValue
from classad.ads.stored import make_ad, node_of_value
from classad.errors import ClassAdTypeError
from classad.language.names import fold_name
from classad.language.values import INT_MAX, INT_MIN, UNDEFINED, AbsTime, RelTime, Value
from classad.syntax.nodes import AdExpr, ListExpr, Literal, Node

#: Containers nested deeper than this cannot be printed and read back; a loop ends here too.
MAX_DEPTH: Final = 165

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)

#: The first words of the error for a value without counterpart, as classad2 has them.
CANNOT_CONVERT: Final = "Unable to convert Python object to a ClassAd expression."


# --- Python to ClassAd ----------------------------------------------------------------------


def to_stored(value: object, path: str = "value") -> Any:
    """What an ad stores for a Python value."""
    kind = value.__class__
    if kind is str or kind is bool or kind is float or kind is Value:
        return value
    if kind is ExprTree:
        return value.handed_out()  # type: ignore[attr-defined]
    if kind is int:
        return _integer(value, path)  # type: ignore[arg-type]
    if value is None:
        return UNDEFINED
    node = to_node(value, path)
    if node.__class__ is Literal and node.value.__class__ is not RelTime:
        return node.value
    return ExprTree.from_node(node)


def to_node(value: object, path: str = "value", depth: int = 0) -> Node:
    """The syntax tree that stands for a Python value."""
    if isinstance(value, ExprTree):
        return value.node
    if isinstance(value, ClassAd | ListValue):
        return node_of_value(value)
    scalar = _scalar(value, path)
    if scalar is not None:
        return Literal(scalar)
    if depth > MAX_DEPTH:
        raise ClassAdTypeError(f"{CANNOT_CONVERT} `{path}` is nested too deeply")
    if isinstance(value, Mapping) or callable(getattr(value, "items", None)):
        return _mapping_node(value, path, depth)
    if isinstance(value, Iterable):
        return ListExpr(
            tuple(to_node(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(value))
        )
    raise ClassAdTypeError(f"{CANNOT_CONVERT} `{path}` has no counterpart in the language")


def _mapping_node(value: Any, path: str, depth: int) -> Node:
    members: dict[str, tuple[str, Node]] = {}
    for name, item in value.items():
        checked = check_name(name)
        folded = fold_name(checked)
        spelled = members[folded][0] if folded in members else checked
        members[folded] = (spelled, to_node(item, f"{path}.{name}", depth + 1))
    return AdExpr(tuple(members.values()))


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
        return value.decode("utf-8", "surrogateescape")
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


# --- ClassAd to Python ----------------------------------------------------------------------


def to_python(value: Any) -> Any:
    """The Python object for the result of an evaluation."""
    kind = value.__class__
    if kind is str:
        return _text(value)
    if kind is bool or kind is int or kind is float or kind is Value:
        return value
    if kind is ListValue:
        return [item_to_python(item) for item in value.items]
    if kind is AbsTime:
        return _EPOCH + timedelta(seconds=value.secs)
    if kind is RelTime:
        return value.secs
    if isinstance(value, ClassAd):
        return value.duplicate()
    return value


def item_to_python(item: Any) -> Any:
    """The Python object for what an ad or a list stores: expressions stay expressions."""
    if item.__class__ is ExprTree:
        # An ad keeps literals, lists and ads as values; of those only a relative time is left.
        return node_to_python(item.node, item)
    return to_python(item)


def node_to_python(node: Node, tree: ExprTree | None = None) -> Any:
    """The Python object for a piece of syntax: literals, lists and ads are values."""
    if isinstance(node, Literal):
        return to_python(node.value)
    if isinstance(node, ListExpr):
        return [node_to_python(item) for item in node.items]
    if isinstance(node, AdExpr):
        return make_ad(node, None)
    return ExprTree.from_node(node) if tree is None else tree.handed_out()


def _text(value: str) -> str:
    """A string, refused as classad2 does when its bytes are not UTF-8."""
    if value.isascii():
        return value
    value.encode("utf-8", "surrogateescape").decode("utf-8")
    return value
