"""Makes plain values of the result of a cycle, for JSON.

Decides the keys of the object and the order of everything, so that equal results give equal bytes.
Field names are those of the negotiation vectors (``seq pie spin submitter schedd job count of
autocluster slot kind preempted cost``); usage, limits and costs are in slot weights.

Inputs: an ``Outcome`` and the diagnostics of reading.  Outputs: an object of plain values.
Follows: the ``observed`` part of the negotiation vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attr import asdict

from classad.errors import Diagnostic
from negotiator.capture.agreement import AdAge, Agreement
from negotiator.model.result import (
    CycleResult,
    GroupSummary,
    Match,
    MatchKind,
    Rejection,
    SubmitterSummary,
)
from pieslice.data import JsonObject
from pieslice.reports.pool_tables import PoolTable
from pieslice.reports.text import Outcome, iso_time, sort_keys, timed_turns
from pieslice.reports.versions import version_data

_PREEMPTION_FIELDS: Final = (
    "preempted_prio", "old_startd_rank", "new_prio", "new_startd_rank",
)  # fmt: skip


def to_object(
    outcome: Outcome,
    diagnostics: Iterable[Diagnostic] = (),
    tables: Mapping[str, PoolTable] | None = None,
) -> JsonObject:
    """Everything the report says, and every number it was made of."""
    result = outcome.result
    return {
        "pool": _pool(outcome),
        "now": result.now,
        "assignments": asdict(outcome.assignments),
        "submitters": [_submitter(item) for item in result.submitters],
        "groups": [_group(item, result) for item in result.groups],
        "matches": [_match(item) for item in result.matches],
        "vacating": [asdict(item) for item in outcome.vacating],
        "rejections": [_rejection(item) for item in result.rejections],
        "time": {
            "seconds": result.seconds,
            "ended": [
                {"submitter": name, "reason": event.value, "pie": pie, "spin": spin}
                for name, event, pie, spin in timed_turns(result)
            ],
        },
        "departures": [
            {
                "id": item.kind.number,
                "times": item.times,
                "about": list(item.about),
                "text": item.kind.text,
            }
            for item in result.departures
        ],
        "agreement": _agreement(outcome.agreement, outcome.expected_name),
        "unsupported": [
            {"knob": item.name, "value": item.value, "place": item.place, "effect": item.effect}
            for item in outcome.unsupported
        ],
        "diagnostics": [_diagnostic(item) for item in diagnostics],
        "tables": {name: table.records() for name, table in (tables or {}).items()},
    }


def _pool(outcome: Outcome) -> JsonObject:
    pool, numbers = outcome.pool, outcome.result.pool
    return {
        "name": pool.name,
        "machines": pool.machines,
        "slots": pool.slots,
        "users": pool.users,
        "jobs": pool.jobs,
        "idle_jobs": pool.idle_jobs,
        "now_from": pool.now_from,
        "now_iso": iso_time(pool.now),
        "dialect": pool.dialect.name,
        **version_data(pool.version),
        "slot_weight_total": numbers.pool_weight,
        "min_slot_weight": numbers.min_slot_weight,
        "pie": numbers.pie,
        "trimmed": [
            {"slot": slot.name, "cause": slot.cause.value} for slot in outcome.result.trimmed
        ],
    }


def _submitter(item: SubmitterSummary) -> JsonObject:
    return {
        "name": item.name,
        "group": item.group,
        "real_prio": item.real_priority,
        "prio_factor": item.priority_factor,
        "prio": item.effective_priority,
        "share": item.share,
        "limit": item.limit,
        "usage": item.usage,
        "usage_after": item.usage_after,
        "floor": item.floor,
        "ceiling": item.ceiling,
        "idle_jobs": item.idle_jobs,
        "running_jobs": item.running_jobs,
    }


def _group(item: GroupSummary, result: CycleResult) -> JsonObject:
    return {
        "group": item.name,
        "config_quota": item.config_quota,
        "static": item.static,
        "accept_surplus": item.accept_surplus,
        "autoregroup": item.autoregroup,
        "quota": item.quota,
        "subtree_quota": item.subtree_quota,
        "rounds": [
            {
                "round": round_.round,
                "sort_key": sort_keys(round_).get(item.name),
                "requested": share.requested,
                "allocated": share.allocated,
                "unallocated": share.unallocated,
            }
            for round_ in result.rounds
            for share in round_.groups
            if share.group == item.name
        ],
        "usage": item.usage,
        "usage_after": item.usage_after,
        "submitters": list(item.submitters),
    }


def _match(item: Match) -> JsonObject:
    found: JsonObject = {
        "seq": item.seq,
        "pie": item.pie,
        "spin": item.spin,
        "submitter": item.submitter,
        "schedd": item.schedd,
        "job": item.job,
        "count": item.count,
        "of": item.of,
        "autocluster": item.autocluster,
        "slot": item.slot,
        "kind": item.kind.value,
        "preempted": item.preempted,
        "cost": item.cost,
    }
    if item.kind is not MatchKind.NONE:
        found.update((name, getattr(item, name)) for name in _PREEMPTION_FIELDS)
        if item.dynamic_slots:
            found["dynamic_slots"] = list(item.dynamic_slots)
    return found


def _rejection(item: Rejection) -> JsonObject:
    return {
        "pie": item.pie,
        "spin": item.spin,
        "submitter": item.submitter,
        "schedd": item.schedd,
        "job": item.job,
        "autocluster": item.autocluster,
        "reason": item.text,
    }


def _agreement(agreement: Agreement | None, name: str) -> JsonObject | None:
    if agreement is None:
        return None
    return {
        "file": name,
        "negotiator": agreement.negotiator,
        "decisions": agreement.expected,
        "agree": agreement.agreeing,
        "extra": agreement.extra,
        "differences": [
            {
                "decision": item.kind,
                "side": "here" if item.ours else "expected",
                "position": item.position,
                **item.fields(),
                "from_age": item.from_age,
                "ads": [_age(ad) for ad in item.ads],
            }
            for item in agreement.differences
        ],
    }


def _age(ad: AdAge) -> JsonObject:
    return {"ad": ad.what, "name": ad.name, "in_capture": ad.there, "older_seconds": ad.older}


def _diagnostic(item: Diagnostic) -> JsonObject:
    return {
        "severity": item.severity,
        "file": None if item.source is None else item.source.name,
        "line": item.line,
        "column": item.column,
        "message": item.message,
        "help": item.help,
    }
