"""Group quotas against the vectors: every printed number of every round of the real negotiator."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attr import evolve

from classad import ExprTree
from negotiator.cycle import negotiate
from negotiator.groups.quotas import SurplusSpread, allocate, assign_quotas
from negotiator.groups.tree import GroupSettings, GroupTree, group_tree
from negotiator.model.result import ROOT_GROUP
from policy.dialects import HTCONDOR, MRG
from policy.load import policy_from_knobs
from tests.cases import every_case
from tests.conform.negotiation.quotas import QUOTA_KINDS
from tests.conform.runner import check_case
from tests.negotiator import scenarios

VECTORS = Path(__file__).parents[1] / "vectors" / "quotas"


def cases() -> list[dict[str, Any]]:
    files = sorted(VECTORS.glob("*.json"))
    return [case for path in files for case in json.loads(path.read_text())["cases"]]


@pytest.mark.slow
@every_case("case", cases, name=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    assert check_case(case, QUOTA_KINDS).mismatches == ()


@pytest.mark.parametrize(
    ("requirements", "known", "preempts"),
    [
        ('RemoteGroup == "g2" && RemoteGroupQuota == 3', True, True),
        ('RemoteGroup == "g2" || RemoteGroupQuota == 3', False, False),
        ("RemoteGroup =?= undefined && RemoteGroupQuota =?= undefined", True, False),
        ("RemoteGroup =?= undefined && RemoteGroupQuota =?= undefined", False, True),
    ],
)
def test_slots_tell_of_groups_that_the_cycle_before_had(
    requirements: str, known: bool, preempts: bool
) -> None:
    """A group that the configuration has since then has no quota there, and is not named."""
    case = scenarios.load("groups-ephemeral")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    wanted = ExprTree(f'RemoteOwner == "bob@test" && ({requirements})')
    before = {"<none>": 2.0, "g1": 4.0, **({"g2": 3.0} if known else {})}
    result = negotiate(
        evolve(snapshot, previous_quotas=before),
        evolve(policy, preemption_requirements=wanted),
        now=scenarios.NOW,
    )
    assert bool(result.matches) is preempts


def test_a_wrong_number_is_noticed() -> None:
    case = cases()[0]
    case = json.loads(json.dumps(case))
    case["expect"]["rounds"][0]["allocated"] += 0.5
    fields = [item.field for item in check_case(case, QUOTA_KINDS).mismatches]
    assert fields == ["rounds[0].allocated"]


@pytest.mark.parametrize(
    ("knobs", "accepts"),
    [
        ({}, False),
        ({"GROUP_ACCEPT_SURPLUS_a": "False", "GROUP_ACCEPT_SURPLUS": "True"}, True),
        ({"GROUP_ACCEPT_SURPLUS_a": "True"}, True),
    ],
)
def test_the_knob_for_all_groups_counts_by_itself(knobs: dict[str, str], accepts: bool) -> None:
    names = {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "3"}
    assert group_tree(policy_from_knobs(names | knobs).policy).accept_surplus is accepts


def test_mrg_dialect() -> None:
    knobs = {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "3", "GROUP_AUTOREGROUP": "True"}
    ours = policy_from_knobs(knobs, dialect=MRG).policy
    assert (ours.groups[1].accept_surplus, ours.groups[1].autoregroup) == (True, False)
    assert not ours.use_slot_weights
    theirs = policy_from_knobs(knobs, dialect=HTCONDOR).policy
    assert (theirs.groups[1].accept_surplus, theirs.groups[1].autoregroup) == (False, True)
    assert theirs.use_slot_weights
    chosen = policy_from_knobs(knobs | {"NEGOTIATOR_USE_SLOT_WEIGHTS": "True"}, dialect=MRG)
    assert chosen.policy.use_slot_weights


@pytest.mark.parametrize(
    ("submitter", "group"),
    [
        ("group_a.x.u@d", "group_a.x"),
        ("GROUP_A.X.u@d", "group_a.x"),
        ("group_a.other.w@d", "group_a"),
        ("group_a@d", ROOT_GROUP),
        ("nobody.x@d", ROOT_GROUP),
        ("nice-user.bob@d", ROOT_GROUP),
        ("group_a", "group_a"),
        ("unknown", ROOT_GROUP),
        ("first.last@d", "first"),
    ],
)
def test_assigned_group(submitter: str, group: str) -> None:
    names = ("group_a.x", "first", "group_a", "lost.child")
    tree = GroupTree(GroupSettings(name) for name in names)
    assert tree.assigned(submitter).name == group


@every_case("seed", range(40))
def test_a_surplus_that_is_wanted_is_handed_out_to_the_last_of_it(seed: int) -> None:
    """What rounding leaves of it is nobody's: the negotiator says that none is left."""
    rng = Random(seed)
    groups = [GroupSettings(name, rng.uniform(1, 9), True, True) for name in "abcdefghij"]
    tree = GroupTree(groups)
    assign_quotas(tree, 100.0, oversubscription=False)
    for group in tree.groups[1:]:
        group.requested = 1e6
    assert allocate(tree, whole_slots=False) == 0.0
    assert sum(group.allocated for group in tree.groups) == pytest.approx(100.0)


def test_a_surplus_that_nobody_wants_is_not_spread() -> None:
    tree = GroupTree([GroupSettings("a", 5.0, True, True)])
    assign_quotas(tree, 20.0, oversubscription=False)
    steps: list[object] = []
    assert allocate(tree, whole_slots=False, note=steps.append) == 20.0
    assert [step for step in steps if isinstance(step, SurplusSpread)] == []
    tree.groups[1].requested = 6.0
    assert allocate(tree, whole_slots=False, note=steps.append) == 14.0
    assert [step.group for step in steps if isinstance(step, SurplusSpread)] == [ROOT_GROUP, "a"]


def test_nothing_is_spread_where_no_surplus_is_left() -> None:
    """However much is wanted beyond the quotas."""
    tree = GroupTree([GroupSettings("a", 5.0, True, True)])
    assign_quotas(tree, 5.0, oversubscription=False)
    tree.groups[1].requested = 6.0
    steps: list[object] = []
    assert allocate(tree, whole_slots=False, note=steps.append) == 0.0
    assert [step for step in steps if isinstance(step, SurplusSpread)] == []
    assert (tree.groups[1].allocated, tree.groups[1].requested) == (5.0, 1.0)


def test_less_than_one_slot_is_spread_too() -> None:
    tree = GroupTree([GroupSettings("a", 5.0, True, True)])
    assign_quotas(tree, 5.5, oversubscription=False)
    tree.groups[1].requested = 6.0
    assert allocate(tree, whole_slots=False) == 0.0
    assert tree.groups[1].allocated == 5.5


def test_siblings_stand_in_the_order_of_their_names_without_case() -> None:
    tree = GroupTree([GroupSettings(name) for name in ("b", "C", "b.y", "A", "b.X")])
    assert [group.name for group in tree.groups] == [ROOT_GROUP, "A", "b", "C", "b.X", "b.y"]
