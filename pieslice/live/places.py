"""Makes temporary folders, and removes those that killed processes have left.

A shadow runs for days, and a kill gives nobody time to tidy up: the name of a folder has the number
of its process, and the next one removes those of processes that are no more.

Inputs: what a folder is for.  Outputs: a folder that goes when it is closed or forgotten.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

_PREFIX: Final = "pieslice-"
_NAME: Final = re.compile(rf"{_PREFIX}[a-z]+-(\d+)-\w+")


def temporary(kind: str) -> tempfile.TemporaryDirectory[str]:
    """A folder that nobody else can read."""
    _tidy(Path(tempfile.gettempdir()))
    return tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{kind}-{os.getpid()}-")


def _tidy(place: Path) -> None:
    for path in place.glob(f"{_PREFIX}*"):
        found = _NAME.fullmatch(path.name)
        if found is not None and not _alive(int(found[1])):
            # Somebody else's cannot be removed, and need not be.
            shutil.rmtree(path, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
