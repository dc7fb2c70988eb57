"""Reads the command lines of ``pieslice why``, ``rank``, ``quotas`` and ``diff``, and runs them.

Outputs: text or JSON on standard output, notes on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pieslice.command_line import EXIT_BAD, EXIT_NO, EXIT_OK, whole_number
from pieslice.inputs.options import (
    INPUT_HELP,
    add_costs,
    add_engine,
    add_inputs,
    add_local_name,
    add_max_size,
    add_output,
)
from pieslice.inputs.versions import version_from
from pieslice.terminal import complain

if TYPE_CHECKING:
    from negotiator.io import Capture
    from negotiator.model.result import CycleResult
    from pieslice.command_line import Subcommands
    from pieslice.reports.result import Result
    from pieslice.why.moments import AskedCycle
    from policy.versions import Followed


def add_commands(subcommands: Subcommands) -> None:
    """Add the commands."""
    rank = subcommands.add_parser(
        "rank",
        usage="pieslice rank [POOL] JOB [option ...]",
        help="list the candidates of a job in order, with the keys that decide",
        description="List the candidate slots of a job best first, as they were at the "
        "match or rejection of the job, with all five keys and the first key that decided.",
        examples=(
            ("pieslice rank mypool 15.5", "the best slots for a job"),
            ("pieslice rank mypool 15.5 --limit 0", "all of them"),
        ),
    )
    rank.add_argument("items", nargs="+", metavar="[POOL] JOB", help="the pool, and cluster.proc")
    rank.add_argument(
        "--limit",
        type=whole_number("a number of rows"),
        default=20,
        metavar="N",
        help="rows (default 20; 0: all)",
    )
    rank.set_defaults(run=_rank)
    why = _add_why(subcommands)
    quotas = subcommands.add_parser(
        "quotas",
        help="show the quotas of accounting groups and how they were allocated",
        description="Show the tree of accounting groups: quotas, and for each allocation round "
        "what every group requested, got in which step, gave up and took.",
        examples=(
            ("pieslice quotas mypool", "what each group may use and got"),
            ("pieslice quotas mypool --trace", "the arithmetic behind it"),
        ),
    )
    quotas.add_argument("inputs", nargs="*", metavar="POOL", help=INPUT_HELP)
    quotas.add_argument("--trace", action="store_true", help="print every step of the algorithm")
    quotas.set_defaults(run=_quotas)
    diff = _add_diff(subcommands)
    for parser in (why, rank, quotas, diff):
        add_inputs(parser)
        add_local_name(parser)
        add_output(parser)
    _add_sides(diff)


def _add_why(subcommands: Subcommands) -> argparse.ArgumentParser:
    why: argparse.ArgumentParser = subcommands.add_parser(
        "why",
        usage="pieslice why [POOL] (JOB [SLOT] | CLUSTER) [option ...]\n"
        "       pieslice why [POOL] (--user U | --group G) [option ...]",
        help="explain why a job is matched, rejected or preempted",
        description="Explain what the cycle did with a job and why: how its request went, which "
        "slots were excluded by which test, which clauses of Requirements fail, what would help. "
        "With SLOT: that slot. Of a cluster, a user or a group: a line per autocluster.",
        examples=(
            ("pieslice why mypool 8.0", "why does this job not run?"),
            ("pieslice why mypool 8.0 slot1@node06@vm", "why not on this slot?"),
            ("pieslice why mypool 8", "what became of all jobs of this cluster?"),
            ("pieslice why mypool --user carol", "and of all jobs of this user?"),
            ("pieslice why pool.history 8.0 --at 1795300000", "what was it then?"),
        ),
    )
    why.add_argument(
        "items",
        nargs="*",
        metavar="[POOL] JOB [SLOT]",
        help="the pool, cluster.proc or a cluster, a slot",
    )
    why.add_argument(
        "--clauses",
        action="store_true",
        help="show every clause in full, first those of PREEMPTION_REQUIREMENTS that decided",
    )
    why.add_argument("--user", metavar="U", help="all jobs of a user")
    why.add_argument("--group", metavar="G", help="all jobs of a group and those below it")
    why.set_defaults(run=_why)
    return why


def _add_diff(subcommands: Subcommands) -> argparse.ArgumentParser:
    diff: argparse.ArgumentParser = subcommands.add_parser(
        "diff",
        help="compare the decisions under two policies, or on two pools",
        description="Run the cycle on one pool under two policies, or on two pools, and list what "
        "changes: matches, preemptions, shares and quotas, worst changes first.",
        epilog="exit status: 0 no difference, 1 there are differences, 2 bad usage or input",
        examples=(
            ("pieslice diff mypool --config new_config", "against the pool's own policy"),
            ("pieslice diff mypool --config condor_config --config new_config", "two policies"),
            ("pieslice diff mypool otherpool", "two pools"),
            ("pieslice diff mypool --versions 24.0 25.14.1", "what an upgrade changes"),
            (
                "pieslice diff pool.history --at 1795300000 --at 1795300300",
                "two moments of a history",
            ),
        ),
        conflict_handler="resolve",
    )
    diff.add_argument(
        "pools", nargs="+", metavar="POOL", help="one pool (folder, scenario, HOST), or two"
    )
    diff.add_argument(
        "--watch",
        action="store_true",
        help="compare in every cycle of a running pool, and add up who would have gained",
    )
    diff.add_argument(
        "--cycles",
        type=whole_number("a number of rows"),
        metavar="N",
        help="with --watch: end after N cycles (default: never)",
    )
    diff.add_argument(
        "--log",
        type=Path,
        metavar="F",
        help="with --watch: append each cycle as a line of JSON, and go on with the sums in F",
    )
    add_max_size(diff, "the log of --watch: its oldest lines go first, the sums stay")
    diff.set_defaults(run=_diff)
    return diff


def _add_sides(diff: argparse.ArgumentParser) -> None:
    """Add what may differ between the two sides of a comparison."""
    add_costs(diff)
    add_engine(diff)
    diff.add_argument(
        "--config",
        action="append",
        metavar="F",
        help="configuration: once for both pools or against the pool's own, or twice",
    )
    diff.add_argument(
        "--at",
        action="append",
        metavar="T",
        help="of a history: the last capture at or before T; twice to compare two moments",
    )
    diff.add_argument(
        "--dialect",
        type=_dialects,
        default=["htcondor"],
        metavar="D[,D]",
        help="whose rules: one dialect for both sides, or two to compare",
    )
    diff.add_argument(
        "--versions",
        nargs=2,
        type=version_from("--versions"),
        metavar=("A", "B"),
        help="the pool with daemons of two versions of HTCondor, such as 24.0 and 25.14.1",
    )


def _dialects(text: str) -> list[str]:
    from policy.dialects import UnknownDialectError, find_dialect

    try:
        found = [find_dialect(name).name for name in text.split(",")]
    except UnknownDialectError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    if len(found) > 2:
        raise argparse.ArgumentTypeError("two dialects are the most that can be compared")
    return found


def _rank(args: argparse.Namespace) -> int:
    from pieslice.why.asked import find_job
    from pieslice.why.ranking import rank_slots

    named = _named(args)
    if named is None:
        return EXIT_BAD
    text, _ = named
    limit = args.limit or None
    return _put(args, lambda it: rank_slots(it, find_job(it.snapshot, text), limit))


def _why(args: argparse.Namespace) -> int:
    from pieslice.why.answer import explain_job
    from pieslice.why.asked import find_job, find_jobs
    from pieslice.why.autoclusters import survey_jobs

    if args.user is not None or args.group is not None:
        return _why_all_of(args)
    named = _named(args)
    if named is None:
        return EXIT_BAD
    text, slot = named

    def ask(cycle: AskedCycle) -> Result:
        """About a job, or the jobs of a cluster that has several."""
        job = find_job(cycle.snapshot, text)
        if slot is None and "." not in text.rpartition("#")[2]:
            mates = find_jobs(cycle.snapshot, cycle.policy, cluster=text)
            if len(mates.jobs) > 1:
                _not_of_many(args)
                return survey_jobs(cycle, mates)
        return explain_job(cycle, job, slot, every_clause=args.clauses)

    return _put(args, ask)


def _not_of_many(args: argparse.Namespace) -> None:
    """Say that the clauses of many jobs are not shown, if they were asked for."""
    if args.clauses:
        complain("note: --clauses shows the clauses of one job: name one, as in `why POOL 8.0`")


def _why_all_of(args: argparse.Namespace) -> int:
    """The jobs of a user or a group."""
    from pieslice.why.asked import find_jobs
    from pieslice.why.autoclusters import survey_jobs

    args.inputs, wanted = _sort_out(args.items)
    both = args.user is not None and args.group is not None
    if both or wanted:
        extra = "--group" if both else next(iter(wanted.values()))
        complain(
            f"error: `{extra}` is one argument too many\n"
            "  help: pieslice why [POOL] --user U, or --group G, or a job"
        )
        return EXIT_BAD

    def ask(cycle: AskedCycle) -> Result:
        jobs = find_jobs(cycle.snapshot, cycle.policy, user=args.user, group=args.group)
        _not_of_many(args)
        return survey_jobs(cycle, jobs)

    return _put(args, ask)


def _quotas(args: argparse.Namespace) -> int:
    from pieslice.why.quotas import divide_quotas

    return _put(args, lambda cycle: divide_quotas(cycle, trace=args.trace))


def _put(args: argparse.Namespace, ask: Callable[[AskedCycle], Result]) -> int:
    """Read the pool that the arguments name, ask about its next cycle and print the answer."""
    from negotiator.engines import ENGINES, make_engines
    from negotiator.model.garbage import without_collecting
    from pieslice.inputs.pool import load
    from pieslice.reports.output import put
    from pieslice.reports.progress import Progress
    from pieslice.why.asked import UnknownJobError, UnknownScopeError, UnknownSlotError
    from pieslice.why.moments import AskedCycle

    with without_collecting():
        pool = load(args, sys.stderr, Progress(sys.stderr))
        if pool is None:
            return EXIT_BAD
        try:
            # A question runs the cycle again up to a moment, with the columns that it knows then.
            engines = make_engines(ENGINES[0], lasting=True)
            answer = ask(AskedCycle.of(pool, args.seed, engines))
        except (UnknownJobError, UnknownScopeError, UnknownSlotError) as problem:
            complain(f"error: {problem}")
            return EXIT_BAD
        put(answer, args, sys.stdout)
    return EXIT_OK


def _diff(args: argparse.Namespace) -> int:
    from negotiator.engines import make_engines
    from negotiator.model.garbage import without_collecting
    from pieslice.inputs.pool import load
    from pieslice.negotiate.answer import hold_cycle
    from pieslice.reports.output import put
    from pieslice.reports.progress import Progress
    from pieslice.why.comparing import compare

    if args.watch:
        return _watch(args)
    sides = _sides(args)
    if sides is None:
        return EXIT_BAD
    with without_collecting():
        results: list[CycleResult] = []
        engines = make_engines(args.engine, lasting=True)
        pools: list[Capture] = []
        also, define, alone, where = args.also, args.define, sides[0] == sides[1], args.where
        for number, side in enumerate(sides):
            args.also, args.define = (also, define) if number or not alone else (None, [])
            # The first side may be the pool with the configuration that it has.
            changed = number or side[1] is not None or args.also or args.define
            args.where = where if changed else None
            pool_name, config, args.dialect, args.at, args.condor_version = side
            args.inputs, args.config = [pool_name], None if config is None else [config]
            args.instead_of = _instead_of(*sides) if number else ()
            pool = load(args, sys.stderr, Progress(sys.stderr), pools[0] if pools else None)
            if pool is None:
                return EXIT_BAD
            pools.append(pool)
            results.append(hold_cycle(pool, args.seed, engines))
        first, second = (_side_name(*side) for side in sides)
        if alone:
            more = " and ".join([*(also or ()), *define])
            joint = "and" if " with " in second else "with"
            second = f"{second} {joint} {more}" if more else second
        found = compare(
            results[0],
            results[1],
            (first, second),
            (pools[0].facts.version, pools[1].facts.version),
            (pools[0].what_if, pools[1].what_if),
            (pools[0].snapshot, pools[1].snapshot),
        )
        put(found, args, sys.stdout)
    return EXIT_OK if found.same else EXIT_NO


def _watch(args: argparse.Namespace) -> int:
    from negotiator.io import InputError
    from pieslice.inputs.configuration import check_policy_file
    from pieslice.inputs.running import is_address
    from pieslice.reports.output import show_diagnostics
    from pieslice.shadow.whatif import watch

    if len(args.pools) != 1 or len(args.config or ()) != 1 or not is_address(args.pools[0]):
        complain(
            "error: --watch compares a running pool with one configuration\n"
            "  help: pieslice diff HOST --config F --watch"
        )
        return EXIT_BAD
    args.config = [Path(args.config[0])]
    try:
        check_policy_file(args.config[0])
    except InputError as problem:
        show_diagnostics(problem.diagnostics, sys.stderr)
        return EXIT_BAD
    return watch(args)


def _instead_of(first: _Side, second: _Side) -> Sequence[str]:
    """The configuration that the second one is compared with, if it is one of the same pool."""
    (pool, config, _, at, _), (other, new, _, then, _) = first, second
    same = (pool, at) == (other, then) and config != new
    return [config] if same and config is not None and new is not None else ()


#: Folder, configuration, dialect, moment and version.
_Side: TypeAlias = tuple[str, str | None, str, str | None, "Followed | None"]


def _sides(args: argparse.Namespace) -> list[_Side] | None:
    """The two sides."""
    pools, configs, dialects, ats = args.pools, args.config or [], args.dialect, args.at or []
    problem, more = None, args.also or args.define
    if args.cycles is not None or args.log is not None:
        what = "--log keeps" if args.cycles is None else "--cycles counts"
        example = "pieslice diff HOST --config F --watch"
        example += " --log F" if args.cycles is None else " --cycles N"
        complain(f"error: {what} those of --watch\n  help: {example}")
        return None
    if max(map(len, (pools, configs, ats))) > 2:
        problem = "two pools, two configurations and two moments are the most to be compared"
    elif args.versions and args.condor_version:
        problem = "--versions names the version of each side, so --condor-version has none left"
    elif _one_side(pools, configs, dialects, ats) and not (configs or args.versions or more):
        problem = "there is nothing to compare the pool with"
    if problem is not None:
        example = "pieslice diff POOL --also F, POOL -D NAME=VALUE, POOL --config F"
        complain(f"error: {problem}\n  help: {example}, or two pools")
        return None
    if _one_side(pools, configs, dialects, ats) and configs and not (args.versions or more):
        configs = [None, configs[0]]
    versions = args.versions or [args.condor_version]
    given = (pools, configs or [None], dialects, ats or [None], versions)
    both = ((side * 2)[:2] for side in given)
    return list(zip(*both, strict=True))


def _one_side(*given: Sequence[object]) -> bool:
    """Whether nothing is given twice."""
    return max(map(len, given)) < 2


def _side_name(
    pool: str, config: str | None, dialect: str, at: str | None, version: Followed | None
) -> str:
    moment = "" if at is None else f" at {at}"
    if version is not None:
        moment += f" of {version.version}"
    name = f"{pool}{moment}" if config is None else f"{pool}{moment} with {config}"
    return name if dialect == "htcondor" else f"{name}, dialect {dialect}"


def _named(args: argparse.Namespace) -> tuple[str, str | None] | None:
    """The job that the arguments name and, for ``why``, the slot; the pool goes to ``inputs``."""
    args.inputs, wanted = _sort_out(args.items)
    text, slot = wanted.get("job"), wanted.get("slot")
    if slot is not None and args.command == "rank":
        wanted["left"] = slot
    if text is not None and "left" not in wanted:
        return text, slot
    what = f"`{wanted['left']}` is one argument too many" if text else "no job is named"
    more = "; --user U or --group G for more jobs" if args.command == "why" else ""
    complain(f"error: {what}\n  help: pieslice {args.command} [POOL] CLUSTER.PROC{more}")
    return None


def _sort_out(items: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Which argument is what: a path exists or has a slash, a job is numbers, the rest a slot."""
    from pieslice.why.asked import JOB_ID

    paths: list[str] = []
    found: dict[str, str] = {}
    for item in items:
        if JOB_ID.fullmatch(item) and "job" not in found:
            found["job"] = item
        elif os.path.exists(item) or os.sep in item or ("job" not in found and not paths):
            paths.append(item)
        else:
            found["left" if "slot" in found else "slot"] = item
    return paths, found
