"""Reads tables of Arrow, record batches and whatever has ``__arrow_c_stream__`` into columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress, repeat
from typing import Any

from classad.ads.ad import Ad, Stored, is_value, node_of_value, stored_form
from classad.ads.expression import Expression
from classad.binding.convert import check_name
from classad.errors import ClassAdTypeError, ClassAdValueError
from classad.extras import load
from classad.frames.arrays import (
    VIEWS,
    Arrow,
    Cells,
    Trees,
    UnfitError,
    cells_of,
    row_numbers,
    whole_numbers,
)
from classad.frames.exact import COMPANION, companion, read
from classad.frames.scattered import FEW, among, numbered
from classad.language.names import fold_name
from classad.loading.columns import BufferColumn, LoadedColumn, LoadedColumns, Tag, tagged
from classad.table.arrays import pick


class ArrowColumns(LoadedColumns):
    """Ads as columns that were read from Arrow.

    ``strings``: of each column, by the folded name, the number of the first and the cells that have
    them; they become Python's when one is wanted.
    """

    def __init__(self, n_rows: int, found: Iterable[tuple[str, Cells]]) -> None:
        columns: list[LoadedColumn] = []
        self.strings: dict[str, tuple[int, Cells]] = {}
        self._trees: dict[str, Trees] = {}
        start = 0
        for name, cells in found:
            key = fold_name(name)
            payload, count = cells.payload, cells.words()
            if start and count:
                payload = moved(cells.tags, payload, start)
            self.strings[key] = start, cells._replace(payload=payload)
            start += count
            if cells.trees is not None:
                self._trees[key] = cells.trees
            present = len(cells.tags)
            columns.append(BufferColumn(name, key, present, cells.tags, payload, cells.rows))
        shapes = _Shapes(n_rows, columns)
        names = [(column.name, place) for place, column in enumerate(columns)]
        super().__init__(
            n_rows, columns, self._read, names, shapes.places, shapes, [], None
        )  # fmt: skip

    def _read(self) -> list[str]:
        return [text for _, cells in self.strings.values() for text in cells.texts()]

    def expression(self, key: str, number: int) -> Expression:
        return self._trees[key].make(number)

    def stored(self, key: str, ad: Ad, number: int) -> Stored:
        return stored_form(self.expression(key, number), ad)

    def are_values(self, key: str, numbers: Iterable[int]) -> bool:
        trees = self._trees[key]
        return trees.closed or all(is_value(trees.make(number)) for number in numbers)

    def parts(self) -> Iterator[tuple[str, Cells]]:
        """The columns with strings that are numbered for each by itself."""
        for column in self.columns:
            start, cells = self.strings[column.key]
            payload = moved(column.tags, column.payload, -start) if start else column.payload
            yield column.name, cells._replace(tags=column.tags, payload=payload)

    def picked_rows(self, rows: Sequence[int]) -> ArrowColumns:
        """Some rows, in this order."""
        found = []
        wanted = numbered(rows)
        for name, cells in self.parts():
            if cells.rows is not None:
                numbers, places = among(cells.rows, wanted)
                tags, payload = _picked(cells, places)
                cells = cells._replace(rows=memoryview(numbers))
            elif isinstance(rows, range) and rows.step == 1:
                tags = cells.tags[rows.start : rows.stop]
                payload = cells.payload[rows.start : rows.stop]
            else:
                tags, payload = _picked(cells, array("i", rows))
            found.append((name, cells._replace(tags=tags, payload=payload)))
        return ArrowColumns(len(rows), [(name, cells) for name, cells in found if any(cells.tags)])


def _picked(cells: Cells, places: array[int]) -> tuple[memoryview, memoryview]:
    """Tags and payloads of some cells."""
    if not places:
        return memoryview(b""), memoryview(array("q"))
    tags = pick(array("B", bytes(cells.tags)), places)
    return memoryview(tags), memoryview(pick(array("q", bytes(cells.payload)), places))


class _Shapes(Sequence[int]):
    """The number of each row by the attributes that it has, found out when one is asked for."""

    def __init__(self, size: int, columns: Sequence[LoadedColumn]) -> None:
        self._size = size
        self._columns = columns

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, row: Any) -> Any:
        return self._numbered[0][row]

    def places(self, number: int) -> list[int]:
        """The columns that the rows of a number have."""
        return self._numbered[1][number]

    @cached_property
    def _numbered(self) -> tuple[array[int], list[list[int]]]:
        full: list[int] = []
        marks: list[bytes] = []
        few: dict[int, tuple[int, ...]] = {}
        for place, column in enumerate(self._columns):
            if column.rows is None:
                full.append(place)
                marks.append(column.tags.tobytes().translate(b"\0" + b"\1" * 255))
            else:
                few |= {row: (*few.get(row, ()), place) for row in column.rows}
        numbers: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        there = zip(*marks, strict=True) if marks else repeat((), self._size)
        keys = ((marked, few.get(row, ())) for row, marked in enumerate(there))
        codes = array("i", [numbers.setdefault(key, len(numbers)) for key in keys])
        return codes, [sorted((*compress(full, marked), *more)) for marked, more in numbers]


def arrow_table(given: object) -> Arrow:
    """The ``pyarrow.Table`` of whatever speaks Arrow."""
    pa = load("pyarrow")
    if isinstance(given, pa.Table):
        return given
    if hasattr(given, "__arrow_c_stream__"):
        try:
            reader = pa.RecordBatchReader.from_stream(given)
        except pa.ArrowInvalid:
            kind = type(given).__name__
            raise ClassAdTypeError(
                f"from_arrow takes columns that have names, and this {kind} is one without: make"
                " a frame of it"
            ) from None
        return reader.read_all()
    if hasattr(given, "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(given)])
    raise ClassAdTypeError(
        "from_arrow takes a pyarrow.Table, a record batch, a reader of batches, or a frame that has"
        " `__arrow_c_stream__`"
    )


def read_arrow(given: object) -> ArrowColumns:
    """The columns of a table of Arrow.

    ``ClassAdValueError`` names the column and the row of a cell that an ad cannot hold,
    ``ClassAdTypeError`` the column of a type that has no counterpart.
    """
    table = arrow_table(given)
    names = table.column_names
    known = set(names)
    companions = {
        name for name in names if name.endswith(COMPANION) and name[: -len(COMPANION)] in known
    }
    found: list[tuple[str, Cells]] = []
    spelled: dict[str, str] = {}
    for place, name in enumerate(names):
        if name in companions:
            continue
        try:
            key = fold_name(check_name(name))
        except ValueError as problem:
            raise ClassAdValueError(f"column {place} has the name {name!r}: {problem}") from None
        if key in spelled:
            raise ClassAdValueError(
                f"the columns `{spelled[key]}` and `{name}` are one attribute: drop or rename one"
            )
        spelled[key] = name
        exact = table.column(companion(name)) if companion(name) in companions else None
        cells = _cells(name, table.column(place), exact)
        if any(cells.tags):
            found.append((name, cells))
    return ArrowColumns(table.num_rows, found)


def _cells(name: str, column: Arrow, companions: Arrow | None) -> Cells:
    """The cells of a column with what its companion says; those of few rows with the rows."""
    found = _one_array(column)
    if str(found.type) in VIEWS:
        found = found.cast(VIEWS[str(found.type)])
    exact = None if companions is None else _one_array(companions)
    rows = _few_rows(found, exact)
    if rows is not None:
        found = found.take(rows)
        exact = None if exact is None else exact.take(rows)
    cells = _told(name, rows, lambda: cells_of(found))
    if exact is not None:
        base = cells
        cells = _told(companion(name), rows, lambda: _joined(base, exact))
    if rows is None or not len(rows):
        return cells
    return cells._replace(rows=row_numbers(rows))


def _few_rows(array: Arrow, exact: Arrow | None) -> Arrow | None:
    """The rows that have a cell, if they are few."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    if FEW * (len(array) - array.null_count) >= len(array):
        return None
    if isinstance(array.type, pa.DictionaryType) and array.dictionary.null_count:
        return None  # more is null than the array says
    if "_view" in str(array.type):
        return None  # pyarrow does not take rows of them, or takes wrong ones
    there = array.is_valid()
    if exact is not None:
        there = compute.or_(there, exact.is_valid())
    rows = compute.indices_nonzero(there)
    return rows if FEW * len(rows) < len(array) else None


