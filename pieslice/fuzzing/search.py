"""Searches sample after sample until every property has failed or enough pairs were tried.

Decides the order of the search and when it ends.

Inputs: a ``Study``, properties, a number of examples, a seed.  Outputs: ``Outcome`` with the
simplest counterexample found for each property and expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final

from attr import frozen

from pieslice.fuzzing.finding import Finding
from pieslice.fuzzing.properties import Property
from pieslice.fuzzing.sample import draw_sample, side_of
from pieslice.fuzzing.shrink import shrink
from pieslice.reports.progress import Moved

#: Samples of this few ads come first: a simple flaw shows at once, and as every sample has quotas,
#: usage and priorities of its own, one that needs a certain usage shows in one of them.
_SMALL: Final = 20
_SMALL_ONES: Final = 12


@frozen(eq=False)
class Outcome:
    """``findings``: one for each property and expression; ``tested``: pairs by property."""

    findings: tuple[Finding, ...]
    examples: int
    tested: tuple[tuple[str, str], ...]


def _silent(done: float, words: str) -> None:
    """Tell nobody how far the search is."""


def search(tests: Iterable[Property], examples: int, seed: int, moved: Moved = _silent) -> Outcome:
    """Look for a counterexample to each of the properties; ``moved`` takes the pairs tried."""
    found: list[Finding] = []
    left = list(tests)
    tested = tuple(dict.fromkeys((test.title(), test.doc) for test in left))
    tried, number = 0, 0
    samples = _SMALL_ONES + examples // side_of(left[0].study) ** 2 + 1 if left else 0
    while left and tried < examples and number < samples:
        rng = Random(f"{seed}/{number}")
        study = left[0].study
        sample = draw_sample(study, rng, _SMALL if number < _SMALL_ONES else side_of(study))
        number += 1
        tried += max(test.evaluated(sample) for test in left)
        moved(min(tried, examples), f"{tried:,} pairs, {len(found)} counterexamples")
        for test in list(left):
            finding = _first(test, sample, rng)
            if finding is not None:
                found.append(shrink(finding, test))
                left.remove(test)
    return Outcome(tuple(found), tried, tested)


def _first(test: Property, sample: object, rng: Random) -> Finding | None:
    for case in test.suspects(sample, rng):  # type: ignore[arg-type]
        finding = test.check(case)
        if finding is not None:
            return finding
    return None
