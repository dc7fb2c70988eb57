"""Keeps loaded cells: in C (csrc/cells.c), or in Python with the same outcome.

A store takes cells row by row and hands over buffers at the end.  ``feed`` reads ordinary lines by
itself if the store can; the one in Python hands every line back.
"""

from __future__ import annotations

from array import array
from functools import partial
from mmap import mmap
from struct import Struct
from types import SimpleNamespace
from typing import Any, Final, Protocol, TypeAlias

from classad import kernels
from classad.errors import Diagnostic
from classad.formats.common import BLANKS
from classad.kernels import checked
from classad.language.names import fold_name
from classad.loading.columns import BufferColumn, LoadedColumn, LoadedColumns, Look, SmallColumn

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


class Place(Protocol):
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


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class NativeStore:
    """The store in C."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self._ffi = ffi
        self._lib = lib
        load = lib.ca_load_new()
        if not load:  # pragma: no cover - the C library finds no memory
            raise MemoryError("no memory for loading ads")
        self._load = ffi.gc(load, lib.ca_load_free)
        self.place: Place = ffi.new("ca_place *", {"line": 1})
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
        spelled = _bytes(name)
        if isinstance(payload, str):
            body = _bytes(payload)
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
        return [_text(data[start : start + size]) for start, _, size, _ in spans]

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
        self.place: Place = SimpleNamespace(position=0, line=1, start=0, block=0, dropping=False)
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
