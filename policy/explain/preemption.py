"""Says when the negotiator preempts claims: for user priority, and for the startd's RANK.

Follows: the preemption chapter of the manual, corrected by what 25.14.1 does.
"""

from __future__ import annotations

from collections.abc import Iterator

from policy.explain.conclusions import Conclusion, mentions
from policy.explain.execute import startd_settings, varying_ranks
from policy.explain.parts import Teller
from policy.explain.roles import Host
from policy.explain.sentences import Origin, Sentence, Topic
from policy.explain.words import code
from policy.knobs import matching as matching


def about_preemption(topic: Topic, host: Host) -> Iterator[Sentence]:
    """The negotiator's switches of preemption, and what else decides about it."""
    consider = topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
    yield _priority_preemption(topic, consider.boolean())
    requirements = topic.read(matching.PREEMPTION_REQUIREMENTS)
    tree = requirements.expression()
    if consider.boolean() and tree is not None and not _conclusion(topic).settled:
        entry = requirements.definition
        if entry is not None:
            yield from Teller(topic).tell("PREEMPTION_REQUIREMENTS is", entry)
        if not mentions(tree, "RemoteUserPrio") or not mentions(
            tree, "SubmitterUserPrio", "SubmittorPrio"
        ):
            yield topic.sentence(
                "It does not compare the two users' priorities, and nothing else does: a user can"
                " preempt one with a better priority.",
                requirements,
            )
    yield from _rank_preemption(topic, host, consider.boolean())
    if may_preempt(topic):
        early = topic.read(matching.NEGOTIATOR_CONSIDER_EARLY_PREEMPTION)
        if early.boolean():
            text = "Slots whose job still has retirement time are looked at, too."
        else:
            text = "Slots with RetirementTimeRemaining above 0 are left out."
        yield topic.sentence(text, early)
        pslots = topic.read(matching.ALLOW_PSLOT_PREEMPTION)
        if pslots.boolean():
            text = "Several dynamic slots of a partitionable slot may be preempted for one request."
            yield topic.sentence(text, pslots)


def may_preempt(topic: Topic) -> bool:
    """Does the negotiator preempt anybody, for user priority or for RANK?"""
    if not topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION).boolean():
        return False
    found = _conclusion(topic)
    return not found.settled or found.value is True or bool(varying_ranks(topic))


def _conclusion(topic: Topic) -> Conclusion:
    """What PREEMPTION_REQUIREMENTS comes to; where it is set to nothing, to true."""
    tree = topic.read(matching.PREEMPTION_REQUIREMENTS).expression()
    if tree is None:
        return Conclusion(True, True)
    return topic.conclude(matching.PREEMPTION_REQUIREMENTS.name, tree)


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


def _rank_preemption(topic: Topic, host: Host, considered: bool) -> Iterator[Sentence]:
    """The switch of startds that prefer one job to another."""
    what = "Preemption for the startd's RANK is"
    consider = topic.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
    if not considered:
        yield topic.sentence(f"{what} off for the same reason.", consider)
        return
    head = f"{what} on, whatever PREEMPTION_REQUIREMENTS says, where RANK puts the new job above"
    if not host.runs("STARTD"):
        yield topic.sentence(f"{head} the running one; each machine has its own.", consider)
        return
    varying = varying_ranks(topic)
    if not varying:
        settings = startd_settings(topic.config, "RANK")
        places = [origin for setting in settings for origin in setting.origins]
        text = f"{what} off: RANK prefers no job at any startd of this configuration."
        yield topic.sentence(text, *(places or [Origin("RANK")]))
        return
    yield topic.sentence(f"{head} the running one:", consider)
    for setting in varying:
        text = f"{code(setting.text)} at {setting.startds()}"
        yield topic.sentence(text, *setting.origins, depth=1)
