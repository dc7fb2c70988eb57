"""The accountant: how priorities age and whom usage is charged to.

Decision here: real and effective priorities (bigger is worse), priority factors, weighted usage of
submitters and groups.  Inputs: the records of the cycle before, the claimed slots with their
weights, the time.  Outputs: the records after the update, after the count of the claims, and after
every match.  Every real number is rounded to six decimals when it is stored, because the
negotiator keeps it as text of that form.

Never here: reading or writing the log file, limits of submitters (see ``pie``).
Follows: "User Priorities and Negotiation" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from attr import define, evolve, field, frozen

from negotiator.groups import GroupTree
from negotiator.result import ROOT_GROUP
from negotiator.snapshot import AccountantState, Customer

MIN_PRIORITY: Final = 0.5
MIN_FACTOR: Final = 1.0
NICE_USER_PREFIX: Final = "nice-user"


@frozen
class AccountantSettings:
    """The knobs of the accountant.  ``half_life`` is in seconds; factors have no unit.

    ``group_factors``: ``GROUP_PRIO_FACTOR_<group>`` by group name.
    """

    half_life: float
    default_factor: float
    nice_user_factor: float
    remote_factor: float
    local_domain: str = ""
    group_factors: Mapping[str, float] = field(factory=dict)


def stored(number: float) -> float:
    """A real number as the accountant remembers it: six decimals."""
    return float(number if number % 1 == 0 else f"{number:f}")


def update_customer(customer: Customer, elapsed: int, now: int, half_life: float) -> Customer:
    """Age one record by ``elapsed`` seconds of its recent usage."""
    beta = 0.5 ** (elapsed / half_life)
    uncharged = customer.uncharged_time or 0
    weighted_uncharged = customer.weighted_uncharged_time or 0.0
    recent = customer.resources_used + uncharged / elapsed
    weighted_recent = customer.weighted_resources_used + weighted_uncharged / elapsed
    if customer.hier_weighted_resources_used > 0:
        weighted_recent = customer.hier_weighted_resources_used
    before = max(customer.priority or 0.0, MIN_PRIORITY)
    after = max(MIN_PRIORITY, before * beta + weighted_recent * (1.0 - beta))
    used = customer.accumulated_usage + customer.resources_used * elapsed + uncharged
    weighted = customer.weighted_accumulated_usage
    weighted_before = customer.accumulated_usage if weighted is None else weighted
    weighted_after = (
        weighted_before + customer.weighted_resources_used * elapsed + weighted_uncharged
    )
    begin = customer.begin_usage_time
    return customer.changed(
        priority=stored(after) if after != before else customer.priority,
        accumulated_usage=stored(used),
        weighted_accumulated_usage=(
            stored(weighted_after) if weighted_after != weighted_before else weighted
        ),
        begin_usage_time=now if used > 0 and begin == 0 else begin,
        last_usage_time=now if recent > 0 else customer.last_usage_time,
        uncharged_time=0,
        weighted_uncharged_time=0.0,
    )


def expire_leases(customer: Customer, now: float) -> Customer:
    """Take back the temporary floor, ceiling and factor whose time is over."""
    ceiling, floor, factor = customer.ceiling_lease, customer.floor_lease, customer.factor_lease
    if ceiling is not None and ceiling.expiration <= now:
        customer = customer.changed(ceiling=int(ceiling.previous), ceiling_lease=None)
    if floor is not None and floor.expiration <= now:
        customer = customer.changed(floor=int(floor.previous), floor_lease=None)
    if factor is not None and factor.expiration <= now:
        customer = customer.changed(priority_factor=factor.previous, factor_lease=None)
    return customer


def update_priorities(state: AccountantState, now: int, half_life: float) -> AccountantState:
    """The priority update at the head of a cycle, with the usage that the last cycle left."""
    last = state.last_update_time
    customers = {name: expire_leases(record, now) for name, record in state.customers.items()}
    if last is not None and now > last:
        customers = {
            name: update_customer(record, now - last, now, half_life)
            for name, record in customers.items()
        }
    return evolve(state, customers=customers, last_update_time=now if last is not None else None)


def priority_factor(name: str, group: str, settings: AccountantSettings) -> float:
    """The factor that a name without a stored one gets.  ``group``: its assigned group."""
    if name.startswith(NICE_USER_PREFIX):
        return settings.nice_user_factor
    for known, factor in settings.group_factors.items():
        if known.lower() == group.lower() and factor != 0:
            return max(factor, MIN_FACTOR)
    _, at, domain = name.rpartition("@")
    if settings.local_domain and settings.local_domain != (domain if at else ""):
        return settings.remote_factor
    return settings.default_factor


@define(eq=False)
class _Usage:
    """The part of a record that changes in a cycle; ``below``: of a group with all groups below."""

    slots: int
    weight: float
    below: float
    uncharged: int | None
    weighted_uncharged: float | None

    @classmethod
    def of(cls, record: Customer) -> _Usage:
        """What a record says."""
        return cls(
            record.resources_used,
            record.weighted_resources_used,
            record.hier_weighted_resources_used,
            record.uncharged_time,
            record.weighted_uncharged_time,
        )

    def put_into(self, record: Customer, factor: float | None) -> Customer:
        """The record with this usage and a priority factor."""
        return record._replace(
            priority_factor=factor,
            resources_used=self.slots,
            weighted_resources_used=self.weight,
            hier_weighted_resources_used=self.below,
            uncharged_time=self.uncharged,
            weighted_uncharged_time=self.weighted_uncharged,
        )


class _Terms(NamedTuple):
    """What a record means to a cycle, in which none of it changes."""

    priority: float
    factor: float
    floor: int
    ceiling: int


class Accountant:
    """The accountant during one cycle: priorities stand still, usage grows with every match."""

    def __init__(
        self, state: AccountantState, settings: AccountantSettings, tree: GroupTree, now: float
    ) -> None:
        """Update the priorities; usage is that of the cycle before until ``count_claims``."""
        self._settings = settings
        self._tree = tree
        self._now = int(now)
        self._state = update_priorities(state, self._now, settings.half_life)
        self._customers = dict(self._state.customers)
        #: What records mean that have been looked at, and the factors that they get by that.
        self._terms: dict[str, _Terms] = {}
        self._factors: dict[str, float] = {}
        #: Usage that is not what the record says, or that is charged.
        self._usage = {
            name: _Usage.of(record)
            for name, record in self._customers.items()
            if record.resources_used
            or record.weighted_resources_used
            or record.hier_weighted_resources_used
        }
        #: For each submitter that was charged where its usage is counted.
        self._ways: dict[str, tuple[list[_Usage], list[_Usage]]] = {}
        #: The same for groups, without the submitter.
        self._group_ways: dict[str, tuple[_Usage, list[_Usage]]] = {}
        for group in tree.groups:
            self._look_up(group.name)

    def count_claims(self, claims: Iterable[tuple[str, float]]) -> None:
        """Forget the last cycle's usage and charge the slots that are claimed now.

        ``claims``: accounting name and weight of each slot, in pool order.
        """
        for used in self._usage.values():
            used.slots, used.weight, used.below = 0, 0.0, 0.0
        listed = list(claims)
        # Whole numbers have the same sum in any order, and nothing to round.
        whole = all(weight.is_integer() for weight in {weight for _, weight in listed})
        if whole and self._now == self._since():
            slots: dict[str, int] = {}
            weights: dict[str, float] = {}
            for name, weight in listed:
                slots[name] = slots.get(name, 0) + 1
                weights[name] = weights.get(name, 0.0) + weight
            for name, count in slots.items():
                self.charge(name, weights[name], count)
            return
        for name, weight in listed:
            self.charge(name, weight)

    def charge(self, name: str, weight: float, slots: int = 1) -> None:
        """Charge slots to a submitter, to its group and to the groups above."""
        way = self._ways.get(name)
        if way is None:
            way = self._ways[name] = self._way(name)
        since = self._now - self._since()
        for used in way[0]:
            used.slots += slots
            used.weight = stored(used.weight + weight)
            used.uncharged = (used.uncharged or 0) - since * slots
            used.weighted_uncharged = stored((used.weighted_uncharged or 0.0) - since * weight)
        for used in way[1]:
            used.below = stored(used.below + weight)

    def _way(self, name: str) -> tuple[list[_Usage], list[_Usage]]:
        """Where what a submitter uses is counted, and where as used below."""
        group = self._tree.assigned(name).name
        if name not in self._customers:
            self._customers[name] = Customer(name)
        own = self._used(name)
        known = self._group_ways.get(group)
        if known is None:
            if group not in self._customers:
                self._customers[group] = Customer(group)
            path = [group] if group == ROOT_GROUP else _prefixes(group)
            for above in path:
                self._look_up(above)
            known = self._used(group), [self._used(above) for above in path]
            self._group_ways[group] = known
        return [own, known[0]], known[1]

    def _since(self) -> int:
        return self._state.last_update_time or self._now

    def _used(self, name: str) -> _Usage:
        """The usage of a name that has a record."""
        used = self._usage.get(name)
        if used is None:
            used = self._usage[name] = _Usage.of(self._customers[name])
        return used

    def usage(self, name: str) -> float:
        """The weight charged to exactly this submitter or group now."""
        used = self._usage.get(name)
        return 0.0 if used is None else used.weight

    def usages(self) -> dict[str, float]:
        """The usage of all who have any."""
        return {name: used.weight for name, used in self._usage.items()}

    def subtree_usage(self, group: str) -> float:
        """The weight charged to a group and all below it."""
        used = self._usage.get(group)
        return 0.0 if used is None else used.below

    def real_priority(self, name: str) -> float:
        """The priority before the factor."""
        return self._look_up(name).priority

    def factor(self, name: str) -> float:
        """The priority factor."""
        return self._look_up(name).factor

    def effective_priority(self, name: str) -> float:
        """The priority that decides: real priority times factor, bigger is worse."""
        terms = self._look_up(name)
        return terms.priority * terms.factor

    def floor(self, name: str) -> int:
        """The weight a submitter is to get before all others, 0 if none."""
        return self._look_up(name).floor

    def ceiling(self, name: str) -> int:
        """The weight a submitter may use, -1 if there is no limit."""
        return self._look_up(name).ceiling

    def state(self) -> AccountantState:
        """The tables as they are now."""
        customers = {name: self._written(name, r) for name, r in self._customers.items()}
        return evolve(self._state, customers=customers)

    def _written(self, name: str, record: Customer) -> Customer:
        """A record as it is now."""
        used, factor = self._usage.get(name), self._factors.get(name, record.priority_factor)
        if used is not None:
            return used.put_into(record, factor)
        return record if name not in self._factors else record.changed(priority_factor=factor)

    def _look_up(self, name: str) -> _Terms:
        """What the record of a name means."""
        terms = self._terms.get(name)
        if terms is None:
            terms = self._terms[name] = self._look_at(name)
        return terms

    def _look_at(self, name: str) -> _Terms:
        """Look at a record for the first time, which makes it and corrects what it lacks."""
        record = self._customers.get(name)
        if record is None:
            record = self._customers[name] = Customer(name)
        factor, priority = record.priority_factor, record.priority
        if factor is None or factor < MIN_FACTOR:
            group = self._tree.assigned(name).name
            factor = stored(priority_factor(name, group, self._settings))
            self._factors[name] = factor
        if priority is not None and priority < MIN_PRIORITY:
            priority = MIN_PRIORITY
            self._customers[name] = record.changed(priority=priority)
        return _Terms(
            priority or MIN_PRIORITY,
            factor or self._settings.default_factor,
            max(record.floor, 0),
            max(record.ceiling, -1),
        )


def _prefixes(group: str) -> list[str]:
    """``a.b.c`` gives ``a``, ``a.b`` and ``a.b.c``."""
    parts = group.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]
