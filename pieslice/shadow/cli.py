"""Reads the command lines of ``pieslice capture`` and ``pieslice shadow``, and runs them.

Outputs: a folder and what it has; a line for each cycle and the score of all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_BAD, EXIT_NO, EXIT_OK, number, whole_number
from pieslice.inputs.options import (
    INPUT_HELP,
    add_inputs,
    add_local_name,
    add_max_size,
    add_output,
    output_file,
)

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands
    from pieslice.live.daemons import Daemons


def add_commands(subcommands: Subcommands) -> None:
    """Add ``capture`` and ``shadow``."""
    parser = subcommands.add_parser(
        "capture",
        usage="pieslice capture [POOL] DIR [option ...]",
        help="save what a running pool says of itself",
        description="Read a running pool, with READ rights only, and save it as a folder that every"
        " command takes. POOL is the collector, as HOST or HOST:PORT; without it HTCondor's own"
        " configuration names it.",
        epilog="exit status: 0 the capture is whole, 1 it lacks something, 2 there is none",
        examples=(
            ("pieslice capture cm.campus.example now", "save the pool as it is now"),
            ("pieslice capture cm.campus.example now2 --all", "with all attributes of slots"),
        ),
    )
    parser.add_argument("items", nargs="+", metavar="[POOL] DIR", help="the collector, the folder")
    add_asking(parser)
    parser.add_argument(
        "--all", action="store_true", help="save all attributes of slots, not what is read only"
    )
    parser.add_argument(
        "--from-tools",
        action="store_true",
        help="ask with condor_status, condor_q ... where HTCondor's bindings are not installed",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="save nothing and fail if a daemon does not answer",
    )
    parser.add_argument(
        "--anonymize",
        action="store_true",
        help="replace names of users and machines, and paths, the same everywhere",
    )
    add_output(parser)
    parser.set_defaults(run=_capture)
    _add_shadow(subcommands)
    _add_page(subcommands)


def _add_shadow(subcommands: Subcommands) -> None:
    """Add ``shadow``."""
    parser = subcommands.add_parser(
        "shadow",
        usage="pieslice shadow [POOL ...] [option ...]",
        help="predict each cycle of a running pool, and compare it with what happens",
        description="Capture a running pool just before each cycle, predict the cycle, and compare"
        " the prediction with what happened. Cycles before which nothing moved after the capture"
        " are counted apart. With several pools, names of files have {pool} where that of the pool"
        " is to stand.",
        epilog="exit status: 0 all still cycles went as predicted, 1 some did not, 2 bad usage",
        examples=(
            ("pieslice shadow cm.campus.example --cycles 1 --ask", "ask for one cycle, compare"),
        ),
    )
    parser.add_argument("pool", nargs="*", metavar="POOL", help="the collector; several pools")
    add_following(parser)
    for option, text in (
        ("--log", "append each cycle as a line of JSON, and go on with the totals in the file"),
        ("--html", "write the page of the pool after each cycle, with the score"),
        ("--prometheus", "write the totals as metrics after each cycle"),
    ):
        parser.add_argument(option, type=Path, metavar="F", help=text)
    add_recording(parser)
    add_output(parser)
    parser.set_defaults(run=_shadow)


def _add_page(subcommands: Subcommands) -> None:
    """Add ``page``."""
    parser = subcommands.add_parser(
        "page",
        help="make a page of HTML of a pool: slots, waiting jobs, quotas, the next cycle",
        description="Make one self-contained page of HTML of a captured or running pool: who has"
        " which slots, which jobs wait and why, quotas, what the next cycle does. `pieslice shadow"
        " --html` keeps such a page up to date.",
        examples=(("pieslice page mypool -o pool.html", "of a capture, history or running pool"),),
    )
    parser.add_argument("inputs", nargs="*", metavar="POOL", help=INPUT_HELP)
    add_inputs(parser)
    add_local_name(parser)
    parser.add_argument("--log", type=Path, metavar="F", help="the log of `pieslice shadow`")
    parser.add_argument(
        "-o",
        "--output",
        type=output_file,
        default="pool.html",
        metavar="F",
        help="file of the page (default pool.html); - is standard output",
    )
    parser.set_defaults(run=_page)


def add_following(parser: argparse.ArgumentParser) -> None:
    """How the cycles of a pool are followed."""
    add_asking(parser)
    parser.add_argument(
        "--cycles",
        type=whole_number("a number of cycles", 1, 10**9),
        metavar="N",
        help="end after N cycles (default: go on for ever)",
    )
    parser.add_argument(
        "--ask",
        action="store_true",
        help="have the negotiator begin the cycles, which takes more than READ rights",
    )
    parser.add_argument(
        "--settle",
        type=seconds,
        default=1.5,
        metavar="S",
        help="seconds after a cycle in which its matches become claims (default 1.5)",
    )


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Where the captures around cycles are kept."""
    parser.add_argument(
        "--record", type=Path, metavar="F", help="keep the captures around each cycle in a history"
    )
    parser.add_argument(
        "--keep", type=days, metavar="DAYS", help="drop what the history has for longer than that"
    )
    add_max_size(parser, "the log and the history, each: the oldest go first, the totals stay")


