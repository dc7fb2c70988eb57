"""Computes how preempted jobs leave their slots: signal, retirement and vacate time.

Decides which signal a job gets, when, and after how long it is killed.

A job may retire first: as long as the machine's MaxJobRetirementTime allows, less what it has run,
or less if the job asks for less.  Then it gets its KillSig, and may take the machine's
MachineMaxVacateTime to stop, or less if its JobMaxVacateTime is less; a job that asks for more may
use what is left of its retirement for it.  The signal comes early enough that the job is gone when
the retirement ends.  What is still there after that is killed.  WANT_VACATE is not asked: it is
about the startd's own PREEMPT.

Inputs: the ``Snapshot`` of a cycle and its ``CycleResult``, or one slot and its job.  Outputs:
``Vacating`` values; times are seconds from the preemption on.  Follows: the manual on
MaxJobRetirementTime, MachineMaxVacateTime and ``kill_sig``, and the condor_startd of 25.14 where it
is silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.language.rules import NEWEST, LanguageRules
from negotiator.model.arithmetic import whole
from negotiator.model.loaded_slots import slots_named
from negotiator.model.result import CycleResult, Match, MatchKind
from negotiator.model.snapshot import Snapshot
from policy.universes import universe_name

#: MachineMaxVacateTime of a machine that does not tell, in seconds.
DEFAULT_VACATE_SECONDS: Final = 600
_STANDARD: Final = 1
_VM: Final = 13
_SIGNALS: Final[Mapping[int, str]] = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 10: "SIGUSR1",
    12: "SIGUSR2", 14: "SIGALRM", 15: "SIGTERM", 18: "SIGCONT", 19: "SIGSTOP", 20: "SIGTSTP",
}  # fmt: skip


@frozen
class Vacating:
    """A job that loses its slot; ``job`` is None if no queue has it.

    ``retirement``: seconds it may still run by MaxJobRetirementTime.  ``signal`` comes
    ``soft_after`` seconds from now, the hard kill ``hard_after`` seconds from now.
    """

    slot: str
    user: str | None
    job: str | None
    schedd: str | None
    universe: str | None
    signal: str
    retirement: int
    vacate: int
    soft_after: int
    hard_after: int
    machine_vacate: int
    job_vacate: int | None


def vacatings(
    snapshot: Snapshot, result: CycleResult, language: LanguageRules = NEWEST
) -> tuple[Vacating, ...]:
    """How the jobs vacate that the matches of a cycle preempt, in the order of the matches.

    ``language``: the rules by which ads are evaluated.
    """
    preempting = [match for match in result.matches if match.kind is not MatchKind.NONE]
    if not preempting:
        return ()
    context = EvalContext(now=result.now, language=language)
    taken = [(slot, match.preempted) for match in preempting for slot in _slots_of(match)]
    slots = slots_named(snapshot.slots, {slot for slot, _ in taken})
    jobs = running(snapshot)
    return tuple(
        vacating(slot, slots[slot], jobs, context, user) for slot, user in taken if slot in slots
    )


def _slots_of(match: Match) -> tuple[str, ...]:
    """The slots that a match takes jobs from: its own, or dynamic ones of a partitionable slot."""
    return match.dynamic_slots or (match.slot,)


#: Jobs by ``GlobalJobId`` and by the slot that they say they run on, with their schedd.
Running = Mapping[str, tuple[str, ClassAd]]


def running(snapshot: Snapshot) -> Running:
    """The jobs of all queues that say where they run."""
    found: dict[str, tuple[str, ClassAd]] = {}
    for queue in snapshot.queues:
        for job in queue.jobs:
            for name in ("RemoteHost", "GlobalJobId"):
                text = job.raw(name)
                if text.__class__ is str:
                    found[text] = (queue.name, job)
    return found


def vacating(
    name: str, slot: ClassAd, jobs: Running, context: EvalContext, user: str | None = None
) -> Vacating:
    """How the job on a slot vacates it."""
    schedd, job = _job_on(name, slot, jobs, context)
    retirement = _retirement(slot, job, context)
    machine = _seconds(slot, "MachineMaxVacateTime", job, context)
    machine = DEFAULT_VACATE_SECONDS if machine is None else max(machine, 0)
    wanted = _wanted(slot, job, context)
    vacate = _vacate(machine, wanted, retirement)
    universe = _universe(slot, job, context)
    soft = max(retirement - vacate, 0)
    return Vacating(
        slot=name,
        user=_user(slot, context) or user,
        job=_job_id(slot, job, context),
        schedd=schedd,
        universe=None if universe is None else universe_name(universe),
        signal=_signal(job, universe, context),
        retirement=retirement,
        vacate=vacate,
        soft_after=soft,
        hard_after=soft + vacate,
        machine_vacate=machine,
        job_vacate=wanted,
    )


def _job_on(
    name: str, slot: ClassAd, jobs: Running, context: EvalContext
) -> tuple[str | None, ClassAd | None]:
    said = slot.get_string("GlobalJobId", context=context)
    return jobs.get(said or "") or jobs.get(name) or (None, None)


def _user(slot: ClassAd, context: EvalContext) -> str | None:
    """Whom the slot is charged to."""
    names = (slot.get_string(key, context=context) for key in ("AccountingGroup", "RemoteUser"))
    return next((name for name in names if name), None)


def _job_id(slot: ClassAd, job: ClassAd | None, context: EvalContext) -> str | None:
    if job is None:
        return slot.get_string("JobId", context=context)
    numbers = (job.get_number(name, context=context) for name in ("ClusterId", "ProcId"))
    return ".".join("?" if number is None else str(whole(number)) for number in numbers)


def _universe(slot: ClassAd, job: ClassAd | None, context: EvalContext) -> int | None:
    for ad in (job, slot):
        number = None if ad is None else ad.get_number("JobUniverse", context=context)
        if number is not None:
            return whole(number)
    return None


def _signal(job: ClassAd | None, universe: int | None, context: EvalContext) -> str:
    """KillSig, a name or a number; what its universe has where there is none."""
    if universe == _VM:
        stored = job is not None and job.get_bool("JobVMCheckpoint", context=context) is True
        return "checkpoint" if stored else "power off"
    if job is not None:
        text = job.get_string("KillSig", context=context)
        if text:
            return text.upper()
        number = job.get_number("KillSig", context=context)
        if number is not None and number > 0:
            return _SIGNALS.get(whole(number), f"signal {whole(number)}")
    return "SIGTSTP" if universe == _STANDARD else "SIGTERM"


def _seconds(ad: ClassAd, name: str, target: ClassAd | None, context: EvalContext) -> int | None:
    number = ad.get_number(name, target, context)
    return None if number is None else whole(number)


def _retirement(slot: ClassAd, job: ClassAd | None, context: EvalContext) -> int:
    """What is left of the retirement: as the startd says, else by the times of both."""
    said = _seconds(slot, "RetirementTimeRemaining", None, context)
    if said is not None:
        return max(said, 0)
    most = _seconds(slot, "MaxJobRetirementTime", job, context) or 0
    if job is not None:
        wanted = _seconds(job, "MaxJobRetirementTime", slot, context)
        most = most if wanted is None else min(most, wanted)
    return max(most - (_seconds(slot, "TotalJobRunTime", None, context) or 0), 0)


def _wanted(slot: ClassAd, job: ClassAd | None, context: EvalContext) -> int | None:
    """The job's JobMaxVacateTime, else its KillSigTimeout; 0 if that is no number."""
    for name in ("JobMaxVacateTime", "KillSigTimeout"):
        if job is not None and job.raw(name) is not None:
            return max(_seconds(job, name, slot, context) or 0, 0)
    return None


def _vacate(machine: int, wanted: int | None, retirement: int) -> int:
    """How long the job may take to stop; more than the machine gives only out of retirement."""
    if wanted is None or wanted <= machine:
        return machine if wanted is None else wanted
    return max(machine, min(wanted, retirement))
