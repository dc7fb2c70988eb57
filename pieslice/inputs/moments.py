"""Takes a capture out of a history, for commands that ask about a pool.

Decides which capture a time means: the last one at or before it.  A time before the first capture,
or later than the last one by more than the longest time between two, is outside of the history.

Inputs: a history, a time.  Outputs: the folder of a capture, which is there while a pool is read;
what is said of the time.  Raises ``InputError``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from copy import copy
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attr import evolve, frozen

from classad.errors import Diagnostic
from negotiator.io import Capture, InputError
from pieslice.command_line import moment_in
from pieslice.writing import naming

if TYPE_CHECKING:
    from pieslice.recording.store import Moment

#: A time so many seconds after the last capture is within any history.
_LEAST: Final = 600.0


@frozen
class UnpackedCapture:
    """A capture in a folder; ``place`` is what stands before the folder's name."""

    folder: Path
    place: str
    notes: tuple[Diagnostic, ...]

    def named(self, capture: Capture) -> Capture:
        """The pool with messages that name the history instead of a folder that is gone."""
        unsupported = [
            evolve(item, place=item.place.replace(self.place, "")) for item in capture.unsupported
        ]
        diagnostics = (*self.notes, *map(self.renamed, capture.diagnostics))
        return evolve(capture, diagnostics=diagnostics, unsupported=tuple(unsupported))

    def renamed(self, item: Diagnostic) -> Diagnostic:
        """A message that does not name the folder."""
        found = copy(item)
        found.message = item.message.replace(self.place, "")
        if item.source is not None:
            found.source = copy(item.source)
            found.source.name = item.source.name.replace(self.place, "")
        return found


@contextlib.contextmanager
def unpacked(path: Path, at: tuple[float, str] | None) -> Iterator[UnpackedCapture]:
    """The capture of a time (the last one, if none is asked for) as a folder."""
    from tempfile import TemporaryDirectory

    from pieslice.recording.store import History, HistoryError

    with TemporaryDirectory(prefix="pieslice-") as place:
        try:
            with History(path) as history:
                moments = history.moments()
                moment = _moment(path, moments, at)
                texts = history.texts(moment)
        except HistoryError as problem:
            raise InputError([Diagnostic(str(problem))]) from None
        stamp = shown_time(moment.time, "%Y-%m-%d %H:%M:%S")
        folder = Path(place, f"{path.name} at {stamp}")
        write_files(folder, texts)
        found = UnpackedCapture(folder, f"{place}/", (_taken(path, moment, at),))
        try:
            yield found
        except InputError as problem:
            raise InputError([found.renamed(item) for item in problem.diagnostics]) from None


def write_files(folder: Path, texts: dict[str, str]) -> None:
    """Make the folder of a capture."""
    folder.mkdir(parents=True)
    for name, text in texts.items():
        with naming(folder / name):
            (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))


def capture_times(path: Path) -> list[float]:
    """When each capture of a history was made, the earliest first; raises ``InputError``."""
    from pieslice.recording.store import History, HistoryError

    try:
        with History(path) as history:
            return [one.time for one in history.moments()]
    except HistoryError as problem:
        raise InputError([Diagnostic(str(problem))]) from None


def _moment(path: Path, moments: Sequence[Moment], at: tuple[float, str] | None) -> Moment:
    from pieslice.recording.store import HistoryError

    if not moments:
        raise HistoryError(f"{path}: no capture in it yet")
    if at is None:
        return moments[-1]
    time, text = at
    longest = max([_LEAST, *(late.time - early.time for early, late in pairwise(moments))])
    if not moments[0].time <= time <= moments[-1].time + longest:
        span = f"from {shown_time(moments[0].time)} to {shown_time(moments[-1].time)}"
        raise HistoryError(f"{path}: --at {text}: the history goes {span}")
    return [one for one in moments if one.time <= time][-1]


def _taken(path: Path, moment: Moment, at: tuple[float, str] | None) -> Diagnostic:
    """Which capture was taken, and how far it is off."""
    which = "the last capture," if at is None else "the capture"
    early = 0.0 if at is None else at[0] - moment.time
    off = f", {early:g} s before --at" if early else ""
    later = None if moment.cycle is None else moment.cycle - moment.time
    cycle = "" if later is None else f"; its cycle began {later:g} s later"
    message = f"{path}: {which} of {shown_time(moment.time)}{off}{cycle}"
    return Diagnostic(message, severity="note")


# --- times --------------------------------------------------------------------------------------


def moment_of(text: str, option: str = "--at") -> float:
    """Seconds since the epoch from a number or an ISO 8601 time, local unless it has a zone."""
    found = moment_in(text)
    if found is not None:
        return found
    message = f"{option}: `{text}` is neither seconds since the epoch nor an ISO 8601 time"
    raise InputError([Diagnostic(message, help=f"{option} '2026-11-21 14:03'")])


def shown_time(time: float, form: str = "%Y-%m-%d %H:%M:%S %Z") -> str:
    """A time in the zone of this machine; the number itself where no calendar reaches."""
    try:
        return datetime.fromtimestamp(time).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return f"{time:.0f}"
