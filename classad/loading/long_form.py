"""Reads ads in long form into columns, a whole pool at the speed of its bytes.

The store in C (classad/loading/cells.py) takes lines that are ordinary; any other is understood by
``LongReader`` (classad/formats/long.py) and put in from here, so both ways give what ``LongReader``
gives, problems included.  Without the C kernels every line goes that way.
The bytes may be a memory map, and come whole or in pieces.

>>> loaded = load_long(b'Name = "a"\\nCpus = 4\\n\\nName = "b"\\nCpus = Total\\n')
>>> loaded.n_rows, loaded.names
(2, ['Name', 'Cpus'])
>>> [ad.raw("Name") for ad in loaded.to_ads(Ad)]
['a', 'b']
"""

from __future__ import annotations

from struct import pack, unpack
from typing import TYPE_CHECKING, Final, Generic

from classad import kernels
from classad.ads.ad import Ad
from classad.errors import Diagnostic
from classad.formats.common import BLANKS, A, Errors, report
from classad.formats.held import UNHELD, Held
from classad.formats.long import LongReader
from classad.language.bounds import allowance, too_large
from classad.language.values import UNDEFINED, Value
from classad.loading.cells import LOOK, Data, NativeStore, Store, new_store
from classad.loading.columns import COLUMN, Cell, LoadedColumn, LoadedColumns, Tag

if TYPE_CHECKING:
    import mmap
    from collections.abc import Callable, Iterable

_LINE_END: Final = ord("\n")

__all__ = ["LoadedColumn", "LoadedColumns", "Loader", "OrdinaryAds", "Tag", "load_long"]


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
        self._reader = LongReader(Ad, self.diagnostics, errors=errors, tz=tz, held=UNHELD)
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
            report(cut, self.diagnostics, self._reader.errors)
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
        tag, payload = _cell(value)
        if tag == Tag.STRING:
            store.put(spelled, tag, value)
        elif tag == Tag.EXPRESSION:
            store.put(spelled, tag, reader.expression_text(line, key))
        else:
            store.put(spelled, tag, payload)


def _cell(value: Cell) -> tuple[int, int]:
    """Tag and payload of a value."""
    if value.__class__ is bool or value.__class__ is int:
        return (Tag.BOOLEAN if value.__class__ is bool else Tag.INTEGER), int(value)
    if value.__class__ is float:
        return Tag.REAL, int(unpack("q", pack("d", value))[0])
    if value.__class__ is str:
        return Tag.STRING, 0
    if value.__class__ is Value:
        return (Tag.UNDEFINED if value is UNDEFINED else Tag.ERROR), 0
    return Tag.EXPRESSION, 0


def load_long(
    data: bytes | mmap.mmap,
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

    def __init__(self, new: Callable[[], A], text: str, tz: str | None, held: Held) -> None:
        self._new = new
        self._held = held
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
        ads = store.finish([], self._tz).to_ads(self._new, held=self._held)
        return ads, position + store.place.start


#: Characters that are worth a load of their own, and how many are loaded at once.
_LEAST: Final = 1 << 20
_MOST: Final = 1 << 24
_PAUSE: Final = 50
#: Columns that stand for fewer characters than these are not worth while.
_RARE: Final = 256
