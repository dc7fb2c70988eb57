"""The tables of ``pieslice lab``, long and short, and its columns where the page is narrow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import pieslice
from tests.pieslice.browsing import CAMPUS, opened, picture, served
from tests.pieslice.test_lab_access import serious

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false"
MANY = 5000
LONG = """async count => {
  const {showRows} = await import("/web/rows.js");
  const {make} = await import("/web/dom.js");
  const row = at => make("tr", {tabindex: 0}, make("td", {}, `row ${at}`));
  const items = Array.from({length: count}, (_, at) => at);
  showRows(document.getElementById("rows"), [make("th", {}, "row")], items, row);
}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


@pytest.fixture
def long(page: Page) -> Page:
    """A page whose table has 5,000 rows."""
    expect(page.locator("#rows button").first).to_be_visible()
    page.evaluate(LONG, MANY)
    expect(page.locator("#rows tbody tr").nth(1)).to_have_text("row 0")
    return page


def rows_there(page: Page) -> int:
    return page.locator("#rows tbody tr").count()


def test_of_a_long_table_only_what_is_seen_is_there(long: Page) -> None:
    assert rows_there(long) < 150
    expect(long.locator("#rows table")).to_have_attribute("aria-rowcount", str(MANY + 1))
    panel = long.locator("#rows")
    height = panel.evaluate("it => it.scrollHeight")
    for part in (0.1, 0.5, 0.9, 0.3):
        panel.evaluate("(it, part) => { it.scrollTop = it.scrollHeight * part; }", part)
        seen = long.locator("#rows tr", has_text=f"row {int(MANY * part)}")
        expect(seen.first).to_be_in_viewport()
        assert rows_there(long) < 150
    assert abs(panel.evaluate("it => it.scrollHeight") - height) < height * 0.01
    panel.evaluate("it => { it.scrollTop = it.scrollHeight; }")
    expect(long.locator("#rows tr", has_text=f"row {MANY - 1}")).to_be_in_viewport()


def test_keys_go_through_all_rows_of_a_long_table(long: Page) -> None:
    focused = long.locator("#rows tr:focus")
    long.locator("#rows tbody tr").nth(1).focus()
    for key, at in (
        ("ArrowDown", 1), ("End", MANY - 1), ("ArrowUp", MANY - 2), ("Home", 0), ("ArrowUp", 0),
    ):  # fmt: skip
        long.keyboard.press(key)
        expect(focused).to_have_text(f"row {at}")
        expect(focused).to_be_in_viewport()
        expect(focused).to_have_attribute("aria-rowindex", str(at + 2))
    for _ in range(70):
        long.keyboard.press("ArrowDown")
    expect(focused).to_have_text("row 70")
    long.keyboard.press("PageDown")
    expect(focused).not_to_have_text("row 70")
    expect(focused).to_be_in_viewport()


def test_machines_have_what_is_matched_on_them_and_their_slots(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    changes = pieslice.read(CAMPUS).diff(pieslice.read(CAMPUS).with_config(NO_PREEMPTION))
    page.get_by_role("tab", name=f"Machines {len(changes.machines)}").click()
    rows = page.locator("#rows tbody tr")
    expect(rows).to_have_count(len(changes.machines))
    first = changes.machines[0]
    expect(rows.first).to_contain_text(first.machine)
    change = int(first.matched.change)
    expect(rows.first.locator("td").nth(3)).to_have_text(f"\u2212{-change}")
    expect(rows.first.locator("td").last).to_have_text(str(first.slots))
    rows.first.click()
    expect(page.locator("#why-title")).to_have_text(first.machine)
    listed = page.locator("#answer li")
    expect(listed).to_have_count(first.slots)
    listed.first.get_by_role("button").click()
    expect(page.locator("#why-title")).to_contain_text(f"on slot11@{first.machine}")


def test_what_all_names_share_is_said_once(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    page.get_by_role("tab", name="Slots 15").click()
    expect(page.locator("#rows caption")).to_have_text("all names end in @vm")
    cell = page.locator("#rows tbody tr td").first
    expect(cell).to_have_attribute("title", "slot11@node07@vm")
    expect(cell.locator(".unseen")).to_have_text("@vm")


def test_columns_are_tabs_where_the_page_is_narrow(page: Page) -> None:
    columns = page.get_by_role("tablist", name="columns")
    expect(columns).to_be_hidden()
    page.set_viewport_size({"width": 1099, "height": 800})
    expect(columns).to_be_visible()
    for name, section in (("Pool", "map"), ("Who pays", "pays"), ("Policy", "policy")):
        tab = page.get_by_role("tab", name=name, exact=True)
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        for other in ("map", "pays", "policy"):
            seen = expect(page.locator(f"#{other}"))
            seen.to_be_visible() if other == section else seen.to_be_hidden()
        expect(page.locator("#why")).to_be_visible()
        assert serious(page) == []
    page.keyboard.press("Control+2")
    expect(page.locator("#groups canvas").first).to_be_focused()
    page.keyboard.press("F6")
    expect(page.locator("#pays")).to_be_visible()
    page.keyboard.press("Control+1")
    expect(page.locator(".cm-content")).to_be_focused()
    picture(page, "tabs")


def test_nothing_moves_where_the_system_asks_for_that(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    durations = page.evaluate(
        """() => [...document.querySelectorAll("*")].flatMap(it => {
          const {transitionDuration, animationName} = getComputedStyle(it);
          return [transitionDuration, animationName];
        })"""
    )
    assert set(durations) <= {"0s", "none"}
