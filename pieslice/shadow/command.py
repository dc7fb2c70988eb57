"""Runs ``pieslice shadow``: prints a line for each cycle, keeps files up to date, ends with a sum.

Inputs: parsed arguments.  Outputs: lines and the score on standard output, what is waited for on
standard error, files; raises ``OSError`` where a log cannot be read, ``HistoryError`` where a
history cannot be opened.  What cannot be written later on is said, and done without.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from attr import define, evolve, field

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings
from pieslice.live.service import Pause, Service, path_of, refuse_shared, service, together
from pieslice.reports.layout import Block, Line
from pieslice.reports.output import deliver, show
from pieslice.shadow.history import Keep, keeping
from pieslice.shadow.keeping import Log, Unwritten, ended_in_order, large_of, replace
from pieslice.shadow.loop import FollowedCycle, Shadow, due, followed_version
from pieslice.shadow.outcome import PredictedCycle
from pieslice.shadow.page import shadow_page
from pieslice.shadow.report import Score, cycle_line, differences, prometheus
from pieslice.terminal import complain
from policy.versions import Followed as Version

#: Lines of what is waited for that are said one after another; more of the same are not.
_NOTHING: Final = ""
#: Options that name files, which several pools have one each of.
_FILES: Final = ("log", "html", "prometheus", "record")


@define(eq=False)
class Saying:
    """Says on standard error what is waited for, once until it changes, and of which pool."""

    prefix: str
    manager: Service
    last: str = _NOTHING

    def say(self, text: str) -> None:
        """Say it, and tell the service manager."""
        if text != self.last:
            complain(f"{self.prefix}{text}")
            self.manager.status(f"{self.prefix}{text}")
        self.last = text


@define(eq=False)
class _Books:
    """What is kept of one of the pools: its log, its history, and the files that others read."""

    args: argparse.Namespace
    saying: Saying
    log: Log
    keep: Keep
    #: The pool as it was named, what it calls itself, and whether it is one of several.
    pool: str | None
    name: str
    several: bool
    misses: int = 0
    #: The version that the last capture told.
    version: Version | None = None
    unwritten: Unwritten = field(init=False)

    def __attrs_post_init__(self) -> None:
        prefix = self.saying.prefix
        self.unwritten = Unwritten(lambda text: complain(f"{prefix}{text}"))

    def path(self, option: str) -> Path | None:
        """The file that an option names."""
        return path_of(getattr(self.args, option), self.pool)

    def score(self) -> Score:
        """All cycles of the pool."""
        return Score(self.name, self.log.totals, tuple(self.log.recent), self.version)

    def start(self, capture: LiveCapture) -> None:
        """Say which pool is followed, when its next cycle is due, and what is written where."""
        at = time.strftime("%H:%M:%S UTC", time.gmtime(due(capture.manifest["cycle"])))
        when = "asking for each cycle" if self.args.ask else f"next cycle due at {at}"
        files = [f"{what} {path}" for what in _FILES if (path := self.path(what)) is not None]
        self.version = followed_version(capture)
        text = f"pool {capture.manifest['pool']}: {', '.join((when, *files))}"
        complain(text)
        complain(f"  {self.version}")
        self.saying.manager.status(text)

    def add(self, followed: FollowedCycle) -> None:
        """Count a cycle, print it, and bring the files up to date."""
        outcome = followed.outcome
        self.version = followed_version(followed.after)
        self.saying.last = _NOTHING
        self.keep(followed.before.capture)
        self.keep(followed.after)
        self.unwritten.try_to(str(self.log.path), partial(self.log.add, outcome))
        self.misses += outcome.still and not outcome.exact
        self.unwritten.try_to("standard output", partial(self._tell, outcome))
        score = self.score()
        if (path := self.path("html")) is not None:
            text = shadow_page(score, followed.after)
            self.unwritten.try_to(str(path), partial(replace, path, text))
        if (path := self.path("prometheus")) is not None:
            self.unwritten.try_to(str(path), partial(replace, path, prometheus(score)))
        self.saying.manager.status(f"{self.saying.prefix}{score.summary()}")

    def _tell(self, outcome: PredictedCycle) -> None:
        """Print a cycle; the file of ``-o`` gets the score alone."""
        if self.args.output is not None:
            return
        if self.args.format == "json":
            whose = evolve(outcome, pool=self.name if self.several else None)
            print(json.dumps(whose.to_dict()), flush=True)
            return
        whose_lines = [Line(f"{self.name}:")] if self.several else []
        blocks: list[Block] = [*whose_lines, Line(cycle_line(outcome)), *differences(outcome)]
        show(blocks, self.args, sys.stdout)


def follow(args: argparse.Namespace) -> int:
    """Follow the cycles of pools until there have been enough, or until Ctrl-C or SIGTERM."""
    pools: Sequence[str | None] = args.pool or [None]
    for option in _FILES:
        refuse_shared(getattr(args, option), f"--{option}", pools)
    manager = service()
    with ended_in_order(), ExitStack() as stack:
        books = {pool: _opened(args, pool, manager, stack) for pool in pools}
        manager.ready([str(pool) for pool in pools], "waiting for the first answer")
        cycles = together(pools, lambda pool, pause: _cycles(books[pool], pool, pause))
        try:
            for pool, followed in cycles:
                books[pool].add(followed)
        except KeyboardInterrupt:
            print(file=sys.stderr)
        finally:
            manager.stopping()
    _end([book.score() for book in books.values()], args)
    return EXIT_NO if any(book.misses for book in books.values()) else EXIT_OK


def _opened(
    args: argparse.Namespace, pool: str | None, manager: Service, stack: ExitStack
) -> _Books:
    """What is kept of a pool, opened."""
    several = len(args.pool) > 1
    saying = Saying(f"{pool}: " if several else "", manager)
    log = Log(path_of(args.log, pool), large_of(args.max_size), saying.say)
    kept = keeping(path_of(args.record, pool), args.keep, saying.say, args.max_size)
    return _Books(args, saying, log, stack.enter_context(kept), pool, str(pool), several)


def _cycles(book: _Books, pool: str | None, pause: Pause) -> Iterator[FollowedCycle]:
    """The cycles of a pool, as many as are wanted."""
    args, manager = book.args, book.saying.manager
    with Bindings(pool, args.token, args.timeout) as daemons:
        book.name = str(daemons.hello().get("pool", pool))
        shadow = Shadow(daemons, book.saying.say, args.ask, args.settle, started=book.start)
        shadow.pause, shadow.alive = pause, partial(manager.alive, str(pool))
        yield from islice(shadow.cycles(), args.cycles)


def _end(scores: Sequence[Score], args: argparse.Namespace) -> None:
    """Print the scores."""
    if args.format == "json":
        lines = (f"{json.dumps(score.to_dict())}\n" for score in scores)
        deliver("".join(lines), args, sys.stdout)
    else:
        show([block for score in scores for block in score.report()], args, sys.stdout)
