"""Both engines decide the same, down to counts of refused slots and the random numbers drawn."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attr import evolve
from hypothesis import given, settings

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from classad.table import Table
from fuzz.cycles import as_ads, engines_agree, engines_keep_up, in_columns
from negotiator.columns import conditions, rank_keys
from negotiator.cycle import negotiate
from negotiator.engines import make_engines
from negotiator.expressions import memo
from negotiator.io import CapturePaths, read_capture
from negotiator.matching.conditions import BothRequirements, EnoughToConsume
from negotiator.matching.engine import ReferenceEngine
from negotiator.model.snapshot import Snapshot
from negotiator.pool.slots import meets
from negotiator.strategies import scenarios as plain_scenarios
from negotiator.strategies.adversarial_pools import adversarial_scenarios
from pieslice.cli import main
from policy.model import NegotiatorPolicy
from tests.negotiator import scenarios

ROOT = Path(__file__).parents[2]
CAPTURES = sorted(
    path.parent
    for path in [*ROOT.glob("examples/*/slots.ads"), *ROOT.glob("tests/vectors/pools/*/slots.ads")]
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if number % 4 == 0 else [pytest.mark.slow, pytest.mark.long])
        for number, name in enumerate(scenarios.names())
    ],
)
def test_recorded_scenarios_in_columns(name: str) -> None:
    """Slots that are loaded from text, cycle after cycle."""
    case = scenarios.load(name)
    policy = scenarios.policy_of(case["scenario"])
    pool = in_columns(scenarios.snapshot_of(case))
    if pool is None:
        return
    kept = make_engines("columns", lasting=True)
    never = evolve(policy, consider_preemption=False)
    for each in (policy, policy, never, policy):
        columns = negotiate(pool, each, now=scenarios.NOW, rng=Random(1), engine=kept)
        ads = as_ads(pool)
        reference = negotiate(ads, each, now=scenarios.NOW, rng=Random(1), engine="reference")
        assert repr(columns) == repr(reference)


def outputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What ``pieslice negotiate --json`` prints with either engine."""
    texts = []
    for engine in ("columns", "reference"):
        assert main(["negotiate", str(folder), "--json", "--engine", engine]) == 0
        texts.append(capsys.readouterr().out)
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("folder", CAPTURES, ids=lambda path: path.name)
def test_captured_pools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns, reference = outputs(folder, capsys)
    assert columns == reference
    assert columns.startswith("{")


PREEMPTING = """\
PREEMPTION_REQUIREMENTS = RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2
NEGOTIATOR_CONSIDER_PREEMPTION = True
"""


