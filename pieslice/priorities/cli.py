"""Reads the command line of ``pieslice userprio``.

It takes the options of condor_userprio, which begin with one dash and may be shortened in that
tool's own way; they are declared here for the help, and passed on as they are.  Exit status: 0
done, 1 a change is refused, 2 bad usage or input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from pieslice.command_line import Parser
from pieslice.limiting import add_limits
from pieslice.priorities.words import OPTIONS, OWN, Word

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


class _UserprioParser(Parser):
    """Leaves the arguments to the reader of condor_userprio's options."""

    def read_arguments(self, args: Any, namespace: Any) -> Any:
        """All arguments as they are."""
        words = list(args or ())
        if {"-h", "-help", "--help"} & set(words):
            self.print_help()
            self.exit()
        if not words:
            self.error("the following arguments are required: SOURCE")
        found = argparse.Namespace() if namespace is None else namespace
        found.arguments = self._without_limits(words, found)
        found.run = self.get_default("run")
        return found, []

    def _without_limits(self, words: list[str], args: argparse.Namespace) -> list[str]:
        """The arguments without the limits that every command takes, which go to ``args``."""
        limits = Parser(prog=self.prog, add_help=False, allow_abbrev=False)
        add_limits(limits, shown=False)
        options = {name for action in limits._actions for name in action.option_strings}
        theirs: list[str] = []
        left = iter(words)
        others = []
        for word in left:
            if word.partition("=")[0] not in options:
                others.append(word)
                continue
            theirs += [word] if "=" in word else [word, *islice(left, 1)]
        limits.parse_args(theirs, args)
        return others


def add_commands(subcommands: Subcommands) -> None:
    """Add ``userprio``."""
    userprio = subcommands.add_parser(
        "userprio",
        usage="pieslice userprio SOURCE [option ...] [USER ...]\n"
        "       pieslice userprio [option ...] [USER ...] -inputfile FILE",
        help="print priorities and usage as condor_userprio does, or change them in a saved state",
        description="Print what condor_userprio would print, from a saved state, or change the"
        " state. SOURCE is the accountant's log (Accountantnew.log), a file of accounting ads"
        " (condor_userprio -l), or the folder of a capture.",
        epilog="exit status: 0 done, 1 a change is refused, 2 bad usage or input",
        examples=(
            ("pieslice userprio mypool", "who used what in the last day"),
            ("pieslice userprio mypool -all -allusers --wide", "everything"),
            ("pieslice userprio Accountantnew.log -setfactor ann@site 100 --dry-run", "a change"),
        ),
        add_help=False,
    )
    userprio.__class__ = _UserprioParser
    userprio.add_argument("source", metavar="SOURCE", help="a log, accounting ads or a folder")
    userprio.add_argument("users", nargs="*", metavar="USER", help="only these users")
    _declare(
        userprio.add_argument_group("options of condor_userprio, each may be shortened"),
        "-",
        OPTIONS,
    )
    own = userprio.add_argument_group("options of this command")
    _declare(own, "--", OWN)
    own.add_argument("-h", "--help", action="store_true", help="show this and exit")
    userprio.set_defaults(run=_userprio)


def _declare(group: argparse._ArgumentGroup, dash: str, words: Iterable[Word]) -> None:
    for word in words:
        name, dest = dash + word.word, f"_{word.word}"
        if word.rest:
            group.add_argument(name, dest=dest, nargs="+", metavar=word.rest, help=word.help)
        elif word.values:
            count = None if len(word.values) == 1 else len(word.values)
            metavar = word.values[0] if count is None else word.values
            group.add_argument(name, dest=dest, nargs=count, metavar=metavar, help=word.help)
        else:
            group.add_argument(name, dest=dest, action="store_true", help=word.help)


def _userprio(args: argparse.Namespace) -> int:
    from pieslice.priorities.command import userprio_command

    return userprio_command(args.arguments, sys.stdout, sys.stderr)
