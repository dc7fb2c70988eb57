"""Runs cycles on a pool and prints the result or tables of it: ``pieslice negotiate``.

Decides which tables an answer has, and in which form it is printed.

Inputs: the parsed arguments and the two streams.  Outputs: the exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from typing import IO

from negotiator.engines import make_engines
from negotiator.io import Capture
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.options import SUMMARY
from pieslice.inputs.pool import load
from pieslice.negotiate.answer import Cycle, answer, outcome_of, run
from pieslice.negotiate.selection import UnknownNameError
from pieslice.negotiate.text import CycleReport
from pieslice.negotiate.waiting import CycleOutlook, OutlookMaker
from pieslice.reports.layout import Block, Line
from pieslice.reports.output import deliver, put, show
from pieslice.reports.progress import Progress
from pieslice.terminal import complain


def negotiate_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Read the pool, run the cycle, print the result."""
    progress = Progress(err)
    names = list(dict.fromkeys([*(args.table or ()), *(SUMMARY if args.summary else ())]))
    if args.format == "csv" and len(names) > 1:
        complain("error: CSV can show one table only\n  help: give --table once", err)
        return EXIT_BAD
    if args.interval is not None and args.cycles == 1:
        complain("error: one cycle has no interval\n  help: give --cycles N, too", err)
        return EXIT_BAD
    capture = load(args, err, progress)
    if capture is None:
        return EXIT_BAD
    trouble = _too_much(capture, args)
    if trouble is not None:
        complain(f"error: {trouble}", err)
        return EXIT_BAD
    try:
        if args.cycles > 1:
            _put_course(capture, args, names, progress, out)
            return EXIT_OK
        answers = [
            _part(each, run(each, args.seed, progress, args.engine, ahead=bool(names)), args, names)
            for each in capture.negotiators()
        ]
    except UnknownNameError as problem:
        complain(f"error: {problem}", err)
        return EXIT_BAD
    if len(answers) > 1:
        _put_several(capture, answers, args, out)
    else:
        _put_one(answers[0], args, out)
    return EXIT_OK


def _too_much(capture: Capture, args: argparse.Namespace) -> str | None:
    """What cannot be asked for together."""
    if capture.others and args.format == "csv":
        return "CSV can show one negotiator only\n  help: give --local-name once"
    if args.cycles > 1 and args.format == "csv":
        return "CSV can show one cycle only\n  help: omit --cycles, or use --json"
    if args.cycles > 1 and capture.others:
        return "several cycles need one negotiator\n  help: give --local-name once"
    return None


def _part(
    capture: Capture, outcome: CycleReport, args: argparse.Namespace, names: Sequence[str]
) -> Cycle:
    """The answer about the groups and submitters that the arguments name."""
    return answer(capture, outcome, args.group or (), args.submitter or (), names)


def _put_one(found: Cycle, args: argparse.Namespace, out: IO[str]) -> None:
    if args.format == "csv":
        from pieslice.reports.csv import csv_text

        table = found.table(next(iter(found.shown), "matches"))
        deliver(csv_text([table.columns, *table.rows]), args, out)
    else:
        put(found, args, out)


def _put_several(
    capture: Capture, answers: Sequence[Cycle], args: argparse.Namespace, out: IO[str]
) -> None:
    """One answer after another, and what the negotiators have in common."""
    from pieslice.negotiate.document import NamedCycle, Negotiators
    from pieslice.negotiate.overlap import overlap, overlap_blocks

    found = overlap(
        capture.snapshot,
        {item.name: item.pool.policy for item in answers},
        {item.name: item.result for item in answers},
        capture.facts.now,
    )
    if args.format == "json":
        parts = [NamedCycle(item.name, item.data()) for item in answers]
        deliver(Negotiators(parts, found).to_json(), args, out)
        return
    report: list[Block] = []
    for item in answers:
        report += [Line(f"negotiator {item.name}", heading=True), Line(), *item.blocks(), Line()]
    show([*report, *overlap_blocks(found)], args, out)


def _put_course(
    capture: Capture,
    args: argparse.Namespace,
    names: Sequence[str],
    progress: Progress,
    out: IO[str],
) -> None:
    """One cycle after another."""
    from pieslice.negotiate.course import CycleCourse, seconds_between

    interval = seconds_between(capture, args.interval)
    course = CycleCourse(
        capture, interval, Random(args.seed), make_engines(args.engine, lasting=True)
    )
    answers = []
    with progress.stage(f"negotiating {args.cycles} cycles"):
        for _ in range(args.cycles):
            held = course.next()
            then, turn = held.pool, held.turn
            ahead = None
            if names:
                ahead = CycleOutlook(turn.snapshot, turn.result, turn.board, turn.jobs)
            outcome = outcome_of(then, turn.result, ahead or OutlookMaker(then, args.seed))
            answers.append(_part(then, outcome, args, names))
    if args.format == "json":
        from pieslice.negotiate.document import Cycles

        deliver(Cycles([item.data() for item in answers], interval).to_json(), args, out)
        return
    report: list[Block] = []
    for number, item in enumerate(answers, 1):
        report += [Line(f"cycle {number}", heading=True), Line(), *item.blocks(), Line()]
    show(report[:-1], args, out)
