"""``pieslice simulate``: what follows from matches, theory, traces, interruption and resumption."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attr import evolve

import pieslice
from classad import ClassAd, ExprTree
from negotiator.io import CapturePaths, InputError, read_capture
from pieslice.between.pool import SimSlot, SlotPool, plain_pool, pool_of, weight_of
from pieslice.between.state import How
from pieslice.cli import main
from pieslice.simulation.checkpoint import restore, saved
from pieslice.simulation.engine import MachineChange, Simulation
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.moment import write_moment
from pieslice.simulation.setup import Plan, about_policy, build, check_macro
from pieslice.simulation.state import State
from pieslice.simulation.summary import jain, summarise
from pieslice.simulation.workload import (
    Arrival,
    Workload,
    from_csv,
    from_rows,
    from_streams,
    from_swf,
    from_toml,
)
from policy.claims import ClaimSettings
from policy.model import NegotiatorPolicy

ROOT = Path(__file__).parents[2]
CAMPUS = str(ROOT / "examples" / "campus")
A, B = "a@sim.example", "b@sim.example"
INTERVAL = 60


def policy_of(tmp_path: Path, text: str = "") -> NegotiatorPolicy:
    from negotiator.capture.configuration import read_policy

    path = tmp_path / "condor_config"
    path.write_text(text)
    return read_policy(path, 0).policy


class Run:
    """A small simulation whose events are kept."""

    def __init__(
        self,
        policy: NegotiatorPolicy,
        jobs: list[tuple[int, str, int]],
        *,
        slots: int | SlotPool = 1,
        settings: ClaimSettings | None = None,
        changes: tuple[MachineChange, ...] = (),
        cpus: int = 1,
    ) -> None:
        workload = Workload()
        for submit, user, run_time in jobs:
            shape = workload.shape(user, "", cpus, 0)
            workload.arrivals.append(Arrival(submit, run_time, shape))
        self.events: list[tuple[int, str, str, int]] = []
        self.simulation = Simulation(
            pool=plain_pool(slots, 1) if isinstance(slots, int) else slots,
            workload=workload.sorted(),
            settings=settings or ClaimSettings(),
            state=State(),
            sink=self._keep,
            epoch=1_800_000_000,
            changes=changes,
        )
        self.negotiator = Negotiator(self.simulation, policy, 0)

    def _keep(self, moment: int, kind: str, user: str, job: int, slot: str, why: str) -> None:
        self.events.append((moment, kind, user.partition("@")[0], job))

    def until(self, seconds: int) -> list[tuple[int, str, str, int]]:
        """What has happened until then, from where the run stands."""
        for moment in range(self.simulation.state.now, seconds, INTERVAL):
            self.simulation.advance(moment)
            self.negotiator.cycle(INTERVAL)
        self.simulation.advance(seconds)
        self.negotiator.due.settle()
        return [event for event in self.events if event[1] != "submit"]


def test_a_claim_takes_the_next_job_of_its_user_until_its_work_life_is_over(
    tmp_path: Path,
) -> None:
    jobs = [(0, "a", 100)] * 4
    run = Run(policy_of(tmp_path), jobs, settings=ClaimSettings(worklife=150))
    assert run.until(500) == [
        (0, "start", "a", 1),
        (100, "finish", "a", 1),
        (100, "start", "a", 2),
        (200, "finish", "a", 2),  # 200 s old: the claim ends, the next cycle is at 240
        (240, "start", "a", 3),
        (340, "finish", "a", 3),
        (340, "start", "a", 4),
        (440, "finish", "a", 4),
    ]
    assert run.simulation.state.claims == {}


EARLY = "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\nPRIORITY_HALFLIFE = 600\n"
PREEMPTING = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n"
HALF_DAY = (0, "a", 43_200)


@pytest.mark.parametrize(
    ("settings", "stopped"),
    [
        (ClaimSettings(), 0),
        (ClaimSettings(vacate=30), 30),
        (ClaimSettings(retirement=7200, vacate=30), None),
    ],
)
def test_preemption(tmp_path: Path, settings: ClaimSettings, stopped: int | None) -> None:
    policy = policy_of(tmp_path, PREEMPTING + EARLY)
    run = Run(policy, [HALF_DAY, (3600, "b", 60)], settings=settings)
    events = run.until(10_000)
    assert events[0] == (0, "start", "a", 1)
    assert events[1] == (3600, "match", "b", 2)
    at = 7230 if stopped is None else 3600 + stopped
    assert events[2:5] == [
        (at, "preempt", "a", 1),
        (at, "start", "b", 2),
        (at + 60, "finish", "b", 2),
    ]
    totals = run.simulation.state.users
    assert (totals[A].bad, totals[A].preempted, totals[A].good) == (float(at), 1, 0.0)
    assert totals[B].good == 60.0
    assert events[5][1:] == ("start", "a", 1)


def test_a_job_that_was_preempted_has_its_old_place_and_waited_only_once(tmp_path: Path) -> None:
    """It runs again before the job of its user that came later, and from the beginning."""
    policy = policy_of(tmp_path, PREEMPTING + EARLY)
    jobs = [(50, "a", 5000), (70, "a", 600), (3600, "b", 60)]
    run = Run(policy, jobs, settings=ClaimSettings(vacate=20))
    before = run.simulation.job_ad(0)["QDate"]
    assert run.until(10_000) == [
        (60, "start", "a", 1),
        (3600, "match", "b", 3),
        (3620, "preempt", "a", 1),
        (3620, "start", "b", 3),
        (3680, "finish", "b", 3),
        (3720, "start", "a", 1),
        (8720, "finish", "a", 1),
        (8760, "start", "a", 2),
        (9360, "finish", "a", 2),
    ]
    assert run.simulation.job_ad(0)["QDate"] == before == run.simulation.epoch + 50
    totals = run.simulation.state.users[A]
    assert (totals.good, totals.bad) == (5600.0, 3620.0 - 60.0)
    assert totals.waits == [10, 8690]
    assert run.simulation.state.users[B].waits == [20]
    assert (totals.submitted, totals.completed, totals.preempted, totals.evicted) == (2, 2, 1, 0)
    assert run.simulation.state.thrashed == 0


def test_a_job_that_ends_in_its_retirement_loses_nothing(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, PREEMPTING + EARLY)
    jobs = [(0, "a", 4000), (3600, "b", 60)]
    run = Run(policy, jobs, settings=ClaimSettings(retirement=7200))
    assert run.until(5000)[1:] == [
        (3600, "match", "b", 2),
        (4000, "finish", "a", 1),
        (4000, "start", "b", 2),
        (4060, "finish", "b", 2),
    ]
    assert run.simulation.state.users[A].bad == 0


def test_a_job_in_its_retirement_is_left_alone_unless_preemption_may_be_early(
    tmp_path: Path,
) -> None:
    policy = policy_of(tmp_path, PREEMPTING + "PRIORITY_HALFLIFE = 600\n")
    run = Run(policy, [HALF_DAY, (3600, "b", 60)], settings=ClaimSettings(retirement=7200))
    assert run.until(8000)[1:3] == [(7200, "match", "b", 2), (7200, "preempt", "a", 1)]


def test_a_machine_that_leaves_takes_its_jobs_with_it(tmp_path: Path) -> None:
    changes = (MachineChange(100, "node0001", False), MachineChange(1000, "node0001", True))
    run = Run(policy_of(tmp_path), [(0, "a", 500)], changes=changes)
    assert run.until(2000) == [
        (0, "start", "a", 1),
        (100, "lost", "a", 1),
        (100, "leave", "", 0),
        (1000, "join", "", 0),
        (1020, "start", "a", 1),
        (1520, "finish", "a", 1),
    ]
    summary = summarise(run.simulation, complete=True)
    assert summary["badput_hours"] == pytest.approx(100 / 3600)
    assert summary["lost_with_machines"] == 1


def test_a_machine_that_leaves_twice_comes_back_whole(tmp_path: Path) -> None:
    """Two reasons to be away, which overlap: the first one that is over brings it back."""
    changes = tuple(
        MachineChange(at, "node0001", joins)
        for at, joins in ((100, False), (200, False), (1000, True), (1500, True))
    )
    run = Run(policy_of(tmp_path), [(0, "a", 500)], changes=changes)
    assert [event for event in run.until(2000) if event[2] == "a"] == [
        (0, "start", "a", 1),
        (100, "lost", "a", 1),
        (1020, "start", "a", 1),
        (1520, "finish", "a", 1),
    ]


def test_who_waits_from_the_beginning_has_the_factor_of_its_group(tmp_path: Path) -> None:
    """No cycle has met b, as a has the pool: the factors are configured all the same."""
    text = """
