"""Results of expressions, and the partners that they were found for.

What is decided here: nothing; see classad/table/answers/valuations.py.
Inputs: codes and values.  Outputs: ``Valuation``, ``Variant``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, Final

from classad.table.arrays.doubles import Doubles, Numbers, numbers_of
from classad.table.dependence.partner import Partner, key_of
from classad.table.dependence.plans import Plan
from classad.table.memory.budget import Budget, Notes
from classad.table.store.parts import Joint

#: Combinations up to which an expression is evaluated as a whole.
_WHOLE: Final = 64


class Valuation:
    """What an expression is: ``values[codes[row]]``, but for the ``odd`` rows.

    ``columns``: what it was made from; ``tables``: what was made of its values, and ``numbers``: of
    those of all rows.
    """

    __slots__ = (
        "__weakref__",
        "_numbers",
        "alike",
        "codes",
        "columns",
        "doubles",
        "numbers",
        "odd",
        "shared",
        "tables",
        "used",
        "values",
    )

    def __init__(
        self, codes: array[int], values: list[Any], odd: int, columns: frozenset[str]
    ) -> None:
        self.codes = codes
        self.values = values
        self.odd = odd
        self.columns = columns
        self.numbers: dict[Callable[[Any], float], array[float]] = {}
        self.tables: dict[Callable[[Any], float], array[float]] = {}
        #: What tells it from others, if that is little.
        self.alike: Any = None
        #: The same as doubles, once it has been a summand twice.
        self.doubles: Doubles | None = None
        self.used = False
        #: Whether the codes are others' too.
        self.shared = False
        self._numbers: Numbers | None = None

    def as_numbers(self) -> Numbers | None:
        """The values as doubles; None if these do not do."""
        found = self._numbers
        if found is None and not self.odd:
            found = self._numbers = numbers_of(self.values)
        return found

    @property
    def cost(self) -> int:
        """The bytes that are kept, about."""
        return 300 + (0 if self.shared else 4 * len(self.codes)) + 40 * len(self.values)


class Held:
    """A result under the values of a partner; several may hold the same."""

    __slots__ = ("columns", "cost", "result", "used")

    def __init__(self, result: Valuation | Doubles, cost: int) -> None:
        self.result = result
        self.columns = result.columns
        self.cost = cost
        self.used = 0


class Told:
    """What a group of rows has said to a partner: the combinations and their results."""

    __slots__ = ("cost", "joint", "results", "used")

    def __init__(self, joint: Joint | None, results: Any) -> None:
        self.joint = joint
        self.results = results
        self.cost = 300 + 40 * len(results)
        self.used = 0


class Variant:
    """Valuations that depend on the same names of the partner, and plans by the kinds of these."""

    __slots__ = ("asked", "clock", "key_of", "plans", "sums", "valuations")

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self.asked = plan.asked
        self.key_of = key_of(plan.asked)
        self.clock = plan.clock
        self.plans: Notes[tuple[Any, ...], Plan] = Notes(budget)
        self.valuations: dict[Any, Held] = {}
        self.sums: dict[Any, Held] = {}

    def key(self, partner: Partner) -> Any:
        """What tells partners apart."""
        key = self.key_of(partner.keys)
        return (key, partner.context.now, partner.context.tz) if self.clock else key


def is_wide(plan: Plan) -> bool:
    """Whether there are many combinations of several columns."""
    for group in plan.groups:
        size, varying = 1, 0
        for name in group.columns:
            many = group.part.cardinality(name)
            size *= many
            varying += many > 1
        if size > _WHOLE and varying > 1:
            return True
    return False


def columns_of(plan: Plan) -> frozenset[str]:
    """The columns that decide."""
    return frozenset[str]().union(*(group.columns for group in plan.groups))
