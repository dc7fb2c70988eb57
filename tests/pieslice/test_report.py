"""The report and its JSON, from a result made by hand."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from classad.errors import Diagnostic
from classad.source import Source
from negotiator.capture.agreement import ExpectedError, compare, parse_expected
from negotiator.model.result import (
    AllocationRound,
    CycleResult,
    GroupAllocation,
    GroupEvent,
    GroupSummary,
    Match,
    MatchKind,
    PoolNumbers,
    Reason,
    Rejection,
    SubmitterSummary,
    TrimCause,
    TrimmedSlot,
)
from negotiator.model.snapshot import AccountantState, PoolFacts, UnsupportedKnob
from pieslice.negotiate.document import CycleData
from pieslice.negotiate.text import CycleReport, blocks, iso_time
from pieslice.reports.document import json_text
from pieslice.reports.layout import TextTable, Wrapped, number, render_coloured, render_plain

ALICE, BOB = "g1.alice@pool", "bob@pool"


def match(seq: int, slot: str, kind: MatchKind = MatchKind.NONE, whom: str | None = None) -> Match:
    numbers = (7e3, 5e2, 0.0, 1.0)
    return Match(
        seq, 0, 1, ALICE, "ap1", "3.0", seq + 1, 4, 1, slot, kind, whom, 2.0, whom, *numbers
    )


def result(*, groups: bool = True) -> CycleResult:
    root = GroupSummary("<none>", 0, False, True, False, 6, 12, 3, 3, 0, 0, 3.4e38, (BOB,))
    g1 = GroupSummary("g1", 0.5, False, True, False, 6, 6, 9, 6, 0, 6, 0.0, (ALICE,))
    first = AllocationRound(
        1,
        (
            GroupAllocation("<none>", 6, 5, 3, 2),
            GroupAllocation("g1", 6, 9, 6, 3),
        ),
        2, 0, 14.0, 9.0, 0.0, 6.0, ("g1", "<none>"),
        (
            GroupEvent(1, "g1", 0.25, 6.0, limit=6.0),
            GroupEvent(1, "<none>", 3.4e38, 6.0, limit=3.0),
            GroupEvent(1, "g1", 0.75, 9.0, skipped="no submitters"),
        ),
        6.0,
    )  # fmt: skip
    return CycleResult(
        now=1_700_000_000,
        pool=PoolNumbers(12, 12.0, 1.0, 12.0, 12, 12.0),
        submitters=(
            SubmitterSummary(ALICE, "g1", 0.5, 1000, 500, 0, 6, 0, -1, 4, 0, 1.0, 6.0),
            SubmitterSummary(BOB, "<none>", 5e7, 1e10, 5e17, 0, 0, 0, -1, 0, 1),
        ),
        groups=(root, g1) if groups else (root,),
        rounds=(first,) if groups else (),
        pies=(),
        matches=(
            match(0, "slot1@a"),
            match(1, "slot2@a"),
            match(2, "slot3@a", MatchKind.PRIORITY, BOB),
        ),
        rejections=(Rejection(0, 1, ALICE, "ap1", "3.0", 1, Reason.SUBMITTER_LIMIT),),
        trimmed=(TrimmedSlot("slot9@a", TrimCause.RETIREMENT),),
        accountant=AccountantState(),
    )


def expected(*slots: str) -> dict[str, Any]:
    preempted = {"slot3@a": BOB}
    return {
        "negotiator": "25.14.1",
        "matches": [
            {"job": "3.0", "submitter": ALICE, "slot": s, "preempted": preempted.get(s)}
            for s in slots
        ],
        "rejections": [{"job": "3.0", "submitter": ALICE, "reason": "submitter limit exceeded"}],
    }


def outcome(**changes: Any) -> CycleReport:
    facts = PoolFacts("demo", 1, 12, 2, 6, 4, 1_700_000_000, "as given")
    return CycleReport(**{"pool": facts, "result": result(), **changes})


EXPECTED_TEXT = """\
3 matches: 2 free, 1 by preemption (alice takes 1 of bob)
1 rejection: submitter limit exceeded

pool demo: 1 machine, 12 slots (weight 12), 2 users, 6 jobs (4 idle); cycle at
  2023-11-14T22:13:20Z (1700000000)
  time of the cycle: as given
  follows 25.14.1: no version is given
  not considered: 1 slot, retirement time remains

submitters
  submitter            real    prio    eff  share   limit   usage   after
                       prio  factor   prio      %  weight  weight  weight
  g1.alice@pool         0.5    1000    500    100       6       0       6
  bob@pool       50000000.0   1e+10  5e+17      -       -       0       0
  not shown (--wide): group

groups
  group   config   quota   asked   given   usage   after  surplus     sort
           quota  weight  weight  weight  weight  weight               key
  <none>       0       6       5       3       0       0  byquota  3.4e+38
  g1         0.5       6       9       6       0       6  byquota     0.25

