"""Orders the attributes of an ad for printing, and opens what they hold.

Inputs: an ad.  Outputs: pairs of a spelling and an *item*: a plain scalar, a ``ListValue``, an
``Ad``, or the syntax tree of an expression.
Follows: HTCondor 25.14.1: new syntax, JSON and XML sort by the length of the name in bytes, then
without case, and so do the mapping interface and the long form of classad2; the long form of its
tools sorts without case.
"""

from __future__ import annotations

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.language.spelling import attribute_order


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
