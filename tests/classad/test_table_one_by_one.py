"""Random tables answer as the reference evaluator does for one row after the other.

The tables have rows with different expressions for one attribute, requirements that differ in
constants, in conjuncts and in the attributes that they lead to, errors and undefined values, and
numbers near the ends of what doubles and integers can hold.  One table is asked many things one
after the other, by many partners, under several conversions, and some rows change meanwhile.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest

from classad import ClassAd, ExprTree, kernels, read_ads, write_ads
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.match import half_match
from classad.table import Table
from fuzz.table_maker import Maker, ad_of
from fuzz.tables import CONTEXTS, CONVERSIONS, Asking, questions
from fuzz.thresholds import few_are_many


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_rows(seed: int) -> None:
    maker = Maker(seed)
    rows = [ad_of(maker.row()) for _ in range(90)]
    questions(maker, Asking(Table(rows), rows[:]), 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 24))
def test_few_rows_that_count_as_many(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every third table is without the C kernels."""
    if seed % 3 == 0:
        monkeypatch.setattr(kernels, "native", None)
    maker = Maker(seed)
    rows = [ad_of(maker.row()) for _ in range(18)]
    with few_are_many() if seed % 2 else nullcontext():
        questions(maker, Asking(Table(rows), rows[:]), 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 63))
def test_many_partners(seed: int) -> None:
    """At first they are the same to the rows, then they differ in ever more, and rows change."""
    maker = Maker(seed)
    rng = maker.rng
    parts = [
        "TARGET.X > 4", "TARGET.Y =!= A", "(TARGET.Z ?: 4) < B + 3", "TARGET.W isnt error", "E",
        "(time() % 2 == 0 || TARGET.X > 3)", "debug(TARGET.Y) isnt 3", "TARGET.X + A > 3",
        "(TARGET.T == S || B < 9)", "(debug(TARGET.X) > 5 || A > 9)", "A < 12", "Start",
        "(TARGET.Y ?: A) >= B - 6", "(splitTime(B * 3600).Hours < 11 || TARGET.Y > 1)",
    ]  # fmt: skip
    chosen = [" && ".join(rng.sample(parts, rng.choice((3, 5)))) for _ in range(5)]
    chosen += [parts[6], f"{parts[9]} && E", f"{parts[6]} && B < 12"]
    rows = []
    for _ in range(24):
        ad = ad_of(
            {"A": rng.randrange(14), "B": rng.randrange(14), "E": True, "S": maker.pick("xy")}
        )
        ad["Requirements"] = ExprTree(rng.choice(chosen))
        ad["Start"] = ExprTree(rng.choice(("A > 2 && TARGET.X > 2", "TARGET.W", "B < 9")))
        rows.append(ad)
    asking = Asking(Table(rows), rows[:])
    wanted = ["TARGET.A > X - 7", "TARGET.B < X && TARGET.A >= Y", "TARGET.E && A + B > X"]
    job = {"X": 5, "Y": 3, "Z": 4, "W": True, "T": "x"}
    for number in range(130):
        if number > 70:
            job[rng.choice("XYZ")] = rng.randrange(14)
        if number > 95:
            job["W"], job["T"] = rng.choice((True, False)), rng.choice("xyz")
        tree = ExprTree(rng.choice(wanted))
        asking.match(ClassAd({**job, "Requirements": tree}), CONTEXTS[number % 5 == 4])
        if number % 13 == 12:
            row = rng.randrange(24)
            ad = asking.rows[row]
            ad[rng.choice("AB")] = rng.randrange(14)
            asking.replace({row: ad})


@pytest.mark.parametrize("seed", range(70, 72))
@pytest.mark.parametrize("form", ["long", "json"])
def test_rows_of_a_file(seed: int, form: Any, tmp_path: Path) -> None:
    """What is loaded straight into columns is what the ads of the file are."""
    maker = Maker(seed)
    path = tmp_path / "ads"
    count = maker.pick((12, 60))
    write_ads([ad_of(maker.row()) for _ in range(count)], path, form)
    rows = list(read_ads(path))
    table = Table.from_file(path)
    assert [str(ad) for ad in table.ads()] == list(map(str, rows))
    with few_are_many() if seed % 2 else nullcontext():
        questions(maker, Asking(Table.from_file(path), rows), 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(80, 83))
