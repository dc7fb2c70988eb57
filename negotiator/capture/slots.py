"""Reads the slots of a captured pool, in the order in which the negotiator sees them.

Ads without a name are skipped, of two with one name the later counts.  A file in long form in which
every slot has a name of its own is loaded into columns; the ads are made when they are wanted.

Inputs: a ``CaptureReader``.  Outputs: ``PoolSlots``.
Follows: the collector, which has one ad for each name, and its tables in HTCondor 25.14.1; pinned
by the recorded scan orders of the negotiation vectors, and by what a collector returned for 10, 90
and 135 submitter ads.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any, Final, TypeAlias

from attr import frozen

from classad import ClassAd
from classad.loading.columns import LoadedColumns, Tag
from negotiator.capture.ads import LocatedAd, load_columns, number_of
from negotiator.capture.files import CaptureReader
from negotiator.model.loaded_slots import LoadedSlots

_STRINGS: Final = bytes([Tag.STRING])
_NUMBERS: Final = (int, float)


@frozen(eq=False)
class PoolSlots:
    """``ads`` in pool order, and the ``names`` in the order of the file.

    ``times``: the values of the attributes that tell when an ad was made, in seconds.
    """

    ads: Sequence[ClassAd]
    names: Collection[str]
    times: Sequence[float]


def read_slots(reader: CaptureReader, times: Sequence[str], *, ordered: bool = False) -> PoolSlots:
    """The slots of a capture; ``times``: attributes that tell when an ad was made.

    ``ordered``: the file has them in pool order, which is computed otherwise.
    """
    path = reader.paths.find("slots")
    given = "slots" not in reader.paths.given and "slots" in reader.paths.ads
    loaded = None if path is None or given else load_columns(path, reader.paths.load)
    found = None if loaded is None else _in_columns(reader, loaded, times, ordered)
    if found is not None:
        return found
    named = _named(reader)
    order = range(len(named)) if ordered else pool_order(list(named))
    located = list(named.values())
    return PoolSlots(
        tuple(located[place].ad for place in order), named, list(times_of(located, times))
    )


def times_of(ads: Iterable[LocatedAd], names: Sequence[str]) -> Iterable[float]:
    """What ads say of when they were made."""
    keys = [name.lower() for name in names]
    found = (time for ad in ads for time in ad.ad.evaluate_all(keys))
    return (time for time in found if time.__class__ in _NUMBERS and math.isfinite(time))


# --- a file in columns ----------------------------------------------------------------------------


def _in_columns(
    reader: CaptureReader, loaded: LoadedColumns, times: Sequence[str], ordered: bool
) -> PoolSlots | None:
    """The slots of a file; None if they have to be looked at ad by ad."""
    names = plain_names(loaded)
    if names is None:
        return None
    for problem in loaded.diagnostics:
        problem.help = problem.help or "the line is left out, the rest of the ad is kept"
    reader.diagnostics.extend(loaded.diagnostics)
    order = array("i", range(len(names)) if ordered else pool_order(names))
    ads = LoadedSlots(loaded, order, [names[row] for row in order])
    table = ads.table()
    assert table is not None
    found: list[float] = []
    for name in times:
        if loaded.column(name) is not None:
            _, values = table.apply(partial(number_of, name=name), [name])
            found += [time for time in values if time is not None and math.isfinite(time)]
    return PoolSlots(ads, names, found)


def plain_names(loaded: LoadedColumns) -> list[Any] | None:
    """The names of all ads, if each has one of its own."""
    column = loaded.column("Name")
    if column is None or column.present != loaded.n_rows or bytes(column.tags).strip(_STRINGS):
        return None
    names = loaded.values(column)
    return names if len(set(names)) == len(names) and "" not in names else None


# --- ads ------------------------------------------------------------------------------------------


def _named(reader: CaptureReader) -> dict[str, LocatedAd]:
    """The ads by their names."""
    ads = reader.ads("slots")
    if ads is None:
        raise reader.stop(f"{reader.missing('slots')}: no such file; a cycle needs slot ads")
    named: dict[str, LocatedAd] = {}
    for ad in ads:
        name = ad.text("Name")
        if not name:
            reader.diagnostics.append(ad.problem("slot without a `Name`; skipped"))
        elif name in named:
            first = named[name].source.first_line
            message = f"slot `{name}` is in the file twice; the one of line {first} is replaced"
            reader.diagnostics.append(ad.problem(message))
            named[name] = ad
        else:
            named[name] = ad
    if not named:
        raise reader.stop(f"{reader.paths.find('slots')}: no slot in it")
    return named


# --- pool order -----------------------------------------------------------------------------------

# The collector walks its hash tables.  The order of that walk, the *pool order*, is the one in
# which slots are tested and, with it, decides which of several equal candidates is taken; likewise
# the order of submitters that nothing else tells apart, and in which their shares are summed, to
# the last bit.  For a saved pool the order of the file is the best guess there is of the order in
# which the collector first heard of the names.

#: Buckets of a fresh table.
FIRST_SIZE: Final = 7
#: Entries per bucket from which the table grows.
MAX_LOAD: Final = 0.8
_MASK: Final = 2**64 - 1


def name_hash(name: str) -> int:
    """``h = h * 33 + byte`` over the name's bytes, unsigned, 64 bits."""
    # The slots of a machine end alike, those of all machines begin alike.
    slot, at, machine = name.partition("@")
    value, _ = _part_hash(slot)
    added, power = _part_hash(at + machine)
    return (value * power + added) & _MASK


