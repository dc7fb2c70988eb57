"""A table over rows that change: looking again finds what a new table finds."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree
from classad.evaluate import evaluate
from classad.match import symmetric_match
from classad.table import Table
from classad.table.store.placed import PlacedStore
from classad.table.store.store import Store

CONTEXT = EvalContext(now=1_700_000_000)
JOBS = (
    ClassAd('[Requirements = TARGET.A > 1 && TARGET.Text == "x"; J = 2]'),
    ClassAd("[Requirements = TARGET.Extra =?= undefined || TARGET.Extra; J = 3; A = 5]"),
    ClassAd("[Requirements = TARGET.B < J; J = 1; B = A]"),
)
EXPRESSIONS = ("A + B * 2", "Extra", "B > TARGET.J", "size(List) + A", "New", "MY.B =?= TARGET.A")


class Ads:
    """Ads that may change in every way; ``changes``: what is otherwise in the rows."""

    def __init__(self, ads: list[ClassAd]) -> None:
        self.ads = ads
        self.changes: list[dict[str, Any]] = [{} for _ in ads]

    @property
    def base(self) -> Store:
        return Table(self.ads).store

    @property
    def places(self) -> array[int]:
        return array("i", range(len(self.ads)))

    @property
    def names(self) -> set[str]:
        return set().union(*self.changes)

    def ad(self, row: int) -> ClassAd:
        ad = self.ads[row].duplicate()
        for name, value in self.changes[row].items():
            ad.insert(name, value)
        return ad

    def changed(self, name: str) -> dict[int, Any]:
        return {row: each[name] for row, each in enumerate(self.changes) if name in each}


def some_value(rng: Random) -> Any:
    text = rng.choice(
        ["1", "2", "2.0", "true", "-7", '"x"', '"X"', "undefined", "A + 1", "TARGET.J"]
    )
    return ClassAd(f"[v = {text}]").raw("v")


def change(rows: Ads, rng: Random) -> None:
    """Something is otherwise now: in an ad, by another ad, or on top of one."""
    row = rng.randrange(len(rows.ads))
    name = rng.choice(["A", "B", "Text", "Start", "Rank"])
    how = rng.randrange(6)
    if how == 0:
        rows.ads[row] = rows.ads[row].duplicate()
    if how <= 2:
        rows.ads[row].insert(name, some_value(rng))
    elif how == 3:
        rows.changes[row][rng.choice(["extra", "b"])] = some_value(rng)
    elif how == 4:
        rows.changes[row].clear()
    else:
        new = rng.choice(["List", "New"])
        value = "{1, A}" if new == "List" else "B"
        rows.ads[row].insert(new, ExprTree(value))


def check(table: Table, rows: Ads) -> None:
    ads = [rows.ad(row) for row in range(len(rows.ads))]
    for job in JOBS:
        found = list(table.match(job, context=CONTEXT))
        assert found == [r for r, ad in enumerate(ads) if symmetric_match(job, ad, CONTEXT)]
        for text in EXPRESSIONS:
            codes, values = table.evaluate(text, job, context=CONTEXT)
            for row, ad in enumerate(ads):
                wanted, got = evaluate(text, ad, job, context=CONTEXT), values[codes[row]]
                assert (type(got), repr(got)) == (type(wanted), repr(wanted)), (row, text)


@pytest.mark.parametrize("seed", range(5))
def test_looking_again(seed: int) -> None:
    rng = Random(seed)
    wanted = ("Start && A > 0", "TARGET.J > 1 || B == 2", "true", "Start")
    rows = Ads(
        [
            ClassAd(f"[A = {i % 4}; B = {i % 3}; Requirements = {wanted[i % 4]}; Start = true]")
            for i in range(rng.choice([5, 40]))
        ]
    )
    table = Table.placed(rows)
    check(table, rows)
    for _ in range(8):
        for _ in range(rng.choice([0, 1, 1, 2, 30])):
            change(rows, rng)
        table.refresh()
        check(table, rows)


def test_what_is_in_lists_and_ads_is_looked_at_again() -> None:
    rows = Ads([ClassAd(f"[List = {{[a = {i % 2}]}}; A = {i}]") for i in range(40)])
    for ad in rows.ads[:3]:
        ad.insert("Few", ClassAd("[a = 5]"))
    rows.ads[7].insert("One", ClassAd("[a = 5]"))
    table = Table.placed(rows)
    store = table._store
    assert isinstance(store, PlacedStore)
    asked = ("List[0].a == 1", "Few.a == 5 && A >= 0", "One.a == 5")
    assert [len(table.select(text, context=CONTEXT)) for text in asked] == [20, 3, 1]
    store.part(0b111).view("few")
    assert store.refresh().names == set()
    rows.ads[1].raw("List").items[0].insert("a", 7)
    rows.ads[2].raw("Few").insert("a", 6)
    rows.ads[7].raw("One").insert("a", 6)
    table.refresh()
    assert [len(table.select(text, context=CONTEXT)) for text in asked] == [19, 2, 0]


class Ordered:
    """The rows of a table in an order of their own."""

    names: frozenset[str] = frozenset()

    def __init__(self, table: Table) -> None:
        self.base, self.table = table.store, table
        self.places = array("i", range(len(table)))

    def ad(self, row: int) -> ClassAd:
        return self.table.ad(self.places[row])

    def changed(self, name: str) -> dict[int, Any]:
        raise KeyError(name)


def test_rows_that_change_places_with_their_like_are_as_before() -> None:
    rows = Ordered(Table(ClassAd(f"[A = {row % 2}; L = {{{row % 2}}}]") for row in range(6)))
    table = Table.placed(rows)
    store = table._store
    assert isinstance(store, PlacedStore)
    assert list(table.select("A == 1 && L[0] == 1", context=CONTEXT)) == [1, 3, 5]
    rows.places = array("i", [2, 5, 0, 3, 4, 1])
    assert store.refresh().names == set()
    rows.places = array("i", [1, 0, 2, 3, 4, 5])
    table.refresh()
    assert list(table.select("A == 1 && L[0] == 1", context=CONTEXT)) == [0, 3, 5]
    assert [ad["A"] for ad in table.ads()] == [1, 0, 0, 1, 0, 1]
