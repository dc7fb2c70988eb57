"""Clauses are counted, and changes tried, over all slots at once: exactly as slot by slot."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from attr import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ClassAd, ExprTree
from classad.evaluate import evaluate_exactly
from classad.formats.unparse import unparse
from classad.language.values import ERROR, UNDEFINED
from classad.match import is_true
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Refusal, Tally
from negotiator.matching.candidates import consider, per_slot_limits_have_room
from negotiator.matching.conditions import Ask, BothRequirements, EnoughToConsume, Pair
from negotiator.scenario.read import NOW
from pieslice.expressions.dependence import conjuncts
from pieslice.why.asked import find_job
from pieslice.why.clauses import CONSUMES, ClauseKey, Whose
from pieslice.why.conditions import condition_value
from pieslice.why.funnel import PoolMatch, Verdicts, match_pool, with_job
from pieslice.why.moments import AskedCycle, look_at
from pieslice.why.preemption import nearest
from pieslice.why.suggestions import (
    MAX_CHANGES,
    SuggestedChange,
    SuggestedChanges,
    change_blocks,
    smallest_changes,
    with_values,
)
from tests.conform.negotiation.course import first_snapshot, policy_of

T = TypeVar("T")

WILD = sorted((Path(__file__).parents[1] / "vectors" / "negotiation-wild").glob("*.gz"))
#: One scenario in so many, and so many jobs of each queue.
EVERY, JOBS = 80, 3


def cases() -> list[dict[str, Any]]:
    lines = [line for path in WILD for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [json.loads(line) for line in lines[::EVERY]]


CASES = {case["scenario"]["name"]: case for case in cases()}


def halted(case: dict[str, Any], examine: Callable[[Offer], T]) -> Iterator[T]:
    """What a function says of some jobs of a scenario, each at its moment."""
    snapshot, policy = first_snapshot(case), policy_of(case["scenario"])
    for queue in snapshot.queues:
        for ad in queue.jobs[:: max(len(queue.jobs) // JOBS, 1)]:
            job = find_job(snapshot, f"{queue.name}#{ad.raw('ClusterId')}.{ad.raw('ProcId')}")
            _, found = look_at(AskedCycle(snapshot, policy, NOW), job, lambda at, _: examine(at))
            if found is not None:
                yield found


def matching_one_by_one(at: Offer) -> list[str]:
    """The slots that match the request, asked one after the other."""
    ask = Ask(at.board, at.request.ad, at.asker, at.board.context)
    tests = [condition.ready(ask) for condition in (EnoughToConsume(), BothRequirements())]
    found = []
    for slot in at.board.pool:
        pair = Pair(slot, ask.request, slot.weight)
        if all(test is None or test(pair) for test in tests):
            found.append(slot.name)
    return found


def names(match: PoolMatch, rows: Any) -> list[str]:
    return [match.pairs.slots[row].name for row in rows]


def check_counts(at: Offer) -> int:
    """Compare every count with the reference evaluator's word on one slot after the other."""
    match = match_pool(at)
    told = {
        (item.whose, item.text): item for item in match.table.told(match.clauses, match.pairs.all)
    }
    assert names(match, match.matching) == matching_one_by_one(at)
    ask = Ask(at.board, at.request.ad, at.asker, at.board.context)
    consumes = EnoughToConsume().ready(ask)
    failing: list[set[ClauseKey]] = [set() for _ in match.pairs.slots]
    for clause in match.clauses:
        counts: Counter[str] = Counter()
        for row in clause.having:
            my, target = match.pairs.sides(row, clause.whose)
            if clause.text == CONSUMES:
                value: object = consumes is None or consumes(
                    Pair(match.pairs.slots[row], at.request.ad, 1.0)
                )
            else:
                value, _ = evaluate_exactly(clause.tree, my, my, target, at.board.context)
            counts[str(value) if value is UNDEFINED or value is ERROR else str(is_true(value))] += 1
            if not is_true(value):
                failing[row].add(clause.key)
        item = told[clause.key]
        assert (item.true, item.slots) == (counts["True"], counts.total()), clause.text
        assert (item.undefined, item.error) == (counts[str(UNDEFINED)], counts[str(ERROR)]), (
            clause.text
        )
    alone = Counter(next(iter(keys)) for keys in failing if len(keys) == 1)
    before: set[ClauseKey] = set()
    for clause in match.clauses:
        before.add(clause.key)
        assert told[clause.key].left == sum(1 for keys in failing if not keys & before)
        assert told[clause.key].alone == alone[clause.key]
    return len(match.clauses)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_counts_are_those_of_the_reference_evaluator(name: str) -> None:
    assert all(halted(CASES[name], check_counts))


