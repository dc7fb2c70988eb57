"""``pieslice lab`` without a pool, without a browser: what is dropped, and what is made of it."""

from __future__ import annotations

import gzip
import os
import signal
import stat
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from starlette.testclient import TestClient

import pieslice
from classad.files.ads import read_ads, write_ads
from negotiator.capture.files import TOOLS
from pieslice.cli import build_parser, main
from pieslice.lab.command import desk, start
from pieslice.lab.server import HEADER, MOST, Lab, application
from pieslice.lab.start import dropped
from pieslice.lab.start.desk import example
from pieslice.lab.start.dropped import Dropped
from pieslice.lab.worker import Refused

ROOT = Path(__file__).parents[2]
CAMPUS, TOUR = ROOT / "examples" / "campus", ROOT / "examples" / "tour"
EVENING = ROOT / "tests" / "vectors" / "pools" / "campus-evening"
PORT = 8124
OWN = {HEADER: "1"}


def options(*words: str) -> Namespace:
    return build_parser().parse_args(["lab", *words])


def laboratory(*words: str) -> Iterator[TestClient]:
    lab = Lab(None, PORT, desk=desk(options(*words)))
    with TestClient(application(lab), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(lab.address)
        client.app_lab = lab  # type: ignore[attr-defined]
        yield client
    lab.close()


@pytest.fixture
def empty() -> Iterator[TestClient]:
    """The client of a laboratory without a pool."""
    yield from laboratory()


def put(client: TestClient, name: str, content: bytes | Path) -> Any:
    """Drop a file; the answer."""
    data = content.read_bytes() if isinstance(content, Path) else content
    answer = client.post("/api/drop", params={"name": name}, content=data, headers=OWN)
    assert answer.status_code == 200, answer.text
    return answer.json()


def put_folder(client: TestClient, folder: Path, *, without: str = "") -> None:
    for path in sorted(folder.iterdir()):
        if path.name != without:
            put(client, f"{folder.name}/{path.name}", path)


def ask(client: TestClient, kind: str, **question: object) -> Any:
    answer = client.post(f"/api/{kind}", json=question, headers=OWN)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client: TestClient, kind: str, status: int = 422, **question: object) -> str:
    answer = client.post(f"/api/{kind}", json=question, headers=OWN)
    assert answer.status_code == status, answer.text
    return str(answer.json()["problem"])


def files(client: TestClient) -> Any:
    return client.get("/api/files").json()


# --- what a file is taken for ---------------------------------------------------------------------

#: A file of the recorded pool, what it is taken for, how many it holds of what.
PARTS = [
    ("slots.ads", "slots", "56 slots"),
    ("jobs.ads", "jobs", "317 jobs"),
    ("submitters.ads", "submitters", "6 submitters"),
    ("schedds.ads", "schedds", "1 schedd"),
    ("accounting.ads", "accounting", "11 accounting records"),
    ("negotiator.ads", "negotiator", "1 negotiator"),
    ("condor_config", "configuration", "lines"),
    ("Accountantnew.log", "the accountant's log", "lines"),
    ("expected.json", "what the real negotiator decided", "16 decisions"),
]


def test_each_file_is_named_with_what_it_was_taken_for_and_what_it_holds() -> None:
    place = Dropped()
    for name, taken, holds in PARTS:
        with place.coming(name) as take:
            take((EVENING / name).read_bytes())
        row = place.row(place.know(name))
        assert (row["name"], row["taken"], row["used"]) == (name, taken, True)
        assert holds in str(row["said"])
    place.close()


@pytest.mark.parametrize("form", ["json", "xml", "new", "gzip"])
def test_ads_are_told_by_what_they_hold_whatever_their_name_and_form(
    empty: TestClient, form: Any, tmp_path: Path
) -> None:
    file = tmp_path / "ads"
    if form == "gzip":
        file.write_bytes(gzip.compress((TOUR / "slots.ads").read_bytes()))
    else:
        write_ads(read_ads(TOUR / "slots.ads"), file, form)
    found = put(empty, "some thing", file)
    assert (found["taken"], found["said"]) == ("slots", "10 slots")


def test_a_file_of_all_ads_has_several_parts(empty: TestClient) -> None:
    text = b"\n".join((TOUR / f"{part}.ads").read_bytes() for part in ("slots", "jobs"))
    found = put(empty, "all.txt", text + b'\nMyType = "Collector"\nName = "cm"\n')
    assert found["taken"] == "slots, jobs"
    assert "1 ad of other kinds" in found["said"]
    assert files(empty)["ready"]


