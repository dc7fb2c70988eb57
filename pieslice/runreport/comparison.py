"""Compares the summaries of two configurations, number by number.

Inputs: the summaries of both, one for each seed.  Outputs: ``ComparedRow`` values for the pool,
each user and each group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from attr import field, frozen

from pieslice.data import Record
from pieslice.reports.document import INLINE, Document, shape
from pieslice.runreport.metrics import GROUP, RUN, USER, Metric, cell
from pieslice.runreport.spread import SPREAD, MetricDifference, Spread, compared, spread

#: What of a summary holds users and groups, what one of them is called, and its numbers.
PARTS: Final = (("users", "user", USER), ("groups", "group", GROUP))


@frozen
class ComparedRow:
    """One number of the pool (``kind`` and ``name`` are empty), a user or a group."""

    kind: str
    name: str
    metric: Metric
    difference: MetricDifference

    @property
    def part(self) -> str:
        """Its kind, ``pool`` where that is empty."""
        return self.kind or "pool"


shape(ComparedRow, "kind=part name metric=metric.key =difference")
shape(MetricDifference, "a=left b=right difference margin verdict")


@frozen
class MetricSpread:
    """One number of the pool, a user or a group over the seeds, if any of them has it."""

    kind: str
    name: str
    metric: str
    spread: Spread | None = field(metadata=INLINE)


@frozen
class Report(Document):
    """What differs between two simulated configurations."""

    schema: ClassVar[str] = "pieslice/report/1"
    metrics: Sequence[ComparedRow]


def comparison(left: Sequence[Record], right: Sequence[Record]) -> list[ComparedRow]:
    """Every number of the summaries of A and of B, which are pairs with the same seed."""
    return [
        ComparedRow(kind, name, metric, compared(metric, a, b))
        for kind, name, metric, (a, b) in _numbers(left, right)
    ]


def spreads(summaries: Sequence[Record]) -> list[tuple[str, str, Metric, Spread | None]]:
    """Every number of the summaries of one configuration over the seeds."""
    return [
        (kind, name, metric, spread(values))
        for kind, name, metric, (values,) in _numbers(summaries)
    ]


def spread_cells(spread: Spread | None, metric: Metric) -> tuple[str, ...]:
    """The numbers of a spread as text."""
    numbers = (None,) * len(SPREAD) if spread is None else spread.numbers
    return tuple(cell(value, metric.digits) for value in numbers)


def _numbers(
    *sides: Sequence[Record],
) -> Iterator[tuple[str, str, Metric, list[list[float | None]]]]:
    """Of the pool, each user and each group every number: for each side a list over the seeds."""
    for metric in RUN:
        yield "", "", metric, [[run[metric.key] for run in side] for side in sides]
    for part, kind, metrics in PARTS:
        names = sorted({name for side in sides for run in side for name in run[part]})
        for name in names:
            for metric in metrics:
                yield (
                    kind,
                    name,
                    metric,
                    [[run[part].get(name, {}).get(metric.key) for run in side] for side in sides],
                )


def metric_spreads(summaries: Sequence[Record]) -> list[MetricSpread]:
    """Every number of the summaries of one configuration over the seeds."""
    return [
        MetricSpread(kind or "pool", name, metric.key, found)
        for kind, name, metric, found in spreads(summaries)
    ]
