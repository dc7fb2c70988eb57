"""Checks the routes of the job router: which jobs they take, and what they are told.

Their lines are checked as those of transforms, by ``policy.lint.transforms``.
Follows: condor_job_router_info 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from classad.errors import ClassAdParseError, Diagnostic, suggest
from classad.patterns import late_regex
from policy.config import Config
from policy.explain.roles import is_whole
from policy.language.expressions import parse
from policy.language.numbers import Evaluate, integer_literal, read_integer
from policy.lint.companions import is_routing
from policy.lint.expressions import HELD, ROUTES, has_body
from policy.lint.finding import ERROR, Finding, Meant, Per, Repair, finding, looks_at
from policy.lint.transforms import no_expression
from policy.lint.view import Setting, View
from policy.transforms.lines import CONSTRAINT, ROUTE_NAMES, Command, MacroAssignment, TransformLine
from policy.universes import UNIVERSES

if TYPE_CHECKING:
    from policy.transforms.routes import Route

_NAMES_UNIVERSE: Final = late_regex(
    r"(?i)\s*(UNIVERSE|TargetUniverse|(EVAL)?SET\s+JobUniverse|COPY\s+\S+\s+JobUniverse)\b"
)
#: Transforms of all routes.
_TRANSFORMS: Final = late_regex(r"job_router_(pre|post)_route_transform_names")
_UNIVERSE: Final = late_regex(r"(?i)(UNIVERSE|TargetUniverse)\b")
#: What somebody who sets a limit counts on: jobs beyond it go to the next route.
_LIMITS: Final = ("JOB_ROUTER_DEFAULT_MAX_JOBS_", "JOB_ROUTER_DEFAULT_MAX_IDLE_JOBS_")
_LIMIT: Final = late_regex(r"(?i)Max(Idle)?Jobs\b")
#: What counts in place of a value that is no number.
_COUNTED: Final = {"targetuniverse": "the grid universe", "maxjobs": "100", "maxidlejobs": "50"}


@finding(
    "P248",
    "a route that takes no job, or a transform that takes all, for want of REQUIREMENTS",
    "`REQUIREMENTS = ...` sets a variable that nobody reads. The router ignores a route without"
    " REQUIREMENTS unless JOB_ROUTER_SOURCE_JOB_CONSTRAINT has a value, as it has in the files of"
    " HTCondor-CE; a transform without them is for every job.",
    bad="JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  UNIVERSE VANILLA\n"
    "  SET Site 1\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    good="JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n  SET Site 1\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    observed="Observed with 25.14.1: `CONFIGURATION ERROR: Missing Requirements in job route.`",
    severity=ERROR,
    of=HELD,
)
def no_requirements(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Routes without REQUIREMENTS, and REQUIREMENTS that are an assignment."""
    if not has_body(setting):
        return
    is_route = setting.upper.startswith(ROUTES)
    for line, form in setting.statements:
        name = form.name if isinstance(form, MacroAssignment) else ""
        if isinstance(form, Command) and form.first[:1] in (":", "="):
            name = form.keyword
        if name.upper() == "REQUIREMENTS" or (is_route and name.upper() == "UNIVERSE"):
            message = f"`{line.text[: len(name)]}` with a sign behind it is not the command"
            help_text = "without the sign it is, as in `REQUIREMENTS JobUniverse == 5`"
            spot = line.spot(0, len(name))
            yield no_requirements.at(message, *spot, help_text, macro=setting.macro)
            if name.upper() == "REQUIREMENTS":
                return
    if not is_route or not is_routing(view, setting, "JOB_ROUTER"):
        return
    if not is_whole(view.config):
        return  # the rest of a gateway's files has the constraint
    if _is_ignored(view, setting):
        message = f"{setting.macro} has no REQUIREMENTS, and the router ignores it"
        help_text = f"`REQUIREMENTS true` takes every job; {CONSTRAINT} may do without"
        yield _at_its_name(no_requirements, setting, message, help_text)


def _is_ignored(view: View, setting: Setting) -> bool:
    return setting.rules.requirements is None and not view.config.text(CONSTRAINT)


def _at_its_name(kind: Finding, setting: Setting, message: str, help_text: str) -> Diagnostic:
    """A finding about a route as such."""
    entry = setting.entry
    if "\n" in entry.raw and entry.source is not None:
        spot = entry.source, entry.start, entry.start + len(entry.name)
        return kind.at(message, *spot, help_text, macro=setting.macro)
    return kind.named(entry, message, help_text)


