"""Finds which columns decide the value of an expression, for which rows, and keeps what is found.

Attributes are followed into other attributes.  Rows whose attributes are the same expressions form
a group; within one the value is a function of the listed columns and of what the partner has for
the listed names.  Partners that differ in plain values only share a plan; those that are the same
in all that the expression asks for share the result.  Follows classad/evaluation/scopes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from math import prod
from typing import Any, Final, Generic, Protocol, TypeVar

from classad.language.bounds import MAX_DEPTH
from classad.table.expressions.partner import (
    INSTANT,
    MAX_SIZE,
    Partner,
    PartnerItem,
    counts_as_value,
)
from classad.table.memo import Budget, CountedResult, Key, Memo, PartnerAttribute, PartnerMemo
from classad.table.shapes import BOTH, EITHER, MINE, OTHERS, Shape
from classad.table.store.columns import Part
from classad.table.store.store import Store

T = TypeVar("T", bound=CountedResult)
#: Combinations up to which an expression is evaluated as a whole.
_WHOLE: Final = 64
#: Levels left for what an expression is part of.
_ROOM: Final = MAX_DEPTH - 150
_TOO_MUCH: Final = MAX_SIZE + 1
#: Nodes of an evaluation with a circle in it, up to which rows are not asked one by one.
_SHORT: Final = 2000


class PlannedRows(PartnerMemo[Any]):
    """Rows of one plan, with what one caller found in them.

    ``columns``: of the rows, sorted; ``row_by_row``: they and the partner's names do not decide the
    value; ``circular``: the rows' expressions lead back to themselves; ``ready``: what the sampler
    has made of it.
    """

    __slots__ = ("circular", "columns", "part", "ready", "row_by_row")

    def __init__(
        self,
        part: Part,
        columns: tuple[str, ...],
        attributes: tuple[PartnerAttribute, ...],
        row_by_row: bool,
        circular: bool,
        budget: Budget,
    ) -> None:
        super().__init__(attributes, budget)
        self.part = part
        self.columns = columns
        self.row_by_row = row_by_row
        self.circular = circular
        self.ready: object = None

    def result(self, partner: Partner, make: Callable[[PlannedRows], T]) -> T:
        """What ``make`` finds in these rows; kept for partners that are the same to them."""
        found: T = self.find(partner.keys) or self.keep(partner.keys, make(self))
        return found


class EvaluationPlan:
    """``asked``: the partner's names that decide, sorted, and ``INSTANT`` if the instant does.

    ``columns``: those of the rows that decide; ``row_by_row``: the rows that they do not decide.
    """

    __slots__ = ("_wide", "asked", "columns", "groups", "random", "row_by_row")

    def __init__(
        self, groups: list[PlannedRows], attributes: tuple[PartnerAttribute, ...], random: bool
    ) -> None:
        self.groups = groups
        self.asked = attributes
        self.random = random
        self.columns = frozenset[str]().union(*(group.columns for group in groups))
        self.row_by_row = 0
        for group in groups:
            self.row_by_row |= group.part.bits if group.row_by_row else 0
        self._wide: bool | None = None

    def forget(self) -> None:
        """Columns have changed."""
        self._wide = None
        for group in self.groups:
            group.forget()

    @property
    def wide(self) -> bool:
        """Whether there are too many combinations to evaluate them all."""
        if self._wide is None:
            self._wide = any(
                prod([len(group.part.view(name).values) for name in group.columns]) > _WHOLE
                for group in self.groups
            )
        return self._wide


def make_plan(
    shape: Shape,
    of_row: bool,
    part: Part,
    partner: Partner,
    store: Store,
    open_names: frozenset[str] = frozenset(),
) -> EvaluationPlan:
    """The plan for an expression in the rows' ads (``of_row``) or in the partner.

    ``open_names``: attributes of that ad whose evaluation the expression is part of.
    """
    drafts = [_Draft(shape, of_row, part, partner, store)]
    groups: list[PlannedRows] = []
    asked: set[str] = set()
    exact = clock = random = False
    while drafts:
        draft = drafts.pop()
        name = draft.to_split()
        if name is not None:
            drafts.extend(draft.split(name))
            continue
        groups.append(draft.group(open_names))
        asked |= draft.asked
        exact |= draft.exact
        clock |= draft.clock
        random |= draft.random
    store.shapes.read.update(asked, (INSTANT,) if clock else ())
    return EvaluationPlan(groups, _in_order(asked, exact, clock), random)


def _in_order(asked: set[str], exact: bool, clock: bool) -> tuple[PartnerAttribute, ...]:
    names: list[PartnerAttribute] = [(name,) for name in asked] if exact else list(asked)
    return (*sorted(names), *((INSTANT,) if clock else ()))


class _Draft:
    """A group while its columns are being found."""

    def __init__(
        self, shape: Shape, of_row: bool, part: Part, partner: Partner, store: Store
    ) -> None:
        self.root = shape
        self.of_row = of_row
        self.part = part
        self.partner = partner
        self.store = store
        self.rows: set[str] = set()
        self.asked: set[str] = set()
        self.done: dict[str, Shape | None] = {}
        self.measured: dict[str, tuple[int, int]] = {}
        self.row_by_row = self.exact = self.clock = self.random = self.circular = False
        self.visit(shape, of_row)

    def visit(self, shape: Shape, of_row: bool) -> None:
        """Take in all that an expression mentions."""
        self.row_by_row |= shape.row_by_row
        if shape.exact and not self.exact:
            self.exact = True
            for name in self.asked:
                self.take(self.partner.item(name))
        self.clock |= shape.clock
        self.random |= shape.random
        for where, name in shape.names:
            if where == BOTH:
                self.row_name(name)
                self.ask(name)
            elif where == EITHER:
                if of_row:
                    self.row_name(name)
                    self.ask(name)
                else:
                    self.ask(name)
                    if not self.partner.has(name):
                        self.row_name(name)
            elif (where == MINE) == of_row:
                self.row_name(name)
            else:
                self.ask(name)

    def row_name(self, name: str) -> None:
        """A column matters."""
        if self.store.has(name):
            self.rows.add(name)

    def ask(self, name: str) -> None:
        """An attribute of the partner matters."""
        if name in self.asked:
            return
        self.asked.add(name)
        item = self.partner.item(name)
        self.row_by_row |= item.row_by_row
        self.clock |= item.clock
        self.random |= item.random
        self.take(item)

    def take(self, item: PartnerItem) -> None:
        """The rows' attributes that an attribute of the partner can read matter."""
        self.rows |= self.read_by(item)
        self.row_by_row |= self.exact and item.back

    def read_by(self, item: PartnerItem) -> frozenset[str]:
        """The rows' attributes that an attribute of the partner can read."""
        return item.around if self.exact else item.rows

    def to_split(self) -> str | None:
        """The next column in which the rows may have expressions."""
        for name in sorted(self.rows - self.done.keys()):
            if self.part.has_expressions(name):
                return name
            self.done[name] = None
        return None

    def split(self, name: str) -> list[_Draft]:
        """The drafts of the rows by their expression."""
        found = self.part.split(name)
        drafts = [self] if len(found) == 1 else [self._twin(bits) for _, bits in found]
        for draft, (cell, _) in zip(drafts, found, strict=True):
            shape = None if cell is None else self.store.shapes.of(cell)
            draft.done[name] = shape
            if shape is not None:
                draft.visit(shape, True)
        return drafts

    def _twin(self, bits: int) -> _Draft:
        twin = copy(self)
        twin.part = self.store.part(bits)
        twin.rows, twin.asked, twin.done = set(self.rows), set(self.asked), dict(self.done)
        twin.measured = {}
        return twin

    def group(self, open_names: frozenset[str]) -> PlannedRows:
        """The finished group."""
        height, size = self._measure(self.root, self.of_row, frozenset())
        again = open_names & (self.rows if self.of_row else self.asked)
        row_by_row = self.row_by_row or height > _ROOM or size > MAX_SIZE or bool(again)
        columns = tuple(sorted(self.rows))
        if self.circular and not row_by_row:
            row_by_row = not (self._is_short() and self.store.trees_apart(self.part, columns))
        asked = _in_order(self.asked, self.exact, self.clock)
        return PlannedRows(self.part, columns, asked, row_by_row, self.circular, self.store.budget)

    def _is_short(self) -> bool:
        """Whether an evaluation with a circle in it, cut where that closes, is a short one."""
        left = _SHORT
        todo = [(self.root, self.of_row, frozenset[str](), 0)]
        while todo:
            shape, of_row, above, height = todo.pop()
            height += shape.height
            left -= shape.size
            for where, name in shape.names:
                item = self.partner.item(name)
                rows = set(self.read_by(item))
                left -= item.size
                if where != OTHERS if of_row else where != MINE:
                    rows.add(name)
                for inner in rows - above:
                    found = self.done.get(inner)
                    if found is not None:
                        todo.append((found, True, above | {inner}, height + item.height))
            if left < 0 or height > _ROOM:
                return False
        return True

    def _measure(self, shape: Shape, of_row: bool, open_names: frozenset[str]) -> tuple[int, int]:
        """Levels and nodes that an evaluation can need; a cycle needs too many."""
        height, size = 0, 1
        if len(open_names) > _ROOM:  # it needs a level for each of them
            return _ROOM, size
        for where, name in shape.names:
            if where != OTHERS if of_row else where != MINE:
                height, size = self._deeper(name, open_names, height, size)
            item = self.partner.item(name)
            height, size = max(height, item.height), size + item.size
            for inner in self.read_by(item):
                height, size = self._deeper(inner, open_names, height, size, item.height)
        return height + shape.height, min(shape.size * size, _TOO_MUCH)

    def _deeper(
        self, name: str, open_names: frozenset[str], height: int, size: int, above: int = 0
    ) -> tuple[int, int]:
        """The same with the expression that the rows of this group have for a name."""
        shape = self.done.get(name)
        if shape is None:
            return height, size
        if name in open_names:
            self.circular = True
            return height, size
        found = self.measured.get(name)
        if found is None:
            found = self.measured[name] = self._measure(shape, True, open_names | {name})
        return max(height, above + found[0]), size + found[1]