def check_verdicts(at: Offer) -> int:
    """Compare what is said of sets of slots with what the tests say of each, and the nearest."""
    match = match_pool(at)
    verdicts = Verdicts.at(at, match)
    alone = evolve(verdicts, refused={})
    names = [slot.name for slot in at.board.slots.values()]
    found = {name: verdicts.of(name) for name in names}
    assert found == {name: alone.of(name) for name in names}
    said = {name: str(verdict) for name, verdict in found.items()}
    kept = [name for name in names if found[name] is Refusal.PREEMPTION_REQUIREMENTS]
    near, expr = nearest(at, match.pairs, said), at.board.policy.preemption_requirements
    if not kept:
        assert near is None
        return len(verdicts.refused)
    assert near is not None
    assert expr is not None
    by_name, context = at.board.by_name, at.board.context
    values = [condition_value(expr, by_name[n].ad, at.request.ad, context) for n in kept]
    best = min(range(len(kept)), key=lambda place: values[place].distance)
    assert (near.slot, near.finding) == (kept[best], values[best])
    return len(verdicts.refused)


@pytest.mark.parametrize("name", sorted(CASES)[::6])
def test_what_is_said_of_sets_of_slots_is_said_of_each(name: str) -> None:
    for _ in halted(CASES[name], check_verdicts):
        pass


@pytest.mark.slow
def test_what_is_said_of_sets_of_slots_is_said_of_each_in_all_scenarios() -> None:
    assert sum(refused for case in CASES.values() for refused in halted(case, check_verdicts))


def remaining(ad: ClassAd, request: ClassAd, dropped: set[str]) -> ClassAd:
    """A job's ad whose requirements are those of its request without some clauses."""
    kept = [node for node in conjuncts(request) or [] if unparse(node).strip() not in dropped]
    changed = with_values(ad, ())
    text = " && ".join(f"({unparse(node)})" for node in kept) or "true"
    changed.insert("Requirements", ExprTree(text))
    return changed


def is_candidate(at: Offer, name: str) -> bool:
    """Whether a slot is left and would be a candidate."""
    board, ad = at.board, at.request.ad
    for position, slot in board.slots.items():
        if slot.name == name:
            found = consider(board, position, slot, ad, at.asker)
            fine = isinstance(found, Candidate) and at.allowance.permits(found.kind, found.cost)
            return fine and per_slot_limits_have_room(board, slot, ad, Tally())
    return False


def check_changes(at: Offer) -> list[SuggestedChange]:
    """Make each change that is told, and count the slots that match one by one."""
    at.board.drop_match_list()
    match = match_pool(at)
    found = smallest_changes(at, match, Verdicts.at(at, match))
    before = matching_one_by_one(at)
    job = at.request.jobs[0].ad
    for change in found.best:
        values = [(item.name, item.relation, item.value) for item in change.values]
        ad = with_values(job, values)
        dropped = {text for whose, text in change.without if whose is Whose.JOB}
        if dropped:
            ad = remaining(ad, at.request.ad, dropped)
        if any(whose is Whose.SLOT for whose, _ in change.without):
            continue  # the next test drops them
        changed = with_job(at, ad)
        after = matching_one_by_one(changed)
        assert len(after) == change.matching
        assert len(set(after) - set(before)) == change.slots > 0
        assert change.example in set(after) - set(before)
        free = {name for name in set(after) - set(before) if is_candidate(changed, name)}
        assert len(free) == change.available
    for item in found.no_help:
        if item.tried is not None:
            changed = with_job(at, with_values(job, [(item.name, "<=", item.tried)]))
            assert item.example not in matching_one_by_one(changed)
    return list(found.best)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_changes_do_what_is_promised(name: str) -> None:
    for changes in halted(CASES[name], check_changes):
        assert len(changes) <= MAX_CHANGES


AMOUNTS = {"Cpus": (0, 1, 2, 4, 8), "Memory": (0, 512, 1000, 2048, 9999), "GPUs": (0, 1, 3)}


@st.composite
def pools(draw: st.DrawFn) -> dict[str, Any]:
    """Some slots, and a job that asks for amounts of several resources."""
    slots = []
    for number in range(draw(st.integers(1, 6))):
        ad: dict[str, Any] = {name: draw(st.sampled_from(v)) for name, v in AMOUNTS.items()}
        limits = [
            f"TARGET.Request{name} <= MY.{name}"
            for name in draw(st.sets(st.sampled_from([*AMOUNTS])))
        ]
        start = draw(st.sampled_from(STARTS))
        ad["Requirements"] = " && ".join([*limits, start])
        slots.append({"name": f"slot1@m{number}", "ad": ad})
    job: dict[str, Any] = {
        f"Request{name}": draw(st.sampled_from((1, 3, 5000))) for name in AMOUNTS
    }
    job["Requirements"] = draw(st.sampled_from(JOBS_WANT))
    jobs = [{"submitter": "alice", "ad": job}]
    scenario = {"name": "drawn", "slots": slots, "jobs": jobs, "config": {}}
    return {"scenario": scenario, "observed": {"cycles": [{}]}}


