"""The command ``pieslice``.

What lives here: the list of subcommands, ``--version``, shell completion and what happens to
errors.  Exit codes: 0 done, 1 the answer is no, 2 bad usage or input, 130 interrupted.
Inputs: the arguments.  Outputs: data on standard output, notes on standard error.
Never here: what a subcommand does; each room brings its own with ``add_commands``.  What takes
long to import is imported by the subcommand that needs it.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from pieslice.commands.options import (
    INPUT_HELP,
    add_costs,
    add_course,
    add_engine,
    add_inputs,
    add_local_name,
    add_output,
    add_tables,
)

EXIT_OK = 0
EXIT_NO = 1
EXIT_BAD = 2
EXIT_INTERRUPTED = 130

DESCRIPTION = "Policy laboratory for HTCondor: read a captured pool and run a negotiation cycle."
EPILOG = "exit status: 0 done, 1 the answer is no, 2 bad usage or input"
SHELLS = ("bash", "zsh")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; usage errors leave through ``SystemExit``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Ads may hold bytes that are no text; they must not end the run.
            stream.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if argv is None else list(argv)
    args = build_parser().parse_args(arguments)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`pieslice ... | head`); nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except Exception as problem:
        if args.debug:
            raise
        print(f"pieslice: error: {describe(problem)}", file=sys.stderr)
        return EXIT_BAD
    return code


def describe(problem: Exception) -> str:
    """One line for an exception that nothing else has dealt with."""
    if isinstance(problem, OSError) and problem.strerror:
        where = f"{problem.filename}: " if problem.filename else ""
        return f"{where}{problem.strerror.lower()}"
    text = " ".join(str(problem).split()) or "no message"
    return f"internal error ({type(problem).__name__}): {text}; --debug shows the traceback"


def build_parser() -> argparse.ArgumentParser:
    """The parser with every subcommand."""
    parser = argparse.ArgumentParser(prog="pieslice", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action=VersionAction, help="show version and backends")
    parser.add_argument("--debug", action="store_true", help="show tracebacks of internal errors")
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    for module in command_modules():
        importlib.import_module(module).add_commands(subparsers)
    importlib.import_module("pieslice.conform.classad.cli").add_commands(subparsers, conform_kinds)
    add_commands(subparsers)
    return parser


def conform_kinds() -> tuple[Any, ...]:
    """The kinds of recorded case that the rooms know."""
    from pieslice.conform.classad.language import LANGUAGE_KINDS
    from pieslice.conform.classad.printing import PRINTING_KINDS
    from pieslice.conform.negotiator.accounting import ACCOUNTING_KINDS
    from pieslice.conform.negotiator.cycles import CYCLE_KINDS
    from pieslice.conform.negotiator.pools import POOL_KINDS
    from pieslice.conform.negotiator.quotas import QUOTA_KINDS
    from pieslice.conform.policy_cli import CONFIG_KINDS
    from pieslice.forecast.conform import FORECAST_KINDS
    from pieslice.userprio.conform import USERPRIO_KINDS

    return (
        *LANGUAGE_KINDS,
        *PRINTING_KINDS,
        *CONFIG_KINDS,
        *USERPRIO_KINDS,
        *FORECAST_KINDS,
        *ACCOUNTING_KINDS,
        *QUOTA_KINDS,
        *CYCLE_KINDS,
        *POOL_KINDS,
    )


def command_modules() -> list[str]:
    """The rooms below that bring commands."""
    modules = (
        "pieslice.commands.expressions",
        "pieslice.policy.config",
        "pieslice.policy.check",
        "pieslice.policy.policy",
    )
    return [name for name in modules if importlib.util.find_spec(name) is not None]


def add_commands(subparsers: Any) -> None:
    """Add ``negotiate``, the commands that explain it, and ``completion``."""
    negotiate = subparsers.add_parser(
        "negotiate",
        help="run one negotiation cycle on a captured pool",
        description="Run one negotiation cycle on a captured pool and say who gets what and why.",
        epilog="Files that are not given are taken from the folder; see docs/cli for their names.",
    )
    negotiate.add_argument("inputs", nargs="*", metavar="POOL", help=INPUT_HELP)
    add_inputs(negotiate)
    add_local_name(negotiate, "; several for a pool with several negotiators")
    add_costs(negotiate)
    add_course(negotiate)
    add_engine(negotiate)
    add_tables(negotiate)
    add_output(negotiate, "csv")
    negotiate.set_defaults(run=_negotiate)
    importlib.import_module("pieslice.why.cli").add_commands(subparsers)
    importlib.import_module("pieslice.userprio.cli").add_commands(subparsers)
    importlib.import_module("pieslice.forecast.cli").add_commands(subparsers)
    importlib.import_module("pieslice.simulate.cli").add_commands(subparsers)
    importlib.import_module("pieslice.sweep.cli").add_commands(subparsers)
    importlib.import_module("pieslice.runreport.cli").add_commands(subparsers)
    importlib.import_module("pieslice.fuzzing.cli").add_commands(subparsers)
    completion = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a completion script; needs the package shtab.",
    )
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(run=_completion)


def _negotiate(args: argparse.Namespace) -> int:
    from pieslice.commands.inputs_and_clock import without_collecting
    from pieslice.commands.negotiate import negotiate_command

    with without_collecting():
        return negotiate_command(args, sys.stdout, sys.stderr)


def _completion(args: argparse.Namespace) -> int:
    if importlib.util.find_spec("shtab") is None:
        print(
            "pieslice: error: completion needs the package shtab; "
            "install it with: pip install 'pieslice[completion]'",
            file=sys.stderr,
        )
        return EXIT_BAD
    shtab = importlib.import_module("shtab")
    print(shtab.complete(build_parser(), args.shell))
    return EXIT_OK


class VersionAction(argparse.Action):
    """``--version``: the version and which of the optional parts are in use."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(version_text())
        parser.exit()


def version_text() -> str:
    """Version and backends, one per line."""
    from classad import kernels
    from classad.builtins.pcre import regex_backend

    return "\n".join(
        (
            f"pieslice {_distribution_version('pieslice')}",
            "follows: HTCondor 25.14.1",
            f"kernels: {kernels.backend}",
            f"regex: {regex_backend()}",
            f"parser: {kernels.backend}",
        )
    )


def _distribution_version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
