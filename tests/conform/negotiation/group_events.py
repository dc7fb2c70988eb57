"""Writes what the group loop did as the events of a recording.

Decides which lines of the log our values stand for.

Inputs: a ``CycleResult`` and the ``QuotaStep`` values of its cycle.  Outputs: mappings in the form
of the recorded events.  Follows: the README beside the recorded negotiation scenarios.  Lines about
the search for a surplus by one subtree after another have no counterpart: the sums that they lead
to are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from negotiator.groups.quotas import Assigned, QuotaStep, RoundBegan, TookOwn
from negotiator.model.result import AllocationRound, CycleResult, GroupEvent
from pieslice.data import JsonObject, Record

_COMPARED: Final = frozenset(
    ("round", "fairshare2", "summary", "rr", "sortkey", "negotiate", "skip")
)


def recorded_events(events: Sequence[Record]) -> list[Record]:
    """The recorded events that have a counterpart here.

    The log names a group's quota after those below it, we before; causes are cut to their first
    words, behind which the numbers stand once more.
    """
    assigned = [event for event in events if event["event"] == "assigned"]
    others = [_plain(event) for event in events if event["event"] in _COMPARED]
    return sorted(assigned, key=lambda event: str(event["group"])) + others


def _plain(event: Record) -> Record:
    if event["event"] != "skip":
        return event
    return {**event, "why": str(event["why"]).partition(" (")[0]}


def group_events(result: CycleResult, steps: Sequence[QuotaStep]) -> list[JsonObject]:
    """The events of a cycle in their order."""
    # Nothing is said about a group that gets nothing to share with those below it.
    assigned = [step for step in steps if isinstance(step, Assigned) and step.subtree_quota > 0]
    assigned.sort(key=lambda step: step.group)
    events = [_event("assigned", group=step.group, quota=step.quota) for step in assigned]
    rounds = iter(result.rounds)
    current: AllocationRound | None = None
    for step in steps:
        if isinstance(step, RoundBegan):
            events += _turns(current)
            current = next(rounds)
            events.append(_event("round", round=step.round))
        elif isinstance(step, TookOwn):
            events.append(_took(step))
    return [*events, *_turns(current)]


def _took(step: TookOwn) -> JsonObject:
    left = step.requested - step.allocated
    return _event(
        "fairshare2",
        group=step.group,
        quota=step.quota,
        allocated=step.allocated,
        requested=left,
    )


def _turns(done: AllocationRound | None) -> Iterator[JsonObject]:
    """What follows the allocation of a round."""
    if done is None:
        return
    yield _event(
        "summary",
        served=done.served,
        unserved=done.unserved,
        requested=done.requested,
        allocated=done.allocated,
        surplus=done.surplus,
        maxdelta=done.max_delta,
    )
    handed_out = None
    for event in done.events:
        if event.n != handed_out:
            handed_out = event.n
            yield _event("rr", n=event.n)
        yield from _turn(event)


def _turn(event: GroupEvent) -> Iterator[JsonObject]:
    yield _event("sortkey", group=event.group, key=event.sort_key)
    if event.skipped is not None:
        yield _event("skip", group=event.group, why=event.skipped)
    else:
        yield _event("negotiate", group=event.group, limit=event.limit)


def _event(kind: str, **values: object) -> JsonObject:
    return {"event": kind, **values}
