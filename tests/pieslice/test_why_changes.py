"""Which changes of a job ``pieslice why`` suggests: a case for each kind of clause, on either side.

``test_poolmatch.py`` tries every suggestion out; here it is told which one is made.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from pieslice.why.funnel import Verdicts, match_pool
from pieslice.why.suggestions import SuggestedChange, smallest_changes
from tests.cases import every_case
from tests.pieslice.test_poolmatch import halted, suggested, texts
from tests.pieslice.test_why_sentences import CONSUMES


def slot(requirements: str, **ad: Any) -> dict[str, Any]:
    return {"Cpus": 4, "Memory": 64, "Requirements": requirements, **ad}


def told(change: SuggestedChange) -> str:
    """The values, the clauses that are left out, how many more slots match."""
    values = [f"{item.name} {item.relation} {item.value!r}" for item in change.values]
    parts = values + [f"without {text}" for _, text in change.without]
    return f"{' and '.join(parts)}: {change.slots}"


def below(limit: float) -> float:
    return math.nextafter(limit, -math.inf)


@every_case(
    "requirements, job, value",
    [
        # A whole number stays one.
        ("TARGET.K <= MY.Cpus", {"K": 9}, "<= 4"),
        ("TARGET.K < MY.Cpus", {"K": 9}, "<= 3"),
        ("TARGET.K <= 4.5", {"K": 9}, "<= 4"),
        ("TARGET.K < 4.5", {"K": 9}, "<= 4"),
        ("TARGET.K >= MY.Cpus", {"K": 1}, ">= 4"),
        ("TARGET.K > MY.Cpus", {"K": 1}, ">= 5"),
        ("TARGET.K >= 4.5", {"K": 1}, ">= 5"),
        ("TARGET.K > 4.5", {"K": 1}, ">= 5"),
        ("TARGET.K < -4.5", {"K": 1}, "<= -5"),
        ("TARGET.K > -4.5", {"K": -9}, ">= -4"),
        # A real is the next one.
        ("TARGET.K <= 4", {"K": 9.5}, "<= 4"),
        ("TARGET.K < 4", {"K": 9.5}, f"<= {below(4.0)}"),
        ("TARGET.K < 4.5", {"K": 9.5}, f"<= {below(4.5)}"),
        ("TARGET.K >= 4.5", {"K": 1.5}, ">= 4.5"),
        ("TARGET.K > 4.5", {"K": 1.5}, f">= {math.nextafter(4.5, math.inf)}"),
        # What the job has not got is as whole as the limit.
        ("TARGET.K >= 7", {}, ">= 7"),
        ("TARGET.K > 7.0", {}, ">= 8"),
        ("TARGET.K >= 6.5", {}, ">= 6.5"),
        # Either way round.
        ("MY.Cpus > TARGET.K", {"K": 9}, "<= 3"),
        ("MY.Cpus >= TARGET.K", {"K": 9}, "<= 4"),
        ("MY.Cpus < TARGET.K", {"K": 1}, ">= 5"),
        ("7 == TARGET.K", {"K": 1}, "= 7"),
        # Values that are compared for being the same.
        ("TARGET.K == 7", {}, "= 7"),
        ("TARGET.K == 7.5", {"K": 1}, "= 7.5"),
        ('TARGET.K =?= "x"', {"K": 1}, "= 'x'"),
        ("TARGET.K =?= MY.Cpus", {"K": 1}, "= 4"),
        ("TARGET.K", {}, "= True"),
        ("!TARGET.K", {"K": True}, "= False"),
        ("!(TARGET.K)", {"K": True}, "= False"),
        ("(TARGET.K || false) && true", {"K": False}, "= True"),
        # Expressions that grow with it: by as much or in scale, whichever is nearer.
        ("TARGET.K + 2 <= MY.Cpus", {"K": 5}, "<= 2"),
        ("TARGET.K + 2 < MY.Cpus", {"K": 5}, "<= 1"),
        ("TARGET.K - 2 >= MY.Cpus", {"K": 5}, ">= 6"),
        ("TARGET.K - 2 > MY.Cpus", {"K": 5}, ">= 7"),
        ("TARGET.K * 2 <= 5", {"K": 5}, "<= 2"),
        ("TARGET.K * 2 <= 5", {"K": 5.5}, "<= 2.5"),
        ("TARGET.K * 2 >= MY.Cpus", {"K": 0}, ">= 4"),
        ("TARGET.K / 2.0 <= MY.Cpus", {"K": 10}, "<= 8"),
        # Beside other attributes of either ad.
        ("TARGET.K + TARGET.L <= MY.Cpus", {"K": 9, "L": 1}, "<= 3"),
        ("TARGET.K <= TARGET.L + MY.Cpus", {"K": 9, "L": 1}, "<= 5"),
        ("TARGET.K <= 4 && (TARGET.L == 1 || MY.Cpus == 4)", {"K": 9, "L": 1}, "<= 4"),
        ("TARGET.K <= MY.Cpus + Memory - 64", {"K": 9}, "<= 4"),
        # What the slot has of its own.
        ("Fits", {"K": 9}, "<= 3"),
        ("Fits && MY.Cpus > 1", {"K": 9}, "<= 3"),
    ],
)
def test_the_value_nearest_to_what_the_job_has(
    requirements: str, job: dict[str, Any], value: str
) -> None:
    found = suggested([slot(requirements, Fits="TARGET.K <= 3")], Requirements="true", **job)
    assert [told(change) for change in found.best] == [f"K {value}: 1"]
    assert found.no_help == ()


@pytest.mark.parametrize(
    ("requirements", "job", "value"),
    [
        ("MY.K >= 5", {"K": 3}, ">= 5"),
        ("MY.K > TARGET.Cpus", {"K": 3}, ">= 5"),
        ("TARGET.Cpus > MY.K", {"K": 30}, "<= 3"),
        ("K >= 5", {"K": 3}, ">= 5"),
        ("MY.K + MY.L >= 5", {"K": 3, "L": 1}, ">= 4"),
        ("MY.K + MY.L >= TARGET.Cpus + TARGET.Memory", {"K": 3, "L": 1}, ">= 67"),
        ("MY.K", {}, "= True"),
    ],
)
def test_values_that_the_job_asks_of_itself(
    requirements: str, job: dict[str, Any], value: str
) -> None:
    found = suggested([slot("true")], Requirements=requirements, **job)
    assert [told(change) for change in found.best] == [f"K {value}: 1"]


@pytest.mark.parametrize(
    "requirements",
    [
        'TARGET.Owner == "bob"', "TARGET.ProcId > 5", "TARGET.JobUniverse == 9",
        'TARGET.K <= real("-INF")', "TARGET.K <= undefined", "TARGET.K < TARGET.K",
        "MY.Nothing >= 3", "TARGET.SubmitterUserPrio == 7",
    ],
)  # fmt: skip
def test_what_no_value_changes_is_left_out(requirements: str) -> None:
    """What the schedd sets is not for users to change, and no slot has what nobody set."""
    found = suggested([slot(requirements)], K=5, Requirements="true")
    assert [told(change) for change in found.best] == [f"without {requirements}: 1"]


@pytest.mark.parametrize(
    ("requirements", "job", "changes"),
    [
        ("TARGET.K <= 5 && TARGET.K <= 4", {"K": 9}, ["K <= 4: 1"]),
        ("TARGET.K <= 4 && TARGET.K <= 5", {"K": 9}, ["K <= 4: 1"]),
        ("TARGET.K >= 5 && TARGET.K >= 6", {"K": 1}, ["K >= 6: 1"]),
        ("TARGET.K >= 6 && TARGET.K >= 5", {"K": 1}, ["K >= 6: 1"]),
        ("TARGET.K <= 5 && TARGET.L >= 4", {"K": 9, "L": 1}, ["K <= 5 and L >= 4: 1"]),
        ("TARGET.K == 5 && TARGET.K =?= 5", {"K": 9}, ["K = 5: 1"]),
        ('TARGET.K == "a" && TARGET.K == "b"', {"K": 9}, []),
        ("TARGET.K == 5 && TARGET.K == 6", {"K": 9}, []),
        # From 2 to 5 is no bound: neither is told.
        ("TARGET.K >= 2 && TARGET.K <= 5", {}, []),
        ("TARGET.K == 5 && TARGET.K <= 6", {"K": 9}, []),
        (
            "TARGET.K <= 5 && TARGET.Owner == 1", {"K": 9},
            ["K <= 5 and without TARGET.Owner == 1: 1"],
        ),
    ],
)  # fmt: skip
def test_clauses_that_are_false_together(
    requirements: str, job: dict[str, Any], changes: list[str]
) -> None:
    found = suggested([slot(requirements)], Requirements="true", **job)
    assert [told(change) for change in found.best] == changes


def test_a_value_is_not_asked_for_where_there_is_none() -> None:
    """Two slots want the job to be without the attribute, which is no value to write down."""
    wants = "ifThenElse(isUndefined(MY.Most), TARGET.K =?= undefined, TARGET.K <= MY.Most)"
    slots = [slot(wants, Most=3), slot(wants), slot(wants)]
    found = suggested(slots, Requirements="true", K=9)
    assert [told(change) for change in found.best] == ["K <= 3: 1"]


def at_most_of(left: str, *limits: float) -> list[dict[str, Any]]:
    return [slot(f"{left} <= MY.Most", Most=limit) for limit in limits]


def at_most(*limits: float) -> list[dict[str, Any]]:
    return at_most_of("TARGET.K", *limits)


@pytest.mark.parametrize(
    ("slots", "job", "changes"),
    [
        # The nearest first, then what more slots take, then what all of them take.
        (at_most(8, 6, 6, 2), {"K": 9}, ["K <= 8: 1", "K <= 6: 3", "K <= 2: 4"]),
        (at_most(6, 8, 6, 2), {"K": 9}, ["K <= 8: 1", "K <= 6: 3", "K <= 2: 4"]),
        (at_most(8, 8, 6), {"K": 9}, ["K <= 8: 2", "K <= 6: 3"]),
        (at_most(4, 4), {"K": 9}, ["K <= 4: 2"]),
        (at_most(9, 3), {"K": 9}, ["K <= 3: 1"]),
        (
            [slot("TARGET.K == MY.Asked", Asked=asked) for asked in (7, 5, 7)], {"K": 4},
            ["K = 5: 1", "K = 7: 2"],
        ),
        # Of equally near ones that of more slots.
        (
            [slot("TARGET.K == MY.Asked", Asked=asked) for asked in (3, 5, 5)], {"K": 4},
            ["K = 5: 2"],
        ),
        # Near is in proportion to what the job has, and at least to 1.
        (
            [
                slot("TARGET.K <= MY.A && TARGET.L <= MY.B", A=a, B=b)
                for a, b in ((90, 0), (60, 1))
            ],
            {"K": 100, "L": 2},
            ["K <= 60 and L <= 1: 1", "K <= 60 and L <= 0: 2"],
        ),
        # One without a limit does not hide that of another, wherever it stands.
        ([slot("TARGET.K + 2 <= MY.Most"), *at_most_of("TARGET.K + 2", 4)], {"K": 5},
         ["K <= 2: 1"]),
        ([slot("TARGET.K * 2 <= MY.Most"), *at_most_of("TARGET.K * 2", 5)], {"K": 5.5},
         ["K <= 2.5: 1"]),
        ([slot("TARGET.K <= MY.Most"), *at_most(4)], {"K": 5}, ["K <= 4: 1"]),
        # A job's own clause is dropped rather than one of a slot.
        (
            [slot("TARGET.Owner == 1"), slot("TARGET.Owner == 1 && TARGET.User == 2")],
            {}, ["without TARGET.Owner == 1: 1"],
        ),
    ],
)  # fmt: skip
def test_changes_for_several_slots(
    slots: list[dict[str, Any]], job: dict[str, Any], changes: list[str]
) -> None:
    found = suggested(slots, Requirements="true", **job)
    assert [told(change) for change in found.best] == changes


@pytest.mark.parametrize(
    ("now", "there", "no_help"),
    [
        (2, 0, ["RequestGPUs = 1 would not help with 1 slot"]),
        (1, 0, ["a smaller RequestGPUs would not help with 1 slot"]),
        (2, 1, []),
    ],
)  # fmt: skip
def test_asking_for_less_of_nothing(now: int, there: int, no_help: list[str]) -> None:
    ads = [slot("TARGET.RequestGPUs <= MY.GPUs", GPUs=there)]
    found = suggested(ads, RequestGPUs=now, Requirements="true")
    assert [told(change) for change in found.best] == [f"RequestGPUs <= {there}: 1"]
    assert texts(found)[1:] == [f"{text}, such as slot1@m0: no GPUs left there" for text in no_help]


def test_a_value_is_looked_for_before_a_clause_is_dropped() -> None:
    """However far it is."""
    slots = [slot("TARGET.K == 900", HasIt=True), slot("true")]
    found = suggested(slots, Requirements="TARGET.HasIt", K=1)
    assert [told(change) for change in found.best] == ["K = 900: 1"]


def test_too_little_to_consume_is_no_clause_to_be_dropped() -> None:
    assert suggested([dict(CONSUMES)], RequestCpus=3, Requirements="true").best == ()
    found = suggested([dict(CONSUMES)], RequestCpus=2, Requirements="TARGET.No")
    assert [told(change) for change in found.best] == ["without TARGET.No: 1"]


def test_what_helps_at_once_comes_before_what_does_not() -> None:
    """A slot that somebody has is no help, though it is nearer."""
    taken = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": '"bob@test"'}
    slots = [slot("TARGET.K == 2", **taken), *(2 * [slot("TARGET.K == 5")])]
    scenario = {
        "name": "taken",
        "slots": [{"name": f"slot1@m{i}", "ad": ad} for i, ad in enumerate(slots)],
        "jobs": [{"submitter": "ann", "ad": {"Requirements": "true", "K": 1}}],
        "config": {"PREEMPTION_REQUIREMENTS": "False"},
    }
    (found,) = halted(
        {"scenario": scenario, "observed": {"cycles": [{}]}},
        lambda at: smallest_changes(at, match := match_pool(at), Verdicts.at(at, match)),
    )
    assert [(told(change), change.available) for change in found.best] == [
        ("K = 5: 2", 2), ("K = 2: 1", 0),
    ]  # fmt: skip
