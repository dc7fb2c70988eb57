"""Runs vector files and prints what differs: ``python -m tests.conform PATH...``.

Exit status 0 when every case that is played passes, 1 when one differs, 2 when a file cannot be
read or no case can be played.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pieslice.command_line import EXIT_BAD, EXIT_NO, EXIT_OK
from pieslice.reports.document import json_text
from pieslice.terminal import complain
from tests.conform.kinds import KINDS
from tests.conform.runner import Outcome, Summary, UnreadableVectors, run

#: Longest text of a value in a failure report, in characters.
SHOWN = 400


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases of the paths; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.conform",
        description="Runs vector files (.json, .jsonl, each also .gz) or folders of them. The kind"
        " of a case is found from its fields.",
        epilog="exit status: 0 all that is played agrees, 1 a case differs, 2 bad usage or input,"
        " or no case can be played",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="failures shown in full (default 20)"
    )
    return conform(parser.parse_args(arguments))


def conform(options: argparse.Namespace) -> int:
    """Play the cases and print what differs; returns the exit status."""
    try:
        summary = run(options.paths, KINDS)
    except UnreadableVectors as problem:
        complain(f"error: {problem}")
        return EXIT_BAD
    if options.json:
        sys.stdout.write(json_text({"schema": "pieslice/conform/1", **as_json(summary)}))
    else:
        for outcome in summary.failures[: options.limit]:
            print(render(outcome))
        hidden = summary.failed - options.limit
        if hidden > 0:
            print(f"... and {hidden} more failures (--limit shows more)")
        for outcome in summary.noted:
            print(note(outcome))
        for name, (count, reason) in summary.not_played.items():
            print(f"not played: {count} of kind `{name}`: {reason}")
        print(f"{summary.passed} passed, {summary.failed} failed")
    if summary.not_played and not summary.passed + summary.failed:
        complain("error: there is no case that can be played")
        return EXIT_BAD
    return EXIT_NO if summary.failed else EXIT_OK


def render(outcome: Outcome) -> str:
    """A failure as text: the case, then expected and actual of every field."""
    lines = [f"FAIL {outcome.path}: {outcome.id} ({outcome.kind})"]
    for mismatch in outcome.mismatches:
        lines.append(f"  {mismatch.field}")
        lines.append(f"    expected: {_shown(mismatch.expected)}")
        lines.append(f"    actual:   {_shown(mismatch.actual)}")
    return "\n".join(lines)


def note(outcome: Outcome) -> str:
    """A case that passed with a note as text: each reason, and the fields that it accounts for."""
    fields: dict[str, list[str]] = {}
    for mismatch in outcome.mismatches:
        fields.setdefault(mismatch.explained or "", []).append(mismatch.field)
    lines = [f"NOTE {outcome.path}: {outcome.id} ({outcome.kind})"]
    lines += [f"  {', '.join(names)}: {reason}" for reason, names in fields.items()]
    return "\n".join(lines)


def as_json(summary: Summary) -> dict[str, object]:
    """The summary with the counts of each kind, all failures and notes, as plain data."""
    return {
        "passed": summary.passed,
        "failed": summary.failed,
        "kinds": {
            name: {"passed": good, "failed": bad} for name, (good, bad) in summary.by_kind.items()
        },
        "failures": [_outcome(outcome) for outcome in summary.failures],
        "noted": [_outcome(outcome) for outcome in summary.noted],
        "not_played": {
            name: {"cases": count, "reason": reason}
            for name, (count, reason) in summary.not_played.items()
        },
    }


def _outcome(outcome: Outcome) -> dict[str, object]:
    return {
        "path": outcome.path,
        "id": outcome.id,
        "kind": outcome.kind,
        "mismatches": [
            {key: value for key, value in item._asdict().items() if key != "explained" or value}
            for item in outcome.mismatches
        ],
    }


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
