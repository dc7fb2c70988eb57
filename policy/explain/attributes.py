"""Says what the attributes mean that the expressions of a policy name: unit, values, when there.

Follows: the table of attributes, and what the negotiator adds while it matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from classad.syntax.nodes import Reference, walk
from policy.attributes import DATE, Attribute, Moment, find_attribute
from policy.ephemeral import Presence, find_ephemeral
from policy.explain.conclusions import published
from policy.explain.sentences import Origin, Sentence, Topic, listing, origin_of
from policy.explain.startds import startd_settings
from policy.knobs import matching as matching

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
    named = _named(topic, preempting)
    for folded, (name, origins) in sorted(named.items()):
        if folded in own or all(origin.file is None for origin in origins):
            continue
        meaning = _meaning(name)
        if meaning:
            yield topic.sentence(f"{name}: {meaning}", *origins)


def _named(topic: Topic, preempting: bool) -> dict[str, tuple[str, list[Origin]]]:
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


def _meaning(name: str) -> str:
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
    if moments == {Moment.CLAIMED}:
        yield "undefined for free slots"
    elif moments == {Moment.SOMETIMES} and row.name != "CurrentTime":
        yield "some do not have it"