def test_scenarios_and_histories_are_whole_pools(empty: TestClient, tmp_path: Path) -> None:
    scenario = ROOT / "examples" / "scenarios" / "two_users.json"
    assert put(empty, "s.json", scenario)["taken"] == "scenario"
    assert files(empty)["ready"]
    assert not files(empty)["missing"]
    ask(empty, "forget", name="s.json")
    assert main(["record", str(tmp_path / "h"), str(TOUR)]) == 0
    found = put(empty, "h", tmp_path / "h")
    assert (found["taken"], found["said"]) == ("history", "1 capture")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", b"PK\x03\x04"), ("a.tar.gz", gzip.compress(b"x")), ("a.tgz", b""),
        ("slots.ads", bytes(257) + b"ustar\x0000" + bytes(248)), ("slots.ads", b"PK\x03\x04rest"),
    ],
    ids=["zip", "tar.gz", "tgz", "tar by its content", "zip by its content"],
)  # fmt: skip
def test_archives_are_not_unpacked(empty: TestClient, name: str, content: bytes) -> None:
    found = put(empty, name, content)
    assert not found["used"]
    assert "archive, which is not unpacked" in found["said"]


def test_commands_say_of_an_archive_that_it_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "pool.zip"
    archive.write_bytes(b"PK\x03\x04")
    assert main(["negotiate", str(archive)]) == 2
    assert "an archive, which is not unpacked" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"\x00\x01\xff\xfe", b"hello\n", b"{", b"a = (\n" * 9])
def test_what_is_nothing_known_is_said_to_be(empty: TestClient, content: bytes) -> None:
    found = put(empty, "file", content)
    assert (found["taken"], found["used"]) == ("nothing known", False)
    assert found["said"]
    assert not files(empty)["ready"]


def test_a_table_for_people_is_told_from_ads(empty: TestClient) -> None:
    text = "Name   OpSys  Arch  State  Activity LoadAv\nslot1@a LINUX X86_64 Unclaimed Idle 0.0\n"
    assert "save `condor_status -long`" in refused(empty, "paste", text=text)
    assert not files(empty)["files"]


# --- what is missing ------------------------------------------------------------------------------


def test_what_is_missing_is_named_with_the_command_that_makes_it(empty: TestClient) -> None:
    assert not files(empty)["missing"]
    put(empty, "slots.ads", TOUR / "slots.ads")
    found = files(empty)
    assert found["ready"]
    missing = {one["part"]: one["command"] for one in found["missing"]}
    assert list(missing) == ["jobs", "config", "accounting", "submitters", "schedds"]
    assert all(line.startswith(TOOLS[part]) for part, line in missing.items())
    put(empty, "Accountantnew.log", EVENING / "Accountantnew.log")
    assert "accounting" not in {one["part"] for one in files(empty)["missing"]}


def test_without_slots_there_is_no_pool(empty: TestClient) -> None:
    put(empty, "jobs.ads", TOUR / "jobs.ads")
    found = files(empty)
    assert not found["ready"]
    assert found["missing"][0]["part"] == "slots"
    assert "at least slot ads" in refused(empty, "open", what="files")


def test_the_commands_are_those_of_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "captures"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for part, tool in TOOLS.items():
        assert f"{tool} > mypool/" in text, part
        assert f"{tool} > mypool/" in dropped.commands()


# --- opening --------------------------------------------------------------------------------------


def test_the_page_asks_for_a_pool_until_one_is_open(empty: TestClient) -> None:
    assert "Drop files or a folder" in empty.get("/").text
    assert "no pool is open" in empty.get("/api/pool").json()["problem"]
    ask(empty, "open", what="example")
    assert 'id="editor"' in empty.get("/").text
    assert empty.get("/api/pool").json()["agreement"] == {"agreeing": 25, "decisions": 25}


def test_a_dropped_folder_is_the_pool_that_a_command_reads(empty: TestClient) -> None:
    put_folder(empty, EVENING)
    ask(empty, "open", what="files")
    found = empty.get("/api/pool").json()
    pool = pieslice.read(EVENING)
    assert found["name"] == "campus-evening"
    assert found["counts"]["jobs"] == pool.capture.facts.jobs
    assert found["agreement"] == {"agreeing": 16, "decisions": 16}
    text = "NEGOTIATOR_CONSIDER_PREEMPTION = false\n"
    wanted = pool.diff(pool.with_config(text)).to_dict()
    changes = ask(empty, "edit", overlay=text)["changes"]
    assert all(changes[part] == wanted[part] for part in changes)