def _told(name: str, rows: Arrow | None, make: Callable[[], Cells]) -> Cells:
    """The cells of a column, which errors name."""
    try:
        return make()
    except UnfitError as problem:
        row = problem.row if rows is None else rows[problem.row].as_py()
        raise ClassAdValueError(f"column `{name}`, row {row}: {problem.why}") from None
    except ClassAdTypeError as problem:
        raise ClassAdTypeError(f"column `{name}`: {problem}") from None
    except load("pyarrow").ArrowInvalid as problem:  # such as a zone that nobody knows
        raise ClassAdValueError(f"column `{name}`: {problem}") from None


def _one_array(array: Arrow) -> Arrow:
    """The chunks of a column as one array."""
    pa = load("pyarrow")
    if not isinstance(array, pa.ChunkedArray):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    if str(array.type) in ("string", "large_string"):
        array = array.dictionary_encode()
    return array.combine_chunks() if array.num_chunks else pa.array([], array.type)


def moved(tags: memoryview, payload: memoryview, start: int) -> memoryview:
    """Payloads whose strings are numbered from ``start``."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    numbers = pa.Array.from_buffers(pa.int64(), len(payload), [None, pa.py_buffer(payload)])
    kinds = pa.Array.from_buffers(pa.uint8(), len(tags), [None, pa.py_buffer(tags)])
    strings = compute.equal(kinds, int(Tag.STRING))
    moved = compute.if_else(strings, compute.add(numbers, start), numbers)
    return whole_numbers(moved)


# --- companions -----------------------------------------------------------------------------------


def _joined(base: Cells, texts: Arrow) -> Cells:
    """The cells of a column with what its companion says."""
    compute = load("pyarrow.compute")
    coded = texts if hasattr(texts, "dictionary") else texts.dictionary_encode()
    if not coded.indices.null_count < len(coded):
        return base
    exact = _Exact(base)
    words = coded.dictionary.to_pylist()
    used = compute.unique(compute.drop_null(coded.indices)).to_pylist()
    cells: dict[int, tuple[int, int]] = {}
    for number in used:
        try:
            cells[number] = exact.cell(words[number])
        except ValueError as problem:
            row = compute.index(coded.indices, number).as_py()
            raise UnfitError(row, f"`{words[number]}` is no expression: {problem}") from None
    tags = bytearray(base.tags)
    payload = array("q", bytes(base.payload))
    said = compute.indices_nonzero(coded.indices.is_valid())
    numbers = compute.take(coded.indices, said).to_pylist()
    for row, number in zip(said.to_pylist(), numbers, strict=True):
        tags[row], payload[row] = cells[number]
    return exact.cells(tags, payload)


class _Exact:
    """Cells that a companion adds to those of a column."""

    def __init__(self, base: Cells) -> None:
        self._base = base
        self._more = list(base.more)
        self._words = base.words() - len(base.more)
        self._before = 0 if base.trees is None else base.trees.size
        self._trees: list[Expression] = []

    def cell(self, text: str) -> tuple[int, int]:
        """Tag and payload of a text."""
        cell = read(text)
        tag, number = tagged(cell)
        if tag == Tag.STRING:
            return tag, self._string(cell)
        if tag != Tag.EXPRESSION:
            return tag, number
        self._trees.append(tree_of(cell))
        return tag, self._before + len(self._trees) - 1

    def _string(self, text: str) -> int:
        """The number of a string, which has one only."""
        if text in self._more:
            return self._words + self._more.index(text)
        if self._words and text.isprintable():
            place: int = load("pyarrow.compute").index(self._base.strings, text).as_py()
            if place >= 0:
                return place
        self._more.append(text)
        return self._words + len(self._more) - 1

    def cells(self, tags: bytearray, payload: array[int]) -> Cells:
        """The column."""
        before, base, made = self._before, self._base.trees, self._trees

        def make(number: int) -> Expression:
            if number < before and base is not None:
                return base.make(number)
            return made[number - before]

        closed = (base is None or base.closed) and all(map(is_value, made))
        trees = Trees(before + len(made), make, closed)
        return Cells(memoryview(tags), memoryview(payload), self._base.strings, self._more, trees)


def tree_of(cell: Stored) -> Expression:
    """A list, an ad, a time or an expression as an expression."""
    return cell if cell.__class__ is Expression else Expression.from_node(node_of_value(cell))


__all__ = ["ArrowColumns", "arrow_table", "moved", "read_arrow", "tree_of"]
