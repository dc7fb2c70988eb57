"""What may go wrong while the page of ``pieslice lab`` is open, in a browser."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pieslice.browsing import CAMPUS, ROOT, opened, picture, saved, served, write
from tests.pieslice.test_lab import children
from tests.pieslice.test_lab_trouble import job, of, slot

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOUR = ROOT / "examples" / "tour"
SUGGESTED = "NEGOTIATOR_CONSIDER_PREEMPTION = false"


def page_of(browser: Browser, *given: str | Path, answers: tuple[int, ...] = ()) -> Iterator[Page]:
    for address in served(*given):
        yield from opened(browser, address, answers)


def test_a_pool_that_changed_is_read_again_and_the_text_stays(
    browser: Browser, tmp_path: Path
) -> None:
    for name in ("slots.ads", "jobs.ads", "condor_config"):
        shutil.copy(TOUR / name, tmp_path)
    for page in page_of(browser, tmp_path):
        write(page, f"{SUGGESTED}\n")
        expect(page.locator("#sentence")).to_contain_text("loses")
        text = (tmp_path / "slots.ads").read_text("utf-8")
        (tmp_path / "slots.ads").write_text(text.rstrip().rpartition("\n\n")[0] + "\n", "utf-8")
        expect(page.locator("#changed")).to_contain_text("slots.ads")
        picture(page, "changed")
        page.get_by_role("button", name="Read it again").click()
        expect(page.locator("#pool")).to_contain_text("9 slots")
        expect(page.locator(".cm-content")).to_contain_text(SUGGESTED)
        expect(page.locator("#changed")).to_be_hidden()
        expect(page.locator("#refusal")).to_be_hidden()


def test_a_negotiator_is_chosen_in_the_head(browser: Browser, tmp_path: Path) -> None:
    pool = (TOUR, "--config", TOUR / "two_negotiators")
    for page in page_of(browser, *pool):
        write(page, f"{SUGGESTED}\n")
        choice = page.locator("#negotiator select")
        expect(choice.locator("option")).to_have_text(["no local name", "CHEMISTRY", "REST"])
        whole = page.locator("#groups h3").first.inner_text()
        # A navigation may be an edit's, whose link the address gets.
        page.evaluate("document.documentElement.dataset.before = 'yes'")
        choice.select_option("CHEMISTRY")
        expect(page.locator("html[data-before]")).to_have_count(0)
        # Its slots are some of the pool's.
        expect(page.locator("#groups h3").first).not_to_have_text(whole)
        expect(choice).to_have_value("CHEMISTRY")
        expect(page.locator(".cm-content")).to_contain_text(SUGGESTED)
        file = saved(page, tmp_path)
    for page in page_of(browser, *pool, file):
        expect(page.locator("#negotiator select")).to_have_value("CHEMISTRY")
        expect(page.locator(".cm-content")).to_contain_text(SUGGESTED)


def test_slots_alone_can_be_tried_with_what_runs(browser: Browser, tmp_path: Path) -> None:
    for name in ("slots.ads", "condor_config", "accounting.ads"):
        shutil.copy(CAMPUS / name, tmp_path)
    for page in page_of(browser, tmp_path):
        expect(page.locator("#rows")).to_contain_text("nothing can be matched")
        expect(page.locator("#made-up")).to_be_hidden()
        page.get_by_role("button", name="Make jobs up from what runs").click()
        expect(page.locator("#made-up")).to_be_visible()
        expect(page.locator("#pool")).to_contain_text("94 jobs")
        page.locator("#gaps summary").click()
        expect(page.locator("#gaps")).to_contain_text("47 that run and 47 that wait")
        page.get_by_role("button", name=SUGGESTED).click()
        expect(page.locator("#sentence")).not_to_have_text("")
        picture(page, "made-up")
        file = saved(page, tmp_path.parent)
    for page in page_of(browser, file):
        expect(page.locator("#made-up")).to_be_visible()
        expect(page.locator(".cm-content")).to_contain_text(SUGGESTED)


def test_a_pool_without_groups_has_its_users_in_no_group(browser: Browser, tmp_path: Path) -> None:
    place = of(tmp_path / "pool", [slot(1, user="ann@x"), slot(2)], [job(1, "ann")])
    for page in page_of(browser, place):
        heads = page.locator("#groups h3")
        expect(heads.first).to_have_text("no group 2")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="asks /proc")
def test_a_worker_that_ends_is_started_again_and_the_text_is_tried(browser: Browser) -> None:
    # A question that is under way then is answered with 503, and the page asks it again.
    for page in page_of(browser, TOUR, answers=(503,)):
        for process in children(os.getpid()):
            for worker in children(process):
                name = Path(f"/proc/{worker}/cmdline").read_bytes()
                if b"spawn_main" in name:
                    os.kill(worker, signal.SIGKILL)
        write(page, f"{SUGGESTED}\n")
        expect(page.locator("#sentence")).to_contain_text("loses")
        expect(page.locator(".stale-note").first).to_be_hidden()
