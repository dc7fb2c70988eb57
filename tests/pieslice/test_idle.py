"""How many jobs like one fit on the slots that nobody has, and what these use of them."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from pieslice.between.idle import IdleResources, IdleSlots
from policy.load import policy_from_knobs

NOW = EvalContext(now=1000.0)
FITS = ExprTree("MY.Cpus >= TARGET.RequestCpus && MY.Memory >= TARGET.RequestMemory")


def slot(cpus: int = 8, memory: int = 8192, **values: Any) -> ClassAd:
    about = {"Name": "slot1@m", "State": "Unclaimed", "Cpus": cpus, "Memory": memory, "Disk": 10}
    return ClassAd({**about, "PartitionableSlot": True, "Requirements": FITS, **values})


def job(cpus: int = 1, memory: int = 1024, **values: Any) -> ClassAd:
    about = {"RequestCpus": cpus, "RequestMemory": memory, "RequestDisk": 1}
    return ClassAd({**about, "Requirements": True, **values})


#: HTCondor's default.
ROUNDED = {"MODIFY_REQUEST_EXPR_REQUESTMEMORY": "quantize(RequestMemory, {128})"}


def idle(*slots: ClassAd, knobs: dict[str, str] = ROUNDED, **more: Any) -> IdleSlots:
    return IdleSlots.of(slots, policy_from_knobs(knobs).policy.claims, NOW, **more)


def test_idle_slots_are_those_that_nobody_has_and_that_take_part() -> None:
    states = ("Unclaimed", "Claimed", "Owner", "Drained", "Unclaimed")
    slots = [slot(2, 100, Name=f"slot{n}@m", State=state) for n, state in enumerate(states)]
    slots.append(slot(4, 200, GPUs=1))
    assert idle(*slots).resources == IdleResources(3, 8.0, 400.0, 1.0)
    assert idle(*slots, left_out={"slot0@m"}).resources == IdleResources(2, 6.0, 300.0, 1.0)


@pytest.mark.parametrize(
    ("asked", "jobs", "cpus", "memory"),
    [
        (job(), 8, 8, 8192),
        (job(3), 2, 6, 2048),
        (job(1, 4096), 2, 2, 8192),
        # 5500 is rounded up to 5504, of which one fits; the second asks for more than is left.
        (job(1, 5500), 1, 1, 5504),
        # 2700 is rounded up to 2816: twice, and the third gets the 2560 that are left only if it
        # does not ask for more.
        (job(1, 2700), 2, 2, 5632),
        (job(9), 0, 0, 0),
        (job(Requirements=ExprTree("false")), 0, 0, 0),
        (job(RequestGPUs=1), 8, 8, 8192),
    ],
)
def test_a_partitionable_slot_takes_as_many_as_are_cut_from_it(
    asked: ClassAd, jobs: int, cpus: int, memory: int
) -> None:
    room = idle(slot()).room(asked)
    assert (room.jobs, room.used.cpus, room.used.memory) == (jobs, cpus, memory)
    assert room.used.slots == min(jobs, 1)


def test_the_last_job_gets_what_is_left_if_it_asks_for_no_more() -> None:
    # 1000 becomes 1024: seven times 1024 of 8000, and 832 are left for none; of 8168 there are
    # 1000 left for an eighth.
    assert idle(slot(8, 8000)).room(job(1, 1000)).jobs == 7
    room = idle(slot(8, 8168)).room(job(1, 1000))
    assert (room.jobs, room.used.memory) == (8, 8168)


def test_each_job_takes_gpus_that_suit_it() -> None:
    def card(capability: float) -> ClassAd:
        return ClassAd({"Capability": capability, "GlobalMemoryMb": 16000})

    names = [f"GPU_{letter}" for letter in "abcd"]
    cards = dict(zip(names, map(card, (7.0, 9.0, 8.0, 9.0)), strict=True))
    more = {"MachineResources": "Cpus Memory GPUs", "GPUs": 4, **cards}
    gpus = slot(**more, AvailableGPUs=ExprTree("{GPU_a, GPU_b, GPU_c, GPU_d}"))
    wants = {"RequestGPUs": 1, "GPUsMinCapability": 8.0}
    wants["RequireGPUs"] = ExprTree("Capability >= GPUsMinCapability")
    enough = ExprTree("countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs")
    room = idle(gpus).room(job(Requirements=enough, **wants))
    assert (room.jobs, room.used.gpus) == (3, 3)
    assert idle(gpus).room(job(Requirements=enough, **{**wants, "RequestGPUs": 2})).jobs == 1
    assert idle(gpus).room(job(RequestGPUs=1)).jobs == 4


def test_slots_stay_as_they_are_when_jobs_are_counted() -> None:
    given = slot()
    before = str(given)
    assert idle(given).room(job(1, 5500)).jobs == 1
    assert str(given) == before


def test_what_jobs_leave_has_to_match_the_next_one() -> None:
    wide = ExprTree("MY.Cpus > 3 || MY.DynamicSlot =?= true")
    assert idle(slot(Requirements=wide)).room(job()).jobs == 5
    assert idle(slot()).room(job(Requirements=ExprTree("TARGET.Memory >= 4096"))).jobs == 5
    assert (
        idle(slot(Requirements=ExprTree("MY.Cpus == 8 || MY.DynamicSlot =?= true")))
        .room(job())
        .jobs
        == 1
    )


def test_startds_ask_their_requirements_of_the_dynamic_slot_too() -> None:
    """Real ones match such a job again and again, and refuse to make its dynamic slot."""
    assert idle(slot(Requirements=ExprTree("MY.Cpus > 3"))).room(job()).jobs == 0
    assert idle(slot(Requirements=ExprTree("TARGET.RequestCpus < MY.Cpus"))).room(job()).jobs == 0
    assert idle(slot(Requirements=ExprTree("MY.Cpus > 3"))).room(job(4)).jobs == 2


def test_a_static_slot_takes_one_job_whole() -> None:
    static = slot(4, 4000, PartitionableSlot=False)
    room = idle(static, slot()).room(job(1, 2000))
    # Four times 2048 of 8192, and the static slot.
    assert (room.jobs, room.used) == (5, IdleResources(2, 8.0, 12192.0, 0.0))


def test_the_startd_rounds_requests_as_it_is_configured() -> None:
    knobs = {"MODIFY_REQUEST_EXPR_REQUESTMEMORY": "quantize(RequestMemory, {4096})"}
    assert idle(slot(), knobs=knobs).room(job()).jobs == 2


def test_a_consumption_policy_says_what_each_job_takes() -> None:
    policy = {
        "MachineResources": "Cpus Memory",
        "ConsumptionCpus": ExprTree("TARGET.RequestCpus"),
        "ConsumptionMemory": ExprTree("quantize(TARGET.RequestMemory, {3000})"),
    }
    room = idle(slot(**policy)).room(job())
    assert (room.jobs, room.used.cpus, room.used.memory) == (2, 2.0, 6000.0)
