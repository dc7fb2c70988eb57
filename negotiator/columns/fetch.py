"""Fetches the slots of a cycle column by column: a fact once for all rows that look alike to it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import compress, repeat
from operator import is_not
from typing import Final, TypeVar, cast

from attr import field, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.language.values import ClassAdValue
from classad.table import Rows, Table
from classad.table.arrays import flag, pick, rows_of
from classad.table.shapes import text_of
from negotiator.columns.chance import UnsureError, without_chance
from negotiator.columns.parts import parts_of
from negotiator.columns.rows import SlotRows
from negotiator.columns.slots import ColumnSlots, facts_of, lasting_facts_of, mentioned, spread
from negotiator.expressions.flattening import Flattener, may_read_requirements
from negotiator.expressions.regrouping import Level
from negotiator.model.watched import PASSING
from negotiator.pool.fetch import (
    KEPT,
    KEPT_TOGETHER,
    NAME,
    OCCUPANTS,
    Fact,
    admission,
    changing,
    flatten_requirements,
    give_weight,
    is_projected,
    occupant,
    take_part,
    take_requirements,
)
from negotiator.pool.slots import Changes, Slot, is_plain
from negotiator.pool.weights import lacks_weight, slot_weight
from policy.model import NegotiatorPolicy

T = TypeVar("T")
#: Where the requirements to go by may be from.
_REQUIREMENTS: Final = ("requirements", "negotiatorrequirements")
_NONE: Final[Changes] = {}
#: Who is on a slot by what is left of it, where no expression there asks who is about to be.
_LEFT_USER: Final = Fact(partial(occupant, attributes=OCCUPANTS[2:]), OCCUPANTS[2:])
_PREEMPTING: Final = frozenset(OCCUPANTS[:2])


def fetch_columns(
    rows: SlotRows,
    claims: Mapping[str, int],
    policy: NegotiatorPolicy,
    context: EvalContext,
    read: bool = False,
) -> ColumnSlots | None:
    """The slots as ``fetch_slots`` finds them; None if it has to.

    That is where random numbers are drawn, or one fact depends on another.  ``read``: jobs or the
    policy read requirements of slots.
    """
    try:
        return _Fetch(rows, policy, context, read).slots(claims)
    except UnsureError:
        return None


@frozen(eq=False)
class TableRows:
    """The rows of a table as ads whose requirements may have to be flattened."""

    table: Table
    context: EvalContext
    _found: dict[object, int] = field(factory=dict)

    @property
    def all(self) -> int:
        """See ``AdSet``."""
        return Rows.all(len(self.table)).bits

    @property
    def open_names(self) -> frozenset[str]:
        """See ``AdSet``."""
        return frozenset(self.table.store.open_names)

    def trees(self, name: str) -> list[tuple[int, Expression]]:
        """See ``AdSet``."""
        _, values = self.table.cells(name)
        return [(code, it) for code, it in enumerate(values) if it.__class__ is Expression]

    def having_tree(self, name: str, number: int) -> int:
        """See ``AdSet``."""
        codes, values = self.table.cells(name)
        wanted = bytes(number) + b"\1" + bytes(len(values) - number - 1)
        return flag(codes, None, wanted, len(self.table))

    def having(self, name: str) -> int:
        """See ``AdSet``."""
        if not self.table.has(name):
            return 0
        codes, values = self.table.cells(name)
        return flag(codes, None, bytes(map(is_not, values, repeat(None))), len(self.table))

    def where(self, tree: Expression, chosen: Callable[[ClassAdValue], bool]) -> int:
        """See ``AdSet``; requirements that differ elsewhere ask the same."""
        key = (text_of(tree), chosen)
        bits = self._found.get(key)
        if bits is None:
            bits = self._found[key] = self._where(tree, chosen)
        return bits

    def _where(self, tree: Expression, chosen: Callable[[ClassAdValue], bool]) -> int:
        try:
            codes, found = self.table.apply(
                lambda ad: chosen(evaluate(tree, ad, context=self.context)), mentioned(tree)
            )
        except UnsureError:
            return self.all
        return flag(codes, None, bytes(found), len(self.table))


@frozen(eq=False)
class _Fetch:
    rows: SlotRows
    policy: NegotiatorPolicy
    context: EvalContext
    read: bool
    changed: set[str] = field(factory=set)

    def slots(self, claims: Mapping[str, int]) -> ColumnSlots:
        rows, policy = self.rows, self.policy
        if rows.table.sight(()).row_by_row:
            raise UnsureError  # what ads inherit is in no column
        names: list[str | None] = list(rows.names) if rows.names else self._each(NAME)
        tests = [self._each(fact) for fact in admission(policy)]
        if None in names:
            tests.append([name is not None for name in names])
        lacking, weights = self._weights()
        kept: dict[str, list[object]] = {}
        for whats, fact in KEPT_TOGETHER:
            codes, found = lasting_facts_of(fact, rows, without_chance(self.context))
            for place, what in enumerate(whats):
                kept[what] = spread(codes, [each[place] for each in found], rows.order)
        changes: Iterable[Changes] = repeat(_NONE)
        if any(lacking):
            given: Changes = {"slotweight": ("SlotWeight", policy.slot_weight)}
            changes = [given if lacks else _NONE for lacks in lacking]
            self.changed.add("slotweight")
        required = spread(*rows.table.cells("requirements"), rows.order)
        ads = repeat(None) if rows.loaded else map(rows.table.store.ads.__getitem__, rows.order)
        known = (ads, names, weights, repeat(1), *map(kept.__getitem__, KEPT), required, changes)
        made = cast(
            "list[Slot]",
            list(map(Slot, *known, repeat(rows), rows.order, repeat(self.changed))),
        )
        if claims:
            for slot in made:
                slot.claims = claims.get(slot.name, 1)
        tests = [found for found in tests if not all(found)]
        there = compress(made, map(all, zip(*tests, strict=True))) if tests else made
        slots = ColumnSlots(there, rows, self.changed, None if tests else rows.order)
        if any(lacking) and not is_plain(policy.slot_weight):
            raise UnsureError
        self._project(slots)
        self._give_requirements(slots, kept, set(compress(rows.order, lacking)))
        for slot in slots.with_policy:
            slot.own_ad()
        return slots

    def _weights(self) -> tuple[list[bool], list[float]]:
        """Which slots the negotiator gives its own weight, and what all of them weigh."""
        policy = self.policy

        def weigh(ad: ClassAd, context: EvalContext) -> tuple[bool, float]:
            lacks = lacks_weight(ad, policy, context)
            if lacks:
                ad = ad.duplicate()
                ad.insert("SlotWeight", policy.slot_weight)
            return lacks, slot_weight(ad, policy, context)

        sight = self.rows.table.sight(("SlotWeight", *mentioned(policy.slot_weight)))
        if sight.row_by_row or not sight.names.isdisjoint(_REQUIREMENTS):
            raise UnsureError  # they may be settled first
        fact = Fact(weigh, ("SlotWeight",), expression=policy.slot_weight)
        codes, found = facts_of(fact, self.rows, without_chance(self.context))
        lacking, weights = map(list, zip(*found, strict=True)) if found else ([], [])
        order = self.rows.order
        return spread(codes, lacking, order), spread(codes, weights, order)

    def _project(self, slots: ColumnSlots) -> None:
        """Leave of claimed slots what the collector sends of them."""
        if self.policy.consider_preemption:
            return
        #: What is left of all of them.
        common = names = set(self.rows.table.keys)
        claimed = [slot for slot in slots if is_projected(slot, self.policy)]
        lefts: dict[int, frozenset[str]] = {}
        for members, its in parts_of(self.rows, [slot.row for slot in claimed]):
            lefts.update(zip(members, repeat(its)))
            common = common & its - self._lacked(members, its)
        codes, users = lasting_facts_of(_LEFT_USER, self.rows, without_chance(self.context))
        for slot in claimed:
            weighed, left = not slot.changes, lefts.get(slot.row)
            if left is None:
                slot.changes = _NONE
                self._take_part(slot)
                common = common & slot.ad._attrs.keys()
            else:
                slot.keep_only(left)
                if _PREEMPTING.isdisjoint(left):
                    slot.user = users[codes[slot.row]]
                else:
                    slot.user = occupant(slot.ad, self.context)
            if left is None or not weighed:
                # The negotiator's own weight may read what is not in the part.
                give_weight(slot, self.policy, self.context)
                slot.weight = slot_weight(slot.ad, self.policy, self.context)
        self.changed.update(names - common)

    def _lacked(self, members: array[int], names: Iterable[str]) -> set[str]:
        """The attributes that some of these rows do not have."""
        table = self.rows.table
        found = {name for name in names if not table.has(name)}
        for name in filter(table.has, names):
            codes, cells = table.cells(name)
            if any(cells[code] is None for code in set(pick(codes, members))):
                found.add(name)
        return found

    def _take_part(self, slot: Slot) -> None:
        """The same of one slot; what is left of a row is known as long as the row is the same."""
        rows = self.rows
        known = rows.parts.get(slot.row)
        if known is not None:
            slot.keep(known.duplicate())
            slot.user = occupant(slot.ad, self.context)
            return
        take_part(slot, rows.mentions, self.context)
        if rows.lasting and PASSING.keys().isdisjoint(slot.ad._attrs):
            rows.parts[slot.row] = slot.ad.duplicate()

    def _give_requirements(
        self, slots: ColumnSlots, kept: Mapping[str, list[object]], lacking: set[int]
    ) -> None:
        """Give slots the requirements to go by where they are others than those sent.

        ``lacking``: the rows with the negotiator's weight, which is in no column.
        """
        table = self.rows.table
        if table.has("NegotiatorRequirements"):
            for slot in slots:
                take_requirements(slot)
        flattener = Flattener(self.context, read=self.read)
        ads = TableRows(table, without_chance(self.context))
        read = self.read or any(
            may_read_requirements(table.cells(name)[1]) for name in table.store.open_names
        )
        level = Level.WHOLE if read else Level.TRUE
        concerned = set(rows_of(flattener.to_flatten(ads, _REQUIREMENTS, level)))
        for what in changing(self.policy):
            concerned.update(compress(self.rows.order, kept[what]))
        seen = table.sight(_REQUIREMENTS) if lacking else None
        if seen is None or not (seen.row_by_row or "slotweight" in seen.names):
            lacking = set()
        for slot in slots if concerned or lacking else ():
            if slot.row in concerned or (slot.row in lacking and flattener.matters(slot.ad)):
                flatten_requirements(slot, flattener)

    def _each(self, fact: Fact[T]) -> list[T]:
        """What a fact is for each slot."""
        found = facts_of(fact, self.rows, without_chance(self.context))
        return spread(*found, self.rows.order)
