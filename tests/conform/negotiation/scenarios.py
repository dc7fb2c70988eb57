"""Compares a cycle of ours with the recorded one.

Decides what is compared, and to how many digits.

Inputs: a ``Played`` cycle.  Outputs: ``Mismatch`` values; an empty list means agreement in matches,
rejections, trimmed slots, rounds of the pie, requests, group events and what the accountant keeps.
Follows: the README beside the recorded negotiation scenarios; numbers of rounds and requests are
compared to the six decimals that the log prints (``pie_left`` of a spin: three), those of group
events, costs of matches and totals of a spin to six significant digits, priorities and
startd ranks of matches to two decimals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import eq
from typing import Final

from negotiator.model.result import (
    CycleResult,
    Match,
    MatchKind,
    Pie,
    Spin,
    SubmitterTurn,
    TrimCause,
    TurnEvent,
)
from pieslice.data import Content, JsonObject, Record
from tests.conform.negotiation.course import Played, RecordedOffer
from tests.conform.negotiation.group_events import group_events, recorded_events
from tests.conform.runner import Mismatch

_MATCH_FIELDS: Final = ("seq", "spin", "submitter", "job", "count", "slot", "cost")
#: Numbers of a match of a slot that names a user, as the log prints them; absent from others.
_PRINTED: Final = ("preempted_prio", "new_prio", "old_startd_rank", "new_startd_rank")
#: How far a number may be from the one that two decimals stand for.
_TWO_DECIMALS: Final = 0.005 + 1e-9
#: What the log prints of a spin -> our field.
_SPIN_FIELDS: Final = {
    "num_candidate_slots": "candidate_slots",
    "slot_weight_total": "total",
    "normal_factor": "normal_factor",
    "max_prio": "max_priority",
}
#: What it prints of a turn -> our field.
_TURN_FIELDS: Final = {
    "prio": "effective_priority", "limit": "limit", "usage": "usage", "share": "share",
    "ceiling_remaining": "ceiling_left",
}  # fmt: skip
#: What it says of a turn, without a number behind it.  How the time of a turn ends it says in
#: seconds, which are its own.
_EVENTS: Final = {
    "skipped: pieLeft < minSlotWeight": TurnEvent.PIE_LEFT,
    "skipped: submitterCeiling remaining": TurnEvent.CEILING,
    "over limit: only startd rank": TurnEvent.RANK_ONLY,
    "reached limit": TurnEvent.LIMIT,
    "hit ceiling": TurnEvent.HIT_CEILING,
}
_NUMBER_BEHIND: Final = re.compile(r" is -?[0-9]+\Z")
#: Recorded attribute of a customer -> our field.
_CUSTOMER_FIELDS: Final = {
    "Priority": "priority",
    "PriorityFactor": "priority_factor",
    "ResourcesUsed": "resources_used",
    "WeightedResourcesUsed": "weighted_resources_used",
    "HierWeightedResourcesUsed": "hier_weighted_resources_used",
    "WeightedAccumulatedUsage": "weighted_accumulated_usage",
    "Floor": "floor",
    "Ceiling": "ceiling",
}


def differences(played: Played) -> list[Mismatch]:
    """Everything in which the cycle differs from the recorded one."""
    result, seen = played.result, played.seen
    numbers, pies = _recorded_rounds(result.pies)
    found = list(_lists("matches", seen["matches"], _matches(result, numbers), _match_differs))
    found += _lists("rejections", seen["rejections"], _rejections(result, numbers))
    trimmed = sorted(s.name for s in result.trimmed if s.cause is TrimCause.RETIREMENT)
    found += _lists("trimmed", sorted(seen.get("trimmed", ())), trimmed)
    found += _lists("pies", seen["pies"], pies, _pie_differs)
    offers = [_offer(offer, numbers) for offer in played.offers]
    found += _lists("requests", seen.get("requests", ()), offers, _request_differs)
    if "groups" in seen:
        wanted = recorded_events(seen["groups"]["events"])
        ours = group_events(result, played.quota_steps)
        found += _lists("group events", wanted, ours, _event_differs)
    found += _customers(seen.get("customers_after", {}), result)
    return found


def _recorded_rounds(pies: Sequence[Pie]) -> tuple[dict[int, int], list[Pie]]:
    """The rounds that have an entry of their own in a recording, and the number of each of ours.

    A round that ends before its first spin leaves no trace behind a round for floors of the same
    group: the log says only once that the group negotiates.  It does leave one if it ended because
    nothing was left, and the round for floors had been ended, too.
    """
    numbers: dict[int, int] = {}
    kept: list[Pie] = []
    for i, pie in enumerate(pies):
        before = pies[i - 1] if i else None
        follows = before is not None and before.floor_round and before.group == pie.group
        ended = before is not None and (before.stopped_by_quota or before.stopped_by_pie)
        if pie.spins or not follows or (pie.stopped_by_pie and ended):
            kept.append(pie)
        numbers[i] = len(kept) - 1
    return numbers, kept


def decided(result: CycleResult) -> tuple[list[JsonObject], list[JsonObject]]:
    """Matches and rejections in the form of a recording."""
    numbers, _ = _recorded_rounds(result.pies)
    return _matches(result, numbers), _rejections(result, numbers)


def _match_differs(wanted: Record, ours: Record) -> str | None:
    for key, value in ours.items():
        if key in _PRINTED:
            if key in wanted and (value is None or not _near(wanted[key], value, _TWO_DECIMALS)):
                return f".{key}"
        elif not (_six_digits if key == "cost" else eq)(wanted[key], value):
            return f".{key}"
    return None


def printed_kind(match: Match) -> str:
    """The kind of a match by what the log prints: two decimals of both ranks, whoever it names."""
    if match.holder is None:
        return MatchKind.NONE.value
    new, old = (float(f"{rank:.2f}") for rank in (match.new_startd_rank, match.old_startd_rank))
    return str((MatchKind.RANK if new > old else MatchKind.PRIORITY).value)


def _matches(result: CycleResult, numbers: Mapping[int, int]) -> list[JsonObject]:
    return [
        {
            **{key: getattr(match, key) for key in (*_MATCH_FIELDS, *_PRINTED)},
            "pie": numbers[match.pie],
            "schedd": match.schedd.partition("@")[0],
            "kind": printed_kind(match),
            "preempted": match.holder,
        }
        for match in result.matches
    ]


def _rejections(result: CycleResult, numbers: Mapping[int, int]) -> list[JsonObject]:
    return [
        {
            "job": item.job,
            "submitter": item.submitter,
            "schedd": item.schedd.partition("@")[0],
            "reason": item.text,
            "spin": item.spin,
            "pie": numbers[item.pie],
        }
        for item in result.rejections
    ]


def _exactly(wanted: Content, ours: Content) -> str | None:
    if not isinstance(ours, dict):
        return None if wanted == ours else ""
    return next((f".{key}" for key, value in ours.items() if wanted.get(key) != value), None)


def _lists(
    field: str,
    wanted: Sequence[Content],
    ours: Sequence[Content],
    differs: Callable[[Content, Content], str | None] = _exactly,
) -> Iterator[Mismatch]:
    """The first difference of two lists, and that of their lengths.

    ``differs`` names the part of an entry that is not the same; later entries are consequences.
    """
    for i, (left, right) in enumerate(zip(wanted, ours, strict=False)):
        part = differs(left, right)
        if part is not None:
            yield Mismatch(f"{field}[{i}]{part}", left, right)
            break
    if len(wanted) != len(ours):
        yield Mismatch(f"number of {field}", len(wanted), len(ours))


def _near(wanted: float | str, ours: float, digits: float = 1e-6) -> bool:
    """Whether a number is the printed one; the log writes six decimals."""
    value = float(wanted)
    if not math.isfinite(value) or not math.isfinite(ours):
        return value == ours or (math.isnan(value) and math.isnan(ours))
    return abs(value - ours) <= digits + 1e-9 * abs(value)


def _six_digits(wanted: float | str, ours: float) -> bool:
    """Whether a number is the printed one where the log writes six significant digits."""
    value = float(wanted)
    if math.isnan(value):
        return math.isnan(ours)
    return math.isclose(value, ours, rel_tol=5.1e-6, abs_tol=1e-9)


def _pie_differs(wanted: Record, ours: Pie) -> str | None:
    if (wanted["group"], wanted["floor_round"]) != (ours.group, ours.floor_round):
        return ""
    if len(wanted["spins"]) != len(ours.spins):
        return ".spins"
    for i, (left, right) in enumerate(zip(wanted["spins"], ours.spins, strict=True)):
        part = _spin_differs(left, right)
        if part is not None:
            return f".spins[{i}]{part}"
    return None


def _spin_differs(wanted: Record, ours: Spin) -> str | None:
    if wanted["spin"] != ours.spin:
        return ".spin"
    for key, field in _SPIN_FIELDS.items():
        if key in wanted and not _six_digits(wanted[key], getattr(ours, field)):
            return f".{key}"
    if not _near(wanted["pie_left"], ours.pie_left, 1e-3):
        return ".pie_left"
    if len(wanted["submitters"]) != len(ours.turns):
        return ".submitters"
    for i, (left, right) in enumerate(zip(wanted["submitters"], ours.turns, strict=True)):
        part = _turn_differs(left, right)
        if part is not None:
            return f".submitters[{i}].{part}"
    return None


def _turn_differs(wanted: Record, ours: SubmitterTurn) -> str | None:
    schedd = ours.schedd.partition("@")[0]
    # Of a submitter that is out of time the log names no schedd.
    if (wanted["name"], wanted.get("schedd", schedd)) != (ours.name, schedd):
        return "name"
    for key, field in _TURN_FIELDS.items():
        if key in wanted and not _near(wanted[key], getattr(ours, field)):
            return key
    told = [_NUMBER_BEHIND.sub("", event) for event in wanted["events"]]
    said = [_EVENTS[event] for event in told if event in _EVENTS]
    if said != [event for event in ours.events if event in _EVENTS.values()]:
        return "events"
    return "outcome" if wanted["outcome"] != ours.outcome.value else None


def _offer(offer: RecordedOffer, numbers: Mapping[int, int]) -> JsonObject:
    return {
        "pie": numbers.get(offer.pie, offer.pie),
        "spin": offer.spin,
        "submitter": offer.submitter,
        "schedd": offer.schedd,
        "job": offer.job,
        "limit": offer.limit,
        "used": offer.used,
        "submitter_attributes": offer.attributes,
    }


def _request_differs(wanted: Record, ours: Record) -> str | None:
    for key in ("pie", "spin", "submitter", "schedd", "job"):
        if wanted[key] != ours[key]:
            return f".{key}"
    for key in ("limit", "used"):
        if key in wanted and not _near(wanted[key], ours[key]):
            return f".{key}"
    for name, text in wanted.get("submitter_attributes", {}).items():
        if not _same_attribute(text, ours["submitter_attributes"].get(name.lower())):
            return f".submitter_attributes.{name}"
    return None


def _same_attribute(text: str, value: object) -> bool:
    """Whether an attribute prints as recorded; reals are printed with their last digit rounded."""
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, float):
        return math.isclose(float(text), value, rel_tol=1e-6, abs_tol=1e-6)
    return text == (f'"{value}"' if isinstance(value, str) else str(value))


def _event_differs(wanted: Record, ours: Record) -> str | None:
    for key, value in ours.items():
        recorded = wanted.get(key)
        if isinstance(value, float):
            if recorded is None or not _six_digits(recorded, value):
                return f".{key}"
        elif recorded != value:
            return f".{key}"
    return None


def _customers(wanted: Record, result: CycleResult) -> Iterator[Mismatch]:
    """Records the accountant keeps; those of customers nobody asked about may be missing."""
    for name, record in wanted.items():
        ours = result.accountant.customers.get(name)
        for attribute, text in record.items():
            value = None if ours is None else getattr(ours, _CUSTOMER_FIELDS[attribute])
            if not _near(text, 0.0 if value is None else float(value)):
                yield Mismatch(f"customers_after.{name}.{attribute}", text, value)
