"""Computes when the next cycle of a negotiator is due.

Follows: the negotiator's timer.  It begins a cycle NEGOTIATOR_INTERVAL seconds after the last one
began, and not before NEGOTIATOR_CYCLE_DELAY seconds after its end; a schedd with new jobs may ask
for one as soon as that has passed.

Inputs: times of the last cycle and macros, from the manifest of a capture.  Outputs: seconds
since the epoch.
"""

from __future__ import annotations

from typing import Final

from pieslice.data import Record

#: HTCondor's defaults.
INTERVAL: Final = 60
DELAY: Final = 20


#: Seconds by which clocks may differ before it matters.
TOLERANCE: Final = 10.0


def skew(ended: float, noticed: float) -> float:
    """By how much our clock is ahead of the negotiator's, when a cycle is noticed at its end."""
    ahead = noticed - ended
    return ahead if abs(ahead) > TOLERANCE else 0.0


def earliest(cycle: Record) -> float:
    """When a cycle may begin that a schedd asks for."""
    return float(cycle.get("end", 0)) + float(cycle.get("cycle_delay", DELAY))


def due(cycle: Record) -> float:
    """When a cycle begins that nobody asks for."""
    began = float(cycle.get("time", 0)) + float(cycle.get("interval", INTERVAL))
    return max(began, earliest(cycle))


def newer(last: Record, cycle: Record) -> bool:
    """Whether there has been a cycle since; after a restart the negotiator knows of none."""
    times = [tuple(which.get(name) for name in ("time", "end")) for which in (last, cycle)]
    return "time" in cycle and times[0] != times[1]