def test_files_of_other_names_are_the_same_pool(empty: TestClient) -> None:
    for number, name in enumerate(("slots", "jobs", "submitters", "accounting", "schedds")):
        put(empty, f"{number}.txt", EVENING / f"{name}.ads")
    put(empty, "our.conf", EVENING / "condor_config")
    put(empty, "wanted.json", EVENING / "expected.json")
    ask(empty, "open", what="files")
    found = empty.get("/api/pool").json()
    assert found["name"] == "0.txt"
    assert found["agreement"] == {"agreeing": 16, "decisions": 16}
    assert [one["name"] for one in found["files"]] == ["our.conf"]


def test_texts_are_pasted(empty: TestClient) -> None:
    ask(empty, "paste", text=(TOUR / "slots.ads").read_text("utf-8"))
    ask(empty, "paste", text=(TOUR / "jobs.ads").read_text("utf-8"))
    config = ask(empty, "paste", text="NEGOTIATOR_CONSIDER_PREEMPTION = false\n")
    assert config["taken"] == "configuration"
    assert refused(empty, "paste", text=" \n") == "the text is empty"
    ask(empty, "open", what="files")
    found = empty.get("/api/pool").json()
    assert found["counts"]["slots"] == 10
    assert "NEGOTIATOR_CONSIDER_PREEMPTION = false" in found["files"][0]["text"]


def test_a_configuration_beside_a_folder_is_read_after_that_of_the_folder(
    empty: TestClient,
) -> None:
    put_folder(empty, EVENING)
    ask(empty, "paste", text="NEGOTIATOR_CONSIDER_PREEMPTION = false\n")
    ask(empty, "open", what="files")
    found = empty.get("/api/pool").json()
    assert {Path(one["name"]).name for one in found["files"]} == {"condor_config", "pasted-1.conf"}
    kinds = {kind for *_, kind, _ in found["base"]["matches"]}
    assert kinds <= {"none"}


def test_a_file_of_a_folder_that_is_not_read_is_said_not_to_be(empty: TestClient) -> None:
    put_folder(empty, EVENING)
    put(empty, "campus-evening/userprio.ads", EVENING / "accounting.ads")
    put(empty, "campus-evening/conf.d/more.conf", b"A = 1\n")
    rows = {Path(one["name"]).name: one for one in files(empty)["files"]}
    assert "accounting.ads is there" in rows["userprio.ads"]["said"]
    assert "where condor_config includes it" in rows["more.conf"]["said"]
    assert [name for name, one in rows.items() if not one["used"]] == ["more.conf", "userprio.ads"]


def test_two_captures_are_no_pool(empty: TestClient) -> None:
    for folder in ("a", "b"):
        put(empty, f"{folder}/slots.ads", TOUR / "slots.ads")
    problem = refused(empty, "open", what="files")
    assert "`b` is a second folder" in problem


def test_options_of_the_command_hold_for_what_is_dropped() -> None:
    for client in laboratory("-D", "NEGOTIATOR_CONSIDER_PREEMPTION=false", "--now", "1000000000"):
        put_folder(client, TOUR)
        ask(client, "open", what="files")
        found = client.get("/api/pool").json()
        assert found["time"] == "2001-09-09T01:46:40Z"
        assert {kind for *_, kind, _ in found["base"]["matches"]} <= {"none"}


def test_what_is_dropped_is_shown_under_other_names_where_that_is_asked_for() -> None:
    for client in laboratory("--anonymous"):
        put_folder(client, EVENING, without="jobs.ads")
        ask(client, "open", what="files")
        found = client.get("/api/pool").json()
        shown = " ".join(found["slots"]["name"] + [one["name"] for one in found["users"]])
        assert shown
        assert not [name for name in ("alice", "carol", "campus", "node07") if name in shown]


