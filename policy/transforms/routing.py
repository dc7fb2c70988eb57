"""Decides which route each job gets, and what the router makes of the job.

Inputs: a routing table, jobs in the order of the queue.  Outputs: ``Routing`` for each job: whether
the router looks at it, the routes that were tried and why they were passed over, the one it gets,
and the new ad with what each line did.
Follows: condor_job_router_info 25.14.1 (vectors ``transforms``, kind ``route``).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

from attr import define, field, frozen

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.language.values import UNDEFINED
from policy.config import Config
from policy.transforms.job import TransformedJob
from policy.transforms.routes import Route, RoutingTable
from policy.transforms.rules import Rules
from policy.transforms.running import TransformRun, is_truth, run, run_lines
from policy.transforms.variables import Variables
from policy.universes import UNIVERSES
from policy.versions import NEWEST, Version

_WAITING: Final = 1
#: What a new job does not have of the old one, and what it has instead.
_DROPPED: Final = (
    "ClusterId", "ProcId", "AutoClusterAttrs", "AutoClusterId", "BufferBlockSize", "BufferSize",
    "ClaimId", "CondorPlatform", "CondorVersion", "CoreSize", "DAGManNodesLog", "GlobalJobId",
    "LastRemoteWallClockTime", "QDate", "RemoteWallClockTime", "RoutedToJobId", "ServerTime",
    "StageInStart", "StageInFinish", "TotalSubmitProcs", "User", "UserLog",
)  # fmt: skip
_RESET: Final = {
    "CommittedSlotTime": 0, "CommittedSuspensionTime": 0, "CommittedTime": 0, "CompletionDate": 0,
    "CumulativeSlotTime": 0, "CumulativeSuspensionTime": 0, "ExitBySignal": False, "ExitStatus": 0,
    "JobStatus": _WAITING, "LastSuspensionTime": 0, "NumCkpts": 0, "NumRestarts": 0,
    "NumSystemHolds": 0, "RemoteSysCpu": 0.0, "RemoteUserCpu": 0.0, "TotalSuspensions": 0,
}  # fmt: skip
#: What an earlier routing left in a job.
_PRIOR: Final = (
    "Managed", "ManagedManager", "RoutedBy", "RoutedToJobId", "StageInStart", "StageInFinish",
)  # fmt: skip


class PassedOver(Enum):
    """Why a job did not get a route that was tried."""

    REQUIREMENTS = "requirements"
    MAX_JOBS = "max_jobs"
    MAX_IDLE_JOBS = "max_idle_jobs"
    TAKEN = "taken"
    TURN = "turn"


class NotLookedAt(Enum):
    """Why the router does not look at a job."""

    OFF = "off"
    NO_ROUTES = "no_routes"
    CONSTRAINT = "constraint"
    REQUIREMENTS = "requirements"
    NOT_IDLE = "not_idle"
    NO_OWNER = "no_owner"
    NO_PROC = "no_proc"
    STAGING = "staging"
    MANAGED = "managed"
    ROUTED = "routed"
    ENOUGH = "enough"
    FULL = "full"


@frozen
class Tried:
    """A route that was tried for a job; ``why`` is None for the one that it gets."""

    route: Route
    why: PassedOver | None = None


@define(eq=False)
class Routing:
    """What becomes of a job.

    ``tried``: the routes in their order.  ``matching``: those whose REQUIREMENTS hold and that had
    room.  ``courses``: the runs of the transforms and the route.  ``routed``: the ad of the new
    job, or of the job itself where the route edits in place; None where it is not routed.
    """

    ad: Ad
    not_looked_at: NotLookedAt | None = None
    tried: list[Tried] = field(factory=list)
    route: Route | None = None
    courses: list[TransformRun] = field(factory=list)
    routed: Ad | None = None

    @property
    def failure(self) -> TransformRun | None:
        """The run that failed, for which the job is not routed."""
        return next((one for one in self.courses if one.failure is not None), None)


@define(eq=False)
class Router:
    """Routes the jobs of a round, one after the other."""

    table: RoutingTable
    config: Config
    context: EvalContext
    version: Version = NEWEST
    _taken: dict[str, int] = field(factory=dict)
    _turn: int = 0
    _routed: int = 0
    _is_full: bool = False

    def route(self, jobs: Iterable[Ad]) -> list[Routing]:
        """What becomes of each job."""
        return [self.route_one(ad) for ad in jobs]

    def route_one(self, ad: Ad) -> Routing:
        """What becomes of the next job."""
        routing = Routing(ad, self.not_looked_at(ad))
        if routing.not_looked_at is None:
            self._choose(routing)
        if routing.route is not None:
            self._routed += 1
            name = routing.route.name.casefold()
            self._taken[name] = self._taken.get(name, 0) + 1
            self._carry_out(routing, routing.route)
        return routing

    def not_looked_at(self, ad: Ad) -> NotLookedAt | None:
        """Why the router does not look at a job; None if it does."""
        table = self.table
        if not table.is_on or table.ends:
            return NotLookedAt.OFF
        if not table.routes:
            return NotLookedAt.NO_ROUTES
        if table.max_jobs is not None and self._routed >= table.max_jobs:
            return NotLookedAt.ENOUGH
        accepting = [route for route in table.routes if not route.takes_none]
        if self._is_full or not accepting:
            return NotLookedAt.FULL
        reason = _state(ad, table.name)
        if reason is not None:
            return reason
        if not self._lets_in(table.constraint, ad):
            return NotLookedAt.CONSTRAINT
        return None if self._is_candidate(accepting, ad) else NotLookedAt.REQUIREMENTS

    def _is_candidate(self, routes: list[Route], ad: Ad) -> bool:
        """Whether a job is for any route: one condition with `||`, by the names of routes.

        One that comes to an error, or to a text, hides those behind it.
        """
        for route in sorted(routes, key=lambda one: one.name.casefold()):
            condition = route.rules.condition
            value: object = True
            if condition is not None:
                value = evaluate(condition, Ad(), ad, context=self.context)
            if is_truth(value):
                return True
            if value is not UNDEFINED and value.__class__ not in (bool, int, float):
                return False
        return False

    def _lets_in(self, condition: Expression | None, ad: Ad) -> bool:
        """Whether a condition holds for a job in the search for candidates, where it is TARGET."""
        if condition is None:
            return True
        return is_truth(evaluate(condition, Ad(), ad, context=self.context))

    def _meets(self, route: Route, ad: Ad) -> bool:
        """Whether REQUIREMENTS hold for a candidate, which is MY."""
        condition = route.rules.condition
        return condition is None or is_truth(evaluate(condition, ad, context=self.context))

    def _full(self, route: Route) -> PassedOver | None:
        taken = self._taken.get(route.name.casefold(), 0)
        if taken >= route.max_jobs:
            return PassedOver.MAX_JOBS
        if route.max_idle_jobs is not None and taken >= route.max_idle_jobs:
            return PassedOver.MAX_IDLE_JOBS
        return None

    def _choose(self, routing: Routing) -> None:
        """Try the routes in their order."""
        # The search goes on for one job after the last place was taken.
        self._is_full = all(self._full(route) for route in self.table.routes)
        open_routes: list[Route] = []
        reasons: list[PassedOver | None] = []
        for route in self.table.routes:
            why = self._full(route)
            if why is None and not self._meets(route, routing.ad):
                why = PassedOver.REQUIREMENTS
            reasons.append(why)
            if why is None:
                open_routes.append(route)
        at = 0
        if self.table.round_robin and open_routes:
            at = self._turn % len(open_routes)
            self._turn += 1
        for route, why in zip(self.table.routes, reasons, strict=True):
            if why is None and open_routes:
                is_first = not self.table.round_robin
                later = PassedOver.TAKEN if is_first else PassedOver.TURN
                if routing.route is None and route is open_routes[at]:
                    routing.route = route
                else:
                    why = later
            routing.tried.append(Tried(route, why))

    def _carry_out(self, routing: Routing, route: Route) -> None:
        """Make the new job, or edit the old one."""
        ad = (
            Ad.copy_of(routing.ad)
            if route.edits_in_place
            else new_job(routing.ad, route, self.table.name)
        )
        variables = Variables(self.config, TransformedJob(ad), self.context)
        variables.set_live({"Iterating": "0"})
        parts: list[Rules] = [*self.table.before, route.rules, *self.table.behind]
        for rules in parts:
            runs = run_lines if rules is route.rules else run
            course = runs(rules, variables, self.version)
            routing.courses.append(course)
            if course.failure is not None:
                return
        if route.unknown_tokens:
            return
        if not route.edits_in_place:
            ad.insert("RouteName", route.name)
            ad.insert("RoutedBy", self.table.name)
            ad.insert("RoutedFromJobId", _job_id(routing.ad))
        routing.routed = ad


def new_job(ad: Ad, route: Route, router: str) -> Ad:
    """The ad of the new job before any transform sees it."""
    new = Ad.copy_of(ad)
    for name in _DROPPED:
        new.remove(name)
    for name, value in _RESET.items():
        new.insert(name, value)
    universe = ad.raw("JobUniverse")
    if universe is not None:
        new.insert("Remote_JobUniverse", universe)
    new.insert("JobUniverse", route.universe)
    if route.universe == UNIVERSES["grid"]:
        new.insert("GridResource", route.grid_resource)
    new.insert("Managed", "External")
    new.insert("ManagedManager", router)
    return new


def without_prior_routing(ad: Ad) -> Ad:
    """A job as it was before an earlier routing: idle, and managed by nobody."""
    new = Ad.copy_of(ad)
    for name in _PRIOR:
        new.remove(name)
    new.insert("JobStatus", _WAITING)
    return new


def _state(ad: Ad, router: str) -> NotLookedAt | None:
    """What of the state of a job keeps the router from it."""

    def value(name: str) -> object:
        found = evaluate(name, ad)
        return None if found is UNDEFINED else found

    number = value("ProcId")
    if not isinstance(number, int) or number < 0:
        return NotLookedAt.NO_PROC
    if value("JobStatus") != _WAITING:
        return NotLookedAt.NOT_IDLE
    if value("StageInStart") is not None and value("StageInFinish") is None:
        return NotLookedAt.STAGING
    if value("Managed") in ("ScheddDone", "External"):
        return NotLookedAt.MANAGED
    if value("RoutedBy") == router:
        return NotLookedAt.ROUTED
    return NotLookedAt.NO_OWNER if value("Owner") is None else None


def _job_id(ad: Ad) -> str:
    return f"{ad.raw('ClusterId')}.{ad.raw('ProcId')}"
