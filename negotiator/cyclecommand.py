"""``pieslice negotiate``: a cycle on a pool, and the tables made of it.

What lives here: which tables there are, which of them an answer has, and in which form.
Inputs: the parsed arguments and the two streams.  Outputs: the exit code.
Never here: reading a pool (``command``), deciding (``cycle``), wording (``report``, ``tabletext``).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import IO, Final

from attr import evolve

from negotiator.command import EXIT_BAD, EXIT_OK, deliver, load, run, show
from negotiator.io import Capture
from negotiator.json_report import to_json
from negotiator.options import SUMMARY
from negotiator.pooltables import (
    PoolTable,
    group_table,
    machine_table,
    match_table,
    quota_table,
    rejection_table,
    submitter_table,
    user_table,
)
from negotiator.progress import Progress
from negotiator.report import Outcome, blocks, heading
from negotiator.result import CycleResult
from negotiator.selection import UnknownNameError, select
from negotiator.tables import Block, Line
from negotiator.tabletext import csv_text, quota_blocks, table_blocks
from negotiator.vacating import vacatings

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
        err.write("error: CSV has room for one table\n  help: give --table once\n")
        return EXIT_BAD
    capture = load(args, err, progress)
    if capture is None:
        return EXIT_BAD
    outcome = run(capture, args.seed, progress)
    try:
        shown = select(outcome.result, args.group or (), args.submitter or ())
    except UnknownNameError as problem:
        err.write(f"error: {problem}\n")
        return EXIT_BAD
    outcome = evolve(
        outcome,
        result=shown,
        partial=shown is not outcome.result,
        vacating=vacatings(capture.snapshot, shown),
    )
    tables = {name: _table(name, capture, shown) for name in names}
    if args.format == "json":
        deliver(to_json(outcome, capture.diagnostics, tables), args, out)
    elif args.format == "csv":
        table = tables[names[0]] if names else match_table(shown)
        deliver(csv_text(table), args, out)
    else:
        show(_text(outcome, tables) if names else blocks(outcome), args, out)
    return EXIT_OK


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
