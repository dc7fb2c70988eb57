"""Simulations reach what theory says of fair share: shares, priorities, quotas and surplus."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from negotiator.capture.configuration import read_policy
from negotiator.model.snapshot import AccountantState, Customer
from pieslice.between.pool import plain_pool
from pieslice.cli import main
from pieslice.simulation.engine import Simulation
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.state import State
from pieslice.simulation.workload import Arrival, Workload
from policy.claims import ClaimSettings

INTERVAL = 60
HALFLIFE = 600
DOMAIN = "@sim.example"


def simulation(
    tmp_path: Path,
    text: str,
    jobs: Iterable[tuple[str, int, int]],
    *,
    slots: int,
    cpus: int = 1,
    factors: dict[str, float] | None = None,
) -> Negotiator:
    """A pool of static slots; ``jobs``: ``[group.]user``, submit and run time in seconds.

    ``factors``: priority factors of users from the beginning.
    """
    path = tmp_path / "condor_config"
    path.write_text(f"PRIORITY_HALFLIFE = {HALFLIFE}\n{text}")
    workload = Workload()
    for name, submit, run_time in jobs:
        group, _, user = name.rpartition(".")
        workload.arrivals.append(Arrival(submit, run_time, workload.shape(user, group, cpus, 0)))
    state = State()
    state.accountant = AccountantState(
        {name: Customer(name, priority_factor=factor) for name, factor in (factors or {}).items()}
    )
    found = Simulation(
        pool=plain_pool(slots, cpus),
        workload=workload.sorted(),
        settings=ClaimSettings(worklife=0),
        state=state,
        sink=lambda *event: None,
        epoch=1_800_000_000,
    )
    return Negotiator(found, read_policy(path, 0).policy, 0)


def usages(run: Negotiator, begin: int, end: int) -> Iterator[tuple[int, dict[str, float]]]:
    """Hold cycles; after each the time and what every submitter has, in slot weights."""
    for moment in range(begin, end, INTERVAL):
        run.simulation.advance(moment)
        run.cycle(INTERVAL)
        running = run.simulation.state.running
        yield moment, {name: weight for name, (_, weight) in running.items()}


def backlog(name: str, count: int, rng: Random, submit: int = 0) -> list[tuple[str, int, int]]:
    """Jobs of four minutes, more or less, so that not all of them end at once."""
    return [(name, submit, int(rng.uniform(150, 330))) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factors", "slots", "cpus"),
    [
        ((1000, 4000), 60, 1),
        ((1000, 1000, 1000), 60, 1),
        ((1000, 4000, 9000), 110, 1),
        ((1000, 2000, 3000, 5000), 100, 1),
        ((1000, 4000), 60, 8),
    ],
)
def test_shares_are_inverse_to_effective_priorities_and_priorities_equal_usage(
    tmp_path: Path, factors: tuple[float, ...], slots: int, cpus: int
) -> None:
    """A share is inverse to priority times factor, and priority is usage: so to the factor's root.

    Single cycles differ by whole slots, hence the means over as many half-lives.
    """
    names = [f"user{number}{DOMAIN}" for number in range(len(factors))]
    rng = Random(1)
    jobs = [job for name in names for job in backlog(name.removesuffix(DOMAIN), 3000, rng)]
    run = simulation(
        tmp_path, "", jobs, slots=slots, cpus=cpus, factors=dict(zip(names, factors, strict=True))
    )
    usage, priority = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for moment, running in usages(run, 0, 20 * HALFLIFE):
        if moment >= 10 * HALFLIFE:
            for name in names:
                usage[name] += running[name]
                priority[name] += run.simulation.state.accountant.customers[name].priority or 0.0
    total = sum(usage.values())
    inverse = [1 / (priority[name] * factor) for name, factor in zip(names, factors, strict=True)]
    roots = [1 / sqrt(factor) for factor in factors]
    for name, share, root in zip(names, inverse, roots, strict=True):
        assert usage[name] / total == pytest.approx(share / sum(inverse), rel=0.02)
        assert usage[name] / total == pytest.approx(root / sum(roots), rel=0.02)
        assert priority[name] == pytest.approx(usage[name], rel=0.01)


GROUPS = """
GROUP_NAMES = a, b, c
GROUP_QUOTA_a = 10
GROUP_QUOTA_b = 6
GROUP_QUOTA_c = 4
GROUP_ACCEPT_SURPLUS = True
GROUP_ACCEPT_SURPLUS_c = False
"""
QUOTAS = {"a": 10.0, "b": 6.0, "c": 4.0}


def by_group(running: dict[str, float]) -> dict[str, float]:
    """What groups hold of what their submitters hold."""
    found = dict.fromkeys(QUOTAS, 0.0)
    for name, weight in running.items():
        found[name.partition(".")[0]] += weight
    return found


def test_usage_of_groups_is_within_quota_plus_surplus(tmp_path: Path) -> None:
    """Jobs end before the next cycle, so that each cycle divides the pool anew.

    ``a`` is there for an hour, then not at all, then again: what it leaves goes to ``b``, which
    takes surplus, and never to ``c``.
    """
    hour = 3600
    jobs = [("a.u", begin, 50) for begin in (0, 2 * hour) for _ in range(10 * hour // INTERVAL)]
    jobs += [(f"{group}.{user}", 0, 50) for group in "bc" for user in "uv" for _ in range(1600)]
    run = simulation(tmp_path, GROUPS, jobs, slots=20)
    for moment, running in usages(run, 0, 3 * hour):
        found = by_group(running)
        surplus = QUOTAS["a"] - found["a"]
        assert found["c"] == QUOTAS["c"]
        assert found["b"] == QUOTAS["b"] + surplus
        assert found["a"] == (0.0 if hour <= moment < 2 * hour else QUOTAS["a"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "seed"),
    [
        ("u", 1),
        ("uv", 2),
        ("uvw", 3),
        *(
            pytest.param(users, seed, marks=pytest.mark.long)
            for users, seeds in (("u", (2, 3)), ("uv", (1, 3)), ("uvw", (1, 2)))
            for seed in seeds
        ),
    ],
)
def test_usage_of_groups_under_random_demand(tmp_path: Path, users: str, seed: int) -> None:
    """What a cycle gives to a group never brings it above its quota and what others leave.

    By a slot for each further submitter it may: a submitter's first match of a spin is let through
    as long as its limit is above zero, and limits are parts of a slot.
    """
    rng = Random(seed)
    jobs = [
        (f"{group}.{user}", rng.randrange(0, 20 * HALFLIFE), rng.choice((50, 110, 400)))
        for group in QUOTAS
        for user in users
        for _ in range(rng.choice((600, 1800, 3600)) // len(users))
    ]
    run = simulation(tmp_path, GROUPS, jobs, slots=20)
    before = dict.fromkeys(QUOTAS, 0.0)
    most, slack = 0.0, len(users) - 1
    for _, running in usages(run, 0, 20 * HALFLIFE):
        found = by_group(running)
        assert sum(found.values()) <= 20
        assert found["c"] <= QUOTAS["c"] + slack
        for group in (group for group in QUOTAS if found[group] > before[group]):
            others = (other for other in QUOTAS if other != group)
            left = sum(max(0.0, QUOTAS[other] - found[other]) for other in others)
            assert found[group] <= QUOTAS[group] + left + slack
            most = max(most, found[group] - QUOTAS[group])
        before = found
    assert most > 0  # surplus was given


WORKLOAD = """
[[stream]]
user = "a"
backlog = 20000
run_time = 240
spread = 0.3
[[stream]]
user = "b"
group = "nice-user"
backlog = 20000
run_time = 240
spread = 0.3
"""


@pytest.mark.slow
def test_the_series_of_the_command_show_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``nice-user`` multiplies the factor by four, so shares are two to one."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "config").write_text(
        f"PRIORITY_HALFLIFE = {HALFLIFE}\nNEGOTIATOR_INTERVAL = 60\nCLAIM_WORKLIFE = 0\n"
        "NICE_USER_PRIO_FACTOR = 4000\nPREEMPTION_REQUIREMENTS = False\n"
    )
    folder = tmp_path / "run"
    words = ["simulate", "60", "--workload", str(tmp_path / "w.toml"), "--seed", "1"]
    words += ["--config", str(tmp_path / "config"), "--days", "0.2", "-o", str(folder), "--json"]
    assert main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    sums: dict[str, list[float]] = {}
    with (folder / "series.csv").open() as stream:
        for row in csv.DictReader(stream):
            if row["kind"] == "user" and int(row["time"]) >= 10 * HALFLIFE:
                kept = sums.setdefault(row["name"], [0.0, 0.0, 0.0])
                for place, column in enumerate(("usage", "real_priority", "effective_priority")):
                    kept[place] += float(row[column])
    (good, prio, worse), (nice, nice_prio, nice_worse) = (sums[name] for name in sorted(sums))
    assert good / nice == pytest.approx(2.0, rel=0.02)
    assert good / nice == pytest.approx(nice_worse / worse, rel=0.02)
    assert prio == pytest.approx(good, rel=0.01)
    assert nice_prio == pytest.approx(nice, rel=0.01)
    assert summary["complete"] is True
