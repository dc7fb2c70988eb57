"""A table asked under one clock and zone, and then under others, answers as each of them has it.

Every builtin function is asked, in the rows, in the partner, behind attributes and inside lists and
ads, so that none can read the clock or the zone without the tables' knowledge.
"""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree
from classad.evaluation.functions import load
from classad.table import Table
from fuzz.one_by_one import accepts, holds, number_of, rank_of, shown, value_of
from tests.cases import every_case

ZONES = [timezone(timedelta(hours=hours)) for hours in (0, 5, -11)]
#: Two zones at one instant, another instant, and the first one again.
CONTEXTS = [
    EvalContext(now=1_700_000_000, tz=ZONES[0]),
    EvalContext(now=1_700_000_000, tz=ZONES[1]),
    EvalContext(now=1_700_090_061, tz=ZONES[1]),
    EvalContext(now=1_700_000_000, tz=ZONES[2]),
    EvalContext(now=1_700_000_000, tz=ZONES[0]),
]
#: Draws random numbers, so that the order of questions matters, or looks at the machine.
_LEFT_OUT = frozenset({"random", "userhome", "usermap"})
#: Arguments that functions of times have a meaning for, and some others.
_ARGUMENTS = ("T", "R", "When", "Fields")
ROWS = [
    {
        "T": 1_600_000_000 + 40_000 * number,
        "R": 1.6e9 + 7200.5 * number,
        "N": number,
        "Text": f"2020-01-0{number % 9 + 1}",
        "When": ExprTree("absTime(T)"),
        "Fields": ExprTree("splitTime(T)"),
        "Parts": ExprTree("{T, N, [T = T]}"),
        "Times": ExprTree("{splitTime(T).Hours, N}"),
        "Clock": ExprTree("[Hour = splitTime(Same).Hours; T = 5]"),
        "Same": 1_650_000_000,
    }
    for number in range(14)
]


def _calls() -> list[str]:
    """Each function with as many arguments as it can take, at least some that it understands."""
    found = []
    for name, function in sorted(load().items()):
        if name in _LEFT_OUT:
            continue
        for count in range(4):
            if function.accepts(count):
                for first in _ARGUMENTS if count else ("",):
                    rest = ["N", "2"][: count - 1] if count else []
                    found.append(f"{name}({', '.join([first, *rest] if count else [])})")
    return found


CALLS = _calls()


def _table() -> tuple[Table, list[ClassAd]]:
    rows = [ClassAd(row) for row in ROWS]
    return Table(rows), rows


def _values(table: Table, text: str, job: ClassAd | None, seat: Any, context: Any) -> list[str]:
    codes, values = table.evaluate(text, job, row_is=seat, context=context)
    return [shown(values[code]) for code in codes]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_function(part: int) -> None:
    table, rows = _table()
    job = ClassAd({"T": 1_650_000_000, "N": 3})
    for text in CALLS[part::4]:
        tree = ExprTree(text)
        for context in CONTEXTS[:1] + CONTEXTS[2:3]:
            wanted = [shown(value_of(tree, row, None, context)) for row in rows]
            assert _values(table, text, None, "my", context) == wanted, text
            theirs = [shown(value_of(tree, job, row, context)) for row in rows]
            assert _values(table, text, job, "target", context) == theirs, text


#: Ways of a time into a value: read here, by an attribute, by the partner, in a list or an ad.
TIMES = (
    "splitTime(T).Hours", "splitTime(Same).Hours", "splitTime(TARGET.T).Hours", "Fields.Hours",
    "TARGET.Fields.Day", "getHours(When)", "getDayOfWeek(TARGET.When)", "formatTime(T)",
    'int(formatTime(Same, "%H"))', "[a = splitTime(T).Hours].a", "{splitTime(T)}[0].Hours",
    'eval("splitTime(T).Hours")', "time() - T", "CurrentTime - T", "dayTime() > relTime(8000)",
    "timezoneOffset() > relTime(0)", "evalInEachContext(splitTime(T).Hours, {[T = 5]})[0]",
    "countMatches(splitTime(T).Hours > 8, {[T = 5], [T = 50000]})", "(splitTime(T).Hours) + N",
    "ifThenElse(splitTime(T).Hours > 11, N, -N) * 2 + splitTime(Same).Hours", "absTime(T)",
    "Times[0]", "TARGET.Times[0] + N", "Clock.Hour", "interval(splitTime(T).Hours)",
    "Fields", "splitTime(When).Hours", "splitTime(T)",
)  # fmt: skip


def _jobs(text: str) -> list[ClassAd]:
    made = {
        "T": 1_650_000_000,
        "Times": ROWS[0]["Times"],
        "When": ExprTree("absTime(T)"),
        "Fields": ExprTree("splitTime(T)"),
    }
    seen = {"Own": ExprTree("splitTime(T).Hours"), "Far": ExprTree("splitTime(TARGET.T).Hours")}
    return [
        ClassAd(
            {**made, **seen, "Requirements": ExprTree(f"({text}) > 11"), "Rank": ExprTree(text)}
        ),
        ClassAd({**seen, "T": 1_600_050_000, "Requirements": ExprTree("Own > 9 && Far < 14")}),
        ClassAd({**seen, "T": 5, "Requirements": ExprTree("TARGET.N > 2 && Far > Own")}),
    ]


@pytest.mark.slow
@every_case("text", TIMES)
def test_questions_under_other_zones(text: str) -> None:
    rows = [
        ClassAd(
            {
                **row,
                "Requirements": ExprTree(f"({text}) > 9 && TARGET.T > N || TARGET.Own > 12"),
                "Rank": ExprTree(text),
            }
        )
        for row in ROWS
    ]
    for number in range(0, 14, 3):
        rows[number]["Requirements"] = ExprTree("splitTime(TARGET.T).Hours > 12 && N < 11")
        rows[number]["T"] = ExprTree("1600000000 + 40000 * N")
    table = Table(rows)
    for context in (*CONTEXTS, CONTEXTS[1]):
        for job in _jobs(text):
            for question in (f"({text}) >= 11", f"TARGET.Own > 5 && ({text}) >= 11 || N > 13"):
                tree = ExprTree(question)
                wanted = [row for row, ad in enumerate(rows) if holds(tree, ad, job, context)]
                assert list(table.select(tree, job, context=context)) == wanted, question
            ours = [row for row, ad in enumerate(rows) if accepts(ad, job, context)]
            assert list(table.accepting(job, context=context)) == ours
            theirs = [row for row, ad in enumerate(rows) if accepts(job, ad, context)]
            assert list(table.accepted_by(job, context=context)) == theirs
            both = sorted(set(ours) & set(theirs))
            assert list(table.match(job, context=context)) == both
            ranks = [rank_of(job, ad, context) for ad in rows]
            assert table.rank(job, context=context).tolist() == ranks
        sums = ExprTree(f"({text}) * 2 + N")
        values = [number_of(value_of(sums, ad, None, context)) for ad in rows]
        assert table.numbers(sums, context=context).tolist() == values


def test_a_function_of_the_context_keeps_its_error() -> None:
    """What no builtin is called is an error in a table as it is in one ad."""
    table, rows = _table()
    for context in CONTEXTS:
        wanted = [shown(value_of(ExprTree("nosuch(T)"), row, None, context)) for row in rows]
        assert _values(table, "nosuch(T)", None, "my", context) == wanted
        assert list(table.select("nosuch(T) is error", context=context)) == list(range(14))
