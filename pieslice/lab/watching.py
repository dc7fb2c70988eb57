"""Tells which files of a pool have changed on the disk since they were read.

Inputs: how a pool is read, the files of its configuration.  Outputs: ``Stamps``, names of files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from negotiator.capture.files import FILES
from pieslice.inputs.pool import PoolReading

#: Files and when each was written, with its size; None for one that is not there.
Stamps: TypeAlias = Mapping[Path, tuple[int, int] | None]


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


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
