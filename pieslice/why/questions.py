"""Asks a pool about a job, its groups or another policy, and answers for people and programs.

The commands ``why``, ``rank``, ``quotas`` and ``diff`` print these answers; ``import pieslice``
gives them.

Inputs: a ``Capture``, a seed.  Outputs: ``Ranked``, ``Quotas``, ``Changes``, ``Explained``,
``Surveyed``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attr import frozen

from negotiator.io import Capture
from negotiator.model.result import CycleResult
from pieslice.data import JsonObject
from pieslice.reports.layout import Block
from pieslice.reports.result import DataTable, Result
from pieslice.reports.text import plural
from pieslice.why.answer import Answer, why
from pieslice.why.autoclusters.overview import Overview, overview
from pieslice.why.autoclusters.scope import Scope
from pieslice.why.autoclusters.text import headline, overview_blocks, overview_data
from pieslice.why.data import to_data
from pieslice.why.differences.cycles import Difference, compare_cycles
from pieslice.why.differences.text import diff_blocks, diff_data
from pieslice.why.jobs import AskedJob
from pieslice.why.quotas.text import quota_blocks
from pieslice.why.quotas.trace import QuotaTrace, trace_quotas
from pieslice.why.requests.moments import JobHistory, look_at
from pieslice.why.slots.ranking import Ranking, ranking
from pieslice.why.slots.ranktext import rank_blocks, rank_data
from pieslice.why.whytext import why_blocks, why_data
from policy.data.tables import attribute_names
from policy.versions import NOT_GIVEN, Followed


def _fields(data: JsonObject) -> Mapping[str, object]:
    return {name: to_data(value) for name, value in data.items()}


@frozen(eq=False, repr=False)
class Explained(Result):
    """What the cycle did with a job, and why."""

    schema: ClassVar[str] = "pieslice/why/1"
    answer: Answer
    followed: Followed | None = None

    def summary(self) -> str:
        return str(why_data(self.answer)["verdict"])

    def blocks(self) -> Sequence[Block]:
        return why_blocks(self.answer)

    def data(self) -> Mapping[str, object]:
        return _fields(why_data(self.answer))


@frozen(eq=False, repr=False)
class Surveyed(Result):
    """What became of many jobs, autocluster by autocluster."""

    schema: ClassVar[str] = "pieslice/why-jobs/1"
    found: Overview
    followed: Followed | None = None

    def summary(self) -> str:
        return headline(self.found)

    def blocks(self) -> Sequence[Block]:
        return overview_blocks(self.found)

    def data(self) -> Mapping[str, object]:
        return _fields(overview_data(self.found))


@frozen(eq=False, repr=False)
class Ranked(Result):
    """The candidates of a job, best first, with the keys that decide."""

    schema: ClassVar[str] = "pieslice/rank/1"
    history: JobHistory
    found: Ranking | None
    limit: int | None = None
    followed: Followed | None = None

    @property
    def slots(self) -> DataTable:
        """The candidates as a table."""
        rows = () if self.found is None else self.found.slots[: self.limit]
        columns = (
            "slot", "pre_job_rank", "job_rank", "post_job_rank", "kind", "preemption_rank",
            "preempts", "cost", "decided_by",
        )  # fmt: skip
        return DataTable(
            f"candidates of job {self.history.job.id}",
            columns,
            tuple(
                (
                    item.slot,
                    item.pre_job_rank,
                    item.job_rank,
                    item.post_job_rank,
                    item.kind.value,
                    item.preemption_rank,
                    item.preempts,
                    item.cost,
                    item.decided_by,
                )
                for item in rows
            ),
        )

    def summary(self) -> str:
        count = 0 if self.found is None else len(self.found.slots)
        return f"job {self.history.job.id}: {plural(count, 'candidate')}"

    def blocks(self) -> Sequence[Block]:
        return rank_blocks(self.history, self.found, self.limit)

    def data(self) -> Mapping[str, object]:
        return _fields(rank_data(self.history, self.found, self.limit))


@frozen(eq=False, repr=False)
class Quotas(Result):
    """The quotas of accounting groups, and how each allocation round divided them.

    ``trace``: with every step of the arithmetic in the text.
    """

    schema: ClassVar[str] = "pieslice/quotas/1"
    found: QuotaTrace
    trace: bool = False
    followed: Followed | None = None

    @property
    def groups(self) -> DataTable:
        """The tree of groups as a table."""
        columns = (
            "name", "depth", "configured", "static", "surplus", "subtree_quota", "quota",
            "usage", "usage_after",
        )  # fmt: skip
        return DataTable(
            "groups",
            columns,
            tuple(
                (
                    item.name,
                    item.depth,
                    item.configured,
                    item.static,
                    item.surplus,
                    item.subtree_quota,
                    item.quota,
                    item.usage,
                    item.usage_after,
                )
                for item in self.found.groups
            ),
        )

    def summary(self) -> str:
        groups, rounds = len(self.found.groups), len(self.found.rounds)
        return f"{plural(groups, 'group')}, {plural(rounds, 'allocation round')}"

    def blocks(self) -> Sequence[Block]:
        return quota_blocks(self.found, trace=self.trace)

    def data(self) -> Mapping[str, object]:
        found = to_data(self.found)
        assert isinstance(found, dict)
        return found


@frozen(eq=False, repr=False)
class Changes(Result):
    """What differs between two cycles; ``names`` are those of the two sides.

    ``versions``: those that each side follows.
    """

    schema: ClassVar[str] = "pieslice/diff/1"
    found: Difference
    names: tuple[str, str]
    versions: tuple[Followed, Followed]

    @property
    def same(self) -> bool:
        """Whether both decide the same by the same numbers."""
        return self.found.same

    def summary(self) -> str:
        first, second = self.names
        count = plural(len(self.found.slots), "slot")
        return f"{first} and {second}: {'the same' if self.same else f'{count} differ'}"

    def blocks(self) -> Sequence[Block]:
        return diff_blocks(self.found, self.names, self.versions)

    def data(self) -> Mapping[str, object]:
        return _fields(diff_data(self.found, self.names, self.versions))


def explain_job(pool: Capture, job: AskedJob, slot: str | None, seed: int) -> Explained:
    """Why a job is matched, rejected or preempted; with ``slot`` on that slot.

    Raises ``UnknownSlotError``.
    """
    known = frozenset(name.lower() for name in attribute_names())
    now = pool.facts.now
    answer = why(pool.snapshot, pool.policy, job, slot, now=now, seed=seed, known=known)
    return Explained(answer, pool.facts.version)


def survey_jobs(pool: Capture, scope: Scope, seed: int) -> Surveyed:
    """What became of the jobs of a user, a group or a cluster."""
    snapshot, policy, now = pool.snapshot, pool.policy, pool.facts.now
    found = overview(snapshot, policy, scope.about, scope.jobs, now=now, seed=seed)
    return Surveyed(found, pool.facts.version)


def rank_slots(pool: Capture, job: AskedJob, limit: int | None, seed: int) -> Ranked:
    """The candidates of a job; ``limit`` of them."""
    now = pool.facts.now
    history, found = look_at(pool.snapshot, pool.policy, job, ranking, now=now, seed=seed)
    return Ranked(history, found, limit, pool.facts.version)


def divide_quotas(pool: Capture, *, trace: bool, seed: int) -> Quotas:
    """The quotas of groups and how they were allocated."""
    found = trace_quotas(pool.snapshot, pool.policy, now=pool.facts.now, seed=seed)
    return Quotas(found, trace, pool.facts.version)


def compare(
    before: CycleResult,
    after: CycleResult,
    names: tuple[str, str],
    versions: tuple[Followed, Followed] = (NOT_GIVEN, NOT_GIVEN),
) -> Changes:
    """What changes from one cycle to another."""
    return Changes(compare_cycles(before, after), names, versions)
