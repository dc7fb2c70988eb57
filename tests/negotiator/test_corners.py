"""Corners of a cycle that recorded scenarios seldom reach: bounds that are just met, what a session
leaves to the next one, fractions of weights, three levels of groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from negotiator.columns import rank_keys
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.model.result import CycleResult, MatchKind, SubmitterTurn, TurnEvent, TurnOutcome
from tests.negotiator import scenarios

QUIET = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
EVERYBODY = {"priority": 1.0, "factor": 1000.0}


def cycle(
    slots: list[Any],
    jobs: list[Any],
    customers: Mapping[str, Any] | None = None,
    heard: list[Any] | None = None,
    **config: str,
) -> CycleResult:
    """The cycle of a small pool in the order in which it is written."""
    scenario = {
        "slots": slots,
        "jobs": jobs,
        "config": {**QUIET, **config},
        "accountant": {"customers": dict(customers or {})},
    }
    seen: dict[str, Any] = {"slot_order": [slot["name"] for slot in slots]}
    if heard is not None:
        seen["submitter_ads"] = heard
    return scenarios.run({"scenario": scenario, "observed": {"cycles": [seen]}})


def slot(name: str, weight: str = "1", **ad: str) -> dict[str, Any]:
    return {"name": name, "ad": {"SlotWeight": weight, **ad}}


def claimed(name: str, user: str, weight: str = "1") -> dict[str, Any]:
    """A slot that is claimed, whose startd prefers nobody."""
    claim = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": f'"{user}"'}
    owner = {"RemoteOwner": f'"{user}"', "AccountingGroup": f'"{user}"', "CurrentRank": "1.0"}
    return slot(name, weight, **claim, **owner)


def job(submitter: str, count: int = 1, **ad: str) -> dict[str, Any]:
    return {"submitter": submitter, "count": count, "ad": ad}


def turns(result: CycleResult) -> list[SubmitterTurn]:
    return [turn for pie in result.pies for spin in pie.spins for turn in spin.turns]


# --- submitters -----------------------------------------------------------------------------------


def test_equal_submitters_go_by_the_remainder_of_the_second_of_their_ads() -> None:
    jobs = [job("alice"), {**job("bob"), "schedd": "s2"}]
    heard = [
        {"name": "bob@test", "schedd": "s2", "heard": 5},
        {"name": "alice@test", "schedd": "s1", "heard": 1009 + 1},
    ]
    same = {"alice": EVERYBODY, "bob": EVERYBODY}
    result = cycle([slot("a"), slot("b")], jobs, same, heard)
    assert [turn.name for turn in turns(result)][:2] == ["alice@test", "bob@test"]


@pytest.mark.parametrize(
    ("alice", "bob", "others", "first"),
    [
        # Who has the smaller part of its slice; bob's ad is older by its remainder.
        ("1", "2", 1e6, "alice@test"),
        ("3", "2", 1e6, "bob@test"),
        ("0", "0", 1e6, "bob@test"),
        ("0.5", "0.75", 1e6, "alice@test"),
        # Both have more than all of it, as somebody of better priority is there.
        ("1", "2", 0.5, "bob@test"),
        ("3", "2", 0.5, "bob@test"),
        # Only one of them has.
        ("2", "40", 1000.0, "alice@test"),
        ("40", "2", 1000.0, "bob@test"),
    ],
)
def test_of_equal_priorities_the_least_served_goes_first(
    alice: str, bob: str, others: float, first: str
) -> None:
    slots = [claimed("s1", "alice@test", alice), claimed("s2", "bob@test", bob), slot("s3")]
    heard = [
        {"name": f"{name}@test", "schedd": "s1", "heard": at}
        for name, at in (("alice", 5), ("bob", 1), ("carol", 3))
    ]
    prios = {"alice": 1000.0, "bob": 1000.0, "carol": others}
    records = {name: {"priority": prio, "factor": 1.0} for name, prio in prios.items()}
    result = cycle(slots, [job("alice"), job("bob"), job("carol")], records, heard)
    assert next(turn.name for turn in turns(result) if turn.name != "carol@test") == first


def test_a_ceiling_leaves_whole_weights_beside_a_usage_with_a_fraction() -> None:
    held = claimed("held", "alice@test", "2.5")
    free = [slot(f"s{number}", "1.25") for number in range(6)]
    record = {"alice": {**EVERYBODY, "ceiling": 5}}
    result = cycle([held, *free], [job("alice", 6)], record)
    first = turns(result)[0]
    # 5 - 2, of which each match takes 1.25: the third one may pass it, the fourth is not made.
    assert (first.usage, first.ceiling_left, first.used) == (2.5, 3, 3.75)
    assert TurnEvent.HIT_CEILING in first.events


def test_a_ceiling_of_whole_weights_is_never_passed() -> None:
    record = {"alice": {**EVERYBODY, "ceiling": 2}}
    result = cycle([slot(name) for name in "abcd"], [job("alice", 4)], record)
    assert [match.slot for match in result.matches] == ["a", "b"]
    assert turns(result)[0].events == (TurnEvent.HIT_CEILING,)


def test_a_ceiling_that_is_used_up_bars_slots_that_weigh_nothing() -> None:
    record = {"alice": {**EVERYBODY, "ceiling": 0}}
    result = cycle([slot("a", "0"), slot("b")], [job("alice")], record)
    assert result.matches == ()
    assert [(turn.events, turn.outcome) for turn in turns(result)] == [
        ((TurnEvent.CEILING,), TurnOutcome.DONE)
    ]


@pytest.mark.parametrize(
    ("weight", "floor", "rounds"),
    [
        ("1", 1, [False]),
        ("1", 2, [True, False]),
        # What is lacking to a whole weight is lacking.
        ("0.4", 0, [False]),
        ("0.4", 1, [True, False]),
        ("1.6", 1, [False]),
        ("1.6", 2, [True, False]),
    ],
)
def test_who_has_its_floor_gets_no_round_of_its_own(
    weight: str, floor: int, rounds: list[bool]
) -> None:
    record = {"alice": {**EVERYBODY, "floor": floor}}
    result = cycle([claimed("held", "alice@test", weight), slot("a")], [job("alice")], record)
    assert [pie.floor_round for pie in result.pies] == rounds


@pytest.mark.parametrize(("user", "matches"), [({}, 1), ({"RemoteUser": '"bob@test"'}, 2)])
def test_what_somebody_is_on_is_not_taken_from_what_is_for_free_slots(
    user: dict[str, str], matches: int
) -> None:
    """Though nobody has to leave: without preemption every match is of one kind."""
    slots = [slot(name, "1.5", **user) for name in "abc"]
    knobs = {"NEGOTIATOR_CONSIDER_PREEMPTION": "False", "GROUP_NAMES": "g", "GROUP_QUOTA_g": "2"}
    result = cycle(slots, [job("g.alice", 3)], **knobs)
    assert len(result.matches) == matches


def test_a_refusal_by_a_limit_does_not_end_the_session_of_another_submitter() -> None:
    """Nor does what a concurrency limit refused in one session show in another."""
    slots = [slot("a"), slot("b", "5")]
    jobs = [
        job("alice", Requirements='TARGET.Name == "a"'),
        job("alice", Requirements='TARGET.Name == "b"'),
        job("alice", ConcurrencyLimits='"lic"'),
        job("bob", ConcurrencyLimits='"other"'),
    ]
    same = {"alice": EVERYBODY, "bob": EVERYBODY}
    result = cycle(slots, jobs, same, LIC_LIMIT="0", OTHER_LIMIT="0")
    alice, bob = turns(result)[:2]
    assert (alice.name, bob.name) == ("alice@test", "bob@test")
    assert TurnEvent.HIT_LIMIT in alice.events
    assert (bob.events, bob.outcome) == ((), TurnOutcome.DONE)
    refused = {item.submitter: item.concurrency_limits for item in result.rejections[:4]}
    assert refused == {"alice@test": ("lic",), "bob@test": ("other",)}


@pytest.mark.parametrize(
    ("preempts", "events"),
    [("False", [(TurnEvent.LIMIT,)]), ("True", [(TurnEvent.RANK_ONLY,)])],
)
def test_what_is_said_when_the_last_request_meets_the_limit(
    preempts: str, events: list[tuple[TurnEvent, ...]]
) -> None:
    """Of two equal submitters each may have half of the pool; alice wants no more."""
    same = {"alice": EVERYBODY, "bob": EVERYBODY}
    jobs = [job("alice"), job("bob", Requirements="false")]
    config = {"NEGOTIATOR_CONSIDER_PREEMPTION": preempts}
    result = cycle([slot("a"), slot("b")], jobs, same, **config)
    alice = [turn for turn in turns(result) if turn.name == "alice@test"]
    assert [turn.events for turn in alice][:1] == events
    assert alice[0].outcome is TurnOutcome.RESUME


@pytest.mark.parametrize("engine", ENGINES)
def test_a_slot_that_is_too_heavy_for_what_is_left_is_refused(engine: str) -> None:
    """Half of 8 for each; beside the slot that alice has there is room for 3."""
    slots = [slot("a"), slot("b", "5"), slot("c"), slot("d")]
    jobs = [
        job("alice", Requirements='TARGET.Name == "a"'),
        job("alice", Rank="TARGET.SlotWeight"),
        job("zoe", Requirements="false"),
    ]
    result = decided(slots, jobs, engine, NEGOTIATOR_IGNORE_JOB_RANKS="False")
    assert [(match.slot, match.spin) for match in result.matches] == [("a", 1), ("c", 1)]


def test_the_summaries_of_a_cycle() -> None:
    """Usage is told before the matches and after them; who had no turn has no share.

    The group wants 3 slots beside the 2 that it has, and is allocated 3: there is room for one.
    """
    config = {
        "GROUP_NAMES": "a, a.b, c",
        "GROUP_QUOTA_a": "5",
        "GROUP_QUOTA_a.b": "2",
        "GROUP_QUOTA_c": "0",
        "GROUP_ACCEPT_SURPLUS_a.b": "True",
        "GROUP_PRIO_FACTOR_c": "7",
    }
    held = claimed("held", "a.b.eve@test", "2")
    customers = {"a.b.eve": {"priority": 3.0, "factor": 10.0, "floor": 1, "ceiling": 9}}
    jobs = [job("a.b.eve", 2), {**job("a.b.eve"), "schedd": "s2"}, job("c.fay", 4)]
    result = cycle([held, slot("x"), slot("y", "2")], jobs, customers, **config)
    eve, fay = result.submitters
    assert (eve.name, eve.group, fay.name, fay.group) == ("a.b.eve@test", "a.b", "c.fay@test", "c")
    assert (eve.real_priority, eve.priority_factor, eve.effective_priority) == (3.0, 10.0, 30.0)
    assert (eve.usage, eve.usage_after, eve.floor, eve.ceiling) == (2.0, 3.0, 1, 9)
    assert (eve.idle_jobs, eve.running_jobs, fay.idle_jobs) == (3, 0, 4)
    assert (eve.share, eve.limit) == (1.0, 1.0)
    assert (fay.share, fay.limit, fay.ceiling, fay.usage_after) == (None, None, -1, 0.0)
    assert (fay.real_priority, fay.priority_factor) == (0.5, 7.0)
    configured = {
        it.name: (it.config_quota, it.static, it.accept_surplus, it.quota, it.subtree_quota)
        for it in result.groups
    }
    assert configured == {
        "<none>": (0.0, False, True, 0.0, 5.0),
        "a": (5.0, True, False, 5.0, 5.0),  # as long as oversubscription is allowed
        "c": (0.0, True, False, 0.0, 0.0),
        "a.b": (2.0, True, True, 2.0, 2.0),
    }
    used = {
        it.name: (it.requested, it.allocated, it.usage, it.usage_after, it.submitters)
        for it in result.groups
    }
    assert used == {
        "<none>": (0.0, 0.0, 0.0, 0.0, ()),
        "a": (0.0, 0.0, 0.0, 0.0, ()),
        "c": (4.0, 0.0, 0.0, 0.0, ("c.fay@test",)),
        "a.b": (3.0, 3.0, 2.0, 3.0, ("a.b.eve@test",)),
    }
    assert not any(it.autoregroup for it in result.groups)


# --- slots ----------------------------------------------------------------------------------------


def test_depth_first_a_slot_without_cores_serves_no_job() -> None:
    whole = slot("p", PartitionableSlot="true", Cpus="0", Memory="1024")
    result = cycle([whole], [job("alice", RequestCpus="0")], NEGOTIATOR_DEPTH_FIRST="True")
    assert [match.slot for match in result.matches] == ["p"]
    assert [item.text for item in result.rejections] == ["no match found"]


def test_a_limit_that_depends_on_the_slot_is_counted_again_behind_one_that_has_room() -> None:
    slots = [slot(name, SlotID=str(number)) for number, name in enumerate("abc", 1)]
    text = 'ifThenElse(TARGET.SlotID == 2, "other", "lic")'
    limits = {"LIC_LIMIT": "0", "OTHER_LIMIT": "1"}
    result = cycle(slots, [job("alice", 2, ConcurrencyLimits=text)], **limits)
    assert [match.slot for match in result.matches] == ["b"]
    assert [item.counters.concurrency_limit for item in result.rejections][:1] == [2]


def test_a_limit_that_was_refused_is_counted_once_however_it_is_written() -> None:
    slots = [slot(name, SlotID=str(number)) for number, name in enumerate("abc", 1)]
    text = 'ifThenElse(TARGET.SlotID == 2, "LIC", "Lic")'
    result = cycle(slots, [job("alice", 1, ConcurrencyLimits=text)], LIC_LIMIT="0")
    assert [item.counters.concurrency_limit for item in result.rejections][:1] == [1]


def test_a_request_that_no_limit_refuses_makes_those_before_forgotten() -> None:
    jobs = [
        job("alice", ConcurrencyLimits='"lic"'),
        job("alice", ConcurrencyLimits='"third"'),
        job("alice"),
        job("alice", ConcurrencyLimits='"other"'),
    ]
    limits = {"LIC_LIMIT": "0", "THIRD_LIMIT": "0", "OTHER_LIMIT": "0"}
    result = cycle([slot("a"), slot("b")], jobs, **limits)
    refused = [item.concurrency_limits for item in result.rejections[:3]]
    assert refused == [("lic",), ("lic", "third"), ("other",)]


# --- groups ---------------------------------------------------------------------------------------


def test_the_room_of_a_group_is_what_is_left_at_the_head_of_each_spin() -> None:
    held = claimed("held", "a.carl@test", "3")
    config = {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "6"}
    result = cycle([held, *(slot(name, "2") for name in "bcd")], [job("a.eve", 3)], **config)
    first, second = (turn.limit_unclaimed for turn in turns(result)[:2])
    assert (first, second) == (3.0, 1.0)


def test_a_sort_key_may_be_a_boolean() -> None:
    config = {"GROUP_NAMES": "a, b", "GROUP_QUOTA_a": "1", "GROUP_QUOTA_b": "1"}
    config["GROUP_SORT_EXPR"] = 'AccountingGroup != "b"'
    result = cycle([slot("x"), slot("y")], [job("a.u"), job("b.u")], **config)
    assert result.rounds[0].order.index("b") < result.rounds[0].order.index("a")


def test_strict_enforcement_counts_what_is_used_two_levels_below() -> None:
    config = {
        "GROUP_NAMES": "a, a.b, a.b.c, a.d",
        "GROUP_QUOTA_a": "3",
        "GROUP_QUOTA_a.b": "2",
        "GROUP_QUOTA_a.b.c": "2",
        "GROUP_QUOTA_a.d": "3",
        "GROUP_ACCEPT_SURPLUS_a.d": "True",
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "True",
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "True",
    }
    held = [claimed(f"h{number}", "a.b.c.u@test") for number in range(2)]
    free = [slot(f"s{number}") for number in range(4)]
    result = cycle([*held, *free], [job("a.d.v", 4)], **config)
    limits = {event.group: event.limit_int for event in result.rounds[0].events}
    assert limits["a.d"] == 1


# --- NEGOTIATOR_IGNORE_JOB_RANKS ------------------------------------------------------------------

SORTED = {"NEGOTIATOR_IGNORE_JOB_RANKS": "True", "NEGOTIATOR_PRE_JOB_RANK": "-SlotID"}
LIKE = {"alice": EVERYBODY, "zoe": EVERYBODY}


def numbered(
    names: str, without_claim: str = "", weights: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Slots that NEGOTIATOR_PRE_JOB_RANK puts in the order of their names."""
    found = []
    for number, name in enumerate(names, 1):
        made = slot(name, (weights or {}).get(name, "1"), SlotID=str(number))
        found.append({**made, "claims": 0} if name in without_claim else made)
    return found


