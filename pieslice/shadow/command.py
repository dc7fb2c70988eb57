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
from functools import partial
from typing import Final

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings
from pieslice.reports.layout import Block, Line
from pieslice.reports.output import deliver, put, show
from pieslice.shadow.cycles import due
from pieslice.shadow.history import keeping
from pieslice.shadow.keeping import Log, Unwritten, ended_in_order, replace
from pieslice.shadow.loop import Shadow
from pieslice.shadow.outcome import Outcome
from pieslice.shadow.report import Score, cycle_line, differences, page, prometheus
from pieslice.terminal import complain

#: Lines of what is waited for that are said one after another; more of the same are not.
_NOTHING: Final = ""


class Waiting:
    """Says what is waited for, once until it changes."""

    def __init__(self) -> None:
        self.last = _NOTHING

    def say(self, text: str) -> None:
        """Say it on standard error."""
        if text != self.last:
            complain(text)
        self.last = text


def follow(args: argparse.Namespace) -> int:
    """Follow the cycles of a pool until there have been enough, or until Ctrl-C or SIGTERM."""
    log = Log(args.log)
    waiting = Waiting()
    unwritten = Unwritten(complain)
    misses, count = 0, 0
    with (
        ended_in_order(),
        keeping(args.record, args.keep, waiting.say) as keep,
        Bindings(args.pool, args.token, args.timeout) as daemons,
    ):
        shadow = Shadow(daemons, waiting.say, args.ask, args.settle, started=partial(_start, args))
        pool = str(daemons.hello().get("pool", args.pool))
        try:
            for followed in shadow.cycles():
                outcome = followed.outcome
                waiting.last = _NOTHING
                keep(followed.before.capture)
                keep(followed.after)
                unwritten.try_to(str(args.log), partial(log.add, outcome))
                misses += outcome.still and not outcome.exact
                count += 1
                unwritten.try_to("standard output", partial(_tell, outcome, args))
                _keep(Score(pool, log.totals, tuple(log.recent)), args, unwritten)
                if count == args.cycles:
                    break
        except KeyboardInterrupt:
            print(file=sys.stderr)
    score = Score(pool, log.totals, tuple(log.recent))
    if args.format == "json":
        deliver(f"{json.dumps(score.to_dict())}\n", args, sys.stdout)
    else:
        put(score, args, sys.stdout)
    return EXIT_NO if misses else EXIT_OK


def _start(args: argparse.Namespace, capture: LiveCapture) -> None:
    """Say which pool is followed, when its next cycle is due, and what is written where."""
    at = time.strftime("%H:%M:%S UTC", time.gmtime(due(capture.manifest["cycle"])))
    when = "asking for each cycle" if args.ask else f"next cycle due at {at}"
    files = [
        f"{what} {path}"
        for what in ("log", "html", "prometheus", "record")
        if (path := getattr(args, what)) is not None
    ]
    complain(f"pool {capture.manifest['pool']}: {', '.join((when, *files))}")


def _tell(outcome: Outcome, args: argparse.Namespace) -> None:
    """Print a cycle; the file of ``-o`` gets the score alone."""
    if args.output is not None:
        return
    if args.format == "json":
        print(json.dumps(outcome.data()), flush=True)
        return
    blocks: list[Block] = [Line(cycle_line(outcome)), *differences(outcome)]
    show(blocks, args, sys.stdout)


def _keep(score: Score, args: argparse.Namespace, unwritten: Unwritten) -> None:
    """Write the files that others read."""
    for path, text in ((args.html, page), (args.prometheus, prometheus)):
        if path is not None:
            unwritten.try_to(str(path), partial(replace, path, text(score)))
