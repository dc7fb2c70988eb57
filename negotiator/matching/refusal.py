"""Names the causes for which a slot is no candidate for a request."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """Why a slot is no candidate for a request."""

    # They are counted for every slot and request; the usual hash of a member is Python code.
    __hash__ = object.__hash__

    ADDRESS = "no kind of address in common with the schedd"
    CONSUMPTION = "its consumption policy finds too little of a resource"
    REQUIREMENTS = "requirements"
    DYNAMIC = "a dynamic slot that its partitionable slot speaks for"
    OTHER_SCHEDD = "a claimed partitionable slot of another schedd"
    NOT_OCCUPIED = "unclaimed, but only startd rank counts now"
    RANK_NOT_HIGHER = "the startd does not rank the request higher"
    SAME_USER = "held by the same user"
    PRIORITY = "held by a user of better or equal priority"
    PREEMPTION_REQUIREMENTS = "PREEMPTION_REQUIREMENTS is not true"
    STARTD_RANK = "the startd ranks the request lower"
    SUBMITTER_LIMIT = "submitter limit"
    CONCURRENCY_LIMIT = "concurrency limit"
