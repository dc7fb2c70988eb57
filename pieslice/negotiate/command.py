"""Runs cycles on a pool and prints the result or tables of it: ``pieslice negotiate``.

Decides which tables there are, which of them an answer has, and in which form.

Inputs: the parsed arguments and the two streams.  Outputs: the exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from typing import IO, Final

from attr import evolve, frozen

from negotiator.capture.ages import dated
from negotiator.capture.agreement import compare
from negotiator.capture.group_maps import Assignments
from negotiator.capture.queues import IDLE
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.io import Capture
from negotiator.model.result import CycleResult
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.options import SUMMARY
from pieslice.inputs.pool import load
from pieslice.negotiate.cycles import Turn, run_cycles
from pieslice.negotiate.pool_text import quota_blocks, table_blocks
from pieslice.reports.csv import csv_text
from pieslice.reports.json import json_text, to_json, to_object
from pieslice.reports.layout import Block, Line, short
from pieslice.reports.negotiators import overlap
from pieslice.reports.negotiators_text import overlap_blocks, overlap_data
from pieslice.reports.output import deliver, show
from pieslice.reports.pool_tables import (
    PoolTable,
    group_table,
    machine_table,
    match_table,
    quota_table,
    rejection_table,
    submitter_table,
    user_table,
)
from pieslice.reports.progress import Progress
from pieslice.reports.selection import UnknownNameError, select
from pieslice.reports.text import Outcome, blocks, heading
from pieslice.reports.vacating import vacatings
from policy.model import NegotiatorPolicy

_BY_RESULT: Final = {
    "users": user_table,
    "groups": group_table,
    "quotas": quota_table,
    "matches": match_table,
    "rejections": rejection_table,
    "submitters": submitter_table,
}


def negotiate_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Read the pool, run the cycle, print the result."""
    progress = Progress(err)
    names = list(dict.fromkeys([*(args.table or ()), *(SUMMARY if args.summary else ())]))
    if args.format == "csv" and len(names) > 1:
        err.write("error: CSV can show one table only\n  help: give --table once\n")
        return EXIT_BAD
    capture = load(args, err, progress)
    if capture is None:
        return EXIT_BAD
    trouble = _too_much(capture, args)
    if trouble is not None:
        err.write(f"error: {trouble}\n")
        return EXIT_BAD
    try:
        if args.cycles > 1:
            _put_course(capture, args, names, progress, out)
            return EXIT_OK
        answers = [
            _answer(each, _run(each, args.seed, progress, args.engine), args, names)
            for each in capture.negotiators()
        ]
    except UnknownNameError as problem:
        err.write(f"error: {problem}\n")
        return EXIT_BAD
    if len(answers) > 1:
        _put_several(capture, answers, args, out)
    else:
        _put_one(answers[0], capture, args, out)
    return EXIT_OK


def _run(capture: Capture, seed: int, progress: Progress, engine: str = ENGINES[0]) -> Outcome:
    """The cycle and its comparison with the real negotiator."""
    with progress.stage("negotiating"):
        result = negotiate(
            capture.snapshot,
            capture.policy,
            now=capture.facts.now,
            rng=Random(seed),
            costs=capture.costs,
            engine=engine,
        )
    return _outcome_of(capture, result)


def _outcome_of(capture: Capture, result: CycleResult) -> Outcome:
    """What is reported of a cycle of a pool."""
    agreement, expected = None, capture.expected
    if expected is not None:
        found = compare(result, expected)
        agreement = dated(found, capture.snapshot, expected.cycle_started_at)
    return Outcome(
        capture.facts,
        result,
        capture.unsupported,
        agreement,
        capture.expected_name,
        assignments=capture.assignments,
    )


def _too_much(capture: Capture, args: argparse.Namespace) -> str | None:
    """What cannot be asked for together."""
    if capture.others and args.format == "csv":
        return "CSV can show one negotiator only\n  help: give --local-name once"
    if args.cycles > 1 and args.format == "csv":
        return "CSV can show one cycle only\n  help: omit --cycles, or use --json"
    if args.cycles > 1 and capture.others:
        return "several cycles need one negotiator\n  help: give --local-name once"
    return None


@frozen(eq=False)
class _Answer:
    """What one negotiator did: ``result`` in full, ``outcome`` as it is shown."""

    name: str
    policy: NegotiatorPolicy
    result: CycleResult
    outcome: Outcome
    tables: dict[str, PoolTable]


