"""Attributes that exist only during a cycle: what the negotiator adds to slots and requests.

Decision here: their values.  Inputs: the accountant, the groups, the quotas of the cycle before.
Outputs: additions to the (copied) ads, and the two functions that read live usage while an
expression is evaluated.  Usage and quotas are in slot weights; priorities are effective ones.

Never here: what is made of the values.
Follows: the list of attributes in HTCondor's manual; types and presence as in the vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from attr import field, frozen

from classad.ad import ClassAd
from classad.builtins.registry import EAGER, Builtin
from classad.evaluate import EvalContext, EvalState
from classad.expr import ExprTree
from classad.nodes import Call, Literal
from classad.values import ERROR
from negotiator.accounting import Accountant
from negotiator.arithmetic import float32
from negotiator.groups import GroupTree
from negotiator.result import ROOT_GROUP
from negotiator.slots import Slot, occupant
from policy.model import NegotiatorPolicy

_USER_FUNCTION: Final = "ResourcesInUseByUser"
_GROUP_FUNCTION: Final = "ResourcesInUseByUsersGroup"


def live_functions(accountant: Accountant, tree: GroupTree) -> dict[str, Builtin]:
    """The functions that give the usage of a user, or of the user's group, at this moment."""

    def by_user(state: EvalState, name: Any) -> Any:
        """The weighted usage of a user now, in single precision."""
        return float32(accountant.usage(name)) if name.__class__ is str else ERROR

    def by_users_group(state: EvalState, name: Any) -> Any:
        """The weighted usage of a user's group now; an error if no groups are configured."""
        if name.__class__ is not str or not tree.configured:
            return ERROR
        return accountant.usage(tree.assigned(name).name)

    return {
        name.lower(): Builtin(
            name,
            "negotiator",
            1,
            1,
            EAGER,
            False,
            "anything but a string gives error",
            impl.__doc__ or "",
            (),
            impl,
        )
        for name, impl in ((_USER_FUNCTION, by_user), (_GROUP_FUNCTION, by_users_group))
    }


@cache
def _call(function: str, name: str) -> ExprTree:
    return ExprTree.from_node(Call(function, (Literal(name),)))


@frozen(eq=False)
class SlotDecorator:
    """Adds what is known about occupants; only used when preemption is considered.

    ``previous_quotas``: the quota of each group as the cycle before left it, None if there was
    none.  ``prefix``: of attributes about other slots of the machine; None to leave them out.
    """

    accountant: Accountant
    tree: GroupTree
    previous_quotas: Mapping[str, float] | None
    context: EvalContext
    prefix: str | None = None
    _known: dict[str, dict[str, Any]] = field(factory=dict, init=False)

    def decorate(self, slot: Slot) -> None:
        """Add the ephemeral attributes of a slot."""
        if slot.raw("PreemptingRank") is not None:
            rank = slot.ad.get_number("PreemptingRank", context=self.context)
            if rank is not None:
                slot.insert("CurrentRank", rank)
        if slot.user is not None:
            slot.insert("RemoteUserFloor", self.accountant.floor(slot.user))
            self._add_user(slot, slot.user, "")
        if self.prefix is None:
            return
        total = slot.ad.get_number("TotalSlots", context=self.context)
        for i in range(1, int(total or 1) + 1):
            user = occupant(slot.ad, self.context, f"{self.prefix}{i}_")
            if user is not None:
                self._add_user(slot, user, f"{self.prefix}{i}_")

    def _add_user(self, slot: Slot, user: str, prefix: str) -> None:
        """What the policy may want to know about a user and its group."""
        known = self._known.get(user)
        if known is None:
            known = self._known[user] = self._about(user)
        for name, value in known.items():
            slot.insert(prefix + name, value)

    def _about(self, user: str) -> dict[str, Any]:
        about: dict[str, Any] = {
            "RemoteUserPrio": float32(self.accountant.effective_priority(user)),
            "RemoteUserResourcesInUse": _call(_USER_FUNCTION, user),
        }
        group, quotas = self.tree.assigned(user).name, self.previous_quotas
        if self.tree.configured and quotas is not None and group in quotas:
            about["RemoteGroup"] = group
            about["RemoteGroupResourcesInUse"] = _call(_GROUP_FUNCTION, user)
            about["RemoteGroupQuota"] = quotas[group]
        return about


def decorate_request(
    ad: ClassAd,
    submitter: str,
    priority: float,
    group: str | None,
    accountant: Accountant,
    tree: GroupTree,
) -> None:
    """Add what is known about the submitter.  ``group``: the one negotiating, if any."""
    negotiating = ROOT_GROUP if group is None else group
    ad.insert("SubmitterUserPrio", priority)
    ad.insert("SubmittorPrio", priority)
    ad.insert("SubmitterUserResourcesInUse", accountant.usage(submitter))
    ad.insert("SubmitterNegotiatingGroup", negotiating)
    ad.insert("SubmitterAutoregroup", tree.autoregroup and negotiating == ROOT_GROUP)
    if tree.configured:
        own = tree.assigned(submitter)
        ad.insert("SubmitterGroup", own.name)
        ad.insert("SubmitterGroupResourcesInUse", accountant.usage(own.name))
        ad.insert("SubmitterGroupQuota", own.quota)


def add_match_expressions(slots: list[Slot], policy: NegotiatorPolicy) -> None:
    """Add what ``NEGOTIATOR_MATCH_EXPRS`` lists."""
    for slot in slots:
        for name, expr in policy.match_exprs:
            slot.insert(name, expr)
