"""Decides a comparison of one column with a value by a few calls of the operator.

As a number rises the result of ``<`` and the like changes at most once, so a binary search finds
where.  Of ``==`` and the like all values of one type have one result but those that could be equal
to the value, which an index of the column has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from classad.language.operators import BINARY, COMPARISONS, ORDER
from classad.language.values import UNDEFINED
from classad.syntax.nodes import Node
from classad.table.arrays.vectors import logical
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Group
from classad.table.sampling.preparation import Cell, Counting, Member
from classad.table.sampling.programs import Inputs, Program
from classad.table.store.columns import PLAIN
from classad.table.store.parts import Joint

#: Kinds of values that are all the same to a comparison with something that none of them equals.
_ALIKE: Final = frozenset({str, int, float})
#: So many values are compared one by one.
_FEW: Final = 16
_NUMBERS: Final = frozenset({int, float})


class Comparison:
    """A comparison of the one column in which a group's rows differ with something else."""

    def __init__(self, symbol: str, cell: Cell, other: Program, cell_first: bool) -> None:
        self.ordered = symbol in ORDER
        self._cell = cell
        self._other = other
        self._function = BINARY[symbol].implementation
        self._cell_first = cell_first

    @classmethod
    def of(cls, program: Program) -> Comparison | None:
        """The comparison that a program is, if it is one."""
        root: Any = program.root
        symbol = getattr(root, "operator", "")
        if symbol not in COMPARISONS:
            return None
        for cell, other in ((root.left, root.right), (root.right, root.left)):
            if isinstance(cell, Cell) and not _varies(other):
                return cls(symbol, cell, Program(other), cell is root.left)
        return None

    def judged(
        self,
        name: str,
        group: Group,
        joint: Joint,
        partner: Partner,
    ) -> bytes | bytearray | None:
        """What each sample of a column counts as; None if that is not so easily found."""
        if name != self._cell.name:
            return None
        part = group.part
        if not part.is_plain(name) or (self._cell.further and partner.has(name)):
            return None
        value = self._other.shared(Inputs(partner, part, ()))
        function, first = self._function, self._cell_first

        def test(cell: Any) -> int:
            if cell.__class__ not in PLAIN:
                return 0  # no row of the group has it
            cell = UNDEFINED if cell is None else cell
            return logical(function(cell, value) if first else function(value, cell))

        if value is None or value != value:
            return None
        if not self.ordered:
            return _equal(group, name, value, test)
        return _ordered(joint, test) if value.__class__ in _NUMBERS else None


def _varies(node: Node) -> bool:
    """Whether the value of a prepared expression is not the same for all rows."""
    return isinstance(node, (Cell, Counting, Member)) or any(map(_varies, node.children()))


def _ordered(joint: Joint, test: Callable[[Any], int]) -> bytes | None:
    """Numbers rise, so the result changes at most once; other values are few."""
    (samples,), count = joint.cells, joint.ordered
    if len(samples) - count > _FEW:
        return None
    rest = bytes([test(cell) for cell in samples[count:]])
    if not count:
        return rest
    low, high = 0, count - 1
    before, after = test(samples[0]), test(samples[high])
    if before == after:
        high = count
    while high - low > 1 and high < count:
        middle = (low + high) // 2
        if test(samples[middle]) == before:
            low = middle
        else:
            high = middle
    return bytes([before]) * high + bytes([after]) * (count - high) + rest


def _equal(
    group: Group, name: str, value: Any, test: Callable[[Any], int]
) -> bytes | bytearray | None:
    """All values of a type that could not be equal to a value have one result."""
    values = group.part.view(name).values
    index = group.part.index(name)
    near = index.near(value)
    single = list(near)
    table = bytearray(256)
    for number, (kind, alike) in enumerate(index.alike.items()):
        if kind in _ALIKE:
            other = next((code for code in alike[: len(near) + 1] if code not in near), -1)
            if other >= 0:
                table[number] = test(values[other])
        else:
            single += alike
    if len(single) > _FEW or not PLAIN.issuperset(index.alike):
        return None
    found = bytearray(index.kinds.translate(bytes(table)))
    for code in single:
        found[code] = test(values[code])
    return found
