"""Puts what a history tells into words and data.

Inputs: ``Summary``, ``Life``, ``Start``.  Outputs: ``Result`` values, which the commands print.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from attr import frozen

from negotiator.jobs.readiness import IDLE, RUNNING
from pieslice.history.life import Life, word_of
from pieslice.history.questions import Start
from pieslice.history.start import ENOUGH, Estimate, Lack, TrackRecord
from pieslice.history.summary import Summary
from pieslice.inputs.moments import shown_time
from pieslice.recording.jobs import HistoryJob
from pieslice.reports.document import shape
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, plural, times
from pieslice.reports.progress import duration
from pieslice.reports.result import Result

#: How many gaps are shown.
_MOST_GAPS = 5


@frozen(eq=False, repr=False)
class HistoryAnswer(Result):
    """What a history holds; ``name`` is that of the file."""

    schema: ClassVar[str] = "pieslice/history/1"
    name: str
    found: Summary

    def summary(self) -> str:
        return f"{self.name}: {plural(self.found.captures, 'capture')}"

    def blocks(self) -> Sequence[Block]:
        found = self.found
        span = f"{duration(found.last - found.first)} from {shown_time(found.first)}"
        captures = plural(found.captures, "capture")
        return [
            *(Line(line, heading=True) for line in _verdict(found)),
            Line(f"{self.name}: {captures} of one pool, {span}"),
            TextTable(
                (TextColumn("what", name=True), TextColumn("how much", prose=True)),
                tuple(_rows(found)),
            ),
            *(
                Line(f"  gap of {duration(length)} after {shown_time(time)}", level="bad")
                for time, length in found.gaps[:_MOST_GAPS]
            ),
        ]


shape(HistoryAnswer, "=found")


def _verdict(summary: Summary) -> Iterator[str]:
    """How the pool did, in a few words."""
    jobs = f"{summary.started} of {plural(summary.jobs, 'job')} started, {summary.gone} ended"
    span = duration(summary.last - summary.first)
    if summary.captures == 1:
        yield f"{summary.running:.3g} jobs run and {summary.idle:.3g} wait at the one capture"
    else:
        means = f"{summary.running:.3g} ran and {summary.idle:.3g} waited on average"
        yield f"{jobs} in {span}; {means}"
    matches, rejections = plural(summary.matches, "match"), plural(summary.rejections, "rejection")
    cycles = f"{matches} and {rejections} in {plural(summary.cycles, 'cycle')}"
    load = "" if summary.load is None else f"; {100 * summary.load:.0f} % of the cores were claimed"
    yield f"{cycles}{load}"


def _rows(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "captures", f"the last one of {shown_time(summary.last)}"
    if summary.distance is not None:
        yield (
            "distance",
            f"{duration(summary.distance)} (median), {plural(len(summary.gaps), 'gap')}",
        )
    packed = summary.files / summary.stored
    yield (
        "size",
        f"{_bytes(summary.stored)} for {_bytes(summary.files)} of files, 1 to {packed:.0f}",
    )
    matches, rejections = plural(summary.matches, "match"), plural(summary.rejections, "rejection")
    if summary.matches_seen < summary.matches:
        matches += f" as the negotiator counts ({summary.matches_seen} seen)"
    yield "cycles", f"{summary.cycles} with decisions: {matches}, {rejections}"
    yield "jobs", f"{summary.jobs} seen, {summary.started} started, {summary.gone} gone"
    if summary.load is not None:
        cores = f"{100 * summary.load:.1f} % of {summary.cores:.4g} cores claimed (loading factor)"
        yield "load", f"{cores}; {summary.running:.4g} jobs run, {summary.idle:.4g} wait (mean)"
    empty = summary.vacancies
    if empty.count:
        times = [
            f"{part} of them after {_at_most(time)}"
            for part, time in zip(("half", "nine in ten"), empty.within, strict=True)
        ]
        again = f"{empty.refilled} of {empty.count} times claimed again"
        yield "empty slots", f"{again}, {', '.join(times)}"


def _at_most(time: float | None) -> str:
    return "longer than was seen" if time is None else f"at most {duration(time)}"


def _bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


@frozen(eq=False, repr=False)
class LifeAnswer(Result):
    """What became of a job."""

    schema: ClassVar[str] = "pieslice/history-job/1"
    found: Life

    def summary(self) -> str:
        return _headline(self.found.job)

    def blocks(self) -> Sequence[Block]:
        found = self.found
        columns = (
            TextColumn("since"),
            TextColumn("cycles", right=True),
            TextColumn("what", prose=True),
        )
        rows = tuple(
            (shown_time(entry.time), str(entry.cycles or ""), entry.what) for entry in found.entries
        )
        if found.cycles:
            told = f"{found.named} of the {plural(found.cycles, 'cycle')} that found it idle"
            named = f"  {told} decided about it or one like it (same submitter, same request)"
        else:
            named = "  no cycle found it idle, or none was recorded"
        title = f"{_headline(found.job)}; {_starts(found.job)}"
        return [Line(title, heading=True), Line(named), TextTable(columns, rows)]

    @property
    def job(self) -> ListedJob:
        """The job as it was last."""
        return ListedJob.of(self.found.job)


shape(LifeAnswer, "=job cycles=found.cycles named=found.named life=found.entries")


def _starts(job: HistoryJob) -> str:
    """How often a job started and lost its slot, and how long it was idle in all."""
    spells = [spell.status for spell in job.spells]
    starts, back = spells.count(RUNNING), list(pairwise(spells)).count((RUNNING, IDLE))
    ends = [*job.spells[1:], None]
    waited = sum(
        end.time - spell.time
        for spell, end in zip(job.spells, ends, strict=True)
        if spell.status == IDLE and end is not None
    )
    if not starts:
        return "never seen to run"
    lost = f", lost its slot {times(back)}" if back else ""
    return f"started {times(starts)}{lost}; was idle for {duration(waited)}"


def _headline(job: HistoryJob) -> str:
    slot = f" on {job.now.slot}" if job.now.slot else ""
    return f"job {job.id} of {job.submitter}: {word_of(job.now)}{slot}"


@frozen
class ForetoldStart:
    """When a job will start, in seconds since the epoch, and from how many jobs that is known."""

    not_before: float
    likely: float
    within: float | None
    like: str
    jobs: int
    starts: int

    @classmethod
    def of(cls, estimate: Estimate, begun: float) -> ForetoldStart:
        """The estimate of a job that has waited since ``begun``."""
        late = None if estimate.late is None else begun + estimate.late
        early, likely = begun + estimate.early, begun + estimate.likely
        return cls(early, likely, late, estimate.kind, estimate.jobs, estimate.starts)


@frozen
class ListedJob:
    """A job: when it was submitted (seconds since the epoch), its status or ``gone``, its slot."""

    job: str
    schedd: str
    submitter: str
    submitted: float | None
    state: str
    slot: str | None

    @classmethod
    def of(cls, job: HistoryJob) -> ListedJob:
        """What a job of a history was doing last."""
        state, slot = word_of(job.now), job.now.slot or None
        return cls(job.id, job.schedd, job.submitter, job.submitted, state, slot)


shape(Lack, "* needed")
shape(TrackRecord, "* coverage")


@frozen(eq=False, repr=False)
class StartAnswer(Result):
    """When a job will start."""

    schema: ClassVar[str] = "pieslice/when/1"
    found: Start

    def summary(self) -> str:
        return next(iter(_start_lines(self.found)))

    def blocks(self) -> Sequence[Block]:
        first, *more = _start_lines(self.found)
        coming = self.found.next_cycle
        cycle = [] if coming is None else [f"  the next cycle: {coming.text}"]
        return [Line(text) for text in (first, *cycle, *more, *_record(self.found.record))]

    @property
    def job(self) -> ListedJob:
        """The job as it was last."""
        return ListedJob.of(self.found.job)

    @property
    def estimate(self) -> ForetoldStart | None:
        """When it will start; None without enough history, and of a job that has started."""
        found, begun = self.found.estimate, self.found.job.begun
        return ForetoldStart.of(found, begun) if isinstance(found, Estimate) else None

    @property
    def lack(self) -> Lack | None:
        """What the history lacks for an estimate."""
        return self.found.estimate if isinstance(self.found.estimate, Lack) else None


shape(
    StartAnswer, "=job now=found.now estimate lack? record=found.record next_cycle=found.next_cycle"
)


def _start_lines(start: Start) -> Iterator[str]:
    job, estimate, now = start.job, start.estimate, start.now
    if estimate is None:
        yield f"{_headline(job)} since {shown_time(job.now.time)}; it has left the first wait"
        return
    waited = f"job {job.id} of {job.submitter} has waited {duration(now - job.begun)}"
    if isinstance(estimate, Lack):
        yield f"{waited}; not enough history to tell when it starts"
        yield f"  {_lack(estimate)}"
        return
    yield f"{waited} at {shown_time(now)}"
    for word, wait in (("not before", estimate.early), ("likely", estimate.likely)):
        yield f"  {word:<10}  {_when(job.begun + wait, now)}"
    if estimate.late is None:
        yield "  within      not known: more than one in ten waited longer than was seen"
    else:
        yield f"  within      {_when(job.begun + estimate.late, now)}"
    yield (
        f"  from {plural(estimate.jobs, 'job')} {estimate.kind}, of which {estimate.starts} started"
        " after as long a wait"
    )


def _when(time: float, now: float) -> str:
    return f"{shown_time(time)}, in {duration(time - now)}"


def _lack(lack: Lack) -> str:
    if lack.starts >= ENOUGH:
        return f"{lack.starts} jobs started after as long a wait, but half of those like it wait on"
    more = "" if lack.seconds is None else f": about {duration(lack.seconds)} more like these"
    return f"{lack.starts} jobs started after as long a wait, {ENOUGH} are needed{more}"


def _record(record: TrackRecord) -> Iterator[str]:
    known = record.within + record.sooner + record.later
    since = shown_time(record.split)
    if record.coverage is None:
        yield f"  no track record: none of the jobs since {since} had both an estimate and a start"
        return
    yield (
        f"  track record: of {plural(known, 'job')} since {since}, foretold from what was before, "
        f"{100 * record.coverage:.0f} % started between the first and the last time "
        "(80 % are meant), "
        f"{record.sooner} sooner, {record.later} later; {record.open} open, {record.without} "
        "without an estimate"
    )
