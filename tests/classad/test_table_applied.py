"""Functions of an ad asked for all rows at once, and rows of a table in another order."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from classad import ClassAd, EvalContext
from classad.ads.expression import Expression, parsed
from classad.loading.long_form import load_long
from classad.table import Rows, Table
from classad.table.store.placed import NOWHERE
from classad.table.store.store import Store

CONTEXT = EvalContext(now=1000.0)

#: Weights that are plain, missing, expressions of each other and of other types.
TEXT = b"""\
Name = "a"
Cpus = 4
SlotWeight = Cpus

Name = "b"
Cpus = 4
SlotWeight = Cpus
Extra = { 1, Cpus }

Name = "c"
Cpus = Total
Total = Memory / 1024
Memory = 8192
SlotWeight = Cpus * 2

Name = "d"
SlotWeight = "heavy"

Name = "e"
SlotWeight = size(unparse(Name)) + TARGET.Cpus
"""


def weight(ad: ClassAd) -> Any:
    return ad.get_number("SlotWeight", context=CONTEXT)


def test_a_function_is_asked_once_for_rows_that_are_alike() -> None:
    asked = []

    def fact(ad: ClassAd) -> Any:
        asked.append(set(ad))
        return weight(ad)

    ads = list(load_long(TEXT).to_ads(ClassAd))
    for table in (Table(ads), Table.from_columns(load_long(TEXT))):
        asked.clear()
        codes, values = table.apply(fact, ["SlotWeight"])
        assert [values[code] for code in codes] == list(map(weight, ads))
        assert [values[code] for code in codes[:3]] == [4, 4, 16]
        # What looks at the ad as such is given the ad; the others see what can matter to them.
        seen = {"SlotWeight", "Cpus", "Total", "Memory", "Name"}
        assert all({name.lower() for name in names} <= {s.lower() for s in seen} for names in asked)


def test_what_a_function_can_see() -> None:
    table = Table(load_long(TEXT).to_ads(ClassAd))
    sight = table.sight(["Total", "Nowhere"])
    assert sight.names == {"total", "memory", "nowhere"}
    assert not sight.row_by_row
    assert list(Rows(len(table), table.sight(["SlotWeight"]).row_by_row)) == [4]


def test_a_constant_needs_one_call() -> None:
    table = Table(ClassAd({"Name": str(n), "Cpus": 2}) for n in range(5))
    codes, values = table.apply(lambda ad: ad["Cpus"], ["Cpus"])
    assert (list(codes), values) == ([0] * 5, [2])


class Moved:
    """Rows of a table, some of them changed."""

    def __init__(self, table: Table, places: list[int]) -> None:
        self.base: Store = table.store
        self.table = table
        self.places = array("i", places)
        self.changes: dict[str, dict[int, Any]] = {}

    @property
    def names(self) -> set[str]:
        return set(self.changes)

    def ad(self, row: int) -> ClassAd:
        place = self.places[row]
        ad = ClassAd() if place == NOWHERE else self.table.ad(place).duplicate()
        for name, cells in self.changes.items():
            if cells.get(row) is not None:
                ad.insert(name, cells[row])
            elif row in cells:
                ad.remove(name)
        return ad

    def changed(self, name: str) -> Mapping[int, Any]:
        return self.changes[name]


def check(table: Table, rows: Moved) -> None:
    """All that the table says is what the ads say."""
    ads = [rows.ad(row) for row in range(len(rows.places))]
    for text in ("Cpus >= 4", "SlotWeight", "Memory > 1", "Extra is undefined", "New == 1"):
        expected = Table(ads).select(text, context=CONTEXT)
        assert list(table.select(text, context=CONTEXT)) == list(expected), text


def test_rows_in_another_order() -> None:
    base = Table.from_columns(load_long(TEXT))
    for places in ([4, 3, 2, 1, 0], [2, 0], [1, NOWHERE, 0, 3], [NOWHERE, NOWHERE]):
        rows = Moved(base, places)
        check(Table.placed(rows), rows)


def test_changes_in_rows_of_another_order() -> None:
    base = Table.from_columns(load_long(TEXT))
    rows = Moved(base, [4, 3, NOWHERE, 1, 0])
    table = Table.placed(rows)
    check(table, rows)
    for changes in (
        {"cpus": {0: 8, 2: 9}},
        {"cpus": {0: 8, 1: None, 2: 10}, "new": {4: 1}},
        {"slotweight": {row: Expression.from_node(parsed("Cpus - 4")) for row in range(5)}},
        {},
    ):
        rows.changes = changes  # type: ignore[assignment]
        table.refresh()
        check(table, rows)
    rows.places = array("i", [NOWHERE, 2, 3, NOWHERE, 4])
    table.refresh()
    check(table, rows)
