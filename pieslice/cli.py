"""Runs the command ``pieslice``: puts the subcommands together and turns errors into exit codes.

Every package of commands brings ``add_commands``; their modules named ``cli`` import nothing that
takes long, so that ``pieslice --help`` and shell completion are quick.  Exit codes: 0 done, 1 the
answer is no or misses what could not be read, 2 bad usage or input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

from pieslice.answering import add_answering, answering
from pieslice.command_line import (
    EXIT_BAD,
    EXIT_INTERRUPTED,
    EXIT_NO,
    EXIT_OK,
    LOSSES,
    OneCommand,
    Parser,
    commands_of,
    installed_version,
    parsers_of,
)
from pieslice.inputs.streams import name_streams
from pieslice.inputs.versions import ProjectError, project_version
from pieslice.limiting import UsedUp, add_limits, limited
from pieslice.terminal import complain

DESCRIPTION = "Policy laboratory for HTCondor: read a captured pool and run a negotiation cycle."
EXAMPLES = (
    ("pieslice negotiate mypool", "who gets which slots"),
    ("pieslice why mypool 8.0", "why a job does not run"),
    ("pieslice check condor_config", "what is wrong with a configuration"),
    ("pieslice help captures", "how to save a pool; `pieslice help` lists topics"),
)
EPILOG = (
    "exit status: 0 done, 1 the answer is no, or some of the input could not be read, 2 bad usage"
    " or input"
)

# Of the words of argparse there is no translation, and it looks for files with one each time.
vars(argparse)["_"] = lambda text: text

#: The commands that run in a broken installation, too.
ANYWHERE = ("doctor", "help", "completion")

#: The commands without the options about an answer: two print text alone, one answers an editor,
#: and one has the words of condor_userprio, which may be shortened as there.
OWN_WORDS = ("help", "completion", "userprio", "lsp")

#: The commands that may run for days, or do much again and again.
LASTING = ("fuzz", "lab", "lsp", "record", "shadow", "simulate", "sweep", "watch")

#: How many more objects there are to be than at the last search for garbage before the next.
_MANY_OBJECTS = 400_000

#: Names the treatment of what the encoding of an output does not have.
_OTHER_BYTES = "pieslice.bytes"

#: Errors of a place that takes no more.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

#: The packages of commands in the order of ``pieslice --help``.
COMMANDS = (
    "expressions", "policies", "transforms", "shadow", "alerts", "negotiate", "why",
    "lab", "history", "priorities", "forecast", "simulation", "sweeps", "runreport", "fuzzing",
)  # fmt: skip


def _as_they_came(problem: UnicodeError) -> tuple[str | bytes, int]:
    """Bytes for characters that stand for bytes, escapes for others that cannot be written."""
    assert isinstance(problem, UnicodeEncodeError)
    character = problem.object[problem.start]
    if "\udc80" <= character <= "\udcff":
        return bytes([ord(character) - 0xDC00]), problem.start + 1
    return codecs.backslashreplace_errors(problem)


codecs.register_error(_OTHER_BYTES, _as_they_came)


def main(argv: Sequence[str] | None = None, *, alone: bool = False) -> int:
    """Run the command and return its exit code; usage errors leave through ``SystemExit``.

    ``alone``: the process is there for nothing else.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the rest of the process
    if sys.stdout is None:
        complain("error: standard output is closed")
        return EXIT_BAD
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Files may hold bytes that are no text; they come out as they came in.
            stream.reconfigure(errors=_OTHER_BYTES)
    arguments = sys.argv[1:] if argv is None else list(argv)
    args = _parser_for(arguments).parse_args(arguments)
    LOSSES.count = 0
    try:
        if args.command not in ANYWHERE:
            import policy  # noqa: F401 - refuses a foreign package called classad
        with _kept_code() if alone else nullcontext(), limited(args), answering(args):
            if "arrange" in args:
                args.arrange(args)
            name_streams(args)
            code: int = args.run(args) if _in_project(args) and _captured(args) else EXIT_BAD
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`pieslice ... | head`); nothing is left to say, not even at exit.
        _close_output()
        return EXIT_OK
    except Exception as problem:
        if args.debug:
            raise
        complain(f"error: {describe(problem)}")
        try:
            sys.stdout.flush()  # the answer up to here; at exit a failure would be said once more
        except (OSError, ValueError):
            _close_output()
        return EXIT_BAD
    return EXIT_NO if code == EXIT_OK and LOSSES.count else code


