"""Explains a whole policy in sentences.

Inputs: a ``Config`` and the ``PolicyLoad`` made from it; for numbers of a pool, the effective
quotas in it.  Outputs: ``Sentence`` values in reading order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from attr import evolve

from classad.errors import ClassAdParseError
from classad.patterns import late_regex
from classad.syntax.nodes import Reference, walk
from policy.attributes import DATE, Attribute, Availability, find_attribute
from policy.config import Config
from policy.ephemeral import Presence, find_ephemeral
from policy.explain.conclusions import published
from policy.explain.execute import about_draining, about_execute, startd_settings
from policy.explain.preemption import about_preemption, may_preempt
from policy.explain.roles import Host, readers_of
from policy.explain.sentences import Origin, Sentence, Topic, origin_of
from policy.explain.shares import about_groups, about_limits, about_priorities
from policy.explain.submissions import about_access
from policy.explain.words import code, listing
from policy.knobs import find_knob
from policy.knobs import matching as matching
from policy.knobs.declaration import Knob, Use, Wanted
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import find_readers
from policy.knobs.reading import split_list
from policy.knobs.uses import find_use
from policy.language.about import about
from policy.language.expressions import parse
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean
from policy.language.table import Definition
from policy.load import PolicyLoad, ended_by, ends_daemon, load_policy
from policy.model import EffectiveQuotas
from policy.publishing import text_of


def explain_policy(
    config: Config, loaded: PolicyLoad, quotas: EffectiveQuotas | None = None, *, host: Host
) -> tuple[Sentence, ...]:
    """Everything there is to say about a policy to those whose daemons run on a host: by the roles
    of the host, in the order of a job's life; roles of which the files decide nothing come last."""
    topic = Topic(config, "")
    central = host.runs("NEGOTIATOR")
    roles = [
        tuple(about_access(topic, host)),
        tuple(_about_center(topic, loaded, quotas, host)) if central else (),
        tuple(_about_machine(topic, host, central=central)),
    ]
    return (
        *(_about_start(loaded) if central else ()),
        *chain.from_iterable(sorted(roles, key=lambda told: not only_set(told))),
        *about_others(topic.titled("Other expressions"), host),
        *(_about_unsupported(loaded) if central else ()),
    )


def _about_center(
    topic: Topic, loaded: PolicyLoad, quotas: EffectiveQuotas | None, host: Host
) -> Iterator[Sentence]:
    """Who gets how much, who is preempted, which slot a job gets."""
    yield from _about_standby(topic.titled("High availability"), host)
    yield from about_groups(topic.config, loaded.policy, quotas)
    yield from about_priorities(topic.titled("Priorities and shares"))
    yield from about_limits(topic.titled("Concurrency limits"), loaded.policy)
    yield from about_preemption(topic.titled("Preemption"), host)
    yield from about_ranks(topic.titled("Order of the candidates, the first difference decides"))
    yield from about_selection(topic.titled("What takes part"))
    if not host.runs("STARTD"):
        yield from _drains(topic, host)
    attributes = topic.titled("Attributes that the expressions look at")
    yield from about_attributes(attributes, preempting=may_preempt(topic))


def _about_standby(topic: Topic, host: Host) -> Iterator[Sentence]:
    """Which hosts may have the negotiator, and whether the next one knows the priorities."""
    config = topic.config.seen_by("HAD")
    listed = config.lookup("HAD_LIST")
    names = [item.partition(":")[0] for item in split_list(text_of(config, listed))]
    if listed is None or not names or not host.runs("HAD"):
        return

    def is_on(macro: str) -> bool:
        text = text_of(config, config.lookup(macro))
        return read_boolean(text, config.scope.functions.evaluate) is True

    def origin(macro: str) -> Origin:
        return origin_of(macro, config.lookup(macro))

    text = f"condor_had lets one of its hosts at a time run condor_negotiator: {listing(names)}"
    prefers = "the first is preferred" if is_on("HAD_USE_PRIMARY") else "none is preferred"
    yield topic.sentence(f"{text}; {prefers}.", origin("HAD_LIST"), origin("HAD_USE_PRIMARY"))
    copies = "Usage and priorities stay where they were reckoned: they are not copied between them."
    if is_on("HAD_USE_REPLICATION"):
        every = text_of(config, config.lookup("REPLICATION_INTERVAL"))
        copies = f"condor_replication copies usage and priorities between them, every {code(every)}"
        copies += " seconds."
    yield topic.sentence(copies, origin("HAD_USE_REPLICATION"))


