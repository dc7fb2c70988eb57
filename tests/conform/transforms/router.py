"""Plays ``condor_job_router_info`` with the routes of ``policy``.

Inputs: a configuration, a file of jobs, arguments.  Outputs: the routing table, the routes that
matched each job, the one that it got, the ads of the new jobs.
"""

from __future__ import annotations

from attr import define, field

from classad.ads.ad import Ad
from classad.evaluate import EvalContext
from classad.formats.long import read_long
from policy.transforms.routes import Route, read_routes
from policy.transforms.routing import PassedOver, Router, Routing, without_prior_routing
from policy.transforms.rules import argument
from tests.conform.transforms.tools import NOW, configuration, printed


@define
class PlayedRoutes:
    """What came out, in the form of the record."""

    routes: list[dict[str, str]] = field(factory=list)
    ends: bool = False
    checked: dict[str, list[str]] = field(factory=dict)
    candidates: list[list[str]] = field(factory=list)
    routed: list[str] = field(factory=list)


def play_routes(config_text: str, ads_text: str, args: list[str]) -> PlayedRoutes:
    """What the tool prints of the jobs in a text."""
    config, context = configuration(config_text), EvalContext(now=NOW)
    table = read_routes(config, context)
    played = PlayedRoutes(ends=table.ends)
    is_shown = table.is_on
    played.routes = [_shown(route) for route in table.routes] if is_shown else []
    router = Router(table, config, context)
    for ad in _jobs(ads_text):
        routing = router.route_one(without_prior_routing(ad) if args else ad)
        _note(played, routing)
    return played


def _jobs(text: str) -> list[Ad]:
    """The jobs of a file in long form; the first of those with one number counts."""
    jobs: dict[str, Ad] = {}
    for ad in read_long(text, "ads", [], new=Ad):
        jobs.setdefault(_number(ad), ad)
    return list(jobs.values())


def _number(ad: Ad) -> str:
    return f"{ad.raw('ClusterId')}.{ad.raw('ProcId')}"


def _shown(route: Route) -> dict[str, str]:
    requirements = route.rules.requirements
    idle = -1 if route.max_idle_jobs is None else route.max_idle_jobs
    return {
        "Name": route.name,
        "Universe": str(route.universe),
        "MaxJobs": str(route.max_jobs),
        "MaxIdleJobs": str(idle),
        "GridResource": route.grid_resource.strip('"'),
        "Requirements": "" if requirements is None else argument(requirements).strip('"'),
    }


def _note(played: PlayedRoutes, routing: Routing) -> None:
    if routing.not_looked_at is not None:
        return
    number = _number(routing.ad)
    matched = [
        one.route.name
        for one in routing.tried
        if one.why in (None, PassedOver.TURN, PassedOver.TAKEN)
    ]
    taken = [one.route.name for one in routing.tried if one.why is None]
    turns = any(one.why is PassedOver.TURN for one in routing.tried)
    played.checked[number] = matched if turns else taken
    if routing.route is None:
        return
    played.candidates.append([number, routing.route.name])
    if routing.routed is not None and not routing.route.edits_in_place:
        played.routed.append(printed(routing.routed))
