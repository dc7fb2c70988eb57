"""Sums up by autocluster which jobs wait, what of them starts, and what they can use of idle slots.

Decides what nobody can use: jobs that no slot of the pool would take, were it free and whole.

Inputs: a cycle that was held: its snapshot, result, board, and who got the slot of each match.
Outputs: ``CycleOutlook``.  Follows: ``pieslice.between`` for what starts at once,
``pieslice.between.idle`` for what fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Final

from attr import define, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.table import Table
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.io import Capture
from negotiator.jobs.requests import NO_AUTOCLUSTER, QueuedJob
from negotiator.matching.board import Board, CycleWatch
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from pieslice.reports.document import json_name, shape
from pieslice.reports.layout import Block, Line, plural
from pieslice.reports.layout import number as number_text
from pieslice.reports.result import DataTable, table_blocks
from policy.model import NegotiatorPolicy

if TYPE_CHECKING:
    from pieslice.between.idle import IdleResources, IdleSlots, JobRoom
    from pieslice.between.leftovers import Starts

#: Jobs that are named as examples.
_EXAMPLES: Final = 3


class IdleUse:
    """What jobs like one can use of the idle slots of a pool; makes what it needs when asked."""

    def __init__(self, snapshot: Snapshot, policy: NegotiatorPolicy, result: CycleResult) -> None:
        self._snapshot = snapshot
        self._policy = policy
        self._context = EvalContext(now=result.now, language=policy.language)
        self._left_out = {item.name for item in result.trimmed}

    @cached_property
    def idle(self) -> IdleSlots:
        """The idle slots that take part in the cycle."""
        from pieslice.between.idle import IdleSlots

        claims = self._policy.claims
        return IdleSlots.of(self._snapshot.slots, claims, self._context, self._left_out)

    @cached_property
    def resources(self) -> IdleResources:
        """What there is of them."""
        return self.idle.resources

    @cached_property
    def _whole(self) -> Table:
        from pieslice.between.pool import pool_of

        return Table(slot.ad for slot in pool_of(self._snapshot.slots).slots.values())

    def of(self, job: ClassAd, jobs: int) -> UsableIdle:
        """What so many jobs like this one can use."""
        room = self.idle.room(job)
        fits = bool(room.jobs) or bool(self.idle.table.match(job, context=self._context))
        never = not fits and not self._whole.match(job, context=self._context)
        gpus = job.get_number("RequestGPUs", context=self._context) or 0
        return UsableIdle(jobs, room, self.resources, never, gpus > 0)


@frozen
class UsableIdle:
    """What ``waiting`` jobs of a kind can use of what is ``idle``, if nobody else takes it.

    ``never``: no slot of the pool would take them, were it free and whole.
    """

    waiting: int
    room: JobRoom
    idle: IdleResources
    never: bool
    wants_gpus: bool = False

    @property
    def lacking(self) -> int:
        """How many of the jobs do not fit on the idle slots at the same time."""
        return max(0, self.waiting - self.room.jobs)

    @property
    def text(self) -> str:
        """The numbers in one line."""
        if self.never:
            return "no slot of the pool would take such a job, even if it were free and whole"
        used, idle = self.room.used, self.idle
        if not self.room.jobs:
            none = f"none of {number_text(idle.cpus, 0)} idle cores is usable"
            return f"{none}: {plural(self.waiting, 'job')} need{_s(self.waiting)} other machines"
        more = [f"{number_text(used.memory, 0)} of {number_text(idle.memory, 0)} MB memory"]
        if self.wants_gpus:
            more.insert(0, f"{number_text(used.gpus, 0)} of {number_text(idle.gpus, 0)} GPUs")
        cores = f"{number_text(used.cpus, 0)} of {number_text(idle.cpus, 0)} idle cores"
        text = f"{cores} are usable ({', '.join(more)}): room for {plural(self.room.jobs, 'job')}"
        if not self.lacking:
            return text
        return f"{text}; {plural(self.lacking, 'job')} need{_s(self.lacking)} more machines"


shape(UsableIdle, "waiting room=room.jobs lacking usable=room.used idle never")


def _s(count: int) -> str:
    return "s" if count == 1 else ""


@frozen(eq=False)
class AutoclusterRow:
    """The jobs of an autocluster that waited; ``starts``: how many start at once.

    ``room``: how many fit on the slots that were idle, ``lacking``: how many did not.  ``never``:
    no slot of the pool would take them, were it free and whole.  Memory in MB.
    """

    user: str
    first: str = field(metadata=json_name("job"))
    autocluster: int | None
    schedd: str
    jobs: int
    starts: int
    room: int
    lacking: int
    usable_cpus: float
    idle_cpus: float
    usable_memory: float
    idle_memory: float
    usable_gpus: float
    idle_gpus: float
    never: bool


@define(eq=False)
class _Alike:
    """Jobs of one autocluster."""

    first: QueuedJob
    names: list[str]


@frozen(eq=False, slots=False)
class CycleOutlook:
    """What follows from a cycle: which jobs start, and what those that waited can use.

    ``placed``: who got the slot of each match.  Each part is found when it is asked for.
    """

    snapshot: Snapshot
    result: CycleResult
    board: Board
    placed: Sequence[QueuedJob | None]

    @cached_property
    def starts(self) -> Starts:
        """The jobs that start."""
        from pieslice.between.leftovers import what_starts

        return what_starts(self.snapshot, self.result, self.board, self.placed)

    @property
    def autoclusters(self) -> tuple[AutoclusterRow, ...]:
        """The autoclusters; those with most jobs that do not fit come first."""
        return tuple(row for row, _ in self._rows)

    @property
    def texts(self) -> tuple[str, ...]:
        """What is said of those that lack most, and of those that nothing would take."""
        return tuple(_texts(self._rows))

    @property
    def idle(self) -> IdleResources:
        """What nobody has."""
        return self._use.resources

    @cached_property
    def _use(self) -> IdleUse:
        return IdleUse(self.snapshot, self.board.policy, self.result)

    @cached_property
    def _rows(self) -> list[tuple[AutoclusterRow, UsableIdle]]:
        found = []
        for submitter, schedd, number, alike in _autoclusters(self.result, self.board, self.placed):
            usable = self._use.of(alike.first.ad, len(alike.names))
            started = sum((submitter, schedd, name) in self.starts.jobs for name in alike.names)
            found.append((_row(submitter, schedd, number, alike, started, usable), usable))
        return sorted(found, key=lambda pair: (-pair[0].lacking, -pair[0].jobs))


def _autoclusters(
    result: CycleResult, board: Board, placed: Sequence[QueuedJob | None]
) -> Iterator[tuple[str, str, int, _Alike]]:
    """The jobs that waited: submitter, schedd, autocluster (0 without any) and the jobs."""
    got: dict[tuple[str, str], list[QueuedJob]] = {}
    for match, job in zip(result.matches, placed, strict=True):
        if job is not None:
            got.setdefault((match.submitter, match.schedd), []).append(job)
    for party in dict.fromkeys((*board.jobs, *got)):
        jobs = board.jobs.get(party)
        waiting = [*got.get(party, ()), *(() if jobs is None else jobs.waiting)]
        found: dict[int, _Alike] = {}
        for job in sorted(waiting, key=lambda job: job.order):
            alike = job.autocluster
            key = -job.cluster if alike == NO_AUTOCLUSTER else alike
            known = found.setdefault(key, _Alike(job, []))
            known.names.append(f"{job.cluster}.{job.proc}")
        for number, same in found.items():
            yield (*party, number, same)


def _row(
    submitter: str, schedd: str, number: int, alike: _Alike, starts: int, usable: UsableIdle
) -> AutoclusterRow:
    used, idle = usable.room.used, usable.idle
    return AutoclusterRow(
        submitter,
        alike.names[0],
        number if number > 0 else None,
        schedd,
        len(alike.names),
        starts,
        usable.room.jobs,
        usable.lacking,
        used.cpus,
        idle.cpus,
        used.memory,
        idle.memory,
        used.gpus,
        idle.gpus,
        usable.never,
    )


def _texts(found: Iterable[tuple[AutoclusterRow, UsableIdle]]) -> Iterator[str]:
    """What is said of the autoclusters that lack most, and of those that nothing would take."""
    pairs = list(found)
    lost = [row for row, usable in pairs if usable.never]
    if lost:
        jobs, users = sum(row.jobs for row in lost), len({row.user for row in lost})
        text = f"no slot of the pool would take {plural(jobs, 'job')} of {plural(users, 'user')}"
        examples = ", ".join(row.first for row in lost[:_EXAMPLES])
        more = ", ..." if len(lost) > _EXAMPLES else ""
        yield f"{text}, even if it were free and whole: {examples}{more}"
    for row, usable in pairs:
        if not usable.never and usable.lacking:
            kind = plural(row.jobs, "job") + f" of {row.user} (first {row.first})"
            yield f"{kind}: {usable.text}"


def waiting_blocks(found: CycleOutlook, table: DataTable) -> list[Block]:
    """The table with what it means for those that lack most."""
    idle = found.idle
    text = f"  idle: {plural(idle.slots, 'slot')}, {number_text(idle.cpus, 0)} cores, "
    text += f"{number_text(idle.memory, 0)} MB memory, {number_text(idle.gpus, 0)} GPUs"
    texts = [Line(f"  {said}") for said in found.texts[:_EXAMPLES]] if table.rows else []
    return [*table_blocks(table), Line(text), *texts]


class OutlookMaker:
    """Makes the outlook of a cycle that was held before, by holding it again."""

    def __init__(self, pool: Capture, seed: int = 0, engine: str = ENGINES[0]) -> None:
        self.pool = pool
        self.seed = seed
        self.engine = engine

    @cached_property
    def outlook(self) -> CycleOutlook:
        """The outlook."""
        watch = CycleWatch()
        result = negotiate(
            self.pool.snapshot,
            self.pool.policy,
            now=self.pool.facts.now,
            rng=Random(self.seed),
            costs=self.pool.costs,
            engine=self.engine,
            watch=watch,
        )
        assert watch.board is not None
        return CycleOutlook(self.pool.snapshot, result, watch.board, watch.placements.jobs)
