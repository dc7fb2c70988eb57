"""Explains a whole policy in sentences.

Inputs: a ``Config`` and the ``PolicyLoad`` made from it; for numbers of a pool, the effective
quotas in it.  Outputs: ``Sentence`` values in reading order.
"""

from __future__ import annotations

from collections.abc import Iterator

from policy.config import Config
from policy.explain.candidates import about_ranks, about_selection
from policy.explain.preemption import about_preemption
from policy.explain.sentences import Origin, Sentence, Topic, code, origin_of
from policy.explain.shares import about_groups, about_limits, about_priorities
from policy.groups import EffectiveQuotas
from policy.load import PolicyLoad, ended_by


def explain_policy(
    config: Config, loaded: PolicyLoad, quotas: EffectiveQuotas | None = None
) -> tuple[Sentence, ...]:
    """Everything there is to say about a policy."""
    return (
        *_about_start(loaded),
        *about_preemption(Topic(config, "Preemption")),
        *about_ranks(Topic(config, "Order of the candidates, the first difference decides")),
        *about_groups(config, loaded.policy, quotas),
        *about_priorities(Topic(config, "Priorities and shares")),
        *about_limits(Topic(config, "Concurrency limits"), loaded.policy),
        *about_selection(Topic(config, "What takes part")),
        *_about_unsupported(loaded),
    )


def _about_start(loaded: PolicyLoad) -> Iterator[Sentence]:
    errors = [found for found in loaded.diagnostics if found.severity == "error"]
    for found in errors:
        file = found.source.name if found.source is not None else None
        origin = Origin(found.message.partition(":")[0], file, found.line)
        daemon = f"condor_{ended_by(found).lower()}"
        text = f"{daemon} does not start with this; what follows uses the default: "
        yield Sentence("Start", text + found.message, (origin,))


def _about_unsupported(loaded: PolicyLoad) -> Iterator[Sentence]:
    for setting in loaded.unsupported:
        yield Sentence(
            "Not honoured by pieslice negotiate",
            f"{setting.macro} is {code(setting.text)}: {setting.reason}.",
            (origin_of(setting.macro, setting.definition),),
        )
