"""Checks configurations and prints numbered findings: ``pieslice check``.

Inputs: the arguments, files.  Outputs: the report on standard output.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK, number
from pieslice.inputs.configuration import Misuse, Shown, add_reader, guarded, reader_of
from pieslice.inputs.options import add_width, may_run
from pieslice.inputs.versions import FORM, version_from
from pieslice.terminal import complain, in_colour

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands
    from pieslice.policies.checked import Checked


def add_commands(subcommands: Subcommands) -> None:
    """Add ``check``."""
    check = subcommands.add_parser(
        "check",
        help="check a configuration for errors and doubtful settings",
        description="Check whether the daemons would start with a configuration, and list"
        " numbered findings; see docs/findings for their meaning. Without --subsys the verdicts"
        " of all daemons whose macros the files set.",
        examples=(
            ("pieslice check condor_config", "would the daemons start; the worst three findings"),
            ("pieslice check condor_config --all", "all findings"),
            ("pieslice check mypool --subsys SCHEDD", "as one daemon reads it"),
            ("pieslice check mypool --accepted known.txt --accept", "accept what is found today"),
            ("pieslice check new_config --reload condor_config", "what a reload changes"),
            (
                "pieslice check mypool --condor-version 24.0 --upgrade 25.0",
                "what an upgrade changes",
            ),
        ),
    )
    add_reader(check, nargs="+")
    check.set_defaults(subsys=None)
    check.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help="form of the report (default text)",
    )
    check.add_argument(
        "--all", action="store_true", help="show all findings, not only the worst three"
    )
    check.add_argument(
        "--fragment",
        action=argparse.BooleanOptionalAction,
        help="other files complete this one, and what it lacks is only noted; --no-fragment: it is"
        " whole (default: by what it lacks)",
    )
    check.add_argument(
        "--upgrade",
        type=version_from("--upgrade"),
        metavar="V",
        help=f"say what changes on the way from --condor-version to this one: {FORM}",
    )
    check.add_argument(
        "--reload",
        metavar="RUNNING",
        help="say what changes, daemon by daemon, if daemons that run with RUNNING get this"
        " configuration, and whether condor_reconfig is enough",
    )
    may_run(check, "reload")
    check.add_argument(
        "--strict", action="store_true", help="exit 1 for warnings and broken properties too"
    )
    _add_accepted(check)
    _add_search(check)
    add_width(check)
    check.set_defaults(run=_check)


def _add_accepted(check: argparse.ArgumentParser) -> None:
    """The findings that somebody has looked at."""
    check.add_argument(
        "--accepted",
        metavar="FILE",
        help="leave out the findings in FILE, and note those of them that are found no more",
    )
    check.add_argument(
        "--accept",
        action="store_true",
        help="write the findings that there are into the FILE of --accepted; what stops a daemon"
        " is never accepted",
    )


def _accepting(args: argparse.Namespace, results: list[Checked]) -> list[Checked]:
    """The results without what is accepted, which is written first with --accept."""
    if args.accepted is None:
        if args.accept:
            raise Misuse("--accept needs --accepted FILE, the file to be written")
        return results
    from pathlib import Path

    from attr import evolve

    from classad.source import Source
    from pieslice.policies.texts import counted
    from policy.lint import accepted

    path, folders = Path(args.accepted), [folder_of(result.path) for result in results]
    if args.accept:
        found = zip(results, folders, strict=True)
        texts = [accepted.written(one.all_findings, folder) for one, folder in found]
        lines = dict.fromkeys(line for text in texts for line in text.splitlines(keepends=True))
        path.write_text("".join(lines), encoding="utf-8")
        complain(f"{path}: {counted(len(lines) - 1, 'finding')} accepted")
    source = Source(path.read_text(encoding="utf-8", errors="surrogateescape"), str(path))
    rows = list(accepted.accepted_in(source))
    wrong = [row.render() for row in rows if not isinstance(row, accepted.Accepted)]
    if wrong:
        raise Shown("\n".join(wrong))
    known = {row.key: row for row in rows if isinstance(row, accepted.Accepted)}
    left, seen = [], set[object]()
    for one, folder in zip(results, folders, strict=True):
        keys = [accepted.key_of(found, folder) for found in one.findings]
        pairs = zip(one.findings, keys, strict=True)
        left.append(evolve(one, findings=tuple(f for f, key in pairs if key not in known)))
        seen.update(keys)
    notes = tuple(accepted.idle((row for key, row in known.items() if key not in seen), source))
    return [evolve(left[0], findings=(*left[0].findings, *notes)), *left[1:]]


def folder_of(path: str) -> str:
    """The folder of a configuration: what names of its files begin with."""
    return path if os.path.isdir(path) else os.path.dirname(path) or os.curdir


def _add_search(check: argparse.ArgumentParser) -> None:
    """How long slots and jobs are searched for that break the policy."""
    check.add_argument(
        "--deep",
        type=_seconds,
        metavar="S",
        help="search for S seconds for slots and jobs that break the policy (default: 4000 pairs of"
        " them; none for sarif and github); `pieslice fuzz` shows the cases",
    )
    check.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the search (0)")


def _seconds(text: str) -> float:
    return number(text, "a number of seconds above 0", lambda found: found > 0)


def _time_left(seconds: float) -> Callable[[], bool]:
    """What says whether so many seconds from now on are not over."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


@guarded
def _check(args: argparse.Namespace) -> int:
    from pieslice.policies.checked import check_configuration
    from policy.lint.finding import ERROR, WARNING

    if args.reload is not None and args.format not in ("text", "json"):
        raise Misuse(f"--reload is told as text and json, not as {args.format}")
    reader = reader_of(args)
    asked = args.subsys is not None
    results = [
        check_configuration(
            path,
            reader,
            asked=asked,
            fragment=args.fragment,
            to=args.upgrade,
            search=args.deep is not None or args.format in ("text", "json"),
            seed=args.seed,
            go_on=None if args.deep is None else _time_left(args.deep),
            running=args.reload,
        )
        for path in args.path
    ]
    results = _accepting(args, results)
    print(_text(args, results))
    fatal = (ERROR, WARNING) if args.strict else (ERROR,)
    worse = any(result.count(severity) for result in results for severity in fatal)
    worse = worse or (args.strict and any(it.behaviour and it.behaviour.broken for it in results))
    return EXIT_NO if worse or not all(result.starts for result in results) else EXIT_OK


def _text(args: argparse.Namespace, results: list[Checked]) -> str:
    """The report; for people as wide and as colourful as standard output wants it."""
    from pieslice.policies.formats import report
    from policy.lint.findings import FINDINGS

    if args.format != "text":
        return report(results, args.format, FINDINGS)
    from pieslice.reports.layout import with_verdicts
    from pieslice.reports.output import chosen_width

    width = chosen_width(args, sys.stdout)
    text = report(results, args.format, FINDINGS, every=args.all, width=width)
    return "\n".join(map(with_verdicts, text.split("\n"))) if in_colour(sys.stdout) else text
