"""Experiments on the page of ``pieslice lab``, in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, opened, picture, served, write

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def test_days_are_simulated_beside_the_page(page: Page) -> None:
    write(page, "NEGOTIATOR_CONSIDER_PREEMPTION = false\n")
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_role("button", name="Experiments").click()
    panel = page.locator("#experiment-simulate")
    panel.get_by_label("days").fill("0.02")
    panel.get_by_role("button", name="Run").click()
    expect(panel.locator(".outcome")).to_contain_text("B is better")
    expect(panel.locator("figure.chart svg g.zoom").first).to_be_visible()
    expect(panel.locator(".tools").first).to_be_visible()
    area = panel.locator("#usage path.fill").first
    assert area.evaluate("one => getComputedStyle(one).fill").startswith(("rgb", "url"))
    picture(page, "simulated")


def test_a_simulation_is_stopped(page: Page) -> None:
    page.get_by_role("button", name="Experiments").click()
    panel = page.locator("#experiment-simulate")
    panel.get_by_label("days").fill("30")
    panel.get_by_role("button", name="Run").click()
    expect(panel.locator("[role=status]")).to_contain_text("hour")
    panel.get_by_role("button", name="Stop").click()
    expect(panel.locator(".outcome")).to_have_text("Stopped.")
    expect(panel.get_by_role("button", name="Run")).to_be_enabled()


def test_a_sweep_is_a_grid_of_who_gains(page: Page) -> None:
    page.get_by_role("button", name="Experiments").click()
    page.get_by_role("tab", name="Sweep").click()
    panel = page.locator("#experiment-sweep")
    panel.get_by_label("macro").first.fill("NEGOTIATOR_CONSIDER_PREEMPTION")
    panel.get_by_label("values, with commas").fill("true, false")
    panel.get_by_role("button", name="Run").click()
    points = panel.locator("button.point")
    expect(points).to_have_count(2)
    expect(points.first).to_contain_text("0 slots")
    carol = points.nth(1).locator(".gain", has_text="carol")
    expect(carol).to_contain_text("\u221215")
    expect(points.nth(1)).to_contain_text("15 slots")
    picture(page, "sweep")
    points.nth(1).click()
    expect(page.locator("#experiments-dialog")).to_be_hidden()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    expect(page.locator(".cm-content")).to_contain_text("NEGOTIATOR_CONSIDER_PREEMPTION = false")


def test_a_counterexample_is_opened_and_left_again(page: Page) -> None:
    write(page, "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio")
    page.get_by_role("button", name="Experiments").click()
    page.get_by_role("tab", name="Break it").click()
    panel = page.locator("#experiment-fuzz")
    expect(panel.get_by_label("macro")).to_have_value("PREEMPTION_REQUIREMENTS")
    panel.get_by_label("pairs at most").fill("20000")
    panel.get_by_role("button", name="Run").click()
    finding = panel.locator(".finding", has_text="margin: bob preempts ann")
    expect(finding).to_contain_text("overlay, line 2")
    picture(page, "counterexamples")
    finding.get_by_role("button", name="Open it as a pool").click()
    expect(page.locator("#visit")).to_contain_text("A counterexample: bob preempts ann")
    expect(page.locator("#pool")).to_contain_text("counterexample-to-margin")
    expect(page.locator("#refusal")).to_be_hidden()
    page.get_by_role("button", name="PREEMPTION_REQUIREMENTS = RemoteUserPrio > 2").click()
    expect(page.locator("#sentence")).to_contain_text("ann")
    picture(page, "counterexample")
    page.get_by_role("button", name="Back to campus").click()
    expect(page.locator("#pool")).to_contain_text("campus")
    expect(panel.locator(".finding").first).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#visit")).to_be_hidden()
    expect(page.locator(".cm-content")).to_contain_text("RemoteUserPrio > SubmitterUserPrio")
