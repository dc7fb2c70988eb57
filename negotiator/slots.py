"""Slots as a cycle begins: which exist, what they weigh, which of them are considered at all.

Decision here: constraint, weight, pool size and trimming.  Inputs: slot ads in pool order.
Outputs: ``Slot`` objects holding copies of the ads, ``PoolNumbers``, the trimmed slots.

Never here: what the negotiator adds to the ads (see ``ephemeral``), matching.
Follows: the description of the negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attr import Factory, define

from classad.ad import ClassAd
from classad.build import is_value
from classad.evaluate import EvalContext, evaluate
from classad.expr import ExprTree
from classad.scopes import fold_name
from negotiator.addresses import ANY, slot_families
from negotiator.arithmetic import DBL_MAX, add_up
from negotiator.consumption import policy_resources
from negotiator.frozen import Freezer
from negotiator.result import PoolNumbers, TrimCause, TrimmedSlot
from policy.model import NegotiatorPolicy

#: Values that an ad keeps as they are.
_SIMPLE: Final = frozenset({bool, int, float, str})
#: Who is on a slot, the first that is there counts.
OCCUPANTS: Final = ("PreemptingAccountingGroup", "PreemptingUser", "AccountingGroup", "RemoteUser")


@define(eq=False)
class Slot:
    """A slot in one cycle.  ``weight`` is in slot weights; ``user`` is who holds it, if anybody.

    ``base``: the ad that was given.
    """

    base: ClassAd
    name: str
    weight: float
    partitionable: bool
    state: str | None
    user: str | None
    claims: int
    #: ``Requirements`` as the startd sent them, if the cycle goes by others.
    requirements: Any = None
    #: The resources of its consumption policy; empty without one.
    resources: tuple[str, ...] = ()
    #: Pre-job and post-job rank for the whole cycle, when jobs' ranks are ignored.
    fixed_ranks: tuple[float, float] | None = None
    #: The kinds of address under which the startd can be reached.
    families: frozenset[int] = ANY
    #: ``WantAdRevaluate``: it stays in the pool after a match, behind all others.
    reevaluated: bool = False
    #: What the cycle has set in the ad, by folded names, until a copy is made that has it.
    changes: dict[str, tuple[str, Any]] = Factory(dict)
    _copy: ClassAd | None = None

    @property
    def ad(self) -> ClassAd:
        """The ad as the cycle has it; only looked at."""
        return self.own_ad() if self.changes else self.unchanged

    @property
    def unchanged(self) -> ClassAd:
        """The ad without the ``changes``."""
        return self.base if self._copy is None else self._copy

    def insert(self, name: str, value: Any) -> None:
        """Set an attribute, in a copy of the ad that was given.

        The copy is made when it is looked at, which few slots of a cycle are.
        """
        plain = not is_value(value) if value.__class__ is ExprTree else value.__class__ in _SIMPLE
        if plain and self._copy is None:
            self.changes[fold_name(name)] = (name, value)
        else:
            self.own_ad().insert(name, value)

    def raw(self, name: str) -> Any:
        """What the ad has for an attribute, without making the copy."""
        found = self.changes.get(fold_name(name))
        return self.unchanged.raw(name) if found is None else found[1]

    def own_ad(self) -> ClassAd:
        """The ad to be changed."""
        if self._copy is None:
            self._copy = self.base.duplicate()
        if self.changes:
            for name, value in self.changes.values():
                self._copy.insert(name, value)
            self.changes = {}
        return self._copy

    def accounted_user(self) -> str | None:
        """Whom a claimed slot is charged to."""
        if self.state not in ("Claimed", "Preempting"):
            return None
        return self.ad.get_string("AccountingGroup") or self.ad.get_string("RemoteUser")


def holds(expr: ExprTree | None, ad: ClassAd, context: EvalContext) -> bool:
    """Whether a constraint is true of an ad alone; a number that is not zero counts."""
    if expr is None:
        return True
    value = evaluate(expr, ad, context=context)
    return value is True or (value.__class__ in (int, float) and value != 0)


def meets(ad: ClassAd, other: ClassAd, context: EvalContext) -> bool:
    """Whether the requirements of one ad are true of the other; undefined and error are not."""
    if ad.raw("Requirements") is None:
        return False
    return ad.get_bool("Requirements", other, context) is True


def fetch_slots(
    ads: Iterable[ClassAd],
    claims: Mapping[str, int],
    policy: NegotiatorPolicy,
    context: EvalContext,
) -> list[Slot]:
    """The slots the collector hands out, with the weights the negotiator gives them."""
    found = []
    freezer = Freezer(context)
    for ad in ads:
        name = ad.get_string("Name", context=context)
        absent = ad.get_bool("Absent", context=context)
        if name is None or absent or not holds(policy.slot_constraint, ad, context):
            continue
        slot = Slot(
            base=ad,
            name=name,
            weight=1.0,
            partitionable=ad.get_bool("PartitionableSlot", context=context) is True,
            state=ad.get_string("State", context=context),
            user=occupant(ad, context),
            claims=claims.get(name, 1),
            requirements=ad.raw("Requirements"),
            resources=policy_resources(ad, context),
            families=slot_families(ad, context),
            reevaluated=ad.get_bool("WantAdRevaluate", context=context) is True,
        )
        own = ad.raw("NegotiatorRequirements")
        if own is not None:
            slot.insert("Requirements", own)
        _settle_weight(slot, policy, context)
        settled = freezer.settled(slot.ad)
        if settled is not None:
            slot.insert("Requirements", settled)
        slot.weight = slot_weight(slot.ad, policy, context)
        if slot.resources:
            slot.own_ad()
        found.append(slot)
    return found


def _settle_weight(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> None:
    """Replace a weight that is missing, no number, or overruled, by the negotiator's own."""
    if policy.force_slot_weight or slot.ad.get_number("SlotWeight", context=context) is None:
        slot.insert("SlotWeight", policy.slot_weight)


