"""Closures for operators with simple operands, made from templates.

Fetching an attribute or a constant inside the operator's own closure saves a call for each
operand, which is most of the cost of ``Memory >= 1024``.  Each combination of operator and operand
kinds is translated once per process, when it is first met; the templates decide only the dominant
types and leave every other case to the scalar function of ``classad.language.operators``.

Inputs: operator symbol, operand kinds, attribute keys, constants, closures.  Outputs: closures.
Never here: a rule of the language that ``classad.language.operators`` or
``classad.evaluation.selection`` does not hold.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any, Final

from classad.ads.expression import Expression as ExprTree
from classad.compiled import fetch
from classad.language.operators import BINARY, fold, truth
from classad.language.values import ERROR, UNDEFINED, wrap64

#: How the operand ``{v}`` is fetched, by kind: constant, plain attribute, TARGET's, MY's, closure.
_FETCH: Final = {
    "constant": "",
    "plain": """
    {v} = ad._attrs.get({v}_key)
    if {v} is None or {v}.__class__ is ExprTree:
        {v} = fetch_plain(ad, state, {v}_key)
""",
    "target": """
    if ad is state.left:
        {v} = state.right._attrs.get({v}_key)
    elif ad is state.right:
        {v} = state.left._attrs.get({v}_key)
    else:
        {v} = None
    if {v} is None or {v}.__class__ is ExprTree or "target" in ad._attrs or ad._chained is not None:
        {v} = fetch_target(ad, state, {v}_key)
""",
    "other": """
    {v} = {v}_run(ad, state)
""",
    "none": "",
    "my": """
    {v} = ad._attrs.get({v}_key)
    if {v} is None or {v}.__class__ is ExprTree or "my" in ad._attrs or ad._chained is not None:
        {v} = fetch_my(ad, state, {v}_key)
""",
}

_WHOLE_ARITHMETIC: Final = """
    ca = a.__class__
    cb = b.__class__
    if ca is int:
        if cb is int:
            r = a {op} b
            return r if -1073741824 < r < 1073741824 else wrap64(r)
        if cb is float:
            r = a {op} b
            return r if r != inf else ERROR
    elif ca is float and (cb is float or cb is int):
        r = a {op} b
        return r if r != inf else ERROR
    return scalar(a, b)
"""
_COMPARISON: Final = """
    ca = a.__class__
    cb = b.__class__
    if ca is int:
        if cb is int:
            return a {op} b
    elif ca is str:
        if cb is str:
            return fold(a) {op} fold(b) if a != b else a {op} b
    elif ca is float:
        if cb is float:
            return a {op} b
    return scalar(a, b)
"""
#: Comparison with a whole constant that a double holds exactly.
_COMPARISON_INT: Final = """
    ca = a.__class__
    if ca is int or ca is float:
        return a {op} b
    return scalar(a, b)
"""
_EQUAL_TEXT: Final = """
    if a.__class__ is str:
        return a == b or (a.lower() == b_lower and a.isascii())
    return scalar(a, b)
"""
_UNEQUAL_TEXT: Final = """
    if a.__class__ is str:
        return not (a == b or (a.lower() == b_lower and a.isascii()))
    return scalar(a, b)
"""
_SAME: Final = """
    return a is b
"""
_NOT_SAME: Final = """
    return a is not b
"""
_SAME_TEXT: Final = """
    return a.__class__ is str and a == b
"""
_NOT_SAME_TEXT: Final = """
    return a.__class__ is not str or a != b
"""
_ANY: Final = """
    return scalar(a, b)
"""
_AND: Final = """
    if a is False:
        return False
    if a is True:
{right}
        if b.__class__ is bool:
            return b
    elif a is ERROR:
        return ERROR
    elif truth(a) is False:
        return False
    else:
{right}
    return scalar(a, b)
"""
_OR: Final = """
    if a is True:
        return True
    if a is False:
{right}
        if b.__class__ is bool:
            return b
    elif a is ERROR:
        return ERROR
    elif truth(a) is True:
        return True
    else:
{right}
    return scalar(a, b)
