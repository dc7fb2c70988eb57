"""``pieslice sweep``: the grid, points that fail, workers that die, interruption, Dask."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pieslice
from pieslice.cli import main
from pieslice.simulation.errors import RunError
from pieslice.simulation.setup import Plan
from pieslice.sweeps import work
from pieslice.sweeps.grid import MacroAxis, Point, points, split_values
from pieslice.sweeps.table import Results

STREAMS = """
[[stream]]
user = "a"
backlog = 12
run_time = 1200
[[stream]]
user = "b"
begin_hour = 0.5
backlog = 6
run_time = 600
spread = 0.5
"""
AXES = ["--set", "PRIORITY_HALFLIFE=600,86400", "--set", "CLAIM_WORKLIFE=0,1200"]


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "w.toml").write_text(STREAMS)
    (tmp_path / "config").write_text("NEGOTIATOR_INTERVAL = 300\n")
    options = ["--config", str(tmp_path / "config"), "--days", "0.08"]
    return ["sweep", "3", "--workload", str(tmp_path / "w.toml"), *options]


def test_commas_in_parentheses_and_strings_separate_no_values() -> None:
    assert split_values("3600, 86400") == ("3600", "86400")
    assert split_values('ifThenElse(a, 1, 2),"x, \\"y",{1,2}') == (
        "ifThenElse(a, 1, 2)",
        '"x, \\"y"',
        "{1,2}",
    )
    assert split_values("") == ("",)


def grid(count: int = 3) -> list[Point]:
    axis = MacroAxis("PRIORITY_HALFLIFE", tuple(str(100 * i) for i in range(1, count + 1)))
    return points(Plan("1", "none.toml", 60), [axis], [7])


def test_the_last_axis_varies_fastest() -> None:
    found = points(
        Plan("1", "w", 1), [MacroAxis("A", ("1", "2")), MacroAxis("B", ("x", "y"))], [0, 5]
    )
    assert [point.key for point in found][:5] == [
        "A=1 B=x seed=0",
        "A=1 B=x seed=5",
        "A=1 B=y seed=0",
        "A=1 B=y seed=5",
        "A=2 B=x seed=0",
    ]
    assert found[1].plan.settings == (("A", "1"), ("B", "x"))
    assert found[1].plan.seed == 5


def test_a_sweep(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert main([*words, *AXES, "--seeds", "1,2", "--jobs", "1", "-o", str(folder)]) == 0
    version, titles, *_ = capsys.readouterr().out.splitlines()
    assert version == "follows 25.14.1: no version is given"
    assert titles.split()[:3] == ["PRIORITY_HALFLIFE", "CLAIM_WORKLIFE", "seed"]
    with (folder / "table.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [row["PRIORITY_HALFLIFE"] for row in table] == ["600"] * 4 + ["86400"] * 4
    assert [row["seed"] for row in table] == ["1", "2"] * 4
    assert all(row["error"] == "" and int(row["completed"]) > 5 for row in table)
    # A point is what `simulate` gives with the same settings.
    single = [*words, "--set", "PRIORITY_HALFLIFE=86400", "--set", "CLAIM_WORKLIFE=0"]
    single[0] = "simulate"
    assert main([*single, "--seed", "2", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert float(table[5]["wait_mean"]) == summary["wait_mean"]
    assert (
        float(table[5]["a@sim.example usage_hours"])
        == (summary["users"]["a@sim.example"]["usage_hours"])
    )


def test_an_interrupted_sweep_goes_on_to_the_same_table(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main([*words, *AXES, "--jobs", "1", "-o", str(folder)]) == 0
    shown, table = capsys.readouterr().out, (folder / "table.csv").read_bytes()
    lines = (folder / "points.jsonl").read_bytes().splitlines(keepends=True)
    # Killed while it wrote its third line.
    (folder / "points.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    (folder / "table.csv").unlink()
    assert main([*words, *AXES, "--jobs", "1", "-o", str(folder)]) == 2
    assert "continue it with --resume" in capsys.readouterr().err
    assert main(["sweep", "--resume", str(folder), "--jobs", "1"]) == 0
    assert capsys.readouterr().out == shown
    assert (folder / "table.csv").read_bytes() == table
    assert (folder / "points.jsonl").read_bytes() == b"".join(lines)
    (tmp_path / "config").write_text("")
    assert main(["sweep", "--resume", str(folder)]) == 2
    assert "has changed since" in capsys.readouterr().err


def test_half_a_first_line_is_none(tmp_path: Path) -> None:
    (tmp_path / "points.jsonl").write_text('{"key')
    assert Results(tmp_path).found == {}
    assert (tmp_path / "points.jsonl").read_bytes() == b""


def fails_once(point: Point) -> dict[str, Any]:
    mark = Path(os.environ["MARKS"]) / point.settings[0][1]
    if point.settings[0][1] == "200" and not mark.exists():
        mark.write_text("")
        raise ValueError("not yet")
    return {"value": point.settings[0][1]}


def always_fails(point: Point) -> dict[str, Any]:
    if point.settings[0][1] == "200":
        raise ValueError("never\nat all")
    return {"value": point.settings[0][1]}


def dies(point: Point) -> dict[str, Any]:
    if point.settings[0][1] == "200":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"value": point.settings[0][1]}


def by_value(outcomes: Any) -> dict[str, work.PointResult]:
    return {outcome.point.settings[0][1]: outcome for outcome in outcomes}


def test_a_point_that_fails_is_tried_again_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARKS", str(tmp_path))
    found = by_value(work.here(fails_once, grid(), 2))
    assert [(o.tries, o.summary) for o in found.values()] == [
        (1, {"value": "100"}),
        (2, {"value": "200"}),
        (1, {"value": "300"}),
    ]
    found = by_value(work.here(always_fails, grid(), 3))
    assert (found["200"].tries, found["200"].summary) == (3, None)
    assert found["200"].error == "ValueError: never at all"
    assert found["300"].summary is not None


@pytest.mark.parametrize("tries", [1, 2, 4])
def test_a_point_is_not_tried_more_often_than_asked_for(tries: int) -> None:
    calls: list[Point] = []

    def fail(point: Point) -> Any:
        calls.append(point)
        raise ValueError("never")

    outcome = work.attempt(fail, grid()[0], tries)
    assert (len(calls), outcome.tries, outcome.summary) == (tries, tries, None)


def test_a_failed_point_is_in_the_table(
    tmp_path: Path,
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def some(point: Point) -> dict[str, Any]:
        if point.settings[0][1] == "600":
            raise ValueError("no luck")
        return work.simulate(point)

    monkeypatch.setattr("pieslice.sweeps.command.simulate", some)
    one = [*words, *AXES[:2], "--jobs", "1"]
    assert main([*one, "-o", str(tmp_path / "out")]) == 1
    assert "failed after 2 tries: PRIORITY_HALFLIFE=600 seed=0: ValueError: no luck" in (
        capsys.readouterr().out
    )
    assert "no luck" in (tmp_path / "out" / "table.csv").read_text()
    monkeypatch.undo()
    assert main(["sweep", "--resume", str(tmp_path / "out"), "--jobs", "1"]) == 0
    capsys.readouterr()


@pytest.fixture
def usual_ctrl_c() -> Iterator[None]:
    """Python's own handler; a package that another test imports has one of its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("usual_ctrl_c")
