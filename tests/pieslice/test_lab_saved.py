"""``.pieslice`` files: what a page of ``pieslice lab`` had changed and showed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import pieslice
from negotiator.io import InputError
from pieslice.cli import main
from pieslice.lab.command import start
from pieslice.lab.laboratory import Lab
from pieslice.lab.pool.trials import identity
from pieslice.lab.server import application
from pieslice.lab.sharing.saved import VERSION, read_saved
from tests.pieslice.test_lab import NO_PREEMPTION, PORT, TOUR, opened
from tests.pieslice.test_lab_export import data_of


def identity_of(folder: Path) -> str:
    capture = pieslice.read(folder).capture
    return identity((slot.get_string("Name") or "" for slot in capture.snapshot.slots), capture)


def content(**changes: object) -> dict[str, Any]:
    """What a page of the tour saves."""
    found: dict[str, Any] = {
        "pieslice lab": VERSION,
        "pool": {"name": "tour", "identity": identity_of(TOUR), "path": str(TOUR)},
        "overlay": [*NO_PREEMPTION.splitlines(), ""],
        "files": {},
        "view": {"kind": "slots", "side": "before"},
        "question": {"what": "job", "name": "3.1", "slot": None},
    }
    return {**found, **changes}


def saved(place: Path, **changes: object) -> Path:
    file = place / "page.pieslice"
    file.write_text(json.dumps(content(**changes)), "utf-8")
    return file


def test_texts_are_those_of_the_page(tmp_path: Path) -> None:
    files = {"condor_config": ["A = 1", "# \U0001d4b3", ""]}
    found = read_saved(saved(tmp_path, files=files))
    assert found.texts.overlay == NO_PREEMPTION
    assert found.texts.files == (("condor_config", "A = 1\n# \U0001d4b3\n"),)
    assert found.question == {"what": "job", "name": "3.1", "slot": None}
    assert found.view == {"kind": "slots", "side": "before"}


DAMAGED: list[tuple[str | dict[str, object], str]] = [
    ("", "damaged"),
    ("{", "damaged"),
    ("[]", "damaged"),
    ("\xff", "damaged"),
    ("[" * 100_000, "damaged"),
    ('{"version": 1}', "damaged"),
    ({"pieslice lab": 2}, "another version of the laboratory, 2; this one reads 1"),
    ({"overlay": "A = 1"}, "damaged"),
    ({"overlay": [1]}, "damaged"),
    ({"files": {"a": 1}}, "damaged"),
    ({"files": 7}, "damaged"),
    ({"view": {"a": 1}}, "damaged"),
    ({"view": None}, "damaged"),
    ({"question": {"what": "life", "name": "x"}}, "damaged"),
    ({"question": {"what": "job"}}, "damaged"),
    ({"pool": None}, "damaged"),
    ({"pool": {"name": "a", "identity": "b"}}, "damaged"),
    ({"pool": {"name": "a", "identity": "b", "path": "", "negotiator": 1}}, "damaged"),
]


@pytest.mark.parametrize(("what", "said"), DAMAGED, ids=lambda it: str(it)[:30])
def test_a_file_that_is_none_is_said_to_be_in_one_sentence(
    tmp_path: Path, what: str | dict[str, object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page.pieslice"
    if isinstance(what, str):
        file.write_bytes(what.encode("latin-1"))
    else:
        saved(tmp_path, **what)
    with pytest.raises(InputError, match="page") as caught:
        read_saved(file)
    (one,) = caught.value.diagnostics
    assert said in one.message
    assert main(["lab", str(file), "--no-browser"]) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert said in err
    assert "Traceback" not in err


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "page.pieslice"
    file.write_bytes(b" " * ((8 << 20) + 1))
    with pytest.raises(InputError, match="8 MiB"):
        read_saved(file)


def exported(*words: object) -> int:
    return main(["lab", *map(str, words)])


def test_its_pool_is_at_its_path_or_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert exported(saved(tmp_path), "--export", target) == 0
    for part in ("before", "slots", "3.1", "NEGOTIATOR_CONSIDER_PREEMPTION = false"):
        assert part in target.read_text("utf-8")
    shutil.copytree(TOUR, tmp_path / "pools" / "tour")
    pool = content()["pool"]
    assert exported(saved(tmp_path, pool=pool | {"path": "pools/tour"}), "--export", target) == 0
    shutil.move(tmp_path / "pools" / "tour", tmp_path)
    gone = saved(tmp_path, pool=pool | {"path": "/nowhere/tour"})
    assert exported(gone, "--export", target) == 0


def test_an_exported_page_has_the_cycle_and_the_answer_that_were_saved(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    question = {"what": "job", "name": "3.1", "slot": None}
    file = saved(tmp_path, view={"cycle": "2", "kind": "slots"}, question=question)
    assert exported(file, "--cycles", 2, "--interval", 120, "--export", target) == 0
    data = data_of(target.read_text("utf-8"))
    trial = pieslice.read(TOUR).session().edit(NO_PREEMPTION).later(2, interval=120)
    assert data["edit"]["number"] == 2
    assert data["edit"]["cycle"]["now"] == trial.held.result.now
    answers = {one.get("kind", "answer"): one["answer"] for one in data["answers"][:3]}
    assert all(one["question"] == question for one in data["answers"][:3])
    assert answers["answer"]["after"]
    assert answers["rank"]["after"]["answer"]
    assert answers["tree"]["after"]["expressions"] or answers["tree"]["after"]["none"]
    assert exported(saved(tmp_path, view={"cycle": "99"}), "--cycles", 2, "--export", target) == 0
    assert data_of(target.read_text("utf-8"))["edit"]["number"] == 2


@pytest.mark.parametrize(
    ("path", "more", "said"),
    [
        ("/nowhere/other", [], "/nowhere/other, is not there"),
        ("", [], "names no pool"),
        (str(TOUR), ["--edit", "x"], "has a text already"),
        (str(TOUR), ["other.pieslice"], "one .pieslice file at a time"),
    ],
)
def test_what_cannot_be_opened_is_refused(
    tmp_path: Path, path: str, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(tmp_path, pool=content()["pool"] | {"path": path})
    assert exported(file, *more, "--export", tmp_path / "page.html") == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_page_of_another_pool_is_not_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(tmp_path, pool=content()["pool"] | {"identity": "0" * 12})
    assert exported(file, "--export", tmp_path / "page.html") == 2
    assert "of another pool, tour" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "page.html").exists()


def test_the_page_is_sent_what_was_saved(tmp_path: Path) -> None:
    reading = pieslice.read(TOUR).reading
    kept = read_saved(saved(tmp_path))
    lab = Lab(lambda: start(reading, 0), PORT, saved=kept, path=str(TOUR))
    with TestClient(application(lab), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(lab.address)
        found = client.get("/api/pool").json()
    lab.close()
    assert found["path"] == str(TOUR)
    assert found["saved"]["identity"] == found["identity"]
    assert found["saved"]["content"]["overlay"] == NO_PREEMPTION
    for client in opened(TOUR):
        assert client.get("/api/pool").json()["saved"] is None