def program() -> int:
    """The command as a process: ``main`` with few searches for garbage, and none at the end.

    What is imported and read stays: looking through it takes a fifth of the time of a short
    command.
    """
    if _word(sys.argv[1:]) not in LASTING:
        gc.set_threshold(_MANY_OBJECTS)
    try:
        return main(alone=True)
    finally:
        gc.freeze()


def _kept_code() -> AbstractContextManager[None]:
    from pieslice.kept_code import KeptCode

    return KeptCode()


def _in_project(args: argparse.Namespace) -> bool:
    """Note the version that the project names; False, and why, if its file is of no use."""
    if "condor_version" in args:
        try:
            args.project_version = project_version()
        except ProjectError as problem:
            complain(f"{problem}")
            return False
    return True


def _captured(args: argparse.Namespace) -> bool:
    """Capture the running pools among the arguments; False, and why, if one does not answer."""
    if getattr(args, "running", None) is None:
        return True
    from pieslice.inputs.running import name_captures, names_pool

    if not names_pool(args):
        return True
    from negotiator.capture.files import InputError
    from pieslice.reports.output import show_diagnostics

    try:
        show_diagnostics(name_captures(args), sys.stderr)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, sys.stderr)
        return False
    return True


def _close_output() -> None:
    """Send what is left of the answer nowhere: writing it at exit would fail once more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def describe(problem: Exception) -> str:
    """One line for an exception that nothing else has dealt with."""
    if isinstance(problem, OSError) and problem.strerror:
        # Whoever writes to a file names it.
        nameless = "standard output: " if problem.errno in _FULL else ""
        where = f"{problem.filename}: " if problem.filename else nameless
        return f"{where}{problem.strerror.lower()}"
    if isinstance(problem, UsedUp):
        return str(problem)
    if isinstance(problem, MemoryError):
        return "the memory is exhausted"
    if isinstance(problem, RecursionError):
        return "the input is nested too deeply"
    text = " ".join(str(problem).split()) or "no message"
    if isinstance(problem, ImportError):
        return f"{text} (`pieslice doctor` checks the installation)"
    return f"internal error ({type(problem).__name__}): {text}; --debug shows the traceback"


def _word(arguments: Sequence[str]) -> str:
    """The word that should be a command; ``-`` without any."""
    return next((word for word in arguments if word != "--debug"), "-")


def _parser_for(arguments: Sequence[str]) -> Parser:
    """The parser with the command that is asked for, or with all."""
    word = _word(arguments)
    if not word.startswith("-") and word not in ANYWHERE:
        parser = build_parser(word)
        if word in commands_of(parser):
            return parser
    return build_parser(listed=set(arguments) <= {"-h", "--help"})


def build_parser(word: str | None = None, *, listed: bool = False) -> Parser:
    """The parser with every subcommand, or with one alone; ``listed``: they are named only."""
    parser = Parser(
        prog="pieslice",
        description=DESCRIPTION,
        epilog=EPILOG,
        examples=EXAMPLES,
    )
    parser.add_argument("--version", action=VersionAction, help="show version and backends")
    parser.add_argument("--debug", action="store_true", help="show tracebacks of internal errors")
    subcommands = parser.add_subparsers(
        title="commands",
        dest="command",
        metavar="COMMAND",
        required=True,
        action=OneCommand,
        prog=parser.prog,  # which argparse takes out of a usage, with six patterns
    )
    assert isinstance(subcommands, OneCommand)
    subcommands.asked = word
    for package in [word] if word in COMMANDS else COMMANDS:
        _commands_in(package).add_commands(subcommands)
        if word in commands_of(parser):
            break  # one command needs no other
    else:
        for package in ("lsp", "doctor"):
            _commands_in(package).add_commands(subcommands, installed_version())
        _commands_in("manual").add_commands(subcommands, parser, installed_version())
    for command in parsers_of(parser):
        add_limits(command, shown=command is parser)
        if not listed and not commands_of(command) and command.prog.split()[-1] not in OWN_WORDS:
            add_answering(command)
    return parser


def _commands_in(package: str) -> Any:
    """The module that adds the commands of a package."""
    return import_module(f"pieslice.{package}.cli")


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
            f"pieslice {installed_version()}",
            "follows: HTCondor 25.14.1",
            f"kernels: {kernels.backend}",
            f"regex: {regex_backend()}",
            f"parser: {kernels.backend}",
        )
    )
