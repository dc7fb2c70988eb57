"""What may go wrong while a laboratory is open, without a browser."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pieslice.test_lab import NO_PREEMPTION, OWN, ROOT, TOUR, ask, lab_of, opened, wait_until
from tests.pieslice.test_lab_first import laboratory

NOW = 1_790_000_000


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    place = tmp_path / "pool"
    place.mkdir()
    for name in ("slots.ads", "jobs.ads", "condor_config"):
        shutil.copy(TOUR / name, place)
    return place


# --- a pool that changes --------------------------------------------------------------------------


def test_a_pool_that_changes_on_the_disk_is_said_to_have_and_read_again(pool: Path) -> None:
    for client in opened(pool):
        before = client.get("/api/pool").json()
        assert ask(client, "changed") == {"files": []}
        slots = (pool / "slots.ads").read_text("utf-8")
        (pool / "slots.ads").write_text(slots.partition("\n\n")[0] + "\n", "utf-8")
        (pool / "condor_config").write_text(NO_PREEMPTION, "utf-8")
        shutil.copy(TOUR / "submitters.ads", pool)
        found = ask(client, "changed")["files"]
        assert found == ["condor_config", "slots.ads", "submitters.ads"]
        assert client.get("/api/pool").json() == before
        ask(client, "reread")
        after = client.get("/api/pool").json()
        assert after["counts"]["slots"] == 1 < before["counts"]["slots"]
        assert after["files"][0]["text"] == NO_PREEMPTION
        assert ask(client, "changed") == {"files": []}


def test_a_pool_that_is_gone_stays_open(pool: Path) -> None:
    for client in opened(pool):
        before = client.get("/api/pool").json()
        (pool / "slots.ads").unlink()
        assert ask(client, "changed") == {"files": ["slots.ads"]}
        refused = client.post("/api/reread", json={}, headers=OWN)
        assert refused.status_code == 422
        assert "slots.ads" in refused.json()["problem"]
        assert client.get("/api/pool").json() == before
        assert ask(client, "edit", overlay=NO_PREEMPTION)["starts"]


# --- files that are dropped -----------------------------------------------------------------------


def test_nothing_is_dropped_on_a_pool_that_is_open() -> None:
    for client in laboratory():
        for name in ("slots.ads", "jobs.ads"):
            given = (TOUR / name).read_bytes()
            assert client.post(f"/api/drop?name={name}", content=given, headers=OWN).is_success
        ask(client, "open", what="files")
        before = client.get("/api/pool").json()
        refused = [
            client.post("/api/drop?name=slots.ads", content=b"A = 1\n", headers=OWN),
            client.post("/api/paste", json={"text": "A = 1\n"}, headers=OWN),
            client.post("/api/forget", json={"name": "jobs.ads"}, headers=OWN),
        ]
        for answer in refused:
            assert answer.status_code == 422
            assert "Other files" in answer.json()["problem"]
        # A worker that is started again reads what was opened.
        worker = lab_of(client).workers[0]
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        worker._process.join(10)
        assert client.get("/api/pool").json() == before
        ask(client, "leave")
        assert client.post("/api/forget", json={"name": "jobs.ads"}, headers=OWN).is_success


# --- two negotiators ------------------------------------------------------------------------------


def test_one_of_several_negotiators_is_chosen(tmp_path: Path) -> None:
    place = tmp_path / "tour"
    shutil.copytree(TOUR, place)
    text = (TOUR / "two_negotiators").read_text("utf-8").partition("condor_config\n")[2]
    with (place / "condor_config").open("a", encoding="utf-8") as file:
        file.write(text)
    for client in opened(place):
        found = client.get("/api/pool").json()
        assert found["negotiators"] == {"names": ["", "CHEMISTRY", "REST"], "chosen": ""}
        matched = {}
        for name in ("CHEMISTRY", "REST", ""):
            ask(client, "choose", name=name)
            there = client.get("/api/pool").json()
            assert there["negotiators"]["chosen"] == name
            assert there["identity"] == found["identity"]
            slots = [there["slots"]["name"][one[0]] for one in there["base"]["matches"]]
            matched[name] = {slot.partition("@")[2] for slot in slots}
            words = ask(client, "export", overlay="A = 1\n")["commands"][-1]
            assert ("--local-name" in words) == bool(name)
        assert matched["CHEMISTRY"] <= {"node4", "big1"}
        assert "node4" not in matched["REST"]
        assert there["base"] == found["base"]


# --- pools of odd sizes ---------------------------------------------------------------------------


def slot(number: int, *, clock: int = NOW, user: str = "") -> str:
    lines = [
        'MyType = "Machine"', f'Name = "slot1@n{number}"', f'Machine = "n{number}"',
        "Cpus = 1", "Memory = 1024", "Disk = 1000", "Requirements = true",
        f'State = "{"Claimed" if user else "Unclaimed"}"', f"MyCurrentTime = {clock}",
        f"LastHeardFrom = {NOW}",
    ]  # fmt: skip
    if user:
        lines += [f'RemoteOwner = "{user}"', f'RemoteUser = "{user}"']
    return "\n".join(lines) + "\n"


def job(number: int, user: str) -> str:
    return (
        f'MyType = "Job"\nClusterId = {number}\nProcId = 0\nJobStatus = 1\nJobUniverse = 5\n'
        f'Owner = "{user}"\nUser = "{user}@x"\nQDate = {NOW}\nRequirements = true\n'
    )


def of(place: Path, slots: list[str], jobs: list[str] | None) -> Path:
    place.mkdir()
    (place / "slots.ads").write_text("\n".join(slots), "utf-8")
    if jobs is not None:
        (place / "jobs.ads").write_text("\n".join(jobs), "utf-8")
    return place


def counts(found: dict[str, dict[str, int]]) -> tuple[int, ...]:
    return tuple(found["counts"].values())


@pytest.fixture(params=["one slot", "nobody", "no job"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    slots = [slot(1, user="ann@x" if request.param == "one slot" else "")]
    jobs = {"one slot": [job(1, "ann")], "nobody": None, "no job": []}[request.param]
    return request.param, of(tmp_path / "pool", slots, jobs)


def test_a_pool_with_next_to_nothing_is_shown(odd: tuple[str, Path]) -> None:
    name, place = odd
    for client in opened(place):
        found = client.get("/api/pool").json()
        assert counts(found) == ((1, 1, 1) if name == "one slot" else (1, 0, 0))
        assert (found["lacking"] is None) == (name == "one slot")
        edit = ask(client, "edit", overlay="PREEMPTION_REQUIREMENTS = true\n")
        assert edit["starts"]
        assert ask(client, "suggest") is not None
        assert ask(client, "export", overlay="PREEMPTION_REQUIREMENTS = true\n")["commands"]


@pytest.mark.slow
def test_ten_thousand_users_have_eight_colours(tmp_path: Path) -> None:
    jobs = [job(number, f"user{number}") for number in range(1, 10_001)]
    slots = [slot(number, user=f"user{number}@x") for number in range(1, 101)]
    for client in opened(of(tmp_path / "pool", slots, jobs)):
        found = client.get("/api/pool").json()
        assert counts(found) == (100, 10_000, 10_000)
        heavy = [one["heavy"] for one in found["users"]]
        assert (sum(heavy), len(heavy)) == (8, 10_000)
        edit = ask(client, "edit", overlay="PREEMPTION_REQUIREMENTS = true\n")
        assert edit["starts"]
        found = ask(client, "why", overlay="", what="user", name="user9999@x")
        assert found["before"]


def test_clocks_that_are_apart_are_said_to_be(tmp_path: Path) -> None:
    slots = [slot(1), slot(2, clock=NOW - 4000), slot(3, clock=NOW + 9000), slot(4, clock=NOW + 9)]
    for client in opened(of(tmp_path / "pool", slots, [job(1, "ann")])):
        said = [one["message"] for one in client.get("/api/pool").json()["problems"]]
        (clocks,) = [one for one in said if "the clocks of" in one]
        assert "2 slots" in clocks
        assert "slot1@n3 by 9,000 s" in clocks
    for client in opened(TOUR):
        said = [one["message"] for one in client.get("/api/pool").json()["problems"]]
        assert not any("the clocks of" in one for one in said)


# --- an end without a farewell --------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="kills processes")
def test_a_copy_under_other_names_goes_with_a_command_that_is_killed(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pieslice", "lab", str(TOUR), "--anonymous", "--no-browser"]
    here = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, cwd=ROOT, env=here, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert [one for one in tmp_path.glob("pieslice-*") if any(one.iterdir())]
        process.kill()
    assert wait_until(lambda: not list(tmp_path.glob("pieslice-*")), 30)
