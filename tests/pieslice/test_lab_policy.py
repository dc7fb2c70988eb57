"""Sliders, knobs, undo over all texts and new files, in ``pieslice lab``."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import pieslice
from pieslice.lab.pool.checks import TextChecks
from pieslice.lab.sharing.saving import SavingError, difference, save
from pieslice.lab.texts import EditedTexts
from tests.pieslice.browsing import CAMPUS, opened, picture, served, write

NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false"
CHEMISTRY = "GROUP_QUOTA_DYNAMIC_group_chemistry"
CONFIG = (CAMPUS / "condor_config").read_text("utf-8")


# --- new files ------------------------------------------------------------------------------------


def test_a_difference_is_a_patch_of_the_files(tmp_path: Path) -> None:
    changed = CONFIG.replace("PRIORITY_HALFLIFE = 3600", "PRIORITY_HALFLIFE = 7200") + "# no end"
    texts = EditedTexts(f"{NO_PREEMPTION}\n", (("condor_config", changed),))
    diff = difference({"condor_config": CONFIG}, texts, "99-lab.config")
    (tmp_path / "condor_config").write_text(CONFIG, "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply"], cwd=tmp_path, input=diff, text=True, check=True)
    assert (tmp_path / "condor_config").read_text("utf-8") == changed
    assert (tmp_path / "99-lab.config").read_text("utf-8") == texts.overlay


def test_texts_are_written_as_new_files(tmp_path: Path) -> None:
    texts = EditedTexts("A = \u00e9\n", (("config.d/more", "B = 1\n"),))
    written = save(texts, str(tmp_path), "new.config")
    assert {Path(path).relative_to(tmp_path).as_posix() for path in written} == {
        "config.d/more", "new.config",
    }  # fmt: skip
    assert (tmp_path / "new.config").read_bytes() == "A = \u00e9\n".encode()
    assert (tmp_path / "config.d" / "more").read_text() == "B = 1\n"


@pytest.mark.parametrize("there", ["file", "link", "folder"])
def test_nothing_is_written_where_something_is(tmp_path: Path, there: str) -> None:
    place = tmp_path / "new.config"
    target = tmp_path / "elsewhere"
    if there == "file":
        place.write_text("old")
    elif there == "folder":
        place.mkdir()
    else:
        place.symlink_to(target)
    texts = EditedTexts("A = 1\n", (("other", "B = 1\n"),))
    with pytest.raises(SavingError, match="is there already: nothing is written"):
        save(texts, str(tmp_path), "new.config")
    assert not target.exists()
    assert not (tmp_path / "other").exists()
    assert there != "file" or place.read_text() == "old"


@pytest.mark.parametrize("folder", ["", " ", "relative", "/nowhere/at/all", __file__])
def test_a_folder_that_is_none_is_refused(folder: str) -> None:
    with pytest.raises(SavingError, match="folder"):
        save(EditedTexts("A = 1\n"), folder, "new.config")


@pytest.mark.parametrize("name", ["", "..", ".", "a/b", "../x", "/etc/x", "other"])
def test_the_overlay_gets_a_plain_name_of_its_own(tmp_path: Path, name: str) -> None:
    texts = EditedTexts("A = 1\n", (("other", "B = 1\n"),))
    with pytest.raises(SavingError, match="no name for the file"):
        save(texts, str(tmp_path), name)
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_is_changed_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(SavingError, match="nothing is changed"):
        save(EditedTexts(" \n"), str(tmp_path), "new.config")
    assert difference({}, EditedTexts(), "new.config") == ""


def test_a_folder_that_cannot_be_written_to_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("a file")
    texts = EditedTexts("", (("a", "A = 1\n"), ("b/c", "B = 1\n")))
    with pytest.raises(SavingError):
        save(texts, str(tmp_path), "new.config")
    assert [one.name for one in tmp_path.iterdir()] == ["b"]


def test_only_files_of_the_configuration_are_written(tmp_path: Path) -> None:
    pool = pieslice.read(CAMPUS)
    facts = pool.capture.facts
    checks = TextChecks(pool.reading, facts.now, facts.version.version)
    for name in ("../elsewhere", "/etc/passwd", "other"):
        texts = EditedTexts("", ((name, "A = 1\n"),))
        with pytest.raises(pieslice.Error, match="has no file"):
            checks.save(texts, str(tmp_path), "x")
        with pytest.raises(pieslice.Error, match="has no file"):
            checks.difference(texts, "x")


def test_knobs_say_where_they_are_set() -> None:
    pool = pieslice.read(CAMPUS)
    facts = pool.capture.facts
    checks = TextChecks(pool.reading, facts.now, facts.version.version)
    found = {it["name"]: it for it in checks.knobs(EditedTexts(f"# one\n{NO_PREEMPTION}\n"))}
    preemption, quota = found["NEGOTIATOR_CONSIDER_PREEMPTION"], found[CHEMISTRY]
    assert (preemption["file"], preemption["line"]) == ("overlay", 1)
    lines = CONFIG.splitlines()
    assert (quota["file"], lines[quota["line"]].split(" ")[0]) == ("condor_config", CHEMISTRY)
    assert quota["range"][:2] == [0, 1]
    assert len(checks.knobs(EditedTexts(), every=True)) > len(found)


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def last_line(page: Page) -> str:
    return page.locator(".cm-line").all_inner_texts()[-2].rstrip("\n")


@pytest.mark.browser
@pytest.mark.slow
def test_the_quota_of_a_group_is_dragged(page: Page) -> None:
    page.get_by_role("tab", name="condor_config").click()
    slider = page.locator("#editor").get_by_label(CHEMISTRY)
    expect(slider).to_have_value("0.25")
    slider.hover()  # which waits until it moves no more
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.27, y)
    page.mouse.down()
    for part in range(27, 61, 3):
        page.mouse.move(box["x"] + box["width"] * part / 100, y)
    page.mouse.up()
    value = float(slider.input_value())
    assert 0.4 < value < 0.8
    expect(page.locator(".cm-line", has_text=CHEMISTRY).first).to_have_text(
        f"{CHEMISTRY} = {slider.input_value()}"
    )
    changed = CONFIG.replace(f"{CHEMISTRY} = 0.25", f"{CHEMISTRY} = {slider.input_value()}")
    trial = pieslice.read(CAMPUS).session().edit({"condor_config": changed})
    first = trial.changes.text().splitlines()[0]
    expect(page.locator("#sentence")).to_contain_text(first[:40])
    quota = next(one.quota for one in trial.cycle.result.groups if "chemistry" in one.name)
    shown = page.locator("#tree tr", has_text="group_chemistry").locator("td").nth(1)
    expect(shown).to_have_text(f"{quota:.2f}".rstrip("0").rstrip("."))
    page.locator("#undo").click()
    expect(page.locator("#sentence")).to_contain_text("no difference")
    expect(slider).to_have_value("0.25")


@pytest.mark.browser
@pytest.mark.slow
def test_sliders_and_switches_are_reached_by_the_keyboard(page: Page) -> None:
    write(page, f"{CHEMISTRY} = 0.5\n{NO_PREEMPTION}\n")
    switch = page.locator("#editor").get_by_role("switch")
    expect(switch).to_have_attribute("aria-checked", "false")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    slider = page.locator("#editor").get_by_label(CHEMISTRY)
    expect(slider).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cm-line", has_text=CHEMISTRY)).to_have_text(f"{CHEMISTRY} = 0.505")
    expect(slider).to_be_focused()
    page.keyboard.press("Tab")
    expect(switch).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator(".cm-content")).to_contain_text("NEGOTIATOR_CONSIDER_PREEMPTION = true")
    expect(switch).to_have_attribute("aria-checked", "true")


@pytest.mark.browser
@pytest.mark.slow
def test_knobs_are_listed_and_changed_in_the_overlay(page: Page) -> None:
    page.get_by_role("tab", name="Knobs").click()
    rows = page.locator("#knob-rows tbody tr")
    row = rows.filter(has_text="NEGOTIATOR_CONSIDER_PREEMPTION")
    expect(row).to_contain_text("Looks at claimed slots at all")
    expect(row).to_contain_text("default true")
    row.get_by_role("switch").click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    assert last_line(page) == "NEGOTIATOR_CONSIDER_PREEMPTION = false"
    row.get_by_role("switch").click()
    expect(page.locator("#sentence")).not_to_contain_text("carol loses 15")
    assert last_line(page) == "NEGOTIATOR_CONSIDER_PREEMPTION = true"
    before = rows.count()
    page.get_by_label("all of the negotiator").check()
    page.get_by_role("searchbox").fill("depth")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("NEGOTIATOR_DEPTH_FIRST")
    page.get_by_role("searchbox").fill("")
    assert rows.count() > before
    picture(page, "knobs")
    rows.filter(has_text=CHEMISTRY).get_by_role("button").first.click()
    expect(page.locator(".cm-activeLine")).to_contain_text(CHEMISTRY)


@pytest.mark.browser
@pytest.mark.slow
def test_undo_and_redo_go_over_all_texts(page: Page) -> None:
    write(page, f"{NO_PREEMPTION}\n")
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.get_by_role("tab", name="condor_config").click()
    write(page, "\nPRIORITY_HALFLIFE = 60\n")
    expect(page.get_by_role("tab", name="condor_config")).to_contain_text("\u25cf")
    undo, redo = page.locator("#undo"), page.locator("#redo")
    undo.click()
    expect(page.get_by_role("tab", name="condor_config")).not_to_contain_text("\u25cf")
    undo.click()
    expect(page.get_by_role("tab", name="overlay")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#sentence")).to_contain_text("no difference")
    expect(undo).to_be_disabled()
    redo.click()
    expect(page.locator("#sentence")).to_contain_text("carol loses 15")
    page.locator("#rows").focus()
    page.keyboard.press("Control+y")
    expect(page.get_by_role("tab", name="condor_config")).to_contain_text("\u25cf")
    expect(redo).to_be_disabled()
    page.locator(".cm-content").click()
    for _ in range(2):
        page.keyboard.press("Control+z")
    expect(page.locator("#sentence")).to_contain_text("no difference")


@pytest.mark.browser
@pytest.mark.slow
def test_texts_are_saved_as_new_files_and_never_in_place(page: Page, tmp_path: Path) -> None:
    write(page, f"{NO_PREEMPTION}\n")
    page.get_by_role("button", name="Save as").click()
    diff = page.locator("#save-diff")
    expect(diff).to_contain_text("--- /dev/null\n+++ b/99-lab.config")
    expect(diff).to_contain_text(f"+{NO_PREEMPTION}")
    page.get_by_label("Folder").fill(str(tmp_path))
    page.get_by_role("button", name="Save", exact=True).click()
    said = page.locator("#save-said")
    expect(said).to_have_text(f"written: {tmp_path / '99-lab.config'}")
    assert NO_PREEMPTION in (tmp_path / "99-lab.config").read_text("utf-8")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(said).to_contain_text("is there already")
    picture(page, "save")
    page.get_by_label("Overlay as").fill("../x")
    expect(said).to_contain_text("no name for the file of the overlay")
    assert (CAMPUS / "condor_config").read_text("utf-8") == CONFIG
