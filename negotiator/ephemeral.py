"""Attributes that exist only during a cycle: what the negotiator adds to slots and requests.

Decision here: their values.  Inputs: the accountant, the groups, the quotas of the cycle before.
Outputs: additions to the (copied) ads, and the two functions that read live usage while an
expression is evaluated.  Usage and quotas are in slot weights; priorities are effective ones.

Never here: what is made of the values.
Follows: the list of attributes in HTCondor's manual; types and presence as in the vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
from negotiator.slots import Slot
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


def _call(function: str, name: str) -> ExprTree:
    return ExprTree.from_node(Call(function, (Literal(name),)))


def decorate_slot(
    slot: Slot,
    accountant: Accountant,
    tree: GroupTree,
    previous_quotas: Mapping[str, float] | None,
    context: EvalContext,
) -> None:
    """Add what is known about the occupant.  Only called when preemption is considered."""
    ad, user = slot.ad, slot.user
    rank = ad.get_number("PreemptingRank", context=context)
    if rank is not None:
        ad.insert("CurrentRank", rank)
    if user is None:
        return
    ad.insert("RemoteUserPrio", float32(accountant.effective_priority(user)))
    ad.insert("RemoteUserFloor", accountant.floor(user))
    ad.insert("RemoteUserResourcesInUse", _call(_USER_FUNCTION, user))
    group = tree.assigned(user).name
    if not tree.configured or previous_quotas is None or group not in previous_quotas:
        return
    ad.insert("RemoteGroup", group)
    ad.insert("RemoteGroupResourcesInUse", _call(_GROUP_FUNCTION, user))
    ad.insert("RemoteGroupQuota", previous_quotas[group])


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
            slot.ad.insert(name, expr)


def decorate_slots(
    slots: list[Slot],
    accountant: Accountant,
    tree: GroupTree,
    previous_quotas: Mapping[str, float] | None,
    context: EvalContext,
) -> None:
    """Decorate all slots that are left after trimming."""
    for slot in slots:
        decorate_slot(slot, accountant, tree, previous_quotas, context)
