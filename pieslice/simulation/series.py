"""Writes the state of a simulation at a moment as rows of a table.

Inputs: a negotiator with its simulation.  Outputs: one row for the pool, each user and each group:
time (seconds), kind, name, usage (weighted cores), running and idle jobs, priorities, quota.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pieslice.simulation.matching import Negotiator

Row = tuple[object, ...]


def rows(negotiator: Negotiator) -> Iterator[Row]:
    """The rows of now; the quota of the pool is its size."""
    simulation = negotiator.simulation
    state = simulation.state
    users = sorted(state.users)
    # Jobs that run on several slots wait by themselves.
    together = Counter(map(simulation.user_of, simulation.gangs))
    idle = {
        name: sum(map(len, simulation.idle.get(name, {}).values())) + together[name]
        for name in users
    }
    running = {name: state.running.get(name, (0, 0.0)) for name in users}
    used = sum(weight for _, weight in running.values())
    jobs = sum(count for count, _ in running.values())
    yield (state.now, "pool", "", used, jobs, sum(idle.values()), "", "", simulation.pool.weight)
    customers = state.accountant.customers
    for name in users:
        count, weight = running[name]
        record = customers.get(name)
        real = "" if record is None else record.priority or 0.5
        effective = negotiator.effective_priority(name)
        yield (state.now, "user", name, weight, count, idle[name], real, effective, "")
    for group in negotiator.tree.groups if negotiator.tree.configured else ():
        mine = [name for name in users if negotiator.tree.assigned(name) is group]
        yield (
            state.now,
            "group",
            group.name,
            sum(running[name][1] for name in mine),
            sum(running[name][0] for name in mine),
            sum(idle[name] for name in mine),
            "",
            "",
            group.quota,
        )
