"""Entries that are worked out when they are asked for: the order of sorting all of them."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from classad.ad import ClassAd
from negotiator.candidates import Candidate
from negotiator.columnkeys import Keys
from negotiator.lazyorder import LazyEntries
from negotiator.ordering import best_first
from negotiator.result import MatchKind
from negotiator.slots import Slot


def some_keys(rng: Random) -> Keys:
    size = rng.choice([1, 2, 15, 40, 200])
    values = rng.choice([2, 50, 100_000])
    column = [array("d", [rng.randrange(values) for _ in range(size)]) for _ in range(5)]
    pre_job = column[0] if rng.random() < 0.7 else 3.0
    kind = array("d", [rng.randrange(3) for _ in range(size)]) if rng.random() < 0.5 else 2.0
    preemption = column[3] if rng.random() < 0.7 else -3.0
    job = column[1] if rng.random() < 0.7 else 0.0
    rows = array("i", sorted(rng.sample(range(1000), size)))
    return Keys(rows, pre_job, job, column[2], kind, preemption)


@pytest.mark.parametrize("seed", range(60))
def test_the_order_is_that_of_sorting_all(seed: int) -> None:
    keys = some_keys(Random(seed))
    slot = Slot(ClassAd(), "slot", 1.0, False, None, None, 1)

    def make(place: int) -> Candidate:
        return Candidate(keys.rows[place], slot, keys.at(place), MatchKind.NONE, 1.0)

    columns = list(zip(*map(keys.of, keys.rows), strict=True))
    wanted = [keys.rows[place] for place in best_first(columns)]
    entries = LazyEntries(keys, make)
    assert len(entries) == len(wanted)
    assert [entries[place].position for place in range(len(entries))] == wanted
    again = LazyEntries(keys, make)
    last = len(wanted) - 1
    assert again[last].position == wanted[last]
    first = again.first_in_order()
    assert first is not None
    assert first.position == max(keys.rows, key=lambda row: (keys.of(row), -row))


def test_without_rows_there_is_no_first() -> None:
    keys = Keys(array("i"), 0.0, 0.0, 0.0)
    entries = LazyEntries(keys, lambda row: pytest.fail("there is none"))
    assert entries.first_in_order() is None
    with pytest.raises(IndexError):
        entries[0]
