"""Keeps what requests of a page are answered with: the pool that is open, its workers, its runs.

Inputs: workers or a desk, the port.  Outputs: answers of workers; raises ``Refused`` or ``Gone``.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, cast

from attr import evolve

from pieslice.data import Content, Record
from pieslice.inputs.moments import capture_times
from pieslice.inputs.pool import PoolReading
from pieslice.lab.asked import lane, number
from pieslice.lab.experiments.runs import Runs
from pieslice.lab.experiments.visits import Visit, folder, opened
from pieslice.lab.sharing.saved import SavedPage
from pieslice.lab.start.desk import Desk
from pieslice.lab.worker import Gone, Outdated, Refused, Workers, begun, spawn
from pieslice.negotiate.text import iso_time
from pieslice.reports.layout import plural

#: Lanes of which the newest question is known; a page that is loaded again has new ones.
_LANES: Final = 1000
#: Why a page of a pool that is not open any more gets no answer.
ANOTHER: Final = "another pool was opened in this laboratory: reload the page"


class Lab:
    """What the requests of a page are answered with; workers that have ended are started again."""

    def __init__(
        self,
        start: Callable[[], Workers] | None,
        port: int,
        *,
        desk: Desk | None = None,
        words: Sequence[str] = ("POOL",),
        overlay: str = "",
        saved: SavedPage | None = None,
        path: str = "",
    ) -> None:
        """``start``: workers that are ready; None where a pool is put together on ``desk``.

        ``words``: what names the pool on a command line; ``overlay``: the text to begin with.
        ``saved``: a page to begin with; ``path``: what a saved page calls the pool.
        """
        self.words = tuple(words)
        self.overlay: Final = overlay
        self.saved: Final = saved
        self.path: Final = path
        self.port: Final = port
        self.token: Final = secrets.token_urlsafe(24)
        self.cookie: Final = f"pieslice_lab_{port}"
        self.desk: Final = desk
        #: The number of the pool that is open, 0 for none: pages of another one ask in vain.
        self.pool = 0
        self._last = 0
        self._start = start
        self._workers: Workers | None = None
        self._starting = asyncio.Lock()
        #: Of each lane the number of the newest question, as the page counts them.
        self._newest: dict[str, float] = {}
        self.runs: Final = Runs()
        #: The pool to which a counterexample leads back.
        self.visit: Visit | None = None
        if start is not None:
            self._begin(start)
        elif desk is not None:
            desk.prepare()

    @property
    def address(self) -> str:
        """What opens the page; it has the token."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which it may be asked."""
        return tuple(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def workers(self) -> Workers:
        """The processes that work; raises ``Refused`` where no pool is open."""
        if self._workers is None:
            raise Refused("no pool is open")
        return self._workers

    def close(self) -> None:
        """End the workers, and remove what was dropped."""
        self._end()
        if self.desk is not None:
            self.desk.close()

    async def open(self, what: str) -> None:
        """Open the pool that was put together; raises ``Refused`` or ``Gone``."""
        desk = self.board()
        async with self._starting:
            reading = await asyncio.to_thread(desk.reading, what)
            self._end()
            try:
                await asyncio.to_thread(self._begin, lambda: desk.start(reading))
            except (Refused, Gone):
                await asyncio.to_thread(desk.prepare)
                raise

    async def leave(self) -> None:
        """Close the pool; what was dropped is there again."""
        desk = self.board()
        async with self._starting:
            self._end()
            await asyncio.to_thread(desk.prepare)

    async def make_up(self) -> None:
        """Open the pool anew, with jobs that are made up from what runs; raises ``Refused``."""

        def change(pool: PoolReading) -> PoolReading:
            if pool.inputs.paths.made_up_jobs:
                raise Refused("its jobs are made up already")
            paths = evolve(pool.inputs.paths, made_up_jobs=True)
            return evolve(pool, inputs=evolve(pool.inputs, paths=paths))

        await self.again(change)
        self.words = (*self.words, "--made-up-jobs")

    async def choose(self, negotiator: str) -> None:
        """Open the pool as another negotiator has it, by its local name; empty for none."""
        names = (negotiator,) if negotiator else ()
        await self.again(lambda pool: evolve(pool, local_names=names))
        self.words = self._named(negotiator)

    def _named(self, negotiator: str) -> tuple[str, ...]:
        """The words of a command line with another local name."""
        words = list(self.words)
        while "--local-name" in words:
            at = words.index("--local-name")
            del words[at : at + 2]
        return (*words, *(("--local-name", negotiator) if negotiator else ()))

    async def again(self, change: Callable[[PoolReading], PoolReading]) -> None:
        """Read the pool again, otherwise; raises ``Refused`` or ``Gone``, and it stays."""
        async with self._starting:
            if self.visit is not None:
                raise Refused("a counterexample is open: go back first")
            reading, *more = self.workers[0].given
            pool = change(cast("PoolReading", reading))

            def start() -> Workers:
                return begun(spawn(), pool, *more)

            workers = await asyncio.to_thread(start)
            self._end()
            self._begin(start, workers)

    async def capture(self, number: int) -> None:
        """Open another capture of the history, counted from 0; raises ``Refused``."""
        async with self._starting:
            reading, *more = self.workers[0].given
            pool = cast("PoolReading", reading)
            path = pool.inputs.history
            if path is None:
                raise Refused("the pool is no history")
            times = await asyncio.to_thread(capture_times, path)
            if not 0 <= number < len(times):
                raise Refused(f"the history has {plural(len(times), 'capture')}")
            stamp = iso_time(times[number])
            other = evolve(pool, at=(times[number], stamp))

            def start() -> Workers:
                return begun(spawn(), other, *more)

            workers = await asyncio.to_thread(start)
            self._end()
            self._begin(start, workers)
            self.words = (*self.words, "--at", stamp)

    async def see(self, run: int, place: int) -> None:
        """Open a counterexample as a pool, and keep this one; raises ``Refused`` or ``Gone``."""
        finding, texts = self.runs.finding(run, place)
        async with self._starting:
            if self.visit is not None:
                raise Refused("a counterexample is open: go back first")
            trials, checks = self.workers
            name = cast("PoolReading", trials.given[0]).inputs.paths.name()
            where, given = folder(), trials.given[1:]
            home = Visit((trials, checks), self._start, self.pool, name, finding["says"], where)
            try:
                place_of = Path(where.name)
                reading = await asyncio.to_thread(opened, place_of, checks, finding, texts)
                await asyncio.to_thread(self._begin, lambda: begun(spawn(), reading, *given))
            except BaseException:
                home.end()
                raise
            self.visit = home

    async def back(self) -> None:
        """Close the counterexample, and have the pool again."""
        async with self._starting:
            home, self.visit = self.visit, None
            if home is None:
                raise Refused("no counterexample is open")
            for one in self.workers:
                one.close()
            self._workers, self._start, self.pool = home.workers, home.start, home.pool
            home.end()

    def board(self) -> Desk:
        """Where a pool is put together; raises ``Refused`` where one was given."""
        if self.desk is None:
            raise Refused("the pool is that of the command line: start another laboratory")
        return self.desk

    def putting_together(self) -> Desk:
        """The same while no pool is open: a worker that is started again reads the same files."""
        desk = self.board()
        if self.pool:
            raise Refused("a pool of these files is open: *Other files* leads back to them")
        return desk

    def _begin(self, start: Callable[[], Workers], workers: Workers | None = None) -> None:
        self._workers = workers or start()
        self._start = start
        self._last += 1
        self.pool = self._last

    def _end(self) -> None:
        self.runs.close()
        if self.visit is not None:
            for one in self.visit.workers:
                one.close()
            self.visit.end()
            self.visit = None
        for one in self._workers or ():
            one.close()
        self._workers, self._start, self.pool = None, None, 0

    def admits(self, token: str) -> bool:
        """Whether it is the token."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def lane(self, asked: Record, name: str) -> str:
        """The lane of a question; raises ``Outdated`` if a newer one has come before it.

        Each of the connections of a browser may be the first that is heard.
        """
        found, count = lane(asked, name), number(asked.get("turn", 0))
        if 0 < count < self._newest.get(found, 0):
            raise Outdated
        self._newest.pop(found, None)
        self._newest[found] = count
        if len(self._newest) > _LANES:
            del self._newest[next(iter(self._newest))]
        return found

    async def ask(self, which: int, method: str, *arguments: object, lane: str = "") -> Content:
        """What a worker answers."""
        async with self._starting:
            if self._start is not None and not all(one.alive for one in self.workers):
                for one in self.workers:
                    one.close()
                self._workers = await asyncio.to_thread(self._start)
        pool = self.pool
        try:
            return await self.workers[which].ask(method, *arguments, lane=lane)
        except Gone:
            if self.pool != pool:
                raise Refused(ANOTHER) from None
            raise
