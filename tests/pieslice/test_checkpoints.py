"""A simulation that is taken up at a checkpoint is the one that was never interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from pieslice.between.state import How
from pieslice.simulation.checkpoint import restore, saved
from pieslice.simulation.engine import MachineChange, Simulation
from policy.claims import ClaimSettings
from tests.pieslice.test_simulate import (
    EARLY,
    INTERVAL,
    PREEMPTING,
    A,
    B,
    Run,
    partitionable,
    plain_pool,
    policy_of,
)

#: No cycle may learn from the one before, so that nothing but the checkpoint is taken over.
_RANKS = "NEGOTIATOR_PRE_JOB_RANK = Memory\n"


def again(simulation: Simulation, fresh: Simulation) -> Simulation:
    """A fresh simulation, taken up where another one stands."""
    data = json.loads(json.dumps(saved(simulation)))
    restore(fresh, data)
    assert json.loads(json.dumps(saved(fresh))) == data
    return fresh


def ads(simulation: Simulation) -> dict[str, str]:
    """All slots as they are shown."""
    return {name: str(slot.ad) for name, slot in simulation.pool.slots.items()}


def drawn(seed: int, tmp_path: Path) -> Run:
    """A simulation of two users who preempt each other, on machines that come and go."""
    rng = Random(seed)
    jobs = [(0, "ba"[seed % 2], 900)]
    jobs += [
        (rng.randrange(0, 3000, 30), rng.choice("ab"), rng.choice([90, 700, 5000]))
        for _ in range(rng.randrange(6, 16))
    ]
    whole = seed % 3 == 2
    pool = partitionable() if whole else plain_pool(rng.randrange(1, 4), 1)
    (machine, *_) = sorted({slot.machine for slot in pool.slots.values()})
    away = rng.randrange(300, 2000)
    changes = MachineChange(away, machine, False), MachineChange(away + 500, machine, True)
    settings = ClaimSettings(
        rng.choice([-1, 150, 1200]), rng.choice([0, 200, 2000]), rng.choice([0, 45, 130])
    )
    text = PREEMPTING + EARLY if seed % 4 else _RANKS
    return Run(
        policy_of(tmp_path, text),
        jobs,
        slots=pool,
        settings=settings,
        changes=changes if seed % 2 else (),
        cpus=2 if whole else 1,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 12))]
)
def test_any_moment_of_any_simulation_can_be_taken_up(seed: int, tmp_path: Path) -> None:
    whole = drawn(seed, tmp_path)
    part = drawn(seed, tmp_path)
    stops = sorted(Random(seed).sample(range(INTERVAL, 5400, INTERVAL), 9))
    for moment in range(0, 6000, INTERVAL):
        if moment in stops:
            new = drawn(seed, tmp_path)
            again(part.simulation, new.simulation)
            new.events = part.events
            part = new
        for run in (whole, part):
            run.simulation.advance(moment)
            run.negotiator.show_times()
        assert ads(part.simulation) == ads(whole.simulation), moment
        for run in (whole, part):
            run.negotiator.cycle(INTERVAL)
        assert part.events == whole.events, moment
        assert saved(part.simulation)["state"] == saved(whole.simulation)["state"], moment
    assert len(whole.events) > 12


def waiting(tmp_path: Path) -> Run:
    return Run(policy_of(tmp_path), [(0, "b", 5000), (0, "a", 600), (0, "b", 10)])


def test_the_first_job_of_all_may_wait_for_a_slot_or_have_none(tmp_path: Path) -> None:
    """Its number is 0."""
    one = waiting(tmp_path).simulation
    one.advance(0)
    other = again(one, waiting(tmp_path).simulation)
    assert [list(shapes.values()) for shapes in other.idle.values()] == [[[0, 2]], [[1]]]
    (slot,) = one.pool.slots.values()
    one._claim(slot, A, "schedd", 1, How.MATCH)
    one._preempt(slot, one.state.claims[slot.name], B, "schedd", 0, by_rank=False)
    other = again(one, waiting(tmp_path).simulation)
    assert ads(other) == ads(one)
    assert f'PreemptingUser = "{B}"' in ads(one)[slot.name]
    assert [list(shapes.values()) for shapes in other.idle.values()] == [[[2]]]