GROUP_NAMES = g
GROUP_PRIO_FACTOR_g = 3
DEFAULT_PRIO_FACTOR = 1
PREEMPTION_REQUIREMENTS = False
"""
    policy = policy_of(tmp_path, text)
    run = Run(policy, [(0, "a", 9000)] * 4, slots=4)
    workload = run.simulation.workload
    for user, group in (("b", "g"), ("b", "")):
        shape = workload.shape(user, group, 1, 0)
        workload.arrivals += [Arrival(60, 60, shape)] * 9
    run.until(120)
    factors = [
        run.negotiator.effective_priority(name) / 0.5
        for name in ("g.b@sim.example", "b@sim.example", "nobody@sim.example")
    ]
    assert factors == [3.0, 1.0, 1.0]
    # The group has no quota and its user no due, by which nobody is measured.
    found = summarise(run.simulation, complete=False)
    due = {name: user["entitled_hours"] * 3600 for name, user in found["users"].items()}
    assert due[A] + due[B] == pytest.approx(2 * 4 * INTERVAL)
    assert due["g.b@sim.example"] == 0
    parts = [4 * 120 / due[A], 0.0]
    assert found["jain_index"] == pytest.approx(jain(parts))


def partitionable() -> SlotPool:
    ad = ClassAd()
    for name, value in (
        ("MyType", "Machine"),
        ("Name", "slot1@big"),
        ("StartdIpAddr", "<192.0.2.1:1>"),
        ("PartitionableSlot", True),
        ("TotalSlotCpus", 8),
        ("TotalSlotMemory", 8192),
        ("TotalSlotDisk", 1000),
        ("Cpus", 1),
        ("Memory", 1),
        ("Disk", 1000),
        ("Requirements", True),
        ("Rank", 0.0),
    ):
        ad.insert(name, value)
    ad.insert("SlotWeight", ExprTree("Cpus"))
    return pool_of([ad])


def test_dynamic_slots_are_cut_and_given_back(tmp_path: Path) -> None:
    run = Run(policy_of(tmp_path), [(0, "a", 300)] * 5, slots=partitionable(), cpus=2)
    pool = run.simulation.pool
    run.until(240)
    claimed = len(run.simulation.state.claims)
    assert claimed == 4
    assert run.simulation.state.running[A] == (4, 8.0)
    assert pool.slots["slot1@big"].ad.eval("Cpus") == 0
    assert pool.weight == 8.0
    assert [weight_of(slot.ad) for slot in pool.slots.values()] == [0.0, 2.0, 2.0, 2.0, 2.0]
    run.until(2000)
    assert list(pool.slots) == ["slot1@big"]
    assert pool.slots["slot1@big"].ad.eval("Memory") == 8192
    assert run.simulation.state.users[A].completed == 5
    assert run.simulation.state.running[A] == (0, 0.0)


def without_counts(run: Run) -> dict[str, Any]:
    """All of a run but how many cycles were held in full."""
    data = json.loads(json.dumps(saved(run.simulation)))
    del data["state"]["full_cycles"]
    return data


GROUPS = """
GROUP_NAMES = g, h
GROUP_QUOTA_g = 4
GROUP_QUOTA_h = 3
GROUP_ACCEPT_SURPLUS_h = True
"""
CHANGES = (MachineChange(900, "node0002", False), MachineChange(2400, "node0002", True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "pool"),
    [
        ("", "4"),
        ("NEGOTIATOR_CONSIDER_PREEMPTION = False", "4"),
        ("NEGOTIATOR_USE_SLOT_WEIGHTS = False\nNEGOTIATOR_MATCHLIST_CACHING = False", "4"),
        ("PRIORITY_HALFLIFE = 600\nCLAIM_WORKLIFE = 0\nSLOT_WEIGHT = 2.5", "6x2"),
        (GROUPS, "9"),
        (GROUPS + "GROUP_AUTOREGROUP = True\nNEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = True", "9"),
        (GROUPS + "NEGOTIATOR_USE_WEIGHTED_DEMAND = False\nSLOT_WEIGHT = 3", "9"),
        (GROUPS + "GROUP_PRIO_FACTOR_g = 30\nNICE_USER_PRIO_FACTOR = 5", "9"),
        (GROUPS, "partitionable"),
        ("NEGOTIATOR_PRE_JOB_RANK = Memory\nNEGOTIATOR_POST_JOB_RANK = SlotID", "partitionable"),
    ],
)
def test_going_by_what_is_known_changes_nothing(tmp_path: Path, text: str, pool: str) -> None:
    """The same state, to the last number, as from the whole cycle every time."""
    policy = policy_of(tmp_path, text)

    def run(quick: bool) -> Run:
        slots = partitionable() if pool == "partitionable" else build_pool(pool)
        made = Run(policy, [], slots=slots, settings=ClaimSettings(worklife=900), changes=CHANGES)
        workload = made.simulation.workload
        for i in range(70):
            user, group = "abc"[i % 3], ("", "g", "h")[i * i % 3]
            # Some want more than any slot has.
            shape = workload.shape(user, group, (1, 2, 1, 12)[i % 4], (100, 700)[i % 2])
            workload.arrivals.append(Arrival(50 * i * (i % 5), 200 + 37 * i, shape))
        workload.sorted()
        made.negotiator = Negotiator(made.simulation, policy, 0, quick)
        assert (made.negotiator.cache is not None) is quick
        return made

    quick, full = run(True), run(False)
    assert quick.until(7200) == full.until(7200)
    assert without_counts(quick) == without_counts(full)
    counts = [one.simulation.state.full_cycles for one in (quick, full)]
    assert counts[0] <= counts[1] == quick.simulation.state.cycles
    assert counts[0] < counts[1] or pool == "partitionable"


#: What is asked of a preemption reads the quotas of the cycle before.
HALF_OF_THE_POOL = """
GROUP_NAMES = g
GROUP_QUOTA_DYNAMIC_g = 0.5
PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota
"""


def test_a_cycle_that_is_left_out_assigns_quotas_all_the_same(tmp_path: Path) -> None:
    """A machine leaves while no job waits; the quotas are those of the smaller pool then."""
    policy = policy_of(tmp_path, HALF_OF_THE_POOL)
    found = []
    for quick in (True, False):
        run = Run(policy, [(0, "g.ann", 60)], slots=4, changes=CHANGES)
        run.negotiator = Negotiator(run.simulation, policy, 0, quick)
        assert run.negotiator.preempts
        run.until(600)
        before = dict(run.simulation.state.quotas or {})
        run.until(1800)
        assert run.simulation.state.quotas != before
        found.append((before, run.simulation.state.quotas, run.simulation.state.full_cycles))
    (*quick_quotas, some), (*full_quotas, every) = found
    assert quick_quotas == full_quotas
    assert some < every


def test_quotas_follow_a_size_of_the_pool_that_changes_with_its_claims(tmp_path: Path) -> None:
    """No machine comes or goes, and no job waits, when the two jobs end."""
    idle = 'NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = State == "Unclaimed"\n'
    policy = policy_of(tmp_path, HALF_OF_THE_POOL + idle)
    for quick in (True, False):
        run = Run(policy, [(0, "a", 90)] * 2, slots=4)
        run.negotiator = Negotiator(run.simulation, policy, 0, quick)
        quotas = []
        for moment in range(0, 240, INTERVAL):
            run.simulation.advance(moment)
            run.negotiator.cycle(INTERVAL)
            quotas.append((run.simulation.state.quotas or {})["g"])
        assert quotas == [2.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(("text", "first"), [("", "a"), ("USE_GLOBAL_JOB_PRIOS = True", "b")])
def test_global_job_priorities_hold_in_a_simulation(
    tmp_path: Path, text: str, first: str, quick: bool
) -> None:
    policy = policy_of(tmp_path, text)
    run = Run(policy, [])
    workload = run.simulation.workload
    for user, prio in (("a", 0), ("b", 10)):
        shape = workload.shape(user, "", 1, 0)
        workload.shapes[shape].ad.insert("JobPrio", prio)
        workload.arrivals.append(Arrival(0, 600, shape))
    run.negotiator = Negotiator(run.simulation, policy, 0, quick)
    started = [who for _, kind, who, _ in run.until(INTERVAL) if kind == "start"]
    assert [who.partition("@")[0] for who in started] == [first]


@pytest.mark.parametrize("quick", [True, False])
def test_groups_take_turns_from_cycle_to_cycle(tmp_path: Path, quick: bool) -> None:
    """Of three slots two groups of about half the pool get two and one, then one and two."""
    text = """
GROUP_NAMES = g, h
GROUP_QUOTA_DYNAMIC_g = 0.51
GROUP_QUOTA_DYNAMIC_h = 0.49
GROUP_ACCEPT_SURPLUS = True
NEGOTIATOR_USE_SLOT_WEIGHTS = False
"""
    policy = policy_of(tmp_path, text)
    run = Run(policy, [], slots=3, settings=ClaimSettings(worklife=1))
    workload = run.simulation.workload
    shapes = [workload.shape(user, group, 1, 0) for user, group in (("ann", "g"), ("bob", "h"))]
    workload.arrivals.extend(Arrival(0, 30, shape) for shape in shapes * 20)
    workload.sorted()
    run.negotiator = Negotiator(run.simulation, policy, 0, quick)
    started = Counter((at, who) for at, kind, who, _ in run.until(5 * INTERVAL) if kind == "start")
    moments = range(0, 5 * INTERVAL, INTERVAL)
    assert [started[at, "g.ann"] for at in moments] == [2, 1, 2, 1, 2]
    assert [started[at, "h.bob"] for at in moments] == [1, 2, 1, 2, 1]


def alike(policy: NegotiatorPolicy, made: Callable[[], Run], seconds: int = 600) -> list[Any]:
    """The events of a run; its state is the same whether or not cycles go by what is known."""
    runs = []
    for quick in (True, False):
        run = made()
        run.negotiator = Negotiator(run.simulation, policy, 0, quick)
        runs.append((run.until(seconds), without_counts(run)))
    assert runs[0] == runs[1]
    return runs[0][0]


def test_slots_that_the_negotiator_passes_over_stay_empty(tmp_path: Path) -> None:
    """An absent slot is in the pool, and no job ever comes to it."""
    policy = policy_of(tmp_path)

    def made() -> Run:
        pool = plain_pool(3, 1)
        pool.slots["slot1@node0002"].ad.insert("Absent", True)
        return Run(policy, [(0, "a", 700)] * 3, slots=pool)

    assert alike(policy, made) == [(0, "start", "a", 1), (0, "start", "a", 2)]


@pytest.mark.parametrize(("name", "value"), [("JobUniverse", 7), ("IsNoopJob", True)])
def test_jobs_that_the_schedd_does_not_offer_never_start(
    tmp_path: Path, name: str, value: object
) -> None:
    policy = policy_of(tmp_path)

    def made() -> Run:
        run = Run(policy, [(0, "a", 60), (0, "b", 60)], slots=2)
        run.simulation.workload.shapes[0].ad.insert(name, value)
        return run

    assert alike(policy, made) == [(0, "start", "b", 2), (60, "finish", "b", 2)]


@pytest.mark.parametrize("limits", ['"lic"', 'strcat("l", "ic")', 'Elsewhere ?: "lic"'])
def test_a_concurrency_limit_holds_from_cycle_to_cycle(tmp_path: Path, limits: str) -> None:
    """One licence, three slots, jobs of 90 s: one at a time, taken up at the next cycle."""
    policy = policy_of(tmp_path, "LIC_LIMIT = 1\n")

    def made() -> Run:
        run = Run(policy, [(0, "a", 90)] * 3, slots=3, settings=ClaimSettings(worklife=0))
        run.simulation.workload.shapes[0].ad.insert("ConcurrencyLimits", ExprTree(limits))
        return run

    assert [event for event in alike(policy, made) if event[1] == "start"] == [
        (0, "start", "a", 1),
        (120, "start", "a", 2),
        (240, "start", "a", 3),
    ]


def test_a_concurrency_limit_may_depend_on_the_slot(tmp_path: Path) -> None:
    """Two licences for one kind of slot and none for the other: two of four slots stay free."""
    policy = policy_of(tmp_path, "FEW_LIMIT = 0\nMANY_LIMIT = 2\n")
    limits = ExprTree('regexp("000[12]$", TARGET.Name) ? "few" : "many"')

    def made() -> Run:
        run = Run(policy, [(0, "a", 90)] * 3, slots=4, settings=ClaimSettings(worklife=0))
        run.simulation.workload.shapes[0].ad.insert("ConcurrencyLimits", limits)
        return run

    starts = [event for event in alike(policy, made) if event[1] == "start"]
    assert [(at, job) for at, _, _, job in starts] == [(0, 1), (0, 2), (120, 3)]


def test_a_claim_goes_on_with_jobs_of_the_same_concurrency_limits_only(tmp_path: Path) -> None:
    """Two licences and two jobs with one: a third waits, though a claim without one is at hand."""
    policy = policy_of(tmp_path, "LIC_LIMIT = 2\nNEGOTIATOR_POST_JOB_RANK = 0\n")

    def made(slots: int | SlotPool) -> Run:
        run = Run(policy, [], slots=slots)
        workload = run.simulation.workload
        free, limited, other = (workload.shape("a", "", 1, memory) for memory in (1, 2, 3))
        workload.shapes[limited].ad.insert("ConcurrencyLimits", "lic")
        workload.shapes[other].ad.insert("ConcurrencyLimits", ExprTree('"LIC"'))
        for shape, run_time in ((free, 100), (limited, 300), (limited, 900), (other, 50)):
            workload.arrivals.append(Arrival(0, run_time, shape))
        return run

    events = alike(policy, lambda: made(3), 900)
    starts = {job: at for at, kind, _, job in events if kind == "start"}
    # The claim of the second job, which ends at 300 s, has the licence already.
    assert starts == {1: 0, 2: 0, 3: 0, 4: 300}

    # What is left of a partitionable slot has none: the negotiator gives one in each cycle.
    events = alike(policy, lambda: made(partitionable()), 900)
    starts = {job: at for at, kind, _, job in events if kind == "start"}
    assert starts == {1: 0, 2: 60, 3: 120, 4: 360}


def test_the_schedd_runs_no_more_jobs_than_it_may_whoever_submitted_them(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, "MAX_JOBS_RUNNING = 3\n")
    jobs = [(0, user, 90) for user in "aabb"]
    events = alike(policy, lambda: Run(policy, jobs, slots=4, settings=ClaimSettings(worklife=0)))
    starts = [(at, who) for at, kind, who, _ in events if kind == "start"]
    assert sorted(starts) in (
        [(0, "a"), (0, "a"), (0, "b"), (120, "b")],
        [(0, "a"), (0, "b"), (0, "b"), (120, "a")],
    )


def build_pool(text: str) -> SlotPool:
    count, _, cpus = text.partition("x")
    return plain_pool(int(count), int(cpus or 1))


@pytest.mark.parametrize(
    "text",
    [
        "NEGOTIATOR_PRE_JOB_RANK = CurrentTime - EnteredCurrentState",
        "NEGOTIATOR_POST_JOB_RANK = random(10)",
        "NEGOTIATOR_PRE_JOB_RANK = time() - MyCurrentTime",
        'NEGOTIATOR_SLOT_CONSTRAINT = State == "Unclaimed"',
        'NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = State == "Unclaimed"',
        "NEGOTIATOR_MATCH_EXPRS = X\nX = 1",
        "NEGOTIATOR_IGNORE_JOB_RANKS = True",
        "NEGOTIATOR_PRE_JOB_RANK = SubmitterUserPrio",
        "NEGOTIATOR_SUBMITTER_CONSTRAINT = True",
        "START_VANILLA_UNIVERSE = True",
        "NEGOTIATOR_CROSS_SLOT_PRIOS = True",
        "ALLOW_PSLOT_PREEMPTION = True",
        *(f"NEGOTIATOR_MAX_TIME_PER_{what} = 0" for what in ("CYCLE", "SUBMITTER", "SCHEDD")),
        "NEGOTIATOR_MAX_TIME_PER_PIESPIN = 0",
        # A free slot makes the attribute of jobs significant, a claimed one has it itself.
        "NEGOTIATOR_CONSIDER_PREEMPTION = False\nPREEMPTION_REQUIREMENTS = JobId == 3",
    ],
)
def test_what_may_change_between_cycles_is_not_kept(tmp_path: Path, text: str) -> None:
    run = Run(policy_of(tmp_path, text), [(0, "a", 60)])
    assert run.negotiator.preempts is False
    assert run.negotiator.cache is None


def test_slots_that_look_at_what_changes_are_not_kept(tmp_path: Path) -> None:
    policy = policy_of(tmp_path)
    for name, requirements in (
        ("START", "TARGET.RequestCpus <= Cpus && Late"),
        ("START", "TARGET.QDate > 0"),
        ("START", 'userMap("m", TARGET.Owner) == "x"'),
        ("START", "[late = 1] =!= TARGET.Late"),
        ("DaemonShutdown", "True"),
    ):
        pool = plain_pool(2, 1)
        for slot in pool.slots.values():
            slot.ad.insert("Late", ExprTree("CurrentTime - EnteredCurrentState > 100"))
            slot.ad.insert(name, ExprTree(requirements))
            slot.ad.insert("Requirements", ExprTree("START"))
        run = Run(policy, [(0, "a", 60)], slots=pool)
        assert run.negotiator.cache is None, requirements


@pytest.mark.slow
def test_a_checkpoint_restores_every_part(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, PREEMPTING + "PRIORITY_HALFLIFE = 600\n")
    jobs = [(0, "a", 9000)] * 6 + [(3000, "b", 400)] * 5
    changes = (MachineChange(200, "none", False),)
    settings = ClaimSettings(vacate=100)

    def fresh() -> Run:
        return Run(policy, jobs, slots=partitionable(), cpus=2, settings=settings, changes=changes)

    one = fresh()
    one.until(3180)
    data = json.loads(json.dumps(saved(one.simulation)))
    other = fresh()
    restore(other.simulation, data)
    assert json.loads(json.dumps(saved(other.simulation))) == data
    for run in (one, other):
        run.events.clear()
        for moment in range(3180, 12_000, INTERVAL):
            run.simulation.advance(moment)
            run.negotiator.cycle(INTERVAL)
    assert one.events == other.events
    assert saved(one.simulation) == saved(other.simulation)


def test_a_checkpoint_while_a_machine_is_away(tmp_path: Path) -> None:
    changes = (MachineChange(600, "big", False), MachineChange(1800, "big", True))

    def fresh() -> Run:
        jobs = [(0, "a", 900)] * 6
        return Run(policy_of(tmp_path), jobs, slots=partitionable(), cpus=2, changes=changes)

    one, other = fresh(), fresh()
    one.until(1200)
    restore(other.simulation, json.loads(json.dumps(saved(one.simulation))))
    for run in (one, other):
        for moment in range(1200, 6000, INTERVAL):
            run.simulation.advance(moment)
            run.negotiator.cycle(INTERVAL)
    assert one.simulation.state.users[A].completed == 6
    assert saved(one.simulation) == saved(other.simulation)


def test_slots_look_the_same_after_a_checkpoint(tmp_path: Path) -> None:
    """Expressions of a policy may read anything that a claim shows, its own age among it."""
    policy = policy_of(tmp_path, PREEMPTING + EARLY)
    jobs = [(0, "a", 100)] * 30 + [(240, "b", 100)]

    def fresh() -> Run:
        return Run(policy, jobs, slots=3, settings=ClaimSettings(retirement=5000))

    one, other = fresh(), fresh()
    one.until(360)
    restore(other.simulation, json.loads(json.dumps(saved(one.simulation))))
    claims = one.simulation.state.claims.values()
    assert any(claim.begun < claim.job_begun for claim in claims)
    for run in (one, other):
        run.negotiator.show_times()
    before, after = (
        {name: str(slot.ad) for name, slot in run.simulation.pool.slots.items()}
        for run in (one, other)
    )
    assert before == after


# --- theory -------------------------------------------------------------------------------------


def test_in_the_steady_state_shares_are_inverse_to_priorities_and_priorities_are_usage(
    tmp_path: Path,
) -> None:
    """With factors 1 : 4 usage is 2 : 1, because priority times factor is inverse to usage."""
    policy = policy_of(tmp_path, "PRIORITY_HALFLIFE = 600\nNICE_USER_PRIO_FACTOR = 4000\n")
    text = """
