"""Computes how priorities and shares move over hours.

Decides what everybody gets of the pool at a moment (by the inverse of the effective priority,
nobody more than it wants, what one leaves goes to the others) and how that moves the real
priorities.

Inputs: users with their demands over time (weighted cores), the pool, the half-life and the step
(seconds).  Outputs: ``ForecastPoint`` values, one for each user and moment.  Follows: "User
Priorities and Negotiation" in HTCondor's manual; the three graphs there are recorded cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attr import frozen

from negotiator.accounting.accountant import MIN_PRIORITY, remaining, stored
from negotiator.sessions.pie import shares_of

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
    """A user: real priority at the start (bigger is worse), factor, and what it wants."""

    name: str
    demands: tuple[Demand, ...] = ()
    real_priority: float = MIN_PRIORITY
    factor: float = 1.0

    def demand(self, moment: float) -> float:
        """What the user wants at a moment, in weighted cores."""
        return sum(demand.at(moment) for demand in self.demands)


@frozen
class Settings:
    """Pool in weighted cores, half-life and step in seconds.

    ``floor``: the least real priority.  ``lag``: steps between getting cores and being charged.
    ``rounded``: priorities keep six decimals, as the accountant's file does.
    """

    pool: float
    half_life: float = 86_400.0
    step: float = 60.0
    floor: float = MIN_PRIORITY
    lag: int = 0
    rounded: bool = True


@frozen
class ForecastPoint:
    """One user at one moment: ``cores`` is what it had in the step that ended then."""

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
    held = nothing
    # What was given in the steps that are not charged yet, oldest first.
    waiting = [nothing] * settings.lag
    per_print = max(1, round(every * 3600 / settings.step))
    last = int(hours * 3600 / settings.step + 1e-9)
    allocation = _Allocation(users, settings.pool)
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
    """What users get; demands are looked up anew only when one of them changes."""

    def __init__(self, users: Sequence[User], pool: float) -> None:
        self.users = users
        self.pool = pool
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
        if sum(self.wanted) <= self.pool:
            return self.wanted
        effective = [p * user.factor for p, user in zip(priorities, self.users, strict=True)]
        return divide(self.pool, self.wanted, effective)


def divide(pool: float, wanted: Sequence[float], priorities: Sequence[float]) -> list[float]:
    """Spin the pie until all is given or nobody wants more: shares by inverse priority."""
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
