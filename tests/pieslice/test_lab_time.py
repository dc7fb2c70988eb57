"""The cycles that follow, on the page of ``pieslice lab``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import pieslice
from pieslice.reports.names import shortest
from tests.pieslice.browsing import CAMPUS, opened, picture, served

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS, "--cycles", "4")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def held(page: Page) -> dict[str, list[str]]:
    """Who has how much before and after, by the table beside the map."""
    rows = page.locator("#holders tbody tr").all()
    cells = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]
    return {row[0]: row[2:] for row in cells}


def test_the_map_who_pays_and_why_follow_the_cycle(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_text("The same as a table").click()
    slider = page.get_by_label("cycle", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cycle-said")).to_have_text("cycle 2 of 4, 60 s later")
    page.keyboard.press("End")
    expect(page.locator("#cycle-said")).to_have_text("cycle 4 of 4, 3 min later")
    trial = pieslice.read(CAMPUS).session().edit(NO_PREEMPTION)
    changes = trial.later(4).changes
    expect(page.locator("#sentence")).to_contain_text("cycle 4:")
    names = shortest(one.name for one in trial.cycle.result.submitters)
    rows = page.locator("#rows tbody tr td:first-child").all_inner_texts()
    assert rows == [names[one.user] for one in changes.users]
    carol = "group_chemistry.carol@campus.example"
    assert held(page)[carol] == [
        f"{it.usage_after:g}"
        for one in (trial.session.base, trial)
        for it in one.later(4).cycle.result.submitters
        if it.name == carol
    ]
    page.locator("#rows tbody tr").first.click()
    expect(page.locator("#answer")).to_contain_text("waited")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("#sentence")).to_contain_text("carol loses 15 of 20 matches")


def test_an_edit_is_tried_at_the_cycle_that_is_shown(page: Page) -> None:
    page.get_by_label("cycle", exact=True).fill("3")
    expect(page.locator("#sentence")).to_contain_text("cycle 3: no difference")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(NO_PREEMPTION)
    changes = pieslice.read(CAMPUS).session().edit(NO_PREEMPTION).later(3).changes
    expect(page.locator("#sentence")).to_contain_text(changes.text().splitlines()[0][:30])
    page.keyboard.insert_text(" (")
    expect(page.locator(".stale-note").first).to_contain_text("not this text")
    page.keyboard.press("Control+z")
    expect(page.locator(".stale-note").first).to_be_hidden()
    expect(page.locator("#sentence")).to_contain_text("cycle 3:")


def test_play_goes_to_the_last_cycle_and_stops(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    play = page.locator("#cycle-play")
    play.focus()
    page.keyboard.press("Enter")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#cycle-said")).to_contain_text("cycle 3 of 4")
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Space")
    expect(page.locator("#cycle-said")).to_contain_text("cycle 4 of 4")
    expect(play).to_have_attribute("aria-pressed", "false")
    picture(page, "time")


def test_a_key_goes_from_cycle_to_cycle(page: Page) -> None:
    page.locator("#rows").focus()
    page.keyboard.press("Control+Shift+ArrowRight")
    expect(page.locator("#cycle-said")).to_contain_text("cycle 2 of 4")
    page.keyboard.press("Control+Shift+ArrowRight")
    expect(page.locator("#cycle-said")).to_contain_text("cycle 3 of 4")
    page.keyboard.press("Control+Shift+ArrowLeft")
    expect(page.locator("#cycle-said")).to_contain_text("cycle 2 of 4")


def test_a_link_has_the_cycle(browser: Browser, page: Page, address: str) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    page.get_by_label("cycle", exact=True).fill("2")
    expect(page.locator("#sentence")).to_contain_text("cycle 2:")
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.locator("#link-text")).not_to_have_value("")
    fragment = page.locator("#link-text").input_value().partition("#")[2]
    for other in opened(browser, f"{address}#{fragment}"):
        expect(other.locator("#sentence")).to_contain_text("cycle 2:")
        expect(other.get_by_label("cycle", exact=True)).to_have_value("2")
