"""Checks configurations and prints numbered findings: ``pieslice check``.

Inputs: the arguments, files.  Outputs: the report on standard output.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK, number
from pieslice.inputs.configuration import Misuse, add_reader, guarded, reader_of
from pieslice.inputs.options import add_width, may_run
from pieslice.inputs.versions import FORM, version_from
from pieslice.terminal import in_colour

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


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
    _add_search(check)
    add_width(check)
    check.set_defaults(run=_check)


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
    from pieslice.policies.answers import check_configuration
    from pieslice.policies.formats import report
    from pieslice.reports.layout import with_verdicts
    from pieslice.reports.output import chosen_width
    from policy.lint.finding import ERROR, WARNING
    from policy.lint.findings import FINDINGS

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
        ).checked
        for path in args.path
    ]
    width = chosen_width(args, sys.stdout)
    text = report(results, args.format, FINDINGS, every=args.all, width=width)
    if args.format == "text" and in_colour(sys.stdout):
        text = "\n".join(map(with_verdicts, text.split("\n")))
    print(text)
    fatal = (ERROR, WARNING) if args.strict else (ERROR,)
    worse = any(result.count(severity) for result in results for severity in fatal)
    worse = worse or (args.strict and any(it.behaviour and it.behaviour.broken for it in results))
    return EXIT_NO if worse or not all(result.starts for result in results) else EXIT_OK
