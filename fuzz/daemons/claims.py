"""Turns the matches of a recorded cycle into claims, and takes a scenario to its next cycle."""

from __future__ import annotations

from collections.abc import Sequence

from attr import evolve

from fuzz.daemons.ads import Job, Slot, expand_jobs, expand_slots, merge, quoted, replaced
from pieslice.data import Record


def claimed(
    matches: Sequence[Record], slots: Sequence[Slot], jobs: Sequence[Job]
) -> tuple[list[Slot], list[Job]]:
    """Slots and jobs after each match has become a claim and its job has left the queue."""
    waiting = list(jobs)
    before = {slot.name: slot for slot in slots}
    after = dict(before)
    for match in matches:
        job = _job_of(match, waiting)
        if job is not None:
            waiting.remove(job)
        name, _, domain = match["submitter"].partition("@")
        short = name.rsplit(".", 1)[-1]
        owner = short if job is None else job.owner
        claim: dict[str, str | None] = {
            "State": quoted("Claimed"),
            "Activity": quoted("Busy"),
            "RemoteUser": quoted(match["submitter"]),
            "RemoteOwner": quoted(f"{owner}@{domain}"),
            "CurrentRank": str(float(match.get("new_startd_rank", 0.0))),
        }
        slot = before[match["slot"]]
        after[slot.name] = evolve(slot, ad=merge(dict(slot.ad), claim))
    return list(after.values()), waiting


def _job_of(match: Record, waiting: Sequence[Job]) -> Job | None:
    """The job itself, or one of its cluster, or any of the submitter's."""
    mine = [job for job in waiting if job.user == match["submitter"]]
    exact = [job for job in mine if job.id == match["job"]]
    cluster = match["job"].split(".")[0]
    candidates = exact or [job for job in mine if str(job.cluster) == cluster] or mine
    return candidates[0] if candidates else None


def next_slots(scenario: Record, step: Record, slots: Sequence[Slot], address: str) -> list[Slot]:
    """The slots after those that a step removes have gone, and those that it adds have come."""
    gone = set(step.get("remove_slots", ()))
    kept = [slot for slot in slots if slot.name not in gone]
    added = expand_slots(step.get("slots", ()), scenario.get("slot_defaults"), address)
    return replaced(kept, added)


def next_jobs(scenario: Record, step: Record, jobs: Sequence[Job]) -> list[Job]:
    """The jobs with those that a step adds."""
    return [*jobs, *expand_jobs(scenario, step.get("jobs", ()))]
