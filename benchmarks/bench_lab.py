"""Measures the page of ``pieslice lab`` in a browser, as somebody who sits before it.

Run: ``python benchmarks/bench_lab.py [campus | medium | large ...]``, by default ``campus medium``:
the example pool, and those of ``bench_cycle`` with 10,000 and 100,000 slots.  It needs Chromium,
which playwright finds or brings.  Seconds on the clock: from the command to the map, without the
browser's own start; from a key to the difference; from a click on a row to the answer about a user,
and about a job that gets a slot or loses one, the first one and the median of five; how long one
frame takes while the column of the pool is scrolled, the worst;
megabytes of the page's memory, of what was sent for the first view, and for one edit.  Beside an
edit stands whether the page shows the slots that ``Pool.diff`` has.  A table, then JSON lines.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from bench_cycle import EXAMPLE, make_profile, pace
from playwright.sync_api import Browser, Error, Page, sync_playwright

import pieslice

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120_000
EDIT = "NEGOTIATOR_CONSIDER_PREEMPTION = false"
#: The table whose rows ask about each.
KINDS = {"user": "Users", "job": "Slots"}
#: Each is another text, and all of them have the difference that ``EDIT`` has.
EDITS = [f"{EDIT}\n# {number}" for number in range(5)]

#: Resolves to the milliseconds from now until an element has been written anew, and is painted.
WAIT = """where => new Promise(done => {
  const begun = performance.now(), element = document.querySelector(where);
  const watch = new MutationObserver(() => { if (!document.body.matches(".busy")) {
    watch.disconnect(); requestAnimationFrame(() => done(performance.now() - begun)); } });
  watch.observe(element, {childList: true, characterData: true, subtree: true});
})"""
#: Resolves to the longest time between two frames while a column is scrolled to its end and back.
SCROLL = """where => new Promise(done => {
  const column = document.querySelector(where); let worst = 0, last = performance.now(), left = 60;
  const step = now => { worst = Math.max(worst, now - last); last = now;
    column.scrollTop = (left % 2 ? left : 60 - left) / 60 * column.scrollHeight;
    if (left--) requestAnimationFrame(step); else done(worst); };
  requestAnimationFrame(now => { last = now; step(now); });
})"""
SENT = """() => [...performance.getEntriesByType("navigation"),
  ...performance.getEntriesByType("resource")].reduce((sum, one) => sum + one.transferSize, 0)"""


@contextmanager
def laboratory(pool: Path) -> Iterator[str]:
    """The address of a laboratory."""
    words = [sys.executable, "-m", "pieslice", "lab", str(pool), "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.kill()


def first_view(page: Page, pool: Path) -> float:
    """Seconds from the command to the map."""
    begun = time.perf_counter()
    with laboratory(pool) as address:
        page.goto(address, wait_until="commit")
        page.locator("#groups canvas").first.wait_for()
        return time.perf_counter() - begun


def typed(page: Page, text: str) -> float:
    """Seconds from a text in the editor until the difference is another one."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    return changed(page, "#sentence", partial(page.keyboard.insert_text, text))


def changed(page: Page, where: str, act: Callable[[], object]) -> float:
    """Seconds from an action until an element is written anew."""
    page.evaluate(f"where => {{ window.seen = ({WAIT})(where) }}", where)
    act()
    return float(page.evaluate("() => window.seen")) / 1000


def measured(name: str, pool: Path, browser: Browser) -> list[dict[str, Any]]:
    """The rows of a pool."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto("about:blank")
    rows = [{"what": "first view", "seconds": min(first_view(page, pool) for _ in range(2))}]
    with laboratory(pool) as address:
        page.goto(address)
        page.locator("#verdict", has_text="start").wait_for()
        page.locator("#rows button").first.wait_for()
        sent = page.evaluate(SENT) / 1e6
        rows.append({"what": "sent", "mb": sent})
        edits = [typed(page, text) for text in EDITS]
        rows.append({"what": "edit's", "mb": (page.evaluate(SENT) / 1e6 - sent) / len(EDITS)})
        before = pieslice.read(pool)
        slots = f"Slots {len(before.diff(before.with_config(EDIT)).slots)}"
        shown = page.locator("#kinds").text_content() or ""
        rows.append({"what": "edit", "seconds": median(edits), "same": slots in shown})
        for what in ("user", "job"):
            # Slots name the jobs that gain or lose them.
            page.locator("#kinds [role=tab]", has_text=f"{KINDS[what]} ").click()
            some = page.locator("#rows tbody tr[data-name]").all()[:5]
            answers = [changed(page, "#answer", row.click) for row in some]
            rows.append({"what": f"first {what}", "seconds": answers[0]})
            rows.append({"what": f"why of a {what}", "seconds": median(answers)})
        rows.append({"what": "frame", "seconds": page.evaluate(SCROLL, "#map") / 1000})
        session = context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")
        used = heap["usedSize"] + heap.get("backingStorageSize", 0)
        rows.append({"what": "memory", "mb": used / 1e6})
    context.close()
    return [{"profile": name, **row} for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description="The laboratory in a browser.")
    parser.add_argument("profiles", nargs="*", default=["campus", "medium"])
    rows = []
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error:
            print("no Chromium: nothing is measured")
            return 0
        for name in parser.parse_args().profiles:
            with tempfile.TemporaryDirectory() as made:
                if name != "campus":
                    make_profile(name, Path(made))
                rows += measured(name, EXAMPLE if name == "campus" else Path(made), browser)
        browser.close()
    loop = pace()
    for row in rows:
        same = {True: "same", False: "DIFFERENT", None: ""}[row.get("same")]
        size = f"{row['seconds']:8.3f} s " if "seconds" in row else f"{row['mb']:8.2f} MB"
        print(f"{row['profile']:8} {row['what']:14} {size}  {same}", flush=True)
    print(f"a loop that is always the same: {1000 * loop:.0f} ms")
    about = {"machine": platform.machine(), "python": platform.python_version(), "loop": loop}
    for row in rows:
        print(json.dumps(about | row))
    return int(any(row.get("same") is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