STARTS = (
    "true",
    "TARGET.RequestCpus < MY.Cpus",
    "TARGET.RequestMemory >= 1000",
    'TARGET.IsShort == true || TARGET.Project =?= "x"',
    "TARGET.IsShort",
    "(TARGET.RequestMemory - 100) <= MY.Memory",
    "TARGET.RequestMemory * 2 <= MY.Memory",
)
JOBS_WANT = (
    "TARGET.Memory >= RequestMemory",
    "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory && TARGET.GPUs >= RequestGPUs",
    "TARGET.Memory > 1000 && TARGET.HasIt",
)


@pytest.mark.slow
@settings(max_examples=25)
@given(pools())
def test_drawn_changes_do_what_is_promised(case: dict[str, Any]) -> None:
    for check in (check_counts, check_changes):
        assert len(list(halted(case, check))) == 1


def suggested(slots: list[dict[str, Any]], **job: Any) -> SuggestedChanges:
    """What is suggested for a job and slots with these attributes."""
    scenario = {
        "name": "small",
        "slots": [{"name": f"slot1@m{i}", "ad": ad} for i, ad in enumerate(slots)],
        "jobs": [{"submitter": "alice", "ad": job}],
        "config": {},
    }
    case = {"scenario": scenario, "observed": {"cycles": [{}]}}
    (found,) = halted(
        case, lambda at: smallest_changes(at, match := match_pool(at), Verdicts.at(at, match))
    )
    return found


def texts(found: SuggestedChanges) -> list[str]:
    return [block.text.strip() for block in change_blocks(found.best, found.no_help)[1:]]


FITS = "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory"


def test_several_values_that_must_change_together() -> None:
    big = {"Cpus": 32, "Memory": 262144, "Requirements": FITS}
    small = {"Cpus": 4, "Memory": 8192, "Requirements": FITS}
    found = suggested([small, big, big], RequestCpus=64, RequestMemory=500000, Requirements="true")
    assert texts(found) == [
        "RequestCpus <= 32 (now 64) and RequestMemory <= 262144 (now 500000, in MB): 2 more slots,"
        " such as slot1@m1",
        "RequestCpus <= 4 (now 64) and RequestMemory <= 8192 (now 500000, in MB): 3 more slots,"
        " such as slot1@m0",
    ]


def test_a_limit_that_is_not_reached() -> None:
    below = {"Cpus": 32, "Requirements": "TARGET.RequestCpus < MY.Cpus"}
    (change,) = suggested([below], RequestCpus=64, Requirements="true").best
    assert [(item.relation, item.value) for item in change.values] == [("<=", 31)]


def test_what_a_slot_has_none_of() -> None:
    ad = {"Cpus": 8, "GPUs": 0, "Requirements": "TARGET.RequestGPUs <= MY.GPUs"}
    found = suggested([ad, ad], RequestGPUs=2, Requirements="true")
    assert texts(found) == [
        "RequestGPUs <= 0 (now 2): 2 more slots, such as slot1@m0",
        "RequestGPUs = 1 would not help with 2 slots, such as slot1@m0: no GPUs left there",
    ]
    used = {"Cpus": 0, "Requirements": "TARGET.RequestCpus <= MY.Cpus"}
    found = suggested([used], RequestCpus=1, Requirements="true")
    assert texts(found) == [
        "a smaller RequestCpus would not help with 1 slot, such as slot1@m0: no Cpus left there"
    ]


def test_it_is_not_told_that_less_is_no_help_if_it_is() -> None:
    """In scale 4 * 3/16 would be 0, which is no request; 1 is one, and does."""
    ad = {"Cpus": 8, "Requirements": "TARGET.RequestCpus * TARGET.RequestCpus <= {}"}
    small, none = ({**ad, "Requirements": ad["Requirements"].format(most)} for most in ("3", "0"))
    assert suggested([small], RequestCpus=4, Requirements="true").no_help == ()
    (told,) = suggested([small, none], RequestCpus=4, Requirements="true").no_help
    assert (told.tried, told.slots, told.example) == (1, 1, "slot1@m1")


def test_what_a_slot_wants_to_hear() -> None:
    """An attribute that the job has not got is set; one that the schedd sets is not."""
    project = {"Requirements": 'TARGET.Project == "x" && TARGET.IsShort'}
    own = {"Requirements": 'TARGET.Owner == "bob"'}
    found = suggested([project, own], Requirements="true")
    assert texts(found)[0] == (
        'IsShort = true (not set) and Project = "x" (not set): 1 more slot, such as slot1@m0'
    )
    assert all(item.name != "Owner" for change in found.best for item in change.values)


def test_a_clause_is_dropped_only_where_no_value_would_do() -> None:
    slots = [{"Cpus": 4, "Requirements": "true"}, {"Cpus": 4, "Tier": 1, "Requirements": "true"}]
    found = suggested(slots, RequestCpus=8, Requirements="TARGET.Cpus >= RequestCpus && TARGET.No")
    assert texts(found) == [
        "RequestCpus <= 4 (now 8) and without `TARGET.No` of the job: 2 more slots, such as"
        " slot1@m0"
    ]
