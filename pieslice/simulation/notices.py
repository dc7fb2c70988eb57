"""Tells what somebody should know before believing a simulation.

Those are what a configuration changes besides the policy, what of it is not followed, jobs that
match no slot, and jobs that no slots are requested for.

Inputs: a simulation at its beginning.  Outputs: diagnostics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final

from classad.errors import Diagnostic
from pieslice.between.pool import SlotPool
from pieslice.reports.layout import plural
from pieslice.reports.whatif import notes
from pieslice.simulation.engine import Simulation
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.workload import JobKind

#: So many kinds of job are told one by one.
_TOLD: Final = 3


def about_run(negotiator: Negotiator) -> list[Diagnostic]:
    """What could not be read, jobs that match no slot, slots that are not shared, what the
    configuration changes."""
    simulation = negotiator.simulation
    changed = notes(negotiator.what_if, of_cycle=False)
    ends = _about_ends(simulation)
    of_jobs = about_jobs(simulation)
    return [*negotiator.doubts, *of_jobs, *_about_slots(simulation.pool), *ends, *changed]


def _about_ends(simulation: Simulation) -> list[Diagnostic]:
    """Jobs that the workload lets run on though expressions may end them."""
    found, jobs = [], simulation.workload.ending
    if jobs:
        have = "has" if jobs == 1 else "have"
        what = "expressions that hold, remove or requeue jobs, which are not simulated"
        found.append(f"{plural(jobs, 'job')} {have} {what}")
    macros = [macro for asked in simulation.settings.system.values() for macro, _ in asked]
    if macros:
        found.append(f"not simulated: {', '.join(macros)}")
    return [Diagnostic(text, severity="note") for text in found]


def _about_slots(pool: SlotPool) -> list[Diagnostic]:
    """Slots that have the same cores, and do not shrink when others are used."""
    there = list(chain(pool.slots.values(), *pool.away.values()))
    static = [slot.name for slot in there if slot.backfill and not slot.partitionable]
    cores: dict[str, float] = {}
    for slot in there:
        if not slot.backfill and slot.parent is None:
            own = slot.ad.get_number("TotalSlotCpus") or 0
            cores[slot.machine] = cores.get(slot.machine, 0.0) + own
    machines = {slot.machine: slot.ad.get_number("TotalCpus") for slot in there}
    both = [name for name, total in machines.items() if total and cores.get(name, 0.0) > total]
    told = (
        ("static backfill slots keep their size, whatever primary slots use", static),
        ("that slots share the cores of their machine is not simulated", both),
    )
    return [Diagnostic(f"{text}: {_some(names)}", severity="note") for text, names in told if names]


def _some(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def about_jobs(simulation: Simulation) -> list[Diagnostic]:
    """Kinds of job that match no slot, not even while nobody has any, and jobs that take none."""
    counts = Counter(arrival.shape for arrival in simulation.workload.arrivals)
    lost = [shape for shape in simulation.state.never if shape in counts]
    found = [
        Diagnostic(f"{_named(simulation, shape)}: {_lacking(simulation, shape)}", severity="note")
        for shape in lost[:_TOLD]
    ]
    if len(lost) > _TOLD:
        more = sum(counts[shape] for shape in lost[_TOLD:])
        rest = f"nor for {more} jobs of {len(lost) - _TOLD} more kinds"
        found.append(Diagnostic(rest, severity="note"))
    left_out = simulation.workload.left_out
    if left_out:
        kinds = ", ".join(f"{number} {kind}" for kind, number in left_out.items())
        jobs = plural(sum(left_out.values()), "job")
        text = f"{jobs} of the workload ask for no slots, and are left out: {kinds}"
        found.append(Diagnostic(text, severity="note"))
    return found


def _lacking(simulation: Simulation, number: int) -> str:
    gang = simulation.workload.shapes[number].gang
    return "the pool has too few dedicated slots" if gang else "no slot of the pool fits"


def _named(simulation: Simulation, number: int) -> str:
    jobs = sum(arrival.shape == number for arrival in simulation.workload.arrivals)
    shape: JobKind = simulation.workload.shapes[number]
    memory = shape.ad.get_number("RequestMemory")
    several = f" on each of {shape.hosts} slots" if shape.gang else ""
    wants = f"{shape.cpus:g} cpus{several}" + (f", {memory:g} MB" if memory else "")
    return f"{jobs} job{'s' * (jobs > 1)} of {shape.user} ({wants})"
