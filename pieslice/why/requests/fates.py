"""Finds what became of every waiting job of some submitters in a cycle.

Decides which of several requests for a job counts: the one that got its slot, else the last that
was rejected (one in which only startd rank counted says less than another), else the last.  What
keeps a schedd from asking for the job in the last session says more than a request before.

Inputs: the ``CycleRecord`` of a cycle.  Outputs: a ``JobFate`` for each job that waited.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from attr import frozen

from negotiator.jobs.offers import Unasked
from pieslice.why.requests.record import CycleRecord, End, Got, RequestCourse, SessionCourse


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
    was answered in the session.
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


#: How a request that served fewer jobs than it asked for leaves the others.
_FATE_AT: Final[Mapping[End, Fate]] = {
    End.REJECTED: Fate.REJECTED,
    End.KNOWN: Fate.REJECTED,
    End.CUT_OFF: Fate.CUT_OFF,
    End.SERVED: Fate.UNUSED,
}


#: What keeps a schedd from asking, whatever the negotiator does.
_OF_SCHEDD: Final = frozenset((Unasked.JOB_PRIO, Unasked.ROOM, Unasked.CONSTRAINT, Unasked.UPLOADS))


@frozen(eq=False)
class _Asked:
    session: SessionCourse
    request: RequestCourse
    place: int

    @property
    def weight(self) -> tuple[bool, bool]:
        """What says more comes later, of equal ones the later request."""
        rejected = self.request.end is End.REJECTED
        return rejected, rejected and not self.request.rank_only


def fates(record: CycleRecord) -> tuple[JobFate, ...]:
    """The fates of all jobs that the record is about, in the order of the schedds' lists."""
    found = []
    for (submitter, schedd), jobs in record.waiting.items():
        mine = [s for s in record.sessions if (s.submitter, s.schedd) == (submitter, schedd)]
        placed = {
            got.job: (session, request, got)
            for session in mine
            for request in session.requests
            for got in request.got
            if got.job is not None
        }
        asked = _asked(mine)
        for job in jobs:
            about = (submitter, schedd, job.id, job.autocluster)
            if job.id in placed:
                session, request, got = placed[job.id]
                place = request.jobs.index(job.id) + 1 if job.id in request.jobs else None
                found.append(JobFate(*about, Fate.MATCHED, session, request, place, got))
            elif mine and mine[-1].unasked.get(job.id) in _OF_SCHEDD:
                why = mine[-1].unasked[job.id]
                found.append(JobFate(*about, Fate.NOT_ASKED, mine[-1], unasked=why))
            elif job.id in asked:
                was = asked[job.id]
                fate = _FATE_AT[was.request.end]
                found.append(JobFate(*about, fate, was.session, was.request, was.place))
            elif mine:
                why = mine[-1].unasked.get(job.id, Unasked.ENDED)
                found.append(JobFate(*about, Fate.NOT_ASKED, mine[-1], unasked=why))
            else:
                found.append(JobFate(*about, Fate.NO_SESSION))
    return tuple(found)


def _asked(sessions: list[SessionCourse]) -> dict[str, _Asked]:
    """The request that counts, by job."""
    found: dict[str, _Asked] = {}
    for session in sessions:
        for request in session.requests:
            for place, job in enumerate(request.jobs, 1):
                made = _Asked(session, request, place)
                if job not in found or found[job].weight <= made.weight:
                    found[job] = made
    return found


def fate_of(record: CycleRecord, job: str) -> JobFate | None:
    """The fate of one job; None if it does not wait."""
    return next((fate for fate in fates(record) if fate.job == job), None)
