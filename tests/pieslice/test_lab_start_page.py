"""The page of ``pieslice lab`` without a pool in a browser, as somebody uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, ROOT, looked_at, picture, served

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EVENING = ROOT / "tests" / "vectors" / "pools" / "campus-evening"
TOUR = ROOT / "examples" / "tour"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a laboratory of its own, without a pool."""
    for address in served():
        for page in looked_at(browser, address):
            expect(page.locator("#commands")).to_contain_text("mkdir mypool")
            yield page


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders as a file manager does."""
    devices = page.context.new_cdp_session(page)
    data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, "x": 300, "y": 150, "data": data}
        devices.send("Input.dispatchDragEvent", event)


def test_a_dropped_folder_is_named_and_opened(page: Page) -> None:
    drop(page, EVENING)
    rows = page.locator("#list tr")
    expect(rows).to_have_count(len(list(EVENING.iterdir())))
    expect(rows.filter(has_text="slots.ads")).to_contain_text("56 slots")
    expect(page.locator("#lacking")).to_be_hidden()
    expect(page.locator("#open")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#pool")).to_contain_text("campus-evening, 20 Nov 22:33 UTC: 56 slots")
    expect(page.locator("#agreement")).to_have_text(
        "16 of 16 decisions agree with the real negotiator"
    )
    expect(page.locator(".cm-content")).to_be_focused()
    suggestions = page.locator("#rows button")
    expect(suggestions).to_have_count(3)
    line = suggestions.last.inner_text()
    suggestions.last.click()
    expect(page.locator(".cm-content")).to_contain_text(line)
    expect(page.get_by_role("tab", name="Slots")).not_to_have_text("Slots 0")


def test_slots_alone_are_shown_and_jobs_are_added(page: Page) -> None:
    picture(page, "start")
    drop(page, TOUR / "slots.ads", TOUR / "condor_config")
    missing = page.locator("#missing tr", has_text="condor_q -all -global -l")
    expect(missing).to_contain_text("nothing can be matched")
    picture(page, "dropped")
    page.get_by_role("button", name="Open the pool").click()
    expect(page.locator("#groups canvas").first).to_be_visible()
    expect(page.locator("#rows")).to_contain_text("No jobs: nothing can be matched")
    expect(page.locator("#verdict")).to_contain_text("starts")
    page.get_by_role("button", name="Other files").click()
    expect(page.locator("#list tr")).to_have_count(2)
    page.locator("#files").set_input_files(TOUR / "jobs.ads")
    expect(page.locator("#list tr")).to_have_count(3)
    page.get_by_role("button", name="Open the pool").click()
    expect(page.locator("#rows button")).to_have_count(3)


def test_a_folder_is_chosen_and_files_are_removed(page: Page) -> None:
    page.locator("#folder").set_input_files(TOUR)
    expect(page.locator("#list tr", has_text="tour/jobs.ads")).to_be_visible()
    page.get_by_role("button", name="remove tour/slots.ads").click()
    expect(page.locator("#open")).to_be_disabled()
    expect(page.locator("#missing tr").first).to_contain_text("condor_status -l")


def test_the_example_is_one_click_away(page: Page) -> None:
    page.get_by_role("button", name="Try the campus example").click()
    expect(page.locator("#agreement")).to_contain_text("25 of 25 decisions agree")


def test_what_is_pasted_is_named_and_what_is_wrong_is_said(page: Page) -> None:
    page.get_by_label("Or paste").fill("Name OpSys Arch State\nslot1 LINUX X86_64 Idle\n")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#progress")).to_contain_text("condor_status -long")
    page.get_by_label("Or paste").fill((TOUR / "slots.ads").read_text("utf-8"))
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#list tr")).to_contain_text("10 slots")
    expect(page.get_by_label("Or paste")).to_have_value("")


def test_commands_are_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy").click()
    expect(page.locator("#copy")).to_have_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.splitlines()[0] == "mkdir mypool"
    assert "condor_status -l > mypool/slots.ads" in text.splitlines()


def test_names_of_files_are_text_and_too_much_is_refused_with_the_number(
    page: Page, tmp_path: Path
) -> None:
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    folder.mkdir()
    (folder / "<b>slots.ads").write_bytes((CAMPUS / "slots.ads").read_bytes())
    (folder / ".hidden").write_bytes(b"x")
    page.on("dialog", lambda dialog: pytest.fail("a name was run"))
    drop(page, folder)
    expect(page.locator("#list tr")).to_contain_text("<b>slots.ads")
    expect(page.locator("#progress")).to_contain_text("1 hidden file is left out")
    assert page.locator("img").count() == 0
    with (folder / "large").open("wb") as large:
        large.truncate((1 << 30) + 1)
    drop(page, folder)
    expect(page.locator("#progress")).to_contain_text("more than the 1,024 MiB")
    expect(page.locator("#list tr")).to_have_count(1)


def test_nothing_on_the_page_needs_a_mouse(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.locator("#choose")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.insert_text((TOUR / "slots.ads").read_text("utf-8"))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#list tr")).to_contain_text("10 slots")