"""
_ELVIS: Final = """
    if a is not UNDEFINED:
        return a
{right}
    return b
"""
_LAZY: Final = {"&&": _AND, "||": _OR, "?:": _ELVIS}
#: Whole numbers up to here are doubles without loss, so comparing as doubles changes nothing.
_EXACT: Final = 2**53


def _body(symbol: str, variant: str) -> str:
    """The template of the operation on the fetched operands; ``=`` is the bare operand."""
    if symbol == "=":
        return "    return a\n"
    if variant == "int":
        return _COMPARISON_INT
    if variant == "text":
        return _EQUAL_TEXT if symbol == "==" else _UNEQUAL_TEXT
    if variant == "same":
        return _SAME if symbol == "=?=" else _NOT_SAME
    if variant == "same text":
        return _SAME_TEXT if symbol == "=?=" else _NOT_SAME_TEXT
    if symbol in ("+", "-", "*"):
        return _WHOLE_ARITHMETIC
    if symbol in ("<", "<=", ">", ">=", "==", "!="):
        return _COMPARISON
    return _ANY


def variant_of(symbol: str, constant: Any) -> str:
    """Which shortcut a constant right operand allows."""
    kind = constant.__class__
    if symbol in ("=?=", "=!="):
        if constant is UNDEFINED or constant is ERROR or kind is bool:
            return "same"
        return "same text" if kind is str else ""
    if symbol in ("<", "<=", ">", ">=", "==", "!="):
        if kind is int and -_EXACT <= constant <= _EXACT:
            return "int"
        if kind is str and symbol in ("==", "!=") and constant.isascii():
            return "text"
    return ""


@cache
def binary_factory(symbol: str, left: str, right: str, variant: str) -> Callable[..., Any]:
    """``factory(a_operand, b_operand) -> run`` for an operator and the kinds of its operands."""
    fetch_left = _FETCH[left].format(v="a")
    fetch_right = _FETCH[right].format(v="b")
    if symbol in _LAZY:
        body = _LAZY[symbol].format(right=_deeper(fetch_right, symbol != "?:"))
    else:
        body = fetch_right + _body(symbol, variant).format(op=symbol)
    return _made(fetch_left + body, _parameters("a", left) + _parameters("b", right), symbol)


def _deeper(code: str, extra: bool) -> str:
    if not code.strip():
        return "        pass" if extra else ""
    return "\n".join(("    " if extra else "") + line for line in code.splitlines() if line.strip())


def _parameters(name: str, kind: str) -> list[str]:
    if kind == "none":
        return []
    if kind == "constant":
        return [name]
    return [f"{name}_run" if kind == "other" else f"{name}_key"]


def _made(body: str, parameters: list[str], symbol: str) -> Callable[..., Any]:
    """Translate a factory.  ``b_lower`` serves the comparisons with text."""
    lowered = "    b_lower = b.lower()\n" if "b_lower" in body else ""
    source = (
        f"def factory({', '.join(parameters)}):\n{lowered}"
        f"    def run(ad, state):\n{_indent(body)}\n    return run\n"
    )
    space: dict[str, Any] = (
        _SPACE if symbol == "=" else {**_SPACE, "scalar": BINARY[symbol].implementation}
    )
    exec(compile(source, f"<operator {symbol}>", "exec"), space)  # fixed templates only
    return space["factory"]  # type: ignore[no-any-return]


def _indent(code: str) -> str:
    return "\n".join("    " + line for line in code.splitlines() if line.strip())


_SPACE: Final[dict[str, Any]] = {
    "ERROR": ERROR, "ExprTree": ExprTree,
    "UNDEFINED": UNDEFINED, "fetch_my": fetch.fetch_my, "fetch_plain": fetch.fetch_plain,
    "fetch_target": fetch.fetch_target, "fold": fold, "inf": inf, "truth": truth,
    "wrap64": wrap64,
}  # fmt: skip
