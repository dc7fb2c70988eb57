"""Keeps the slots of a snapshot as rows of a table, and makes the ad of a row when it is wanted.

The rows of a file stand for its ads as long as nobody changes one of them; the rows of watched ads
last from cycle to cycle, and what has changed in these is taken in.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from classad import ClassAd
from classad.language.names import fold_name
from classad.loading.columns import LoadedColumns
from classad.table import Table
from classad.table.store.columns import put_cell
from negotiator.expressions.known import external_names_of
from negotiator.expressions.visible import Mentions
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.watched import PASSING, WatchedAd
from negotiator.pool.fetch import Fact


class SlotRows:
    """Slots as rows; see ``negotiator.pool.slots.SlotSource``.

    ``order``: the row of each slot, in pool order.  ``names``: of the slots in pool order, if all
    of them are plain strings.  ``lasting``: whether other cycles will have the same rows.
    """

    def __init__(
        self,
        table: Table,
        order: array[int],
        loaded: LoadedColumns | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.table = table
        self.order = order
        self.names = names
        self.loaded = loaded
        self.lasting = loaded is not None
        #: What the expressions of each row want from other ads, where that is known by row.
        self.external: list[frozenset[str]] | None = None
        self.mentions = Mentions()
        #: What is told by values alone: it stays as long as the rows do.  There are few facts.
        self.facts: dict[Fact[Any], tuple[array[int], list[Any]]] = {}
        #: What the collector sends of claimed slots when nothing is preempted, by row.
        self.parts: dict[int, ClassAd] = {}
        self._made: dict[int, ClassAd] = {}

    @classmethod
    def of(cls, ads: Sequence[ClassAd]) -> SlotRows:
        """The rows of ads; those of loaded ones are kept."""
        if isinstance(ads, LoadedSlots) and (table := ads.table()) is not None:
            known = _KEPT.get(ads)
            if known is None:
                known = _KEPT[ads] = cls(table, ads.order, ads.loaded, ads.names)
            return known
        return cls(Table(ads), array("i", range(len(ads))))

    def ad(self, row: int) -> ClassAd:
        """The ad of a row that was loaded, only to be looked at."""
        ad = self._made.get(row)
        if ad is None:
            assert self.loaded is not None
            ad = self._made[row] = self.loaded.ad(row, ClassAd)
        return ad

    def names_of(self, row: int) -> Iterable[str]:
        """The names of the attributes of a row, of which no ad is made."""
        return self.ad(row).names() if self.loaded is None else self.loaded.names_of(row)

    def cell(self, key: str, row: int) -> object:
        """What a row has for an attribute (a folded name)."""
        return self.table.store.cell(key, row)

    def part(self, row: int, names: Iterable[str]) -> ClassAd:
        """Some attributes of a row (folded names), as an ad."""
        ad = ClassAd()
        for name in names:
            put_cell(ad, name, self.cell(name, row))
        return ad


class WatchedRows(SlotRows):
    """The rows of ads that are watched: only what has changed is looked at in each cycle.

    Rows that no ad has are spare ones.  ``names``: all different.
    """

    def __init__(self, size: int) -> None:
        super().__init__(Table([_NOBODY] * size), array("i"), names=[])
        self.lasting = True
        self.external = self._external = [frozenset[str]()] * size
        self._row_of: dict[str, int] = {}
        self._spare = list(range(size - 1, -1, -1))
        self._stamps = [0] * size

    def show(self, ads: Sequence[WatchedAd], names: list[str]) -> bool:
        """Take in the ads of a cycle, in pool order; false if there are too many for the rows.

        ``names``: of the slots, all different.
        """
        changed: dict[int, ClassAd] = {}
        if names != self.names:
            if len(names) > len(self._stamps):
                return False
            for name in self._row_of.keys() - set(names):
                row = self._row_of.pop(name)
                changed[row] = _NOBODY
                self._spare.append(row)
            for name in names:
                if name not in self._row_of:
                    self._row_of[name] = self._spare.pop()
            self.names = names
            self.order = array("i", map(self._row_of.__getitem__, names))
        known, stamps = self.table.store.ads, self._stamps
        for row, ad in zip(self.order, ads, strict=True):
            if stamps[row] != ad.stamp or known[row] is not ad:
                changed[row] = ad
                stamps[row] = ad.stamp
        before = self.table.store.edits
        if changed:
            self.table.replace_many(changed)
            for row, its in changed.items():
                self._external[row] = frozenset(external_names_of([its]))
                self.parts.pop(row, None)
        self.table.read_again(PASSING)
        self._forget(before)
        return True

    def _forget(self, edits: int) -> None:
        """Forget the facts that are told by what has been edited since."""
        edited = {name for name, at in self.table.store.edited.items() if at > edits}
        for fact in list(self.facts):
            if not edited.isdisjoint(map(fold_name, fact.reads)):
                del self.facts[fact]


#: The ad of a spare row.
_NOBODY: Final = ClassAd()


def watched_rows(ads: Sequence[ClassAd], known: WatchedRows | None) -> WatchedRows | None:
    """The rows of the ads of a cycle, those of the cycle before if they have room.

    None if the ads are not watched, or have names that are not all different.
    """
    if set(map(type, ads)) != {WatchedAd}:
        return None
    names = [ad._attrs.get("name") for ad in ads]
    if set(map(type, names)) != {str} or len(set(names)) < len(names):
        return None
    watched, texts = cast("Sequence[WatchedAd]", ads), cast("list[str]", names)
    if known is None or not known.show(watched, texts):
        known = WatchedRows(len(ads) + len(ads) // 4 + 16)
        known.show(watched, texts)
    return known


#: The rows of loaded slots, for as long as these live.
_KEPT: Final[WeakKeyDictionary[LoadedSlots, SlotRows]] = WeakKeyDictionary()
