"""Conditions and the states of jobs and claims in which daemons ask for them."""

from __future__ import annotations

import pytest

from tests.policy.test_lint import found, ids

#: The states of jobs that the schedd of 25.14.1 was seen to ask, and those that it was not.
ASKED = {
    "HOLD": ((1, 2, 6, 7), (3, 4, 5)),
    "RELEASE": ((5,), (1, 2, 3, 4, 6, 7)),
    "REMOVE": ((1, 2, 4, 5, 6, 7), (3,)),
    "VACATE": ((2, 6, 7), (1, 3, 4, 5)),
}
NEVER = [(verb, state) for verb, (_, states) in ASKED.items() for state in states]
SOMETIMES = [(verb, state) for verb, (states, _) in ASKED.items() for state in states]
SPELLED = (
    *("JobStatus == {}", "{} == JobStatus", "JobStatus =?= {}", "(jobstatus == {})"),
    *("MY.JobStatus == {}", "JobStatus == {} && NumJobStarts > 4"),
    *("NumJobStarts > 4 && (JobStatus == {})", "NumJobStarts > 4 || JobStatus == {}"),
)


def _periodic(verb: str, condition: str) -> str:
    return (
        f"SYSTEM_PERIODIC_{verb} = {condition}\nSYSTEM_PERIODIC_{verb}_NAMES = X\n"
        f"SYSTEM_PERIODIC_{verb}_X = {condition}\n"
    )


@pytest.mark.parametrize(("verb", "state"), NEVER)
@pytest.mark.parametrize("spelled", SPELLED)
def test_no_periodic_expression_waits_for_a_state_in_which_nobody_asks_it(
    verb: str, state: int, spelled: str
) -> None:
    assert ids(_periodic(verb, spelled.format(state))) == [("P410", 1), ("P410", 3)]


@pytest.mark.parametrize(("verb", "state"), SOMETIMES)
@pytest.mark.parametrize("spelled", SPELLED)
def test_it_may_ask_for_a_state_in_which_it_is_asked(verb: str, state: int, spelled: str) -> None:
    kept = f"({spelled.format(state)}) && JobPrio < 3"
    assert ids(_periodic(verb, kept)) == []


@pytest.mark.parametrize("verb", ["HOLD", "REMOVE"])
@pytest.mark.parametrize("state", [1, 2])
def test_no_alternative_puts_an_end_to_every_job_of_a_state_that_all_go_through(
    verb: str, state: int
) -> None:
    for condition in (f"JobStatus == {state}", f"NumJobStarts > 4 || {state} =?= JobStatus"):
        assert ids(_periodic(verb, condition)) == [("P419", 1), ("P419", 3)]
    for condition in ("JobStatus == 7", f"JobStatus == {state} && NumJobStarts > 4"):
        assert ids(_periodic(verb, condition)) == []


@pytest.mark.parametrize(("verb", "state"), NEVER)
def test_it_may_leave_out_what_it_is_never_asked_of(verb: str, state: int) -> None:
    assert ids(_periodic(verb, f"JobStatus != {state} && NumJobStarts > 4")) == []
    assert ids(_periodic(verb, f"!(JobStatus == {state}) && NumJobStarts > 4")) == []


def test_a_release_that_leaves_out_held_jobs_releases_none() -> None:
    for condition in ("JobStatus != 5", "JobStatus =!= 5", "JobStatus < 5", "5 > JobStatus"):
        assert ids(f"SYSTEM_PERIODIC_RELEASE = {condition} && NumHolds < 4\n") == [("P410", 1)]


def _suspending(suspend: str, go_on: str, wanted: str = "True") -> str:
    return f"WANT_SUSPEND = {wanted}\nSUSPEND = {suspend}\nCONTINUE = {go_on}\n"


@pytest.mark.parametrize(
    ("suspend", "go_on"),
    [
        ("True", "True"),
        ("LoadAvg > 0.5", "LoadAvg > 0.5"),
        ("LoadAvg > 0.5", "(loadavg > 0.5)"),
        ("LoadAvg > 0.5", "True"),
        ("LoadAvg > 0.5 && TARGET.JobPrio < 5", "LoadAvg > 0.5"),
        ("LoadAvg > 0.5 || KeyboardIdle < 60", "KeyboardIdle < 60"),
        ("KeyboardIdle < 60", "LoadAvg < 0.3 || KeyboardIdle < 60"),
    ],
)
def test_a_job_that_is_suspended_is_not_continued_by_the_same_state(
    suspend: str, go_on: str
) -> None:
    assert ("P516", 2) in ids(_suspending(suspend, go_on))
    assert "P516" not in [name for name, _ in ids(_suspending(suspend, go_on, "False"))]
    never = f"({suspend}) && (FALSE)"
    assert "P516" not in [name for name, _ in ids(_suspending(never, go_on))]


