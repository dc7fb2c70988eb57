"""Reads what jobs and slots were doing at a capture, and what has happened since the one before.

Decides what is noted of each: of a job its queue, submitter and request when it is first seen and
each change of its status or slot; of a slot that is not divided each time without a claim; of a
cycle its matches and rejections, as they were recorded, else as the next capture shows them: what
the schedds note in their jobs, which have started, and which slots the schedds have asked for: who
has to leave a slot for a match may take minutes, and the job starts after several further captures.
Times are told by the ads where they lie between the two captures, else they are those of the later
one.

Inputs: the files of captures.  Outputs: frozen values, which the file of a history has rows for.
Follows: ``JobStatus``, ``RemoteHost``, ``JobCurrentStartDate`` and ``LastRejMatchTime`` of
condor_schedd, ``State`` and ``EnteredCurrentState`` of condor_startd.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from attr import field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.files.ads import read_long
from classad.patterns import late_regex
from classad.syntax.lexing import literal_value
from negotiator.capture.agreement import Expected, ExpectedError, parse_expected
from negotiator.jobs.readiness import IDLE, RUNNING, unserved_by
from negotiator.jobs.submitters import submitter_of
from negotiator.model.arithmetic import END_OF_CALENDAR, whole
from negotiator.model.snapshot import whole_slot
from pieslice.data import is_number
from pieslice.recording.changes import Columns, Files

#: What a job is after the last capture that has it.
GONE: Final = -1
#: What makes two jobs ask for the same, besides the owner.
REQUEST: Final = (
    "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs", "Requirements", "Rank",
    "ConcurrencyLimits", "JobUniverse", "JobPrio", "NiceUser",
)  # fmt: skip
_OWNER: Final = ("User", "Owner", "AccountingGroup", "AcctGroup")
_TIMES: Final = late_regex(
    r"^(?:MyCurrentTime|LastHeardFrom|LastUpdate|ServerTime) = ([0-9]{1,15})$", re.MULTILINE
)
_FREE: Final = ("Unclaimed", "Matched")
#: Somebody has it, if only until the job has left.
_HELD: Final = ("Claimed", "Preempting")
#: Ends of the names that tell of a claim which request it is for.
_REQUEST: Final = ("CLUSTER", "PROC")
#: What a manifest calls the numbers of matches and rejections of the last cycle.
_COUNTS: Final = ("matches", "rejections")


@frozen
class JobKey:
    """A job of a pool."""

    schedd: str
    cluster: int
    proc: int


@frozen
class JobAbout:
    """What stays the same of a job.  ``request``: equal for jobs that ask for the same.

    ``submitted``: seconds since the epoch, None if nothing tells; ``cpus``: None for an expression.
    """

    submitter: str
    group: str
    request: str
    cpus: float | None
    submitted: float | None


@frozen
class RecordedState:
    """What a job is doing: ``JobStatus``, or ``GONE``; the slot of one that runs, and since when.

    ``since``: as the ad tells it, None if it does not.
    """

    status: int
    slot: str = ""
    since: float | None = None


@frozen
class SlotState:
    """Whether a slot could be claimed, and since when."""

    free: bool
    claimed: bool
    since: float | None


@frozen
class Load:
    """Cores that are claimed, of all, and jobs that wait and run in slots."""

    claimed: float
    cores: float
    idle: int
    running: int


@frozen(eq=False)
class Sight:
    """The jobs and slots of a capture; ``users``: who has each slot that is claimed."""

    jobs: Mapping[JobKey, RecordedState]
    slots: Mapping[str, SlotState]
    users: Mapping[str, str]
    load: Load


def sight(files: Files) -> Sight:
    """What the jobs and slots of a capture are doing."""
    jobs = dict(_jobs(files.get("jobs.ads")))
    slots: dict[str, SlotState] = {}
    users: dict[str, str] = {}
    claimed = cores = 0.0
    ads = files.get("slots.ads")
    for row in range(len(ads)) if isinstance(ads, Columns) else ():
        assert isinstance(ads, Columns)
        state, cpus = _text(ads, row, "State"), _number(ads, row, "Cpus") or 0
        cores += cpus
        claimed += cpus if state in _HELD else 0
        if state in _HELD:
            users[_text(ads, row, "Name")] = _text(ads, row, "RemoteUser")
        if not any(_flag(ads, row, kind) for kind in ("PartitionableSlot", "DynamicSlot")):
            since = _number(ads, row, "EnteredCurrentState")
            slots[_text(ads, row, "Name")] = SlotState(state in _FREE, state == "Claimed", since)
    statuses = list(_statuses(files.get("jobs.ads")))
    load = Load(claimed, cores, statuses.count(IDLE), statuses.count(RUNNING))
    return Sight(jobs, slots, users, load)


def _statuses(ads: Columns | str | None) -> Iterator[int]:
    """``JobStatus`` of the jobs that slots are requested for."""
    for row in range(len(ads)) if isinstance(ads, Columns) else ():
        assert isinstance(ads, Columns)
        universe, managed = _number(ads, row, "JobUniverse"), _text(ads, row, "Managed")
        if _key(ads, row) is not None and unserved_by(universe, managed) is None:
            yield whole(_number(ads, row, "JobStatus"))


def _jobs(ads: Columns | str | None) -> Iterator[tuple[JobKey, RecordedState]]:
    if not isinstance(ads, Columns):
        return
    for key, row in rows_of_jobs(ads):
        status = whole(_number(ads, row, "JobStatus"))
        slot = _text(ads, row, "RemoteHost") if status == RUNNING else ""
        since = _number(ads, row, "JobCurrentStartDate") if status == RUNNING else None
        yield key, RecordedState(status, slot, since)


def rows_of_jobs(ads: Columns) -> Iterator[tuple[JobKey, int]]:
    """The jobs of a file with their rows."""
    for row in range(len(ads)):
        key = _key(ads, row)
        if key is not None:
            yield key, row


def _key(ads: Columns, row: int) -> JobKey | None:
    cluster, proc = _number(ads, row, "ClusterId"), _number(ads, row, "ProcId")
    if cluster is None or proc is None:
        return None
    schedd = _text(ads, row, "GlobalJobId").partition("#")[0]
    return JobKey(schedd, whole(cluster), whole(proc))


def about_jobs(files: Files, wanted: set[JobKey]) -> Iterator[tuple[JobKey, JobAbout]]:
    """What stays the same of some jobs, in the order of the file."""
    ads = files.get("jobs.ads")
    if not isinstance(ads, Columns):
        return
    context, left = EvalContext(now=0.0), set(wanted)
    for key, row in rows_of_jobs(ads):
        if key in left:
            left.discard(key)
            yield key, _about(ads, row, context)


def _about(ads: Columns, row: int, context: EvalContext) -> JobAbout:
    names = [name for name in (*_OWNER, "RequestCpus") if ads.value(row, name) is not None]
    ad = next(read_long([f"{name} = {ads.value(row, name)}" for name in names], ""), ClassAd())
    texts = [ads.value(row, name) or "" for name in REQUEST]
    return JobAbout(
        submitter_of(ad, context) or "",
        ad.get_string("AcctGroup", context=context) or "",
        sha256("\n".join(texts).encode("utf-8", "surrogateescape")).hexdigest()[:16],
        ad.get_number("RequestCpus", context=context),
        _number(ads, row, "QDate"),
    )


def decisions(files: Files) -> Expected | None:
    """What the cycle after a capture did; None if that was not recorded, or cannot be read."""
    text = files.get("expected.json")
    if not isinstance(text, str):
        return None
    try:
        return parse_expected(json.loads(text))
    except (ValueError, RecursionError, ExpectedError):
        return None


@frozen
class AskedClaim:
    """A slot that a schedd has been given for a request, which is named by its first job."""

    slot: str
    request: JobKey


@frozen(eq=False)
class Noticed:
    """What a cycle did as the next capture shows it.  ``cycle``: when it began.

    ``started``: the slots of jobs that have started, ``asked``: slots in which no job has started
    yet, ``awaited``: those that had been asked for before the cycle, by schedd and slot;
    ``rejected``: reasons.  ``counts``: of matches and rejections, as the negotiator tells them.
    """

    cycle: float
    started: Mapping[JobKey, str]
    rejected: Mapping[JobKey, str]
    counts: tuple[int | None, int | None] = (None, None)
    asked: Sequence[AskedClaim] = ()
    awaited: Mapping[tuple[str, str], JobKey] = field(factory=dict)


def noticed(
    files: tuple[Files, Files], seen: tuple[Sight, Sight], span: tuple[float, float]
) -> Noticed | None:
    """What the last cycle between two captures did, for pools that keep no record of decisions.

    ``span``: the times of both.  None if there was no cycle.
    """
    (old, new), (begin, end) = seen, span
    awaited, claims = map(_asked_claims, files)
    started = {
        key: state.slot if (key.schedd, state.slot) in claims else whole_slot(state.slot)
        for key, state in new.jobs.items()
        if state.status == RUNNING and old.jobs.get(key) not in (None, state)
    }
    taken = {(key.schedd, slot) for key, slot in started.items()}
    asked = [
        AskedClaim(place[1], request)
        for place, request in claims.items()
        if place not in taken and awaited.get(place) != request and request in old.jobs
    ]
    before, after = map(_rejections, files)
    # The daemons tell whole seconds: what is new is told by what was told before.
    rejected = {
        key: (time, reason)
        for key, (time, reason) in after.items()
        if int(begin) <= time <= end and before.get(key, (0, ""))[0] != time
    }
    reasons = {key: reason for key, (_, reason) in rejected.items()}
    last = _last_cycle(files[1])
    told, known = last.get("time"), _last_cycle(files[0]).get("time")
    if told is not None and told != known and int(begin) <= told <= end:
        counts = [None if name not in last else whole(last[name]) for name in _COUNTS]
        both = counts[0], counts[1]
        return Noticed(max(told, begin), started, reasons, both, asked, awaited)
    times = [time for time, _ in rejected.values()]
    if not times:
        return None
    return Noticed(max(begin, *times), started, reasons, asked=asked, awaited=awaited)


def _asked_claims(files: Files) -> dict[tuple[str, str], JobKey]:
    """The requests that schedds have been given slots for, by schedd and slot.

    A claim may be told so for as long as it lasts.
    """
    ads = files.get("claims.ads")
    found = {}
    for row in range(len(ads)) if isinstance(ads, Columns) else ():
        assert isinstance(ads, Columns)
        cluster, proc = (_number(ads, row, f"_condor_RESOURCE_{part}") for part in _REQUEST)
        if cluster is not None and proc is not None:
            schedd = _text(ads, row, "ScheddName")
            found[schedd, _text(ads, row, "Name")] = JobKey(schedd, whole(cluster), whole(proc))
    return found


def _rejections(files: Files) -> dict[JobKey, tuple[float, str]]:
    """When and why each job was rejected last, as its schedd has noted it."""
    ads = files.get("jobs.ads")
    found = {}
    for key, row in rows_of_jobs(ads) if isinstance(ads, Columns) else ():
        assert isinstance(ads, Columns)
        time = _number(ads, row, "LastRejMatchTime")
        if time is not None:
            found[key] = (time, _text(ads, row, "LastRejMatchReason"))
    return found


def _last_cycle(files: Files) -> Mapping[str, float]:
    """The numbers of the last cycle in the manifest of a capture; none where nothing tells."""
    with contextlib.suppress(ValueError, RecursionError, TypeError, KeyError, AttributeError):
        cycle = json.loads(str(files["capture.json"]))["cycle"]
        return {name: float(number) for name, number in cycle.items() if is_number(number)}
    return {}


def planned_interval(files: Files) -> float | None:
    """The seconds from cycle to cycle as the pool plans them; None where nothing tells."""
    interval = _last_cycle(files).get("interval", 0.0)
    return interval if 0 < interval < END_OF_CALENDAR else None


def newest_time(texts: Mapping[str, str]) -> float | None:
    """When a capture was made: as its manifest tells, else the newest time in its ads.

    In seconds since the epoch; None if nothing tells.  Times beyond the calendar tell nothing.
    """
    with contextlib.suppress(ValueError, RecursionError, TypeError, KeyError):
        ended = json.loads(texts["capture.json"])["ended"]
        if is_number(ended) and 0 < ended < END_OF_CALENDAR:
            return float(ended)
    ads = (text for name, text in texts.items() if name.endswith(".ads"))
    times = (float(time) for text in ads for time in _TIMES.findall(text))
    return max((time for time in times if time < END_OF_CALENDAR), default=None)


def between(told: float | None, before: float | None, now: float) -> float:
    """When something happened that is seen now: as told, if it can be."""
    fits = told is not None and told <= now and (before is None or told > before)
    return told if fits and told is not None else now


# --- values of ads ------------------------------------------------------------------------------


def _number(ads: Columns, row: int, name: str) -> float | None:
    value = literal_value(ads.value(row, name) or "")
    return value if is_number(value) else None


def _text(ads: Columns, row: int, name: str) -> str:
    value = literal_value(ads.value(row, name) or "")
    return value if isinstance(value, str) else ""


def _flag(ads: Columns, row: int, name: str) -> bool:
    return literal_value(ads.value(row, name) or "") is True
