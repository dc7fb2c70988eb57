"""Answers with the table of a sweep: what ``pieslice sweep`` prints, and programs get.

Inputs: points and their results.  Outputs: ``Swept``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, TypedDict, cast, get_type_hints

from attr import evolve, field, frozen

from classad.errors import Diagnostic
from pieslice.data import JsonData
from pieslice.reports.document import INLINE, version_from_data
from pieslice.reports.layout import Block, plural
from pieslice.reports.result import DataTable, Result
from pieslice.reports.whatif import notes
from pieslice.runreport.metrics import RUN, RunMetrics
from pieslice.simulation.notices import about_jobs
from pieslice.simulation.setup import Plan, about_policy, build
from pieslice.sweeps.grid import MacroAxis, Point
from pieslice.sweeps.table import Results, blocks_of, columns_of, rows
from policy.versions import Followed

if TYPE_CHECKING:
    SweptNumbers = RunMetrics
else:
    # All are null after an error.
    _HINTS = get_type_hints(RunMetrics).items()
    SweptNumbers = TypedDict("SweptNumbers", {name: hint | None for name, hint in _HINTS})


@frozen
class SweepRow:
    """A combination of settings and a seed: how often it was tried, its error (empty: none).

    ``more``: its settings, and what each user and group used
    (core hours), how long each user waited (seconds).
    """

    seed: int
    tries: int
    error: str
    numbers: SweptNumbers = field(metadata=INLINE)
    more: Mapping[str, str | float | None] = field(metadata=INLINE)

    @classmethod
    def of(cls, row: JsonData) -> SweepRow:
        """A row of the table."""
        known = ("seed", "tries", "error")
        numbers = {metric.key: row[metric.key] for metric in RUN}
        more = {name: row[name] for name in row if name not in numbers and name not in known}
        seed, tries, error = (row[name] for name in known)
        return cls(seed, tries, error, cast("SweptNumbers", numbers), more)


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


def about_sweep(plan: Plan, axes: Sequence[MacroAxis]) -> list[Diagnostic]:
    """What is to be said of the configuration, of each value of each macro and of the jobs, once.

    Raises what makes all points impossible.
    """
    simulation, negotiator = build(plan, lambda *event: None)
    found: dict[str, Diagnostic] = {}
    for settings in ((), *(((axis.name, text),) for axis in axes for text in axis.values)):
        one = evolve(plan, settings=(*plan.settings, *settings))
        what_if = build(one, lambda *event: None)[1].what_if
        for item in (*about_policy(one), *notes(what_if, of_cycle=False)):
            found.setdefault(item.render(), item)
    return [*negotiator.doubts, *found.values(), *about_jobs(simulation)]
