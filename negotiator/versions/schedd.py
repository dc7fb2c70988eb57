"""Lists the rules of the schedd that changed: which jobs it offers, and which it gives a slot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.versions.rule import DecidingDaemon, VersionRule
from policy.versions import Version

#: The most that a session may offer, by MAX_CONCURRENT_UPLOADS_PER_USER; None: any number.
MATCHES_PER_SUBMITTER: Final[VersionRule[Callable[[int], int | None]]] = VersionRule(
    "9",
    "matches per submitter that a schedd asks for",
    "A session may be given as many matches as there are jobs: a submitter can fill the pool in "
    "one cycle.",
    "MAX_CONCURRENT_UPLOADS_PER_USER, 20 by default, bounds what a schedd asks for in a session.",
    Version(25, 11, 0),
    DecidingDaemon.SCHEDD,
    lambda uploads: None,
    lambda uploads: uploads or None,
    "schedd-upload-curb",
)


class RoomOfList(NamedTuple):
    """How MAX_JOBS_RUNNING bounds a list of requests.

    ``begins``: what the session may offer from here on, of what it still might and the room of
    this moment; ``asked_again``: a list that the room has cut short is not the last one.
    """

    begins: Callable[[int | None, int | None], int | None]
    asked_again: bool


def least(rest: int | None, room: int | None) -> int | None:
    """The smaller of two numbers of which None bounds nothing."""
    if rest is None or room is None:
        return room if rest is None else rest
    return min(rest, room)


ROOM_OF_LIST: Final = VersionRule(
    "10",
    "room near MAX_JOBS_RUNNING",
    "Each list of requests begins with the room of that moment: jobs that were offered in vain do "
    "not use it up.",
    "What a session may offer only shrinks from list to list.",
    Version(25, 11, 0),
    DecidingDaemon.SCHEDD,
    RoomOfList(lambda rest, room: room, True),
    RoomOfList(least, False),
    "wild-20029",
)
EACH_LOOK_TAKES_A_JOB: Final = VersionRule(
    "13a",
    "jobs that a schedd offers again",
    "Each time that the schedd looks for the job to go on with it takes the job off its list: none "
    "is offered twice in a session.",
    "The schedd looks for the first job that still waits, also one whose match came to nothing.",
    Version(24, 9, 2),
    DecidingDaemon.SCHEDD,
    True,
    False,
    "random-2",
)


#: Whether a request sent by itself is for the rest of its run, by whether jobs are still grouped.
ONE_AT_A_TIME: Final[VersionRule[Callable[[bool], bool]]] = VersionRule(
    "13b",
    "one request at a time",
    "Every request stands for its job and all behind it in the run of its autocluster.",
    "The second request does; all others are for one job.",
    Version(24, 9, 2),
    DecidingDaemon.SCHEDD,
    lambda grouped: True,
    lambda grouped: grouped,
    "max-jobs-running-of-the-schedd",
)


def matched_limits(job: ClassAd, slot: ClassAd, context: EvalContext) -> str:
    """The concurrency limits that a match of a job (or request) with a slot is counted for.

    For a job without the attribute those of the slot are: HTCondor looks the name up in either
    ad, so preempting a claim with limits counts them once more.
    """
    mine, other = (job, slot) if job.raw("ConcurrencyLimits") is not None else (slot, job)
    if mine.raw("ConcurrencyLimits") is None:
        return ""
    return mine.get_string("ConcurrencyLimits", other, context) or ""


LIMITS_OF_JOB: Final[VersionRule[Callable[[ClassAd, ClassAd, EvalContext], str]]] = VersionRule(
    "13c",
    "concurrency limits of the job that takes a further match of a request",
    "The value of ConcurrencyLimits in the job ad alone: with limits that are expressions over the "
    "slot all but the first match of a request come to nothing.",
    "The value in the match, from the ad of the job or of the slot.",
    Version(24, 9, 2),
    DecidingDaemon.SCHEDD,
    lambda job, slot, context: job.get_string("ConcurrencyLimits", context=context) or "",
    matched_limits,
    "limits-expression",
)

USER_RECORD_LIMIT: Final = VersionRule(
    "11",
    "a user's own limit of running jobs",
    "The schedd does not look at the limit of a user record when it asks.",
    "Requests are cut to what is left of the limit.",
    Version(25, 4, 0),
    DecidingDaemon.SCHEDD,
    None,
    None,
    recorded=False,
    applied=False,
)
STARTUP_LIMITS: Final = VersionRule(
    "14",
    "startup limits, requests without jobs",
    "A schedd has neither.",
    "Requests may be cut by startup limits, and a schedd may ask for slots without jobs, both at "
    "an administrator's command.",
    Version(25, 6, 1),
    DecidingDaemon.SCHEDD,
    None,
    None,
    recorded=False,
    applied=False,
)
