"""Gives jobs that run on several machines at once their slots, as a dedicated scheduler does.

Decides which slots such a job gets: dedicated ones that nobody has and that match it, before each
cycle, the jobs one after the other in the order of submission (DEDICATED_SCHEDULER_USE_FIFO).
Slots of which there are too few are kept until there are enough; the jobs behind wait.  A job
starts and ends on all of them at the same time.  Plain slots are all dedicated; of others those
whose ads name the scheduler.

Inputs: a simulation.  Outputs: claims of its slots; jobs that have started.  Follows:
condor_schedd's DedicatedScheduler, but for the negotiator's part in it: its fair shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from attr import evolve

from classad import ClassAd
from negotiator.pool.slots import meets
from pieslice.between.idle import IdleSlots
from pieslice.between.pool import SimSlot, SlotPool
from pieslice.simulation.engine import Simulation
from pieslice.simulation.workload import Workload
from policy.universes import UNIVERSES

#: What a slot says whose it is.
_DEDICATED = "DedicatedScheduler"


def spread(workload: Workload, pool: SlotPool, *, plain: bool) -> None:
    """Let jobs of a trace that want more processors than any slot has run on several.

    ``plain``: every slot is dedicated.
    """
    dedicated = [slot for slot in pool.slots.values() if plain or _scheduler_of(slot.ad)]
    most = max((slot.ad.get_number("Cpus") or 0 for slot in dedicated), default=0)
    for number, shape in enumerate(workload.shapes):
        universe = shape.ad.get_number("JobUniverse")
        if universe == UNIVERSES["parallel"]:
            hosts = int(shape.ad.get_number("MaxHosts") or 1)
            workload.shapes[number] = evolve(shape, hosts=hosts, gang=True)
        elif workload.processors and 0 < most < shape.cpus:
            hosts = ceil(shape.cpus / most)
            ad = shape.ad.duplicate()
            for name in ("RequestCpus", "RequestMemory", "RequestDisk"):
                ad.insert(name, ceil((ad.get_number(name) or 0) / hosts))
            ad.insert("JobUniverse", UNIVERSES["parallel"])
            ad.insert("MinHosts", hosts)
            ad.insert("MaxHosts", hosts)
            cpus = float(ceil(shape.cpus / hosts))
            workload.shapes[number] = evolve(shape, ad=ad, cpus=cpus, hosts=hosts, gang=True)


def fits(simulation: Simulation, number: int) -> bool:
    """Whether the pool has enough dedicated slots for a kind of job, if nobody uses any."""
    shape = simulation.workload.shapes[number]
    ads = [slot.ad for slot in _dedicated(simulation, shape.ad)]
    idle = IdleSlots.of(ads, simulation.settings, simulation.context())
    return idle.room(shape.ad).jobs >= shape.hosts


def place(simulation: Simulation) -> None:
    """Start the jobs for which there is enough; keep slots for the first for which there is not."""
    for number in list(simulation.gangs):
        shape = simulation.workload.shapes[simulation.workload.arrivals[number].shape]
        if simulation.workload.arrivals[number].shape in simulation.state.never:
            continue
        job = simulation.job_ad(number)
        kept = simulation.kept_for(number)
        for slot in _dedicated(simulation, job):
            while len(kept) < shape.hosts and _is_free(simulation, slot, job):
                part = simulation.keep(slot, number)
                if part is None:
                    break
                kept.append(part)
        if len(kept) < shape.hosts:
            return
        simulation.start_together(number, kept)


def _dedicated(simulation: Simulation, job: ClassAd) -> Iterator[SimSlot]:
    """The slots of the dedicated scheduler of a job, those that were cut from others left out."""
    wanted = job.get_string("Scheduler")
    for slot in list(simulation.pool.slots.values()):
        named = _scheduler_of(slot.ad)
        mine = simulation.dedicated or (named is not None and wanted in (None, named))
        if slot.parent is None and mine:
            yield slot


def _scheduler_of(slot: ClassAd) -> str | None:
    return slot.get_string(_DEDICATED)


def _is_free(simulation: Simulation, slot: SimSlot, job: ClassAd) -> bool:
    """Whether nobody has a slot, and it and the job match."""
    context = simulation.context()
    free = slot.partitionable or slot.name not in simulation.state.claims
    return free and meets(slot.ad, job, context) and meets(job, slot.ad, context)
