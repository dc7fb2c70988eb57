"""Preempts dynamic slots so that their partitionable slot fits one bigger request.

Follows the negotiator's behaviour with ALLOW_PSLOT_PREEMPTION as seen in the vectors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attr import evolve, frozen

from classad import ClassAd
from classad.ads.ad import ListValue
from classad.evaluate import EvalContext
from classad.language.values import UNDEFINED
from negotiator.model.arithmetic import ascending
from negotiator.model.result import MatchKind
from negotiator.pool.fetch import OCCUPANTS, occupant, use_plain_requirements
from negotiator.pool.slots import Slot

#: Who is said to be on a slot whose children are preempted.
VARIOUS_USERS: Final = "various_dSlot_users"
_BESIDES_REMOTE_USER: Final = tuple(name for name in OCCUPANTS if name != "remoteuser")
_DEFAULT_RESOURCES: Final = "cpus memory disk"


@frozen(eq=False)
class Enlarged:
    """A slot to whose ad resources of ``children`` were added, and what it had of them before.

    ``user``: who is on the slot by what its ad says besides ``RemoteUser``.
    """

    slot: Slot
    before: Mapping[str, object]
    user: str | None
    children: tuple[str, ...] = ()

    def restore(self) -> None:
        """Take the resources away; that brings no ``RemoteUser`` back, whoever it was."""
        for name, value in self.before.items():
            if value is None:
                self.slot.ad.remove(name)
            else:
                self.slot.ad.insert(name, value)
        self.slot.ad.insert("RemoteUser", UNDEFINED)
        self.slot.user = self.user


class ChildClaims:
    """The children of partitionable slots whose claims can still be had in a cycle."""

    def __init__(self, known: Mapping[str, Sequence[bool]] | None = None) -> None:
        """``known``: for each child whether there is a claim id, by slot name; see ``Snapshot``."""
        self._known = known
        self._left: dict[str, set[int]] = {}

    def of(self, slot: Slot) -> set[int] | None:
        """The places of the children of a slot; who uses one takes it out.

        None if the slot has no children, or not as many claims.
        """
        if slot.name not in self._left:
            if self._known is None:
                there: Sequence[bool] = [True] * len(_items(slot.ad, "ChildName"))
            else:
                there = self._known.get(slot.name, ())
            if not there:
                return None
            self._left[slot.name] = {place for place, has_claim in enumerate(there) if has_claim}
        return self._left[slot.name]


@frozen
class _Child:
    index: int
    name: str
    rank: float


def enlarge(
    slot: Slot,
    rank: float,
    matches: Callable[[], bool],
    preemptible: Callable[[str], bool],
    rank_only: bool,
    claims: set[int],
    context: EvalContext,
) -> tuple[MatchKind, Enlarged] | None:
    """Add children to a slot, lowest rank first, until it ``matches``; None if it never does.

    ``rank``: what the startd's rank of the request is; ``preemptible``: whether the claim of a
    child of that same rank may be preempted by priority; ``claims``: the places of the children
    whose claims can be had, which those lose that make the slot match, whoever is taken then.
    Without a child that could go the slot stays as it is.
    """
    children = _children(slot.ad, claims)
    if not children:
        return None
    resources = _resources(slot.ad, context)
    before = {name: slot.ad.raw(name) for name in resources}
    change = Enlarged(slot, before, occupant(slot.ad, context, attributes=_BESIDES_REMOTE_USER))
    kind: MatchKind | None = None
    gone: list[_Child] = []
    for child in children:
        if child.rank > rank:
            break
        if child.rank < rank:
            kind = kind or MatchKind.RANK
        elif not rank_only and preemptible(child.name):
            kind = MatchKind.PRIORITY
        else:
            continue
        _add(slot.ad, resources, child, context)
        if not gone:
            # Flattened ones may hold what the slot had before; they do not come back.
            use_plain_requirements(slot)
        gone.append(child)
        if matches():
            slot.ad.insert("RemoteUser", VARIOUS_USERS)
            slot.user = VARIOUS_USERS
            claims.difference_update(child.index for child in gone)
            return kind, evolve(change, children=tuple(child.name for child in gone))
    change.restore()
    return None


def _resources(ad: ClassAd, context: EvalContext) -> tuple[str, ...]:
    text = ad.get_string("MachineResources", context=context) or _DEFAULT_RESOURCES
    return tuple(word for word in re.split(r"[\s,]+", text) if word)


def _children(ad: ClassAd, claims: set[int]) -> list[_Child]:
    """The children that could go: with a claim, neither retiring nor going; lowest rank first."""
    names = _items(ad, "ChildName")
    ranks = _items(ad, "ChildCurrentRank")
    states = _items(ad, "ChildState")
    retirements = _items(ad, "ChildRetirementTimeRemaining")
    found = []
    for i in sorted(claims):
        name, state, left, rank = (_at(values, i) for values in (names, states, retirements, ranks))
        if name.__class__ is not str or state == "Preempting":
            continue
        if left.__class__ in (int, float) and left > 0:
            continue
        found.append(_Child(i, name, float(rank) if rank.__class__ in (int, float) else 0.0))
    return [found[i] for i in ascending([[child.rank for child in found]])] if found else []


def _add(ad: ClassAd, resources: tuple[str, ...], child: _Child, context: EvalContext) -> None:
    """Give the parent a child's resources that it has; its own amount loses its fraction."""
    for name in resources:
        amount = _at(_items(ad, f"Child{name}"), child.index)
        there = ad.get_number(name, context=context)
        if amount.__class__ in (int, float) and there is not None:
            ad.insert(name, math.floor(there) + amount)


def _items(ad: ClassAd, name: str) -> list[object]:
    """The members of a list attribute; those that are no literals are of no use."""
    value = ad.raw(name)
    return list(value.items) if value.__class__ is ListValue else []


def _at(values: list[object], i: int) -> object:
    return values[i] if i < len(values) else None
