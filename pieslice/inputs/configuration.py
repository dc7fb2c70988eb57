"""Reads the configuration that a command line names, for the daemon that it names.

The options say how a configuration is read.  Facts about the machine are
inputs (``--fact``); this machine is asked only with ``--this-machine``.

Inputs: parsed arguments, files, with ``--environment`` the environment; the clock, for expressions
in macros.  Outputs: a ``Config``; problems on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pieslice.command_line import EXIT_BAD
from pieslice.data import JsonData
from pieslice.inputs.options import may_run
from pieslice.inputs.streams import may_be_streams
from pieslice.inputs.versions import add_version, say_version, version_of
from pieslice.terminal import complain

if TYPE_CHECKING:
    from pathlib import Path

    from classad.errors import Diagnostic
    from policy.config import Config
    from policy.language.host import HostFacts
    from policy.versions import Followed


def check_policy_file(path: Path) -> None:
    """Raise if the file cannot be opened, or a line of it or of its includes does not parse."""
    from negotiator.capture.configuration import CaptureSources
    from negotiator.io import InputError
    from policy.config import load_config
    from policy.io import builtin_library
    from policy.language.table import Context

    path.open("rb").close()
    config = load_config(
        str(path), CaptureSources(path), builtin_library(), context=Context("NEGOTIATOR")
    )
    if not config.complete:
        raise InputError(config.diagnostics[-1:])


#: The daemon that reads, unless a command line says otherwise.
SUBSYSTEM: Final = "NEGOTIATOR"

#: Forms of the answer of ``check`` that continuous integration reads.
_CI_FORMATS: Final = ("sarif", "github")


class Misuse(Exception):  # noqa: N818 - its text is the message
    """What ends a command with exit status 2, as text to print."""


class Shown(Misuse):
    """The same for a text that is a diagnostic already."""


def add_reader(parser: argparse.ArgumentParser, *paths: str, nargs: str | None = None) -> None:
    """The options of reading, and the positional arguments ``paths`` (default PATH)."""
    for path in paths or ("path",):
        parser.add_argument(
            path,
            nargs=nargs,
            metavar=path.upper(),
            help="the root file, a folder with condor_config, a folder of files, or HOST of a"
            " running pool",
        )
    may_run(parser, *(paths or ("path",)))
    may_be_streams(parser, *(paths or ("path",)))
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """The options of reading."""
    parser.add_argument(
        "--subsys", default=SUBSYSTEM, metavar="S", help="who reads (default NEGOTIATOR)"
    )
    parser.add_argument("--local-name", metavar="N", help="local name of the reader")
    parser.add_argument(
        "-D", "--define", action="append", default=[], metavar="NAME=VALUE",
        help="a definition after all files",
    )  # fmt: skip
    parser.add_argument(
        "--fact", action="append", default=[], metavar="NAME=VALUE",
        help="a fact about the machine that reads, such as detected_cpus=8",
    )  # fmt: skip
    parser.add_argument(
        "--this-machine", action="store_true", help="take the other facts from this machine"
    )
    parser.add_argument(
        "--environment", action="store_true", help="honour _CONDOR_ variables of the environment"
    )
    parser.add_argument(
        "--keep-going", action="store_true", help="go on after lines that cannot be read"
    )
    parser.add_argument(
        "--installed-at", default="/etc/condor", metavar="DIR",
        help="the folder of the pool that a folder with condor_config is a copy of"
        " (default /etc/condor)",
    )  # fmt: skip
    parser.add_argument(
        "--allow-commands", action="store_true", help="run the programs that it names"
    )
    parser.add_argument(
        "--outside-includes", action=argparse.BooleanOptionalAction,
        help="read files outside its folder that it names (default: yes; no for the formats of"
        " check that CI reads, sarif and github)",
    )  # fmt: skip
    add_version(parser)


def reading_words(args: argparse.Namespace) -> list[str]:
    """The options of reading that were given, as words of a command line."""
    words: list[str] = []
    for option, value, default in (
        ("--subsys", args.subsys, SUBSYSTEM),
        ("--local-name", args.local_name, None),
        ("--installed-at", args.installed_at, "/etc/condor"),
    ):
        if value != default:
            words += [option, value]
    for option, values in (("-D", args.define), ("--fact", args.fact)):
        words += [word for value in values for word in (option, value)]
    for option in ("this_machine", "environment", "keep_going", "allow_commands"):
        if getattr(args, option):
            words.append(f"--{option.replace('_', '-')}")
    followed = getattr(args, "condor_version", None)
    if followed is not None:
        words += ["--condor-version", str(followed.given)]
    if args.outside_includes is not None:
        words.append("--outside-includes" if args.outside_includes else "--no-outside-includes")
    return words


class ConfigurationReader(NamedTuple):
    """Who reads a configuration, and how."""

    subsystem: str = SUBSYSTEM
    local_name: str | None = None
    #: Definitions after all files, and facts about the machine that reads.
    defines: tuple[tuple[str, str], ...] = ()
    facts: tuple[str, ...] = ()
    this_machine: bool = False
    environment: bool = False
    keep_going: bool = False
    installed_at: str = "/etc/condor"
    commands: bool = False
    #: Whether files outside the folder of the configuration are left alone.
    confined: bool = False
    #: The version that reads; None: the newest, because nobody names one.
    followed: Followed | None = None
    #: Whether that version was asked for, whatever the daemons of a captured pool tell.
    given: bool = False
    #: What folders are called that hold captures of pools that run: by the pool's address.
    called: Mapping[str, str] = MappingProxyType({})


def reader_of(args: argparse.Namespace) -> ConfigurationReader:
    """The reader that the arguments describe; raises ``Misuse``."""
    return ConfigurationReader(
        _subsystem(args.subsys or SUBSYSTEM),
        args.local_name,
        tuple(definitions(args.define)),
        tuple(args.fact),
        args.this_machine,
        args.environment,
        args.keep_going,
        args.installed_at,
        args.allow_commands,
        _confined(args),
        version_of(args),
        getattr(args, "condor_version", None) is not None,
        getattr(args, "called", {}),
    )


def followed_at(path: str, reader: ConfigurationReader) -> Followed:
    """The version that was given, else that of a captured pool; raises ``Misuse``."""
    from policy.versions import Followed

    followed = reader.followed or Followed()
    if reader.given or not is_folder(path):
        return followed
    from pathlib import Path

    from negotiator.capture.configuration import pool_version
    from negotiator.capture.files import CapturePaths, CaptureReader, InputError

    captured = CaptureReader(CapturePaths(Path(path)), fallback=followed)
    try:
        found = pool_version(captured)
    except InputError as problem:
        raise Shown(problem.diagnostics[-1].render()) from None
    say(captured.diagnostics)
    return found


def _subsystem(text: str) -> str:
    """The name of a reader; raises ``Misuse`` for a slip in that of a daemon of HTCondor."""
    from pieslice.reports.names import did_you_mean
    from policy.knobs.other_daemons import DAEMONS

    name = text.upper()
    hint = "" if name in DAEMONS else did_you_mean(name, DAEMONS)
    if hint:
        raise Misuse(f"--subsys: HTCondor has no daemon `{text}`{hint}")
    return name


def _confined(args: argparse.Namespace) -> bool:
    """Whether files outside are not read: as asked, else where strangers' changes are checked."""
    if args.outside_includes is None:
        return getattr(args, "format", None) in _CI_FORMATS
    return not args.outside_includes


