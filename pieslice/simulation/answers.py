"""Answers with the numbers of simulations: what ``pieslice simulate`` prints, and programs get.

Decides which tables there are, and that one run, the seeds of a configuration and several
configurations are three kinds of answer, because they say different things.

Inputs: plans and the summaries of their runs, with their events and series where these were kept.
Outputs: ``Simulated`` values.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, cast

from attr import field, frozen

from classad.errors import Diagnostic
from pieslice.data import JsonData, JsonObject, Record
from pieslice.reports.document import INLINE, SPARSE, fields_of, version_from_data
from pieslice.reports.layout import Block, Line, plural
from pieslice.reports.result import Cell, DataTable, Result
from pieslice.runreport.comparison import (
    PARTS,
    ComparedRow,
    MetricSpread,
    comparison,
    metric_spreads,
)
from pieslice.runreport.data import RunData, run_data
from pieslice.runreport.metrics import GROUP, RUN, USER, Metric, RunNumbers
from pieslice.runreport.picture import Picture
from pieslice.runreport.plots import NAMES, charts
from pieslice.runreport.spread import SPREAD
from pieslice.runreport.text import comparison_blocks, run_blocks, spread_blocks
from pieslice.simulation.output import EVENT_COLUMNS, SERIES_COLUMNS
from pieslice.simulation.series import Row
from pieslice.simulation.setup import Plan
from pieslice.terminal import printable
from policy.versions import Followed

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_RUN: Final = ("policy", "seed")
_DIFFERENCE: Final = ("a", "b", "difference", "margin", "verdict")


@frozen(eq=False)
class Run:
    """One run: its plan, its numbers and, if they were kept, its rows."""

    plan: Plan
    summary: JsonData
    events: tuple[Row, ...] = ()
    series: tuple[Row, ...] = ()

    def data(self) -> RunData:
        """What charts show; raises ``ValueError`` for a run without rows."""
        if not self.series:
            raise ValueError("the run kept no series, or ended before its first cycle")
        parts = {
            part: {printable(name): numbers for name, numbers in self.summary[part].items()}
            for part, _, _ in PARTS
        }
        return run_data(
            _records(EVENT_COLUMNS, self.events),
            list(_records(SERIES_COLUMNS, self.series)),
            {**self.summary, **parts},
        )


def _records(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[JsonObject]:
    """Rows by column, names as they are shown."""
    for row in rows:
        yield {
            name: printable(value) if isinstance(value, str) else value
            for name, value in zip(columns, row, strict=True)
        }


@frozen(eq=False)
class SimulatedPolicy:
    """A configuration: what it is called, and its runs, one for each seed."""

    name: str
    runs: tuple[Run, ...]

    @property
    def summaries(self) -> list[JsonData]:
        """The numbers of its runs."""
        return [run.summary for run in self.runs]


@frozen(eq=False, repr=False)
class Simulated(Result):
    """The runs of one or several configurations on the same workloads, one for each seed.

    ``diagnostics``: what should be known before the numbers are believed.
    """

    sides: tuple[SimulatedPolicy, ...]
    seeds: tuple[int, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def followed(self) -> Followed | None:
        """The version whose rules all runs follow."""
        return version_from_data(self.sides[0].runs[0].summary)

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the configurations."""
        return tuple(side.name for side in self.sides)

    def summary_of(self, policy: str | None = None, seed: int | None = None) -> JsonData:
        """The numbers of a run: of the first configuration and the first seed, unless named."""
        return self._run(policy, seed).summary

    @property
    def runs(self) -> DataTable:
        """The numbers of all runs, a row for each."""
        return self._table("runs", (), RUN, lambda run: [((), run.summary)])

    @property
    def users(self) -> DataTable:
        """The numbers of each user in each run."""
        return self._table("users", ("user",), USER, lambda run: _named(run.summary["users"]))

    @property
    def groups(self) -> DataTable:
        """The numbers of each accounting group in each run."""
        return self._table("groups", ("group",), GROUP, lambda run: _named(run.summary["groups"]))

    @property
    def events(self) -> DataTable:
        """What happened to jobs in each run, in the order of time (seconds)."""
        rows = (
            (*place, *(_filled(cell) for cell in row))
            for place, run in self._runs()
            for row in run.events
        )
        return DataTable("events", (*_RUN, *EVENT_COLUMNS), tuple(rows))

    @property
    def series(self) -> DataTable:
        """Usage, jobs and priorities of the pool, users and groups over time (seconds)."""
        rows = (
            (*place, *(_filled(cell) for cell in row))
            for place, run in self._runs()
            for row in run.series
        )
        return DataTable("series", (*_RUN, *SERIES_COLUMNS), tuple(rows))

    @property
    @abstractmethod
    def metrics(self) -> DataTable:
        """Every number of the pool, each user and each group, as ``to_dict`` has them."""

    def plot(self, chart: str = NAMES[0], *policies: str, seed: int | None = None) -> Picture:
        """A chart of ``pieslice report``: of the configurations named, else of the first two."""
        if chart not in NAMES:
            raise LookupError(f"there is no chart `{chart}`; there are {', '.join(NAMES)}")
        wanted = policies or self.policies[:2]
        if len(wanted) > len(("A", "B")):
            raise ValueError("a chart shows at most two configurations; name two of them")
        drawn = charts([(name, self._run(name, seed).data()) for name in wanted])
        return Picture(next(one for one in drawn if one.name == chart))

    def _run(self, policy: str | None, seed: int | None) -> Run:
        side = self.sides[0 if policy is None else self._place(policy)]
        if seed is None:
            return side.runs[0]
        if seed not in self.seeds:
            known = ", ".join(map(str, self.seeds))
            raise LookupError(f"there is no run with seed {seed}; there are {known}")
        return side.runs[self.seeds.index(seed)]

    def _place(self, policy: str) -> int:
        if policy not in self.policies:
            known = ", ".join(self.policies)
            raise LookupError(f"there is no configuration `{policy}`; there are {known}")
        return self.policies.index(policy)

    def _runs(self) -> Iterator[tuple[tuple[str, int], Run]]:
        for side in self.sides:
            for seed, run in zip(self.seeds, side.runs, strict=True):
                yield (side.name, seed), run

    def _table(
        self,
        title: str,
        names: tuple[str, ...],
        metrics: Sequence[Metric],
        parts: Callable[[Run], Iterable[tuple[tuple[str, ...], Record]]],
    ) -> DataTable:
        keys = tuple(metric.key for metric in metrics)
        rows = (
            (*place, *name, *(numbers[key] for key in keys))
            for place, run in self._runs()
            for name, numbers in parts(run)
        )
        return DataTable(title, (*_RUN, *names, *keys), tuple(rows))


