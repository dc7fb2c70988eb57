"""Tells what somebody should know before believing a simulation.

Those are what a configuration changes besides the policy, what of it is not followed, and jobs that
match no slot.

Decides which jobs are said to match no slot of the pool.

Inputs: a simulation at its beginning.  Outputs: diagnostics.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Final

from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from negotiator.pool.slots import meets
from pieslice.reports.layout import plural
from pieslice.reports.whatif import notes
from pieslice.simulation.engine import Simulation
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.workload import JobKind

#: After so many pairs of a kind of job and a slot no other kind is looked at; so many kinds are
#: told one by one.
_MOST_PAIRS: Final = 50_000
_TOLD: Final = 3


def about_run(negotiator: Negotiator) -> list[Diagnostic]:
    """What the configuration changes, and jobs that match no slot."""
    return [*notes(negotiator.what_if, of_cycle=False), *about_jobs(negotiator.simulation)]


def about_jobs(simulation: Simulation) -> list[Diagnostic]:
    """Kinds of job that match no slot, not even while nobody has any."""
    counts = Counter(arrival.shape for arrival in simulation.workload.arrivals)
    lost, looked_at = _misfits(simulation, sorted(counts))
    found = [
        Diagnostic(f"{_named(simulation, shape)}: no slot of the pool fits", severity="note")
        for shape in lost[:_TOLD]
    ]
    left_out = simulation.workload.left_out
    if left_out:
        kinds = ", ".join(f"{number} {kind}" for kind, number in left_out.items())
        jobs = plural(sum(left_out.values()), "job")
        text = f"{jobs} of the capture ask for no slots, and are left out: {kinds}"
        found.append(Diagnostic(text, severity="note"))
    if len(lost) > _TOLD:
        more = sum(counts[shape] for shape in lost[_TOLD:])
        rest = f"nor for {more} jobs of {len(lost) - _TOLD} more kinds"
        found.append(Diagnostic(rest, severity="note"))
    if looked_at < len(counts):
        some = f"only the first {looked_at} of {len(counts)} kinds of job were compared with slots"
        found.append(Diagnostic(some, severity="note"))
    return found


def _misfits(simulation: Simulation, shapes: list[int]) -> tuple[list[int], int]:
    """The kinds of job that no slot fits, and how many kinds there was time to look at."""
    pool = simulation.pool
    slots = [slot.ad for slot in chain(pool.slots.values(), *pool.away.values())]
    context = EvalContext(now=float(simulation.epoch), language=simulation.language)
    lost: list[int] = []
    pairs = 0
    for number, shape in enumerate(shapes):
        if pairs >= _MOST_PAIRS:
            return lost, number
        job = simulation.workload.shapes[shape].ad
        for slot in slots:
            pairs += 1
            if meets(slot, job, context) and meets(job, slot, context):
                break
        else:
            lost.append(shape)
    return lost, len(shapes)


def _named(simulation: Simulation, number: int) -> str:
    jobs = sum(arrival.shape == number for arrival in simulation.workload.arrivals)
    shape: JobKind = simulation.workload.shapes[number]
    memory = shape.ad.get_number("RequestMemory")
    wants = f"{shape.cpus:g} cpus" + (f", {memory:g} MB" if memory else "")
    return f"{jobs} job{'s' * (jobs > 1)} of {shape.user} ({wants})"
