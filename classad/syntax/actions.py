"""Builds nodes with spans for each rule of the grammar, from tokens and smaller nodes.

Inputs: the parts of a finished rule, left to right (tokens and what earlier rules built), and
``PLACE``, the parse itself, for errors and for the zone of time literals.  Outputs: nodes; for the
helper rules (items, attributes) plain Python lists and pairs.
Follows: HTCondor 25.14.1: ``absTime`` and ``relTime`` of one string literal are literals, names in
an ad are unique without case, the first spelling and the last expression win.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Final, Protocol, TypeAlias

from classad.errors import ClassAdParseError
from classad.language.names import ABSOLUTE_TIME, TIME_LITERALS, fold_name
from classad.language.operators import BINARY
from classad.language.times import parse_abstime_literal, parse_reltime_literal
from classad.language.values import RelTime
from classad.syntax.lexing import NO_MIDDLE, Token
from classad.syntax.nodes import (
    BLANK_ELVIS,
    AdExpr,
    Binary,
    Call,
    Conditional,
    ListExpr,
    Literal,
    Node,
    Parens,
    Reference,
    Subscript,
    Unary,
)

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


def _literal(parts: Parts) -> Literal:
    token: Token = parts[0]
    return Literal(token.value, start=token.start, end=token.end)


def _reference(parts: Parts) -> Reference:
    token: Token = parts[0]
    return Reference(token.value, start=token.start, end=token.end)


def _absolute(parts: Parts) -> Reference:
    dot, name = parts
    return Reference(name.value, absolute=True, start=dot.start, end=name.end)


def _selection(parts: Parts) -> Reference:
    base, _, name = parts
    return Reference(name.value, base, start=base.start, end=name.end)


def _subscript(parts: Parts) -> Subscript:
    base, _, index, close = parts
    return Subscript(base, index, start=base.start, end=close.end)


def _prefix(parts: Parts) -> Unary:
    sign, operand = parts
    return Unary(sign.value, operand, start=sign.start, end=operand.end)


def _binary(parts: Parts) -> Binary:
    left, sign, right = parts
    operator = _OPERATORS[sign.kind]
    if operator == "?:" != sign.value:
        operator = BLANK_ELVIS
    return Binary(operator, left, right, start=left.start, end=right.end)


def _conditional(parts: Parts) -> Node:
    condition, _, then, _, otherwise = parts
    if then.__class__ is Literal and then.value is NO_MIDDLE:
        # The same value as `?:` gives, whose operands need parentheses to be all of these.
        left, right = _operand(condition), _operand(otherwise)
        return Binary("?:", left, right, start=condition.start, end=otherwise.end)
    return Conditional(condition, then, otherwise, start=condition.start, end=otherwise.end)


def _operand(node: Node) -> Node:
    if isinstance(node, Unary | Binary | Conditional):
        return Parens(node, start=node.start, end=node.end)
    return node


def _parens(parts: Parts) -> Parens:
    opening, inner, close = parts
    return Parens(inner, start=opening.start, end=close.end)


def _list(parts: Parts) -> ListExpr:
    return ListExpr(tuple(*parts[1:-1]), start=parts[0].start, end=parts[-1].end)


def _call(parts: Parts) -> Node:
    name, _, *given, close = parts
    args = given[0] if given else []
    if len(args) == 1 and name.value.lower() in TIME_LITERALS:
        argument = args[0]
        if isinstance(argument, Literal) and argument.value.__class__ is str:
            return _time_literal(name, argument, close.end)
    return Call(name.value, tuple(args), start=name.start, end=close.end)


def _time_literal(name: Token, argument: Literal, end: int) -> Literal:
    text, place = str(argument.value), PLACE.get()
    if name.value.lower() == ABSOLUTE_TIME:
        instant = parse_abstime_literal(text, place.tz)
        if instant is not None:
            return Literal(instant, start=name.start, end=end)
        example = '`absTime("2026-01-31T23:59:59Z")`'
    else:
        seconds = parse_reltime_literal(text)
        if seconds is not None:
            return Literal(RelTime(seconds), start=name.start, end=end)
        example = '`relTime("1+02:03:04")` for a day, two hours, three minutes, four seconds'
    message = f"this is not a time that `{name.value}` can read"
    raise place.error(message, argument.start, argument.end, f"write it like {example}")


def _first(parts: Parts) -> Parts:
    return [parts[0]]


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


def _ad(parts: Parts) -> AdExpr:
    attributes = next((part for part in parts[1:-1] if part is not None), ())
    return AdExpr(unique_attributes(attributes), start=parts[0].start, end=parts[-1].end)


def unique_attributes(pairs: Iterable[tuple[str, Node]]) -> tuple[tuple[str, Node], ...]:
    """The attributes of an ad: of names equal without case the first spelling, the last value."""
    unique: dict[str, tuple[str, Node]] = {}
    for name, value in pairs:
        folded = fold_name(name)
        unique[folded] = (unique[folded][0] if folded in unique else name, value)
    return tuple(unique.values())


def _nothing(parts: Parts) -> None:
    return None


#: Name of the alternative in the grammar (its alias or its rule) -> what it builds.
BUILDERS: Final[dict[str, Callable[[Parts], Any]]] = {
    "literal": _literal,
    "reference": _reference,
    "absolute": _absolute,
    "selection": _selection,
    "subscript": _subscript,
    "prefix": _prefix,
    "binary": _binary,
    "conditional": _conditional,
    "parens": _parens,
    "list": _list,
    "list_empty": _list,
    "call": _call,
    "call_empty": _call,
    "first": _first,
    "more": _more,
    "attribute": _attribute,
    "ad": _ad,
    "ad_after_semicolons": _ad,
    "ad_empty": _ad,
    "semicolons": _nothing,
}
