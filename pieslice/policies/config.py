"""Prints macros of a configuration: ``pieslice config show``, ``dump``, ``summary`` and ``info``.

``show`` prints values as condor_config_val does; whether condor_negotiator would start is the
business of ``pieslice.policies.check``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_BAD, EXIT_NO, EXIT_OK
from pieslice.inputs.configuration import (
    Misuse,
    add_reader,
    guarded,
    read,
    say_problems,
)
from pieslice.inputs.options import add_width
from pieslice.inputs.versions import add_version, version_of
from pieslice.terminal import complain, harmless

if TYPE_CHECKING:
    from pieslice.command_line import Parser, Subcommands
    from policy.config import Config
    from policy.explain.settings import ListedMacro


def add_commands(subcommands: Subcommands) -> None:
    """Add ``config`` with its own subcommands."""
    config = subcommands.add_parser("config", help="print the macros of a configuration")
    commands = config.add_subparsers(
        title="commands",
        dest="config_command",
        metavar="COMMAND",
        required=True,
    )
    show = commands.add_parser(
        "show",
        help="print the values of macros",
        description="Print the values of macros, one per line, as condor_config_val does.",
        examples=(
            ("pieslice config show mypool PRIORITY_HALFLIFE", "a value"),
            ("pieslice config show mypool PRIORITY_HALFLIFE --trace", "and the line that sets it"),
        ),
    )
    show.add_argument(
        "--trace", action="store_true", help="print the file and line that set a value"
    )
    show.add_argument("--raw", action="store_true", help="do not expand")
    show.add_argument("--default", action="store_true", help="print the built-in value")
    _add_json(show)
    _add_path(show, "knobs", "KNOB", "a macro (default: all that are set)")
    add_width(show)
    show.set_defaults(run=_show)
    _add_lists(commands)
    _add_info(commands)


def _add_info(commands: Subcommands) -> None:
    info = commands.add_parser(
        "info",
        help="describe a macro: default, type, range, unit and reader",
        description="Describe macros of HTCondor: meaning, default, type, range, unit and reader.",
        examples=(("pieslice config info PREEMPTION_REQUIREMENTS", "what a macro is for"),),
    )
    info.add_argument("knobs", nargs="+", metavar="KNOB", help="a macro")
    _add_json(info)
    add_version(info)
    add_width(info)
    info.set_defaults(run=_info)


@guarded
def _info(args: argparse.Namespace) -> int:
    from pieslice.policies.macros import info_lines
    from pieslice.policies.texts import wrapped_lines
    from pieslice.reports.names import did_you_mean
    from pieslice.reports.output import chosen_width
    from policy.data.tables import meanings
    from policy.history import first_reader, is_read, last_reader
    from policy.knobs import KNOBS
    from policy.knobs.parameters import find_parameter

    version = version_of(args).version
    found = {name: find_parameter(name, version) for name in args.knobs}
    for name in (name for name, known in found.items() if known is None):
        when = first_reader(name, version) or last_reader(name, version)
        if when and not is_read(name, version):
            complain(f"error: `{name}` is not known to {version}: {when}")
            continue
        tail = did_you_mean(name, [*(knob.name for knob in KNOBS.values()), *meanings()])
        complain(f"error: HTCondor has no macro `{name}`{tail}")
    known = [parameter for parameter in found.values() if parameter is not None]
    if args.json:
        from pieslice.policies.documents import MacroInfo

        sys.stdout.write(MacroInfo(version_of(args), known).to_json())
    else:
        width = chosen_width(args, sys.stdout)
        parts = [[*wrapped_lines(info_lines(parameter), width)] for parameter in known]
        sys.stdout.write(f"{version_of(args)}\n" if known else "")
        sys.stdout.write("\n".join("".join(f"{line}\n" for line in lines) for lines in parts))
    return EXIT_OK if len(known) == len(found) else EXIT_NO


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_lists(commands: Subcommands) -> None:
    dump = commands.add_parser(
        "dump",
        help="print all macros",
        description="Print all macros with their values, built-in ones too, sorted by name.",
        examples=(("pieslice config dump mypool ^GROUP_", "macros whose names begin so"),),
    )
    dump.add_argument(
        "--trace", action="store_true", help="print the file and line that set a value"
    )
    dump.set_defaults(run=_dump)
    summary = commands.add_parser(
        "summary",
        help="print what is set",
        description="Print what a configuration sets, as it stands there and file by file, without"
        " what repeats a default.",
        examples=(("pieslice config summary mypool", "what this pool has set"),),
    )
    add_width(summary)
    summary.set_defaults(run=_summary)
    dump.add_argument("--raw", action="store_true", help="do not expand")
    for parser in (dump, summary):
        _add_json(parser)
    _add_path(dump, "patterns", "REGEX", "only names in which one is found")
    add_reader(summary)


def _add_path(parser: Parser, names: str, metavar: str, text: str) -> None:
    """PATH and names behind it; what stood in former versions, names and PATH, goes on."""
    add_reader(parser)
    parser.add_argument(names, nargs="*", metavar=metavar, help=text)
    parser.set_defaults(arrange=partial(_arrange, names))


def _arrange(names: str, args: argparse.Namespace) -> None:
    """Take the last argument for the path where the first cannot be one."""
    rest = getattr(args, names)
    if rest and not _may_be_path(args.path) and _may_be_path(rest[-1]):
        setattr(args, names, [args.path, *rest[:-1]])
        args.path = rest[-1]


def _may_be_path(text: str) -> bool:
    from pieslice.inputs.running import is_address

    return text == "-" or os.path.exists(text) or is_address(text)


@guarded
def _show(args: argparse.Namespace) -> int:
    args.arrange(args)
    config = read(args, any_name=True)
    say_problems(config)
    if not config.complete:
        return EXIT_BAD
    if args.json:
        return _show_json(args, config, args.knobs or config.names())
    code = EXIT_OK
    for name in args.knobs or config.names():
        code = max(code, _show_one(args, config, name, labelled=not args.knobs))
    return code


def _show_one(args: argparse.Namespace, config: Config, name: str, *, labelled: bool) -> int:
    from pieslice.policies.macros import shown_default, trace
    from pieslice.policies.texts import wrapped_lines
    from pieslice.reports.output import chosen_width
    from policy.language.macros import ExpansionError

    definition = config.lookup(name)
    if args.trace and definition is not None:
        width = chosen_width(args, sys.stdout)
        print("\n".join(wrapped_lines(trace(config, name, definition), width)))
        return EXIT_OK
    try:
        if args.default:
            text = shown_default(config, name)
        elif args.raw:
            text = None if definition is None else definition.raw
        else:
            text = config.text(name)
    except ExpansionError as endless:
        complain(f"{name}: {endless}")
        return EXIT_BAD
    if text is None and not labelled:
        complain(_not_defined(config, name))
        return EXIT_NO
    # As it is, for programs; a terminal is not to be steered by it.
    print(f"{name} = {text or ''}".rstrip() if labelled else text, file=harmless(sys.stdout))
    return EXIT_OK


def _not_defined(config: Config, name: str) -> str:
    """What condor_config_val says, and which name is near."""
    from pieslice.reports.names import did_you_mean
    from policy.data.tables import meanings

    known = (*(entry.name for entry in config.scope.table), *meanings())
    return f"Not defined: {name}{did_you_mean(name, dict.fromkeys(known))}"


def _show_json(args: argparse.Namespace, config: Config, names: list[str]) -> int:
    from policy.explain.settings import listed

    definitions = [(name, config.lookup(name)) for name in names]
    found = [listed(config, name, entry) for name, entry in definitions if entry is not None]
    _print_json(args, found)
    for name, entry in definitions:
        if entry is None:
            complain(_not_defined(config, name))
    return EXIT_OK if len(found) == len(definitions) else EXIT_NO


def _print_json(args: argparse.Namespace, macros: Sequence[ListedMacro]) -> None:
    from pieslice.policies.documents import MacroListing

    sys.stdout.write(MacroListing(version_of(args), macros).to_json())


def _pattern(text: str) -> Callable[[str], bool]:
    """What tells whether a name has a match; the engine gives up where that takes for ever."""
    from classad.builtins.pcre import GaveUp, compile_pattern

    pattern = compile_pattern(text, "i")
    if pattern is None:
        raise Misuse(f"`{text}` is not a regular expression")

    def found(name: str) -> bool:
        try:
            return pattern.matches(name.encode("utf-8", "surrogateescape"))
        except GaveUp:
            raise Misuse(f"`{text}` takes too long to be found in `{name}`") from None

    return found


@guarded
def _dump(args: argparse.Namespace) -> int:
    from pieslice.policies.macros import dump_lines
    from policy.explain.settings import everything

    args.arrange(args)
    patterns = [_pattern(text) for text in args.patterns]
    config = read(args, any_name=True)
    say_problems(config)
    found = list(everything(config, patterns)) if config.complete else []
    return _print_list(config, args, found, dump_lines(found, raw=args.raw, places=args.trace))


@guarded
def _summary(args: argparse.Namespace) -> int:
    from pieslice.policies.macros import summary_lines
    from pieslice.policies.texts import wrapped_lines
    from pieslice.reports.output import chosen_width
    from policy.explain.settings import changed

    config = read(args, any_name=True)
    say_problems(config)
    found = changed(config) if config.complete else []
    lines = wrapped_lines(summary_lines(found), chosen_width(args, sys.stdout))
    return _print_list(config, args, found, lines)


def _print_list(
    config: Config, args: argparse.Namespace, macros: list[ListedMacro], lines: Iterable[str]
) -> int:
    if not config.complete:
        return EXIT_BAD
    if args.json:
        _print_json(args, macros)
    else:
        out = harmless(sys.stdout)
        for line in lines:
            print(line, file=out)
    return EXIT_OK
