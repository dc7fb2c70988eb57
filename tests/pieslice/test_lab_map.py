"""The map of ``pieslice lab``: its colours, its cells where slots are too small, its group tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import pieslice
from tests.pieslice.browsing import CAMPUS, ROOT, opened, picture, served, write

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOUR = ROOT / "examples" / "tour"
NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


MIDDLE = """(canvas, cell) => {
  const {boxes, across, cell: size} = canvas, at = boxes[cell].from;
  const x = (at % across + 0.3) * size, y = (Math.floor(at / across) + 0.6) * size;
  const place = [x * devicePixelRatio, y * devicePixelRatio, 1, 1];
  return Array.from(canvas.getContext("2d").getImageData(...place).data).slice(0, 3).join(",");
}"""


def colour_at(page: Page, section: int, cell: int) -> str:
    """The colour in the middle of a cell of the map."""
    return str(page.locator("#groups canvas").nth(section).evaluate(MIDDLE, cell))


def swatch(page: Page, text: str) -> str:
    """The colour of the legend beside some words."""
    found = page.locator("#legend span", has_text=text).first.locator("i")
    return str(
        found.evaluate(
            "it => getComputedStyle(it).backgroundColor.match(/[0-9]+/g).slice(0, 3).join(',')"
        )
    )


def test_the_colour_of_a_cell_is_that_of_the_legend(page: Page) -> None:
    page.get_by_label("order").select_option("by machine")
    said = {"user": "dave", "state": "stays claimed", "free": "none free", "age": "10 min to 1 h"}
    names = page.locator("#groups .machine .name").all_inner_texts()
    node07 = next(at for at, name in enumerate(names) if name.startswith("node07"))
    slots = pieslice.read(CAMPUS).capture.snapshot.slots
    now = pieslice.read(CAMPUS).capture.facts.now
    slot = next(ad for ad in slots if ad.get_string("Name") == "slot3@node07@vm")
    assert 600 <= now - (slot.get_number("EnteredCurrentState") or 0) < 3600
    for colour, text in said.items():
        page.get_by_label("colour").select_option(colour)
        expect(page.locator("#legend")).to_contain_text(text)
        assert colour_at(page, node07, 2) == swatch(page, text), colour


def test_slots_are_coloured_by_the_rank_of_the_selected_job(page: Page) -> None:
    page.get_by_role("button", name=NO_PREEMPTION).click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_label("colour").select_option("rank")
    expect(page.locator("#legend")).to_contain_text("choose a job")
    page.get_by_role("tab", name="Slots 15").click()
    page.locator("#rows tbody tr", has_text="slot11@node07@vm").click()
    other = pieslice.read(CAMPUS).with_config(NO_PREEMPTION)
    counts = [len(it.rank("15.0").found.slots) for it in (pieslice.read(CAMPUS), other)]  # type: ignore[union-attr]
    expect(page.locator("#legend")).to_contain_text(f"of {counts[1]} candidates of job 15.0")
    page.get_by_role("button", name="before", exact=True).click()
    expect(page.locator("#legend")).to_contain_text(f"of {counts[0]} candidates of job 15.0")
    picture(page, "rank")


def test_the_group_tree_has_quota_usage_and_surplus(page: Page) -> None:
    rows = page.locator("#tree table").first.locator("tbody tr")
    cells = [[it.inner_text() for it in row.locator("td").all()] for row in rows.all()]
    groups = pieslice.read(CAMPUS).negotiate().result.groups
    assert [row[0] for row in cells] == [
        "no group", "group_chemistry", "group_physics", "hep", "lep",
    ]  # fmt: skip
    for row, group in zip(cells, groups, strict=True):
        assert row[1] == f"{group.quota:g}"
        usage = f"{group.usage:g} \u2192 {group.usage_after:g}"
        assert row[2] == (usage if group.usage != group.usage_after else f"{group.usage:g}")
    limits = page.locator("#tree table").nth(1)
    expect(limits).to_contain_text("license")
    expect(limits.locator("tr.at-quota")).to_contain_text("\u25a0 full")
    page.locator("#tree").get_by_role("button", name="hep").click()
    expect(page.locator("#why-title")).to_have_text("Why group_physics.hep")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Slots that would be smaller than three pixels, and more users than there are colours."""
    lines = []
    for machine in range(1, 101):
        for number in range(1, 9):
            user = f"user{(machine + number) % 12}@x"
            claimed = f'State = "Claimed"\nRemoteUser = "{user}"\nRemoteOwner = "{user}"'
            state = claimed if number < 8 else 'State = "Unclaimed"'
            lines.append(
                f'Name = "slot{number}@n{machine}"\nMyType = "Machine"\nCpus = 64\n{state}\n'
                "MyCurrentTime = 2000\nLastHeardFrom = 2000\n"
            )
    (tmp_path / "slots.ads").write_text("\n".join(lines), "utf-8")
    (tmp_path / "condor_config").write_text("", "utf-8")
    return tmp_path


