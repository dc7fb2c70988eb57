"""Says which slots, submitters and jobs take part, and in which order candidates are tried.

Follows: the policy chapter of the manual, corrected by what 25.14.1 does.
"""

from __future__ import annotations

from collections.abc import Iterator

from policy.explain.preemption import may_preempt
from policy.explain.sentences import Sentence, Topic, code
from policy.knobs import matching as matching
from policy.knobs.declaration import Knob


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
