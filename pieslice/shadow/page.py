"""Writes the page of a pool: its slots, jobs and quotas, its next cycle, how predictions went.

Inputs: parsed arguments, or a capture and a score.  Outputs: HTML; the exit code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from classad.errors import LimitError
from negotiator.io import Capture, InputError
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.pool import load
from pieslice.live.capture import LiveCapture
from pieslice.negotiate.answer import answer, run
from pieslice.negotiate.page import REFRESH, pool_page
from pieslice.reports.html import html_of
from pieslice.reports.output import deliver
from pieslice.reports.pages import document, lines, part, shown
from pieslice.reports.progress import Progress
from pieslice.shadow.keeping import Lines, Log
from pieslice.shadow.loop import opened
from pieslice.shadow.report import Score, told_cycles
from pieslice.terminal import complain


def page_command(args: argparse.Namespace) -> int:
    """Run ``pieslice page``."""
    progress = Progress(sys.stderr)
    capture = load(args, sys.stderr, progress)
    if capture is None:
        return EXIT_BAD
    score = None
    if args.log is not None:
        if not args.log.is_file():
            complain(f"pieslice page: error: {args.log}: no such log of `pieslice shadow`")
            return EXIT_BAD
        log = Log()
        # The shadow may be writing to it.
        for line in Lines(args.log).read(repair=False):
            log.take(line)
        score = Score(capture.facts.name, log.totals, tuple(log.recent))
    with progress.stage("negotiating"):
        text = _page(capture, capture.facts.name, score)
    deliver(text, args, sys.stdout)
    return EXIT_OK


def shadow_page(score: Score, capture: LiveCapture) -> str:
    """The page of a pool that is followed; without a pool that can be read the score alone."""
    try:
        with opened(capture) as pool:
            return _page(pool, score.pool, score, refresh=REFRESH)
    except (InputError, LimitError) as problem:
        said = f"<p class='note'>The pool cannot be shown: {shown(str(problem))}</p>"
        body = [f"<h1>{shown(score.pool)}</h1>", said, *_predictions(score)]
        return document(score.pool, body, refresh=REFRESH)


def _page(pool: Capture, name: str, score: Score | None, refresh: int | None = None) -> str:
    cycle = answer(pool, run(pool, ahead=True))
    return pool_page(cycle, name, () if score is None else _predictions(score), refresh=refresh)


def _predictions(score: Score) -> Iterator[str]:
    """How the predictions of the cycles before went."""
    content = [html_of(score.report()), "<h3>Last cycles</h3>"]
    content.append(f"<pre>{lines(told_cycles(score)) or 'none yet'}</pre>")
    yield from part("Predictions", content)