def test_cells_are_machines_where_slots_are_too_small(browser: Browser, large: Path) -> None:
    for address in served(large):
        for page in opened(browser, address):
            page.get_by_label("order").select_option("by machine")
            canvas = page.locator("#groups canvas").first
            assert canvas.evaluate("it => it.boxes.length") == 1
            page.locator("#groups canvas").first.focus()
            page.keyboard.press("ArrowRight")
            expect(page.locator("#said")).to_have_text(
                re.compile(r"^n1: 8 slots, \w+ 64, .*unclaimed 64")
            )
            page.keyboard.press("Enter")
            expect(page.locator("#why-title")).to_have_text("n1")
            expect(page.locator("#answer li")).to_have_count(8)
            page.get_by_label("order").select_option("by holder")
            sections = page.locator("#groups .group")
            expect(sections.locator("h3")).to_have_text(["no group 44,800", "unclaimed 6,400"])
            assert sections.nth(0).locator("canvas").evaluate("it => it.boxes.length") == 700
            assert sections.nth(1).locator("canvas").evaluate("it => it.boxes.length") == 100
            page.get_by_label("colour").select_option("free")
            assert colour_at(page, 1, 3) == swatch(page, "16 and more")
            picture(page, "machines")


def test_users_beyond_the_eight_are_grey_with_texture_on_request(
    browser: Browser, large: Path
) -> None:
    for address in served(large):
        for page in opened(browser, address):
            expect(page.locator("#legend")).to_contain_text("4 others")
            box = page.get_by_label("texture for the others")
            canvas = page.locator("#groups canvas").first
            before = canvas.evaluate("it => it.toDataURL()")
            box.check()
            assert canvas.evaluate("it => it.toDataURL()") != before
            picture(page, "texture")
            box.uncheck()
            assert canvas.evaluate("it => it.toDataURL()") == before


@pytest.fixture
def vast(tmp_path: Path) -> Path:
    """A hundred thousand slots of nine users, and one job that waits."""
    jobs = (
        'MyType = "Job"\nClusterId = 1\nProcId = 0\nOwner = "eve"\nUser = "eve@x"\nJobStatus = 1\n'
        "RequestCpus = 1\nRequestMemory = 1\nRequestDisk = 1\nRequirements = true\nQDate = 1000\n"
    )
    always = (
        'MyType = "Machine"\nCpus = 1\nMemory = 1024\nDisk = 1024\nRequirements = true\n'
        "MyCurrentTime = 2000\nLastHeardFrom = 2000\n"
    )
    with (tmp_path / "slots.ads").open("w") as file:
        for at in range(100_000):
            user = f'"user{at % 9}@x"'
            claimed = f'State = "Claimed"\nRemoteUser = {user}\nRemoteOwner = {user}\n'
            state = claimed if at % 10 else 'State = "Unclaimed"\n'
            file.write(f'Name = "slot{at % 40}@n{at // 40}"\n{always}{state}\n')
    (tmp_path / "jobs.ads").write_text(jobs, "utf-8")
    (tmp_path / "condor_config").write_text("", "utf-8")
    return tmp_path


PAINTED = """canvas => {
  const {width, height} = canvas, pen = canvas.getContext("2d");
  const {data} = pen.getImageData(0, 0, width, height);
  for (let at = 3; at < data.length; at += 4) if (data[at]) return true;
  return false;
}"""


def test_a_hundred_thousand_slots_are_painted_scrolled_and_edited(
    browser: Browser, vast: Path
) -> None:
    for address in served(vast):
        for page in opened(browser, address):
            expect(page.locator("#pool")).to_contain_text("100,000 slots")
            # By holder each cell stands for slots of one user on one machine.
            weights = page.locator("#groups canvas").evaluate_all(
                "all => all.flatMap(it => it.boxes.map(one => one.cell.weight))"
            )
            assert sum(weights) == 100_000
            picture(page, "100000-slots")
            page.get_by_label("order").select_option("by machine")
            last = page.locator("#groups canvas").last
            last.scroll_into_view_if_needed()
            assert last.evaluate(PAINTED)
            assert last.evaluate("it => it.boxes.at(-1).cell.parts.length") == 40
            write(page, "NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 1\n")
            expect(page.locator("#sentence")).to_contain_text("eve loses all of 1 match")
