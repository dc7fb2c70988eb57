"""The recipes of CONTRIBUTING are true: what they name exists, and one row is enough."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from random import Random

import pytest

import negotiator.columns.engine
import negotiator.matching.candidates
from negotiator.cycle import negotiate
from negotiator.matching.candidate import Refusal
from negotiator.matching.conditions import CandidateTest, OfSlot, nothing
from negotiator.model.result import CycleResult
from policy.ephemeral import EPHEMERAL
from policy.knobs import KNOBS, PARTS
from policy.knobs.fields import readers
from tests.negotiator import scenarios

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_path_exists() -> None:
    named = re.findall(r"`((?:[\w-]+/)+[\w.<>-]*)`", TEXT)
    assert len(named) > 15
    for name in named:
        pattern = re.sub("<[^>]*>", "*", name)
        assert list(ROOT.glob(pattern.rstrip("/"))), name


def test_every_name_in_capitals_is_there() -> None:
    """``CANDIDATE_TESTS`` and the like stand in the file that is named in the same sentence."""
    for names, path in re.findall(r"((?:`[A-Z_]+`[^`]*?)+)of\s+`([\w/]+\.py)`", TEXT):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        known = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert set(re.findall(r"`([A-Z_]+)`", names)) <= known, path


def without_slot(
    monkeypatch: pytest.MonkeyPatch, name: str, forbidden: str
) -> tuple[CycleResult, CycleResult]:
    """A scenario by both engines, with one more row in the table of tests: not this slot."""
    row = CandidateTest(
        Refusal.ADDRESS, OfSlot(lambda slot, _: slot.name, lambda n, _: n != forbidden, by=nothing)
    )
    table = (row, *negotiator.matching.candidates.CANDIDATE_TESTS)
    for module in (negotiator.matching.candidates, negotiator.columns.engine):
        monkeypatch.setattr(module, "CANDIDATE_TESTS", table)
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    columns, reference = (
        negotiate(snapshot, policy, now=scenarios.NOW, rng=Random(1), engine=engine)
        for engine in ("columns", "reference")
    )
    return columns, reference


def test_a_test_of_candidates_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "limits-simple"
    before = scenarios.run(scenarios.load(name))
    slot = before.matches[0].slot
    columns, reference = without_slot(monkeypatch, name, slot)
    assert slot not in {match.slot for match in columns.matches}
    assert repr(columns) == repr(reference)


def test_no_engine_names_a_cause_of_its_own() -> None:
    for path in (ROOT / "negotiator" / "columns").glob("*.py"):
        assert "Refusal." not in path.read_text(encoding="utf-8"), path.name


def test_a_knob_and_its_field_stand_side_by_side() -> None:
    folder = ROOT / "policy" / "knobs"
    for part in PARTS:
        text = (folder / f"{part.__module__.rpartition('.')[2]}.py").read_text(encoding="utf-8")
        assert all(f"{name}:" in text for name, _ in readers(part))
    assert len(KNOBS) > 50


def test_an_ephemeral_attribute_is_declared_once() -> None:
    found = [(entry.name, entry.ad) for entry in EPHEMERAL]
    assert len(found) == len(set(found)) > 15
