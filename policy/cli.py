"""``pieslice config``: looking into a configuration from the command line.

What lives here: arguments, streams and exit codes.  ``show`` prints values as condor_config_val
does, ``check`` says whether condor_negotiator would start.
Inputs: the arguments, files of this machine.  Outputs: data on standard output, problems on
standard error; 0 done, 1 the answer is no, 2 bad input.
Never here: the language, the wording of traces (``policy.showing``).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policy.config import Config

EXIT_OK = 0
EXIT_NO = 1
EXIT_BAD = 2


class _Intermixed(argparse.ArgumentParser):
    """Takes options also between the macros and the path."""

    _inside = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments; argparse's intermixed form calls this function in its turn."""
        if self._inside:
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False


def add_commands(subparsers: Any) -> None:
    """Add ``config`` with its own subcommands."""
    config = subparsers.add_parser("config", help="look into a configuration")
    commands = config.add_subparsers(
        title="commands",
        dest="config_command",
        metavar="COMMAND",
        required=True,
        parser_class=_Intermixed,
    )
    show = commands.add_parser(
        "show",
        help="print the values of macros",
        description="Print the values of macros, one per line, as condor_config_val does.",
    )
    show.add_argument(
        "knobs", nargs="*", metavar="KNOB", help="a macro (default: all that are set)"
    )
    show.add_argument("--trace", action="store_true", help="say where a value comes from")
    show.add_argument("--raw", action="store_true", help="do not expand")
    show.add_argument("--default", action="store_true", help="print the built-in value")
    _add_reader(show)
    show.set_defaults(run=_show)
    check = commands.add_parser(
        "check",
        help="say whether condor_negotiator would start",
        description="Say what is wrong with a configuration, what pieslice does not act on,"
        " and whether condor_negotiator would start.",
    )
    _add_reader(check)
    check.set_defaults(run=_check)


def _add_reader(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", help="the root file, or a folder with condor_config"
    )
    parser.add_argument(
        "--subsys", default="NEGOTIATOR", metavar="S", help="who reads (default NEGOTIATOR)"
    )
    parser.add_argument("--local-name", metavar="N", help="local name of the reader")
    parser.add_argument(
        "--environment", action="store_true", help="honour _CONDOR_ variables of the environment"
    )
    parser.add_argument(
        "--keep-going", action="store_true", help="go on after lines that cannot be read"
    )


def _read(args: argparse.Namespace, *, keep_going: bool) -> Config:
    from policy.io import read_config, this_host

    path = args.path
    if os.path.isdir(path):
        path = os.path.join(path, "condor_config")
    with open(path, "rb"):
        pass  # a file that cannot be opened is the user's mistake, not one of the configuration
    return read_config(
        path,
        subsystem=args.subsys,
        local_name=args.local_name,
        environment=dict(os.environ) if args.environment else None,
        host=this_host(),
        now=time.time(),
        keep_going=keep_going,
    )


def _say_problems(config: Config) -> None:
    for found in config.diagnostics:
        print(found.render(), file=sys.stderr)


def _show(args: argparse.Namespace) -> int:
    config = _read(args, keep_going=args.keep_going)
    _say_problems(config)
    if not config.complete:
        return EXIT_BAD
    code = EXIT_OK
    for name in args.knobs or config.names():
        code = max(code, _show_one(args, config, name, labelled=not args.knobs))
    return code


def _show_one(args: argparse.Namespace, config: Config, name: str, *, labelled: bool) -> int:
    from policy.macros import ExpansionError
    from policy.showing import shown_default, trace

    definition = config.lookup(name)
    if args.trace and definition is not None:
        print("\n".join(trace(config, name, definition)))
        return EXIT_OK
    try:
        if args.default:
            text = shown_default(config, name)
        elif args.raw:
            text = None if definition is None else definition.raw
        else:
            text = config.text(name)
    except ExpansionError as endless:
        print(f"{name}: {endless}", file=sys.stderr)
        return EXIT_BAD
    if text is None and not labelled:
        print(f"Not defined: {name}", file=sys.stderr)
        return EXIT_NO
    print(f"{name} = {text or ''}".rstrip() if labelled else text)
    return EXIT_OK


def _check(args: argparse.Namespace) -> int:
    from policy.lint import lint
    from policy.load import load_policy
    from policy.showing import verdict

    config = _read(args, keep_going=args.keep_going)
    _say_problems(config)
    loaded = load_policy(config, subsystem=args.subsys, local_name=args.local_name)
    for found in (*lint(config), *loaded.diagnostics):
        print(found.render(), file=sys.stderr)
    broken = not config.complete or any(d.severity == "error" for d in config.diagnostics)
    print("\n".join(verdict(loaded, not broken)))
    return EXIT_OK if loaded.daemon_starts and not broken else EXIT_NO
