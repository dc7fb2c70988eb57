"""Says what job transforms and routes there are, in the order in which they are tried.

Inputs: a topic.  Outputs: sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

from classad.evaluate import EvalContext
from policy.config import Config
from policy.explain.sentences import Origin, Sentence, Topic, code, origin_of
from policy.transforms import routes as router
from policy.transforms import submission as schedd
from policy.transforms.checking import statements
from policy.transforms.lines import Command
from policy.transforms.reach import too_late
from policy.transforms.routes import Route, read_routes
from policy.transforms.rules import Rules, argument
from policy.transforms.submission import read_transforms
from policy.universes import universe_name

_SETTING = ("SET", "DEFAULT", "EVALSET", "DELETE")


def about_transforms(topic: Topic) -> Iterator[Sentence]:
    """The transforms of the schedd, and the routes of the job router."""
    config = topic.config
    seen = config.seen_by("SCHEDD")
    transforms = read_transforms(seen, config.version)
    listed = origin_of(schedd.NAMES, seen.lookup(schedd.NAMES))
    if transforms.rules and listed.file is not None:
        yield topic.sentence("condor_schedd transforms new jobs, in this order:", listed)
        for rules in transforms.rules:
            yield topic.sentence(_transform(rules), _place(rules), depth=1)
    seen = config.seen_by("JOB_ROUTER")
    listed = origin_of(router.NAMES, seen.lookup(router.NAMES))
    if listed.file is not None:
        yield from _about_routes(topic, seen, listed)


def _about_routes(topic: Topic, config: Config, listed: Origin) -> Iterator[Sentence]:
    table = read_routes(config, EvalContext(), config.version)
    if not table.routes:
        yield topic.sentence("condor_job_router has no route", listed)
        return
    which = "the next in turn" if table.round_robin else "the first"
    head = f"condor_job_router gives a job {which} of these routes that takes it:"
    yield topic.sentence(head, listed)
    for route in table.routes:
        yield topic.sentence(_route(route), _place(route.rules), depth=1)
    for late in too_late(table):
        yield topic.sentence(late.sentence(), listed)


def _place(rules: Rules) -> Origin:
    return origin_of(rules.name, rules.definition)


def _transform(rules: Rules) -> str:
    asked = rules.requirements
    which = "all jobs" if asked is None else f"jobs with {code(argument(asked))}"
    names: dict[str, str] = {}
    for _, form in statements(rules):
        if isinstance(form, Command) and form.keyword in _SETTING and form.pattern is None:
            names.setdefault(form.first.casefold(), form.first)
        elif isinstance(form, Command) and form.keyword in ("COPY", "RENAME"):
            name = form.rest if form.pattern is None else f"what {form.first} matches"
            names.setdefault(name.casefold(), name)
    changed = f"; it changes {', '.join(names.values())}" if names else ""
    return f"{rules.name}: {which}{changed}"


def _route(route: Route) -> str:
    requirements = route.rules.requirements
    which = "every job" if requirements is None else f"jobs with {code(argument(requirements))}"
    universe = universe_name(route.universe)
    to = f"{universe}, {route.grid_resource}" if route.grid_resource else universe
    return f"{route.name}: {which}; {to}; {route.limits()}"