@finding(
    "P249",
    "a route that no job can get",
    "Routes are tried in the order of JOB_ROUTER_ROUTE_NAMES, and a job gets the first one whose"
    " REQUIREMENTS are true and that has room. One that takes every job leaves none to those behind"
    " it, until it has its MaxJobs or MaxIdleJobs: 100 jobs, 50 of them idle, if nobody says.",
    bad="JOB_ROUTER_ROUTE_NAMES = All, Some\nJOB_ROUTER_ROUTE_All @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n@end\nJOB_ROUTER_ROUTE_Some @=end\n  REQUIREMENTS JobPrio > 5\n"
    "  UNIVERSE VANILLA\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    good="JOB_ROUTER_ROUTE_NAMES = Some, All\nJOB_ROUTER_ROUTE_All @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n@end\nJOB_ROUTER_ROUTE_Some @=end\n  REQUIREMENTS JobPrio > 5\n"
    "  UNIVERSE VANILLA\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    observed="Observed with condor_job_router_info of 25.14.1, which gives every job to the first,"
    " and with MaxIdleJobs = 2 two of four. Not said where a file gives the first less room.",
    of=ROUTE_NAMES,
)
def unreachable(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Routes behind one that takes all of their jobs."""
    config = view.config.seen_by("JOB_ROUTER")
    if config.lookup(ROUTE_NAMES) is not setting.entry:
        return
    if not is_routing(view, setting, "JOB_ROUTER"):
        return
    if any(one.upper.startswith(_LIMITS) for one in view.settings):
        return
    from policy.transforms.reach import too_late  # which few configurations need
    from policy.transforms.routes import MAX_IDLE_JOBS, MAX_JOBS

    for late in too_late(view.routes):
        first = late.earlier
        limited = any(_LIMIT.match(line.text) for line in first.rules.written)
        # Who gives a route more room means no other one to have what is left.
        if limited and (first.max_jobs <= MAX_JOBS or first.max_idle_jobs != MAX_IDLE_JOBS):
            continue
        names = tuple(route.name for route in late.routes)
        yield unreachable.on(setting.entry, late.sentence(), names=names)


@finding(
    "P250",
    "a setting of a route that counts for nothing",
    "What is no number is passed over: TargetUniverse is the grid universe then, MaxJobs 100 and"
    " MaxIdleJobs 50. Limits are assigned; SET makes attributes of jobs. A GridResource belongs to"
    " routes of the grid universe, as those are that name no other, and these need one. Its first"
    " word is a type of grid, and behind `batch` stands a batch system of the blahp.",
    "JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n  MaxJobs = some\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    "JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n  MaxJobs = 500\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    observed="Observed with condor_job_router_info of 25.14.1, which shows what it takes.",
    of=rf"{ROUTES}(?!NAMES)\w+",
)
def of_no_use(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if not has_body(setting):
        return
    yield from _to_the_grid(view, setting)
    functions = view.config.seen_by("JOB_ROUTER").scope.functions
    name = setting.macro[len(ROUTES) :].casefold()
    route = next((one for one in view.routes.routes if one.name.casefold() == name), None)
    universe = None if route is None else route.universe
    lacks = universe == UNIVERSES["grid"] and not _has_resource(view, setting)
    for line, form in setting.statements:
        said = False
        if isinstance(form, MacroAssignment) and "$" not in form.value:
            for found in _told(line, form, universe, functions.evaluate):
                said = True
                yield found
        if route is not None and isinstance(form, Command):
            yield from _given_to_the_job(line, form, route)
        if lacks and not said and _UNIVERSE.match(line.text):
            message = "a route to the grid needs a GridResource, and there is none"
            help_text = 'say `GridResource = "batch slurm"`, or `UNIVERSE VANILLA` for the pool'
            yield of_no_use.at(message, *line.spot(), help_text)


def _has_resource(view: View, setting: Setting) -> bool:
    """Does the route speak of a GridResource, or a transform of all routes, or another macro?"""
    return _RESOURCES in setting.entry.raw.casefold() or view.config.once(_resource_elsewhere)


def _resource_elsewhere(config: Config) -> bool:
    """Does anything but the routes speak of a GridResource?"""
    entries = (one for one in config.scope.table if not one.is_builtin)
    raws = (one.raw.casefold() for one in entries if not _A_ROUTE.fullmatch(one.name))
    return any(_RESOURCES in raw for raw in raws)


_RESOURCES: Final = "gridresource"
_A_ROUTE: Final = late_regex(rf"{ROUTES}(?!NAMES)\w+", re.IGNORECASE)


@looks_at(Per.SETTING, of=rf"{ROUTES}(?!NAMES)\w+")
def variables(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """What the router asks for as an expression and is none, and more idle jobs than jobs."""
    values: dict[str, int | None] = {}
    for line, form in setting.statements if has_body(setting) else ():
        if not isinstance(form, MacroAssignment) or "$" in form.value:
            continue
        at = line.text.rfind(form.value)
        if form.name.casefold() in _EXPRESSIONS and form.value.strip():
            try:
                parse(form.value)
            except ClassAdParseError as mistake:
                what = str(mistake) if mistake.diagnostic is None else mistake.diagnostic.message
                message = f"{form.name} of {setting.macro}: {what}"
                yield no_expression.at(message, *line.spot(at, at + len(form.value)))
        values[form.name.casefold()] = integer_literal(form.value)
        most, idle = values.get("maxjobs"), values.get("maxidlejobs")
        if form.name.casefold() in _BOTH and idle is not None and most is not None and idle > most:
            message = f"MaxIdleJobs is {idle}, and MaxJobs {most}: it limits nothing"
            yield of_no_use.at(message, *line.spot(at, at + len(form.value)))


_BOTH: Final = ("maxjobs", "maxidlejobs")
_EXPRESSIONS: Final = frozenset(
    ("jobfailuretest", "jobshouldbesandboxed", "usesharedx509userproxy", "sendidtokens")
)


def _to_the_grid(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A route that says nothing of a universe, which is that of the grid then."""
    if not is_whole(view.config) or not is_routing(view, setting, "JOB_ROUTER"):
        return  # another file may have transforms that say it
    if _is_ignored(view, setting):
        return  # that is told
    if any(_NAMES_UNIVERSE.match(line.text) for line in setting.rules.written):
        return
    if _has_resource(view, setting) or any(map(_TRANSFORMS.fullmatch, view.defined)):
        return
    message = f"{setting.macro} has no UNIVERSE, so it goes to the grid, and no GridResource"
    help_text = 'say `GridResource = "batch slurm"`, or `UNIVERSE VANILLA` for the pool'
    yield _at_its_name(of_no_use, setting, message, help_text)


def _given_to_the_job(line: TransformLine, form: Command, route: Route) -> Iterator[Diagnostic]:
    """``SET MaxJobs 10``, which the router does not look at."""
    limits = {"maxjobs": route.max_jobs, "maxidlejobs": route.max_idle_jobs}
    limit = limits.get(form.first.casefold())
    if limit is None or form.keyword not in ("SET", "DEFAULT", "EVALSET"):
        return
    message = f"{form.keyword} gives it to the job: {form.first} of the route is {limit}"
    written = line.text.strip()
    advice = Meant(f"{form.first} = {form.rest}", written)
    at = line.text.index(written)
    yield of_no_use.at(message, *line.spot(at, at + len(written)), advice)


def _told(
    line: TransformLine, form: MacroAssignment, universe: int | None, evaluate: Evaluate
) -> Iterator[Diagnostic]:
    """What is wrong with an assignment that the router looks at."""
    counts, value = _COUNTED.get(form.name.casefold()), form.value
    if counts and value and read_integer(value, evaluate) is None:
        number = UNIVERSES.get(value.casefold().strip('"'))
        advice = None if number is None else Repair(str(number), value, f"it is {number}")
        at = line.text.rfind(value)
        message = f"{form.name}: `{value}` is no number, so it is {counts}"
        yield of_no_use.at(message, *line.spot(at, at + len(value)), advice)
    elif form.name.casefold().startswith("max") and read_integer(value, evaluate) == 0:
        at = line.text.rfind(value)
        message = f"{form.name} is {value}: the route takes no job"
        yield of_no_use.at(message, *line.spot(at, at + len(value)))
    elif form.name.casefold() == "gridresource" and universe not in (None, UNIVERSES["grid"]):
        message = "only a route of the grid universe has a GridResource"
        yield of_no_use.at(message, *line.spot(0, len(form.name)))


#: The types of grids that condor_gridmanager goes to, and the batch systems of its blahp.
_GRIDS: Final = ("arc", "azure", "batch", "condor", "ec2", "gce")
_BATCH: Final = (
    *("condor", "flux", "kubernetes", "local", "lsf", "nqs", "pbs", "sfapi", "sge", "slurm"),
)
_GONE: Final = ("boinc", "cream", "deltacloud", "gt2", "gt4", "gt5", "nordugrid", "unicore")
_RESOURCE: Final = late_regex(
    r"\s*(?:SET\s+|DEFAULT\s+)?GridResource\s*=?\s*\"?(\w+)(?:\s+(\w+))?.*", re.I
)
_NO_POOL: Final = late_regex(
    r"\s*(?:(?:SET|DEFAULT)\s+)?GridResource\s*=?\s*\"?condor\s+([\w.@-]+)\"?\s*", re.I
)


@looks_at(Per.SETTING, of=r"JOB_(ROUTER|TRANSFORM)_\w+")
def no_grid(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``GridResource = "batch slrum"``, ``SET GridResource "cream https://ce.example.org"``."""
    for line, _ in setting.statements if has_body(setting) else ():
        found = _RESOURCE.fullmatch(line.text) if "gridresource" in line.text.casefold() else None
        if found is None:
            continue
        kind, system = found[1].casefold(), (found[2] or "").casefold()
        if alone := _NO_POOL.fullmatch(line.text):
            message = f"`condor` needs a schedd and its pool, and there is only `{alone[1]}`"
            yield of_no_use.at(message, *line.spot(), "jobs are held: `missing pool name`")
        batch = kind == "batch" and system
        word, known = (system, _BATCH) if batch else (kind, _GRIDS)
        near = None if word in (*known, *_BATCH) else suggest(word, known)
        if near is not None or (word in _GONE and not batch):
            part = found.span(2 if batch else 1)
            what = "batch system" if batch else "type of grid"
            message = f"there is no {what} `{line.text[slice(*part)]}`"
            advice = "it is no longer supported" if near is None else Meant(near, word)
            yield of_no_use.at(message, *line.spot(*part), advice)
