"""Writes the pool of a simulation at a moment as a capture, for questions about its next cycle.

Decides what a simulated pool shows of itself: slots with their claims, jobs that wait and that run,
submitters, the schedd and its claims, the accountant's records.  The configuration is not copied:
the commands that ask name it.

Inputs: a negotiator whose simulation stands before a cycle.  Outputs: files as ``condor_status -l``
and the like print them, as texts by their names or in a folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from classad import ClassAd
from classad.formats.long import format_long
from negotiator.accounting.accountant import accountant_settings
from negotiator.groups.quotas import assign_quotas
from pieslice.priorities.stateads import state_ads
from pieslice.simulation.matching import SCHEDD, Negotiator
from pieslice.writing import naming

_RUNS: int = 2


def write_moment(negotiator: Negotiator, folder: Path) -> None:
    """Write the files of the capture."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in moment_texts(negotiator).items():
        with naming(folder / name):
            (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")


def moment_texts(negotiator: Negotiator) -> dict[str, str]:
    """The texts of the files of the capture."""
    negotiator.show_times()
    pool = negotiator.simulation.pool
    now = negotiator.simulation.epoch + negotiator.simulation.state.now
    parts = {
        "slots": (slot.ad for slot in pool.slots.values()),
        "jobs": _jobs(negotiator),
        "submitters": negotiator.submitter_ads(),
        "schedds": [_schedd(now)],
        "claims": _claims(negotiator),
        "accounting": _accounting(negotiator),
    }
    return {f"{name}.ads": _text(ads) for name, ads in parts.items()}


def _text(ads: Iterable[ClassAd]) -> str:
    return "\n".join(format_long(ad, quoted=False) for ad in ads)


def _jobs(negotiator: Negotiator) -> Iterator[ClassAd]:
    """Jobs that wait and that run, in the order of submission."""
    simulation = negotiator.simulation
    claims = {claim.job: (name, claim) for name, claim in simulation.state.claims.items()}
    for number in sorted(simulation.state.jobs):
        ad = simulation.job_ad(number)
        if number in claims:
            slot, claim = claims[number]
            simulation.forget_ad(number)
            ad.insert("JobStatus", _RUNS)
            ad.insert("CurrentHosts", 1)
            ad.insert("RemoteHost", slot)
            ad.insert("JobCurrentStartDate", simulation.epoch + claim.job_begun)
        yield ad


def _claims(negotiator: Negotiator) -> Iterator[ClassAd]:
    """What the schedd waits for: slots that other jobs have to leave first."""
    for slot, claim in negotiator.simulation.state.claims.items():
        if claim.next_job >= 0:
            ad = ClassAd()
            ad.insert("Name", slot)
            ad.insert("ScheddName", SCHEDD)
            ad.insert("_condor_RESOURCE_CLUSTER", claim.next_job + 1)
            ad.insert("_condor_RESOURCE_PROC", 0)
            yield ad


def _schedd(now: int) -> ClassAd:
    ad = ClassAd()
    ad.insert("MyType", "Scheduler")
    ad.insert("Name", SCHEDD)
    ad.insert("MyCurrentTime", now)
    return ad


def _accounting(negotiator: Negotiator) -> list[ClassAd]:
    simulation, policy, tree = negotiator.simulation, negotiator.policy, negotiator.tree
    if tree.configured:
        size = simulation.pool.weight
        assign_quotas(tree, size, oversubscription=policy.allow_quota_oversubscription)
    return state_ads(simulation.state.accountant, tree, accountant_settings(policy), {})