def _about_machine(topic: Topic, host: Host, *, central: bool) -> Iterator[Sentence]:
    """What the startd does; where there is none, what condor_defrag does that stands alone."""
    if host.runs("STARTD"):
        yield from about_execute(topic, host)
    elif not central:
        yield from _drains(topic, host)


def _drains(topic: Topic, host: Host) -> Iterator[Sentence]:
    if host.runs("DEFRAG"):
        yield from about_draining(topic.titled("Draining and defragmentation"), host)


def explain_others(config: Config, first: Iterable[Sentence]) -> Iterator[Sentence]:
    """What other negotiators, which local names tell apart, do otherwise than the first."""
    same = {(sentence.topic, sentence.text) for sentence in first}
    for local in local_names(config):
        seen = config.seen_by("NEGOTIATOR", local)
        for sentence in explain_policy(seen, load_policy(seen, local_name=local), host=_ONE):
            if (sentence.topic, sentence.text) not in same:
                yield evolve(sentence, topic=f"Negotiator {local}: {sentence.topic}")


#: The part of a host that another negotiator is.
_ONE: Final = Host(("NEGOTIATOR",))


def local_names(config: Config) -> list[str]:
    """The local names of negotiators that knobs have as prefixes."""
    found: dict[str, None] = {}
    for entry in config.scope.table:
        prefix, _, macro = entry.name.partition(".")
        knob = find_knob(macro) if macro and find_knob(entry.name) is None else None
        own = prefix.casefold() == (config.context.local_name or "").casefold()
        if knob is not None and knob.read_by == "NEGOTIATOR" and prefix.upper() not in DAEMONS:
            found.update({} if own else {prefix: None})
    return list(found)


