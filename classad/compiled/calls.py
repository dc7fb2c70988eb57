"""Function calls as closures.

Inputs: the call node and the closures of its arguments.  Outputs: a closure that hands the
arguments to the function in the way its declaration asks for.
Never here: an implementation of a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from classad.ads.expression import Expression as ExprTree
from classad.ads.expression import Run
from classad.evaluation.functions import lookup_function
from classad.evaluation.state import CallSite
from classad.language.names import fold_name
from classad.language.values import ERROR
from classad.syntax.nodes import Reference

if TYPE_CHECKING:
    from classad.evaluation.functions import Builtin
    from classad.syntax.nodes import Call, Node


#: Functions whose calls leave the evaluation's state alone.
STATELESS: Final = frozenset({"ifthenelse", "isundefined", "iserror"})


def compile_call(node: Call, arguments: list[Run]) -> Run:
    """The closure of a call; a name unknown now is looked up again at each evaluation."""
    function = lookup_function(node.name)
    if function is None:
        return _late(node, arguments)
    return _bound(function, node, arguments)


def _late(node: Call, arguments: list[Run]) -> Run:
    """A call of a function that the context may define."""

    def run(ad: Any, state: Any) -> Any:
        function = lookup_function(node.name, state.context)
        return ERROR if function is None else _bound(function, node, arguments)(ad, state)

    return run


def _bound(function: Builtin, node: Call, arguments: list[Run]) -> Run:
    if not function.accepts(len(arguments)):
        return lambda ad, state: ERROR
    way = function.laziness.value
    if way == "eager" and fold_name(node.name) in STATELESS:
        impl, first = function.impl, arguments[0]
        return lambda ad, state: impl(state, first(ad, state))
    if way == "eager":
        return _eager(function.impl, arguments)
    return _lazy(function.impl, arguments) if way == "lazy" else _raw(function.impl, node)


def _eager(impl: Any, arguments: list[Run]) -> Run:
    if len(arguments) == 1:
        (first,) = arguments

        def run_one(ad: Any, state: Any) -> Any:
            value = first(ad, state)
            state.ad = ad
            return impl(state, value)

        return run_one
    if len(arguments) == 2:
        one, two = arguments

        def run_two(ad: Any, state: Any) -> Any:
            a = one(ad, state)
            b = two(ad, state)
            state.ad = ad
            return impl(state, a, b)

        return run_two

    def run(ad: Any, state: Any) -> Any:
        values = [argument(ad, state) for argument in arguments]
        state.ad = ad
        return impl(state, *values)

    return run


def _lazy(impl: Any, arguments: list[Run]) -> Run:
    def run(ad: Any, state: Any) -> Any:
        state.ad = ad
        return impl(state, *[_Thunk(argument, ad, state) for argument in arguments])

    return run


class _Thunk:
    """An argument that is evaluated when called."""

    __slots__ = ("ad", "run", "state")

    def __init__(self, run: Run, ad: Any, state: Any) -> None:
        self.run = run
        self.ad = ad
        self.state = state

    def __call__(self) -> Any:
        value = self.run(self.ad, self.state)
        self.state.ad = self.ad
        return value


def _raw(impl: Any, node: Call) -> Run:
    bases = [arg.base for arg in node.args if isinstance(arg, Reference) and arg.base is not None]
    trees = {id(part): ExprTree.from_node(part) for part in (*node.args, *bases)}

    def run(ad: Any, state: Any) -> Any:
        state.ad = ad
        return impl(_CompiledSite(node, ad, state, trees))

    return run


class _CompiledSite(CallSite):
    """A call site that keeps its arguments' compiled forms between evaluations."""

    __slots__ = ("trees",)

    def __init__(self, node: Call, ad: Any, state: Any, trees: dict[int, ExprTree]) -> None:
        super().__init__(node, ad, state)
        self.trees = trees

    def evaluate(self, node: Node, ad: Any = None) -> Any:
        tree = self.trees.get(id(node))
        if tree is None:
            return super().evaluate(node, ad)
        return self.state.enter(tree, self.ad if ad is None else ad)

    def tree(self, node: Node) -> ExprTree:
        return self.trees.get(id(node)) or super().tree(node)