@pytest.mark.parametrize(
    ("suspend", "go_on"),
    [
        ("LoadAvg > 0.5", "LoadAvg < 0.3"),
        ("LoadAvg > 0.5", "LoadAvg > 0.5 && KeyboardIdle > 600"),
        ("KeyboardIdle < 60 && TARGET.JobPrio < 5", "KeyboardIdle > 300 || TARGET.JobPrio > 9"),
        ("False", "True"),
    ],
)
def test_it_may_be_continued_by_another_one(suspend: str, go_on: str) -> None:
    assert "P516" not in [name for name, _ in ids(_suspending(suspend, go_on))]


def test_without_a_condition_to_continue_a_job_is_continued_at_once() -> None:
    """Another file may have one, where these are not all."""
    text = "WANT_SUSPEND = True\nSUSPEND = LoadAvg > 0.5\n"
    assert ids(text) == []
    [item] = found(f"DAEMON_LIST = MASTER, STARTD\n{text}")
    assert (item.id, item.line) == ("P516", 3)


def test_a_suspended_job_is_continued_some_day_or_leaves() -> None:
    suspended = _suspending("LoadAvg > 0.5", "False")
    for head in ("", "SLOT_TYPE_2_"):
        never = suspended.replace("SUSPEND = Load", f"{head}SUSPEND = Load")
        never += "NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 50%\n"
        assert ids(f"{never}PREEMPT = False\n") == [("P516", 2)]
        assert ids(f"{never}PREEMPT = LoadAvg > 0.9\n") == []
    assert ids(f"{suspended}PREEMPT = False\n".replace("LoadAvg > 0.5", "False")) == []
    assert ids(suspended) == []  # another file may have PREEMPT
    assert ids(f"DAEMON_LIST = MASTER, STARTD\n{suspended}") == [("P516", 3)]


@pytest.mark.parametrize(
    ("hold", "release"),
    [
        ("NumJobStarts > 3", "NumJobStarts < 10"),
        ("MemoryUsage > RequestMemory", "HoldReasonCode == 26"),
        ('JobUniverse == 5 && Site == "x"', "time() - EnteredCurrentStatus > 600"),
        # A hold by policy is none that NumSystemHolds counts.
        ("JobRunCount > 10", "NumSystemHolds < 3 && HoldReasonCode != 1"),
    ],
)
def test_a_job_that_is_held_again_as_it_is_released_goes_round(hold: str, release: str) -> None:
    text = f"SYSTEM_PERIODIC_HOLD = {hold}\nSYSTEM_PERIODIC_RELEASE = {release}\n"
    assert ids(text) == [("P517", 2)]


@pytest.mark.parametrize(
    ("hold", "release"),
    [
        # It runs again before it is held again.
        ("JobStatus == 2 && MemoryUsage > RequestMemory", "HoldReasonCode == 26"),
        ("NumJobStarts > 10", "HoldReasonCode == 13 && NumJobStarts < 20"),
        ("NumJobStarts > 10", "NumJobStarts < 10"),
        ("NumJobStarts > 10", "NumHolds < 3"),
    ],
)
def test_a_job_that_runs_or_stays_held_does_not_go_round(hold: str, release: str) -> None:
    text = f"SYSTEM_PERIODIC_HOLD = {hold}\nSYSTEM_PERIODIC_RELEASE = {release}\n"
    assert ids(text) == []


@pytest.mark.parametrize("limit", ["1e400", "1.0e300", "99999999999999999999999", 'real("INF")'])
def test_numbers_beyond_all_jobs_make_no_job_go_round(limit: str) -> None:
    hold = f'SYSTEM_PERIODIC_HOLD = x == "\\"" && NumJobStarts > {limit}\n'
    release = f"SYSTEM_PERIODIC_RELEASE = NumJobStarts < {limit}\n"
    assert "P517" not in [name for name, _ in ids(hold + release)]


def test_every_job_goes_round_where_both_are_true() -> None:
    both = "SYSTEM_PERIODIC_HOLD = True\nSYSTEM_PERIODIC_RELEASE = True\n"
    [said] = [one for one in found(both) if one.id == "P517"]
    assert said.help == "every job is released and held again without end"
