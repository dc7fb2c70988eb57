"""Tells how much older than the cycle the ads were that a decision hangs on.

A capture holds ads of different seconds, and the real negotiator saw those of its own.  A decision
that differs can come from that only if an ad involved is older than the cycle, or missing.

The times are ``LastHeardFrom`` of slot and submitter ads, when the collector got them, or else
``MyCurrentTime``; of jobs ``ServerTime``, when the schedd told them.  All seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from attr import evolve

from classad import ClassAd
from negotiator.capture.agreement import AdAge, Agreement, Difference
from negotiator.model.loaded_slots import slots_named
from negotiator.model.snapshot import Snapshot

_HEARD: Final = ("LastHeardFrom", "MyCurrentTime")
_TOLD: Final = ("ServerTime",)


def dated(agreement: Agreement, snapshot: Snapshot, started: float | None) -> Agreement:
    """The same with the ads behind each difference; ``started``: when the real cycle began."""
    if agreement.complete or started is None:
        return agreement
    ads = _Ads(snapshot, agreement.differences)
    differences = [
        evolve(item, ads=tuple(ads.behind(item, started))) for item in agreement.differences
    ]
    return evolve(agreement, differences=tuple(differences))


class _Ad(NamedTuple):
    what: str
    name: str
    ad: ClassAd | None

    def age(self, started: float) -> AdAge:
        """How much older the ad is than a cycle that started then."""
        names = _TOLD if self.what == "job" else _HEARD
        times = [] if self.ad is None else [self.ad.get_number(name) for name in names]
        told = next((time for time in times if time is not None), None)
        return AdAge(
            self.what, self.name, self.ad is not None, None if told is None else started - told
        )


class _Ads:
    """The ads of a snapshot that some decisions name."""

    def __init__(self, snapshot: Snapshot, differences: Iterable[Difference]) -> None:
        fields = [item.fields() for item in differences]
        slots = {slot for found in fields if (slot := found.get("slot"))}
        jobs = {found["job"] for found in fields}
        self._slots = slots_named(snapshot.slots, slots)
        self._submitters: dict[str | None, list[ClassAd]] = {}
        for ad in snapshot.submitters:
            self._submitters.setdefault(ad.get_string("Name"), []).append(ad)
        self._jobs = {
            (queue.name, name): ad
            for queue in snapshot.queues
            for ad in queue.jobs
            if (name := _job_id(ad)) in jobs
        }

    def behind(self, item: Difference, started: float) -> Iterator[AdAge]:
        """The ads that a decision hangs on."""
        return (each.age(started) for each in self._involved(item))

    def _involved(self, item: Difference) -> Iterator[_Ad]:
        fields = item.fields()
        slot, job, submitter = fields.get("slot"), fields["job"], fields["submitter"]
        if slot is not None:
            yield _Ad("slot", slot, self._slots.get(slot))
        submitters = self._submitters.get(submitter, [])
        schedds = {ad.get_string("ScheddName") for ad in submitters}
        ads = [ad for (schedd, name), ad in self._jobs.items() if name == job and schedd in schedds]
        yield from (_Ad("job", job or "", ad) for ad in ads)
        yield from (_Ad("submitter", submitter or "", ad) for ad in submitters)
        if not ads:
            yield _Ad("job", job or "", None)
        if not submitters:
            yield _Ad("submitter", submitter or "", None)


def _job_id(ad: ClassAd) -> str:
    cluster, proc = (ad.get_number(name) for name in ("ClusterId", "ProcId"))
    return f"{cluster}.{proc}"
