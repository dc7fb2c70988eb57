"""Runs one cycle on a pool and makes the answer that ``pieslice negotiate`` and programs get.

Decides which tables there are.

Inputs: a ``Capture``, a seed.  Outputs: ``Cycle``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, Final

from attr import evolve, frozen

from negotiator.capture.ages import dated
from negotiator.capture.agreement import compare
from negotiator.capture.progress import SILENT, Progress
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.io import Capture
from negotiator.model.result import CycleResult
from pieslice.negotiate.pool_text import quota_blocks, table_blocks
from pieslice.reports.json import to_object
from pieslice.reports.layout import Block, Line
from pieslice.reports.pool_tables import (
    PoolTable,
    group_table,
    machine_table,
    match_table,
    quota_table,
    rejection_table,
    submitter_table,
    user_table,
)
from pieslice.reports.result import DataTable, Result
from pieslice.reports.selection import select
from pieslice.reports.text import Outcome, blocks, heading, plural
from pieslice.reports.vacating import vacatings

_BY_RESULT: Final = {
    "users": user_table,
    "groups": group_table,
    "quotas": quota_table,
    "matches": match_table,
    "rejections": rejection_table,
    "submitters": submitter_table,
}


@frozen(eq=False, repr=False)
class Cycle(Result):
    """What one negotiator does in a cycle: who gets which slots, and why others do not.

    ``result``: all of it; ``outcome``: as it is shown, perhaps of some groups or users only;
    ``shown``: the tables in place of the report.
    """

    schema: ClassVar[str] = "pieslice/negotiate/1"
    pool: Capture
    result: CycleResult
    outcome: Outcome
    shown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The local name of the negotiator."""
        return self.pool.local_name or ""

    @property
    def users(self) -> DataTable:
        """What each user gets and loses."""
        return self.table("users")

    @property
    def groups(self) -> DataTable:
        """The same of accounting groups."""
        return self.table("groups")

    @property
    def machines(self) -> DataTable:
        """What is claimed of each machine."""
        return self.table("machines")

    @property
    def quotas(self) -> DataTable:
        """Quotas of groups, with the columns of ``condor_userprio``."""
        return self.table("quotas")

    @property
    def submitters(self) -> DataTable:
        """Priorities, shares, limits and usage of submitters."""
        return self.table("submitters")

    @property
    def matches(self) -> DataTable:
        """The matches in their order."""
        return self.table("matches")

    @property
    def rejections(self) -> DataTable:
        """The rejections in their order."""
        return self.table("rejections")

    def table(self, name: str) -> DataTable:
        """One of the tables of ``--table``."""
        found = self._table(name)
        return DataTable(found.title, found.columns, found.rows)

    def summary(self) -> str:
        matches, rejections = len(self.result.matches), len(self.result.rejections)
        of = f"{plural(matches, 'match')}, {plural(rejections, 'rejection')}"
        return f"{self.outcome.pool.name}: {of}"

    def blocks(self) -> Sequence[Block]:
        if not self.shown:
            return blocks(self.outcome)
        found: list[Block] = list(heading(self.outcome))
        for name in self.shown:
            found.append(Line())
            if name == "quotas":
                # In the form of the real tool.
                found += quota_blocks(self.outcome.result)
            else:
                found += table_blocks(self._table(name))
        return found

    def data(self) -> Mapping[str, object]:
        tables = {name: self._table(name) for name in self.shown}
        return to_object(self.outcome, self.pool.diagnostics, tables)

    def _table(self, name: str) -> PoolTable:
        if name == "machines":
            return machine_table(self.pool.snapshot, self.pool.policy, self.outcome.result)
        return _BY_RESULT[name](self.outcome.result)


def run(
    pool: Capture, seed: int = 0, progress: Progress = SILENT, engine: str = ENGINES[0]
) -> Outcome:
    """The cycle and its comparison with the real negotiator."""
    with progress.stage("negotiating"):
        result = negotiate(
            pool.snapshot,
            pool.policy,
            now=pool.facts.now,
            rng=Random(seed),
            costs=pool.costs,
            engine=engine,
        )
    return outcome_of(pool, result)


def outcome_of(pool: Capture, result: CycleResult) -> Outcome:
    """What is reported of a cycle of a pool."""
    agreement, expected = None, pool.expected
    if expected is not None:
        found = compare(result, expected)
        agreement = dated(found, pool.snapshot, expected.cycle_started_at)
    return Outcome(
        pool.facts,
        result,
        pool.unsupported,
        agreement,
        pool.expected_name,
        assignments=pool.assignments,
    )


def answer(
    pool: Capture,
    outcome: Outcome,
    groups: Sequence[str] = (),
    submitters: Sequence[str] = (),
    tables: Sequence[str] = (),
) -> Cycle:
    """The answer about some groups and submitters, without any about all.

    Raises ``UnknownNameError``.
    """
    whole = outcome.result
    shown = select(whole, groups, submitters)
    outcome = evolve(
        outcome,
        result=shown,
        partial=shown is not whole,
        vacating=vacatings(pool.snapshot, shown, pool.policy.language),
    )
    return Cycle(pool, whole, outcome, tuple(tables))
