"""Lists the rules of the accountant that changed: usage of slots, leases, domains of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import Final, NamedTuple, Protocol

from negotiator.model.snapshot import Customer, Resource
from negotiator.versions.rule import Daemon, Rule
from policy.versions import Version


class Stock(Protocol):
    """The slots as the accountant looks at them when a cycle begins."""

    def charges(self) -> Iterable[tuple[str, float]]:
        """Whom each claimed slot is charged to, and its weight, in pool order."""

    def claims(self) -> Iterable[Resource]:
        """The records of the claimed slots as they are now, in pool order."""

    def matched(self) -> Set[str]:
        """The keys of slots that are matched and not claimed yet."""


class MatchedSlot(Protocol):
    """A slot that has just been matched, as the accountant looks at it."""

    def record(self, submitter: str, cost: float) -> Resource:
        """The record of the match."""

    def consumes(self) -> bool:
        """Whether it has a consumption policy, so that each match is a claim of its own."""


class Books(Protocol):
    """What the accountant does with claims."""

    def count_claims(self, claims: Iterable[tuple[str, float]]) -> None:
        """Forget usage and charge the claimed slots."""

    def settle_claims(self, claims: Iterable[Resource], matched: Set[str]) -> None:
        """Bring the table of claims in line with the slots."""

    def charge(self, name: str, weight: float) -> None:
        """Charge a slot."""

    def hand_over(self, match: Resource, *, shared: bool) -> bool:
        """Put a match into the table of claims; False if its submitter has the slot already."""


class UsageOfSlots(NamedTuple):
    """How usage follows from slots: when a cycle begins, and with each match.

    ``matched`` returns whether the concurrency limits of the match are counted.
    """

    begins: Callable[[Books, Stock], None]
    matched: Callable[[Books, MatchedSlot, str, float], bool]


def _keep_table(books: Books, stock: Stock) -> None:
    books.settle_claims(stock.claims(), stock.matched())


def _count_anew(books: Books, stock: Stock) -> None:
    books.count_claims(stock.charges())


def _hand_over(books: Books, slot: MatchedSlot, submitter: str, cost: float) -> bool:
    return books.hand_over(slot.record(submitter, cost), shared=slot.consumes())


def _charge(books: Books, slot: MatchedSlot, submitter: str, cost: float) -> bool:
    books.charge(submitter, cost)
    return True


USAGE_OF_SLOTS: Final = Rule(
    "1",
    "usage of a slot that changes hands",
    "The accountant keeps a table of claims from cycle to cycle: a match takes the slot from the "
    "usage of its holder at once, and a match on a slot that the submitter holds already charges "
    "nothing and counts no concurrency limits.",
    "Usage is counted anew from the claimed slots when a cycle begins; a match adds to it, and "
    "nothing is taken from anybody within the cycle.",
    Version(25, 10, 1),
    Daemon.NEGOTIATOR,
    UsageOfSlots(_keep_table, _hand_over),
    UsageOfSlots(_count_anew, _charge),
    "preempt-same-user",
)


def _no_lease_ends(customer: Customer, now: float) -> Customer:
    return customer


def _bounds_end(customer: Customer, now: float) -> Customer:
    ceiling, floor = customer.ceiling_lease, customer.floor_lease
    if ceiling is not None and ceiling.expiration <= now:
        customer = customer.changed(ceiling=int(ceiling.previous), ceiling_lease=None)
    if floor is not None and floor.expiration <= now:
        customer = customer.changed(floor=int(floor.previous), floor_lease=None)
    return customer


def _factor_ends(customer: Customer, now: float) -> Customer:
    factor = customer.factor_lease
    if factor is not None and factor.expiration <= now:
        customer = customer.changed(priority_factor=factor.previous, factor_lease=None)
    return customer


LEASES_OF_BOUNDS: Final = Rule(
    "12a",
    "leases of floor and ceiling",
    "Their leases are not looked at: the leased value stays.",
    "A floor or ceiling whose lease is over is set back when a cycle begins.",
    Version(25, 11, 0),
    Daemon.NEGOTIATOR,
    _no_lease_ends,
    _bounds_end,
    recorded=False,
)
LEASES_OF_FACTORS: Final = Rule(
    "12b",
    "leases of priority factors",
    "Their leases are not looked at: the leased value stays.",
    "A factor whose lease is over is set back when a cycle begins.",
    Version(25, 12, 2),
    Daemon.NEGOTIATOR,
    _no_lease_ends,
    _factor_ends,
    recorded=False,
)


def _behind_first_at(name: str) -> str:
    return name.partition("@")[2]


def _behind_last_at(name: str) -> str:
    return name.rpartition("@")[2] if "@" in name else ""


DOMAIN_OF_NAME: Final = Rule(
    "15",
    "domain of a name with two @",
    "ACCOUNTANT_LOCAL_DOMAIN is compared with what follows the first @.",
    "It is compared with what follows the last one.",
    Version(25, 10, 1),
    Daemon.NEGOTIATOR,
    _behind_first_at,
    _behind_last_at,
    recorded=False,
)
