"""Tells what rules have to know of a cycle besides the pool before it, from the captures around it.

Inputs: the captures before and after a cycle, how its prediction went.  Outputs:
``Circumstances``; a ``Capture`` of a pool whose files are no folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from classad.files.ads import read_long
from classad.language.bounds import limits
from negotiator.capture.files import FILES, CapturePaths
from negotiator.io import Capture, read_capture
from pieslice.alerts.looking import Circumstances
from pieslice.data import Record, is_number
from pieslice.inputs.moments import write_files
from pieslice.live.names import temporary
from pieslice.shadow.loop import LONGEST
from pieslice.shadow.outcome import PredictedCycle


def circumstances(
    before: Mapping[str, str],
    manifest: Record,
    cycle: Record,
    outcome: PredictedCycle | None,
) -> Circumstances:
    """What is known of a cycle.

    ``before``: the files of the capture before it, of which ``manifest`` tells; ``cycle``: the
    times of the cycle as the capture after it tells them.
    """
    began, ended = cycle.get("time", 0), cycle.get("end")
    exact = outcome.exact if outcome is not None and outcome.still else None
    lacking = manifest.get("silent", ()) if outcome is None else outcome.silent
    return Circumstances(
        time=float(began),
        schedds=_schedds(before),
        silent=silent_daemons(lacking),
        seconds=float(ended - began) if is_number(ended) and is_number(began) else None,
        exact=exact,
    )


def _schedds(files: Mapping[str, str]) -> frozenset[str] | None:
    """The schedds that have an ad; None where schedds were not captured."""
    found: set[str] = set()
    for part, name in (("schedds", "Name"), ("submitters", "ScheddName")):
        text = files.get(FILES[part][0])
        if text is None:
            return None
        ads = read_long(text.splitlines(keepends=True), part, [])
        found.update(said for ad in ads if (said := ad.get_string(name)) is not None)
    return frozenset(found)


def silent_daemons(lines: Iterable[str]) -> dict[str, str]:
    """What captures lack, by the daemon that did not answer: ``jobs: NAME: why``."""
    found: dict[str, str] = {}
    for line in lines:
        parts = str(line).split(": ", 2)
        found.setdefault(parts[1] if len(parts) > 2 else parts[0], str(line))
    return found


def pool_of(files: Mapping[str, str]) -> Capture:
    """The pool in the files of a capture; raises ``InputError``, ``LimitError`` and ``OSError``."""
    with temporary("watch") as place:
        folder = Path(place, "pool")
        write_files(folder, dict(files))
        with limits(time=LONGEST):
            return read_capture(CapturePaths(folder))
