"""Cuts the pie: the share and the limit of each submitter in a spin.

Effective priorities are bigger if they are worse; usage and the pie are in slot weights.  Follows
"Negotiation" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from attr import frozen

from negotiator.model.arithmetic import DBL_MAX, DBL_MIN, FLT_MAX, float32


@frozen
class PieSettings:
    """The knobs that shape a limit."""

    consider_preemption: bool
    ignore_user_priorities: bool


@frozen
class Shares:
    """How the submitters of one spin divide it: by the inverse of their effective priorities."""

    max_priority: float
    norm: float

    def share(self, priority: float) -> float:
        """The fraction of the pie for a submitter of this effective priority."""
        return self.max_priority / (priority * self.norm)


def shares_of(priorities: Iterable[tuple[str, float]]) -> Shares:
    """Normalise over distinct names; the order of the list decides the last bit of the sum."""
    pairs = list(priorities)
    highest = max([DBL_MIN, *(priority for _, priority in pairs)])
    norm = 0.0
    seen = set()
    for name, priority in pairs:
        if name not in seen:
            seen.add(name)
            norm += highest / priority
    return Shares(highest, norm)


@frozen
class GroupRoom:
    """A group's limit for the round and what it uses of it now."""

    limit: int
    usage: float

    @property
    def left(self) -> float:
        """What the group may still use; single precision, as the negotiator computes it."""
        return max(float32(float32(self.limit) - float32(self.usage)), 0.0)


class Slice(NamedTuple):
    """The part of one submitter.  ``limit_unclaimed`` bounds what it takes of unclaimed slots."""

    share: float
    limit: float
    limit_unclaimed: float
    usage: float

    @property
    def starvation(self) -> float:
        """The part of its slice that a submitter has; of equal priorities the smaller is first."""
        due = self.usage + self.limit
        return self.usage / due if due > 0 else FLT_MAX


def cut_slice(
    share: float,
    total: float,
    usage: float,
    settings: PieSettings,
    room: GroupRoom | None = None,
    floor: int | None = None,
) -> Slice:
    """The limit of a submitter.  ``total``: the pie; ``floor``: given in a floor round only."""
    limit = DBL_MAX if settings.ignore_user_priorities else share * total - usage
    limit = max(limit, 0.0)
    unclaimed = limit
    if room is not None:
        unclaimed = min(unclaimed, room.left)
    if not settings.consider_preemption:
        limit = unclaimed
    if floor is not None:
        limit = min(float(floor), limit)
    return Slice(share, limit, unclaimed, usage)
