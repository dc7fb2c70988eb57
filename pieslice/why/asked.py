"""Finds the jobs and slots that a question names.

Decides what ``15.3`` or ``15`` means in a pool with several queues, what a user may be called by
(the submitter name, ``User``, or the part before the ``@`` without the group), and which slots a
part of a name means.

Inputs: the text, the snapshot, the policy.  Outputs: ``AskedJob``, ``JobScope``, names of slots;
raises ``UnknownJobError``, ``UnknownScopeError``, ``UnknownSlotError``.  Follows: ``condor_q
-better-analyze``, which takes the same names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.patterns import late_regex
from negotiator.groups.tree import group_tree
from negotiator.jobs.readiness import HELD, IDLE
from negotiator.jobs.submitters import negotiated_name, submitter_of
from negotiator.model.arithmetic import whole
from negotiator.model.result import ROOT_GROUP
from negotiator.model.snapshot import ScheddQueue, Snapshot, machine_of
from pieslice.reports.names import did_you_mean, listed
from policy.language.numbers import saturated
from policy.model import NegotiatorPolicy

JOB_ID: Final = late_regex(r"(?:([^#]+)#)?(\d+)(?:\.(\d+))?", re.ASCII)
#: What ``JobStatus`` says, in condor_q's words.
STATUS: Final = {
    0: "unexpanded",
    1: "idle",
    2: "running",
    3: "removed",
    4: "completed",
    5: "held",
    6: "transferring output",
    7: "suspended",
}
#: What comes after the host in a name: its domain, or the machine of a startd with another name.
_HOST: Final = late_regex(r"[.@]")


class UnknownJobError(Exception):
    """There is no such job."""


class UnknownScopeError(Exception):
    """There is no such user or group, or it has no jobs."""


class UnknownSlotError(Exception):
    """There is no such slot, or there are several."""


@frozen(eq=False)
class AskedJob:
    """A job of the pool; ``submitter`` is None if it has no user.

    ``matched``: its schedd has a match for it already.
    """

    cluster: int
    proc: int
    ad: ClassAd
    schedd: str
    submitter: str | None
    status: int
    matched: bool = False

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"

    @property
    def of(self) -> str:
        """`` of alice@pool``; nothing for a job that has no user."""
        return "" if self.submitter is None else f" of {self.submitter}"

    @property
    def status_text(self) -> str:
        """Its status as a word."""
        return STATUS.get(self.status, f"in status {self.status}")

    @property
    def status_and_reason(self) -> str:
        """Its status; of a held job with the reason."""
        reason = self.ad.get_string("HoldReason") if self.status == HELD else None
        return f"{self.status_text}: {reason}" if reason else self.status_text


@frozen(eq=False)
class JobScope:
    """Jobs, and what they are called together."""

    about: str
    jobs: tuple[AskedJob, ...]


# --- jobs -----------------------------------------------------------------------------------------


def all_jobs(snapshot: Snapshot) -> list[AskedJob]:
    """The jobs of all queues."""
    return [_job(ad, queue) for queue in snapshot.queues for ad in queue.jobs]


def _number(ad: ClassAd, name: str, context: EvalContext) -> int:
    number = ad.get_number(name, context=context)
    return -1 if number is None else whole(number)


def _job(ad: ClassAd, queue: ScheddQueue) -> AskedJob:
    context = EvalContext()
    cluster, proc = (_number(ad, name, context) for name in ("ClusterId", "ProcId"))
    status = whole(ad.get_number("JobStatus", context=context))
    submitter, matched = submitter_of(ad, context), (cluster, proc) in queue.matched
    return AskedJob(cluster, proc, ad, queue.name, submitter, status, matched)


def find_job(snapshot: Snapshot, text: str) -> AskedJob:
    """The job of that id; of a cluster the first idle job, else the first.

    ``SCHEDD#15.3`` is the one in the queue of that schedd, for ids that are in several queues.
    """
    found = JOB_ID.fullmatch(text)
    if found is None:
        raise UnknownJobError(f"`{text}` is not a job id")
    cluster, proc = saturated(found[2]), None if found[3] is None else saturated(found[3])
    context = EvalContext()
    jobs = [
        _job(ad, queue)
        for queue in snapshot.queues
        if found[1] in (None, queue.name)
        for ad in queue.jobs
        if _number(ad, "ClusterId", context) == cluster
        and proc in (None, _number(ad, "ProcId", context))
    ]
    if not jobs:
        raise UnknownJobError(f"there is no job `{text}` in the queues{_near(snapshot, found)}")
    schedds = sorted({job.schedd for job in jobs})
    if len(schedds) > 1:
        some = ", ".join(f"`{name}#{text}`" for name in schedds)
        raise UnknownJobError(f"job `{text}` is in several queues: give {some}")
    return min(jobs, key=lambda job: (job.status != IDLE, job.proc))


def _near(snapshot: Snapshot, match: re.Match[str]) -> str:
    """The jobs, clusters or schedds that there are instead."""
    schedds = [queue.name for queue in snapshot.queues]
    if match[1] is not None and match[1] not in schedds:
        return did_you_mean(match[1], schedds) or f"; the queues are {listed(schedds)}"
    cluster = saturated(match[2])
    jobs = [job for job in all_jobs(snapshot) if match[1] in (None, job.schedd)]
    mates = sorted({job.proc for job in jobs if job.cluster == cluster})
    if mates:
        return f"; cluster {match[2]} has {listed(f'{match[2]}.{proc}' for proc in mates)}"
    clusters = sorted({job.cluster for job in jobs}, key=lambda n: (abs(n - cluster), n))
    return f"; the nearest clusters are {listed(map(str, clusters))}" if clusters else ""


# --- the jobs of a cluster, a user, a group -------------------------------------------------------


def find_jobs(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    *,
    user: str | None = None,
    group: str | None = None,
    cluster: str | None = None,
) -> JobScope:
    """All jobs of a user, a group or a cluster, of which one is named.

    Raises ``UnknownScopeError`` and ``UnknownJobError``.
    """
    if [user, group, cluster].count(None) != 2:
        raise UnknownScopeError("name a user, a group or a cluster, and one of them only")
    if user is not None:
        return JobScope(f"user {user}", tuple(_jobs_of_user(snapshot, user)))
    if group is not None:
        return JobScope(f"group {group}", tuple(_jobs_of_group(snapshot, policy, group)))
    first = find_job(snapshot, cluster or "")
    own = (first.schedd, first.cluster)
    mates = [job for job in all_jobs(snapshot) if (job.schedd, job.cluster) == own]
    return JobScope(f"cluster {first.cluster}{first.of}", tuple(mates))


def _jobs_of_user(snapshot: Snapshot, name: str) -> list[AskedJob]:
    """All jobs of a user, under whatever group they negotiate."""
    jobs = [(job, _names(job)) for job in all_jobs(snapshot)]
    found = [job for job, names in jobs if name.lower() in names]
    if found:
        return found
    recorded = {alias for record in snapshot.accountant.customers for alias in _aliases(record)}
    if name.lower() in recorded:
        raise UnknownScopeError(f"user `{name}` has no jobs in the queues")
    known = {alias for _, names in jobs for alias in names}
    raise UnknownScopeError(f"no job in the queues is of user `{name}`{_meant(name, known)}")


def _names(job: AskedJob) -> set[str]:
    """What the user of a job may be called by, lower-cased."""
    said = (job.submitter, job.ad.get_string("User"), job.ad.get_string("Owner"))
    return {alias for name in said if name for alias in _aliases(name)}


def _aliases(name: str) -> set[str]:
    """A name, and its last part without domain and group."""
    before, at, _ = name.lower().rpartition("@")
    return {name.lower(), before.rpartition(".")[2]} if at else {name.lower()}


def _jobs_of_group(snapshot: Snapshot, policy: NegotiatorPolicy, name: str) -> list[AskedJob]:
    """All jobs of an accounting group and those below it."""
    tree, wanted = group_tree(policy), name.lower()
    groups = {group.name.lower() for group in tree.groups}
    if not tree.configured:
        raise UnknownScopeError(f"there is no group `{name}`: the policy has no accounting groups")
    if wanted not in groups:
        raise UnknownScopeError(f"there is no group `{name}`{_meant(name, groups)}")
    found = []
    for job in all_jobs(snapshot):
        if job.submitter is not None:
            group = tree.assigned(negotiated_name(job.submitter, policy)).name.lower()
            if group == wanted or (group.startswith(f"{wanted}.") and wanted != ROOT_GROUP):
                found.append(job)
    if not found:
        raise UnknownScopeError(f"group `{name}` has no jobs in the queues")
    return found


def _meant(name: str, known: set[str]) -> str:
    """What may have been meant, or what there is."""
    some = sorted(known, key=lambda item: ("@" in item, item))
    return did_you_mean(name, known) or (f"; there are {listed(some)}" if some else "")


# --- slots ----------------------------------------------------------------------------------------


def find_slots(names: Sequence[str], text: str) -> list[str]:
    """The names that a text can mean: the slot, without its domain, all slots of a machine."""
    wanted = text.casefold()
    ways: tuple[Callable[[str], bool], ...] = (
        lambda name: name == text,
        lambda name: name.casefold() == wanted,
        lambda name: "@".join(_HOST.split(name.casefold())[:2]) == wanted,
        lambda name: machine_of(name).casefold() == wanted,
        lambda name: _HOST.split(machine_of(name).casefold())[0] == wanted,
        lambda name: name.casefold().startswith(wanted),
    )
    meant = ([name for name in names if means(name)] for means in ways)
    return next(filter(None, meant), [])


def slots_of_machine(names: Sequence[str], text: str) -> list[str]:
    """The slots that a text means, all of one machine; else raises ``UnknownSlotError``."""
    found = find_slots(names, text)
    if len({machine_of(name).lower() for name in found}) > 1:
        raise UnknownSlotError(f"`{text}` matches {len(found)} slots: {listed(sorted(found))}")
    return found


def no_such_slot(names: Sequence[str], text: str) -> UnknownSlotError:
    """The error for a slot that there is not."""
    siblings = find_slots(names, machine_of(text)) if "@" in text else []
    if siblings:
        end = f"; {machine_of(text)} has {listed(sorted(siblings))}"
    else:
        machines = {machine_of(name) for name in names}
        hosts = {_HOST.split(name)[0] for name in machines}
        end = did_you_mean(text, {*names, *machines, *hosts})
    return UnknownSlotError(f"there is no slot `{text}` in the pool{end}")
