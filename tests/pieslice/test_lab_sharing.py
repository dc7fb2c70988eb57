"""What leaves the page of ``pieslice lab``, and what it makes of it in another browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, ROOT, opened, picture, served, write

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SUGGESTED = "NEGOTIATOR_CONSIDER_PREEMPTION = false"
ANSWER = "15 slots go another way"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def link_of(page: Page) -> str:
    """What the page gives as its link."""
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.locator("#link-text")).not_to_have_value("")
    link = page.locator("#link-text").input_value()
    page.get_by_role("button", name="Close").click()
    return link


def end_of_text(page: Page) -> str:
    """The last line of the text in the editor; a long text has only those lines that are seen."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    lines = page.locator(".cm-line")
    lines.last.wait_for()
    return lines.all_inner_texts()[-2].rstrip("\n")


def at(address: str, fragment: str) -> str:
    """The printed address with a fragment."""
    return f"{address}#{fragment}"


@pytest.fixture(scope="module")
def link(browser: Browser, address: str) -> str:
    """The link of a page with a changed file, an overlay and an answer."""
    for page in opened(browser, address):
        page.get_by_role("button", name=SUGGESTED).click()
        page.get_by_role("tab", name="condor_config").click()
        write(page, "\n# a file with \U0001d4b3 in it\n")
        page.get_by_role("tab", name="Slots 15").click()
        page.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
        expect(page.locator("#why-title")).to_have_text("Why job 15.0 on slot11@node07@vm")
        page.get_by_role("button", name="before", exact=True).click()
        found = link_of(page)
    return found.partition("#")[2]


def test_a_link_opens_in_another_laboratory_of_the_pool(browser: Browser, link: str) -> None:
    for address in served(CAMPUS):
        for page in opened(browser, at(address, link)):
            expect(page.locator("#sentence")).to_contain_text("carol loses 15 of 20 matches")
            expect(page.locator("#why-title")).to_have_text("Why job 15.0 on slot11@node07@vm")
            expect(page.get_by_role("tab", name="Slots 15")).to_have_attribute(
                "aria-selected", "true"
            )
            before = page.get_by_role("button", name="before", exact=True)
            expect(before).to_have_attribute("aria-pressed", "true")
            assert end_of_text(page) == "# a file with \U0001d4b3 in it"
            expect(page.locator("#refusal")).to_be_hidden()
            assert link_of(page).partition("#")[2] == link
            page.get_by_role("tab", name="overlay").click()
            expect(page.locator(".cm-content")).to_contain_text(SUGGESTED)


def test_a_page_that_is_loaded_again_has_its_text(page: Page) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    expect(page).to_have_url(re.compile(r"#p1\."))
    page.reload()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page).to_have_url(re.compile(r"^[^#]*$"))


def flipped(link: str, place: int) -> str:
    """A link with another letter at a place of its content."""
    return f"{link[:place]}{'A' if link[place] != 'A' else 'B'}{link[place + 1 :]}"


def test_a_link_that_is_none_here_is_said_to_be_in_one_sentence(
    browser: Browser, address: str, link: str
) -> None:
    version, pool, content = link.split(".")
    wrong = {
        f"p2.{pool}.{content}": "another version of the laboratory, 2, and this one reads 1",
        f"{version}.{'0' * len(pool)}.{content}": "The link is of another pool",
        f"{version}.{pool}.{content[:-20]}": "The link is damaged",
        f"{version}.{pool}.": "The link is damaged",
        f"{version}.{pool}.%%%": "The link is damaged",
        "somewhere": "The link is damaged",
    } | {flipped(link, place): "The link is damaged" for place in (40, len(link) // 2)}
    for fragment, said in wrong.items():
        for page in opened(browser, at(address, fragment)):
            expect(page.locator("#refusal")).to_contain_text(said)
            expect(page.locator("#refusal")).to_contain_text("the page opens without it.")
            expect(page.locator("#sentence")).to_have_text("")
            expect(page.get_by_role("button", name=SUGGESTED)).to_be_visible()


def test_a_link_is_opened_in_a_page_that_is_open(page: Page, link: str) -> None:
    page.get_by_role("button", name="Link", exact=True).click()
    picture(page, "link")
    page.get_by_label("Open a link").fill(f"http://127.0.0.1:1/#{flipped(link, 40)}")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("#link-wrong")).to_have_text("The link is damaged.")
    page.get_by_label("Open a link").fill(f"http://127.0.0.1:1/#{link}")
    page.keyboard.press("Enter")
    expect(page.locator("#link-dialog")).to_be_hidden()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    assert end_of_text(page) == "# a file with \U0001d4b3 in it"
    page.keyboard.press("Control+z")
    assert "a file with" not in end_of_text(page)


def test_a_link_of_another_pool_changes_nothing(browser: Browser, link: str) -> None:
    for address in served(ROOT / "examples" / "tour"):
        for page in opened(browser, at(address, link)):
            expect(page.locator("#refusal")).to_contain_text("The link is of another pool")
            expect(page.locator("#rows")).to_contain_text("Change something in the policy")
