"""Turns answers into JSON data.

Decides how a frozen value becomes plain dictionaries and lists: a field is a key of the same name,
a member of an enumeration its value, a number that JSON cannot say null.

Inputs: any answer of ``pieslice.why``.  Outputs: plain values.  Follows: ``pieslice
negotiate --json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import attr

from classad.analysis.explanation import Explanation
from negotiator.groups.quotas import QuotaStep
from pieslice.data import JsonObject


def to_data(value: object) -> object:
    """``value`` in terms of what JSON knows."""
    if isinstance(value, Explanation):
        return value.to_dict()
    if isinstance(value, Enum):
        return value.value
    kind = value.__class__
    if attr.has(kind):
        step = {"step": kind.__name__} if isinstance(value, QuotaStep) else {}
        return step | _fields(kind, value)
    if isinstance(value, Mapping):
        return {str(key): to_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_data(item) for item in value]
    return value


def _fields(kind: type[attr.AttrsInstance], value: object) -> JsonObject:
    names = [item.name for item in attr.fields(kind)]
    return {name: to_data(getattr(value, name)) for name in names}
