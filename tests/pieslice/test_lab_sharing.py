"""What leaves the page of ``pieslice lab``, and what it makes of it in another browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pieslice.cli import main
from tests.pieslice.browsing import CAMPUS, ROOT, opened, picture, saved, served, write

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
            expect(page.locator("#rows")).to_contain_text("Change something")


# --- exported pages -------------------------------------------------------------------------------


def export(page: Page, folder: Path) -> Path:
    """The file that the page gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Export", exact=True).click()
    assert download.value.suggested_filename == "campus.html"
    target = folder / "page.html"
    download.value.save_as(target)
    return target


def from_disk(browser: Browser, file: Path) -> Iterator[Page]:
    """A page that is opened from the disk, with the network off."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda one: wrong.append(one.text))
    page.on("pageerror", lambda one: wrong.append(str(one)))
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.on("dialog", lambda dialog: pytest.fail("a name was run"))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert not wrong
    assert [one for one in asked if not one.startswith("file:")] == []


def test_an_exported_page_shows_the_same_without_a_server(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.locator("#rows tr", has_text="frank").click()
    expect(page.locator("#why-title")).to_contain_text("frank")
    expect(page.locator("#answer .side").first).to_contain_text("frank")
    page.get_by_role("tab", name="Slots 15").click()
    wanted = page.locator("#rows").inner_text()
    for off in from_disk(browser, export(page, tmp_path)):
        expect(off.locator("#sentence")).to_contain_text("carol loses 15 of 20 matches")
        assert off.locator("#rows").inner_text() == wanted
        expect(off.locator("#why-title")).to_contain_text("frank")
        expect(off.locator("#groups canvas")).to_have_count(5)
        expect(off.locator("#commands")).to_contain_text("pieslice diff")
        expect(off.locator("#texts")).to_contain_text(SUGGESTED)
        off.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
        expect(off.locator("#answer .side").nth(1)).to_contain_text(
            "claimed while preemption is not considered"
        )
        off.get_by_role("tab", name="Users 4").click()
        off.locator("#rows tbody tr", has_text="carol").click()
        off.locator("#answer").get_by_role("button", name="15.0").first.click()
        expect(off.locator("#why-title")).to_have_text("Why job 15.0")
        off.locator("#groups canvas").first.focus()
        off.keyboard.press("ArrowRight")
        off.keyboard.press("Enter")
        expect(off.locator("#answer")).not_to_contain_text("Why job 15.0")
        picture(off, "exported")


def test_an_exported_page_has_the_rank_list_and_the_expressions_that_were_looked_at(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    page.get_by_role("tab", name="Slots 15").click()
    page.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
    wanted = {}
    for name, part in (("Rank list", "candidates"), ("Expressions", "Requirements")):
        page.get_by_role("tab", name=name).click()
        expect(page.locator("#answer")).to_contain_text(part)
        wanted[name] = page.locator("#answer").inner_text()
    for off in from_disk(browser, export(page, tmp_path)):
        for name, text in wanted.items():
            off.get_by_role("tab", name=name).click()
            assert off.locator("#answer").inner_text() == text
        off.locator("#rows tbody tr").last.click()
        off.get_by_role("tab", name="Expressions").click()
        expect(off.locator("#answer")).to_contain_text("pieslice why POOL")


def test_a_page_without_its_server_is_exported(browser: Browser, tmp_path: Path) -> None:
    lab = served(CAMPUS)
    for page in opened(browser, next(lab)):
        page.get_by_role("button", name=SUGGESTED).click()
        page.locator("#rows tr", has_text="carol").click()
        expect(page.locator("#answer .side").nth(1)).to_contain_text("5 matched, 20 not")
        page.wait_for_timeout(1500)  # so that it has the template
        next(lab, None)
        file = export(page, tmp_path)
        break  # the request that failed is an error on its console
    for off in from_disk(browser, file):
        expect(off.locator("#sentence")).to_contain_text("carol loses 15")
        expect(off.locator("#answer .side").nth(1)).to_contain_text("5 matched, 20 not")


def test_names_are_text_in_an_exported_page(browser: Browser, tmp_path: Path) -> None:
    name = "</script><img src=x onerror=alert(1)>\u202e"
    for file in ("slots.ads", "jobs.ads", "submitters.ads", "accounting.ads"):
        text = (CAMPUS / file).read_text("utf-8")
        (tmp_path / file).write_text(re.sub(r'\bdave(?=@|")', name, text), "utf-8")
    shutil.copy(CAMPUS / "condor_config", tmp_path)
    (tmp_path / "change").write_text(f"{SUGGESTED}\n# {name}\n", "utf-8")
    words = ["lab", str(tmp_path), "--edit", str(tmp_path / "change")]
    assert main([*words, "--export", str(tmp_path / "page.html")]) == 0
    for off in from_disk(browser, tmp_path / "page.html"):
        expect(off.locator("#legend")).to_contain_text("<img src=x onerror=alert(1)>\\u{202e}")
        expect(off.locator("#texts")).to_contain_text("<img src=x")
        off.locator("#rows tbody tr", has_text="img src").first.click()
        expect(off.locator("#why-title")).to_contain_text("<img src=x")
        assert off.locator("img").count() == 0


def test_a_laboratory_begins_with_an_edit(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "change").write_text(f"{SUGGESTED}\n", "utf-8")
    for address in served(CAMPUS, "--edit", str(tmp_path / "change")):
        for page in opened(browser, address):
            expect(page.locator("#sentence")).to_contain_text("carol loses 15")
            expect(page.locator(".cm-content")).to_contain_text(SUGGESTED)


# --- saved pages ----------------------------------------------------------------------------------


def test_a_page_is_saved_and_opened_again(browser: Browser, page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    page.get_by_role("tab", name="Slots 15").click()
    page.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
    expect(page.locator("#why-title")).to_have_text("Why job 15.0 on slot11@node07@vm")
    file = saved(page, tmp_path)
    assert file.name == "campus.pieslice"
    text = file.read_text("utf-8")
    assert str(CAMPUS) in text
    assert f'"{SUGGESTED}"' in text
    for address in served(file):
        for other in opened(browser, address):
            expect(other.locator("#sentence")).to_contain_text("carol loses 15")
            expect(other.locator("#why-title")).to_have_text("Why job 15.0 on slot11@node07@vm")
            tab = other.get_by_role("tab", name="Slots 15")
            expect(tab).to_have_attribute("aria-selected", "true")
    page.reload()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("#sentence")).to_contain_text("no difference")
    for wrong, said in ((text[:-30], "damaged"), ('{"pieslice lab": 9}', "another version")):
        (tmp_path / "wrong.pieslice").write_text(wrong, "utf-8")
        page.get_by_role("button", name="Link", exact=True).click()
        page.locator("#saved-file").set_input_files(tmp_path / "wrong.pieslice")
        expect(page.locator("#link-wrong")).to_contain_text(said)
        page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Link", exact=True).click()
    page.locator("#saved-file").set_input_files(file)
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")


def test_a_saved_page_of_another_pool_opens_without_it(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.pieslice"
    pool = {"name": "tour", "identity": "0" * 12, "path": str(ROOT / "examples" / "tour")}
    empty: dict[str, object] = {"files": {}, "view": {}, "question": None}
    content = {"pieslice lab": 1, "pool": pool, "overlay": [SUGGESTED], **empty}
    file.write_text(json.dumps(content), "utf-8")
    for address in served(file):
        for page in opened(browser, address):
            expect(page.locator("#refusal")).to_have_text(
                "page.pieslice is of another pool: the page opens without it."
            )
