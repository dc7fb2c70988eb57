"""Counts what of the slots that nobody has jobs of a kind can use.

Users, priorities, quotas and limits do not count.

Inputs: the slots of a cycle, what daemons do with claims, a job.  Outputs: ``IdleResources``,
``JobRoom``.  Follows: ``negotiator.claims.idle``, which decides for one slot.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.table import Rows, Table
from negotiator.claims.idle import jobs_on
from negotiator.model.loaded_slots import LoadedSlots
from policy.claims import ClaimSettings

_IDLE: Final = 'State == "Unclaimed"'
_BACKFILL: Final = "BackfillSlot =?= true"
_PARTITIONABLE: Final = "PartitionableSlot =?= true"


@frozen
class IdleResources:
    """So many ``slots`` with their cores, memory (MB) and GPUs."""

    slots: int = 0
    cpus: float = 0.0
    memory: float = 0.0
    gpus: float = 0.0


@frozen
class JobRoom:
    """How many ``jobs`` like one fit at once, and what they would have of the idle slots."""

    jobs: int
    used: IdleResources


@define(eq=False)
class IdleSlots:
    """The slots of a pool that nobody has."""

    table: Table
    rows: Rows
    settings: ClaimSettings
    context: EvalContext
    _ads: dict[int, ClassAd] = field(factory=dict)

    @classmethod
    def of(
        cls,
        slots: Sequence[ClassAd],
        settings: ClaimSettings,
        context: EvalContext,
        left_out: Collection[str] = (),
    ) -> IdleSlots:
        """Those of a pool; ``left_out``: names of slots that take no part in the cycle."""
        table = slots.table() if isinstance(slots, LoadedSlots) else None
        table = Table(slots) if table is None else table
        rows = table.select(_IDLE, context=context)
        if left_out:
            codes, names = table.column("Name")
            rows = Rows.of(len(table), (row for row in rows if names[codes[row]] not in left_out))
        return cls(table, rows, settings, context)

    @property
    def resources(self) -> IdleResources:
        """What there is of them; backfill slots have what other slots have, too."""
        rows = self.rows - self.table.select(_BACKFILL, context=self.context)
        return self._whole(rows or self.rows)

    def _whole(self, rows: Rows) -> IdleResources:
        """What some slots have."""
        sums = [
            sum(values[row] for row in rows)
            for values in (
                self.table.numbers(name, within=rows, context=self.context)
                for name in ("Cpus", "Memory", "GPUs")
            )
        ]
        return IdleResources(len(rows), *sums)

    def room(self, job: ClassAd) -> JobRoom:
        """How many jobs like this one fit."""
        matching = self.table.match(job, within=self.rows, context=self.context)
        parted = self.table.select(_PARTITIONABLE, within=matching, context=self.context)
        # A job takes the other slots whole, one each: their ads are not made for that.
        whole = self._whole(matching - parted)
        jobs = slots = whole.slots
        cpus, memory, gpus = whole.cpus, whole.memory, whole.gpus
        for row in parted:
            ad = self._ads.get(row)
            if ad is None:
                # It is changed while it is asked.
                ad = self._ads[row] = self.table.ad(row).duplicate()
            count, taken = jobs_on(ad, job, self.settings.rounding, self.context)
            jobs += count
            slots += count > 0
            cpus += taken.get("cpus", 0.0)
            memory += taken.get("memory", 0.0)
            gpus += taken.get("gpus", 0.0)
        return JobRoom(jobs, IdleResources(slots, cpus, memory, gpus))
