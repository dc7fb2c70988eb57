"""Converts ClassAd values to Python values, for the public interface.

Lists, times and scalars have Python classes of their own.  What an ad or an expression is shown as
is registered by the modules of ``ClassAd`` and ``ExprTree``, which convert values themselves.

Inputs: the result of an evaluation, or what an ad stores.  Outputs: Python values; ads and lists
are copies.
Follows: the conversions of classad2 25.14.1.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from classad.ads.ad import Ad, ListValue, Stored
from classad.ads.expression import Expression
from classad.language.values import AbsTime, RelTime, Value

#: What the Python interface hands out: a scalar, a list, a ``datetime``, a ``ClassAd``, an
#: ``ExprTree``.  Python users know which, a type checker cannot.
PythonValue: TypeAlias = Any

#: ``Ad`` and ``Expression`` -> what makes the object that Python users see of one.
FACTORIES: Final[dict[type, Callable[..., PythonValue]]] = {}

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def to_python(value: Stored) -> PythonValue:
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
    if isinstance(value, Ad):
        return FACTORIES[Ad](value)
    return value


def item_to_python(item: Stored) -> PythonValue:
    """The Python object for what an ad or a list stores: expressions stay expressions."""
    if item.__class__ is Expression:
        # An ad keeps literals, lists and ads as values; of those only a relative time is left.
        from classad.syntax.nodes import Literal

        node = item.node
        return to_python(node.value) if isinstance(node, Literal) else FACTORIES[Expression](item)
    return to_python(item)


def _text(value: str) -> str:
    """A string, refused as classad2 does when its bytes are not UTF-8."""
    if value.isascii():
        return value
    value.encode("utf-8", "surrogateescape").decode("utf-8")
    return value
