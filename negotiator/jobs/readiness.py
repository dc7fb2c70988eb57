"""Tells whether a schedd asks for a job at all, and why not.

Follows the schedd's rules for runnable jobs as seen in the vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from classad import ClassAd
from classad.ads.ad import as_bool, as_number
from classad.evaluate import EvalContext
from classad.evaluation.context import NO_CONTEXT
from negotiator.model.arithmetic import whole
from policy.universes import UNIVERSES, universe_name

#: What ``JobStatus`` says.
IDLE: Final = 1
RUNNING: Final = 2
REMOVED: Final = 3
HELD: Final = 5
#: Universes whose jobs a schedd runs on its own machine.
SCHEDULER_UNIVERSE: Final = UNIVERSES["scheduler"]
LOCAL_UNIVERSE: Final = UNIVERSES["local"]
#: Universes whose jobs a schedd asks slots for; those of others run without a slot of the pool.
_SERVED_UNIVERSES: Final = frozenset({1, 2, 3, 4, 5, 6, 10, 13})
#: What ``Managed`` says of a job that something else manages than its schedd.
_EXTERNAL: Final = "External"
#: What decides whether a job is offered.
READINESS: Final = (
    *("jobstatus", "jobuniverse", "managed", "isnoopjob", "jobcooldownexpiration"),
    *("currenthosts", "maxhosts"),
)


class Unready(Enum):
    """Why a schedd does not ask for a job at all."""

    STATUS = "not idle"
    UNIVERSE = "jobs of its JobUniverse run without a slot of the pool"
    OWN_MACHINE = "its schedd runs it on its own machine, without a slot of the pool"
    GRID = "a grid universe job, which runs without a slot of the pool"
    PARALLEL = "a parallel universe job, for which the dedicated scheduler asks"
    EXTERNAL = "Managed is External: something else than its schedd manages it"
    NOOP = "IsNoopJob is true"
    COOL_DOWN = "in cool-down: JobCooldownExpiration has not passed"
    HOSTS = "CurrentHosts has come to MaxHosts"
    MATCHED = "its schedd has a match for it already"


def unready(job: ClassAd, context: EvalContext) -> Unready | None:
    """Why the schedd does not offer a job; None if it does."""
    return unready_by(job.evaluate_all(READINESS, context), context)


def runnable(job: ClassAd, context: EvalContext) -> bool:
    """Whether the schedd offers a job at all."""
    return unready(job, context) is None


def unready_by(values: list[object] | tuple[object, ...], context: EvalContext) -> Unready | None:
    status, universe, managed, noop, cool, current, most = values
    if as_number(status) != IDLE:
        return Unready.STATUS
    why = unserved_by(universe, managed)
    if why is not None:
        return why
    if as_bool(noop) is True:
        return Unready.NOOP
    return _held_back(cool, current, most, context)


def _held_back(cool: object, current: object, most: object, context: EvalContext) -> Unready | None:
    end = as_number(cool)
    if end is not None and end >= (context.now or 0):
        return Unready.COOL_DOWN
    allowed = as_number(most)
    has_room = (as_number(current) or 0) < (1 if allowed is None else allowed)
    return None if has_room else Unready.HOSTS


def held_back(job: ClassAd, context: EvalContext) -> Unready | None:
    """Why the schedd does not start an idle job on its own machine, before it tests anything."""
    names = ("jobcooldownexpiration", "currenthosts", "maxhosts")
    cool, current, most = job.evaluate_all(names, context)
    return _held_back(cool, current, most, context)


def served(job: ClassAd, context: EvalContext) -> bool:
    """Whether the schedd counts a job for its submitter: it is to get slots, now or later."""
    return unserved(job, context) is None


def unserved_by(universe: object, managed: object) -> Unready | None:
    """Why the schedd never asks slots for a job; a job without universe is served.

    Letters of ``External`` are told apart by case; a number or Boolean manages unless it is 0.
    """
    number = as_number(universe)
    kind = None if number is None else whole(number)
    if kind is not None and kind not in _SERVED_UNIVERSES:
        return _UNSERVED.get(kind, Unready.UNIVERSE)
    external = managed == _EXTERNAL or as_bool(managed) is True
    return Unready.EXTERNAL if external else None


def unserved(job: ClassAd, context: EvalContext) -> Unready | None:
    """Why the schedd asks no slots for a job, whatever its status; None if it does."""
    universe, managed = job.evaluate_all(("jobuniverse", "managed"), context)
    return unserved_by(universe, managed)


def universe_of(job: ClassAd, context: EvalContext) -> int | None:
    """The ``JobUniverse`` of a job."""
    number = job.get_number("JobUniverse", context=context)
    return None if number is None else whole(number)


def not_requested(job: ClassAd, context: EvalContext) -> str | None:
    """What kind of job it is if its schedd asks the negotiator for no slot for it; None if it does.

    The name of its universe, or that something else manages it.
    """
    return _kind_of(*job.evaluate_all(("jobuniverse", "managed"), context))


def _kind_of(universe: object, managed: object) -> str | None:
    why = unserved_by(universe, managed)
    if why is None or why is Unready.EXTERNAL:
        return None if why is None else "managed elsewhere"
    return f"{universe_name(whole(as_number(universe) or 0))} universe"


def count_idle(jobs: Iterable[ClassAd]) -> tuple[int, Mapping[str, int]]:
    """How many jobs are idle, and of each kind that is not requested how many, most first."""
    kinds: Counter[str | None] = Counter()
    for job in jobs:
        status, *what = job.evaluate_all(("jobstatus", "jobuniverse", "managed"), NO_CONTEXT)
        if as_number(status) == IDLE:
            kinds[_kind_of(*what)] += 1
    return kinds.total(), {kind: count for kind, count in kinds.most_common() if kind}


def takes_room(job: ClassAd, context: EvalContext) -> bool:
    """Whether a job that runs counts for MAX_JOBS_RUNNING of its schedd: it runs in slots."""
    return unserved(job, context) in (None, Unready.PARALLEL)


#: Why a schedd asks no slots for jobs of a universe.
_UNSERVED: Final[Mapping[int, Unready]] = {
    SCHEDULER_UNIVERSE: Unready.OWN_MACHINE,
    LOCAL_UNIVERSE: Unready.OWN_MACHINE,
    UNIVERSES["grid"]: Unready.GRID,
    UNIVERSES["parallel"]: Unready.PARALLEL,
}
