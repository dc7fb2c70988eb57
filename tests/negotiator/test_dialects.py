"""The dialects: each rule by itself, and the worked examples of the old manuals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from negotiator.cycle import negotiate
from negotiator.groups.quotas import allocate, assign_quotas
from negotiator.groups.tree import group_tree
from negotiator.io import CapturePaths, read_capture
from negotiator.model.result import MatchKind, Reason, TrimCause
from pieslice.cli import main
from policy.dialects import DIALECTS, HTCONDOR, MANUAL, RULES, Dialect, find_dialect
from policy.load import policy_from_knobs

POOL = Path(__file__).parents[2] / "examples" / "dialects"


def run(dialect: Dialect) -> Any:
    capture = read_capture(CapturePaths(POOL), dialect=dialect)
    return negotiate(capture.snapshot, capture.policy, now=capture.facts.now)


def quotas(dialect: Dialect, pool: float, **knobs: str) -> dict[str, float]:
    tree = group_tree(policy_from_knobs(knobs, dialect=dialect).policy)
    oversubscription = policy_from_knobs(knobs, dialect=dialect).policy.allow_quota_oversubscription
    assign_quotas(tree, pool, oversubscription=oversubscription)
    return {group.name: group.quota for group in tree.groups}


def test_better_priority() -> None:
    result = run(evolve(HTCONDOR, better_priority_preempts=True))
    taken = {match.preempted for match in result.matches if match.kind is MatchKind.PRIORITY}
    assert taken == {"eve@example.org"}
    refused = [item for item in result.rejections if item.reason is Reason.PRIORITY]
    assert refused
    assert all(item.counters.priority == 2 for item in refused[:1])
    assert refused[0].text == "insufficient priority"


def test_claim_without_a_job() -> None:
    result = run(evolve(HTCONDOR, idle_claims_skipped=True))
    (trimmed,) = result.trimmed
    assert (trimmed.name, trimmed.cause) == ("slot1@node14", TrimCause.IDLE_CLAIM)
    assert "slot1@node14" not in {match.slot for match in result.matches}


def test_order_of_jobs() -> None:
    for dialect, first in ((HTCONDOR, "1.0"), (evolve(HTCONDOR, older_jobs_first=True), "2.0")):
        jobs = [m.job for m in run(dialect).matches if m.submitter == "physics.bert@example.org"]
        assert jobs[0] == first


def test_manual_is_all_rules_at_once() -> None:
    result = run(MANUAL)
    assert len(result.trimmed) == 1
    assert [m.preempted for m in result.matches if m.preempted] == ["eve@example.org"]
    assert {group.name: group.quota for group in result.groups}["physics"] == 5.0


def test_a_knob_that_is_set_wins() -> None:
    knobs = {"GROUP_NAMES": "a", "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "True"}
    assert policy_from_knobs(knobs, dialect=MANUAL).policy.allow_quota_oversubscription is True
    del knobs["NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"]
    assert policy_from_knobs(knobs, dialect=MANUAL).policy.allow_quota_oversubscription is False
    assert policy_from_knobs(knobs).policy.allow_quota_oversubscription is True


@pytest.mark.parametrize("name", ["manual", "mrg"])
def test_too_much_is_promised(name: str) -> None:
    knobs = {"GROUP_NAMES": "a b", "GROUP_QUOTA_a": "10", "GROUP_QUOTA_b": "20"}
    assert quotas(DIALECTS[name], 15.0, **knobs) == {"<none>": 0.0, "a": 5.0, "b": 10.0}
    assert quotas(HTCONDOR, 15.0, **knobs) == {"<none>": 0.0, "a": 10.0, "b": 20.0}


@pytest.mark.parametrize("name", ["manual", "mrg"])
def test_static_first_then_dynamic_and_the_rest_for_the_parent(name: str) -> None:
    static = {"GROUP_QUOTA_p": "10", "GROUP_QUOTA_p.s": "2"}
    knobs = {"GROUP_NAMES": "p p.s p.d", "GROUP_QUOTA_DYNAMIC_p.d": "0.5", **static}
    assert quotas(DIALECTS[name], 10.0, **knobs) == {
        "<none>": 0.0,
        "p": 4.0,
        "p.s": 2.0,
        "p.d": 4.0,
    }


@pytest.mark.parametrize("flag", [True, False])
def test_whole_slots_in_turn(flag: bool) -> None:
    """Nine slots, half of them for each: with sharing nobody loses one."""
    knobs = {
        "GROUP_NAMES": "chemistry physics",
        "GROUP_QUOTA_DYNAMIC_chemistry": "0.5",
        "GROUP_QUOTA_DYNAMIC_physics": "0.5",
        "GROUP_AUTOREGROUP": str(flag),
    }
    policy = policy_from_knobs(knobs, dialect=DIALECTS["mrg"]).policy
    assert not policy.use_slot_weights
    assert not policy.use_weighted_demand
    tree = group_tree(policy)
    assert not tree.autoregroup
    assign_quotas(tree, 9.0, oversubscription=policy.allow_quota_oversubscription)
    for group in tree.groups[1:]:
        group.requested = 20.0
    allocate(tree, whole_slots=not policy.use_slot_weights)
    got = [tree[name].allocated for name in ("chemistry", "physics")]
    assert got == ([5.0, 4.0] if flag else [4.0, 4.0])


def test_rules_by_name() -> None:
    assert find_dialect("mrg") is DIALECTS["mrg"]
    found = find_dialect("htcondor+older-jobs-first+idle-claims-skipped")
    assert found.older_jobs_first
    assert found.idle_claims_skipped
    assert not found.better_priority_preempts
    assert all(hasattr(HTCONDOR, field) for field in RULES.values())


def test_the_dialect_is_in_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", str(POOL), "--dialect", "manual"]) == 0
    out = capsys.readouterr().out
    assert "  dialect manual: " in out
    assert "claimed, but no job runs on it" in out
    assert main(["negotiate", str(POOL), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pool"]["dialect"] == "htcondor"


def test_why_shows_the_priorities(capsys: pytest.CaptureFixture[str]) -> None:
    job = ["why", str(POOL), "1.5", "slot1@node13"]
    assert main([*job, "--dialect", "manual"]) == 0
    assert "better priority: not true" in capsys.readouterr().out
    assert main(job) == 0
    assert "better priority" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["why", "1.0", "--dialect", "nix"], "`nix` is no dialect"),
        (["diff", str(POOL), "--dialect", "manual+nix"], "`nix` is no rule"),
        (["diff", str(POOL), "--dialect", "mrg,manual,mrg"], "two dialects"),
    ],
)
def test_bad_names(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_diff_of_one_dialect_needs_another_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(POOL), "--dialect", "manual"]) == 2
    assert "nothing to compare" in capsys.readouterr().err
    assert main(["diff", str(POOL), str(POOL), "--dialect", "manual"]) == 0
