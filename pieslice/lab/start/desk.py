"""Opens pools from files that are dropped on the page, or the example that comes with the program.

Inputs: how files are read as a pool, how a pool is begun.  Outputs: two workers that have read it;
raises ``Refused`` or ``Gone``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from attr import define, field

from negotiator.io import InputError
from pieslice.data import JsonObject
from pieslice.inputs.pool import PoolReading
from pieslice.lab.start.dropped import Dropped, DroppedPool, commands
from pieslice.lab.worker import Refused, Workers

#: The example, in the package or beside it in a checkout.
_EXAMPLES: Final = (
    Path(__file__).parents[1] / "campus",
    Path(__file__).parents[3] / "examples" / "campus",
)


def example() -> Path | None:
    """The folder of the example, if it is installed."""
    return next((one for one in _EXAMPLES if one.is_dir()), None)


@define(eq=False)
class Desk:
    """Where a pool is put together.

    ``read``: the pool that files are, raises ``InputError``; ``begin``: it in workers of which some
    may have been started already; ``spawn``: such workers.
    """

    read: Callable[[DroppedPool], PoolReading]
    begin: Callable[[PoolReading, Workers | None], Workers]
    spawn: Callable[[], Workers]
    dropped: Dropped = field(factory=Dropped)
    _spare: Workers | None = None

    def prepare(self) -> None:
        """Start workers that wait for a pool: they import while somebody looks for files."""
        if self._spare is None:
            self._spare = self.spawn()

    def told(self) -> JsonObject:
        """What the page shows."""
        place = example()
        about = None if place is None else place.name
        return {**self.dropped.told(), "commands": commands(), "example": about}

    def reading(self, what: str) -> PoolReading:
        """How the pool is read: ``files``, or the ``example``; raises ``Refused``."""
        pool = self.dropped.pool()
        if what == "example":
            place = example()
            if place is None:
                raise Refused("the example is not installed")
            pool = DroppedPool([place])
        try:
            return self.read(pool)
        except InputError as problem:
            text = "\n".join(one.render() for one in problem.diagnostics)
            raise Refused(self.dropped.shown(text)) from None

    def start(self, reading: PoolReading) -> Workers:
        """Workers that have read it."""
        spare, self._spare = self._spare, None
        try:
            return self.begin(reading, spare)
        except Refused as problem:
            raise Refused(self.dropped.shown(str(problem))) from None

    def close(self) -> None:
        """End what waits, and remove the files."""
        for one in self._spare or ():
            one.close()
        self._spare = None
        self.dropped.close()
