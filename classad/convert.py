"""ClassAd values as Python objects.

Inputs: a ClassAd value.  Outputs: what classad2 hands out for it: times as ``datetime`` in UTC and
as seconds, lists as ``list`` with non-literal members left as ``ExprTree``.
Never here: evaluation.
Follows: section 5 of the Python interface notes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from classad.ad import ClassAd
from classad.expr import PLAIN, ExprTree
from classad.lists import ListValue
from classad.values import AbsTime, RelTime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_python(value: Any) -> Any:
    """The Python object for a ClassAd value."""
    kind = value.__class__
    if kind in PLAIN:
        return value
    if kind is AbsTime:
        return _EPOCH + timedelta(seconds=value.secs)
    if kind is RelTime:
        return value.secs
    if kind is ListValue:
        return [item_to_python(item) for item in value.items]
    return value


def item_to_python(item: Any) -> Any:
    """The Python object for a stored member: literals, lists and ads as values, else itself."""
    if item.__class__ is not ExprTree:
        if isinstance(item, ClassAd):
            return item.duplicate()
        return to_python(item)
    from classad.build import stored_form

    value = stored_form(item, ClassAd())
    return value if value.__class__ is ExprTree else to_python(value)
