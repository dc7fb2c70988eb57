"""Recounts usage as a negotiator does when it starts: from the claims that it has on record.

Usage is in slots and slot weights.  Follows the corner rules of the accountant in the vectors.
"""

from __future__ import annotations

from attr import evolve

from negotiator.groups.tree import GroupTree
from negotiator.model.snapshot import AccountantState, Customer


def recounted(state: AccountantState, tree: GroupTree) -> AccountantState:
    """The records with the usage that those of claims stand for.

    A group counts the users that are assigned to it and to no group below; a record that is
    neither a user with claims nor a group has no usage.
    """
    groups = {group.name for group in tree.groups}
    used: dict[str, tuple[int, float]] = {}
    for claim in state.resources.values():
        names = (claim.remote_user, tree.assigned(claim.remote_user).name)
        for name in names:
            slots, weight = used.get(name, (0, 0.0))
            used[name] = slots + 1, weight + claim.slot_weight

    def corrected(record: Customer) -> Customer:
        counts = "@" in record.name or record.name in groups
        slots, weight = used.get(record.name, (0, 0.0)) if counts else (0, 0.0)
        return record.changed(resources_used=slots, weighted_resources_used=weight)

    return evolve(
        state, customers={name: corrected(record) for name, record in state.customers.items()}
    )
