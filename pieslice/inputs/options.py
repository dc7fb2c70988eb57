"""Declares the options that the commands about a pool share.

These are the options that say which pool is meant and where the answer goes, once for
``negotiate``, ``why``, ``rank``, ``quotas`` and ``diff``.

Inputs: a parser.  Outputs: it has the options.
"""

from __future__ import annotations

import argparse
from typing import Final

from pieslice.command_line import number, whole_number
from pieslice.inputs.streams import may_be_streams
from pieslice.inputs.versions import add_version

#: Those of ``negotiator.engines``.  Reading a command line imports no library, so that `doctor`
#: runs in a broken installation, too.
ENGINES: Final = ("columns", "reference")
#: What a path on the command line may be.
INPUT_HELP: Final = "capture, history, scenario, files of ads, or HOST of a running pool"


#: Arguments that name files of a pool, and those that name pools.
_FILES: Final = (
    *("config", "also", "slots", "jobs", "submitters", "schedds", "accounting"),
    *("accountant_log", "expected"),
)
_POOLS: Final = ("inputs", "items", "pools")

#: The tables that ``negotiate`` can make, and those of a summary.
TABLES: Final = (
    *("users", "groups", "autoclusters", "machines", "quotas", "submitters", "matches"),
    "rejections",
)
SUMMARY: Final = ("users", "groups", "autoclusters", "machines", "quotas")


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """The files of a pool, and what of the cycle is not in them."""
    parser.add_argument(
        "--dialect",
        type=_dialect,
        default="htcondor",
        metavar="D",
        help="whose rules: htcondor (25.14.1, the default), mrg or manual, with +RULE for one more",
    )
    add_version(parser)
    for option, text in (
        ("--slots", "slot ads, as condor_status -l prints them"),
        ("--jobs", "job ads, as condor_q -all -l prints them"),
        ("--submitters", "submitter ads (condor_status -submitters -l)"),
        ("--schedds", "schedd ads (condor_status -schedd -l)"),
        ("--accounting", "accounting ads (condor_userprio -all -l); used instead of the log"),
        ("--accountant-log", "the accountant's Accountantnew.log"),
        ("--expected", "decisions of the real negotiator to compare with"),
    ):
        parser.add_argument(option, metavar="F", help=text)
    parser.add_argument(
        "--made-up-jobs",
        action="store_true",
        help="without job ads: make them up from what runs, each with one more that waits",
    )
    _add_configurations(parser)
    may_be_streams(parser, *_FILES, *_POOLS)
    add_where(parser)
    parser.add_argument(
        "--at",
        metavar="T",
        help="of a history: the last capture at or before T (seconds since the epoch or ISO 8601, "
        "local time unless it has a zone; default: the last capture)",
    )
    add_token(parser)
    parser.add_argument(
        "--now",
        metavar="T",
        help="time of the cycle: seconds since the epoch or ISO 8601, local time unless it has a"
        " zone",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of random() (default 0)"
    )


def _add_configurations(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        action="append",
        metavar="F",
        help="configuration instead of the pool's; more are read on top of the first",
    )
    parser.add_argument(
        "--also",
        action="append",
        metavar="F",
        help="a file that is read after the configuration: what is to change, and nothing else",
    )
    parser.add_argument(
        "-D",
        "--define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a definition after all configuration files",
    )


def input_words(args: argparse.Namespace) -> list[str]:
    """The pool and the options of ``add_inputs`` that were given, as words of a command line."""
    words = [str(item) for item in args.inputs]
    followed = args.condor_version
    for option, value, default in (
        ("--dialect", args.dialect, "htcondor"),
        ("--condor-version", None if followed is None else followed.given, None),
        *((f"--{name.replace('_', '-')}", getattr(args, name), None) for name in _FILES[2:]),
        ("--for", args.where, None),
        ("--at", args.at, None),
        ("--now", args.now, None),
        ("--seed", args.seed, 0),
    ):
        if value != default:
            words += [option, str(value)]
    words += ["--made-up-jobs"] if args.made_up_jobs else []
    for option, values in (
        *(("--config", args.config), ("--also", args.also)),
        *(("-D", args.define), ("--local-name", args.local_name)),
    ):
        words += [word for value in values or () for word in (option, str(value))]
    return words


def add_where(parser: argparse.ArgumentParser) -> None:
    """Which startds get a configuration."""
    parser.add_argument(
        "--for",
        dest="where",
        metavar="EXPR",
        help="machines whose startds get another configuration, by the ads of their slots, such as"
        " 'Machine == \"n1\"' (default: all)",
    )


