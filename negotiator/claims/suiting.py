"""Decides whether a schedd starts a job on a slot that it has: matched, left over, or used again.

A schedd that has a slot looks through the list of the submitter it has the slot for, and takes the
first job that suits: the two match, the concurrency limits of the job are those that the slot was
granted with, and the startd does not rank the job lower than what the slot was granted for.

Inputs: the ads of a job and of a slot, as they were when the slot was granted; what it was granted
with.  Outputs: the first test that refuses the job, None if it suits.  Follows: the schedd's search
for a job of a match, of leftovers and of a claim whose job has ended, as seen in the vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.pool.slots import meets
from negotiator.versions.schedd import LIMITS_OF_JOB
from policy.versions import NEWEST, Version

#: Whether the requirements of one ad are true of another.
Meets: TypeAlias = Callable[[ClassAd, ClassAd, EvalContext], bool]


class Unsuited(Enum):
    """Why a schedd does not start a job on a slot that it has."""

    SCHEDD = "START_VANILLA_UNIVERSE of its schedd refuses it there"
    SLOT = "the requirements of the slot refuse it"
    JOB = "its requirements refuse the slot"
    LIMITS = "its concurrency limits are not those that the slot was granted with"
    RANK = "the startd ranks it lower than the job that the slot was granted for"

    @property
    def of_autocluster(self) -> bool:
        """Whether the schedd takes it that the slot suits no job of the same autocluster."""
        return self in (Unsuited.SCHEDD, Unsuited.SLOT, Unsuited.JOB)


@frozen
class Granted:
    """What a schedd was granted a slot with.

    ``limits``: the concurrency limits that were counted for it, in lower case, none for leftovers;
    None where the schedd does not ask (CLAIM_RECYCLING_CONSIDER_LIMITS).  ``rank``: the startd's
    rank of what it was granted for; None if nobody knows.  ``allows``: START_VANILLA_UNIVERSE of a
    job and a slot.  ``version``: of the schedd.
    """

    limits: str | None = ""
    rank: float | None = None
    allows: Callable[[ClassAd, ClassAd], bool] | None = None
    version: Version = NEWEST


def unsuited(
    job: ClassAd, slot: ClassAd, granted: Granted, context: EvalContext, accepts: Meets = meets
) -> Unsuited | None:
    """The first test that refuses a job; ``accepts``: how the job's requirements are tested."""
    if granted.allows is not None and not granted.allows(job, slot):
        return Unsuited.SCHEDD
    if not meets(slot, job, context):
        return Unsuited.SLOT
    if not accepts(job, slot, context):
        return Unsuited.JOB
    if granted.limits is not None:
        limits = LIMITS_OF_JOB.of(granted.version)(job, slot, context)
        if limits.lower() != granted.limits:
            return Unsuited.LIMITS
    if granted.rank is not None:
        rank = slot.get_number("Rank", job, context)
        if rank is not None and rank < granted.rank:
            return Unsuited.RANK
    return None
