"""Where the real negotiator hangs or dies and this one does not (see DIVERGENCES.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from negotiator.groups import rounds as grouploop
from negotiator.model.departures import DepartureKind
from negotiator.model.result import CycleResult
from tests.negotiator import scenarios

PSLOT = {"PartitionableSlot": "true", "Cpus": "8", "Memory": "8192"}


def run(slots: list[Any], jobs: list[Any], **config: str) -> CycleResult:
    quiet = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
    scenario = {"slots": slots, "jobs": jobs, "config": {**quiet, **config}}
    cycle: dict[str, list[str]] = {"slot_order": [], "submitter_order": []}
    return scenarios.run({"scenario": scenario, "observed": {"cycles": [cycle]}})


def slots_of(result: CycleResult) -> list[str]:
    return [match.slot for match in result.matches]


def departed(result: CycleResult) -> list[tuple[str, tuple[str, ...]]]:
    """The places that the result says it came by."""
    return [(item.kind.number, item.about) for item in result.departures]


def test_depth_first_with_very_much_memory() -> None:
    """D-501: of an amount 32 bits count, and less than no jobs served are only refused again."""
    slot = {"name": "slot1@p", "ad": {**PSLOT, "Memory": str(2**31)}}
    job = {"submitter": "alice", "count": 3, "ad": {"RequestCpus": "4"}}
    result = run([slot], [job], NEGOTIATOR_DEPTH_FIRST="True")
    assert [(match.slot, match.count) for match in result.matches] == [("slot1@p", 1)]
    refusals = [(item.job, item.text) for item in result.rejections]
    assert refusals == [("1.0", "no match found")] * 1001
    assert departed(result) == [("D-501", ("job 1.0 of alice@test",))]
    slot["ad"]["WantAdRevaluate"] = "true"
    assert departed(run([slot], [job], NEGOTIATOR_DEPTH_FIRST="True"))[0][0] == "D-501"


@pytest.mark.parametrize(
    ("memory", "asked", "matches", "refusals"),
    [
        (2**32 + 3, "1", [1, 4, 4], 1),  # 3, 0 and 0 jobs
        (2**32 - 1, "1", [1, 0, -1], 3),  # less than none each time
        ("8", str(2**32 + 2), [1, 5], 0),
        ("-8", "-3", [1, -7, -15], 24),
    ],
)
def test_depth_first_counts_with_32_bits(
    memory: object, asked: str, matches: list[int], refusals: int
) -> None:
    rest = ["4294967296"] * 2 if memory == 2**32 + 3 else [str(memory)] * 2
    slots = [
        {"name": f"s{i}", "ad": {"Cpus": "8", "Memory": str(it), "Requirements": "true"}}
        for i, it in enumerate([memory, *rest])
    ]
    job = {"submitter": "alice", "count": 6, "ad": {"RequestMemory": asked}}
    result = run(slots, [job], NEGOTIATOR_DEPTH_FIRST="True")
    assert [match.count for match in result.matches] == matches
    assert len(result.rejections) == refusals
    assert departed(result) == []


def test_consumption_of_a_resource_the_slot_lacks() -> None:
    """D-502: the slot just does not match."""
    policy = {"MachineResources": '"cpus gadgets"', "ConsumptionCpus": "1"}
    slot = {"name": "slot1@p", "ad": {**PSLOT, **policy, "ConsumptionGadgets": "1"}}
    result = run([slot, {"name": "slot1@f"}], [{"submitter": "alice", "count": 2}])
    assert slots_of(result) == ["slot1@f"]
    assert departed(result) == [("D-502", ("slot slot1@p",))]


def test_one_request_at_a_time_is_refused_once() -> None:
    """D-503: a refused autocluster is remembered here, too."""
    job = {"submitter": "alice", "count": 4, "ad": {"RequestCpus": "2"}}
    for config in (
        {"USE_RESOURCE_REQUEST_COUNTS": "False"},
        {"NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": "1"},
    ):
        config["NEGOTIATE_ALL_JOBS_IN_CLUSTER"] = "True"
        result = run([{"name": "slot1@f"}], [job], **config)
        assert [item.job for item in result.rejections] == ["1.0"]
        assert departed(result) == [("D-503", ("job 1.0 of alice@test",))]
        # Without that knob the real one ends, too: recorded, one refusal.
        config["NEGOTIATE_ALL_JOBS_IN_CLUSTER"] = "False"
        result = run([{"name": "slot1@f"}], [job], **config)
        assert ([item.job for item in result.rejections], departed(result)) == (["1.0"], [])


def test_one_request_at_a_time_without_autoclusters() -> None:
    """D-503: without significant attributes the run of jobs is left out."""
    slot = {"name": "slot1@a", "ad": {"Requirements": "true"}}
    jobs = [{"submitter": "alice", "ad": {"Requirements": text}} for text in ("false", "true")]
    result = run([slot], jobs, USE_RESOURCE_REQUEST_COUNTS="False")
    assert [(item.job, item.text) for item in result.rejections] == [("1.0", "no match found")]
    assert [match.job for match in result.matches] == ["2.0"]


def test_per_slot_limit_refused_first_and_list_used_up() -> None:
    """D-504: the reason is the limit; the real negotiator aborts composing it."""
    slots = [
        {"name": "slot1@a", "ad": {"Lic": '"full"'}},
        {"name": "slot1@b", "ad": {"Lic": '"free"'}},
    ]
    job = {"submitter": "alice", "count": 2, "ad": {"ConcurrencyLimits": "TARGET.Lic"}}
    result = run(slots, [job], FULL_LIMIT="0", FREE_LIMIT="9")
    assert slots_of(result) == ["slot1@b"]
    assert [item.reason.name for item in result.rejections] == ["CONCURRENCY_LIMIT"]
    assert departed(result) == [("D-504", ("job 1.0 of alice@test",))]


def test_a_per_slot_limit_that_refuses_all_is_nothing_special() -> None:
    """Not D-504: the real negotiator has its reason from the scan."""
    slots = [{"name": "slot1@a", "ad": {"Lic": '"full"'}}]
    job = {"submitter": "alice", "count": 2, "ad": {"ConcurrencyLimits": "TARGET.Lic"}}
    result = run(slots, [job], FULL_LIMIT="0")
    assert [item.reason.name for item in result.rejections] == ["CONCURRENCY_LIMIT"]
    assert departed(result) == []


def test_round_robin_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-505: a step too small to count does not keep the passes going for ever."""
    monkeypatch.setattr(grouploop, "MANY_PASSES", 200)
    groups = {"GROUP_NAMES": "g", "GROUP_QUOTA_g": "1e9", "GROUP_QUOTA_ROUND_ROBIN_RATE": "1"}
    for weight in ("1e9", 'real("INF")'):
        slots = [{"name": "slot1@f"}, {"name": "slot2@f", "ad": {"SlotWeight": weight}}]
        job = {"submitter": "g.alice", "owner": "alice", "count": 2}
        result = run(slots, [job], **groups)
        assert len(result.matches) == (0 if "INF" in weight else 2)
        assert [number for number, _ in departed(result)] == ["D-505"]
    groups["GROUP_QUOTA_g"] = "1"
    assert departed(run([{"name": "slot1@f"}], [job], **groups)) == []


