"""Printing: expressions, lists and ads as text, byte for byte as HTCondor prints them.

Inputs: nodes, ``ExprTree`` objects and ClassAd values.  Outputs: one line in new or old syntax, or
the indented form.  Printing walks a stack of its own, so long chains neither recurse nor cost
quadratic time.
Never here: whole ad files, JSON, XML.
Follows: HTCondor 25.14.1; vectors ``unparse`` and ``formats``.  Attributes of an ad are printed by
length of the name, then without regard to case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from classad.ads.ad import ClassAd
from classad.ads.lists import ListValue
from classad.formats.scalars import format_real, quote_name, quote_string, scalar_text
from classad.language.names import fold_name
from classad.language.values import AbsTime, RelTime, Value
from classad.syntax.nodes import (
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
_NEW_SPELLING: Final = {"=?=": "is", "=!=": "isnt"}
#: How far the indented form moves to the right for a bracket and again for what is inside.
_AD_INDENT: Final = 4
_LIST_INDENT: Final = 3


class _Shift(int):
    """Among the pieces: begin a new line, indented this much more or less."""


class _Back(int):
    """Among the pieces: later lines are indented this much less."""


Pieces = list[Any]


def unparse(node: Node, old: bool = False) -> str:
    """The expression in one line.  Parentheses stand where the tree has them, nowhere else."""
    return _write(node, old)


def unparse_value(value: Any, old: bool = False) -> str:
    """The value in one line; members of lists and ads print unevaluated."""
    text = scalar_text(value, old)
    return _write(value, old) if text is None else text


def type_name(value: Any) -> str:
    """The name of a value's type, as the golden vectors spell it."""
    if isinstance(value, Value):
        return value.name.lower()
    if isinstance(value, ClassAd):
        return "classad"
    return _TYPE_NAMES.get(value.__class__, "list")


def pretty(item: Any) -> str:
    """An ad, a list, a value or an expression in new syntax, ads and lists over several lines."""
    text = scalar_text(item)
    return _write(item, False, spread=True) if text is None else text


def attribute_order(name: str) -> tuple[int, str]:
    """Sort key of an attribute in a printed ad."""
    length = len(name) if name.isascii() else len(name.encode("utf-8", "surrogatepass"))
    return length, fold_name(name)


def _write(item: Any, old: bool, *, spread: bool = False) -> str:
    out: list[str] = []
    stack: Pieces = [item]
    indent = 0
    while stack:
        top = stack.pop()
        kind = top.__class__
        if kind is str:
            out.append(top)
        elif kind is _Shift:
            indent += top
            out.append("\n" + " " * indent)
        elif kind is _Back:
            indent -= top
        else:
            pieces = _EXPANDERS.get(kind, _value)(top, old, spread)
            stack.extend(reversed(pieces))
    return "".join(out)


def _literal(node: Literal, old: bool, spread: bool) -> Pieces:
    return [scalar_text(node.value, old)]


def _reference(node: Reference, old: bool, spread: bool) -> Pieces:
    if node.base is not None:
        # HTCondor does not quote here, so `a.'b c'` prints as a text that does not parse.
        return [node.base, "." + node.name]
    return ["." if node.absolute else "", quote_name(node.name, old)]


def _unary(node: Unary, old: bool, spread: bool) -> Pieces:
    return [f" {node.operator}", node.operand]


def _binary(node: Binary, old: bool, spread: bool) -> Pieces:
    operator = node.operator if old else _NEW_SPELLING.get(node.operator, node.operator)
    return [node.left, f" {operator} ", node.right]


def _conditional(node: Conditional, old: bool, spread: bool) -> Pieces:
    return [node.condition, " ? ", node.then, " : ", node.otherwise]


def _subscript(node: Subscript, old: bool, spread: bool) -> Pieces:
    return [node.base, "[", node.index, "]"]


def _parens(node: Parens, old: bool, spread: bool) -> Pieces:
    return ["(", node.inner, ")"]


def _call(node: Call, old: bool, spread: bool) -> Pieces:
    return [node.name + "(", *_between(node.args, [","]), ")"]


def _list_expr(node: ListExpr, old: bool, spread: bool) -> Pieces:
    return _list(node.items, spread)


def _ad_expr(node: AdExpr, old: bool, spread: bool) -> Pieces:
    return _ad(node.attributes, old, spread)


def _value(value: Any, old: bool, spread: bool) -> Pieces:
    """What is not a node: an expression object, or a value with parts."""
    if isinstance(value, ListValue):
        return _list([_member(item, old) for item in value.items], spread)
    if isinstance(value, ClassAd):
        fields = zip(value._names.values(), value._attrs.values(), strict=True)
        return _ad([(name, _member(item, old)) for name, item in fields], old, spread)
    return [value.node]


def _member(value: Any, old: bool) -> Any:
    """A piece for a part of a value: its text, or the object if that has parts itself."""
    text = scalar_text(value, old)
    return value if text is None else text


def _list(items: Iterable[Any], spread: bool) -> Pieces:
    lines = _between(items, [",", _Shift(0)] if spread else [","])
    return _bracketed("{", lines, "}", _LIST_INDENT) if spread else ["{ ", *lines, " }"]


def _ad(attributes: Iterable[tuple[str, Any]], old: bool, spread: bool) -> Pieces:
    ordered = sorted(attributes, key=lambda pair: attribute_order(pair[0]))
    fields = ([quote_name(name, old) + " = ", value] for name, value in ordered)
    lines = _joined(fields, ["; ", _Shift(0)] if spread else ["; "])
    return _bracketed("[", lines, "]", _AD_INDENT) if spread else ["[ ", *lines, " ]"]


def _bracketed(opening: str, lines: Pieces, closing: str, step: int) -> Pieces:
    inside = [_Shift(step), *lines, _Shift(-step)] if lines else [_Shift(0)]
    return [_Shift(step), opening, *inside, closing, _Back(step)]


def _between(items: Iterable[Any], separator: Pieces) -> Pieces:
    return _joined(([item] for item in items), separator)


def _joined(groups: Iterable[Pieces], separator: Pieces) -> Pieces:
    pieces: Pieces = []
    for group in groups:
        if pieces:
            pieces.extend(separator)
        pieces.extend(group)
    return pieces


_EXPANDERS: Final[dict[type, Callable[[Any, bool, bool], Pieces]]] = {
    Literal: _literal,
    Reference: _reference,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    Subscript: _subscript,
    Parens: _parens,
    Call: _call,
    ListExpr: _list_expr,
    AdExpr: _ad_expr,
}
