"""Evaluates an expression over everything that its attributes can be.

Each node is evaluated under what the conditions around it have settled: behind ``A > 10 &&`` the
attribute A is above 10 and defined.  An attribute keeps its value during one evaluation.
Inputs: a syntax tree, a way to look attributes up.  Outputs: ``Evaluation``: an abstract value for
the whole, and for every node as it stands and for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from math import ceil, floor, inf, nextafter
from typing import Final, NamedTuple, TypeAlias

from classad.evaluation.functions import lookup_function
from classad.language.bounds import MAX_DEPTH, glance, more_frames
from classad.language.operators import BINARY, COMPARISONS, IDENTITY, MIRRORED
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, Truth, fold
from classad.syntax import nodes
from classad.syntax.nodes import Node
from policy.values import functions
from policy.values.domain import (
    ALL_REAL,
    ALL_WHOLE,
    ANYTHING,
    BOTH,
    NOTHING,
    UNDEFINED_ONLY,
    Abstract,
    Real,
    Whole,
    constant,
    join,
    meet,
    single_value,
    truths,
)
from policy.values.operators import binary, unary

#: What stands for one attribute of one ad, however it is written.
Key: TypeAlias = tuple[str, str]
#: Finds an attribute by its scope (``my``, ``target`` or empty) and its name.
LookUp: TypeAlias = Callable[[str, str], tuple[Key, Abstract]]
Facts: TypeAlias = Mapping[Key, Abstract]

_SCOPES: Final = {"my": "my", "target": "target", "other": "target"}
_SPECIAL: Final = frozenset(("my", "target", "other", "self", "parent", "root", "toplevel", "ad"))
_NO_FACTS: Final[Facts] = {}
#: Levels of an expression that this one goes down: so many operators, and what is below them.
DEEPEST: Final = MAX_DEPTH + 1


class _Outcome(NamedTuple):
    """A value, and the facts where it decides as true or as false; None where it cannot."""

    value: Abstract
    when_true: Facts | None
    when_false: Facts | None


class Evaluation:
    """The values of a tree and its nodes."""

    def __init__(self, tree: Node, look_up: LookUp, unknown: Container[int] = frozenset()) -> None:
        """``unknown``: the nodes, by their ``id()``, of which nobody knows what stands there."""
        self._unknown: Final = unknown
        self._look_up: LookUp = look_up
        self._values: dict[int, Abstract] = {}
        self._alone: dict[int, _Outcome] = {}
        #: What each attribute is where it decides as true and as false, if nothing else is known.
        self._sides: dict[Key, tuple[Abstract, Abstract]] = {}
        self._recording = True
        self.value: Final = self._whole(tree)

    def of(self, node: Node) -> Abstract:
        """The value of a node where it stands; nothing if it is never evaluated."""
        return self._values.get(id(node), NOTHING)

    def alone(self, node: Node) -> Abstract:
        """The value of a node, whatever the conditions around it are."""
        known = self._alone.get(id(node))
        if known is not None:
            return known.value
        with more_frames():
            return self._by_itself(node).value

    def _by_itself(self, node: Node) -> _Outcome:
        before, self._recording = self._recording, False
        found = self._run(node, _NO_FACTS)
        self._recording = before
        return found

    def _whole(self, tree: Node) -> Abstract:
        if nodes.height(tree) > DEEPEST:
            return ANYTHING
        with more_frames():
            value = self._run(tree, _NO_FACTS).value
        return value._replace(error=True) if _may_fail(tree) else value

    def _run(self, node: Node, facts: Facts) -> _Outcome:
        by_itself, key = facts is _NO_FACTS, id(node)
        if by_itself and not self._recording and key in self._alone:
            return self._alone[key]
        found = self._outcome(node, facts)
        if key in self._unknown:
            found = _Outcome(ANYTHING, facts, facts)
        value = found.value
        if self._recording:
            before = self._values.get(key)
            self._values[key] = value if before is None else join(before, value)
        truth = value.decides()
        if len(truth) < 2:
            found = _Outcome(
                value,
                found.when_true if True in truth else None,
                found.when_false if False in truth else None,
            )
        if by_itself:
            # What each condition of a long chain is by itself is asked of all of them.
            self._alone[key] = found
        return found

    def _outcome(self, node: Node, facts: Facts) -> _Outcome:
        if isinstance(node, nodes.Literal):
            return _Outcome(constant(node.evaluated), facts, facts)
        if isinstance(node, nodes.Parens):
            return self._run(node.inner, facts)
        if isinstance(node, nodes.Reference):
            return self._reference(node, facts)
        if isinstance(node, nodes.Unary):
            return self._unary(node, facts)
        if isinstance(node, nodes.Binary):
            return self._binary(node, facts)
        if isinstance(node, nodes.Conditional):
            return self._choice(node.condition, node.then, node.otherwise, facts)
        if isinstance(node, nodes.Call):
            return self._call(node, facts)
        if isinstance(node, nodes.Subscript):
            self._run(node.base, facts)
            self._run(node.index, facts)
            return _Outcome(ANYTHING, facts, facts)
        return _Outcome(Abstract(other=True), facts, facts)

    def _find(self, node: Node) -> tuple[Key, Abstract] | None:
        """The attribute that a node is, parentheses aside."""
        node = nodes.bare(node)
        if not isinstance(node, nodes.Reference) or node.absolute:
            return None
        if node.base is None:
            return None if node.name.casefold() in _SPECIAL else self._look_up("", node.name)
        scope = _SCOPES.get(node.scope)
        return None if scope is None else self._look_up(scope, node.name)

    def _reference(self, node: nodes.Reference, facts: Facts) -> _Outcome:
        found = self._find(node)
        if found is None:
            return _Outcome(ANYTHING, facts, facts)
        key, known = found
        value = facts.get(key)
        if value is not None:
            sides = as_condition(value, True), as_condition(value, False)
        elif key in self._sides:
            value, sides = known, self._sides[key]
        else:
            value, sides = known, (as_condition(known, True), as_condition(known, False))
            self._sides[key] = sides
        return _Outcome(value, _with(facts, key, sides[0]), _with(facts, key, sides[1]))

    def _unary(self, node: nodes.Unary, facts: Facts) -> _Outcome:
        operand = self._run(node.operand, facts)
        value = unary(node.operator, operand.value)
        if node.operator == "!":
            return _Outcome(value, operand.when_false, operand.when_true)
        return _Outcome(value, facts, facts)

    def _binary(self, node: nodes.Binary, facts: Facts) -> _Outcome:
        symbol = node.operator
        if symbol == "&&":
            return self._logic(node, facts, decides=False)
        if symbol == "||":
            return self._logic(node, facts, decides=True)
        left = self._run(node.left, facts)
        if symbol == "?:":
            return self._elvis(left, node, facts)
        right = self._run(node.right, facts)
        value = binary(symbol, left.value, right.value)
        if symbol not in COMPARISONS:
            return _Outcome(value, facts, facts)
        first, second, back = self._find(node.left), self._find(node.right), mirrored(symbol)
        sides: list[Facts | None] = []
        for outcome in (True, False):
            kept = _narrowed(first, facts, symbol, right.value, outcome)
            sides.append(_narrowed(second, kept, back, left.value, outcome))
        return _Outcome(value, sides[0], sides[1])

    def _logic(self, node: nodes.Binary, facts: Facts, *, decides: bool) -> _Outcome:
        """``&&`` and ``||``; ``decides``: the truth value of the left side that settles it."""
        glance("checking expressions")  # the right side is looked at more than once
        rule = BINARY[node.operator].implementation
        left = self._run(node.left, facts)
        goes_on = left.when_false if decides else left.when_true
        settled = left.when_true if decides else left.when_false
        found: list[Truth] = []
        both: Facts | None = None
        other: Facts | None = None
        for x in left.value.outcomes():
            if x is decides or x is ERROR:
                found.append(x)
            elif x is UNDEFINED:
                right = self._by_itself(node.right)
                found += [_as_truth(rule(x, y)) for y in right.value.outcomes()]
                other = _both(facts, right.when_true if decides else right.when_false)
        if goes_on is not None:
            behind = self._run(node.right, goes_on)
            found += [_as_truth(rule(not decides, y)) for y in behind.value.outcomes()]
            both = behind.when_false if decides else behind.when_true
            settled = _either(settled, behind.when_true if decides else behind.when_false)
        elif left.value.undefined and self._recording:
            self._run(node.right, facts)
        settled = _either(settled, other)
        value = truths(found)
        return _Outcome(value, settled, both) if decides else _Outcome(value, both, settled)

    def _elvis(self, left: _Outcome, node: nodes.Binary, facts: Facts) -> _Outcome:
        value = left.value._replace(undefined=False)
        if left.value.undefined:
            behind = _narrowed(self._find(node.left), facts, "=?=", UNDEFINED_ONLY, True)
            value = join(value, self._run(node.right, facts if behind is None else behind).value)
        return _Outcome(value, facts, facts)

    def _choice(self, condition: Node, then: Node, otherwise: Node, facts: Facts) -> _Outcome:
        selector = self._run(condition, facts)
        truth = selector.value.condition()
        value = Abstract(truth.undefined, truth.error)
        when_true: Facts | None = None
        when_false: Facts | None = None
        for branch, known in ((then, selector.when_true), (otherwise, selector.when_false)):
            if known is not None:
                chosen = self._run(branch, known)
                value = join(value, chosen.value)
                when_true = _either(when_true, chosen.when_true)
                when_false = _either(when_false, chosen.when_false)
        return _Outcome(value, when_true, when_false)

    def _call(self, node: nodes.Call, facts: Facts) -> _Outcome:
        function = lookup_function(node.name)
        if function is None:
            return _Outcome(ANYTHING, facts, facts)
        if not function.accepts(len(node.args)):
            return _Outcome(Abstract(error=True), facts, facts)
        if functions.is_choice(function):
            return self._choice(node.args[0], node.args[1], node.args[2], facts)
        if not functions.goes_in(function):
            return _Outcome(ANYTHING, facts, facts)
        arguments = [self._run(argument, facts).value for argument in node.args]
        value = functions.call(function, node, arguments)
        if function.name.casefold() == "isundefined":
            argument = self._find(node.args[0])
            return _Outcome(
                value,
                _narrowed(argument, facts, "=?=", UNDEFINED_ONLY, True),
                _narrowed(argument, facts, "=?=", UNDEFINED_ONLY, False),
            )
        return _Outcome(value, facts, facts)


def _as_truth(value: object) -> Truth:
    assert isinstance(value, bool) or value is UNDEFINED or value is ERROR
    return value


def _narrowed(
    attribute: tuple[Key, Abstract] | None,
    facts: Facts | None,
    symbol: str,
    other: Abstract,
    outcome: bool,
) -> Facts | None:
    """The facts where ``attribute symbol other`` comes to ``outcome``; None for no attribute."""
    if attribute is None or facts is None:
        return facts
    key, known = attribute
    return _with(facts, key, compared(facts.get(key, known), symbol, other, outcome))


def _with(facts: Facts, key: Key, value: Abstract) -> Facts | None:
    """The facts with one more; None if it cannot be."""
    if value.empty:
        return None
    return {**facts, key: value}


def _both(left: Facts, right: Facts | None) -> Facts | None:
    """What holds where all facts of both do."""
    if right is None:
        return None
    found = dict(left)
    for key, value in right.items():
        found[key] = meet(found[key], value) if key in found else value
        if found[key].empty:
            return None
    return found


def _either(left: Facts | None, right: Facts | None) -> Facts | None:
    """What holds in both cases."""
    if left is None or right is None:
        return right if left is None else left
    if left is right:
        return left
    # Most facts are from further out, the same in both cases.
    return {
        key: value if value is right[key] else join(value, right[key])
        for key, value in left.items()
        if key in right
    }


def _may_fail(tree: Node) -> bool:
    """Is there a function that can make the evaluation fail as a whole?"""
    called = (lookup_function(n.name) for n in nodes.walk(tree) if isinstance(n, nodes.Call))
    return any(function is None or function.fails for function in called)


# --- what a condition leaves of a value -----------------------------------------------------------

_OPPOSITE: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
#: Beyond these integers are not exact as doubles.
_EXACT: Final = 2.0**53


def as_condition(value: Abstract, outcome: bool) -> Abstract:
    """What the value is where it decides as a condition so."""
    if not outcome:
        zero = Abstract(truths=frozenset({False}), whole=(0, 0), real=(0.0, 0.0))
        return meet(value, zero)
    whole, real = value.whole, value.real
    if whole is not None:
        low, high = whole[0] + (whole[0] == 0), whole[1] - (whole[1] == 0)
        whole = (low, high) if low <= high else None
    if real == (0.0, 0.0):
        real = None
    return Abstract(
        truths=value.truths & {True},
        whole=whole,
        real=real,
        nan=value.nan,
        unit=value.unit,
        single=value.single,
    )


def compared(value: Abstract, symbol: str, other: Abstract, outcome: bool) -> Abstract:
    """What the value is where ``value symbol other`` comes to ``outcome``."""
    if symbol in IDENTITY:
        return _identified(value, other, outcome is (symbol == "=?="))
    nan = (symbol == "!=") is outcome
    if not outcome:
        symbol = _OPPOSITE[symbol]
    unordered = nan and other.nan
    real, whole = (ALL_REAL, ALL_WHOLE) if unordered else _bounds(symbol, other)
    allowed = Abstract(
        truths=BOTH if other.has_number else frozenset(),
        whole=whole,
        real=real,
        nan=nan and other.has_number,
        texts=None if other.has_text else frozenset(),
        other=other.other,
    )
    return meet(_without_texts(value, symbol, other), _with_texts(allowed, symbol, other))


def mirrored(symbol: str) -> str:
    """The comparison that says the same with its sides exchanged."""
    return MIRRORED.get(symbol, symbol)


def _bounds(symbol: str, other: Abstract) -> tuple[Real | None, Whole | None]:
    hull = other.hull()
    if hull is None:
        return None, None
    if symbol == "!=":
        return ALL_REAL, ALL_WHOLE
    low, high = hull
    if symbol in ("<", "<="):
        low = -inf
    elif symbol in (">", ">="):
        high = inf
    # Of the bounds as they are: the next number below that of 2**53 + 1 is two less than it.
    known_low, known_high = abs(low) < _EXACT, abs(high) < _EXACT
    if symbol == "<":
        high = nextafter(high, -inf)
    elif symbol == ">":
        low = nextafter(low, inf)
    least = ceil(low) if known_low else INT_MIN
    most = floor(high) if known_high else INT_MAX
    real = (low, high) if low <= high else None
    return real, (least, most) if least <= most else None


def _with_texts(allowed: Abstract, symbol: str, other: Abstract) -> Abstract:
    if symbol != "==" or other.texts is None or not other.texts:
        return allowed
    return allowed._replace(folded=frozenset(fold(text) for text in other.texts))


def _without_texts(value: Abstract, symbol: str, other: Abstract) -> Abstract:
    """``!=`` a known string takes its spellings out of a set."""
    known = single_value(other) if symbol == "!=" and value.texts is not None else None
    if not isinstance(known, str) or value.texts is None:
        return value
    left = frozenset(text for text in value.texts if fold(text) != fold(known))
    return value._replace(texts=left)


def _identified(value: Abstract, other: Abstract, same: bool) -> Abstract:
    if same:
        return meet(value, other)
    known = single_value(other)
    if known is UNDEFINED:
        return value._replace(undefined=False)
    if isinstance(known, bool):
        return value._replace(truths=value.truths - {known})
    if isinstance(known, str) and value.texts is not None:
        return value._replace(texts=value.texts - {known})
    return value