def test_sums_of_the_same_columns(seed: int) -> None:
    """What is added up in one way is not what is, in another way or for another conversion."""
    maker = Maker(seed)
    rows = []
    for number in range(240):
        made: dict[str, Any] = {"A": maker.rng.randrange(9), "H": maker.rng.randrange(9) + 20}
        made["K"] = 2**53 - 4 + maker.rng.randrange(9)
        made["B"], made["C"] = maker.pick((0, 1, 2.5, -4, 7.0)), maker.pick((1, 2.5, "b", True))
        rows.append(ad_of({**made, "G": number % 3}))
    by_kernel = [convert for convert in CONVERSIONS if hasattr(convert, "number")]
    asking = Asking(Table(rows), rows[:])
    texts: Sequence[str] = (
        "A + B", "A - B", "A * B", "B + A", "B - A", "A + H", "A * H", "A + B - H", "A * B + H",
        "A * X + B", "A * X - B", "A + X * B", "(A + B) * H", "C + A", "C * A", "A + H * Y",
    )  # fmt: skip
    texts = maker.rng.sample(texts, 4)
    jobs = [ClassAd({"X": x, "Y": y, "A": 100}) for x, y in ((1, 2.5), (3, 1), (0, 0), (-1, 7))]
    asked = [
        (text, maker.often(70), maker.rng.sample(by_kernel, 1 + at % 2))
        for at, text in enumerate(texts)
    ]
    for text in ("A + H", "A - H", "A * X + H", "K + A", "A - K", "K * A - K"):
        for job in jobs:
            asking.numbers(text, job, by_kernel[:1], of_row=True)
    for turn in range(9):
        for text, of_row, chosen in maker.rng.sample(asked, 2):
            for job in jobs:
                asking.numbers(text, job, chosen, of_row=of_row)
        if turn % 3 == 2:
            ad = rows[turn].duplicate()
            ad["A"] = maker.rng.randrange(99)
            asking.replace({turn: ad})
            convert = maker.pick(CONVERSIONS)
            asking.numbers(maker.pick(texts), maker.pick(jobs), [convert], of_row=maker.often(50))


# ---- rows that stand elsewhere -------------------------------------------------------------------


class Over:
    """Ads in a store of their own each time, of which a few attributes are otherwise."""

    def __init__(self, ads: list[ClassAd]) -> None:
        self.ads = ads
        self.otherwise: list[dict[str, Any]] = [{} for _ in ads]

    @property
    def base(self) -> Any:
        return Table(self.ads).store

    @property
    def places(self) -> array[int]:
        return array("i", range(len(self.ads)))

    @property
    def names(self) -> Collection[str]:
        return {name for each in self.otherwise for name in each}

    def ad(self, row: int) -> ClassAd:
        ad = self.ads[row].duplicate()
        for name, value in self.otherwise[row].items():
            ad.pop(name, None)
            if value is not None:
                ad.insert(name, value)
        return ad

    def changed(self, name: str) -> Mapping[int, Any]:
        return {row: each[name] for row, each in enumerate(self.otherwise) if name in each}


class InPlaces:
    """Rows of another table in an order of their own, a few attributes of them otherwise."""

    def __init__(self, base: Table, order: Sequence[int]) -> None:
        self._base = base
        self.order = list(order)
        self.otherwise: dict[int, dict[str, Any]] = {}

    @property
    def base(self) -> Any:
        return self._base.store

    @property
    def places(self) -> array[int]:
        return array("i", self.order)

    @property
    def names(self) -> Collection[str]:
        return {name for each in self.otherwise.values() for name in each}

    def ad(self, row: int) -> ClassAd:
        place = self.order[row]
        ad = ClassAd() if place < 0 else self._base.ad(place).duplicate()
        for name, value in self.otherwise.get(row, {}).items():
            ad.pop(name, None)
            if value is not None:
                ad.insert(name, value)
        return ad

    def changed(self, name: str) -> Mapping[int, Any]:
        return {row: each[name] for row, each in self.otherwise.items() if name in each}


def otherwise(maker: Maker) -> dict[str, Any]:
    """What a row has otherwise: plain values, nothing, expressions."""
    fresh = maker.row()
    name = maker.pick(("A", "B", "D", "F", "G", "S", "E"))
    value = fresh[name]
    kept = Expression.from_node(value.node) if isinstance(value, ExprTree) else value
    return {name.lower(): kept}


def looked_at_again(maker: Maker, table: Table, ads: Callable[[], list[ClassAd]]) -> Iterator[None]:
    """Ask about a table, and again whenever its rows have changed."""
    for _ in range(4):
        table.refresh()
        asking = Asking(table, ads())
        asking.replace = lambda rows: None  # type: ignore[method-assign]
        questions(maker, asking, 14)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 34))