def add_token(parser: argparse.ArgumentParser) -> None:
    """What gives the right to ask a running pool."""
    parser.add_argument("--token", metavar="F", help="file with a token for asking a running pool")


def may_run(parser: argparse.ArgumentParser, *names: str) -> None:
    """Say which arguments may be HOST of a pool that runs, which is captured before the command."""
    known: tuple[str, ...] = parser.get_default("running") or ()
    if not known:
        add_token(parser)
    parser.set_defaults(running=(*known, *names))


def add_local_name(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Which negotiator of the pool is meant."""
    parser.add_argument(
        "--local-name",
        action="append",
        metavar="N",
        help=f"local name of the negotiator whose configuration is read{more}",
    )


def add_course(parser: argparse.ArgumentParser, count: int = 1) -> None:
    """How many cycles, and how far apart; ``count``: without a number."""
    parser.add_argument(
        "--cycles",
        type=whole_number("a number of cycles from 1 to 10000", 1, 10_000),
        default=count,
        metavar="N",
        help=f"cycles one after another, each with the claims of the one before (default {count})",
    )
    parser.add_argument(
        "--interval",
        type=whole_number("a whole number of seconds from 1 on", 1, 10**9),
        metavar="S",
        help="seconds from one cycle to the next (default: NEGOTIATOR_INTERVAL)",
    )


def add_costs(parser: argparse.ArgumentParser) -> None:
    """What takes time, for the limits on it."""
    parser.add_argument(
        "--seconds-per-request",
        action="append",
        default=[],
        metavar="[SCHEDD=]S",
        help="time that offering a request takes, of all schedds or of one (default 0)",
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    """How candidates are found."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default=ENGINES[0],
        help="find the slots of a job among all at once (columns) or by asking one after the other "
        "(reference, slow); the answer is the same",
    )


def add_tables(parser: argparse.ArgumentParser) -> None:
    """What of a cycle's result is shown."""
    parser.add_argument(
        "--group", action="append", metavar="G", help="show only this group and those below it"
    )
    parser.add_argument(
        "--submitter", action="append", metavar="S", help="show only this submitter"
    )
    parser.add_argument(
        "--table",
        action="append",
        choices=TABLES,
        metavar="T",
        help=f"show a table instead of the report: {', '.join(TABLES)}",
    )
    parser.add_argument(
        "--summary",
        action="store_true",
        help="show the tables of users to quotas",
    )


def output_file(text: str) -> str | None:
    """The name of a file to write; ``-`` is standard output, as it is standard input elsewhere."""
    return None if text == "-" else text


def add_output(parser: argparse.ArgumentParser, *forms: str) -> None:
    """How the answer is printed, and where; ``forms`` besides text and JSON."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--format",
        choices=("text", "json", *forms),
        default="text",
        help="form of the answer (default text)",
    )
    form.add_argument(
        "--json", action="store_const", const="json", dest="format", help="same as --format json"
    )
    parser.add_argument("-o", "--output", type=output_file, metavar="F", help="write to a file")
    parser.add_argument("--no-color", action="store_true", help="no colours on a terminal")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="say all that there is to say of the input"
    )
    add_width(parser)
    # Also accepted here; without a default, so that the one before the command keeps its value.
    parser.add_argument(
        "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def add_max_size(parser: argparse.ArgumentParser, what: str) -> None:
    """How large files may become that grow."""
    parser.add_argument("--max-size", type=_megabytes, metavar="MB", help=f"megabytes for {what}")


def _megabytes(text: str) -> float:
    return number(text, "a number above 0", lambda found: found > 0)


def add_width(parser: argparse.ArgumentParser) -> None:
    """How wide the text may be."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--width",
        type=text_width,
        metavar="N",
        help="width of the text (default: the terminal's; 80 in files and pipes)",
    )
    either.add_argument(
        "--wide", action="store_true", help="every column and every name, however wide the text"
    )


def _dialect(text: str) -> str:
    from policy.dialects import UnknownDialectError, find_dialect

    try:
        return find_dialect(text).name
    except UnknownDialectError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def text_width(text: str) -> int:
    """The number of columns of text."""
    try:
        width = int(text)
    except ValueError:
        width = 0
    if width < 20:
        raise argparse.ArgumentTypeError(f"`{text}` is not a width of at least 20")
    return width
