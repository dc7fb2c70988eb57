"""Keeps one situation that a policy is tried in, as plain values.

Decides who holds a slot, who asks for it, what both ads say, priorities, usage, quotas and times.
Ads, accountant and cycle are made from it by ``cycle``, always in the same way, so that a case can
be made simpler value by value and tried again.

Outputs: ``FuzzCase`` and ``Party``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from attr import evolve, field, frozen

from pieslice.fuzzing.schema import AdValue

#: The time of the first cycle of every case, seconds since the epoch.
NOW: Final = 1_700_000_000
Kept = TypeVar("Kept")
Values = Mapping[str, AdValue]


@frozen(eq=False)
class Party:
    """A submitter and its job.

    ``priority``: effective, a greater one is worse.  ``usage``: what the submitter holds besides
    the slot of the case, in slot weights.
    """

    user: str
    priority: float
    usage: float
    job: Values = field(factory=dict)


@frozen(eq=False)
class FuzzCase:
    """A slot, its holder (the first party; nobody if ``free``) and those who ask for it.

    ``run_time``: seconds that the holder's job has run; ``claim_age``: seconds since the claim was
    made, for other jobs at first if it is more.  ``pause``: seconds until the next cycle.
    ``quotas``, ``others``: by group, its quota and what other submitters of it hold, in slot
    weights.  ``now``: seconds since the epoch.  ``copied``: case-folded names of attributes of the
    running job that the slot shows, too.
    """

    slot: Values
    parties: tuple[Party, ...]
    run_time: int
    claim_age: int
    now: int
    pause: int = 60
    quotas: Mapping[str, float] = field(factory=dict)
    others: Mapping[str, float] = field(factory=dict)
    free: bool = False
    copied: frozenset[str] = frozenset()

    def with_party(self, place: int, **changes: Any) -> FuzzCase:
        """The case with one party changed."""
        parties = list(self.parties)
        parties[place] = evolve(parties[place], **changes)
        return evolve(self, parties=tuple(parties))


def without(values: Mapping[str, Kept], name: str) -> dict[str, Kept]:
    """A copy that lacks one attribute."""
    return {key: value for key, value in values.items() if key != name}
