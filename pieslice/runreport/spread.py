"""Tells what the seeds of a workload allow to say of a number: its spread, and of two runs the
difference.

Decides what counts as a difference.  Two configurations are simulated on the same workloads, one
for each seed, so that the differences B - A of the pairs are looked at, not the two means: what a
busy week does to both cancels out.  The verdict is that of the paired t interval at 95 %: of n
differences with mean d and standard deviation s it reaches from d - m to d + m, with
m = t(0.975, n - 1) s / sqrt(n).  An interval that holds 0 allows no verdict.  The interval is that
of each number alone: of twenty numbers that do not differ, one is expected to be told to.

Inputs: numbers of runs.  Outputs: ``Spread`` and ``MetricDifference``.  Follows: A. M. Law,
Simulation Modeling and Analysis, section 10.2.1 (paired-t confidence interval, common random
numbers); the distribution of t for whole degrees of freedom is formula 26.7.3 and 26.7.4 of
Abramowitz and Stegun, Handbook of Mathematical Functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import fmean, stdev
from typing import Final

from attr import frozen

from pieslice.runreport.metrics import Metric

#: How sure a verdict is, on both sides of the interval together.
SURE: Final = 0.95
#: What is said of B, compared with A.
BETTER, WORSE, MORE, LESS = "better", "worse", "more", "less"
#: All numbers are alike; the interval holds 0.
SAME, NONE = "same", "no difference"


#: What the numbers of a spread are called.
SPREAD: Final = ("mean", "deviation", "least", "most")


@frozen
class Spread:
    """A number over the seeds; ``deviation``: None of fewer than two."""

    mean: float
    deviation: float | None
    least: float
    most: float

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """All of it, under ``SPREAD``."""
        return self.mean, self.deviation, self.least, self.most


@frozen
class MetricDifference:
    """A number of A and of B, B - A, and how far that reaches on both sides (None: one pair)."""

    left: float | None
    right: float | None
    difference: float | None
    margin: float | None
    verdict: str


def spread(values: Sequence[float | None]) -> Spread | None:
    """How a number spreads over the seeds that have it; None if none has."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    deviation = stdev(known) if len(known) > 1 else None
    return Spread(fmean(known), deviation, min(known), max(known))


def compared(
    metric: Metric, left: Sequence[float | None], right: Sequence[float | None]
) -> MetricDifference:
    """A number of A and B, pair by pair; pairs in which one has none are left out."""
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    if not pairs:
        means = [None if (found := spread(side)) is None else found.mean for side in (left, right)]
        return MetricDifference(means[0], means[1], None, None, "")
    differences = [b - a for a, b in pairs]
    mean, margin = fmean(differences), half_width(differences)
    return MetricDifference(
        fmean(a for a, _ in pairs),
        fmean(b for _, b in pairs),
        mean,
        margin,
        _verdict(metric, mean, margin or 0.0) if any(differences) else SAME,
    )


def _verdict(metric: Metric, mean: float, margin: float) -> str:
    """What B is; nothing that is smaller than the decimals which are shown."""
    if abs(mean) <= margin or round(mean, metric.digits) == 0:
        return NONE
    if not metric.better:
        return MORE if mean > 0 else LESS
    return BETTER if (mean > 0) == (metric.better > 0) else WORSE


def half_width(values: Sequence[float]) -> float | None:
    """How far the interval of a mean reaches to each side; None for fewer than two values."""
    if len(values) < 2:
        return None
    return quantile(len(values) - 1) * stdev(values) / math.sqrt(len(values))


@cache
def quantile(freedom: int) -> float:
    """The value of t that is exceeded, to both sides, with probability 1 - ``SURE``."""
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < SURE else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """The probability that t with so many degrees of freedom is between -t and t."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom, 2):
        term *= square * (k - 1) / k
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
