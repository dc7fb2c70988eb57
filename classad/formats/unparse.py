"""Writes values as text, byte for byte as HTCondor prints them: scalars, lists and ads.

Inputs: ClassAd values, expressions among them.  Outputs: one line in new or old syntax, or the
indented form; see ``classad.syntax.unparse`` for the order of attributes.
Follows: HTCondor 25.14.1; vectors ``unparse`` and ``formats``.
"""

from __future__ import annotations

from typing import Final

from classad.ads.ad import Ad, ListValue, Stored
from classad.language.spelling import (
    attribute_order,
    format_real,
    quote_name,
    quote_string,
    scalar_text,
)
from classad.language.values import AbsTime, RelTime, Value
from classad.syntax.unparse import (
    Pieces,
    ad_pieces,
    list_pieces,
    unparse,
    write,
)

__all__ = [
    "attribute_order",
    "format_real",
    "pretty",
    "quote_name",
    "quote_string",
    "type_name",
    "unparse",
    "unparse_value",
]

_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "boolean", int: "integer", float: "real", str: "string", AbsTime: "abstime",
    RelTime: "reltime",
}  # fmt: skip


def unparse_value(value: object, old: bool = False) -> str:
    """The value in one line; members of lists and ads print unevaluated."""
    text = scalar_text(value, old)
    return write(value, old, other=_pieces) if text is None else text


def type_name(value: object) -> str:
    """The name of a value's type, as the golden vectors spell it."""
    if isinstance(value, Value):
        return value.name.lower()
    if isinstance(value, Ad):
        return "classad"
    return _TYPE_NAMES.get(value.__class__, "list")


def pretty(item: object) -> str:
    """An ad, a list, a value or an expression in new syntax, ads and lists over several lines."""
    text = scalar_text(item)
    return write(item, False, spread=True, other=_pieces) if text is None else text


def _pieces(value: Stored, old: bool, spread: bool) -> Pieces:
    """The pieces of a value with parts, or of an expression."""
    if isinstance(value, ListValue):
        return list_pieces([_member(item, old) for item in value.items], spread)
    if isinstance(value, Ad):
        fields = zip(value._names.values(), value._attrs.values(), strict=True)
        return ad_pieces([(name, _member(item, old)) for name, item in fields], old, spread)
    return [value.node]


def _member(value: object, old: bool) -> object:
    """A piece for a part of a value: its text, or the object if that has parts itself."""
    text = scalar_text(value, old)
    return value if text is None else text
