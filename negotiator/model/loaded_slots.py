"""Holds loaded slot ads in pool order as columns, and makes the ads when one is asked for."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Final, overload

from classad import ClassAd
from classad.loading.columns import LoadedColumns
from classad.table import Table
from negotiator.model.snapshot import machine_of
from negotiator.model.watched import WatchedAd

_stamp_of: Final = attrgetter("stamp")


class LoadedSlots(Sequence[ClassAd]):
    """Slot ads in pool order; who looks at them leaves the columns what they are."""

    def __init__(self, loaded: LoadedColumns, order: array[int], names: list[str]) -> None:
        """``order``: the rows in pool order; ``names``: of the slots, in that order."""
        self.loaded = loaded
        self.order = order
        self.names = names
        self._ads: tuple[WatchedAd, ...] | None = None
        self._table: Table | None = None

    def table(self) -> Table | None:
        """The columns as a table; None once an ad has been changed."""
        if self._ads is not None and any(map(_stamp_of, self._ads)):
            return None
        if self._table is None:
            self._table = Table.from_columns(self.loaded)
        return self._table

    @cached_property
    def machines(self) -> frozenset[str]:
        """The machines in their names."""
        return frozenset(map(machine_of, self.names))

    @property
    def stamp(self) -> int:
        """Another number after every change of an ad."""
        return 0 if self._ads is None else max(map(_stamp_of, self._ads), default=0)

    def __reduce__(self) -> tuple[type[tuple[ClassAd, ...]], tuple[list[ClassAd]]]:
        """Pickled as the ads alone: the columns are views of the text of a file."""
        return tuple, (list(self._ads or self._made()),)

    def named(self, names: Collection[str]) -> dict[str, ClassAd]:
        """See ``slots_named``; the other ads are not made."""
        if self._ads is not None:
            return named_among(self._ads, names)
        places = [place for place, name in enumerate(self.names) if name in names]
        return {self.names[p]: self.loaded.ad(self.order[p], WatchedAd) for p in places}

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, place: int, /) -> ClassAd: ...

    @overload
    def __getitem__(self, place: slice, /) -> tuple[ClassAd, ...]: ...

    def __getitem__(self, place: int | slice, /) -> ClassAd | tuple[ClassAd, ...]:
        return self._all()[place]

    def __iter__(self) -> Iterator[ClassAd]:
        return iter(self._all())

    def _all(self) -> tuple[WatchedAd, ...]:
        if self._ads is None:
            self._ads = self._made()
        return self._ads

    def _made(self) -> tuple[WatchedAd, ...]:
        by_row = list(self.loaded.to_ads(WatchedAd))
        return tuple([by_row[row] for row in self.order])


def slots_named(slots: Sequence[ClassAd], names: Collection[str]) -> dict[str, ClassAd]:
    """The ads of some slots, to be looked at, by name; the last of those of one name."""
    return slots.named(names) if isinstance(slots, LoadedSlots) else named_among(slots, names)


def slot_names(slots: Sequence[ClassAd]) -> list[str]:
    """The names of slots in their order; empty for an ad without one."""
    if isinstance(slots, LoadedSlots):
        return slots.names
    return [ad.get_string("Name") or "" for ad in slots]


def any_has(slots: Sequence[ClassAd], name: str) -> bool:
    """Whether a slot has an attribute."""
    table = slots.table() if isinstance(slots, LoadedSlots) else None
    if table is not None:
        return table.has(name)
    return any(ad.raw(name) is not None for ad in slots)


def machines_of(slots: Sequence[ClassAd]) -> frozenset[str]:
    """The machines in the names of slots."""
    if isinstance(slots, LoadedSlots):
        return slots.machines
    return frozenset(map(machine_of, slot_names(slots)))


def named_among(ads: Iterable[ClassAd], names: Collection[str]) -> dict[str, ClassAd]:
    """The same of ads one by one."""
    pairs = ((ad.get_string("Name"), ad) for ad in ads)
    return {name: ad for name, ad in pairs if name is not None and name in names}
