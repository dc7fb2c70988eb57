"""Checks what must hold for a negotiation cycle, whatever the pool and the policy.

Inputs: scenarios of ``negotiator.strategies``.  Outputs: none; a check raises.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import nullcontext
from math import isclose
from random import Random
from struct import pack, unpack
from typing import Any, Final

from attr import evolve

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext, evaluate_exactly
from classad.files.ads import format_ad
from classad.loading.long_form import load_long
from classad.match import is_true
from fuzz.thresholds import few_are_many
from negotiator.capture.slots import plain_names
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.scenario.read import NOW
from pieslice.between.cycles import run_cycles
from policy.dialects import find_dialect
from policy.model import NegotiatorPolicy
from tests.conform.negotiation.course import first_snapshot, policy_of

Scenario = Mapping[str, Any]
#: What single precision may move a sum of weights by.
SINGLE: Final = 1e-5


def snapshot(scenario: Scenario) -> Snapshot:
    """The state of the pool before the cycle; names in order stand for the collector's order."""
    slots = [
        slot["name"].replace("{i}", str(slot.get("first", 1) + number))
        for slot in scenario["slots"]
        for number in range(slot.get("count", 1))
    ]
    submitters = sorted({f"{job['submitter']}@test" for job in scenario["jobs"]})
    seen = {"slot_order": slots, "submitter_order": submitters}
    return first_snapshot({"scenario": scenario, "observed": {"cycles": [seen]}})


def cycles_hold(scenario: Scenario) -> None:
    """No slot twice, no limit passed, numbers consistent; the same from equal inputs."""
    policy, pool = policy_of(scenario), snapshot(scenario)
    result = negotiate(pool, policy, now=NOW)
    _no_slot_twice(result, pool, policy)
    _both_accept(result, pool)
    _ceilings(result, pool)
    _turns(result, pool)
    _concurrency(result, pool, policy)
    _numbers(result)
    again = negotiate(snapshot(scenario), policy, now=NOW)
    assert str(again) == str(result), "a second run decides otherwise"
    customers = dict(reversed(list(pool.accountant.customers.items())))
    turned = evolve(pool, accountant=evolve(pool.accountant, customers=customers))
    same = negotiate(turned, policy, now=NOW)
    assert _decisions(same) == _decisions(result), "the order of the records decides"


def engines_agree(scenario: Scenario) -> None:
    """The columns find what asking slot by slot finds, down to the counts of refused slots."""
    dialect = find_dialect(scenario.get("dialect", "htcondor"))
    policy, pool = evolve(policy_of(scenario), dialect=dialect), snapshot(scenario)
    sources = Random(1), Random(1)
    columns, reference = (
        negotiate(pool, policy, now=NOW, rng=rng, engine=engine)
        for engine, rng in zip(ENGINES, sources, strict=True)
    )
    # As text: a limit can be NaN, which equals nothing.
    assert repr(columns) == repr(reference), "the engines decide otherwise"
    assert sources[0].random() == sources[1].random(), "the engines draw other random numbers"
    with few_are_many():
        columns = negotiate(pool, policy, now=NOW, rng=Random(1), engine=ENGINES[0])
    assert repr(columns) == repr(reference), "what is done for many decides otherwise"
    loaded = in_columns(pool)
    if loaded is not None:
        reference = negotiate(as_ads(loaded), policy, now=NOW, rng=Random(1), engine=ENGINES[1])
        for manner in (nullcontext(), few_are_many()):
            with manner:
                columns = negotiate(loaded, policy, now=NOW, rng=Random(1), engine=ENGINES[0])
            assert repr(columns) == repr(reference), "slots in columns are matched otherwise"


def as_ads(pool: Snapshot) -> Snapshot:
    """The pool with the ads of its slots, which stay in columns."""
    assert isinstance(pool.slots, LoadedSlots)
    return evolve(pool, slots=tuple(pool.slots.loaded.to_ads(ClassAd)))


def in_columns(pool: Snapshot) -> Snapshot | None:
    """The pool with its slots loaded from long form; None if that is not to be had."""
    try:
        text = "\n".join(format_ad(ad) for ad in pool.slots)
    except ValueError:
        return None
    loaded = load_long(text.encode("utf-8", "surrogateescape"))
    names = plain_names(loaded)
    if names is None or loaded.diagnostics:
        return None
    return evolve(pool, slots=LoadedSlots(loaded, array("i", range(len(names))), names))


def engines_keep_up(scenario: Scenario) -> None:
    """Columns that are kept from cycle to cycle, and from policy to policy, are up to date."""
    policy, pool = policy_of(scenario), snapshot(scenario)
    courses = [
        run_cycles(pool, policy, now=NOW, count=3, interval=300, rng=Random(1), engine=engine)
        for engine in ENGINES
    ]
    columns, reference = ([repr(turn.result) for turn in course] for course in courses)
    assert columns == reference, "the engines part in the course of cycles"
    kept = make_engines(ENGINES[0], lasting=True)
    changes: list[dict[str, Any]] = [
        {},
        {"consider_preemption": False},
        {"pre_job_rank": policy.post_job_rank},
        {"ignore_job_ranks": True},
    ]
    policies = [evolve(policy, **change) for change in changes]
    loaded = in_columns(pool)
    for slots in (pool, loaded):
        if slots is None:
            continue
        for number, each in enumerate((*policies, policy)):
            with few_are_many() if number % 2 else nullcontext():
                warm = negotiate(slots, each, now=NOW, rng=Random(1), engine=kept)
            ads = slots if slots is pool else as_ads(slots)
            fresh = negotiate(ads, each, now=NOW, rng=Random(1), engine=ENGINES[1])
            assert repr(warm) == repr(fresh), "what was found under another policy is kept"


