"""Explains, tries and compares policies: ``pieslice policy explain``, ``eval`` and ``diff``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_BAD, EXIT_NO, EXIT_OK, NOW_HELP, moment, number
from pieslice.inputs.configuration import (
    add_reader,
    guarded,
    read,
    reader_of,
    say,
    say_problems,
)
from pieslice.inputs.options import add_width
from pieslice.inputs.versions import version_of

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands
    from policy.config import Config
    from policy.load import PolicyLoad


def add_commands(subcommands: Subcommands) -> None:
    """Add ``policy`` with its own subcommands."""
    policy = subcommands.add_parser("policy", help="explain, try and compare policies")
    commands = policy.add_subparsers(
        title="commands",
        dest="policy_command",
        metavar="COMMAND",
        required=True,
    )
    _add_explain(commands)
    _add_eval(commands)
    _add_diff(commands)


def _add_explain(commands: Subcommands) -> None:
    explain = commands.add_parser(
        "explain",
        help="explain a policy in plain sentences",
        description="Explain what a configuration means for the negotiator in plain sentences,"
        " each with the file and line that it comes from.",
        examples=(
            ("pieslice policy explain mypool", "the whole policy"),
            ("pieslice policy explain mypool --set-only", "what the files decide"),
        ),
    )
    explain.add_argument(
        "--slots", type=_pool_size, metavar="N", help="give quotas in a pool of N weighted slots"
    )
    explain.add_argument("--set-only", action="store_true", help="say only what the files decide")
    explain.add_argument("--json", action="store_true", help="print JSON")
    add_width(explain)
    add_reader(explain)
    explain.set_defaults(run=_explain)


def _pool_size(text: str) -> float:
    return number(text, "the size of a pool", lambda it: it > 0)


@guarded
def _explain(args: argparse.Namespace) -> int:
    from pieslice.policies.answers import Macros, Policy, sentences_about
    from pieslice.reports.output import chosen_width
    from policy.explain.roles import host_of

    config = read(args)
    say_problems(config)
    if not config.complete:
        return EXIT_BAD
    loaded = _load(config, args)
    sentences = sentences_about(config, loaded, slots=args.slots, set_only=args.set_only)
    name = reader_of(args).called.get(args.path, args.path)
    answer = Policy(name, Macros(config), sentences, version_of(args), host_of(config))
    sys.stdout.write(answer.to_json() if args.json else answer.text(chosen_width(args, sys.stdout)))
    return EXIT_OK


def _load(config: Config, args: argparse.Namespace) -> PolicyLoad:
    """The policy of a configuration; what is wrong with its values is said on standard error."""
    from policy.load import load_policy

    loaded = load_policy(config, subsystem=args.subsys, local_name=args.local_name)
    say(loaded.diagnostics)
    return loaded


def _add_eval(commands: Subcommands) -> None:
    parser = commands.add_parser(
        "eval",
        help="evaluate one expression of a policy",
        description="Evaluate one expression of a policy on given ads and values.",
        examples=(
            ("pieslice policy eval mypool PREEMPTION_RANK -a RemoteUserPrio=60", "one value"),
            (
                "pieslice policy eval mypool PREEMPTION_RANK --grid RemoteUserPrio=1:100",
                "over a range",
            ),
        ),
    )
    parser.add_argument("--my", metavar="FILE", help="take MY, the slot, from a file of ads")
    parser.add_argument("--target", metavar="FILE", help="take TARGET, the job, from a file of ads")
    parser.add_argument("--slot", metavar="NAME", help="the slot with this Name, not the first")
    parser.add_argument("--job", metavar="C.P", help="the job with this id, not the first")
    parser.add_argument(
        "-a", "--attribute", action="append", default=[], metavar="NAME=EXPR",
        help="set an attribute that the negotiator adds, or one of MY (MY.NAME, TARGET.NAME)",
    )  # fmt: skip
    parser.add_argument(
        "--grid", metavar="NAME=LOW:HIGH[:STEPS][,...]", help="evaluate over one or two attributes"
    )
    parser.add_argument("--why", action="store_true", help="explain the value")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--now", type=moment, metavar="T", help=NOW_HELP)
    add_reader(parser)
    parser.add_argument("knob", metavar="KNOB", help="a macro that is an expression")
    parser.set_defaults(run=_eval)


@guarded
def _eval(args: argparse.Namespace) -> int:
    from pieslice.policies.eval import run

    return run(args)


def _add_diff(commands: Subcommands) -> None:
    parser = commands.add_parser(
        "diff",
        help="compare two policies",
        description="Compare two policies macro by macro, by meaning; exit status 1 if different.",
        examples=(("pieslice policy diff condor_config new_config", "what changes"),),
    )
    parser.add_argument(
        "--all", action="store_true", help="show macros that belong to no policy, too"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_width(parser)
    add_reader(parser, "a", "b")
    parser.set_defaults(run=_diff)


@guarded
def _diff(args: argparse.Namespace) -> int:
    from pieslice.policies.texts import comparison_lines, comparison_verdict
    from pieslice.reports.layout import wrap
    from pieslice.reports.output import chosen_width
    from policy.explain.difference import compare

    configs = []
    for path in (args.a, args.b):
        config = read(args, path)
        say_problems(config)
        if not config.complete:
            return EXIT_BAD
        _load(config, args)
        configs.append(config)
    found = compare(*configs, everything=args.all)
    if args.json:
        from pieslice.policies.documents import PolicyDifference

        sys.stdout.write(PolicyDifference(version_of(args), found).to_json())
    else:
        width = chosen_width(args, sys.stdout)
        verdict = wrap(comparison_verdict(found), width, "  ")
        for line in (*verdict, f"  {version_of(args)}", *comparison_lines(found, width)):
            print(line)
    return EXIT_NO if found.different else EXIT_OK
