"""Children of partitionable slots that are preempted for one bigger request."""

from __future__ import annotations

import pytest
from attr import evolve

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.matching.candidate import Tally
from negotiator.model.result import Counters, Reason
from negotiator.pool.fetch import KEPT, OCCUPANTS, new_slot, occupant, use_plain_requirements
from negotiator.pool.partitionable import ChildClaims, enlarge
from negotiator.pool.slots import Slot
from negotiator.sessions.session import _times
from tests.negotiator import scenarios

CONTEXT = EvalContext(now=0.0)
ENDLESS, NO_NUMBER = float("inf"), float("nan")
PARENT = """[
    Name = "slot1@m"; PartitionableSlot = true; RemoteUser = "zed@test"; Cpus = 1.5; Memory = 10;
    Requirements = TARGET.RequestCpus <= Cpus; NumDynamicSlots = 2;
    ChildName = {"slot1_1@m", "slot1_2@m"}; ChildCurrentRank = {0.0, 1.0};
    ChildCpus = {1, 2}; ChildMemory = {5, 6}; ChildDisk = {7, 8}
]"""


def parent() -> Slot:
    ad = ClassAd(PARENT)
    kept = {what: fact.find(ad, CONTEXT) for what, fact in KEPT.items()}
    slot = new_slot(ad, "slot1@m", 1, kept)
    slot.insert("Requirements", ClassAd("[R = TARGET.RequestCpus <= 1.5]").raw("R"))
    return slot


def cpus_up_to(slot: Slot, needed: float, claims: set[int]) -> bool:
    """Whether the slot comes to have so many cores."""

    def enough() -> bool:
        return (slot.ad.get_number("Cpus") or 0) >= needed

    return enlarge(slot, 5.0, enough, lambda name: False, False, claims, CONTEXT) is not None


def test_a_slot_that_never_matches_gets_its_resources_back_and_no_user() -> None:
    slot, claims = parent(), {0, 1}
    assert not cpus_up_to(slot, 9, claims)
    assert slot.ad.get_number("Cpus") == 1.5
    assert claims == {0, 1}
    assert slot.user is None
    assert slot.ad.get_string("RemoteUser") is None
    assert str(slot.raw("Requirements")) == "TARGET.RequestCpus <= Cpus"


def test_children_that_make_it_match_are_used_up() -> None:
    slot, claims = parent(), {0, 1}
    assert cpus_up_to(slot, 2, claims)
    assert slot.ad.get_number("Cpus") == 2  # its fraction is lost
    assert slot.ad.raw("Disk") is None  # it had none
    assert claims == {1}


def test_children_without_a_claim_are_left_alone() -> None:
    slot = parent()
    assert not cpus_up_to(slot, 4, {1})
    assert cpus_up_to(slot, 3, {1})


def test_which_claims_there_are() -> None:
    slot = parent()
    assert ChildClaims().of(slot) == {0, 1}
    assert ChildClaims({"slot1@m": [False, True]}).of(slot) == {1}
    assert ChildClaims({}).of(slot) is None


def test_an_occupant_that_has_no_name_is_passed_over() -> None:
    ad = ClassAd("[RemoteUser = 5; RemoteOwner = nosuch; AccountingGroup = 7]")
    assert occupant(ad, CONTEXT) is None
    for name in reversed(OCCUPANTS):
        ad.insert(name, f"{name}@test")
        assert occupant(ad, CONTEXT) == f"{name}@test"


