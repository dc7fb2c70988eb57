"""Names the causes for which a slot is no candidate for a request."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """Why a slot is no candidate for a request."""

    # They are counted for every slot and request; the usual hash of a member is Python code.
    __hash__ = object.__hash__

    ADDRESS = "no address protocol in common with the schedd"
    CONSUMPTION = "too little of a resource for its consumption policy"
    REQUIREMENTS = "requirements"
    DYNAMIC = "dynamic slot, matched through its partitionable slot"
    OTHER_SCHEDD = "partitionable slot claimed by another schedd"
    NOT_OCCUPIED = "unclaimed, and only startd RANK preemption is allowed now"
    RANK_NOT_HIGHER = "startd RANK is not higher for this job"
    SAME_USER = "claimed by the same user"
    PRIORITY = "claimed by a user of better or equal priority"
    PREEMPTION_REQUIREMENTS = "PREEMPTION_REQUIREMENTS is not true"
    STARTD_RANK = "startd RANK is lower for this job"
    SUBMITTER_LIMIT = "submitter limit"
    CONCURRENCY_LIMIT = "concurrency limit"
