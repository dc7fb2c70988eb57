"""Counts how many jobs like one fit on a slot that nobody has, and what these take of it.

A static slot takes one job, whole.  A partitionable one takes as many as the schedd puts there, one
after the other: each has to match what the ones before have left, and takes what the startd cuts
for it.

Inputs: the ads of a slot and a job that match.  Outputs: how many, and amounts by resource.
Follows: ``negotiator.claims.parts`` and the requirements of both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from classad import ClassAd
from classad.ads.ad import Stored, as_number
from classad.ads.expression import Expression, parsed
from classad.evaluate import EvalContext, evaluate
from negotiator.claims.parts import Rounding, part_of, requested, requested_part
from negotiator.pool.consumption import policy_resources
from negotiator.pool.slots import meets

#: More jobs than that are not counted one by one, on slots with a consumption policy.
_MOST_STEPS: Final = 1000
#: How many of the GPUs that a slot has left suit a job.
_SUITING: Final = Expression.from_node(parsed("countMatches(MY.RequireGPUs, TARGET.AvailableGPUs)"))


def jobs_on(
    slot: ClassAd, job: ClassAd, rounding: Rounding, context: EvalContext
) -> tuple[int, Mapping[str, float]]:
    """How many of the jobs fit on a slot that matches, and what they take, by resource.

    The ad of the slot is changed while this is found out, and is in the end as it was.
    """
    if slot.get_bool("PartitionableSlot") is not True:
        names = ("Cpus", "Memory", "GPUs")
        return 1, {name.lower(): float(slot.get_number(name) or 0) for name in names}
    if policy_resources(slot, context):
        return _one_by_one(slot, job, rounding, context)
    part = requested_part(slot, job, rounding, context)
    if part is None or not _is_made(slot, job, part, context):
        return 0, {}
    least, most = 1, _most(slot, job, part, context)
    # What the jobs before leave has to match the last one; mostly it does.
    if most > 1 and _fits(slot, job, context, _times(part, most - 1)):
        least = most
    while least < most:
        middle = (least + most) // 2
        if middle == least:
            break
        if _fits(slot, job, context, _times(part, middle - 1)):
            least = middle
        else:
            most = middle
    there = {name: slot.get_number(name) or 0.0 for name in part}
    return least, {name.lower(): min(there[name], least * part[name]) for name in part}


def _is_made(slot: ClassAd, job: ClassAd, part: Mapping[str, float], context: EvalContext) -> bool:
    """Whether the startd makes the dynamic slot, of which it asks its requirements again."""
    rest = {name: (slot.get_number(name) or 0) - amount for name, amount in part.items()}
    kinds = {name: slot.raw(name) for name in ("DynamicSlot", "PartitionableSlot")}
    slot.insert("DynamicSlot", True)
    slot.insert("PartitionableSlot", False)
    try:
        with _without(slot, rest):
            return meets(slot, job, context)
    finally:
        _put_back(slot, kinds)


def _most(slot: ClassAd, job: ClassAd, part: Mapping[str, float], context: EvalContext) -> int:
    """For how many jobs there is enough of each resource: the last one may get less."""
    found = []
    for name, amount in part.items():
        asked = requested(job, name, slot, context)
        if amount > 0:
            whole, rest = divmod(slot.get_number(name) or 0, amount)
            found.append(int(whole) + (0 < asked <= rest))
    # A GPU that has been given to a job is not there for the next one.
    gpus = part.get("GPUs", 0)
    if gpus > 0 and job.raw("RequireGPUs") is not None:
        suiting = as_number(evaluate(_SUITING, job, slot, context=context))
        if suiting is not None:
            found.append(max(int(suiting // gpus), 1))
    return min(found, default=1)


def _fits(slot: ClassAd, job: ClassAd, context: EvalContext, taken: Mapping[str, float]) -> bool:
    """Whether both take each other when so much of the slot is taken."""
    with _without(slot, taken):
        return meets(slot, job, context) and meets(job, slot, context)


def _times(part: Mapping[str, float], jobs: int) -> dict[str, float]:
    """What so many jobs take."""
    return {name: jobs * amount for name, amount in part.items()}


def _one_by_one(
    slot: ClassAd, job: ClassAd, rounding: Rounding, context: EvalContext
) -> tuple[int, Mapping[str, float]]:
    """On a slot with a consumption policy, which may take another amount each time."""
    taken: dict[str, float] = {}
    count = 0
    while count < _MOST_STEPS:
        with _without(slot, taken):
            part = part_of(slot, job, rounding, context)
        if part is None or not any(part.values()) or not _fits(slot, job, context, taken):
            break
        for name, amount in part.items():
            taken[name] = taken.get(name, 0.0) + amount
        count += 1
    return count, {name.lower(): amount for name, amount in taken.items()}


@contextmanager
def _without(slot: ClassAd, taken: Mapping[str, float]) -> Iterator[None]:
    """Let a slot have so much less; its nested ads (GPUs) go on seeing who it is compared with."""
    before = {name: slot.raw(name) for name in taken}
    for name, amount in taken.items():
        slot.insert(name, int((slot.get_number(name) or 0) - amount))
    try:
        yield
    finally:
        _put_back(slot, before)


def _put_back(slot: ClassAd, before: Mapping[str, Stored | None]) -> None:
    for name, value in before.items():
        if value is None:
            slot.remove(name)
        else:
            slot.insert(name, value)
