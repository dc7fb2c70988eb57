"""Brings the slot ads of a capture to the time of the cycle, where startds have sent newer ones.

A startd sends its ads every UPDATE_INTERVAL seconds: one that is older than that when the cycle
begins is not the one that the cycle saw.  Of the newer one it is known what a clock says: the times
and the seconds that jobs have run.

Inputs: a snapshot, when the cycle began, the interval.  Outputs: ``Renewed``.
"""

from __future__ import annotations

from typing import Final

from attr import evolve, frozen

from classad import ClassAd
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import Snapshot
from policy.language.numbers import integer_literal

_SENT: Final = "MyCurrentTime"
_TIMES: Final = (_SENT, "LastHeardFrom")
#: Seconds that grow as long as a claim is busy, and those that become fewer.
_GROWING: Final = ("TotalJobRunTime", "TotalClaimRunTime")
_SHRINKING: Final = "RetirementTimeRemaining"
#: UPDATE_INTERVAL where the configuration has no number.
INTERVAL: Final = 300


@frozen(eq=False)
class Renewed:
    """A snapshot with newer ads; ``slots``: the names of those that were too old."""

    snapshot: Snapshot
    slots: tuple[str, ...]


def update_interval(text: str | None) -> int:
    """The seconds between two ads of a startd, from the text of UPDATE_INTERVAL."""
    seconds = integer_literal(text or "") or 0
    return seconds if seconds > 0 else INTERVAL


def renewed(snapshot: Snapshot, started: float, interval: int) -> Renewed:
    """The snapshot with the ads that the startds had sent last when the cycle began."""
    names, slots = [], []
    for ad in snapshot.slots:
        sent = ad.get_number(_SENT)
        passed = 0 if sent is None else whole((started - sent) // interval) * interval
        if passed > 0:
            names.append(ad.get_string("Name") or "")
        slots.append(_later(ad, passed) if passed > 0 else ad)
    return Renewed(evolve(snapshot, slots=tuple(slots)), tuple(names))


def _later(ad: ClassAd, seconds: int) -> ClassAd:
    """The ad as its startd has it some seconds later, if nothing but time has passed."""
    newer = ad.duplicate()
    busy = ad.get_string("Activity") == "Busy"
    for name in (*_TIMES, *(_GROWING if busy else ())):
        value = ad.get_number(name)
        if value is not None:
            newer.insert(name, whole(whole(value) + seconds))
    left = ad.get_number(_SHRINKING)
    if left is not None:
        newer.insert(_SHRINKING, max(whole(left) - seconds, 0))
    return newer
