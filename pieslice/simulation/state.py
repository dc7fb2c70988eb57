"""Keeps the state of a simulation between two moments.

Jobs, claims, events to come, totals; all of it plain numbers and names, so that a checkpoint is
a JSON text and loses no bit.

Inputs: a checkpoint as JSON data.  Outputs: ``State``; JSON data.
"""

from __future__ import annotations

from attr import Factory, asdict, define

from negotiator.model.snapshot import AccountantState, Customer, Lease
from pieslice.between.state import Claim, ClaimState
from pieslice.data import JsonData

IDLE, RUNNING = 0, 1


@define
class SubmittedJob:
    """A submitted job that is not done: its number in the workload, status and history."""

    number: int
    status: int = IDLE
    #: Seconds from the start of the simulation; -1: never ran.
    first_start: int = -1
    preempted: int = 0


@define
class Totals:
    """What a user or group has had.  Weighted seconds, counts."""

    good: float = 0.0
    bad: float = 0.0
    entitled: float = 0.0
    submitted: int = 0
    completed: int = 0
    preempted: int = 0
    evicted: int = 0
    waits: list[int] = Factory(list)


@define
class Due:
    """What somebody wants, what he is due of it, and since when (weight; seconds)."""

    wanted: float
    share: float
    since: int


@define(eq=False)
class State(ClaimState):
    """Everything that changes."""

    arrived: int = 0
    machine_changes: int = 0
    jobs: dict[int, SubmittedJob] = Factory(dict)
    users: dict[str, Totals] = Factory(dict)
    #: Running jobs and their weight, by submitter.
    running: dict[str, tuple[int, float]] = Factory(dict)
    accountant: AccountantState = Factory(AccountantState)
    quotas: dict[str, float] | None = None
    #: When each group was last served in turn (seconds since the epoch).
    group_turns: dict[str, float] | None = None
    #: Weighted seconds: of the pool; of groups above their quota, and what they could ask for.
    pool_seconds: float = 0.0
    over_quota: dict[str, float] = Factory(dict)
    group_entitled: dict[str, float] = Factory(dict)
    #: The group of each submitter, where there are groups.
    group_of: dict[str, str] = Factory(dict)
    #: When the last cycle was held, and since then: the room of each group, and what is wanted.
    cycle_time: int = -1
    rooms: dict[str, float] = Factory(dict)
    due: dict[str, Due] = Factory(dict)
    group_due: dict[str, Due] = Factory(dict)
    cycles: int = 0
    full_cycles: int = 0
    #: Jobs that were preempted more than once.
    thrashed: int = 0
    #: Kinds of job that no slot of the pool takes, even if it is free and whole.
    never: list[int] = Factory(list)


def to_json(state: State) -> JsonData:
    """The state as data for JSON."""
    found: JsonData = asdict(state, recurse=False)
    found["jobs"] = [list(asdict(job).values()) for job in state.jobs.values()]
    found["claims"] = {name: asdict(claim) for name, claim in state.claims.items()}
    for name in ("users", "due", "group_due"):
        found[name] = {who: asdict(it) for who, it in getattr(state, name).items()}
    found["accountant"] = accountant_json(state.accountant)
    return found


def accountant_json(state: AccountantState) -> JsonData:
    """The accountant's tables as data for JSON; recorded matches are no part of a simulation."""
    return {
        "last_update_time": state.last_update_time,
        "customers": [record.data() for record in state.customers.values()],
    }


def from_json(data: JsonData) -> State:
    """The opposite of ``to_json``."""
    fields = dict(data)
    fields["jobs"] = {row[0]: SubmittedJob(*row) for row in data["jobs"]}
    fields["claims"] = {name: Claim(**claim) for name, claim in data["claims"].items()}
    fields["users"] = {name: Totals(**totals) for name, totals in data["users"].items()}
    for name in ("due", "group_due"):
        fields[name] = {who: Due(**it) for who, it in data.get(name, {}).items()}
    fields["running"] = {name: tuple(pair) for name, pair in data["running"].items()}
    fields["events"] = [tuple(event) for event in data["events"]]
    fields["accountant"] = accountant_from_json(data["accountant"])
    return State(**fields)


def accountant_from_json(data: JsonData) -> AccountantState:
    """The opposite of ``accountant_json``."""
    customers = {}
    for row in data["customers"]:
        leases = {
            name: None if row[name] is None else Lease(**row[name])
            for name in ("ceiling_lease", "floor_lease", "factor_lease")
        }
        customers[row["name"]] = Customer(**{**row, **leases})
    return AccountantState(customers, {}, data["last_update_time"])
