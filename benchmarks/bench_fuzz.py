"""Measures how many pairs of slot and request ``pieslice fuzz`` evaluates in a second of CPU time.

Run: ``python benchmarks/bench_fuzz.py [EXAMPLES]``.  Each row is a whole search of a sound policy
on one core: drawing, decorating, evaluating, asking the cycle about what looks wrong.  ``pairs``
counts each pair of a slot and a request once, however many expressions and properties look at it.
``distinct`` is how many evaluations of PREEMPTION_REQUIREMENTS were left after those that the
expression cannot tell apart were done once, per hundred pairs; ``one by one`` is the rate at which
the same pairs pass through the evaluator without that, in the same run.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

from classad.binding.batch import evaluate_many
from pieslice.fuzzing.choose import Named, chosen
from pieslice.fuzzing.sample import draw_sample, side_of
from pieslice.fuzzing.schema import built_in
from pieslice.fuzzing.search import search
from pieslice.fuzzing.study import Intent, Study, study_of
from policy.io import read_config

POLICIES = Path(__file__).parents[1] / "examples" / "policies" / "sound"
#: Samples that are evaluated one by one for comparison.
CROWDS = 5


def study(path: Path) -> Study:
    """The study of a policy."""
    config = read_config(str(path), subsystem="NEGOTIATOR", now=time.time())
    return study_of(config, built_in(), Intent())


def one_by_one(study: Study) -> tuple[float, float]:
    """Pairs per second without sharing, and distinct evaluations per hundred pairs."""
    spent, pairs, distinct = 0.0, 0, 0
    tree = study.policy.preemption_requirements
    assert tree is not None
    for number in range(CROWDS):
        sample = draw_sample(study, Random(number), side_of(study))
        ads = [slot.ad for slot in sample.slots]
        began = time.process_time()
        for request in sample.requests:
            evaluate_many(tree, ads, request, context=sample.cycle.context)
        spent += time.process_time() - began
        pairs += sample.pairs
        rows = sample.values(tree)
        distinct += len({id(row) for row in rows}) * sample.distinct[id(tree)]
    return pairs / spent, 100.0 * distinct / pairs


def main() -> None:
    """Print a row for each sound policy."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    print(f"{'policy':<24}{'pairs/s':>12}{'distinct %':>12}{'one by one/s':>14}")
    for path in sorted(POLICIES.iterdir()):
        found = study(path)
        tests = chosen(found, (), Named())
        began = time.process_time()
        outcome = search(tests, examples, 0)
        rate = outcome.examples / (time.process_time() - began)
        single, distinct = one_by_one(found)
        print(f"{path.name:<24}{rate:>12,.0f}{distinct:>12.1f}{single:>14,.0f}")


if __name__ == "__main__":
    main()
