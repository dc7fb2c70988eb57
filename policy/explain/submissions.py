"""Says what an access point does with jobs: at submission, while they wait, on their way elsewhere.

Inputs: topics.  Outputs: sentences.  Follows: the manual; what the schedd asks of jobs,
``policy.transforms``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.evaluate import EvalContext
from policy.config import Config
from policy.explain.parts import Teller
from policy.explain.roles import Host
from policy.explain.sentences import Origin, Sentence, Topic, origin_of
from policy.explain.words import code, listing
from policy.knobs.lists import SUBMIT_LISTS
from policy.language.expressions import is_expression, parse
from policy.language.table import Definition
from policy.publishing import text_of
from policy.transforms import acceptance
from policy.transforms import submission as schedd
from policy.transforms.acceptance import read_requirements
from policy.transforms.checking import statements
from policy.transforms.lines import ROUTE_NAMES, Command
from policy.transforms.reach import too_late
from policy.transforms.routes import Route, read_routes
from policy.transforms.rules import Rules, argument
from policy.transforms.submission import read_transforms
from policy.transforms.transforms import split_names
from policy.universes import universe_name

_SETTING = ("SET", "DEFAULT", "EVALSET", "DELETE")


def about_access(topic: Topic, host: Host) -> Iterator[Sentence]:
    """What a job meets at the access point, in the order of its life."""
    if host.runs("SCHEDD"):
        seen = topic.reread(topic.config.seen_by("SCHEDD"))
        yield from _submission(seen.titled("What is changed or refused at submission"))
        yield from _limits(seen.titled("Limits of the access point"))
        yield from _policy(seen.titled("When jobs are held, released and removed"))
    routed = topic.config.seen_by("JOB_ROUTER")
    listed = origin_of(ROUTE_NAMES, routed.lookup(ROUTE_NAMES))
    if host.runs("JOB_ROUTER") and listed.file is not None:
        yield from _about_routes(topic.titled("Routes"), routed, listed)
    if host.runs("SCHEDD"):
        yield from _flocking(topic.titled("Flocking"))


def _submission(topic: Topic) -> Iterator[Sentence]:
    """What condor_submit adds, what the schedd transforms and asks for."""
    config = topic.config
    added = [
        (macro, entry)
        for macro in _ADDED
        if (entry := config.lookup(macro)) is not None and text_of(config, entry).strip()
    ]
    for macro, entry in added:
        yield from Teller(topic).tell(f"condor_submit {_ADDED[macro]}", entry)
    transforms = read_transforms(config, config.version)
    listed = origin_of(schedd.NAMES, config.lookup(schedd.NAMES))
    if transforms.rules and listed.file is not None:
        yield topic.sentence("condor_schedd transforms new jobs, in this order:", listed)
        for rules in transforms.rules:
            yield topic.sentence(_transform(rules), _place(rules), depth=1)
    requirements, _ = read_requirements(config)
    if requirements:
        names = config.lookup(acceptance.NAMES)
        yield topic.sentence("It refuses a job of which one of these is not true:",
                             origin_of(acceptance.NAMES, names))  # fmt: skip
    teller = Teller(topic)
    for one in requirements:
        warns = ", of which it only warns" if one.is_warning else ""
        reason = config.lookup(f"{one.definition.name}_REASON")
        end = "." if reason is None else ","
        yield from teller.tell(f"{one.name}{warns}:", one.definition, depth=1, end=end)
        if reason is not None:
            yield from teller.tell("and says", reason, depth=2)
    if not requirements:
        yield topic.sentence("It refuses no job by a requirement.", Origin(acceptance.NAMES))


#: What condor_submit does with macros of the access point.
_ADDED: Final = {
    **dict.fromkeys(SUBMIT_LISTS, "adds to each job the attributes"),
    "JOB_DEFAULT_REQUESTCPUS": "gives a job without request_cpus",
    "JOB_DEFAULT_REQUESTMEMORY": "gives a job without request_memory, in MiB,",
    "JOB_DEFAULT_REQUESTDISK": "gives a job without request_disk, in KiB,",
    "APPEND_REQUIREMENTS": "adds to the Requirements of each job",
    "APPEND_REQ_VANILLA": "adds to the Requirements of vanilla jobs",
}
_LIMITS: Final = (
    ("MAX_JOBS_RUNNING", "At most {} jobs run at a time, of all users."),
    ("MAX_JOBS_SUBMITTED", "At most {} jobs are in the queue."),
    ("MAX_JOBS_PER_OWNER", "At most {} jobs of one user are in the queue."),
    ("MAX_JOBS_PER_SUBMISSION", "A submission has at most {} jobs."),
    ("MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER", "At most {} scheduler jobs of one user run."),
    ("MAX_CONCURRENT_UPLOADS", "At most {} jobs transfer their input at a time."),
    ("MAX_CONCURRENT_DOWNLOADS", "At most {} jobs transfer their output at a time."),
)
#: The default of a limit that is none.
_MOST: Final = str(2**31 - 1)
_ON_IT: Final = (("START_LOCAL_UNIVERSE", "local"), ("START_SCHEDULER_UNIVERSE", "scheduler"))
_ENDS: Final = (
    ("HOLD", "holds jobs"),
    ("RELEASE", "releases held jobs"),
    ("REMOVE", "removes jobs"),
    ("VACATE", "makes running jobs leave their slots"),
)


def _limits(topic: Topic) -> Iterator[Sentence]:
    for macro, text in _LIMITS:
        entry = topic.config.lookup(macro)
        if entry is not None and (value := text_of(topic.config, entry).strip()):
            # A default by the machine's memory says nothing of another machine.
            if value == _MOST:
                continue
            value = entry.raw if topic.config.is_assumed(entry) else value
            if macro.startswith("MAX_JOBS_") and value.startswith("-"):
                value = "0"  # as the schedd takes it
            shown = value if value.isdecimal() else code(value)
            if value == "0" and macro.startswith("MAX_CONCURRENT_"):
                text = text.replace("At most {}", "Any number of")
            yield topic.sentence(text.format(shown), origin_of(macro, entry))
    for macro, universe in _ON_IT:
        entry = topic.config.lookup(macro)
        if entry is not None:
            lead = f"A {universe} job starts on the access point where {macro} is"
            yield from Teller(topic).tell(lead, entry)


def _policy(topic: Topic) -> Iterator[Sentence]:
    """SYSTEM_PERIODIC_HOLD and its like, those with names included."""
    config, teller = topic.config, Teller(topic)
    some = False
    for verb, what in _ENDS:
        head = f"SYSTEM_PERIODIC_{verb}"
        names = split_names(config.text(f"{head}_NAMES") or "")
        for macro in (head, *(f"{head}_{name}" for name in names)):
            entry = config.lookup(macro)
            text = "" if entry is None else teller.expanded(entry)
            if entry is None or not text or _never(topic, macro, text):
                continue
            some = True
            if not is_expression(text):
                said = f"{macro} is {code(text)}, which is no expression."
                yield topic.sentence(said, origin_of(macro, entry))
                continue
            reason = config.lookup(f"{macro}_REASON")
            has_reason = bool(text_of(config, reason).strip())
            end = "," if has_reason else "."
            yield from teller.tell(f"condor_schedd {what} where {macro} is", entry, end=end)
            if reason is not None and has_reason:
                yield from _reason(topic, teller, reason)
    if not some:
        text = "condor_schedd holds, releases and removes no job of its own accord."
        yield topic.sentence(text, Origin("SYSTEM_PERIODIC_HOLD"))
        return
    every = config.lookup("PERIODIC_EXPR_INTERVAL")
    if every is not None:
        text = f"It looks at all jobs every {text_of(config, every)} seconds, or less often."
        yield topic.sentence(text, origin_of(every.name, every))


def _reason(topic: Topic, teller: Teller, entry: Definition) -> Iterator[Sentence]:
    """The reason that a job on hold is given, if it is one."""
    text = teller.expanded(entry)
    if is_expression(text):
        yield from teller.tell("for the reason", entry, depth=1)
    else:
        said = f"for a reason that is no expression: {code(text)}."
        yield topic.sentence(said, origin_of(entry.name, entry), depth=1)


def _never(topic: Topic, macro: str, text: str) -> bool:
    return is_expression(text) and topic.conclude(macro, parse(text)).is_never_true


def _flocking(topic: Topic) -> Iterator[Sentence]:
    entry = topic.config.seen_by("SCHEDD").lookup("FLOCK_TO")
    pools = "" if entry is None else text_of(topic.config, entry).strip()
    if entry is None or not pools:
        yield topic.sentence("Jobs stay in this pool: FLOCK_TO is not set.", Origin("FLOCK_TO"))
        return
    names = split_names(pools)
    order = ", in this order" if len(names) > 1 else ""
    text = f"Jobs that find no slot here go to {listing(names)}{order}."
    yield topic.sentence(text, origin_of("FLOCK_TO", entry))


def _about_routes(topic: Topic, config: Config, listed: Origin) -> Iterator[Sentence]:
    table = read_routes(config, EvalContext(), config.version)
    names = split_names(config.text(listed.knob) or "")
    usable = {route.name.casefold() for route in table.routes}
    ignored = [name for name in names if name.casefold() not in usable]
    if not table.routes:
        text = f"condor_job_router routes no job: it can use none of {listing(ignored)}."
        yield topic.sentence(text if ignored else "condor_job_router has no route.", listed)
        return
    which = "the next in turn" if table.round_robin else "the first"
    head = f"condor_job_router gives a job {which} of these routes that takes it:"
    yield topic.sentence(head, listed)
    for route in table.routes:
        yield topic.sentence(_route(route), _place(route.rules), depth=1)
    if ignored:
        yield topic.sentence(f"It cannot use {listing(ignored)}.", listed)
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
