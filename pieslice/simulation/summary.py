"""Sums up a simulation.

Decides which numbers sum up a run.

Inputs: a simulation at its end (or where it was interrupted).  Outputs: ``RunNumbers``.
Follows: Jain, Chiu and Hawe's index of fairness: 1 if everybody has the same part of its due.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Final

from pieslice.runreport.metrics import GroupNumbers, RunNumbers, UserNumbers
from pieslice.simulation.engine import Simulation
from pieslice.simulation.state import Totals

_HOUR: Final = 3600.0


def summarise(simulation: Simulation, *, complete: bool) -> RunNumbers:
    """The numbers of a run."""
    state = simulation.state
    running = _running(simulation)
    users = {name: _user(state.users[name], running.get(name, 0.0)) for name in sorted(state.users)}
    used = sum(user["usage_hours"] for user in users.values())
    for name, user in users.items():
        user["group"] = state.group_of.get(name, "")
        user["share"] = user["usage_hours"] / used if used else 0.0
    arrived = simulation.workload.arrivals[: state.arrived]
    ratios = [
        user["usage_hours"] / user["entitled_hours"]
        for user in users.values()
        if user["entitled_hours"] > 0
    ]
    waits = [wait for totals in state.users.values() for wait in totals.waits]
    mean, median, late = _waits(waits)
    return {
        "complete": complete,
        "hours": state.now / _HOUR,
        "cycles": state.cycles,
        "cycles_with_matchmaking": state.full_cycles,
        "pool_hours": state.pool_seconds / _HOUR,
        "utilisation": used * _HOUR / state.pool_seconds if state.pool_seconds else 0.0,
        "goodput_hours": fsum(user["goodput_hours"] for user in users.values()),
        "badput_hours": fsum(user["badput_hours"] for user in users.values()),
        "unfinished_hours": fsum(running.values()) / _HOUR,
        "submitted": sum(user["submitted"] for user in users.values()),
        "completed": sum(user["completed"] for user in users.values()),
        "never_started": sum(user["never_started"] for user in users.values()),
        "unservable": sum(arrival.shape in state.never for arrival in arrived),
        "preemptions": sum(user["preemptions"] for user in users.values()),
        "lost_with_machines": sum(user["lost_with_machines"] for user in users.values()),
        "jobs_preempted_again": state.thrashed,
        "jain_index": jain(ratios),
        "wait_mean": mean,
        "wait_median": median,
        "wait_95": late,
        "users": users,
        "groups": _groups(simulation, users),
    }


def _running(simulation: Simulation) -> dict[str, float]:
    """Weighted seconds of the jobs that still run, by submitter."""
    found: dict[str, float] = {}
    for name, claim in simulation.state.claims.items():
        if claim.job < 0:
            continue
        slot = simulation.pool.slots[name]
        seconds = slot.weight * (simulation.state.now - claim.job_begun)
        found[claim.user] = found.get(claim.user, 0.0) + seconds
    return found


def _user(totals: Totals, running: float) -> UserNumbers:
    mean, median, late = _waits(totals.waits)
    return {
        "usage_hours": (totals.good + totals.bad + running) / _HOUR,
        "share": 0.0,
        "entitled_hours": totals.entitled / _HOUR,
        "goodput_hours": totals.good / _HOUR,
        "badput_hours": totals.bad / _HOUR,
        "submitted": totals.submitted,
        "completed": totals.completed,
        "never_started": totals.submitted - len(totals.waits),
        "preemptions": totals.preempted,
        "lost_with_machines": totals.evicted,
        "wait_mean": mean,
        "wait_median": median,
        "wait_95": late,
        "group": "",
    }


def _waits(waits: Sequence[int]) -> tuple[float | None, float | None, float | None]:
    """Mean, median and the 95th percentile (nearest rank) of the waits of jobs that started."""
    if not waits:
        return None, None, None
    ordered = sorted(waits)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    late = ordered[-(-95 * count // 100) - 1]
    return sum(ordered) / count, middle, float(late)


def jain(ratios: Iterable[float]) -> float | None:
    """The index of fairness of parts of everybody's due; None for nobody."""
    parts = list(ratios)
    squares = sum(part * part for part in parts)
    return sum(parts) ** 2 / (len(parts) * squares) if squares > 0 else None


def _groups(simulation: Simulation, users: Mapping[str, UserNumbers]) -> dict[str, GroupNumbers]:
    state = simulation.state
    used = dict.fromkeys(state.group_entitled, 0.0)
    for user, group in sorted(state.group_of.items()):
        used[group] += users[user]["usage_hours"]
    return {
        name: {
            "usage_hours": used[name],
            "entitled_hours": entitled / _HOUR,
            "over_quota_hours": state.over_quota.get(name, 0.0) / _HOUR,
        }
        for name, entitled in state.group_entitled.items()
    }
