"""Estimates how long jobs wait from how long others waited: quantiles of censored times.

Jobs that still wait, or were removed, count for as long as they were seen: the estimate is that of
Kaplan and Meier, "Nonparametric Estimation from Incomplete Observations", Journal of the American
Statistical Association 53 (1958), 457-481.  A job that had waited when it was first seen counts
only from there on (delayed entry).

Inputs: waits in seconds.  Outputs: ``Curve``, the share that waits longer, and its quantiles.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable

from attr import frozen


@frozen
class Wait:
    """How long a job had waited when it was first and last seen waiting, in seconds.

    ``started``: whether it started then; else it may have waited on.
    """

    entry: float
    end: float
    started: bool


@frozen
class Curve:
    """The share of jobs that wait longer: ``shares[i]`` from ``times[i]`` seconds on, 1 before.

    ``starts``: how many jobs started at each of the times.
    """

    times: tuple[float, ...]
    shares: tuple[float, ...]
    starts: tuple[int, ...]

    def share(self, time: float) -> float:
        """The share of jobs that wait longer than this."""
        place = bisect_right(self.times, time)
        return 1.0 if place == 0 else self.shares[place - 1]

    def later(self, time: float) -> int:
        """How many of the jobs started after so long a wait."""
        return sum(self.starts[bisect_right(self.times, time) :])

    def quantile(self, part: float, waited: float = 0.0) -> float | None:
        """The wait within which a part of those start that have waited so long; None: unknown."""
        left = self.share(waited)
        for place in range(bisect_right(self.times, waited), len(self.times)):
            if left and 1 - self.shares[place] / left >= part - 1e-12:
                return self.times[place]
        return None


def curve(waits: Iterable[Wait]) -> Curve:
    """The estimate from waits, those that began before they were seen among them."""
    found = [wait for wait in waits if wait.end > wait.entry or wait.started]
    starts = Counter(wait.end for wait in found if wait.started)
    entries = sorted(wait.entry for wait in found)
    ends = sorted(wait.end for wait in found)
    times, shares, share = sorted(starts), [], 1.0
    for time in times:
        # At risk: seen waiting before this moment, and neither started nor lost before it.
        at_risk = bisect_right(entries, time) - bisect_left(ends, time)
        share *= 1 - starts[time] / at_risk
        shares.append(share)
    return Curve(tuple(times), tuple(shares), tuple(starts[time] for time in times))
