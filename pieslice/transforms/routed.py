"""Answers which route each job gets: ``pieslice route``.

Inputs: a routing table, the ads of jobs.  Outputs: ``Routed``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from attr import field, frozen

from classad.ads.ad import Ad
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from pieslice.reports.document import NOT_SHOWN
from pieslice.reports.layout import Block, Line, TextColumn, TextTable
from pieslice.reports.result import Result
from pieslice.transforms.runs import (
    RulesProblem,
    RulesRun,
    alike,
    change_table,
    distinct,
    job_id,
    of_courses,
    owner_of,
    problem_lines,
    rules_run,
    said,
)
from policy.config import Config
from policy.transforms.reach import Late, too_late
from policy.transforms.routes import Route, RoutingTable
from policy.transforms.routing import NotLookedAt, PassedOver, Router, Routing, Tried
from policy.transforms.rules import argument
from policy.universes import universe_name
from policy.versions import Followed

_WHY: Final = {
    PassedOver.REQUIREMENTS: "REQUIREMENTS are not true",
    PassedOver.MAX_JOBS: "full (MaxJobs)",
    PassedOver.MAX_IDLE_JOBS: "full (MaxIdleJobs)",
    PassedOver.TAKEN: "an earlier route takes the job",
    PassedOver.TURN: "another route has its turn",
}
_NOT_LOOKED_AT: Final = {
    NotLookedAt.OFF: "the router is off",
    NotLookedAt.NO_ROUTES: "there are no routes",
    NotLookedAt.CONSTRAINT: "JOB_ROUTER_SOURCE_JOB_CONSTRAINT is not true",
    NotLookedAt.REQUIREMENTS: "no route's REQUIREMENTS are true",
    NotLookedAt.NOT_IDLE: "it is not idle",
    NotLookedAt.NO_OWNER: "it has no Owner",
    NotLookedAt.NO_PROC: "it has no ProcId",
    NotLookedAt.STAGING: "its input is still being spooled",
    NotLookedAt.MANAGED: "another manages it (Managed)",
    NotLookedAt.ROUTED: "this router made it (RoutedBy)",
    NotLookedAt.ENOUGH: "the router has JOB_ROUTER_MAX_JOBS",
    NotLookedAt.FULL: "no route takes more jobs",
}


@frozen
class RouteAnswer:
    """A route; ``max_idle_jobs`` is null without a limit.

    ``jobs``: how many it got.  ``too_late``: the earlier route that takes every job of it.
    """

    name: str
    universe: str
    grid_resource: str
    max_jobs: int
    max_idle_jobs: int | None
    requirements: str | None
    jobs: int
    too_late: str | None
    edits_in_place: bool


@frozen
class RouteTried:
    """A route that was tried; ``why`` it was passed over, null for the one that the job gets."""

    route: str
    why: PassedOver | None


@frozen
class JobRouted:
    """A job; ``route`` is null where it gets none, ``not_looked_at`` says why none was tried.

    ``failed``: it has a route and is not routed all the same.
    """

    job: str
    owner: str
    route: str | None
    not_looked_at: NotLookedAt | None
    tried: tuple[RouteTried, ...]
    failed: RulesProblem | None
    transforms: tuple[RulesRun, ...]


@frozen(eq=False, repr=False)
class Routed(Result):
    """Which route of the job router each job gets in one round, in the order of the jobs.

    ``router`` is its name; ``problems``: routes that are ignored, and what else is wrong.
    """

    schema: ClassVar[str] = "pieslice/route/1"
    path: str
    followed: Followed
    router: str
    is_on: bool
    round_robin: bool
    routes: tuple[RouteAnswer, ...]
    problems: tuple[RulesProblem, ...]
    jobs: tuple[JobRouted, ...]
    #: The ads that come out.
    ads: tuple[Ad, ...] = field(metadata=NOT_SHOWN)
    late: tuple[Late, ...] = field(default=(), metadata=NOT_SHOWN)
    #: Everything that was wrong, once.
    diagnostics: tuple[Diagnostic, ...] = field(default=(), metadata=NOT_SHOWN)

    @property
    def failed(self) -> int:
        """How many jobs have a route and are not routed."""
        return sum(one.failed is not None for one in self.jobs)

    def summary(self) -> str:
        jobs = self.jobs
        routed = sum(one.route is not None and one.failed is None for one in jobs)
        return f"{len(jobs)} job{'s' * (len(jobs) != 1)}, {routed} routed, {self.failed} failed"

    def blocks(self) -> Sequence[Block]:
        state = "" if self.is_on else ", which is off"
        title = f"routes of {self.path} ({self.router or 'no name'}{state})"
        blocks: list[Block] = [Line(title, heading=True), Line(f"  {self.summary()}")]
        blocks += problem_lines(self.problems, 2)
        if self.routes:
            blocks += [Line(), _route_table(self.routes)]
        blocks += [Line(f"  {one.sentence()}", level="bad") for one in self.late]
        for jobs in self._alike().values():
            blocks += [Line(), *_job_blocks(jobs, self.path)]
        return blocks

    def _alike(self) -> dict[object, list[JobRouted]]:
        """The jobs, those to which the same happened together."""
        found: dict[object, list[JobRouted]] = {}
        for one in self.jobs:
            key = (one.owner, one.route, one.not_looked_at, one.tried, one.failed, one.transforms)
            found.setdefault(key, []).append(one)
        return found


def _route_table(routes: Sequence[RouteAnswer]) -> TextTable:
    columns = (
        TextColumn("route", name=True),
        TextColumn("universe", drop=2),
        TextColumn("grid resource", drop=1, name=True),
        TextColumn("max jobs", right=True),
        TextColumn("max idle", right=True),
        TextColumn("jobs", right=True),
    )
    rows = tuple(
        (
            one.name,
            one.universe,
            one.grid_resource or "-",
            str(one.max_jobs),
            "unlimited" if one.max_idle_jobs is None else str(one.max_idle_jobs),
            str(one.jobs),
        )
        for one in routes
    )
    return TextTable(columns, rows)


def _job_blocks(jobs: Sequence[JobRouted], path: str) -> Iterator[Block]:
    first = jobs[0]
    title = f"{alike([one.job for one in jobs])}  {first.owner}"
    if first.failed is not None:
        yield Line(f"{title}: not routed, {first.route} fails", level="bad")
        yield from problem_lines([first.failed])
    elif first.route is not None:
        yield Line(f"{title}: {first.route}", level="good")
    else:
        yield Line(f"{title}: no route")
    if first.not_looked_at is not None:
        yield Line(f"    {_NOT_LOOKED_AT[first.not_looked_at]}")
    reasons: dict[PassedOver, list[str]] = {}
    for one in first.tried:
        if one.why is not None:
            reasons.setdefault(one.why, []).append(one.route)
    for why, names in reasons.items():
        yield Line(f"    {', '.join(names)}: {_WHY[why]}")
    if any(run.changes for run in first.transforms):
        yield change_table(first.transforms, path)
    for run in first.transforms:
        yield from problem_lines(one for one in run.problems if one != first.failed)


def routed(
    path: str,
    config: Config,
    table: RoutingTable,
    ads: Sequence[Ad],
    context: EvalContext,
    followed: Followed,
) -> Routed:
    """Which route each job gets, in the order of the jobs."""
    version = followed.version
    done = Router(table, config, context, version).route(ads)
    late = tuple(too_late(table))
    earlier = {route.name: one.earlier.name for one in late for route in one.routes}
    routes = tuple(_route_answer(route, done, earlier) for route in table.routes)
    runs = of_courses(course for one in done for course in one.courses)
    return Routed(
        path,
        followed,
        table.name,
        table.is_on and not table.ends,
        table.round_robin,
        routes,
        tuple(map(said, table.problems)),
        tuple(map(_job_routed, done)),
        tuple(one.routed for one in done if one.routed is not None),
        late,
        distinct((*table.problems, *runs)),
    )


def _route_answer(route: Route, done: Sequence[Routing], earlier: Mapping[str, str]) -> RouteAnswer:
    requirements = route.rules.requirements
    return RouteAnswer(
        route.name,
        universe_name(route.universe),
        route.grid_resource,
        route.max_jobs,
        route.max_idle_jobs,
        None if requirements is None else argument(requirements),
        sum(one.route is route for one in done),
        earlier.get(route.name),
        route.edits_in_place,
    )


def _job_routed(routing: Routing) -> JobRouted:
    failure = routing.failure
    failed = None if failure is None or failure.failure is None else said(failure.failure)
    if failed is None and routing.route is not None and routing.routed is None:
        tokens = ", ".join(routing.route.unknown_tokens)
        message = f"SendIDTokens names {tokens}, which JOB_ROUTER_IDTOKEN_NAMES does not"
        failed = RulesProblem("error", message, None, None, None, None)
    return JobRouted(
        job_id(routing.ad),
        owner_of(routing.ad),
        None if routing.route is None else routing.route.name,
        routing.not_looked_at,
        tuple(map(_tried, routing.tried)),
        failed,
        tuple(map(rules_run, routing.courses)),
    )


def _tried(one: Tried) -> RouteTried:
    return RouteTried(one.route.name, one.why)
