"""How much ``pieslice why`` tells, tries and follows: on both sides of each bound."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree
from negotiator.cycle import negotiate
from negotiator.matching.board import Offer
from negotiator.model.result import MatchKind
from pieslice.reports.layout import Line, TextTable
from pieslice.why.asked import AskedJob
from pieslice.why.autoclusters import AutoclusterVerdict, Surveyed, UnmatchedCause, verdict
from pieslice.why.clause_tables import clause_blocks
from pieslice.why.clauses import Clause, Whose
from pieslice.why.conditions import ConditionValue, condition_value, finding_lines, near_lines
from pieslice.why.differences import BeforeAfter
from pieslice.why.fates import Fate
from pieslice.why.funnel import LIMITS, MATCHED, MATCHING, PREEMPTING, Sieve, match_pool
from pieslice.why.preemption import preemption_tests, reason_to_preempt
from pieslice.why.sessions import End, RequestLog, ways_of
from pieslice.why.slots import ClauseValue, SlotCase, slot_head
from pieslice.why.suggestions import SuggestedChanges
from tests.negotiator import scenarios
from tests.pieslice.test_poolmatch import halted, suggested
from tests.pieslice.test_why_changes import told


def wanting(**values: int) -> list[dict[str, Any]]:
    """A slot for each name, which wants the job to have that value."""
    return [{"Requirements": f"TARGET.{name} == {value}"} for name, value in values.items()]


def changes(found: SuggestedChanges) -> list[str]:
    return [told(change) for change in found.best]


# --- changes that are tried -----------------------------------------------------------------------


@pytest.mark.parametrize(("near", "more"), [(11, ["B = 5: 3"]), (12, [])])
def test_so_many_changes_are_tried(near: int, more: list[str]) -> None:
    """The nearest come first: what only helps more slots may come too late."""
    names = {f"A{number}": 1 for number in range(near)}
    slots = [*wanting(**names), *(3 * wanting(B=5))]
    found = suggested(slots, Requirements="true", B=0, **dict.fromkeys(names, 0))
    assert changes(found) == ["A0 = 1: 1", *more]


@pytest.mark.parametrize(("kinds", "first"), [(39, ["B = 1: 1"]), (40, [])])
def test_so_many_kinds_of_slots_are_looked_at(kinds: int, first: list[str]) -> None:
    """Those of most slots come first."""
    names = {f"A{number}": 9 for number in range(kinds)}
    slots = [*wanting(B=1), *(2 * wanting(**names))]
    found = suggested(slots, Requirements="true", B=0, **dict.fromkeys(names, 0))
    assert changes(found) == [*first, "A0 = 9: 2"]


def test_so_many_changes_are_told() -> None:
    slots = [s for number in range(1, 5) for s in number * wanting(**{f"A{number}": number})]
    found = suggested(slots, Requirements="true", A1=0, A2=0, A3=0, A4=0)
    assert changes(found) == ["A1 = 1: 1", "A2 = 2: 2", "A3 = 3: 3"]


@pytest.mark.parametrize(
    ("start", "change"),
    [("F1", "K <= 3: 1"), ("F0", "without F0: 1"), ("F2 && F3", "K <= 3: 1")],
)
def test_definitions_are_followed_so_deep(start: str, change: str) -> None:
    of_slot = {"F0": "F1", "F1": "F2", "F2": "F3", "F3": "TARGET.K <= 3"}
    # Conjuncts of own attributes are taken apart: a disjunction is not.
    slot = {**of_slot, "F3": "TARGET.K <= 3 || false", "Requirements": f"false || ({start})"}
    (found,) = changes(suggested([slot], Requirements="true", K=9))
    assert found == change.replace("F0", "false || (F0)")


@pytest.mark.parametrize(
    ("without", "known", "meant"),
    [
        (0, (), "HasMatlab"),
        (199, (), "HasMatlab"),
        (200, (), None),
        # What HTCondor knows is no slip.
        (0, ("hasmatlb",), None),
        (0, ("hasmatlab", "matlb"), "HasMatlab"),
    ],
)
def test_so_many_slots_are_searched_for_a_name(
    without: int, known: tuple[str, ...], meant: str | None
) -> None:
    ads: list[dict[str, Any]] = [*({"Requirements": "true"} for _ in range(without))]
    ads.append({"Requirements": "true", "HasMatlab": True})
    scenario = {
        "name": "many",
        "slots": [{"name": f"slot1@m{i}", "ad": ad} for i, ad in enumerate(ads)],
        "jobs": [{"submitter": "ann", "ad": {"Requirements": "TARGET.HasMatlb"}}],
        "config": {},
    }

    def suggestion(at: Offer) -> str | None:
        match = match_pool(at, frozenset(known))
        (clause, *_) = match.table.told(match.clauses, match.pairs.all)
        (operand,) = clause.operands
        return operand.suggestion or ""

    (found,) = halted({"scenario": scenario, "observed": {"cycles": [{}]}}, suggestion)
    assert found == (meant or "")


# --- what is shown --------------------------------------------------------------------------------


def clause(text: str, refuses: int, whose: Whose = Whose.JOB) -> Clause:
    return Clause(whose, text, 99, 99 - refuses, 0, refuses, 0, 0, 0, (), "slot1@m")


@pytest.mark.parametrize(
    ("count", "hidden", "more"),
    [
        (8, [], []),
        (9, [0], ["  and 1 more clause; --clauses shows them"]),
        (11, [0, 1, 2], ["  and 3 more clauses; --clauses shows them"]),
    ],
)
def test_so_many_clauses_are_shown(count: int, hidden: list[int], more: list[str]) -> None:
    """Those that refuse most, in their order."""
    blocks = clause_blocks("t", tuple(clause(f"c{n}", n + 1) for n in range(count)))
    (table,) = (block for block in blocks if isinstance(block, TextTable))
    shown = [row[3] for row in table.rows]
    assert shown == [f"job: c{n}" for n in range(count) if n not in hidden]
    assert [block.text for block in blocks[1:] if isinstance(block, Line)] == more


@pytest.mark.parametrize(("count", "end"), [(4, "d3"), (5, "d3 and 1 more"), (7, "d3 and 3 more")])
def test_so_many_clauses_that_are_true_of_all_are_named(count: int, end: str) -> None:
    blocks = clause_blocks("t", tuple(clause(f"d{n}", 0) for n in range(count)))
    assert blocks[1:] == [Line(f"  true of all, of the job: d0, d1, d2, {end}")]


@pytest.mark.parametrize(("length", "whole"), [(44, True), (45, False)])
def test_so_much_of_a_clause_is_shown(length: int, whole: bool) -> None:
    (_, line) = clause_blocks("t", (clause("x" * length, 0),))
    assert isinstance(line, Line)
    text = line.text.rpartition(" ")[2]
    assert (text == "x" * length) is whole
    assert len(text) == 44


@pytest.mark.parametrize(("count", "shown"), [(2, 2), (3, 3), (4, 3)])
def test_so_many_clauses_stand_in_the_head_of_a_slot(count: int, shown: int) -> None:
    clauses = tuple(ClauseValue(Whose.JOB, f"c{n}", "false", False, ()) for n in range(count))
    lines = slot_head(SlotCase("slot1@m", "Requirements of the job", None, clauses, ()))
    assert lines[1:] == [Line(f"    of the job: c{n} is false") for n in range(shown)]


def parts(count: int, *, true: bool = False) -> ConditionValue:
    found = tuple(ConditionValue(f"c{n}", true, "x") for n in range(count))
    return ConditionValue("all", true, "x", "&&", found)


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        (1, ["c0 is x"]),
        (3, ["c0 is x", "c1 is x", "c2 is x"]),
        (4, ["c0 is x", "c1 is x", "and 2 more parts"]),
        (7, ["c0 is x", "c1 is x", "and 5 more parts"]),
    ],
)
def test_so_many_parts_of_a_condition_stand_in_a_head(count: int, lines: list[str]) -> None:
    assert near_lines(parts(count)) == [Line(f"    {line}") for line in lines]


@pytest.mark.parametrize(
    ("count", "lead"),
    [(2, "second half"), (3, "third part"), (6, "sixth part"), (7, "7th part"), (8, "8th part")],
)
def test_parts_of_a_disjunction_are_numbered(count: int, lead: str) -> None:
    found = ConditionValue("any", False, "x", "||", parts(count).parts)
    lines = finding_lines(found)
    assert len(lines) == count
    assert lines[-1] == f"{lead} of ||: c{count - 1} is x"


def test_a_part_of_a_disjunction_has_a_line_for_each_of_its_own() -> None:
    found = ConditionValue(
        "any", False, "x", "||", (parts(2), ConditionValue("d", True, "y"), parts(1))
    )
    assert finding_lines(found) == [
        "first part of ||: c0 is x", "  c1 is x", "third part of ||: c0 is x",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "distance"),
    [
        ("true", (0, 0.0)),
        ("false", (1, 1e9)),
        ('"a" < 3', (1, 1e9)),
        ("3 > 4", (1, 0.5)),
        ("3.0 > 4.0", (1, 0.25)),
        ("0.0 > 0.5", (1, 0.5)),
        ("0.0 > 1.0e12", (1, 1.0)),
        ("1.0e12 < 0.0", (1, 1e9)),
        ("-1.0e12 > 0.25", (1, 1e9)),
        ("3.0 > 4.0 && 1.0 > 2.0", (2, 0.75)),
        ("3.0 > 4.0 && 2.0 > 1.0", (1, 0.25)),
        ("3.0 > 4.0 || 1.0 > 2.0", (1, 0.25)),
        ("(3.0 > 4.0 && 3.0 > 4.0) || 0.0 > 2.0", (1, 1.0)),
        ("3.0 > 4.0 || true", (0, 0.0)),
    ],
)
def test_how_far_a_condition_is_from_being_true(text: str, distance: tuple[int, float]) -> None:
    found = condition_value(ExprTree(text), ClassAd(), ClassAd(), EvalContext())
    assert found.distance == pytest.approx(distance)


@pytest.mark.parametrize(("rows", "more"), [(40, None), (41, "1 more autocluster"), (43, "3 more")])
def test_so_many_autoclusters_are_shown(rows: int, more: str | None) -> None:
    cause = UnmatchedCause(Fate.REJECTED, "no match found", 1, "1.0")
    each = tuple(
        AutoclusterVerdict("u@d", "s", n, f"{n}.0", 1, 0, {}, "none", (cause,)) for n in range(rows)
    )
    found = Surveyed("user u", None, each, ())  # type: ignore[arg-type]
    blocks = found.blocks()
    (table,) = (block for block in blocks if isinstance(block, TextTable))
    assert [row[0] for row in table.rows] == [f"{n}.0" for n in range(min(rows, 40))]
    said = [block.text for block in blocks if isinstance(block, Line) and "--json" in block.text]
    assert len(said) == (more is not None)
    assert more is None or more in said[0]


@pytest.mark.parametrize(
    ("users", "said"),
    [
        ("aaa", "3 by preemption of a"),
        ("aab", "3 by preemption of a (2), b (1)"),
        ("abcc", "4 by preemption of c (2), a (1), b (1)"),
        ("abcd", "4 by preemption of a (1), b (1), c (1) and 1 more"),
        ("abcdee", "6 by preemption of e (2), a (1), b (1) and 2 more"),
    ],
)
def test_so_many_users_are_named_as_preempted(users: str, said: str) -> None:
    assert ways_of((MatchKind.PRIORITY, user) for user in users) == said
    both = [(MatchKind.NONE, None), (MatchKind.RANK, None), (MatchKind.PRIORITY, "z")]
    assert ways_of(both) == "1 free, 1 by preemption of z, 1 by rank preemption of ?"


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (1.0, 1.0, True),
        (1.0, 1.0 + 9e-10, True),
        (1.0, 1.0 + 1.1e-9, False),
        (1.0 + 1.1e-9, 1.0, False),
        (-1e9, -1e9 - 0.9, True),
        (-1e9, -1e9 - 1.1, False),
        (0.0, 1e-300, False),
        (0.0, 0.0, True),
        (1.0, -1.0, False),
        (None, None, True),
        (None, 0.0, False),
        (0.0, None, False),
        (float("inf"), float("inf"), True),
    ],
)
def test_numbers_that_are_told_as_equal(
    before: float | None, after: float | None, same: bool
) -> None:
    assert BeforeAfter(before, after).same is same


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (-1, "in status -1"), (0, "unexpanded"), (1, "idle"), (2, "running"), (3, "removed"),
        (4, "completed"), (5, "held"), (6, "transferring output"), (7, "suspended"),
        (8, "in status 8"),
    ],
)  # fmt: skip
def test_each_status_of_a_job_has_its_word(status: int, text: str) -> None:
    assert AskedJob(1, 0, ClassAd(), "s", None, status).status_text == text


def test_definitions_in_an_explanation_are_followed_so_deep() -> None:
    defined = {"A": "B", "B": "C", "C": "D", "D": "E", "E": "5"}
    claim = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": '"bob@test"'}
    scenario = {
        "name": "deep",
        "slots": [{"name": "slot1@m", "ad": {**defined, **claim}}],
        "jobs": [{"submitter": "ann", "ad": {}}],
        "config": {"PREEMPTION_REQUIREMENTS": "MY.A == 5"},
    }

    def explanation(at: Offer) -> str:
        (slot,) = at.board.slots.values()
        tests = {test.name: test for test in preemption_tests(at, slot)}
        return str(tests["PREEMPTION_REQUIREMENTS"].explanation)

    (text,) = halted({"scenario": scenario, "observed": {"cycles": [{}]}}, explanation)
    assert [line.split() for line in text.splitlines()] == [
        ["MY.A", "==", "5", "true"],
        ["MY.A", "5", "in", "MY"],
        ["=", "B", "5", "in", "MY"],
        ["=", "C", "5", "in", "MY"],
        ["=", "D", "5", "in", "MY"],
        ["=", "E", "not", "shown"],
        ["5"],
    ]


def cause(fate: Fate, text: str, count: int, *, follows: bool = False) -> UnmatchedCause:
    return UnmatchedCause(fate, text, count, "1.0", follows)


@pytest.mark.parametrize(
    ("count", "causes", "said"),
    [
        (3, (), "all matched (3 free)"),
        (1, (cause(Fate.REJECTED, "x", 1),), "rejected: x"),
        (2, (cause(Fate.REJECTED, "x", 2),), "2 rejected: x"),
        (
            4, (cause(Fate.REJECTED, "x", 1), cause(Fate.NOT_ASKED, "y", 3, follows=True)),
            "1 rejected: x; 3 more not requested after that",
        ),
        # What it follows is of another cluster.
        (3, (cause(Fate.NOT_ASKED, "y", 3, follows=True),), "3 not requested: y"),
        (1, (cause(Fate.NOT_ASKED, "y", 1, follows=True),), "not requested: y"),
        (
            5, (cause(Fate.REJECTED, "x", 1), cause(Fate.NOT_ASKED, "y", 4)),
            "1 rejected: x; 4 not requested: y",
        ),
    ],
)  # fmt: skip
def test_the_verdict_on_an_autocluster(
    count: int, causes: tuple[UnmatchedCause, ...], said: str
) -> None:
    matched = count - sum(cause.jobs for cause in causes)
    ways = {MatchKind.NONE: matched} if matched else {}
    assert verdict(count, ways, causes) == said


def test_the_steps_in_which_slots_go() -> None:
    """In the order of the cycle; within a step those that would match first, then the most."""
    sieve = Sieve()
    for step, cause, would_match, count in (
        (LIMITS, "limit", None, 1),
        (MATCHED, "by a", False, 5),
        (MATCHED, "by b", True, 2),
        (MATCHED, "by c", True, 3),
        (MATCHED, "by a", True, 1),
        (PREEMPTING, "rank", None, 1),
        (MATCHING, "job", None, 1),
        (MATCHING, "slot", None, 4),
    ):
        for number in range(count):
            sieve.drop(step, cause, f"{cause}{would_match}{number}", would_match)
    steps = sieve.steps(20)
    assert [(step.name, step.removed, step.left) for step in steps] == [
        (MATCHED, 11, 9), (MATCHING, 5, 4), (PREEMPTING, 1, 3), (LIMITS, 1, 2),
    ]  # fmt: skip
    assert [[(part.cause, part.slots, part.would_match) for part in it.parts] for it in steps] == [
        [("by c", 3, True), ("by b", 2, True), ("by a", 1, True), ("by a", 5, False)],
        [("slot", 4, None), ("job", 1, None)],
        [("rank", 1, None)],
        [("limit", 1, None)],
    ]
    assert steps[0].parts[3].examples == ("by aFalse0", "by aFalse1", "by aFalse2")
    assert steps[0].parts[1].examples == ("by bTrue0", "by bTrue1")
    assert sieve.verdicts["slotNone3"] == "slot"
    assert [(step.removed, step.left, step.parts) for step in Sieve().steps(7)] == [(0, 7, ())] * 4


@pytest.mark.parametrize(
    ("requirements", "rank", "kind", "text"),
    [
        ("MY.Cpus == 4", "0.0", MatchKind.PRIORITY, "MY.Cpus == 4"),
        # True only of a partitionable slot with what its dynamic ones have: nothing is told.
        ("MY.Cpus == 5", "0.0", MatchKind.PRIORITY, None),
        ("MY.Cpus == 4", "0.0", MatchKind.NONE, None),
        ("MY.Cpus == 4", "7.0", MatchKind.RANK, "MY.Rank > MY.CurrentRank"),
        ("MY.Cpus == 5", "7.0", MatchKind.RANK, "MY.Rank > MY.CurrentRank"),
        ("MY.Cpus == 4", "-1.0", MatchKind.RANK, None),
    ],
)
def test_what_makes_a_preemption_possible(
    requirements: str, rank: str, kind: MatchKind, text: str | None
) -> None:
    claim = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": '"bob@test"'}
    ad = {"Cpus": "4", "Rank": rank, "CurrentRank": "0.0", "Requirements": "true", **claim}
    scenario = {
        "name": "taken",
        "slots": [{"name": "slot1@m", "ad": ad}],
        "jobs": [{"submitter": "ann", "ad": {"Requirements": "true"}}],
        "config": {"PREEMPTION_REQUIREMENTS": requirements},
    }
    (near,) = halted(
        {"scenario": scenario, "observed": {"cycles": [{}]}},
        lambda at: [reason_to_preempt(at, "slot1@m", kind)],
    )
    (found,) = near
    assert (None if found is None else (found.slot, found.user, found.finding.text)) == (
        None if text is None else ("slot1@m", "bob@test", text)
    )


def test_limits_are_those_of_the_request_that_was_rejected() -> None:
    """Not of one after it."""
    scenario = {
        "name": "limited",
        "slots": [{"name": "slot{i}@m", "count": 3, "ad": {"Requirements": "true"}}],
        "jobs": [
            {"submitter": "ann", "ad": {"JobPrio": "9", "ConcurrencyLimits": '"sw"'}},
            {"submitter": "ann", "ad": {"JobPrio": "5"}},
            {"submitter": "ann", "ad": {"JobPrio": "1", "Requirements": "false"}},
        ],
        "config": {"SW_LIMIT": "0"},
    }
    case = {"scenario": scenario, "observed": {"cycles": [{}]}}
    log = RequestLog(lambda name, schedd: True)
    negotiate(
        scenarios.snapshot_of(case), scenarios.policy_of(scenario), now=scenarios.NOW, watch=log
    )
    (session, *_) = log.record.sessions
    assert [
        (request.jobs, request.end, tuple(state.name for state in request.concurrency))
        for request in session.requests
    ] == [
        (("1.0",), End.REJECTED, ("sw",)),
        (("2.0",), End.SERVED, ()),
        (("3.0",), End.REJECTED, ()),
    ]


def test_every_clause_is_shown_in_full_where_that_is_asked_for() -> None:
    long = "x" * 200
    clauses = (*(clause(f"c{n}", n + 1) for n in range(20)), clause(long, 0), clause("d", 0))
    blocks = clause_blocks("t", clauses, every=True)
    (table,) = (block for block in blocks if isinstance(block, TextTable))
    assert [row[3] for row in table.rows] == [f"job: c{n}" for n in range(20)]
    lines = [block.text for block in blocks[1:] if isinstance(block, Line)]
    assert lines == ["  true of all, of the job:", f"    {long}", "    d"]
    many = tuple(ClauseValue(Whose.JOB, f"c{n}", "false", False, ()) for n in range(9))
    case = SlotCase("slot1@m", "Requirements of the job", None, many, ())
    assert len(slot_head(case, every=True)) == 1 + 9
    assert len(near_lines(parts(9), every=True)) == 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # Whole numbers differ by one at least; of others exactly so much more is not yet enough.
        ("A > 120", "120 > 120 is false: needs 1 more"),
        ("A > 124", "120 > 124 is false: needs 5 more"),
        ("A >= 124", "120 >= 124 is false: needs 4 more"),
        ("A > 124.5", "120 > 124.5 is false: needs more than 4.5 more"),
        ("A >= 124.5", "120 >= 124.5 is false: needs 4.5 more"),
        ("A < 100", "120 < 100 is false: needs 21 less"),
        ("A <= 100", "120 <= 100 is false: needs 20 less"),
        ("A < 100.5", "120 < 100.5 is false: needs more than 19.5 less"),
        ("A > 120.0", "120 > 120 is false: equal is not enough"),
        ("CurrentTime < 5", "1000 < 5 is false: needs 996 s less"),
    ],
)
def test_what_a_comparison_lacks_is_what_would_do(text: str, said: str) -> None:
    ad = ClassAd({"A": 120})
    found = condition_value(ExprTree(text), ad, ClassAd(), EvalContext(now=1000))
    [line] = finding_lines(found)
    assert line.endswith(f": {said}")