class OfColumns(CountedResult, Protocol):
    """A result.  ``columns``: those of the rows that it was made from."""

    columns: frozenset[str]


R = TypeVar("R", bound=OfColumns)


class Variant(PartnerMemo[R]):
    """Results that depend on the same names of the partner, and plans by the kinds of these."""

    __slots__ = ("plans",)

    def __init__(self, plan: EvaluationPlan, budget: Budget) -> None:
        super().__init__(plan.asked, budget)
        self.plans: Memo[Key, EvaluationPlan] = Memo(budget)

    def kinds(self, partner: Partner) -> Key:
        """What tells partners apart that have plans of their own."""
        keys = map(partner.keys.__getitem__, self.asked)
        # Of a plain value it matters that there is one.
        return tuple([key is not None if counts_as_value(key) else key for key in keys])


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
        self.variants: list[Variant[R]] = []
        self._store = store
        self._budget = store.budget
        self._open = open_names

    def known(self, partner: Partner) -> R | None:
        """What was found for such a partner before."""
        keys = partner.keys
        for variant in self.variants:
            found = variant.known.get(variant.key_of(keys))  # as ``find``, without a call
            if found is not None:
                return found
        return None

    def planned(self, partner: Partner) -> tuple[Variant[R], EvaluationPlan]:
        """The plan for a partner."""
        for variant in self.variants:
            known = variant.plans.get(variant.kinds(partner))
            if known is not None:
                return variant, known
        plan = make_plan(self.shape, self.of_row, self.part, partner, self._store, self._open)
        for variant in self.variants:
            if variant.asked == plan.asked:
                break
        else:
            variant = Variant(plan, self._budget)
            self.variants.append(variant)
        size = 2000 + len(plan.groups) * (1500 + 800 * self.shape.size)
        variant.plans.keep(variant.kinds(partner), plan, size)
        self.columns |= plan.columns
        return variant, plan

    def forget(self, names: set[str] | None, split: set[str] | None) -> None:
        """Columns have changed, in some of them (``split``) expressions; None: any of them."""
        if names is not None and self.columns.isdisjoint(names):
            return
        anew = names is None or (split is not None and not self.columns.isdisjoint(split))
        unwanted: Callable[[R], bool] | None = None
        if names is not None and not anew:
            changed = names
            unwanted = lambda found: not found.columns.isdisjoint(changed)  # noqa: E731
        for variant in self.variants:
            variant.forget(unwanted)
            for plan in variant.plans.values():
                plan.forget()
            if anew:
                variant.plans.drop()
        if anew:
            self.variants.clear()
            self.columns.clear()
