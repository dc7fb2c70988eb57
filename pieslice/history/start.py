"""Estimates when a job will start, from recorded waits of jobs like it, and how well that has gone.

Decides which jobs are like another one: the narrowest of a few kinds of which enough have started
after as long a wait.  The record is that of the same procedure on the same history: what was known
at a moment (the first ``KNOWN`` of the time) foretells the jobs that came after it, each as it was
first seen.

Inputs: jobs of a history, times in seconds since the epoch.  Outputs: ``Estimate``,
``TrackRecord``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, TypeAlias

from attr import define, field, frozen

from negotiator.jobs.readiness import IDLE, RUNNING
from pieslice.history.waits import Curve, Wait, curve
from pieslice.recording.jobs import HistoryJob

#: The parts of jobs that start before an estimate's ``early``, ``likely`` and ``late``.
PARTS: Final = (0.1, 0.5, 0.9)
#: So many jobs have to have started after as long a wait.
ENOUGH: Final = 20
#: The part of the time of a history whose jobs foretell the others.
KNOWN: Final = 0.7

#: What jobs of a kind have in common, None of a job that is of no such kind.
_Kind: TypeAlias = Callable[[HistoryJob], Hashable | None]

#: From narrow to wide, and how each is called.
KINDS: Final[tuple[tuple[str, _Kind], ...]] = (
    ("of {submitter} that ask for the same", lambda job: (job.submitter, job.request)),
    (
        "of group {group} that ask for the same",
        lambda job: (job.group, job.request) if job.group else None,
    ),
    ("of {submitter} with as many cores", lambda job: (job.submitter, job.cpus)),
    ("of {submitter}", lambda job: job.submitter),
    ("of anybody that ask for the same", lambda job: job.request),
    ("of anybody with as many cores", lambda job: job.cpus),
    ("of anybody", lambda job: "all"),
)


@frozen
class Estimate:
    """Waits since the submission in seconds: one in ten jobs starts before ``early``, and so on.

    ``late``: None where more than one in ten waited longer than the history shows.  ``kind``: which
    jobs; ``starts``: how many of them started after as long a wait; ``jobs``: all.
    """

    early: float
    likely: float
    late: float | None
    kind: str
    starts: int
    jobs: int


@frozen
class Lack:
    """Why there is no estimate: the most starts of a kind after as long a wait, of ``ENOUGH``.

    ``seconds``: until there are enough at the rate of this history; None if there is no rate.
    """

    starts: int
    seconds: float | None

    @property
    def needed(self) -> int:
        """How many starts an estimate needs."""
        return ENOUGH


@frozen
class TrackRecord:
    """How well jobs were foretold: what became of those that came after ``split``.

    ``within``, ``sooner``, ``later`` than the estimate said; ``open``: not known yet; ``without``:
    had no estimate, or one without end.
    """

    split: float
    within: int
    sooner: int
    later: int
    open: int
    without: int

    @property
    def coverage(self) -> float | None:
        """The part of the known ones that started within what was foretold; 0.8 is meant."""
        known = self.within + self.sooner + self.later
        return self.within / known if known else None


def wait_of(job: HistoryJob, first_seen: float, last_seen: float, known_at: float) -> Wait | None:
    """How long a job waited, as far as it was known; None if its wait was never seen."""
    spells = [spell for spell in job.spells if spell.time <= known_at]
    if not spells or spells[0].status != IDLE or first_seen > known_at:
        return None
    entry = max(0.0, first_seen - job.begun)
    change = next((spell for spell in spells if spell.status != IDLE), None)
    end = min(last_seen, known_at) if change is None else change.time
    started = change is not None and change.status == RUNNING
    return Wait(entry, max(entry, end - job.begun), started)


@define(eq=False)
class Experience:
    """The waits that were known at a time.  ``seen``: first and last time of each job."""

    jobs: Sequence[HistoryJob]
    seen: Callable[[HistoryJob], tuple[float, float]]
    known_at: float
    _waits: list[tuple[HistoryJob, Wait]] = field(init=False)
    _members: list[dict[Hashable, list[Wait]]] = field(init=False)
    _curves: dict[tuple[int, Hashable], Curve] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._members = [{} for _ in KINDS]
        for job in self.jobs:
            wait = wait_of(job, *self.seen(job), self.known_at)
            if wait is None:
                continue
            for members, (_, kind) in zip(self._members, KINDS, strict=True):
                members.setdefault(kind(job), []).append(wait)

    def curve(self, level: int, key: Hashable) -> Curve:
        """The waits of a kind."""
        if (level, key) not in self._curves:
            self._curves[level, key] = curve(self._members[level].get(key, ()))
        return self._curves[level, key]

    def estimate(self, job: HistoryJob, waited: float) -> Estimate | Lack:
        """When a job starts that has waited so long, from the narrowest kind that tells."""
        most, without_end = 0, None
        for level, (name, kind) in enumerate(KINDS):
            key = kind(job)
            if key is None:
                continue
            found = self.curve(level, key)
            starts = found.later(waited)
            most = max(most, starts)
            early, likely, late = (found.quantile(part, waited) for part in PARTS)
            if starts < ENOUGH or early is None or likely is None:
                continue
            what = name.format(submitter=job.submitter, group=job.group)
            jobs = len(self._members[level][key])
            answer = Estimate(early, likely, late, what, starts, jobs)
            if late is not None:
                return answer
            without_end = without_end or answer
        return without_end or Lack(most, None)


def with_rate(lack: Lack, seconds: float) -> Lack:
    """The same with the time until there are enough starts, at the rate of so many seconds."""
    if not lack.starts or lack.starts >= ENOUGH:
        return lack
    return Lack(lack.starts, (ENOUGH / lack.starts - 1) * seconds)


def record_of(
    jobs: Sequence[HistoryJob],
    seen: Callable[[HistoryJob], tuple[float, float]],
    span: tuple[float, float],
) -> TrackRecord:
    """How well the first part of a history foretells the jobs that came later."""
    split = span[0] + KNOWN * (span[1] - span[0])
    known = Experience(jobs, seen, split)
    counts = dict.fromkeys(("within", "sooner", "later", "open", "without"), 0)
    for job in _arrived(jobs, seen, split):
        first, last = seen(job)
        wait = wait_of(job, first, last, span[1])
        if wait is not None:
            counts[_outcome(known.estimate(job, wait.entry), wait)] += 1
    return TrackRecord(split, **counts)


def _arrived(
    jobs: Iterable[HistoryJob], seen: Callable[[HistoryJob], tuple[float, float]], split: float
) -> Iterable[HistoryJob]:
    return (job for job in jobs if seen(job)[0] > split)


def _outcome(estimate: Estimate | Lack, wait: Wait) -> str:
    if isinstance(estimate, Lack) or estimate.late is None:
        return "without"
    if wait.end > estimate.late:
        return "later"
    if not wait.started:
        return "open"
    return "sooner" if wait.end < estimate.early else "within"