@lru_cache(maxsize=20_000)
def _part_hash(part: str) -> tuple[int, int]:
    """The hash of a part of a name, and what the hash of what stands before it is multiplied by."""
    value, written = 0, part.encode("utf-8", "surrogateescape")
    for byte in written:
        value = value * 33 + byte
    return value & _MASK, pow(33, len(written), _MASK + 1)


#: The hash of an ad in the table, its name, and its place among the names that were given.
_Entry: TypeAlias = tuple[int, str, int]


class CollectorTable:
    """A table of the collector, which keeps the size it has grown to when entries leave it."""

    def __init__(self) -> None:
        self._size = FIRST_SIZE
        #: The entries in the order of the walk: bucket by bucket, in each the newest first.
        self._walk: list[_Entry] = []

    def order(self, names: Sequence[str]) -> list[int]:
        """Positions of ``names`` in the order of the walk, after all others have left.

        Entries of before that have the same names have left, too, and come again.
        """
        self._walk = []
        self._enter(names)
        return [position for _, _, position in self._walk]

    def walk(self, names: Sequence[str]) -> list[str]:
        """``names`` in the order of the walk: others have left, and those not there yet come."""
        wanted = set(names)
        self._walk = [entry for entry in self._walk if entry[1] in wanted]
        there = {name for _, name, _ in self._walk}
        self._enter([name for name in names if name not in there])
        return [name for _, name, _ in self._walk]

    def _enter(self, names: Sequence[str]) -> None:
        """Put each name to the front of its bucket; a table that is full grows.

        Then the entries move to a larger one in walk order, each to the front of its bucket.
        """
        new = [(name_hash(name), name, position) for position, name in enumerate(names)]
        while new:
            least = count(int(MAX_LOAD * self._size) - 1)
            full = next(number for number in least if number / self._size >= MAX_LOAD)
            room = max(full - len(self._walk), 1)
            self._sort([*reversed(new[:room]), *self._walk])
            new = new[room:]
            if len(self._walk) >= full:
                self._size = 2 * (self._size + 1) - 1
                self._sort([*reversed(self._walk)])

    def _sort(self, entries: list[_Entry]) -> None:
        """Put entries into their buckets; of one bucket they stand in the order of its walk."""
        size = self._size
        self._walk = sorted(entries, key=lambda entry: entry[0] % size)


def pool_order(names: Sequence[str]) -> list[int]:
    """Positions of ``names`` (in order of insertion) in the order of a fresh table's walk."""
    return CollectorTable().order(names)


def submitter_order(
    submitters: Sequence[tuple[str, str]], table: CollectorTable | None = None
) -> list[int]:
    """Positions of submitters (name, name of the schedd) in the order of the table's walk."""
    return (table or CollectorTable()).order([name + schedd for name, schedd in submitters])
