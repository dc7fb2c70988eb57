"""Packs tables of ads for pickle and ``copy.deepcopy``, and unpacks them.

Columns that were loaded stay columns.  Rows that are ads keep their spellings, order and exact
values, and the ads that they inherit from; results that a table keeps for later are left out.
How columns are packed is registered with ``copyreg``: their buffers as bytes, their expressions as
texts.
"""

from __future__ import annotations

import copyreg
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.errors import ClassAdTypeError
from classad.frames.arrays import Arrow, Cells, Trees
from classad.frames.exact import read, written
from classad.frames.reading import ArrowColumns, tree_of
from classad.language.names import fold_name
from classad.loading.columns import BufferColumn, LoadedColumn, LoadedColumns, SmallColumn
from classad.table.store.columns import PLAIN
from classad.table.store.store import Store


class Text(NamedTuple):
    """A cell that is no plain value, as text."""

    text: str


class PackedAd(NamedTuple):
    """An ad: its attributes in order, and where the ad that it inherits from stands, if any."""

    names: tuple[str, ...]
    cells: tuple[Stored | Text, ...]
    parent: int | None


class PackedAds(NamedTuple):
    """The first ``size`` ads are the rows, the others what they inherit from."""

    size: int
    ads: list[PackedAd]


#: The rows of a table.
Packed = PackedAds | LoadedColumns


def packed(store: Store) -> Packed:
    """What there is to say about the rows of a table."""
    if store.loaded is None or store.own:
        return _packed_ads(list(store.ads_of(range(store.size))))
    return store.loaded


def unpacked(parts: Packed) -> tuple[list[ClassAd], LoadedColumns | None]:
    """The ads, or the columns."""
    return (_ads(parts), None) if isinstance(parts, PackedAds) else ([], parts)


# --- ads ------------------------------------------------------------------------------------------


def _packed_ads(ads: list[ClassAd]) -> PackedAds:
    every: list[Ad] = list(ads)
    places: dict[int, int] = {}
    texts: dict[int, Text] = {}
    made: list[PackedAd] = []
    for ad in every:  # grows
        if ad._parent is not None:
            raise ClassAdTypeError("a table with ads that are parts of other ads cannot be pickled")
        parent = ad._chained
        if parent is not None and id(parent) not in places:
            places[id(parent)] = len(every)
            every.append(parent)
        cells = tuple(_packed_cell(cell, texts) for cell in ad._attrs.values())
        names = tuple(map(ad._names.__getitem__, ad._attrs))
        made.append(PackedAd(names, cells, None if parent is None else places[id(parent)]))
    return PackedAds(len(ads), made)


def _packed_cell(cell: Stored, texts: dict[int, Text]) -> Stored | Text:
    if cell.__class__ in PLAIN:
        return cell
    if id(cell) not in texts:
        texts[id(cell)] = Text(written(cell))
    return texts[id(cell)]


def _ads(rows: PackedAds) -> list[ClassAd]:
    known: dict[tuple[str, str], Stored] = {}
    ads = [ClassAd() for _ in rows.ads]
    for ad, row in zip(ads, rows.ads, strict=True):
        for name, cell in zip(row.names, row.cells, strict=True):
            if cell.__class__ is Text:
                # Equal expressions of one attribute are one object, as after loading.
                key = fold_name(name), cell.text
                if key not in known:
                    known[key] = read(cell.text)
                cell = known[key]
            ad.insert(name, cell)
        if row.parent is not None:
            ad.chain(ads[row.parent])
    return ads[: rows.size]


# --- columns --------------------------------------------------------------------------------------

#: A function and its arguments, as pickle wants them.
Reduced = tuple[Callable[..., Any], tuple[Any, ...]]


def _buffers(tags: Any, payload: Any, rows: Any) -> tuple[bytes, bytes, bytes | None]:
    return bytes(tags), bytes(payload), None if rows is None else bytes(rows)


def _views(
    tags: bytes, payload: bytes, rows: bytes | None
) -> tuple[memoryview, memoryview, memoryview | None]:
    listed = None if rows is None else memoryview(rows).cast("i")
    return memoryview(tags), memoryview(payload).cast("q"), listed


def _column(name: str, present: int, *buffers: Any) -> BufferColumn:
    return BufferColumn(name, fold_name(name), present, *_views(*buffers))


def _of_column(c: LoadedColumn) -> Reduced:
    return _column, (c.name, c.present, *_buffers(c.tags, c.payload, c.rows))


def _columns(
    size: int,
    columns: list[LoadedColumn],
    texts: list[str],
    names: list[tuple[str, int]],
    shapes: list[list[int]],
    row_shapes: array[int],
    tz: str | None,
) -> LoadedColumns:
    return LoadedColumns(
        size, columns, lambda: texts, names, shapes.__getitem__, row_shapes, [], tz
    )


def _of_columns(loaded: LoadedColumns) -> Reduced:
    row_shapes = array("i", loaded._row_shapes)
    shapes = [list(loaded._positions(number)) for number in range(max(row_shapes, default=-1) + 1)]
    names, texts = list(loaded._names), list(loaded.texts)
    columns = list(loaded.columns)
    return _columns, (loaded.n_rows, columns, texts, names, shapes, row_shapes, loaded.tz)


def _cells(
    buffers: tuple[bytes, bytes, bytes | None], strings: Arrow, more: list[str], trees: Trees | None
) -> Cells:
    tags, payload, rows = _views(*buffers)
    return Cells(tags, payload, strings, more, trees, rows)


def _of_cells(cells: Cells) -> Reduced:
    buffers = _buffers(cells.tags, cells.payload, cells.rows)
    return _cells, (buffers, cells.strings, list(cells.more), cells.trees)


def _trees(texts: Sequence[str], closed: bool) -> Trees:
    """Expressions that are read when they are wanted, each once."""
    known: dict[int, Expression] = {}

    def make(number: int) -> Expression:
        if number not in known:
            known[number] = tree_of(read(texts[number]))
        return known[number]

    return Trees(len(texts), make, closed)


def _of_trees(trees: Trees) -> Reduced:
    return _trees, ([written(trees.make(number)) for number in range(trees.size)], trees.closed)


copyreg.pickle(BufferColumn, _of_column)
copyreg.pickle(SmallColumn, _of_column)
copyreg.pickle(LoadedColumns, _of_columns)
copyreg.pickle(ArrowColumns, lambda loaded: (ArrowColumns, (loaded.n_rows, list(loaded.parts()))))
copyreg.pickle(Cells, _of_cells)
copyreg.pickle(Trees, _of_trees)