def test_ctrl_c_while_workers_begin_is_heard_when_they_have_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[bool] = []
    ended: list[bool] = []

    def answers() -> Iterator[None]:
        try:
            yield
        finally:
            ended.append(True)

    def parallel(**_: Any) -> Any:
        def begin(_: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            begun.append(True)
            outcomes = answers()
            next(outcomes)
            return outcomes

        return begin

    joblib = SimpleNamespace(Parallel=parallel, delayed=lambda function: function)
    monkeypatch.setattr(work, "load", lambda _: joblib)
    with pytest.raises(KeyboardInterrupt) as interrupted:
        list(work.on_cores(dies, grid(), 1, 2))
    # The traceback is still there, and the workers are not.
    assert interrupted.traceback
    assert begun == ended == [True]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.slow
def test_on_all_cores_a_worker_that_dies_takes_no_other_point_with_it() -> None:
    pytest.importorskip("joblib")
    found = by_value(work.on_cores(dies, grid(), 2, 2))
    assert {value: o.summary for value, o in found.items()} == {
        "100": {"value": "100"},
        "200": None,
        "300": {"value": "300"},
    }
    assert "the worker died" in found["200"].error


def test_on_all_cores(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("joblib")
    assert main([*words, *AXES, "--jobs", "1"]) == 0
    alone = capsys.readouterr().out
    assert main([*words, *AXES, "--jobs", "2"]) == 0
    assert capsys.readouterr().out == alone


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_on_a_dask_cluster_of_two_workers(
    tmp_path: Path,
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    distributed = pytest.importorskip("distributed")
    assert main([*words, *AXES, "--jobs", "1"]) == 0
    alone = capsys.readouterr().out
    monkeypatch.setenv("MARKS", str(tmp_path))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    monkeypatch.setattr(work, "PATIENCE", 60)
    # One death of a worker is enough to blame a point.
    blame = {"distributed.scheduler.allowed-failures": 0}
    config = pytest.importorskip("dask.config")
    with config.set(blame), distributed.LocalCluster(processes=True, **options) as cluster:
        address = cluster.scheduler_address
        assert main([*words, *AXES, "--scheduler", address]) == 0
        assert capsys.readouterr().out == alone
        with distributed.Client(address) as client:
            found = by_value(work.on_dask(fails_once, grid(), 2, client))
            assert (found["200"].tries, found["200"].summary) == (2, {"value": "200"})
            found = by_value(work.on_dask(dies, grid(), 1, client))
        assert found["200"].summary is None
        assert "KilledWorker" in found["200"].error
        assert found["100"].summary == {"value": "100"}


class Gone:
    """A cluster that loses its only worker."""

    TimeoutError = TimeoutError

    def __init__(self) -> None:
        self.looks = 0

    def wait(self, futures: list[Any], **options: Any) -> Any:
        raise TimeoutError

    def scheduler_info(self) -> dict[str, Any]:
        self.looks += 1
        # Late, there, and gone.
        return {"workers": {"tcp://192.0.2.9": {}} if self.looks == 50 else {}}


def test_a_cluster_without_workers_is_given_up() -> None:
    gone = Gone()
    assert work._some_done(gone, gone, [object()]) == []
    assert gone.looks == 50 + work.PATIENCE // 10


class Told:
    """A cluster whose worker says what it is told to; and the future of that."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer

    def submit(self, function: Any, name: str, **options: Any) -> Told:
        assert (function.__name__, name) == ("resolve_name", "pieslice:__version__")
        return self

    def wait(self, futures: list[Told], **options: Any) -> Any:
        return SimpleNamespace(done=set(futures))

    def result(self) -> str:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_workers_need_the_same_package(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = ModuleNotFoundError("No module named 'pieslice'")
    for answer, message in (
        (absent, f"the workers cannot import pieslice: ModuleNotFoundError: {absent}"),
        ("0.1", f"the workers have pieslice 0.1, this is {pieslice.__version__}"),
    ):
        told = Told(answer)
        monkeypatch.setattr(work, "load", lambda module, told=told: told)
        with pytest.raises(RunError, match=f"^{re.escape(message)}$"):
            list(work.on_dask(fails_once, grid(), 2, told))
    gone = Gone()
    monkeypatch.setattr(work, "load", lambda module: gone)
    gone.submit = lambda *args, **options: gone
    with pytest.raises(RunError, match="no worker any more"):
        work.ensure_package(gone)


def test_packages_that_are_absent(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, options, extra in (
        ("joblib", [], "sweep"),
        ("distributed", ["--scheduler", "tcp://192.0.2.1:8786"], "dask"),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        assert main([*words, *AXES, *options]) == 2
        assert capsys.readouterr().err == (
            f"error: this needs the package {module}: pip install 'pieslice[{extra}]'\n"
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "at least one --set"),
        (["--set", "PRIORITY_HALFLIFE"], "is not NAME=TEXT"),
        (["--set", "PRIORITY_HALFLIF=1"], "did you mean `PRIORITY_HALFLIFE`?"),
        (["--set", "PRIORITY_HALFLIFE=1", "--set", "priority_halflife=2"], "is set twice"),
        (["--set", "PRIORITY_HALFLIFE=1", "--config", "nowhere"], "nowhere"),
        (["--resume", "nowhere"], "contains no sweep to continue"),
    ],
)
def test_bad_input(
    words: list[str], options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_sweep_that_is_refused_leaves_no_folder(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, workload = tmp_path / "new", tmp_path / "w.toml"
    workload.write_text("")
    assert main([*words, *AXES, "-o", str(folder)]) == 2
    assert "contains no [[stream]]" in capsys.readouterr().err
    assert not folder.exists()
    workload.write_text(STREAMS)
    assert main([*words, "--set", "PRIORITY_HALFLIFE=600", "-o", str(folder)]) == 0
    assert main([*words, "--set", "PRIORITY_HALFLIFE=600", "-o", str(folder)]) == 2
    assert "contains a sweep already; continue it with --resume" in capsys.readouterr().err
