"""``pieslice report``: the page stands alone, the charts say what they show, names do no harm."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from pieslice.cli import main
from pieslice.reports.charts import Chart, looks
from pieslice.runreport.command import _read, _side
from pieslice.runreport.data import JobRun
from pieslice.runreport.metrics import RUN, people_say
from pieslice.runreport.page import Sheet, page
from pieslice.runreport.plots import charts
from pieslice.runreport.verdict import sentences
from pieslice.terminal import printable

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
NAMES = ("usage", "queue", "shares", "priorities", "waits", "slots")


def simulated(folder: Path, *more: str) -> Path:
    (folder / "config").write_text(CONFIG)
    (folder / "larger").write_text(f"{CONFIG}GROUP_QUOTA_g = 3\n")
    (folder / "w.toml").write_text(STREAMS)
    words = ["4", "--workload", str(folder / "w.toml"), "--days", "0.25"]
    if "--compare" not in more:
        words += ["--config", str(folder / "config")]
    assert main(["simulate", *words, "-o", str(folder / "run"), *more]) == 0
    return folder / "run"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulated(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two configurations on three seeds; the page is beside the runs."""
    folder = tmp_path_factory.mktemp("two")
    compared = ("--compare", str(folder / "config"), str(folder / "larger"), "--seeds", "3")
    simulated(folder, *compared, "--report", str(folder / "page.html"))
    return folder


#: Elements that are never closed; those of SVG close themselves.
VOID = {"meta", "link", "img"}


class Reader(HTMLParser):
    """Checks that elements are closed in order; keeps text, links, and elements of a kind."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.opened == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.opened[-1:] not in (["script"], ["style"]):
            self.text += data

    def all(self, tag: str, name: str) -> list[str]:
        return [attrs[name] for found, attrs in self.attributes if found == tag and name in attrs]


def read(path: Path) -> Reader:
    return Reader(path.read_text())


def test_the_verdict_stands_first_and_has_the_numbers_of_the_run(run: Path, two: Path) -> None:
    _, data = _read(run)
    told = " ".join(sentences([data], [[data.summary]]))
    numbers = data.summary
    assert f"{numbers['completed']} of {numbers['submitted']} jobs completed" in told
    assert ("No job was preempted." in told) == (numbers["preemptions"] == 0)
    assert "by rank" not in told  # by priority: that is what everybody expects
    text = read(two / "page.html").text
    assert text.index("B is") < text.index("Numbers")


def test_what_machines_prefer_is_said_to_be_by_rank(tmp_path: Path) -> None:
    (tmp_path / "rank").write_text(
        'NEGOTIATOR_INTERVAL = 300\nRANK = 10 * (TARGET.Owner =?= "<b>")\n'
        "PREEMPTION_REQUIREMENTS = False\n"
    )
    run = simulated(tmp_path, "--config", str(tmp_path / "rank"))
    _, data = _read(run)
    assert sum(data.taken.values()) > 0
    assert {by_rank for _, _, by_rank in data.taken} == {True}
    told = " ".join(sentences([data], [[data.summary]]))
    assert "All by rank: the machine preferred the job that came." in told


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("wait_mean", 90.0, "90 s"),
        ("wait_95", 9000.0, "2.5 h"),
        ("utilisation", 0.7824, "78.2 %"),
        ("goodput_hours", 12345.6, "12,345.6"),
        ("completed", 7, "7"),
        ("wait_median", None, "-"),
    ],
)
def test_numbers_of_a_page_are_as_people_say_them(key: str, value: float | None, said: str) -> None:
    (metric,) = [metric for metric in RUN if metric.key == key]
    assert people_say(metric, value) == said


def test_what_cannot_be_told_apart_is_drawn_once(run: Path) -> None:
    """A pool that preempts every minute for a week has a bar for each, in a tenth of a pixel."""
    _, data = _read(run)
    whole = JobRun("slot1@m", "a", 0.0, data.hours, True)
    short = [
        JobRun("slot2@m", "a", 1.0 + second / 3600, 1.0 + (second + 1) / 3600, False)
        for second in range(600)
    ]
    (chart,) = (
        chart
        for chart in charts([("x", evolve(data, stretches=(whole, *short)))])
        if chart.name == "slots"
    )
    (panel,) = chart.panels
    drawn = [bar for bar in panel.bars if panel.rows[bar.row] == "slot2@m"]
    pixels = 600 / 3600 / data.hours * 1000
    assert pixels <= len(drawn) <= 2 * pixels + 2
    assert "of several in a 1000th of the time one" in chart.note
    assert [bar.end for bar in panel.bars if bar.row == panel.rows.index("slot1@m")]


def test_the_page_stands_alone(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.html"
    assert main(["report", str(run), "-o", str(target), "--title", "A & B"]) == 0
    assert capsys.readouterr() == ("", "")
    reader = read(target)
    # Nothing is fetched: what is drawn is in the page.
    assert {tag for tag, _ in reader.attributes} & {"img", "link", "iframe", "object"} == set()
    assert not re.search(r"https?://|@import|src=", target.read_text())
    assert reader.all("figure", "id") == list(NAMES)
    for part in (
        "A & B",
        "g.a@sim.example",
        "<b>@sim.example",
        "Jain's index",
        "the longest queue",
    ):
        assert part in reader.text
    assert "PREEMPTION_REQUIREMENTS" in reader.text


def test_the_page_on_standard_output(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The comparison of two runs is in the page; it is not printed into it."""
    monkeypatch.chdir(tmp_path)
    for folders in ([str(run)], [str(run), str(run)]):
        assert main(["report", *folders, "-o", "page.html"]) == 0
        capsys.readouterr()
        assert main(["report", *folders, "-o", "-"]) == 0
        assert capsys.readouterr() == ((tmp_path / "page.html").read_text(encoding="utf-8"), "")
    assert main(["report", *folders, "-o", "-", "--json"]) == 2
    assert capsys.readouterr() == (
        "", "error: -o - and --json both want standard output\n",
    )  # fmt: skip
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_the_page_says_what_was_run(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert main(["report", str(run), "-o", str(target)]) == 0
    text = read(target).text
    about = json.loads((run / "run.json").read_text())
    assert about["command"].startswith("pieslice simulate 4 --workload ")
    followed = "follows 25.14.1: no version is given"
    told = (about["command"], f"pieslice {about['version']}", "w.toml", "seed", str(run), followed)
    for part in told:
        assert part in text


def test_worst_moments_have_their_answer_with_them(run: Path, tmp_path: Path) -> None:
    moment = next(m for m in _read(run)[1].worst if m.text.startswith("job "))
    job = re.search(r"job (\d+) of", moment.text)
    assert job is not None
    with (run / "events.csv").open(newline="") as file:
        events = [row for row in csv.DictReader(file) if row["job"] == job[1]]
    told = [line for line in moment.answer if line.startswith("hour ")]
    assert len(told) == len(events)
    assert all(row["event"] in line for row, line in zip(events, told, strict=True))
    assert "of 4.0 weighted cores on average" in "\n".join(moment.answer)


def test_worst_moments_have_commands_that_ask_about_them(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(run), "-o", "page.html"]) == 0
    side = _side(run)
    place = next(i for i, moment in enumerate(side.run.worst) if moment.job is not None)
    text = read(tmp_path / "page.html").text
    capsys.readouterr()
    for line in side.asking[place]:
        assert line in text
        assert main(shlex.split(line)[1:]) == 0
    assert f"{side.run.worst[place].job}.0" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("form", ["png", "svg"])