def _named(parts: Mapping[str, Record]) -> Iterable[tuple[tuple[str, ...], Record]]:
    return (((name,), numbers) for name, numbers in parts.items())


def _filled(value: object) -> Cell:
    """A cell of a file: an empty one holds nothing."""
    assert value is None or isinstance(value, Cell)
    return None if value == "" else value


@frozen
class SeedsData:
    """The runs of a configuration, one for each seed, and how their numbers spread."""

    seeds: Sequence[int]
    runs: Sequence[RunNumbers]
    metrics: Sequence[MetricSpread]


@frozen
class ComparedMetric:
    """A number of A and of another configuration, which ``other`` names by its letter."""

    row: ComparedRow = field(metadata=INLINE)
    other: str


@frozen
class ComparedData:
    """Configurations by letters: their names, the run of the first seed of each, all ``runs``."""

    policies: Mapping[str, str]
    seeds: Sequence[int]
    a: RunNumbers
    b: RunNumbers
    more: Mapping[str, RunNumbers] = field(metadata=INLINE)
    runs: Mapping[str, Sequence[RunNumbers]] | None = field(metadata=SPARSE)
    metrics: Sequence[ComparedMetric]


class OneRun(Simulated):
    """The numbers of one run."""

    schema: ClassVar[str] = "pieslice/simulate/1"

    @property
    def metrics(self) -> DataTable:
        rows = map(fields_of, metric_spreads([self._only]))
        return _metric_table(("value",), ({**row, "value": row.get("mean")} for row in rows))

    @property
    def _only(self) -> JsonData:
        return self.sides[0].runs[0].summary

    def summary(self) -> str:
        one = self._only
        jobs = f"{one['completed']} of {plural(one['submitted'], 'job')} completed"
        waiting = one["never_started"]
        never = f", {waiting} never started" if waiting else ""
        return f"{one['hours']:g} hours: {jobs}{never}; {one['utilisation']:.1%} utilisation"

    def blocks(self) -> Sequence[Block]:
        return [Line(self.summary(), heading=True), *run_blocks(self._only)]

    def data(self) -> RunNumbers:
        return cast("RunNumbers", self._only)


