"""Statements for single operators, as the generated form of an expression has them.

Inputs: operands as names in the function being written.  Outputs: statements, and the operand that
holds the result.  Only the dominant types stand inline; each operation ends in a call of the scalar
function of ``classad.language.operators``.
Never here: which operand is evaluated when (``classad.compiled.python_source``).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from classad.language.operators import BINARY

#: Whole numbers up to here are doubles without loss, so comparing as doubles changes nothing.
_EXACT: Final = 2**53
#: Python compares whole numbers within these bounds faster than larger ones.
_SMALL: Final = 2**30


class Operand(NamedTuple):
    """A translated operand: the Python expression that holds it, and its type if certain.

    ``unsettled``: statements that make a value of it where it is none yet (an attribute that is
    absent or an expression); a test for the class of a value may come before them.  ``logical``:
    most likely a boolean.
    """

    name: str
    kind: type | None = None
    unsettled: tuple[str, ...] = ()
    logical: bool = False


class Writer:
    """The statements of one function, the values they refer to, and fresh names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.bound: dict[str, Any] = {}
        self.indent = 0
        self.count = 0

    def put(self, *lines: str) -> None:
        """Add statements at the present indentation."""
        self.lines.extend("  " * self.indent + line for line in lines)

    def name(self) -> str:
        """A fresh local name."""
        self.count += 1
        return f"v{self.count}"

    def bind(self, value: Any) -> str:
        """A name for an object that the function refers to."""
        for name, known in self.bound.items():
            if known is value:
                return name
        name = f"k{len(self.bound)}"
        self.bound[name] = value
        return name

    # --- operators ----------------------------------------------------------------------------

    def scalar(self, symbol: str) -> str:
        """A name for the scalar function of a binary operator."""
        return self.bind(BINARY[symbol].implementation)

    def general(self, symbol: str, value: str, left: Operand, right: Operand) -> None:
        """The last branch: settle the operands and leave the case to the scalar function."""
        self.put("else:")
        self.indent += 1
        self.put(*left.unsettled, *right.unsettled)
        self.put(f"{value} = {self.scalar(symbol)}({left.name}, {right.name})")
        self.indent -= 1

    def identity(self, symbol: str, left: Operand, right: Operand) -> Operand:
        """``=?=`` and ``=!=``: a boolean for sure where the right side is a simple constant."""
        value, a, b = self.name(), left.name, right.name
        same = symbol == "=?="
        if b in ("UNDEFINED", "ERROR") or right.kind is bool:
            self.put(f"{value} = {a} {'is' if same else 'is not'} {b}")
            return Operand(value, bool)
        if right.kind is str:
            test = f"{a}.__class__ is str and {a} == {b}"
            self.put(f"{value} = {test}" if same else f"{value} = not ({test})")
            return Operand(value, bool)
        self.put(f"{value} = {self.scalar(symbol)}({a}, {b})")
        return Operand(value)

    def arithmetic(self, symbol: str, left: Operand, right: Operand) -> Operand:
        """Whole numbers that stay within 64 bits and reals that stay finite, inline."""
        value = self.name()
        operation = f"  {value} = {left.name} {symbol} {right.name}"
        classes = [self.class_of(operand) for operand in (left, right)]
        whole = _both([_is_whole(operand) for operand in classes])
        if whole != "False":
            self.put(f"if {whole}:", operation)
            self.put(f"  if not {-_SMALL} < {value} < {_SMALL}: {value} = wrap64({value})")
            if whole == "True":
                return Operand(value, int)
        self.put(f"{'if' if whole == 'False' else 'elif'} {_real(classes)}:", operation)
        self.put(f"  if {value} == inf: {value} = ERROR")
        self.general(symbol, value, left, right)
        return Operand(value)

    def class_of(self, operand: Operand) -> Operand:
        """A name for the class of an operand, unless that is certain."""
        if operand.kind is not None:
            return operand
        variable = self.name()
        self.put(f"{variable} = {operand.name}.__class__")
        return Operand(variable, logical=operand.logical)

    def comparison(self, symbol: str, left: Operand, right: Operand) -> Operand:
        """Numbers with numbers and texts with texts, inline."""
        value, a, b = self.name(), left.name, right.name
        plain = f"{value} = {a} {symbol} {b}"
        constant: Any = self.bound.get(b)
        if left.kind is None and constant.__class__ is int and -_EXACT <= constant <= _EXACT:
            first = self.class_of(left).name
            self.put(f"if {first} is int or {first} is float: {plain}")
        elif right.kind is str and symbol in ("==", "!=") and constant is not None:
            lower = self.bind(constant.lower())
            test = f"{a} == {b} or ({a}.lower() == {lower} and {a}.isascii())"
            if not constant.isascii():
                test = f"{a} == {b} or fold({a}) == fold({b})"
            self.put(f"if {a}.__class__ is str:")
            self.put(f"  {value} = {test}" if symbol == "==" else f"  {value} = not ({test})")
        else:
            first, second = self.name(), self.name()
            self.put(f"{first} = {a}.__class__", f"{second} = {b}.__class__")
            self.put(f"if {first} is {second} and ({first} is int or {first} is float): {plain}")
            self.put(f"elif {first} is str and {second} is str:")
            self.put(
                f"  {value} = fold({a}) {symbol} fold({b}) if {a} != {b} else {a} {symbol} {b}"
            )
        self.general(symbol, value, left, right)
        return Operand(value, logical=True)


def _is_whole(operand: Operand) -> str:
    """The test that an operand is an integer, or a boolean known as such; it has its class."""
    if operand.kind is None:
        return f"{operand.name} is {'bool' if operand.logical else 'int'}"
    return str(operand.kind is int or operand.kind is bool)


def _both(tests: list[str]) -> str:
    """The conjunction of tests, folded."""
    if "False" in tests:
        return "False"
    return " and ".join(test for test in tests if test != "True") or "True"


def _real(classes: list[Operand]) -> str:
    """The test for two numbers of which, as both are not whole, one is a real."""
    fixed = [operand.kind for operand in classes if operand.kind is not None]
    if any(kind not in (int, bool, float) for kind in fixed):
        return "False"
    whole = any(kind in (int, bool) for kind in fixed)
    tests = [
        f"{name} is float" if whole else f"({name} is float or {name} is int)"
        for name, kind, *_ in classes
        if kind is None
    ]
    return " and ".join(tests) or "True"