def decided(
    slots: list[dict[str, Any]], jobs: list[Any], engine: str, **config: str
) -> CycleResult:
    """The cycle of two equal submitters, alice before zoe, with the ranks of jobs ignored."""
    scenario = {
        "slots": slots,
        "jobs": jobs,
        "config": {**QUIET, **SORTED, **config},
        "accountant": {"customers": LIKE},
    }
    heard = [{"name": f"{name}@test", "schedd": "s1", "heard": at} for at, name in enumerate(LIKE)]
    seen: dict[str, Any] = {"slot_order": [slot["name"] for slot in slots], "submitter_ads": heard}
    snapshot = scenarios.snapshot_of({"scenario": scenario, "observed": {"cycles": [seen]}})
    policy = scenarios.policy_of(scenario)
    return negotiate(snapshot, policy, now=scenarios.NOW, engine=engine)


def given(slots: list[dict[str, Any]], jobs: list[Any], engine: str) -> dict[str, list[str]]:
    """The slots that each of the two is given in the first spin."""
    found: dict[str, list[str]] = {name: [] for name in LIKE}
    for match in decided(slots, jobs, engine).matches:
        if match.spin == 1:
            found[match.submitter.partition("@")[0]].append(match.slot)
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_with_job_ranks_ignored_a_search_ends_behind_the_limit(engine: str) -> None:
    """The slots found weigh just more than the limit; those behind them nobody looks at.

    Each of the two may have 4 of 8.  Of the five slots that are looked at only the last has a
    claim to give away.
    """
    jobs = [job("alice", 3), job("zoe", 1)]
    assert given(numbered("abcdefgh", "abcd"), jobs, engine)["alice"] == ["e"]
    assert given(numbered("abcdefgh", "abcde"), jobs, engine)["alice"] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_each_search_begins_to_count_anew(engine: str) -> None:
    """What the session has used before is not counted, nor what a search before has found."""
    jobs = [job("alice", 1, RequestMemory="1"), job("alice", 1, RequestMemory="2"), job("zoe")]
    slots = numbered("abcdefgh", "bcde")
    assert given(slots, jobs, engine)["alice"] == ["a", "f"]