matches: 3 (2 free, 1 priority preemption)
  g1.alice@pool, job 3.0: 3 of 4 jobs matched, cost 6
    free: 2 slots
      slot1@a slot2@a
    priority preemption of bob@pool: 1 slot
      slot3@a

rejections: 1
  submitter      job  reason
  g1.alice@pool  3.0  submitter limit exceeded

not honoured yet: no knob that this configuration sets
"""


def test_text() -> None:
    text = render_plain(blocks(outcome()), 80)
    assert text == EXPECTED_TEXT


def test_groups_are_not_shown_without_groups() -> None:
    text = render_plain(blocks(outcome(result=result(groups=False))), 80)
    assert "\ngroups" not in text


def test_full_agreement() -> None:
    found = compare(result(), parse_expected(expected("slot1@a", "slot2@a", "slot3@a")))
    assert (found.agreeing, found.expected, found.extra, found.complete) == (4, 4, 0, True)
    assert "4 of 4 decisions agree with expected.json (the real negotiator 25.14.1)\n" in (
        render_plain(blocks(outcome(agreement=found)), 100)
    )


def test_differences_are_listed() -> None:
    found = compare(result(), parse_expected(expected("slot1@a", "slot7@a", "slot3@a")))
    assert (found.agreeing, found.expected, found.extra) == (3, 4, 1)
    text = render_plain(blocks(outcome(agreement=found)), 100)
    assert "3 of 4 decisions agree with expected.json" in text
    assert "  only condor_negotiator: match 2: g1.alice@pool, job 3.0 on slot7@a\n" in text
    assert "  only here: match 2: g1.alice@pool, job 3.0 on slot2@a\n" in text


def test_decisions_in_another_order_do_not_all_agree() -> None:
    found = compare(result(), parse_expected(expected("slot3@a", "slot2@a", "slot1@a")))
    assert found.agreeing < found.expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "an object"),
        ({"matches": 3}, "`matches` is not a list"),
        ({"matches": [{}]}, "`matches[0]` has no `job`"),
        ({"rejections": [1]}, "`rejections[0]` is not an object"),
        ({"cycle_started_at": "noon"}, "`cycle_started_at`"),
    ],
)
def test_bad_expected(data: object, message: str) -> None:
    with pytest.raises(ExpectedError) as caught:
        parse_expected(data)
    assert message in str(caught.value)


def test_json_keys_and_determinism() -> None:
    problem = Diagnostic("line is not understood", Source("x y", "slots.ads", first_line=9), 0, 1)
    knob = UnsupportedKnob("NEGOTIATOR_CROSS_SLOT_PRIOS", "True", "config:3", "more attributes")
    first = json_text(CycleData.of(outcome(unsupported=(knob,)), [problem]))
    assert first == json_text(CycleData.of(outcome(unsupported=(knob,)), [problem]))
    data = json.loads(first)
    assert list(data) == [
        "pool", "now", "assignments", "submitters", "groups", "matches", "vacating",
        "rejections", "time", "departures", "agreement", "unsupported", "diagnostics", "tables",
    ]  # fmt: skip
    assert list(data["matches"][0]) == [
        "seq", "pie", "spin", "submitter", "schedd", "job", "count", "of", "autocluster", "slot",
        "kind", "preempted", "cost",
    ]  # fmt: skip
    assert data["matches"][2]["kind"] == "priority"
    assert data["matches"][2]["preempted_prio"] == 7000
    assert data["rejections"][0]["reason"] == "submitter limit exceeded"
    assert data["agreement"] is None
    assert data["diagnostics"][0]["line"] == 9


def test_unsupported_knobs_are_named_with_their_place() -> None:
    knob = UnsupportedKnob("NEGOTIATOR_CROSS_SLOT_PRIOS", "True", "pool.conf:3", "more attributes")
    text = render_plain(blocks(outcome(unsupported=(knob,))), 100)
    assert "not honoured yet: 1 knob\n" in text
    assert "NEGOTIATOR_CROSS_SLOT_PRIOS  True   pool.conf:3  more attributes\n" in text


def test_terminal_output_has_the_same_words() -> None:
    text = render_coloured(blocks(outcome()), 80)
    assert re.sub(r"\x1b\[\d*m", "", text) == render_plain(blocks(outcome()), 80)


def test_numbers() -> None:
    assert number(None) == "-"
    assert number(1.7e308) == "unlimited"
    assert number(0.125) == "0.12"
    assert iso_time(0) == "1970-01-01T00:00:00Z"
    assert iso_time(1e20) == "100000000000000000000"


def test_long_names_are_never_cut() -> None:
    name = "slot1@" + "x" * 200
    assert name in render_plain([Wrapped("", (name, "b"))], 40)
    assert render_plain([TextTable((), ((),))], 40) == "\n\n"
