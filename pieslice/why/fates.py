"""Finds what became of every waiting job of some submitters in a cycle, and says why.

Decides which of several requests for a job counts: the one that got its slot, else the last that
was rejected (one in which only startd rank counted says less than another), else the last.  What
keeps a schedd from asking for the job in the last session says more than a request before.

Inputs: the ``CycleRecord`` of a cycle; for jobs without a request the snapshot, the policy and the
result.  Outputs: a ``JobFate`` for each job that waited, an ``Absence`` of a submitter without a
session; sentences without their ends.  Follows: the rules by which schedds offer jobs and the
negotiator takes submitter ads, which are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Final

from attr import evolve, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.language.rules import NEWEST, LanguageRules
from negotiator.jobs.offers import Unasked
from negotiator.jobs.readiness import Unready, held_back, not_requested, unready, unserved
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.jobs.submitters import fetch_submitters, negotiated_name
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.pool.slots import holds
from pieslice.between.leftovers import Leftovers, LeftoverStart
from pieslice.reports.document import NOT_SHOWN
from pieslice.reports.layout import Block, Line, plural, short
from pieslice.why.asked import AskedJob
from pieslice.why.limits import submitter_course
from pieslice.why.sessions import (
    CycleRecord,
    End,
    Got,
    RequestCourse,
    SessionCourse,
    how_it_ended,
    how_it_went,
    no_room,
    rejection_of_alike,
    session_line,
    why_it_ended,
)
from policy.claims import ClaimSettings
from policy.model import NegotiatorPolicy


class Fate(Enum):
    """What became of a job that waited; ``UNUSED``: the schedd gave none of the slots to it."""

    MATCHED = "matched"
    REJECTED = "rejected"
    CUT_OFF = "cut off"
    UNUSED = "matched, but not started"
    NOT_ASKED = "not requested"
    NO_SESSION = "no session"


@frozen(eq=False)
class JobFate:
    """A waiting job: its ``fate``, and the session and request that it had it in.

    ``place``: which of the jobs of the request it is, from 1; ``got``: the match that gave it a
    slot, in ``request`` even if that did not ask for the job; ``unasked``: why no request for it
    was answered in the session; ``left``: what its schedd starts it on after the cycle, which did
    not match it.
    """

    submitter: str
    schedd: str
    job: str
    autocluster: int
    fate: Fate
    session: SessionCourse | None = None
    request: RequestCourse | None = None
    place: int | None = None
    got: Got | None = None
    unasked: Unasked | None = None
    left: LeftoverStart | None = field(default=None, metadata=NOT_SHOWN)


#: How a request that served fewer jobs than it asked for leaves the others.
_FATE_AT: Final[Mapping[End, Fate]] = {
    End.REJECTED: Fate.REJECTED,
    End.KNOWN: Fate.REJECTED,
    End.CUT_OFF: Fate.CUT_OFF,
    End.SERVED: Fate.UNUSED,
}
#: What keeps a schedd from asking, whatever the negotiator does.
_OF_SCHEDD: Final = frozenset((Unasked.JOB_PRIO, Unasked.ROOM, Unasked.CONSTRAINT, Unasked.UPLOADS))


def fates(record: CycleRecord, left: Leftovers = MappingProxyType({})) -> tuple[JobFate, ...]:
    """The fates of all jobs that the record is about, in the order of the schedds' lists.

    ``left``: the jobs that start on what the matches of the cycle leave of slots.
    """
    found = list(_decided(record))
    if not left:
        return tuple(found)
    keys = ((fate.submitter, fate.schedd, fate.job) for fate in found)
    return tuple(
        evolve(fate, left=left[key]) if key in left else fate
        for fate, key in zip(found, keys, strict=True)
    )


def _decided(record: CycleRecord) -> Iterator[JobFate]:
    """What the cycle itself makes of the jobs."""
    for (submitter, schedd), jobs in record.waiting.items():
        mine = [s for s in record.sessions if (s.submitter, s.schedd) == (submitter, schedd)]
        placed: dict[str | None, tuple[SessionCourse, RequestCourse, Got]] = {}
        asked: dict[str, tuple[SessionCourse, RequestCourse, int]] = {}
        for session in mine:
            for request in session.requests:
                placed |= {got.job: (session, request, got) for got in request.got}
                for place, name in enumerate(request.jobs, 1):
                    if name not in asked or _weight(asked[name][1]) <= _weight(request):
                        asked[name] = (session, request, place)
        for job in jobs:
            about = (submitter, schedd, job.id, job.autocluster)
            unasked = mine[-1].unasked.get(job.id) if mine else None
            if job.id in placed:
                session, request, got = placed[job.id]
                number = request.jobs.index(job.id) + 1 if job.id in request.jobs else None
                yield JobFate(*about, Fate.MATCHED, session, request, number, got)
            elif job.id in asked and unasked not in _OF_SCHEDD:
                session, request, place = asked[job.id]
                yield JobFate(*about, _FATE_AT[request.end], session, request, place)
            elif mine:
                why = unasked or Unasked.ENDED
                yield JobFate(*about, Fate.NOT_ASKED, mine[-1], unasked=why)
            else:
                yield JobFate(*about, Fate.NO_SESSION)


def _weight(request: RequestCourse) -> tuple[bool, bool]:
    """How much a request says of its jobs; of equal ones the later says more."""
    rejected = request.end is End.REJECTED
    return rejected, rejected and not request.rank_only


def fate_of(
    record: CycleRecord, job: str, left: Leftovers = MappingProxyType({})
) -> JobFate | None:
    """The fate of one job; None if it does not wait."""
    return next((fate for fate in fates(record, left) if fate.job == job), None)


# --- no session, no offer -------------------------------------------------------------------------


@frozen
class Absence:
    """Why a submitter has no session: what is named in one word, and a sentence."""

    cause: str
    text: str


def why_no_session(
    snapshot: Snapshot, policy: NegotiatorPolicy, result: CycleResult, name: str, schedd: str
) -> Absence:
    """Why a submitter had no session with a schedd."""
    course = submitter_course(result, name, schedd)
    context = EvalContext(now=result.now, language=policy.language)
    ads = [
        ad
        for ad in snapshot.submitters
        if negotiated_name(ad.get_string("Name", context=context) or "", policy) == name
    ]
    if not course.known:
        return _why_unknown(ads, policy, name, context)
    here = [ad for ad in ads if (ad.get_string("ScheddName", context=context) or "") == schedd]
    if not here:
        return Absence("schedd", f"no submitter ad of schedd {schedd} has its name")
    events = [event for turn in course.turns for event in turn.events]
    if events:
        return Absence("turn", events[-1])
    if course.skipped:
        rounds = "; ".join(course.skipped)
        return Absence("group", f"its group {course.group} was skipped ({rounds})")
    known = fetch_submitters(here, policy, context)
    if not policy.consider_preemption and not any(item.idle_jobs > 0 for item in known):
        return Absence(
            "idle", "its submitter ad announces no idle jobs, and preemption is not considered"
        )
    for pie in result.pies:
        if pie.group == course.group and pie.stopped_by_quota:
            used = f"group {pie.group} had used its quota of {pie.quota}"
            return Absence("quota", f"{used} before its turn")
    return Absence("pie", "nothing was left of the pie before its turn")


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
    if cause is Unready.OWN_MACHINE:
        cause = held_back(ad, context) or cause
    match cause:
        case None:
            return "START_VANILLA_UNIVERSE is not true"
        case Unready.COOL_DOWN:
            end = ad.get_number("JobCooldownExpiration", context=context) or 0
            return f"in cool-down for {short(end - now)} s (JobCooldownExpiration)"
        case Unready.HOSTS:
            hosts = [ad.get_number(name, context=context) for name in ("CurrentHosts", "MaxHosts")]
            current, most = (short(1 if value is None else value) for value in hosts)
            return f"CurrentHosts is {current} and MaxHosts {most}"
        case Unready.EXTERNAL:
            manager = ad.get_string("ManagedManager", context=context)
            return f"managed by {manager or 'the job router (HTCondor-CE)'}"
        case Unready.PARALLEL:
            return _dedicated(job, slots, context)
        case Unready.UNIVERSE:
            return f"jobs of the {not_requested(ad, context)} run without a slot of the pool"
        case _:
            return str(cause.value)


def where_it_runs(job: AskedJob, language: LanguageRules = NEWEST) -> str | None:
    """Where a job runs that takes no slot of the pool, behind its status; None of any other."""
    context = EvalContext(language=language)
    kind = not_requested(job.ad, context)
    match unserved(job.ad, context):
        case Unready.OWN_MACHINE:
            return f" on the machine of {job.schedd} ({kind})"
        case Unready.GRID:
            resource = job.ad.get_string("GridResource", context=context)
            return f", grid universe: {resource or 'GridResource is not in the capture'}"
        case Unready.EXTERNAL:
            return f", {why_not_ready(job, 0.0, language=language)}"
    return None


def _dedicated(job: AskedJob, slots: Iterable[ClassAd], context: EvalContext) -> str:
    """What the dedicated scheduler of a parallel job can ask slots for."""
    scheduler = job.ad.get_string("Scheduler", context=context)
    name = scheduler or f"DedicatedScheduler@{job.schedd}"
    there = [
        slot
        for slot in slots
        if (slot.get_string("DedicatedScheduler", context=context) or "").lower() == name.lower()
        and slot.get_bool("DynamicSlot", context=context) is not True
    ]
    hosts = job.ad.get_number("MaxHosts", context=context)
    needed = 1 if hosts is None else hosts
    whole = [slot for slot in there if slot.get_bool("PartitionableSlot", context=context) is True]
    parts = _parts_of(whole, job.ad, context)
    naming = len(there) - len(whole) + max(parts, len(whole))
    slots_needed = plural(int(needed), "dedicated slot")
    wanted = f"needs {slots_needed}, {len(there)} {'names' if len(there) == 1 else 'name'} {name}"
    if parts > len(whole):
        wanted += f", with room for {naming}"
    if naming < needed:
        return wanted
    return f"{wanted}, which asks for them in the owner's place (not predicted)"


def _parts_of(slots: Sequence[ClassAd], job: ClassAd, context: EvalContext) -> int:
    """How many jobs like one fit on partitionable slots, if nobody has anything of these."""
    if not slots:
        return 0
    from pieslice.between.idle import IdleSlots
    from pieslice.between.pool import pool_of

    ads = [slot.ad for slot in pool_of(slots).slots.values()]
    return IdleSlots.of(ads, ClaimSettings(), context).room(job).jobs


# --- words ----------------------------------------------------------------------------------------


#: What stands before the reason.
_LEADS: Final[Mapping[Fate, str]] = {
    Fate.REJECTED: "rejected, ",
    Fate.CUT_OFF: "requested, but not offered: ",
    Fate.UNUSED: "matched, but not started: ",
    Fate.NOT_ASKED: "not requested: ",
    Fate.NO_SESSION: "not requested: ",
}


def sentence(fate: JobFate, absence: str) -> str:
    """Why a job that waits has no slot; ``absence``: why its submitter had no session."""
    known = fate.fate is Fate.REJECTED and fate.request and fate.request.end is End.KNOWN
    lead = _LEADS[Fate.CUT_OFF if known else fate.fate]
    return f"{lead}{absence if fate.fate is Fate.NO_SESSION else reason_of(fate)}"


def reason_of(fate: JobFate) -> str:
    """Why a job that had a session has no slot."""
    session, request = fate.session, fate.request
    assert session is not None, "without a session there is an Absence"
    if fate.fate is Fate.UNUSED:
        # On none of the slots that were matched for its request the schedd starts the job.
        if session.room is not None and sum(session.room[1:]) >= session.room[0]:
            return str(no_room(session))
        return "its schedd gave the slots of the request to other jobs, or could not use them"
    if fate.fate is not Fate.NOT_ASKED and request is not None:
        return why_it_ended(session, request)
    match fate.unasked:
        case None | Unasked.ENDED:
            return how_it_ended(session)
        case Unasked.REJECTED:
            return rejection_of_alike(session, fate.autocluster, fate.job)
        case Unasked.UPLOADS:
            return (
                f"its schedd asks for {session.uploads} jobs in a session at most "
                "(MAX_CONCURRENT_UPLOADS_PER_USER)"
            )
        case Unasked.ROOM:
            return no_room(session) or Unasked.ROOM.value
        case cause:
            return str(cause.value)


def request_blocks(fate: JobFate) -> list[Block]:
    """How the request went that a job was in, and where in it the job stands."""
    session, request = fate.session, fate.request
    if session is None or (request is None and not session.requests):
        return []
    if request is None:
        return [Line(f"  {session_line(session)}")]
    number, many = request.autocluster, len(request.jobs)
    of = "" if number == NO_AUTOCLUSTER else f"autocluster {number}"
    if many == 1 and fate.place is not None:
        return [Line(f"  asked for alone{f' ({of})' if of else ''}")]
    place = "" if fate.place is None else f"number {fate.place} of "
    first = f"{f'{of}, ' if of else ''}first {request.jobs[0]}"
    went = how_it_went(session, request, told=fate.fate is not Fate.MATCHED)
    return [Line(f"  {place}{plural(many, 'job')} in one request ({first}): {went}")]
