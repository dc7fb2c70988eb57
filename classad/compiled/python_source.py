"""Writes expressions as Python functions, one operation at a time or a whole tree.

``compile_node`` makes a function of each operation that calls those of its operands; such functions
differ only in what they are given, so each is written once per process.  ``write_whole`` makes one
function of a tree.  Text reaches the source in neither way: all names, constants and functions are
arguments of what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf
from typing import Any, Final, NamedTuple

from classad.ads.expression import Expression, Run
from classad.compiled import runtime
from classad.compiled.runtime import CONSTANTS, SORTS, UNARY_FORM, form_of, sort_of
from classad.evaluation.reference import no_choice, subscript
from classad.evaluation.state import select
from classad.language.operators import BINARY, EQUALITY, EXACT, IDENTITY, LOGIC, ORDER, UNARY, truth
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, fold, wrap64
from classad.syntax.nodes import Binary, Node

#: Python compares whole numbers within these bounds faster than larger ones.
_SMALL: Final = 2**30


class Operand(NamedTuple):
    """A translated operand: the Python expression that holds it, and its type if certain.

    ``unsettled``: statements that make a value of it where it is none yet (an attribute that is
    absent or an expression); a test for the class of a value may come before them.  ``logical``:
    most likely a boolean.  ``sort``: of a leaf, see ``classad.compiled.runtime``.
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


#: Nesting of written statements (Python allows 20 loops and 100 levels of indentation).
MAX_NESTING: Final = 12
#: Written functions that are kept: those of single operations, and sources of whole trees.
OPERATIONS_KEPT: Final = 2048
SOURCES_KEPT: Final = 256

#: The scalar functions of operators, by symbol of the form.
RULES: Final[dict[str, Callable[..., ClassAdValue]]] = {
    **{symbol: row.implementation for symbol, row in BINARY.items()},
    **{UNARY_FORM[symbol]: row.implementation for symbol, row in UNARY.items()},
}
#: The names by which written functions call them.
_SCALARS: Final = {symbol: f"rule{place}" for place, symbol in enumerate(RULES)}
_SPACE: Final[dict[str, object]] = {
    "ERROR": ERROR, "Expression": Expression, "NONE": {}.get, "UNDEFINED": UNDEFINED,
    "fetch_my": runtime.fetch_my, "fetch_plain": runtime.fetch_plain,
    "fetch_target": runtime.fetch_target, "fold": fold, "inf": inf, "no_choice": no_choice,
    "select": select, "subscript": subscript, "truth": truth, "wrap64": wrap64,
    **{name: RULES[symbol] for symbol, name in _SCALARS.items()},
}  # fmt: skip

#: A translated node: its sort and its constant, key or function.
Piece = tuple[str, Any]


# --- operation by operation ----------------------------------------------------------------------


def compile_node(node: Node) -> Piece:
    """Translate a node of an expression that is not too tall."""
    symbol, operands, extras = form_of(node)
    if symbol in SORTS:
        return symbol, extras[0]
    pieces = [compile_node(operand) for operand in operands]
    rule = RULES.get(symbol)
    if rule is not None:
        if all(sort in CONSTANTS for sort, _ in pieces):
            value = rule(*[data for _, data in pieces])
            return sort_of(value), value
    elif symbol == "other call":
        return "run", extras[0]([run_of(piece) for piece in pieces])
    # Operands are called, whatever they are: written into the function they would make many
    # functions of one operation, each of which takes as long to write as hundreds of calls.
    make = _operation(symbol, len(extras), *["run" for _ in pieces])
    return "run", make(*map(run_of, pieces), *extras)


def run_of(piece: Piece) -> Run:
    """The function of a translated node."""
    sort, data = piece
    if sort in CONSTANTS:
        return lambda ad, state: data
    return data if sort == "run" else _operation("operand", 0, sort)(data)


@lru_cache(OPERATIONS_KEPT)
def _operation(symbol: str, extras: int, *sorts: str) -> Callable[..., Run]:
    """What makes the function of an operation on operands of some sorts."""
    slots = [OperandSlot(sort, f"k{place}") for place, sort in enumerate(sorts)]
    names = [slot.name for slot in slots] + [f"x{place}" for place in range(extras)]
    writer = _Writer()
    result = writer.operation(symbol, slots, names[len(slots) :], 0)
    return _made(writer.source(result, names))


# --- as a whole ----------------------------------------------------------------------------------


def write_whole(node: Node) -> Run:
    """One function for a tree."""
    writer = _Writer()
    result = writer.value(node, 0)
    return _made(writer.source(result, list(writer.bound)))(*writer.bound.values())


