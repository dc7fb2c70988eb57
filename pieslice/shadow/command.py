"""Runs ``pieslice shadow``: prints a line for each cycle, keeps files up to date, ends with a sum.

Inputs: parsed arguments.  Outputs: lines and the score on standard output, what is waited for on
standard error, files; raises ``OSError`` where one of them cannot be written, ``HistoryError``
where a history cannot be opened.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Final

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.live.daemons import Bindings
from pieslice.reports.layout import Block, Line
from pieslice.reports.output import deliver, put, show
from pieslice.shadow.history import keeping
from pieslice.shadow.keeping import Log, replace
from pieslice.shadow.loop import Shadow
from pieslice.shadow.outcome import Outcome
from pieslice.shadow.report import Score, cycle_line, differences, page, prometheus
from pieslice.terminal import complain

#: Lines of what is waited for that are said one after another; more of the same are not.
_NOTHING: Final = ""


class _Waiting:
    """Says what is waited for, once until it changes."""

    def __init__(self) -> None:
        self.last = _NOTHING

    def say(self, text: str) -> None:
        """Say it on standard error."""
        if text != self.last:
            complain(text)
        self.last = text


def follow(args: argparse.Namespace) -> int:
    """Follow the cycles of a pool until there have been enough, or until Ctrl-C."""
    log = Log(args.log)
    waiting = _Waiting()
    found: list[bool] = []
    with (
        keeping(args.record, args.keep, waiting.say) as keep,
        Bindings(args.pool, args.token, args.timeout) as daemons,
    ):
        shadow = Shadow(daemons, waiting.say, args.ask, args.settle)
        pool = str(daemons.hello().get("pool", args.pool))
        try:
            for followed in shadow.cycles():
                outcome = followed.outcome
                waiting.last = _NOTHING
                keep(followed.before.capture)
                keep(followed.after)
                log.add(outcome)
                found.append(outcome.exact or not outcome.still)
                _tell(outcome, args)
                _keep(Score(pool, log.totals, tuple(log.recent)), args)
                if len(found) == args.cycles:
                    break
        except KeyboardInterrupt:
            print(file=sys.stderr)
    score = Score(pool, log.totals, tuple(log.recent))
    if args.format == "json":
        deliver(f"{json.dumps(score.to_dict())}\n", args, sys.stdout)
    else:
        put(score, args, sys.stdout)
    return EXIT_OK if all(found) else EXIT_NO


def _tell(outcome: Outcome, args: argparse.Namespace) -> None:
    """Print a cycle; the file of ``-o`` gets the score alone."""
    if args.output is not None:
        return
    if args.format == "json":
        print(json.dumps(outcome.data()), flush=True)
        return
    blocks: list[Block] = [Line(cycle_line(outcome)), *differences(outcome)]
    show(blocks, args, sys.stdout)


def _keep(score: Score, args: argparse.Namespace) -> None:
    """Write the files that others read."""
    if args.html is not None:
        replace(args.html, page(score))
    if args.prometheus is not None:
        replace(args.prometheus, prometheus(score))
