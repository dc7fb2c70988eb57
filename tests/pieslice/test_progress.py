"""Progress shows only on a terminal and only for what takes long."""

from __future__ import annotations

import io
import time

from negotiator.capture.progress import SILENT
from pieslice.reports.progress import Progress


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
