"""Says of each syntax node what is to be written for it: a leaf, or an operation on operands.

A form is ``(symbol, operands, extras)``.  The symbol of a leaf is one of ``SORTS``: a constant by
the kind of its value, an attribute by where it is looked up, or ``run``, a function that is called;
the only extra is the constant, the attribute's key or the function.  Every other symbol is an
operation that ``classad.compiled.python_source`` writes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from classad.ads.ad import ListValue, make_ad, make_list
from classad.compiled.runtime import calling, fetch_absolute, fetch_unusual
from classad.evaluation.functions import Form as FunctionForm
from classad.evaluation.functions import Laziness, lookup_function
from classad.language.names import SPECIAL, UNUSUAL, fold_name
from classad.language.operators import UNARY
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax import nodes

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


def _literal(node: nodes.Literal) -> Form:
    return _leaf(sort_of(node.evaluated), node.evaluated)


def _reference(node: nodes.Reference) -> Form:
    key, base = fold_name(node.name), node.base
    if base is None:
        if key not in UNUSUAL and not node.absolute:
            return _leaf("plain", key)
        fetch = fetch_absolute if node.absolute else fetch_unusual
        return _leaf("run", lambda ad, state: fetch(ad, state, key))
    if isinstance(base, nodes.Reference) and base.base is None and not base.absolute:
        scope = fold_name(base.name)
        if scope in ("my", "target") and key not in UNUSUAL:
            return _leaf(scope, key)
    return ".", (base,), (key,)


def _list(node: nodes.ListExpr) -> Form:
    if any(item.__class__ in CLOSED for item in node.items):
        return _leaf("run", lambda ad, state: make_list(node, ad))
    # The members' expressions are shared by all lists made here: they are compiled once.
    items = make_list(node, None).items
    return _leaf("run", lambda ad, state: ListValue(items, ad))


def _ad(node: nodes.AdExpr) -> Form:
    return _leaf("run", lambda ad, state: make_ad(node, ad))


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
    nodes.Literal: _literal,
    nodes.Reference: _reference,
    nodes.Unary: lambda node: (UNARY_FORM[node.operator], (node.operand,), ()),
    nodes.Binary: lambda node: (node.operator, (node.left, node.right), ()),
    nodes.Conditional: lambda node: ("conditional", node.children(), ()),
    nodes.Subscript: lambda node: ("[]", (node.base, node.index), ()),
    nodes.Parens: lambda node: form_of(node.inner),
    nodes.Call: _call,
    nodes.ListExpr: _list,
    nodes.AdExpr: _ad,
}
