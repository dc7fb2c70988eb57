"""A laboratory and a browser that looks at it, for the tests of the page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
CAMPUS = ROOT / "examples" / "campus"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Milliseconds; a machine that does much else is slow.
PATIENCE = 150_000
#: Where pictures of the page go, if anywhere.
PICTURES = os.environ.get("PIESLICE_PICTURES")
expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium: that of the system, or the one that playwright brings."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error:
            pytest.skip("no Chromium")
        yield found
        found.close()


def served(*given: str | Path) -> Iterator[str]:
    """The address of a laboratory; ``given``: its pool, if any, and more of its command line."""
    words = [sys.executable, "-m", "pieslice", "lab", *map(str, given), "--no-browser"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.kill()


def opened(browser: Browser, address: str, answers: tuple[int, ...] = ()) -> Iterator[Page]:
    """The page of a pool in a profile of its own; see ``looked_at``."""
    for page in looked_at(browser, address, answers):
        expect(page.locator("#verdict")).to_contain_text("starts")
        yield page


def looked_at(browser: Browser, address: str, answers: tuple[int, ...] = ()) -> Iterator[Page]:
    """A page in a profile of its own; whatever its scripts and its policy complain about fails.

    ``answers``: statuses that are answers here, besides 422, with which a text is refused.
    """
    shown = tuple(f"status of {status}" for status in (422, *answers))
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    wrong: list[str] = []

    def told(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(status in message.text for status in shown):
            wrong.append(message.text)

    page.on("console", told)
    page.on("pageerror", lambda one: wrong.append(str(one)))
    hosts: set[str] = set()
    page.on("request", lambda one: hosts.add(one.url.split("/")[2]))
    page.goto(address)
    yield page
    context.close()
    assert wrong == []
    assert hosts == {address.split("/")[2]}


def write(page: Page, text: str) -> None:
    """Type at the end of the text, without what the editor would propose."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)


def saved(page: Page, folder: Path) -> Path:
    """The ``.pieslice`` file that the page gives."""
    page.get_by_role("button", name="Link", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).click()
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    page.get_by_role("button", name="Close").click()
    return target


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png")
