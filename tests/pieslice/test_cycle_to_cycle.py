"""What a simulation hands from one cycle to the next: quotas, times, usage, a new chance."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from attr import evolve

from negotiator.cycle import negotiate
from negotiator.model.snapshot import AccountantState, Customer
from pieslice.between.pool import plain_pool
from pieslice.simulation import engine, matching
from pieslice.simulation.matchmaking_cache import MatchmakingCache
from tests.pieslice.test_simulate import PREEMPTING, A, Run, policy_of

TAKEN = """GROUP_NAMES = g
GROUP_QUOTA_g = 1
GROUP_ACCEPT_SURPLUS_g = True
PREEMPTION_REQUIREMENTS = RemoteGroupQuota =?= {quota}
NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True
"""


@pytest.mark.parametrize(("quota", "taken"), [("1.0", True), ("2.0", False), ("undefined", False)])
def test_slots_tell_the_quotas_of_the_cycle_before(quota: str, taken: bool, tmp_path: Path) -> None:
    jobs = [(0, "g.a", 9000), (0, "g.a", 9000), (100, "b", 9000)]
    run = Run(policy_of(tmp_path, TAKEN.format(quota=quota)), jobs, slots=2)
    events = run.until(400)
    assert events[:2] == [(0, "start", "g.a", 1), (0, "start", "g.a", 2)]
    assert ([event[:2] for event in events[2:3]] == [(120, "match")]) is taken


@pytest.mark.parametrize(("weighted", "used"), [("True", 2.0), ("False", 1.0)])
@pytest.mark.parametrize("text", ["", PREEMPTING], ids=["nobody is preempted", "somebody may be"])
def test_claims_are_charged_by_weight_or_number_whether_or_not_somebody_waits(
    text: str, weighted: str, used: float, tmp_path: Path
) -> None:
    policy = policy_of(tmp_path, f"{text}NEGOTIATOR_USE_SLOT_WEIGHTS = {weighted}\n")
    run = Run(policy, [(0, "a", 9000), (200, "a", 9000)], slots=plain_pool(2, 2), cpus=2)
    for until, slots in ((180, 1), (600, 2)):
        run.until(until)
        record = run.simulation.state.accountant.customers[A]
        assert (record.resources_used, record.weighted_resources_used) == (slots, slots * used)


def test_priorities_age_while_nobody_has_a_job(tmp_path: Path) -> None:
    run = Run(policy_of(tmp_path, "PRIORITY_HALFLIFE = 600\n"), [])
    known = {A: Customer(A, priority=100.0)}
    run.simulation.state.accountant = AccountantState(known)
    run.until(1)
    assert run.simulation.state.accountant.last_update_time == run.simulation.epoch
    assert run.simulation.state.accountant.customers[A].priority == 100.0
    run.simulation.state.now = 60
    run.until(601)
    priority = run.simulation.state.accountant.customers[A].priority
    assert priority == pytest.approx(50.0, abs=1e-4)


def drawn(policy: Any, seed: int, stop: int, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What each cycle of a simulation would draw first."""
    run = Run(policy, [(0, "a", 9000)] * 4)
    run.negotiator = matching.Negotiator(run.simulation, policy, seed)
    found: list[float] = []
    quickly = MatchmakingCache.negotiate

    def quick(self: Any, waiting: Any, submitters: Any, usage: Any, now: Any, rng: Random) -> Any:
        found.append(rng.random())
        return quickly(self, waiting, submitters, usage, now, rng)

    def full(*args: Any, rng: Random, **more: Any) -> Any:
        found.append(rng.random())
        return negotiate(*args, rng=rng, **more)

    with monkeypatch.context() as patched:
        patched.setattr(MatchmakingCache, "negotiate", quick)
        patched.setattr(matching, "negotiate", full)
        for moment in range(0, stop, 60):
            run.simulation.advance(moment)
            run.negotiator._negotiate()
    return found


@pytest.mark.parametrize("text", ["", PREEMPTING], ids=["nobody is preempted", "somebody may be"])
def test_each_cycle_has_chances_of_its_own_which_the_seed_settles(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = policy_of(tmp_path, text)
    first = drawn(policy, 7, 300, monkeypatch)
    assert len(set(first)) == 5
    assert drawn(policy, 7, 180, monkeypatch) == first[:3]
    assert not set(drawn(policy, 8, 300, monkeypatch)) & set(first)


@pytest.mark.parametrize(("bound", "found"), [(2, None), (3, 3), (50, 3)])
def test_so_many_kinds_of_jobs_are_looked_at_for_a_claim(
    bound: int, found: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_LOOK_AHEAD", bound)
    run = Run(policy_of(tmp_path), [(0, "a", 100)])
    workload = run.simulation.workload
    for cpus in (2, 3, 1):
        shape = workload.shape("a", "", cpus, cpus)
        workload.arrivals.append(evolve(workload.arrivals[0], shape=shape))
    run.simulation.advance(0)
    run.negotiator.cycle(60)
    (slot,) = run.simulation.pool.slots.values()
    assert run.simulation.next_on(slot) == found
