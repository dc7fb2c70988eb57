"""Explains a whole policy in sentences.

Inputs: a ``Config`` and the ``PolicyLoad`` made from it; for numbers of a pool, the effective
quotas in it.  Outputs: ``Sentence`` values in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attr import evolve

from policy.config import Config
from policy.explain.attributes import about_attributes
from policy.explain.candidates import about_ranks, about_selection
from policy.explain.elsewhere import about_others
from policy.explain.preemption import about_preemption, may_preempt
from policy.explain.sentences import Origin, Sentence, Topic, code, origin_of
from policy.explain.shares import about_groups, about_limits, about_priorities
from policy.groups import EffectiveQuotas
from policy.knobs import find_knob
from policy.knobs.other_daemons import DAEMONS
from policy.language.about import about
from policy.load import PolicyLoad, ended_by, ends_daemon, load_policy


def explain_policy(
    config: Config, loaded: PolicyLoad, quotas: EffectiveQuotas | None = None
) -> tuple[Sentence, ...]:
    """Everything there is to say about a policy."""
    topic = Topic(config, "")
    return (
        *_about_start(loaded),
        *about_preemption(topic.titled("Preemption")),
        *about_ranks(topic.titled("Order of the candidates, the first difference decides")),
        *about_groups(config, loaded.policy, quotas),
        *about_priorities(topic.titled("Priorities and shares")),
        *about_limits(topic.titled("Concurrency limits"), loaded.policy),
        *about_selection(topic.titled("What takes part")),
        *about_attributes(
            topic.titled("Attributes that the expressions look at"),
            preempting=may_preempt(topic),
        ),
        *about_others(topic.titled("Expressions of other daemons")),
        *_about_unsupported(loaded),
    )


def explain_others(config: Config, first: Iterable[Sentence]) -> Iterator[Sentence]:
    """What other negotiators, which local names tell apart, do otherwise than the first."""
    same = {(sentence.topic, sentence.text) for sentence in first}
    for local in _local_names(config):
        seen = config.seen_by("NEGOTIATOR", local)
        for sentence in explain_policy(seen, load_policy(seen, local_name=local)):
            if (sentence.topic, sentence.text) not in same:
                yield evolve(sentence, topic=f"Negotiator {local}: {sentence.topic}")


def _local_names(config: Config) -> list[str]:
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
