"""Lists the expressions that are studied, and says whether a configuration sets one of them.

Decides that without what a search needs, which takes longer to import than most files to check.

Inputs: a ``Config``.  Outputs: the knobs, a truth value.
"""

from __future__ import annotations

from typing import Final

from policy.config import Config
from policy.knobs import matching, shares
from policy.knobs.other_daemons import OTHER_KNOBS

#: The expressions that are studied, in this order.
STUDIED: Final = (
    matching.PREEMPTION_REQUIREMENTS,
    matching.PREEMPTION_RANK,
    matching.NEGOTIATOR_PRE_JOB_RANK,
    matching.NEGOTIATOR_POST_JOB_RANK,
    OTHER_KNOBS["start"],
    OTHER_KNOBS["rank"],
    shares.GROUP_SORT_EXPR,
    OTHER_KNOBS["system_periodic_hold"],
    OTHER_KNOBS["system_periodic_remove"],
    OTHER_KNOBS["system_periodic_release"],
)


def as_read_by(config: Config, daemon: str) -> Config:
    """The configuration as a daemon sees it, with the local name if it is the one asked about."""
    return config if config.context.subsystem == daemon else config.seen_by(daemon)


def sets_any(config: Config) -> bool:
    """Whether it sets any of them, or preempts by the empty text of its version's table."""
    entries = [as_read_by(config, knob.read_by).lookup(knob.name) for knob in STUDIED]
    if any(entry is not None and not entry.is_builtin for entry in entries):
        return True
    requirements = entries[STUDIED.index(matching.PREEMPTION_REQUIREMENTS)]
    return requirements is None or not requirements.raw.strip()
