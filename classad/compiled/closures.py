"""Expressions as closures ``run(ad, state) -> value``: the fast form of
``classad.evaluation.reference``.

Each node is translated once, from the leaves up and without recursion, into a closure that calls
the closures of its operands.  Depth and work are not counted node by node: every expression knows
its height and size, which are added where an attribute is dereferenced (``EvalState.follow``);
where that coarse sum meets the limit, the evaluation starts over in the reference evaluator.

Inputs: an expression.  Outputs: its ``run`` and measures.
Never here: what an operator means (``classad.language.operators``), strict mode.
Follows: sections 4 and 5 of the language notes; tests compare both evaluators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from classad.ads.ad import ListValue, make_ad, make_list
from classad.ads.expression import Expression, Run
from classad.compiled.calls import STATELESS, compile_call
from classad.compiled.python_source import MAX_SIZE, generate
from classad.compiled.templates import binary_factory, variant_of
from classad.evaluation.reference import no_choice, subscript
from classad.evaluation.scopes import find, find_unscoped, outermost
from classad.evaluation.selection import select
from classad.language.limits import FAST_HEIGHT, NeedExact
from classad.language.names import SPECIAL, UNUSUAL, fold_name
from classad.language.operators import BINARY, UNARY, truth
from classad.language.values import UNDEFINED
from classad.syntax import nodes


class Piece(NamedTuple):
    """A translated node: how an operator around it can fetch it, and what it measures.

    ``kind``: see ``classad.compiled.templates``.  ``data``: the constant or the key, if the kind
    has one.
    """

    kind: str
    data: Any
    run: Run
    height: int
    size: int
    constructs: bool = False


#: Evaluations after which an expression is worth translating into Python.
HOT: Final = 500


def compile_tree(tree: Expression) -> Run:
    """Give ``tree`` its closure and its measures."""
    piece = compile_node(tree.node)
    tree.height, tree.size, tree.constructs = piece.height, piece.size, piece.constructs
    simple = piece.kind != "other" or piece.height > FAST_HEIGHT or piece.size > MAX_SIZE
    tree.run = tree.mark = piece.run if simple else _warming(tree, piece.run)
    tree.modest = piece.height <= FAST_HEIGHT and not any(map(_demanding, nodes.walk(tree.node)))
    return tree.run


def _demanding(node: Any) -> bool:
    """Whether a node can need the evaluation's state for itself."""
    if node.__class__ is nodes.Reference:
        return node.absolute or fold_name(node.name) in _OTHER_SCOPES
    if node.__class__ is nodes.Call:
        return fold_name(node.name) not in STATELESS
    return node.__class__ is nodes.Subscript


#: The names that lead out of the ad.
_OTHER_SCOPES: Final = SPECIAL - {"my"}


def _warming(tree: Expression, closure: Run) -> Run:
    """A closure that has the expression translated into Python once it has proved hot.

    Objects that share it with ``tree`` have the use of that too.
    """
    left = HOT
    best = closure

    def run(ad: Any, state: Any) -> Any:
        nonlocal left, best
        current = best
        left -= 1
        if left == 0:
            best = specialise(tree)
        return current(ad, state)

    return run


def specialise(tree: Expression) -> Run:
    """Give ``tree`` its generated form."""
    pieces: dict[int, Piece] = {}
    compile_node(tree.node, pieces)
    tree.run = generate(tree.node, lambda node: pieces[id(node)].run)
    return tree.run


def compile_node(root: nodes.Node, pieces_of: dict[int, Piece] | None = None) -> Piece:
    """Translate a node, operands first; ``pieces_of`` collects the pieces of all nodes by id."""
    done: list[Piece] = []
    # With the number of its operands a node is met again, when they are done.
    work: list[tuple[nodes.Node, int]] = [(root, 0)]
    while work:
        node, count = work.pop()
        pieces: list[Piece] = []
        if count:
            pieces = done[-count:]
            del done[-count:]
        elif operands := _operands(node):
            work.append((node, len(operands)))
            work += [(operand, 0) for operand in reversed(operands)]
            continue
        piece = _translate(node, pieces)
        done.append(piece)
        if pieces_of is not None:
            pieces_of[id(node)] = piece
    return done[0]


