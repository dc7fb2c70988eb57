"""Finds the features that were switched on in a wild scenario and left no trace in it."""

from __future__ import annotations

from typing import Final

from fuzz.daemons.wild.mixture import LIMITS, quoted
from pieslice.data import Record

#: Feature -> attributes of slots, one of which shows it.
_OF_SLOTS: Final = {
    "claimed-by-group": ("AccountingGroup",),
    "preempting-user": ("PreemptingUser", "PreemptingAccountingGroup"),
    "retirement": ("RetirementTimeRemaining",),
    "offline": ("Offline",),
    "revaluate": ("WantAdRevaluate",),
    "negotiator-requirements": ("NegotiatorRequirements",),
    "consumption-policy": ("ConsumptionCpus",),
    "pslot": ("PartitionableSlot",),
    "pslot-claimed": ("RemoteScheddName",),
    "nested-ads": ("Info",),
    "trim-shutdown": ("DaemonShutdown", "DaemonShutdownFast"),
    "slot-weight-odd": ("SlotWeight",),
    "machine-rank": ("Rank",),
    "machine-rank-odd": ("Rank",),
}
_OTHER_STATES: Final = ("Owner", "Drained", "Matched", "Backfill", "unclaimed")
_PREEMPTION: Final = (
    "preempt-requirements", "preempt-requirements-odd", "preempt-requirements-group",
)  # fmt: skip


def features_without_trace(scenario: Record) -> set[str]:
    """The features of which nothing is to be seen."""
    seen = _in_slots(scenario) | _in_customers(scenario) | _in_jobs(scenario)
    requirements = scenario["config"].get("PREEMPTION_REQUIREMENTS", "")
    if any(mark in requirements for mark in ("$(", "slot1_", "slot2_")):
        seen |= dict.fromkeys(_PREEMPTION, False)  # a later feature wrote over it
    return {feature for feature, there in seen.items() if not there}


def _in_slots(scenario: Record) -> dict[str, bool]:
    ads = [entry["ad"] for entry in scenario["slots"]]
    states = {ad.get("State") for ad in ads}
    used = {name for ad in ads for name in ad}
    config = scenario["config"]
    seen = {feature: bool(used.intersection(names)) for feature, names in _OF_SLOTS.items()}
    may_lack = ("RemoteOwner", "SlotWeight")
    far = any("far.example" in (ad.get("RemoteUser") or "") for ad in ads)
    return seen | {
        "claimed": quoted("Claimed") in states,
        "preempting-state": quoted("Preempting") in states,
        "other-states": bool(states.intersection(map(quoted, _OTHER_STATES))),
        "missing-attributes": any(
            text is None for ad in ads for name, text in ad.items() if name not in may_lack
        ),
        "no-claim-id": any(entry.get("claims") == 0 for entry in scenario["slots"]),
        "slot-weight-expr": "SlotWeight" in used or "SLOT_WEIGHT" in config,
        "remote-domain": "ACCOUNTANT_LOCAL_DOMAIN" in config or far,
    }


def _in_customers(scenario: Record) -> dict[str, bool]:
    customers = scenario["accountant"]["customers"]
    submitters = {entry["submitter"] for entry in scenario["jobs"]}
    return {
        "nice-user": any(name.startswith("nice-user.") for name in submitters),
        "floor": any("floor" in record for record in customers.values()),
        "ceiling": any("ceiling" in record for record in customers.values()),
        "factors": any("factor" in customers[name] for name in submitters & customers.keys()),
    }


def _in_jobs(scenario: Record) -> dict[str, bool]:
    ads = [entry["ad"] for entry in scenario["jobs"]]
    used = {name for ad in ads for name in ad}
    return {
        "held-jobs": any(ad.get("JobStatus") == "5" for ad in ads),
        "several-schedds": len({entry.get("schedd") for entry in scenario["jobs"]}) > 1,
        "pre-post-job-prio": any(
            "Job" in name and "Prio" in name and name != "JobPrio" for name in used
        ),
        "job-requirements": "Requirements" in used,
        "job-requirements-odd": "Requirements" in used,
        "job-rank": "Rank" in used,
        "job-rank-odd": "Rank" in used,
        **dict.fromkeys(LIMITS, "ConcurrencyLimits" in used),
    }
