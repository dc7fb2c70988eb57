"""Opens a counterexample as a pool of its own, beside the one whose policy it breaks.

Inputs: what the workers of that one began with, the finding of a search.  Outputs: how it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from attr import evolve, frozen

from pieslice.data import Record
from pieslice.inputs.pool import PoolReading
from pieslice.lab.texts import EditedTexts, PolicyFiles
from pieslice.lab.worker import Worker, Workers
from pieslice.live.names import temporary
from policy.versions import Followed, Version


@frozen(eq=False)
class Visit:
    """A pool that waits while another one is open.

    ``workers``, ``start``, ``pool``: of it, as ``Lab`` has them; ``name``: what it is called.
    ``says``: why the other one is open; ``place``: where that is.
    """

    workers: Workers
    start: Callable[[], Workers] | None
    pool: int
    name: str
    says: str
    place: TemporaryDirectory[str]

    def end(self) -> None:
        """Remove what was made for it."""
        self.place.cleanup()


def folder() -> TemporaryDirectory[str]:
    """Where a counterexample is written."""
    return temporary("lab")


def opened(place: Path, checks: Worker, finding: Record, texts: EditedTexts) -> PoolReading:
    """How the pool of a finding is read.

    ``checks``: those of the pool whose policy, with ``texts``, was searched.
    """
    from pieslice.lab.experiments.counterexample import written

    reading, _, version = cast("tuple[PoolReading, float, Version]", checks.given)
    policy = evolve(PolicyFiles.of(reading, finding["now"], version), now=finding["now"])
    followed = reading.version or Followed(version)
    name = f"counterexample-to-{finding['property'].split(':')[0]}"
    return written(place / name, finding["files"], policy, texts, version=followed)
