"""Plays the cycles of a recorded history, for trying rules on what was.

Decides which captures stand before a cycle, and of which the prediction can be compared with what
happened: those of a running pool with another one behind the very next cycle.

Inputs: a history.  Outputs: a ``Sighting`` for each cycle; raises ``HistoryError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from classad.errors import LimitError
from negotiator.io import InputError
from negotiator.model.result import CycleResult
from pieslice.alerts.circumstances import circumstances, pool_of
from pieslice.alerts.looking import Circumstances, look
from pieslice.alerts.sighting import Sighting
from pieslice.data import Record, is_number
from pieslice.inputs.moments import shown_time
from pieslice.live.capture import of_files
from pieslice.recording.store import History, Moment
from pieslice.shadow.cycles import INTERVAL
from pieslice.shadow.outcome import compare

#: The files of a capture.
_Files = Mapping[str, str]


def sightings(history: History, say: Callable[[str], object]) -> Iterator[Sighting]:
    """The cycles of a history; ``say`` is told what cannot be played."""
    before: tuple[Moment, _Files] | None = None
    for moment, files in history.all_texts():
        if before is not None:
            yield from _sighting(*before, files, say)
        # Of the captures between two cycles the last one stands before the second.
        before = None if moment.cycle is None else (moment, files)
    if before is not None:
        yield from _sighting(*before, {}, say)


def _sighting(
    moment: Moment, files: _Files, later: _Files, say: Callable[[str], object]
) -> Iterator[Sighting]:
    """The cycle after a capture; none, with a line, if it cannot be played."""
    capture, after = of_files(files), of_files(later)
    manifest: Record = {} if capture is None else capture.manifest
    cycle = {} if after is None else cycle_of(after.manifest)
    told = is_next(cycle_of(manifest), cycle)

    def tell(predicted: CycleResult) -> Circumstances:
        if capture is None or after is None or not told:
            # The time that the history has: also of cycles that no manifest tells of.
            return circumstances(files, manifest, {"time": moment.cycle or moment.time}, None)
        return circumstances(files, manifest, cycle, compare(capture, after, predicted))

    try:
        yield look(pool_of(files), tell)
    except (InputError, LimitError) as problem:
        say(f"cycle after {shown_time(moment.time)} left out: {problem}")


def cycle_of(manifest: Record) -> Record:
    """The times of the last cycle that a manifest tells; of a stranger's file only numbers."""
    cycle = manifest.get("cycle")
    if not isinstance(cycle, Mapping):
        return {}
    return {name: value for name, value in cycle.items() if is_number(value)}


def is_next(last: Record, cycle: Record) -> bool:
    """Whether a cycle is the very next one after another: no third one fits between them."""
    if "time" not in last or "time" not in cycle:
        return False
    step, interval = cycle["time"] - last["time"], last.get("interval", INTERVAL)
    return bool(0 < step < 2 * interval)
