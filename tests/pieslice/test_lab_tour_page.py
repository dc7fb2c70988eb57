"""The tour of ten minutes in docs/lab.md, step by step, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, ROOT, opened, picture, served

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: The section of the tour in one line, so that what is said is found wherever lines end.
TOUR = " ".join(
    (ROOT / "docs" / "lab.md").read_text().partition("## A tour")[2].partition("\n## ")[0].split()
)


def said(words: str) -> str:
    """What the tour says."""
    assert words in TOUR
    return words


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


def rewrite(page: Page, text: str) -> None:
    """Replace the text by a line of the tour."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")  # Chromium keeps styles of what is replaced, and is refused them
    page.keyboard.insert_text(said(text))


def break_it(page: Page) -> None:
    page.get_by_role("button", name=said("Experiments")).click()
    page.get_by_role("tab", name=said("Break it")).click()
    panel = page.locator("#experiment-fuzz")
    panel.get_by_label("pairs at most").fill("20000")
    panel.get_by_role("button", name=said("Run")).click()


def test_the_tour_shows_what_it_says(browser: Browser, address: str, tmp_path: Path) -> None:
    for page in opened(browser, address):
        _who_pays(page)
        _a_quota(page)
        _why_a_job_waits(page)
        _a_policy_is_broken_and_repaired(page)
        page.get_by_role("button", name=said("Link"), exact=True).click()
        expect(page.locator("#link-text")).not_to_have_value("")
        link = page.locator("#link-text").input_value()
        page.get_by_role("button", name="Close").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=said("Export"), exact=True).click()
        download.value.save_as(tmp_path / "page.html")
    for page in opened(browser, f"{address}#{link.partition('#')[2]}"):
        expect(page.locator(".cm-content")).to_contain_text("SubmitterUserPrio * 1.2")
        expect(page.locator("#sentence")).to_contain_text(said("carol loses 15"))
    alone = browser.new_context(offline=True).new_page()
    alone.goto((tmp_path / "page.html").as_uri())
    expect(alone.locator("body")).to_contain_text("carol loses 15 of 20 matches")


def _who_pays(page: Page) -> None:
    knob = said("NEGOTIATOR_CONSIDER_PREEMPTION = false")
    page.get_by_role("button", name=knob).click()
    expect(page.locator("#sentence")).to_contain_text(said("carol loses 15 of 20 matches"))
    expect(page.locator("#sentence")).to_contain_text(said("dave keeps 11 claims"))
    page.get_by_role("tab", name=said("Slots")).click()
    page.locator("#rows tbody tr").first.click()
    answer = page.locator("#answer .side")
    expect(answer.nth(0)).to_contain_text(said("candidate"))
    expect(answer.nth(1)).to_contain_text("claimed while preemption is not considered")
    page.get_by_role("tab", name=said("Users")).click()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    expect(page.locator("#sentence")).to_contain_text(said("no difference"))


def _a_quota(page: Page) -> None:
    rewrite(page, "GROUP_QUOTA_DYNAMIC_group_chemistry = 0.05")
    expect(page.locator("#sentence")).to_contain_text("carol loses all of 20 matches")
    assert said("She loses all of 20 matches; 12 of the weight goes to dave, 8 to alice.")
    for user, change in (("carol", "\u221220"), ("dave", "+12"), ("alice", "+8")):
        row = page.locator("#rows tbody tr", has_text=user)
        expect(row.locator("td").last).to_have_text(change)
    rewrite(page, "GROUP_QUOTA_DYNAMIC_group_chemistry = 0.5")
    expect(page.locator("#sentence")).to_contain_text(said("the same matches, by other numbers"))


def _why_a_job_waits(page: Page) -> None:
    page.locator("#rows tbody tr", has_text="carol").click()
    limit = "5 not requested: its schedd asks for 20 jobs in a session at most"
    expect(page.locator("#answer")).to_contain_text(said(limit))
    page.locator("#answer").get_by_text(said("15.0"), exact=True).first.click()
    expect(page.locator("#why-title")).to_have_text("Why job 15.0")


def _a_policy_is_broken_and_repaired(page: Page) -> None:
    rewrite(page, "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio")
    break_it(page)
    findings = page.locator("#experiment-fuzz .finding")
    expect(findings.first).to_contain_text("bob preempts ann")
    expect(findings.nth(1)).to_contain_text("loses a slot to group")
    findings.first.get_by_role("button", name=said("Open it as a pool")).click()
    expect(page.locator("#visit")).to_contain_text("A counterexample")
    page.get_by_role("button", name=said("Back to campus")).click()
    expect(findings.first).to_be_visible()
    page.get_by_role("button", name=said("Close")).click()
    rewrite(
        page,
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2"
        " && (SubmitterGroup =?= RemoteGroup || RemoteGroupResourcesInUse > RemoteGroupQuota)",
    )
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    break_it(page)
    outcome = page.locator("#experiment-fuzz .outcome")
    expect(outcome).to_contain_text(said("no counterexample"), ignore_case=True)
    picture(page, "repaired")
    page.get_by_role("button", name="Close").click()