#: The function is asked slot by slot, which makes copies of ads; the columns come after that.
LIVE = """\
PREEMPTION_REQUIREMENTS = RemoteUserResourcesInUse > 2 && RemoteUserResourcesInUse < 100
PREEMPTION_RANK = -RemoteUserPrio * 2 - RemoteUserFloor
"""


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "config"), [(1, ""), (2, PREEMPTING), (3, LIVE)])
def test_generated_pools(
    seed: int, config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maker = ROOT / "benchmarks" / "make_pool.py"
    sizes = ["--slots", "300", "--jobs", "80", "--autoclusters", "25", "--seed", str(seed)]
    command = [sys.executable, str(maker), *sizes, "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    (tmp_path / "condor_config").write_text(config)
    columns, reference = outputs(tmp_path, capsys)
    assert columns == reference
    assert '"slot"' in columns


@pytest.mark.slow
@settings(max_examples=60)
@given(plain_scenarios())
def test_any_small_pool(scenario: dict[str, Any]) -> None:
    engines_agree(scenario)


@pytest.mark.slow
@settings(max_examples=80)
@given(adversarial_scenarios())
def test_any_odd_pool(scenario: dict[str, Any]) -> None:
    engines_agree(scenario)


@pytest.mark.slow
@settings(max_examples=25)
@given(adversarial_scenarios())
def test_columns_that_are_kept(scenario: dict[str, Any]) -> None:
    engines_keep_up(scenario)


def test_slots_whose_start_differs_in_a_constant() -> None:
    """Their constants are a column that no ad has, also where the slots are in columns."""
    case = scenarios.load("plain-match")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    slots = []
    for number in range(20):
        slot = snapshot.slots[0].duplicate()
        slot.insert("Name", f"slot{number}@m")
        slot.insert("Start", ExprTree(f"TARGET.RequestCpus * {number} >= 12"))
        slot.insert("Requirements", ExprTree("Start"))
        slots.append(slot)
    pool = in_columns(evolve(snapshot, slots=tuple(slots)))
    assert pool is not None
    columns, reference = (
        negotiate(pool, policy, now=scenarios.NOW, engine=engine)
        for engine in ("columns", "reference")
    )
    assert repr(columns) == repr(reference)
    assert columns.matches


@pytest.mark.parametrize(
    ("weight", "requirements", "first"),
    [
        ("Cpus", "SlotWeight >= 2", 2),
        ("Cpus", "TARGET.RequestCpus <= SlotWeight", 1),
        ("TARGET.RequestCpus + Cpus + 1 - 1", "SlotWeight >= 2", 1),
        ("TARGET.RequestCpus + Cpus + 1 - 1", "TARGET.RequestCpus <= SlotWeight", 0),
    ],
)
@pytest.mark.parametrize("loaded", [False, True])
def test_requirements_see_the_weight_that_slots_without_one_are_given(
    weight: str, requirements: str, first: int, loaded: bool
) -> None:
    """Slots 0 to 5 have as many cores as their number; the others weigh nothing."""
    case = scenarios.load("plain-match")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    slots = []
    for number in range(8):
        slot = snapshot.slots[0].duplicate()
        slot.insert("Name", f"slot{number}@m")
        slot.insert("Cpus", number)
        slot.insert("Requirements", ExprTree(requirements))
        slot.remove("SlotWeight")
        if number > 5:
            slot.insert("SlotWeight", 0)
        slots.append(slot)
    policy = evolve(policy, slot_weight=ExprTree(weight))
    pool = evolve(snapshot, slots=tuple(slots))
    if loaded:
        columns_of_pool = in_columns(pool)
        assert columns_of_pool is not None
        pool = columns_of_pool
    columns, reference = (
        negotiate(pool, policy, now=scenarios.NOW, engine=engine)
        for engine in ("columns", "reference")
    )
    assert repr(columns) == repr(reference)
    assert [match.slot for match in columns.matches] == [f"slot{first + n}@m" for n in range(4)]


NO_NUMBER = 'ifThenElse(regexp("node", Machine), real("NaN"), 1.0)'


@pytest.mark.parametrize("ignored", [False, True], ids=["", "ranks of jobs ignored"])
@pytest.mark.parametrize(
    "ranks",
    [(NO_NUMBER, "1"), ("1", NO_NUMBER), (NO_NUMBER, NO_NUMBER)],
    ids=["pre", "post", "both"],
)
def test_a_rank_of_the_negotiator_may_be_no_number(ranks: tuple[str, str], ignored: bool) -> None:
    case = scenarios.load("tour")
    pre, post = (ExprTree(text) for text in ranks)
    policy = scenarios.policy_of(case["scenario"])
    policy = evolve(policy, pre_job_rank=pre, post_job_rank=post, ignore_job_ranks=ignored)
    columns, reference = (
        negotiate(scenarios.snapshot_of(case), policy, now=scenarios.NOW, engine=engine)
        for engine in ("columns", "reference")
    )
    assert repr(columns) == repr(reference)
    assert columns.matches


@pytest.mark.parametrize("engine", ["columns", "reference"])
def test_what_the_constraint_excludes_takes_no_part(engine: str) -> None:
    case = scenarios.load("tour")
    everybody = scenarios.policy_of(case["scenario"])
    some = evolve(everybody, slot_constraint=ExprTree('Machine != "node4"'))
    found = [
        negotiate(scenarios.snapshot_of(case), policy, now=scenarios.NOW, engine=engine)
        for policy in (everybody, some)
    ]
    assert [result.pool.slots for result in found] == [10, 9]
    assert ["slot1@node4" in {match.slot for match in result.matches} for result in found] == [
        True,
        False,
    ]


def in_expressions(ad: ClassAd) -> ClassAd:
    """The ad with an expression in the place of each text and truth value."""
    found = ad.duplicate()
    for name, value in ad.items():
        if isinstance(value, str | bool) and name not in ("Name", "Machine", "MyType"):
            written = f'"{value}"' if isinstance(value, str) else str(value)
            found.insert(name, ExprTree(f"ifThenElse(true, {written}, undefined)"))
    return found


@pytest.mark.parametrize("engine", ["columns", "reference"])
@pytest.mark.parametrize("case", ["tour", "pslot-preemption"])
def test_what_an_expression_of_a_slot_comes_to_counts_like_a_constant(
    case: str, engine: str
) -> None:
    loaded = scenarios.load(case)
    snapshot, policy = scenarios.snapshot_of(loaded), scenarios.policy_of(loaded["scenario"])
    slots = [ad.duplicate() for ad in snapshot.slots]
    for number, ad in enumerate(slots):
        ad.insert("Offline", number % 4 == 1)
        ad.insert("WantClaiming", number % 4 != 2)
    constant, computed = (
        negotiate(evolve(snapshot, slots=tuple(ads)), policy, now=scenarios.NOW, engine=engine)
        for ads in (slots, map(in_expressions, slots))
    )
    assert repr(computed) == repr(constant)


def test_rows_of_slots_that_come_and_go() -> None:
    """Slots keep their rows; new ones go to the end; another order begins anew."""
    case = scenarios.load("tour")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    kept = make_engines("columns", lasting=True)
    slots = list(snapshot.slots)
    more = [ad.duplicate() for ad in slots[:3]]
    for number, ad in enumerate(more):
        ad.insert("Name", f"new{number}@m")
    for ads in (slots, slots[2:], [*slots[1:], *more], slots[::-1], [*slots[::-1], *more * 20]):
        pool = evolve(snapshot, slots=tuple(ads))
        warm = negotiate(pool, policy, now=scenarios.NOW, engine=kept)
        fresh = negotiate(pool, policy, now=scenarios.NOW, engine="reference")
        assert repr(warm) == repr(fresh)


def test_facts_that_the_clock_tells_are_found_in_every_cycle() -> None:
    """Who holds a slot from a certain time on is not what an earlier cycle has found."""
    case = scenarios.load("plain-match")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    slot = snapshot.slots[0].duplicate()
    slot.insert("RemoteUser", ExprTree(f'time() > {scenarios.NOW + 5:.0f} ? "b@test" : undefined'))
    pool = in_columns(evolve(snapshot, slots=(slot,)))
    assert pool is not None
    kept = make_engines("columns", lasting=True)
    holders = []
    for later in (0, 10, 0):
        warm = negotiate(pool, policy, now=scenarios.NOW + later, engine=kept)
        ads = as_ads(pool)  # the slots themselves stay in columns
        fresh = negotiate(ads, policy, now=scenarios.NOW + later, engine="reference")
        assert repr(warm) == repr(fresh)
        holders.append([match.holder for match in warm.matches])
    assert holders[0] == holders[2] != holders[1]


def test_the_columns_decide_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool without chance in it never needs the reference engine."""
    monkeypatch.delattr(ReferenceEngine, "find")
    capture = read_capture(CapturePaths(ROOT / "examples" / "campus"))
    result = negotiate(capture.snapshot, capture.policy, now=capture.facts.now)
    assert result.matches


def test_an_unknown_engine() -> None:
    case = scenarios.load("plain-match")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    with pytest.raises(ValueError, match="no engine `fast`; there are columns, reference"):
        negotiate(snapshot, policy, now=scenarios.NOW, engine="fast")


# ---- what a table says of requirements is what the daemons say ----------------------------------


def ad(**attributes: str) -> ClassAd:
    made = ClassAd()
    for name, text in attributes.items():
        made.insert(name, ExprTree(text))
    return made


REQUIREMENTS = (
    "Start && TARGET.Memory >= 10",
    "(A > 1) && (B || C)",
    "MY.A =?= 1.0 && Extra",
    "Extra =!= undefined && eval(Text)",
    "[x = A].x == 1",
    "member(A, List) && Start",
    "random(10) >= 0 && A",
    "Requirements",
    "Start && Requirements",
    "true",
    "0.0",
    '"yes"',
)
OWN = (
    {"A": "1", "Start": "TARGET.A == 1"},
    {"A": "1.0", "Start": "A", "B": "true", "Memory": "20"},
    {"A": "true", "Extra": "TARGET.Start", "List": "{1, 2}", "Memory": "TARGET.A * 20"},
    {"A": "-0.0", "Text": '"A >= 0"', "C": "B + 1", "B": "TARGET.B"},
    {"A": "0.0", "Text": '"TARGET.A < 2"', "List": "{A}", "Extra": "5"},
)


def test_a_table_matches_as_the_daemons_do() -> None:
    context = EvalContext(now=scenarios.NOW)
    slots = [ad(Requirements=text, **own) for text in REQUIREMENTS for own in OWN]
    slots.append(ad(A="1"))
    table = Table(slots)
    jobs = [*(ad(Requirements=text, **own) for text in REQUIREMENTS for own in OWN), ad(A="1")]
    # Twice: the second time all answers come from what the first one left.
    for job in jobs + jobs:
        found = table.match(job, context=context)
        expected = [
            row
            for row, slot in enumerate(slots)
            if meets(slot, job, context) and meets(job, slot, context)
        ]
        assert list(found) == expected, str(job)
        surely = table.match_surely(table.partner(job, context))
        assert surely is None or surely == found


# ---- what the columns do where they cannot tell, or would remember too much ----------------------


def decided(snapshot: Snapshot, policy: NegotiatorPolicy) -> str:
    """What both engines decide of a pool, which is the same, from ads and from columns."""
    pool = in_columns(snapshot)
    found = set()
    for slots in (snapshot, *([] if pool is None else [pool, as_ads(pool)])):
        for engine in ("columns", "reference"):
            result = negotiate(slots, policy, now=scenarios.NOW, rng=Random(1), engine=engine)
            found.add(repr(result))
    (one,) = found
    return one


@pytest.mark.parametrize("name", ["tour", "preempt-kinds-order", "groups-surplus", "random-104"])
def test_every_condition_can_be_asked_slot_by_slot(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    before = decided(snapshot, policy)
    kept = {kind: conditions._WAYS[kind] for kind in (BothRequirements, EnoughToConsume)}
    monkeypatch.setattr(conditions, "_WAYS", kept)
    assert decided(snapshot, policy) == before


@pytest.mark.parametrize("name", ["tour", "preempt-kinds-order", "pslot-preemption", "random-110"])
def test_what_is_not_remembered_is_found_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    before = decided(snapshot, policy)
    memo.forget()
    monkeypatch.setattr(memo, "MANY", 1)
    for module in (conditions, rank_keys):
        monkeypatch.setattr(module, "_MANY", 1)
    assert decided(snapshot, policy) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"pre_job_rank": ExprTree('real("NaN")')},
        {"pre_job_rank": None, "post_job_rank": None},
        {"slot_weight": ExprTree("Requirements =!= undefined ? 2 : 1")},
        {"preemption_requirements": None, "preemption_rank": None},
        {"preemption_requirements": ExprTree("true"), "preemption_rank": ExprTree('real("NaN")')},
        {"ignore_job_ranks": True, "pre_job_rank": ExprTree('real("NaN")')},
        {"ignore_job_ranks": True, "pre_job_rank": None, "post_job_rank": None},
    ],
)
def test_policies_that_the_columns_leave_to_the_reference(changes: dict[str, Any]) -> None:
    case = scenarios.load("preempt-kinds-order")
    snapshot = scenarios.snapshot_of(case)
    assert decided(snapshot, evolve(scenarios.policy_of(case["scenario"]), **changes))


def test_jobs_that_inherit_are_those_that_have_all_themselves() -> None:
    case = scenarios.load("groups-surplus")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    more = {"RequestMemory": ExprTree("MemoryWanted * 2"), "MemoryWanted": 100}
    found = []
    for inherit in (True, False):
        queues = []
        for queue in snapshot.queues:
            jobs = [job.duplicate() for job in queue.jobs]
            for place, job in enumerate(jobs):
                above = ClassAd({**more, "MemoryWanted": 100 + place % 2})
                job.pop("RequestMemory", None)
                if inherit:
                    job.chain(above)
                else:
                    job.update(above)
            queues.append(evolve(queue, jobs=tuple(jobs)))
        found.append(decided(evolve(snapshot, queues=tuple(queues)), policy))
    assert found[0] == found[1]


def test_a_job_may_have_an_attribute_that_is_named_like_a_scope() -> None:
    case = scenarios.load("preempt-kinds-order")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    for queue in snapshot.queues:
        for job in queue.jobs:
            job.insert("Target", 5)
    before = decided(snapshot, policy)
    assert "MatchKind.RANK" in before
    assert decided(snapshot, evolve(policy, add_significant_attributes=("Target",)))


def test_a_rank_of_a_job_may_be_no_number() -> None:
    case = scenarios.load("tour")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    for queue in snapshot.queues:
        for job in queue.jobs[::2]:
            job.insert("Rank", float("nan"))
    assert decided(snapshot, policy)


@pytest.mark.parametrize("what", ["inherited", "unnamed", "weightless"])
def test_slots_that_the_columns_leave_to_the_reference(what: str) -> None:
    case = scenarios.load("tour")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    slots = [slot.duplicate() for slot in snapshot.slots]
    if what == "inherited":
        slots[0].chain(ClassAd({"Colour": "red"}))
    elif what == "unnamed":
        del slots[0]["Name"]
    else:
        for slot in slots[::2]:
            slot.pop("SlotWeight", None)
    assert decided(evolve(snapshot, slots=tuple(slots)), policy)


@pytest.mark.parametrize("position", [0, 3])
def test_a_slot_that_stays_after_its_match_comes_behind_the_others(position: int) -> None:
    """Also the first slot of the pool, if it is the only one that is asked by itself."""
    case = scenarios.load("pie-2-users")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    policy = evolve(policy, pre_job_rank=ExprTree("0"), post_job_rank=ExprTree("0"))
    slots = [slot.duplicate() for slot in snapshot.slots]
    slots[position].insert("WantAdRevaluate", True)
    claims = {slots[position].eval("Name"): 5}
    text = decided(evolve(snapshot, slots=tuple(slots), claims=claims), policy)
    order = [str(slot.eval("Name")) for slot in snapshot.slots]
    taken = re.findall(r"slot='([^']+)'", text)
    assert taken[: len(order) - 1] == order[:-1]
