"""``pieslice lab`` without a browser: who may ask, and what is answered."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from attr import evolve
from starlette.testclient import TestClient

import pieslice
from pieslice.between.cycles import run_cycles
from pieslice.data import Content
from pieslice.lab.command import start
from pieslice.lab.laboratory import Lab
from pieslice.lab.pool.trials import identity
from pieslice.lab.server import HEADER, MOST, application
from pieslice.lab.texts import EditedTexts
from pieslice.lab.worker import Gone, Outdated, Refused, Worker, use_pause

ROOT = Path(__file__).parents[2]
WEB = ROOT / "pieslice" / "lab" / "web"
CAMPUS, TOUR = ROOT / "examples" / "campus", ROOT / "examples" / "tour"
PORT = 8123
OWN = {HEADER: "1"}
NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false\n"
CAROL = "group_chemistry.carol@campus.example"


def opened(folder: Path) -> Iterator[TestClient]:
    """The client of who has opened the printed address."""
    reading = pieslice.read(folder, needs_jobs=False).reading
    lab = Lab(lambda: start(reading, 0), PORT)
    with TestClient(application(lab), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(lab.address)
        client.app_lab = lab  # type: ignore[attr-defined]
        yield client
    lab.close()


@pytest.fixture(scope="module")
def campus() -> Iterator[TestClient]:
    yield from opened(CAMPUS)


@pytest.fixture(scope="module")
def tour() -> Iterator[TestClient]:
    yield from opened(TOUR)


def lab_of(client: TestClient) -> Lab:
    lab = client.app_lab  # type: ignore[attr-defined]
    assert isinstance(lab, Lab)
    return lab


def stranger(client: TestClient) -> TestClient:
    """Another browser of the same machine."""
    return TestClient(client.app, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


def ask(client: TestClient, kind: str, **question: object) -> Any:
    answer = client.post(f"/api/{kind}", json=question, headers=OWN)
    assert answer.status_code == 200, answer.text
    return answer.json()


# --- who may ask ----------------------------------------------------------------------------------


def test_the_token_becomes_a_cookie_that_no_script_reads(campus: TestClient) -> None:
    answer = stranger(campus).get(lab_of(campus).address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert f"pieslice_lab_{PORT}=" in cookie
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


PLACES = [
    ("GET", "/"), ("GET", "/?token=wrong"), ("GET", "/web/main.js"), ("GET", "/api/pool"),
    ("GET", "/web/exported.html"), ("POST", "/api/export"),
    ("GET", "/api/files"), ("POST", "/api/drop?name=a"),
    ("GET", "/api/events?run=1"), ("POST", "/api/run"), ("POST", "/api/stop"),
    ("POST", "/api/see"), ("POST", "/api/back"), ("POST", "/api/make_up"),
    *(("POST", f"/api/{name}") for name in ("reread", "choose", "changed")),
    *(("POST", f"/api/{name}") for name in ("edit", "follow", "why", "check", "hover", "complete")),
    *(("POST", f"/api/{name}") for name in ("suggest", "paste", "forget", "open", "leave")),
    *(("POST", f"/api/{name}") for name in ("rank", "tree", "knobs", "difference", "save")),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), PLACES)
def test_who_has_no_token_gets_nothing(campus: TestClient, method: str, path: str) -> None:
    for cookie in ("", "wrong"):
        headers = OWN | {"cookie": f"pieslice_lab_{PORT}={cookie}"}
        answer = stranger(campus).request(method, path, headers=headers)
        assert answer.status_code == 403
        assert "campus" not in answer.text


@pytest.mark.parametrize(("method", "path"), PLACES)
@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "", "0.0.0.0:8123"]
)
def test_another_host_is_misdirected(campus: TestClient, method: str, path: str, host: str) -> None:
    answer = campus.request(method, path, headers=OWN | {"host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("method", "path"), PLACES)
def test_another_page_is_refused(
    campus: TestClient, method: str, path: str, headers: dict[str, str]
) -> None:
    assert campus.request(method, path, headers=OWN | headers).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_the_own_page_is_answered_under_each_own_name(campus: TestClient, host: str) -> None:
    own = {"host": f"{host}:{PORT}", "origin": f"http://{host}:{PORT}"}
    headers = own | {"sec-fetch-site": "same-origin"}
    cookie = f"{lab_of(campus).cookie}={lab_of(campus).token}"
    assert stranger(campus).get("/", headers=headers | {"cookie": cookie}).status_code == 200


@pytest.mark.parametrize("path", [path for method, path in PLACES if method == "POST"])
def test_what_asks_for_work_needs_the_header_of_the_page(campus: TestClient, path: str) -> None:
    answer = campus.post(path, content="overlay=x", headers={"content-type": "text/plain"})
    assert answer.status_code == 403


def test_a_pool_travels_in_less_than_half_of_its_bytes(campus: TestClient) -> None:
    answer = campus.get("/api/pool", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert 2 * int(answer.headers["content-length"]) < len(answer.content)
    as_it_is = campus.get("/api/pool", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in as_it_is.headers
    assert as_it_is.json() == answer.json()


@pytest.mark.parametrize("path", ["/", "/web/main.js", "/api/pool", "/nowhere"])
def test_every_answer_is_for_the_page_alone(campus: TestClient, path: str) -> None:
    for headers in ({}, {"host": "evil.example"}):
        answer = campus.get(path, headers=headers)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        for part in ("connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"):
            assert part in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_each_page_has_a_nonce_of_its_own(campus: TestClient) -> None:
    nonces = set()
    for _ in range(2):
        answer = campus.get("/")
        (nonce,) = re.findall(r"'nonce-([^']+)'", answer.headers["content-security-policy"])
        assert f'data-nonce="{nonce}"' in answer.text
        nonces.add(nonce)
    assert len(nonces) == 2


@pytest.mark.parametrize("name", ["..%2fserver.py", "page.html", "codemirror.txt", "%2e%2e/cli.py"])
def test_what_is_no_part_of_the_page_is_not_served(campus: TestClient, name: str) -> None:
    assert campus.get(f"/web/{name}").status_code == 404


# --- what the page is made of ---------------------------------------------------------------------


def test_the_page_asks_for_nothing_that_is_not_served(campus: TestClient) -> None:
    page = campus.get("/").text
    asked = set(re.findall(r'(?:href|src)="([^"]*)"', page))
    for script in WEB.glob("*.js"):
        if script.name != "codemirror.js":
            imports = re.findall(r'from "\./([^"]+)"', script.read_text("utf-8"))
            asked |= {f"/web/{name}" for name in imports}
    assert {"/web/main.js", "/web/codemirror.js", "/web/style.css"} <= asked
    for path in asked:
        assert campus.get(path).status_code == 200, path


def test_the_page_names_no_other_machine_and_no_markup_in_scripts() -> None:
    for file in WEB.iterdir():
        if file.name in ("codemirror.js", "codemirror.txt"):
            continue
        text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        text = text.replace("<script>{script}</script>", "")  # allowed by its digest
        assert not re.search(r"https?://|\bon\w+=|style=|<script>", text), file.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|\beval\b", text), file.name


def test_the_editor_is_that_of_the_lock_file_and_has_its_licences() -> None:
    lock = (ROOT / "packaging" / "editor" / "package-lock.json").read_bytes()
    head = (WEB / "codemirror.js").read_text("utf-8").split("\n")[0]
    assert sha256(lock).hexdigest()[:16] in head, "`make editor-bundle` makes it anew"
    import json

    licences = (WEB / "codemirror.txt").read_text("utf-8")
    for path, row in json.loads(lock)["packages"].items():
        if path and not row.get("dev"):
            name = path.removeprefix("node_modules/")
            assert f"{name} {row['version']}" in licences
            assert row["license"] == "MIT"


# --- what is answered -----------------------------------------------------------------------------


def test_the_overview_says_what_the_pool_is(campus: TestClient) -> None:
    found = campus.get("/api/pool").json()
    assert found["name"] == "campus"
    assert found["counts"] == {"slots": 56, "jobs": 376, "users": 6}
    assert found["agreement"] == {"agreeing": 25, "decisions": 25}
    assert [one["name"] for one in found["files"]] == ["condor_config"]
    assert len(found["slots"]["name"]) == 56


def test_a_pool_is_the_same_one_while_it_has_the_same_slots_and_jobs(
    campus: TestClient, tour: TestClient
) -> None:
    capture = pieslice.read(CAMPUS).capture
    known = campus.get("/api/pool").json()["identity"]
    assert known != tour.get("/api/pool").json()["identity"]
    names = [slot.get_string("Name") or "" for slot in capture.snapshot.slots]
    assert identity(reversed(names), capture) == known
    assert identity(names[1:], capture) != known
    fewer = evolve(capture.snapshot, queues=())
    assert identity(names, evolve(capture, snapshot=fewer)) != known


POLICIES = [
    (TOUR, "no_preemption"), (TOUR, "breadth_first"), (CAMPUS, "no_preemption"),
    (CAMPUS, "calmer"), (CAMPUS, "patient"),
]  # fmt: skip


@pytest.mark.parametrize(("folder", "name"), POLICIES, ids=lambda it: getattr(it, "name", it))
@pytest.mark.parametrize("where", ["overlay", "file"])
def test_decisions_are_those_of_diff(
    folder: Path, name: str, where: str, request: pytest.FixtureRequest
) -> None:
    client = request.getfixturevalue(folder.name)
    lines = (folder / name).read_text("utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("include"))
    pool = pieslice.read(folder)
    if where == "overlay":
        other, given = pool.with_config(text), {"overlay": text}
    else:
        own = (folder / "condor_config").read_text("utf-8")
        other, given = pool.with_config(text), {"files": {"condor_config": f"{own}\n{text}\n"}}
    wanted = pool.diff(other).to_dict()
    found = ask(client, "edit", **given)
    assert found["starts"]
    assert found["same"] == wanted["same"]
    for part in ("users", "groups", "slots", "rejections"):
        assert found["changes"][part] == wanted[part], part


def test_matches_are_sent_with_the_slots_and_users_that_the_page_knows(campus: TestClient) -> None:
    slots = campus.get("/api/pool").json()["slots"]["name"]
    found = ask(campus, "edit", overlay=NO_PREEMPTION)
    users = [one["name"] for one in found["users"]]
    matches = pieslice.read(CAMPUS).with_config(NO_PREEMPTION).negotiate().result.matches
    assert [
        (slots[slot], users[user], job) for slot, user, job, *_ in found["cycle"]["matches"]
    ] == [(one.slot, one.submitter, one.job) for one in matches]


def test_later_cycles_have_both_sides(campus: TestClient) -> None:
    pool = pieslice.read(CAMPUS)
    seconds = campus.get("/api/pool").json()["cycles"]["interval"]
    assert seconds == pool.capture.policy.interval_seconds
    capture = pool.with_config(NO_PREEMPTION).capture
    turns = list(
        run_cycles(
            capture.snapshot, capture.policy, now=capture.facts.now, count=3, interval=seconds
        )
    )
    assert ask(campus, "follow", overlay=NO_PREEMPTION, cycle=2) == {"starts": True, "cycle": 2}
    found = ask(campus, "edit", overlay=NO_PREEMPTION, cycle=3)
    assert (found["number"], found["cycle"]["now"]) == (3, capture.facts.now + 2 * seconds)
    users = [one["name"] for one in found["users"]]
    names = found["cycle"]["slots"]["name"]
    assert [names[slot] for slot, *_ in found["cycle"]["matches"]] == [
        one.slot for one in turns[2].result.matches
    ]
    held = dict(zip(names, found["cycle"]["slots"]["holder"], strict=True))
    for match in turns[0].result.matches:
        assert users[held[match.slot]] == match.submitter
    assert found["before"]["slots"]["holder"] != found["cycle"]["slots"]["holder"]
    same = ask(campus, "edit", overlay="", cycle=3)
    assert same["same"]
    assert same["cycle"] == same["before"] == found["before"]


def test_why_is_about_the_cycle_that_is_looked_at(campus: TestClient) -> None:
    first = ask(campus, "why", overlay=NO_PREEMPTION, what="job", name="15.0")
    later = ask(campus, "why", overlay=NO_PREEMPTION, what="job", name="15.0", cycle=2)
    assert "matched" in first["before"][0]["line"]
    assert "running" in later["before"][0]["line"]


@pytest.mark.parametrize("kind", ["edit", "follow", "why", "export"])
@pytest.mark.parametrize(
    ("cycle", "status"), [(0, 422), (-1, 422), (11, 422), (10**30, 422), ("2", 400), (True, 400)]
)
def test_there_are_as_many_cycles_as_the_page_is_told(
    campus: TestClient, kind: str, cycle: object, status: int
) -> None:
    asked = {"overlay": NO_PREEMPTION, "cycle": cycle, "what": "job", "name": "15.0"}
    answer = campus.post(f"/api/{kind}", json=asked, headers=OWN)
    assert answer.status_code == status
    assert ("there are 10 cycles" if status == 422 else "no number") in answer.json()["problem"]


def test_no_text_is_the_running_policy(campus: TestClient) -> None:
    for overlay in ("", " \n"):
        found = ask(campus, "edit", overlay=overlay)
        assert found["same"]
        assert not found["affects"]


@pytest.mark.parametrize("where", ["overlay", "file"])
def test_a_policy_that_nobody_starts_with_has_no_difference(campus: TestClient, where: str) -> None:
    own = (CAMPUS / "condor_config").read_text("utf-8")
    text = "NEGOTIATOR_INTERVAL 60\n"
    given: dict[str, object] = {"overlay": text}
    if where == "file":
        given = {"files": {"condor_config": text + own}, "overlay": "PRIORITY_HALFLIFE = 7200\n"}
    found = ask(campus, "edit", **given)
    assert not found["starts"]
    assert "changes" not in found
    (problem,) = [one for one in found["problems"] if one["file"]]
    name = "overlay" if where == "overlay" else "condor_config"
    assert (problem["file"], problem["from"], problem["to"]) == (name, [0, 0], [0, 22])
    checked = ask(campus, "check", **given)
    assert not checked["starts"]


def test_an_export_has_answers_about_all_who_gain_or_lose(campus: TestClient) -> None:
    found = ask(campus, "export", overlay=NO_PREEMPTION)
    edit = ask(campus, "edit", overlay=NO_PREEMPTION)
    for one in edit["changes"]["users"]:
        question = {"what": "user", "name": one["change"]["user"], "slot": None}
        (answer,) = [it["answer"] for it in found["answers"] if it["question"] == question]
        assert answer == ask(campus, "why", overlay=NO_PREEMPTION, **question)
    assert found["commands"][-1] == "pieslice lab POOL --edit change.config"
    refused = campus.post("/api/export", json={"overlay": "A 1\n"}, headers=OWN)
    assert refused.status_code == 422


def test_why_answers_before_and_after(campus: TestClient) -> None:
    pool = pieslice.read(CAMPUS)
    found = ask(campus, "why", overlay=NO_PREEMPTION, what="user", name=CAROL)
    before, after = (
        one.survey(user=CAROL).report() for one in (pool, pool.with_config(NO_PREEMPTION))
    )
    assert found["before"][0]["line"] == before[0].text  # type: ignore[union-attr]
    assert found["after"][0]["line"] == after[0].text  # type: ignore[union-attr]
    assert not found["same"]
    found = ask(campus, "why", overlay="", what="job", name="15.0", slot="slot11@node07@vm")
    assert found["same"]


@pytest.mark.parametrize(
    ("what", "name", "said"), [("job", "1000000.0", "no job"), ("user", "zed", "zed")]
)
def test_why_says_whom_there_is_not(campus: TestClient, what: str, name: str, said: str) -> None:
    found = ask(campus, "why", what=what, name=name)
    assert said in found["before"][0]["line"]


def test_findings_are_where_the_browser_counts_them(campus: TestClient) -> None:
    text = 'NOTE = "\U0001d4b3"\nPREEMPTION_REQUIREMENTS = "\U0001d4b3" != SubmiterUserPrio\n'
    found = ask(campus, "check", overlay=text)["findings"]
    (slip,) = [one for one in found if one["id"] == "P401"]
    column = len('PREEMPTION_REQUIREMENTS = "xx" != ')
    assert slip["file"] == "overlay"
    assert slip["from"] == [1, column]
    assert slip["fix"]["text"] == "SubmitterUserPrio"


def test_an_editor_is_told_what_a_macro_means_and_what_may_be_written(campus: TestClient) -> None:
    given: dict[str, object] = {"overlay": NO_PREEMPTION, "file": "overlay", "line": 0}
    hover = ask(campus, "hover", **given, column=4)
    assert hover["heading"] == "NEGOTIATOR_CONSIDER_PREEMPTION"
    assert ["value here", "false"] in hover["facts"]
    found = ask(campus, "complete", **{**given, "overlay": "NEGOTIATOR_CONSIDER_P"}, column=21)
    assert found["proposals"][0]["text"] == "NEGOTIATOR_CONSIDER_PREEMPTION"
    assert ask(campus, "hover", **{**given, "file": "other"}, column=4) is None


def test_only_files_of_the_configuration_have_a_text(campus: TestClient) -> None:
    for name in ("/etc/passwd", "../tour/condor_config", "slots.ads"):
        for kind in ("edit", "check"):
            answer = campus.post(f"/api/{kind}", json={"files": {name: "A = 1"}}, headers=OWN)
            assert answer.status_code == 422
            assert f"no file `{name}`" in answer.json()["problem"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"overlay": 1}', b'{"files": {"a": 1}}', b'{"files": 1}', b"\xff"]
)
def test_a_request_that_nobody_understands_is_said_to_be_one(
    campus: TestClient, body: bytes
) -> None:
    answer = campus.post("/api/edit", content=body, headers=OWN)
    assert answer.status_code in (400, 422)


def test_a_request_beyond_the_limit_is_refused_with_the_number(campus: TestClient) -> None:
    answer = campus.post("/api/edit", content=b"x" * (MOST + 1), headers=OWN)
    assert answer.status_code == 413
    assert "8 MiB" in answer.text


def test_a_scenario_has_no_files_and_no_check() -> None:
    reading = pieslice.read(ROOT / "examples" / "scenarios" / "two_users.json").reading
    trials, checks = start(reading, 0)
    try:
        pool = asyncio.run(trials.ask("overview"))
        assert pool["files"] == []
        assert not pool["checkable"]
        assert asyncio.run(checks.ask("check", EditedTexts("A = 1"))) == {"checked": False}
        found = asyncio.run(trials.ask("edit", EditedTexts("NEGOTIATOR_DEPTH_FIRST 1")))
        assert found["problems"][0]["file"] == "overlay"
    finally:
        trials.close()
        checks.close()


def test_no_file_is_changed(tmp_path: Path) -> None:
    (tmp_path / "condor_config").write_bytes((TOUR / "condor_config").read_bytes())
    for name in ("slots.ads", "jobs.ads"):
        (tmp_path / name).write_bytes((TOUR / name).read_bytes())
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in tmp_path.iterdir()}
    for client in opened(tmp_path):
        ask(client, "edit", overlay="A = 1", files={"condor_config": "PRIORITY_HALFLIFE = 60"})
        ask(client, "check", overlay="A = 1", files={"condor_config": "PRIORITY_HALFLIFE = 60"})
    after = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in tmp_path.iterdir()}
    assert after == before


# --- workers --------------------------------------------------------------------------------------


@pytest.fixture
def trials() -> Iterator[Worker]:
    worker = Worker("trials")
    worker.begin(pieslice.read(CAMPUS).reading, 0)
    worker.ready()
    yield worker
    worker.close()


@pytest.mark.parametrize("is_free", [True, False])
def test_garbage_of_edits_is_searched_for_in_pauses(
    is_free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[None] = []
    monkeypatch.setattr("gc.collect", lambda: searches.append(None))
    for counts, wanted in (((9, 0, 0), 0), ((9, 1, 0), 1), ((9, 0, 1), 2)):
        monkeypatch.setattr("gc.get_count", lambda counts=counts: counts)
        use_pause(object(), lambda: is_free)
        assert len(searches) == (wanted if is_free else 0)


def test_an_older_question_that_is_heard_late_ends_no_newer_one(campus: TestClient) -> None:
    for kind in ("check", "edit"):
        text = {"overlay": NO_PREEMPTION, "page": f"late {kind}"}
        assert "starts" in ask(campus, kind, **text, turn=2)
        assert ask(campus, kind, **text | {"overlay": ""}, turn=1) == {"cancelled": True}
        assert "starts" in ask(campus, kind, **text, turn=3)
        assert "starts" in ask(campus, kind, **text | {"page": "another"}, turn=1)
    assert campus.post("/api/check", json={"turn": "x"}, headers=OWN).status_code == 400


def test_the_newest_edit_counts_and_none_waits_behind_it(trials: Worker) -> None:
    texts = [EditedTexts(f"PRIORITY_HALFLIFE = {number}\n") for number in range(60, 70)]

    async def all_at_once(lanes: list[str]) -> list[object]:
        asked = [trials.ask("edit", one, lane=lane) for one, lane in zip(texts, lanes, strict=True)]
        return await asyncio.gather(*asked, return_exceptions=True)

    same = asyncio.run(all_at_once(["a page"] * len(texts)))
    assert isinstance(same[-1], dict)
    assert same[-1]["starts"]
    assert all(isinstance(one, Outdated) for one in same[1:-1])
    others = asyncio.run(all_at_once([f"page {number}" for number in range(len(texts))]))
    assert all(isinstance(one, dict) and one["starts"] for one in others)


class Overtaken(Worker):
    """Whose first question comes out of waiting for the beginning behind the next one."""

    def ready(self) -> Content:
        answer, self.waits = super().ready(), getattr(self, "waits", 0) + 1
        time.sleep(0.5 if self.waits == 1 else 0.0)
        return answer


def test_the_newest_question_counts_whatever_order_they_come_out_of_waiting_in() -> None:
    worker = Overtaken("trials")
    worker.begin(pieslice.read(TOUR).reading, 0)

    async def both() -> list[object]:
        texts = (EditedTexts(""), EditedTexts(NO_PREEMPTION))
        asked = [worker.ask("edit", one, lane="a page") for one in texts]
        return await asyncio.gather(*asked, return_exceptions=True)

    older, newer = asyncio.run(both())
    worker.close()
    assert isinstance(older, Outdated)
    assert isinstance(newer, dict)
    assert newer["starts"]


def test_a_worker_that_dies_is_named_and_another_one_answers() -> None:
    for client in opened(TOUR):
        first = lab_of(client).workers[0]
        assert first.pid is not None
        os.kill(first.pid, signal.SIGKILL)
        with pytest.raises(Gone, match="signal 9"):
            asyncio.run(first.ask("overview"))
        assert ask(client, "edit", overlay="PREEMPTION_REQUIREMENTS = false")["starts"]


def test_a_pool_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    reading = pieslice.read(TOUR).reading
    paths = evolve(reading.inputs.paths, folder=tmp_path)
    gone = evolve(reading, inputs=evolve(reading.inputs, paths=paths))
    with pytest.raises(Refused, match=r"slots\.ads"):
        start(gone, 0)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended meanwhile
            if int(stat.read_text("utf-8", "replace").rpartition(") ")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def wait_until(done: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.05)
    return bool(done())


@pytest.fixture
def command() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the address that it prints."""
    words = [sys.executable, "-m", "pieslice", "lab", str(TOUR), "--no-browser"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process, line.split()[-1]
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left(
    command: tuple[subprocess.Popen[str], str], end: signal.Signals
) -> None:
    process, address = command
    port = int(re.findall(r"127\.0\.0\.1:(\d+)/\?token=", address)[0])
    with socket.create_connection(("127.0.0.1", port)) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b" 421 " in browser.recv(100)
        workers = children(process.pid)
        assert len(workers) >= 2
        begun = time.monotonic()
        process.send_signal(end)
        process.wait(10)
        took = time.monotonic() - begun
    assert wait_until(lambda: not any(map(is_there, workers)), 10)
    if end == signal.SIGINT:
        assert process.returncode == 0
        assert took < 5  # 2 s on an idle machine


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_a_process_whose_server_was_killed_ends_without_a_word(tmp_path: Path) -> None:
    said = tmp_path / "said"
    words = [sys.executable, "-m", "pieslice", "lab", str(TOUR), "--no-browser"]
    with (
        said.open("w") as err,
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=err, text=True) as process,
    ):
        assert process.stdout is not None
        process.stdout.readline()  # its checks may still be starting
        workers = children(process.pid)
        process.kill()
    assert wait_until(lambda: not any(map(is_there, workers)), 60)
    assert said.read_text("utf-8") == ""


def test_it_listens_on_this_machine_alone(command: tuple[subprocess.Popen[str], str]) -> None:
    _, address = command
    port = int(re.findall(r":(\d+)/", address)[0])
    name = "127.0.0.1"
    with suppress(socket.gaierror):  # its own name may be unknown to it
        name = socket.gethostbyname(socket.gethostname())
    if name.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((name, port), timeout=2)


def test_a_port_that_is_taken_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    from pieslice.cli import main

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["lab", str(TOUR), "--no-browser", "--port", str(port)]) == 2
    assert f"--port {port}: address already in use" in capsys.readouterr().err
