"""The captured pool that comes with the examples: what the real negotiator decided next."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

from negotiator.capture.agreement import compare
from negotiator.cycle import negotiate
from negotiator.io import CapturePaths, read_capture
from pieslice.conform.negotiation.pools import POOL_KINDS
from pieslice.conform.runner import outcomes

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"


def test_campus() -> None:
    capture = read_capture(CapturePaths(CAMPUS))
    assert capture.expected is not None
    result = negotiate(capture.snapshot, capture.policy, now=capture.facts.now)
    agreement = compare(result, capture.expected)
    assert agreement.complete
    assert (len(result.matches), len(result.rejections)) == (20, 5)


def test_a_captured_pool_is_a_case_for_conform() -> None:
    (outcome,) = outcomes([CAMPUS / "expected.json"], POOL_KINDS)
    assert (outcome.id, outcome.kind, outcome.mismatches) == ("campus", "captured pool", ())


def test_a_wrong_expectation_is_noticed(tmp_path: Path) -> None:
    copy = tmp_path / "pool"
    copytree(CAMPUS, copy)
    expected = json.loads((copy / "expected.json").read_text())
    expected["matches"][3]["slot"] = "slot9@nowhere"
    (copy / "expected.json").write_text(json.dumps(expected))
    (outcome,) = outcomes([copy / "expected.json"], POOL_KINDS)
    assert [item.field for item in outcome.mismatches] == ["match 3", "match 3"]


def test_a_folder_that_is_no_capture(tmp_path: Path) -> None:
    (tmp_path / "expected.json").write_text('{"matches": [], "rejections": []}')
    (outcome,) = outcomes([tmp_path / "expected.json"], POOL_KINDS)
    assert [item.field for item in outcome.mismatches] == ["folder"]
