"""Entries that are worked out when they are asked for: the order of sorting all of them."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from classad import ClassAd
from classad.kernels import OrderKey
from negotiator.columns.rank_keys import ColumnFound, Keys
from negotiator.model.arithmetic import best_first
from negotiator.pool.slots import Slot
from tests.cases import every_case

SIZE = 1000


def some_keys(rng: Random) -> Keys:
    count = rng.choice([1, 2, 15, 40, 200])
    values = rng.choice([2, 50, 100_000])
    columns = [array("d", [rng.randrange(values) for _ in range(SIZE)]) for _ in range(4)]
    pre_job = OrderKey(columns[0]) if rng.random() < 0.7 else 3.0
    job = OrderKey(columns[1]) if rng.random() < 0.7 else 0.0
    kinds = bytearray(rng.randrange(3) for _ in range(SIZE)) if rng.random() < 0.5 else None
    preemption = OrderKey(columns[3], None, kinds, -3.0) if rng.random() < 0.7 else -3.0
    rows = array("i", sorted(rng.sample(range(SIZE), count)))
    return Keys(rows, SIZE, pre_job, job, OrderKey(columns[2]), kinds, preemption)


@every_case("seed", range(60))
def test_the_order_is_that_of_sorting_all(seed: int) -> None:
    keys = some_keys(Random(seed))
    slot = Slot(ClassAd(), "slot", 1.0, False, None, None, 1)

    slots = dict.fromkeys(range(SIZE), slot)
    columns = list(zip(*map(keys.at, keys.rows), strict=True))
    wanted = [keys.rows[place] for place in best_first(columns)]
    entries = ColumnFound(keys, slots).entries()
    assert len(entries) == len(wanted)
    assert [entries[place].position for place in range(len(entries))] == wanted
    again = ColumnFound(keys, slots).entries()
    last = len(wanted) - 1
    assert again[last].position == wanted[last]
    first = again.first_best()
    assert first is not None
    assert first.position == max(keys.rows, key=lambda row: (keys.at(row), -row))


def test_without_rows_there_is_no_first() -> None:
    keys = Keys(array("i"), SIZE, 0.0, 0.0, 0.0)
    entries = ColumnFound(keys, {}).entries()
    assert entries.first_best() is None
    with pytest.raises(IndexError):
        entries[0]
