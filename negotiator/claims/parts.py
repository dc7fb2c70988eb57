"""Decides what a dynamic slot gets of its partitionable slot.

The startd rounds the request up: each resource by MODIFY_REQUEST_EXPR_REQUEST<resource>, which
sees the job (MY) and the slot (TARGET).  Where less than that is left the job gets what it asks
for.  On a slot with a consumption policy it is what the policy says.

Inputs: the ads of the slot and of the job.  Outputs: amounts by resource; None if the slot has too
little.  Follows: condor_startd of HTCondor 25.14.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from classad import ClassAd
from classad.ads.ad import ListValue, Stored, as_number
from classad.ads.expression import Expression, parsed
from classad.evaluate import EvalContext, evaluate
from negotiator.pool.consumption import consumed, policy_resources, resource_names

#: By the name of a resource in lower case: what rounds the request for it up.
Rounding: TypeAlias = Mapping[str, Expression]
_RESOURCES: Final = "Cpus, Memory, Disk"
#: What a slot calls the list of the devices of a resource that it has left.
AVAILABLE: Final = "Available"


def resources_of(slot: ClassAd) -> tuple[str, ...]:
    """What dynamic slots are cut by: all that the machine says it has, but swap space."""
    return resource_names(slot.get_string("MachineResources") or _RESOURCES)


def part_of(
    slot: ClassAd, job: ClassAd, rounding: Rounding, context: EvalContext
) -> dict[str, float] | None:
    """What a dynamic slot for a job takes of a partitionable slot."""
    governed = policy_resources(slot, context)
    if governed:
        found = consumed(slot, governed, job, context)
        return None if found is None else {name: float(it) for name, it in found.items()}
    return requested_part(slot, job, rounding, context)


def requested_part(
    slot: ClassAd, job: ClassAd, rounding: Rounding, context: EvalContext
) -> dict[str, float] | None:
    """The same of a slot without a consumption policy."""
    part = {}
    for name in resources_of(slot):
        there = slot.get_number(name, context=context) or 0
        asked = requested(job, name, slot, context)
        if asked > there:
            return None
        expression = rounding.get(name.lower())
        rounded = None
        if expression is not None and asked:
            rounded = as_number(evaluate(expression, job, slot, context=context))
        part[name] = float(asked if rounded is None or rounded > there else rounded)
    return part


def devices_of(
    slot: ClassAd, job: ClassAd, part: Mapping[str, float], context: EvalContext
) -> dict[str, tuple[Stored, ...]] | None:
    """Which devices a dynamic slot gets: the first ones left that the job wants, by resource.

    A slot lists what it has left (``AvailableGPUs``), a job may say what it wants of each
    (``RequireGPUs``).  None if too few of them suit.
    """
    found = {}
    for name, amount in part.items():
        there = slot.raw(f"{AVAILABLE}{name}")
        if not isinstance(there, ListValue):
            continue
        devices = there.items
        if amount > 0 and job.raw(f"Require{name}") is not None:
            text = f"evalInEachContext(MY.Require{name}, TARGET.{AVAILABLE}{name})"
            values = evaluate(Expression.from_node(parsed(text)), job, slot, context=context)
            if isinstance(values, ListValue) and len(values) == len(devices):
                pairs = zip(devices, values.items, strict=True)
                devices = tuple(device for device, wanted in pairs if wanted is True)
        if len(devices) < amount:
            return None
        found[name] = devices[: int(amount)]
    return found


def requested(job: ClassAd, resource: str, slot: ClassAd, context: EvalContext) -> float:
    """How much of a resource a job asks for; nothing where that is no number."""
    value = job.raw(f"Request{resource}")
    if value is None or value.__class__ is int:
        return value or 0
    return job.get_number(f"Request{resource}", slot, context) or 0