class Seeds(Simulated):
    """How the numbers of one configuration spread over the workloads of several seeds."""

    schema: ClassVar[str] = "pieslice/simulate-seeds/1"

    @property
    def metrics(self) -> DataTable:
        return _metric_table(SPREAD, map(fields_of, metric_spreads(self.sides[0].summaries)))

    def summary(self) -> str:
        return f"{self.policies[0]}: {len(self.seeds)} seeds"

    def blocks(self) -> Sequence[Block]:
        return spread_blocks(self.sides[0].summaries, self.seeds)

    def data(self) -> SeedsData:
        runs = self.sides[0].summaries
        return SeedsData(self.seeds, cast("list[RunNumbers]", runs), metric_spreads(runs))


class Compared(Simulated):
    """What differs between configurations on the same workloads: the first one is A.

    Of more than two each of the others is compared with the first one; ``compare`` takes any two.
    """

    schema: ClassVar[str] = "pieslice/simulate-compare/1"

    def compare(self, first: str, second: str) -> Compared:
        """Two of the configurations."""
        sides = tuple(self.sides[self._place(name)] for name in (first, second))
        return Compared(sides, self.seeds, self.diagnostics)

    @property
    def metrics(self) -> DataTable:
        rows = (
            {**fields_of(row), "other": self.policies[LETTERS.index(row.other)]}
            for row in self._metrics()
        )
        return _metric_table(("other", *_DIFFERENCE), rows)

    def summary(self) -> str:
        names = f"{', '.join(self.policies[:-1])} and {self.policies[-1]}"
        return f"{names}: {plural(len(self.seeds), 'seed')}"

    def blocks(self) -> Sequence[Block]:
        first, *others = self.sides
        found: list[Block] = []
        for other in others:
            rows = comparison(first.summaries, other.summaries)
            found += [Line()] if found else []
            found += comparison_blocks(rows, (first.name, other.name), self.seeds)
        return found

    def data(self) -> ComparedData:
        sides = dict(zip(LETTERS, self.sides, strict=False))
        runs = {letter: cast("list[RunNumbers]", side.summaries) for letter, side in sides.items()}
        return ComparedData(
            {letter: side.name for letter, side in sides.items()},
            self.seeds,
            runs["a"][0],
            runs["b"][0],
            {letter: one[0] for letter, one in runs.items() if letter not in "ab"},
            runs if len(self.seeds) > 1 else None,
            self._metrics(),
        )

    def _metrics(self) -> list[ComparedMetric]:
        first, *others = self.sides
        return [
            ComparedMetric(row, letter)
            for letter, other in zip(LETTERS[1:], others, strict=False)
            for row in comparison(first.summaries, other.summaries)
        ]


def _metric_table(columns: Sequence[str], rows: Iterable[Record]) -> DataTable:
    names = ("kind", "name", "metric", *columns)
    return DataTable("metrics", names, tuple(tuple(row.get(n) for n in names) for row in rows))


def simulated(
    sides: Sequence[SimulatedPolicy], seeds: Sequence[int], diagnostics: Sequence[Diagnostic] = ()
) -> Simulated:
    """The answer about some runs."""
    kind = Compared if len(sides) > 1 else Seeds if len(seeds) > 1 else OneRun
    return kind(tuple(sides), tuple(seeds), tuple(diagnostics))
