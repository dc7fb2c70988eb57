"""Ages priorities, and charges usage to submitters and groups, in slot weights.

A bigger priority is worse.  Every real number is rounded to six decimals when it is stored, because
the negotiator keeps it as text of that form.  Follows "User Priorities and Negotiation" in
HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

from attr import define, evolve, field, frozen

from negotiator.groups.tree import GroupTree, subtrees_of
from negotiator.model.arithmetic import remaining, stored
from negotiator.model.result import ROOT_GROUP
from negotiator.model.snapshot import NO_CEILING, AccountantState, Customer, Resource
from negotiator.versions.negotiator import DOMAIN_OF_NAME, LEASES_OF_BOUNDS, LEASES_OF_FACTORS
from policy.model import NegotiatorPolicy
from policy.versions import NEWEST, Version

R = TypeVar("R")

MIN_PRIORITY: Final = 0.5
MIN_FACTOR: Final = 1.0
NICE_USER_PREFIX: Final = "nice-user"


@frozen
class AccountantSettings:
    """The knobs of the accountant.  ``half_life`` is in seconds; factors have no unit.

    ``group_factors``: ``GROUP_PRIO_FACTOR_<group>`` by group name.  ``version``: of the negotiator.
    """

    half_life: float
    default_factor: float
    nice_user_factor: float
    remote_factor: float
    local_domain: str = ""
    group_factors: Mapping[str, float] = field(factory=dict)
    version: Version = NEWEST


def update_customer(customer: Customer, elapsed: int, now: int, half_life: float) -> Customer:
    """Age one record by ``elapsed`` seconds of its recent usage."""
    beta = remaining(elapsed, half_life)
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


def expire_leases(customer: Customer, now: float, version: Version = NEWEST) -> Customer:
    """Take back the temporary floor, ceiling and factor whose time is over."""
    if customer.ceiling_lease or customer.floor_lease or customer.factor_lease:
        for rule in (LEASES_OF_BOUNDS, LEASES_OF_FACTORS):
            customer = rule.of(version)(customer, now)
    return customer


def update_priorities(
    state: AccountantState, now: int, half_life: float, version: Version = NEWEST
) -> AccountantState:
    """The priority update at the head of a cycle, with the usage that the last cycle left."""
    last = state.last_update_time
    customers = {
        name: expire_leases(record, now, version) for name, record in state.customers.items()
    }
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
    local = settings.local_domain
    if local and local != DOMAIN_OF_NAME.of(settings.version)(name):
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

    def charge(self, weight: float, slots: int, since: int) -> None:
        """Take in slots; ``since``: the seconds since the records were last updated."""
        self.slots += slots
        self.weight = stored(self.weight + weight)
        self.uncharged = (self.uncharged or 0) - since * slots
        self.weighted_uncharged = stored((self.weighted_uncharged or 0.0) - since * weight)

    def bound(self) -> None:
        """Let nothing stay below 0 after slots were given back."""
        self.slots = max(self.slots, 0)
        self.weight = max(self.weight, 0.0)
        self.below = max(self.below, 0.0)

    def put_into(self, record: Customer, factor: float | None) -> Customer:
        """The record with this usage and a priority factor."""
        # As ``_replace`` does in several times the time: this is done for each user.
        name, priority, _, _, _, _, used, weighted, _, _, *others = record
        usage = (self.slots, self.weight, self.below)
        uncharged = (self.uncharged, self.weighted_uncharged)
        return Customer._make((name, priority, factor, *usage, used, weighted, *uncharged, *others))


class _GroupAccount(NamedTuple):
    """The usage of a group, and those of it and the groups above, whose ``below`` it counts in."""

    own: _Usage
    above: list[_Usage]

    def charge(self, weight: float, slots: int, since: int) -> None:
        """Take in slots of one submitter or more."""
        self.own.charge(weight, slots, since)
        for used in self.above:
            used.below = stored(used.below + weight)


class _Terms(NamedTuple):
    """The numbers of a record that are constant in a cycle."""

    priority: float
    factor: float
    floor: int
    ceiling: int


class _LazyRecords(Mapping[str, R]):
    """Records that are made when one is asked for; most cycles are not followed by another one."""

    def __init__(self, make: Callable[[], dict[str, R]]) -> None:
        self._make: Callable[[], dict[str, R]] | None = make
        self._made: dict[str, R] = {}

    def _all(self) -> dict[str, R]:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    def __getitem__(self, name: str) -> R:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._all(),)


class Accountant:
    """The accountant during one cycle: priorities stand still, usage grows with every match."""

    def __init__(
        self, state: AccountantState, settings: AccountantSettings, tree: GroupTree, now: float
    ) -> None:
        """Update the priorities; usage is that of the cycle before until ``count_claims``."""
        self._settings = settings
        self._tree = tree
        self._now = int(now)
        self._state = update_priorities(state, self._now, settings.half_life, settings.version)
        self._customers = dict(self._state.customers)
        #: Names that had no record, and what their records mean, by the factor.
        self._new: set[str] = set()
        self._terms_of_new: dict[float, _Terms] = {}
        #: What records mean that have been looked at, and the factors that they get by that.
        self._terms: dict[str, _Terms] = {}
        self._factors: dict[str, float] = {}
        #: The factor of all who have none stored, where it depends on no group and no domain.
        own = settings.group_factors or settings.local_domain
        self._usual_factor = None if own else stored(settings.default_factor)
        #: Usage that is not what the record says, or that is charged.
        self._usage = {
            name: _Usage.of(record)
            for name, record in self._customers.items()
            if record.resources_used
            or record.weighted_resources_used
            or record.hier_weighted_resources_used
        }
        #: By submitter that was charged: its usage, and its group.
        self._accounts: dict[str, tuple[_Usage, str]] = {}
        self._group_accounts: dict[str, _GroupAccount] = {}
        #: The table of claims by key; None if none is kept from cycle to cycle.
        self.claims: dict[str, Resource] | None = None
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
            self._charge_at_once(listed)
            return
        for name, weight in listed:
            self.charge(name, weight)

    def _charge_at_once(self, claims: list[tuple[str, float]]) -> None:
        """Charge slots of whole weights when nobody has used them uncharged."""
        slots = Counter(map(itemgetter(0), claims))
        weights = dict.fromkeys(slots, 0.0)
        for name, weight in claims:
            weights[name] += weight
        members: dict[str, list[str]] = {}
        for name, weight in weights.items():
            used, group = self._account(name)
            used.charge(weight, slots[name], 0)
            members.setdefault(group, []).append(name)
        for group, names in members.items():
            weight, count = sum(map(weights.__getitem__, names)), sum(map(slots.__getitem__, names))
            self._group_accounts[group].charge(weight, count, 0)

    def charge(self, name: str, weight: float) -> None:
        """Charge a slot to a submitter, to its group and to the groups above."""
        since = self._now - self._since()
        used, group = self._account(name)
        used.charge(weight, 1, since)
        self._group_accounts[group].charge(weight, 1, since)

    # --- a table of claims that lasts, as negotiators up to 25.8 have it -------------------------

    def settle_claims(self, claims: Iterable[Resource], matched: Set[str]) -> None:
        """Bring the table of claims in line with the slots: usage changes only with the table.

        A record goes if its slot is neither matched nor claimed by its holder; then each claimed
        slot without a record gets one, with its weight of now.  ``claims``: as they are now, in
        pool order; ``matched``: the keys of slots that wait to be claimed.  Without any record
        usage is what the slots are worth: nobody has seen the table.
        """
        now = list(claims)
        known = self.claims = dict(self._state.resources)
        if not known:
            self.count_claims((claim.remote_user, claim.slot_weight) for claim in now)
            known.update((claim.key, claim) for claim in now)
            return
        holders = {claim.key: claim.remote_user for claim in now}
        marked = {key.partition("_cp_match_")[0] for key in known if "_cp_match_" in key}
        for key, record in self._state.resources.items():
            if key not in matched and holders.get(key) != record.remote_user:
                self._give_back(known.pop(key))
        for claim in now:
            if claim.key in known:
                if known[claim.key].remote_user == claim.remote_user:
                    continue
                self._give_back(known.pop(claim.key))
            self.charge(claim.remote_user, claim.slot_weight)
            known[claim.key] = evolve(claim, split=True) if claim.key in marked else claim

    def hand_over(self, match: Resource, *, shared: bool) -> bool:
        """Put a match into the table of claims, and charge it.

        False if the submitter has the slot already: then nothing is charged.  ``shared``: the slot
        has a consumption policy, whose matches are records beside that of the slot itself.
        """
        known = self.claims = {} if self.claims is None else self.claims
        there = known.get(match.key)
        if shared:
            if there is not None:
                known[match.key] = evolve(there, split=True)
            number = sum(key.startswith(f"{match.key}_cp_match_") for key in known)
            match = evolve(match, key=f"{match.key}_cp_match_{number:03}")
        elif there is not None:
            if there.remote_user == match.remote_user:
                return False
            self._give_back(known.pop(match.key))
        self.charge(match.remote_user, match.slot_weight)
        known[match.key] = match
        return True

    def _give_back(self, record: Resource) -> None:
        """Take a claim from the usage of its holder; usage does not fall below 0."""
        if record.split:
            return
        since = self._now - self._since()
        used, group = self._account(record.remote_user)
        account = self._group_accounts[group]
        for charged in (used, account):
            charged.charge(-record.slot_weight, -1, since)
        for charged in (used, account.own, *account.above):
            charged.bound()

    def _account(self, name: str) -> tuple[_Usage, str]:
        """The usage of a submitter, and the group to which it is charged besides."""
        account = self._accounts.get(name)
        if account is None:
            group = self._tree.assigned(name).name
            if name not in self._customers:
                self._add(name)
            account = self._accounts[name] = self._used(name), group
            if group not in self._group_accounts:
                self._group_accounts[group] = self._group_account(group)
        return account

    def _group_account(self, group: str) -> _GroupAccount:
        path = [group] if group == ROOT_GROUP else subtrees_of(group)
        for above in path:
            self._look_up(above)
        return _GroupAccount(self._used(group), [self._used(above) for above in path])

    def _since(self) -> int:
        return self._state.last_update_time or self._now

    def _used(self, name: str) -> _Usage:
        """The changing usage of a name that has a record."""
        used = self._usage.get(name)
        if used is None:
            new = name in self._new
            used = _Usage(0, 0.0, 0.0, None, None) if new else _Usage.of(self._customers[name])
            self._usage[name] = used
        return used

    def _add(self, name: str) -> None:
        """Make the record of a name that has none."""
        self._customers[name] = Customer(name)
        self._new.add(name)

    def usage(self, name: str) -> float:
        """The weight charged to exactly this submitter or group now."""
        used = self._usage.get(name)
        return 0.0 if used is None else used.weight

    def usages(self) -> dict[str, float]:
        """The usage of all who have any."""
        return {name: used.weight for name, used in self._usage.items()}

    def real_priority(self, name: str) -> float:
        """The priority before the factor."""
        return self._look_up(name).priority

    def factor(self, name: str) -> float:
        """The priority factor."""
        return self._look_up(name).factor

    def effective_priority(self, name: str) -> float:
        """The priority that decides: real priority times factor, bigger is worse."""
        terms = self._terms.get(name) or self._look_up(name)
        return terms.priority * terms.factor

    def floor(self, name: str) -> int:
        """The weight a submitter is to get before all others, 0 if none."""
        return (self._terms.get(name) or self._look_up(name)).floor

    def ceiling(self, name: str) -> int:
        """The weight a submitter may use, -1 if there is no limit."""
        return self._look_up(name).ceiling

    def meet(self, names: Iterable[str]) -> None:
        """Give the records of names the factors that they lack, whether they took part or not."""
        for name in names:
            self._look_up(name)

    def state(self) -> AccountantState:
        """The tables as they are now."""
        return evolve(self._state, customers=self._all_written())

    def final_state(self, claims: Callable[[], dict[str, Resource]] = dict) -> AccountantState:
        """The tables when nothing is charged any more; records are made when one is asked for.

        ``claims`` makes those of claims where no table of them is kept.
        """
        if self.claims is not None:
            claims = self.claims.copy
        return evolve(
            self._state,
            customers=_LazyRecords(self._all_written),
            resources=_LazyRecords(claims),
        )

    def _all_written(self) -> dict[str, Customer]:
        return {name: self._written(name, record) for name, record in self._customers.items()}

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
        if name not in self._customers:
            self._add(name)
        if name in self._new:
            own = self._factors[name] = self._factor_without(name)
            terms = self._terms_of_new.get(own)
            if terms is None:
                counts = own or self._settings.default_factor
                terms = self._terms_of_new[own] = _Terms(MIN_PRIORITY, counts, 0, NO_CEILING)
            return terms
        record = self._customers[name]
        factor, priority = record.priority_factor, record.priority
        if factor is None or factor < MIN_FACTOR:
            factor = self._factors[name] = self._factor_without(name)
        if priority is not None and priority < MIN_PRIORITY:
            priority = MIN_PRIORITY
            self._customers[name] = record.changed(priority=priority)
        return _Terms(
            priority or MIN_PRIORITY,
            factor or self._settings.default_factor,
            max(record.floor, 0),
            max(record.ceiling, -1),
        )

    def _factor_without(self, name: str) -> float:
        """The factor of a name without a stored one."""
        if self._usual_factor is not None and not name.startswith(NICE_USER_PREFIX):
            return self._usual_factor
        settings = self._settings
        group = self._tree.assigned(name).name if settings.group_factors else ROOT_GROUP
        return stored(priority_factor(name, group, settings))


def accountant_settings(policy: NegotiatorPolicy) -> AccountantSettings:
    """The part of a policy that the accountant reads."""
    factors = {spec.name: spec.prio_factor for spec in policy.groups}
    return AccountantSettings(
        half_life=policy.priority_halflife_seconds,
        default_factor=policy.default_prio_factor,
        nice_user_factor=policy.nice_user_prio_factor,
        remote_factor=policy.remote_prio_factor,
        local_domain=policy.accountant_local_domain,
        group_factors={name: factor for name, factor in factors.items() if factor is not None},
        version=policy.version,
    )
