"""Packs tables of ads for pickle and ``copy.deepcopy``, and unpacks them.

Columns that were loaded stay columns.  Rows that are ads keep their spellings, order and exact
values, and the ads that they inherit from; results that a table keeps for later are left out.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.errors import ClassAdTypeError
from classad.frames.arrays import Arrow, Cells, Trees
from classad.frames.exact import read, written
from classad.frames.reading import ArrowColumns, tree_of
from classad.language.names import fold_name
from classad.loading.columns import BufferColumn, LoadedColumns
from classad.table.store.columns import PLAIN
from classad.table.store.store import Store


class Text(NamedTuple):
    """A cell that is no plain value, as text."""

    text: str


class Row(NamedTuple):
    """An ad: its attributes in order, and where the ad that it inherits from stands, if any."""

    names: tuple[str, ...]
    cells: tuple[Stored | Text, ...]
    parent: int | None


class Rows(NamedTuple):
    """The first ``size`` ads are the rows, the others what they inherit from."""

    size: int
    ads: list[Row]


class Columns(NamedTuple):
    """Columns as a loader has filled them."""

    size: int
    columns: list[tuple[str, int, bytes, bytes, bytes | None]]
    texts: list[str]
    names: list[tuple[str, int]]
    shapes: list[list[int]]
    row_shapes: array[int]
    tz: str | None


class ArrowColumn(NamedTuple):
    """A column that was read from Arrow."""

    name: str
    tags: bytes
    payload: bytes
    strings: Arrow
    more: list[str]
    trees: list[str] | None
    closed: bool
    rows: bytes | None


class ArrowParts(NamedTuple):
    """Columns that were read from Arrow."""

    size: int
    columns: list[ArrowColumn]


#: The rows of a table.
Packed = Rows | Columns | ArrowParts


def packed(store: Store) -> Packed:
    """What there is to say about the rows of a table."""
    loaded = store.loaded
    if loaded is None or store.own:
        return _rows(list(store.ads_of(range(store.size))))
    if isinstance(loaded, ArrowColumns):
        return ArrowParts(loaded.n_rows, [_arrow(*part) for part in loaded.parts()])
    shapes = array("i", loaded._row_shapes)
    return Columns(
        loaded.n_rows,
        [
            (
                c.name,
                c.present,
                bytes(c.tags),
                bytes(c.payload),
                None if c.rows is None else bytes(c.rows),
            )
            for c in loaded.columns
        ],
        list(loaded.texts),
        list(loaded._names),
        [list(loaded._positions(number)) for number in range(max(shapes, default=-1) + 1)],
        shapes,
        loaded.tz,
    )


def unpacked(parts: Packed) -> tuple[list[ClassAd], LoadedColumns | None]:
    """The ads, or the columns."""
    if isinstance(parts, Rows):
        return _ads(parts), None
    if isinstance(parts, ArrowParts):
        return [], ArrowColumns(parts.size, [_cells(column) for column in parts.columns])
    columns = [
        BufferColumn(
            name,
            fold_name(name),
            present,
            memoryview(tags),
            memoryview(payload).cast("q"),
            None if rows is None else memoryview(rows).cast("i"),
        )
        for name, present, tags, payload, rows in parts.columns
    ]
    return [], LoadedColumns(
        parts.size, columns, lambda: parts.texts, parts.names, parts.shapes.__getitem__,
        parts.row_shapes, [], parts.tz,
    )  # fmt: skip


# --- ads ------------------------------------------------------------------------------------------


def _rows(ads: list[ClassAd]) -> Rows:
    every: list[Ad] = list(ads)
    places: dict[int, int] = {}
    texts: dict[int, Text] = {}
    made: list[Row] = []
    for ad in every:  # grows
        if ad._parent is not None:
            raise ClassAdTypeError("a table with ads that are parts of other ads cannot be pickled")
        parent = ad._chained
        if parent is not None and id(parent) not in places:
            places[id(parent)] = len(every)
            every.append(parent)
        cells = tuple(_packed_cell(cell, texts) for cell in ad._attrs.values())
        names = tuple(map(ad._names.__getitem__, ad._attrs))
        made.append(Row(names, cells, None if parent is None else places[id(parent)]))
    return Rows(len(ads), made)


def _packed_cell(cell: Stored, texts: dict[int, Text]) -> Stored | Text:
    if cell.__class__ in PLAIN:
        return cell
    if id(cell) not in texts:
        texts[id(cell)] = Text(written(cell))
    return texts[id(cell)]


def _ads(rows: Rows) -> list[ClassAd]:
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


# --- columns that were read from Arrow ------------------------------------------------------------


def _arrow(name: str, cells: Cells) -> ArrowColumn:
    trees = cells.trees
    texts = None
    if trees is not None:
        texts = [written(trees.make(number)) for number in range(trees.size)]
    return ArrowColumn(
        name,
        bytes(cells.tags),
        bytes(cells.payload),
        cells.strings,
        list(cells.more),
        texts,
        trees is not None and trees.closed,
        None if cells.rows is None else bytes(cells.rows),
    )


def _cells(column: ArrowColumn) -> tuple[str, Cells]:
    trees = None
    if column.trees is not None:
        trees = Trees(len(column.trees), _maker(column.trees), column.closed)
    payload = memoryview(column.payload).cast("q")
    rows = None if column.rows is None else memoryview(column.rows).cast("i")
    cells = Cells(memoryview(column.tags), payload, column.strings, column.more, trees, rows)
    return column.name, cells


def _maker(texts: Sequence[str]) -> Callable[[int], Expression]:
    """What reads an expression when it is wanted, each once."""
    known: dict[int, Expression] = {}

    def make(number: int) -> Expression:
        if number not in known:
            known[number] = tree_of(read(texts[number]))
        return known[number]

    return make
