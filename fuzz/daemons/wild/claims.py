"""Draws the claims of slots of a wild scenario: whose they are, and what else a state can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fuzz.daemons.wild.mixture import LIMITS, Mixture, quoted
from pieslice.data import JsonData

_Ad = dict[str, str | None]
_RANKS: Final = ("0.0", "0.0", "0.0", "1.0", "5.0", "-3.5", "100")


def full_name(user: str) -> str:
    """A user with a domain."""
    return user if "@" in user else f"{user}@test"


def draw_claim(
    mix: Mixture, traits: Mapping[str, bool], ad: _Ad, busy: float, *, partitionable: bool
) -> None:
    """Have a slot claimed with the probability ``busy``, or in another state."""
    if not partitionable and mix.often(busy):
        _claim(mix, traits, ad)
        _preempting(mix, traits, ad)
        _neighbours(mix, ad)
    elif not partitionable and traits["other-states"] and mix.often(0.3):
        states = ("Owner", "Drained", "Matched", "Backfill", "unclaimed")
        ad["State"] = quoted(mix.pick(*states))
        if mix.often(0.3):
            ad["RemoteUser"] = quoted("guest@test")


def _claim(mix: Mixture, traits: Mapping[str, bool], ad: _Ad) -> None:
    user = mix.pick(*mix.submitters) if mix.often(0.7) else mix.pick(*mix.guests)
    domain = "" if "@" in user else "@test"
    person = user.split("@")[0].rsplit(".", 1)[-1] + (domain or "@" + user.split("@")[1])
    ad.update(
        {
            "State": quoted("Claimed"),
            "Activity": quoted(mix.pick("Busy", "Busy", "Idle", "Suspended")),
            "RemoteOwner": quoted(person),
            "CurrentRank": mix.pick(*_RANKS),
        }
    )
    if mix.often(0.85):
        ad["TotalJobRunTime"] = str(mix.rng.randrange(10, 100000))
    if traits["claimed-by-group"] and mix.often(0.8):
        if "." not in user:
            user = f"{mix.pick(*mix.groups)}.{user}"
        ad.update({"AccountingGroup": quoted(user + domain), "RemoteUser": quoted(person)})
    else:
        ad["RemoteUser"] = quoted(user + domain)
    if mix.often(0.1):
        ad["RemoteOwner"] = None


def _preempting(mix: Mixture, traits: Mapping[str, bool], ad: _Ad) -> None:
    if traits["preempting-state"] and mix.often(0.3):
        ad["State"] = quoted("Preempting")
        ad["Activity"] = quoted("Vacating")
    if traits["preempting-user"] and mix.often(0.4):
        user = full_name(mix.pick(*mix.submitters, *mix.guests))
        ad[mix.pick("PreemptingUser", "PreemptingAccountingGroup")] = quoted(user)
        if mix.often(0.7):
            ad["PreemptingRank"] = mix.pick("0", "2.0", "7", "-1.5", '"x"')


def _neighbours(mix: Mixture, ad: _Ad) -> None:
    """Who uses the other slots of the machine, as its startd tells."""
    if "cross-slot-prios" in mix.tags:
        ad["TotalSlots"] = "3"
        for slot in (1, 2):
            if mix.often(0.7):
                user = full_name(mix.pick(*mix.submitters, *mix.guests))
                ad[f"slot{slot}_RemoteUser"] = quoted(user)


def draw_claimed_limits(mix: Mixture, slots: Sequence[JsonData]) -> None:
    """Have some claims hold concurrency limits."""
    if not mix.tags.intersection(LIMITS):
        return
    limits = ("lic", "disk:2", "lic, disk", "LIC", "sw.a", "other")
    for entry in slots:
        ad = entry["ad"]
        if "RemoteUser" in ad and mix.often(0.3):
            ad["ConcurrencyLimits"] = quoted(mix.pick(*limits))
        if ad.get("PreemptingUser") and mix.often(0.4):
            ad["PreemptingConcurrencyLimits"] = quoted("lic")
