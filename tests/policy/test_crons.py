"""Jobs of a cron: which ones the startd and the schedd start, asked of 25.14.1."""

from __future__ import annotations

from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_failing_functions import ended
from tests.policy.test_lint import found
from tests.policy.test_verdicts import read

DAEMONS = ("STARTD", "SCHEDD")


def said(text: str) -> list[str | None]:
    """What is told of a job of each daemon's cron, alike."""
    both = [[one.id for one in found(text.format(daemon))] for daemon in DAEMONS]
    assert both[0] == both[1]
    return both[0]


def job(more: str) -> str:
    return f"{{0}}_CRON_JOBLIST = J\n{{0}}_CRON_J_EXECUTABLE = /bin/true\n{more}\n"


@every_case(
    "period, is_one",
    [
        *((one, True) for one in ("60", "5m", "5M", "5min", "5minutes", "5h", "5hours", "5sec")),
        *((one, False) for one in ("5 m", "5 min", "5d", "1w", "5x", "1.5m", "abc", "m5")),
    ],
)
def test_the_first_letter_behind_the_number_is_the_unit_of_a_period(
    period: str, is_one: bool
) -> None:
    assert said(job(f"{{0}}_CRON_J_PERIOD = {period}")) == ([] if is_one else ["P130"])


@every_case(
    "mode, needs",
    [
        *(("Periodic", True), ("WaitForExit", True), ("waitforexit", True)),
        *(("OneShot", False), ("OnDemand", False)),
    ],
)
def test_a_job_that_runs_again_needs_a_period(mode: str, needs: bool) -> None:
    assert said(job(f"{{0}}_CRON_J_MODE = {mode}")) == (["P241"] if needs else [])
    both = f"{{0}}_CRON_J_MODE = {mode}\n{{0}}_CRON_J_PERIOD = 5m"
    assert said(job(both)) == (["P241"] if mode == "OneShot" else [])


@every_case(
    "arguments, have_ends",
    [
        *((one, True) for one in ('"a b"', "'a b'", "'a", 'a"b', '-x "q" y')),
        *((one, True) for one in ("\"a 'b c'\"", '"a""b"')),
        *((one, False) for one in ('"a', "\"a 'b\"", '"a" b')),
    ],
)  # fmt: skip
def test_quotes_of_arguments_have_an_end_where_they_begin_them(
    arguments: str, have_ends: bool
) -> None:
    text = job(f"{{0}}_CRON_J_PERIOD = 5m\n{{0}}_CRON_J_ARGS = {arguments}")
    assert said(text) == ([] if have_ends else ["P130"])


def test_a_job_without_a_program_is_skipped() -> None:
    text = "{0}_CRON_JOBLIST = J\n{0}_CRON_J_EXECUTABLE =\n{0}_CRON_J_PERIOD = 5m\n"
    assert said(text) == ["P137"]


@every_case("load", ["x", "yes", "-1", "0", "0.001", "1001"])
def test_the_load_of_all_jobs_is_between_a_hundredth_and_a_thousand(load: str) -> None:
    for macro, daemon in (
        ("STARTD_CRON_MAX_JOB_LOAD", "STARTD"),
        ("SCHEDD_CRON_MAX_JOB_LOAD", "SCHEDD"),
        ("BENCHMARKS_MAX_JOB_LOAD", "STARTD"),
    ):
        assert ended(examine(read(f"{macro} = {load}\n"))) == {daemon}
        for fits in ("0.01", "1000", "100.5", ""):
            assert ended(examine(read(f"{macro} = {fits}\n"))) == set()