def read(
    args: argparse.Namespace, path: str | None = None, *, any_name: bool = False, about: str = ""
) -> Config:
    """The configuration that the arguments name; raises ``Misuse`` and ``OSError``.

    ``any_name``: also with definitions of macros that no daemon reads, since one may be looked at;
    ``about``: the macro that is, besides those that daemons read.
    """
    path = args.path if path is None else path
    reader = reader_of(args)
    args.project_version = followed_at(path, reader)
    config = read_configuration(path, reader._replace(followed=args.project_version))
    if args.define and not any_name:
        from policy.language.about import about as subject
        from policy.lint.names import doubted

        for found in doubted(config):
            other = subject(found).macro.casefold() != about.casefold()
            if other and found.severity == "error":
                raise Shown(found.render())
    return config


def read_configuration(path: str, reader: ConfigurationReader) -> Config:
    """The configuration at a path as a reader has it; raises ``Misuse`` and ``OSError``."""
    from policy.io import read_config
    from policy.versions import NEWEST

    if is_folder(path):
        with os.scandir(path) as entries:
            empty = not any(entry.is_file() for entry in entries)
        if empty:
            raise Misuse(f"no configuration files in `{path}`")
    else:
        with open(path, "rb"):
            pass  # a file that cannot be opened is the user's mistake, not the configuration's
    return read_config(
        path,
        subsystem=reader.subsystem,
        local_name=reader.local_name,
        environment=dict(os.environ) if reader.environment else None,
        extra=reader.defines,
        host=host_facts(reader.facts, this_machine=reader.this_machine),
        now=time.time(),
        keep_going=reader.keep_going,
        installed_at=reader.installed_at,
        commands=reader.commands,
        confined=reader.confined,
        called=reader.called.get(path, ""),
        version=NEWEST if reader.followed is None else reader.followed.version,
    )


