"""The page of ``pieslice lab`` in a browser, as somebody uses it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, PATIENCE, ROOT, opened, picture, served, write

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def changes(page: Page) -> dict[str, str]:
    """Who gains how much, as the page has it."""
    rows = page.locator("#rows tbody tr").all()
    return {
        row.locator("td").first.inner_text(): row.locator("td").last.inner_text() for row in rows
    }


def test_the_address_loses_its_token(page: Page) -> None:
    assert page.url.endswith("/")
    assert page.evaluate("document.cookie") == ""
    expect(page.locator("#pool")).to_contain_text("campus")
    expect(page.locator("#pool")).to_contain_text("56 slots")
    expect(page.locator("#agreement")).to_have_text(re.compile("25 of 25 decisions agree"))
    picture(page, "first")


def test_a_knob_is_changed_and_undone(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15 of 20 matches")
    assert changes(page) == {"carol": "\u221215", "dave": "+11", "alice": "+4", "frank": "0"}
    expect(page.get_by_role("tab", name="Slots 15")).to_be_visible()
    page.locator("#rows tr", has_text="carol").click()
    answer = page.locator("#answer")
    expect(answer.locator(".side").nth(0)).to_contain_text("20 matched, 5 not")
    expect(answer.locator(".side").nth(1)).to_contain_text("5 matched, 20 not")
    picture(page, "difference")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    expect(page.locator("#sentence")).to_contain_text("no difference")


def test_a_slot_that_goes_another_way_says_why(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    page.get_by_role("tab", name="Slots 15").click()
    row = page.locator("#rows tbody tr", has_text="slot11@node07@vm")
    expect(row).to_contain_text("carol 15.0 \u2715 dave")
    expect(row).to_contain_text("stays with dave")
    row.click()
    expect(page.locator("#why-title")).to_have_text("Why job 15.0 on slot11@node07@vm")
    expect(page.locator("#answer .side").nth(1)).to_contain_text(
        "claimed while preemption is not considered"
    )
    picture(page, "why")


def test_a_slip_is_marked_and_repaired_by_the_keyboard(page: Page) -> None:
    write(page, "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmiterUserPrio")
    finding = page.locator("#findings li.warning", has_text="SubmiterUserPrio")
    expect(finding).to_contain_text("did you mean `SubmitterUserPrio`?")
    expect(page.locator(".cm-lintRange-warning").first).to_be_visible()
    page.keyboard.press("Control+.")
    expect(page.locator(".cm-content")).to_contain_text("> SubmitterUserPrio")
    expect(finding).to_have_count(0)


def test_a_text_that_nobody_starts_with_keeps_the_last_difference(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    write(page, "PREEMPTION_REQUIREMENTS = RemoteUserPrio > (")
    expect(page.locator("#verdict")).to_contain_text("condor_negotiator would not start")
    notes = page.locator(".stale-note")
    for note in notes.all():
        expect(note).to_contain_text("not this text")
    assert changes(page)["carol"] == "\u221215"
    expect(page.locator(".cm-lint-marker-error")).to_be_visible()
    page.keyboard.press("Escape")
    picture(page, "refused")
    page.keyboard.press("Control+z")
    expect(notes.first).to_be_hidden()


def test_a_file_of_the_configuration_is_edited(page: Page) -> None:
    page.get_by_role("tab", name="condor_config").click()
    expect(page.locator(".cm-content")).to_contain_text("MOUNT_UNDER_SCRATCH")
    write(page, f"\n{NO_PREEMPTION}\n")
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    expect(page.get_by_role("tab", name="condor_config")).to_contain_text("\u25cf")


def test_a_macro_is_explained_and_completed(page: Page) -> None:
    write(page, NO_PREEMPTION)
    page.locator(".tok-name", has_text="CONSIDER_PREEMPTION").hover()
    expect(page.locator(".hover")).to_contain_text("Looks at claimed slots at all")
    page.mouse.move(700, 400)
    page.keyboard.press("Enter")
    page.keyboard.type("PRIORITY_HAL")
    # While it is asked for proposals again, the list takes no click.
    settled = page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) li")
    settled.filter(has_text="PRIORITY_HALFLIFE").first.click()
    expect(page.locator(".cm-content")).to_contain_text("PRIORITY_HALFLIFE")


def test_nothing_needs_a_mouse(page: Page) -> None:
    expect(page.locator("#rows button").first).to_be_visible()
    page.keyboard.press("Alt+3")
    expect(page.locator("#rows button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.keyboard.press("Alt+3")
    expect(page.locator("#rows tbody tr").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#why-title")).to_contain_text("dave")
    page.keyboard.press("F6")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("F6")
    expect(page.locator("#groups canvas").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#said")).to_contain_text("dave, running")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_the_table_beside_the_map_says_the_same(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_text("The same as a table").click()
    row = page.locator("#holders tr", has_text="group_chemistry.carol")
    assert [cell.inner_text() for cell in row.locator("td").all()[2:]] == ["35", "20"]


def test_a_narrow_page_has_one_column_at_a_time(page: Page) -> None:
    page.set_viewport_size({"width": 900, "height": 800})
    page.get_by_role("tab", name="Pool", exact=True).click()
    expect(page.locator("#groups canvas").first).to_be_visible()
    expect(page.locator("#editor")).to_be_hidden()
    picture(page, "narrow")


@pytest.mark.parametrize("width", [1280, 1440, 3840])
def test_the_head_is_whole_and_nothing_is_beside_the_page(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.locator("#pool")).to_contain_text("6 users")
    cut = "all => all.filter(it => it.scrollWidth > it.clientWidth).map(it => it.id || it.tagName)"
    assert page.locator("header, header *, main, main > section").evaluate_all(cut) == []
    assert page.evaluate("document.scrollingElement.scrollWidth") == width
    picture(page, f"{width}-wide")


def test_names_are_text_whatever_they_are(browser: Browser, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>\u202e"
    for file in ("slots.ads", "jobs.ads", "submitters.ads", "accounting.ads"):
        text = (CAMPUS / file).read_text("utf-8")
        (tmp_path / file).write_text(re.sub(r"\bdave(?=@|\")", name, text), "utf-8")
    shutil.copy(CAMPUS / "condor_config", tmp_path)
    for address in served(tmp_path):
        for page in opened(browser, address):
            page.on("dialog", lambda dialog: pytest.fail("a name was run"))
            page.get_by_role("button", name=NO_PREEMPTION).click()
            expect(page.locator("#sentence")).to_contain_text("loses 15")
            expect(page.locator("#legend")).to_contain_text("<img src=x onerror=alert(1)>\\u{202e}")
            assert page.locator("img[src]").count() == 0


def test_a_server_that_has_ended_is_said_to_have_and_the_text_stays(browser: Browser) -> None:
    lab = served(ROOT / "examples" / "tour")
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(next(lab))
    expect(page.locator("#verdict")).to_contain_text("starts")
    next(lab, None)
    write(page, NO_PREEMPTION)
    expect(page.locator("#trouble")).to_contain_text("The server has ended")
    expect(page.locator(".cm-content")).to_contain_text(NO_PREEMPTION)
    context.close()
