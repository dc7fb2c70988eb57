"""The captures of a history, one after another, in ``pieslice lab``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from starlette.testclient import TestClient

import pieslice
from pieslice.lab.command import start
from pieslice.lab.laboratory import Lab
from pieslice.lab.server import application
from pieslice.recording.store import Recorder
from tests.pieslice.browsing import CAMPUS, looked_at, picture, served, write
from tests.pieslice.test_lab import OWN, PORT, ask
from tests.pieslice.test_recording import texts_of_folder

NOON = 1_795_000_000
NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campus, and five and ten minutes later with fewer jobs."""
    path = tmp_path_factory.mktemp("campus") / "pool.history"
    texts = texts_of_folder(CAMPUS)
    with Recorder(path) as recorder:
        for number in range(3):
            jobs = "\n\n".join(texts["jobs.ads"].strip("\n").split("\n\n")[100 * number :])
            recorder.append(NOON + 300 * number, {**texts, "jobs.ads": f"{jobs}\n"})
    return path


@pytest.fixture
def client(history: Path) -> Iterator[TestClient]:
    lab = Lab(lambda: start(pieslice.read(history).reading, 0), PORT)
    with TestClient(application(lab), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(lab.address)
        yield client
    lab.close()


def test_each_capture_of_a_history_can_be_opened(client: TestClient, history: Path) -> None:
    page = client.get("/api/pool").json()
    assert page["captures"]["at"] == 2
    times = page["captures"]["times"]
    assert len(times) == 3
    for number in (0, 2, 1):
        assert ask(client, "capture", number=number) == {}
        found = client.get("/api/pool").json()
        assert found["captures"] == {"times": times, "at": number}
        one = pieslice.read(history, at=NOON + 300 * number)
        assert found["counts"]["jobs"] == one.capture.facts.jobs
        edit = ask(client, "edit", overlay=NO_PREEMPTION)
        wanted = one.diff(one.with_config(NO_PREEMPTION)).to_dict()
        assert edit["changes"]["users"] == wanted["users"]
    command = ask(client, "export", overlay=NO_PREEMPTION)["commands"][-1]
    assert f"--at {times[1]}" in command


@pytest.mark.parametrize(("number", "status"), [(-1, 422), (3, 422), ("1", 400), (None, 400)])
def test_there_are_as_many_captures_as_the_history_has(
    client: TestClient, number: object, status: int
) -> None:
    asked = {"number": number}
    assert client.post("/api/capture", json=asked, headers=OWN).status_code == status
    assert client.get("/api/pool").json()["captures"]["at"] == 2


def test_who_has_another_capture_open_is_told_so(client: TestClient) -> None:
    pool = 1
    ask(client, "capture", number=0)
    asked = {"overlay": NO_PREEMPTION, "pool": pool}
    answer = client.post("/api/edit", json=asked, headers=OWN)
    assert answer.status_code == 422
    assert "reload the page" in answer.json()["problem"]


def test_a_pool_that_is_no_history_has_no_captures() -> None:
    lab = Lab(lambda: start(pieslice.read(CAMPUS).reading, 0), PORT)
    with TestClient(application(lab), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(lab.address)
        assert client.get("/api/pool").json()["captures"] is None
        answer = client.post("/api/capture", json={"number": 0}, headers=OWN)
        assert "no history" in answer.json()["problem"]
    lab.close()


@pytest.mark.browser
@pytest.mark.slow
def test_the_text_goes_along_to_another_capture(browser: Browser, history: Path) -> None:
    for address in served(history):
        for page in looked_at(browser, address):
            write(page, f"{NO_PREEMPTION}\n")
            last = pieslice.read(history)
            changes = last.diff(last.with_config(NO_PREEMPTION))
            expect(page.locator("#sentence")).to_contain_text(str(changes).splitlines()[0][:30])
            expect(page.locator("#pool")).to_contain_text("jobs")
            slider = page.get_by_label("capture", exact=True)
            slider.focus()
            page.keyboard.press("Home")
            expect(page.locator("#capture-said")).to_contain_text("1 of 3")
            expect(page.locator("#pool")).to_contain_text("376 jobs")
            expect(page.locator("#sentence")).to_contain_text("carol loses 15")
            expect(page.locator(".cm-content")).to_contain_text(NO_PREEMPTION)
            expect(slider).to_be_focused()
            picture(page, "captures")


@pytest.mark.browser
@pytest.mark.slow
def test_captures_are_played_to_the_last_and_paused(browser: Browser, history: Path) -> None:
    for address in served(history):
        for page in looked_at(browser, address):
            write(page, f"{NO_PREEMPTION}\n")
            expect(page.locator("#capture-said")).to_contain_text("3 of 3")
            page.locator("#capture-play").click()
            for number in (1, 2, 3):
                expect(page.locator("#capture-said")).to_contain_text(f"{number} of 3")
                expect(page.locator(".cm-content")).to_contain_text(NO_PREEMPTION)
            expect(page.locator("#capture-play")).to_have_attribute("aria-pressed", "false")
            page.locator("#capture-play").click()
            page.get_by_role("button", name="Pause").click()
            expect(page.locator("#capture-play")).to_have_attribute("aria-pressed", "false")
            said = page.locator("#capture-said").inner_text()
            page.wait_for_timeout(2500)
            expect(page.locator("#capture-said")).to_have_text(said)
