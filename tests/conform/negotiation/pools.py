"""Checks captured pools with the decisions that followed.

Decides how the folder of such a pool is recognised.

Inputs: the path of an ``expected.json``.  Outputs: ``POOL_KINDS``.  Follows: the ``expected.json``
of the captured pools.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from attr import evolve, frozen

from classad import ClassAd
from negotiator.capture.agreement import Expected, compare
from negotiator.cycle import negotiate
from negotiator.io import Capture, CapturePaths, InputError, read_capture
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import Snapshot
from pieslice.data import Content
from tests.conform.runner import Case, Kind, Mismatch


def check_pool(case: Case) -> list[Mismatch]:
    """A captured pool: the decisions of the real negotiator's next cycle.

    The cycle saw newer ads than the capture holds.  Differences are explained where all of them go
    away once slot ads that were too old have what their startds' clocks had put into newer ones.
    """
    try:
        capture = read_capture(CapturePaths(Path(case["folder"])))
    except InputError as problem:
        return [Mismatch("folder", "a captured pool", str(problem))]
    if capture.expected is None:
        return [Mismatch("expected", "decisions", None)]
    now = capture.facts.now
    result = negotiate(capture.snapshot, capture.policy, now=now)
    differences = compare(result, capture.expected).differences
    reason = _explained(capture, capture.expected) if differences else None
    return [
        Mismatch(
            f"{item.kind} {item.position}",
            None if item.ours else item.fields(),
            item.fields() if item.ours else None,
            reason,
        )
        for item in differences
    ]


def _explained(capture: Capture, expected: Expected) -> str | None:
    """How the differences come from the age of the capture, if all of them do."""
    started, interval = expected.cycle_started_at, capture.update_interval
    if started is None:
        return None
    newer = renewed(capture.snapshot, started, interval)
    result = negotiate(newer.snapshot, capture.policy, now=capture.facts.now)
    if not newer.slots or not compare(result, expected).complete:
        return None
    return (
        f"the age of the capture: {len(newer.slots)} of {len(capture.snapshot.slots)} slot ads are"
        f" older than the cycle by UPDATE_INTERVAL ({interval} s) and more, and with the times that"
        " their startds had sent since then all decisions agree"
    )


def _pools(path: Path, content: Content) -> Iterable[Case] | None:
    """The folder that an ``expected.json`` lies in."""
    if not isinstance(content, dict) or not {"matches", "rejections"} <= set(content):
        return None
    return [{"id": path.parent.name, "folder": str(path.parent)}]


# A startd sends its ads every UPDATE_INTERVAL seconds: one that is older than that when the cycle
# begins is not the one that the cycle saw.  Of the newer one it is known what a clock says: the
# times and the seconds that jobs have run.

_SENT: Final = "MyCurrentTime"
_TIMES: Final = (_SENT, "LastHeardFrom")
#: Seconds that grow as long as a claim is busy, and those that become fewer.
_GROWING: Final = ("TotalJobRunTime", "TotalClaimRunTime")
_SHRINKING: Final = "RetirementTimeRemaining"


@frozen(eq=False)
class Renewed:
    """A snapshot with newer ads; ``slots``: the names of those that were too old."""

    snapshot: Snapshot
    slots: tuple[str, ...]


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


POOL_KINDS: Final = (
    Kind(
        "captured pool",
        lambda case: "folder" in case,
        check_pool,
        frozenset(("id", "folder")),
        beside=_pools,
    ),
)
