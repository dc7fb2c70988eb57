"""Says which expressions the files set for other daemons, and what they come to.

Follows: who reads each macro, and when, as ``policy.knobs`` knows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import ClassAdParseError
from policy.explain.sentences import Origin, Sentence, Topic, code, origin_of
from policy.knobs import find_knob
from policy.knobs.declaration import Wanted
from policy.knobs.other_daemons import OTHER_KNOBS
from policy.knobs.readers import find_readers
from policy.knobs.uses import Evaluated, find_use
from policy.language.expressions import parse
from policy.language.macros import ExpansionError
from policy.language.table import Definition

#: What the other topics tell.
_TOLD: Final = frozenset(("rank", "preempt", "slot_weight", "maxjobretirementtime"))
#: Readers by the beginning of a name, where no daemon reads it at its start.
_BY_NAME: Final = (
    ("SYSTEM_PERIODIC_", "SCHEDD"),
    ("SUBMIT_REQUIREMENT_", "SCHEDD"),
    ("DEFRAG_", "DEFRAG"),
    ("ROOSTER_", "ROOSTER"),
    ("JOB_ROUTER_", "JOB_ROUTER"),
    ("APPEND_", "SUBMIT"),
    ("DEFAULT_RANK", "SUBMIT"),
    ("JOB_DEFAULT_", "SUBMIT"),
)


def about_others(topic: Topic) -> Iterator[Sentence]:
    """Each macro with the daemon that evaluates it and when, and its values with their places."""
    found: dict[str, tuple[Evaluated, dict[str, list[Origin]]]] = {}
    for entry in topic.config.scope.table:
        macro = _macro(entry)
        how, knob = find_use(macro), find_knob(macro)
        ours = knob is not None and knob.read_by == "NEGOTIATOR"
        if how is None or entry.is_builtin or ours or macro.casefold() in _TOLD:
            continue
        text = _text(topic, entry)
        if text:
            places = found.setdefault(macro, (how, {}))[1].setdefault(text, [])
            places.append(origin_of(macro, entry))
    for macro, (how, texts) in found.items():
        head = f"{_reader(macro)} evaluates {macro} {how.moment}:"
        if len(texts) == 1:
            [(text, origins)] = texts.items()
            yield topic.sentence(f"{head} {_value(topic, macro, text, how)}", *origins)
            continue
        yield topic.sentence(head)
        for text, origins in texts.items():
            yield topic.sentence(_value(topic, macro, text, how), *origins, depth=1)


def _macro(entry: Definition) -> str:
    """The macro without the name of a daemon, or a local one, before it."""
    macro = entry.name.partition(".")[2]
    return macro if find_use(macro) else entry.name


def _text(topic: Topic, entry: Definition) -> str:
    try:
        return topic.config.expand(entry).text.strip()
    except ExpansionError:
        return entry.raw


def _value(topic: Topic, macro: str, text: str, how: Evaluated) -> str:
    said = code(text)
    try:
        found = topic.conclude(macro, parse(text))
    except ClassAdParseError:
        return f"{said}, which is no expression"
    if found.plain or not found.settled or how.use.wanted is Wanted.ANY:
        return said
    if how.use.wanted is Wanted.NUMBER:
        return f"{said}, which is always {found.value:g}"
    return f"{said}, which is {'always' if found.is_true else 'never'} true"


def _reader(macro: str) -> str:
    knob = OTHER_KNOBS.get(macro.casefold())
    readers = find_readers(macro)
    for begin, daemon in _BY_NAME:
        if macro.upper().startswith(begin):
            return f"condor_{daemon.lower()}"
    if knob is not None:
        return f"condor_{knob.read_by.lower()}"
    if readers is not None and len(readers.daemons) == 1:
        return f"condor_{next(iter(readers.daemons)).lower()}"
    return "condor_startd"
