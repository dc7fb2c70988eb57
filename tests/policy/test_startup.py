"""Does condor_negotiator start with a configuration: predicted and observed."""

from __future__ import annotations

from typing import Any

from policy.config import load_config
from policy.groups import ConcurrencyLimits
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.load import load_policy, policy_from_knobs
from tests.cases import every_case
from tests.policy.config_vectors import load_vectors

CASES = load_vectors("negotiator-startup.json")["cases"]


@every_case("case", CASES, name=lambda case: case["id"])
def test_startup_is_predicted(case: dict[str, Any]) -> None:
    config = load_config(
        "pool.conf",
        MemorySources({"pool.conf": case["config"]}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
    )
    if not config.complete:
        assert (case["starts"], case["exit"]) == (False, 1)
        return
    loaded = load_policy(config)
    assert loaded.daemon_starts == case["starts"]
    assert case["exit"] == (None if loaded.daemon_starts else 4)


def test_invalid_value_points_and_falls_back() -> None:
    loaded = policy_from_knobs({"A": "1", "PREEMPTION_REQUIREMENTS": "RemoteUserPrio >"})
    [found] = loaded.diagnostics
    assert (found.line, found.severity) == (2, "error")
    assert "ends when it reads this" in (found.help or "")
    assert loaded.policy.preemption_requirements is not None


def test_expression_set_to_nothing_is_none() -> None:
    loaded = policy_from_knobs({"PREEMPTION_REQUIREMENTS": "", "NEGOTIATOR_PRE_JOB_RANK": ""})
    assert loaded.policy.preemption_requirements is None
    assert loaded.policy.pre_job_rank is None
    assert loaded.diagnostics == ()


def test_groups_are_breadth_first_and_surplus_is_not_inherited() -> None:
    loaded = policy_from_knobs(
        {
            "GROUP_NAMES": "b.y, a, b, A, x.y",
            "GROUP_QUOTA_a": "8",
            "GROUP_QUOTA_DYNAMIC_a": "0.5",
            "GROUP_QUOTA_DYNAMIC_b": "0.25",
            "GROUP_QUOTA_b.y": "0",
            "GROUP_ACCEPT_SURPLUS_b": "True",
            "GROUP_AUTOREGROUP_b.y": "True",
            "GROUP_PRIO_FACTOR_a": "10",
        }
    )
    root, a, b, by = loaded.policy.groups
    assert [g.name for g in (root, a, b, by)] == ["<none>", "a", "b", "b.y"]
    assert (by.parent, b.children, root.children) == (2, (3,), (1, 2))
    assert (a.static_quota, a.dynamic_quota) == (8.0, None)
    assert (b.dynamic_quota, by.static_quota) == (0.25, 0.0)
    assert (root.accept_surplus, b.accept_surplus, by.accept_surplus) == (True, True, False)
    assert (root.autoregroup, b.autoregroup, by.autoregroup) == (True, False, True)
    assert (a.prio_factor, b.prio_factor) == (10.0, None)
    assert len(loaded.diagnostics) == 2


def test_no_groups_means_no_tree() -> None:
    assert policy_from_knobs({"GROUP_NAMES": " , "}).policy.groups == ()


def test_concurrency_limits_by_name_set_and_default() -> None:
    limits = policy_from_knobs(
        {
            "LICENSE_LIMIT": "6",
            "s.word_LIMIT": "2.5",
            "CONCURRENCY_LIMIT_DEFAULT_s": "4",
            "CONCURRENCY_LIMIT_DEFAULT": "10",
            "BAD_LIMIT": "x",
        }
    ).policy.concurrency_limits
    assert limits.maximum("License") == 6
    assert limits.maximum("s.word") == 2.5
    assert limits.maximum("S.other") == 4
    assert limits.maximum("t.other") == 10
    assert limits.maximum("bad") == 10
    assert policy_from_knobs({}).policy.concurrency_limits.maximum("x") == 2308032
    assert ConcurrencyLimits().maximum("x") == 2308032


def test_unhonoured_settings_are_named() -> None:
    loaded = policy_from_knobs(
        {"ALLOW_PSLOT_PREEMPTION": "True", "NEGOTIATOR_CROSS_SLOT_PRIOS": "False"}
    )
    honoured = {knob.macro for knob in loaded.unsupported}
    assert "NEGOTIATOR_CROSS_SLOT_PRIOS" not in honoured


def test_match_exprs_get_their_prefix() -> None:
    loaded = policy_from_knobs(
        {
            "NEGOTIATOR_MATCH_EXPRS": "FOO NegotiatorMatchExprBar Missing",
            "FOO": "-2",
            "NegotiatorMatchExprBar": "5",
        }
    )
    names = [name for name, _ in loaded.policy.match_exprs]
    assert names == ["NegotiatorMatchExprFOO", "NegotiatorMatchExprBar"]


def test_text_that_is_ignored_behind_an_expression_ends_no_daemon() -> None:
    loaded = policy_from_knobs({"PREEMPTION_REQUIREMENTS": "1 ? true : false x"})
    assert [found.id for found in loaded.diagnostics] == ["P116"]
    assert loaded.daemon_starts
    broken = policy_from_knobs({"PREEMPTION_REQUIREMENTS": "1 ? true : x y +"})
    assert broken.daemon_starts
    assert not policy_from_knobs({"PREEMPTION_REQUIREMENTS": "true false"}).daemon_starts