@pytest.mark.parametrize("engine", ENGINES)
def test_slots_count_by_their_own_weight_in_a_search(engine: str) -> None:
    jobs = [job("alice", 5), job("zoe", 1)]
    slots = numbered("abcdefgh", "abc", {"a": "3", "b": "1.5", "d": "0.5"})
    # The limit is 5, which the first three slots pass: the rest is not looked at.
    assert given(slots, jobs, engine)["alice"] == []
    slots = numbered("abcdefgh", "abc", {"a": "3", "b": "1", "d": "0.5", "e": "1.5"})
    # They weigh just as much: the fourth is found as well.
    assert given(slots, jobs, engine)["alice"] == ["d"]


@pytest.mark.parametrize("engine", ENGINES)
def test_slots_that_do_not_match_do_not_count_in_a_search(engine: str) -> None:
    slots = numbered("abcdefgh")
    for one in slots[:6]:
        one["ad"]["Requirements"] = 'TARGET.Owner == "nobody"'
    assert given(slots, [job("alice", 2), job("zoe", 1)], engine)["alice"] == ["g", "h"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_that_comes_to_the_end_has_asked_all_slots(engine: str) -> None:
    """Also those behind the last one that matches, which count among the refused."""
    slots = numbered("abcdefgh")
    for one in slots[2:]:
        one["ad"]["Requirements"] = 'TARGET.Owner == "nobody"'
    result = decided(slots, [job("alice", 3), job("zoe", 1)], engine)
    first = next(item for item in result.rejections if item.submitter == "alice@test")
    assert first.counters.requirements == 6


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_request_takes_of_a_slot_is_not_what_the_slot_counts_for(engine: str) -> None:
    """Two slots of 4 cores pass a limit of 5, though a job takes one core of each."""
    consumed = {
        "PartitionableSlot": "true",
        "MachineResources": '"Cpus"',
        "Cpus": "4",
        "ConsumptionCpus": "1",
    }
    slots = numbered("abc", "ab", {"a": "Cpus", "b": "Cpus", "c": "2"})
    for one in slots[:2]:
        one["ad"].update(consumed)
    assert given(slots, [job("alice", 1), job("zoe", 1)], engine)["alice"] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_whom_startds_prefer_is_found_again_where_it_is_not_remembered(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each machine prefers jobs of one kind; the requests of the kinds take turns."""
    monkeypatch.setattr(rank_keys, "_MANY", 1)
    slots = []
    for number in range(6):
        held = claimed(f"s{number}", "old@test")
        held["ad"]["Rank"] = f"TARGET.Kind == {number % 3} ? 5 : 0"
        slots.append(held)
    jobs = [job("alice", 1, Kind=str(kind)) for kind in (2, 0, 1, 1, 2, 0)]
    found = decided(slots, jobs, engine, NEGOTIATOR_IGNORE_JOB_RANKS="False")
    assert [(match.slot, match.kind) for match in found.matches] == [
        (f"s{number}", MatchKind.RANK) for number in (2, 0, 1, 4, 5, 3)
    ]


@pytest.mark.parametrize(
    ("config", "regrouped"),
    [
        ({}, False),
        ({"GROUP_AUTOREGROUP": "True"}, True),
        ({"GROUP_AUTOREGROUP": "True", "GROUP_NAMES": "g"}, True),
    ],
)
def test_requests_say_autoregroup_under_the_root_with_or_without_groups(
    config: dict[str, str], regrouped: bool
) -> None:
    refusing = slot("a", Requirements="TARGET.SubmitterAutoregroup =!= true")
    matched = cycle([refusing], [job("u@x")], **config).matches
    assert bool(matched) is not regrouped
