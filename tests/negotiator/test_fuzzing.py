"""``pieslice fuzz``: flawed policies are found out, sound ones are left alone, replays replay."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from negotiator.cli import main

ROOT = Path(__file__).parents[2]
POLICIES = Path("examples/policies")
#: What must be found in each of the flawed policies, with further arguments if there are any.
FLAWS = {
    "claim_timer": {"guard"},
    "no_groups": {"total"},
    "no_margin": {"margin", "no-thrash"},
    "or_for_and": {"margin", "guard", "no-thrash"},
    "reversed_priorities": {"margin"},
    "urgent_undefined": {"total", "no-thrash"},
}
SOUND = ("off", "priority_with_guard")


@pytest.fixture(autouse=True)
def at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def fuzz(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    code = main(["fuzz", "--json", "--examples", "20000", *arguments])
    return code, json.loads(capsys.readouterr().out)


def test_every_example_policy_is_in_the_tables() -> None:
    assert {path.name for path in (ROOT / POLICIES / "flawed").iterdir()} == set(FLAWS)
    assert {path.name for path in (ROOT / POLICIES / "sound").iterdir()} == set(SOUND)


@pytest.mark.parametrize("name", sorted(FLAWS))
def test_a_flawed_policy_has_a_counterexample(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, data = fuzz(capsys, str(POLICIES / "flawed" / name))
    found = {finding["property"] for finding in data["counterexamples"]}
    assert code == 1
    assert found >= FLAWS[name]
    for finding in data["counterexamples"]:
        for step in finding["steps"]:
            replayed(step, capsys)


def replayed(step: dict, capsys: pytest.CaptureFixture[str]) -> None:
    """The command of a step gives the value of the step."""
    words = shlex.split(step["replay"])
    assert words[0] == "pieslice"
    assert main([*words[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == step["value"]


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_policy_has_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = fuzz(capsys, str(POLICIES / "sound" / name))
    assert (code, data["counterexamples"]) == (0, [])
    assert data["pairs"] >= 20000


def test_the_same_seed_gives_the_same_counterexamples(capsys: pytest.CaptureFixture[str]) -> None:
    policy = str(POLICIES / "flawed" / "or_for_and")
    assert fuzz(capsys, policy, "--seed", "3") == fuzz(capsys, policy, "--seed", "3")


def test_a_counterexample_has_only_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    _, data = fuzz(capsys, str(POLICIES / "flawed" / "claim_timer"))
    (finding,) = data["counterexamples"]
    (step,) = finding["steps"]
    assert set(step["slot"]) == {"EnteredCurrentState"}
    assert step["job"] == {}
    assert step["cycle"] == {"RemoteUserPrio": "2.0", "SubmitterUserPrio": "1.0"}
    assert finding["place"].endswith("claim_timer, line 5")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--property", "margni"], "did you mean `margin`?"),
        (["--property", "quota-safe"], "configures no groups"),
        (["--property", "guard"], "--min-run-time"),
        (["--knob", "START"], "nothing to test about START"),
        (["--pool", "no/such"], "no/such: no such folder"),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fuzz", str(POLICIES / "flawed" / "no_margin"), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_pool_teaches_what_its_slots_look_like(capsys: pytest.CaptureFixture[str]) -> None:
    code, data = fuzz(capsys, "examples/campus", "--pool", "examples/campus")
    assert code in (0, 1)
    assert data["properties"]
