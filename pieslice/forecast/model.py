"""Computes how priorities and shares move over hours.

Decides what everybody gets of the pool at a moment (groups by their quotas, as in a cycle; within
a group by the inverse of the effective priority, nobody more than it wants or its ceiling, nobody
less than its floor, what one leaves goes to the others) and how that moves the real priorities.

Inputs: users with their demands over time (weighted cores), the pool, the half-life and the step
(seconds).  Outputs: ``ForecastPoint`` values, one for each user and moment.  Follows: "User
Priorities and Negotiation" in HTCondor's manual; the three graphs there are recorded cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attr import frozen

from negotiator.accounting.accountant import MIN_PRIORITY
from negotiator.groups.quotas import allocate, assign_quotas
from negotiator.groups.tree import Group, GroupTree, group_tree
from negotiator.model.arithmetic import remaining, stored
from negotiator.sessions.pie import shares_of
from policy.model import NegotiatorPolicy

#: What is left of a pool when it counts as given away, in weighted cores.
_CRUMB: Final = 1e-9


@frozen
class Demand:
    """Weighted cores that are wanted from ``begin`` until ``end`` (None: always), seconds."""

    cores: float
    begin: float = 0.0
    end: float | None = None

    def at(self, moment: float) -> float:
        """What is wanted at a moment."""
        over = self.end is not None and moment >= self.end
        return self.cores if moment >= self.begin and not over else 0.0


@frozen
class User:
    """A user: real priority at the start (bigger is worse), factor, and what it wants.

    ``held``: what it has at the start.  ``least`` and ``most``: its floor and its ceiling, None
    without one.  All in weighted cores.
    """

    name: str
    demands: tuple[Demand, ...] = ()
    real_priority: float = MIN_PRIORITY
    factor: float = 1.0
    held: float = 0.0
    least: float = 0.0
    most: float | None = None

    def demand(self, moment: float) -> float:
        """What the user wants at a moment, in weighted cores; no more than its ceiling."""
        wanted = sum(demand.at(moment) for demand in self.demands)
        return wanted if self.most is None else min(wanted, self.most)


@frozen
class Settings:
    """Pool in weighted cores, half-life and step in seconds.

    ``floor``: the least real priority.  ``lag``: steps between getting cores and being charged.
    ``rounded``: priorities keep six decimals, as the accountant's file does.  ``policy``: has the
    groups and their quotas.
    """

    pool: float
    half_life: float = 86_400.0
    step: float = 60.0
    floor: float = MIN_PRIORITY
    lag: int = 0
    rounded: bool = True
    policy: NegotiatorPolicy | None = None


@frozen
class ForecastPoint:
    """One user at one moment: ``cores`` is what it had in the step that ended then.

    At hour 0 it is what the user has at the start.
    """

    hour: float
    name: str
    real_priority: float
    effective_priority: float
    cores: float


def forecast(
    users: Sequence[User], settings: Settings, hours: float, every: float
) -> Iterator[ForecastPoint]:
    """The points of every user at hour 0 and every ``every`` hours after that."""
    priorities = [max(user.real_priority, settings.floor) for user in users]
    beta = remaining(settings.step, settings.half_life)
    nothing = [0.0] * len(users)
    held = [user.held for user in users]
    # What was given in the steps that are not charged yet, oldest first.
    waiting = [nothing] * settings.lag
    per_print = max(1, round(every * 3600 / settings.step))
    last = int(hours * 3600 / settings.step + 1e-9)
    allocation = _Allocation(users, settings)
    for tick in range(last + 1):
        if tick:
            held = allocation.at((tick - 1) * settings.step, priorities)
            waiting.append(held)
            charged = waiting.pop(0)
            priorities = [
                _aged(before, used, beta, settings)
                for before, used in zip(priorities, charged, strict=True)
            ]
        if tick % per_print == 0:
            hour = tick * settings.step / 3600
            for user, priority, cores in zip(users, priorities, held, strict=True):
                yield ForecastPoint(hour, user.name, priority, priority * user.factor, cores)


def _aged(before: float, used: float, beta: float, settings: Settings) -> float:
    after = max(settings.floor, beta * before + (1.0 - beta) * used)
    return stored(after) if settings.rounded else after


class _Allocation:
    """What users get; demands are looked up anew only when one of them changes.

    ``parts``: weighted cores and who divides them, by number: a group each.  ``regrouped``: who
    divides what all groups leave, where groups have GROUP_AUTOREGROUP.
    """

    def __init__(self, users: Sequence[User], settings: Settings) -> None:
        self.users = users
        self.pool = settings.pool
        self.floors = [user.least for user in users]
        self.parts: list[tuple[float, list[int]]] = [(self.pool, list(range(len(users))))]
        self.regrouped: list[int] = []
        self.members: list[tuple[Group, list[int]]] = []
        policy = settings.policy
        self.tree = GroupTree() if policy is None else group_tree(policy)
        if policy is not None and self.tree.configured:
            oversubscription = policy.allow_quota_oversubscription
            assign_quotas(self.tree, self.pool, oversubscription=oversubscription)
            of = [self.tree.assigned(user.name) for user in users]
            self.members = [
                (group, [i for i, own in enumerate(of) if own is group])
                for group in self.tree.groups
            ]
        self.changes = sorted(
            {
                moment
                for user in users
                for d in user.demands
                for moment in (d.begin, d.end)
                if moment
            }
        )
        self.until = -1.0
        self.wanted: list[float] = []

    def at(self, moment: float, priorities: Sequence[float]) -> list[float]:
        if moment >= self.until:
            self.wanted = [user.demand(moment) for user in self.users]
            later = [change for change in self.changes if change > moment]
            self.until = later[0] if later else float("inf")
            if self.members:
                self._allocate()
        effective = [p * user.factor for p, user in zip(priorities, self.users, strict=True)]
        given = [0.0] * len(self.users)
        for cores, who in self.parts:
            self._give(cores, who, effective, given)
        if self.regrouped:
            self._give(max(0.0, self.pool - sum(given)), self.regrouped, effective, given)
        return given

    def _allocate(self) -> None:
        """What each group is allocated of the pool for what its users want, as in a cycle."""
        for group, who in self.members:
            group.requested = sum(self.wanted[i] for i in who)
        allocate(self.tree, whole_slots=False)
        total = sum(group.allocated for group, _ in self.members)
        # Quotas that are oversubscribed come to more than there is.
        part = min(1.0, self.pool / total) if total > 0 else 1.0
        again = [
            who for group, who in self.members
            if self.tree.autoregroup and (group is self.tree.root or group.settings.autoregroup)
        ]  # fmt: skip
        self.regrouped = [i for who in again for i in who]
        self.parts = [
            (group.allocated * part, who)
            for group, who in self.members
            if not (self.tree.autoregroup and group is self.tree.root)
        ]

    def _give(
        self, cores: float, who: Sequence[int], effective: Sequence[float], given: list[float]
    ) -> None:
        """Divide cores among some users, by what they want besides what they were given."""
        wanted = [self.wanted[i] - given[i] for i in who]
        floors = [max(0.0, self.floors[i] - given[i]) for i in who]
        shares = wanted
        if sum(wanted) > cores:
            shares = divide(cores, wanted, [effective[i] for i in who], floors)
        for i, share in zip(who, shares, strict=True):
            given[i] += share


def divide(
    pool: float,
    wanted: Sequence[float],
    priorities: Sequence[float],
    floors: Sequence[float] = (),
) -> list[float]:
    """Spin the pie until all is given or nobody wants more: shares by inverse priority.

    Who would get less than its floor gets that first, and the others divide the rest.
    """
    given = _spun(pool, wanted, priorities)
    least = [min(floor, want) for floor, want in zip(floors, wanted, strict=False)]
    for i, floor in enumerate(least):
        if given[i] < min(floor, pool):
            rest = [0.0 if j == i else want for j, want in enumerate(wanted)]
            others = [0.0 if j == i else other for j, other in enumerate(least)]
            given = divide(pool - min(floor, pool), rest, priorities, others)
            given[i] = min(floor, pool)
            break
    return given


def _spun(pool: float, wanted: Sequence[float], priorities: Sequence[float]) -> list[float]:
    given = [0.0] * len(wanted)
    # A priority of 0, which only a forecast without a floor has, counts as the best there is.
    usable = [max(priority, 1e-12) for priority in priorities]
    left = pool
    hungry = [i for i, amount in enumerate(wanted) if amount > 0]
    while hungry and left > _CRUMB:
        shares = shares_of((str(i), usable[i]) for i in hungry)
        pie, left = left, 0.0
        still = []
        for i in hungry:
            slice_ = shares.share(usable[i]) * pie
            taken = min(slice_, wanted[i] - given[i])
            given[i] += taken
            left += slice_ - taken
            if given[i] < wanted[i]:
                still.append(i)
        hungry = still
    return given
