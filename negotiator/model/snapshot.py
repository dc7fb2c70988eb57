"""Holds what the negotiator knows when a cycle begins.

Slots are in pool order (the order in which the collector hands them out decides ties), submitter
ads in collector order, jobs in queue order.  Times are seconds since the epoch, usage is in slot
weights.  Follows the queries that open a cycle and the accountant's table of customers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from attr import Factory, asdict, astuple, field, fields, frozen

from classad import ClassAd
from classad.patterns import late_regex
from policy.dialects import HTCONDOR, Dialect
from policy.versions import Followed, Version

__all__ = [
    "AccountantState",
    "Customer",
    "Lease",
    "Resource",
    "ScheddQueue",
    "Snapshot",
    "machine_of",
]

#: A ceiling that limits nothing.
NO_CEILING: Final = -1


@frozen
class Lease:
    """A temporary floor, ceiling or factor: when it ends and what comes back then."""

    expiration: int
    previous: float


class Customer(NamedTuple):
    """One record of the accountant: a submitter (its name has an ``@``) or an accounting group.

    A tuple, since a cycle makes several for each of thousands of users.

    ``None`` means that the record does not have the attribute; the accountant then has its own
    defaults.  ``priority`` is the real user priority: a bigger number is a worse priority.
    """

    name: str
    priority: float | None = None
    priority_factor: float | None = None
    resources_used: int = 0
    weighted_resources_used: float = 0.0
    hier_weighted_resources_used: float = 0.0
    accumulated_usage: float = 0.0
    weighted_accumulated_usage: float | None = None
    uncharged_time: int | None = None
    weighted_uncharged_time: float | None = None
    begin_usage_time: int = 0
    last_usage_time: int = 0
    ceiling: int = NO_CEILING
    floor: int = 0
    ceiling_lease: Lease | None = None
    floor_lease: Lease | None = None
    factor_lease: Lease | None = None

    @property
    def is_group(self) -> bool:
        """Whether this is an accounting group by the accountant's syntactic rule."""
        return "@" not in self.name

    def changed(self, **values: Any) -> Customer:
        """The record with other values."""
        return self._replace(**values)

    def data(self) -> dict[str, object]:
        """The record as dictionaries and plain values."""
        pairs = zip(self._fields, self, strict=True)
        return {name: asdict(v) if isinstance(v, Lease) else v for name, v in pairs}


@frozen
class Resource:
    """A recorded match: ``key`` is ``<slot name>@<address>`` as in the accountant's log.

    ``split``: matches of a consumption policy were made on the slot since; negotiators that keep
    a table of claims give nothing back when such a record goes.
    """

    key: str
    remote_user: str
    slot_weight: float = 1.0
    start_time: int = 0
    matched_concurrency_limits: str | None = None
    split: bool = False


@frozen
class AccountantState:
    """The accountant's tables.  Without ``last_update_time`` priorities are taken as they are."""

    customers: Mapping[str, Customer] = field(factory=dict)
    resources: Mapping[str, Resource] = field(factory=dict)
    last_update_time: int | None = None


#: ``ClusterId`` and ``ProcId`` of a job.
JobNumber = tuple[int, int]


@frozen(eq=False)
class ScheddQueue:
    """The job ads of one schedd, in the order of its queue; ``name`` is its ``ScheddName``.

    ``running``: how many jobs run besides those that are in ``jobs``.  ``matched``: idle jobs that
    the schedd has a match for already, and does not offer.  ``version``: of the schedd, None for
    that of the negotiator.  ``schedd``: its ad, as the collector has it.
    """

    name: str
    jobs: tuple[ClassAd, ...]
    running: int = 0
    matched: frozenset[JobNumber] = frozenset()
    version: Version | None = None
    schedd: ClassAd | None = None


@frozen(eq=False)
class Snapshot:
    """Everything one cycle decides on.

    ``previous_quotas``: the quota of each group as the cycle before left it (what
    ``RemoteGroupQuota`` shows); None in the first cycle of a negotiator.  ``group_turns``: when a
    group was last served in turn (seconds since the epoch), None in the first cycle.  ``claims``:
    the number of claim ids of a slot, by slot name; slots that are not in it have one.
    ``child_claims``: for each child of a partitionable slot whether the slot's private ad has a
    claim id of it, by slot name; None if nobody has seen private ads: then every child has.
    """

    slots: Sequence[ClassAd] = ()
    submitters: tuple[ClassAd, ...] = ()
    queues: tuple[ScheddQueue, ...] = ()
    accountant: AccountantState = Factory(AccountantState)
    previous_quotas: Mapping[str, float] | None = None
    group_turns: Mapping[str, float] | None = None
    claims: Mapping[str, int] = field(factory=dict)
    child_claims: Mapping[str, Sequence[bool]] | None = None

    def differing(self, other: Snapshot) -> tuple[str, ...]:
        """The names of the fields that are others there; columns are if they are not the same."""
        names = [one.name for one in fields(Snapshot)]
        found = [name for name in names if getattr(self, name) != getattr(other, name)]
        if "queues" in found and list(map(_astuple, self.queues)) == list(
            map(_astuple, other.queues)
        ):
            found.remove("queues")
        return tuple(found)


def _astuple(queue: ScheddQueue) -> tuple[object, ...]:
    return astuple(queue, recurse=False)


#: The name of a dynamic slot: that of the partitionable one, with a number behind it.
_DYNAMIC: Final = late_regex(r"^([^@]*?\d)_\d+(@|$)")


def whole_slot(name: str) -> str:
    """Of a dynamic slot the partitionable one that it is a part of; any other slot itself."""
    return _DYNAMIC.sub(r"\1\2", name)


def machine_of(slot: str) -> str:
    """The machine in the name of a slot; the whole name if it has no ``@``."""
    return slot.partition("@")[2] or slot


# --- what is said of a pool -----------------------------------------------------------------------


@frozen
class PoolFacts:
    """The pool in numbers.  ``now_from`` says where the time of the cycle comes from.

    ``version``: whose rules are followed, and who said so.  ``not_requested``: of the idle jobs
    those that the negotiator is asked no slots for, by what they are: ``grid universe`` and such.
    ``made_up``: how many of the jobs are made up from what runs.
    """

    name: str
    machines: int
    slots: int
    users: int
    jobs: int
    idle_jobs: int
    now: float
    now_from: str
    dialect: Dialect = HTCONDOR
    version: Followed = Factory(Followed)
    not_requested: Mapping[str, int] = Factory(dict)
    made_up: int = 0


@frozen
class UnsupportedKnob:
    """A knob of the configuration that influences a cycle and is not honoured yet."""

    name: str
    value: str
    place: str
    effect: str
