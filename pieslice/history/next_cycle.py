"""Says what the next cycle, and what follows from it at once, makes of a job that waits.

The cycle is the one on the last capture of a history, as ``pieslice why`` asks it.

Inputs: a history, one of its jobs.  Outputs: ``NextCycle``.
"""

from __future__ import annotations

from attr import evolve, frozen

from negotiator.io import CapturePaths, InputError, read_capture
from negotiator.jobs.readiness import IDLE
from negotiator.jobs.submitters import negotiated_name
from pieslice.inputs.moments import unpacked
from pieslice.recording.jobs import HistoryJob
from pieslice.recording.store import History
from pieslice.why.asked import AskedJob, UnknownJobError, find_job
from pieslice.why.fates import Fate, fate_of, sentence, why_no_session, why_not_ready
from pieslice.why.moments import AskedCycle
from pieslice.why.own_machine import on_own_machine
from pieslice.why.sessions import RequestLog


@frozen
class NextCycle:
    """Whether a job ``starts`` at once by the next cycle, on which slot, and why it does not."""

    starts: bool
    slot: str | None
    text: str


def next_cycle(history: History, job: HistoryJob) -> NextCycle | None:
    """What the cycle on the last capture makes of a job; None if the job does not wait there."""
    if job.now.status != IDLE or job.last is not None:
        return None
    try:
        with unpacked(history.path, None) as found:
            cycle = AskedCycle.of(read_capture(CapturePaths(found.folder)), 0)
            asked = find_job(cycle.snapshot, f"{job.schedd}#{job.id}" if job.schedd else job.id)
    except (InputError, UnknownJobError):
        return None
    return _next(cycle, asked)


def _next(cycle: AskedCycle, job: AskedJob) -> NextCycle:
    waiting = on_own_machine(cycle.snapshot, cycle.policy, cycle.now)
    own = waiting.get((job.schedd, (job.cluster, job.proc)))
    if own is not None:
        return NextCycle(own.starts is True, None, f"{own.universe} universe: {own.waits}")
    if job.submitter is not None:
        job = evolve(job, submitter=negotiated_name(job.submitter, cycle.policy))
    party = (job.submitter or "", job.schedd)
    log = RequestLog(lambda name, schedd: (name, schedd) == party)
    result, left = cycle.recorded(log, {party})
    fate = fate_of(log.record, job.id, left)
    if fate is None:
        why = why_not_ready(job, cycle.now, cycle.snapshot.slots, cycle.policy.language)
        return NextCycle(False, None, f"not offered: {why}")
    if fate.left is not None:
        return NextCycle(True, fate.left.slot, f"starts {fate.left.text}")
    if fate.got is not None:
        return NextCycle(True, fate.got.match.slot, f"matched, {fate.got.match.slot}")
    absence = ""
    if fate.fate is Fate.NO_SESSION:
        absence = why_no_session(cycle.snapshot, cycle.policy, result, *party).text
    return NextCycle(False, None, sentence(fate, absence))
