"""``pieslice report``: the page stands alone, the plots say what they show."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from pieslice.runreport.command import _read
from pieslice.runreport.page import page
from pieslice.runreport.plots import PLOTS

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
CONFIG = """
NEGOTIATOR_INTERVAL = 300
GROUP_NAMES = g
GROUP_QUOTA_g = 2
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2
"""
STREAMS = """
[[stream]]
user = "a"
group = "g"
backlog = 20
[[stream]]
user = "<b>"
begin_hour = 2
backlog = 20
run_time = 1200
spread = 0.3
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "config").write_text(CONFIG)
    (folder / "w.toml").write_text(STREAMS)
    words = ["4", "--workload", str(folder / "w.toml"), "--config", str(folder / "config")]
    assert main(["simulate", *words, "--days", "0.25", "-o", str(folder / "run")]) == 0
    return folder / "run"


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.links: list[str] = []
        self.titles: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img"):
            self.opened.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        self.titles += [value or "" for name, value in attrs if name == "alt"]

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_alone(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.html"
    words = ["report", str(run), "-o", str(target), "--title", "A & B", "--plots", str(tmp_path)]
    assert main(words) == 0
    capsys.readouterr()
    reader = Reader()
    reader.feed(target.read_text())
    assert reader.opened == []
    assert len(reader.links) == len(PLOTS) == len(reader.titles)
    assert all(link.startswith("data:image/png;base64,") for link in reader.links)
    for part in (
        "A & B",
        "g.a@sim.example",
        "<b>@sim.example",
        "Jain's index",
        "the longest queue",
    ):
        assert part in reader.text
    assert "PREEMPTION_REQUIREMENTS" in target.read_text() or "preempt" in reader.text
    assert {path.stem for path in tmp_path.glob("*.png")} == set(PLOTS)


@pytest.mark.parametrize("name", PLOTS)
def test_plots_have_labels_units_and_legends(run: Path, name: str) -> None:
    _, data = _read(run)
    made = PLOTS[name][1](data)
    labels = {axes.get_ylabel() for axes in made.axes} | {made.get_supylabel()}
    assert any("(" in label or label == "slot" for label in labels)
    assert "(hours)" in made.axes[-1].get_xlabel() or "(minutes)" in made.axes[-1].get_xlabel()
    assert len(made.legends) == 1
    assert {text.get_text() for text in made.legends[0].get_texts()} != set()


def test_what_the_run_says(run: Path) -> None:
    _, data = _read(run)
    summary = json.loads((run / "summary.json").read_text())
    done = sum(stretch.done for stretch in data.stretches)
    assert done == summary["completed"]
    hours = sum(stretch.end - stretch.begin for stretch in data.stretches)
    used = sum(user["usage_hours"] for user in summary["users"].values())
    assert hours == pytest.approx(used)
    waited = [wait for waits in data.waits.values() for wait in waits]
    assert sum(waited) / len(waited) == pytest.approx(summary["wait_mean"])


def test_an_interrupted_run_is_called_one(run: Path) -> None:
    summary = {**json.loads((run / "summary.json").read_text()), "complete": False}
    assert "interrupted" in page("x", summary, [], [], [])


def test_folders_that_are_no_runs(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "no run.json" in capsys.readouterr().err
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "summary.json").write_text("{")
    assert main(["report", str(tmp_path / "run")]) == 2
    assert "not the folder of a run" in capsys.readouterr().err


def test_in_a_browser(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("chromium", "chromium-browser", "google-chrome")
    found: Any = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("Chromium is not installed")
    assert main(["report", str(run), "-o", str(tmp_path / "r.html")]) == 0
    capsys.readouterr()
    picture = tmp_path / "r.png"
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--screenshot={picture}"]
    subprocess.run(
        [found, *options, "--window-size=1000,3000", (tmp_path / "r.html").as_uri()],
        check=True,
        timeout=60,
        capture_output=True,
    )
    assert picture.stat().st_size > 20_000
