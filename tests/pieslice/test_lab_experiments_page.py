"""Experiments on the page of ``pieslice lab``, in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, opened, picture, served, write
from tests.pieslice.test_lab_access import serious

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


def test_an_idle_job_is_asked_about_and_the_map_is_by_machine(page: Page) -> None:
    # Questions 9 and 8 of tests/pieslice/test_lab_questions.py, with the mouse.
    page.get_by_label("order:").select_option("machine")
    expect(page.locator("#groups .machine").first).to_contain_text("node01")
    page.get_by_text("The same as a table").click()
    row = page.locator("#holders tbody tr").first
    expect(row).to_contain_text("node01")
    write(page, "NEGOTIATOR_CONSIDER_PREEMPTION = false\n")
    page.locator("#rows tbody tr", has_text="frank").click()
    expect(page.locator("#answer")).to_contain_text("103 jobs in 3 autoclusters")
    page.locator("#answer").get_by_role("button", name="8.0").first.click()
    expect(page.locator("#why-title")).to_have_text("Why job 8.0")
    expect(page.locator("#answer")).to_contain_text("0 candidates left")
    expect(page.locator("#answer .part").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_experiments_can_be_read_by_everybody(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    write(page, "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio")
    page.get_by_role("button", name="Experiments").click()
    panel = page.locator("#experiment-simulate")
    panel.get_by_label("days").fill("0.01")
    panel.get_by_role("button", name="Run").click()
    expect(panel.locator("figure.chart").first).to_be_visible()
    assert serious(page) == []
    page.get_by_role("tab", name="Sweep").click()
    panel = page.locator("#experiment-sweep")
    panel.get_by_label("macro").first.fill("NEGOTIATOR_CONSIDER_PREEMPTION")
    panel.get_by_label("values, with commas").fill("true, false, 17 x")
    panel.get_by_role("button", name="Run").click()
    expect(panel.locator("button.point")).to_have_count(2)
    picture(page, f"sweep-{scheme}")
    assert serious(page) == []
    page.get_by_role("tab", name="Break it").click()
    panel = page.locator("#experiment-fuzz")
    panel.get_by_label("pairs at most").fill("5000")
    panel.get_by_role("button", name="Run").click()
    expect(panel.locator(".finding").first).to_be_visible()
    picture(page, f"broken-{scheme}")
    assert serious(page) == []