def test_rows_with_changes_over_them(seed: int) -> None:
    maker = Maker(seed)
    rows = Over([ad_of(maker.row()) for _ in range(40)])
    table = Table.placed(rows)
    with few_are_many() if seed % 2 else nullcontext():
        for _ in looked_at_again(maker, table, lambda: list(map(rows.ad, range(40)))):
            for _ in range(maker.pick((1, 12))):
                rows.otherwise[maker.rng.randrange(40)].update(otherwise(maker))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 44))
def test_rows_in_another_order(seed: int) -> None:
    maker = Maker(seed)
    base = Table(ad_of(maker.row()) for _ in range(50))
    rows = InPlaces(base, range(50))
    table = Table.placed(rows)
    with few_are_many() if seed % 2 else nullcontext():
        for _ in looked_at_again(maker, table, lambda: [rows.ad(r) for r in range(len(table))]):
            if maker.often(60):
                maker.rng.shuffle(rows.order)
            if maker.often(50):
                rows.order[maker.rng.randrange(50)] = -1
            for _ in range(maker.pick((0, 1, 12))):
                row = maker.rng.randrange(50)
                rows.otherwise.setdefault(row, {}).update(otherwise(maker))


@pytest.mark.parametrize("seed", range(50, 52))
def test_newer_ads_by_name(seed: int) -> None:
    maker = Maker(seed)
    rows = []
    for number in range(30):
        rows.append(ad_of({**maker.row(), "Name": f"slot{number}"}))
    asking = Asking(Table(rows), rows)
    for _ in range(3):
        questions(maker, asking, 12)
        newer = [
            ad_of({**maker.row(), "Name": f"slot{maker.rng.randrange(len(asking.rows) + 2)}"})
            for _ in range(4)
        ]
        places = {ad["Name"]: row for row, ad in enumerate(asking.rows)}
        for ad in newer:
            place = places.setdefault(ad["Name"], len(asking.rows))
            asking.rows[place : place + 1] = [ad]
        asking.table.update(newer)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_functions_of_expressions_that_read_the_partner_alone(seed: int) -> None:
    """Beside a column they are evaluated once, but not if a row can have a say in them."""
    rng = Random(seed)
    rows = []
    for number in range(60):
        made: dict[str, Any] = {"D": number, "S": rng.randrange(3)}
        if rng.random() < 0.3:
            made["E"] = rng.randrange(9)
        rows.append(ad_of(made))
    asking = Asking(Table(rows), rows[:])
    sums = [f"sum(evalInEachContext({name}, TARGET.L))" for name in "EFSN"]
    texts = [
        *(f"TARGET.A - {it} <= MY.D" for it in sums),
        *(f"{it} * MY.S + MY.D > TARGET.A" for it in sums),
        'unresolved("N + TARGET.E")  != "" && D > TARGET.A',
        "sum(evalInEachContext(TARGET.A, {[X = 3], [A = 7]})) - MY.D > TARGET.A",
        "TARGET.T > MY.D",
    ]
    for number in range(6):
        job = ad_of({"A": rng.randrange(50), "N": f"D + {number}", "F": "TARGET.S + 1"})
        job["L"] = ExprTree(f"{{[E = {number}], [F = 2], [S = {number}; E = 1], [X = 1]}}")
        job["T"] = ExprTree("sum(evalInEachContext(MY.A, {[X = 3]})) + TARGET.S")
        for text in texts:
            asking.select(text, job)
            asking.evaluate(text, job, of_row=True)


@pytest.mark.parametrize(
    ("question", "found", "asked"),
    [("accepted_by", 26, 3), ("accepting", 60, 30), ("match", 26, 16)],
)
def test_only_rows_of_which_nothing_else_is_known_are_asked(
    question: str, found: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three rows ask for their speed in a way that has to be evaluated, half of them for the size.

    Of the 26 that match, 13 have an even number and ask for the size, and three for the speed.
    """
    rows = []
    for number in range(60):
        ad = ClassAd({"Speed": number % 10})
        if number in (7, 20, 33):
            ad["Speed"] = ExprTree("debug(7)")
        ad["Requirements"] = ExprTree(
            "TARGET.Size < 5" if number % 2 else "TARGET.Size < 5 && debug(TARGET.Size) > 0"
        )
        rows.append(ad)
    asking: list[ClassAd] = []

    def counted(my: ClassAd, target: ClassAd, context: EvalContext) -> bool:
        asking.append(my)
        return half_match(my, target, context)

    monkeypatch.setattr("classad.table.answers.requirements.half_match", counted)
    job = ClassAd("[Size = 3; Requirements = TARGET.Speed > 5]")
    assert len(list(getattr(Table(rows), question)(job))) == found
    assert len(asking) == asked
