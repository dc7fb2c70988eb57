"""Writes values as the golden vectors do: ``{"type", "value"}``.

Reals are the shortest round-trip decimal as a string, lists and ads their new-syntax text, times
their parts; the exceptional values carry null.  The schema is in the vectors' README.
"""

from __future__ import annotations

import math

from classad.ads.ad import Ad, ListValue
from classad.formats.unparse import unparse_value
from classad.language.values import ERROR, UNDEFINED, AbsTime, RelTime

#: What a case says when its text does not parse.
PARSE_ERROR: dict[str, object] = {"type": "parse_error", "value": None}


def encode(value: object) -> dict[str, object]:
    """The record of a value."""
    if value is UNDEFINED:
        return {"type": "undefined", "value": None}
    if value is ERROR:
        return {"type": "error", "value": None}
    if isinstance(value, AbsTime):
        return {"type": "abstime", "value": {"secs": value.secs, "offset": value.offset}}
    if isinstance(value, RelTime):
        return {"type": "reltime", "value": real_text(value.secs)}
    if isinstance(value, bool):
        return {"type": "boolean", "value": value}
    if isinstance(value, int):
        return {"type": "integer", "value": value}
    if isinstance(value, float):
        return {"type": "real", "value": real_text(value)}
    if isinstance(value, str):
        return {"type": "string", "value": value}
    if isinstance(value, ListValue):
        return {"type": "list", "value": unparse_value(value)}
    if isinstance(value, Ad):
        return {"type": "classad", "value": unparse_value(value)}
    raise TypeError(f"no ClassAd value: {value!r}")


def real_text(number: float) -> str:
    """``2.5``, ``inf``, ``-inf``, ``nan`` (its sign is not significant) or ``-0.0``."""
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(number)
