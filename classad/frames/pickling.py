"""Packs tables of ads for pickle and ``copy.deepcopy``, and unpacks them.

Columns that were loaded stay columns.  Rows that are ads keep their spellings, order and exact
values, and the ads that they inherit from; results that a table keeps for later are left out.
Buffers are packed as bytes, what is no plain value as text.
"""

from __future__ import annotations

import copyreg
import pickle
from array import array
from collections.abc import Iterable, Sequence
from itertools import starmap
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, TypeAlias

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.errors import ClassAdTypeError
from classad.frames.arrays import Trees
from classad.frames.exact import read, written
from classad.frames.reading import ArrowColumns, tree_of
from classad.loading.columns import BufferColumn, LoadedColumn, LoadedColumns, SmallColumn
from classad.table.store.columns import PLAIN
from classad.table.store.store import Store

#: The ads that are the rows, or their columns.
Unpacked: TypeAlias = list[ClassAd] | LoadedColumns


class _Text(NamedTuple):
    """A cell that is no plain value."""

    text: str


class _Row(NamedTuple):
    """An ad: its attributes in order, and the ad that it inherits from."""

    names: tuple[str, ...]
    cells: tuple[Stored | _Text, ...]
    parent: _Row | None


def packed(store: Store) -> bytes:
    """What there is to say about the rows of a table."""
    as_ads = store.loaded is None or bool(store.own)
    pieces: list[bytes] = []
    pickler = pickle.Pickler(SimpleNamespace(write=pieces.append))
    pickler.dispatch_table = copyreg.dispatch_table | _KNOWN
    pickler.dump(_rows(store.ads_of(range(store.size))) if as_ads else store.loaded)
    return b"".join(pieces)


def unpacked(data: bytes) -> Unpacked:
    """The same rows."""
    found: Unpacked = pickle.loads(data)
    return found


def _rows(ads: Iterable[Ad]) -> list[_Row]:
    rows: dict[int, _Row] = {}
    texts: dict[int, _Text] = {}
    alike: dict[tuple[str, str], _Text] = {}
    kept: list[Ad] = []  # so that identities stay theirs

    def cell_of(key: str, cell: Stored) -> Stored | _Text:
        if cell.__class__ in PLAIN:
            return cell
        if id(cell) not in texts:
            # Equal expressions of one attribute are one object, as after loading.
            text = written(cell)
            texts[id(cell)] = alike.setdefault((key, text), _Text(text))
        return texts[id(cell)]

    def row_of(ad: Ad) -> _Row:
        if ad._parent is not None:
            raise ClassAdTypeError("a table with ads that are parts of other ads cannot be pickled")
        if id(ad) not in rows:
            parent = None if ad._chained is None else row_of(ad._chained)
            names = tuple(map(ad._names.__getitem__, ad._attrs))
            rows[id(ad)] = _Row(names, tuple(starmap(cell_of, ad._attrs.items())), parent)
            kept.append(ad)
        return rows[id(ad)]

    return list(map(row_of, ads))


def _ad(names: Sequence[str], cells: Sequence[Stored], parent: ClassAd | None) -> ClassAd:
    ad = ClassAd()
    for name, cell in zip(names, cells, strict=True):
        ad.insert(name, cell)
    if parent is not None:
        ad.chain(parent)
    return ad


def _view(data: bytes, kind: str) -> memoryview:
    return memoryview(data).cast(kind)  # type: ignore[call-overload, no-any-return]


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


def _of_columns(loaded: LoadedColumns) -> tuple[Any, ...]:
    row_shapes = array("i", loaded._row_shapes)
    shapes = [list(loaded._positions(number)) for number in range(max(row_shapes, default=-1) + 1)]
    names, texts = list(loaded._names), list(loaded.texts)
    columns = list(loaded.columns)
    return _columns, (loaded.n_rows, columns, texts, names, shapes, row_shapes, loaded.tz)


def _trees(texts: Sequence[str], closed: bool) -> Trees:
    """Expressions that are read when they are wanted, each once."""
    known: dict[int, Expression] = {}

    def make(number: int) -> Expression:
        if number not in known:
            known[number] = tree_of(read(texts[number]))
        return known[number]

    return Trees(len(texts), make, closed)


def _of_trees(trees: Trees) -> tuple[Any, ...]:
    return _trees, ([written(trees.make(number)) for number in range(trees.size)], trees.closed)


#: What pickle does not know: a function and its arguments that make an object of a class.
_KNOWN: Final[dict[type, Any]] = {
    _Text: lambda cell: (read, (cell.text,)),
    _Row: lambda row: (_ad, tuple(row)),
    memoryview: lambda view: (_view, (bytes(view), view.format)),
    SmallColumn: lambda c: (BufferColumn, (*c[:3], c.tags, c.payload, c.rows)),
    LoadedColumns: _of_columns,
    ArrowColumns: lambda loaded: (ArrowColumns, (loaded.n_rows, list(loaded.parts()))),
    Trees: _of_trees,
}
