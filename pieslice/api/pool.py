"""Reads a pool and asks it questions: ``pieslice.read``.

Inputs: paths as on a command line.  Outputs: ``Pool``, whose answers are ``Result`` values; raise
``Error``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from attr import frozen

from classad import ClassAd, Table
from classad.errors import Diagnostic
from negotiator.engines import ENGINES
from negotiator.io import Capture
from negotiator.whatif.pool import WhatIf
from pieslice.api.errors import AnyPath, ReadError, given_version, one_family, path_of
from pieslice.api.other_policy import other_policy, path_of_policy
from pieslice.api.session import Session, job_id
from pieslice.inputs.moments import moment_of
from pieslice.inputs.pool import PoolReading, parse_time, pool_inputs, read_pool
from pieslice.negotiate.answer import Cycle, answer, run
from pieslice.reports.html import html_of
from pieslice.reports.layout import Line, plural
from pieslice.terminal import printable
from pieslice.why.answer import Explained, explain_job
from pieslice.why.asked import find_job, find_jobs
from pieslice.why.autoclusters import Surveyed, survey_jobs
from pieslice.why.differences import Changes
from pieslice.why.moments import AskedCycle
from pieslice.why.quotas import Quotas, divide_quotas
from pieslice.why.ranking import Ranked, rank_slots
from policy.dialects import UnknownDialectError, find_dialect

if TYPE_CHECKING:
    from pieslice.policies.answers import Policy


def read(
    *paths: AnyPath,
    config: AnyPath | None = None,
    now: float | datetime | str | None = None,
    local_name: str | None = None,
    dialect: str = "htcondor",
    condor_version: str | None = None,
    at: float | datetime | str | None = None,
    needs_jobs: bool = True,
    made_up_jobs: bool = False,
) -> Pool:
    """Read a pool: the folder of a capture, a history, a scenario, or files of ads in any form.

    ``config``: in place of the pool's own configuration; ``now``: the time of the cycle, without
    it as the command finds it; ``at``: of a history the last capture at or before that time,
    without it the last one; texts of times are those of the command; ``local_name``: of the
    negotiator; ``dialect``: whose rules; ``condor_version``: the version of the pool, ``25.0`` or
    ``25.0.13``, without it what its daemons tell; ``needs_jobs``: whether a pool without job ads,
    in which nothing can be matched, is an error; ``made_up_jobs``: whether it then has jobs that
    are made up from its claims, each with one more like it that waits.
    """
    diagnostics: list[Diagnostic] = []
    with one_family():
        try:
            rules = find_dialect(dialect)
        except UnknownDialectError as problem:
            raise ReadError(str(problem)) from problem
        configs = () if config is None else (path_of(config),)
        items = [path_of(path) for path in paths]
        inputs = pool_inputs(
            items, diagnostics, configs=configs, needs_jobs=needs_jobs, made_up_jobs=made_up_jobs
        )
        moment = None if now is None else _moment(now, parse_time)
        names = () if local_name is None else (local_name,)
        asked = None if at is None else (_moment(at, moment_of), str(at))
        reading = PoolReading(
            inputs,
            moment,
            names,
            rules,
            diagnostics=tuple(diagnostics),
            at=asked,
            version=given_version(condor_version),
        )
        return Pool(reading, read_pool(reading))


def _moment(time: float | datetime | str, read_text: Callable[[str], float]) -> float:
    return read_text(time) if isinstance(time, str) else seconds_of(time)


def seconds_of(moment: float | datetime) -> float:
    """Seconds since the epoch."""
    return moment.timestamp() if isinstance(moment, datetime) else moment


@frozen(eq=False, repr=False)
class Pool:
    """A pool at one moment: slots, queues, priorities, a policy.  It never changes.

    ``capture``: what was read; ``label``: how it differs from the pool as it was read.
    """

    reading: PoolReading
    capture: Capture
    label: str = ""

    @property
    def name(self) -> str:
        """What the pool is called in answers."""
        return f"{self.capture.facts.name}{self.label}"

    @property
    def now(self) -> float:
        """The time of the cycle, in seconds since the epoch."""
        return self.capture.facts.now

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the files; ``render`` gives the text of each."""
        return self.capture.diagnostics

    @property
    def slots(self) -> Table:
        """The slots as a ``classad.Table`` of their ads, in the order of the negotiator."""
        return _table(self.capture.snapshot.slots)

    @property
    def jobs(self) -> Table:
        """The jobs, schedd after schedd in the order of the queues."""
        return _table(ad for queue in self.capture.snapshot.queues for ad in queue.jobs)

    @property
    def submitters(self) -> Table:
        """The ads of the submitters."""
        return _table(self.capture.snapshot.submitters)

    @property
    def claims(self) -> Table:
        """The slots that somebody has: ``RemoteUser`` and ``JobId`` say who, and for which job."""
        slots = self.capture.snapshot.slots
        return _table(ad for ad in slots if ad.get_string("RemoteOwner") is not None)

    def negotiate(
        self,
        policy: AnyPath | Policy | None = None,
        *,
        seed: int = 0,
        engine: str = ENGINES[0],
    ) -> Cycle:
        """Run one negotiation cycle, under another policy if one is given."""
        if policy is not None:
            if isinstance(policy, str | PathLike):
                return self.with_config(path_of(policy)).negotiate(seed=seed, engine=engine)
            return self.with_config(path_of_policy(policy)).negotiate(seed=seed, engine=engine)
        with one_family():
            return answer(self.capture, run(self.capture, seed, engine=engine))

    def why(self, job: str | int, slot: str | None = None, *, seed: int = 0) -> Explained:
        """Why a job (``"12.0"``) is matched, rejected or preempted; with ``slot`` on that slot."""
        with one_family():
            asked = find_job(self.capture.snapshot, job_id(job))
            return explain_job(AskedCycle.of(self.capture, seed), asked, slot)

    def survey(
        self,
        *,
        user: str | None = None,
        group: str | None = None,
        cluster: str | int | None = None,
        seed: int = 0,
    ) -> Surveyed:
        """What became of all jobs of a user, a group or a cluster, the worst off first."""
        with one_family():
            named = None if cluster is None else str(cluster)
            snapshot, policy = self.capture.snapshot, self.capture.policy
            scope = find_jobs(snapshot, policy, user=user, group=group, cluster=named)
            return survey_jobs(AskedCycle.of(self.capture, seed), scope)

    def rank(self, job: str | int, *, limit: int | None = None, seed: int = 0) -> Ranked:
        """The candidates of a job, best first."""
        with one_family():
            asked = find_job(self.capture.snapshot, job_id(job))
            return rank_slots(AskedCycle.of(self.capture, seed), asked, limit)

    def quotas(self, *, trace: bool = False, seed: int = 0) -> Quotas:
        """The quotas of groups and how they were allocated; ``trace``: every step in the text."""
        with one_family():
            return divide_quotas(AskedCycle.of(self.capture, seed), trace=trace)

    def diff(self, other: Pool, *, seed: int = 0) -> Changes:
        """What changes from a cycle of this pool to one of another."""
        if not isinstance(other, Pool):
            raise TypeError(f"diff takes a pool, as read and with_config give it, not {other!r}")
        return self.session(seed=seed).compared(other.capture, other.label).changes

    def session(self, *, seed: int = 0) -> Session:
        """A session in which the policy of this pool is edited, and which keeps what it learns.

        ``seed``: of the random numbers of each cycle.
        """
        return Session(self.reading, self.capture, self.label, seed)

    @property
    def what_if(self) -> WhatIf | None:
        """What ``with_config`` changes in the slots and jobs of the pool, and what it does not."""
        return self.capture.what_if

    def with_config(
        self, config: str | Mapping[str, object] | Path | Policy, *, where: str = ""
    ) -> Pool:
        """The same pool under another policy; only its configuration is read again.

        A ``Path`` or ``Policy`` takes the place of the pool's configuration, as ``--config``
        does.  A text is read after it, as if it stood in one more file: with conditions, templates
        and references to what is set there.  Names and values are such a text of assignments.

        Slots advertise what their startds would, jobs that wait are what they were had they been
        submitted under it; see ``what_if``.  ``where``: on which machines, by the ad of a slot:
        ``'Machine == "n1"'``.
        """
        with one_family():
            other = other_policy(self.reading, config, where)
            pool = Pool(other.reading, other.read(self.capture), f"{self.label} with {other.label}")
            other.refuse_errors(pool.diagnostics)
            return pool

    def _summary(self) -> str:
        facts = self.capture.facts
        counts = (plural(facts.slots, "slot"), plural(facts.jobs, "job"))
        return f"{self.name}: {', '.join(counts)}, {plural(facts.users, 'user')}"

    def __repr__(self) -> str:
        return f"<Pool {printable(self._summary())}>"

    def _repr_html_(self) -> str:
        return html_of([Line(self._summary())])


def _table(ads: Iterable[ClassAd]) -> Table:
    """A table of copies: what is done with it changes no pool."""
    return Table(ClassAd(dict(ad.items())) for ad in ads)
