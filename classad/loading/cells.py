"""Keeps loaded cells: in C (csrc/cells.c), or in Python with the same outcome.

A store takes cells row by row and hands over buffers at the end.  ``feed`` reads ordinary ads by
itself if the store can; the one in Python hands every ad back.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import partial
from mmap import mmap
from re import finditer
from types import SimpleNamespace
from typing import Any, Final, Literal, Protocol, TypeAlias

from classad import kernels
from classad.errors import Diagnostic
from classad.formats.common import BLANKS
from classad.language.names import fold_name
from classad.loading.columns import LoadedColumn, LoadedColumns, Tag

#: Cells, being filled.
Store: TypeAlias = "NativeStore | PythonStore"
#: What is read: bytes, or a file in memory.
Data = bytes | mmap
#: What ``feed`` returns: all was read; the ad from ``position`` to ``block`` is left to the caller.
DONE: Final = 0
LOOK: Final = 1
#: A column with a cell in fewer rows than one in so many is sparse.
_SPARSE: Final = 6
_BLANKS: Final = BLANKS.encode()
_WAITING: Final = bytes([Tag.WAITING])


class Place(Protocol):
    """The next byte to be read, its line number, and where the ad ends that is left over."""

    position: int
    line: int
    block: int


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
        if not load:
            raise MemoryError("no memory for loading ads")
        self._load = ffi.gc(load, lib.ca_load_free)
        self.place: Place = ffi.new("ca_place *", {"line": 1})
        self._buffer = (0, ffi.NULL, False)

    def open(self, data: Data, whole: bool) -> None:
        """Begin with a new buffer, at its first byte."""
        self._buffer = (len(data), self._ffi.from_buffer(data), whole)
        self.place.position = 0

    def feed(self) -> int:
        """Read on from ``place``."""
        return self._checked(self._lib.ca_load_feed(self._load, *self._buffer, self.place))

    def put(self, name: str, tag: int, payload: int = 0, text: str | None = None) -> None:
        """Give the present row an attribute; of equal names the last value stays."""
        spelled = _bytes(name)
        body = self._ffi.NULL if text is None else _bytes(text)
        size = 0 if text is None else len(body)
        self._checked(
            self._lib.ca_load_put(self._load, len(spelled), spelled, tag, payload, size, body)
        )

    def row(self) -> None:
        """End the present row, if it has any attribute."""
        self._checked(self._lib.ca_load_row(self._load))

    def finish(self, diagnostics: list[Diagnostic], tz: str | None) -> LoadedColumns:
        """The columns; nothing may be put in afterwards."""
        self._buffer = (0, self._ffi.NULL, False)
        lib, ffi = self._lib, self._ffi
        held, out = ffi.new("ca_contents *"), ffi.new("ca_column *")
        self._checked(lib.ca_load_contents(self._load, held))
        strings, names, shapes = map(self._texts, (held.strings, held.names, held.shapes))
        self._end(held.columns, out, strings)
        columns: list[LoadedColumn] = []
        places = {-1: -1}
        for number in range(held.columns):
            self._checked(lib.ca_load_column(self._load, number, out))
            places[number] = len(columns) if out.present else -1
            if out.present:
                columns.append(self._column(out, _text(names[out.name]), _text(names[out.folded])))
        of = self._view(held.named, len(names) * 8, "i")
        known = [(_text(name), places[of[2 * n]]) for n, name in enumerate(names)]
        rows = self._view(held.row_shapes, 4 * held.rows, "i")
        shape = lambda number: memoryview(shapes[number]).cast("i")  # noqa: E731
        return LoadedColumns(
            held.rows, columns, strings.decoded, known, shape, rows, diagnostics, tz
        )

    def _end(self, count: int, out: Any, texts: Sequence[bytes]) -> None:
        """End the load, giving reals that wait for it Python's own reading of their texts."""
        waiting: set[int] = set()
        asked = False  # also for reals of an ad that was given up, of which no cell is left
        for number in range(count):
            self._checked(self._lib.ca_load_column(self._load, number, out))
            if out.waiting:
                asked = True
                tags = self._view(out.tags, out.count, "B")
                payload = self._view(out.payload, 8 * out.count, "q")
                waiting.update(payload[found.start()] for found in finditer(_WAITING, tags))
        values = array("d", bytes(8 * (len(texts) + 1) if asked else 0))
        for number in waiting:
            values[number] = float(texts[number])
        given = self._ffi.from_buffer("double[]", values) if asked else self._ffi.NULL
        self._checked(self._lib.ca_load_finish(self._load, given, len(texts)))

    def _column(self, out: Any, name: str, key: str) -> LoadedColumn:
        rows = self._view(out.rows, 4 * out.count, "i") if out.rows else None
        tags = self._view(out.tags, out.count, "B")
        payload = self._view(out.payload, 8 * out.count, "q")
        return LoadedColumn(name, key, out.present, tags, payload, rows)

    def _texts(self, found: Any) -> _Texts:
        return _Texts(
            self._view(found.bytes, found.used, "B"),
            self._view(found.texts, 24 * found.count, "Q"),
        )

    def _view(self, pointer: object, size: int, kind: Literal["B", "i", "q", "Q"]) -> memoryview:
        """Memory of the load, which lives as long as the view."""
        if not size:
            return memoryview(b"").cast(kind)
        held = self._ffi.gc(self._ffi.cast("char *", pointer), partial(_release, self._load))
        return memoryview(self._ffi.buffer(held, size)).cast("B").cast(kind)

    def _checked(self, code: int) -> int:
        if code == self._lib.CA_NO_MEMORY:
            raise MemoryError("no memory for loading ads")
        if code < 0:
            raise ValueError(f"the C loader refused its arguments (code {code})")
        return code


