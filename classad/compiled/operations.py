"""Writes the statements of single operators for the functions of ``python_source``.

Only the dominant types stand inline; each operation ends in a call of the scalar function of the
operator's row (``classad.language.operators``).
"""

from __future__ import annotations

from typing import Final, NamedTuple

#: Python compares whole numbers within these bounds faster than larger ones.
_SMALL: Final = 2**30


class Operand(NamedTuple):
    """A translated operand: the Python expression that holds it, and its type if certain.

    ``unsettled``: statements that make a value of it where it is none yet (an attribute that is
    absent or an expression); a test for the class of a value may come before them.  ``logical``:
    most likely a boolean.  ``sort``: of a leaf, see ``classad.compiled.forms``.
    """

    name: str
    kind: type | None = None
    unsettled: tuple[str, ...] = ()
    logical: bool = False
    sort: str = ""


class Statements:
    """The statements of one function, those before it, and fresh names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.setup: list[str] = []
        self.indent = 0
        self.count = 0

    def put(self, *lines: str) -> None:
        """Add statements at the present indentation."""
        self.lines.extend("  " * self.indent + line for line in lines)

    def name(self) -> str:
        """A fresh local name."""
        self.count += 1
        return f"v{self.count}"

    def assign(self, expression: str, kind: type | None = None) -> Operand:
        """Put the value of a Python expression into a fresh name."""
        value = self.name()
        self.put(f"{value} = {expression}")
        return Operand(value, kind)

    # --- operators ------------------------------------------------------------------------------

    def general(self, scalar: str, value: str, left: Operand, right: Operand) -> None:
        """The last branch: settle the operands and leave the case to the scalar function."""
        self.put("else:")
        self.indent += 1
        self.put(*left.unsettled, *right.unsettled)
        self.put(f"{value} = {scalar}({left.name}, {right.name})")
        self.indent -= 1

    def identity(self, symbol: str, scalar: str, left: Operand, right: Operand) -> Operand:
        """``=?=`` and ``=!=``: a boolean for sure where the right side is a simple constant."""
        a, b = left.name, right.name
        same = symbol == "=?="
        if right.sort in ("undefined", "error", "true", "false"):
            return self.assign(f"{a} {'is' if same else 'is not'} {b}", bool)
        if right.kind is str:
            test = f"{a}.__class__ is str and {a} == {b}"
            return self.assign(test if same else f"not ({test})", bool)
        return self.assign(f"{scalar}({a}, {b})")

    def arithmetic(self, symbol: str, scalar: str, left: Operand, right: Operand) -> Operand:
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
        self.general(scalar, value, left, right)
        return Operand(value)

    def class_of(self, operand: Operand) -> Operand:
        """A name for the class of an operand, unless that is certain."""
        if operand.kind is not None:
            return operand
        return self.assign(f"{operand.name}.__class__")._replace(logical=operand.logical)

    def comparison(self, symbol: str, scalar: str, left: Operand, right: Operand) -> Operand:
        """Numbers with numbers and texts with texts, inline."""
        value, a, b = self.name(), left.name, right.name
        plain = f"{value} = {a} {symbol} {b}"
        if left.kind is None and right.sort == "int":
            first = self.class_of(left).name
            self.put(f"if {first} is int or {first} is float: {plain}")
        elif right.kind is str and symbol in ("==", "!="):
            key, ascii_only = f"{b}_key", right.sort == "text"
            self.setup.append(f"{key} = {b}.lower()" if ascii_only else f"{key} = fold({b})")
            same = (
                f"({a}.lower() == {key} and {a}.isascii())" if ascii_only else f"fold({a}) == {key}"
            )
            test = f"{a} == {b} or {same}"
            self.put(f"if {a}.__class__ is str:")
            self.put(f"  {value} = {test}" if symbol == "==" else f"  {value} = not ({test})")
        else:
            first, second = (self.assign(f"{name}.__class__").name for name in (a, b))
            self.put(f"if {first} is {second} and ({first} is int or {first} is float): {plain}")
            self.put(f"elif {first} is str and {second} is str:")
            self.put(f"  {plain} if {a} == {b} else fold({a}) {symbol} fold({b})")
        self.general(scalar, value, left, right)
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
