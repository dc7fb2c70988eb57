"""Saves a simulation as data, to be taken up again at the same moment with the same outcome.

Decides what of the pool changes, and that slots are put back in their order.

Inputs: a simulation; data for JSON.  Outputs: data for JSON; the simulation as it was.
"""

from __future__ import annotations

from itertools import chain

from negotiator.model.watched import WatchedAd
from pieslice.data import JsonData
from pieslice.simulation.engine import Simulation
from pieslice.simulation.pool import ENTERED, SimSlot, show_claim, show_preempting, weight_of
from pieslice.simulation.state import from_json, to_json


def saved(simulation: Simulation) -> JsonData:
    """All that changes."""
    pool = simulation.pool
    # Also of those that are away: they come back as they went, and the numbers of their dynamic
    # slots are never used twice.
    everywhere = [*pool.slots.values(), *chain.from_iterable(pool.away.values())]
    parts = [
        [slot.name, slot.parent.name, slot.taken]
        for slot in pool.slots.values()
        if slot.parent is not None
    ]
    return {
        "state": to_json(simulation.state),
        "order": list(pool.slots),
        "away": {name: [slot.name for slot in slots] for name, slots in pool.away.items()},
        "parts": parts,
        "children": {slot.name: slot.children for slot in everywhere if slot.children},
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
    for name, children in data["children"].items():
        whole[name].children = children
    for name, since in data["free_since"].items():
        whole[name].ad.insert(ENTERED, since)
    parts = {name: _part(whole[parent], name, taken) for name, parent, taken in data["parts"]}
    pool.slots = {name: parts.get(name) or whole[name] for name in data["order"]}
    for number, job in state.jobs.items():
        if job.status == 0:
            simulation.requeue(number)
    for name, claim in state.claims.items():
        slot = pool.slots[name]
        times = (simulation.epoch + claim.begun, simulation.epoch + claim.job_begun)
        show_claim(slot.ad, claim.user, simulation.job_ad(claim.job), *times, simulation.language)
        simulation.forget_ad(claim.job)
        if claim.next_job >= 0:
            show_preempting(slot.ad, claim.next_user)


def _part(parent: SimSlot, name: str, taken: dict[str, float]) -> SimSlot:
    """A dynamic slot as it was cut, and its parent with what is left."""
    ad = WatchedAd.copy_of(parent.ad)
    for key, value in (("Name", name), ("DynamicSlot", True), ("PartitionableSlot", False)):
        ad.insert(key, value)
    for resource, amount in taken.items():
        ad.insert(resource, int(amount))
        left = (parent.ad.get_number(resource) or 0) - amount
        parent.ad.insert(resource, int(left))
    parent.weight = weight_of(parent.ad)
    parent.changes += 1
    return SimSlot(name, ad, weight_of(ad), parent, dict(taken))
