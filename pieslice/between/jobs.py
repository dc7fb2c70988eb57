"""Says what claims have to know of jobs, and what they tell whoever keeps these.

Decides nothing; a queue that was captured and the workload of a simulation answer in their own way.

Inputs, outputs: numbers of jobs, slots, claims.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from classad import ClassAd
from negotiator.jobs.endings import JobAction
from negotiator.model.result import Match
from pieslice.between.pool import SimSlot
from pieslice.between.state import Claim, How
from policy.claims import ClaimSettings


class JobKeeper(ABC):
    """Who keeps the jobs that claims run."""

    # --- what is known of jobs ----------------------------------------------------------------

    @abstractmethod
    def job_ad(self, number: int) -> ClassAd:
        """The ad of a job."""

    @abstractmethod
    def heads(self, user: str, schedd: str) -> Iterable[int]:
        """The first waiting job of each kind of a submitter, in the order of its list."""

    @abstractmethod
    def run_time(self, number: int, slot: SimSlot) -> int | None:
        """The seconds that a job runs that starts now, None for longer than anybody looks."""

    @abstractmethod
    def beyond(self, schedd: str) -> int:
        """How many jobs more than MAX_JOBS_RUNNING a schedd runs; below 0 if it may run more."""

    @abstractmethod
    def take(self, number: int) -> None:
        """Take a job from those that wait."""

    @abstractmethod
    def requeue(self, number: int) -> None:
        """Put a job among those that wait, at its place."""

    def allows(self, job: ClassAd, slot: ClassAd) -> bool:
        """Whether the schedd starts such a job on such a slot: START_VANILLA_UNIVERSE."""
        return True

    @abstractmethod
    def asks_itself(self, number: int) -> bool:
        """Whether expressions of a job or of its schedd may end it before its time."""

    @abstractmethod
    def look_at_queue(self, schedd: str) -> None:
        """Let a schedd ask the expressions of jobs that do not run."""

    def polling(self, settings: ClaimSettings) -> int:
        """After how many seconds a startd asks PREEMPT again."""
        return settings.polling

    @abstractmethod
    def number_in_match(self, match: Match) -> int:
        """The job that a match names."""

    # --- what is told ------------------------------------------------------------------------

    @abstractmethod
    def started(self, slot: SimSlot, claim: Claim, how: How) -> None:
        """The job of the claim has started."""

    @abstractmethod
    def awaited(self, slot: SimSlot, claim: Claim, *, by_rank: bool) -> None:
        """The slot of the claim was given to another job, which waits for it."""

    @abstractmethod
    def ended(self, slot: SimSlot, claim: Claim) -> None:
        """The job of the claim is done."""

    @abstractmethod
    def stopped(self, slot: SimSlot, claim: Claim, kind: str, why: str) -> None:
        """The job of the claim ended before it was done; it is to wait again."""

    @abstractmethod
    def decided(self, number: int, fate: JobAction) -> None:
        """A job that waits or is on hold is held, released or removed."""
