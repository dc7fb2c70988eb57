"""Sets up a cycle for one case: accountant, groups, decorated ads; finds its verdict.

The values of a case become what the negotiator would have before it; the verdict is that of the
cycle's own code (``candidates``, ``ephemeral``, ``accounting``).

Inputs: a policy, a case or its parts.  Outputs: ``CycleStart``, slots, requests, verdicts.
Follows: the head of ``negotiator.cycle.negotiate``; a claim looks as ``simulate.pool`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attr import field, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from negotiator.accounting.accountant import Accountant, accountant_settings
from negotiator.groups.tree import GroupTree, group_tree
from negotiator.jobs.autoclusters import never_significant
from negotiator.matching.board import Board
from negotiator.matching.candidate import Refusal, Requester
from negotiator.matching.candidates import consider
from negotiator.matching.concurrency_limits import ConcurrencyCounts
from negotiator.model.result import MatchKind
from negotiator.model.snapshot import AccountantState, Customer
from negotiator.pool.ephemeral import (
    SlotDecorator,
    add_match_expressions,
    decorate_request,
    live_functions,
)
from negotiator.pool.fetch import fetch_slots
from negotiator.pool.slots import Slot, Slots
from negotiator.pool.weights import pool_numbers
from pieslice.between.pool import show_claim, show_free, show_time, terms_of_claim
from pieslice.fuzzing.case import FuzzCase, Party, Values
from pieslice.fuzzing.schema import AdValue
from policy.model import NegotiatorPolicy

Verdict = MatchKind | Refusal

#: Attributes that the situation of a claim decides; they are never drawn.
OF_CLAIM: Final = frozenset(
    name.casefold()
    for name in (
        "State", "Activity", "RemoteUser", "RemoteOwner", "AccountingGroup", "CurrentRank",
        "EnteredCurrentState", "EnteredCurrentActivity", "JobStart", "TotalJobRunTime",
        "TotalClaimRunTime", "MyCurrentTime", "LastHeardFrom", "RetirementTimeRemaining",
        "RemoteGroup", "RemoteNegotiatingGroup", "RemoteAutoregroup", "PreemptingUser",
        "PreemptingOwner", "PreemptingAccountingGroup", "PreemptingRank", "ConcurrencyLimits",
        "PreemptingConcurrencyLimits", "Name", "MyType", "Requirements", "Absent",
        "NegotiatorRequirements",
    )
)  # fmt: skip
_SCHEDD: Final = "schedd"
#: Who holds what the parties of a case do not.
OTHERS: Final = "others"


@frozen(eq=False)
class CycleStart:
    """A cycle before its first match: policy, accountant, groups and the time."""

    policy: NegotiatorPolicy
    accountant: Accountant
    tree: GroupTree
    context: EvalContext
    board: Board = field(init=False)
    decorator: SlotDecorator = field(init=False)

    def __attrs_post_init__(self) -> None:
        board = Board(
            policy=self.policy,
            context=self.context,
            accountant=self.accountant,
            tree=self.tree,
            concurrency=ConcurrencyCounts(self.policy.concurrency_limits.maximum, ()),
            numbers=pool_numbers(Slots(), self.policy, self.context),
            jobs={},
        )
        quotas = {group.name: group.quota for group in self.tree.groups}
        decorator = SlotDecorator(
            self.accountant, self.tree, quotas if self.tree.configured else None, self.context
        )
        object.__setattr__(self, "board", board)
        object.__setattr__(self, "decorator", decorator)

    @property
    def now(self) -> int:
        """Seconds since the epoch."""
        return int(self.context.now or 0)

    def slots(self, ads: Iterable[ClassAd]) -> Slots:
        """Slots as the cycle has them: weighed and decorated."""
        found = fetch_slots(ads, {}, self.policy, self.context)
        add_match_expressions(found, self.policy)
        if self.policy.consider_preemption:
            self.decorator.decorate(found)
        return found

    def request(self, party: Party) -> ClassAd:
        """A request as the cycle has it: without what is never significant, decorated."""
        ad = job_ad(party)
        never = never_significant(self.policy.version)
        for name in [name for name in ad.names() if name.lower() in never]:
            ad.remove(name)
        self.decorate(ad, party.user)
        return ad

    def decorate(self, ad: ClassAd, user: str) -> None:
        """Add what is known about the submitter, again if need be."""
        group = self.tree.assigned(user).name if self.tree.configured else None
        priority = self.accountant.effective_priority(user)
        decorate_request(ad, user, priority, group, self.accountant, self.tree)

    def verdict(self, slot: Slot, request: ClassAd, user: str) -> Verdict:
        """What the cycle makes of a slot for a request, limits left out."""
        priority = self.accountant.effective_priority(user)
        found = consider(self.board, 0, slot, request, Requester(user, _SCHEDD, priority, False))
        return found if isinstance(found, Refusal) else found.kind


def begin_cycle(
    policy: NegotiatorPolicy,
    now: int,
    state: AccountantState,
    claims: Iterable[tuple[str, float]],
    quotas: Mapping[str, float],
) -> CycleStart:
    """A cycle at ``now``; ``claims``: who holds how much, in slot weights."""
    tree = group_tree(policy)
    for group in tree.groups:
        group.quota = quotas.get(group.name, 0.0)
    accountant = Accountant(state, accountant_settings(policy), tree, now)
    functions, language = live_functions(accountant, tree), policy.language
    context = EvalContext(now=now, seed=0, functions=functions, language=language)
    accountant.count_claims((user, weight) for user, weight in claims if weight > 0)
    return CycleStart(policy, accountant, tree, context)


def customers(parties: Iterable[Party], now: int) -> AccountantState:
    """The accountant's records of parties, with factor 1."""
    return AccountantState(
        {party.user: Customer(party.user, party.priority, 1.0) for party in parties},
        last_update_time=now,
    )


