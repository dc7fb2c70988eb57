"""Names the causes for which a slot is no candidate for a request."""

from __future__ import annotations

from typing import ClassVar


class Refusal(str):
    """Why a slot is no candidate for a request: a text, which is counted.

    The causes here are those that other code speaks of; a test may make one of its own.
    """

    __slots__ = ()

    ADDRESS: ClassVar[Refusal]
    OTHER_SCHEDD: ClassVar[Refusal]
    DYNAMIC: ClassVar[Refusal]
    CONSUMPTION: ClassVar[Refusal]
    REQUIREMENTS: ClassVar[Refusal]
    NOT_OCCUPIED: ClassVar[Refusal]
    RANK_NOT_HIGHER: ClassVar[Refusal]
    SAME_USER: ClassVar[Refusal]
    PRIORITY: ClassVar[Refusal]
    PREEMPTION_REQUIREMENTS: ClassVar[Refusal]
    STARTD_RANK: ClassVar[Refusal]
    SUBMITTER_LIMIT: ClassVar[Refusal]
    CONCURRENCY_LIMIT: ClassVar[Refusal]


Refusal.ADDRESS = Refusal("no address protocol in common with the schedd")
Refusal.OTHER_SCHEDD = Refusal("partitionable slot claimed by another schedd")
Refusal.DYNAMIC = Refusal("dynamic slot, matched through its partitionable slot")
Refusal.CONSUMPTION = Refusal("too little of a resource for its consumption policy")
Refusal.REQUIREMENTS = Refusal("requirements")
Refusal.NOT_OCCUPIED = Refusal("unclaimed, and only startd RANK preemption is allowed now")
Refusal.RANK_NOT_HIGHER = Refusal("startd RANK is not higher for this job")
Refusal.SAME_USER = Refusal("claimed by the same user")
Refusal.PRIORITY = Refusal("claimed by a user of better or equal priority")
Refusal.PREEMPTION_REQUIREMENTS = Refusal("PREEMPTION_REQUIREMENTS is not true")
Refusal.STARTD_RANK = Refusal("startd RANK is lower for this job")
Refusal.SUBMITTER_LIMIT = Refusal("submitter limit")
Refusal.CONCURRENCY_LIMIT = Refusal("concurrency limit")