def _answer(
    capture: Capture, outcome: Outcome, args: argparse.Namespace, names: Sequence[str]
) -> _Answer:
    whole = outcome.result
    shown = select(whole, args.group or (), args.submitter or ())
    outcome = evolve(
        outcome,
        result=shown,
        partial=shown is not whole,
        vacating=vacatings(capture.snapshot, shown),
    )
    tables = {name: _table(name, capture, shown) for name in names}
    return _Answer(capture.local_name or "", capture.policy, whole, outcome, tables)


def _put_one(answer: _Answer, capture: Capture, args: argparse.Namespace, out: IO[str]) -> None:
    if args.format == "json":
        deliver(to_json(answer.outcome, capture.diagnostics, answer.tables), args, out)
    elif args.format == "csv":
        tables = [*answer.tables.values()] or [match_table(answer.outcome.result)]
        deliver(csv_text([tables[0].columns, *tables[0].rows]), args, out)
    else:
        show(_blocks(answer), args, out)


def _put_several(
    capture: Capture, answers: Sequence[_Answer], args: argparse.Namespace, out: IO[str]
) -> None:
    """One answer after another, and what the negotiators have in common."""
    found = overlap(
        capture.snapshot,
        {item.name: item.policy for item in answers},
        {item.name: item.result for item in answers},
        capture.facts.now,
    )
    if args.format == "json":
        parts = [
            {"local_name": item.name, **to_object(item.outcome, capture.diagnostics, item.tables)}
            for item in answers
        ]
        data = {"negotiators": parts, "overlap": overlap_data(found)}
        deliver(json_text(data), args, out)
        return
    report: list[Block] = []
    for item in answers:
        report += [Line(f"negotiator {item.name}", heading=True), Line(), *_blocks(item), Line()]
    show([*report, *overlap_blocks(found)], args, out)


def _put_course(
    capture: Capture,
    args: argparse.Namespace,
    names: Sequence[str],
    progress: Progress,
    out: IO[str],
) -> None:
    """One cycle after another."""
    interval = args.interval or max(capture.policy.interval_seconds, 1)
    course = run_cycles(
        capture.snapshot,
        capture.policy,
        now=capture.facts.now,
        count=args.cycles,
        interval=interval,
        rng=Random(args.seed),
        costs=capture.costs,
        engine=args.engine,
    )
    answers = []
    with progress.stage(f"negotiating {args.cycles} cycles"):
        for turn in course:
            then = _then(capture, turn, interval)
            answers.append(_answer(then, _outcome_of(then, turn.result), args, names))
    if args.format == "json":
        # What was wrong with the files is said once.
        parts = [
            to_object(item.outcome, () if i else capture.diagnostics, item.tables)
            for i, item in enumerate(answers)
        ]
        deliver(json_text({"cycles": parts, "interval": interval}), args, out)
        return
    report: list[Block] = []
    for number, item in enumerate(answers, 1):
        report += [Line(f"cycle {number}", heading=True), Line(), *_blocks(item), Line()]
    show(report[:-1], args, out)


def _then(capture: Capture, turn: Turn, interval: float) -> Capture:
    """The pool at a later cycle, which the capture's expectations are not about."""
    if turn.number == 1:
        return capture
    slots, queues = turn.snapshot.slots, turn.snapshot.queues
    jobs = [job for queue in queues for job in queue.jobs]
    facts = evolve(
        capture.facts,
        slots=len(slots),
        idle_jobs=sum(job.get_number("JobStatus") == IDLE for job in jobs),
        now=turn.result.now,
        now_from=f"{short(interval)} seconds after the cycle before",
    )
    return evolve(
        capture, snapshot=turn.snapshot, facts=facts, expected=None, assignments=Assignments()
    )


def _blocks(answer: _Answer) -> Sequence[Block]:
    if not answer.tables:
        return blocks(answer.outcome)
    return _text(answer.outcome, answer.tables)


def _table(name: str, capture: Capture, result: CycleResult) -> PoolTable:
    if name == "machines":
        return machine_table(capture.snapshot, capture.policy, result)
    return _BY_RESULT[name](result)


def _text(outcome: Outcome, tables: dict[str, PoolTable]) -> Sequence[Block]:
    """The tables one after another; that of quotas in the form of the real tool."""
    found: list[Block] = list(heading(outcome))
    for name, table in tables.items():
        found.append(Line())
        found += quota_blocks(outcome.result) if name == "quotas" else table_blocks(table)
    return found
