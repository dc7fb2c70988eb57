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
from pieslice.reports.document import shape
from pieslice.reports.layout import Block, Line, plural
from policy.model import NegotiatorPolicy


def overlap_blocks(found: Overlap) -> list[Block]:
    """What more than one negotiator has its hands on, and what none."""
    title = "what the negotiators have in common"
    if found.none:
        text = f"{title}: nothing, and each slot and submitter belongs to one of them"
        return [Line(text, level="good")]
    blocks: list[Block] = [Line(title, heading=True)]
    for what, shared in (("slot", found.slots), ("submitter", found.submitters)):
        for by, names in _grouped(shared).items():
            text = f"{plural(len(names), what)} seen by {' and '.join(by)}: {_some(names)}"
            blocks.append(Line(f"  {text}", level="bad"))
    for what, unseen in (("slot", found.unseen_slots), ("submitter", found.unseen_submitters)):
        if unseen:
            blocks.append(Line(f"  {plural(len(unseen), what)} seen by none: {_some(unseen)}"))
    for contested in found.contested:
        said = ", ".join(f"by {it.negotiator} for {it.submitter}" for it in contested.takers)
        text = f"{contested.slot} is matched {said}; the first to claim it gets it"
        blocks.append(Line(f"  {text}", level="bad"))
    return blocks


def _grouped(shared: Iterable[Shared]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for item in shared:
        found.setdefault(item.by, []).append(item.name)
    return found


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join([*listed[:4], "..."] if len(listed) > 4 else listed)


@frozen
class Shared:
    """Something that several negotiators see (or none), and which ones."""

    name: str
    by: tuple[str, ...]


class SharedSlot(Shared):
    """A slot that several negotiators see."""


class SharedSubmitter(Shared):
    """A submitter that several negotiators see."""


@frozen
class Taker:
    """A negotiator that gives a slot away, and the submitter that gets it."""

    negotiator: str
    submitter: str


@frozen
class ContestedSlot:
    """A slot that more than one negotiator gives away."""

    slot: str
    takers: tuple[Taker, ...]


@frozen
class Overlap:
    """``contested``: the slots that more than one gives away, with who got them from whom."""

    slots: tuple[SharedSlot, ...]
    submitters: tuple[SharedSubmitter, ...]
    unseen_slots: tuple[str, ...]
    unseen_submitters: tuple[str, ...]
    contested: tuple[ContestedSlot, ...]

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
    takers: dict[str, list[Taker]] = {}
    for name, result in results.items():
        for match in result.matches:
            takers.setdefault(match.slot, []).append(Taker(name, match.submitter))
    return Overlap(
        tuple(SharedSlot(name, by) for name, by in slots.items() if len(by) > 1),
        tuple(SharedSubmitter(name, by) for name, by in submitters.items() if len(by) > 1),
        tuple(name for name, by in slots.items() if not by),
        tuple(name for name, by in submitters.items() if not by),
        tuple(
            ContestedSlot(slot, tuple(who))
            for slot, who in takers.items()
            if len({taker.negotiator for taker in who}) > 1
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


shape(SharedSlot, "slot=name seen_by=by")
shape(SharedSubmitter, "submitter=name seen_by=by")
