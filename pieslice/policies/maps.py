"""Translates names with a user map: ``pieslice map test``.

Inputs: a map file, or a configuration and the name of a map in it.  Outputs: mappings on standard
output, lines that say nothing on standard error; 0 done, 1 a name has no mapping, 2 bad input.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.inputs.configuration import (
    Misuse,
    add_reading,
    guarded,
    read,
    say,
    say_problems,
)

if TYPE_CHECKING:
    from classad.errors import Diagnostic
    from pieslice.command_line import Subcommands
    from policy.maps.user_maps import UserMap


def add_commands(subcommands: Subcommands) -> None:
    """Add ``map`` with its own subcommands."""
    maps = subcommands.add_parser("map", help="test user maps")
    commands = maps.add_subparsers(
        title="commands",
        dest="map_command",
        metavar="COMMAND",
        required=True,
    )
    test = commands.add_parser(
        "test",
        help="translate names with a user map",
        description="Translate names with a user map and print the line that matched.",
        examples=(("pieslice map test groups.map alice", "what the map makes of a name"),),
    )
    test.add_argument("path", metavar="FILE", help="a map file; with --map-name a configuration")
    test.add_argument("names", nargs="+", metavar="NAME", help="what to look up, such as a user")
    test.add_argument("--map-name", metavar="M", help="the map of this name in a configuration")
    test.add_argument("--method", default="*", metavar="METHOD", help="lines to use (default *)")
    test.add_argument("--group", metavar="G", help="the group that the job asks for")
    test.add_argument("--prefix", action="store_true", help="keys are prefixes of names")
    test.add_argument("--json", action="store_true", help="print JSON")
    add_reading(test)
    test.set_defaults(run=_test)


@guarded
def _test(args: argparse.Namespace) -> int:
    from pieslice.policies.texts import mapped_lines
    from pieslice.terminal import printable
    from policy.maps.user_maps import map_name

    skipped: list[Diagnostic] = []
    methods = _named_map(args, skipped) if args.map_name else _map_file(args, skipped)
    say(skipped)
    lines = methods.get(args.method.casefold())
    if lines is None:
        known = ", ".join(f"`{method}`" for method in methods)
        raise Misuse(f"{args.path}: no line for method `{args.method}`, only for {known}")
    found = [map_name(lines, name, args.group) for name in args.names]
    if args.json:
        from pieslice.policies.documents import MappedNames

        sys.stdout.write(MappedNames(found).to_json())
    else:
        for one in found:
            print("\n".join(map(printable, mapped_lines(one))))
    return EXIT_OK if all(one.line is not None for one in found) else EXIT_NO


def _map_file(args: argparse.Namespace, skipped: list[Diagnostic]) -> dict[str, UserMap]:
    from policy.io import FileSources
    from policy.maps.user_maps import included_texts, parse_user_map

    with open(args.path, "rb"):
        pass  # so that a file that cannot be read is named, with the reason
    return parse_user_map(
        FileSources().read(args.path) or "",
        prefix=args.prefix,
        include=included_texts(FileSources()),
        name=args.path,
        skipped=skipped,
    )


def _named_map(args: argparse.Namespace, skipped: list[Diagnostic]) -> dict[str, UserMap]:
    from policy.io import FileSources
    from policy.maps.user_maps import map_names, read_user_map

    config = read(args)
    say_problems(config, notes=False)
    if not config.complete:
        raise Misuse(f"{args.path}: the configuration cannot be read")
    found = read_user_map(config, FileSources(), args.map_name, skipped)
    if found is None:
        path = config.text(f"CLASSAD_USER_MAPFILE_{args.map_name}")
        why = f"cannot read `{path}`" if path else f"no map `{args.map_name}` is defined"
        raise Misuse(f"{args.path}: {why}")
    if args.map_name.casefold() not in (name.casefold() for name in map_names(config)):
        macro = f"{config.context.subsystem}_CLASSAD_USER_MAP_NAMES"
        from classad.errors import Diagnostic

        skipped.append(Diagnostic(f"{macro} does not name `{args.map_name}`", severity="warning"))
    return found
