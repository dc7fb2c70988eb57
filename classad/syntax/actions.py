"""Builds nodes with spans for each rule of the grammar, from tokens and smaller nodes.

Inputs: the parts of a finished rule, left to right (tokens and what earlier rules built), and
``PLACE``, the parse itself, for errors and for the zone of time literals.  Outputs: nodes; for the
helper rules (items, attributes) plain Python lists and pairs.
Follows: HTCondor 25.14.1: ``absTime`` and ``relTime`` of one string literal are literals, names in
an ad are unique without case, the first spelling and the last expression win.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, Protocol, TypeAlias

from classad.errors import ClassAdParseError
from classad.language.names import ABSOLUTE_TIME, TIME_LITERALS
from classad.language.operators import BINARY
from classad.language.times import parse_abstime_literal, parse_reltime_literal
from classad.language.values import RelTime
from classad.syntax import nodes
from classad.syntax.lexing import NO_MIDDLE, Token
from classad.syntax.nodes import Node

#: Binary operators by their tokens, and by those of their words.
_OPERATORS: Final = {row.token: symbol for symbol, row in BINARY.items()} | {
    row.word.upper(): symbol for symbol, row in BINARY.items() if row.word is not None
}


#: What a finished rule consists of: tokens, nodes, and lists of nodes or of attributes.  The
#: grammar says which of them stands where.
Parts: TypeAlias = list[Any]


class ParsePlace(Protocol):
    """What a builder may ask of the parse."""

    @property
    def tz(self) -> str | None:
        """Zone of time literals that name none; None is UTC."""

    def error(
        self, message: str, start: int, end: int, help_text: str | None = None
    ) -> ClassAdParseError:
        """The exception for a place in the text."""


#: The parse that builds.
PLACE: Final[ContextVar[ParsePlace]] = ContextVar("PLACE")


def _node(make: Callable[..., Node]) -> Callable[[Parts], Node]:
    """Builds a node that reaches from the first part to the last."""
    return lambda parts: make(*parts, start=parts[0].start, end=parts[-1].end)


def _binary(left: Node, sign: Token, right: Node, **at: int) -> nodes.Binary:
    operator = _OPERATORS[sign.kind]
    if operator == "?:" != sign.value:
        operator = nodes.BLANK_ELVIS
    return nodes.Binary(operator, left, right, **at)


def _conditional(
    condition: Node, mark: Token, then: Node, colon: Token, otherwise: Node, **at: int
) -> Node:
    if then.__class__ is nodes.Literal and then.value is NO_MIDDLE:
        # The same value as `?:` gives, whose operands need parentheses to be all of these.
        return nodes.Binary("?:", _operand(condition), _operand(otherwise), **at)
    return nodes.Conditional(condition, then, otherwise, **at)


def _operand(node: Node) -> Node:
    if isinstance(node, nodes.Unary | nodes.Binary | nodes.Conditional):
        return nodes.Parens(node, start=node.start, end=node.end)
    return node


def _call(name: Token, *rest: Any, **at: int) -> Node:
    args = rest[1] if len(rest) == 3 else []
    if len(args) == 1 and name.value.lower() in TIME_LITERALS:
        argument = args[0]
        if isinstance(argument, nodes.Literal) and argument.value.__class__ is str:
            return _time_literal(name, argument, at["end"])
    return nodes.Call(name.value, tuple(args), **at)


def _time_literal(name: Token, argument: nodes.Literal, end: int) -> nodes.Literal:
    text, place = str(argument.value), PLACE.get()
    if name.value.lower() == ABSOLUTE_TIME:
        instant = parse_abstime_literal(text, place.tz)
        if instant is not None:
            return nodes.Literal(instant, start=name.start, end=end)
        example = '`absTime("2026-01-31T23:59:59Z")`'
    else:
        seconds = parse_reltime_literal(text)
        if seconds is not None:
            return nodes.Literal(RelTime(seconds), start=name.start, end=end)
        example = '`relTime("1+02:03:04")` for a day, two hours, three minutes, four seconds'
    message = f"this is not a time that `{name.value}` can read"
    raise place.error(message, argument.start, argument.end, f"write it like {example}")


def _more(parts: Parts) -> Parts:
    # The list is this parse's own: growing it keeps long lists linear.
    grown: Parts = parts[0]
    grown.append(parts[2])
    return grown


def _attribute(parts: Parts) -> tuple[str, Node]:
    name, _, value = parts
    if not name.value:
        raise PLACE.get().error("the name of an attribute is empty", name.start, name.end)
    return name.value, value


def _ad(*parts: Any, **at: int) -> nodes.AdExpr:
    attributes = next((part for part in parts[1:-1] if part is not None), ())
    return nodes.AdExpr(nodes.unique_attributes(attributes), **at)


_LIST: Final = _node(lambda *parts, **at: nodes.ListExpr(tuple(*parts[1:-1]), **at))
_AD: Final = _node(_ad)
_CALL: Final = _node(_call)
#: Name of the alternative in the grammar (its alias or its rule) -> what it builds.
BUILDERS: Final[dict[str, Callable[[Parts], Any]]] = {
    "literal": _node(lambda token, **at: nodes.Literal(token.value, **at)),
    "reference": _node(lambda name, **at: nodes.Reference(name.value, **at)),
    "absolute": _node(lambda dot, name, **at: nodes.Reference(name.value, absolute=True, **at)),
    "selection": _node(lambda base, dot, name, **at: nodes.Reference(name.value, base, **at)),
    "subscript": _node(lambda base, box, index, close, **at: nodes.Subscript(base, index, **at)),
    "prefix": _node(lambda sign, operand, **at: nodes.Unary(sign.value, operand, **at)),
    "binary": _node(_binary),
    "conditional": _node(_conditional),
    "parens": _node(lambda opening, inner, close, **at: nodes.Parens(inner, **at)),
    "list": _LIST,
    "list_empty": _LIST,
    "call": _CALL,
    "call_empty": _CALL,
    "first": lambda parts: [parts[0]],
    "more": _more,
    "attribute": _attribute,
    "ad": _AD,
    "ad_after_semicolons": _AD,
    "ad_empty": _AD,
    "semicolons": lambda parts: None,
}
