"""Every fuzz target runs, is in the table of the README, and a found case can be repeated."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from attr import evolve

from classad import ClassAd, ExprTree
from classad.analysis.flatten import flatten
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse_value
from classad.strategies.texts import Case
from fuzz.__main__ import main
from fuzz.known import NUMBERS, known
from fuzz.language import flatten_keeps
from fuzz.runner import run
from fuzz.sharing import ageing_holds
from fuzz.target import Target, Unavailable, table
from fuzz.targets import TARGETS
from negotiator.accounting.accountant import update_customer
from negotiator.model.snapshot import Customer

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_few_cases_of_every_target(name: str) -> None:
    target = evolve(TARGETS[name], examples=10)
    try:
        outcome = run(target, seconds=60, seed=0, profile="ci")
    except Unavailable as missing:
        pytest.skip(str(missing))
    assert outcome.failure is None
    assert outcome.cases >= 5


def test_weighted_usage_that_is_lost_to_rounding_is_no_finding() -> None:
    record: dict[str, Any] = {
        "name": "a@x",
        "accumulated_usage": 2.0,
        "weighted_resources_used": 2.0**-52,
    }
    once = update_customer(Customer(**record), 2, 1_700_000_000, 86400.0)
    half = update_customer(Customer(**record), 1, 1_700_000_000, 86400.0)
    assert (once.weighted_accumulated_usage, half.weighted_accumulated_usage) == (2.0, None)
    ageing_holds((record, 1, 1, 86400.0))


def test_a_relative_time_that_was_computed_is_no_finding() -> None:
    # One literal more and one less: they must not be counted against each other.
    text = '(TARGET.A ? relTime(0) : relTime("1:02:03"))'
    flat = flatten(ClassAd(), text).tree
    assert flat is not None
    match = ClassAd(), ClassAd("[A = true]")
    assert unparse_value(evaluate(ExprTree(text), *match)) == 'relTime("00")'
    assert unparse_value(evaluate(flat, *match)) == "0.0"  # a literal evaluates to a real
    flatten_keeps([text, "[]", "[A = true]"])


def test_the_readme_has_the_table() -> None:
    assert table(TARGETS.values()) in (ROOT / "fuzz" / "README.md").read_text(encoding="utf-8")


def _numbers() -> Any:
    from hypothesis import strategies as st

    return st.tuples(st.integers(0, 1000), st.text(max_size=3))


def _below_seven(case: Any) -> None:
    assert case[0] < 7, f"number {case[0]}"


def test_a_failure_is_made_small_written_and_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = Target("kernels", "", "", _numbers, _below_seven)
    monkeypatch.setitem(TARGETS, "kernels", target)
    found = ["--found", str(tmp_path)]
    assert main(["kernels", "--seconds", "20", "--seed", "1", *found]) == 1
    again = capsys.readouterr().out.splitlines()[-1]
    assert again.startswith("  again: python -m fuzz kernels --replay ")
    (line,) = (tmp_path / "kernels.jsonl").read_text().splitlines()
    assert json.loads(line)["case"] == [7, ""]
    assert main(again.split()[4:]) == 1
    assert "number 7" in capsys.readouterr().out


def test_the_same_seed_tries_the_same_cases() -> None:
    seen: list[list[Any]] = [[], []]
    for cases in seen:
        target = Target("any", "", "", _numbers, cases.append, 30)
        run(target, seconds=60, seed=5, profile="ci")
    assert seen[0] == seen[1]
    assert len(seen[0]) == 30


def test_no_case_is_drawn_when_the_time_is_over() -> None:
    from hypothesis import strategies

    drawn: list[int] = []
    tried: list[int] = []

    def draw(number: int) -> int:
        drawn.append(number)
        return number

    numbers = strategies.integers().map(draw)
    target = Target("any", "", "", lambda: numbers, tried.append)
    outcome = run(target, seconds=0.05, seed=5, profile="deep")
    assert outcome.failure is None
    assert outcome.cases == len(tried) > 0
    assert len(drawn) == len(tried) + 1


def test_known_differences_have_an_entry() -> None:
    register = (ROOT / "DIVERGENCES.md").read_text(encoding="utf-8")
    assert all(f"## {number} " in register for number in NUMBERS)


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("formatTime(9223372036854775807)", "D-301"),
        ("formatTime(1700000000)", ""),
        ('split("a b").x', "D-303"),
        ("{a}.x", ""),
        ('unresolved((split("a b")).x)', "D-303"),
        ("unresolved(({a}).x)", ""),
        ("evalInEachContext({a}, {[x = 1]})[0]", "D-303"),
        ("evalInEachContext(a, {[x = 1]})[0]", ""),
        ("{{a}}[0]", ""),
        ('countMatches(x > 1, split("a b"))', "D-307"),
        ("countMatches(nosuch, {[a = 1]}) + a", ""),
        ('replaceAll("(b)?", "ab", "c")', "D-306"),
        ('replaceAll("b", "ab", "c")', ""),
        ("formatTime(236350108349971)", "D-308"),
        ("formatTime(absTime(236350108349971))", ""),
        ("formatTime(185542587187199)", ""),
        ("(", ""),
    ],
)
def test_only_what_comes_by_an_entry_is_known(expression: str, number: str) -> None:
    berlin = EvalContext(now=0, tz=ZoneInfo("Europe/Berlin"))
    assert known(Case(expression, "[a = 1; b = 2]", "[c = 1]"), berlin) == number


@pytest.mark.live
def test_the_real_library_is_not_left_behind() -> None:
    pytest.importorskip("classad2")
    command = [sys.executable, "-m", "fuzz.peer_child"]
    env = {**os.environ, "TZ": "UTC"}
    with Popen(command, stdin=PIPE, stdout=DEVNULL, text=True, env=env, cwd=ROOT) as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps({"do": "batch", "with": [3, []]}) + "\n")
        child.stdin.close()
        assert child.wait(timeout=60) == 0
