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


Refusal.ADDRESS = Refusal("no kind of address in common with the schedd")
Refusal.OTHER_SCHEDD = Refusal("a claimed partitionable slot of another schedd")
Refusal.DYNAMIC = Refusal("a dynamic slot that its partitionable slot speaks for")
Refusal.CONSUMPTION = Refusal("its consumption policy finds too little of a resource")
Refusal.REQUIREMENTS = Refusal("requirements")
Refusal.NOT_OCCUPIED = Refusal("unclaimed, but only startd rank counts now")
Refusal.RANK_NOT_HIGHER = Refusal("the startd does not rank the request higher")
Refusal.SAME_USER = Refusal("held by the same user")
Refusal.PRIORITY = Refusal("held by a user of better or equal priority")
Refusal.PREEMPTION_REQUIREMENTS = Refusal("PREEMPTION_REQUIREMENTS is not true")
Refusal.STARTD_RANK = Refusal("the startd ranks the request lower")
Refusal.SUBMITTER_LIMIT = Refusal("submitter limit")
Refusal.CONCURRENCY_LIMIT = Refusal("concurrency limit")