def test_pictures(run: Path, tmp_path: Path, form: str) -> None:
    pytest.importorskip("matplotlib")
    words = ["report", str(run), "-o", str(tmp_path / "r.html"), "--plots", str(tmp_path)]
    # Those that are there are written again.
    for _ in range(2 if form == "png" else 1):
        assert main([*words, "--plot-format", form]) == 0
    assert {path.stem for path in tmp_path.glob(f"*.{form}")} == set(NAMES)


def drawn(run: Path) -> tuple[Chart, ...]:
    return charts([("the run", _read(run)[1])])


def test_charts_have_titles_units_and_one_colour_for_each_user(run: Path) -> None:
    pytest.importorskip("matplotlib")
    from pieslice.reports.plots import draw

    found = drawn(run)
    assert tuple(chart.name for chart in found) == NAMES
    users = looks(["g.a@sim.example", "<b>@sim.example"])
    for chart in found:
        assert chart.title
        assert chart.axis.label in ("time (hours)", "wait until the first start")
        assert all(panel.label or panel.kind == "bars" for panel in chart.panels)
        seen = {name: look for name, look in chart.legend if name != "unused"}
        assert seen == users
        made = draw(chart)
        (legend,) = made.legends
        assert legend.get_title().get_text() == chart.title
        assert {text.get_text() for text in legend.get_texts()} >= set(users)


def test_usage_is_stacked_up_to_the_pool_with_quotas_beside(run: Path) -> None:
    usage = drawn(run)[0]
    whole, group = usage.panels[0], next(p for p in usage.panels if p.title == "g")
    sums = [sum(column) for column in zip(*(series.y for series in whole.series), strict=True)]
    assert sums == pytest.approx([4.0] * len(sums))
    assert [series.name for series in whole.series][-1] == "unused"
    assert [limit.name for limit in whole.limits] == ["pool 4"]
    assert [limit.name for limit in group.limits] == ["quota 2"]
    assert [series.name for series in group.series] == ["g.a@sim.example"]
    assert re.match(r"[\d.]+% of the pool was unused, [\d.]+% while jobs waited", usage.note)


