"""Finds what several negotiators of one pool have in common.

Decides which slots and submitters more than one of them sees, or none, and which slots more than
one of them gives away.  Each has its own policy, by its local name; they know nothing of each
other, so all start from the same pool.

Inputs: the ``Snapshot``, local names with policies and results.  Outputs: ``Overlap``.  Follows:
the manual on running several negotiators: each has a NEGOTIATOR_SLOT_CONSTRAINT and a
NEGOTIATOR_SUBMITTER_CONSTRAINT of its own, and these had better not overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.pool.slots import holds
from policy.model import NegotiatorPolicy


@frozen
class Shared:
    """Something that several negotiators see (or none), and which ones."""

    name: str
    by: tuple[str, ...]


@frozen
class Overlap:
    """``contested``: the slots that more than one gives away, with who got them from whom."""

    slots: tuple[Shared, ...]
    submitters: tuple[Shared, ...]
    unseen_slots: tuple[str, ...]
    unseen_submitters: tuple[str, ...]
    contested: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    @property
    def none(self) -> bool:
        """Whether every slot and submitter belongs to exactly one negotiator."""
        return not any((self.slots, self.submitters, self.unseen_slots, self.unseen_submitters))


def overlap(
    snapshot: Snapshot,
    policies: Mapping[str, NegotiatorPolicy],
    results: Mapping[str, CycleResult],
    now: float,
) -> Overlap:
    """What the negotiators have in common."""
    slots = _seen(snapshot.slots, policies, "slot_constraint", now)
    submitters = _seen(snapshot.submitters, policies, "submitter_constraint", now)
    takers: dict[str, list[tuple[str, str]]] = {}
    for name, result in results.items():
        for match in result.matches:
            takers.setdefault(match.slot, []).append((name, match.submitter))
    return Overlap(
        _shared(slots),
        _shared(submitters),
        tuple(name for name, by in slots.items() if not by),
        tuple(name for name, by in submitters.items() if not by),
        tuple(
            (slot, tuple(who)) for slot, who in takers.items() if len({name for name, _ in who}) > 1
        ),
    )


def _seen(
    ads: Iterable[ClassAd], policies: Mapping[str, NegotiatorPolicy], field: str, now: float
) -> dict[str, tuple[str, ...]]:
    """Who sees what, by the constraint of each; an ad without a name is seen by nobody."""
    constraints = [
        (who, getattr(policy, field), EvalContext(now=now, language=policy.language))
        for who, policy in policies.items()
    ]
    found: dict[str, tuple[str, ...]] = {}
    for ad in ads:
        name = ad.get_string("Name")
        if name is not None:
            by = tuple(who for who, expr, context in constraints if holds(expr, ad, context))
            # A submitter of several schedds has several ads.
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *by)))
    return found


def _shared(seen: Mapping[str, tuple[str, ...]]) -> tuple[Shared, ...]:
    return tuple(Shared(name, by) for name, by in seen.items() if len(by) > 1)
