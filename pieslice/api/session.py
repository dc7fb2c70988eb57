"""Edits the policy of a pool again and again: ``Pool.session``.

Decides what of an edit is computed: nothing of a cycle where no field of the policy and no ad is
another one.

The columns of the slots, and what is known of jobs and expressions, stay from cycle to cycle.

Inputs: a pool, texts.  Outputs: ``Session``, ``Trial``; raise ``Error``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from random import Random
from threading import Lock
from time import perf_counter
from types import MappingProxyType

from attr import define, evolve, field, frozen

from classad.binding.python_values import PythonValue, item_to_python
from classad.errors import Diagnostic
from classad.table import Table
from negotiator.engines import ENGINES, make_engines
from negotiator.io import Capture, InputError
from negotiator.matching.board import Event
from negotiator.matching.engine import Engines
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.result import CycleResult
from pieslice.api.errors import Cancelled, Error, ReadError, one_family
from pieslice.api.other_policy import edited_files, other_policy
from pieslice.inputs.pool import PoolReading
from pieslice.negotiate.answer import Cycle, answer, hold_cycle, outcome_of
from pieslice.negotiate.course import CycleCourse, seconds_between
from pieslice.negotiate.waiting import OutlookMaker
from pieslice.reports.layout import plural
from pieslice.terminal import printable
from pieslice.why.answer import Explained, explain_job
from pieslice.why.asked import find_job, find_jobs
from pieslice.why.autoclusters import Surveyed, survey_jobs
from pieslice.why.comparing import compare
from pieslice.why.differences import Changes
from pieslice.why.limits import LimitUse, LimitWatch
from pieslice.why.moments import AskedCycle
from pieslice.why.pairs import AskedPair, pair_of
from pieslice.why.quotas import Quotas, divide_quotas
from pieslice.why.ranking import Ranked, rank_slots

__all__ = ["Session", "Trial"]

#: Whether an edit is to end, which a newer one makes worthless.
Cancel = Callable[[], object]
_READING, _NEGOTIATING, _COMPARING = "reading", "negotiating", "comparing"


def job_id(job: str | float) -> str:
    """A job as questions name it."""
    if isinstance(job, float):
        raise TypeError(f'the job {job} is a number, which 8.1 and 8.10 are, too: give "{job}"')
    return str(job)


def _never() -> bool:
    return False


class Session:
    """A pool whose policy is edited; columns and whatever else is known stay from edit to edit.

    ``edit`` gives a ``Trial``; ``base`` is that of the running policy.  The pool is the one that it
    was when the session began.  One thread at a time: another one gets an ``Error``.
    """

    def __init__(
        self, reading: PoolReading, capture: Capture, label: str = "", seed: int = 0
    ) -> None:
        """See ``Pool.session``, which makes one."""
        self.seed = seed
        self._reading = reading
        self._label = label
        self._capture = capture
        self._lock = Lock()
        self._engines: Engines = make_engines(ENGINES[0], lasting=True, sparing=True)
        self._stages = _Stages(_never)
        #: Of the slots: who changes the ad of one means another pool.
        self._stamp = _stamp(capture)
        with self._alone(_never):
            result, limits = self._hold(capture)
        #: The running policy: its cycle, and answers to questions about it.
        self.base = Trial(
            self,
            diagnostics=capture.diagnostics,
            seconds=self._stages.seconds,
            of=_Held(capture, f"{capture.facts.name}{label}", result, limits),
        )

    def edit(
        self,
        policy: str | Mapping[str, str],
        *,
        files: Mapping[str, str] = MappingProxyType({}),
        cancelled: Cancel | None = None,
    ) -> Trial:
        """Try another policy: a text after all files, or whole texts of files by name.

        ``files``: such texts of files besides a text after all.

        Texts are read as by ``Pool.with_config``.  Names of files are paths, or relative to the
        folder of the configuration's root file, ``condor_config`` where there is none; other files
        are read from the disk, and none is written.  ``cancelled`` is asked often; once it is true
        the edit ends with ``Cancelled``.  A policy that daemons would not start with is no error:
        the trial says so.
        """
        with self._alone(cancelled or _never):
            texts = files if isinstance(policy, str) else {**files, **policy}
            other = edited_files(self._reading, texts)
            if isinstance(policy, str):
                reading = other.reading if texts else self._reading
                other = other_policy(reading, policy)
            with self._stages.stage(_READING):
                try:
                    capture = other.read(self._capture)
                except InputError as problem:
                    return self._refused(problem.diagnostics)
            if other.errors(capture.diagnostics):
                return self._refused(capture.diagnostics)
            return self._tried(capture, f"{self._label} with {other.label}")

    def compared(self, capture: Capture, label: str) -> Trial:
        """Another pool as a trial: ``Pool.diff``."""
        with self._alone(_never):
            return self._tried(capture, label)

    def slots(self, *names: str) -> dict[str, list[PythonValue]]:
        """See ``Trial.slots``; of the running policy."""
        return self.base.slots(*names)

    def __repr__(self) -> str:
        return f"<Session {printable(self._base.name)}>"

    @property
    def _base(self) -> _Held:
        return self.base.held

    @cached_property
    def _later_engines(self) -> Engines:
        """Those of cycles after the first one, whose slots are others."""
        return make_engines(ENGINES[0], lasting=True, sparing=True)

    @contextmanager
    def _alone(self, cancelled: Cancel) -> Iterator[None]:
        """Keep other threads out, and turn what the rooms below raise into errors."""
        if not self._lock.acquire(blocking=False):
            raise Error("the session is at work already: each thread needs one of its own")
        try:
            with one_family():
                self._stages = _Stages(cancelled)
                if _stamp(self._capture) != self._stamp:
                    raise Error("the ad of a slot was changed: begin another session")
                yield
        finally:
            self._lock.release()

    def _hold(self, capture: Capture) -> tuple[CycleResult, tuple[LimitUse, ...]]:
        watch = LimitWatch(self._stages.watch)
        with self._stages.stage(_NEGOTIATING):
            return hold_cycle(capture, self.seed, self._engines, watch), watch.found

    def _refused(self, diagnostics: Sequence[Diagnostic]) -> Trial:
        """A policy that nothing is tried with."""
        return Trial(self, starts=False, diagnostics=diagnostics, seconds=self._stages.seconds)

    def _tried(self, capture: Capture, label: str) -> Trial:
        base, stages = self._base, self._stages
        affects = _affected(base.capture, capture)
        name = f"{capture.facts.name}{label}"
        cycle = self._hold(capture) if affects else (base.result, base.limits)
        held = _Held(capture, name, *cycle)
        with stages.stage(_COMPARING):
            changes = base.changes(held)
        return Trial(
            self,
            diagnostics=capture.diagnostics,
            affects=affects,
            seconds=stages.seconds,
            of=held,
            changed=changes,
        )


def _stamp(capture: Capture) -> int:
    slots = capture.snapshot.slots
    return slots.stamp if isinstance(slots, LoadedSlots) else 0


def _affected(before: Capture, after: Capture) -> tuple[str, ...]:
    """What of a cycle's input is another one: fields of the policy, of the snapshot, the time."""
    found = [
        *before.policy.differing(after.policy),
        *before.snapshot.differing(after.snapshot),
    ]
    if before.facts.now != after.facts.now:
        found.append("now")
    if before.costs != after.costs:
        found.append("costs")
    return tuple(found)


