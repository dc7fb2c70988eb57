"""Finds why a job is not offered at all, or why its submitter has no session in a cycle.

Inputs: the snapshot, the policy, the result of a cycle.  Outputs: one sentence.  Follows: the rules
by which schedds offer jobs and the negotiator takes submitter ads, which are asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.language.rules import NEWEST, LanguageRules
from negotiator.jobs.lists import Unready, unready
from negotiator.jobs.submitters import fetch_submitters, negotiated_name
from negotiator.model.result import CycleResult, Pie
from negotiator.model.snapshot import Snapshot
from negotiator.pool.slots import holds
from pieslice.reports.layout import short
from pieslice.why.jobs import AskedJob
from pieslice.why.requests.limits import standing
from policy.model import NegotiatorPolicy

_HELD = 5


@frozen
class Absence:
    """Why a submitter has no session: what is named in one word, and a sentence."""

    cause: str
    text: str


def why_not_ready(
    job: AskedJob,
    now: float,
    slots: Iterable[ClassAd] = (),
    language: LanguageRules = NEWEST,
) -> str:
    """Why the schedd does not offer an idle job.

    ``slots``: those of the pool; ``language``: the rules by which ads are evaluated.
    """
    context, ad = EvalContext(now=now, language=language), job.ad
    if job.submitter is None:
        return "no User in its ad"
    if job.matched:
        return Unready.MATCHED.value
    cause = unready(ad, context)
    if cause is None:
        return "START_VANILLA_UNIVERSE is not true"
    if cause is Unready.COOL_DOWN:
        end = ad.get_number("JobCooldownExpiration", context=context) or 0
        return f"in cool-down for {short(end - now)} s (JobCooldownExpiration)"
    if cause is Unready.HOSTS:
        hosts = [ad.get_number(name, context=context) for name in ("CurrentHosts", "MaxHosts")]
        current, most = (short(1 if value is None else value) for value in hosts)
        return f"CurrentHosts is {current} and MaxHosts {most}"
    if cause is Unready.EXTERNAL:
        manager = ad.get_string("ManagedManager", context=context)
        return f"managed by {manager or 'the job router (HTCondor-CE)'}"
    if cause is Unready.PARALLEL:
        return _dedicated(job, slots, context)
    return str(cause.value)


def _dedicated(job: AskedJob, slots: Iterable[ClassAd], context: EvalContext) -> str:
    """What the dedicated scheduler of a parallel job can ask slots for."""
    ad = job.ad
    scheduler = ad.get_string("Scheduler", context=context) or f"DedicatedScheduler@{job.schedd}"
    name = scheduler.lower()
    there = [slot.get_string("DedicatedScheduler", context=context) or "" for slot in slots]
    naming = sum(each.lower() == name for each in there)
    needed = ad.get_number("MaxHosts", context=context)
    wanted = f"needs {short(1 if needed is None else needed)} dedicated slots, {naming} name"
    if naming < (1 if needed is None else needed):
        return f"{wanted} {scheduler}"
    return f"{wanted} {scheduler}, which asks for them in the owner's place (not predicted)"


def why_no_session(
    snapshot: Snapshot, policy: NegotiatorPolicy, result: CycleResult, name: str, schedd: str
) -> Absence:
    """Why a submitter had no session with a schedd."""
    found = standing(result, name, schedd)
    context = EvalContext(now=result.now, language=policy.language)
    ads = [
        ad
        for ad in snapshot.submitters
        if negotiated_name(ad.get_string("Name", context=context) or "", policy) == name
    ]
    if not found.known:
        return _why_unknown(ads, policy, name, context)
    here = [ad for ad in ads if (ad.get_string("ScheddName", context=context) or "") == schedd]
    if not here:
        return Absence("schedd", f"no submitter ad of schedd {schedd} has its name")
    events = [event for turn in found.turns for event in turn.events]
    if events:
        return Absence("turn", events[-1])
    if found.skipped:
        return Absence("group", f"its group {found.group} was skipped ({'; '.join(found.skipped)})")
    known = fetch_submitters(here, policy, context)
    if not policy.consider_preemption and not any(item.idle_jobs > 0 for item in known):
        return Absence(
            "idle", "its submitter ad announces no idle jobs, and preemption is not considered"
        )
    stopped = next((pie for pie in result.pies if _kept_out(pie, found.group)), None)
    if stopped is not None:
        return Absence(
            "quota", f"group {stopped.group} had used its quota of {stopped.quota} before its turn"
        )
    return Absence("pie", "nothing was left of the pie before its turn")


def _kept_out(pie: Pie, group: str | None) -> bool:
    """Whether the group's use of its quota ended a round before all had a turn."""
    return pie.group == group and pie.stopped_by_quota


def _why_unknown(
    ads: list[ClassAd], policy: NegotiatorPolicy, name: str, context: EvalContext
) -> Absence:
    """Why none of the submitter ads of a name takes part."""
    if not ads:
        return Absence("ad", f"there is no submitter ad of {name}")
    if not any(holds(policy.submitter_constraint, ad, context) for ad in ads):
        return Absence("constraint", "NEGOTIATOR_SUBMITTER_CONSTRAINT is not true for its ad")
    if any(submitter.skipped for submitter in fetch_submitters(ads, policy, context)):
        return Absence("skipped", "its submitter ad says SkipMatchmaking, or has no JobPrio")
    return Absence("jobs", "its submitter ad announces no jobs, or lacks what an ad needs")


def status_of(job: AskedJob) -> str:
    """The status of a job; of a held one with the reason."""
    reason = job.ad.get_string("HoldReason") if job.status == _HELD else None
    return f"{job.status_text}: {reason}" if reason else job.status_text