def test_a_match_that_changes_nothing() -> None:
    """D-506: a match without effect counts as one, and the next job is next."""
    policy = {
        **PSLOT, "MachineResources": '"cpus"', "ConsumptionCpus": "1.0e-20", "Offline": "true",
        "Requirements": "true",
    }  # fmt: skip
    job = {"submitter": "alice", "count": 3, "ad": {"RequestCpus": "64", "RequestMemory": "1"}}
    result = run([{"name": "slot1@p", "ad": policy}], [job], NEGOTIATOR_DEPTH_FIRST="True")
    assert slots_of(result) == ["slot1@p"] * 3
    assert departed(result) == [("D-506", ("slot slot1@p",))]


def test_every_departure_is_in_the_register() -> None:
    text = (Path(__file__).parents[2] / "DIVERGENCES.md").read_text()
    for kind in DepartureKind:
        entry = text.partition(f"## {kind.number} ")[2].partition("\n## ")[0]
        assert "tests/negotiator/test_divergences.py::" in entry


#: RequireGPUs, an attribute that they may refer to, and whether HTCondor comes back from them.
GPU_CIRCLES = [
    ("Requirements", "true", True),
    ("MY.Requirements", "true", True),
    ("Requirements || MY.Requirements", "true", True),
    ("Helper", "RequireGPUs", True),
    ("MY.Helper", "Requirements", True),
    ("Requirements || Requirements", "true", False),  # twice as often with each round
    ("Helper || Helper", "MY.RequireGPUs", False),
    ("Helper", "Requirements", False),  # ends the process
    ("Capability > 1 && Helper", "MY.Requirements", False),
]


@pytest.mark.parametrize(("wanted", "helper", "ends"), GPU_CIRCLES)
def test_gpus_required_by_the_requirements_that_count_them(
    wanted: str, helper: str, ends: bool
) -> None:
    """D-508: the circle is followed once, and suits no GPU."""
    slot = {"name": "slot1@g", "ad": {"GPUs": "1", "AvailableGPUs": "{ [Capability = 8.0] }"}}
    count = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"
    asked = {"RequestGPUs": "1", "RequireGPUs": wanted, "Helper": helper, "Requirements": count}
    result = run([slot], [{"submitter": "alice", "ad": asked}])
    assert [item.text for item in result.rejections] == ["no match found"]
    assert slots_of(result) == []
    assert departed(result) == ([] if ends else [("D-508", ("job 1.0 of alice@test",))])
