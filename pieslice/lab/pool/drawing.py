"""Puts together what the page draws of a pool: its slots, who has them, what a cycle does to them.

Users and machines stand once, and are told by their numbers; slots are columns.

Inputs: captures, results of cycles.  Outputs: plain values for JSON.  Weights are slot weights,
times seconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from classad.evaluate import EvalContext
from classad.table import Table
from negotiator.engines import ENGINES, make_engines
from negotiator.groups.tree import group_tree
from negotiator.io import Capture
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.result import ROOT_GROUP, CycleResult, GroupSummary
from negotiator.model.snapshot import machine_of
from negotiator.pool.slots import Slot
from pieslice.data import JsonObject
from pieslice.lab.pool.machines import machines_of
from pieslice.negotiate.text import iso_time
from pieslice.reports.charts import COLOURS, TEXTURES, looks
from pieslice.reports.document import plain
from pieslice.reports.names import shortest
from pieslice.why.limits import LimitUse

#: What slots advertise that they are coloured by.
_CPUS, _SINCE, _NAME = "Cpus", "EnteredCurrentState", "Name"
_NUMBERS: Final = (_CPUS, _SINCE)


class Scene:
    """A pool as it is drawn: users and machines have the same numbers in all its cycles."""

    def __init__(self, capture: Capture, users: Iterable[str]) -> None:
        """``users``: those who want slots, besides those who have some."""
        self.slots: list[Slot] = pool_slots(capture)
        self._tree = group_tree(capture.policy)
        self._numbers: dict[str, int] = {}
        self.machines = machines_of(slot.name for slot in self.slots)
        self._machine = {name: at for at, name in enumerate(self.machines.names)}
        for slot in self.slots:
            self._number(slot.user)
        for name in users:
            self._number(name)

    def cycle(
        self,
        pool: Capture,
        result: CycleResult,
        limits: Iterable[LimitUse],
        *,
        first: bool = False,
    ) -> JsonObject:
        """A cycle of the pool, or of the same one later.

        Its time; its slots as columns; its matches as place of the slot, user, job, kind, weight;
        its groups with their quotas, and the limits in use.  ``first``: the slots are those of the
        pool, and left out.
        """
        slots = self.slots if first else pool_slots(pool)
        places = {slot.name: place for place, slot in enumerate(slots)}
        found: JsonObject = {
            "time": iso_time(result.now),
            "now": result.now,
            "matches": [
                [
                    places.get(it.slot, -1),
                    self._number(it.submitter),
                    it.job,
                    it.kind.value,
                    it.cost,
                ]
                for it in result.matches
            ],
            "groups": _groups(result.groups),
            "limits": [
                {
                    "name": it.name,
                    "before": it.before,
                    "after": it.after,
                    "maximum": plain(it.maximum),
                    "full": it.full,
                }
                for it in limits
            ],
        }
        return found if first else found | {"slots": self.columns(pool, slots)}

    def columns(self, pool: Capture, slots: Sequence[Slot]) -> JsonObject:
        """Slots as columns; None for a number that a slot does not tell."""
        known = _advertised(pool)
        nothing = (None,) * len(_NUMBERS)
        told = [known.get(slot.name, nothing) for slot in slots]
        return {
            "name": [slot.name for slot in slots],
            "holder": [self._number(slot.user) for slot in slots],
            "weight": [slot.weight for slot in slots],
            "state": [slot.state for slot in slots],
            "split": [slot.partitionable for slot in slots],
            "machine": [self._machine.get(machine_of(slot.name), -1) for slot in slots],
            "cpus": [row[0] for row in told],
            "since": [row[1] for row in told],
        }

    def users(self) -> list[JsonObject]:
        """Users by number: names, groups, how they are drawn: ``look`` and ``texture`` of charts.

        ``heavy``: one of those who hold most of the pool, who have their colours; others are grey.
        """
        names = list(self._numbers)
        weights: Counter[str] = Counter()
        for slot in self.slots:
            if slot.user is not None:
                weights[slot.user] += slot.weight  # type: ignore[assignment]
        most = sorted(names, key=lambda name: (-weights[name], name))
        heavy = frozenset(most[: len(COLOURS)])
        found, short = looks(names), shortest(names)
        return [
            {
                "name": name,
                "short": short[name],
                "group": self._tree.assigned(name).name,
                "look": found[name].place,
                "texture": found[name].texture % TEXTURES,
                "heavy": name in heavy,
            }
            for name in names
        ]

    def _number(self, name: str | None) -> int:
        """The number of a user, -1 for nobody."""
        return -1 if name is None else self._numbers.setdefault(name, len(self._numbers))


def pool_slots(capture: Capture) -> list[Slot]:
    """The slots of a pool, in its order."""
    snapshot, policy = capture.snapshot, capture.policy
    context = EvalContext(now=capture.facts.now, language=policy.language)
    engines = make_engines(ENGINES[0], lasting=False)
    return list(engines.fetch(snapshot.slots, snapshot.claims, policy, context, False))


def _advertised(pool: Capture) -> dict[str, tuple[float | None, ...]]:
    """The numbers that slots advertise, by their names."""
    slots = pool.snapshot.slots
    table = slots.table() if isinstance(slots, LoadedSlots) else None
    table = Table(slots) if table is None else table
    codes, cells = table.cells(_NAME)
    columns = []
    for attribute in _NUMBERS:
        of, values = table.cells(attribute)
        columns.append([_finite(values[code]) for code in of])
    names = [cells[code] for code in codes]
    rows = zip(names, zip(*columns, strict=True), strict=True)
    return {name: row for name, row in rows if isinstance(name, str)}


def _finite(value: object) -> float | None:
    # What is undefined or true is a number to Python, too.
    if isinstance(value, int | float) and value.__class__ in (int, float) and math.isfinite(value):
        return value
    return None


def _groups(groups: Sequence[GroupSummary]) -> list[JsonObject]:
    """Groups with their depth in the tree; ``full``: nothing of the quota is left."""
    names = {one.name.lower() for one in groups}

    def depth(name: str) -> int:
        parts = name.lower().split(".")
        above = sum(".".join(parts[:count]) in names for count in range(1, len(parts)))
        return above + (name != ROOT_GROUP)

    def full(one: GroupSummary) -> bool:
        return one.name != ROOT_GROUP and 0 < one.usage_after >= one.quota

    return [
        {
            "name": one.name,
            "depth": depth(one.name),
            "quota": plain(one.quota),
            "subtree": plain(one.subtree_quota),
            "usage": one.usage,
            "after": one.usage_after,
            "requested": plain(one.requested),
            "surplus": one.surplus,
            "full": full(one),
        }
        for one in groups
    ]
