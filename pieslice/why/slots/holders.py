"""Finds why a running job loses its slot: which of the four causes.

Decides the cause from what the cycle does and what the slot ad says.  The four are: a user with a
better claim under PREEMPTION_REQUIREMENTS, a job that the machine ranks higher, the startd's own
policy, and an administrator or daemon ending the claim.

Inputs: the snapshot, a running job.  Outputs: ``Holding``.  Follows: HTCondor's manual on
preemption; ``State`` and ``Activity`` as the startd advertises them.
"""

from __future__ import annotations

from enum import Enum

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.matching.board import Offer
from negotiator.model.result import CycleResult, Match, MatchKind
from negotiator.model.snapshot import Snapshot
from pieslice.reports.vacating import Vacating, running, vacating
from pieslice.why.jobs import AskedJob
from pieslice.why.requests.moments import look_at_match
from pieslice.why.slots.case import PreemptionTest, preemption_tests
from policy.model import NegotiatorPolicy


class Cause(Enum):
    """Why a job loses its slot."""

    PRIORITY = "user priority, under PREEMPTION_REQUIREMENTS"
    RANK = "the startd's RANK prefers the other job"
    STARTD = "the startd's own policy, or an administrator"
    DRAINED = "the machine is draining"


@frozen(eq=False)
class Holding:
    """A running job and its slot.  ``cause``: None if nothing takes the slot from it.

    ``match``: the one of this cycle that preempts it; ``tests``: what PREEMPTION_REQUIREMENTS and
    the startd's rank said then.
    """

    slot: str | None
    state: str | None
    activity: str | None
    cause: Cause | None
    match: Match | None
    tests: tuple[PreemptionTest, ...]
    taker: str | None
    #: How the job leaves; None if nothing takes the slot from it.
    vacating: Vacating | None


def holding(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    job: AskedJob,
    result: CycleResult,
    *,
    now: float,
    seed: int,
) -> Holding:
    """What becomes of the slot of a running job."""
    context = EvalContext(now=now, language=policy.language)
    ad = slot_of(snapshot, job, context)
    if ad is None:
        return Holding(None, None, None, None, None, (), None, None)
    name = ad.get_string("Name", context=context) or ""
    preempting = (m for m in result.matches if m.kind is not MatchKind.NONE)
    match = next((m for m in preempting if name in (m.slot, *m.dynamic_slots)), None)
    tests: tuple[PreemptionTest, ...] = ()
    if match is not None:
        tests = look_at_match(
            snapshot, policy, match.slot, lambda halted: _tests(halted, name), now=now, seed=seed
        )
    cause = _cause(ad, match, context)
    leaving = None
    if cause is not None:
        leaving = vacating(name, ad, running(snapshot), context)
    return Holding(
        name,
        ad.get_string("State", context=context),
        ad.get_string("Activity", context=context),
        cause,
        match,
        tests,
        _taker(ad, match, context),
        leaving,
    )


def slot_of(snapshot: Snapshot, job: AskedJob, context: EvalContext) -> ClassAd | None:
    """The slot that a job runs on, by what the slots say, else by what the job says."""
    host = job.ad.get_string("RemoteHost", context=context)
    by_name: ClassAd | None = None
    ad: ClassAd
    global_id = job.ad.get_string("GlobalJobId", context=context)
    for ad in snapshot.slots:
        said = ad.get_string("GlobalJobId", context=context)
        if said is not None and said == global_id:
            return ad
        if said is None and ad.get_string("JobId", context=context) == job.id:
            return ad
        if host is not None and ad.get_string("Name", context=context) == host:
            by_name = ad
    return by_name


def _tests(halted: Offer, name: str) -> tuple[PreemptionTest, ...]:
    return preemption_tests(halted, halted.board.by_name[name])


def _cause(ad: ClassAd, match: Match | None, context: EvalContext) -> Cause | None:
    if match is not None:
        return Cause.RANK if match.kind is MatchKind.RANK else Cause.PRIORITY
    leaving = ad.get_string("State", context=context) == "Preempting"
    if not leaving and ad.get_string("Activity", context=context) != "Retiring":
        return None
    if ad.get_bool("Draining", context=context) is True:
        return Cause.DRAINED
    if _named(ad, context) is None:
        return Cause.STARTD
    new = ad.get_number("PreemptingRank", context=context)
    old = ad.get_number("CurrentRank", context=context)
    return Cause.RANK if new is not None and old is not None and new > old else Cause.PRIORITY


def _taker(ad: ClassAd, match: Match | None, context: EvalContext) -> str | None:
    return _named(ad, context) if match is None else match.submitter


def _named(ad: ClassAd, context: EvalContext) -> str | None:
    """Who waits for the slot, by its ad."""
    names = (
        ad.get_string(f"Preempting{kind}", context=context) for kind in ("AccountingGroup", "User")
    )
    return next((name for name in names if name), None)