def _decisions(result: CycleResult) -> str:
    return str((result.matches, result.rejections, result.pies))


def _no_slot_twice(result: CycleResult, pool: Snapshot, policy: NegotiatorPolicy) -> None:
    ads = {ad["Name"]: ad for ad in pool.slots}
    taken = Counter(match.slot for match in result.matches)
    for name, count in taken.items():
        if not ads[name].get_bool("PartitionableSlot"):
            allowed = pool.claims.get(name, 1)
            assert count <= allowed, f"{name} is given {count} times"
    if policy.depth_first:
        return  # a slot that is smaller than the request serves no job, which is offered again
    served = Counter((m.schedd, m.job, m.count) for m in result.matches)
    assert not [key for key, count in served.items() if count > 1], f"a job twice: {served}"


def _both_accept(result: CycleResult, pool: Snapshot) -> None:
    """A slot and the job that it is given to accept each other, by the exact evaluator.

    No invented requirement is met by the rest of a slot and not by the whole of it.
    """
    jobs = _jobs(pool)
    ads = {ad["Name"]: ad for ad in pool.slots}
    context = EvalContext(now=NOW)
    for match in result.matches:
        pair = ads[match.slot], jobs[match.schedd, match.job]
        for my, target in (pair, pair[::-1]):
            value, _ = evaluate_exactly(ExprTree("Requirements"), my, my, target, context)
            assert is_true(value), f"{match.slot} and {match.job} do not match: {value}"


def _jobs(pool: Snapshot) -> dict[tuple[str, str], ClassAd]:
    return {
        (queue.name, f"{job['ClusterId']}.{job['ProcId']}"): job
        for queue in pool.queues
        for job in queue.jobs
    }


def _ceilings(result: CycleResult, pool: Snapshot) -> None:
    used: defaultdict[str, float] = defaultdict(float)
    for ad in pool.slots:
        if ad.get_string("State") == "Claimed":
            weight = ad.get_number("SlotWeight")
            used[ad.get_string("RemoteUser") or ""] += 1.0 if weight is None else weight
    ceilings = {name: record.ceiling for name, record in pool.accountant.customers.items()}
    for match in result.matches:
        ceiling = ceilings.get(match.submitter, -1)
        if match.kind.value == "none" and ceiling >= 0:
            used[match.submitter] += match.cost
            over = used[match.submitter] - ceiling
            assert over <= match.cost + SINGLE, f"{match.submitter} passes its ceiling by {over}"


def _turns(result: CycleResult, pool: Snapshot) -> None:
    """What a submitter uses grows by what it gets; its ceiling leaves it whole weights only.

    A match may pass what the ceiling leaves, the next one is not made.
    """
    ceilings = {name: record.ceiling for name, record in pool.accountant.customers.items()}
    used: dict[str, float] = {}
    matches = iter(result.matches)
    for pie in result.pies:
        for turn in (turn for spin in pie.spins for turn in spin.turns):
            before = used.setdefault(turn.name, turn.usage)
            fine = isclose(turn.usage, before, rel_tol=SINGLE, abs_tol=SINGLE)
            assert fine, f"{turn.name} uses {turn.usage}, after a turn that left {before}"
            used[turn.name] = turn.usage + turn.used
            ceiling = ceilings.get(turn.name, -1)
            if ceiling < 0:
                ceiling = turn.ceiling_left + int(turn.usage)
            left = max(ceiling - int(turn.usage), 0)
            assert turn.ceiling_left == left, f"{turn} under a ceiling of {ceiling}"
            taken = 0.0
            while taken < turn.used - SINGLE:
                assert taken < left, f"{turn} is given more at {taken}"
                taken += next(matches).cost


def _concurrency(result: CycleResult, pool: Snapshot, policy: NegotiatorPolicy) -> None:
    jobs = _jobs(pool)
    held: defaultdict[str, float] = defaultdict(float)
    for match in result.matches:
        job = jobs.get((match.schedd, match.job))
        text = "" if job is None else job.get_string("ConcurrencyLimits") or ""
        for item in text.lower().replace(" ", "").split(","):
            name, _, amount = item.partition(":")
            if name:
                held[name] += float(amount or 1)
    for name, held_now in held.items():
        limit = policy.concurrency_limits.maximum(name)
        assert held_now <= limit + SINGLE, f"{name}: {held_now} of {limit}"


def _numbers(result: CycleResult) -> None:
    """What a match shows is what the submitters' table says."""
    priorities = {each.name: each.effective_priority for each in result.submitters}
    for match in result.matches:
        assert match.cost >= 0, f"{match.slot} costs {match.cost}"
        wanted = priorities.get(match.submitter)
        if match.new_prio is not None and wanted is not None:
            fine = isclose(match.new_prio, _single(wanted), rel_tol=1e-6)
            assert fine, f"{match.submitter}: {match.new_prio} shown, {wanted} told"
        if match.kind.value == "priority":
            assert match.preempted not in (None, match.submitter), f"{match} preempts nobody else"
    for pie in result.pies:
        for spin in pie.spins:
            shares = sum({turn.name: turn.share for turn in spin.turns}.values())
            assert shares <= 1 + SINGLE, f"the shares of spin {spin.spin} sum to {shares}"
    seqs = [match.seq for match in result.matches]
    assert seqs == list(range(len(seqs))), f"numbers of matches: {seqs}"


def _single(number: float) -> float:
    found: float = unpack("f", pack("f", number))[0] if abs(number) < 3e38 else number
    return found