[[stream]]
user = "a"
backlog = 6000
run_time = 240
spread = 0.3
[[stream]]
user = "b"
group = "nice-user"
backlog = 6000
run_time = 240
spread = 0.3
"""
    simulation = Simulation(
        pool=plain_pool(60, 1),
        workload=from_toml(text, "w.toml", 1, 20_000),
        settings=ClaimSettings(worklife=0),
        state=State(),
        sink=lambda *event: None,
        epoch=1_800_000_000,
    )
    negotiator = Negotiator(simulation, policy, 0)
    usage: dict[str, list[float]] = {}
    priority: dict[str, list[float]] = {}
    for moment in range(0, 12_000, 2 * INTERVAL):
        simulation.advance(moment)
        negotiator.cycle(2 * INTERVAL)
        if moment < 10 * 600:
            continue
        for name, (_, weight) in simulation.state.running.items():
            usage.setdefault(name, []).append(weight)
            record = simulation.state.accountant.customers[name]
            priority.setdefault(name, []).append(record.priority or 0.0)
    means = {name: sum(values) / len(values) for name, values in usage.items()}
    nice = "nice-user.b@sim.example"
    assert means[A] / sum(means.values()) == pytest.approx(2 / 3, rel=0.02)
    for name in (A, nice):
        assert sum(priority[name]) / len(priority[name]) == pytest.approx(means[name], rel=0.01)


def test_a_group_stays_within_its_quota_unless_it_accepts_surplus(tmp_path: Path) -> None:
    text = "GROUP_NAMES = g, h\nGROUP_QUOTA_g = 3\nGROUP_QUOTA_h = 2\n"
    pool = plain_pool(10, 1)
    for surplus in (False, True):
        policy = policy_of(tmp_path, text + f"GROUP_ACCEPT_SURPLUS_g = {surplus}\n")
        workload = Workload()
        for group in "gh":
            shape = workload.shape("u", group, 1, 0)
            workload.arrivals += [Arrival(0, 300, shape)] * 40
        run = Run(policy, [])
        run.simulation.workload, run.simulation.pool = workload, pool
        most = 0.0
        for moment in range(0, 900, INTERVAL):
            run.simulation.advance(moment)
            run.negotiator.cycle(INTERVAL)
            most = max(most, run.simulation.state.running["g.u@sim.example"][1])
            assert run.simulation.state.running["h.u@sim.example"][1] <= 2
        run.until(900)
        assert (most <= 3) is not surplus
        groups = summarise(run.simulation, complete=True)["groups"]
        assert groups["h"]["entitled_hours"] == 2 * 900 / 3600
        assert groups["h"]["usage_hours"] <= groups["h"]["entitled_hours"]
        assert {name: group["over_quota_hours"] for name, group in groups.items()} == {
            "<none>": 0.0,
            "g": 0.0,
            "h": 0.0,
        }
        pool = plain_pool(10, 1)


NO_AGING = "PREEMPTION_REQUIREMENTS = False\nPRIORITY_HALFLIFE = 1.0e30\n"


def test_the_numbers_of_two_users_who_share_four_slots_of_two_cores(tmp_path: Path) -> None:
    """Equal priorities that stay: two slots each; from 300 s on one of a's jobs, three of b's."""
    jobs = [(0, "a", 300)] * 3 + [(0, "b", 600)] * 3
    policy = policy_of(tmp_path, NO_AGING)
    run = Run(policy, jobs, slots=plain_pool(4, 2), settings=ClaimSettings(worklife=0))
    run.until(480)
    found = summarise(run.simulation, complete=False)
    done = 2 * 2 * 300
    a_runs, b_runs = 2 * 180, 2 * (480 + 480 + 180)
    assert found["goodput_hours"] * 3600 == pytest.approx(done)
    assert found["unfinished_hours"] * 3600 == pytest.approx(a_runs + b_runs)
    used = {name: user["usage_hours"] * 3600 for name, user in found["users"].items()}
    assert used == {A: pytest.approx(done + a_runs), B: pytest.approx(b_runs)}
    assert (found["completed"], found["submitted"], found["never_started"]) == (2, 6, 0)
    assert found["utilisation"] == pytest.approx((done + a_runs + b_runs) / (8 * 480))

    run = Run(policy, jobs, slots=plain_pool(4, 2), settings=ClaimSettings(worklife=0))
    run.until(960)
    found = summarise(run.simulation, complete=True)
    # Of 8 cores 4 each while both want more; then what runs, as nobody waits.
    entitled = {name: user["entitled_hours"] * 3600 for name, user in found["users"].items()}
    assert entitled == {A: pytest.approx(300 * (4 + 2)), B: pytest.approx(300 * (4 + 6 + 2))}
    used = {name: user["usage_hours"] * 3600 for name, user in found["users"].items()}
    assert used == {A: pytest.approx(1800), B: pytest.approx(3600)}
    assert [found["users"][name]["share"] for name in (A, B)] == pytest.approx([1 / 3, 2 / 3])
    assert found["jain_index"] == pytest.approx(1.0)
    assert (found["pool_hours"] * 3600, found["cycles"]) == (pytest.approx(8 * 960), 16)
    # At 0 and at 300 s there are both free slots and jobs that wait.
    assert found["cycles_with_matchmaking"] == 2
    assert found["unfinished_hours"] == found["badput_hours"] == 0
    for waits in (found, *found["users"].values()):
        assert (waits["wait_mean"], waits["wait_median"], waits["wait_95"]) == (100, 0, 300)


def test_a_user_is_due_what_he_wants_while_he_wants_it(tmp_path: Path) -> None:
    """Jobs that come between two cycles wait for the next one, and end when they end."""
    jobs = [(10, "a", 30), (70, "b", 100), (70, "c", 95)]
    run = Run(policy_of(tmp_path, NO_AGING), jobs, slots=4)
    run.until(600)
    found = summarise(run.simulation, complete=True)
    assert [user["entitled_hours"] * 3600 for user in found["users"].values()] == [30, 100, 95]
    assert found["jain_index"] == pytest.approx(1.0)


def test_what_a_user_wants_no_more_is_divided_among_the_others(tmp_path: Path) -> None:
    """Two of four slots each; a has nothing more from 30 s on, and b wants all."""
    jobs = [(0, "a", 30)] * 2 + [(0, "b", 600)] * 6
    run = Run(policy_of(tmp_path, NO_AGING), jobs, slots=4)
    run.until(60)
    found = summarise(run.simulation, complete=False)["users"]
    due = {name[0]: user["entitled_hours"] * 3600 for name, user in found.items()}
    assert due == {"a": pytest.approx(2 * 30), "b": pytest.approx(2 * 30 + 4 * 30)}


def test_a_group_that_was_within_its_quota_is_above_it_when_machines_leave(tmp_path: Path) -> None:
    """Half of four slots are two, half of the two that are left is one; two jobs run."""
    text = f"{NO_AGING}GROUP_NAMES = g\nGROUP_QUOTA_DYNAMIC_g = 0.5\n"
    run = Run(
        policy_of(tmp_path, text),
        [],
        slots=4,
        settings=ClaimSettings(worklife=0),
        changes=tuple(MachineChange(90, f"node000{n}", False) for n in (3, 4)),
    )
    workload = run.simulation.workload
    workload.arrivals += [Arrival(0, 600, workload.shape("a", "g", 1, 0))] * 3
    run.until(660)
    found = summarise(run.simulation, complete=True)
    assert found["pool_hours"] * 3600 == pytest.approx(4 * 120 + 2 * 540)
    (user,) = found["users"].values()
    # Two jobs until 120 s and one until 600 s; then one of quota, and one job that starts.
    due = 2 * 120 + 1 * 480 + 1 * 60
    assert (user["group"], user["entitled_hours"] * 3600) == ("g", pytest.approx(due))
    group = found["groups"]["g"]
    assert group["usage_hours"] * 3600 == pytest.approx(2 * 600 + 60)
    assert group["entitled_hours"] * 3600 == pytest.approx(due)
    assert group["over_quota_hours"] * 3600 == pytest.approx(1 * 480)
    assert found["groups"]["<none>"]["entitled_hours"] == 0


@pytest.mark.parametrize(
    ("ratios", "index"), [([], None), ([1, 1, 1], 1.0), ([1, 0], 0.5), ([0.0], None)]
)
def test_jain(ratios: list[float], index: float | None) -> None:
    assert jain(ratios) == index


# --- workloads ----------------------------------------------------------------------------------

SWF = """; Version: 2.2
1 10 5 600 4 -1 1024 4 -1 2048 1 3 7 -1 -1 -1 -1 -1
2 20 5 -1 4 -1 -1 4 -1 -1 0 3 7 -1 -1 -1 -1 -1
3 5 5 60 2 -1 512 -1 -1 -1 1 4 -1 -1 -1 -1 -1 -1
"""


def test_swf() -> None:
    workload = from_swf(SWF.splitlines(), "t.swf")
    assert [(job.submit, job.run_time) for job in workload.arrivals] == [(5, 60), (10, 600)]
    first, second = (workload.shapes[job.shape] for job in workload.arrivals)
    assert (first.user, first.cpus, first.ad.eval("RequestMemory")) == ("user4@sim.example", 2.0, 1)
    assert (second.user, second.ad.eval("RequestMemory")) == ("group7.user3@sim.example", 8)
    assert second.ad.eval("AccountingGroup") == "group7.user3"


@pytest.mark.parametrize(
    ("used", "requested", "memory"), [(5, 1, 2), (5, 0, 10), (5, -1, 10), (1, -1, 2), (-1, -1, 0)]
)
def test_the_least_memory_of_a_processor_counts_for_all_of_them(
    used: int, requested: int, memory: int
) -> None:
    """In KiB: what was asked for, else what was used, else nothing."""
    line = f"1 0 0 60 2048 -1 {used} 2048 -1 {requested} 1 3 7 -1 -1 -1 -1 -1"
    (shape,) = from_swf([line], "t.swf").shapes
    assert shape.ad.eval("RequestMemory") == memory


def test_csv() -> None:
    lines = "submit,user,run_time,group,cpus,count\n5,u,60,g,2,3\n1,v@x,7,,,\n"
    workload = from_csv(lines.splitlines(), "t.csv")
    assert [job.submit for job in workload.arrivals] == [1, 5, 5, 5]
    assert [shape.user for shape in workload.shapes] == ["g.u@sim.example", "v@x"]


def test_a_job_of_a_table_asks_for_what_its_row_says_and_nothing_else() -> None:
    (job,) = from_csv(
        ["submit,user,run_time,group,cpus,memory", "0,u@dom,5,g,2,300"], "j.csv"
    ).shapes
    assert (job.user, job.cpus) == ("g.u@dom", 2.0)
    assert {name: job.ad.raw(name) for name in job.ad.names() if name != "Requirements"} == {
        "MyType": "Job", "Owner": "u", "User": "u@dom", "JobStatus": 1, "JobUniverse": 5,
        "JobPrio": 0, "RequestCpus": 2, "RequestMemory": 300, "RequestDisk": 0,
        "AccountingGroup": "g.u", "AcctGroup": "g",
    }  # fmt: skip


def test_streams_are_random_but_the_same_for_a_seed() -> None:
    text = '[[stream]]\nuser = "u"\nper_hour = 60\nbatch = 3\nspread = 1.0\nend_hour = 100\n'
    one = from_toml(text, "t", 1, 360_000)
    assert one.arrivals == from_toml(text, "t", 1, 360_000).arrivals
    assert one.arrivals != from_toml(text, "t", 2, 360_000).arrivals
    assert len(one.arrivals) == pytest.approx(6000, rel=0.1)
    runs = sorted(job.run_time for job in one.arrivals)
    assert runs[len(runs) // 2] == pytest.approx(3600, rel=0.1)
    more = from_toml(text + '[[stream]]\nuser = "v"\nbacklog = 2\n', "t", 1, 360_000)
    assert [job for job in more.arrivals if job.shape == 0] == one.arrivals


def _trace(memory: str) -> str:
    return f"1 0 5 600 2048 500 1024 2048 900 {memory} 1 7 3 1 1 -1 -1 -1"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_swf(["1 2 3"], "t"), "t:1: 3 columns; SWF has 18"),
        (lambda: from_swf(["a b"], "t"), "t:1: `a b` is not a line of SWF"),
        (lambda: from_swf([_trace("1e300")], "t"), "t:1: `1 0 .* 1e300 .*` is not a line of SWF"),
        (lambda: from_swf([_trace("nan")], "t"), "is not a line of SWF"),
        (lambda: from_swf([_trace("-inf")], "t"), "is not a line of SWF"),
        (lambda: from_swf([_trace("9e18")], "t"), f"memory is more than {2**63 - 1} MB"),
        (lambda: from_csv(["user,submit"], "t"), "no column `run_time`"),
        (
            lambda: from_csv(["user,submit,run_time", f"u,{2**63},5"], "t"),
            f"t:2: submit `{2**63}` is more than {2**63 - 1}",
        ),
        (
            lambda: from_csv(["user,submit,run_time,count", "u,1,5,1", "u,1,5,10000000"], "t"),
            "t:3: 1e\\+07 jobs are more than 10,000,000",
        ),
        (
            lambda: from_streams([{"user": "u", "batch": 10**7 + 1}], "t", 0, 1),
            "jobs are more than 10,000,000",
        ),
        (lambda: from_csv(["user,submit,run_time", "u,-1,5"], "t"), "t:2: submit `-1`"),
        (lambda: from_csv(["user,submit,run_time", "u v,1,5"], "t"), "`u v` is not a user name"),
        (lambda: from_toml("x =", "t", 0, 1), "t: "),
        (lambda: from_toml("", "t", 0, 1), r"no \[\[stream\]\]"),
        (lambda: from_csv(["user,submit,run_time", "u,x,5"], "t"), "t:2: submit `x`"),
        (lambda: from_rows([5], "t"), "t: row 1: `5` is not a dictionary"),
        (
            lambda: from_streams([{"user": "u", "per_hour": 1e9}], "t", 0, 10**6),
            "jobs are more than 10,000,000",
        ),
        (
            lambda: from_streams([{"user": "u", "per_hour": 1e7 + 1}], "t", 0, 3600),
            "jobs are more than 10,000,000",
        ),
    ],
)
def test_workloads_that_are_none(call: Any, message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        call()


def test_a_captured_queue_can_come_again() -> None:
    plan = Plan(CAMPUS, "capture", 86_400, every=43_200)
    simulation, negotiator = build(plan, lambda *event: None)
    arrivals = simulation.workload.arrivals
    assert {job.submit for job in arrivals} == {0, 43_200}
    assert len(arrivals) == 2 * sum(job.submit == 0 for job in arrivals)
    assert negotiator.preempts
    slots = simulation.pool.slots.values()
    assert all(slot.ad.eval("State") == "Unclaimed" for slot in slots)
    assert simulation.pool.weight == 192.0
    simulation.advance(0)
    negotiator.cycle(60)
    assert len(simulation.state.claims) > 20


def test_a_capture_that_tells_no_time_begins_when_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slot = 'MyType = "Machine"\nName = "a"\nMachine = "a"\nCpus = 1\nMemory = 9\nDisk = 9\n'
    start = 'State = "Unclaimed"\nRequirements = time() > 1800000000\n'
    (tmp_path / "slots.ads").write_text(slot + start)
    (tmp_path / "jobs.ads").write_text("")
    (tmp_path / "condor_config").write_text("")
    (tmp_path / "w.toml").write_text('[[stream]]\nuser = "u@x"\nbacklog = 1\nrun_time = 60\n')
    command = ["simulate", str(tmp_path), "--workload", str(tmp_path / "w.toml"), "--json"]
    command += ["--days", "0.01"]
    assert main(command) == 2
    assert "give it with --now" in capsys.readouterr().err
    completed = []
    for now in ("1700000000", "2027-11-20T12:00"):
        assert main([*command, "--now", now]) == 0
        completed.append(json.loads(capsys.readouterr().out)["completed"])
    assert completed == [0, 1]
    assert main([*command, "--now", "soon"]) == 2
    assert "--now: `soon` is neither seconds" in capsys.readouterr().err


def test_captured_jobs_differ_in_what_slots_ask_for(tmp_path: Path) -> None:
    slot = """MyType = "Machine"