def is_folder(path: str) -> bool:
    """Whether a path is a folder, perhaps that of a captured pool."""
    return os.path.isdir(path)


def host_facts(facts: Iterable[str], *, this_machine: bool) -> HostFacts:
    """The machine to pretend: from ``NAME=VALUE`` texts over its or the plain defaults."""
    from attr import evolve, fields

    from pieslice.reports.names import meant_or_known
    from policy.io import this_host
    from policy.language.host import HostFacts

    host = this_host() if this_machine else HostFacts()
    known = {field.name: field.default for field in fields(HostFacts)}
    values: JsonData = {}
    for name, text in split_pairs("--fact", facts):
        wanted = name.casefold()
        wanted = wanted if wanted in known else f"{wanted}_mb"
        if wanted not in known:
            raise Misuse(f"--fact: no fact `{name}`{meant_or_known(name, tuple(known))}")
        values[wanted] = _typed(name, text, known[wanted])
    return evolve(host, **values)


def _typed(name: str, text: str, example: object) -> object:
    if isinstance(example, bool):
        if text.casefold() not in ("true", "false"):
            raise Misuse(f"--fact {name}: `{text}` is neither true nor false")
        return text.casefold() == "true"
    if isinstance(example, int):
        if not text.isdecimal() or len(text) > 18:
            raise Misuse(f"--fact {name}: `{text}` is not a whole number")
        return int(text)
    return text


def definitions(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The definitions of ``-D``; raises ``Misuse``."""
    from policy.language.statements import is_identifier

    pairs = split_pairs("-D", texts)
    for name, _ in pairs:
        if not is_identifier(name):
            raise Misuse(f"-D: `{name}` is not a macro name")
    return pairs


def split_pairs(option: str, texts: Iterable[str]) -> list[tuple[str, str]]:
    """``NAME=VALUE`` texts as pairs; raises ``Misuse``."""
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise Misuse(f"{option}: `{text}` is not of the form NAME=VALUE")
        pairs.append((name.strip(), value.strip()))
    return pairs


def say_problems(config: Config, *, notes: bool = True) -> None:
    """What was wrong with the texts, on standard error; without ``notes`` only errors."""
    say(found for found in config.diagnostics if notes or found.severity == "error")


def say(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on standard error."""
    from pieslice.reports.output import say_diagnostics

    say_diagnostics(diagnostics, sys.stderr)


#: Runs a command and returns its exit code.
Command = Callable[[argparse.Namespace], int]


def guarded(command: Command) -> Command:
    """The command, with ``Misuse`` as a message and exit status 2."""

    def run(args: argparse.Namespace) -> int:
        try:
            for followed in (version_of(args), getattr(args, "upgrade", None)):
                if followed is not None:
                    say_version(followed)
            return command(args)
        except Misuse as misuse:
            lead = "" if isinstance(misuse, Shown) else "error: "
            complain(f"{lead}{misuse}")
            return EXIT_BAD

    return run
