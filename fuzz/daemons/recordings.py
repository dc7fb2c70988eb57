"""Keeps what the daemons did in a folder, so that it can be compared again without running them.

Inputs: a folder, scenarios, what records one.  Outputs: what was observed, or the ``DaemonError``
that was met, which is kept unless another attempt may not meet it.  A scenario that is drawn
otherwise than the kept one is recorded anew.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from attr import frozen

from fuzz.daemons.record import passing
from fuzz.daemons.system import DaemonError
from pieslice.data import JsonData, Record


@frozen
class Recordings:
    """The folder of the kept recordings; None: nothing is kept."""

    folder: Path | None = None

    def observed(
        self, scenario: Record, record: Callable[[], JsonData], *, again: bool = False
    ) -> JsonData:
        """What is kept of a scenario, else what ``record`` returns, which is kept from now on.

        ``again``: its second recording.  Raises ``DaemonError``, also one that is kept.
        """
        if self.folder is None:
            return record()
        path = self.folder / f"{scenario['name']}{'-again' if again else ''}.json.gz"
        kept = self._read(path)
        if kept is None or kept["scenario"] != scenario:
            kept = {"scenario": dict(scenario)}
            try:
                kept["observed"] = record()
            except DaemonError as error:
                if passing(error):
                    raise
                kept["error"] = str(error)
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))
        if "error" in kept:
            raise DaemonError(kept["error"])
        observed: JsonData = kept["observed"]
        return observed

    @staticmethod
    def _read(path: Path) -> JsonData | None:
        if not path.exists():
            return None
        kept: JsonData = json.loads(gzip.decompress(path.read_bytes()))
        return kept
