"""Tells which files of a pool have changed on the disk since they were read, and what clocks say.

Inputs: how a pool is read, the files of its configuration, times of slots.  Outputs: ``Stamps``,
names of files, diagnostics.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from classad.errors import Diagnostic
from negotiator.capture.files import FILES
from pieslice.data import is_number
from pieslice.inputs.pool import PoolReading
from pieslice.reports.layout import plural

#: Files and when each was written, with its size; None for one that is not there.
Stamps: TypeAlias = Mapping[Path, tuple[int, int] | None]

#: Seconds by which clocks may be apart: an ad is on its way for less.
_APART: Final = 300


def stamps_of(reading: PoolReading, configs: Iterable[Path]) -> Stamps:
    """Those of the files that a pool is read from; ``configs``: of its configuration."""
    paths = reading.inputs.paths
    found = {*paths.given.values(), *paths.overlays, *configs}
    found.update(Path(ads[0].source.name) for ads in paths.ads.values() if ads)
    if reading.inputs.history is not None:
        found = {reading.inputs.history}
    elif paths.folder is not None:
        found.update(paths.folder / name for names in FILES.values() for name in names)
    return {path: _stamp(path) for path in found}


def changed(stamps: Stamps) -> list[str]:
    """The names of those that differ from what they were."""
    return sorted(path.name for path, stamp in stamps.items() if _stamp(path) != stamp)


def clocks_apart(slots: Mapping[str, Sequence[object]]) -> Iterator[Diagnostic]:
    """Say how far clocks of machines are from the collector's, if that is far.

    ``slots``: their ``Name``, ``MyCurrentTime`` and ``LastHeardFrom``, in this order.
    """
    apart = [
        (abs(mine - theirs), str(name))
        for name, mine, theirs in zip(*slots.values(), strict=True)
        if is_number(mine) and is_number(theirs) and abs(mine - theirs) > _APART
    ]
    if apart:
        most, name = max(apart)
        yield Diagnostic(
            f"the clocks of {plural(len(apart), 'slot')} are apart from the collector's, that of"
            f" {name} by {most:,.0f} s; what policies say of times is off by as much",
            severity="warning",
        )


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
