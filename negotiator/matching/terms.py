"""States the terms of one session with a schedd, and how it ended."""

from __future__ import annotations

import math
from typing import NamedTuple

from negotiator.model.result import Event, Outcome
from negotiator.pool.addresses import ANY


class SessionTerms(NamedTuple):
    """What a session is held under: limits in slot weights, the group negotiating, if any."""

    submitter: str
    schedd: str
    priority: float
    group: str | None
    limit: float
    limit_unclaimed: float
    ceiling_left: int
    ignore_limit: bool
    #: The lowest and highest ``JobPrio`` of the jobs that take part; None for all.
    job_prios: tuple[int, int] | None = None
    #: The kinds of address the schedd has.
    families: frozenset[int] = ANY
    #: When the session ends at the latest, in seconds since the cycle began.
    deadline: float = math.inf


class SessionEnd(NamedTuple):
    """How a session ended and what its matches cost."""

    outcome: Outcome
    used: float
    events: tuple[Event, ...]
