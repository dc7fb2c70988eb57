"""Does the arithmetic of conditions: what a comparison lacks, and by how much.

Decides which of many slots comes nearest to a condition: where the fewest of its parts fail, then
where the numbers are short by the smallest part.

Inputs: an expression and the ads of both sides, or a request and slots.  Outputs:
``ConditionValue``, lines of text.  Follows: the ClassAd language, whose evaluator gives every
value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse, unparse_value
from classad.language.operators import LOGIC, ORDER
from classad.language.values import UNDEFINED
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Node, bare
from classad.table import Rows
from pieslice.data import is_number
from pieslice.reports.layout import Block, Line, rounded
from pieslice.why.clauses import Pairs, Whose
from pieslice.why.lists import tidy

#: Of what has no numbers, how far it is from being true.
_FAR: Final = 1e9
#: In a difference of times there are seconds.
_CLOCK: Final = late_regex(r"(?i)\b(CurrentTime\b|time\(\))")
#: Lines that a condition may take of the head of an answer; its whole tree comes later.
MAX_LINES: Final = 3
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")


@frozen
class ComparedNumbers:
    """``left operator right``; ``by``: how much more than enough there is, negative if too little.

    Among whole numbers the least that would do counts: of ``120 > 120`` 1 is lacking.
    """

    left: float
    operator: str
    right: float
    by: float
    unit: str


@frozen
class ConditionValue:
    """A condition or a part of one: its text and value; ``parts``: those joined by ``joined``."""

    text: str
    true: bool
    value: str
    joined: str = ""
    parts: tuple[ConditionValue, ...] = ()
    comparison: ComparedNumbers | None = None

    @property
    def distance(self) -> tuple[int, float]:
        """How many parts would have to change for it to be true, and how much by proportion."""
        if self.true:
            return 0, 0.0
        if self.parts:
            each = [part.distance for part in self.parts]
            if self.joined == "||":
                return min(each)
            return sum(count for count, _ in each), sum(share for _, share in each)
        made = self.comparison
        return 1, _FAR if made is None else min(-made.by / max(abs(made.right), 1.0), _FAR)


def condition_value(
    expression: Expression, my: ClassAd, target: ClassAd, context: EvalContext
) -> ConditionValue:
    """The condition with the values that its parts have for two ads."""

    def value(node: Node) -> object:
        return evaluate(Expression.from_node(node), my, target, context=context)

    return _find(expression.node, value)


def condition_values(expression: Expression, pairs: Pairs, rows: Rows) -> dict[int, ConditionValue]:
    """The same for some slots (MY) and a request; one for slots that are the same to it."""
    parts: list[Node] = []

    def note(node: Node) -> object:
        parts.append(node)
        return UNDEFINED

    _find(expression.node, note)
    found = [pairs.values(Expression.from_node(part), Whose.POLICY, rows) for part in parts]
    known: dict[tuple[int, ...], ConditionValue] = {}
    values: dict[int, ConditionValue] = {}
    for row in rows:
        key = tuple([codes[row] for codes, _ in found])
        if key not in known:
            each = iter([cells[code] for code, (_, cells) in zip(key, found, strict=True)])
            known[key] = _find(expression.node, _next_of(each))
        values[row] = known[key]
    return values


def _next_of(values: Iterator[object]) -> Callable[[Node], object]:
    """Gives one value after another, whatever is asked."""
    return lambda _: next(values)


def _find(node: Node, value: Callable[[Node], object]) -> ConditionValue:
    text = unparse(node).strip()
    node = bare(node)
    found = value(node)
    said, true = unparse_value(found), found is True
    if isinstance(node, Binary) and node.operator in LOGIC:
        parts = tuple(_find(part, value) for part in _chain(node, node.operator))
        return ConditionValue(text, true, said, node.operator, parts)
    made = None
    if isinstance(node, Binary) and node.operator in ORDER:
        made = _compared(node, value(node.left), value(node.right))
    return ConditionValue(unparse(node).strip(), true, said, comparison=made)


def _chain(node: Node, operator: str) -> list[Node]:
    """The operands of a chain of one operator."""
    found: list[Node] = []
    left = [node]
    while left:  # no recursion: a chain may be 100,000 deep
        part = left.pop()
        inner = bare(part)
        if isinstance(inner, Binary) and inner.operator == operator:
            left += (inner.right, inner.left)
        else:
            found.append(part)
    return found


def _compared(node: Binary, left: object, right: object) -> ComparedNumbers | None:
    if not is_number(left) or not is_number(right):
        return None
    if not (math.isfinite(left) and math.isfinite(right)):
        return None
    by = left - right if node.operator in (">", ">=") else right - left
    if node.operator in (">", "<") and by <= 0 and isinstance(left, int) and isinstance(right, int):
        by -= 1
    unit = "s" if _CLOCK.search(unparse(node)) else ""
    return ComparedNumbers(left, node.operator, right, by, unit)


def near_lines(condition: ConditionValue, *, every: bool = False) -> list[Block]:
    """What decides a condition, in a few lines for the head of an answer, or ``every`` one."""
    lines: list[Block] = [Line(f"    {line}") for line in finding_lines(condition)]
    if every or len(lines) <= MAX_LINES:
        return lines
    return [*lines[: MAX_LINES - 1], Line(f"    and {len(lines) - MAX_LINES + 1} more parts")]


def finding_lines(condition: ConditionValue) -> list[str]:
    """Which parts make the condition true, or keep it from being true."""
    if not condition.parts:
        return [_leaf_text(condition)]
    if condition.joined == "||":
        return _alternatives(condition)
    deciding = [part for part in condition.parts if part.true is condition.true]
    return [line for part in deciding for line in finding_lines(part)]


def _alternatives(condition: ConditionValue) -> list[str]:
    """Of a disjunction the true half, or what each lacks."""
    count = len(condition.parts)
    what = "half" if count == 2 else "part"
    lines = []
    for number, part in enumerate(condition.parts):
        if part.true is not condition.true:
            continue
        name = _ORDINALS[number] if number < len(_ORDINALS) else f"{number + 1}th"
        lead = f"{name} {what} of ||: "
        lines += [
            f"{lead}{line}" if i == 0 else f"  {line}" for i, line in enumerate(finding_lines(part))
        ]
    return lines


def _leaf_text(condition: ConditionValue) -> str:
    """``120 > 120 is false: needs 1 s more``, after what stands in the policy."""
    made = condition.comparison
    if made is None:
        return f"{tidy(condition.text)} is {condition.value}"
    sides = f"{_number(made.left)} {made.operator} {_number(made.right)}"
    value = "true" if condition.true else "false"
    return f"{tidy(condition.text)}: {sides} is {value}{_margin(made, condition.true)}"


def _margin(made: ComparedNumbers, true: bool) -> str:
    unit = f" {made.unit}" if made.unit else ""
    if true:
        return f" by {_number(made.by)}{unit}" if made.by else ""
    if not made.by:
        return ": equal is not enough"
    # Exactly so much is enough, but where the sides have to differ and may by any fraction.
    whole = isinstance(made.left, int) and isinstance(made.right, int)
    least = "" if whole or "=" in made.operator else "more than "
    return f": needs {least}{_number(-made.by)}{unit} {'more' if '>' in made.operator else 'less'}"


def _number(value: float) -> str:
    """Whole numbers whole, others to six digits."""
    return str(value) if isinstance(value, int) else rounded(value)
