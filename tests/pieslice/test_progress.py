"""Progress shows only on a terminal and only for what takes long."""

from __future__ import annotations

import io
import time

from negotiator.capture.progress import SILENT
from pieslice.reports.progress import Progress, Share


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


def test_files_and_pipes_get_nothing() -> None:
    stream = io.StringIO()
    with Progress(stream, patience=0.0).stage("x"):
        time.sleep(0.02)
    assert stream.getvalue() == ""
    with SILENT.stage("x"):
        pass


def test_a_share_tells_how_much_is_done_and_how_long_it_takes() -> None:
    stream = Terminal()
    share = Share(stream, "simulating", 100, patience=0.0)
    share.began -= 10
    share.moved(25, "x")
    assert stream.getvalue() == "\r\x1b[Ksimulating  25%, x, 0:00:30 left"
    share.ended()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_share_that_is_quick_or_in_a_pipe_leaves_no_trace() -> None:
    for stream, patience in ((Terminal(), 60.0), (io.StringIO(), 0.0)):
        share = Share(stream, "simulating", 100, patience=patience)
        share.moved(25)
        share.ended()
        assert stream.getvalue() == ""
