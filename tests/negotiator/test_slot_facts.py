"""What the negotiator makes of a slot ad by itself, with values of every kind: missing, of another
type, negative, expressions, inherited.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from attr import evolve

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.language.values import UNDEFINED
from negotiator.accounting.accountant import Accountant, AccountantSettings
from negotiator.groups.tree import GroupSettings, GroupTree
from negotiator.model.arithmetic import DBL_MAX
from negotiator.model.result import Match, MatchKind, PoolNumbers, TrimCause, TrimmedSlot
from negotiator.model.snapshot import AccountantState, Customer, Resource
from negotiator.pool import claims, consumption
from negotiator.pool.ephemeral import (
    SlotDecorator,
    add_match_expressions,
    carry_match,
    decorate_request,
)
from negotiator.pool.fetch import (
    KEPT,
    changing,
    fetch_slots,
    occupant,
    take_requirements,
    use_plain_requirements,
)
from negotiator.pool.partitionable import ChildClaims, enlarge
from negotiator.pool.slots import Slot, Slots, holds
from negotiator.pool.trimming import trim_slots
from negotiator.pool.weights import current_weight, pool_numbers, slot_weight
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.cases import every_case

CONTEXT = EvalContext(now=1000.0)


@cache
def policy(**knobs: str) -> NegotiatorPolicy:
    return policy_from_knobs(knobs).policy


def fetched(*ads: str, counts: Mapping[str, int] | None = None, **knobs: str) -> Slots:
    """The slots that a cycle has of ads, which lack only their brackets."""
    given = [ClassAd(f"[{ad}]") for ad in ads]
    return fetch_slots(given, counts or {}, policy(**knobs), CONTEXT)


def one(ad: str, **knobs: str) -> Slot:
    (slot,) = fetched(f'Name = "s"; {ad}', **knobs)
    return slot


# --- who is on a slot -----------------------------------------------------------------------------


@pytest.mark.parametrize("inherited", [False, True])
@pytest.mark.parametrize(
    ("text", "holder", "charged"),
    [
        ("", None, None),
        ('RemoteUser = "u@d"', "u@d", "u@d"),
        ('AccountingGroup = "a.u@d"; RemoteUser = "u@d"', "a.u@d", "a.u@d"),
        # An empty text is somebody on the slot, and nobody to charge.
        ('AccountingGroup = ""; RemoteUser = "u@d"', "", "u@d"),
        ('RemoteUser = ""', "", ""),
        # Whoever preempts is on the slot already and not charged for it yet.
        ('PreemptingUser = "p@d"; RemoteUser = "u@d"', "p@d", "u@d"),
        ('PreemptingAccountingGroup = "a.p@d"; PreemptingUser = "p@d"', "a.p@d", None),
        # What is no text counts as missing; an expression is what it is worth.
        ('AccountingGroup = 5; RemoteUser = "u@d"', "u@d", "u@d"),
        ('AccountingGroup = Nowhere; RemoteUser = "u@d"', "u@d", "u@d"),
        ('RemoteUser = strcat("u", "@d")', "u@d", "u@d"),
        ('AccountingGroup = strcat("a", ".u@d"); RemoteUser = "u@d"', "a.u@d", "a.u@d"),
        ("AccountingGroup = 5; RemoteUser = 6", None, None),
    ],
)
def test_who_is_on_a_slot_and_who_is_charged(
    text: str, holder: str | None, charged: str | None, inherited: bool
) -> None:
    ad = ClassAd(f"[{text}]")
    if inherited:
        parent, ad = ad, ClassAd()
        ad.chain(parent)
    assert occupant(ad, CONTEXT) == holder
    assert KEPT["charged"].find(ad, CONTEXT) == charged


def test_other_slots_of_the_machine_have_users_under_a_prefix() -> None:
    ad = ClassAd('[Slot2_RemoteUser = "u@d"; RemoteUser = "own@d"; Slot3_AccountingGroup = "a.v"]')
    found = [occupant(ad, CONTEXT, prefix) for prefix in ("", "Slot1_", "Slot2_", "slot3_")]
    assert found == ["own@d", None, "u@d", "a.v"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"partitionable": False, "state": None, "reevaluated": False, "schedd": None}),
        ('RemoteScheddName = "s1"', {"schedd": None}),
        ('PartitionableSlot = true; RemoteScheddName = "s1"', {"schedd": "s1"}),
        ("PartitionableSlot = true; RemoteScheddName = 1", {"schedd": None}),
        ('PartitionableSlot = false; RemoteScheddName = "s1"', {"schedd": None}),
        ("PartitionableSlot = 1 < 2", {"partitionable": True}),
        ("PartitionableSlot = 1", {"partitionable": True}),
        ("PartitionableSlot = 0", {"partitionable": False}),
        ('PartitionableSlot = "true"', {"partitionable": False}),
        ('State = "Owner"; WantAdRevaluate = true', {"state": "Owner", "reevaluated": True}),
        ("State = 5", {"state": None}),
    ],
)
def test_what_is_kept_of_a_slot(text: str, expected: dict[str, object]) -> None:
    ad = ClassAd(f"[{text}]")
    assert {what: KEPT[what].find(ad, CONTEXT) for what in expected} == expected


# --- which slots take part ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ('Name = "s"', True),
        ("Name = 5", False),
        ("", False),
        ('Name = strcat("s", "@m")', True),
        ('Name = "s"; Absent = true', False),
        ('Name = "s"; Absent = false', True),
        ('Name = "s"; Absent = 2 > 1', False),
        ('Name = "s"; Absent = "true"', True),
        ('Name = "s"; Absent = Nowhere', True),
    ],
)
def test_slots_with_a_name_that_are_not_absent_take_part(text: str, there: bool) -> None:
    assert len(fetched(text)) == there


@pytest.mark.parametrize(
    ("constraint", "names"),
    [
        ("Cpus > 1", ["b"]),
        ("Cpus - 1", ["b"]),  # a number that is not zero counts
        ("0.0", []),
        ("0.5", ["a", "b"]),
        ("-1", ["a", "b"]),
        ('"true"', []),
        ("Nowhere > 1", []),
        ("Absent =!= true", ["a", "b"]),
    ],
)
def test_a_constraint_chooses_slots(constraint: str, names: list[str]) -> None:
    ads = ('Name = "a"; Cpus = 1', 'Name = "b"; Cpus = 2', 'Name = "c"; Cpus = 3; Absent = true')
    found = fetched(*ads, NEGOTIATOR_SLOT_CONSTRAINT=constraint)
    assert [slot.name for slot in found] == names


def test_a_constraint_that_is_not_there_holds() -> None:
    assert holds(None, ClassAd(), CONTEXT)


def test_a_slot_has_one_claim_unless_the_collector_tells_how_many() -> None:
    found = fetched('Name = "a"', 'Name = "b"', 'Name = "c"', counts={"b": 3, "c": 0})
    assert [slot.claims for slot in found] == [1, 3, 0]


# --- weights --------------------------------------------------------------------------------------

_WEIGHTS = [
    # SlotWeight, what the slot costs, what the ad says at any moment
    ("2", 2.0, 2.0), ("2.5", 2.5, 2.5), ("0", 0.0, 0.0), ("-0.5", 1.0, -0.5), ("-3", 1.0, -3.0),
    ("Cpus", 4.0, 4.0), ("Cpus / 8.0", 0.5, 0.5), ("true", 1.0, 1.0), ("false", 0.0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "cost", "current"), _WEIGHTS)
def test_what_a_slot_weighs(text: str, cost: float, current: float) -> None:
    slot = one(f"Cpus = 4; SlotWeight = {text}")
    assert slot.weight == cost
    assert slot_weight(slot.ad, policy(), CONTEXT) == cost
    assert current_weight(slot.ad, CONTEXT) == current
    alike = policy(NEGOTIATOR_USE_SLOT_WEIGHTS="False")
    assert slot_weight(slot.ad, alike, CONTEXT) == 1.0
    assert current_weight(slot.ad, CONTEXT) == current


@pytest.mark.parametrize("text", ["", 'SlotWeight = "4"', "SlotWeight = Nowhere"])
def test_a_slot_without_a_weight_gets_that_of_the_policy(text: str) -> None:
    assert one(f"Cpus = 4; {text}").weight == 4.0  # SLOT_WEIGHT is Cpus
    assert one(f"Cpus = 4; Memory = 7; {text}", SLOT_WEIGHT="Memory").weight == 7.0
    ad = ClassAd(f"[{text}]")
    assert (current_weight(ad, CONTEXT), slot_weight(ad, policy(), CONTEXT)) == (1.0, 1.0)


def test_the_policy_may_overrule_the_weights_of_slots() -> None:
    knobs = {"SLOT_WEIGHT": "Memory", "FORCE_NEGOTIATOR_SLOT_WEIGHT": "True"}
    assert one("Memory = 7; SlotWeight = 2", **knobs).weight == 7.0


# --- requirements ---------------------------------------------------------------------------------


def test_requirements_for_the_negotiator_replace_those_of_the_startd() -> None:
    slot = one("Requirements = TARGET.A > 1; NegotiatorRequirements = TARGET.B > 1")
    assert str(slot.raw("Requirements")) == "TARGET.B > 1"
    assert str(slot.requirements) == "TARGET.A > 1"
    slot.insert("Requirements", 5)
    use_plain_requirements(slot)
    assert str(slot.raw("Requirements")) == "TARGET.B > 1"
    alone = one("Requirements = TARGET.A > 1")
    alone.insert("Requirements", 5)
    take_requirements(alone)
    assert alone.raw("Requirements") == 5
    use_plain_requirements(alone)
    assert str(alone.raw("Requirements")) == "TARGET.A > 1"
    bare = one("")
    use_plain_requirements(bare)
    assert bare.raw("Requirements") is None
    bare.insert("Requirements", 5)
    use_plain_requirements(bare)
    assert bare.raw("Requirements") == 5


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Requirements = K && TARGET.U", "K && TARGET.U"),
        # What changes within the cycle goes by what it was when the cycle began.
        ("Requirements = Cpus > 1 && TARGET.U > 1; WantAdRevaluate = true", "TARGET.U > 1"),
    ],
)
def test_which_slots_have_their_requirements_flattened(text: str, left: str) -> None:
    ad = ClassAd(f'[Name = "s"; K = 2; Cpus = 4; {text}]')
    (slot,) = fetch_slots([ad], {}, policy(), CONTEXT, read=False)
    assert str(slot.raw("Requirements")) == left


def test_partitionable_slots_change_where_their_children_may_go() -> None:
    both = {"ALLOW_PSLOT_PREEMPTION": "True", "NEGOTIATOR_CONSIDER_PREEMPTION": "True"}
    assert changing(policy()) == ("resources", "reevaluated")
    assert changing(policy(**both)) == ("resources", "reevaluated", "partitionable")
    ad = ClassAd(
        '[Name = "s"; Cpus = 4; PartitionableSlot = true; Requirements = Cpus > 1 && TARGET.U > 1]'
    )
    left = []
    for knobs in ({}, both):
        (slot,) = fetch_slots([ad], {}, policy(**knobs), CONTEXT, read=False)
        left.append(str(slot.raw("Requirements")))
    assert left == ["Cpus > 1 && TARGET.U > 1", "TARGET.U > 1"]


@pytest.mark.parametrize(
    ("text", "preempts", "part"),
    [
        ('State = "Claimed"', False, True),
        ('State = "Claimed"', True, False),
        ('State = "Unclaimed"', False, False),
        ('State = "Claimed"; PartitionableSlot = true', False, False),
    ],
)
def test_of_a_claimed_slot_the_collector_sends_a_part_without_preemption(
    text: str, preempts: bool, part: bool
) -> None:
    slot = one(
        f'{text}; Requirements = Cpus > 1; Cpus = 2; Rank = 5; PreemptingUser = "p"',
        NEGOTIATOR_CONSIDER_PREEMPTION=str(preempts),
    )
    names = ("Requirements", "Cpus", "Rank", "PreemptingUser")
    there = [name for name in names if slot.raw(name) is not None]
    assert there == ["Requirements", "Cpus"] if part else list(names)
    assert slot.user == (None if part else "p")


def test_a_slot_with_a_consumption_policy_has_an_ad_of_its_own() -> None:
    """Resources are taken of it for a moment, to see what that costs."""
    consuming = 'PartitionableSlot = true; MachineResources = "Cpus"; ConsumptionCpus = 1'
    for text, own in (("", False), (consuming, True)):
        ad = ClassAd(f'[Name = "s"; SlotWeight = 1; Cpus = 2; {text}]')
        (slot,) = fetch_slots([ad], {}, policy(), CONTEXT, read=False)
        assert (slot.ad is not ad) is own
        assert (slot.base is ad, slot.raw("Cpus")) == (True, 2)


# --- consumption policies -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "resources"),
    [
        ('MachineResources = "Cpus Memory"; ConsumptionCpus = 1; ConsumptionMemory = 1', "C M"),
        ('MachineResources = " Cpus,  Memory,"; ConsumptionCpus = 1; ConsumptionMemory = 1', "C M"),
        ('MachineResources = "Cpus Memory"; ConsumptionCpus = 1', ""),
        ('MachineResources = "Cpus swap"; ConsumptionCpus = 1', "C"),
        ('MachineResources = "SWAP Cpus"; ConsumptionCpus = 1', "C"),
        ('MachineResources = ""; ConsumptionCpus = 1', ""),
        ("MachineResources = 5; ConsumptionCpus = 1", ""),
        ("ConsumptionCpus = 1", ""),
    ],
)
def test_the_resources_of_a_consumption_policy(text: str, resources: str) -> None:
    for whole, expected in (("true", resources), ("false", ""), ("Nowhere", "")):
        ad = ClassAd(f"[PartitionableSlot = {whole}; {text}]")
        found = consumption.policy_resources(ad, CONTEXT)
        assert " ".join(name[0] for name in found) == expected


@pytest.mark.parametrize(
    ("slot", "request_text", "amounts"),
    [
        ("ConsumptionCpus = 1; Cpus = 4", "", {"Cpus": 1}),
        ("ConsumptionCpus = 4; Cpus = 4", "", {"Cpus": 4}),  # just what there is
        ("ConsumptionCpus = 5; Cpus = 4", "", None),
        ("ConsumptionCpus = 0; Cpus = 4", "", None),  # nothing at all is no match
        ("ConsumptionCpus = -1; Cpus = 4", "", None),
        ("ConsumptionCpus = 0.5; Cpus = 4", "", {"Cpus": 0.5}),
        ('ConsumptionCpus = "1"; Cpus = 4', "", None),
        ("ConsumptionCpus = 1", "", None),
        ("ConsumptionCpus = TARGET.RequestCpus; Cpus = 4", "RequestCpus = 3", {"Cpus": 3}),
        # What is not asked for is asked for as 0.
        ("ConsumptionCpus = TARGET.RequestCpus + 1; Cpus = 4", "", {"Cpus": 1}),
        ("ConsumptionCpus = TARGET.RequestCpus; Cpus = 4", "", None),
    ],
)
def test_what_a_request_takes_of_a_slot(
    slot: str, request_text: str, amounts: dict[str, float] | None
) -> None:
    slot_ad, request = ClassAd(f"[{slot}]"), ClassAd(f"[{request_text}]")
    assert consumption.consumed(slot_ad, ("Cpus",), request, CONTEXT) == amounts


def test_a_request_may_take_nothing_of_some_resources() -> None:
    slot = ClassAd("[Cpus = 4; Memory = 0; ConsumptionCpus = 2; ConsumptionMemory = 0]")
    resources = ("Cpus", "Memory")
    found = consumption.consumed(slot, resources, ClassAd(), CONTEXT)
    assert found == {"Cpus": 2, "Memory": 0}
    asked = ClassAd("[RequestCpus = 1; RequestGPUs = 1]")
    seen = consumption.request_for(asked, {"Cpus": 2.0, "Memory": 0, "GPUs": 0.5})
    assert [seen.raw(f"Request{name}") for name in ("Cpus", "Memory", "GPUs")] == [2, None, 0.5]
    assert seen.raw("RequestCpus").__class__ is int
    assert asked.raw("RequestCpus") == 1


@pytest.mark.parametrize(
    ("weight", "cost"),
    [
        ("Cpus", 3.5),
        ("Memory", 3.0),
        ("7", 0.0),
        ("Cpus - 0.5", 3.5),  # all that there is
        ("Cpus + 0.25", 3.5),  # less than one is left
        ("2 - Cpus", -0.5),  # -2 counts as 1, and 1.5 is left
        ("Cpus - 1", 2.0),  # 3, and -0.5 counts as 1
        ("Nowhere", 0.0),
    ],
)
def test_a_match_costs_the_drop_of_the_weight(weight: str, cost: float) -> None:
    slot = ClassAd(f"[Cpus = 4; Memory = 10; SlotWeight = {weight}]")
    amounts = {"Cpus": 3.5, "Memory": 3}
    assert consumption.cost_of(slot, amounts, CONTEXT) == cost
    assert (slot.raw("Cpus"), slot.raw("Memory")) == (4, 10)
    consumption.deduct(slot, amounts, CONTEXT)
    assert (slot.raw("Cpus"), slot.raw("Memory")) == (4 - amounts["Cpus"], 7)


def test_what_is_left_is_an_integer_where_it_is_one() -> None:
    slot = ClassAd("[Cpus = 2.5; Memory = 4]")
    consumption.deduct(slot, {"Cpus": 0.5, "Memory": 0.5, "Disk": 1}, CONTEXT)
    left = [slot.raw(name) for name in ("Cpus", "Memory", "Disk")]
    assert [(it.__class__, it) for it in left] == [(int, 2), (float, 3.5), (int, -1)]


# --- claims ---------------------------------------------------------------------------------------

USED = 'RemoteUser = "u@d"; StartdIpAddr = "<a>"; SlotWeight = 2'


@pytest.mark.parametrize(
    ("text", "charged", "without_suspended"),
    [
        ('State = "Claimed"', 1, 1),
        ('State = "Preempting"', 1, 1),
        ('State = "Matched"', 0, 0),
        ('State = "Unclaimed"', 0, 0),
        ("", 0, 0),
        ('State = "Claimed"; Activity = "Suspended"', 1, 0),
        ('State = "Claimed"; Activity = "SUSPENDED"', 1, 0),
        ('State = "Claimed"; Activity = "Busy"', 1, 1),
        ('State = "Claimed"; Activity = 5', 1, 1),
    ],
)
def test_which_claims_are_charged(text: str, charged: int, without_suspended: int) -> None:
    for knobs, count in (
        ({}, charged),
        ({"NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES": "True"}, without_suspended),
    ):
        slots = fetched(f'Name = "s"; {USED}; {text}', f'Name = "nobody"; {text}', **knobs)
        found = claims.charged_slots(slots, policy(**knobs), CONTEXT)
        assert claims.charges(found) == [("u@d", 2.0)] * count


def test_records_of_slots_that_are_matched_wait() -> None:
    slots = fetched(
        'Name = "a"; StartdIpAddr = "<1>"; State = "Matched"',
        'Name = "b"; StartdIpAddr = "<1>"; State = "Claimed"',
        'Name = "c"; State = "Matched"',
    )
    records = {key: Resource(key, "u@d") for key in ("a@<1>", "b@<1>", "c@", "a@<2>")}
    state = AccountantState({}, records)
    assert list(claims.waiting_matches(slots, state, CONTEXT)) == ["a@<1>", "c@"]


def made_match(slot: str, submitter: str, cost: float) -> Match:
    return Match(0, 0, 1, submitter, "s1", "1.0", 1, 1, 1, slot, MatchKind.NONE, None, cost)


def test_the_records_of_claims_after_a_cycle() -> None:
    consuming = 'PartitionableSlot = true; MachineResources = "Cpus"; ConsumptionCpus = 1'
    slots = fetched(
        f'Name = "a"; State = "Claimed"; {USED}; MatchedConcurrencyLimits = "nfs"',
        f'Name = "b"; State = "Claimed"; {USED}; MatchedConcurrencyLimits = 5',
        f'Name = "c"; StartdIpAddr = "<c>"; Cpus = 9; {consuming}',
    )
    waiting = {"w": Resource("w", "w@d"), "b@<a>": Resource("b@<a>", "before@d")}
    charged = claims.charged_slots(slots, policy(), CONTEXT)
    matches = [
        (made_match("a", "v@d", 3.0), "Lic:2"), (made_match("c", "v@d", 1.0), ""),
        (made_match("c", "x@d", 0.5), ""),
    ]  # fmt: skip
    found = claims.table_of_claims(waiting, charged, matches, slots, CONTEXT)
    told = {
        key: (it.key, it.remote_user, it.slot_weight, it.start_time, it.matched_concurrency_limits)
        for key, it in found.items()
    }
    assert told == {
        "w": ("w", "w@d", 1.0, 0, None),
        "b@<a>": ("b@<a>", "u@d", 2.0, 1000, None),
        "a@<a>": ("a@<a>", "v@d", 3.0, 1000, "lic:2"),
        "c@<c>_cp_match_000": ("c@<c>_cp_match_000", "v@d", 1.0, 1000, None),
        "c@<c>_cp_match_001": ("c@<c>_cp_match_001", "x@d", 0.5, 1000, None),
    }
    (only,) = claims.table_of_claims({}, charged[:1], [], slots, EvalContext()).values()
    assert (only.matched_concurrency_limits, only.start_time) == ("nfs", 0)


def test_the_limits_that_claims_hold() -> None:
    slots = fetched(
        'Name = "a"; ConcurrencyLimits = "lic"; PreemptingConcurrencyLimits = "nfs"',
        'Name = "b"; ConcurrencyLimits = ""; State = "Owner"',
        'Name = "c"; ConcurrencyLimits = 5',
        'Name = "d"; PreemptingConcurrencyLimits = strcat("li", "c")',
    )
    waiting = {
        "w": Resource("w", "u@d", matched_concurrency_limits="x:2"),
        "v": Resource("v", "u@d"),
    }
    assert claims.held_limits(slots, waiting, CONTEXT) == ["lic", "nfs", "lic", "x:2"]


# --- the size of the pool -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ads", "knobs", "expected"),
    [
        ([], {}, (0, 0.0, DBL_MAX, 0.0, 0, 0.0)),
        (["SlotWeight = 2", "SlotWeight = 0.5"], {}, (2, 2.5, 0.5, 2.5, 2, 2.0)),
        # Only partitionable slots count by their cores, as an integer.
        (
            ["SlotWeight = 4; Cpus = 4", "SlotWeight = 1; Cpus = 3.9; PartitionableSlot = true"],
            {},
            (2, 5.0, 1.0, 5.0, 2, 4.0),
        ),
        (["PartitionableSlot = true; SlotWeight = 1"], {}, (1, 1.0, 1.0, 1.0, 1, 1.0)),
        (["PartitionableSlot = true; Cpus = 0"], {}, (1, 0.0, 0.0, 0.0, 1, 0.0)),
        # A constraint takes slots out of the pie, not out of the pool.
        (
            ["SlotWeight = 2; Cpus = 1", "SlotWeight = 5; Cpus = 2", "SlotWeight = 9"],
            {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "Cpus < 2"},
            (3, 16.0, 2.0, 2.0, 1, 1.0),
        ),
        (
            ["SlotWeight = 2; Cpus = 1", "SlotWeight = 1; Cpus = 2"],
            {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "Cpus < 2"},
            (2, 3.0, 1.0, 2.0, 1, 1.0),
        ),
        (
            ["SlotWeight = 2", "SlotWeight = 5"],
            {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
            (2, 2.0, 1.0, 2.0, 2, 2.0),
        ),
        (
            ["SlotWeight = 2; GhostMultiplier = 3", "SlotWeight = 5", "GhostMultiplier = 0"],
            {},
            (3, 11.0, 0.0, 11.0, 3, 3.0),
        ),
        (['SlotWeight = 2; GhostMultiplier = "3"'], {}, (1, 2.0, 2.0, 2.0, 1, 1.0)),
        (["SlotWeight = 2; GhostMultiplier = 2.9"], {}, (1, 4.0, 4.0, 4.0, 1, 1.0)),
        (
            ["SlotWeight = 2; GhostMultiplier = 3"],
            {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
            (1, 3.0, 3.0, 1.0, 1, 1.0),
        ),
    ],
)
def test_the_numbers_of_a_pool(
    ads: list[str], knobs: dict[str, str], expected: tuple[float, ...]
) -> None:
    slots = fetched(*(f'Name = "s{i}"; {ad}' for i, ad in enumerate(ads)), **knobs)
    found = pool_numbers(slots, policy(**knobs), CONTEXT)
    fields = ("slots", "pool_weight", "min_slot_weight", "pie", "counted_slots", "effective_size")
    assert tuple(getattr(found, name) for name in fields) == expected
    assert isinstance(found, PoolNumbers)


# --- slots that nobody can get --------------------------------------------------------------------

_CLAIMED = 'State = "Claimed"'
_WHOLE = 'PartitionableSlot = true; State = "Claimed"'
_NEVER = {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
_SHUTDOWN = {"NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD": "60"}
_EARLY = {"NEGOTIATOR_CONSIDER_EARLY_PREEMPTION": "True"}


@every_case("text, knobs, cause", [
        (_CLAIMED, {}, None),
        (_CLAIMED, _NEVER, TrimCause.CLAIMED),
        ('State = "Preempting"', _NEVER, TrimCause.CLAIMED),
        ('State = "Matched"', _NEVER, None),
        (_WHOLE, _NEVER, None),
        (f"{_CLAIMED}; RetirementTimeRemaining = 1", {}, TrimCause.RETIREMENT),
        (f"{_CLAIMED}; RetirementTimeRemaining = 0", {}, None),
        (f"{_CLAIMED}; RetirementTimeRemaining = -5", {}, None),
        (f"{_CLAIMED}; RetirementTimeRemaining = 0.9", {}, None),
        (f"{_CLAIMED}; RetirementTimeRemaining = true", {}, TrimCause.RETIREMENT),
        (f'{_CLAIMED}; RetirementTimeRemaining = "9"', {}, None),
        (f"{_CLAIMED}; RetirementTimeRemaining = 1", _EARLY, None),
        (f"{_CLAIMED}; RetirementTimeRemaining = 1", _NEVER, TrimCause.CLAIMED),
        ("RetirementTimeRemaining = 1", _NEVER, None),
        # The cycle is at 1000; the startd may tell another time.
        ("DaemonShutdown = CurrentTime >= 1060", _SHUTDOWN, TrimCause.SHUTDOWN),
        ("DaemonShutdown = CurrentTime >= 1061", _SHUTDOWN, None),
        ("DaemonShutdown = CurrentTime >= 1061; MyCurrentTime = 1001", _SHUTDOWN,
         TrimCause.SHUTDOWN),
        ("DaemonShutdown = CurrentTime >= 100; MyCurrentTime = 0", _SHUTDOWN, None),
        ("DaemonShutdown = true", {"NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD": "0"}, None),
        ("DaemonShutdown = true", {"NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD": "1"}, TrimCause.SHUTDOWN),
        ("DaemonShutdown = true; DaemonShutdownFast = false", _SHUTDOWN, None),
        ("DaemonShutdown = false; DaemonShutdownFast = true", _SHUTDOWN, TrimCause.SHUTDOWN),
        ("DaemonShutdown = true; DaemonShutdownFast = 5", _SHUTDOWN, TrimCause.SHUTDOWN),
        ("DaemonShutdown = 5", _SHUTDOWN, None),
        (f"{_WHOLE}; WantMatching = false", {}, TrimCause.CLAIMED_PARTITIONABLE),
        (f"{_WHOLE}; WantMatching = true", {}, None),
        (f"{_CLAIMED}; WantMatching = false", {}, None),
        ("PartitionableSlot = true; WantMatching = false", {}, None),
        (f'{_WHOLE}; WorkingCM = "cm"', {}, TrimCause.CLAIMED_PARTITIONABLE),
        (f'{_WHOLE}; WorkingCM = ""', {}, None),
        (f"{_WHOLE}; WorkingCM = 5", {}, None),
        (f'{_WHOLE}; WorkingCM = "cm"', {"MATCH_WORKING_CM_SLOTS": "True"}, None),
    ])  # fmt: skip
def test_slots_that_nobody_can_get(
    text: str, knobs: dict[str, str], cause: TrimCause | None
) -> None:
    rules = policy(**knobs)
    slots = fetched(f'Name = "s"; {text}', 'Name = "free"', **knobs)
    kept, trimmed = trim_slots(slots, rules, CONTEXT)
    assert trimmed == ([] if cause is None else [TrimmedSlot("s", cause)])
    assert (kept is slots) is (cause is None)
    assert [slot.name for slot in kept] == (["s", "free"] if cause is None else ["free"])


def test_without_a_clock_a_shutdown_is_told_from_the_epoch_on() -> None:
    slots = fetched(*(f'Name = "{at}"; DaemonShutdown = CurrentTime >= {at}' for at in (60, 61)))
    _, trimmed = trim_slots(slots, policy(**_SHUTDOWN), EvalContext())
    assert trimmed == [TrimmedSlot("60", TrimCause.SHUTDOWN)]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f'{_CLAIMED}; Activity = "Idle"', TrimCause.IDLE_CLAIM),
        (f'{_CLAIMED}; Activity = "IDLE"', TrimCause.IDLE_CLAIM),
        (f'{_CLAIMED}; Activity = "Idle"; RetirementTimeRemaining = 1', TrimCause.RETIREMENT),
        (f'{_CLAIMED}; Activity = "Busy"', None),
        (f"{_CLAIMED}; Activity = 5", None),
        (f'{_WHOLE}; Activity = "Idle"', None),
        ('State = "Unclaimed"; Activity = "Idle"', None),
    ],
)
def test_by_the_manual_nobody_gets_a_claim_without_a_job(
    text: str, cause: TrimCause | None
) -> None:
    slots = fetched(f'Name = "s"; {text}')
    manual = evolve(policy(), dialect=evolve(policy().dialect, idle_claims_skipped=True))
    expected = [] if cause is None else [TrimmedSlot("s", cause)]
    assert trim_slots(slots, manual, CONTEXT)[1] == expected
    still = [it for it in expected if it.cause is not TrimCause.IDLE_CLAIM]
    assert trim_slots(slots, policy(), CONTEXT)[1] == still


# --- dynamic slots that make room -----------------------------------------------------------------


def whole_slot(text: str) -> Slot:
    return one(f"PartitionableSlot = true; Cpus = 0; {text}")


@pytest.mark.parametrize(
    ("text", "rank", "rank_only", "needed", "expected"),
    [
        # The lowest rank goes first, equal ones in their order.
        ("ChildCurrentRank = {2.0, 1.0, 0.0}", 5.0, False, 1, ("c",)),
        ("ChildCurrentRank = {2.0, 1.0, 0.0}", 5.0, False, 2, ("c", "b")),
        ("ChildCurrentRank = {1.0, 1.0, 1.0}", 5.0, False, 2, ("a", "b")),
        # What ranks higher stays; what ranks the same goes by priority, if that may be.
        ("ChildCurrentRank = {2.0, 1.0, 0.0}", 0.5, False, 1, ("c",)),
        ("ChildCurrentRank = {2.0, 1.0, 0.0}", 0.5, False, 2, None),
        ("ChildCurrentRank = {1.0, 1.0, 1.0}", 1.0, False, 1, ("b",)),
        ("ChildCurrentRank = {1.0, 1.0, 1.0}", 1.0, True, 1, None),
        ("ChildCurrentRank = {1.0, 1.0, 1.0}", 1.0, False, 2, None),
        # No number is rank 0.
        ('ChildCurrentRank = {"x", undefined, -1.0}', 0.0, True, 1, ("c",)),
        ('ChildCurrentRank = {"x", undefined, 1.0}', 0.5, True, 2, ("a", "b")),
        ("ChildCurrentRank = {1}", 0.5, True, 2, ("b", "c")),
        # One that is on its way out already, or may still retire, stays.
        ('ChildState = {"Preempting", "Claimed", "Owner"}', 5.0, False, 2, ("b", "c")),
        ('ChildState = {"Preempting", "Claimed", "Owner"}', 5.0, False, 3, None),
        ("ChildRetirementTimeRemaining = {1, 0, -1}", 5.0, False, 2, ("b", "c")),
        ('ChildRetirementTimeRemaining = {0.5, "9"}', 5.0, False, 2, ("b", "c")),
        ("ChildRetirementTimeRemaining = {0.5}", 5.0, False, 3, None),
    ],
)
def test_which_dynamic_slots_make_room(
    text: str, rank: float, rank_only: bool, needed: int, expected: tuple[str, ...] | None
) -> None:
    slot = whole_slot(f'ChildName = {{"a", "b", "c"}}; ChildCpus = {{1, 1, 1}}; {text}')
    left = {0, 1, 2}
    found = enlarge(
        slot,
        rank,
        lambda: (slot.ad.get_number("Cpus") or 0) >= needed,
        lambda name: name == "b",
        rank_only,
        left,
        CONTEXT,
    )
    if expected is None:
        assert found is None
        assert (left, slot.ad.get_number("Cpus")) == ({0, 1, 2}, 0)
        return
    assert found is not None
    kind, change = found
    assert change.children == expected
    by_priority = expected == ("b",) and not rank_only
    assert kind is (MatchKind.PRIORITY if by_priority else MatchKind.RANK)
    assert left == {0, 1, 2} - {"abc".index(name) for name in expected}
    assert (slot.user, slot.raw("RemoteUser")) == ("various_dSlot_users",) * 2


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Cpus = 1.5; ChildCpus = {2}", {"Cpus": 3}),
        ("Cpus = 1.5; ChildCpus = {0.25}", {"Cpus": 1.25}),
        ("Cpus = -0.5; ChildCpus = {2}", {"Cpus": 1}),
        ("Cpus = 1; ChildCpus = {}", {"Cpus": 1}),
        ('Cpus = 1; ChildCpus = {"2"}', {"Cpus": 1}),
        ("Memory = 5; ChildMemory = {6}; Disk = 7; ChildDisk = {8}", {"Memory": 11, "Disk": 15}),
        ("GPUs = 1; ChildGPUs = {1}", {"GPUs": 1}),
        ('MachineResources = "GPUs, Tape"; GPUs = 1; ChildGPUs = {1}; ChildTape = {1}; Cpus = 1;'
         " ChildCpus = {1}", {"GPUs": 2, "Tape": None, "Cpus": 1}),
        ('MachineResources = ""; Cpus = 1; ChildCpus = {1}', {"Cpus": 2}),
    ],
)  # fmt: skip
def test_what_a_dynamic_slot_gives_back(text: str, after: dict[str, float | None]) -> None:
    slot = one(f'PartitionableSlot = true; ChildName = {{"a"}}; {text}')
    before = {name: slot.raw(name) for name in after}
    found = enlarge(slot, 1.0, lambda: True, lambda name: True, False, {0}, CONTEXT)
    assert found is not None
    assert {name: slot.raw(name) for name in after} == after
    found[1].restore()
    assert {name: slot.raw(name) for name in after} == before
    assert slot.user is None


def test_a_slot_whose_children_are_no_list_has_no_claims() -> None:
    assert ChildClaims().of(one('ChildName = "a"')) is None
    assert ChildClaims({"s": []}).of(one('ChildName = {"a"}')) is None
    assert ChildClaims().of(one("ChildName = {1, 2}")) == {0, 1}
    slot = one("ChildName = {1, 2}")
    assert enlarge(slot, 1.0, lambda: True, lambda name: True, False, {0, 1}, CONTEXT) is None


def test_without_a_child_that_could_go_a_slot_stays_as_it_is() -> None:
    slot = one('PartitionableSlot = true; RemoteUser = "u@d"; ChildName = {"a"}; Cpus = 1.5')
    assert enlarge(slot, 1.0, lambda: True, lambda name: True, False, set(), CONTEXT) is None
    assert (slot.user, slot.raw("RemoteUser"), slot.raw("Cpus")) == ("u@d", "u@d", 1.5)


def test_the_first_child_that_goes_brings_the_requirements_back_that_were_sent() -> None:
    """Who is on the slot by what its ad says besides ``RemoteUser`` is so again afterwards."""
    slot = one(
        'PartitionableSlot = true; Cpus = 0; ChildName = {"a", "b"}; ChildCpus = {1, 1};'
        ' PreemptingUser = "p@d"; RemoteUser = "u@d"; Requirements = Cpus > 0 && TARGET.U > 1'
    )
    slot.insert("Requirements", False)
    seen = []

    def no() -> bool:
        seen.append((slot.raw("Cpus"), str(slot.raw("Requirements"))))
        slot.insert("Requirements", True)
        return False

    assert enlarge(slot, 1.0, no, lambda name: True, False, {0, 1}, CONTEXT) is None
    assert seen == [(1, "Cpus > 0 && TARGET.U > 1"), (2, "True")]
    assert (slot.user, slot.raw("Cpus")) == ("p@d", 0)
    assert slot.value("RemoteUser", CONTEXT) is UNDEFINED


# --- what the negotiator tells slots and requests -------------------------------------------------


def told(slot: Slot, *names: str) -> list[object]:
    """What attributes of a slot are; expressions by their text."""
    found = [slot.raw(name) for name in names]
    return [str(it) if isinstance(it, Expression) else it for it in found]


def counted(tree: GroupTree) -> Accountant:
    """Two users: one in group a, with 2.5 slots and a floor, one in no group, with 1 slot."""
    records = {
        "a.u@d": Customer("a.u@d", priority=3.0, priority_factor=10.1, floor=4),
        "v@d": Customer("v@d", priority=1.0, priority_factor=2.0),
    }
    settings = AccountantSettings(86400.0, 1000.0, 1e10, 1e7)
    accountant = Accountant(AccountantState(records), settings, tree, 1000.0)
    accountant.count_claims([("a.u@d", 2.5), ("v@d", 1.0)])
    return accountant


_ABOUT = ("RemoteUserFloor", "RemoteUserPrio", "RemoteUserResourcesInUse")
_ABOUT_GROUP = ("RemoteGroup", "RemoteGroupResourcesInUse", "RemoteGroupQuota")


@pytest.mark.parametrize(
    ("groups", "quotas", "about_group"),
    [
        (["a"], {"a": 7.5}, ["a", 'ResourcesInUseByUsersGroup("a.u@d")', 7.5]),
        (["a"], {"b": 7.5}, [None] * 3),  # a group that the cycle before did not have
        (["a"], None, [None] * 3),
        ([], {"a": 7.5, "<none>": 3.0}, [None] * 3),
    ],
)
def test_what_slots_are_told_of_their_users(
    groups: list[str], quotas: dict[str, float] | None, about_group: list[object]
) -> None:
    tree = GroupTree([GroupSettings(name) for name in groups])
    slots = fetched(
        'Name = "a"; RemoteUser = "a.u@d"; CurrentRank = 1.0; PreemptingRank = 2',
        'Name = "b"; RemoteUser = "a.u@d"; CurrentRank = 1.0; PreemptingRank = "2"',
        'Name = "c"; CurrentRank = 1.0; PreemptingRank = 0.5 + 1; Slot1_RemoteUser = "v@d"',
    )
    SlotDecorator(counted(tree), tree, quotas, CONTEXT).decorate(slots)
    prio = 30.299999237060547  # 3 * 10.1 in single precision
    used = 'ResourcesInUseByUser("a.u@d")'
    for slot in slots[:2]:
        assert told(slot, *_ABOUT) == [4, prio, used]
        assert told(slot, *_ABOUT_GROUP) == about_group
    assert told(slots[2], *_ABOUT, *_ABOUT_GROUP, "Slot1_RemoteUserPrio") == [None] * 7
    assert [slot.raw("CurrentRank") for slot in slots] == [2, 1.0, 1.5]


@pytest.mark.parametrize(
    ("total", "numbers"),
    [
        ("", [1]),
        ("TotalSlots = 0;", [1]),
        ("TotalSlots = 2;", [1, 2]),
        ("TotalSlots = 3;", [1, 2]),
        # As many as that are not looked for one by one.
        ("TotalSlots = 4000000000;", [1, 2, 4]),
        ('TotalSlots = real("INF");', [1]),
    ],
)
def test_what_slots_are_told_of_the_users_of_the_others(total: str, numbers: list[int]) -> None:
    tree = GroupTree()
    # Nobody uses the third.
    users = 'Slot1_RemoteUser = "v@d"; slot2_AccountingGroup = "a.u@d"; Slot4_RemoteUser = "v@d"'
    slots = fetched(f'Name = "a"; {total} {users}; Slot3_State = "Unclaimed"')
    SlotDecorator(counted(tree), tree, None, CONTEXT, "Slot").decorate(slots)
    found = [slots[0].raw(f"Slot{number}_RemoteUserPrio") for number in range(6)]
    expected = {1: 2.0, 2: 30.299999237060547, 4: 2.0}
    assert found == [expected[number] if number in numbers else None for number in range(6)]
    assert slots[0].raw("Slot1_RemoteUserFloor") is None


@pytest.mark.parametrize(
    ("groups", "autoregroup", "group", "negotiating", "regrouped"),
    [
        ([], False, None, "<none>", False),
        (["a"], False, "a", "a", False),
        (["a"], True, "a", "a", False),
        (["a"], True, "<none>", "<none>", True),
        (["a"], True, None, "<none>", True),
        (["a"], False, "<none>", "<none>", False),
    ],
)
def test_what_a_request_tells_of_its_submitter(
    groups: list[str], autoregroup: bool, group: str | None, negotiating: str, regrouped: bool
) -> None:
    tree = GroupTree([GroupSettings(name) for name in groups], autoregroup=autoregroup)
    if groups:
        tree["a"].quota = 7.5
    ad = ClassAd()
    decorate_request(ad, "a.u@d", 30.3, group, counted(tree), tree)
    names = ("UserPrio", "UserResourcesInUse", "NegotiatingGroup", "Autoregroup")
    found = [ad.raw(f"Submitter{name}") for name in names]
    assert found == [30.3, 2.5, negotiating, regrouped]
    assert ad.raw("SubmittorPrio") == 30.3
    about_group = [ad.raw(f"SubmitterGroup{name}") for name in ("", "ResourcesInUse", "Quota")]
    assert about_group == (["a", 2.5, 7.5] if groups else [None] * 3)


@pytest.mark.parametrize(("limits", "left"), [("Lic:2,NFS", "lic:2,nfs"), ("", None)])
def test_what_a_slot_that_stays_carries_of_a_match(limits: str, left: str | None) -> None:
    """What the request does not have goes; the negotiator reads one of them from the slot."""
    slot = one('RemoteGroup = "b"; MatchedConcurrencyLimits = "old"; SubmitterAutoregroup = true')
    slot.insert("_condor_RESOURCE_PROC", 7)
    request = ClassAd('[SubmitterNegotiatingGroup = "n"; ClusterId = 5; SubmitterAutoregroup = 3]')
    carry_match(slot, request, limits)
    assert slot.raw("RemoteGroup") is None
    assert slot.raw("RemoteNegotiatingGroup") == "n"
    resources = [slot.raw(f"_condor_RESOURCE_{name}") for name in ("CLUSTER", "PROC")]
    assert resources == [5, None]
    assert slot.raw("RemoteAutoregroup") is True
    assert slot.raw("MatchedConcurrencyLimits") == left


def test_match_expressions_are_added_to_slots_where_there_are_some() -> None:
    for knobs, expected in (({}, None), ({"NEGOTIATOR_MATCH_EXPRS": "WHO", "WHO": '"me"'}, "me")):
        slots = fetched('Name = "s"', **knobs)
        add_match_expressions(slots, policy(**knobs))
        assert slots[0].value("NegotiatorMatchExprWHO", CONTEXT) == (expected or UNDEFINED)
