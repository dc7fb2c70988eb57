"""Draws pools for Hypothesis: demand, accountant's records, scenarios; never says what must hold.

They are weighted towards what makes a cycle hard: equal priorities, ranks that tie, claims by the
same user, limits that are just reached, ceilings and floors, partitionable slots, groups.
Scenarios have the form of the recorded ones, so that one that breaks something can be recorded on
the real negotiator as it is.  Needs the extra ``fuzz``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from classad.extras import load
from negotiator.model.snapshot import Customer, Lease
from policy.knobs import matching, shares
from policy.strategies import group_trees, match_conditions, match_numbers, switches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import hypothesis.strategies as st
else:
    st = load("hypothesis.strategies")

#: What a strategy is given to draw from others, and what a scenario is made of.
Draw: TypeAlias = "Callable[[Any], Any]"
Entries: TypeAlias = dict[str, Any]

__all__ = ["customers", "demands", "scenarios"]

USERS: Final = ("alice", "bob", "a.carl", "b.dora", "a.x.eve")
_RANKS: Final = (
    "0.0",
    "1.0",
    "TARGET.Memory",
    "TARGET.Cpus * 10",
    "undefined",
    "-Memory",
    "MY.SlotID",
)
_REQUIREMENTS: Final = (
    "true", "TARGET.Memory >= 1024", "TARGET.Cpus > 1", "false", "undefined", "TARGET.SlotID != 1",
)  # fmt: skip
_SLOT_REQUIREMENTS: Final = (
    "TARGET.JobPrio >= 0", "false", "undefined", 'TARGET.User != "bob@test"', "TARGET.Rank > 0",
)  # fmt: skip
#: A consumption policy: a partitionable slot is matched several times.
_CONSUMPTION: Final = {
    "MachineResources": '"cpus memory"',
    "ConsumptionCpus": "TARGET.RequestCpus",
    "ConsumptionMemory": "quantize(TARGET.RequestMemory, {128})",
}
_PREEMPTION: Final = (
    "False", "True", "RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2", "undefined",
    "MY.SlotID == 2", "SubmitterGroupResourcesInUse < SubmitterGroupQuota",
)  # fmt: skip
_LIMITS: Final = ("lic", "lic:2", "lic, other", "lic:0.5", "LIC.sub")


def demands() -> st.SearchStrategy[float]:
    """What a group wants, in slot weights."""
    return st.sampled_from([0.0, 1.0, 2.0, 0.5, 7.0, 1000.0]) | st.integers(0, 60).map(float)


def customers(name: str = "alice@test") -> st.SearchStrategy[Customer]:
    """Records of the accountant."""
    amounts = st.sampled_from([0.0, 0.5, 1.0, 0.499999, 100.0, 1e6]) | st.floats(0, 1e5, width=32)
    moments = st.sampled_from([0, 1, 1_700_000_000])
    leases = st.none() | st.builds(Lease, st.sampled_from([1, 1_700_000_000]), st.integers(0, 9))
    factors = st.builds(Lease, st.sampled_from([1, 1_700_000_000]), amounts)
    return st.builds(
        Customer(name).changed,
        priority=st.none() | amounts,
        priority_factor=st.none() | st.sampled_from([1.0, 1000.0, 1e10, 2.5]),
        resources_used=st.integers(0, 50),
        weighted_resources_used=amounts,
        accumulated_usage=amounts,
        weighted_accumulated_usage=st.none() | amounts,
        begin_usage_time=st.sampled_from([0, 1_700_000_000]),
        last_usage_time=moments,
        uncharged_time=st.none() | st.integers(-60, 60),
        weighted_uncharged_time=st.none() | st.sampled_from([0.0, -30.5, 12.25]),
        ceiling=st.sampled_from([-1, 0, 1, 5]),
        floor=st.sampled_from([0, 1, 4]),
        ceiling_lease=leases,
        floor_lease=leases,
        factor_lease=st.none() | factors,
    )


@st.composite
def scenarios(draw: Draw, groups: bool = True) -> Entries:
    """A small pool with its jobs, its accountant and its policy."""
    slots = draw(st.lists(_slots(), min_size=1, max_size=4))
    for number, slot in enumerate(slots):
        slot["name"] = f"slot{{i}}@m{number}"
    return {
        "config": {**draw(_knobs()), **(draw(group_trees()) if groups else {})},
        "slots": slots,
        "jobs": draw(st.lists(_jobs(), max_size=4)),
        "accountant": {
            "customers": {
                user: draw(_record())
                for user in draw(st.lists(st.sampled_from(USERS), unique=True))
            }
        },
    }


@st.composite
def _slots(draw: Draw) -> Entries:
    ad = {
        "Cpus": draw(st.sampled_from(["1", "2", "4"])),
        "Memory": draw(st.sampled_from(["1024", "512", "4096"])),
        "SlotID": "{i}",
        "Rank": draw(st.sampled_from(["0.0", "TARGET.JobPrio", "TARGET.RequestMemory"])),
    }
    if draw(st.integers(0, 2)) == 2:
        ad |= {
            "SlotWeight": draw(st.sampled_from(["1", "Cpus", "Memory / 1024", "0.5", "0.3", "1.7"]))
        }
    if draw(st.integers(0, 2)) == 2:
        user = draw(st.sampled_from(USERS))
        ad |= {
            "State": '"Claimed"',
            "Activity": '"Busy"',
            "RemoteUser": f'"{user}@test"',
            "RemoteOwner": f'"{user}@test"',
            "AccountingGroup": f'"{user}@test"',
            "CurrentRank": draw(st.sampled_from(["0.0", "1.0"])),
        }
        if draw(st.integers(0, 3)) == 3:
            ad["ConcurrencyLimits"] = f'"{draw(st.sampled_from(_LIMITS))}"'
    elif draw(st.integers(0, 3)) == 3:
        ad |= {"PartitionableSlot": "true", "SlotType": '"Partitionable"'}
        if draw(st.booleans()):
            ad |= _CONSUMPTION
    if draw(st.integers(0, 2)) == 2:
        ad |= {"Requirements": draw(st.sampled_from(_SLOT_REQUIREMENTS))}
    return {"count": draw(st.integers(1, 3)), "ad": ad}


@st.composite
def _jobs(draw: Draw) -> Entries:
    ad = {
        "Requirements": draw(st.sampled_from(_REQUIREMENTS)),
        "Rank": draw(st.sampled_from(_RANKS)),
        "RequestCpus": draw(st.sampled_from(["1", "1", "2"])),
        "JobPrio": draw(st.sampled_from(["0", "0", "5", "-1"])),
    }
    if draw(st.integers(0, 3)) == 3:
        ad["ConcurrencyLimits"] = f'"{draw(st.sampled_from(_LIMITS))}"'
    return {
        "submitter": draw(st.sampled_from(USERS)),
        "schedd": draw(st.sampled_from(["s1", "s1", "s2"])),
        "count": draw(st.integers(1, 4)),
        "ad": ad,
    }


@st.composite
def _record(draw: Draw) -> Entries:
    record: Entries = {
        "priority": draw(st.sampled_from([0.5, 1.0, 0.5, 10.0, 1234.5])),
        "factor": draw(st.sampled_from([1000.0, 1.0, 1e10])),
    }
    if draw(st.integers(0, 4)) == 4:
        record["ceiling"] = draw(st.integers(0, 5))
    if draw(st.integers(0, 4)) == 4:
        record["floor"] = draw(st.integers(1, 4))
    return record


@st.composite
def _knobs(draw: Draw) -> dict[str, str]:
    numbers = tuple(match_numbers())
    choices: dict[str, Sequence[str]] = {
        **switches(),
        matching.PREEMPTION_REQUIREMENTS.name: (*_PREEMPTION, *match_conditions()),
        matching.PREEMPTION_RANK.name: ("0.0", "MY.Memory", *(f"-{one}" for one in numbers)),
        matching.NEGOTIATOR_PRE_JOB_RANK.name: ("0", "MY.Memory", "RemoteOwner =?= UNDEFINED"),
        matching.NEGOTIATOR_POST_JOB_RANK.name: ("0", "SlotID", "undefined", *numbers),
        shares.NAME_LIMIT.of("LIC"): ("2", "0", "1"),
        shares.NAME_LIMIT.of("OTHER"): ("1", "3"),
    }
    names = draw(st.lists(st.sampled_from(sorted(choices)), unique=True, max_size=5))
    return {name: draw(st.sampled_from(choices[name])) for name in names}
