"""Evaluating an expression once for each distinct combination of what it depends on.

What is decided here: which rows need no evaluation of their own.  Every value comes from the
ordinary evaluator (classad/batch.py); the only rule of the language used is that a comparison of a
number with a constant changes at most once as the number rises.
Inputs: a shape, a group of rows, a partner.  Outputs: the results for a ``Joint``'s samples.
Never here: caches, bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from classad.ad import ClassAd
from classad.nodes import Binary, Node, Parens, Reference, walk
from classad.operators import truth
from classad.scopes import fold_name
from classad.table.columns import PLAIN
from classad.table.partner import Partner
from classad.table.parts import Joint
from classad.table.plans import Group
from classad.table.shapes import Shape
from classad.table.store import put_cell
from classad.values import UNDEFINED

#: What a value counts as in logic.
UNKNOWN: Final = 0
TRUE: Final = 1
FALSE: Final = 2
BAD: Final = 3

_ORDER: Final = frozenset({"<", "<=", ">", ">="})


def logical(value: Any) -> int:
    """What a value counts as in logic."""
    found = truth(value)
    if found.__class__ is bool:
        return TRUE if found else FALSE
    return UNKNOWN if found is UNDEFINED else BAD


class Results(NamedTuple):
    """``joint``: None if all rows of the group have the one result there is."""

    joint: Joint | None
    results: list[Any]


class Sampler:
    """Evaluates a shape in the combinations that a group of rows has."""

    def __init__(
        self, shape: Shape, of_row: bool, partner: Partner, convert: Callable[[Any], Any]
    ) -> None:
        self.shape = shape
        self.of_row = of_row
        self.partner = partner
        self.convert = convert

    def results(self, group: Group) -> Results:
        """The converted value for each sample; None for samples that no row of the group has."""
        part = group.part
        row = ClassAd()
        varying = []
        for name in group.columns:
            if part.constant(name):
                put_cell(row, name, part.cell(name))
            else:
                varying.append(name)
        if not varying:
            return Results(None, [self._value(row)])
        joint = part.joint(tuple(varying))
        if len(varying) > 1:
            return Results(joint, self._each(row, varying, joint))
        (name,) = varying
        return Results(joint, self._column(row, name, joint, group))

    def _value(self, row: ClassAd) -> Any:
        partner = self.partner
        evaluator, tree = partner.evaluator, self.shape.tree
        if self.of_row:
            return self.convert(evaluator.value(tree, row, partner.ad))
        assert partner.ad is not None
        return self.convert(evaluator.value(tree, partner.ad, row))

    def _each(self, row: ClassAd, names: list[str], joint: Joint) -> list[Any]:
        found = []
        for sample in joint.samples:
            for name, cell in zip(names, sample, strict=True):
                put_cell(row, name, cell)
            found.append(self._value(row))
        return found

    def _column(self, row: ClassAd, name: str, joint: Joint, group: Group) -> list[Any]:
        samples, live = joint.samples, joint.live
        found: list[Any] = [None] * len(samples)
        codes = list(range(len(samples)) if live is None else live)
        if joint.ordered > _FEW and self._rises(name, group):
            numbers = [code for code in codes if code < joint.ordered]
            codes = codes[len(numbers) :]
            self._search(row, name, samples, numbers, found)
        for code in codes:
            put_cell(row, name, samples[code][0])
            found[code] = self._value(row)
        return found

    def _search(
        self, row: ClassAd, name: str, samples: list[Any], codes: list[int], found: list[Any]
    ) -> None:
        """Fill in the results for numbers that rise; they change once at most."""

        def at(place: int) -> Any:
            row._attrs[name] = samples[codes[place]][0]
            return self._value(row)

        if not codes:
            return
        row._names[name] = name
        low, high = 0, len(codes) - 1
        first, last = at(low), at(high)
        if first != last:
            while high - low > 1:
                middle = (low + high) // 2
                if at(middle) == first:
                    low = middle
                else:
                    high = middle
        else:
            high = len(codes)
        for place, code in enumerate(codes):
            found[code] = first if place < high else last

    def _rises(self, name: str, group: Group) -> bool:
        """Whether the shape compares just this attribute of the rows with something constant."""
        if self.convert is not logical or group.odd:
            return False
        node = bare(self.shape.node)
        if node.__class__ is not Binary or node.operator not in _ORDER:
            return False
        left, right = bare(node.left), bare(node.right)
        if self._is_cell(left, name):
            return self._is_constant(right, name, group)
        return self._is_cell(right, name) and self._is_constant(left, name, group)

    def _is_cell(self, node: Any, name: str) -> bool:
        """Whether a node is the rows' attribute."""
        if node.__class__ is not Reference or fold_name(node.name) != name or node.absolute:
            return False
        base: Any = node.base
        if base is None:
            return self.of_row or not self.partner.has(name)
        if base.__class__ is not Reference or base.base is not None or base.absolute:
            return False
        return fold_name(base.name) == ("my" if self.of_row else "target")

    def _is_constant(self, node: Node, name: str, group: Group) -> bool:
        """Whether a node cannot lead to the rows' attribute."""
        names = {fold_name(part.name) for part in walk(node) if isinstance(part, Reference)}
        if name in names or any(self.partner.item(found).rows for found in names):
            return False
        cells = [group.part.cell(found) for found in names if found in group.columns]
        return all(cell.__class__ in PLAIN for cell in cells)


#: Up to so many numbers are simply evaluated.
_FEW: Final = 8


def bare(node: Any) -> Any:
    """A node without the parentheses around it."""
    while node.__class__ is Parens:
        node = node.inner
    return node
