"""Holds all rounds of a cycle: one for everybody, or as the loop over the groups asks for them."""

from __future__ import annotations

from attr import define, field

from classad import ClassAd
from classad.evaluate import evaluate
from negotiator.groups.rounds import run_group_rounds, too_many_passes
from negotiator.groups.tree import Group
from negotiator.jobs.submitters import Submitter
from negotiator.matching.board import Board
from negotiator.model.arithmetic import FLT_MAX, INT_MAX, add_up, c_cut
from negotiator.model.departures import DepartureKind
from negotiator.model.result import AllocationRound
from negotiator.sessions.spins import RoundTerms, run_round


def all_rounds(board: Board) -> tuple[AllocationRound, ...]:
    """All rounds of the cycle; without groups there is one for everybody."""
    negotiation, submitters = _GroupNegotiation(board), board.taking_part
    if not board.tree.configured:
        negotiation.hold(submitters, None, INT_MAX)
        return ()
    policy, tree = board.policy, board.tree
    for submitter in submitters:
        group = tree.assigned(submitter.name)
        group.demand += submitter.demand
        negotiation.waiting.setdefault(group.name, []).append(submitter)
    if tree.autoregroup:
        mine = negotiation.waiting.setdefault(tree.root.name, [])
        for group in tree.groups[1:]:
            if group.settings.autoregroup:
                mine.extend(negotiation.waiting.get(group.name, []))
    size = board.numbers.pie if policy.use_slot_weights else board.numbers.effective_size
    rounds = tuple(run_group_rounds(tree, size, policy, negotiation, board.tell))
    for done in rounds:
        if too_many_passes(done.max_delta, policy):
            board.departures.note(DepartureKind.ROUND_ROBIN, f"allocation round {done.round}")
    return rounds


@define(eq=False)
class _GroupNegotiation:
    """Carries out what the loop over groups asks for."""

    board: Board
    waiting: dict[str, list[Submitter]] = field(factory=dict)

    def usage(self, group: Group) -> float:
        return self.board.accountant.usage(group.name)

    def subtree_usage(self, group: Group) -> float:
        return self.usage(group) + add_up(map(self.subtree_usage, group.children))

    def has_submitters(self, group: Group) -> bool:
        return bool(self.waiting.get(group.name))

    def sort_key(self, group: Group) -> float:
        ad, board = sort_ad(group, self.usage(group)), self.board
        value = evaluate(board.policy.group_sort_expr, ad, context=board.context)
        return float(value) if value.__class__ in (int, float, bool) else FLT_MAX

    def negotiate(self, group: Group, limit: int) -> int | None:
        tree = self.board.tree
        regrouped = tree.autoregroup and group is tree.root
        self.hold(self.waiting[group.name], group.name, limit, regrouped)
        return len(self.board.pies) - 1

    def hold(
        self, submitters: list[Submitter], group: str | None, quota: int, regrouped: bool = False
    ) -> None:
        """A round for those below their floor, then one for all."""
        accountant = self.board.accountant
        below = {s.name: c_cut(accountant.floor(s.name)) for s in submitters}
        needy = [s for s in submitters if accountant.usage(s.name) < below[s.name]]
        if needy:
            run_round(self.board, needy, RoundTerms(group, quota, True, regrouped))
        run_round(self.board, submitters, RoundTerms(group, quota, False, regrouped))


def sort_ad(group: Group, usage: float) -> ClassAd:
    """The ad in which ``GROUP_SORT_EXPR`` is evaluated; ``usage`` in slot weights."""
    ad = ClassAd()
    ad.insert("AccountingGroup", group.name)
    ad.insert("GroupQuota", group.quota)
    ad.insert("GroupResourcesInUse", usage)
    ad.insert("GroupResourcesAllocated", group.allocated)
    return ad
