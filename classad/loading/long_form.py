"""Reads ads in long form into columns, a whole pool at the speed of its bytes.

The store in C (csrc/cells.c) takes lines that are ordinary; any other is understood by
``LongReader`` (classad/formats/long.py) and put in from here, so both ways give what ``LongReader``
gives, problems included.  Without the C kernels every line goes that way.  A store takes cells row
by row and hands over buffers at the end.
The bytes may be a memory map, and come whole or in pieces.

>>> loaded = load_long(b'Name = "a"\\nCpus = 4\\n\\nName = "b"\\nCpus = Total\\n')
>>> loaded.n_rows, loaded.names
(2, ['Name', 'Cpus'])
>>> [ad.raw("Name") for ad in loaded.to_ads(Ad)]
['a', 'b']
"""

from __future__ import annotations

from array import array
from functools import partial
from mmap import mmap
from struct import Struct
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias

from classad import kernels
from classad.ads.ad import Ad
from classad.errors import Diagnostic
from classad.formats.common import BLANKS, UNCOUNTED, A, Errors, MemoryUse
from classad.formats.long import LongReader
from classad.kernels import checked
from classad.language.bounds import allowance, too_large
from classad.language.names import fold_name
from classad.language.values import from_bytes, to_bytes
from classad.loading.columns import (
    COLUMN,
    BufferColumn,
    LoadedColumn,
    LoadedColumns,
    Look,
    SmallColumn,
    Tag,
    tagged,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Cells, being filled.
Store: TypeAlias = "NativeStore | PythonStore"
#: What is read: bytes, or a file in memory.
Data = bytes | mmap
#: What ``feed`` returns: all was read; the line from ``position`` to ``block`` is for the caller.
DONE: Final = 0
LOOK: Final = 1
#: Bytes of a cell in the buffers of a column, and what they are to a memory view.
_BUFFERS: Final[dict[str, Any]] = {"tags": (1, "B"), "payload": (8, "q"), "rows": (4, "i")}
#: A column of fewer cells keeps no views, which would take more memory than the cells do.
_FEW: Final = 64
#: Bytes that are copied sooner than kept alive.
_LITTLE: Final = 8 * _FEW
#: A column with a cell in fewer rows than one in so many is sparse.
_SPARSE: Final = 6
_BLANKS: Final = BLANKS.encode()
#: A text of a pool: where it is, its hash, its length and its mark.
_TEXT: Final = Struct("QQIi")


class Cursor(Protocol):
    """The next byte to be read, its line number, where its ad begins, where a line ends that is
    left to the caller, and whether the rest of the ad is skipped.
    """

    position: int
    line: int
    start: int
    block: int
    dropping: bool


def new_store() -> Store:
    """A store in C if the kernels are there."""
    return PythonStore() if kernels.native is None else NativeStore(*kernels.native)


class NativeStore:
    """The store in C."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self._ffi = ffi
        self._lib = lib
        load = lib.ca_load_new()
        if not load:  # pragma: no cover - the C library finds no memory
            raise MemoryError("no memory for loading ads")
        self._load = ffi.gc(load, lib.ca_load_free)
        self.place: Cursor = ffi.new("ca_place *", {"line": 1})
        self._buffer = (0, ffi.NULL, False)

    def size(self) -> tuple[int, int]:
        """How many columns there are so far, and how many rows have ended."""
        return self._load.column_count, self._load.rows

    def open(self, data: Data, whole: bool) -> None:
        """Begin with a new buffer, at its first byte."""
        self._buffer = (len(data), self._ffi.from_buffer(data), whole)
        self.place.position = 0

    def feed(self) -> int:
        """Read on from ``place``."""
        return checked(self._lib.ca_load_feed(self._load, *self._buffer, self.place))

    def put(self, name: str, tag: int, payload: int | str) -> None:
        """Give the present row an attribute, or its text; of equal names the last value stays."""
        spelled = to_bytes(name)
        if isinstance(payload, str):
            body = to_bytes(payload)
            value = 0, len(body), body
        else:
            value = payload, 0, self._ffi.NULL
        checked(self._lib.ca_load_put(self._load, len(spelled), spelled, tag, *value))

    def finish(self, diagnostics: list[Diagnostic], tz: str | None) -> LoadedColumns:
        """The columns; nothing may be put in afterwards."""
        load, ffi = self._load, self._ffi
        self._buffer = (0, ffi.NULL, False)
        # Reals that wait get Python's own reading of their texts.
        reals = array("d", map(float, self._texts(load.reals)))
        given = ffi.from_buffer("double[]", reals)
        checked(self._lib.ca_load_finish(load, given, len(reals)))
        names = self._texts(load.names)
        marks = (mark for *_, mark in _TEXT.iter_unpack(self._spans(load.names)))
        known = [(name, mark - 1) for name, mark in zip(names, marks, strict=True)]
        look = self._look  # one bound method for all columns
        columns = [self._column(names, place, look) for place in range(load.column_count)]
        shapes, spans = self._view(load.shapes.bytes, load.shapes.used), self._spans(load.shapes)

        def shape(number: int) -> memoryview:
            start, _, size, _ = _TEXT.unpack_from(spans, number * _TEXT.size)
            return shapes[start : start + size].cast("i")

        rows = self._view(load.row_shapes, 4 * load.rows).cast("i")
        read_texts = partial(self._texts, load.strings)
        return LoadedColumns(load.rows, columns, read_texts, known, shape, rows, diagnostics, tz)

    def _column(self, names: list[str], place: int, look: Look) -> LoadedColumn:
        column = self._load.columns[place]
        name = names[column.name]
        small = SmallColumn(name, fold_name(name), column.present, look, place)
        if column.count < _FEW:
            return small
        return BufferColumn(*small[:3], small.tags, small.payload, small.rows)

    def _look(self, which: str, place: int) -> Any:
        """A buffer of a column."""
        column, (size, kind) = self._load.columns[place], _BUFFERS[which]
        pointer = getattr(column, which)
        return self._view(pointer, size * column.count).cast(kind) if pointer else None

    def _texts(self, pool: Any) -> list[str]:
        """The texts of a pool."""
        data = bytes(self._view(pool.bytes, pool.used))
        spans = _TEXT.iter_unpack(self._spans(pool))
        if data.isascii():
            text = data.decode("ascii")
            return [text[start : start + size] for start, _, size, _ in spans]
        return [from_bytes(data[start : start + size]) for start, _, size, _ in spans]

    def _spans(self, pool: Any) -> memoryview:
        return self._view(pool.texts, pool.count * _TEXT.size)

    def _view(self, pointer: object, size: int) -> memoryview:
        """Memory of the load, which lives as long as the view; a copy of a little."""
        if size < _LITTLE:
            return memoryview(self._ffi.buffer(self._ffi.cast("char *", pointer), size)[:])
        held = self._ffi.gc(self._ffi.cast("char *", pointer), partial(_release, self._load))
        return memoryview(self._ffi.buffer(held, size)).cast("B")


def _release(load: object, pointer: object) -> None:
    """Called when a view goes; what matters is that the view has kept the load until then."""


class PythonStore:
    """The store in Python, which hands back every line that is not blank."""

    def __init__(self) -> None:
        self.place: Cursor = SimpleNamespace(position=0, line=1, start=0, block=0, dropping=False)
        self._data: Data = b""
        self._whole = False
        self._names: dict[str, int] = {}
        self._columns: dict[str, tuple[array[int], bytearray, array[int]]] = {}
        self._texts: dict[str, int] = {}
        self._shapes: dict[tuple[int, ...], int] = {}
        self._rows: array[int] = array("i")
        self._open: dict[str, tuple[int, int, int]] = {}

    def size(self) -> tuple[int, int]:
        """How many columns there are so far, and how many rows have ended."""
        return len(self._columns), len(self._rows)

    def open(self, data: Data, whole: bool) -> None:
        """Begin with a new buffer, at its first byte."""
        self._data, self._whole, self.place.position = data, whole, 0

    def feed(self) -> int:
        """Find the next line of an ad."""
        data, place = self._data, self.place
        while place.position < len(data):
            place.block = data.find(b"\n", place.position) + 1 or len(data)
            line = data[place.position : place.block]
            if not (self._whole or line.endswith(b"\n")):
                return DONE
            if not line.strip(_BLANKS):
                self._end_row()
                place.dropping = False
            elif not place.dropping:
                return LOOK
            place.position = place.block
            place.line += 1
        if self._whole:
            self._end_row()
        return DONE

    def put(self, name: str, tag: int, payload: int | str) -> None:
        """Give the present row an attribute, or its text."""
        if isinstance(payload, str):
            payload = self._texts.setdefault(payload, len(self._texts))
        key = fold_name(name)
        known = self._open.get(key)
        number = self._names.setdefault(name, len(self._names)) if known is None else known[0]
        self._open[key] = (number, tag, payload)

    def _end_row(self) -> None:
        if not self._open:
            return
        row = len(self._rows)
        for key, (_, tag, payload) in self._open.items():
            if key not in self._columns:
                self._columns[key] = array("i"), bytearray(), array("q")
            rows, tags, payloads = self._columns[key]
            rows.append(row)
            tags.append(tag)
            payloads.append(payload)
        shape = tuple(number for number, _, _ in self._open.values())
        self._rows.append(self._shapes.setdefault(shape, len(self._shapes)))
        self._open.clear()

    def finish(self, diagnostics: list[Diagnostic], tz: str | None) -> LoadedColumns:
        """The columns."""
        places = {key: place for place, key in enumerate(self._columns)}
        spelled: dict[str, str] = {}
        for name in self._names:
            spelled.setdefault(fold_name(name), name)
        columns = [self._column(spelled[key], key) for key in self._columns]
        names = [(name, places[fold_name(name)]) for name in self._names]
        return LoadedColumns(
            len(self._rows), columns, lambda: list(self._texts), names,
            list(self._shapes).__getitem__, self._rows, diagnostics, tz,
        )  # fmt: skip

    def _column(self, name: str, key: str) -> LoadedColumn:
        rows, tags, payload = self._columns[key]
        count, total = len(rows), len(self._rows)
        if count * _SPARSE < total:
            cells = memoryview(tags), memoryview(payload), memoryview(rows)
            return BufferColumn(name, key, count, *cells)
        all_tags, all_payload = bytearray(total), array("q", bytes(8 * total))
        for at, row in enumerate(rows):
            all_tags[row] = tags[at]
            all_payload[row] = payload[at]
        return BufferColumn(name, key, count, memoryview(all_tags), memoryview(all_payload), None)


_LINE_END: Final = ord("\n")


class Loader:
    """Loading piece by piece: ``feed`` bytes, cut anywhere, then ``finish``.

    ``errors``: what is done about text that does not parse, as for ``read_long``; ``tz``: the zone
    of time literals that name none.
    """

    def __init__(
        self, name: str = "<text>", *, errors: Errors = "warn", tz: str | None = None
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._name = name
        self._reader = LongReader(Ad, self.diagnostics, errors=errors, tz=tz, memory=UNCOUNTED)
        self._store: Store = new_store()
        self._rest = b""
        self._size = 0

    def feed(self, data: bytes) -> int:
        """Read the ads that end within what has been fed so far; how many bytes are left over.

        Raises ``LimitError`` where there are more columns than may be.
        """
        pending = self._rest + data
        self._run(pending, whole=False)
        self._rest = pending[self._store.place.position :]
        return len(self._rest)

    def finish(self, last: Data = b"", *, cut: Diagnostic | None = None) -> LoadedColumns:
        """The columns, ``last`` being the rest of the text; ``cut``: why an ad may not be whole."""
        if cut is None:
            self._run(self._rest + last if self._rest else last, whole=True)
        else:
            self._reader.report(cut)
        self._rest = b""
        loaded = self._store.finish(self.diagnostics, self._reader.tz)
        loaded.text_name, loaded.text_size = self._name, self._size
        return loaded

    def _run(self, data: Data, whole: bool) -> None:
        store = self._store
        self._size += len(data) - len(self._rest)
        store.open(data, whole)
        place = store.place
        while store.feed() == LOOK:
            # No copy is made of a line, which may be long, but its text.
            end = place.block - (data[place.block - 1] == _LINE_END)
            line = memoryview(data)[place.position : end]
            self._look(str(line, "utf-8", "surrogateescape"))
            place.position = place.block
            place.line += 1
        if COLUMN * store.size()[0] > allowance(self._size):
            raise too_large(self._name, self._size)

    def _look(self, line: str) -> None:
        """Put in what a line says that is not ordinary, if anything."""
        if line.lstrip(BLANKS).startswith("#"):
            return
        store, reader = self._store, self._reader
        entry = reader.understand(line, self._name, store.place.line)
        if entry is None:
            store.place.dropping = reader.errors == "htcondor"
            return
        key, spelled, value, _ = entry
        tag, payload = tagged(value)
        if tag == Tag.STRING:
            store.put(spelled, tag, value)
        elif tag == Tag.EXPRESSION:
            store.put(spelled, tag, reader.expression_text(line, key))
        else:
            store.put(spelled, tag, payload)


def load_long(
    data: Data,
    source_name: str = "<text>",
    *,
    errors: Errors = "warn",
    tz: str | None = None,
) -> LoadedColumns:
    """Load ads in long form from memory.

    What does not parse is in the ``diagnostics`` of the result, with its place; ``errors="strict"``
    raises instead, ``errors="htcondor"`` drops the rest of that ad.
    """
    return Loader(source_name, errors=errors, tz=tz).finish(data)


class OrdinaryAds(Generic[A]):
    """A short cut through a long text of ads, for a reader that takes one after the other.

    Without the C kernels, and in short texts, there is none.
    """

    def __init__(self, new: Callable[[], A], text: str, tz: str | None, memory: MemoryUse) -> None:
        self._new = new
        self._memory = memory
        self._text = text
        self._tz = tz
        self._size = _LEAST
        self._native = kernels.native if len(text) >= _LEAST else None
        #: How many ads are left to the reader before it is worth while to look again.
        self._wait = 0

    def take(self, position: int) -> tuple[Iterable[A], int]:
        """The ordinary ads from ``position`` on, perhaps none, and where the next one begins."""
        if self._native is None or self._wait > 0:
            self._wait -= 1
            return (), position
        piece = self._text[position : position + self._size]
        if not piece.isascii():
            self._wait = _PAUSE
            return (), position
        store = NativeStore(*self._native)
        store.open(piece.encode(), position + len(piece) == len(self._text))
        found = store.feed()
        columns, rows = store.size()
        if columns * _RARE > len(piece):
            # Columns of one line each take more time than ads do, so the reader gets all of these.
            self._wait = rows
            return (), position
        self._size = _LEAST if found == LOOK else min(4 * self._size, _MOST)
        self._wait = _PAUSE if found == LOOK else 0
        ads = store.finish([], self._tz).to_ads(self._new, memory=self._memory)
        return ads, position + store.place.start


#: Characters that are worth a load of their own, and how many are loaded at once.
_LEAST: Final = 1 << 20
_MOST: Final = 1 << 24
_PAUSE: Final = 50
#: Columns that stand for fewer characters than these are not worth while.
_RARE: Final = 256
