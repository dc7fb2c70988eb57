"""Saves a simulation as data, to be taken up again at the same moment with the same outcome.

Decides what of the pool changes, and that slots are put back in their order.

Inputs: a simulation; data for JSON.  Outputs: data for JSON; the simulation as it was.
"""

from __future__ import annotations

from itertools import chain

from negotiator.model.watched import WatchedAd
from pieslice.between.pool import (
    ENTERED,
    SimSlot,
    show_claim,
    show_part,
    show_preempting,
    take_devices,
    weight_of,
)
from pieslice.data import JsonData
from pieslice.simulation.engine import Simulation
from pieslice.simulation.state import from_json, to_json


def saved(simulation: Simulation) -> JsonData:
    """All that changes."""
    pool = simulation.pool
    # Also of those that are away: they come back as they went.
    everywhere = [*pool.slots.values(), *chain.from_iterable(pool.away.values())]
    parts = [
        [slot.name, slot.parent.name, slot.taken, slot.number, slot.devices]
        for slot in pool.slots.values()
        if slot.parent is not None
    ]
    return {
        "state": to_json(simulation.state),
        "order": list(pool.slots),
        "away": {name: [slot.name for slot in slots] for name, slots in pool.away.items()},
        "parts": parts,
        "shared": {
            slot.name: [slot.left, {name: slot.ad.get_number(name) for name in slot.left}]
            for slot in everywhere
            if slot.left
        },
        # Claims tell it of the others.
        "free_since": {
            slot.name: since
            for slot in everywhere
            if slot.name not in simulation.state.claims
            and (since := slot.ad.raw(ENTERED)).__class__ is int
        },
    }


def restore(simulation: Simulation, data: JsonData) -> None:
    """Put a simulation that has not begun into a saved state."""
    state = simulation.state = from_json(data["state"])
    pool = simulation.pool
    whole = dict(pool.slots)
    pool.away = {name: [whole[slot] for slot in slots] for name, slots in data["away"].items()}
    for name, since in data["free_since"].items():
        whole[name].ad.insert(ENTERED, since)
    parts = {name: _part(whole[parent], name, *rest) for name, parent, *rest in data["parts"]}
    pool.slots = {name: parts.get(name) or whole[name] for name in data["order"]}
    for name, (left, shown) in data.get("shared", {}).items():
        pool.backfill_of(whole[name].machine)
        pool.show_shared(whole[name], left, shown)
    for number, job in state.jobs.items():
        if job.status == 0:
            simulation.requeue(number)
    for name, claim in state.claims.items():
        slot = pool.slots[name]
        times = (simulation.epoch + claim.begun, simulation.epoch + claim.job_begun)
        show_claim(slot.ad, claim.user, claim.rank, claim.limits, *times)
        if claim.next_job >= 0:
            show_preempting(slot.ad, claim.next_user)
        slot.held = slot.parent is None and bool(pool.backfill_of(slot.machine))


def _part(
    parent: SimSlot, name: str, taken: dict[str, float], number: int, devices: dict[str, list[str]]
) -> SimSlot:
    """A dynamic slot as it was cut, and its parent with what is left."""
    ad = WatchedAd.copy_of(parent.ad)
    show_part(ad, name, taken)
    take_devices(parent.ad, ad, devices)
    for resource, amount in taken.items():
        left = (parent.ad.get_number(resource) or 0) - amount
        parent.ad.insert(resource, int(left))
    parent.weight = weight_of(parent.ad)
    parent.changes += 1
    parent.numbers.add(number)
    weight = weight_of(ad)
    return SimSlot(name, ad, weight, parent, dict(taken), number, devices=devices)
