"""Takes a condition apart and does the arithmetic of its comparisons.

Decides which of many slots comes nearest to a condition: where the fewest of its parts fail, then
where the numbers are short by the smallest part.

Inputs: an expression, the ads of both sides.  Outputs: ``Finding`` values.  Follows: the ClassAd
language, whose evaluator gives every value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse, unparse_value
from classad.language.operators import LOGIC, ORDER
from classad.syntax.nodes import Binary, Node, bare
from pieslice.data import is_number

#: Of what has no numbers, how far it is from being true.
_FAR: Final = 1e9
#: In a difference of times there are seconds.
_CLOCK: Final = re.compile(r"\b(CurrentTime\b|time\(\))", re.IGNORECASE)


@frozen
class Comparison:
    """``left operator right``; ``by``: how much more than enough there is, negative if too little.

    Among whole numbers the least that would do counts: of ``120 > 120`` 1 is lacking.
    """

    left: float
    operator: str
    right: float
    by: float
    unit: str


@frozen
class Finding:
    """A condition or a part of one: its text and value; ``parts``: those joined by ``joined``."""

    text: str
    true: bool
    value: str
    joined: str = ""
    parts: tuple[Finding, ...] = ()
    comparison: Comparison | None = None

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


def find(expression: Expression, my: ClassAd, target: ClassAd, context: EvalContext) -> Finding:
    """The condition with the values that its parts have for two ads."""

    def value(node: Node) -> object:
        return evaluate(Expression.from_node(node), my, target, context=context)

    return _find(expression.node, value)


def _find(node: Node, value: Callable[[Node], object]) -> Finding:
    text = unparse(node).strip()
    node = bare(node)
    found = value(node)
    said, true = unparse_value(found), found is True
    if isinstance(node, Binary) and node.operator in LOGIC:
        parts = tuple(_find(part, value) for part in _chain(node, node.operator))
        return Finding(text, true, said, node.operator, parts)
    made = None
    if isinstance(node, Binary) and node.operator in ORDER:
        made = _compared(node, value(node.left), value(node.right))
    return Finding(unparse(node).strip(), true, said, comparison=made)


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


def _compared(node: Binary, left: object, right: object) -> Comparison | None:
    if not is_number(left) or not is_number(right):
        return None
    if not (math.isfinite(left) and math.isfinite(right)):
        return None
    by = left - right if node.operator in (">", ">=") else right - left
    if node.operator in (">", "<") and by <= 0 and isinstance(left, int) and isinstance(right, int):
        by -= 1
    unit = "s" if _CLOCK.search(unparse(node)) else ""
    return Comparison(left, node.operator, right, by, unit)
