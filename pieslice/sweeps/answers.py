"""Answers with the table of a sweep: what ``pieslice sweep`` prints, and programs get.

Inputs: points and their results.  Outputs: ``Swept``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attr import evolve, field, fields, frozen

from classad.errors import Diagnostic
from pieslice.data import JsonData
from pieslice.reports.document import INLINE, version_from_data
from pieslice.reports.layout import Block
from pieslice.reports.result import DataTable, Result
from pieslice.reports.text import plural
from pieslice.simulation.notices import about_jobs
from pieslice.simulation.setup import Plan, about_policy, build
from pieslice.sweeps.grid import Axis, Point
from pieslice.sweeps.table import Results, blocks_of, columns_of, rows
from policy.versions import Followed


@frozen(kw_only=True)
class SweepRow:
    """A combination of settings and a seed: how often it was tried, its error (empty: none).

    Its numbers are those of a run, None after an error; ``more``: its settings, and of each user
    and group what it used (core hours) and waited (seconds).
    """

    more: Mapping[str, str | float | None] = field(metadata=INLINE)
    seed: int
    tries: int
    error: str
    hours: float | None
    cycles: int | None
    utilisation: float | None
    submitted: int | None
    completed: int | None
    never_started: int | None
    goodput_hours: float | None
    badput_hours: float | None
    unfinished_hours: float | None
    preemptions: int | None
    jobs_preempted_again: int | None
    lost_with_machines: int | None
    wait_mean: float | None
    wait_median: float | None
    wait_95: float | None
    jain_index: float | None

    @classmethod
    def of(cls, row: JsonData) -> SweepRow:
        """A row of the table."""
        names = {field.name for field in fields(cls)}
        known = {name: row[name] for name in row if name in names}
        return cls(**known, more={name: row[name] for name in row if name not in names})


@frozen
class SweepData:
    """What the points of a sweep differ in, and their numbers."""

    varied: Sequence[str]
    rows: Sequence[SweepRow]


@frozen(eq=False, repr=False)
class Swept(Result):
    """One simulation for every combination of settings and seeds.

    ``varied``: what the points differ in; ``rows``: of each point its settings, how often it was
    tried, its error (empty: none) and its numbers.
    """

    schema: ClassVar[str] = "pieslice/sweep/1"
    varied: tuple[str, ...]
    rows: tuple[JsonData, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    followed: Followed | None = None

    @property
    def table(self) -> DataTable:
        """The rows as a table with all columns that any of them has."""
        columns = columns_of(self.rows)
        cells = tuple(tuple(row.get(name) for name in columns) for row in self.rows)
        return DataTable("sweep", columns, cells)

    @property
    def failed(self) -> tuple[JsonData, ...]:
        """The rows of points that could not be simulated."""
        return tuple(row for row in self.rows if row["error"])

    def summary(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"{plural(len(self.rows), 'point')} of {', '.join(self.varied)}{failed}"

    def blocks(self) -> Sequence[Block]:
        return blocks_of(self.rows, self.varied)

    def data(self) -> SweepData:
        return SweepData(self.varied, [*map(SweepRow.of, self.rows)])


def swept(grid: Sequence[Point], results: Results, diagnostics: Sequence[Diagnostic] = ()) -> Swept:
    """The answer about all points of a grid."""
    summaries = (data.get("summary") for data in results.found.values())
    first: JsonData = next(filter(None, summaries), {})
    varied, told = tuple(grid[0].row), tuple(diagnostics)
    return Swept(varied, tuple(rows(grid, results)), told, version_from_data(first))


def about_sweep(plan: Plan, axes: Sequence[Axis]) -> list[Diagnostic]:
    """What is to be said of the configuration, of each value of each macro and of the jobs, once.

    Raises what makes all points impossible.
    """
    simulation, _ = build(plan, lambda *event: None)
    found: dict[str, Diagnostic] = {}
    for settings in ((), *(((axis.name, text),) for axis in axes for text in axis.values)):
        for item in about_policy(evolve(plan, settings=(*plan.settings, *settings))):
            found.setdefault(item.render(), item)
    return [*found.values(), *about_jobs(simulation)]
