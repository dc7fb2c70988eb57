"""Small decisions of searches, histories and charts, and how JSON is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pieslice.data import indented
from pieslice.fuzzing.study import compares_priorities, is_about_quotas, stated_run_time
from pieslice.history.start import wait_of
from pieslice.history.waits import Wait
from pieslice.recording.jobs import HistoryJob, Spell
from pieslice.runreport.data import run_data
from policy.language.expressions import parse


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("TotalJobRunTime > 3600", 3600),
        ("TotalJobRunTime > 7200 || TotalJobRunTime > 600 && RemoteUserPrio > 5", 600),
        ("TotalJobRunTime > 600 && TotalJobRunTime < 7200", 600),
        ("time() - JobStart >= 90.7", 90),
        ("MY.EnteredCurrentState < CurrentTime - 10 * 60", 600),
        ("QDate + 60 < time()", 60),
        ("TotalJobRunTime > 59", None),
        ("TotalJobRunTime > 60", 60),
        ("RemoteUserPrio > 3600", None),
        ("True", None),
    ],
)
def test_the_run_time_that_a_policy_speaks_of(text: str, seconds: int | None) -> None:
    assert stated_run_time(parse(text)) == seconds


@pytest.mark.parametrize(
    ("text", "priorities", "quotas"),
    [
        ("RemoteUserPrio > SubmitterUserPrio * 2", True, False),
        ("SubmittorPrio < RemoteUserPrio", True, False),
        ("RemoteUserPrio > 5 && SubmitterUserPrio < 3", False, False),
        ("RemoteGroupResourcesInUse > RemoteGroupQuota", False, True),
        ("SubmitterGroupQuota > 3 && RemoteUserPrio > 2", False, False),
        ("SubmitterGroupResourcesInUse < 4", False, True),
        ("RemoteGroup == SubmitterGroup", False, False),
    ],
)
def test_what_a_policy_compares(text: str, priorities: bool, quotas: bool) -> None:
    tree = parse(text)
    assert (compares_priorities(tree), is_about_quotas(tree)) == (priorities, quotas)


def job(*spells: tuple[float, int], submitted: float | None = 0.0) -> HistoryJob:
    found = tuple(Spell(0, time, status, "") for time, status in spells)
    return HistoryJob(1, "s", 1, 0, "u", "", "r", 1.0, submitted, 1, None, found)


@pytest.mark.parametrize(
    ("spells", "known_at", "wait"),
    [
        ([(0, 1), (50, 2)], 100, Wait(0, 50, True)),
        ([(0, 1), (50, 2)], 50, Wait(0, 50, True)),
        ([(0, 1), (50, 2)], 49, Wait(0, 49, False)),
        ([(0, 1), (50, -1)], 100, Wait(0, 50, False)),
        ([(0, 1)], 100, Wait(0, 80, False)),
        ([(0, 1)], 60, Wait(0, 60, False)),
        ([(0, 2)], 100, None),
        ([(70, 1)], 60, None),
    ],
)
def test_a_wait_is_what_was_known_of_it(
    spells: list[tuple[float, int]], known_at: float, wait: Wait | None
) -> None:
    assert wait_of(job(*spells), 0, 80, known_at) == wait


def test_who_used_most_comes_first() -> None:
    series = [
        {"time": time, "kind": kind, "name": name, "usage": usage, "idle": 0,
         "real_priority": "", "quota": 4.0 if kind == "pool" else ""}
        for time in (0, 600)
        for kind, name, usage in (("pool", "", 3), ("user", "a", 0), ("user", "b", 2),
                                  ("user", "c", 1))
    ]  # fmt: skip
    summary: dict[str, Any] = {"hours": 0.2, "users": {}}
    found = run_data([], series, summary)
    assert [(user.name, sum(user.usage)) for user in found.users] == [("b", 4), ("c", 2), ("a", 0)]
    assert (found.pool.quotas, found.users[0].priorities) == ((4.0, 4.0), (0.5, 0.5))
    assert found.hours == 0.2


_LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)  # fmt: skip


@given(
    data=st.recursive(
        _LEAVES,
        lambda parts: (
            st.lists(parts)
            | st.dictionaries(st.text() | st.integers() | st.booleans() | st.none(), parts)
            | st.lists(parts).map(tuple)
        ),
    ),
    ascii_only=st.booleans(),
)
def test_json_for_people_is_that_of_python(data: object, ascii_only: bool) -> None:
    wanted = json.dumps(data, indent=2, ensure_ascii=ascii_only, allow_nan=False)
    assert indented(data, ascii_only=ascii_only) == wanted


@pytest.mark.parametrize("data", [float("inf"), [float("nan")], {"a": -float("inf")}])
def test_json_has_no_word_for_an_infinite_number(data: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        indented(data)
