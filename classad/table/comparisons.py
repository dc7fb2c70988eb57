"""Comparisons of one attribute with something constant, which few values decide.

What is decided here: when the result can change at most once as a number rises, and when it is the
same for all values of one type but those that are equal to the constant.  Both are rules of the
language (classad/operators.py): order and arithmetic with constants keep the order of numbers of
one type, within bounds that no sum here leaves; equality of strings does not regard case.
Inputs: syntax trees, the evaluator for what is constant.  Outputs: ``Comparison`` or None.
Never here: the result of a comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from classad.ad import ClassAd
from classad.nodes import Binary, Literal, Node, Parens, Reference, walk
from classad.scopes import fold_name
from classad.table.columns import PLAIN
from classad.table.plans import Group

if TYPE_CHECKING:
    from classad.table.tables import Sampler

ORDER: Final = frozenset({"<", "<=", ">", ">="})
EQUAL: Final = frozenset({"==", "!=", "=?=", "=!="})
#: Operators of which few evaluations decide all.
COMPARISONS: Final = ORDER | EQUAL
#: Kinds of values that are all the same to a comparison with something that none of them equals.
ALIKE: Final = frozenset({str, int, float})
#: Whole numbers and reals up to here neither wrap nor overflow in one more step.
_BOUND: Final = 2.0**62


class Comparison(NamedTuple):
    """``ordered``: as a number rises, the result changes once at most; else see ``constant``."""

    ordered: bool
    constant: Any


def understand(sampler: Sampler, name: str, group: Group, row: ClassAd) -> Comparison | None:
    """What kind of comparison a shape is, if it is one; ``row`` has all attributes but ``name``."""
    return _Reader(sampler, name, group, row).read()


def bare(node: Any) -> Any:
    """A node without the parentheses around it."""
    while node.__class__ is Parens:
        node = node.inner
    return node


class _Reader:
    def __init__(self, sampler: Sampler, name: str, group: Group, row: ClassAd) -> None:
        self.sampler = sampler
        self.partner = sampler.partner
        self.name = name
        self.group = group
        self.row = row

    def read(self) -> Comparison | None:
        node = bare(self.sampler.shape.node)
        if node.__class__ is not Binary:
            return None
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if node.operator in ORDER and self.is_constant(other):
                if self.reach(side) is not None:
                    return Comparison(True, None)
            elif node.operator in EQUAL and self.is_cell(side) and self.is_constant(other):
                return Comparison(False, self.value(other))
        return None

    def reach(self, node: Any) -> float | None:
        """How large a number can get that rises or falls with the attribute; None if not so."""
        node = bare(node)
        if self.is_cell(node):
            return 0.0
        if node.__class__ is not Binary or node.operator not in ("+", "-", "*", "/"):
            return None
        for side, other in ((node.left, node.right), (node.right, node.left)):
            within = None if node.operator == "/" and side is node.right else self.reach(side)
            if within is not None:
                return self.stretched(within, node.operator, other)
        return None

    def stretched(self, within: float, operator: str, other: Any) -> float | None:
        """The same after one more step with a constant."""
        constant = self.value(other) if self.is_constant(other) else None
        if constant.__class__ is not int and constant.__class__ is not float:
            return None
        if within == 0.0:
            view = self.group.part.view(self.name)
            numbers = view.values[: view.ordered]
            if not numbers or len(set(map(type, numbers))) > 1:
                return None  # whole numbers and reals divide differently
            within = max(1.0, abs(float(numbers[0])), abs(float(numbers[-1])))
        size = abs(float(constant))
        if operator == "*":
            within *= max(size, 1.0)
        elif operator == "/":
            within /= size if 0.0 < size < 1.0 else 1.0
        else:
            within += size
        return within if within < _BOUND else None

    def is_cell(self, node: Any) -> bool:
        """Whether a node is the rows' attribute."""
        node = bare(node)
        if node.__class__ is not Reference or node.absolute or fold_name(node.name) != self.name:
            return False
        base: Any = node.base
        of_row = self.sampler.of_row
        if base is None:
            return of_row or not self.partner.has(self.name)
        if base.__class__ is not Reference or base.base is not None or base.absolute:
            return False
        return fold_name(base.name) == ("my" if of_row else "target")

    def is_constant(self, node: Node) -> bool:
        """Whether a node cannot lead to the rows' attribute."""
        names = {fold_name(part.name) for part in walk(node) if isinstance(part, Reference)}
        items = map(self.partner.item, names)
        exact = self.sampler.shape.exact
        if self.name in names or any(item.around if exact else item.rows for item in items):
            return False
        cells = [self.group.part.cell(name) for name in names if name in self.group.columns]
        return all(cell.__class__ in PLAIN for cell in cells)

    def value(self, node: Any) -> Any:
        """The value of a node that is constant."""
        node = bare(node)
        if node.__class__ is Literal:
            return node.evaluated
        shape = self.partner.shapes.of_part(node)
        return self.sampler.value(self.row, shape.tree)
