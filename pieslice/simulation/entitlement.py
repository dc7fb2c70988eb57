"""Counts what the submitters and groups of a simulation are due, from moment to moment.

What somebody wants are his running jobs and those that waited at the last cycle: nobody gets a slot
for others before the next one.  What no slot can ever serve is nobody's due.  The room of a group
is divided by priority, as a cycle divides its pie; while less is wanted than there is everybody is
due what he wants.

Inputs: rooms and wishes after each cycle, and how wishes change until the next one.  Outputs: the
totals of the state, in weighted seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attr import define

from pieslice.forecast.model import divide
from pieslice.simulation.engine import Simulation
from pieslice.simulation.state import Due, State

#: What rounding leaves of equal weights.
_CRUMB = 1e-9


@define(eq=False)
class Entitlement:
    """The dues of a simulation; ``group_of`` and ``priority`` of a submitter by its name."""

    simulation: Simulation
    group_of: Callable[[str], str]
    priority: Callable[[str], float]

    @property
    def state(self) -> State:
        """The simulation may have been put into another one."""
        return self.simulation.state

    def begin(self, rooms: Mapping[str, float], wanted: Mapping[str, float]) -> None:
        """Let a cycle have been held: how much there is for each group, and what users want."""
        self.settle()
        state = self.state
        state.rooms, state.cycle_time = dict(rooms), state.now
        state.due = {user: Due(wish, 0.0, state.now) for user, wish in wanted.items()}
        state.group_due = {name: Due(0.0, 0.0, state.now) for name in rooms}
        for user, wish in wanted.items():
            state.group_due[self.group_of(user)].wanted += wish
        for name in rooms:
            self._divide(name)

    def change(self, user: str, amount: float) -> None:
        """A submitter wants so much more, or less."""
        state, group = self.state, self.group_of(user)
        whole = state.group_due.get(group)
        if not amount or whole is None:
            return
        self._pass(group)
        mine = state.due.setdefault(user, Due(0.0, 0.0, state.now))
        hungry, plenty = mine.share < mine.wanted - _CRUMB, self._has_plenty(group)
        mine.wanted += amount
        whole.wanted += amount
        if plenty and self._has_plenty(group):
            self._count(user, mine)
            mine.share = max(mine.wanted, 0.0)
        elif not (hungry and mine.share < mine.wanted - _CRUMB):
            self._divide(group)

    def settle(self) -> None:
        """Count the time until now."""
        for user, mine in self.state.due.items():
            self._count(user, mine)
        for group in self.state.group_due:
            self._pass(group)

    def _has_plenty(self, group: str) -> bool:
        return self.state.group_due[group].wanted <= self.state.rooms[group] + _CRUMB

    def _divide(self, group: str) -> None:
        dues = [(user, due) for user, due in self.state.due.items() if self.group_of(user) == group]
        wanted = [max(due.wanted, 0.0) for _, due in dues]
        priorities = [self.priority(user) for user, _ in dues]
        shares = divide(self.state.rooms[group], wanted, priorities)
        for (user, due), share in zip(dues, shares, strict=True):
            self._count(user, due)
            due.share = share

    def _count(self, user: str, mine: Due) -> None:
        """Count what a submitter was due until now."""
        now = self.state.now
        if now > mine.since:
            if mine.share:
                self.simulation.totals(user).entitled += mine.share * (now - mine.since)
            mine.since = now

    def _pass(self, group: str) -> None:
        """The same of a group, which is due what it wants and has room for."""
        state, whole = self.state, self.state.group_due[group]
        if len(state.rooms) > 1 and state.now > whole.since:
            share = min(state.rooms[group], whole.wanted)
            there = state.group_entitled.get(group, 0.0)
            state.group_entitled[group] = there + share * (state.now - whole.since)
        whole.since = state.now
