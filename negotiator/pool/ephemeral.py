"""Adds the attributes that exist only during a cycle: what the negotiator tells slots and requests.

The names are those of ``policy.ephemeral``.  Usage and quotas are in slot weights; priorities are
effective ones.  Follows the list of attributes in HTCondor's manual; types and presence as in the
vectors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from attr import field, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, EvalState
from classad.evaluation.functions import EAGER, USAGE, Builtin
from classad.language.names import fold_name
from classad.language.values import ERROR, ClassAdValue
from classad.syntax.nodes import Call, Literal
from negotiator.accounting.accountant import Accountant
from negotiator.groups.tree import GroupTree
from negotiator.model.arithmetic import float32, whole
from negotiator.model.result import ROOT_GROUP
from negotiator.pool.fetch import occupant
from negotiator.pool.slots import Changes, Slot, Slots
from negotiator.versions.negotiator import REMOTE_USER_FLOOR
from policy.ephemeral import GROUP_USAGE, USER_USAGE
from policy.model import NegotiatorPolicy


def live_functions(accountant: Accountant, tree: GroupTree) -> dict[str, Builtin]:
    """The functions that give the usage of a user, or of the user's group, at this moment."""

    def by_user(state: EvalState, name: object) -> ClassAdValue:
        """The weighted usage of a user now, in single precision."""
        return float32(accountant.usage(name)) if isinstance(name, str) else ERROR

    def by_users_group(state: EvalState, name: object) -> ClassAdValue:
        """The weighted usage of a user's group now; an error if no groups are configured."""
        if not isinstance(name, str) or not tree.configured:
            return ERROR
        return accountant.usage(tree.assigned(name).name)

    return {
        name.lower(): Builtin(
            name=name,
            family="negotiator",
            min_args=1,
            max_args=1,
            laziness=EAGER,
            reads=USAGE,
            exceptional="anything but a string gives error",
            doc=impl.__doc__ or "",
            examples=(),
            impl=impl,
        )
        for name, impl in ((USER_USAGE, by_user), (GROUP_USAGE, by_users_group))
    }


def _folded(*names: str) -> dict[str, str]:
    return {fold_name(name): name for name in names}


#: What is said in a request about its submitter, and about the submitter's group.
_SUBMITTER: Final = _folded(
    *("SubmitterUserPrio", "SubmittorPrio", "SubmitterUserResourcesInUse"),
    *("SubmitterNegotiatingGroup", "SubmitterAutoregroup"),
)
_GROUP: Final = _folded("SubmitterGroup", "SubmitterGroupResourcesInUse", "SubmitterGroupQuota")
TOLD_TO_REQUESTS: Final = frozenset({*_SUBMITTER, *_GROUP})


@cache
def _call(function: str, name: str) -> Expression:
    return Expression.from_node(Call(function, (Literal(name),)))


@cache
def _of_others(prefix: str) -> re.Pattern[str]:
    """The beginning of a name that tells of another slot of the machine, with its number."""
    return re.compile(rf"{re.escape(prefix)}([1-9][0-9]{{0,18}})_", re.ASCII | re.IGNORECASE)


