"""Progress shows only on a terminal and only for what takes long."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest

from negotiator.capture.files import SILENT
from pieslice.cli import main
from pieslice.reports import progress
from pieslice.reports.progress import Progress, _Count, _left, duration

SIMULATED = "10 --workload examples/workloads/two-users.toml"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_quick_stages_leave_no_trace() -> None:
    stream = Terminal()
    with Progress(stream).stage("reading slots"):
        pass
    assert stream.getvalue() == ""


def test_slow_stages_show_and_vanish() -> None:
    stream = Terminal()
    with Progress(stream, patience=0.01).stage("negotiating"):
        limit = time.monotonic() + 10
        while "negotiating" not in stream.getvalue() and time.monotonic() < limit:
            time.sleep(0.005)
    assert re.search(r"negotiating \.\.\. \d+ s", stream.getvalue())
    assert stream.getvalue().endswith("\r\x1b[K")


def test_counted_work_tells_its_share_and_what_is_left() -> None:
    stream = Terminal()
    with Progress(stream, patience=0.01).counted("simulating", 40) as moved:
        moved(10, "")
        moved(20, "hour 2 of 4")
        limit = time.monotonic() + 10
        while "left" not in stream.getvalue() and time.monotonic() < limit:
            time.sleep(0.005)
    assert re.search(r"simulating  50%  hour 2 of 4  \d+ s left", stream.getvalue())
    assert stream.getvalue().endswith("\r\x1b[K")


def test_what_is_left_goes_by_what_was_done_since_it_began() -> None:
    """A run that is taken up at three quarters is not a quarter done in the first second."""
    assert _left(_Count(share=0.8, begun_at=0.75), 10) == "40 s left"
    assert _left(_Count(share=0.75, begun_at=0.75), 10) == ""
    assert [duration(seconds) for seconds in (41, 150, 9000)] == ["41 s", "2 min", "2.5 h"]


def test_what_is_said_aside_begins_a_line_of_its_own() -> None:
    stream = Terminal()
    with Progress(stream, patience=0.01).aside():
        stream.write("note: x\n")
    assert stream.getvalue() == "\r\x1b[Knote: x\n"


def test_files_and_pipes_get_nothing() -> None:
    stream = io.StringIO()
    with Progress(stream, patience=0.0).stage("x"):
        time.sleep(0.02)
    assert stream.getvalue() == ""
    with Progress(stream, patience=0.0).counted("x", 2) as moved:
        moved(1, "y")
        time.sleep(0.02)
    assert stream.getvalue() == ""
    with SILENT.stage("x"):
        pass


#: Commands that may take long, each with what its line begins with.
SLOW = (
    (f"simulate {SIMULATED} --days 0.3", r"simulating +\d+%  hour [\d.]+ of 7.2  \d+ s left"),
    (f"simulate {SIMULATED} --days 0.2 --seeds 2", r"simulating +\d+%  run [12] of 2, hour"),
    (f"sweep {SIMULATED} --days 0.1 --set PRIORITY_HALFLIFE=1,2,3 --jobs 1",
     r"simulating +\d+%  \d of 3 points"),
    ("forecast --user A=10 --user B=10 --hours 3000", r"forecasting +\d+%  hour \d+ of 3000"),
    ("fuzz examples/policies/sound/reclaim_with_weight", r"searching +\d+%  [\d,]+ pairs"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("command", "line"), SLOW, ids=[line.split()[0] for line, _ in SLOW])
def test_commands_tell_how_far_they_are_on_a_terminal_only(
    command: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr(progress, "PATIENCE", 0.005)
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        assert main(command.split()) == 0
        assert bool(re.search(line, stream.getvalue())) is stream.isatty()
    assert stream.getvalue() == ""
