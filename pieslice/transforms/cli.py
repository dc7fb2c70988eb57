"""Adds the commands ``transform`` and ``route``.

Inputs: a configuration, a file of jobs.  Outputs: the answer on standard output, what could not be
read on standard error; 0 done, 1 a job is refused or not routed though it has a route, 2 bad input.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK, NOW_HELP, moment
from pieslice.inputs.configuration import (
    Misuse,
    Shown,
    add_reading,
    guarded,
    read,
    say,
    say_problems,
)
from pieslice.inputs.options import add_width
from pieslice.inputs.versions import version_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from classad import ClassAd
    from classad.ads.ad import Ad
    from classad.evaluate import EvalContext
    from pieslice.command_line import Subcommands
    from pieslice.reports.result import Result
    from policy.config import Config


def add_commands(subcommands: Subcommands) -> None:
    """Add both."""
    _add_transform(subcommands)
    _add_route(subcommands)


def _add_transform(subcommands: Subcommands) -> None:
    transform = subcommands.add_parser(
        "transform",
        help="show what job transforms do to jobs",
        description="Run the job transforms of a configuration on jobs, as a schedd does when they"
        " are submitted, and show what each changes, with the line that does it.",
        examples=(
            ("pieslice transform condor_config jobs.ads", "what becomes of the jobs"),
            ("pieslice transform condor_config jobs.ads --ads", "the ads that come out"),
        ),
    )
    transform.add_argument(
        "--names", metavar="LIST", help="these transforms in place of JOB_TRANSFORM_NAMES"
    )
    transform.add_argument(
        "--tool", action="store_true", help="by the rules of condor_transform_ads"
    )
    _add_inputs(transform, "SCHEDD")
    transform.set_defaults(run=_transform)


def _add_route(subcommands: Subcommands) -> None:
    route = subcommands.add_parser(
        "route",
        help="show which route of the job router each job gets",
        description="Show which route of the job router each job gets in one round, in what order"
        " routes are tried, why the others are passed over, what the new jobs are, and which routes"
        " no job can get.",
        examples=(("pieslice route condor_config jobs.ads", "the route of each job"),),
    )
    route.add_argument(
        "--ignore-prior-routing", action="store_true",
        help="take the jobs as idle ones that were not routed before",
    )  # fmt: skip
    _add_inputs(route, "JOB_ROUTER")
    route.set_defaults(run=_route)


def _add_inputs(parser: argparse.ArgumentParser, subsystem: str) -> None:
    parser.add_argument("path", metavar="CONFIG", help="the root file, or a folder of files")
    parser.add_argument("jobs", metavar="JOBS", help="a file of job ads in any form, - for input")
    parser.add_argument("--ads", action="store_true", help="print the ads that come out")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--now", type=moment, metavar="T", help=f"{NOW_HELP} (default: now)")
    add_width(parser)
    add_reading(parser)
    parser.set_defaults(subsys=subsystem)


@guarded
def _transform(args: argparse.Namespace) -> int:
    from pieslice.transforms.transformed import transformed
    from policy.transforms.submission import read_transforms

    config, ads = _inputs(args)
    followed = version_of(args)
    version = followed.version
    transforms = read_transforms(config, version, names=args.names, as_tool=args.tool)
    if args.names is not None and transforms.missing:
        raise Misuse(f"--names: there is no transform `{transforms.missing[0]}` in {args.path}")
    context = _context(args, config)
    answer = transformed(args.path, config, transforms, ads, context, followed, as_tool=args.tool)
    say(answer.diagnostics)
    _print(args, answer, answer.ads)
    return EXIT_NO if answer.refused else EXIT_OK


@guarded
def _route(args: argparse.Namespace) -> int:
    from pieslice.transforms.routed import routed
    from policy.transforms.routes import read_routes
    from policy.transforms.routing import without_prior_routing

    config, jobs = _inputs(args)
    ads: Sequence[Ad] = jobs
    if args.ignore_prior_routing:
        ads = [without_prior_routing(ad) for ad in jobs]
    context = _context(args, config)
    table = read_routes(config, context, version_of(args).version)
    answer = routed(args.path, config, table, ads, context, version_of(args))
    say(answer.diagnostics)
    _print(args, answer, answer.ads)
    return EXIT_NO if answer.failed else EXIT_OK


def _inputs(args: argparse.Namespace) -> tuple[Config, list[ClassAd]]:
    """The configuration, and the jobs; raises ``Misuse``."""
    from classad.errors import ClassAdException, ClassAdParseError
    from classad.files.ads import read_ads

    config = read(args)
    say_problems(config, notes=False)
    if not config.complete:
        raise Misuse(f"{args.path}: the configuration cannot be read")
    try:
        ads = list(read_ads(args.jobs))
    except ClassAdParseError as problem:
        found = problem.diagnostic
        if found is None:
            raise Misuse(str(problem)) from None
        raise Shown(found.render()) from None
    except OSError as problem:
        raise Misuse(f"{args.jobs}: {(problem.strerror or str(problem)).lower()}") from None
    except ClassAdException as problem:
        raise Misuse(f"{args.jobs}: {problem}") from None
    if not ads:
        raise Misuse(f"{args.jobs}: contains no ads")
    return config, ads


def _context(args: argparse.Namespace, config: Config) -> EvalContext:
    """What expressions of transforms see besides the job: the time, the maps of users."""
    from classad.evaluate import EvalContext
    from classad.language.rules import language_of
    from policy.io import FileSources
    from policy.maps.user_maps import read_user_maps

    now = time.time() if args.now is None else args.now
    maps = read_user_maps(config, FileSources())
    return EvalContext(now=now, seed=0, user_maps=maps, language=language_of(config.version))


def _print(args: argparse.Namespace, answer: Result, ads: Sequence[Ad]) -> None:
    from pieslice.reports.output import chosen_width
    from pieslice.transforms.runs import long_form

    if args.json:
        sys.stdout.write(answer.to_json())
    elif args.ads:
        sys.stdout.writelines(map(long_form, ads))
    else:
        sys.stdout.write(answer.text(chosen_width(args, sys.stdout)))
