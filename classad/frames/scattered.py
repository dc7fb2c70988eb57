"""Finds what few rows have for an attribute, and puts arrays of it into their rows.

A pool may have thousands of attributes, each in a few ads.  What is done here for such an attribute
grows with the rows that have it, but for a look at an array of all rows in C.

Inputs: a store, or an array and its rows.  Outputs: columns of these rows alone; arrays of Arrow.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from classad.ads.ad import Stored
from classad.binding.ad import ClassAd
from classad.extras import load
from classad.frames.arrays import Arrow
from classad.table.arrays import number_pairs, pick
from classad.table.store.columns import Column
from classad.table.store.store import Store

#: An attribute is scattered if fewer than one row in so many has it.
FEW: Final = 8
#: The ad that lists and ads in loaded cells belong to.
_NOWHERE: Final = ClassAd()


class Pieces(NamedTuple):
    """The rows that have an attribute, rising, and what they have."""

    rows: Sequence[int]
    column: Column


class Scattered:
    """The scattered attributes of a store, in the rows that are wanted."""

    def __init__(self, store: Store, names: int, rows: Sequence[int] | None) -> None:
        """``names``: how many attributes are wanted; ``rows``: which rows, None for all."""
        self._store = store
        self.size = store.size if rows is None else len(rows)
        self._wanted = None if rows is None else numbered(rows)
        self._found: dict[str, tuple[array[int], list[Stored]]] = {}
        if store.loaded is None and not store.row_by_row:
            ads = [ad for ad in store.ads if ad is not None]
            # Else it is quicker to look for each attribute in all ads.
            if FEW * sum(len(ad._attrs) for ad in ads) < len(ads) * names:
                self._gather(ads)

    def _gather(self, ads: Sequence[ClassAd]) -> None:
        found = self._found
        for row, ad in enumerate(ads):
            for key, cell in ad._attrs.items():
                there = found.get(key)
                if there is None:
                    there = found[key] = array("i"), []
                there[0].append(row)
                there[1].append(cell)

    def pieces(self, key: str) -> Pieces | None:
        """What the rows have for an attribute (a folded name); None if it is not scattered."""
        found = self._of_ads(key) if self._store.loaded is None else self._loaded(key)
        if found is None or self._wanted is None:
            return found
        rows, places = among(found.rows, self._wanted)
        column = found.column
        return Pieces(rows, column.moved(column.values, pick(column.codes, places), column.ordered))

    def _of_ads(self, key: str) -> Pieces | None:
        found = self._found.get(key)
        if found is None or len(found[0]) * FEW >= self._store.size:
            return None
        return Pieces(found[0], Column.of(found[1]))

    def _loaded(self, key: str) -> Pieces | None:
        store = self._store
        column = None if store.loaded is None else store.loaded.column(key)
        if store.loaded is None or column is None or column.rows is None or store.row_by_row:
            return None
        numbers, first = number_pairs(column.payload, column.tags)
        values = store.loaded.picked(column, first, partial(store.loaded.stored, key, _NOWHERE))
        if store.own:
            return self._with_own(key, column.rows, [values[number] for number in numbers])
        return Pieces(column.rows, Column.of_codes(values, numbers))

    def _with_own(self, key: str, rows: Sequence[int], cells: Sequence[Stored]) -> Pieces:
        """The same where some rows are kept as ads."""
        ads, own = self._store.ads, self._store.own
        found = [pair for pair in zip(rows, cells, strict=True) if pair[0] not in own]
        more = [(row, ad._attrs.get(key)) for row in own if (ad := ads[row]) is not None]
        found += [pair for pair in more if pair[1] is not None]
        found.sort(key=lambda pair: pair[0])
        return Pieces([row for row, _ in found], Column.of([cell for _, cell in found]))


def numbered(rows: Sequence[int]) -> dict[int, int]:
    """The place of each row."""
    return {row: place for place, row in enumerate(rows)}


def spread(cells: Arrow, rows: Sequence[int], size: int) -> Arrow:
    """An array of so many rows: some have these cells, the others null."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    places = array("i", [-1]) * size
    for place, row in enumerate(rows):
        places[row] = place
    numbers = pa.Array.from_buffers(pa.int32(), size, [None, pa.py_buffer(places)])
    there = compute.greater_equal(numbers, 0).buffers()[1]
    return compute.take(
        cells, pa.Array.from_buffers(pa.int32(), size, [there, pa.py_buffer(places)])
    )


def among(rows: Sequence[int], wanted: Mapping[int, int]) -> tuple[array[int], array[int]]:
    """Of some rows those that are wanted: their new numbers, rising, and their places before."""
    if FEW * len(wanted) < len(rows):
        places = [(bisect_left(rows, row), row) for row in wanted]
        there = [(place, row) for place, row in places if place < len(rows) and rows[place] == row]
    else:
        there = [(place, row) for place, row in enumerate(rows) if row in wanted]
    found = sorted((wanted[row], place) for place, row in there)
    return array("i", [row for row, _ in found]), array("i", [place for _, place in found])


__all__ = ["FEW", "Scattered", "among", "numbered", "spread"]