def others_of(group: str) -> str:
    """The submitter that holds what others of a group hold."""
    return f"{group}.{OTHERS}@pool" if group and group != "<none>" else f"{OTHERS}@pool"


def job_ad(party: Party) -> ClassAd:
    """The ad of a party's job."""
    ad = ClassAd()
    ad.insert("Owner", party.user.rpartition("@")[0].rpartition(".")[2])
    ad.insert("Requirements", True)
    fill(ad, party.job)
    return ad


def fill(ad: ClassAd, values: Values) -> None:
    """Insert plain values and expressions."""
    for name, value in values.items():
        ad.insert(name, value)


def slot_ad(
    case: FuzzCase, holder: Party | None, job_start: int, claimed: int, now: int
) -> ClassAd:
    """The slot of a case as it is advertised at ``now`` while ``holder`` has it."""
    ad = ClassAd()
    ad.insert("Name", "slot1@machine")
    ad.insert("Requirements", True)
    ad.insert("Rank", 0.0)
    ad.insert("SlotWeight", 1.0)
    fill(ad, case.slot)
    if holder is None:
        show_free(ad)
        for name in ("EnteredCurrentState", "EnteredCurrentActivity"):
            ad.insert(name, claimed)
    else:
        fill(ad, {k: v for k, v in holder.job.items() if k.casefold() in case.copied})
        terms = terms_of_claim(ad, job_ad(holder), EvalContext(now=float(job_start)))
        show_claim(ad, holder.user, *terms, claimed, job_start)
        # A claim that is used again is Idle for a moment between two jobs.
        ad.insert("EnteredCurrentActivity", job_start)
        ad.insert("TotalClaimRunTime", now - claimed)
        ad.insert("RetirementTimeRemaining", 0)
    show_time(ad, now)
    ad.insert("LastHeardFrom", now)
    return ad


def first_slot_ad(case: FuzzCase) -> ClassAd:
    """The slot as the case describes it."""
    holder = None if case.free else case.parties[0]
    age = max(case.run_time, case.claim_age)
    return slot_ad(case, holder, case.now - case.run_time, case.now - age, case.now)


def claims_of(case: FuzzCase, holder: Party | None, weight: float) -> list[tuple[str, float]]:
    """Who holds how much while ``holder`` has the slot of that weight."""
    claims: list[tuple[str, float]] = [(party.user, party.usage) for party in case.parties]
    claims += [(others_of(group), usage) for group, usage in case.others.items()]
    if holder is not None:
        claims.append((holder.user, weight))
    return claims


def weight_in(policy: NegotiatorPolicy, ad: ClassAd, now: int) -> float:
    """The weight that the negotiator gives a slot."""
    context = EvalContext(now=now, language=policy.language)
    return fetch_slots([ad], {}, policy, context)[0].weight


@frozen(eq=False)
class PreparedCase:
    """A case set up: its cycle, the slot and a request of each party."""

    cycle: CycleStart
    slot: Slot
    requests: tuple[ClassAd, ...]

    def verdict(self, case: FuzzCase, place: int) -> Verdict:
        """What the cycle makes of the request of a party."""
        return self.cycle.verdict(self.slot, self.requests[place], case.parties[place].user)


def prepared_case(policy: NegotiatorPolicy, case: FuzzCase) -> PreparedCase:
    """A case, set up as the head of a cycle does."""
    ad = first_slot_ad(case)
    holder = None if case.free else case.parties[0]
    weight = weight_in(policy, ad, case.now)
    state = customers(case.parties, case.now)
    claims = claims_of(case, holder, weight)
    cycle = begin_cycle(policy, case.now, state, claims, case.quotas)
    slot = cycle.slots([ad])[0]
    return PreparedCase(cycle, slot, tuple(cycle.request(party) for party in case.parties))


def value_of(tree: Expression, prepared: PreparedCase, place: int) -> AdValue:
    """The value of an expression of the policy for the request of a party."""
    from classad.evaluate import evaluate

    ads = prepared.slot.ad, prepared.requests[place]
    found: AdValue = evaluate(tree, *ads, context=prepared.cycle.context)
    return found
