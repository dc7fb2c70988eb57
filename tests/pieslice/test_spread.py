"""Verdicts about two configurations: the paired t interval, and what it is not asked."""

from __future__ import annotations

from random import Random

import pytest

from pieslice.runreport.metrics import LESS, MORE, Metric
from pieslice.runreport.spread import compared, half_width, quantile, spread

DONE = Metric("completed", "jobs completed", 0, MORE)
LOST = Metric("badput_hours", "badput", 1, LESS)
USED = Metric("usage_hours", "usage", 1)


@pytest.mark.parametrize(
    ("freedom", "value"),
    # The 0.975 column of the tables of Student's distribution.
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228),
     (29, 2.045), (30, 2.042), (120, 1.980)],
)  # fmt: skip
def test_quantiles_are_those_of_the_tables(freedom: int, value: float) -> None:
    assert round(quantile(freedom), 3) == value


def test_the_interval_of_a_mean() -> None:
    # Ten waits, by hand: mean 2.0, deviation 1.0, 2.262 / sqrt(10).
    values = [1.0, 3.0] * 4 + [2.0, 2.0]
    assert spread(values).mean == 2.0  # type: ignore[union-attr]
    assert half_width(values) == pytest.approx(2.2622 * 0.94281 / 10**0.5, abs=1e-4)
    assert half_width([1.0]) is None


@pytest.mark.parametrize(
    ("metric", "left", "right", "verdict"),
    [
        (DONE, [100], [110], "better"),
        (DONE, [110], [100], "worse"),
        (LOST, [9.0], [3.0], "better"),
        (USED, [9.0], [3.0], "less"),
        (DONE, [100], [100], "same"),
        # The pairs agree though the seeds differ more than the configurations.
        (DONE, [100, 200, 300], [110, 211, 309], "better"),
        # The same means, but other pairs: the spread allows no verdict.
        (DONE, [100, 200, 300], [211, 309, 110], "no difference"),
        (LOST, [1.0, 1.0], [1.01, 1.01], "no difference"),
        (DONE, [None, 100], [None, 110], "better"),
        (DONE, [None], [5], ""),
    ],
)
def test_verdicts(
    metric: Metric, left: list[float | None], right: list[float | None], verdict: str
) -> None:
    assert compared(metric, left, right).verdict == verdict


def test_one_verdict_in_twenty_is_wrong() -> None:
    """Of configurations that do not differ, one in twenty is told to: so sure is 95 %."""
    rng = Random(1)
    wrong = 0
    for _ in range(2000):
        left = [rng.gauss(100, 30) for _ in range(5)]
        right = [value + rng.gauss(0, 10) for value in left]
        wrong += compared(USED, left, right).verdict != "no difference"
    assert 0.035 < wrong / 2000 < 0.065
