"""Adds the folders of captures to a history.

Inputs: paths, a time in seconds since the epoch, bounds.  Outputs: the history; lines that say what
was done.  Raises ``HistoryError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pieslice.inputs.moments import shown_time
from pieslice.recording.facts import newest_time
from pieslice.recording.store import HistoryError, Recorder
from pieslice.reports.text import plural

_DAY = 86_400.0
_MB = 1_000_000


def add_captures(
    path: Path,
    folders: Sequence[Path],
    time: float | None,
    days: float | None,
    megabytes: float | None,
) -> Iterator[str]:
    """Add captures, and drop old ones."""
    with Recorder(path) as recorder:
        if recorder.dropped is not None:
            yield f"{path}: {recorder.dropped}"
        for folder in folders:
            texts = _texts(folder)
            moment = recorder.append(_time(folder, texts, time), texts)
            size = f"{moment.size} bytes in {moment.stored}"
            yield f"{path}: capture {moment.number} of {shown_time(moment.time)}, {size}"
        gone = recorder.bound(
            seconds=None if days is None else days * _DAY,
            size=None if megabytes is None else round(megabytes * _MB),
        )
        if gone:
            yield f"{path}: {plural(gone, 'old capture')} dropped"


def _texts(folder: Path) -> dict[str, str]:
    """The files of a capture."""
    if not folder.is_dir():
        raise HistoryError(f"{folder}: no such folder")
    try:
        texts = {
            file.name: file.read_bytes().decode("utf-8", "surrogateescape")
            for file in sorted(folder.iterdir())
            if file.is_file() and not file.name.startswith(".")
        }
    except OSError as problem:
        raise HistoryError(f"{problem.filename}: {problem.strerror or problem}".lower()) from None
    if not {"slots.ads", "jobs.ads"} <= set(texts):
        raise HistoryError(f"{folder}: no capture: slots.ads and jobs.ads are needed")
    return texts


def _time(folder: Path, texts: dict[str, str], time: float | None) -> float:
    found = newest_time(texts) if time is None else time
    if found is None:
        raise HistoryError(f"{folder}: no ad tells the time: give --time")
    return found