@pytest.mark.parametrize(
    ("knobs", "can_go"),
    [
        ({}, False),
        ({"ALLOW_PSLOT_PREEMPTION": "True"}, True),
        ({"ALLOW_PSLOT_PREEMPTION": "True", "NEGOTIATOR_CONSIDER_PREEMPTION": "False"}, False),
        ({"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}, False),
    ],
)
def test_dynamic_slots_make_room_where_both_knobs_let_them(
    knobs: dict[str, str], can_go: bool
) -> None:
    case = scenarios.load("pslot-preemption")
    scenario = case["scenario"]
    config = {**scenario["config"], "ALLOW_PSLOT_PREEMPTION": "False", **knobs}
    policy = scenarios.policy_of({**scenario, "config": config})
    result = negotiate(scenarios.snapshot_of(case), policy, now=scenarios.NOW)
    assert any(match.dynamic_slots for match in result.matches) is can_go


@pytest.mark.parametrize("engine", ENGINES)
def test_without_preemption_requirements_no_dynamic_slot_has_to_go(engine: str) -> None:
    case = scenarios.load("pslot-preemption")
    allowed = {**case["scenario"]["config"], "ALLOW_PSLOT_PREEMPTION": "True"}
    policy = scenarios.policy_of({**case["scenario"], "config": allowed})
    found = [
        negotiate(scenarios.snapshot_of(case), each, now=scenarios.NOW, engine=engine)
        for each in (policy, evolve(policy, preemption_requirements=None))
    ]
    went = [any(match.dynamic_slots for match in result.matches) for result in found]
    assert went == [True, False]


def test_dynamic_slots_make_no_room_for_more_than_a_submitters_share() -> None:
    """What they would cost counts like the cost of any slot; the next spin has room again."""
    case = scenarios.load("pslot-preemption")
    scenario = case["scenario"]
    scenario["slots"].append({"name": "slot1@q", "ad": {"Cpus": "1"}})
    small, big = {"RequestCpus": "1"}, {"RequestCpus": "4"}
    scenario["jobs"] = [
        {"submitter": "alice", "ad": {**small, "Requirements": 'TARGET.Name == "slot1@q"'}},
        {"submitter": "alice", "ad": big},
        {"submitter": "bob", "ad": {**big, "Requirements": "false"}},
    ]
    case["observed"]["cycles"][0]["slot_order"].append("slot1@q")
    scenario["accountant"]["customers"]["bob"] = {"priority": 1, "factor": 1000.0}
    result = negotiate(
        scenarios.snapshot_of(case), scenarios.policy_of(scenario), now=scenarios.NOW
    )
    assert [(match.slot, match.spin) for match in result.matches] == [
        ("slot1@q", 1), ("slot1@p", 2),
    ]  # fmt: skip
    refused = [(item.spin, item.reason) for item in result.rejections if item.job == "2.0"]
    assert refused == [(1, Reason.SUBMITTER_LIMIT)]


def test_what_nobody_refused_counts_nothing() -> None:
    assert Tally().counters() == Counters()


@pytest.mark.parametrize(
    ("there", "wanted", "times"),
    [
        (8, 4, 2), (7.9, 4, 1), (3, 4, 0), (3, 0.5, 3), (ENDLESS, 4, 2**31 - 1),
        (ENDLESS, ENDLESS, 0), (ENDLESS, NO_NUMBER, 0), (-ENDLESS, 4, 0), (NO_NUMBER, 4, 0),
        (8, ENDLESS, 0), (8, NO_NUMBER, 0),
    ],
)  # fmt: skip
def test_how_many_jobs_fit_into_a_slot_depth_first(there: float, wanted: float, times: int) -> None:
    assert _times(there, wanted) == times


@pytest.mark.parametrize(
    ("sent", "own", "plain"),
    [
        ("TARGET.A > Cpus", None, "TARGET.A > Cpus"),
        ("TARGET.A > Cpus", "TARGET.B", "TARGET.B"),
        ("TARGET.A > Cpus", "false", "false"),
        ("TARGET.A > Cpus", "0", "0"),
        ("TARGET.A > Cpus", "undefined", "undefined"),
        ("false", None, "false"),
        (None, "TARGET.B", "TARGET.B"),
        (None, None, "TARGET.C"),
    ],
)
def test_requirements_go_back_to_what_they_were_before_they_were_flattened(
    sent: str | None, own: str | None, plain: str
) -> None:
    """Those that an administrator has given the slot come before those of the startd."""
    body = {"Cpus": "1", "Requirements": sent, "NegotiatorRequirements": own}
    text = "; ".join(f"{name} = {value}" for name, value in body.items() if value is not None)
    slot = new_slot(ClassAd(f"[{text}]"), "slot1@m", 1, {})
    flat = ClassAd("[R = TARGET.C]").raw("R")
    slot.insert("Requirements", flat)
    use_plain_requirements(slot)
    expected = ClassAd(f"[Requirements = {plain}]")
    assert str(ClassAd({"Requirements": slot.raw("Requirements")})) == str(expected)
