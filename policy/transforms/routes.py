"""Reads the routes of the job router from a configuration.

Which routes there are and in which order they are tried, what each is told (universe, limits,
resource), and why others are left out.
Inputs: a configuration as the router sees it.  Outputs: ``RoutingTable``.
Follows: condor_job_router_info 25.14.1 (vectors ``transforms``, kind ``route``).
"""

from __future__ import annotations

from typing import Final

from attr import define, field, frozen

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from policy.config import Config
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean, read_integer
from policy.language.table import Definition
from policy.transforms.job import TransformedJob
from policy.transforms.lines import CONSTRAINT, ROUTE_NAMES
from policy.transforms.rules import Rules, expression
from policy.transforms.running import check_lines
from policy.transforms.transforms import rules_named, rules_of_macro, split_names
from policy.transforms.variables import Variables
from policy.universes import UNIVERSES
from policy.versions import NEWEST, Version

_ROUTE: Final = "JOB_ROUTER_ROUTE_"
_TRANSFORM: Final = "JOB_ROUTER_TRANSFORM_"
#: Lists of transforms before and behind the route.
PRE: Final = "JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES"
POST: Final = "JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES"
#: What routes were given by before 25, and is ignored.
_RETIRED: Final = (
    "JOB_ROUTER_DEFAULTS", "JOB_ROUTER_ENTRIES", "JOB_ROUTER_ENTRIES_FILE",
    "JOB_ROUTER_ENTRIES_CMD",
)  # fmt: skip
MAX_JOBS: Final = 100
MAX_IDLE_JOBS: Final = 50


@frozen
class Route:
    """A route; ``max_idle_jobs`` is None where there is no limit.

    ``edits_in_place``: the job itself is changed, and there is no new one.  ``unknown_tokens``:
    those of SendIDTokens that there are not, for which no job can be sent.
    """

    name: str
    rules: Rules
    universe: int
    grid_resource: str = ""
    max_jobs: int = MAX_JOBS
    max_idle_jobs: int | None = MAX_IDLE_JOBS
    edits_in_place: bool = False
    unknown_tokens: tuple[str, ...] = ()

    def limits(self) -> str:
        """How many jobs it takes, in words."""
        most = f"{self.max_jobs} job{'s' * (self.max_jobs != 1)}"
        if self.max_idle_jobs is None or self.max_idle_jobs >= self.max_jobs:
            return most
        return f"{most}, {self.max_idle_jobs} of them idle"

    @property
    def takes_none(self) -> bool:
        """Do its limits let no job in?"""
        return self.max_jobs <= 0 or self.max_idle_jobs == 0


@define(eq=False)
class RoutingTable:
    """The routes in the order in which they are tried.

    ``name`` is the router's own.  ``before`` and ``behind`` are the transforms around each.
    ``constraint``: of the jobs that are looked at; None where all are.  ``max_jobs``: of all routes
    together, None without a limit.  ``is_on``: the router routes at all; ``ends``: it ends when it
    starts, or when it first looks for jobs.
    ``problems`` say why routes are missing.
    """

    name: str = "jobrouter"
    routes: list[Route] = field(factory=list)
    before: list[Rules] = field(factory=list)
    behind: list[Rules] = field(factory=list)
    constraint: Expression | None = None
    max_jobs: int | None = None
    round_robin: bool = False
    is_on: bool = True
    ends: bool = False
    problems: list[Diagnostic] = field(factory=list)


def read_routes(config: Config, context: EvalContext, version: Version = NEWEST) -> RoutingTable:
    """The routing table of a configuration."""
    table = RoutingTable()
    _general(table, config)
    listed = _text(config, ROUTE_NAMES)
    if not listed:
        table.is_on = False
    found: dict[str, Route | None] = {}
    for name in split_names(listed):
        folded = name.casefold()
        if folded not in found:
            found[folded] = _route(name, table, config, context, version)
        route = found[folded]
        if route is not None:
            table.routes.append(route)
    for macro, rules in ((PRE, table.before), (POST, table.behind)):
        _around(table, config, macro, rules)
    return table


def _general(table: RoutingTable, config: Config) -> None:
    """The router's name, the constraint and the settings for all routes."""
    table.name = _text(config, "JOB_ROUTER_NAME")
    if not table.name:
        table.is_on, table.ends = False, True
        table.problems.append(_at(config, "JOB_ROUTER_NAME", "JOB_ROUTER_NAME is empty"))
    text = _text(config, CONSTRAINT)
    if text:
        table.constraint = expression(text)
        table.ends = table.constraint is None
        if table.ends:
            table.problems.append(_at(config, CONSTRAINT, f"{CONSTRAINT} is no expression"))
    evaluated = config.scope.functions.evaluate
    most = read_integer(_text(config, "JOB_ROUTER_MAX_JOBS"), evaluated)
    table.max_jobs = most if most is not None and most >= 0 else None
    turn = read_boolean(_text(config, "JOB_ROUTER_ROUND_ROBIN_SELECTION"), evaluated)
    table.round_robin = bool(turn)
    for macro in _RETIRED:
        if _text(config, macro):
            message = f"{macro} is ignored: routes are {_ROUTE}<name>, listed in {ROUTE_NAMES}"
            table.problems.append(_at(config, macro, message))


