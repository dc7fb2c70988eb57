"""Runs the cycles of a scenario, one after another.

Claims are those that the recorded cycle before led to, so that one difference does not become many.

Inputs: a case: the ``scenario`` and what was ``observed``.  Outputs: a ``Played`` per cycle, in
order.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attr import evolve, frozen

from classad import ClassAd
from negotiator.accounting.records import recounted
from negotiator.capture.slots import CollectorTable
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.groups.quotas import QuotaStep
from negotiator.groups.tree import group_tree
from negotiator.matching.board import Event, Offer
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.scenario.expand import (
    JobEntry,
    Scenario,
    SlotEntry,
    expand_jobs,
    expand_slots,
    merge,
    quoted,
)
from negotiator.scenario.read import (
    BASE_KNOBS,
    NOW,
    AdMaker,
    accountant_of,
    one_process,
    remembering,
    seconds_since,
    snapshot_of,
    version_of,
    warmed,
)
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from policy.versions import NEWEST, Version


@frozen(eq=False)
class RecordedOffer:
    """A request that a slot was looked for, and the limits it was under (slot weights)."""

    pie: int
    spin: int
    submitter: str
    schedd: str
    job: str
    autocluster: int
    limit: float
    used: float
    #: The ephemeral Submitter* attributes, by folded name.
    attributes: Mapping[str, object]


@frozen(eq=False)
class Played:
    """A cycle of ours, with what it was given, and the recorded one."""

    snapshot: Snapshot
    policy: NegotiatorPolicy
    result: CycleResult
    offers: tuple[RecordedOffer, ...]
    quota_steps: tuple[QuotaStep, ...]
    seen: Scenario


def _recorded(offer: Offer) -> RecordedOffer:
    board, terms, request = offer.board, offer.terms, offer.request
    return RecordedOffer(
        len(board.pies),
        board.spin,
        terms.submitter,
        terms.schedd.partition("@")[0],
        request.job,
        request.autocluster,
        terms.limit,
        offer.allowance.used,
        _ephemeral(request.ad),
    )


def _ephemeral(ad: ClassAd) -> dict[str, object]:
    names = (name.lower() for name in ad if name.lower().startswith(("submitter", "submittor")))
    return {name: ad.raw(name) for name in names}


def policy_of(scenario: Scenario, version: Version = NEWEST) -> NegotiatorPolicy:
    """The policy of a scenario: its knobs over those of all recordings."""
    knobs = {**BASE_KNOBS, **scenario.get("config", {})}
    return policy_from_knobs(knobs, version=version).policy


def play(case: Scenario, engine: str = ENGINES[0]) -> Iterator[Played]:
    """Run the cycles of a recorded case with one of the engines."""
    scenario, cycles = case["scenario"], case["observed"]["cycles"]
    policy, make = policy_of(scenario, version_of(case)), AdMaker()
    slots, jobs = _entries(scenario)
    accountant = accountant_of(scenario, slots, make, policy)
    steps = scenario.get("cycles", [{}])
    senders, stock = CollectorTable(), CollectorTable()
    tree, lives_on = group_tree(policy), one_process(scenario)
    result: CycleResult | None = None
    for number, (step, seen) in enumerate(zip(steps, cycles, strict=True)):
        elapsed = int(step.get("elapsed", 0))
        if number:
            slots, jobs = _next(scenario, step, cycles[number - 1], slots, jobs)
        if result is not None:
            accountant = result.accountant if lives_on else recounted(result.accountant, tree)
            accountant = evolve(accountant, last_update_time=NOW - elapsed)
        snapshot = snapshot_of(
            scenario, seen, slots, jobs, accountant, make, policy, senders, stock
        )
        if lives_on and result is not None:
            snapshot = remembering(snapshot, result, seconds_since(seen, elapsed))
        else:
            snapshot = warmed(scenario, seen, snapshot, policy, NOW)
        offers, quota_steps = list[RecordedOffer](), list[QuotaStep]()

        def watch(
            event: Event,
            offers: list[RecordedOffer] = offers,
            quota_steps: list[QuotaStep] = quota_steps,
        ) -> None:
            if isinstance(event, Offer):
                offers.append(_recorded(event))
            elif isinstance(event, QuotaStep):
                quota_steps.append(event)

        result = negotiate(snapshot, policy, now=NOW, watch=watch, engine=engine)
        yield Played(snapshot, policy, result, tuple(offers), tuple(quota_steps), seen)


def first_snapshot(case: Scenario) -> Snapshot:
    """What the negotiator knows in the first cycle of a case."""
    scenario, make = case["scenario"], AdMaker()
    slots, jobs = _entries(scenario)
    seen = case["observed"]["cycles"][0]
    policy = policy_of(scenario, version_of(case))
    accountant = accountant_of(scenario, slots, make, policy)
    snapshot = snapshot_of(scenario, seen, slots, jobs, accountant, make, policy)
    return warmed(scenario, seen, snapshot, policy, NOW)


def _entries(scenario: Scenario) -> tuple[list[SlotEntry], list[JobEntry]]:
    return (
        list(expand_slots(scenario, scenario.get("slots", []))),
        list(expand_jobs(scenario, scenario.get("jobs", []))),
    )


def _next(
    scenario: Scenario,
    step: Scenario,
    before: Scenario,
    slots: list[SlotEntry],
    jobs: list[JobEntry],
) -> tuple[list[SlotEntry], list[JobEntry]]:
    """Slots and jobs of the next cycle."""
    if step.get("claim_matches", True):
        slots, jobs = _claimed(before, slots, jobs)
    added = list(expand_slots(scenario, step.get("slots", [])))
    gone = {*step.get("remove_slots", ()), *(slot.name for slot in added)}
    slots = [slot for slot in slots if slot.name not in gone] + added
    return slots, jobs + list(expand_jobs(scenario, step.get("jobs", [])))


def _claimed(
    before: Scenario, slots: list[SlotEntry], jobs: list[JobEntry]
) -> tuple[list[SlotEntry], list[JobEntry]]:
    """Every match has become a claim, and its job has left the queue."""
    waiting = list(jobs)
    claimed: dict[str, SlotEntry] = {slot.name: slot for slot in slots}
    for match in before["matches"]:
        job = _job_of(match, waiting)
        waiting = [other for other in waiting if other is not job]
        name, _, domain = match["submitter"].partition("@")
        short = name.rpartition(".")[2]
        owner = short if job is None else job.owner
        slot = claimed[match["slot"]]
        claim = {
            "State": quoted("Claimed"),
            "Activity": quoted("Busy"),
            "RemoteUser": quoted(match["submitter"]),
            "RemoteOwner": quoted(f"{owner}@{domain}"),
            "CurrentRank": str(float(match.get("new_startd_rank", 0.0))),
        }
        claimed[slot.name] = evolve(slot, attributes=merge(slot.attributes, claim))
    return list(claimed.values()), waiting


def _job_of(match: Scenario, waiting: list[JobEntry]) -> JobEntry | None:
    """The job itself, or one of its cluster, or any of the submitter's."""
    mine = [job for job in waiting if job.submitter == match["submitter"]]
    exact = [job for job in mine if job.id == match["job"]]
    cluster = match["job"].partition(".")[0]
    return next(iter(exact or [job for job in mine if str(job.cluster) == cluster] or mine), None)
