"""What becomes of small pools that are drawn: as counted anew, and taken up anywhere.

``simulations`` draws them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

import pytest

from pieslice.simulation.checkpoint import restore, saved
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.setup import Plan, build
from tests.pieslice.simulations import COUNT, Course, course, drawn


@pytest.mark.slow
@pytest.mark.parametrize("number", range(COUNT))
def test_series_and_summary_are_what_the_events_add_up_to(number: int, tmp_path: Path) -> None:
    plan = drawn(number).plan(tmp_path)
    audit(plan, course(plan))


# --- the numbers, counted anew from the events ----------------------------------------------------


class Ledger:
    """What events alone tell: who ran where, for how long, and who waits."""

    def __init__(self, lengths: list[int], weights: dict[str, float]) -> None:
        self.lengths, self.weights = lengths, weights
        self.submitted: dict[int, tuple[int, str]] = {}
        self.first: dict[int, int] = {}
        #: Job and since when, by slot, of which a job may have several; for whom a slot is held.
        self.running: dict[str, tuple[int, int]] = {}
        self.promised: dict[int, str] = {}
        self.ended: set[int] = set()
        self.good: Counter[str] = Counter()
        self.bad: Counter[str] = Counter()
        self.count: Counter[tuple[str, str]] = Counter()
        self.stopped: Counter[int] = Counter()

    def see(self, time: int, kind: str, user: str, job: int, slot: str, detail: str) -> None:
        self.count[kind, user] += 1
        if kind == "submit":
            assert job == len(self.submitted) + 1
            self.submitted[job] = (time, user)
        elif kind == "start":
            assert self.submitted[job][1] == user
            assert job not in self.ended
            slots = [slot, *detail.partition(", with ")[2].split()]
            assert detail == ("" if len(slots) == 1 else f"on {len(slots)} slots, with {slots[1]}")
            assert self.running.keys().isdisjoint(slots), "no slot twice"
            assert job not in {it for it, _ in self.running.values()}, "no job twice"
            assert self.promised.pop(job, slot) == slot
            self.running |= dict.fromkeys(slots, (job, time))
            self.first.setdefault(job, time)
        elif kind == "match":
            assert self.submitted[job][1] == user
            holder, _ = self.running[slot]
            assert detail.removesuffix(" by rank") == f"preempts {self.submitted[holder][1]}"
            self.promised[job] = slot
        elif kind in ("finish", "preempt", "lost"):
            self.end(time, kind, user, job, slot)

    def end(self, time: int, kind: str, user: str, job: int, slot: str) -> None:
        what, since = self.running[slot]
        assert what == job
        slots = [name for name, (it, _) in self.running.items() if it == job]
        worth = sum((time - since) * self.weights.get(name, 0.0) for name in slots)
        for name in slots:
            del self.running[name]
        if kind == "finish":
            assert time - since == self.lengths[job - 1]
            self.good[user] += worth
            self.ended.add(job)
            return
        self.bad[user] += worth
        if kind == "preempt":
            assert slot in self.promised.values()
            self.stopped[job] += 1
        else:  # with its machine: who waits for the slot waits again
            self.promised = {it: at for it, at in self.promised.items() if at != slot}

    def unfinished(self, until: int) -> Counter[str]:
        found: Counter[str] = Counter()
        for slot, (job, since) in self.running.items():
            found[self.submitted[job][1]] += (until - since) * self.weights.get(slot, 0.0)
        return found


def audit(plan: Plan, found: Course) -> None:
    """Compare series and summary with what the events tell."""
    simulation, _ = build(plan, lambda *event: None)
    static = {name: it.weight for name, it in simulation.pool.slots.items() if not it.partitionable}
    ledger = Ledger([job.run_time for job in simulation.workload.arrivals], static)
    rows: dict[int, list[Any]] = defaultdict(list)
    for time, *row in found.series:
        rows[time].append(row)
    times = sorted(rows)
    for number, event in enumerate(found.events):
        while times and times[0] < event[0]:
            before = found.events[number - 1] if number else event
            look(ledger, rows[times[0]], busy=before[0] == times[0])
            times.pop(0)
        *seen, origin = event
        assert origin == simulation.workload.arrivals[event[3] - 1].origin if event[3] else True
        ledger.see(*seen)
    total(ledger, found, len(static) == len(simulation.pool.slots))


def look(ledger: Ledger, rows: list[Any], *, busy: bool) -> None:
    """Rows of the series of a moment at which nothing happened after its cycle."""
    if busy:  # a job without length is done after the row is written
        return
    jobs: Counter[str] = Counter(ledger.submitted[job][1] for job, _ in ledger.running.values())
    own = Counter(ledger.submitted[job][1] for job in {it for it, _ in ledger.running.values()})
    there = Counter(user for job, (_, user) in ledger.submitted.items() if job not in ledger.ended)
    held = Counter(ledger.submitted[job][1] for job in ledger.promised)
    for kind, name, _, running, idle, *_ in rows:
        if kind == "user":
            assert running == jobs[name]
            assert idle == there[name] - own[name] - held[name]
        elif kind == "pool":
            assert running == len(ledger.running)
            assert idle == there.total() - own.total() - held.total()


def total(ledger: Ledger, found: Course, static: bool) -> None:
    """The summary."""
    summary = found.summary
    waits: dict[str, list[int]] = defaultdict(list)
    for job, start in ledger.first.items():
        submit, user = ledger.submitted[job]
        waits[user].append(start - submit)
    left = ledger.unfinished(round(summary["hours"] * 3600))
    same(summary, [wait for of_user in waits.values() for wait in of_user])
    assert summary["jobs_preempted_again"] == sum(it > 1 for it in ledger.stopped.values())
    assert summary["submitted"] == len(ledger.submitted)
    assert summary["completed"] == len(ledger.ended)
    assert summary["utilisation"] <= 1.0000001
    shares = sum(user["share"] for user in summary["users"].values())
    assert shares == pytest.approx(1.0 if summary["utilisation"] else 0.0)
    for name, numbers in summary["users"].items():
        same(numbers, waits[name])
        counted = [ledger.count[kind, name] for kind in ("submit", "finish", "preempt", "lost")]
        told = ("submitted", "completed", "preemptions", "lost_with_machines")
        assert [numbers[it] for it in told] == counted
        assert numbers["never_started"] == counted[0] - len(waits[name])
        if static:
            good, bad = ledger.good[name] / 3600, ledger.bad[name] / 3600
            assert numbers["goodput_hours"] == pytest.approx(good)
            assert numbers["badput_hours"] == pytest.approx(bad)
            assert numbers["usage_hours"] == pytest.approx(good + bad + left[name] / 3600)


def same(numbers: dict[str, Any], waits: list[int]) -> None:
    """The statistics of waits."""
    if not waits:
        assert [numbers[f"wait_{it}"] for it in ("mean", "median", "95")] == [None] * 3
        return
    waits = sorted(waits)
    late = next(wait for wait in waits if sum(it <= wait for it in waits) * 100 >= 95 * len(waits))
    assert numbers["wait_mean"] == pytest.approx(fmean(waits))
    assert (numbers["wait_median"], numbers["wait_95"]) == (median(waits), late)


# --- from cycle to cycle --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, COUNT, 5))
def test_whole_cycles_and_checkpoints_anywhere_change_nothing(number: int, tmp_path: Path) -> None:
    """Nothing that is known of earlier cycles is used, and any cycle may be the first again."""
    plan = drawn(number).plan(tmp_path)
    expected = course(plan)
    events: list[tuple[Any, ...]] = []

    def sink(*event: Any) -> None:
        events.append(event)

    rng = Random(number)
    simulation, negotiator = build(plan, sink)
    interval = max(1, negotiator.policy.interval_seconds)
    for moment in range(0, plan.seconds, interval):
        if rng.random() < 0.3:
            data = json.loads(json.dumps(saved(simulation)))
            simulation, negotiator = build(plan, sink)
            restore(simulation, data)
        simulation.advance(moment)
        whole = Negotiator(simulation, negotiator.policy, plan.seed, quick=False)
        whole.cycle(min(interval, plan.seconds - moment))
    simulation.advance(plan.seconds)
    # The numbers that jobs have in their trace come with the table.
    assert events == [event[:-1] for event in expected.events]
