"""Reads the command lines of ``pieslice eval``, ``pieslice select`` and ``python -m classad``.

Decides what an argument is.  Those of ``eval`` are taken from left to right: an ad or an assignment
changes the context (MY), anything else is an expression whose value is printed.

Inputs: arguments, files of ads in any form, the clock and zone unless given.  Outputs: values on
standard output, messages with place and caret on standard error, an exit code.  Follows: the manual
page of ``classad_eval`` (HTCondor 25.14.1); its single-dash options work too.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from pieslice.command_line import EXIT_BAD, EXIT_OK, NOW_HELP, Parser, moment, whole_number
from pieslice.inputs.versions import add_version
from pieslice.terminal import complain

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


_DESCRIPTION = """\
Evaluate ClassAd expressions.  Arguments are taken from left to right: an ad `[a = 1; b = 2]` or an
assignment `a = 1` adds to the context, anything else is evaluated in it and its value printed.
When assignments have changed the context it is printed before the next value."""

_EPILOG = (
    "exit status: 0 evaluated (undefined and error are values too), 2 bad usage, syntax or file"
)
_EXAMPLES = (
    ("pieslice eval '1024 * 3'", "a value"),
    ("pieslice eval -a Memory=2048 'Memory >= 1024'", "with an attribute"),
    ("pieslice eval --my jobs.ads --target slots.ads MY.Requirements", "a job against a slot"),
    ("pieslice eval --why 'undefined && 1 > 2'", "every part of an expression"),
)


_SELECT = """\
Print the ads of files that satisfy an expression: all of each ad, or the values of some expressions
(--af), as condor_status -ads FILE -constraint EXPR -autoformat does.  Files may be in any form."""

_SELECT_EPILOG = (
    "exit status: 0 done, however many ads there are, 1 some of a file could not be read, 2 bad"
    " usage, syntax or file"
)
_SELECT_EXAMPLES = (
    ("pieslice select slots.ads --where 'Cpus >= 4' --limit 1", "whole ads"),
    ("pieslice select slots.ads --where 'Memory > 4000' --af Name,Cpus --sort=-Cpus", "a table"),
    ("pieslice select jobs.ads -af:h ClusterId 'RequestMemory / 1024'", "as condor_q has it"),
)

#: What stands behind an item and means an option, not twice the negative of an attribute.
_LONG_OPTION: Final = "--[a-z][a-z-]*"


def add_commands(subcommands: Subcommands) -> None:
    """Add ``eval`` and ``select``."""
    _add_eval(subcommands)
    _add_select(subcommands)


def _add_eval(subcommands: Subcommands) -> None:
    parser = subcommands.add_parser(
        "eval",
        usage="pieslice eval [OPTION]... ITEM...",
        help="evaluate ClassAd expressions",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        examples=_EXAMPLES,
        allow_abbrev=False,
    )
    add_options(parser)
    parser.add_argument(
        "items", nargs=argparse.REMAINDER, metavar="ITEM", help="an ad, assignment or expression"
    )
    parser.set_defaults(run=_run)


class _SelectParser(Parser):
    """Knows options as HTCondor's tools spell them: ``-af:h``, and values that begin with -."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments, with modifiers and values put where the ordinary parser sees them."""
        return super().parse_known_args(_as_usual(args or ()), namespace)


def _as_usual(tokens: Sequence[str]) -> list[str]:
    found: list[str] = []
    rest = iter(tokens)
    for token in rest:
        name, colon, modifiers = token.partition(":")
        if colon and name in ("-af", "--af", "-autoformat", "--autoformat"):
            found += [f"--af-modifiers={modifiers}", "--af"]
        elif token in ("--sort", "-sort", "--where", "-constraint", "--limit", "-limit"):
            value = next(rest, None)
            found.append(token if value is None else f"{token}={value}")
        else:
            found.append(token)
    return found


def _add_select(subcommands: Subcommands) -> None:
    parser = subcommands.add_parser(
        "select",
        usage="pieslice select FILE... [--where EXPR] [--af ATTR,...] [OPTION]...",
        help="print the ads of files that satisfy an expression",
        description=_SELECT,
        epilog=_SELECT_EPILOG,
        examples=_SELECT_EXAMPLES,
        allow_abbrev=False,
    )
    parser.__class__ = _SelectParser
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="files of ads; - is standard input")
    add("--where", "-constraint", action="append", default=[], metavar="EXPR",
        help="only ads in which this is true; with several, all of them")  # fmt: skip
    add("--af", "-af", "--autoformat", "-autoformat", nargs="+", action="extend", default=[],
        metavar="ATTR", help="print these attributes and expressions; -af:MODIFIERS as in "
        "condor_status, of , t n l V r g h")  # fmt: skip
    add("--af-modifiers", default="", help=argparse.SUPPRESS)
    add("--sort", "-sort", action="append", default=[], metavar="EXPR",
        help="smallest value first; =-EXPR for the largest number first")  # fmt: skip
    add(
        "--limit",
        "-limit",
        type=whole_number("a number of ads"),
        metavar="N",
        help="no more than N ads",
    )
    add("--format", choices=("text", "csv", "long", "new", "json", "jsonl", "xml"),
        help="default: text with --af, long without")  # fmt: skip
    add("--target", "-target", metavar="FILE", help="take TARGET from the first ad of a file")
    add("--now", type=moment, metavar="T", help=NOW_HELP)
    add_version(parser)
    parser.set_defaults(run=_run_select)