@frozen(eq=False)
class SlotDecorator:
    """Adds attributes about the users of slots; only used when preemption is considered.

    ``previous_quotas``: the quota of each group as the cycle before left it, None if there was
    none.  ``prefix``: of attributes about other slots of the machine; None to leave them out.
    ``says_floor``: whether a user's floor is written.
    """

    accountant: Accountant
    tree: GroupTree
    previous_quotas: Mapping[str, float] | None
    context: EvalContext
    prefix: str | None = None
    says_floor: bool = REMOTE_USER_FLOOR.new
    _known: dict[str, Changes] = field(factory=dict)
    _changes: dict[str, Changes] = field(factory=dict)

    def decorate(self, slots: Slots) -> None:
        """Add the ephemeral attributes of slots."""
        ranks = slots.each(_preempting_rank, self.context, reads=("PreemptingRank",))
        if ranks.count(None) < len(ranks):
            for slot, rank in zip(slots, ranks, strict=True):
                if rank is not None:
                    slot.insert("CurrentRank", rank)
        known = self._changes
        for slot in slots:
            user = slot.user
            if user is not None:
                slot.adopt(known.get(user) or self._of(user))
        slots.note(set().union(*known.values()))
        if self.prefix is not None:
            for slot in slots:
                self._add_others(slot, self.prefix)

    def _of(self, user: str) -> Changes:
        """The attributes about the user of a slot."""
        known = self._about(user)
        if self.says_floor:
            floor = ("RemoteUserFloor", self.accountant.floor(user))
            known = {"remoteuserfloor": floor, **known}
        self._changes[user] = known
        return known

    def _add_others(self, slot: Slot, prefix: str) -> None:
        """Add attributes about the users of the other slots of the machine."""
        total = whole(slot.ad.get_number("TotalSlots", context=self.context)) or 1
        # Only those that the ad says something of: there may be said to be billions of slots.
        told = map(_of_others(prefix).match, slot.ad.names())
        numbers = {int(found[1]) for found in told if found}
        for i in sorted(number for number in numbers if number <= total):
            user = occupant(slot.ad, self.context, f"{prefix}{i}_")
            if user is not None:
                for name, value in self._about(user).values():
                    slot.insert(f"{prefix}{i}_{name}", value)

    def _about(self, user: str) -> Changes:
        """The attributes about a user and its group."""
        known = self._known.get(user)
        if known is not None:
            return known
        about: dict[str, tuple[str, object]] = {
            "remoteuserprio": ("RemoteUserPrio", float32(self.accountant.effective_priority(user))),
            "remoteuserresourcesinuse": ("RemoteUserResourcesInUse", _call(USER_USAGE, user)),
        }
        quotas = self.previous_quotas
        if self.tree.configured and quotas is not None:
            group = self.tree.assigned(user).name
            if group in quotas:
                usage = _call(GROUP_USAGE, user)
                about["remotegroup"] = ("RemoteGroup", group)
                about["remotegroupresourcesinuse"] = ("RemoteGroupResourcesInUse", usage)
                about["remotegroupquota"] = ("RemoteGroupQuota", quotas[group])
        self._known[user] = about
        return about


def _preempting_rank(slot: Slot, context: EvalContext) -> int | float | None:
    if slot.raw("PreemptingRank") is None:
        return None
    return slot.ad.get_number("PreemptingRank", context=context)


def decorate_request(
    ad: ClassAd,
    submitter: str,
    priority: float,
    group: str | None,
    accountant: Accountant,
    tree: GroupTree,
) -> None:
    """Add attributes about the submitter.  ``group``: the one negotiating, if any."""
    negotiating = ROOT_GROUP if group is None else group
    regrouped = tree.autoregroup and negotiating == ROOT_GROUP
    usage = accountant.usage(submitter)
    said = (priority, priority, usage, negotiating, regrouped)
    ad.insert_plain(_SUBMITTER, dict(zip(_SUBMITTER, said, strict=True)))
    if tree.configured:
        own = tree.assigned(submitter)
        about = (own.name, accountant.usage(own.name), own.quota)
        ad.insert_plain(_GROUP, dict(zip(_GROUP, about, strict=True)))


#: What a slot that stays in the pool carries of a match: its attribute, and where that is from.
_OF_REQUEST: Final = (
    ("RemoteGroup", "SubmitterGroup"),
    ("RemoteNegotiatingGroup", "SubmitterNegotiatingGroup"),
    ("_condor_RESOURCE_CLUSTER", "ClusterId"),
    ("_condor_RESOURCE_PROC", "ProcId"),
)
_OF_SLOT: Final = (("RemoteAutoregroup", "SubmitterAutoregroup"),)


def carry_match(slot: Slot, request: ClassAd, limits: str) -> None:
    """Write a match into the ad of a slot that stays in the pool; the holder's attributes stay.

    ``limits``: the concurrency limits of the match.
    """
    ad = slot.own_ad()
    carried = [(name, request.raw(source)) for name, source in _OF_REQUEST]
    carried += [(name, ad.raw(source)) for name, source in _OF_SLOT]
    carried.append(("MatchedConcurrencyLimits", limits.lower() or None))
    for name, value in carried:
        if value is not None:
            slot.insert(name, value)
        elif ad.raw(name) is not None:
            slot.drop(name)


def tell_slots(
    slots: Slots,
    accountant: Accountant,
    tree: GroupTree,
    quotas: Mapping[str, float] | None,
    policy: NegotiatorPolicy,
    context: EvalContext,
) -> None:
    """Put into slots what policies may ask for.  ``quotas``: as the cycle before left them."""
    add_match_expressions(slots, policy)
    if policy.consider_preemption:
        prefix = (policy.startd_resource_prefix or "slot") if policy.cross_slot_prios else None
        floor = REMOTE_USER_FLOOR.of(policy.version)
        SlotDecorator(accountant, tree, quotas, context, prefix, floor).decorate(slots)


def add_match_expressions(slots: Slots, policy: NegotiatorPolicy) -> None:
    """Add what ``NEGOTIATOR_MATCH_EXPRS`` lists."""
    for slot in slots if policy.match_exprs else ():
        for name, expr in policy.match_exprs:
            slot.insert(name, expr)