def only_set(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences that files have a part in, with those that introduce them."""
    kept: list[Sentence] = []
    heads: list[Sentence] = []
    for sentence in sentences:
        heads = [
            head for head in heads if head.topic == sentence.topic and head.depth < sentence.depth
        ]
        if any(origin.file is not None for origin in sentence.origins):
            kept += [head for head in heads if head not in kept]
            kept.append(sentence)
        heads.append(sentence)
    return kept


def _about_start(loaded: PolicyLoad) -> Iterator[Sentence]:
    for found in loaded.diagnostics:
        if found.severity != "error":
            continue
        file = found.source.name if found.source is not None else None
        origin = Origin(about(found).macro, file, found.line)
        daemon = f"condor_{ended_by(found).lower()}"
        text = f"{daemon} does not start with this; what follows uses the default"
        if not ends_daemon(found):
            text = f"{daemon} ignores the text from here on, and so does what follows"
        yield Sentence("Start", f"{text}: {found.message}", (origin,))


def _about_unsupported(loaded: PolicyLoad) -> Iterator[Sentence]:
    for setting in loaded.unsupported:
        yield Sentence(
            "Not honoured by pieslice negotiate",
            f"{setting.macro} is {code(setting.text)}: {setting.reason}.",
            (origin_of(setting.macro, setting.definition),),
        )


# --- candidates and who takes part ----------------------------------------------------------------


def about_ranks(topic: Topic) -> Iterator[Sentence]:
    """The five keys in the order in which they decide."""
    ignore = topic.read(matching.NEGOTIATOR_IGNORE_JOB_RANKS)
    yield _rank(topic, 1, matching.NEGOTIATOR_PRE_JOB_RANK)
    if ignore.boolean():
        yield topic.sentence(
            "2. nothing: NEGOTIATOR_IGNORE_JOB_RANKS is true, Rank does not count", ignore
        )
    else:
        yield topic.sentence("2. the job's own Rank, greatest first")
    yield _rank(topic, 3, matching.NEGOTIATOR_POST_JOB_RANK)
    if not may_preempt(topic):
        return  # what follows decides between slots that somebody uses
    yield topic.sentence(
        "4. slots that nobody is preempted from, then preemption for RANK, then for user priority"
    )
    if ignore.boolean():
        yield topic.sentence("5. nothing: PREEMPTION_RANK does not count either", ignore)
    else:
        yield _rank(topic, 5, matching.PREEMPTION_RANK)


def _rank(topic: Topic, number: int, knob: Knob) -> Sentence:
    reading = topic.read(knob)
    tree = reading.expression()
    if tree is None:
        return topic.sentence(f"{number}. nothing: {knob.name} is empty", reading)
    found = topic.conclude(knob.name, tree)
    if found.settled:
        value = "" if found.plain else f", which is always {found.value}"
        text = f"{number}. nothing: {knob.name} is {code(reading.text)} for all{value}"
        return topic.sentence(text, reading)
    return topic.sentence(f"{number}. {knob.name}, greatest first: {code(reading.text)}", reading)


def about_selection(topic: Topic) -> Iterator[Sentence]:
    """The constraints on slots, submitters and jobs, and what a slot weighs."""
    for knob, what in (
        (matching.NEGOTIATOR_SLOT_CONSTRAINT, "Only slots that fulfil {} exist"),
        (matching.NEGOTIATOR_SUBMITTER_CONSTRAINT, "Only submitters that fulfil {} exist"),
        (matching.NEGOTIATOR_JOB_CONSTRAINT, "Only jobs that fulfil {} are offered"),
    ):
        reading = topic.read(knob)
        tree = reading.expression()
        found = None if tree is None else topic.conclude(knob.name, tree)
        if found is not None and not found.is_true:
            none = ": there are none, it is never true" if found.is_never_true else ""
            yield topic.sentence(f"{what.format(code(reading.text))}{none}.", reading)
    weights = topic.read(matching.NEGOTIATOR_USE_SLOT_WEIGHTS)
    if not weights.boolean():
        yield topic.sentence("Every slot counts one.", weights)
        return
    weight = topic.read(matching.SLOT_WEIGHT)
    force = topic.read(matching.FORCE_NEGOTIATOR_SLOT_WEIGHT)
    if force.boolean():
        yield topic.sentence(f"Every slot counts {code(weight.text)}.", force, weight)
    else:
        text = "A slot counts its own SlotWeight"
        yield topic.sentence(f"{text}, one without it {code(weight.text)}.", weights, weight)


# --- attributes -----------------------------------------------------------------------------------

#: The negotiator's expressions in which attributes of slots and jobs stand.
_KNOBS: Final = (
    matching.PREEMPTION_REQUIREMENTS,
    matching.NEGOTIATOR_PRE_JOB_RANK,
    matching.NEGOTIATOR_POST_JOB_RANK,
    matching.PREEMPTION_RANK,
    matching.NEGOTIATOR_SLOT_CONSTRAINT,
    matching.NEGOTIATOR_JOB_CONSTRAINT,
)
_OF_PREEMPTION: Final = ("PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK")
_STARTDS: Final = ("RANK", "PREEMPT")
_SCOPES: Final = ("my", "target", "parent")
_OWNERS: Final = {"slot": "slots", "job": "jobs"}
_UNITS: Final[Mapping[str, str]] = {
    DATE: "a point in time, in seconds since 1970",
    "s": "in seconds",
    "min": "in minutes",
    "B": "in bytes",
    "%": "in percent",
    "cpus": "a number of cores",
    "GPUs": "a number of GPUs",
    "jobs": "a number of jobs",
}
#: Units that say no more than the name.
_OWN_UNITS: Final = ("", "priority", "rank", "job priority")
#: When an attribute is there that tells of the slot's user.
_WITH_USERS: Final = (Presence.PREEMPTION, Presence.PREEMPTION_GROUPS)
#: More values than these are not listed.
_MOST_VALUES: Final = 8


def about_attributes(topic: Topic, *, preempting: bool) -> Iterator[Sentence]:
    """One sentence for each of HTCondor's own attributes that the files name where it matters, in
    alphabetical order."""
    own = published(topic.config)
    named = _named_attributes(topic, preempting)
    for folded, (name, origins) in sorted(named.items()):
        if folded in own or all(origin.file is None for origin in origins):
            continue
        meaning = _meaning_of(name)
        if meaning:
            yield topic.sentence(f"{name}: {meaning}", *origins)


def _named_attributes(topic: Topic, preempting: bool) -> dict[str, tuple[str, list[Origin]]]:
    """Every attribute in an expression that counts, with where that is set."""
    found: dict[str, tuple[str, list[Origin]]] = {}

    def add(node: object, origins: list[Origin]) -> None:
        if isinstance(node, Reference) and node.name.casefold() not in _SCOPES:
            places = found.setdefault(node.name.casefold(), (node.name, []))[1]
            places.extend(origin for origin in origins if origin not in places)

    for knob in _KNOBS:
        if knob.name in _OF_PREEMPTION and not preempting:
            continue
        reading = topic.read(knob)
        tree = reading.expression()
        if tree is not None and not topic.conclude(knob.name, tree).settled:
            for node in walk(tree.node):
                add(node, [origin_of(reading.macro, reading.definition)])
    for macro in _STARTDS:
        for setting in startd_settings(topic.config, macro):
            if setting.tree is None or topic.conclude(macro, setting.tree).settled:
                continue
            for node in walk(setting.tree.node):
                add(node, list(setting.origins))
    return found


def _meaning_of(name: str) -> str:
    """What is known of an attribute beyond which ad has it; empty if nothing is."""
    added, row = find_ephemeral(name), find_attribute(name)
    if added is not None and (added.presence is not Presence.CLAIM or row is None):
        unit = "" if added.unit in _OWN_UNITS else f", in {added.unit}"
        free = "; undefined for free slots" if added.presence in _WITH_USERS else ""
        return f"{added.doc[0].lower()}{added.doc[1:]}{unit}{free}"
    facts = [] if row is None else list(_facts(row))
    owners = [word for kind, word in _OWNERS.items() if row is not None and kind in row.ads]
    return "; ".join([f"of {listing(owners)}", *facts]) if facts and owners else ""


def _facts(row: Attribute) -> Iterator[str]:
    if row.unit and row.unit not in _OWN_UNITS:
        yield _UNITS.get(row.unit, f"in {row.unit}")
    if 0 < len(row.values) <= _MOST_VALUES:
        yield f"one of {listing(row.values)}"
    moments = {moment for kind, moment in row.ads.items() if kind in _OWNERS}
    if moments == {Availability.CLAIMED}:
        yield "undefined for free slots"
    elif moments == {Availability.SOMETIMES} and row.name != "CurrentTime":
        yield "some do not have it"


# --- expressions of other daemons -----------------------------------------------------------------

#: What the other topics tell.
_TOLD: Final = late_regex(
    r"(SLOT_TYPE_\d+_)?(RANK|PREEMPT|SUSPEND|CONTINUE|KILL|START|IS_OWNER|WANT_(HOLD|SUSPEND|VACATE)"
    r"|WANT_HOLD_(REASON|SUBCODE)|MAXJOBRETIREMENTTIME|MACHINEMAXVACATETIME|SLOT_WEIGHT)|CLAIM_WORKLIFE"
    r"|MODIFY_REQUEST_\w+"
    r"|SYSTEM_PERIODIC_\w+|SUBMIT_REQUIREMENT_\w+|START_(LOCAL|SCHEDULER)_UNIVERSE"
    r"|JOB_DEFAULT_REQUEST(CPUS|MEMORY|DISK)|APPEND_REQ(UIREMENTS|_VANILLA)|DEFRAG_\w+",
    re.IGNORECASE,
)


def about_others(topic: Topic, host: Host) -> Iterator[Sentence]:
    """Each macro with the daemon that evaluates it and when, and its values with their places."""
    found: dict[str, tuple[Use, dict[str, list[Origin]]]] = {}
    for entry in topic.config.scope.table:
        bare = entry.name.partition(".")[2]  # without the name of a daemon, or a local one
        macro = bare if find_use(bare) else entry.name
        use, knob = find_use(macro), find_knob(macro)
        ours = knob is not None and knob.read_by == "NEGOTIATOR"
        if use is None or entry.is_builtin or ours or _TOLD.fullmatch(macro):
            continue
        if not host.reads(macro):
            continue
        text = _text(topic, entry)
        if text:
            places = found.setdefault(macro, (use, {}))[1].setdefault(text, [])
            places.append(origin_of(macro, entry))
    for macro, (use, texts) in found.items():
        reader = _reader(macro).lower()
        head = f"condor_{reader} evaluates {macro} {use.moment}:"
        if len(texts) == 1:
            [(text, origins)] = texts.items()
            yield topic.sentence(f"{head} {_value(topic, macro, text, use)}", *origins)
            continue
        yield topic.sentence(head)
        for text, origins in texts.items():
            yield topic.sentence(_value(topic, macro, text, use), *origins, depth=1)


def _reader(macro: str) -> str:
    """The program that evaluates a macro's expression."""
    known = find_readers(macro)
    if known is not None and len(known.daemons) == 1:
        return next(iter(known.daemons))
    return min(readers_of(macro) or {"STARTD"})


def _text(topic: Topic, entry: Definition) -> str:
    try:
        return topic.config.expand(entry).text.strip()
    except ExpansionError:
        return entry.raw


def _value(topic: Topic, macro: str, text: str, use: Use) -> str:
    said = code(text)
    try:
        found = topic.conclude(macro, parse(text))
    except ClassAdParseError:
        return f"{said}, which is no expression"
    if found.plain or not found.settled or use.wanted is Wanted.ANY:
        return said
    if use.wanted is Wanted.NUMBER:
        return f"{said}, which is always {found.value:g}"
    return f"{said}, which is {'always' if found.is_true else 'never'} true"
