"""What the functions that the compiler writes call: attribute fetches and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from classad.ads.ad import Ad
from classad.ads.expression import Expression, Run
from classad.evaluation.functions import Builtin, Laziness, lookup_function
from classad.evaluation.scopes import find, find_unscoped, outermost, own
from classad.evaluation.selection import select
from classad.evaluation.state import CallSite
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax.nodes import Reference

if TYPE_CHECKING:
    from classad.evaluation.state import EvalState
    from classad.syntax.nodes import Call, Node

# --- attributes that the shortest way does not find ---------------------------------------------


def fetch_plain(ad: Ad, state: EvalState, key: str) -> Any:
    """An unscoped name that ``ad`` itself does not hold as a value."""
    value = ad._attrs.get(key)
    if value is None:
        if state.left is not None and ad._chained is None:
            other = state.right if ad is state.left else state.left if ad is state.right else None
            if other is not None:
                return stored(other, state, key)
        return fetch_unusual(ad, state, key)
    return value if value.__class__ is not Expression else state.follow(value, ad, ad)


def fetch_unusual(ad: Ad, state: EvalState, key: str) -> Any:
    """An unscoped name, looked for everywhere."""
    found = find_unscoped(ad, key, state)
    return UNDEFINED if found is None else state.dereference(found[0], found[2], found[1])


def fetch_absolute(ad: Ad, state: EvalState, key: str) -> Any:
    """``.key``."""
    found = find(outermost(state), key, state)
    return UNDEFINED if found is None else state.dereference(found[0], found[2], found[1])


def stored(ad: Ad, state: EvalState, key: str) -> Any:
    """The attribute of one of the two ads of a match, evaluated there."""
    value = ad._attrs.get(key)
    if value is None:
        if ad._chained is None:
            return UNDEFINED
        hit = own(ad, key)
        return UNDEFINED if hit is None else state.dereference(hit[0], ad, hit[1])
    return value if value.__class__ is not Expression else state.follow(value, ad, ad)


def fetch_target(ad: Ad, state: EvalState, key: str) -> Any:
    """``TARGET.key``."""
    if state.left is not None and ad._chained is None and "target" not in ad._attrs:
        if ad is state.left:
            return stored(state.right, state, key)  # type: ignore[arg-type]
        if ad is state.right:
            return stored(state.left, state, key)
    found = find(ad, "target", state)
    if found is None:
        return UNDEFINED
    return select(state.dereference(found[0], found[2], found[1]), key, ad, state)


def fetch_my(ad: Ad, state: EvalState, key: str) -> Any:
    """``MY.key``."""
    hit = own(ad, "my")
    if hit is not None:
        return select(state.dereference(hit[0], ad, hit[1]), key, ad, state)
    return select(ad, key, ad, state)


# --- calls ---------------------------------------------------------------------------------------


def calling(function: Builtin | None, node: Call, arguments: Sequence[Run]) -> Run:
    """A call, with the arguments handed over as the function's declaration asks.

    A name that is unknown now is looked up in the context of each evaluation.
    """
    if function is None:
        return _late(node, arguments)
    if not function.accepts(len(arguments)):
        return lambda ad, state: ERROR
    impl = function.impl
    if function.laziness is Laziness.RAW:
        return _raw(impl, node)

    eager = function.laziness is Laziness.EAGER

    def run(ad: Ad, state: EvalState) -> ClassAdValue:
        state.ad = ad
        given = [partial(_argument, argument, ad, state) for argument in arguments]
        return impl(state, *([evaluate() for evaluate in given] if eager else given))

    return run


def _late(node: Call, arguments: Sequence[Run]) -> Run:
    """A call of a function that the context may define."""

    def run(ad: Ad, state: EvalState) -> ClassAdValue:
        function = lookup_function(node.name, state.context)
        return ERROR if function is None else calling(function, node, arguments)(ad, state)

    return run


def _argument(run: Run, ad: Ad, state: EvalState) -> ClassAdValue:
    value: ClassAdValue = run(ad, state)
    state.ad = ad
    return value


def _raw(impl: Callable[..., ClassAdValue], node: Call) -> Run:
    bases = [arg.base for arg in node.args if isinstance(arg, Reference) and arg.base is not None]
    trees = {id(part): Expression.from_node(part) for part in (*node.args, *bases)}

    def run(ad: Ad, state: EvalState) -> ClassAdValue:
        state.ad = ad
        return impl(_CompiledSite(node, ad, state, trees))

    return run


class _CompiledSite(CallSite):
    """A call site that keeps its arguments' compiled forms between evaluations."""

    __slots__ = ("trees",)

    def __init__(self, node: Call, ad: Ad, state: EvalState, trees: dict[int, Expression]) -> None:
        super().__init__(node, ad, state)
        self.trees = trees

    def evaluate(self, node: Node, ad: Ad | None = None) -> Any:
        tree = self.trees.get(id(node))
        if tree is None:
            return super().evaluate(node, ad)
        return self.state.enter(tree, self.ad if ad is None else ad)

    def tree(self, node: Node) -> Expression:
        return self.trees.get(id(node)) or super().tree(node)
