"""What the functions that the compiler writes call: attribute fetches and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from classad.ads.ad import Ad, ListValue, make_ad, make_list
from classad.ads.expression import Expression, Run
from classad.evaluation.functions import Builtin, Laziness, lookup_function
from classad.evaluation.functions import InlineForm as FunctionForm
from classad.evaluation.scopes import find, find_unscoped, outermost, own
from classad.evaluation.state import CallSite, select
from classad.language.names import SPECIAL, UNUSUAL, fold_name
from classad.language.operators import UNARY
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax import nodes
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


Form = tuple[str, tuple[nodes.Node, ...], tuple[Any, ...]]

#: Constants with the name that the written function has for them, if that is always the same.
CONSTANTS: Final[dict[str, tuple[type | None, str]]] = {
    "undefined": (None, "UNDEFINED"), "error": (None, "ERROR"), "true": (bool, "True"),
    "false": (bool, "False"), "int": (int, ""), "large int": (int, ""), "real": (float, ""),
    "text": (str, ""), "other text": (str, ""), "value": (None, ""),
}  # fmt: skip
SORTS: Final = frozenset({*CONSTANTS, "plain", "my", "target", "run"})
#: Nodes whose operands stay unevaluated.
CLOSED: Final = frozenset({nodes.ListExpr, nodes.AdExpr})
#: Prefix operator -> symbol of its form, which tells it from the binary one.
UNARY_FORM: Final = {symbol: f"{symbol} operand" for symbol in UNARY}
#: Functions that are a comparison with a constant.
_TESTS: Final = {FunctionForm.IS_UNDEFINED: UNDEFINED, FunctionForm.IS_ERROR: ERROR}
#: Functions whose calls leave the evaluation's state alone.
_STATELESS: Final = frozenset({*_TESTS, FunctionForm.CHOICE})
#: The names that lead out of the ad.
_OTHER_SCOPES: Final = SPECIAL - {"my"}
#: Whole numbers up to here are doubles without loss, so comparing as doubles changes nothing.
_EXACT: Final = 2**53


def form_of(node: nodes.Node) -> Form:
    """What is to be written for a node."""
    return _FORMS[node.__class__](node)


def sort_of(value: ClassAdValue) -> str:
    """Which sort of constant a value is."""
    if value.__class__ is int:
        return "int" if -_EXACT <= value <= _EXACT else "large int"
    if value.__class__ is str:
        return "text" if value.isascii() else "other text"
    if value.__class__ is bool:
        return "true" if value else "false"
    if value is UNDEFINED or value is ERROR:
        return "undefined" if value is UNDEFINED else "error"
    return "real" if value.__class__ is float else "value"


def needs_state(node: nodes.Node) -> bool:
    """Whether a node can need the evaluation's state for itself."""
    if isinstance(node, nodes.Reference):
        return node.absolute or fold_name(node.name) in _OTHER_SCOPES
    if isinstance(node, nodes.Call):
        function = lookup_function(node.name)
        return function is None or function.form not in _STATELESS
    return node.__class__ is nodes.Subscript


# --- leaves --------------------------------------------------------------------------------------


def _leaf(sort: str, extra: object) -> Form:
    return sort, (), (extra,)


def _reference(node: nodes.Reference) -> Form:
    key, base = fold_name(node.name), node.base
    if base is None:
        if key not in UNUSUAL and not node.absolute:
            return _leaf("plain", key)
        fetch = fetch_absolute if node.absolute else fetch_unusual
        return _leaf("run", lambda ad, state: fetch(ad, state, key))
    if node.scope in ("my", "target") and key not in UNUSUAL:
        return _leaf(node.scope, key)
    return ".", (base,), (key,)


def _list(node: nodes.ListExpr) -> Form:
    if any(item.__class__ in CLOSED for item in node.items):
        return _leaf("run", lambda ad, state: make_list(node, ad))
    # The members' expressions are shared by all lists made here: they are compiled once.
    items = make_list(node, None).items
    return _leaf("run", lambda ad, state: ListValue(items, ad))


# --- operations ----------------------------------------------------------------------------------


def _call(node: nodes.Call) -> Form:
    arguments, function = tuple(node.args), lookup_function(node.name)
    if function is not None and not function.is_spelled(node.name):
        function = None  # the context of each evaluation tells whether it is known
    if function is not None and function.accepts(len(arguments)):
        if function.form in _TESTS:
            return "=?=", (*arguments, nodes.Literal(_TESTS[function.form])), ()
        if function.form is FunctionForm.CHOICE:
            return "choice", arguments, ()
        if function.laziness is Laziness.EAGER:
            return "call", arguments, (function.impl,)
    return "other call", arguments, (partial(calling, function, node),)


_FORMS: Final[dict[type[nodes.Node], Callable[[Any], Form]]] = {
    nodes.Literal: lambda node: _leaf(sort_of(node.evaluated), node.evaluated),
    nodes.Reference: _reference,
    nodes.Unary: lambda node: (UNARY_FORM[node.operator], (node.operand,), ()),
    nodes.Binary: lambda node: (node.operator, (node.left, node.right), ()),
    nodes.Conditional: lambda node: ("conditional", node.children(), ()),
    nodes.Subscript: lambda node: ("[]", (node.base, node.index), ()),
    nodes.Parens: lambda node: form_of(node.inner),
    nodes.Call: _call,
    nodes.ListExpr: _list,
    nodes.AdExpr: lambda node: _leaf("run", lambda ad, state: make_ad(node, ad)),
}