Name = "slot{0}@m{0}"
Machine = "m{0}"
Cpus = 1
Memory = 1024
Disk = 1000
State = "Unclaimed"
Activity = "Idle"
MyCurrentTime = 1700000000
Start = TARGET.Site == "{1}"
Requirements = START
"""
    job = """ClusterId = 1
ProcId = {0}
User = "ann@x"
Owner = "ann"
JobStatus = 1
JobUniverse = 5
RequestCpus = 1
RequestMemory = 1
RequestDisk = 1
Site = "{1}"
Args = "{0}"
Requirements = true
"""
    places = ("north", "south", "south")
    for name, text in (("slots.ads", slot), ("jobs.ads", job)):
        ads = [text.format(number, place) for number, place in enumerate(places)]
        (tmp_path / name).write_text("\n".join(ads))
    (tmp_path / "condor_config").write_text("")
    simulation, negotiator = build(Plan(str(tmp_path), "capture", 3600), lambda *event: None)
    assert [job.shape for job in simulation.workload.arrivals] == [0, 1, 1]
    simulation.advance(0)
    negotiator.cycle(60)
    assert len(simulation.state.claims) == 3


#: A job by its cluster and JobPrio, a slot by its machine.
JOB_OF_ANN = """
ClusterId = {0}
ProcId = 0
User = "ann@example"
JobStatus = 1
JobUniverse = 5
JobPrio = {1}
RequestCpus = 1
RequestMemory = 1
RequestDisk = 1
Requirements = true
"""
SMALL_SLOT = """
Name = "slot1@{0}"
Machine = "{0}"
Cpus = 1
Memory = 100
Disk = 100
Requirements = TARGET.RequestCpus <= Cpus
MyCurrentTime = 1800000000
"""


@pytest.mark.parametrize("worklife", [0, 7200])
def test_jobs_of_a_capture_start_in_the_order_of_their_own_priorities(
    tmp_path: Path, worklife: int
) -> None:
    """From the negotiator and from a claim that goes on, though all are of one autocluster."""
    jobs = [JOB_OF_ANN.format(number, prio) for number, prio in enumerate((0, 5, 10, 10, 0), 1)]
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    (tmp_path / "slots.ads").write_text(SMALL_SLOT.format("one"))
    (tmp_path / "condor_config").write_text("PREEMPTION_REQUIREMENTS = False\n")
    events: list[Any] = []
    plan = Plan(str(tmp_path), "capture", 86_400, run_time=600, worklife=worklife)
    simulation, negotiator = build(plan, lambda *event: events.append(event))
    for moment in range(0, 86_400, 300):
        simulation.advance(moment)
        negotiator.cycle(300)
    started = [job for _, event, _, job, _, _ in events if event == "start"]
    assert started == [3, 4, 2, 1, 5]


# --- the command --------------------------------------------------------------------------------

WORKLOAD = """
[[stream]]
user = "a"
backlog = 60
per_hour = 6
spread = 0.7
[[stream]]
user = "b"
begin_hour = 4
backlog = 30
per_hour = 4
spread = 0.7
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "config").write_text(PREEMPTING + "NEGOTIATOR_INTERVAL = 300\n")
    (tmp_path / "m.csv").write_text(
        "time,machine,event\n9000,node0003,leave\n20000,node0003,join\n"
    )
    return [
        "simulate", "6", "--workload", str(tmp_path / "w.toml"), "--seed", "3",
        "--config", str(tmp_path / "config"), "--machines", str(tmp_path / "m.csv"),
    ]  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.name not in ("run.json", "checkpoint.json")
    }


