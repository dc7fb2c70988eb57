"""Writes syntax trees as text, byte for byte as HTCondor prints expressions.

Inputs: nodes.  Outputs: one line in new or old syntax, or the indented form.  Writing walks a stack
of its own, so long chains neither recurse nor cost quadratic time.
Follows: HTCondor 25.14.1; vectors ``unparse``.  Attributes of an ad are printed by length of the
name, then without regard to case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from classad.language.spelling import attribute_order, quote_name, scalar_text
from classad.syntax import nodes
from classad.syntax.nodes import Node

_NEW_SPELLING: Final = {"=?=": "is", "=!=": "isnt"}
#: How far the indented form moves to the right for a bracket and again for what is inside.
_AD_INDENT: Final = 4
_LIST_INDENT: Final = 3


class _Shift(int):
    """Among the pieces: begin a new line, indented this much more or less."""


class _Back(int):
    """Among the pieces: later lines are indented this much less."""


#: Texts, nodes, shifts, and whatever else an expander knows.
Pieces: TypeAlias = list[Any]


#: What expands a piece: ``expand(piece, old, spread)`` gives the pieces that it consists of, or the
#: text of a leaf.
Expander = Callable[..., Any]


def unparse(node: Node, old: bool = False) -> str:
    """The expression in one line.  Parentheses stand where the tree has them, nowhere else."""
    return write(node, old)


def spread_out(node: Node) -> str:
    """The expression in new syntax, ads and lists over several lines."""
    return write(node, False, spread=True)


def _no_expander(piece: object, old: bool, spread: bool) -> Pieces:
    raise AssertionError(f"a `{type(piece).__name__}` is no part of an expression")


def write(
    item: object,
    old: bool,
    *,
    spread: bool = False,
    other: Expander = _no_expander,
    expanders: Mapping[type, Expander] | None = None,
) -> str:
    """The text of a node, or of anything that ``other`` expands into texts and nodes.

    ``expanders``: those of nodes, by their class, if not HTCondor's.
    """
    known = EXPANDERS if expanders is None else expanders
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
            pieces = known.get(kind, other)(top, old, spread)
            if pieces.__class__ is str:
                out.append(pieces)  # a leaf
            else:
                stack.extend(reversed(pieces))
    return "".join(out)


def _binary(node: nodes.Binary, old: bool, spread: bool) -> Pieces:
    operator = node.operator if old else _NEW_SPELLING.get(node.operator, node.operator)
    return [node.left, f" {operator} ", node.right]


def _reference(node: nodes.Reference, old: bool, spread: bool) -> Pieces | str:
    if node.base is not None:
        # HTCondor does not quote here, so `a.'b c'` prints as a text that does not parse.
        return [node.base, "." + node.name]
    name = quote_name(node.name, old)
    return f".{name}" if node.absolute else name


def list_pieces(items: Iterable[object], spread: bool) -> Pieces:
    """The pieces of a list with these members."""
    lines = _between(items, [",", _Shift(0)] if spread else [","])
    return _bracketed("{", lines, "}", _LIST_INDENT) if spread else ["{ ", *lines, " }"]


def ad_pieces(attributes: Iterable[tuple[str, object]], old: bool, spread: bool) -> Pieces:
    """The pieces of an ad with these attributes."""
    ordered = sorted(attributes, key=lambda pair: attribute_order(pair[0]))
    fields = ([quote_name(name, old) + " = ", value] for name, value in ordered)
    lines = _joined(fields, ["; ", _Shift(0)] if spread else ["; "])
    return _bracketed("[", lines, "]", _AD_INDENT) if spread else ["[ ", *lines, " ]"]


def _bracketed(opening: str, lines: Pieces, closing: str, step: int) -> Pieces:
    inside = [_Shift(step), *lines, _Shift(-step)] if lines else [_Shift(0)]
    return [_Shift(step), opening, *inside, closing, _Back(step)]


def _between(items: Iterable[object], separator: Pieces) -> Pieces:
    return _joined(([item] for item in items), separator)


def _joined(groups: Iterable[Pieces], separator: Pieces) -> Pieces:
    pieces: Pieces = []
    for group in groups:
        if pieces:
            pieces.extend(separator)
        pieces.extend(group)
    return pieces


EXPANDERS: Final[dict[type, Expander]] = {
    nodes.Literal: lambda node, old, spread: scalar_text(node.value, old),
    nodes.Reference: _reference,
    nodes.Unary: lambda node, old, spread: [f" {node.operator}", node.operand],
    nodes.Binary: _binary,
    nodes.Conditional: lambda node, old, spread: [
        *(node.condition, " ? ", node.then, " : ", node.otherwise)
    ],
    nodes.Subscript: lambda node, old, spread: [node.base, "[", node.index, "]"],
    nodes.Parens: lambda node, old, spread: ["(", node.inner, ")"],
    nodes.Call: lambda node, old, spread: [node.name + "(", *_between(node.args, [","]), ")"],
    nodes.ListExpr: lambda node, old, spread: list_pieces(node.items, spread),
    nodes.AdExpr: lambda node, old, spread: ad_pieces(node.attributes, old, spread),
}
