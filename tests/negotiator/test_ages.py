"""Differences from the real negotiator that can, and cannot, come from the age of a capture."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from classad import ClassAd
from negotiator.capture.agreement import AdAge, Agreement, DecisionDifference, dated
from negotiator.model.snapshot import ScheddQueue, Snapshot
from pieslice.cli import main

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"
STARTED = 1000.0


def snapshot(slot: int | None, job: int | None, submitter: int | None) -> Snapshot:
    """A pool of one slot, job and submitter, whose ads have these times."""
    slot_ad = ClassAd({"Name": "s@m"})
    job_ad = ClassAd({"ClusterId": 1, "ProcId": 0})
    submitter_ad = ClassAd({"Name": "a@x", "ScheddName": "q"})
    pairs = ((slot_ad, "MyCurrentTime", slot), (job_ad, "ServerTime", job),
             (submitter_ad, "LastHeardFrom", submitter))  # fmt: skip
    for ad, name, time in pairs:
        if time is not None:
            ad[name] = time
    return Snapshot([slot_ad], (submitter_ad,), (ScheddQueue("q", (job_ad,)),))


def difference(
    found: Snapshot, slot: str = "s@m", started: float | None = STARTED
) -> DecisionDifference:
    """The one difference of a cycle that matched that slot here only."""
    item = DecisionDifference("match", True, 0, ("1.0", "a@x", slot, None))
    agreement = Agreement("25.14.1", 0, 0, 1, (item,))
    (told,) = dated(agreement, found, started).differences
    return told


def test_an_ad_that_is_older_than_the_cycle_can_explain_a_difference() -> None:
    told = difference(snapshot(990, 1000, 1001))
    assert told.ads == (
        AdAge("slot", "s@m", True, 10.0), AdAge("job", "1.0", True, 0.0),
        AdAge("submitter", "a@x", True, -1.0),
    )  # fmt: skip
    assert told.from_age is True


def test_ads_of_the_cycle_or_later_explain_nothing() -> None:
    assert difference(snapshot(1000, 1000, 1003)).from_age is False


def test_an_ad_without_a_time_leaves_it_open() -> None:
    assert difference(snapshot(1000, None, 1003)).from_age is None
    assert difference(snapshot(1000, None, 900)).from_age is True


def test_an_ad_that_the_capture_lacks_explains_a_difference() -> None:
    told = difference(snapshot(1000, 1000, 1000), slot="other@m")
    assert told.ads[0] == AdAge("slot", "other@m", False, None)
    assert told.from_age is True


def test_without_the_time_of_the_cycle_nothing_is_said() -> None:
    told = difference(snapshot(1, 1, 1), started=None)
    assert (told.ads, told.from_age) == ((), None)


@pytest.mark.parametrize(("later", "said"), [(0, "1 can come"), (10**6, "0 can come")])
def test_negotiate_says_what_can_come_from_age(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], later: int, said: str
) -> None:
    shutil.copytree(CAMPUS, tmp_path / "pool")
    expected = json.loads((CAMPUS / "expected.json").read_text())
    gone = expected["matches"].pop()
    expected["cycle_started_at"] -= later
    (tmp_path / "pool" / "expected.json").write_text(json.dumps(expected))
    main(["negotiate", str(tmp_path / "pool"), "--now", str(expected["cycle_started_at"] + later)])
    shown = " ".join(capsys.readouterr().out.split())
    assert f"of 1 difference {said} from the age of the capture" in shown
    assert gone["slot"] in shown
    main(["negotiate", str(tmp_path / "pool"), "--json", "--now",
          str(expected["cycle_started_at"] + later)])  # fmt: skip
    (item,) = json.loads(capsys.readouterr().out)["agreement"]["differences"]
    assert item["from_age"] is (later == 0)
    assert [ad["ad"] for ad in item["ads"]] == ["slot", "job", "submitter"]
    assert (item["ads"][0]["older_seconds"] > 0) is (later == 0)


def test_a_submitter_that_the_capture_lacks_is_told() -> None:
    found = snapshot(1000, 1000, 1000)
    told = difference(Snapshot(found.slots, (), found.queues))
    assert AdAge("submitter", "a@x", False, None) in told.ads
