"""The page of ``pieslice lab`` for those who do not see it, or use no mouse: axe-core and keys."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pieslice.cli import main
from tests.pieslice.browsing import CAMPUS, ROOT, opened, picture, served, write

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOUR = ROOT / "examples" / "tour"
SUGGESTED = "NEGOTIATOR_CONSIDER_PREEMPTION = false"
#: A comment, a keyword, a name, a reference, a string, a value and a finding.
EVERY_COLOUR = """
# a comment
if true
  START = $(NAME) == "text" && SubmiterUserPrio > 5
endif
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def serious(page: Page) -> list[str]:
    """What axe-core says is serious or critical, each with a place."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:120]} {node['any'][:1]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_view_can_be_read_by_everybody(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    assert serious(page) == []
    page.get_by_role("button", name=SUGGESTED).click()
    write(page, EVERY_COLOUR)
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    expect(page.locator("#findings li")).not_to_have_count(0)
    page.locator("#rows tr", has_text="carol").click()
    expect(page.locator("#answer .side").nth(1)).to_contain_text("5 matched, 20 not")
    page.get_by_text("The same as a table").click()
    picture(page, f"access-{scheme}")
    assert serious(page) == []
    page.get_by_label("order").select_option("by machine")
    page.get_by_role("tab", name="Slots 15").click()
    page.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
    expect(page.locator("#why-title")).to_have_text("Why job 15.0 on slot11@node07@vm")
    assert serious(page) == []
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.locator("#link-text")).not_to_have_value("")
    assert serious(page) == []
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="keys").click()
    assert serious(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_exported_page_can_be_read_by_everybody(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    (tmp_path / "change").write_text(f"{SUGGESTED}\n", "utf-8")
    target = tmp_path / "page.html"
    words = ["--edit", str(tmp_path / "change"), "--export", str(target)]
    assert main(["lab", str(CAMPUS), *words]) == 0
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    page.goto(target.as_uri())
    expect(page.locator("#answer .side").first).to_be_visible()
    assert serious(page) == []
    context.close()


# --- answers --------------------------------------------------------------------------------------


def test_names_in_an_answer_ask_about_what_they_name(page: Page) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.locator("#rows tr", has_text="carol").click()
    answer, title = page.locator("#answer"), page.locator("#why-title")
    answer.get_by_role("button", name="15.0", exact=True).first.click()
    expect(title).to_have_text("Why job 15.0")
    dave = answer.get_by_role("button", name="nice-user.dave@campus.example").first
    expect(answer).to_have_attribute("aria-busy", "false")
    slot = answer.get_by_role("button", name="slot11@node07@vm").first
    expect(slot).to_be_visible()
    assert answer.get_by_role("button", name="100.0").count() == 0
    slot.click()
    expect(title).to_have_text("Why job 15.0 on slot11@node07@vm")
    expect(answer).to_have_attribute("aria-busy", "false")
    dave.click()
    expect(title).to_have_text("Why nice-user.dave@campus.example")
    page.locator("#why").press("Alt+ArrowLeft")
    page.locator("#why").press("Alt+ArrowLeft")
    expect(title).to_have_text("Why job 15.0")
    page.locator("#why").press("Alt+ArrowRight")
    expect(title).to_have_text("Why job 15.0 on slot11@node07@vm")


def test_the_slots_left_after_each_test_are_bars(page: Page) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.locator("#rows tr", has_text="carol").click()
    page.locator("#answer").get_by_role("button", name="15.0", exact=True).first.click()
    steps = page.locator("#answer .side").first.locator("tr", has=page.locator(".part"))
    expect(steps).to_have_count(4)
    left = [row.locator("td").nth(1).inner_text() for row in steps.all()]
    assert left == ["56", "52", "37", "33"]
    widths = [part.evaluate("it => it.style.width") for part in steps.locator("i").all()]
    assert [round(float(width.rstrip("%"))) for width in widths] == [100, 93, 66, 59]


def test_a_macro_in_an_answer_leads_to_the_line_that_sets_it(page: Page) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_role("tab", name="Slots 15").click()
    page.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
    link = page.locator("#answer").get_by_role("button", name="PREEMPTION_REQUIREMENTS").first
    expect(link).to_have_attribute("title", "condor_config:52")
    link.click()
    expect(page.get_by_role("tab", name="condor_config")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".cm-activeLine")).to_contain_text("PREEMPTION_REQUIREMENTS")


# --- the map --------------------------------------------------------------------------------------


def test_machines_are_an_order_of_the_same_slots(page: Page) -> None:
    page.get_by_role("button", name=SUGGESTED).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_label("order").select_option("by machine")
    expect(page.locator("#groups .machine")).to_have_count(14)
    expect(page.locator("#groups .machine").nth(6)).to_contain_text("node07@vm 12")
    page.get_by_text("The same as a table").click()
    row = page.locator("#holders tr", has_text="node07@vm")
    cells = [cell.inner_text() for cell in row.locator("td").all()]
    assert cells == ["node07@vm", "dave 7, carol 5", "dave 12"]


def test_colours_have_a_legend(page: Page) -> None:
    wanted = {
        "user": ["dave", "alice", "carol", "frank", "bob", "unclaimed"],
        "group": ["no group", "group_chemistry", "group_physics.hep", "group_physics.lep"],
        "state": ["matched in the cycle", "stays claimed", "unclaimed"],
    }
    for colour, names in wanted.items():
        page.get_by_label("colour").select_option(colour)
        for name in names:
            expect(page.locator("#legend span", has_text=name).first).to_be_visible()


def test_arrows_go_through_all_slots_of_the_map(page: Page) -> None:
    page.get_by_label("order").select_option("by machine")
    page.get_by_label("colour").focus()
    page.keyboard.press("Tab")
    said = page.locator("#said")
    expect(page.locator("#groups canvas").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("slot1@node01@vm")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("slot1@node02@vm")
    expect(page.locator("#groups canvas").nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("slot1@node01@vm")
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("@node14@vm")
    page.keyboard.press("Home")
    expect(said).to_contain_text("slot1@node14@vm")
    page.keyboard.press("Enter")
    expect(page.locator("#why-title")).to_contain_text("slot1@node14@vm")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_label("colour")).to_be_focused()


def test_many_machines_stand_in_their_racks(browser: Browser, tmp_path: Path) -> None:
    ads = [ad for ad in (TOUR / "slots.ads").read_text("utf-8").split("\n\n") if ad.strip()]
    names = [f"slot1@r{rack}n{at}" for rack in (1, 2, 10) for at in range(1, 61)]
    (tmp_path / "slots.ads").write_text(
        "\n".join(
            re.sub(r"(?m)^Name = .*$", f'Name = "{name}"', f"{ad}\n")
            for name, ad in zip(names, itertools.cycle(ads), strict=False)
        ),
        "utf-8",
    )
    for file in ("jobs.ads", "condor_config"):
        shutil.copy(TOUR / file, tmp_path)
    for address in served(tmp_path):
        for page in opened(browser, address):
            page.get_by_label("order").select_option("by machine")
            expect(page.locator("#groups h3")).to_have_text(
                [re.compile(r"^r1 "), re.compile(r"^r2 "), re.compile(r"^r10 ")]
            )
            page.locator("#groups canvas").first.focus()
            said = page.locator("#said")
            page.keyboard.press("ArrowRight")
            expect(said).to_contain_text("slot1@r1n1:")
            page.keyboard.press("ArrowDown")
            expect(said).to_contain_text("@r1n")
            expect(said).not_to_contain_text("@r1n1:")
            page.keyboard.press("End")
            expect(said).to_contain_text("slot1@r1n60:")
            page.keyboard.press("ArrowDown")
            expect(said).to_contain_text("slot1@r2n1:")
            page.keyboard.press("ArrowUp")
            expect(said).to_contain_text("slot1@r1n60:")
