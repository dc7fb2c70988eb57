"""Holds what rules look at: a pool before a cycle, what that cycle does by it, and how it went.

Jobs are told apart by ``SCHEDD#CLUSTER.PROC``.  Times are seconds since the epoch.

Outputs: frozen values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import Factory, frozen

from negotiator.model.snapshot import whole_slot

#: What stands for the whole pool where others have the name of a user, a group, ...
POOL: Final = "pool"


@frozen
class WaitingJob:
    """A job that waits on, as nothing starts it by the cycle; ``why``: the sentence of `why`.

    ``able``: only a quota, a limit or a rule of preemption is against it.
    """

    job: str
    submitter: str
    group: str
    why: str
    able: bool

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return self.job.rpartition("#")[2]

    @property
    def schedd(self) -> str:
        """The name of its schedd."""
        return self.job.rpartition("#")[0]

    @property
    def text(self) -> str:
        """What `pieslice why` says of it first."""
        return f"job {self.id} of {self.submitter}: {self.why}"


@frozen
class SeenUser:
    """How many jobs of a submitter run before the cycle, and how many start at once by it."""

    running: int
    matched: int


@frozen
class SeenGroup:
    """A group in slot weights: its quota, and what it uses of it with the matches of the cycle."""

    quota: float
    used: float


@frozen
class SeenLimit:
    """A concurrency limit: what is used of it before the cycle; ``refused``: jobs, for its sake."""

    in_use: float
    maximum: float
    refused: tuple[WaitingJob, ...] = ()


@frozen
class Unused:
    """Cores that nobody has after the cycle, though waiting jobs match their slots.

    ``jobs``: how many; ``first``: one of them.
    """

    cores: float
    jobs: int
    first: WaitingJob


@frozen
class Running:
    """Where a job ran, and whose it was."""

    slot: str
    submitter: str
    group: str

    @property
    def is_lasting(self) -> bool:
        """Whether another job on a slot of this name has the same slot: it is no dynamic one."""
        return whole_slot(self.slot) == self.slot


@frozen(eq=False)
class Sighting:
    """A cycle.  ``time``: when it began by the negotiator's clock; ``seconds``: how long it took.

    ``unused``: by group, and of all together for ``POOL``.  ``taken``: in words, by slot that the
    cycle takes from somebody.  ``holders``: by slot that is claimed, the job on it, or its user if
    the ad does not name the job.  ``silent``: by daemon that did not answer, what was lacking;
    ``schedds``: those that have an ad, None where that is not known.  ``exact``: whether the
    prediction came true, None where a prediction could not be demanded to.
    """

    time: float
    waiting: tuple[WaitingJob, ...] = ()
    users: Mapping[str, SeenUser] = Factory(dict)
    groups: Mapping[str, SeenGroup] = Factory(dict)
    limits: Mapping[str, SeenLimit] = Factory(dict)
    unused: Mapping[str, Unused] = Factory(dict)
    least_weight: float = 0.0
    running: Mapping[str, Running] = Factory(dict)
    holders: Mapping[str, str] = Factory(dict)
    taken: Mapping[str, str] = Factory(dict)
    #: All jobs that are in a queue and idle.
    idle: frozenset[str] = frozenset()
    schedds: frozenset[str] | None = None
    silent: Mapping[str, str] = Factory(dict)
    seconds: float | None = None
    exact: bool | None = None

    @property
    def able(self) -> tuple[WaitingJob, ...]:
        """The jobs that only a quota, a limit or a rule of preemption is against."""
        return tuple(job for job in self.waiting if job.able)
