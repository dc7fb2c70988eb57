"""Slots as a cycle begins, found column by column.

Decision here: none that ``negotiator.pool.slots.fetch_slots`` would not make slot by slot; the same
functions are asked, once for each distinct combination of what they look at.  Inputs: the slots as
rows of a table.  Outputs: ``ColumnSlots``, or None where slot by slot is the only way.

Never here: what a slot is.
Follows: ``negotiator.pool.slots``.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import partial
from itertools import compress, repeat
from typing import Any, Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression as ExprTree
from classad.evaluate import EvalContext
from classad.table import Rows
from classad.table.arrays.arrays import flag
from negotiator.columns.chance import UnsureError, without_chance
from negotiator.columns.rows import SlotRows
from negotiator.columns.slots import ColumnSlots, mentioned, spread
from negotiator.expressions.settled import Freezer
from negotiator.pool.slots import (
    ABSENT,
    KEPT,
    NAME,
    Changes,
    Fact,
    Slot,
    holds,
    is_plain,
    lacks_weight,
    slot_weight,
)
from policy.model import NegotiatorPolicy

#: Where the requirements to go by may be from.
_REQUIREMENTS: Final = ("requirements", "negotiatorrequirements")
_NONE: Final[Changes] = {}


def fetch_columns(
    rows: SlotRows, claims: Mapping[str, int], policy: NegotiatorPolicy, context: EvalContext
) -> ColumnSlots | None:
    """The slots; None if random numbers are drawn, or one thing depends on another."""
    try:
        return _Fetch(rows, policy, context, without_chance(context)).slots(claims)
    except UnsureError:
        return None


@frozen(eq=False)
class _Fetch:
    rows: SlotRows
    policy: NegotiatorPolicy
    context: EvalContext
    surely: EvalContext

    def slots(self, claims: Mapping[str, int]) -> ColumnSlots:
        rows, policy = self.rows, self.policy
        if rows.table.sight(()).odd:
            raise UnsureError  # what ads inherit is in no column
        names = rows.names or self._each(NAME)
        passed = self._passed(names)
        lacking, weights = self._weights()
        kept = {what: self._each(fact) for what, fact in KEPT.items()}
        required = self._cells("requirements")
        given: Changes = {"slotweight": ("SlotWeight", policy.slot_weight)}
        changes = (
            [given if lacks else _NONE for lacks in lacking] if any(lacking) else repeat(_NONE)
        )
        ads = repeat(None) if rows.loaded else [rows.table.ad(row) for row in rows.order]
        make: Any = Slot
        known = (ads, names, weights, repeat(1), *kept.values(), required)
        made: list[Slot] = list(map(make, *known, changes, repeat(rows), rows.order))
        if claims:
            for slot in made:
                slot.claims = claims.get(slot.name, 1)
        there = made if passed is None else compress(made, passed)
        slots = ColumnSlots(there, rows, {"slotweight"} if any(lacking) else ())
        if passed is None:
            slots.stand_in(rows.order, kept | {"weight": weights})
        if any(lacking) and not is_plain(policy.slot_weight):
            raise UnsureError
        self._settle(slots)
        for slot in slots if any(kept["resources"]) else ():
            if slot.resources:
                slot.own_ad()
        return slots

    def _passed(self, names: list[Any]) -> list[bool] | None:
        """Which slots the cycle goes by; None: all."""
        constraint = self.policy.slot_constraint
        tests = [[name is not None for name in names]] if None in names else []
        if self.rows.table.has("Absent"):
            tests.append([not absent for absent in self._each(ABSENT)])
        if constraint is not None:
            reads = self._mentioned(constraint)
            tests.append(self._each(Fact(partial(holds, constraint), reads)))
        return [all(found) for found in zip(*tests, strict=True)] if tests else None

    def _weights(self) -> tuple[list[bool], list[float]]:
        """Which slots the negotiator gives its own weight, and what all of them weigh."""
        policy = self.policy

        def weigh(ad: ClassAd, context: EvalContext) -> tuple[bool, float]:
            lacks = lacks_weight(ad, policy, context)
            if lacks:
                ad = ad.duplicate()
                ad.insert("SlotWeight", policy.slot_weight)
            return lacks, slot_weight(ad, policy, context)

        reads = ("SlotWeight", *self._mentioned(policy.slot_weight))
        sight = self.rows.table.sight(reads)
        if sight.odd or not sight.names.isdisjoint(_REQUIREMENTS):
            raise UnsureError  # they may be settled first
        codes, found = self._answers(Fact(weigh, reads))
        lacking, weights = zip(*found, strict=True) if found else ((), ())
        order = self.rows.order
        return spread(codes, list(lacking), order), spread(codes, list(weights), order)

    def _settle(self, slots: ColumnSlots) -> None:
        """Give slots the requirements to go by where they are others than those sent."""
        table, changed = self.rows.table, False
        if table.has("NegotiatorRequirements"):
            codes, values = table.column("NegotiatorRequirements")
            for slot in slots:
                own = values[codes[slot.row]]
                if own is not None:
                    slot.insert("Requirements", own)
                    changed = True
        suspects = self._suspects()
        if suspects:
            freezer = Freezer(self.context)
            for slot in slots:
                settled = freezer.settled(slot.ad) if suspects >> slot.row & 1 else None
                if settled is not None:
                    slot.insert("Requirements", settled)
                    changed = True
        if changed:
            slots.changed.add("requirements")

    def _suspects(self) -> int:
        """The rows whose requirements may be settled; with luck none, which is the rule."""
        table, freezer = self.rows.table, Freezer(self.context)
        found = 0
        reached: set[str] = set()
        todo = list(_REQUIREMENTS)
        while todo:
            name = todo.pop()
            if name in reached:
                continue
            reached.add(name)
            codes, values = table.column(name)
            steady = bytearray(len(values))
            trees: list[tuple[int, Any]] = [
                (code, value) for code, value in enumerate(values) if value.__class__ is ExprTree
            ]
            if name == "slotweight":
                trees.append((-1, self.policy.slot_weight))
            for code, tree in trees:
                names, unsteady = freezer.look(tree)
                todo += names
                if unsteady:
                    if code < 0:
                        return Rows.all(len(table)).bits
                    steady[code] = 1
            if any(steady):
                found |= flag(codes, None, bytes(steady), len(table))
        if "currentrank" in reached and table.has("PreemptingRank"):
            codes, values = table.column("PreemptingRank")
            there = bytes(value is not None for value in values)
            found |= flag(codes, None, there, len(table))
        return found

    def _mentioned(self, tree: ExprTree | None) -> tuple[str, ...]:
        names = mentioned(tree)
        if names is None:
            raise UnsureError
        return names

    def _each(self, fact: Fact) -> list[Any]:
        """What a fact is for each slot."""
        return spread(*self._answers(fact), self.rows.order)

    def _answers(self, fact: Fact) -> tuple[array[int], list[Any]]:
        """What a fact may be, and which of that it is for each row."""
        table, surely = self.rows.table, self.surely
        reads = list(fact.reads)
        if fact.prefix:
            reads += [name for name in table.keys if name.startswith(fact.prefix)]
        return table.apply(lambda ad: fact.find(ad, surely), reads)

    def _cells(self, name: str) -> list[Any]:
        """What each slot has for an attribute."""
        return spread(*self.rows.table.column(name), self.rows.order)
