"""Writes loaded columns as bytes, and takes bytes for columns again without copying the cells.

A line of JSON names the columns and says where their cells lie; cells, the shapes of the rows and
the texts follow, each at a multiple of eight bytes.  Numbers are those of the machine that wrote
them.  Before all stands a line with the form of these bytes, the machine's order of bytes, the
length of what follows, its check sum, and a mark of the caller's: what is cut, damaged, of another
form or not meant is seen.

Inputs and outputs: ``LoadedColumns`` without diagnostics, bytes.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final, Literal, TypeAlias
from zlib import crc32

from classad.language.names import fold_name
from classad.loading.columns import BufferColumn, LoadedColumns

#: Goes up with every change of what is written or of what its parts mean.
FORM: Final = 1
_HEAD: Final = "classad columns {} {} {:016x} {:08x} "
_ALIGNED: Final = 8
#: Bytes of a number of each kind.
_SIZES: Final = {kind: array(kind).itemsize for kind in "Biq"}
#: No text that is kept has it.
_BETWEEN: Final = "\0"

Piece: TypeAlias = "bytes | memoryview"


def packed(loaded: LoadedColumns, mark: bytes) -> list[Piece] | None:
    """The pieces to be written one after the other; None if these columns cannot be written."""
    texts = _BETWEEN.join(loaded.texts)
    if loaded.diagnostics or texts.count(_BETWEEN) != max(len(loaded.texts) - 1, 0):
        return None
    shapes = [list(loaded._positions_of(n)) for n in range(max(loaded._row_shapes, default=-1) + 1)]
    pieces: list[Piece] = []
    about = {
        "rows": loaded.n_rows,
        "columns": [
            (column.name, column.present, len(column.tags), column.rows is not None)
            for column in loaded.columns
        ],
        "names": loaded._names,
        "shapes": list(map(len, shapes)),
        "texts": len(loaded.texts),
        "tz": loaded.tz,
        "text": (loaded.text_name, loaded.text_size),
    }
    for piece in (
        json.dumps(about).encode() + b"\n",
        *(bytes(part) for column in loaded.columns for part in _parts(column)),
        array("i", loaded._row_shapes).tobytes(),
        array("i", [place for shape in shapes for place in shape]).tobytes(),
        texts.encode("utf-8", "surrogateescape"),
    ):
        pieces += (piece, bytes(-len(piece) % _ALIGNED))
    size, check = 0, 0
    for part in pieces:
        size, check = size + len(part), crc32(part, check)
    return [_head(size, check, mark), *pieces]


def _parts(column: Any) -> Iterator[memoryview]:
    """What is written of a column."""
    yield column.tags
    yield column.payload
    if column.rows is not None:
        yield column.rows


def _head(size: int, check: int, mark: bytes) -> bytes:
    head = _HEAD.format(FORM, sys.byteorder, size, check).encode() + mark
    return head + b" " * (~len(head) % _ALIGNED) + b"\n"


def unpacked(data: memoryview, mark: bytes) -> LoadedColumns | None:
    """The columns that some bytes are, which stay as they are; None if they are none of these."""
    begin = len(_head(0, 0, mark))
    body = data[begin:]
    if bytes(data[:begin]) != _head(len(body), crc32(body), mark):
        return None
    taken = _Taker(body)
    line = taken.line()
    about = json.loads(line)
    columns = []
    for name, present, count, sparse in about["columns"]:
        tags, payload = taken.next("B", count), taken.next("q", count)
        rows = taken.next("i", count) if sparse else None
        columns.append(BufferColumn(name, fold_name(name), present, tags, payload, rows))
    row_shapes = taken.next("i", about["rows"])
    ends = list(accumulate(about["shapes"], initial=0))
    places = taken.next("i", ends[-1])

    def shape(number: int) -> Sequence[int]:
        return places[ends[number] : ends[number + 1]]

    names = [(name, place) for name, place in about["names"]]
    texts = partial(_texts, taken.rest(), about["texts"])
    loaded = LoadedColumns(about["rows"], columns, texts, names, shape, row_shapes, [], about["tz"])
    loaded.text_name, loaded.text_size = about["text"]
    return loaded


class _Taker:
    """Takes one part after the other."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def line(self) -> bytes:
        """A line of JSON."""
        end, size = 0, 1 << 16
        while not end:
            end = bytes(self._data[:size]).find(b"\n") + 1
            size *= 2
        return bytes(self.next("B", end))

    def next(self, kind: Literal["B", "i", "q"], count: int) -> memoryview:
        """So many numbers of a kind."""
        begin, size = self._at, count * _SIZES[kind]
        self._at += size + -size % _ALIGNED
        return self._data[begin : begin + size].cast(kind)

    def rest(self) -> memoryview:
        """All that is left."""
        return self._data[self._at :]


def _texts(data: memoryview, count: int) -> list[str]:
    text = bytes(data).decode("utf-8", "surrogateescape")
    # What fills up the last piece would count as more texts.
    return text.split(_BETWEEN, count)[:count]