def _release(load: object, pointer: object) -> None:
    """Called when a view goes; what matters is that the view has kept the load until then."""


class _Texts(Sequence[bytes]):
    """Texts in the memory of a load."""

    def __init__(self, data: memoryview, spans: memoryview) -> None:
        self.data = data
        self.spans = spans

    def __len__(self) -> int:
        return len(self.spans) // 3

    def __getitem__(self, number: int) -> bytes:  # type: ignore[override]
        start = self.spans[3 * number]
        return bytes(self.data[start : start + self.spans[3 * number + 1]])

    def decoded(self) -> list[str]:
        """All of them as strings."""
        data, spans = bytes(self.data), self.spans.tolist()
        pieces = zip(spans[::3], spans[1::3], strict=True)
        if data.isascii():
            text = data.decode("ascii")
            return [text[start : start + size] for start, size in pieces]
        return [_text(data[start : start + size]) for start, size in pieces]


class PythonStore:
    """The store in Python, which hands back every ad."""

    def __init__(self) -> None:
        self.place: Place = SimpleNamespace(position=0, line=1, block=0)
        self._data: Data = b""
        self._whole = False
        self._names: dict[str, int] = {}
        self._columns: dict[str, tuple[array[int], bytearray, array[int]]] = {}
        self._texts: dict[str, int] = {}
        self._shapes: dict[tuple[int, ...], int] = {}
        self._rows: array[int] = array("i")
        self._open: dict[str, tuple[int, int, int]] = {}

    def open(self, data: Data, whole: bool) -> None:
        """Begin with a new buffer, at its first byte."""
        self._data, self._whole, self.place.position = data, whole, 0

    def feed(self) -> int:
        """Find the next ad."""
        data, size, at = self._data, len(self._data), self.place.position
        while at < size:
            stop = data.find(b"\n", at) + 1
            if not stop and not self._whole:
                return DONE
            at, begin = stop or size, at
            if not data[begin:at].strip(_BLANKS):
                self.place.block = at
                return LOOK
        self.place.block = size
        return LOOK if self._whole and size > self.place.position else DONE

    def put(self, name: str, tag: int, payload: int = 0, text: str | None = None) -> None:
        """Give the present row an attribute."""
        if text is not None:
            payload = self._texts.setdefault(text, len(self._texts))
        key = fold_name(name)
        known = self._open.get(key)
        number = self._names.setdefault(name, len(self._names)) if known is None else known[0]
        self._open[key] = (number, tag, payload)

    def row(self) -> None:
        """End the present row."""
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
            return LoadedColumn(name, key, count, *cells)
        all_tags, all_payload = bytearray(total), array("q", bytes(8 * total))
        for at, row in enumerate(rows):
            all_tags[row] = tags[at]
            all_payload[row] = payload[at]
        return LoadedColumn(name, key, count, memoryview(all_tags), memoryview(all_payload), None)
