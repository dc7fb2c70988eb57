"""Keeps what was found for an expression under the partner's attributes that decide it.

Partners that differ in plain values only share a plan; those that are the same in all that the
expression asks for share the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from classad.table.dependence.partner import Key, Partner, Results, counts_as_value
from classad.table.dependence.plans import Plan, make_plan
from classad.table.expressions.shapes import Shape
from classad.table.memory.budget import Budget, Notes
from classad.table.store.parts import Part
from classad.table.store.store import Store


class Found(Protocol):
    """A result.  ``columns``: those of the rows that it was made from."""

    cost: int
    columns: frozenset[str]


R = TypeVar("R", bound=Found)


class Variant(Results[R]):
    """Results that depend on the same names of the partner, and plans by the kinds of these."""

    __slots__ = ("plans",)

    def __init__(self, plan: Plan, budget: Budget) -> None:
        super().__init__(plan.asked, budget)
        self.plans: Notes[Key, Plan] = Notes(budget)

    def kinds(self, partner: Partner) -> Key:
        """What tells partners apart that have plans of their own."""
        keys = partner.keys
        return tuple([_kind_of(keys[name]) for name in self.asked])


class Variants(Generic[R]):
    """The results of an expression in the rows of a part, or in the partner (not ``of_row``).

    ``open_names``: attributes whose evaluation it is part of.
    """

    def __init__(
        self,
        shape: Shape,
        of_row: bool,
        part: Part,
        store: Store,
        open_names: frozenset[str] = frozenset(),
    ) -> None:
        self.shape = shape
        self.of_row = of_row
        self.part = part
        self.columns: set[str] = set()
        self.ways: list[Variant[R]] = []
        self._store = store
        self._budget = store.budget
        self._open = open_names

    def known(self, partner: Partner) -> R | None:
        """What was found for such a partner before."""
        keys = partner.keys
        for way in self.ways:
            found = way.known.get(way.key_of(keys))  # as ``find``, without a call
            if found is not None:
                return found
        return None

    def planned(self, partner: Partner) -> tuple[Variant[R], Plan]:
        """The plan for a partner."""
        for way in self.ways:
            known = way.plans.get(way.kinds(partner))
            if known is not None:
                return way, known
        plan = make_plan(self.shape, self.of_row, self.part, partner, self._store, self._open)
        for way in self.ways:
            if way.asked == plan.asked:
                break
        else:
            way = Variant(plan, self._budget)
            self.ways.append(way)
        size = 2000 + len(plan.groups) * (1500 + 800 * self.shape.size)
        way.plans.keep(way.kinds(partner), plan, size)
        self.columns |= plan.columns
        return way, plan

    def forget(self, names: set[str] | None, split: set[str] | None) -> None:
        """Columns have changed, in some of them (``split``) expressions; None: any of them."""
        if names is not None and self.columns.isdisjoint(names):
            return
        anew = names is None or (split is not None and not self.columns.isdisjoint(split))
        unwanted: Callable[[R], bool] | None = None
        if names is not None and not anew:
            changed = names
            unwanted = lambda found: not found.columns.isdisjoint(changed)  # noqa: E731
        for way in self.ways:
            way.forget(unwanted)
            for plan in way.plans.values():
                plan.forget()
            if anew:
                way.plans.drop()
        if anew:
            self.ways.clear()
            self.columns.clear()


def _kind_of(key: Key) -> Key:
    """What of a partner's attribute matters to a plan: of a plain value that there is one."""
    return key is not None if counts_as_value(key) else key
