"""Keeps what is known of the claims of a pool at a moment.

Plain numbers and names, so that a simulation can write them down.

Inputs, outputs: ``Claim`` and ``ClaimState``, changed in place.
"""

from __future__ import annotations

from enum import Enum

from attr import Factory, define


class How(Enum):
    """By what a job got its slot."""

    MATCH = "match"
    #: The match was for a job that had a slot already; the schedd chose this one.
    REMATCH = "rematch"
    LEFTOVER = "leftover"
    REUSE = "reuse"


@define
class Claim:
    """A slot that is claimed: by whom, since when, the job and since when, who comes next.

    Jobs are numbers, -1 for one that nobody knows, or for none: ``idle_until`` is when the schedd
    gives up a claim that it keeps for a next job (KeepClaimIdle), -1 while a job runs.  ``token``
    tells events of this job from those of earlier jobs on the slot.  ``evicted_at``: when its
    retirement is over, -1 if nobody waits for the slot.  ``rank`` and ``limits``: the startd's rank
    of the job that the claim was made for, and its concurrency limits.
    """

    user: str
    begun: int
    job: int
    job_begun: int
    token: int
    next_user: str = ""
    next_job: int = -1
    evicted_at: int = -1
    rank: float = 0.0
    limits: str = ""
    schedd: str = ""
    next_schedd: str = ""
    idle_until: int = -1
    #: The job of several slots that it is kept for, or runs a part of.
    gang: int = -1


@define(eq=False)
class ClaimState:
    """What changes of the claims.  ``events``: a heap of (time, order, kind, slot, token)."""

    now: int = 0
    tokens: int = 0
    order: int = 0
    claims: dict[str, Claim] = Factory(dict)
    events: list[tuple[int, int, str, str, int]] = Factory(list)