def slot_weight(ad: ClassAd, policy: NegotiatorPolicy, context: EvalContext) -> float:
    """What a slot costs; anything but a number that is not negative counts one."""
    if not policy.use_slot_weights:
        return 1.0
    weight = ad.get_number("SlotWeight", context=context)
    return 1.0 if weight is None or weight < 0 else float(weight)


def occupant(ad: ClassAd, context: EvalContext, prefix: str = "") -> str | None:
    """The accounting name of whoever holds or is about to hold the slot.

    ``prefix``: of the attributes, when they speak of another slot of the machine.
    """
    for plain in OCCUPANTS:
        attribute = prefix + plain
        if ad.raw(attribute) is not None:
            user = ad.get_string(attribute, context=context)
            if user is not None:
                return user
    return None


def pool_numbers(slots: list[Slot], policy: NegotiatorPolicy, context: EvalContext) -> PoolNumbers:
    """The size of the pool.  Slots in every state count."""
    weights = [slot.weight * _multiplier(slot, context) for slot in slots]
    constraint = policy.slot_poolsize_constraint
    counted, counted_weights, effective = 0, [], 0.0
    for slot, weight in zip(slots, weights, strict=True):
        if holds(constraint, slot.ad, context):
            counted += 1
            counted_weights.append(weight)
            cpus = slot.ad.get_number("Cpus", context=context) if slot.partitionable else 1
            effective += float(cpus or 0)
    return PoolNumbers(
        slots=len(slots),
        pool_weight=add_up(weights),
        min_slot_weight=min(weights, default=DBL_MAX),
        pie=add_up(counted_weights) if policy.use_slot_weights else float(counted),
        counted_slots=counted,
        effective_size=effective,
    )


def _multiplier(slot: Slot, context: EvalContext) -> int:
    if slot.ad.raw("GhostMultiplier") is None:
        return 1
    number = slot.ad.get_number("GhostMultiplier", context=context)
    return 1 if number is None else int(number)


def trim_slots(
    slots: list[Slot], policy: NegotiatorPolicy, context: EvalContext
) -> tuple[list[Slot], list[TrimmedSlot]]:
    """Take out the slots that nobody can get in this cycle."""
    kept, trimmed = [], []
    for slot in slots:
        cause = _trim_cause(slot, policy, context)
        if cause is None:
            kept.append(slot)
        else:
            trimmed.append(TrimmedSlot(slot.name, cause))
    return kept, trimmed


def _trim_cause(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> TrimCause | None:
    if not policy.consider_preemption:
        if slot.state in ("Claimed", "Preempting") and not slot.partitionable:
            return TrimCause.CLAIMED
    elif not policy.consider_early_preemption:
        remaining = slot.ad.get_number("RetirementTimeRemaining", context=context)
        if remaining is not None and remaining > 0:
            return TrimCause.RETIREMENT
    if policy.dialect.idle_claims_skipped and _claim_without_job(slot, context):
        return TrimCause.IDLE_CLAIM
    if policy.trim_shutdown_threshold_seconds > 0 and _shuts_down(slot, policy, context):
        return TrimCause.SHUTDOWN
    if slot.partitionable and slot.state == "Claimed":
        wanted = _wants_matching(slot, policy, context)
        return None if wanted else TrimCause.CLAIMED_PARTITIONABLE
    return None


def _claim_without_job(slot: Slot, context: EvalContext) -> bool:
    """Whether a slot is claimed and runs nothing; a partitionable slot never runs anything."""
    if slot.state != "Claimed" or slot.partitionable:
        return False
    return (slot.ad.get_string("Activity", context=context) or "").lower() == "idle"


def _shuts_down(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether the startd will shut down within the threshold; the fast condition goes first."""
    there = slot.ad.get_number("MyCurrentTime", context=context)
    start = context.now or 0.0 if there is None else there
    ad = slot.ad.duplicate()
    ad.insert("CurrentTime", int(start + policy.trim_shutdown_threshold_seconds))
    for name in ("DaemonShutdownFast", "DaemonShutdown"):
        value = ad.evaluate_attr(name, context=context)
        if value.__class__ is bool:
            return value is True
    return False


def _wants_matching(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    wants = slot.ad.get_bool("WantMatching", context=context)
    if wants is False:
        return False
    return policy.match_working_cm_slots or not slot.ad.get_string("WorkingCM", context=context)