def add_asking(parser: argparse.ArgumentParser) -> None:
    """How daemons are asked."""
    parser.add_argument(
        "--token", type=Path, metavar="F", help="file with a token that gives READ rights"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=20.0,
        metavar="S",
        help="seconds that a daemon has for an answer (default 20)",
    )


def seconds(text: str) -> float:
    """A number of seconds above 0."""
    return number(text, "a number of seconds", lambda it: 0 < it < 1e9)


def days(text: str) -> float:
    """A number of days above 0."""
    return number(text, "a number of days", lambda it: 0 < it < 1e6)


def _capture(args: argparse.Namespace) -> int:
    from pieslice.live.anonymity import anonymous
    from pieslice.live.answer import Captured
    from pieslice.live.daemons import Bindings, DaemonError
    from pieslice.live.names import WantedAttributes
    from pieslice.live.taking import Memory, take
    from pieslice.live.tools import Tools
    from pieslice.reports.output import put

    if len(args.items) > 2:
        return refuse(f"`{args.items[2]}` is one argument too many")
    pool, folder = args.items if len(args.items) == 2 else (None, args.items[0])
    path = Path(folder)
    if path.exists():
        return refuse(f"{path}: exists already, and a capture overwrites nothing")
    try:
        with Bindings(pool, args.token, args.timeout) as bindings:
            daemons: Daemons = Tools(pool, args.timeout) if args.from_tools else bindings
            capture = take(daemons, Memory(WantedAttributes(args.all)))
            silent = capture.manifest["silent"]
            if args.strict and silent:
                return refuse(f"not the whole pool: {'; '.join(silent)}")
            if args.anonymize:
                capture = anonymous(capture)
            capture.write(path)
            put(Captured(str(path), capture, daemons.questions), args, sys.stdout)
    except (DaemonError, OSError) as problem:
        return refuse(said(problem))
    return EXIT_NO if capture.manifest["missing"] else EXIT_OK


def _page(args: argparse.Namespace) -> int:
    from pieslice.shadow.page import page_command

    return page_command(args)


def _shadow(args: argparse.Namespace) -> int:
    from pieslice.live.daemons import DaemonError
    from pieslice.recording.store import HistoryError
    from pieslice.shadow.command import follow

    try:
        return follow(args)
    except (OSError, HistoryError, DaemonError) as problem:
        return refuse(said(problem))


def said(problem: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(problem, OSError) and problem.strerror:
        where = "" if problem.filename is None else f"{problem.filename}: "
        return f"{where}{problem.strerror.lower()}"
    return str(problem)


def refuse(message: str) -> int:
    """Say why the command ends."""
    from pieslice.terminal import complain

    complain(f"error: {message}")
    return EXIT_BAD