@lru_cache(SOURCES_KEPT)
def _made(source: str) -> Callable[..., Run]:
    """Translate a source text, which was made from a tree or a form (see above)."""
    space: dict[str, Callable[..., Run]] = {}
    exec(compile(source, "<compiled expression>", "exec"), _SPACE, space)
    return space["make"]


class OperandSlot(NamedTuple):
    """An operand that is handed over when the function is made: its sort and the argument."""

    sort: str
    name: str


Part = Node | OperandSlot


class _Writer(Statements):
    """Writes operations; ``bound`` are the arguments of what is written, ``uses`` the lookups."""

    def __init__(self) -> None:
        super().__init__()
        self.bound: dict[str, object] = {}
        self.uses: dict[str, int] = {}

    def source(self, result: Operand, parameters: list[str]) -> str:
        """The text of what makes the function."""
        lines = self.lines
        if self.uses.get("plain") == 1:
            lines = [line.replace(" = get(", " = ad._attrs.get(") for line in lines]
        outer = [f"def make({', '.join(parameters)}):", *("  " + line for line in self.setup)]
        inner = [*self._tables(), *lines, f"return {result.name}"]
        return "\n".join(
            [*outer, "  def run(ad, state):", *("    " + line for line in inner), "  return run"]
        )

    def _tables(self) -> list[str]:
        """Statements before all others: the attribute tables that are needed."""
        closed = '"{0}" in ad._attrs or ad._chained is not None: get_{0} = NONE'
        lines = ["get = ad._attrs.get"] if self.uses.get("plain", 0) > 1 else []
        if "my" in self.uses:
            lines += [f"if {closed.format('my')}", "else: get_my = ad._attrs.get"]
        if "target" in self.uses:
            lines += [
                f"if {closed.format('target')}",
                "elif ad is state.left: get_target = state.right._attrs.get",
                "elif ad is state.right: get_target = state.left._attrs.get",
                "else: get_target = NONE",
            ]
        return lines

    def bind(self, value: object) -> str:
        """A name for an object that is handed over when the function is made."""
        name = f"k{len(self.bound)}"
        self.bound[name] = value
        return name

    # --- operands -------------------------------------------------------------------------------

    def value(self, part: Part, depth: int) -> Operand:
        """Write what evaluates an operand."""
        operand = self.operand(part, depth)
        self.put(*operand.unsettled)
        return operand._replace(unsettled=())

    def operand(self, part: Part, depth: int) -> Operand:
        """As ``value``, perhaps unsettled."""
        if isinstance(part, OperandSlot):
            return self.leaf(part.sort, part.name)
        symbol, operands, extras = form_of(part)
        if symbol in SORTS:
            return self.leaf(symbol, self.bind(extras[0]))
        if depth >= MAX_NESTING or symbol == "other call":
            return self.leaf("run", self.function(part))
        return self.operation(symbol, operands, [self.bind(extra) for extra in extras], depth)

    def function(self, part: Part) -> str:
        """A name for the function of an operand."""
        return part.name if isinstance(part, OperandSlot) else self.bind(run_of(compile_node(part)))

    def leaf(self, sort: str, name: str) -> Operand:
        """A constant, an attribute, or the value of a function."""
        if sort in CONSTANTS:
            kind, fixed = CONSTANTS[sort]
            return Operand(fixed or name, kind, sort=sort)
        if sort == "run":
            return self.assign(f"{name}(ad, state)")
        self.uses[sort] = self.uses.get(sort, 0) + 1
        value = self.assign(f"get{'' if sort == 'plain' else '_' + sort}({name})").name
        fetch = f"{value} = fetch_{sort}(ad, state, {name})"
        fetch = f"{value} is None or {value}.__class__ is Expression: {fetch}"
        if sort != "plain":
            return Operand(value, None, (f"if {fetch}",), sort=sort)
        alone = "state.left is None and ad._chained is None and ad._parent is None"
        settle = (f"if {value} is None and {alone}: {value} = UNDEFINED", f"elif {fetch}")
        return Operand(value, None, settle, sort=sort)

    # --- operations -----------------------------------------------------------------------------

    def operation(
        self, symbol: str, parts: Sequence[Part], extras: list[str], depth: int
    ) -> Operand:
        """Write an operation."""
        if symbol in LOGIC:
            return self.row(symbol, parts, depth)
        if symbol in ("conditional", "choice"):
            return self.choice(symbol, parts, depth)
        if symbol == "?:":
            return self.elvis(parts, depth)
        scalar = _SCALARS.get(symbol, "")
        if symbol in _COMPARISONS or symbol in EXACT:
            # The order of evaluation stays: only a leaf on the right lets the left one wait.
            left = (
                self.operand(parts[0], depth) if _is_leaf(parts[1]) else self.value(parts[0], depth)
            )
            method = self.comparison if symbol in _COMPARISONS else self.arithmetic
            return method(symbol, scalar, left, self.operand(parts[1], depth))
        operands = [self.value(part, depth) for part in parts]
        names = ", ".join(operand.name for operand in operands)
        if symbol in IDENTITY:
            return self.identity(symbol, scalar, *operands)
        if symbol == "! operand":
            return self.negation(scalar, operands[0])
        if symbol == "operand":
            return operands[0]
        if symbol == ".":
            return self.assign(f"select({names}, {extras[0]}, ad, state)")
        if symbol == "[]":
            return self.assign(f"subscript({names}, state)")
        if symbol == "call":
            self.put("state.ad = ad")
            return self.assign(f"{extras[0]}({', '.join(['state', *(o.name for o in operands)])})")
        return self.assign(f"{scalar}({names})")

    def negation(self, scalar: str, operand: Operand) -> Operand:
        """``!``."""
        name = operand.name
        if operand.kind is bool:
            return self.assign(f"not {name}", bool)
        return self.assign(f"not {name} if {name}.__class__ is bool else {scalar}({name})")

    def choice(self, symbol: str, parts: Sequence[Part], depth: int) -> Operand:
        """The second part if the first is true, the third if it is false.

        With ``? :`` a selector that is no condition at all has both evaluated.
        """
        arms = [self.function(part) for part in parts[1:]] if symbol == "conditional" else []
        condition = self.value(parts[0], depth + 1).name
        value, choice = self.name(), self.name()
        self.put(f"{choice} = {condition} if {condition}.__class__ is bool else truth({condition})")
        for test, part in zip(("if", "elif"), parts[1:], strict=True):
            self.put(f"{test} {choice} is {test == 'if'}:")
            self.inside(value, part, depth + 1)
        rest = ", ".join([condition, choice, *arms])
        self.put(f"else: {value} = {f'no_choice({rest}, ad, state)' if arms else choice}")
        return Operand(value)

    def inside(self, value: str, part: Part, depth: int) -> None:
        """Evaluate a part into ``value``, one level further in."""
        self.indent += 1
        self.put(f"{value} = {self.value(part, depth).name}")
        self.indent -= 1

    def elvis(self, parts: Sequence[Part], depth: int) -> Operand:
        """``?:`` with two operands."""
        value = self.assign(self.value(parts[0], depth).name)
        self.put(f"if {value.name} is UNDEFINED:")
        self.inside(value.name, parts[1], depth + 1)
        return value

    def row(self, symbol: str, parts: Sequence[Part], depth: int) -> Operand:
        """A row of the same logical operator: the first operand that decides ends it."""
        go, stop = ("True", "False") if symbol == "&&" else ("False", "True")
        first, *later, last = _terms(symbol, parts)
        so_far = self.name()
        self.put("while True:")
        self.indent += 1
        self.put(
            f"{so_far} = {self.value(first, depth + 2).name}",
            f"if {so_far} is not {go}:",
            # What is no condition makes an error only when the next operand has been evaluated.
            f"  if {so_far} is not {stop} and truth({so_far}) is {stop}: {so_far} = {stop}",
            f"  if {so_far} is {stop} or {so_far} is ERROR: break",
        )
        for term in later:
            name = self.value(term, depth + 2).name
            joined = f"{_SCALARS[symbol]}({so_far}, {name})"
            self.put(
                f"if {name} is not {go} or {so_far} is not {go}:",
                f"  {so_far} = {stop} if {so_far} is {go} and {name} is {stop} else {joined}",
                f"  if {so_far} is {stop} or {so_far} is ERROR: break",
            )
        name, kind, *_ = self.value(last, depth + 2)
        plain = f"{so_far} is {go}" + ("" if kind is bool else f" and {name}.__class__ is bool")
        joined = f"{_SCALARS[symbol]}({so_far}, {name})"
        self.put(f"{so_far} = {name} if {plain} else {joined}", "break")
        self.indent -= 1
        return Operand(so_far, logical=True)


_COMPARISONS: Final = ORDER | EQUALITY


def _is_leaf(part: Part) -> bool:
    """Whether an operand is a constant or an attribute that is simply looked up."""
    sort = part.sort if isinstance(part, OperandSlot) else form_of(part)[0]
    return sort in SORTS and sort != "run"


def _terms(symbol: str, parts: Sequence[Part]) -> list[Part]:
    """The operands of a left-deep row of one operator, left to right."""
    first, *terms = parts
    while isinstance(first, Binary) and first.operator == symbol:
        terms.insert(0, first.right)
        first = first.left
    return [first, *terms]
