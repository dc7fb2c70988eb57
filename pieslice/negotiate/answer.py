"""Runs one cycle on a pool and makes the answer that ``pieslice negotiate`` and programs get.

The tables of a pool are text for people or CSV (RFC 4180 with line feeds).

Decides which tables there are.

Inputs: a ``Capture``, a seed.  Outputs: ``Cycle``.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from time import gmtime
from typing import TYPE_CHECKING, ClassVar, cast

from attr import evolve, frozen

from negotiator.capture.agreement import compare, dated
from negotiator.capture.files import SILENT, StageWatch
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.io import Capture
from negotiator.matching.board import CycleWatch, Watch
from negotiator.matching.engine import Engines
from negotiator.model.result import CycleResult
from pieslice.negotiate.selection import select
from pieslice.negotiate.text import CycleReport, blocks, heading, verdict
from pieslice.negotiate.vacating import vacatings
from pieslice.negotiate.waiting import CycleOutlook, OutlookMaker, waiting_blocks
from pieslice.reports.layout import Block, Drawn, Line, plural
from pieslice.reports.result import DataTable, Result, table_blocks

if TYPE_CHECKING:
    from pieslice.negotiate.document import CycleData
    from pieslice.negotiate.tables import Tables


def quota_blocks(result: CycleResult) -> list[Block]:
    """The quotas as ``condor_userprio -quotas`` prints them."""
    if len(result.groups) <= 1:
        return [Line("quotas: no groups are configured", heading=True)]
    from pieslice.priorities.options import COLUMNS, Options
    from pieslice.priorities.rows import Row
    from pieslice.priorities.table import StateView, render

    rows = [
        Row(
            item.name,
            item.name,
            True,
            quota=item.config_quota,
            effective_quota=item.quota,
            subtree_quota=item.subtree_quota,
            sort_key=item.sort_key or 0.0,
            surplus=item.surplus,
            requested=item.requested,
            in_use=item.usage_after,
        )
        for item in result.groups
    ]
    rows += [Row(item.name, item.group, False) for item in result.submitters]
    quotas = COLUMNS["quotas"]
    options = Options(set(quotas), set(quotas))

    def draw(room: int) -> list[str]:
        return render(rows, options, StateView(int(result.now), gmtime, room=room)).splitlines()

    return [Line("quotas", heading=True), Drawn(draw)]


@frozen(eq=False, repr=False)
class Cycle(Result):
    """What one negotiator does in a cycle: who gets which slots, and why others do not.

    ``result``: all of it; ``outcome``: as it is shown, perhaps of some groups or users only;
    ``shown``: the tables in place of the report.
    """

    schema: ClassVar[str] = "pieslice/negotiate/1"
    pool: Capture
    result: CycleResult
    outcome: CycleReport
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
    def autoclusters(self) -> DataTable:
        """What waiting jobs can use of the idle slots, by autocluster."""
        return self.table("autoclusters")

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
        """The matches in their order; ``kind`` is ``free``, ``rank`` or ``priority``."""
        from pieslice.negotiate.tables import in_words

        return in_words(self.table("matches"))

    @property
    def rejections(self) -> DataTable:
        """The rejections in their order."""
        return self.table("rejections")

    def table(self, name: str) -> DataTable:
        """One of the tables of ``--table``."""
        from pieslice.between.leftovers import Starts
        from pieslice.negotiate.tables import (
            STARTING,
            autocluster_table,
            machine_table,
            table_of_cycle,
        )

        result = self.outcome.result
        if name == "machines":
            starts = self.outlook.starts
            return machine_table(self.pool.snapshot, self.pool.policy, result, starts)
        if name == "autoclusters":
            mine = {item.name for item in result.submitters} if self.outcome.partial else None
            rows = self.outlook.autoclusters
            return autocluster_table(row for row in rows if mine is None or row.user in mine)
        starts = self.outlook.starts if name in STARTING else Starts()
        return table_of_cycle(name, result, starts)

    @property
    def outlook(self) -> CycleOutlook:
        """What starts by the cycle, and what waiting jobs can use."""
        found = self.outcome.outlook
        assert found is not None
        return found if isinstance(found, CycleOutlook) else found.outlook

    def summary(self) -> str:
        matches, rejections = len(self.result.matches), len(self.result.rejections)
        of = f"{plural(matches, 'match')}, {plural(rejections, 'rejection')}"
        return f"{self.outcome.pool.name}: {of}"

    def blocks(self) -> Sequence[Block]:
        if not self.shown:
            return blocks(self.outcome)
        from pieslice.negotiate.tables import in_words

        found: list[Block] = [
            *verdict(self.outcome),
            Line(),
            *heading(self.outcome),
            *self.outcome.what_if_blocks(),
        ]
        for name in self.shown:
            found.append(Line())
            if name == "quotas":
                # In the form of the real tool.
                found += quota_blocks(self.outcome.result)
            elif name == "autoclusters":
                found += waiting_blocks(self.outlook, self.table(name))
            else:
                found += table_blocks(in_words(self.table(name)))
        return found

    def data(self) -> CycleData:
        from pieslice.negotiate.document import CycleData

        tables = cast("Tables", {name: list(self.table(name)) for name in self.shown})
        return CycleData.of(self.outcome, self.pool.diagnostics, tables)


def hold_cycle(
    pool: Capture, seed: int, engine: str | Engines = ENGINES[0], watch: Watch | None = None
) -> CycleResult:
    """The next cycle of a captured pool."""
    return negotiate(
        pool.snapshot,
        pool.policy,
        now=pool.facts.now,
        rng=Random(seed),
        costs=pool.costs,
        engine=engine,
        watch=watch,
    )


def run(
    pool: Capture,
    seed: int = 0,
    progress: StageWatch = SILENT,
    engine: str = ENGINES[0],
    *,
    ahead: bool = False,
) -> CycleReport:
    """The cycle and its comparison with the real negotiator.

    ``ahead``: somebody will ask for its outlook, so that it need not be held again for that.
    """
    watch = CycleWatch() if ahead else None
    with progress.stage("negotiating"):
        result = hold_cycle(pool, seed, engine, watch)
    found: CycleOutlook | OutlookMaker = OutlookMaker(pool, seed, engine)
    if watch is not None and watch.board is not None:
        with progress.stage("looking at idle slots"):
            found = CycleOutlook(pool.snapshot, result, watch.board, watch.placements.jobs)
    return outcome_of(pool, result, found)


def outcome_of(
    pool: Capture, result: CycleResult, ahead: CycleOutlook | OutlookMaker
) -> CycleReport:
    """What is reported of a cycle of a pool; ``ahead``: its outlook, or what makes it."""
    agreement, expected = None, pool.expected
    if expected is not None:
        found = compare(result, expected)
        agreement = dated(found, pool.snapshot, expected.cycle_started_at)
    return CycleReport(
        pool.facts,
        result,
        pool.unsupported,
        agreement,
        pool.expected_name,
        assignments=pool.assignments,
        what_if=pool.what_if,
        outlook=ahead,
    )


def answer(
    pool: Capture,
    outcome: CycleReport,
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
