"""Pools of which only slots are known, with jobs that are made up from what runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import pieslice
from pieslice.api.errors import ReadError
from pieslice.cli import main
from tests.pieslice.test_lab import CAMPUS, OWN, TOUR, ask, opened

SAID = "the jobs are made up from what runs: 47 that run and 47 that wait"


@pytest.fixture
def slots(tmp_path: Path) -> Path:
    """The campus without its jobs."""
    place = tmp_path / "pool"
    place.mkdir()
    for name in ("slots.ads", "condor_config", "accounting.ads"):
        shutil.copy(CAMPUS / name, place)
    return place


def test_a_policy_can_be_tried(slots: Path) -> None:
    with pytest.raises(ReadError, match="jobs"):
        pieslice.read(slots)
    pool = pieslice.read(slots, made_up_jobs=True)
    assert pool.capture.facts.made_up == len(pool.jobs) == 94
    assert SAID in [one.message for one in pool.diagnostics]
    # The runners of today have their slots; who is worst off loses them to the others.
    other = pool.with_config("PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio")
    losers = {one.user for one in pool.diff(other).users if one.net < 0}
    assert losers == {"nice-user.dave@campus.example"}


def test_a_pool_with_jobs_keeps_them() -> None:
    pool = pieslice.read(TOUR, made_up_jobs=True)
    assert pool.capture.facts.made_up == 0
    assert len(pool.jobs) == len(pieslice.read(TOUR).jobs)
    assert any("no jobs are made up" in one.message for one in pool.diagnostics)


def test_a_command_says_that_they_are(slots: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["negotiate", str(slots), "--made-up-jobs"])
    out, err = capsys.readouterr()
    assert "the jobs are made up from what runs" in out
    assert SAID in " ".join(err.split())
    assert main(["negotiate", str(slots)]) == 2


def test_an_export_says_that_they_are(slots: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert main(["lab", str(slots), "--made-up-jobs", "--export", str(target)]) == 0
    text = target.read_text("utf-8")
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["overview"]["made_up"] == 94
    assert "--made-up-jobs" in data["commands"][0]


def test_the_page_offers_them(slots: Path) -> None:
    for client in opened(slots):
        before = client.get("/api/pool").json()
        assert before["lacking"]["claims"]
        assert before["made_up"] == 0
        ask(client, "make_up")
        after = client.get("/api/pool").json()
        assert after["made_up"] == 94
        assert after["lacking"] is None
        assert any(SAID in one["message"] for one in after["problems"])
        assert after["identity"] != before["identity"]
        assert client.post("/api/make_up", json={}, headers=OWN).status_code == 422
        assert "--made-up-jobs" in ask(client, "export", overlay="A = 1\n")["commands"][1]
