"""Progress shows only on a terminal and only for what takes long."""

from __future__ import annotations

import io
import re
import time

from negotiator.capture.progress import SILENT
from pieslice.reports.progress import Progress, _Count, _left, duration


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
    assert "negotiating ... 0 s" in stream.getvalue()
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
