"""Writes values as text, byte for byte as HTCondor prints them, and as HTML for notebooks.

Inputs: ClassAd values, expressions among them.  Outputs: one line in new or old syntax, or the
indented form; the attributes of an ad in the order of printing, with their *items*: a plain scalar,
a ``ListValue``, an ``Ad``, or the syntax tree of an expression.  New syntax, JSON, XML, the mapping
interface and the long form of classad2 sort by the length of the name in bytes, then without case;
the long form of HTCondor's tools sorts without case.  HTML is escaped, and has no style sheets.
Follows: HTCondor 25.14.1; vectors ``unparse`` and ``formats``.
"""

from __future__ import annotations

from typing import Final

from classad.ads.ad import Ad, ListValue, Stored
from classad.ads.expression import Expression
from classad.language.spelling import attribute_order, scalar_text
from classad.language.values import AbsTime, RelTime, Value
from classad.syntax.unparse import Pieces, ad_pieces, list_pieces, unparse, write

__all__ = [
    "ad_html",
    "is_node",
    "item_of_stored",
    "ordered_names",
    "pretty",
    "print_order",
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


def print_order(ad: Ad) -> list[tuple[str, Stored]]:
    """Own attributes as new syntax, JSON, XML and classad2's long form print them."""
    return [(name, item_of_stored(ad._attrs[key])) for key, name in ordered_names(ad)]


def ordered_names(ad: Ad) -> list[tuple[str, str]]:
    """Folded name and spelling of the own attributes, shorter names first, then without case."""
    return sorted(ad._names.items(), key=lambda item: attribute_order(item[1]))


def item_of_stored(value: Stored) -> Stored:
    """The printable item for what an ad or a list stores."""
    if value.__class__ is not Expression:
        return value
    from classad.syntax.nodes import Literal

    # An ad keeps lists and ads as values; of the literals only a relative time is left.
    return value.node.value if isinstance(value.node, Literal) else value.node


def is_node(item: object) -> bool:
    """Whether a printable item is the syntax tree of an expression."""
    from classad.syntax.nodes import Node

    return isinstance(item, Node)


def ad_html(ad: Ad) -> str:
    """A table of names and expressions."""
    from html import escape

    rows = "".join(
        f"<tr><th>{escape(name)}</th><td><code>{escape(unparse_value(ad._attrs[key]))}</code>"
        "</td></tr>"
        for key, name in ordered_names(ad)
    )
    return f"<table><tbody>{rows}</tbody></table>"
