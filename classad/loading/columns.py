"""Holds ads as columns of cells, and makes values and ads of them.

Each attribute is a column of cells, a tag and eight bytes each; strings and the texts of
expressions are numbered and kept once.  The names of each row are kept in their order and spelling,
so the ads come back as ``LongReader`` would have read them.  The buffers, which
classad/loading/long_form.py fills, are read-only by agreement and live as long as any view of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import itemgetter
from struct import pack, unpack
from sys import getsizeof
from typing import Any, Final, NamedTuple, TypeAlias

from classad.ads.ad import Ad, SharedNames, Stored, is_value, stored_form
from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.formats.common import EXPRESSION, A, MemoryUse, weight
from classad.formats.long import shared_tree, stored_text
from classad.formats.unparse import unparse_value
from classad.language.names import fold_name
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.patterns import late_regex

__all__ = ["BufferColumn", "LoadedColumn", "LoadedColumns", "SmallColumn", "Tag"]


#: Bytes of a column beside its cells, with its name.
COLUMN: Final = 850


class Tag:
    """What a cell is, with the numbers of csrc/kernels.h.

    The payload is the integer, the bits of the double, 0 or 1, or the number of a text; else 0.
    """

    NOTHING: Final = 0
    INTEGER: Final = 1
    REAL: Final = 2
    BOOLEAN: Final = 3
    STRING: Final = 4
    UNDEFINED: Final = 5
    ERROR: Final = 6
    #: An expression, a list, an ad or a time; its text is in old syntax.
    EXPRESSION: Final = 7
    #: A real that still is a text; never seen outside of loading.
    WAITING: Final = 8


class BufferColumn(NamedTuple):
    """One attribute of all rows.

    ``key`` is the name in lower case, ``name`` its first spelling.  A column has a cell
    for every row, or ``present`` cells for the ``rows`` given, which rise.  All are
    buffers, which NumPy takes without copying: ``tags`` of unsigned bytes, ``payload`` of signed
    64-bit integers, ``rows`` of signed 32-bit integers.
    """

    name: str
    key: str
    present: int
    tags: memoryview
    payload: memoryview
    rows: memoryview | None


#: Gives a buffer of a column, by its name and the column's place.
Look: TypeAlias = Callable[[str, int], memoryview]


class SmallColumn(NamedTuple):
    """The same of few cells, which makes its buffers whenever they are asked for."""

    name: str
    key: str
    present: int
    look: Look
    place: int

    @property
    def tags(self) -> memoryview:
        return self.look("tags", self.place)

    @property
    def payload(self) -> memoryview:
        return self.look("payload", self.place)

    @property
    def rows(self) -> memoryview | None:
        found: memoryview | None = self.look("rows", self.place)
        return found


#: A column, whatever keeps its buffers.
LoadedColumn: TypeAlias = BufferColumn | SmallColumn
#: What a cell says: a value, an expression, or that there is none.
Cell = ClassAdValue | Expression | None


#: The rows, if not every row has a cell, the tags and the payload of a column.
_Buffers: TypeAlias = tuple[memoryview | None, memoryview, memoryview]


class _Shape(NamedTuple):
    """The attributes of a row in their order: keys, spellings by key, positions of the columns."""

    keys: tuple[str, ...]
    names: SharedNames
    columns: tuple[int, ...]


class LoadedColumns:
    """Ads as columns.

    ``n_rows``: how many ads.  ``columns``: in the order in which the attributes first came.
    ``diagnostics``: what was refused, with its places.
    """

    def __init__(
        self,
        n_rows: int,
        columns: Sequence[LoadedColumn],
        read_texts: Callable[[], list[str]],
        names: list[tuple[str, int]],
        shape: Callable[[int], Sequence[int]],
        row_shapes: Sequence[int],
        diagnostics: list[Diagnostic],
        tz: str | None = None,
    ) -> None:
        """``names``: spellings, and the position of the column that each names (-1 for none).

        ``read_texts``: called when the first text is wanted.  ``shape``: gives positions in
        ``names`` by the number of a shape; ``row_shapes``: for each row its number.
        """
        self.n_rows = n_rows
        self.columns = columns
        self._read_texts = read_texts
        self.diagnostics = diagnostics
        self.tz = tz
        self._names = names
        self._positions = shape
        self._row_shapes = row_shapes
        self._known_shapes: dict[int, _Shape] = {}
        #: Buffers of columns that ads of single rows are made of, by the columns' positions.
        self._open: dict[int, _Buffers] = {}
        #: Shapes that rows got when an attribute of theirs was changed; their numbers are negative.
        self._more_shapes: dict[int, Sequence[int]] = {}
        #: Of what these are the ads, and how many bytes that has.
        self.text_name, self.text_size = "<text>", 0
        self._by_key = {column.key: position for position, column in enumerate(columns)}

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> list[str]:
        """The attributes, each in its first spelling."""
        return [column.name for column in self.columns]

    def column(self, name: str) -> LoadedColumn | None:
        """The column of an attribute, or None if no ad has it."""
        position = self._by_key.get(fold_name(name))
        return None if position is None else self.columns[position]

    @cached_property
    def texts(self) -> list[str]:
        """Strings and the texts of expressions by number."""
        return self._read_texts()

    def expression(self, key: str, number: int) -> Expression:
        """The expression that text ``number`` is as the value of attribute ``key``."""
        return shared_tree(key, self.texts[number], self.tz)

    def stored(self, key: str, ad: Ad, number: int) -> Stored:
        """What ``ad`` keeps for attribute ``key``, the expression that text ``number`` is."""
        return stored_text(key, self.texts[number], self.tz, ad)

    def are_values(self, key: str, numbers: Iterable[int]) -> bool:
        """Whether an ad keeps all these expressions as values, see
        ``classad.ads.ad.is_value``.
        """
        texts = list(map(self.texts.__getitem__, numbers))
        closed = map(_ENCLOSED.fullmatch, texts)
        rest = [text for text, one in zip(texts, closed, strict=True) if one is None]
        return all(is_value(shared_tree(key, text, self.tz)) for text in rest)

    def values(self, column: LoadedColumn, start: int = 0, stop: int | None = None) -> list[Any]:
        """The values of rows ``start`` to ``stop``: plain ones, ``Expression``, or None if absent.

        Lists, ads and times are expressions here.
        """
        end = self.n_rows if stop is None else min(stop, self.n_rows)
        found = self._stretch(column, start, end)
        return found if isinstance(found, list) else list(map(found.get, range(end - start)))

    def _stretch(self, column: LoadedColumn, start: int, end: int) -> list[Any] | Mapping[int, Any]:
        """The same by the distance from ``start``; of a column that few rows have, theirs alone."""
        rows, low, high = column.rows, start, end
        if rows is not None:
            low, high = bisect_left(rows, start), bisect_left(rows, end)
            if low == high:  # attributes of few ads are many: no list for each
                return _NO_CELLS
        read = partial(self.expression, column.key)
        values = self._decoded(bytes(column.tags[low:high]), column.payload[low:high], read)
        if rows is None:
            return values
        return dict(zip((row - start for row in rows[low:high]), values, strict=True))

    def cells(
        self, column: LoadedColumn, rows: Sequence[int], read: Callable[[int], Cell]
    ) -> list[Cell]:
        """The values of some rows; ``read`` gives those that are expressions, by their text."""
        tags, payload = column.tags, column.payload
        listed = column.rows
        if listed is None:
            return [self._made(tags[row], payload[row], read) for row in rows]
        found: list[Cell] = []
        for row in rows:
            place = bisect_left(listed, row)
            there = place < len(listed) and listed[place] == row
            found.append(self._made(tags[place], payload[place], read) if there else None)
        return found

    def picked(
        self, column: LoadedColumn, places: Sequence[int], read: Callable[[int], Cell]
    ) -> list[Any]:
        """The same of some cells of a column, counted without regard to the rows."""
        tags = bytes(map(column.tags.__getitem__, places))
        payload = memoryview(array("q", map(column.payload.__getitem__, places)))
        return self._decoded(tags, payload, read)

    def _decoded(self, tags: bytes, payload: memoryview, read: Callable[[int], Cell]) -> list[Any]:
        """The values of some cells, by the quickest way for what they are."""
        kinds = set(tags)
        if kinds in _SOME_HAVE_NONE:
            found = self._decoded(bytes([max(kinds)]) * len(tags), payload, read)
            return [value if tag else None for tag, value in zip(tags, found, strict=True)]
        if kinds == {_INTEGER}:
            return payload.tolist()
        if kinds == {_REAL}:
            return payload.cast("B").cast("d").tolist()
        if kinds == {_STRING}:
            return list(map(self.texts.__getitem__, payload))
        # Few values stand in many cells.
        cells = list(zip(tags, payload, strict=True))
        known = {cell: self._made(*cell, read) for cell in set(cells)}
        return [known[cell] for cell in cells]

    def _made(self, tag: int, number: int, read: Callable[[int], Cell]) -> Cell:
        if tag == _STRING:
            return self.texts[number]
        return read(number) if tag == _EXPRESSION else value_of(tag, number)

    @cached_property
    def with_expressions(self) -> list[int]:
        """The columns that are not just plain values."""
        columns = enumerate(self.columns)
        return [position for position, c in columns if Tag.EXPRESSION in bytes(c.tags)]

    def changed(self, name: str, cells: Mapping[int, Stored | None]) -> LoadedColumns:
        """The same ads with another value or expression of an attribute in some rows; None: with
        the attribute gone.  Nothing that stays is copied.
        """
        old = self.column(name)
        tags, payload = self._all_cells(old)
        had = bytes(tags)
        texts: dict[str, int] = {}
        # Few values come into many rows.
        written = {id(cell): cell for cell in cells.values()}
        known = {key: self._cell_of(cell, texts) for key, cell in written.items()}
        for row, cell in cells.items():
            tags[row], payload[row] = known[id(cell)]
        key = fold_name(name)
        place = self._by_key.get(key, len(self.columns))
        column = BufferColumn(
            name if old is None else old.name, key, self.n_rows - tags.count(_NOTHING),
            memoryview(tags), memoryview(payload), None,
        )  # fmt: skip
        names, more = list(self._names), dict(self._more_shapes)
        spelled = next((i for i, (_, one) in enumerate(names) if one == place), len(names))
        if spelled == len(names):
            names.append((name, place))
        shapes = self._row_shapes
        moved = [row for row in cells if bool(had[row]) != bool(tags[row])]
        if moved:
            shapes, made = array("i", shapes), dict[int, int]()
            for row in moved:
                number = shapes[row]
                if number not in made:
                    made[number] = -1 - len(more)
                    kept = [one for one in self._positions_of(number) if names[one][1] != place]
                    more[made[number]] = kept if had[row] else [*kept, spelled]
                shapes[row] = made[number]
        columns = [*self.columns]
        columns[place : place + 1] = [column]
        more_texts = list(texts)
        changed = LoadedColumns(
            self.n_rows, columns, lambda: [*self.texts, *more_texts], names, self._positions,
            shapes, self.diagnostics, self.tz,
        )  # fmt: skip
        changed._more_shapes = more
        changed.text_name, changed.text_size = self.text_name, self.text_size
        return changed

    def _all_cells(self, column: LoadedColumn | None) -> tuple[bytearray, array[int]]:
        """The cells of all rows, to be changed."""
        tags, payload = bytearray(self.n_rows), array("q", bytes(8 * self.n_rows))
        if column is not None and column.rows is None:
            tags[:] = column.tags
            payload = array("q", bytes(column.payload))
        elif column is not None:
            for place, row in enumerate(column.rows or ()):
                tags[row], payload[row] = column.tags[place], column.payload[place]
        return tags, payload

    def _cell_of(self, cell: Stored | None, texts: dict[str, int]) -> tuple[int, int]:
        """A cell; ``texts``: those that there were not, numbered."""
        if cell is None:
            return _NOTHING, 0
        tag, payload = tagged(cell)
        if tag in (_STRING, _EXPRESSION):
            text = cell if isinstance(cell, str) else unparse_value(cell, old=True)
            payload = len(self.texts) + texts.setdefault(text, len(texts))
        return tag, payload

    def _positions_of(self, number: int) -> Sequence[int]:
        return self._more_shapes[number] if number < 0 else self._positions(number)

    # --- the ads ------------------------------------------------------------------------------

    def to_ads(
        self,
        new: Callable[[], A],
        start: int = 0,
        stop: int | None = None,
        *,
        memory: MemoryUse | None = None,
    ) -> Iterator[A]:
        """The ads of some rows, as ``LongReader`` reads them; ``new`` makes an empty one.

        ``memory``: what the ads belong to, if they are not all that is read from a text.  Raises
        ``LimitError`` if they take too much.
        """
        end = self.n_rows if stop is None else min(stop, self.n_rows)
        if memory is None:
            memory = MemoryUse(self.text_name, self.text_size, COLUMN * len(self.columns))
        for first in range(start, end, _BATCH):
            ads = self._batch(new, first, min(first + _BATCH, end), memory)
            for ad in ads:
                memory.count(ad)
            yield from ads

    def names_of(self, row: int) -> Iterable[str]:
        """The names of the attributes of a row, as they are spelled."""
        return self._shape(self._row_shapes[row]).names.values()

    def ad(self, row: int, new: Callable[[], A]) -> A:
        """The ad of one row, without a look at the attributes that it does not have."""
        keys, names, columns = self._shape(self._row_shapes[row])
        ad = new()
        ad._names = names
        attrs, texts, known = ad._attrs, self.texts, self._open
        for key, position in zip(keys, columns, strict=True):
            rows, tags, payload = known.get(position) or self._buffers(position)
            place = row if rows is None else bisect_left(rows, row)
            tag, number = tags[place], payload[place]
            if tag == _STRING:
                attrs[key] = texts[number]
            elif tag == _EXPRESSION:
                attrs[key] = self.stored(key, ad, number)
            else:
                attrs[key] = value_of(tag, number)
        return ad

    def _buffers(self, position: int) -> _Buffers:
        """The buffers of a column, which a small one makes each time that it is asked."""
        column = self.columns[position]
        if len(self._open) >= _MAX_OPEN:
            self._open.clear()
        found = self._open[position] = (column.rows, column.tags, column.payload)
        return found

    def _batch(self, new: Callable[[], A], start: int, stop: int, memory: MemoryUse) -> list[A]:
        by_shape: dict[int, list[int]] = {}
        for row, number in enumerate(self._row_shapes[start:stop]):
            by_shape.setdefault(number, []).append(row)
        # There may be as many columns as lines: only those of these rows are looked at.
        shapes = [self._shape(number, memory) for number in by_shape]
        positions = set().union(*(columns for *_, columns in shapes))
        columns_of = self.columns.__getitem__
        table = {place: self._stretch(columns_of(place), start, stop) for place in positions}
        nested = positions.intersection(self.with_expressions)
        nested = {position for position in nested if _any_nested(table[position], memory)}
        ads = [new()] * (stop - start)
        for (keys, names, columns), rows in zip(shapes, by_shape.values(), strict=True):
            # Rows of one shape together, so that no step here is taken for each cell.
            pick = itemgetter(*rows, rows[0])  # never a single item, of which there is no tuple
            cells = zip(*[pick(table[position]) for position in columns], strict=True)
            pairs = zip(keys, columns, strict=True) if nested else ()
            anew = [key for key, position in pairs if position in nested]
            for row, values in zip(rows, cells, strict=False):
                ads[row] = ad = new()
                ad._attrs = attrs = dict(zip(keys, values, strict=True))
                ad._names = names
                for key in anew:
                    tree = attrs[key]
                    if tree.__class__ is Expression:
                        attrs[key] = value = stored_form(tree, ad)
                        memory.add(weight(value))
        return ads

    def _shape(self, number: int, memory: MemoryUse | None = None) -> _Shape:
        shape = self._known_shapes.get(number)
        if shape is None:
            pairs = [self._names[name] for name in self._positions_of(number)]
            keys = tuple(self.columns[position].key for _, position in pairs)
            names = SharedNames(zip(keys, (name for name, _ in pairs), strict=True))
            shape = _Shape(keys, names, tuple(position for _, position in pairs))
            if memory is not None:
                memory.add(getsizeof(names) + getsizeof(keys) + getsizeof(shape.columns))
            if len(self._known_shapes) >= _MAX_SHAPES:
                self._known_shapes.clear()
            self._known_shapes[number] = shape
        return shape


#: What is closed by the last character, and by no other, is one list or ad.
_ENCLOSED: Final = late_regex(r"\{[^}]*\}|\[[^\]]*\]")
_NOTHING: Final = int(Tag.NOTHING)
_INTEGER: Final = int(Tag.INTEGER)
_REAL: Final = int(Tag.REAL)
_STRING: Final = int(Tag.STRING)
_EXPRESSION: Final = int(Tag.EXPRESSION)
#: The tags of cells of one plain kind that some rows have.
_SOME_HAVE_NONE: Final = [{_NOTHING, kind} for kind in (_INTEGER, _REAL, _STRING)]
#: Rows that ``to_ads`` makes at a time.
_BATCH: Final = 1000
#: Sets of names that are kept for rows to come.
_MAX_SHAPES: Final = 1000
_MAX_OPEN: Final = 1000
_NO_CELLS: Final[Mapping[int, Cell]] = {}
_WORDS: Final[dict[tuple[int, int], Cell]] = {
    (Tag.NOTHING, 0): None,
    (Tag.BOOLEAN, 0): False,
    (Tag.BOOLEAN, 1): True,
    (Tag.UNDEFINED, 0): UNDEFINED,
    (Tag.ERROR, 0): ERROR,
}


def value_of(tag: int, number: int) -> Cell:
    """The value of a cell that is no text; None if there is nothing."""
    if tag == _INTEGER:
        return number
    if tag == _REAL:
        real: float = unpack("d", pack("q", number))[0]
        return real
    return _WORDS[tag, number]


def tagged(value: Cell) -> tuple[int, int]:
    """Tag and payload of a value; the payload of one that is a text there is 0."""
    kind = value.__class__
    if kind is bool or kind is int:
        return (Tag.BOOLEAN if kind is bool else _INTEGER), int(value)  # type: ignore[arg-type]
    if kind is float:
        return _REAL, unpack("q", pack("d", value))[0]
    if value is UNDEFINED or value is ERROR:
        return (Tag.UNDEFINED if value is UNDEFINED else Tag.ERROR), 0
    return (_STRING if kind is str else _EXPRESSION), 0


def _any_nested(cells: Sequence[Cell] | Mapping[int, Cell], memory: MemoryUse) -> bool:
    """Whether there are expressions that an ad keeps as a value, which is made for each ad."""
    values = cells.values() if isinstance(cells, Mapping) else cells
    trees = {id(value): value for value in values if value.__class__ is Expression}
    memory.add(EXPRESSION * len(trees))
    return any(map(is_value, trees.values()))
