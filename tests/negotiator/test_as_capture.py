"""A scenario in the place of a capture: its own policy or another, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from tests.negotiator import scenarios


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """The file of a scenario with its recording."""
    path = tmp_path / "scenario.json"
    path.write_text((scenarios.VECTORS / "plain-match.json").read_text())
    return path


def changed(path: Path, **parts: Any) -> Path:
    """The file with some parts of it replaced."""
    path.write_text(json.dumps(json.loads(path.read_text()) | parts))
    return path


def test_its_policy_may_be_another_one(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = scenario.with_name("config")
    config.write_text("NEGOTIATOR_JOB_CONSTRAINT = False\nNEGOTIATOR_SLOT_CONSTRAINT = False\n")
    matches = []
    for words in ([], ["--config", str(config)]):
        assert main(["negotiate", str(scenario), "--json", *words]) == 0
        matches.append(json.loads(capsys.readouterr().out)["matches"])
    assert matches[0]
    assert not matches[1]


def test_a_configuration_that_cannot_be_read_is_named(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = scenario.with_name("none")
    assert main(["negotiate", str(scenario), "--config", str(missing)]) == 2
    assert capsys.readouterr().err == (f"error: {missing}: no such file or directory\n")


@pytest.mark.parametrize(
    ("slots", "said"),
    [
        ([{"name": "s", "ad": {"Rank": "1 +"}}], "not a scenario"),
        ([{}], "not a scenario: no `"),
        (5, "not a scenario"),
    ],
)
def test_what_is_no_scenario_is_said(
    scenario: Path, slots: object, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = json.loads(scenario.read_text())["scenario"]
    changed(scenario, scenario=whole | {"slots": slots})
    assert main(["negotiate", str(scenario)]) == 2
    assert said in capsys.readouterr().err


def test_a_recording_that_is_none_is_not_compared(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(scenario, observed={"cycles": [{"matches": [{"slot": 5}]}]})
    assert main(["negotiate", str(scenario), "--json"]) == 0
    assert json.loads(capsys.readouterr().out).get("agreement") is None
