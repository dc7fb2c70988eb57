"""Several negotiators over one pool, each with the configuration of its local name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main

CONFIG = """\
A.NEGOTIATOR_SLOT_CONSTRAINT = Machine == "a"
A.NEGOTIATOR_SUBMITTER_CONSTRAINT = Name == "alice@pool"
B.NEGOTIATOR_SLOT_CONSTRAINT = Machine == "b"
B.NEGOTIATOR_SUBMITTER_CONSTRAINT = Name == "bob@pool"
"""


def answer(capsys: pytest.CaptureFixture[str], pool: Path, *names: str) -> Any:
    arguments = [word for name in names for word in ("--local-name", name)]
    assert main(["negotiate", str(pool), *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_has_its_part(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pool / "condor_config").write_text(CONFIG)
    data = answer(capsys, pool, "A", "B")
    a, b = data["negotiators"]
    assert (a["local_name"], b["local_name"]) == ("A", "B")
    assert [(m["submitter"], m["slot"][-1]) for m in a["matches"]] == [("alice@pool", "a")]
    assert [(m["submitter"], m["slot"][-1]) for m in b["matches"]] == [("bob@pool", "b")]
    assert not any(data["overlap"].values())
    assert main(["negotiate", str(pool), "--local-name", "A", "--local-name", "B", "--wide"]) == 0
    assert "each slot and submitter belongs to one of them" in capsys.readouterr().out


def test_what_overlaps_is_said(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG.replace('Machine == "b"', 'Name != "slot1@a"').replace('"bob@pool"', '"bob"')
    (pool / "condor_config").write_text(config)
    found = answer(capsys, pool, "A", "B")["overlap"]
    assert found["slots"] == [{"slot": "slot2@a", "seen_by": ["A", "B"]}]
    assert found["submitters"] == []
    assert (found["unseen_slots"], found["unseen_submitters"]) == ([], ["bob@pool"])
    assert found["contested"] == []


def test_a_slot_given_away_twice(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG.replace('Machine == "b"', 'Machine == "a"')
    (pool / "condor_config").write_text(config)
    found = answer(capsys, pool, "A", "B")["overlap"]
    (contested,) = found["contested"]
    assert {taker["negotiator"] for taker in contested["takers"]} == {"A", "B"}
    assert found["unseen_slots"] == ["slot1@b"]
    assert main(["negotiate", str(pool), "--local-name", "A", "--local-name", "B"]) == 0
    assert f"{contested['slot']} is matched by A for alice@pool" in capsys.readouterr().out


def test_one_local_name(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pool / "condor_config").write_text(CONFIG)
    data = answer(capsys, pool, "B")
    assert [m["submitter"] for m in data["matches"]] == ["bob@pool"]
    assert main(["why", str(pool), "1.0", "--local-name", "A"]) == 0
    assert main(["why", str(pool), "1.0", "--local-name", "A", "--local-name", "B"]) == 2
    assert "one negotiator at a time" in capsys.readouterr().err


def test_what_is_wrong_with_both_is_said_once(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pool / "condor_config").write_text("PRIORITY_HALFLIFE = soon\nB.PREEMPTION_RANK = 1 +\n")
    main(["negotiate", str(pool), "--local-name", "A"])
    alone = capsys.readouterr().err
    main(["negotiate", str(pool), "--local-name", "A", "--local-name", "B"])
    both = capsys.readouterr().err
    assert both.count("PRIORITY_HALFLIFE") == alone.count("PRIORITY_HALFLIFE") > 0
    assert "PREEMPTION_RANK" in both
    assert "PREEMPTION_RANK" not in alone


def test_csv_is_for_one(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["--local-name", "A", "--local-name", "B"]
    assert main(["negotiate", str(pool), "--format", "csv", *names]) == 2
    assert "--local-name once" in capsys.readouterr().err