@pytest.mark.parametrize("days", ["0.05", "0.25"])
def test_a_day_is_24_hours(words: list[str], days: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--days", days, "--json"]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert ran["hours"] * 3600 == pytest.approx(24 * 3600 * float(days))
    assert ran["cycles"] == math.ceil(24 * 12 * float(days))  # one every 300 s


@pytest.mark.slow
def test_a_run_folder(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for number, form in enumerate(("csv", "csv", "jsonl")):
        folder = str(tmp_path / str(number))
        assert main([*words, "--days", "0.5", "-o", folder, "--format", form]) == 0
    assert files(tmp_path / "0") == files(tmp_path / "1")
    summary = json.loads((tmp_path / "0" / "summary.json").read_text())
    with (tmp_path / "0" / "events.csv").open() as file:
        events = list(csv.DictReader(file))
    starts = sum(event["event"] == "finish" for event in events)
    assert summary["completed"] == starts > 30
    assert summary["complete"] is True
    lines = (tmp_path / "2" / "events.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == [event["event"] for event in events]
    assert 0 < summary["jain_index"] <= 1
    assert f"{'jobs completed':<25s}{starts:>14d}\n" in capsys.readouterr().out
    # what is used is what was done, lost, or still runs
    hours = summary["goodput_hours"] + summary["badput_hours"] + summary["unfinished_hours"]
    assert sum(user["usage_hours"] for user in summary["users"].values()) == pytest.approx(hours)
    assert main([*words, "-o", str(tmp_path / "0")]) == 2
    assert "continue it with --resume" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["new", "above/new", "there"])
def test_a_run_that_is_refused_leaves_no_folder(
    place: str, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("kept\n")
    folder, workload = tmp_path / place, tmp_path / "w.toml"
    sound = workload.read_text()
    before = sorted(tmp_path.rglob("*"))
    for text in (sound.replace("[[stream]]", "[[streams]]"), ""):
        workload.write_text(text)
        assert main([*words, "--days", "0.1", "-o", str(folder)]) == 2
        assert "error" in capsys.readouterr().err
        assert sorted(tmp_path.rglob("*")) == before
    workload.write_text(sound)
    assert main([*words, "--days", "0.1", "-o", str(folder)]) == 0
    assert (folder / "run.json").is_file()


@pytest.mark.slow
def test_two_configurations(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.write_text("PREEMPTION_REQUIREMENTS = False\nNEGOTIATOR_INTERVAL = 300\n")
    place = words.index("--config")
    del words[place : place + 2]
    pair = ["--compare", str(tmp_path / "config"), str(other), "--days", "0.5"]
    assert main([*words, *pair, "--json", "-o", str(tmp_path / "both")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["a"]["submitted"] == found["b"]["submitted"]
    assert found["a"]["preemptions"] > found["b"]["preemptions"] == 0
    told = {(row["name"], row["metric"]): row["verdict"] for row in found["metrics"]}
    assert told["", "preemptions"] == told["", "badput_hours"] == "better"
    assert told["", "submitted"] == told["", "hours"] == "same"
    assert told["a@sim.example", "usage_hours"] in ("more", "less")
    assert main([*words, *pair]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "follows 25.14.1: no version is given"
    assert shown[1] == f"A: {tmp_path / 'config'}"
    assert shown[4].split() == ["A", "B", "B", "-", "A", "B", "is"]
    assert any(line.split()[:1] == ["preemptions"] and "better" in line for line in shown)
    assert (tmp_path / "both" / "b" / "summary.json").is_file()


@pytest.mark.slow
def test_several_seeds(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "seeds"
    run = [*words, "--days", "0.1", "--seeds", "3"]
    assert main([*run, "--json", "-o", str(folder)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["seeds"] == [3, 4, 5]
    kept = [json.loads((folder / f"seed-{n}" / "summary.json").read_text()) for n in (3, 4, 5)]
    assert found["runs"] == kept
    (row,) = (row for row in found["metrics"] if (row["name"], row["metric"]) == ("", "completed"))
    done = [summary["completed"] for summary in kept]
    assert (row["least"], row["most"]) == (min(done), max(done))
    assert row["mean"] == pytest.approx(sum(done) / 3)
    assert main(run) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "follows 25.14.1: no version is given"
    assert shown[1] == "3 seeds, 3 to 5"
    assert shown[3].split() == ["mean", "deviation", "least", "most"]


@pytest.mark.slow
def test_seeds_of_two_configurations_are_pairs(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two configurations that differ in nothing do not differ, whatever the workloads."""
    place = words.index("--config")
    config = words[place + 1]
    del words[place : place + 2]
    pair = ["--compare", config, config, "--days", "0.2", "--seeds", "2", "-o", str(tmp_path / "x")]
    assert main([*words, *pair, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["runs"]["a"] == found["runs"]["b"]
    assert found["runs"]["a"][0] != found["runs"]["a"][1]
    assert {row["verdict"] for row in found["metrics"]} <= {"same", ""}
    assert sorted(path.name for path in (tmp_path / "x" / "b").iterdir()) == ["seed-3", "seed-4"]


@pytest.mark.slow
def test_the_pool_of_a_moment_is_a_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negotiator that is asked matches what the simulated one did in that cycle."""
    monkeypatch.chdir(ROOT)
    run = ["simulate", "examples/campus", "--workload", "examples/workloads/campus-day.toml"]
    assert main([*run, "--days", "0.05", "--seed", "1", "-o", str(tmp_path / "run")]) == 0
    with (tmp_path / "run" / "events.csv").open(newline="") as file:
        events = [row for row in csv.DictReader(file) if row["time"] == "3600"]
    matched = {row["slot"] for row in events if row["event"] in ("match", "start")}
    preempted = {row["slot"] for row in events if row["event"] == "match"}
    capsys.readouterr()
    folder = tmp_path / "moment"
    assert main([*run, "--days", "0.05", "--seed", "1", "--capture", "1", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"the pool at hour 1.00 is in {folder}; ")
    question = shlex.split(said.splitlines()[1])
    assert question[:4] == ["pieslice", "why", str(folder), "JOB"]
    assert main(["negotiate", *question[2:3], *question[4:], "--json"]) == 0
    matches = json.loads(capsys.readouterr().out)["matches"]
    assert {match["slot"] for match in matches} == matched
    assert {match["slot"] for match in matches if match["preempted"]} == preempted != set()
    job = next(row["job"] for row in events if row["event"] == "start")
    assert main([*question[1:3], f"{job}.0", *question[4:]]) == 0
    assert "matched" in capsys.readouterr().out
    assert main([*run, "--capture", "1", str(folder)]) == 2
    assert "contains files already" in capsys.readouterr().err
    assert main([*run, "--capture", "99", str(tmp_path / "x")]) == 2
    assert "after the end of the run" in capsys.readouterr().err


def test_the_command_of_a_run_makes_it_again(tmp_path: Path, words: list[str]) -> None:
    more = ["--days", "0.1", "--set", "PRIORITY_HALFLIFE=3600 * 2", "--vacate", "20"]
    assert main([*words, *more, "-o", str(tmp_path / "first")]) == 0
    command = json.loads((tmp_path / "first" / "run.json").read_text())["command"]
    again = shlex.split(command)
    assert again[0] == "pieslice"
    assert main([*again[1:], "-o", str(tmp_path / "second")]) == 0
    assert files(tmp_path / "first") == files(tmp_path / "second")


def test_parquet(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "run"
    assert main([*words, "--days", "0.1", "-o", str(folder), "--parquet"]) == 0
    table = parquet.read_table(folder / "series.parquet")
    assert table.column_names[:4] == ["time", "kind", "name", "usage"]
    capsys.readouterr()


#: Sends itself a signal at the given row, flush to the disk or replacement of a file.
SIGNALLED = """
import os, signal, sys
from pathlib import Path
from pieslice.cli import main
from pieslice.simulation.output import RunFolder

number, left = int(sys.argv[1]), int(sys.argv[2])

def counted(function):
    def call(*words, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), number)
        return function(*words, **named)
    return call

RunFolder.write, os.fsync = counted(RunFolder.write), counted(os.fsync)
Path.rename = counted(Path.rename)
sys.exit(main(sys.argv[3:]))
"""


def interrupt_at(monkeypatch: pytest.MonkeyPatch, cycle: int, times: int = 1) -> None:
    """Press Ctrl-C in a cycle, counted from 1 over all runs."""
    hold, count = Negotiator.cycle, itertools.count(1)

    def counted(negotiator: Negotiator, seconds: int) -> None:
        hold(negotiator, seconds)
        if next(count) == cycle:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Negotiator, "cycle", counted)


def signalled(number: int, count: int, words: list[str]) -> subprocess.CompletedProcess[str]:
    """A run that gets a signal at a moment that does not depend on the speed of the machine."""
    return subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(int(number)), str(count), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "days"),
    [(3, "0.5"), pytest.param(20, "4", marks=[pytest.mark.slow, pytest.mark.long])],
)
def test_a_killed_run_goes_on_to_the_same_bytes(
    tmp_path: Path, words: list[str], kills: int, days: str
) -> None:
    """Killed at any row it writes, while it makes a checkpoint, as soon as it has been taken up."""
    command = [*words, "--days", days, "--checkpoint-hours", "0.5"]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    folder, rng = tmp_path / "cut", Random(kills)
    rows = sum(len(path.read_text().splitlines()) for path in (tmp_path / "whole").glob("*.csv"))
    again = [*command, "-o", str(folder)]
    for number in range(kills):
        # All together not so many that the run could be done before.
        count = 1 + rng.randrange(rows // kills) if number else 4
        done = signalled(signal.SIGKILL, count, again)
        assert done.returncode == -signal.SIGKILL, done.stderr
        again = ["simulate", "--resume", str(folder)]
    assert main(again) == 0
    assert files(folder) == files(tmp_path / "whole")


@pytest.mark.slow
def test_ctrl_c_leaves_a_valid_part_that_can_be_taken_up(
    tmp_path: Path,
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = [*words, "--days", "0.5"]
    folder = tmp_path / "run"
    before = signal.getsignal(signal.SIGINT)
    interrupt_at(monkeypatch, 50)
    assert main([*command, "-o", str(folder)]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert "interrupted" in capsys.readouterr().out
    part = json.loads((folder / "summary.json").read_text())
    assert (part["complete"], part["cycles"], part["hours"]) == (False, 50, 50 * 300 / 3600)
    assert main(["simulate", "--resume", str(folder)]) == 0
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    assert files(folder) == files(tmp_path / "whole")
    capsys.readouterr()
    assert main(["simulate", "--resume", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True


@pytest.mark.slow
def test_the_second_ctrl_c_does_not_wait_for_the_end_of_the_cycle(
    tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves what a killed run leaves: the checkpoints."""
    command = [*words, "--days", "0.5"]
    folder = tmp_path / "run"
    before = signal.getsignal(signal.SIGINT)
    interrupt_at(monkeypatch, 100, times=2)
    assert main([*command, "-o", str(folder)]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert not (folder / "summary.json").exists()
    assert json.loads((folder / "checkpoint.json").read_text())["next"] == 6 * 3600
    assert main(["simulate", "--resume", str(folder)]) == 0
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    assert files(folder) == files(tmp_path / "whole")


def test_a_run_in_memory_that_is_interrupted_tells_its_numbers_so_far(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(monkeypatch, 12)
    assert main([*words, "--json"]) == 130
    found = json.loads(capsys.readouterr().out)
    assert (found["complete"], found["hours"]) == (False, 1.0)


def test_a_simulation_runs_in_any_thread(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the main thread may say what Ctrl-C does."""
    command = [*words, "--days", "0.1"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(main, command).result() == 0
    there = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == there


#: 0.2 days are 58 cycles of 300 s.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "cycle", "which", "rest"),
    [
        (
            ["--compare", "{config}", "{config}", "-o", "{out}"],
            20,
            " of A, {config}: --resume {out}/a goes on",
            "; --config and -o {out}/b run the other one",
        ),
        (
            ["--compare", "{config}", "{config}", "-o", "{out}"],
            70,
            " of B, {config}: --resume {out}/b goes on",
            "",
        ),
        (
            ["--seeds", "2", "-o", "{out}"],
            70,
            ", seed 4: --resume {out}/seed-4 goes on",
            "; the runs before it are kept",
        ),
        (
            ["--compare", "{config}", "{config}", "--seeds", "2", "-o", "{out}"],
            130,
            " of A, {config}, seed 4: --resume {out}/a/seed-4 goes on",
            "; the runs before it are kept",
        ),
        (
            ["--compare", "{config}", "{config}", "--seeds", "2"],
            70,
            " of B, {config}, seed 3; nothing is kept without -o",
            "",
        ),
    ],
)
def test_ctrl_c_in_one_of_several_runs_says_how_to_go_on(
    tmp_path: Path,
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    cycle: int,
    which: str,
    rest: str,
) -> None:
    at = words.index("--config")
    names = {"config": words[at + 1], "out": tmp_path / "out"}
    more = [word.format(**names) for word in options]
    plain = [*words[:at], *words[at + 2 :], "--days", "0.2"]
    command = [*(plain if "--compare" in more else [*words, "--days", "0.2"]), *more]
    interrupt_at(monkeypatch, cycle)
    assert main(command) == 130
    shown = capsys.readouterr()
    assert shown.out == ""
    note = f"note: interrupted in the run{which}{rest}\n".format(**names)
    assert shown.err == note
    if "-o" in more:
        folder = shown.err.partition("--resume ")[2].partition(" ")[0]
        assert main(["simulate", "--resume", folder]) == 0
        assert json.loads((Path(folder) / "summary.json").read_text())["complete"] is True
    if "the other" in rest:
        assert main([*plain, "--config", names["config"], "-o", f"{names['out']}/b"]) == 0
        assert files(tmp_path / "out" / "b") == files(tmp_path / "out" / "a")


def test_a_run_whose_files_have_changed_is_not_taken_up(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main([*words, "--days", "0.1", "-o", str(folder)]) == 0
    (folder / "summary.json").unlink()
    (tmp_path / "config").write_text("")
    assert main(["simulate", "--resume", str(folder)]) == 2
    assert "has changed since" in capsys.readouterr().err


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    swf = tmp_path / "t.swf.gz"
    swf.write_bytes(gzip.compress(SWF.encode()))
    empty = tmp_path / "e.csv"
    empty.write_text("submit,user,run_time\n")
    machines = tmp_path / "m.csv"
    machines.write_text("time,machine,event\n5,none,leave\n")
    (tmp_path / "broken.swf.gz").write_bytes(b"no")
    (tmp_path / "times.csv").write_text("machine,event\n")
    torn, bare = tmp_path / "torn", tmp_path / "bare"
    torn.mkdir()
    (torn / "run.json").write_text("{")
    bare.mkdir()
    (bare / "slots.ads").write_text("")
    traced = ["4", "--workload", str(swf)]
    assert main(["simulate", "4x8", "--workload", str(swf), "--days", "0.1"]) == 0
    for words, message in (
        ([], "--resume"),
        (["4"], "--workload"),
        (["4", "--workload", "x.toml"], "no such file"),
        (["4", "--workload", str(tmp_path)], "directory"),
        (["4", "--workload", str(empty)], "contains no jobs"),
        (["4", "--workload", "capture"], "needs a captured pool"),
        (["4x2"], "`4x2` are slots without jobs: give --workload"),
        (
            ["4", "--workload", "x.csv", "--compare", "PRIORITY_HALFLIF=1", "b"],
            "`PRIORITY_HALFLIF` is not a macro that HTCondor reads",
        ),
        (["4", "--workload", str(machines.rename(tmp_path / "m.txt"))], ".swf, .csv or .toml"),
        ([str(tmp_path / "nowhere"), "--workload", str(swf)], "or a number of slots: 10, or 10x8"),
        (["4", "--workload", str(tmp_path / "broken.swf.gz")], "not a whole gzip file"),
        ([*traced, "--machines", str(tmp_path / "times.csv")], "no column `time`"),
        ([*traced, "--parquet"], "--parquet needs -o"),
        ([*traced, "--report", str(tmp_path / "no" / "r.html")], "no such folder"),
        ([*traced, "--config", "a", "--compare", "a", "b"], "give --config or --compare"),
        (["--resume", str(tmp_path)], "contains no run to continue"),
        (["--resume", str(torn)], "damaged; start a new run"),
        (
            [*traced, "--capture", "1", str(tmp_path / "c"), "--seeds", "2"],
            "give it without other outputs",
        ),
        ([str(bare), "--workload", str(swf)], "no slot"),
    ):
        assert main(["simulate", *words]) == 2, words
        assert message in capsys.readouterr().err
    for words, message in (
        (["--vacate", "-5"], "not a whole number"),
        (["--every", "nan"], "not a number of at least 0"),
    ):
        with pytest.raises(SystemExit):
            main(["simulate", *traced, *words])
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A = 1\nif x\n", "`x` is not a condition"),
        ("my-name = 2\nother-name = 3\n", "`my-name` is not a macro name"),
        ("include : nowhere\n", "cannot read `nowhere`"),
    ],
)
def test_a_policy_that_does_not_parse_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    bad, good, table = (tmp_path / name for name in ("bad", "good", "jobs.csv"))
    bad.write_text(text)
    good.write_text("")
    table.write_text("submit,user,run_time\n0,a,60\n")
    words = ["4", "--workload", str(table), "--days", "0.01"]
    halves = ["--set", "PRIORITY_HALFLIFE=3600,86400", "--jobs", "1"]
    for command in (
        ["simulate", *words, "--config", str(bad)],
        ["simulate", *words, "--compare", str(good), str(bad)],
        ["sweep", *words, "--config", str(bad), *halves],
        ["forecast", str(ROOT / "examples" / "campus"), "--config", str(bad)],
    ):
        assert main(command) == 2, command
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.count("error:") == 1
        assert message in shown.err


def test_what_should_be_known_before_a_run_is_believed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "jobs.csv"
    lines = [
        f"0,{user},60,{cpus},2" for user, cpus in zip("abcdef", (1, 1, 9, 9, 9, 9), strict=True)
    ]
    table.write_text("\n".join(["submit,user,run_time,cpus,count", *lines, ""]))
    words = ["simulate", "2x8", "--workload", str(table), "--days", "0.01"]
    (tmp_path / "half").write_text("PRIORITY_HALFLIFE = soon\n")
    assert main([*words, "--config", str(tmp_path / "half")]) == 0
    shown = capsys.readouterr()
    assert "PRIORITY_HALFLIFE: `soon` is not a number" in shown.err
    assert "2 jobs of c@sim.example (9 cpus): no slot of the pool fits" in shown.err
    assert "nor for 2 jobs of 1 more kinds" in shown.err
    assert "a@sim.example (" not in shown.err
    assert f"{'jobs that never started':<25s}{8:>14d}\n" in shown.out


def test_what_a_simulation_leaves_out_of_a_policy_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "jobs.csv").write_text("submit,user,run_time\n0,a,60\n")
    words = ["simulate", "2", "--workload", str(tmp_path / "jobs.csv"), "--days", "0.01"]
    told = "note: ALLOW_PSLOT_PREEMPTION: in a simulation no dynamic slot"
    for text, notes in (
        ("STARTD_AD_REEVAL_EXPR = true\n", ["STARTD_AD_REEVAL_EXPR is not honoured: "]),
        ("ALLOW_PSLOT_PREEMPTION = True\n", [told]),
        ("ALLOW_PSLOT_PREEMPTION = True\nNEGOTIATOR_CONSIDER_PREEMPTION = False\n", []),
    ):
        (tmp_path / "config").write_text(text)
        assert main([*words, "--config", str(tmp_path / "config")]) == 0
        shown = " ".join(capsys.readouterr().err.split())
        assert shown.count("note: ") == len(notes)
        assert all(note in shown for note in notes)


def test_expressions_that_would_end_jobs_are_not_passed_over_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slot = 'MyType = "Machine"\nName = "slot1@m"\nCpus = 4\nMyCurrentTime = 1795000000\n'
    (tmp_path / "slots.ads").write_text(f"{slot}Requirements = true\n")
    head = 'MyType = "Job"\nUser = "a@d"\nJobStatus = 1\nJobUniverse = 5\nProcId = 0\n'
    hold = "PeriodicHold = time() - QDate > 9\n"
    kinds = enumerate(("", "PeriodicHold = false\n", hold, "AllowedJobDuration = 9\n"), 1)
    jobs = [f"{head}Requirements = true\nClusterId = {number}\n{own}" for number, own in kinds]
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    words = ["simulate", str(tmp_path), "--workload", "capture", "--days", "0.01"]
    assert main(words) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "2 jobs have expressions that hold, remove or requeue jobs, which are not" in said
    assert "SYSTEM_PERIODIC" not in said
    assert main([*words, "--set", "SYSTEM_PERIODIC_HOLD=JobStatus == 2"]) == 0
    assert "not simulated: SYSTEM_PERIODIC_HOLD" in " ".join(capsys.readouterr().err.split())


def test_demand_that_no_slot_serves_is_nobodys_due(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both users get all that they could have; one also wants what no slot is large enough for."""
    jobs = ["0,a,3600,1,1", "0,b,3600,1,1", "0,b,3600,4,9"]
    (tmp_path / "jobs.csv").write_text("\n".join(["submit,user,run_time,cpus,count", *jobs, ""]))
    words = ["simulate", "4", "--workload", str(tmp_path / "jobs.csv"), "--days", "0.1", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    users = found["users"].values()
    assert [user["entitled_hours"] for user in users] == [user["usage_hours"] for user in users]
    assert (found["jain_index"], found["unservable"], found["never_started"]) == (1.0, 9, 9)


def test_events_tell_the_numbers_that_jobs_have_in_their_trace(tmp_path: Path) -> None:
    """Job 3 never ran; it is left out, and the others keep their numbers."""
    lines = [f"{n} {n * 10} -1 {ran} 1 -1 -1 1 -1 -1 1 5 1 -1 1 -1 -1 -1" for n, ran in
             ((1, 60), (2, 60), (3, -1), (4, 60))]  # fmt: skip
    (tmp_path / "t.swf").write_text("\n".join(["; Version: 2", *lines, ""]))
    run = tmp_path / "run"
    words = ["simulate", "4", "--workload", str(tmp_path / "t.swf"), "--days", "0.01"]
    assert main([*words, "-o", str(run), "--format", "jsonl"]) == 0
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    starts = {event["job"]: event["origin"] for event in events if event["event"] == "start"}
    assert starts == {1: "1", 2: "2", 3: "4"}


@pytest.mark.parametrize("name", ["1x", "A B", "", "a-b"])
def test_what_is_set_is_a_macro(name: str) -> None:
    with pytest.raises(RunError, match=re.escape(f"`{name}` is not the name of a macro")):
        check_macro(name)


@pytest.mark.parametrize(
    "name",
    [
        "PRIORITY_HALFLIFE",
        "priority_halflife",
        "GROUP_QUOTA_g",
        "LIC_LIMIT",
        "lic_limit",
    ],
)
def test_groups_and_limits_have_names_of_their_own(name: str) -> None:
    """Anybody may call a group or a concurrency limit anything; other macros are HTCondor's."""
    about_policy(Plan("2", "capture", 60, settings=((name, "1"),)))


@pytest.mark.parametrize("name", ["PRIORITY_HALFLIVE", "QUOTA_GROUP_g", "LIMIT_lic", "GROUPS"])
def test_other_names_are_those_of_macros(name: str) -> None:
    with pytest.raises(InputError, match=f"`{name}` is not a macro that HTCondor reads"):
        about_policy(Plan("2", "capture", 60, settings=((name, "1"),)))


@pytest.mark.parametrize(
    ("text", "vacate", "found"),
    [("", 10, 10), ("", 3600, 600), ("MachineMaxVacateTime = 100\n", 3600, 100)],
)
def test_a_job_stops_within_the_time_that_its_machine_gives(
    tmp_path: Path, text: str, vacate: int, found: int
) -> None:
    (tmp_path / "jobs.csv").write_text("submit,user,run_time\n0,a,60\n")
    (tmp_path / "config").write_text(text)
    config = str(tmp_path / "config")
    plan = Plan("2", str(tmp_path / "jobs.csv"), 60, config=config, vacate=vacate)
    assert build(plan, lambda *event: None)[0].settings.vacate == found


def test_who_is_told_of_cycles_hears_of_jobs_for_which_no_slot_is_free(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, "PREEMPTION_REQUIREMENTS = False\n")
    run = Run(policy, [(0, "a", 600), (0, "b", 600)])
    rejected: list[list[str]] = []
    run.negotiator.told = lambda result: rejected.append([one.job for one in result.rejections])
    run.until(180)
    assert rejected == [["2.0"]] * 3


def test_dynamic_slots_alone_are_no_pool(tmp_path: Path) -> None:
    """They come from partitionable ones, which the capture lacks."""
    part = 'MyType = "Machine"\nName = "slot1_1@a"\nDynamicSlot = true\nCpus = 1\n'
    (tmp_path / "slots.ads").write_text(f"{part}MyCurrentTime = 1800000000\n")
    for name in ("condor_config", "jobs.ads"):
        (tmp_path / name).write_text("")
    (tmp_path / "jobs.csv").write_text("submit,user,run_time\n0,a,60\n")
    with pytest.raises(InputError) as caught:
        build(Plan(str(tmp_path), str(tmp_path / "jobs.csv"), 60), lambda *event: None)
    assert [item.message for item in caught.value.diagnostics] == [
        f"{tmp_path}: contains no static or partitionable slot"
    ]


def test_the_workload_of_a_capture_is_what_waits_and_runs(tmp_path: Path) -> None:
    """Held, removed and completed jobs do not come, nor those of nobody."""
    job = "ClusterId = {0}\nProcId = 0\nJobUniverse = 5\nRequestCpus = 1\nJobStatus = {0}\n{1}"
    jobs = [job.format(status, f'User = "u{status}@x"\n') for status in range(1, 8)]
    # Status and user as they are at the time of the capture.
    late = job.format(1, 'User = time() == 1800000000 ? "late@x" : "early@x"\n')
    late += "JobStatus = time() > 1800000000 || time() < 1800000000 ? 5 : 1\n"
    (tmp_path / "jobs.ads").write_text("\n".join([*jobs, job.format(1, ""), late]))
    slot = 'MyType = "Machine"\nName = "slot1@a"\nCpus = 1\nMyCurrentTime = 1800000000\n'
    (tmp_path / "slots.ads").write_text(slot)
    (tmp_path / "condor_config").write_text("")
    simulation, _ = build(Plan(str(tmp_path), "capture", 3600), lambda *event: None)
    users = map(simulation.user_of, range(len(simulation.workload.arrivals)))
    assert list(users) == ["u1@x", "u2@x", "late@x"]


def test_a_run_without_rows_has_no_charts(tmp_path: Path) -> None:
    jobs = [{"user": "u", "submit": 1, "run_time": 5}]
    one = pieslice.simulate(4, jobs, days=0.01)
    ((run,),) = (side.runs for side in one.sides)
    assert run.data()
    with pytest.raises(ValueError, match="the run kept no series"):
        evolve(run, series=()).data()


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        ("user = 'a'\nper_hours = 3", "unknown key `per_hours`; did you mean `per_hour`?"),
        ("user = 'a'\nrun_time = 'x'", "run_time `x` is not a number"),
        ("user = 'a'\nbacklog = 2.5", "backlog `2.5` is not a whole number of at least 0"),
        ("user = 'a'\ncpus = 0", "cpus `0` is not a whole number of at least 1"),
        ("user = 'a b'", "user `a b` is not a name without spaces"),
        ("user = 'a'\nper_hour = inf", "per_hour `inf` is not a number of at most 1e+09"),
        ("user = 'a'\nper_hour = nan", "per_hour `nan` is not a number"),
        (
            f"user = 'a'\nbacklog = {'9' * 1000}",
            f"backlog `{'9' * 1000}` is not a number of at most",
        ),
        ("backlog = 1", "no `user`"),
    ],
)
def test_streams_that_are_wrong(stream: str, message: str) -> None:
    text = f"[[stream]]\nuser = 'x'\nbacklog = 1\n[[stream]]\n{stream}\n"
    with pytest.raises(WorkloadError, match=re.escape(f"w.toml: stream 2: {message}")):
        from_toml(text, "w.toml", 0, 3600)


def test_slots_have_a_machine() -> None:
    assert SimSlot("slot1_2@node@vm", ClassAd(), 1.0).machine == "node@vm"


# --- what follows from a match, step by step ------------------------------------------------------


def two_users(tmp_path: Path, **options: Any) -> tuple[Simulation, SimSlot]:
    """A slot on which A's job 1 runs; B's job 0 waits."""
    run = Run(policy_of(tmp_path), [(0, "b", 5000), (0, "a", 600)], **options)
    simulation = run.simulation
    simulation.advance(0)
    (slot,) = simulation.pool.slots.values()
    simulation._claim(slot, A, "schedd", 1, How.MATCH)
    return simulation, slot


def test_the_first_job_of_all_waits_again_if_the_slot_that_it_waits_for_leaves(
    tmp_path: Path,
) -> None:
    """Its number is 0."""
    (machine,) = {slot.machine for slot in plain_pool(1, 1).slots.values()}
    simulation, slot = two_users(
        tmp_path,
        settings=ClaimSettings(retirement=9000),
        changes=(MachineChange(60, machine, False),),
    )
    simulation._preempt(slot, simulation.state.claims[slot.name], B, "schedd", 0, by_rank=False)
    assert not simulation.idle[B]
    simulation.advance(60)
    assert [list(shapes.values()) for shapes in simulation.idle.values()] == [[[0]], [[1]]]


@pytest.mark.parametrize("preemption", ["", "PREEMPTION_REQUIREMENTS = False\n"])
def test_one_cycle_starts_all_that_fit_of_jobs_that_share_an_autocluster(
    tmp_path: Path, preemption: str
) -> None:
    """They differ in what no slot asks for: the schedd gives each match to the best one left."""
    jobs = [JOB_OF_ANN.format(number, prio) for number, prio in enumerate((0, 5, 10, 10, 0), 1)]
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    (tmp_path / "slots.ads").write_text("\n".join(map(SMALL_SLOT.format, "abcd")))
    (tmp_path / "condor_config").write_text(preemption)
    for quick in (True, False):
        events: list[Any] = []
        simulation, negotiator = build(
            Plan(str(tmp_path), "capture", 3600), lambda *event, to=events: to.append(event)
        )
        negotiator = Negotiator(simulation, negotiator.policy, 0, quick)
        simulation.advance(0)
        negotiator.cycle(60)
        assert [(job, slot) for _, event, _, job, slot, _ in events if event == "start"] == [
            (3, "slot1@a"), (4, "slot1@b"), (2, "slot1@c"), (1, "slot1@d"),
        ]  # fmt: skip


def test_a_slot_that_somebody_waits_for_is_not_promised_again(tmp_path: Path) -> None:
    """The startd likes jobs of c better, and c comes while b waits: b has the slot first."""
    policy = policy_of(tmp_path, PREEMPTING + EARLY)
    pool = plain_pool(1, 1)
    (slot,) = pool.slots.values()
    slot.ad.insert("Rank", ExprTree('TARGET.Owner == "c"'))
    jobs = [HALF_DAY, (3600, "b", 600), (5000, "c", 60)]
    run = Run(policy, jobs, slots=pool, settings=ClaimSettings(retirement=7200))
    assert run.until(10_000)[1:6] == [
        (3600, "match", "b", 2),
        (7200, "preempt", "a", 1),
        (7200, "start", "b", 2),
        (7200, "match", "c", 3),
        (7800, "finish", "b", 2),
    ]


def test_dynamic_slots_are_not_preempted_for_their_partitionable_slot(tmp_path: Path) -> None:
    """Those that the slot had when it was captured are gone; there is nobody to take it from."""
    policy = policy_of(tmp_path, PREEMPTING + EARLY + "ALLOW_PSLOT_PREEMPTION = True\n")
    ad = partitionable().slots["slot1@big"].ad
    for name, values in (
        ("childname", '{"slot1_1@big", "slot1_2@big"}'),
        ("ChildState", '{"Claimed", "Claimed"}'),
        ("ChildRemoteUser", f'{{"{A}", "{A}"}}'),
        ("ChildCurrentRank", "{-1.0, -1.0}"),
        ("ChildCpus", "{2, 2}"),
        ("ChildMemory", "{0, 0}"),
    ):
        ad.insert(name, ExprTree(values))
    run = Run(policy, [(0, "a", 8000)] * 4, slots=pool_of([ad]), cpus=2)
    workload = run.simulation.workload
    workload.arrivals.append(Arrival(3600, 60, workload.shape("b", "", 4, 0)))
    matched: list[str] = []
    run.negotiator.told = lambda result: matched.extend(match.job for match in result.matches)
    events = run.until(10_000)
    assert matched == ["1.0", "5.0"]
    starts = {job: at for at, kind, _, job in events if kind == "start"}
    # The cycle after a's jobs have ended.
    assert starts == {1: 0, 2: 0, 3: 0, 4: 0, 5: 8040}


def test_a_moment_shows_which_job_waits_for_a_slot_to_be_vacated(tmp_path: Path) -> None:
    """It is idle, and its schedd offers it no more; before and after there is no such claim."""
    policy = policy_of(tmp_path, PREEMPTING + EARLY)
    jobs = [HALF_DAY, (3600, "b", 60), (3600, "b", 60)]
    found = []
    for moment, folder in ((600, "before"), (3660, "while"), (7230, "after")):
        run = Run(policy, jobs, settings=ClaimSettings(retirement=7200))
        run.until(moment)
        write_moment(run.negotiator, tmp_path / folder)
        (tmp_path / folder / "condor_config").write_text(PREEMPTING + EARLY)
        taken = read_capture(CapturePaths(tmp_path / folder))
        assert taken.diagnostics == ()
        (queue,) = taken.snapshot.queues
        assert [queue.running, *queue.matched] == [0, *([(2, 0)] if folder == "while" else [])]
        found.append([(job["JobStatus"], job.get("RemoteHost")) for job in queue.jobs])
        since = [job.get("JobCurrentStartDate") for job in queue.jobs if job["JobStatus"] == 2]
        assert since == [run.simulation.epoch + (7200 if folder == "after" else 0)]
        pool = pieslice.read(tmp_path / folder)
        asked = [*pool.negotiate().matches["job"], *pool.negotiate().rejections["job"]]
        wanted = {"before": [], "while": ["3.0"], "after": ["1.0", "3.0"]}
        assert sorted(asked) == wanted[folder]
    runs, waits = (2, "slot1@node0001"), (1, None)
    assert found == [[runs], [runs, waits, waits], [waits, runs, waits]]


def beginning(tmp_path: Path, text: str = "", consumes: bool = False, **options: Any) -> list[Any]:
    """Who starts in the first two cycles on two slots of eight cores: a's and b's jobs of three."""
    ads = []
    for name in ("slot1@big", "slot1@other"):
        ad = partitionable().slots["slot1@big"].ad.duplicate()
        ad.insert("Name", name)
        ad.insert("Requirements", ExprTree("TARGET.RequestCpus <= MY.Cpus"))
        if consumes:
            ad.insert("MachineResources", "Cpus")
            ad.insert("ConsumptionCpus", ExprTree("TARGET.RequestCpus"))
        ads.append(ad)
    policy = policy_of(tmp_path, text)
    jobs = [(0, user, 7000) for user in "aaabbbb"]
    events = alike(
        policy,
        lambda: Run(policy, jobs, slots=pool_of(ads), cpus=3, settings=ClaimSettings(**options)),
        90,
    )
    return sorted((at, user, job) for at, kind, user, job in events if kind == "start")


def test_the_schedd_fills_what_a_match_leaves_of_a_partitionable_slot(tmp_path: Path) -> None:
    """Two jobs of three cores fit, the best first, and all are of the user who has the match."""
    assert beginning(tmp_path) == [(0, "a", 1), (0, "a", 2), (0, "b", 4), (0, "b", 5)]
    one_each = [(0, "a", 1), (0, "b", 4)]
    # Without, a cycle matches each slot once.
    later = beginning(tmp_path, leftovers=False)
    assert (later[:2], [at for at, _, _ in later[2:]]) == (one_each, [60, 60])
    # So it is where the negotiator divides the slots itself.
    assert [at for at, _, _ in beginning(tmp_path, consumes=True)] == [0, 0, 60, 60]
    # One more starts than the schedd may run, before it counts; it vacates the first at once.
    three = [(0, "a", 1), (0, "a", 2), (0, "b", 4)]
    assert beginning(tmp_path, "MAX_JOBS_RUNNING = 2\n")[:3] == three
    assert len(beginning(tmp_path, "MAX_JOBS_RUNNING = 4\n")) == 4


def test_the_configuration_says_who_has_what_a_match_leaves(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("submit,user,run_time\n0,a,60\n")
    for text, leftovers in (
        ("", True),
        ("CLAIM_PARTITIONABLE_LEFTOVERS = False\n", False),
        ("SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS = False\n", False),
        ("NEGOTIATOR_USE_SLOT_WEIGHTS = False\n", False),
    ):
        (tmp_path / "config").write_text(text)
        plan = Plan("2", str(tmp_path / "jobs.csv"), 60, config=str(tmp_path / "config"))
        simulation, _ = build(plan, lambda *event: None)
        assert simulation.settings.leftovers is leftovers, text


def test_every_resource_of_a_partitionable_slot_is_given_once(tmp_path: Path) -> None:
    """Two GPUs and eight cores: of three jobs with a GPU each two run, beside those without."""
    policy = policy_of(tmp_path)
    ad = partitionable().slots["slot1@big"].ad
    fits = " && ".join(f"TARGET.Request{name} <= MY.{name}" for name in ("Cpus", "GPUs"))
    for name, value in (
        # Nobody knows how many licences there are.
        ("MachineResources", "Cpus Memory Disk Swap GPUs Licences"),
        ("GPUs", 0),
        ("TotalSlotGPUs", 2),
        ("Requirements", ExprTree(f"{fits} || TARGET.RequestGPUs is undefined")),
    ):
        ad.insert(name, value)

    def made() -> Run:
        run = Run(policy, [], slots=pool_of([ad]), settings=ClaimSettings(worklife=0))
        workload = run.simulation.workload
        workload.arrivals += [Arrival(0, 600, workload.shape("a", "", 1, 0))] * 3
        workload.arrivals += [Arrival(0, 2000, workload.shape("b", "", 1, 0))] * 2
        workload.shapes[0].ad.insert("RequestGPUs", 1)
        return run

    events = alike(policy, made, 1000)
    starts = Counter((who, at < 600) for at, kind, who, _ in events if kind == "start")
    assert starts == {("a", True): 2, ("b", True): 2, ("a", False): 1}
    run = made()
    run.until(300)
    slots = [slot.ad["GPUs"] for slot in run.simulation.pool.slots.values()]
    assert (slots[0], sorted(slots[1:])) == (0, [0, 0, 1, 1])
    again = made()
    restore(again.simulation, json.loads(json.dumps(saved(run.simulation))))
    assert [slot.ad["GPUs"] for slot in again.simulation.pool.slots.values()] == slots


def test_a_job_that_is_too_big_for_what_a_slot_has_left_waits(tmp_path: Path) -> None:
    """Nobody's requirements ask for its size; the startd has nothing to cut it from."""
    policy = policy_of(tmp_path)

    def made() -> Run:
        run = Run(policy, [(0, "a", 300)], slots=partitionable(), cpus=9)
        run.simulation.workload.shapes[0].ad.insert("Requirements", True)
        return run

    assert alike(policy, made) == []
    run = made()
    run.until(600)
    (slot,) = run.simulation.pool.slots.values()
    assert [slot.ad[name] for name in ("Cpus", "Memory", "Disk")] == [8, 8192, 1000]


def test_the_end_of_a_job_that_was_preempted_does_not_end_the_next_one(tmp_path: Path) -> None:
    simulation, slot = two_users(tmp_path)
    simulation.advance(60)
    simulation._preempt(slot, simulation.state.claims[slot.name], B, "schedd", 0, by_rank=False)
    simulation.advance(700)
    claim = simulation.state.claims[slot.name]
    assert (claim.user, claim.job, claim.job_begun) == (B, 0, 60)
    assert simulation.state.users[B].completed == 0


def test_a_slot_tells_since_when_it_is_claimed_and_since_when_it_is_free(tmp_path: Path) -> None:
    simulation, slot = two_users(tmp_path, settings=ClaimSettings(worklife=0))
    assert slot.ad["EnteredCurrentState"] == simulation.epoch
    simulation.advance(700)
    assert slot.ad["State"] == "Unclaimed"
    assert slot.ad["EnteredCurrentState"] == simulation.epoch + 600


def test_a_job_that_is_preempted_again_and_again_thrashes_once(tmp_path: Path) -> None:
    simulation, slot = two_users(tmp_path)
    for _ in range(4):
        simulation.stop(slot, "preempt", "for b")
        simulation.release(slot)
        simulation._claim(slot, A, "schedd", 1, How.MATCH)
    assert simulation.state.thrashed == 1
    assert simulation.state.users[A].preempted == 4


def test_nothing_runs_nothing_weighs(tmp_path: Path) -> None:
    simulation, _ = two_users(tmp_path)
    for sign in (1, 1, 1, -1, -1, -1):
        simulation._count_running(B, sign, 0.1)
    assert simulation.state.running[B] == (0, 0.0)


def test_a_trace_that_asks_for_no_memory_has_what_was_used() -> None:
    fields = ["1", "0", "0", "100", "2", "0", "4096", "2", "0", "0", "1", "3", *["-1"] * 6]
    found = from_swf([" ".join(fields)], "t.swf")
    assert found.shapes[0].ad["RequestMemory"] == 8


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("soon,m1,leave", "m.csv:2: time `soon` is not a whole number"),
        ("5,m1,gone", "m.csv:2: event `gone` is neither leave nor join"),
        ("5,none,join", "m.csv:2: no machine `none` in the pool"),
    ],
)
def test_rows_of_machines_that_are_none(
    row: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.csv").write_text(f"time,machine,event\n{row}\n")
    (tmp_path / "jobs.csv").write_text("user,submit,run_time\nu,1,5\n")
    words = ["4", "--workload", str(tmp_path / "jobs.csv"), "--machines", str(tmp_path / "m.csv")]
    assert main(["simulate", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_page_needs_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "jobs.csv").write_text("user,submit,run_time\nu,1,5\n")
    words = ["4", "--workload", str(tmp_path / "jobs.csv"), "--days", "0.01"]
    assert main(["simulate", *words, "--report", str(tmp_path / "page.html")]) == 0
    assert "<html" in (tmp_path / "page.html").read_text()
    assert capsys.readouterr().err == ""


def test_the_numbers_of_one_run_and_of_several_are_tables(tmp_path: Path) -> None:
    jobs = [{"user": "u", "submit": 1, "run_time": 5}]
    one = pieslice.simulate(4, jobs, days=0.01)
    several = pieslice.simulate(4, jobs, days=0.01, seeds=2)
    assert "value" in one.metrics.columns
    assert len(several.metrics) == len(one.metrics)