@frozen(eq=False)
class _Held:
    """A pool, what it is called, its cycle, and the concurrency limits that are in use in it."""

    capture: Capture
    name: str
    result: CycleResult
    limits: tuple[LimitUse, ...]

    def changes(self, other: _Held) -> Changes:
        """What changes from this cycle to another one."""
        pools = self.capture, other.capture
        return compare(
            self.result,
            other.result,
            (self.name, other.name),
            (pools[0].facts.version, pools[1].facts.version),
            (pools[0].what_if, pools[1].what_if),
            (pools[0].snapshot, pools[1].snapshot),
        )


@define(eq=False)
class _Course:
    """The cycles with a policy that were held so far; ``name``: of its pool."""

    name: str
    interval: float
    course: CycleCourse
    held: list[_Held] = field(factory=list)

    def at(self, number: int, stages: _Stages) -> _Held:
        """The ``number``-th one, counted from 1."""
        while len(self.held) < number:
            with stages.stage(_NEGOTIATING):
                watch = LimitWatch(stages.watch)
                found = self.course.next(watch)
            self.held.append(_Held(found.pool, self.name, found.turn.result, watch.found))
        return self.held[number - 1]


@define(eq=False)
class _Stages:
    """The stages of an edit: seconds that each took, and whether it is to end."""

    cancelled: Cancel
    seconds: dict[str, float] = field(factory=dict)

    def check(self) -> None:
        """Raise ``Cancelled`` if the edit is to end."""
        if self.cancelled():
            raise Cancelled("the edit was cancelled")

    def watch(self, event: Event) -> None:
        """See ``Watch``."""
        self.check()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage."""
        self.check()
        begun = perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - begun
        self.check()


@frozen(eq=False, repr=False, slots=False)
class Trial:
    """A policy that was tried in a session: its cycle, and answers to questions about it.

    ``starts``: whether the daemons would start with it; nothing else is known of one with which
    they would not, and asking for it raises ``ReadError``.  ``diagnostics``: what is wrong with the
    files.  ``affects``: the fields of ``NegotiatorPolicy`` that differ from the running policy, and
    those of the pool, such as ``slots`` where startds advertise otherwise; no cycle was run if
    there are none.  ``seconds``: of clock, by stage.
    """

    session: Session
    starts: bool = True
    diagnostics: Sequence[Diagnostic] = ()
    affects: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(factory=dict)
    of: _Held | None = None
    changed: Changes | None = None
    #: The cycle it is about, counted from 1: another one is one of ``later``.
    number: int = 1
    _course: list[_Course] = field(factory=list)

    @property
    def held(self) -> _Held:
        """The pool and its cycle; raises ``ReadError`` for a policy that nobody starts with."""
        if self.of is None:
            found = [item for item in self.diagnostics if item.severity == "error"]
            text = "\n".join(item.render() for item in found)
            raise ReadError(text or "daemons would not start with this policy", found)
        return self.of

    @property
    def changes(self) -> Changes:
        """What changes from the cycle of the running policy, as ``Pool.diff`` gives it."""
        return self.held.changes(self.held) if self.changed is None else self.changed

    @property
    def limits(self) -> tuple[LimitUse, ...]:
        """The concurrency limits that something uses, before and after the cycle."""
        return self.held.limits

    @cached_property
    def cycle(self) -> Cycle:
        """The cycle, as ``Pool.negotiate`` gives it."""
        held, seed = self.held, self.session.seed
        maker = OutlookMaker(held.capture, seed)
        with one_family():
            return answer(held.capture, outcome_of(held.capture, held.result, maker))

    def make_ready(self, *, cancelled: Cancel | None = None) -> None:
        """Do now what the first question of a trial takes longer for: run its cycle once more.

        Raises ``Cancelled`` where ``cancelled`` ends it.
        """
        with self._asked(cancelled or _never):
            pass

    def why(self, job: str | int, slot: str | None = None) -> Explained:
        """See ``Pool.why``."""
        with self._asked() as cycle:
            return explain_job(cycle, find_job(cycle.snapshot, job_id(job)), slot)

    def rank(self, job: str | int, *, limit: int | None = None) -> Ranked:
        """See ``Pool.rank``."""
        with self._asked() as cycle:
            return rank_slots(cycle, find_job(cycle.snapshot, job_id(job)), limit)

    def expressions(self, job: str | int, slot: str | None = None) -> AskedPair:
        """What the cycle asks of a job and a slot, each expression with the value of every part.

        ``slot``: without one the slot that the job gets, or the best of its candidates.
        """
        with self._asked() as cycle:
            return pair_of(cycle, find_job(cycle.snapshot, job_id(job)), slot)

    def survey(
        self,
        *,
        user: str | None = None,
        group: str | None = None,
        cluster: str | int | None = None,
    ) -> Surveyed:
        """See ``Pool.survey``."""
        named = None if cluster is None else str(cluster)
        with self._asked() as cycle:
            scope = find_jobs(cycle.snapshot, cycle.policy, user=user, group=group, cluster=named)
            return survey_jobs(cycle, scope)

    def quotas(self, *, trace: bool = False) -> Quotas:
        """See ``Pool.quotas``."""
        with self._asked() as cycle:
            return divide_quotas(cycle, trace=trace)

    def slots(self, *names: str) -> dict[str, list[PythonValue]]:
        """What slots have for some attributes, in the order of the negotiator; None for nothing.

        Expressions come as such.
        """
        slots = self.held.capture.snapshot.slots
        table = slots.table() if isinstance(slots, LoadedSlots) else None
        order = slots.order if isinstance(slots, LoadedSlots) and table is not None else None
        table = Table(slots) if table is None else table
        found = {}
        for name in names:
            codes, cells = table.cells(name)
            values = [None if cell is None else item_to_python(cell) for cell in cells]
            rows = codes if order is None else map(codes.__getitem__, order)
            found[name] = [values[code] for code in rows]
        return found

    def later(
        self, number: int, *, interval: float | None = None, cancelled: Cancel | None = None
    ) -> Trial:
        """The ``number``-th cycle with this policy, as ``pieslice negotiate --cycles`` holds it.

        Its ``changes`` are those from the same cycle of the running policy.  ``interval``: seconds
        from one cycle to the next, ``NEGOTIATOR_INTERVAL`` without it.  Cycles that were held are
        kept, also when ``cancelled`` ends this with ``Cancelled``.
        """
        if number < 1 or self.number != 1:
            raise Error("cycles are counted from 1, which is the first one of a policy")
        session, other = self.session, self.held
        seconds = seconds_between(session.base.held.capture, interval)
        with session._alone(cancelled or _never):
            base = session.base._held_at(number, seconds)
            if self.affects:
                other = self._held_at(number, seconds)
            elif self.changed is not None:
                other = evolve(base, name=other.name)
            with session._stages.stage(_COMPARING):
                changes = None if self.changed is None else base.changes(other)
            return Trial(
                session,
                affects=self.affects,
                seconds=session._stages.seconds,
                of=base if changes is None else other,
                changed=changes,
                number=number,
            )

    def forget_later(self) -> None:
        """Keep no cycle after the first one."""
        self._course.clear()

    def _held_at(self, number: int, interval: float) -> _Held:
        if not self._course or self._course[0].interval != interval:
            held = self.held
            course = CycleCourse(
                held.capture, interval, Random(self.session.seed), self.session._later_engines
            )
            self._course[:] = [_Course(held.name, interval, course)]
        return self._course[0].at(number, self.session._stages)

    @contextmanager
    def _asked(self, cancelled: Cancel = _never) -> Iterator[AskedCycle]:
        """The cycle, to ask questions about it."""
        _ = self.held
        with self.session._alone(cancelled):
            yield self._cycle

    @cached_property
    def _cycle(self) -> AskedCycle:
        """The cycle, run once to record what questions ask of it."""
        session = self.session
        engines = session._engines if self.number == 1 else session._later_engines
        return AskedCycle.of(self.held.capture, session.seed, engines).run_for_all(
            session._stages.watch
        )

    def __repr__(self) -> str:
        if self.of is None:
            return "<Trial: daemons would not start with it>"
        if self.changed is None:
            return f"<Trial {printable(self.of.name)}: running>"
        slots = plural(len(self.changed.slots), "slot")
        what = f"{slots} differ" if self.affects else "nothing affected"
        return f"<Trial {printable(self.of.name)}: {what}>"
