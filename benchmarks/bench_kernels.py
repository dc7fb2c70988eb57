"""Measures ordering candidates: the C kernels and their Python twins, on the same columns.

Run: ``python benchmarks/bench_kernels.py [ROWS]``.  Agreement is checked before anything is timed.
"""

from __future__ import annotations

import sys
import timeit
from array import array
from collections.abc import Callable
from random import Random

from classad import kernels
from classad.kernels import OrderKey


def columns(rows: int) -> list[list[float]]:
    """Five keys as a cycle has them: few distinct ranks first, then ties broken at random."""
    rng = Random(20)
    few = [float(rng.randrange(8)) for _ in range(rows)]
    many = [rng.uniform(0, 1e6) for _ in range(rows)]
    return [few, [0.0] * rows, few[::-1], [2.0] * rows, many]


def best(function: Callable[[], object]) -> float:
    """Milliseconds of the fastest of five runs."""
    return min(timeit.repeat(function, number=1, repeat=5)) * 1e3


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    keys = [OrderKey(array("d", column)) for column in columns(rows)]
    every = array("i", range(rows))
    backends = {name: kernels._choose(name) for name in ("c", "python")}
    orders = [order(keys, rows, every, rows, False) for _, order in backends.values()]
    assert orders[0] == orders[1], "the backends disagree"
    print(f"{rows} rows, 5 columns, same order from both backends; best of 5, ms")
    print(f"{'':8}{'top_k 1':>12}{'top_k 100':>12}{'sort_order':>12}")
    for name, (_, order) in backends.items():
        times = [
            best(lambda order=order: order(keys, rows, every, 1, True)),  # type: ignore[misc]
            best(lambda order=order: order(keys, rows, every, min(100, rows), True)),  # type: ignore[misc]
            best(lambda order=order: order(keys, rows, every, rows, False)),  # type: ignore[misc]
        ]
        print(f"{name:8}" + "".join(f"{time:12.3f}" for time in times))


if __name__ == "__main__":
    main()
