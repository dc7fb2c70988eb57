"""The table that stands at the end of the benchmarks: what was wanted beside what was measured."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"

_spec = importlib.util.spec_from_file_location("goals", BENCHMARKS / "goals.py")
assert _spec is not None
assert _spec.loader is not None
goals: Any = importlib.util.module_from_spec(_spec)
sys.modules["goals"] = goals
_spec.loader.exec_module(goals)


def goal(what: str) -> Any:
    """The one goal whose description begins so."""
    (found,) = [goal for goal in goals.GOALS if goal.what.startswith(what)]
    return found


def lines(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {line[:58].strip(): line[58:].split() for line in goals.table(rows)[1:]}


def test_every_goal_is_of_a_benchmark_that_runs() -> None:
    run = {words.split()[0] for size in goals.RUNS.values() for words in size}
    assert {goal.bench for goal in goals.GOALS} <= run
    assert [name for name in run if not (BENCHMARKS / f"{name}.py").is_file()] == []


@pytest.mark.parametrize(
    ("seconds", "shown", "met"),
    [
        (0.05, "0.05 s", "aim met"),
        (0.31, "0.31 s", "met"),
        (0.35, "0.35 s", "met"),
        (0.3501, "0.3501 s", "MISSED"),  # not "0.35 s"
        (0.2504, "0.2504 s", "met"),
        (23.456, "23.5 s", "MISSED"),
    ],
)
def test_a_time_must_not_be_more(seconds: float, shown: str, met: str) -> None:
    medium = goal("cycle, 10k slots")
    assert (medium.show(seconds), medium.met(seconds)) == (shown, met)


def test_a_ratio_must_not_be_less() -> None:
    rate = goal("rate of loading")
    assert [rate.met(ratio) for ratio in (1.2, 0.9, 0.898)] == ["aim met", "met", "MISSED"]
    assert rate.show(0.898) == "0.898x"


def test_the_worst_profile_counts_and_all_of_their_answers() -> None:
    row = {"bench": "bench_adversarial", "slots": 4000, "jobs": 200, "agree": 10, "compared": 10}
    rows = [row | {"ratio": 300.0}, row | {"ratio": 59.5, "agree": 9}, row | {"ratio": 80.0}]
    rows.append(row | {"slots": 1000, "jobs": 50, "ratio": 1.0})  # another size is no measurement
    shown = lines(rows)["pools against the grain, the worst of them, to classad2"]
    assert shown == ["60x", "100x", "59.5x", "MISSED", "29", "of", "30"]
    assert goals.agreement(rows) == (39, 40)


def test_a_cycle_tells_of_its_time_and_memory() -> None:
    row = {"bench": "bench_cycle", "profile": "huge", "same": True, "peak_gb": 6.11}
    shown = lines([row | {"seconds": {"cold": 12.5, "warm": 1.0}}])
    assert shown["cycle, a million slots"] == ["15", "s", "9", "s", "12.50", "s", "met", "same"]
    assert shown["memory of that cycle"][4:6] == ["6.11", "GB"]
    different = [row | {"seconds": {"cold": 42.5}, "same": False}]
    assert lines(different)["cycle, a million slots"][-1] == "DIFFERENT"
    assert goals.agreement(different) == (0, 1)


def test_what_was_not_measured_is_named() -> None:
    without_peer = {"bench": "bench_match", "slots": 10_000, "autoclusters": 500, "cold_s": 0.2}
    named = [line for line in goals.table([without_peer]) if line.startswith("not measured")]
    assert [line.partition(": ")[2] for line in named] == [goal.what for goal in goals.GOALS]


@pytest.mark.slow
def test_rows_are_collected_while_the_rest_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("htcondor2")
    rows, well = goals.run("bench_parse 5")
    assert well
    printed = capfd.readouterr().out.splitlines()
    assert printed[0] == "== bench_parse 5"
    assert sum(line.startswith("{") for line in printed) == len(rows)
    assert goal("ExprTree of").measured(rows) is not None
    assert {row["same"] for row in rows} == {True}


def test_a_benchmark_that_fails_is_not_passed_over(capfd: pytest.CaptureFixture[str]) -> None:
    rows, well = goals.run("bench_scaling --slots nothing")
    assert (rows, well) == ([], False)
    assert "invalid int value" in capfd.readouterr().err