def _around(table: RoutingTable, config: Config, macro: str, into: list[Rules]) -> None:
    """The transforms of a list; one without a text turns the router off."""
    rules, missing = rules_named(_TRANSFORM, _text(config, macro), config)
    for name in missing:
        table.is_on = False
        message = f"{_TRANSFORM}{name} is not set, so no job is routed"
        table.problems.append(_at(config, macro, message))
    for one in rules:
        into.append(one)
        if one.fault is not None:
            table.is_on = False
            table.problems.append(one.fault)


def _route(
    name: str, table: RoutingTable, config: Config, context: EvalContext, version: Version
) -> Route | None:
    """The route of a name; None, with the problem, where there is none."""
    macro = f"{_ROUTE}{name}"
    rules = None if name.casefold() == "names" else rules_of_macro(macro, name, config)
    if rules is None:
        table.problems.append(
            _at(config, ROUTE_NAMES, f"there is no route `{name}`: {macro} is not set")
        )
        return None
    if rules.is_old:
        message = f"the router ignores {macro}, which is in the old syntax"
        table.problems.append(Diagnostic(message, *rules.written[0].spot()))
        return None
    if rules.fault is not None:
        table.problems.append(rules.fault)
        return None
    variables = Variables(config, TransformedJob(Ad()), context)
    course = check_lines(rules, variables, version)
    if course.failure is not None:
        course.failure.message = f"the router ignores {macro}: {course.failure.message}"
        table.problems.append(course.failure)
        return None
    if rules.requirements is None and not _text(config, CONSTRAINT):
        message = f"{macro} has no REQUIREMENTS, so the router ignores it"
        help_text = f"`REQUIREMENTS true` takes every job that {CONSTRAINT} lets in"
        place = rules.place()
        table.problems.append(Diagnostic(message, *(place or ()), help=help_text))
        return None
    return _told(rules, variables, config)


def _told(rules: Rules, variables: Variables, config: Config) -> Route:
    """A route with what its variables say."""
    evaluated = config.scope.functions.evaluate

    def number(name: str, otherwise: int) -> int:
        text = _variable(variables, name)
        value = read_integer(text, evaluated) if text else None
        return otherwise if value is None else value

    def default(macro: str, otherwise: int) -> int:
        value = read_integer(_text(config, macro), evaluated)
        return otherwise if value is None else value

    universe = rules.universe_number()
    if universe is None:
        universe = number("TargetUniverse", 0)
        universe = universe if universe > 0 else UNIVERSES["grid"]
    idle = number(
        "MaxIdleJobs", default("JOB_ROUTER_DEFAULT_MAX_IDLE_JOBS_PER_ROUTE", MAX_IDLE_JOBS)
    )
    most = number("MaxJobs", default("JOB_ROUTER_DEFAULT_MAX_JOBS_PER_ROUTE", MAX_JOBS))
    edits = read_boolean(_variable(variables, "EditJobInPlace"), evaluated)
    grid = _bare(_variable(variables, "GridResource")) if universe == UNIVERSES["grid"] else ""
    tokens = split_names(_bare(_variable(variables, "SendIDTokens")))
    known = {one.casefold() for one in split_names(_text(config, "JOB_ROUTER_IDTOKEN_NAMES"))}
    return Route(
        rules.name, rules, universe, grid, most,
        None if idle < 0 else idle, bool(edits),
        tuple(one for one in tokens if one.casefold() not in known),
    )  # fmt: skip


def _bare(text: str) -> str:
    """A text without the quotes around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _variable(variables: Variables, name: str) -> str:
    """The expanded text of a variable of the route itself."""
    found = variables.values.get(name.casefold())
    if found is None:
        return ""
    try:
        return variables.expand(found.raw).strip()
    except ExpansionError:
        return ""


def _text(config: Config, macro: str) -> str:
    try:
        return (config.text(macro) or "").strip()
    except ExpansionError:
        return ""


def _at(config: Config, macro: str, message: str) -> Diagnostic:
    definition: Definition | None = config.lookup(macro)
    if definition is None or definition.source is None:
        return Diagnostic(message)
    return Diagnostic(message, definition.source, definition.start, definition.end)
