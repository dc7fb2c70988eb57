"""The captured pool that comes with the examples: what the real negotiator decided next."""

from __future__ import annotations

import json
import math
from pathlib import Path
from shutil import copytree

import pytest

from classad import ClassAd
from negotiator.capture.agreement import compare
from negotiator.capture.configuration import update_interval
from negotiator.cycle import negotiate
from negotiator.io import CapturePaths, read_capture
from negotiator.model.snapshot import Snapshot
from tests.conform.negotiation.pools import POOL_KINDS, renewed
from tests.conform.runner import outcomes

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"
PARTITIONABLE = Path(__file__).parents[1] / "vectors" / "pools" / "campus-partitionable"


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


def test_differences_from_the_age_of_a_capture_are_noted() -> None:
    (outcome,) = outcomes([PARTITIONABLE / "expected.json"], POOL_KINDS)
    assert (outcome.passed, len(outcome.mismatches)) == (True, 2)
    assert all("61 of 75 slot ads" in (item.explained or "") for item in outcome.mismatches)


def test_a_difference_that_newer_ads_do_not_take_away_is_a_failure(tmp_path: Path) -> None:
    copy = tmp_path / "pool"
    copytree(PARTITIONABLE, copy)
    expected = json.loads((copy / "expected.json").read_text())
    expected["matches"][3]["submitter"] = "somebody@else"
    (copy / "expected.json").write_text(json.dumps(expected))
    (outcome,) = outcomes([copy / "expected.json"], POOL_KINDS)
    assert not outcome.passed
    assert {item.explained for item in outcome.mismatches} == {None}


def test_only_ads_that_are_too_old_are_renewed() -> None:
    """The ads are from 100; at an interval of 60 the second one is the last before 239."""
    ads = [
        ClassAd({"Name": "a", "MyCurrentTime": 100, "Activity": "Busy", "TotalJobRunTime": 7}),
        ClassAd({"Name": "b", "MyCurrentTime": 180, "RetirementTimeRemaining": 90}),
        ClassAd({"Name": "c", "RetirementTimeRemaining": 90}),
        ClassAd({"Name": "d", "MyCurrentTime": 100, "RetirementTimeRemaining": 90}),
    ]
    newer = renewed(Snapshot(slots=ads), 239.0, update_interval("60"))
    assert newer.slots == ("a", "d")
    a, b, c, d = newer.snapshot.slots
    assert (a["MyCurrentTime"], a["TotalJobRunTime"], ads[0]["TotalJobRunTime"]) == (220, 127, 7)
    assert (b, c) == (ads[1], ads[2])
    assert d["RetirementTimeRemaining"] == 0
    assert renewed(Snapshot(slots=ads[:2]), 101.0, 1).slots == ("a",)
    assert [update_interval(text) for text in (None, "x", "0", "1", "20")] == [300, 300, 300, 1, 20]


@pytest.mark.parametrize(
    ("beat", "heard"),
    [(math.inf, 0), (-math.inf, 0), (math.nan, 0), (9e18, 9 * 10**18 + 60), (2**63 - 5, 2**63 - 1)],
)
def test_times_that_are_none_are_renewed_all_the_same(beat: float, heard: int) -> None:
    ad = ClassAd({"Name": "a", "MyCurrentTime": 100, "LastHeardFrom": beat})
    (newer,) = renewed(Snapshot(slots=[ad]), 161.0, 60).snapshot.slots
    assert newer["LastHeardFrom"] == (60 if heard == 0 else heard)
    ad = ClassAd({"Name": "a", "MyCurrentTime": beat})
    assert renewed(Snapshot(slots=[ad]), 161.0, 60).slots == ()


def test_a_folder_that_is_no_capture(tmp_path: Path) -> None:
    (tmp_path / "expected.json").write_text('{"matches": [], "rejections": []}')
    (outcome,) = outcomes([tmp_path / "expected.json"], POOL_KINDS)
    assert [item.field for item in outcome.mismatches] == ["folder"]
