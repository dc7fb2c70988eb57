"""Hot expressions as generated Python: one function for the whole tree.

An expression that has been evaluated many times is translated into the source of one function, in
which the dominant cases of every operator stand inline.  Everything else goes, operand by operand,
to the scalar functions of ``classad.language.operators`` and to the closures of
``classad.compiled.closures``, so no rule of the language is decided here a second time.

Inputs: a syntax tree and, for its nodes, the closures they have already.  Outputs: a closure with
the same meaning.  Never here: reading text that did not come through the parser; all names and
constants enter the source as Python literals or as arguments.
Follows: section 4 of the language notes; tests compare it with the reference evaluator.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

from classad.ads.expression import Expression as ExprTree
from classad.ads.expression import Run
from classad.compiled import fetch
from classad.compiled.statements import Operand, Writer
from classad.evaluation.functions import lookup_function
from classad.evaluation.reference import no_choice, subscript
from classad.language import operators
from classad.language.names import UNUSUAL, fold_name
from classad.language.operators import BINARY, UNARY
from classad.language.values import ERROR, UNDEFINED, wrap64
from classad.syntax import nodes

#: Nodes beyond which a tree keeps its closures: translating would take longer than it can save.
MAX_SIZE: Final = 400
#: Nesting of generated statements (Python allows 20 loops and 100 levels of indentation).
MAX_NESTING: Final = 12


def generate(node: nodes.Node, closure: Callable[[nodes.Node], Run]) -> Run:
    """The generated form of a tree; ``closure`` gives the compiled form of any of its nodes."""
    writer = _Writer(closure)
    result = writer.value(node, 0).name
    parameters = ", ".join(writer.bound)
    source = "\n".join(
        [
            f"def make({parameters}):",
            "  def run(ad, state):",
            *writer.prologue(),
            *("    " + line for line in writer.lines),
            f"    return {result}",
            "  return run",
        ]
    )
    space = dict(_SPACE)
    exec(compile(source, "<generated expression>", "exec"), space)  # made from a tree, see above
    return space["make"](**writer.bound)  # type: ignore[no-any-return]


_SPACE: Final[dict[str, Any]] = {
    "ERROR": ERROR, "ExprTree": ExprTree, "NONE": {}.get,
    "UNDEFINED": UNDEFINED, "fetch_my": fetch.fetch_my, "fetch_plain": fetch.fetch_plain,
    "fetch_target": fetch.fetch_target, "fold": operators.fold, "inf": inf,
    "no_choice": no_choice, "subscript": subscript, "truth": operators.truth, "wrap64": wrap64,
}  # fmt: skip


class _Writer(Writer):
    """Writes the nodes of a tree; ``scopes`` are the attribute tables in use."""

    def __init__(self, closure: Callable[[nodes.Node], Run]) -> None:
        super().__init__()
        self.closure = closure
        self.scopes: set[str] = set()

    # --- plumbing -------------------------------------------------------------------------------

    def prologue(self) -> list[str]:
        """Statements before all others: the attribute tables that are needed."""
        lines = ["attrs = ad._attrs", "get = attrs.get"]
        if "my" in self.scopes:
            lines.append('get_my = NONE if "my" in attrs or ad._chained is not None else get')
        if "target" in self.scopes:
            lines += [
                'if "target" in attrs or ad._chained is not None: get_target = NONE',
                "elif ad is state.left: get_target = state.right._attrs.get",
                "elif ad is state.right: get_target = state.left._attrs.get",
                "else: get_target = NONE",
            ]
        return ["    " + line for line in lines]

    # --- nodes ----------------------------------------------------------------------------------

    def value(self, node: nodes.Node, depth: int) -> Operand:
        """Write what evaluates a node."""
        operand = self.operand(node, depth)
        self.put(*operand.unsettled)
        return operand._replace(unsettled=())

    def operand(self, node: Any, depth: int) -> Operand:
        """As ``value``, perhaps unsettled; the closure where there is no shorter way."""
        while node.__class__ is nodes.Parens:
            node = node.inner
        kind = node.__class__
        if kind is nodes.Literal:
            return self.literal(node)
        if kind is nodes.Reference:
            return self.reference(node)
        writer = _WRITERS.get(kind) if depth < MAX_NESTING else None
        return self.fallback(node) if writer is None else writer(self, node, depth)

    def fallback(self, node: nodes.Node) -> Operand:
        """Call the closure of a node."""
        value = self.name()
        self.put(f"{value} = {self.bind(self.closure(node))}(ad, state)")
        return Operand(value)

    def literal(self, node: nodes.Literal) -> Operand:
        value = node.evaluated
        kind = value.__class__
        if value is UNDEFINED or value is ERROR:
            return Operand("UNDEFINED" if value is UNDEFINED else "ERROR", kind)
        return Operand(f"({value!r})" if kind is bool else self.bind(value), kind)

    def reference(self, node: nodes.Reference) -> Operand:
        key = fold_name(node.name)
        scope = "plain"
        if node.base is not None:
            base: Any = node.base
            scope = fold_name(base.name) if base.__class__ is nodes.Reference else ""
            if scope not in ("my", "target") or base.base is not None or base.absolute:
                return self.fallback(node)
        if key in UNUSUAL or node.absolute:
            return self.fallback(node)
        self.scopes.add(scope)
        value, get = self.name(), "get" if scope == "plain" else f"get_{scope}"
        self.put(f"{value} = {get}({key!r})")
        fetch = f"{value} = fetch_{scope}(ad, state, {key!r})"
        if scope != "plain":
            return Operand(
                value, None, (f"if {value} is None or {value}.__class__ is ExprTree: {fetch}",)
            )
        alone = "state.left is None and ad._chained is None and ad._parent is None"
        settle = (
            f"if {value} is None and {alone}: {value} = UNDEFINED",
            f"elif {value} is None or {value}.__class__ is ExprTree: {fetch}",
        )
        return Operand(value, None, settle)

    def unary(self, node: nodes.Unary, depth: int) -> Operand:
        operand = self.value(node.operand, depth)
        value = self.name()
        apply = f"{self.bind(UNARY[node.operator].implementation)}({operand.name})"
        if node.operator != "!":
            self.put(f"{value} = {apply}")
            return Operand(value)
        if operand.kind is bool:
            self.put(f"{value} = not {operand.name}")
            return Operand(value, bool)
        plain = f"{operand.name}.__class__ is bool"
        self.put(f"{value} = not {operand.name} if {plain} else {apply}")
        return Operand(value)

    def subscript(self, node: nodes.Subscript, depth: int) -> Operand:
        base, index = self.value(node.base, depth), self.value(node.index, depth)
        value = self.name()
        self.put(f"{value} = subscript({base.name}, {index.name}, state)")
        return Operand(value)

    def call(self, node: nodes.Call, depth: int) -> Operand:
        if fold_name(node.name) == "ifthenelse" and len(node.args) == 3:
            return self.choice(list(node.args), depth)
        function = lookup_function(node.name)
        if function is None or not function.accepts(len(node.args)):
            return self.fallback(node)
        if function.laziness.value != "eager":
            return self.fallback(node)
        values = [self.value(arg, depth).name for arg in node.args]
        value = self.name()
        if function.name in ("isUndefined", "isError"):
            self.put(
                f"{value} = {values[0]} is {'ERROR' if function.name == 'isError' else 'UNDEFINED'}"
            )
            return Operand(value, bool)
        self.put("state.ad = ad")
        self.put(f"{value} = {self.bind(function.impl)}({', '.join(['state', *values])})")
        return Operand(value)

    def conditional(self, node: nodes.Conditional, depth: int) -> Operand:
        arms = [f"{self.bind(self.closure(arm))}" for arm in (node.then, node.otherwise)]
        return self.choice([node.condition, node.then, node.otherwise], depth, arms)

    def choice(self, parts: list[nodes.Node], depth: int, arms: list[str] | None = None) -> Operand:
        """The second part if the first is true, the third if it is false.

        ``arms``: the closures of both, which a selector that is no condition at all has evaluated.
        """
        condition = self.value(parts[0], depth + 1).name
        value, choice = self.name(), self.name()
        self.put(f"{choice} = {condition} if {condition}.__class__ is bool else truth({condition})")
        for test, part in zip(("if", "elif"), parts[1:], strict=True):
            self.put(f"{test} {choice} is {test == 'if'}:")
            self.indent += 1
            self.put(f"{value} = {self.value(part, depth + 1).name}")
            self.indent -= 1
        if arms is None:
            self.put(f"else: {value} = {choice}")
        else:
            rest = ", ".join([condition, choice, *arms])
            self.put(f"else: {value} = no_choice({rest}, ad, state)")
        return Operand(value)

    def binary(self, node: nodes.Binary, depth: int) -> Operand:
        symbol = node.operator
        if symbol in ("&&", "||"):
            return self.chain(node, depth)
        if symbol == "?:":
            return self.elvis(node, depth)
        if symbol in ("=?=", "=!="):
            left, right = self.value(node.left, depth), self.value(node.right, depth)
            return self.identity(symbol, left, right)
        if symbol in _COMPARISONS or symbol in _ARITHMETIC:
            # The order of evaluation stays: only a simple right operand lets the left one wait.
            simple = node.right.__class__ in (nodes.Literal, nodes.Reference)
            left = self.operand(node.left, depth) if simple else self.value(node.left, depth)
            right = self.operand(node.right, depth)
            method = self.comparison if symbol in _COMPARISONS else self.arithmetic
            return method(symbol, left, right)
        left, right = self.value(node.left, depth), self.value(node.right, depth)
        value = self.name()
        self.put(f"{value} = {self.scalar(symbol)}({left.name}, {right.name})")
        return Operand(value)

    # --- operators ------------------------------------------------------------------------------

    def elvis(self, node: nodes.Binary, depth: int) -> Operand:
        value, left = self.name(), self.value(node.left, depth)
        self.put(f"{value} = {left.name}")
        self.put(f"if {value} is UNDEFINED:")
        self.indent += 1
        self.put(f"{value} = {self.value(node.right, depth + 1).name}")
        self.indent -= 1
        return Operand(value)

    def chain(self, node: nodes.Binary, depth: int) -> Operand:
        """A row of the same logical operator: the first operand that decides ends it."""
        symbol = node.operator
        goes_on, stops = ("True", "False") if symbol == "&&" else ("False", "True")
        terms = _terms(node)
        value, rest = self.name(), self.bind(_rest(symbol, [self.closure(term) for term in terms]))
        self.put("while True:")
        self.indent += 1
        for place, term in enumerate(terms[:-1]):
            operand = self.operand(term, depth + 2)
            name = operand.name
            decided = f"{stops} if {name} is {stops} else {rest}(ad, state, {name}, {place})"
            self.put(f"if {name} is not {goes_on}:")
            if operand.unsettled:
                self.put(*("  " + line for line in operand.unsettled))
                self.put(f"  if {name} is not {goes_on}:")
                self.put(f"    {value} = {decided}", "    break")
            else:
                self.put(f"  {value} = {decided}", "  break")
        last = self.value(terms[-1], depth + 2)
        self.put(f"{value} = {last.name}")
        if last.kind is not bool:
            self.put(f"if {value}.__class__ is not bool:")
            self.put(f"  {value} = {rest}(ad, state, {value}, {len(terms) - 1})")
        self.put("break")
        self.indent -= 1
        return Operand(value, logical=True)


_COMPARISONS: Final = frozenset({"<", "<=", ">", ">=", "==", "!="})
_ARITHMETIC: Final = frozenset({"+", "-", "*"})
_WRITERS: Final[dict[type[nodes.Node], Callable[[_Writer, Any, int], Operand]]] = {
    nodes.Binary: _Writer.binary,
    nodes.Unary: _Writer.unary,
    nodes.Conditional: _Writer.conditional,
    nodes.Call: _Writer.call,
    nodes.Subscript: _Writer.subscript,
}


def _terms(node: nodes.Binary) -> list[nodes.Node]:
    """The operands of a left-deep row of one operator, left to right."""
    terms: list[nodes.Node] = []
    current: nodes.Node = node
    while isinstance(current, nodes.Binary) and current.operator == node.operator:
        terms.append(current.right)
        current = current.left
    terms.append(current)
    return terms[::-1]


def _rest(symbol: str, closures: list[Run]) -> Callable[[Any, Any, Any, int], Any]:
    """Finish a row of a logical operator whose operand ``place`` is not simply a boolean.

    All operands before it were booleans that let the row go on.
    """
    combine, stop = BINARY[symbol].implementation, symbol == "||"
    truth = operators.truth

    def rest(ad: Any, state: Any, value: Any, place: int) -> Any:
        value = combine(not stop, value) if place else value
        for closure in closures[place + 1 :]:
            if value is ERROR:
                return ERROR
            if truth(value) is stop:
                return stop
            value = combine(value, closure(ad, state))
        return value

    return rest
