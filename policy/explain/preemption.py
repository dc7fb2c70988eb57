"""Says when claims are preempted: for user priority, for RANK, by the startd, and after how long.

Follows: the preemption chapter of the manual, corrected by what 25.14.1 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attr import frozen

from classad.errors import ClassAdParseError
from policy.config import Config
from policy.explain.conclusions import Conclusion, mentions
from policy.explain.sentences import Origin, Sentence, Topic, code, listing, origin_of
from policy.knobs import matching as matching
from policy.knobs.other_daemons import DAEMONS
from policy.language import expressions
from policy.language.macros import ExpansionError

if TYPE_CHECKING:
    from classad.ads.expression import Expression


def about_preemption(topic: Topic) -> Iterator[Sentence]:
    """The four switches of preemption, and what else decides about it."""
    consider = topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
    yield _priority_preemption(topic, consider.boolean())
    requirements = topic.read(matching.PREEMPTION_REQUIREMENTS)
    tree = requirements.expression()
    if consider.boolean() and tree is not None and not _conclusion(topic).settled:
        yield topic.sentence(f"PREEMPTION_REQUIREMENTS is {code(requirements.text)}.", requirements)
        if not mentions(tree, "RemoteUserPrio") or not mentions(
            tree, "SubmitterUserPrio", "SubmittorPrio"
        ):
            yield topic.sentence(
                "It does not compare the two users' priorities, and nothing else does: a user can"
                " preempt one with a better priority.",
                requirements,
            )
    yield from _rank_preemption(topic, consider.boolean())
    yield from _startd_preemption(topic)
    for macro in ("RANK", "PREEMPT"):
        yield from _unparsable(topic, macro)
    if may_preempt(topic):
        yield from _retirement(topic)
        pslots = topic.read(matching.ALLOW_PSLOT_PREEMPTION)
        if pslots.boolean():
            text = "Several dynamic slots of a partitionable slot may be preempted for one request."
            yield topic.sentence(text, pslots)


def may_preempt(topic: Topic) -> bool:
    """Does the negotiator preempt anybody, for user priority or for RANK?"""
    if not topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION).boolean():
        return False
    found = _conclusion(topic)
    return not found.settled or found.value is True or bool(_varying_ranks(topic))


def _conclusion(topic: Topic) -> Conclusion:
    """What PREEMPTION_REQUIREMENTS comes to; where it is set to nothing, to true."""
    tree = topic.read(matching.PREEMPTION_REQUIREMENTS).expression()
    if tree is None:
        return Conclusion(True, True)
    return topic.conclude(matching.PREEMPTION_REQUIREMENTS.name, tree)


def _varying_ranks(topic: Topic) -> list[StartdSetting]:
    """The RANKs that may prefer one job to another."""
    return [
        setting
        for setting in startd_settings(topic.config, "RANK")
        if setting.tree is not None and not topic.conclude("RANK", setting.tree).settled
    ]


def _priority_preemption(topic: Topic, considered: bool) -> Sentence:
    """The first of the four switches, and the second if it is the one that counts."""
    consider = topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
    requirements = topic.read(matching.PREEMPTION_REQUIREMENTS)
    what = "Preemption for user priority is"
    if not considered:
        text = "off: NEGOTIATOR_CONSIDER_PREEMPTION is false, claimed slots are not looked at."
        return topic.sentence(f"{what} {text}", consider)
    tree, found = requirements.expression(), _conclusion(topic)
    if not found.settled:
        text = "on, where PREEMPTION_REQUIREMENTS is exactly true."
    elif found.value is True:
        why = "set to nothing" if tree is None else "always true"
        text = f"on for every slot: PREEMPTION_REQUIREMENTS is {why}, priorities are not compared."
    elif not found.plain:
        text = f"off: PREEMPTION_REQUIREMENTS is {code(requirements.text)}, which is never true."
    else:
        only = "" if found.value is False else ", and only exactly true counts"
        text = f"off: PREEMPTION_REQUIREMENTS is {code(requirements.text)}{only}."
    return topic.sentence(f"{what} {text}", requirements, consider)


def _rank_preemption(topic: Topic, considered: bool) -> Iterator[Sentence]:
    """The third switch: startds that prefer one job to another."""
    what = "Preemption for the startd's RANK is"
    if not considered:
        consider = topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
        yield topic.sentence(f"{what} off for the same reason.", consider)
        return
    settings = startd_settings(topic.config, "RANK")
    varying = _varying_ranks(topic)
    if not varying:
        places = [origin for setting in settings for origin in setting.origins]
        text = f"{what} off: RANK prefers no job at any startd of this configuration."
        yield topic.sentence(text, *(places or [Origin("RANK")]))
        return
    yield topic.sentence(
        f"{what} on, whatever PREEMPTION_REQUIREMENTS says, where RANK puts the new job above the"
        " running one:",
        topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION),
    )
    for setting in varying:
        text = f"{code(setting.text)} at {setting.startds()}"
        yield topic.sentence(text, *setting.origins, depth=1)


def _startd_preemption(topic: Topic) -> Iterator[Sentence]:
    """The fourth switch: what a startd does without the negotiator."""
    settings = startd_settings(topic.config, "PREEMPT")
    active = [
        setting
        for setting in settings
        if setting.tree is not None and not topic.conclude("PREEMPT", setting.tree).is_never_true
    ]
    if not active:
        places = [origin for setting in settings for origin in setting.origins]
        text = "No startd ends jobs of its own accord: PREEMPT is never true."
        yield topic.sentence(text, *(places or [Origin("PREEMPT")]))
    for setting in active:
        text = f"A startd itself ends jobs where PREEMPT is {code(setting.text)}"
        yield topic.sentence(f"{text}: {setting.startds()}", *setting.origins)


def _retirement(topic: Topic) -> Iterator[Sentence]:
    for setting in startd_settings(topic.config, "MAXJOBRETIREMENTTIME"):
        tree = setting.tree
        value = None if tree is None else topic.conclude("MAXJOBRETIREMENTTIME", tree).value
        if isinstance(value, int | float) and value <= 0:
            continue
        text = f"A preempted job may run on until it has had {code(setting.text)} seconds"
        yield topic.sentence(f"{text}: {setting.startds()}", *setting.origins)
    early = topic.read(matching.NEGOTIATOR_CONSIDER_EARLY_PREEMPTION)
    if early.boolean():
        text = "Slots whose job still has retirement time are looked at, too."
    else:
        text = "Slots with RetirementTimeRemaining above 0 are left out."
    yield topic.sentence(text, early)


def _unparsable(topic: Topic, macro: str) -> Iterator[Sentence]:
    for setting in startd_settings(topic.config, macro):
        if setting.tree is None:
            text = f"{macro} is {code(setting.text)} at {setting.startds()}"
            yield topic.sentence(f"{text}: that is no expression.", *setting.origins)


# --- what the startds have ------------------------------------------------------------------------


@frozen
class StartdSetting:
    """A value of a macro: expanded text, where it is set, ``tree`` if it is an expression."""

    text: str
    origins: tuple[Origin, ...]
    tree: Expression | None

    def startds(self) -> str:
        """The startds that have it, by local name."""
        return listing(startd_of(origin) for origin in self.origins)


def startd_settings(config: Config, macro: str) -> list[StartdSetting]:
    """The values that a macro has at the startds.

    A definition with a local name counts for the startd of that name.
    """
    found: dict[str, list[Origin]] = {}
    for entry in config.scope.table:
        *prefixes, name = entry.name.split(".")
        known = [p for p in prefixes if p.casefold() != "startd"]
        if name.casefold() != macro.casefold() or len(prefixes) > 1:
            continue  # nobody reads a name with two prefixes
        if any(prefix.upper() in DAEMONS for prefix in known):
            continue
        try:
            text = config.seen_by("STARTD", known[0] if known else None).expand(entry).text
        except ExpansionError:
            text = entry.raw
        found.setdefault(text, []).append(origin_of(macro, entry))
    return [
        StartdSetting(text, tuple(origins), _parsed(text))
        for text, origins in found.items()
        if text
    ]


def _parsed(text: str) -> Expression | None:
    try:
        return expressions.parse(text)
    except ClassAdParseError:
        return None


def startd_of(origin: Origin) -> str:
    """Which startds a definition is for."""
    names = [part for part in origin.knob.split(".")[:-1] if part.casefold() != "startd"]
    return names[0] if names else "every startd"
