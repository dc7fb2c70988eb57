"""Counts how many jobs like one fit on a slot that nobody has, and what these take of it.

A static slot takes one job, whole.  A partitionable one takes as many as the schedd puts there, one
after the other: each has to match what the ones before have left, and takes what the startd cuts
for it.

Inputs: the ads of a slot and a job that match.  Outputs: how many, and amounts by resource.
Follows: ``negotiator.claims.parts`` and the requirements of both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.claims.parts import Rounding, part_of
from negotiator.pool.consumption import policy_resources
from negotiator.pool.slots import meets

#: More jobs than that are not counted one by one, on slots with a consumption policy.
_MOST_STEPS: Final = 1000


def jobs_on(
    slot: ClassAd, job: ClassAd, rounding: Rounding, context: EvalContext
) -> tuple[int, Mapping[str, float]]:
    """How many of the jobs fit on a slot that matches, and what they take, by resource."""
    if slot.get_bool("PartitionableSlot") is not True:
        names = ("Cpus", "Memory", "GPUs")
        return 1, {name.lower(): float(slot.get_number(name) or 0) for name in names}
    part = part_of(slot, job, rounding, context)
    if part is None:
        return 0, {}
    if policy_resources(slot, context):
        return _one_by_one(slot, job, rounding, context)
    least, most = 1, _most(slot, job, part, context)
    # What the jobs before leave has to match the last one; mostly it does.
    if most > 1 and _fits(_after(slot, part, most - 1), job, context):
        least = most
    while least < most:
        middle = (least + most) // 2
        if middle == least:
            break
        if _fits(_after(slot, part, middle - 1), job, context):
            least = middle
        else:
            most = middle
    there = {name: slot.get_number(name) or 0.0 for name in part}
    return least, {name.lower(): min(there[name], least * part[name]) for name in part}


def _most(slot: ClassAd, job: ClassAd, part: Mapping[str, float], context: EvalContext) -> int:
    """For how many jobs there is enough of each resource: the last one may get less."""
    found = []
    for name, amount in part.items():
        asked = job.get_number(f"Request{name}", slot, context) or 0
        if amount > 0:
            whole, rest = divmod(slot.get_number(name) or 0, amount)
            found.append(int(whole) + (0 < asked <= rest))
    return min(found, default=1)


def _fits(slot: ClassAd, job: ClassAd, context: EvalContext) -> bool:
    """Whether both take each other."""
    return meets(slot, job, context) and meets(job, slot, context)


def _after(slot: ClassAd, part: Mapping[str, float], jobs: int) -> ClassAd:
    """The slot when so many jobs have taken their part."""
    return _left(slot, {name: jobs * amount for name, amount in part.items()})


def _one_by_one(
    slot: ClassAd, job: ClassAd, rounding: Rounding, context: EvalContext
) -> tuple[int, Mapping[str, float]]:
    """On a slot with a consumption policy, which may take another amount each time."""
    taken: dict[str, float] = {}
    count = 0
    while count < _MOST_STEPS:
        left = _left(slot, taken)
        part = part_of(left, job, rounding, context)
        if part is None or not _fits(left, job, context) or not any(part.values()):
            break
        for name, amount in part.items():
            taken[name] = taken.get(name, 0.0) + amount
        count += 1
    return count, {name.lower(): amount for name, amount in taken.items()}


def _left(slot: ClassAd, taken: Mapping[str, float]) -> ClassAd:
    """A slot without what was taken of it; it has the other attributes of the slot."""
    left = ClassAd()
    left.chain(slot)
    for name, amount in taken.items():
        left.insert(name, int((slot.get_number(name) or 0) - amount))
    return left