def test_waits_are_of_all_submitted_jobs(run: Path) -> None:
    waits = next(chart for chart in drawn(run) if chart.name == "waits")
    summary = json.loads((run / "summary.json").read_text())
    for series in waits.panels[0].series:
        user = summary["users"][series.name]
        started = user["submitted"] - user["never_started"]
        assert series.y[-1] == pytest.approx(100 * started / user["submitted"])
        assert list(series.x) == sorted(series.x)


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


def test_an_interrupted_run_is_called_one(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    summary = {**json.loads((run / "summary.json").read_text()), "complete": False}
    (tmp_path / "run" / "summary.json").write_text(json.dumps(summary))
    assert "interrupted" in page("x", [_side(tmp_path / "run")], (), {}, Sheet("", ""))


def test_folders_that_are_no_runs(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "no run.json" in capsys.readouterr().err
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "summary.json").write_text("{")
    assert main(["report", str(tmp_path / "run")]) == 2
    assert "not the folder of a run" in capsys.readouterr().err


# --- two configurations -------------------------------------------------------------------------


@pytest.mark.slow
def test_two_runs_are_one_page(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = read(two / "page.html")
    for part in (
        f"A: {two / 'config'}",
        f"B: {two / 'larger'}",
        "Means of 3 seeds, 0 to 2",
        "B is",
    ):
        assert part in reader.text
    assert reader.all("figure", "id") == list(NAMES)
    folders = [str(two / "run" / letter) for letter in "ab"]
    capsys.readouterr()
    assert main(["report", *folders, "-o", str(tmp_path / "again.html")]) == 0
    assert capsys.readouterr().out.startswith(f"A: {two / 'config'}\nB: {two / 'larger'}\n3 seeds")
    assert (tmp_path / "again.html").read_text() == (two / "page.html").read_text()
    assert main(["report", *folders, "-o", str(tmp_path / "again.html"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["metrics"]
    assert {row["verdict"] for row in rows} >= {"better", "same"}
    assert {row["kind"] for row in rows} == {"pool", "user", "group"}


def test_both_stand_on_the_same_axes(two: Path) -> None:
    runs = [(letter, _side(two / "run" / letter).run) for letter in "ab"]
    for chart in charts(runs):
        left, right = ([p for p in chart.panels if p.title.startswith(letter)] for letter in "AB")
        assert [panel.top for panel in left] == [panel.top for panel in right]
        assert [panel.rows for panel in left] == [panel.rows for panel in right]
        assert left
        # Each beside its other one.
        assert [p.title[0] for p in chart.panels] == ["A", "B"] * (len(chart.panels) // 2)


def test_other_workloads_are_not_compared(
    run: Path, two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(run), str(two / "run" / "a")]) == 2
    assert "different seeds" in capsys.readouterr().err


# --- names --------------------------------------------------------------------------------------

WILD = {
    "markup": "<script>alert(1)</script>",
    "quotes": "o\"neill'&amp;",
    "terminal": "red\x1b[31m\x07bell",
    "long": "x" * 300,
    "bytes": "caf\u00e9\u202eend",
    "end": "</script><!--",
    "hidden": "_private$x^2$",
}


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wild")
    with (folder / "w.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("submit", "user", "run_time", "count"))
        writer.writerows((0, name, 600, 4) for name in WILD.values())
    words = ["2", "--workload", str(folder / "w.csv"), "--days", "0.1", "-o", str(folder / "run")]
    assert main(["simulate", *words]) == 0
    assert main(["report", str(folder / "run"), "-o", str(folder / "page.html")]) == 0
    return folder


def full(name: str) -> str:
    return f"{name}@sim.example"


@pytest.mark.parametrize("kind", WILD)
def test_names_are_whole_and_harmless_in_the_page(wild: Path, kind: str) -> None:
    reader = read(wild / "page.html")
    assert printable(full(WILD[kind])) in reader.text
    assert printable(full(WILD[kind])) in reader.all("button", "data-name")
    # The parser would have seen an element of the name.
    scripts = [attrs for tag, attrs in reader.attributes if tag == "script"]
    assert len(scripts) == len(NAMES) + 1
    assert not set((wild / "page.html").read_text()) & set(map(chr, [*range(9), 27, 7, 127]))


def test_names_are_whole_in_data(wild: Path) -> None:
    summary = json.loads((wild / "run" / "summary.json").read_text())
    assert set(summary["users"]) == {full(name) for name in WILD.values()}
    with (wild / "run" / "events.csv").open(encoding="utf-8", newline="") as file:
        users = {row["user"] for row in csv.DictReader(file)}
    assert users == {printable(full(name)) for name in WILD.values()}


def test_a_run_in_json_lines_makes_the_same_page(wild: Path, tmp_path: Path) -> None:
    words = ["2", "--workload", str(wild / "w.csv"), "--days", "0.1", "--format", "jsonl"]
    assert main(["simulate", *words, "-o", str(tmp_path / "run")]) == 0
    pages = []
    for folder in (wild, tmp_path):
        assert main(["report", str(folder / "run"), "-o", str(tmp_path / "page.html")]) == 0
        text = (tmp_path / "page.html").read_text()
        pages.append(text.partition("</dl>")[2])
    assert pages[0] == pages[1]


def test_names_steer_no_terminal(wild: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "2", "--workload", str(wild / "w.csv"), "--days", "0.1"]
    assert main([*words, "--wide"]) == 0
    shown = capsys.readouterr().out
    assert not set(shown) & {"\x1b", "\x07"}
    assert all(printable(full(name)) in shown for name in WILD.values())
    for more in ([], ["--seeds", "2"]):
        assert main([*words, *more]) == 0
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.slow
def test_names_are_drawn(wild: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ["report", str(wild / "run"), "-o", str(tmp_path / "r.html"), "--plots", str(tmp_path)]
    assert main([*words, "--plot-format", "svg"]) == 0
    assert len(list(tmp_path.glob("*.svg"))) == len(NAMES)


# --- in a browser -------------------------------------------------------------------------------

#: Puts what a page looks like at a width into the title of the page around it.
FRAME = """<!DOCTYPE html><body style="margin: 0">
<iframe id="page" src="{page}" style="border: 0; width: {width}px; height: 1200px"></iframe>
<pre id="told"></pre>
<script>
addEventListener("load", () => {{
  const inside = document.getElementById("page").contentDocument;
  const root = inside.documentElement;
  const style = (name) => getComputedStyle(inside.querySelector(name));
  const told = {{ width: root.scrollWidth, room: root.clientWidth,
    paper: style("body").backgroundColor }};
  const path = () => inside.querySelector("#usage path.fill").getAttribute("d");
  const user = inside.querySelector("#usage .legend button");
  told.before = path();
  user.click();
  told.hidden = [...inside.querySelectorAll("[aria-pressed=false]")].length;
  told.gone = style("#usage path.fill").display;
  user.click();
  told.back = path().length > 0 && style("#usage path.fill").display !== "none";
  inside.querySelector("#usage .tools button").click();
  told.zoomed = inside.querySelector("#queue g.zoom").getAttribute("transform");
  told.marks = [...inside.querySelectorAll("#queue .marks span")].map((one) => one.textContent);
  const svg = inside.querySelector("#usage .plot svg");
  const box = svg.getBoundingClientRect();
  svg.dispatchEvent(new inside.defaultView.PointerEvent("pointermove",
    {{ clientX: box.left + box.width / 2, clientY: box.top + 5, bubbles: true }}));
  told.tip = inside.querySelector("#usage .tip").innerText;
  document.getElementById("told").textContent = JSON.stringify(told);
}});
</script>
"""


@pytest.fixture(scope="module")
def browser() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("Chromium is not installed; the structure of the page is tested without")
    return found


def seen(browser: str, page: Path, folder: Path, width: int, *, dark: bool = False) -> Any:
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(page=page.as_uri(), width=width))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    options += [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    done = subprocess.run(
        [browser, *options, "--virtual-time-budget=4000", "--dump-dom", frame.as_uri()],
        check=True,
        timeout=120,
        capture_output=True,
        text=True,
    )
    (told,) = re.findall(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    return json.loads(told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


@pytest.mark.parametrize("name", ["two", "wild"])
def test_a_phone_does_not_scroll_sideways(
    browser: str, tmp_path: Path, name: str, request: pytest.FixtureRequest
) -> None:
    page = request.getfixturevalue(name) / "page.html"
    told = seen(browser, page, tmp_path, 360)
    assert told["width"] <= told["room"] <= 360


def test_light_and_dark(browser: str, two: Path, tmp_path: Path) -> None:
    papers = [
        seen(browser, two / "page.html", tmp_path, 1000, dark=dark)["paper"]
        for dark in (False, True)
    ]
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 23, 27)"]


def test_the_charts_can_be_looked_into(browser: str, two: Path, tmp_path: Path) -> None:
    told = seen(browser, two / "page.html", tmp_path, 1000)
    # The user is hidden in every chart.
    assert told["hidden"] == len(NAMES)
    assert told["gone"] == "none"
    assert told["back"] is True
    # All charts over time move together.
    assert told["zoomed"] == "translate(-500 0) scale(2 1)"
    assert told["marks"][0] == "1.5"
    assert told["tip"].startswith("3 hours")
    assert "sim.example" in told["tip"]
