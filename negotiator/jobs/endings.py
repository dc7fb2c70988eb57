"""Decides which jobs are held, removed, released or sent back to their queue by expressions.

A shadow asks those of a job that runs, and again when it exits; its schedd those of jobs that wait
or are on hold.  The job's own come before those of the schedd's configuration.

Inputs: the ad of a job as it is at that moment; the schedd's expressions.  Outputs: a
``PolicyAction`` with the name of what asked for it, None if the job stays as it is.

Follows: PeriodicHold, PeriodicRelease, PeriodicRemove, PeriodicVacate, OnExitHold, OnExitRemove,
AllowedJobDuration, AllowedExecuteDuration and SYSTEM_PERIODIC_* of 25.14.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.language.operators import truth
from negotiator.jobs.readiness import HELD, IDLE, RUNNING


class JobAction(Enum):
    """What becomes of a job."""

    HOLD = "hold"
    RELEASE = "release"
    REMOVE = "remove"
    #: It stops, and waits again.
    VACATE = "vacate"


@frozen
class PolicyAction:
    """What becomes of a job, and the attribute or macro that asked for it."""

    fate: JobAction
    by: str


#: What a schedd's configuration says, by the verb: macros and conditions.
SystemPolicy: TypeAlias = Mapping[str, Sequence[tuple[str, Expression]]]
#: In the order in which they are asked, and of jobs in which status.
_PERIODIC: Final = (
    (JobAction.HOLD, "PeriodicHold", (IDLE, RUNNING)),
    (JobAction.RELEASE, "PeriodicRelease", (HELD,)),
    (JobAction.REMOVE, "PeriodicRemove", (IDLE, RUNNING, HELD)),
    (JobAction.VACATE, "PeriodicVacate", (RUNNING,)),
)
#: The seconds that a job may run, and since when it does.
_DURATIONS: Final = (
    ("AllowedJobDuration", "JobCurrentStartDate"),
    ("AllowedExecuteDuration", "JobCurrentStartExecutingDate"),
)
_AT_EXIT: Final = ("OnExitHold", "OnExitRemove")
#: The attributes of a job that hold, remove or requeue it.
ENDING_ATTRIBUTES: Final = (
    *(name for _, name, _ in _PERIODIC),
    *(name for name, _ in _DURATIONS),
    *_AT_EXIT,
)


def decides_itself(job: ClassAd) -> bool:
    """Whether a job has expressions that may hold, release, remove or requeue it."""
    values = map(job.raw, ENDING_ATTRIBUTES)
    return any(value is not None and value.__class__ is not bool for value in values) or (
        job.raw("OnExitHold") is True
        or job.raw("OnExitRemove") is False
        or any(job.raw(name) is True for _, name, _ in _PERIODIC)
    )


def periodic_ending(
    job: ClassAd, system: SystemPolicy, context: EvalContext
) -> PolicyAction | None:
    """What becomes of a job that waits, runs or is on hold."""
    status = job.get_number("JobStatus", context=context)
    if status == RUNNING:
        for name, since in _DURATIONS:
            allowed = job.get_number(name, context=context)
            begun = job.get_number(since, context=context)
            if allowed is not None and begun is not None and (context.now or 0) - begun >= allowed:
                return PolicyAction(JobAction.HOLD, name)
    for fate, name, statuses in _PERIODIC:
        if status not in statuses:
            continue
        if job.get_bool(name, context=context) is True:
            return PolicyAction(fate, name)
        for macro, condition in system.get(fate.value, ()):
            if truth(evaluate(condition, job, context=context)) is True:
                return PolicyAction(fate, macro)
    return None


def ending_at_exit(job: ClassAd, system: SystemPolicy, context: EvalContext) -> PolicyAction | None:
    """What becomes of a job that has exited and does not leave its queue; None if it does."""
    found = periodic_ending(job, system, context)
    if found is not None:
        return found
    hold, remove = (job.get_bool(name, context=context) for name in _AT_EXIT)
    if hold is True:
        return PolicyAction(JobAction.HOLD, _AT_EXIT[0])
    return PolicyAction(JobAction.VACATE, _AT_EXIT[1]) if remove is False else None