@pytest.mark.parametrize(
    "words", [("--export", "page.html"), ("--anonymous", "--edit", os.devnull)]
)
def test_what_needs_a_pool_on_the_command_line_says_so(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = tmp_path / "edit"
    edit.write_text("A = 1\n", "utf-8")
    given = [str(edit) if one == os.devnull else one for one in words]
    assert main(["lab", "--no-browser", *given]) == 2
    assert "give a pool" in capsys.readouterr().err


def test_a_pool_that_cannot_be_read_leaves_the_page(empty: TestClient) -> None:
    put(empty, "mypool/slots.ads", b'MyType = "Machine"\nName = "a"\nCpus = 1\n')
    put(empty, "mypool/jobs.ads", b"")
    problem = refused(empty, "open", what="files")
    assert "no ad tells the time of the cycle" in problem
    lab: Lab = empty.app_lab  # type: ignore[attr-defined]
    assert lab.desk is not None
    assert str(lab.desk.dropped.folder) not in problem
    assert "Drop files or a folder" in empty.get("/").text
    put(empty, "mypool/slots.ads", TOUR / "slots.ads")
    ask(empty, "open", what="files")
    assert empty.get("/api/pool").json()["name"] == "mypool"


def test_the_files_are_there_again_after_a_pool(empty: TestClient) -> None:
    put_folder(empty, TOUR)
    ask(empty, "open", what="files")
    ask(empty, "leave")
    assert "Drop files or a folder" in empty.get("/").text
    assert len(files(empty)["files"]) == len(list(TOUR.iterdir()))
    ask(empty, "open", what="files")
    assert empty.get("/api/pool").json()["name"] == "tour"


def test_a_page_of_a_pool_that_was_left_gets_no_answer_of_another_one(empty: TestClient) -> None:
    put_folder(empty, TOUR)
    ask(empty, "open", what="files")
    assert 'data-pool="1"' in empty.get("/").text
    ask(empty, "edit", overlay="A = 1", pool="1")
    ask(empty, "leave")
    ask(empty, "open", what="example")
    assert "reload" in refused(empty, "edit", overlay="A = 1", pool="1")
    ask(empty, "edit", overlay="A = 1", pool="2")


def test_a_pool_of_the_command_line_takes_no_files() -> None:
    lab = Lab(lambda: start(pieslice.read(TOUR).reading, 0), PORT)
    with TestClient(application(lab), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(lab.address)
        for kind in ("paste", "forget", "open", "leave"):
            given = {"text": "A = 1", "name": "a", "what": "example"}
            assert "that of the command line" in refused(client, kind, **given)
        answer = client.post("/api/drop?name=a", content=b"x", headers=OWN)
        assert answer.status_code == 422
    lab.close()


# --- slots alone ----------------------------------------------------------------------------------


def test_slots_alone_show_who_holds_what(empty: TestClient) -> None:
    put_folder(empty, EVENING, without="jobs.ads")
    ask(empty, "open", what="files")
    found = empty.get("/api/pool").json()
    users = [one["name"] for one in found["users"]]
    holders = {
        name: users[number]
        for name, number in zip(found["slots"]["name"], found["slots"]["holder"], strict=True)
        if number >= 0
    }
    slots = pieslice.read(EVENING).capture.snapshot.slots
    wanted = {ad["Name"]: ad["RemoteUser"] for ad in slots if "RemoteUser" in ad}
    assert set(holders) == set(wanted)
    assert all(holders[name].endswith(user) for name, user in wanted.items())
    assert found["lacking"]["command"].startswith("condor_q ")
    assert found["agreement"] is None
    assert found["base"]["matches"] == []
    assert ask(empty, "suggest") == []
    found = ask(empty, "edit", overlay="NEGOTIATOR_CONSIDER_PREEMPTION = false")
    assert found["changes"]["slots"] == []


def test_a_pool_without_jobs_is_read_where_that_is_asked_for(tmp_path: Path) -> None:
    pool = pieslice.read(TOUR / "slots.ads", needs_jobs=False)
    assert pool.capture.facts.jobs == 0
    assert pool.negotiate().result.matches == ()
    assert any("no job is matched" in one.message for one in pool.diagnostics)
    with pytest.raises(pieslice.ReadError, match="at least slot ads and job ads"):
        pieslice.read(TOUR / "slots.ads")
    (tmp_path / "slots.ads").write_bytes((TOUR / "slots.ads").read_bytes())
    assert pieslice.read(tmp_path, needs_jobs=False).capture.facts.slots == 10
    with pytest.raises(pieslice.ReadError, match="a cycle needs job ads"):
        pieslice.read(tmp_path)
    with pytest.raises(pieslice.ReadError, match="at least slot ads"):
        pieslice.read(TOUR / "jobs.ads", needs_jobs=False)


# --- what is kept where ---------------------------------------------------------------------------

OUTSIDE = [
    "", ".", "..", "../a", "a/../../b", "a/..", "/etc/passwd", "/a", "a//b", "a/", "a\\..\\b",
    "a\0b", "a\nb", "a/./b", " a", "x" * 501, "\u202eads.slots", "C:\\a\\b",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_cannot_leave_the_folder(empty: TestClient, name: str) -> None:
    lab: Lab = empty.app_lab  # type: ignore[attr-defined]
    assert lab.desk is not None
    folder = lab.desk.dropped.folder
    before = sorted(folder.parent.rglob("*"))
    answer = empty.post("/api/drop", params={"name": name}, content=b"A = 1", headers=OWN)
    assert answer.status_code == 422
    assert "is no name of a file here" in answer.json()["problem"]
    assert sorted(folder.parent.rglob("*")) == before
    assert refused(empty, "forget", name=name)
    assert not files(empty)["files"]


def test_a_file_and_a_folder_of_one_name_are_refused(empty: TestClient) -> None:
    put(empty, "a", b"hello")
    answer = empty.post("/api/drop?name=a/b", content=b"x", headers=OWN)
    assert answer.status_code == 422
    put(empty, "c/d", b"hello")
    assert empty.post("/api/drop?name=c", content=b"x", headers=OWN).status_code == 422
    assert [one["name"] for one in files(empty)["files"]] == ["a", "c/d"]


def test_what_is_too_much_is_refused_with_the_number(
    empty: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dropped, "MOST_BYTES", 1 << 30)
    monkeypatch.setattr(dropped, "MOST_FILES", 3)
    put(empty, "a", b"x")
    put(empty, "b", b"x")
    put(empty, "c", b"x")
    put(empty, "c", b"y")
    answer = empty.post("/api/drop?name=d", content=b"x", headers=OWN)
    assert (answer.status_code, "3 files" in answer.text) == (413, True)
    monkeypatch.setattr(dropped, "MOST_BYTES", 1000)
    answer = empty.post("/api/drop?name=c", content=b"x" * 999, headers=OWN)
    assert (answer.status_code, "GiB" in answer.text) == (413, True)
    assert [one["name"] for one in files(empty)["files"]] == ["a", "b"]
    put(empty, "c", b"x" * 998)
    assert "8 MiB" in refused(empty, "paste", 413, text="x" * MOST)


def test_files_are_replaced_and_removed(empty: TestClient) -> None:
    put(empty, "a", TOUR / "slots.ads")
    assert put(empty, "a", TOUR / "jobs.ads")["taken"] == "jobs"
    ask(empty, "forget", name="a")
    assert not files(empty)["files"]
    assert "no file `a`" in refused(empty, "forget", name="a")


def test_an_upload_that_is_cut_off_leaves_nothing() -> None:
    place = Dropped()

    def cut_off() -> None:
        with place.coming("a/b") as take:
            take(b"x")
            raise EOFError

    with pytest.raises(EOFError):
        cut_off()
    assert not [path for path in place.folder.rglob("*") if path.is_file()]
    with pytest.raises(Refused):
        place.forget("a/b")
    place.close()


@pytest.mark.skipif(os.name == "nt", reason="permissions are others")
def test_the_folder_is_private_and_goes_with_the_laboratory() -> None:
    for client in laboratory():
        lab: Lab = client.app_lab  # type: ignore[attr-defined]
        assert lab.desk is not None
        place = lab.desk.dropped.folder.parent
        put(client, "a", b"x")
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert not place.exists()


class Interrupted(StringIO):
    """Standard output that gets a Ctrl-C as soon as it is written to, where Python drops errors."""

    def write(self, text: str) -> int:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


def test_ctrl_c_ends_it_as_soon_as_the_address_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    second = Timer(30, signal.raise_signal, (signal.SIGINT,))
    second.start()
    monkeypatch.setattr(sys, "stdout", Interrupted())
    try:
        assert main(["lab", "--no-browser"]) == 0
        assert second.is_alive(), "it ran on until the second Ctrl-C"
    finally:
        second.cancel()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(sys.platform != "linux", reason="signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_folder_goes_with_the_process_however_that_ends(
    end: signal.Signals, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "pieslice", "lab", "--no-browser"]
    more = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=more) as process:
        assert process.stdout is not None
        try:
            assert "?token=" in process.stdout.readline()
            assert list(tmp_path.glob("pieslice-lab-*"))
            process.send_signal(end)
            process.wait(60)
        finally:
            process.kill()
    patience = time.monotonic() + 60
    while list(tmp_path.glob("pieslice-lab-*")) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not list(tmp_path.glob("pieslice-lab-*"))


def test_the_example_is_there() -> None:
    found = example()
    assert found is not None
    assert (found / "slots.ads").is_file()