def _run_select(args: argparse.Namespace) -> int:
    from pieslice.expressions.select import Problem, select

    try:
        select(args, sys.stdout, sys.stderr)
    except Problem as problem:
        complain(str(problem))
        return EXIT_BAD
    return EXIT_OK


class OrderedOption(argparse.Action):
    """An option whose place among the other arguments matters: appended to ``steps``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        steps = [*(getattr(namespace, "steps", None) or []), (self.dest, values)]
        namespace.steps = steps


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``eval``; those of ``classad_eval`` are second names."""
    for names, dest, metavar, text in (
        (("--my", "-my-file", "-file"), "my", "FILE", "take MY from the first ad of a file"),
        (("--target", "-target-file"), "target", "FILE", "take TARGET from the first ad of a file"),
        (("-a", "--attribute"), "attribute", "NAME=EXPR", "set an attribute of MY"),
    ):
        parser.add_argument(
            *names,
            dest=dest,
            action=OrderedOption,
            metavar=metavar,
            help=text,
            default=argparse.SUPPRESS,
        )
    parser.add_argument(
        "-q", "--quiet", "-quiet", dest="quiet", action=OrderedOption, nargs=0,
        help="from here on do not print the context", default=argparse.SUPPRESS,
    )  # fmt: skip
    syntax = parser.add_mutually_exclusive_group()
    syntax.add_argument(
        "--old", action="store_true", help="strings of expressions and of values in old syntax"
    )
    syntax.add_argument(
        "--new", dest="old", action="store_false", help="strings in new syntax (the default)"
    )
    parser.add_argument("--json", action="store_true", help="print each value as a JSON object")
    parser.add_argument(
        "--why", action="store_true", help="print the value of every part and where names are from"
    )
    parser.add_argument("--now", type=moment, metavar="T", help=NOW_HELP)
    parser.add_argument("--tz", metavar="ZONE", help="the local zone, such as America/Chicago")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random()")
    parser.add_argument(
        "--strict", action="store_true", help="as with STRICT_CLASSAD_EVALUATION = true"
    )
    add_version(parser)
    parser.add_argument("-debug", action="store_true", help=argparse.SUPPRESS, dest="_debug")


def _run(args: argparse.Namespace) -> int:
    from pieslice.expressions.eval import EvalProblem, evaluate_items

    try:
        _refuse_options(args.items)
        read_items(args)
        evaluate_items(args, sys.stdout, sys.stderr)
    except EvalProblem as problem:
        complain(str(problem))
        return EXIT_BAD
    return EXIT_OK


def _refuse_options(items: Sequence[str]) -> None:
    """Raise ``EvalProblem`` for ``--limit-time`` and the like, which would be expressions."""
    from pieslice.expressions.eval import EvalProblem

    parser = Parser(add_help=False, allow_abbrev=False)
    add_options(parser)
    for item in items:
        if item == "--":
            return
        name = item.partition("=")[0]
        if re.fullmatch(_LONG_OPTION, name) and name not in parser._option_string_actions:
            raise EvalProblem(
                f"error: `{name}` is no option that may stand behind an item; those "
                f"of every command stand before the first one, an expression that looks like it "
                f"behind `--`"
            )


def read_items(args: argparse.Namespace) -> None:
    """Append what follows the first item to the steps; options may stand there too."""
    parser = Parser(prog="pieslice eval", add_help=False, allow_abbrev=False)
    add_options(parser)
    known = parser._option_string_actions
    tokens = list(args.items)
    args.steps = getattr(args, "steps", None) or []
    while tokens:
        token = tokens.pop(0)
        if token == "--":
            args.steps += [("item", rest) for rest in tokens]
            return
        action = known.get(token.partition("=")[0]) if token.startswith("-") else None
        if action is None:
            args.steps.append(("item", token))
            continue
        with_value = [token]
        if action.nargs is None and "=" not in token and tokens:
            with_value.append(tokens.pop(0))
        parser.parse_args(with_value, args)


def main(argv: Sequence[str] | None = None) -> int:
    """``python -m classad``: as ``classad_eval``, with its exit codes and its first line."""
    from pieslice.expressions.eval import EvalProblem, evaluate_items

    tokens = sys.argv[1:] if argv is None else list(argv)
    parser = argparse.ArgumentParser(
        prog="python -m classad",
        usage="python -m classad [OPTION]... ITEM...",
        description=_DESCRIPTION,
        epilog=_EPILOG.replace("2 bad", "1 or 255 bad"),
        add_help=False,
        allow_abbrev=False,
    )
    add_options(parser)
    parser.add_argument("items", nargs="*", metavar="ITEM", help="an ad, assignment or expression")
    if not tokens or tokens[0] in ("-help", "--help", "-h"):
        parser.print_help()
        return 255
    args = parser.parse_args([])
    args.items = tokens
    try:
        read_items(args)
        evaluate_items(args, sys.stdout, changed=True)
    except EvalProblem as problem:
        complain(str(problem))
        return 1
    except SystemExit:
        return 255
    return EXIT_OK