def measure(root: nodes.Node) -> tuple[int, int]:
    """The height and the size that compiling a node would find."""
    height = size = 0
    todo: list[tuple[nodes.Node, int]] = [(root, 0)]
    while todo:
        node, above = todo.pop()
        above += _COST[node.__class__]
        height = max(height, above)
        size += 1
        todo += [(child, above) for child in _operands(node)]
    return height, size


def _operands(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """The children that are evaluated with the node: lists and ads keep theirs unevaluated."""
    return () if node.__class__ in _CLOSED else node.children()


_CLOSED: Final = frozenset({nodes.ListExpr, nodes.AdExpr})


def _translate(node: nodes.Node, pieces: list[Piece]) -> Piece:
    kind = node.__class__
    height, size, constructs = 0, 1, kind in _CLOSED
    for piece in pieces:
        size += piece.size
        if piece.height > height:
            height = piece.height
        if piece.constructs:
            constructs = True
    height += _COST[kind]
    if height > FAST_HEIGHT:
        return Piece("other", None, _too_tall, height, size, constructs)
    fetched, data, run = _TRANSLATORS[kind](node, pieces)
    return Piece(fetched, data, run, height, size, constructs)


def _too_tall(ad: Any, state: Any) -> Any:
    raise NeedExact


#: Levels a node adds to those of its operands.
_COST: Final[dict[type[nodes.Node], int]] = {
    nodes.Literal: 0, nodes.Reference: 1, nodes.Unary: 1, nodes.Binary: 1, nodes.Conditional: 1,
    nodes.Subscript: 1, nodes.Parens: 1, nodes.Call: 0, nodes.ListExpr: 0, nodes.AdExpr: 0,
}  # fmt: skip

_Translated = tuple[str, Any, Run]


# --- leaves -----------------------------------------------------------------------------------


def _constant(value: Any) -> _Translated:
    def run(ad: Any, state: Any) -> Any:
        return value

    return "constant", value, run


def _literal(node: nodes.Literal, pieces: list[Piece]) -> _Translated:
    return _constant(node.evaluated)


def _list(node: nodes.ListExpr, pieces: list[Piece]) -> _Translated:
    if any(item.__class__ in _CLOSED for item in node.items):
        return "other", None, lambda ad, state: make_list(node, ad)
    # The members' expressions are shared by all lists made here: they are compiled once.
    items = make_list(node, None).items
    return "other", None, lambda ad, state: ListValue(items, ad)


def _ad(node: nodes.AdExpr, pieces: list[Piece]) -> _Translated:
    return "other", None, lambda ad, state: make_ad(node, ad)


def _reference(node: nodes.Reference, pieces: list[Piece]) -> _Translated:
    key = fold_name(node.name)
    if pieces:
        return _selection(node, key, pieces[0])
    if node.absolute:
        return "other", None, _absolute(key)
    if key in UNUSUAL:
        return "other", None, _unusual(key)
    return "plain", key, binary_factory("=", "plain", "none", "")(key)


def _absolute(key: str) -> Run:
    def run(ad: Any, state: Any) -> Any:
        found = find(outermost(state), key, state)
        return UNDEFINED if found is None else state.dereference(found[0], found[2], found[1])

    return run


def _unusual(key: str) -> Run:
    def run(ad: Any, state: Any) -> Any:
        found = find_unscoped(ad, key, state)
        return UNDEFINED if found is None else state.dereference(found[0], found[2], found[1])

    return run


def _selection(node: nodes.Reference, key: str, base: Piece) -> _Translated:
    kind = _scope_kind(node.base)
    if kind and key not in UNUSUAL:
        return kind, key, binary_factory("=", kind, "none", "")(key)
    run_base = base.run

    def run(ad: Any, state: Any) -> Any:
        return select(run_base(ad, state), key, ad, state)

    return "other", None, run


def _scope_kind(base: Any) -> str:
    """Whether a base is plainly ``MY`` or ``TARGET``."""
    if base.__class__ is nodes.Reference and base.base is None and not base.absolute:
        name = fold_name(base.name)
        return name if name in ("my", "target") else ""
    return ""


# --- operators ----------------------------------------------------------------------------------


def _parens(node: nodes.Parens, pieces: list[Piece]) -> _Translated:
    inner = pieces[0]
    return inner.kind, inner.data, inner.run


def _unary(node: nodes.Unary, pieces: list[Piece]) -> _Translated:
    apply, operand = UNARY[node.operator].implementation, pieces[0]
    if operand.kind == "constant":
        return _constant(apply(operand.data))
    run_operand = operand.run

    def negated(ad: Any, state: Any) -> Any:
        value = run_operand(ad, state)
        return (not value) if value.__class__ is bool else apply(value)

    def run(ad: Any, state: Any) -> Any:
        return apply(run_operand(ad, state))

    return "other", None, negated if node.operator == "!" else run


def _binary(node: nodes.Binary, pieces: list[Piece]) -> _Translated:
    symbol, (left, right) = node.operator, pieces
    if left.kind == "constant" and right.kind == "constant":
        return _constant(BINARY[symbol].implementation(left.data, right.data))
    variant = variant_of(symbol, right.data) if right.kind == "constant" else ""
    factory = binary_factory(symbol, left.kind, right.kind, variant)
    return "other", None, factory(_argument(left), _argument(right))


def _argument(piece: Piece) -> Any:
    return piece.run if piece.kind == "other" else piece.data


def _conditional(node: nodes.Node, pieces: list[Piece]) -> _Translated:
    condition, then, otherwise = [piece.run for piece in pieces]

    def run(ad: Any, state: Any) -> Any:
        value = condition(ad, state)
        choice = value if value.__class__ is bool else truth(value)
        if choice is True:
            return then(ad, state)
        if choice is False:
            return otherwise(ad, state)
        return no_choice(value, choice, then, otherwise, ad, state)

    return "other", None, run


def conditional(condition: Run, then: Run, otherwise: Run) -> Run:
    """``ifThenElse(condition, then, otherwise)``: one branch at most is evaluated."""

    def run(ad: Any, state: Any) -> Any:
        value = condition(ad, state)
        if value.__class__ is not bool:
            value = truth(value)
        if value is True:
            return then(ad, state)
        if value is False:
            return otherwise(ad, state)
        return value

    return run


def _subscript(node: nodes.Subscript, pieces: list[Piece]) -> _Translated:
    run_base, run_index = pieces[0].run, pieces[1].run

    def run(ad: Any, state: Any) -> Any:
        base = run_base(ad, state)
        return subscript(base, run_index(ad, state), state)

    return "other", None, run


def _call(node: nodes.Call, pieces: list[Piece]) -> _Translated:
    if len(pieces) == 3 and fold_name(node.name) == "ifthenelse":
        # The function's own choice, without a detour.
        return "other", None, conditional(*[piece.run for piece in pieces])
    return "other", None, compile_call(node, [piece.run for piece in pieces])


_TRANSLATORS: Final[dict[type[nodes.Node], Callable[[Any, list[Piece]], _Translated]]] = {
    nodes.Literal: _literal,
    nodes.Reference: _reference,
    nodes.Unary: _unary,
    nodes.Binary: _binary,
    nodes.Conditional: _conditional,
    nodes.Subscript: _subscript,
    nodes.Parens: _parens,
    nodes.Call: _call,
    nodes.ListExpr: _list,
    nodes.AdExpr: _ad,
}
