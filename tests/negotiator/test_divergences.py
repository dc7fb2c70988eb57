"""Where the real negotiator hangs or dies and this one does not (see DIVERGENCES.md)."""

from __future__ import annotations

from typing import Any

from negotiator.result import CycleResult
from tests.negotiator import scenarios

PSLOT = {"PartitionableSlot": "true", "Cpus": "8", "Memory": "8192"}


def run(slots: list[Any], jobs: list[Any], **config: str) -> CycleResult:
    quiet = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
    scenario = {"slots": slots, "jobs": jobs, "config": {**quiet, **config}}
    cycle: dict[str, list[str]] = {"slot_order": [], "submitter_order": []}
    return scenarios.run({"scenario": scenario, "observed": {"cycles": [cycle]}})


def slots_of(result: CycleResult) -> list[str]:
    return [match.slot for match in result.matches]


def test_depth_first_with_very_much_memory() -> None:
    """D-501: amounts are not cut to 32 bits."""
    slot = {"name": "slot1@p", "ad": {**PSLOT, "Memory": str(2**31)}}
    job = {"submitter": "alice", "count": 3, "ad": {"RequestCpus": "4"}}
    result = run([slot], [job], NEGOTIATOR_DEPTH_FIRST="True")
    assert [(match.slot, match.count) for match in result.matches] == [("slot1@p", 1)]
    assert [(item.job, item.text) for item in result.rejections] == [("1.0", "no match found")]


def test_consumption_of_a_resource_the_slot_lacks() -> None:
    """D-502: the slot just does not match."""
    policy = {"MachineResources": '"cpus gadgets"', "ConsumptionCpus": "1"}
    slot = {"name": "slot1@p", "ad": {**PSLOT, **policy, "ConsumptionGadgets": "1"}}
    result = run([slot, {"name": "slot1@f"}], [{"submitter": "alice", "count": 2}])
    assert slots_of(result) == ["slot1@f"]


def test_one_request_at_a_time_is_refused_once() -> None:
    """D-503: a refused autocluster is remembered here, too."""
    job = {"submitter": "alice", "count": 4, "ad": {"RequestCpus": "2"}}
    for config in (
        {"USE_RESOURCE_REQUEST_COUNTS": "False"},
        {"NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": "1"},
    ):
        result = run([{"name": "slot1@f"}], [job], **config)
        assert [item.job for item in result.rejections] == ["1.0"]


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
