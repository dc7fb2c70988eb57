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
from datetime import timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree, Rows, kernels, read_ads, write_ads
from classad.ads.expression import Expression
from classad.table import Table
from fuzz.thresholds import few_are_many
from tests.classad.one_by_one import (
    CONTEXT,
    NOW,
    accepts,
    holds,
    number_of,
    rank_of,
    shown,
    value_of,
)

#: Numbers at which doubles, integers and sums of them change their ways.
EDGES: tuple[int | float, ...] = (
    2**53 - 1, 2**53, 2**53 + 1, 2.0**53, -(2**53) - 1, 2**62 - 1, 2**62, 2**62 + 1, 2.0**62,
    -(2**62), 2**63 - 2, 2**63 - 1, -(2**63), -(2**63) + 1, 2.0**63, -(2.0**63), 2.0**64, 1e308,
    -1e308, 0.0, -0.0, 0.5, 1e-300,
)  # fmt: skip
#: Attributes of rows, and of partners; each may have any, though.
OF_ROWS = ("A", "B", "C", "D", "E", "F", "G", "S")
OF_PARTNERS = ("X", "Y", "Z", "W", "T")
CONTEXTS = (CONTEXT, EvalContext(now=NOW + 1, tz=timezone(timedelta(hours=7))))
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "=?=", "=!=")


class Maker:
    """Makes ads and expressions of one source of numbers."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def pick(self, values: Sequence[Any]) -> Any:
        return values[self.rng.randrange(len(values))]

    def often(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    # ---- expressions

    def name(self, *, far: bool = False) -> str:
        """A reference, mostly to what there is: ``far`` in an expression of the partner."""
        here, there = (OF_PARTNERS, OF_ROWS) if far else (OF_ROWS, OF_PARTNERS)
        dice = self.rng.randrange(10)
        if dice < 5:
            return str(self.pick(("", "", "MY.")) + self.pick(here))
        if dice < 9:
            return str(self.pick(("", "TARGET.", "TARGET.")) + self.pick(there))
        return str(self.pick(("MY.", "TARGET.", "")) + self.pick((*OF_ROWS, *OF_PARTNERS, "No")))

    def constant(self) -> str:
        dice = self.rng.randrange(12)
        if dice < 6:
            return str(self.rng.randrange(16))
        if dice < 8:
            return repr(self.pick(EDGES))
        return str(self.pick(("2.5", '"b"', '"B"', "true", "false", "undefined", "error")))

    def number(self, depth: int, *, far: bool) -> str:
        if depth <= 0 or self.often(25):
            return self.name(far=far) if self.often(70) else self.constant()
        if self.often(10):
            return str(self.pick(_WITHIN[far]))
        sides = [self.number(depth - 1, far=far) for _ in range(2)]
        if self.often(10):
            return f"ifThenElse({self.test(depth - 1, far=far)}, {sides[0]}, {sides[1]})"
        if self.often(6):
            return f"({sides[0]} ?: {sides[1]})"
        return f"({sides[0]} {self.pick(('+', '-', '*', '+', '*', '/', '%'))} {sides[1]})"

    def test(self, depth: int, *, far: bool) -> str:
        dice = self.rng.randrange(20) if depth > 0 else 0
        if dice < 9:
            left = self.number(min(depth, 1) if self.often(80) else 2, far=far)
            right = self.number(0, far=far)
            return f"{left} {self.pick(COMPARISONS)} {right}"
        parts = [self.test(depth - 1, far=far) for _ in range(2)]
        if dice < 15:
            return f"({parts[0]} {self.pick(('&&', '||'))} {parts[1]})"
        if dice < 16:
            return f"!({parts[0]})"
        if dice < 17:
            return f"({self.name(far=far)} ? {parts[0]} : {parts[1]})"
        if dice < 18 and self.often(50):
            return str(self.pick(_MEMBERS[far]))
        if dice < 18:
            return self.pick(("isUndefined", "isError", "!")) + f"({self.name(far=far)})"
        return self.name(far=far)

    # ---- ads

    def row(self) -> dict[str, Any]:
        """What a row has: plain values, and a few expressions that others have, too."""
        rng = self.rng
        found: dict[str, Any] = {
            "A": rng.randrange(14),
            "B": self.pick((0, 1, 2, 2.5, 3, -4, 7.0, 12, 13)),
            "C": self.pick((1, 2.5, "b", "B", "c", True, None, None)),
            "D": self.pick(EDGES),
            "E": self.pick((True, False, None, ExprTree("undefined"), ExprTree("error"))),
            "F": self.pick(_F),
            "G": self.pick(_G),
            "S": self.pick(("x", "X", "y", None)),
            "L": self.pick(
                ([1, 2.5, "x"], ["X", 3], [], [True, 7, 7.0], 5, None, ExprTree("{A, S}"))
            ),
            "N": self.pick(({"p": 3, "A": 1}, {"p": ExprTree("A + 1")}, {"p": "x"}, None)),
            "Devices": self.pick((*_DEVICES, None)),
            "D1": {"p": rng.randrange(4), "q": self.pick((1, 2.5, "x"))},
            "D2": {"p": rng.randrange(4), "A": 3},
        }
        if self.often(10):
            found["X"] = rng.randrange(4)
        if self.often(80):
            found["Requirements"] = self.pick(
                (
                    ExprTree(f"TARGET.X > {rng.randrange(12)} && Y =!= {rng.randrange(3)}"),
                    ExprTree(f"Start && TARGET.X >= {rng.randrange(6)}"),
                    ExprTree("Start"),
                    ExprTree("F && TARGET.Y < 4 || E"),
                    ExprTree(f"(TARGET.Z + A > {rng.randrange(9)}) && E isnt false && W ?: G"),
                    ExprTree(f'TARGET.T == "{self.pick("xyz")}" || MY.A < TARGET.X'),
                    ExprTree(f"debug(TARGET.X) != {rng.randrange(6)} && TARGET.X > 1"),
                    ExprTree(f"TARGET.X > {rng.randrange(6)} && TARGET.X > {rng.randrange(12)}"),
                    ExprTree(" && ".join(["TARGET.X > A", *["TARGET.Y > 0"] * 110])),
                    True,
                    1,
                    False,
                    ExprTree("error"),
                )
            )
            found["Start"] = self.pick(_STARTS)
        found["Rank"] = self.pick((ExprTree("TARGET.X * 2 + B"), ExprTree("F"), 3, "s", None))
        return found

    def partner(self) -> dict[str, Any]:
        rng = self.rng
        found: dict[str, Any] = {
            "X": self.pick((rng.randrange(14), 2.5, None, ExprTree("Y + 1"), ExprTree("TARGET.A"))),
            "Y": self.pick((0, 1, 2, 3.5, ExprTree("error"), ExprTree("undefined"), None)),
            "Z": self.pick((*EDGES, 3, ExprTree("X * 2"))),
            "W": self.pick((True, False, ExprTree("A > 6"), ExprTree("error"), None)),
            "T": self.pick(("x", "Y", "z", None)),
            "Wants": self.pick((ExprTree("p > 1"), ExprTree("p > X && q isnt 1"), True, None)),
        }
        if self.often(10):
            found["A"] = rng.randrange(4)
        if self.often(90):
            text = f"({self.test(1, far=True)}) && {self.test(2, far=True)}"
            wanted = (
                "TARGET.A > X && TARGET.E",
                f"F && TARGET.B < {rng.randrange(14)} && W",
                f'A > {rng.randrange(9)} && strcat(A, B, X) != "122" && size(strcat(A, B, D)) > Y',
                f'W && join("-", A, B) > "{rng.randrange(10)}" && strcat(A, TARGET.G) != "31"',
                text,
            )
            found["Requirements"] = self.pick((ExprTree(self.pick(wanted)), ExprTree(text), True))
        rank = f"{self.number(2, far=True)} + {self.number(2, far=True)}"
        found["Rank"] = self.pick((ExprTree(rank), ExprTree("A * X + B"), ExprTree(rank), 2, None))
        return found


#: Numbers and tests that look into lists and nested ads, in rows and in partners.
_WITHIN = (
    ("L[0]", "size(L)", "N.p", "N.A", "size(S)", "L[A]", "sum(L)", "max({A, B, TARGET.X})"),
    ("TARGET.L[0]", "size(TARGET.L)", "TARGET.N.p", "N.p", "size(T)", "sum(TARGET.L)", "L[X]"),
)
_MEMBERS = (
    ("member(3, L)", "member(TARGET.T, L)", 'regexp("^x", S, "i")', 'stringListMember(S, "x,y")',
     "member(A, {1, 2, TARGET.X})", "identicalMember(7, L)", "N is undefined", "L =?= {}"),
    ("member(X, TARGET.L)", "member(T, L)", 'regexp("y|x", TARGET.S)', 'regexp(T, S, "i")',
     "countMatches(MY.Wants, TARGET.Devices) > 0", "countMatches(Wants, TARGET.Devices) == 1",
     "countMatches(p > 1, TARGET.Devices) >= Y", "countMatches(MY.Wants, Devices) < 2"),
)  # fmt: skip
_LISTS = ([1, 2.5, "x"], ["X", 3], [], [True, 7, 7.0])
_DEVICES = (*map(ExprTree, ("{D1, D2}", "{D1}", "{D2, D1, [p = 2]}", "{}")), [{"p": 2}, {"p": 1}])
_F = tuple(
    map(ExprTree, ("A > 3", "error", "undefined", "TARGET.X > A", "B * 2 + A", "G", 'A + "s"'))
)
_G = (1, 0, 2.5, *map(ExprTree, ("B > 2 && E", "A % 3", "MY.F", "TARGET.Y", "E ? A : B")))
_STARTS = (
    True,
    *map(
        ExprTree,
        (
            "TARGET.X > 2 && E", "TARGET.W || A < 7", "F", "G && TARGET.X < 9 && S =?= T", "Start",
            "error", "A / 0 > 1 || TARGET.Y is undefined",
        ),
    ),
)  # fmt: skip


def ad_of(attributes: Mapping[str, Any]) -> ClassAd:
    """An ad, each of whose expressions is an object of its own."""
    ad = ClassAd()
    for name, value in attributes.items():
        if value is not None:
            ad[name] = ExprTree(str(value)) if isinstance(value, ExprTree) else value
    return ad


class Conversion:
    """Values as numbers; what is none counts ``other``.  ``scale`` tells conversions apart."""

    def __init__(self, other: float, scale: float) -> None:
        self.other = other
        self.scale = scale

    def __call__(self, value: Any) -> float:
        if value.__class__ not in (int, float, bool):
            return self.other
        return float(value) * self.scale


class ByKernel(Conversion):
    """Values as doubles, perhaps in single precision, which is told to the table."""

    def __init__(self, other: float, single: bool) -> None:
        super().__init__(other, 1.0)
        self.number = (single, other)

    def __call__(self, value: Any) -> float:
        found = super().__call__(value)
        there = value.__class__ in (int, float, bool)
        return array("f", [found])[0] if self.number[0] and there else found


CONVERSIONS: tuple[Callable[[Any], float], ...] = (
    number_of, Conversion(-7.0, 1.0), ByKernel(-8.0, False), ByKernel(5.5, True),
    ByKernel(9.0, False), Conversion(1.0, 2.0), ByKernel(-1e308, True),
)  # fmt: skip


class Asking:
    """A table, its rows, and questions that are asked both ways."""

    def __init__(self, table: Table, rows: list[ClassAd]) -> None:
        self.table = table
        self.rows = rows
        self.rng = Random(len(rows))

    def some(self) -> Rows:
        """Some of the rows."""
        size = len(self.rows)
        return Rows.of(size, sorted(self.rng.sample(range(size), self.rng.randrange(size))))

    def match(self, job: ClassAd, context: EvalContext = CONTEXT) -> None:
        ours = [accepts(row, job, context) for row in self.rows]
        theirs = [accepts(job, row, context) for row in self.rows]
        table = self.table
        both = [mine and other for mine, other in zip(ours, theirs, strict=True)]
        within = self.some()
        few = [yes and row in within for row, yes in enumerate(both)]
        self.same("match within", job, table.match(job, within=within, context=context), few)
        self.same("match", job, table.match(job, context=context), both)
        self.same("accepting", job, table.accepting(job, context=context), ours)
        self.same("accepted by", job, table.accepted_by(job, context=context), theirs)

    def select(self, text: str, job: ClassAd | None) -> None:
        tree = ExprTree(text)
        wanted = [holds(tree, row, job) for row in self.rows]
        within = self.some()
        few = [yes and row in within for row, yes in enumerate(wanted)]
        found = self.table.select(tree, job, within=within, context=CONTEXT)
        self.same(f"select {text} within", job, found, few)
        self.same(f"select {text}", job, self.table.select(tree, job, context=CONTEXT), wanted)

    def evaluate(self, text: str, job: ClassAd | None, *, of_row: bool) -> None:
        tree = ExprTree(text)
        values = self.values(tree, job, of_row=of_row)
        seat: Any = "my" if of_row else "target"
        codes, found = self.table.evaluate(tree, job, row_is=seat, context=CONTEXT)
        assert [shown(found[code]) for code in codes] == list(map(shown, values)), (text, str(job))

    def values(self, tree: ExprTree, job: ClassAd | None, *, of_row: bool) -> list[Any]:
        if of_row:
            return [value_of(tree, row, job) for row in self.rows]
        partner = ClassAd() if job is None else job
        return [value_of(tree, partner, row) for row in self.rows]

    def numbers(
        self,
        text: str,
        job: ClassAd,
        conversions: Sequence[Callable[[Any], float]],
        *,
        of_row: bool,
    ) -> None:
        """One expression under several conversions, one after the other and again."""
        tree = ExprTree(text)
        values = self.values(tree, job, of_row=of_row)
        seat: Any = "my" if of_row else "target"
        for convert in conversions:
            wanted = [convert(value) for value in values]
            found = self.table.numbers(tree, job, row_is=seat, convert=convert, context=CONTEXT)
            assert repr(found.tolist()) == repr(wanted), (text, str(job))
            partner = self.table.partner(job, CONTEXT)
            table, codes = self.table.coded_numbers(tree, partner, row_is=seat, convert=convert)
            coded = table if codes is None else [table[code] for code in codes]
            assert repr(list(coded)) == repr(wanted), (text, str(job))

    def rank(self, job: ClassAd) -> None:
        wanted = [rank_of(job, row) for row in self.rows]
        found = self.table.rank(job, context=CONTEXT).tolist()
        assert repr(found) == repr(wanted), str(job)

    def replace(self, rows: Mapping[int, ClassAd]) -> None:
        for row, ad in rows.items():
            self.rows[row] = ad
        self.table.replace_many(rows)

    def same(self, what: str, job: ClassAd | None, found: Rows, wanted: Sequence[bool]) -> None:
        rows = [row for row, yes in enumerate(wanted) if yes]
        assert list(found) == rows, (what, str(job), set(found) ^ set(rows))


def changed(maker: Maker, rows: list[ClassAd]) -> dict[int, ClassAd]:
    """Other ads for some rows: with another plain value, or with everything otherwise."""
    found = {}
    for _ in range(maker.pick((1, 3, 9))):
        row = maker.rng.randrange(len(rows))
        ad = rows[row].duplicate()
        fresh = maker.row()
        names = [maker.pick(("A", "B", "D"))] if maker.often(60) else list(fresh)
        for name in names:
            value = fresh[name]
            if value is None:
                ad.pop(name, None)
            else:
                ad[name] = ExprTree(str(value)) if isinstance(value, ExprTree) else value
        found[row] = ad
    return found


def questions(maker: Maker, asking: Asking, count: int) -> None:
    """Ask many things about a table by partners that come again and again."""
    jobs = [ad_of(maker.partner()) for _ in range(8)]
    texts = [maker.test(2, far=False) for _ in range(6)]
    sums = [f"{maker.number(2, far=False)} + {maker.number(1, far=False)}" for _ in range(3)]
    for _ in range(count):
        job = maker.pick(jobs)
        dice = maker.rng.randrange(12)
        if dice < 4:
            asking.match(job)
        elif dice < 6:
            asking.select(maker.pick(texts), maker.pick((job, job, None)))
        elif dice < 7:
            asking.evaluate(maker.pick((*texts, *sums)), job, of_row=maker.often(50))
        elif dice < 9:
            chosen = maker.rng.sample(CONVERSIONS, 3)
            asking.numbers(maker.pick(sums), job, [*chosen, chosen[0]], of_row=maker.often(70))
        elif dice < 11:
            asking.rank(job)
        else:
            asking.replace(changed(maker, asking.rows))


@pytest.mark.parametrize("seed", range(4))
def test_many_rows(seed: int) -> None:
    maker = Maker(seed)
    rows = [ad_of(maker.row()) for _ in range(90)]
    questions(maker, Asking(Table(rows), rows[:]), 40)


@pytest.mark.parametrize("seed", range(10, 24))
def test_few_rows_that_count_as_many(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every third table is without the C kernels."""
    if seed % 3 == 0:
        monkeypatch.setattr(kernels, "native", None)
    maker = Maker(seed)
    rows = [ad_of(maker.row()) for _ in range(18)]
    with few_are_many() if seed % 2 else nullcontext():
        questions(maker, Asking(Table(rows), rows[:]), 60)


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


@pytest.mark.parametrize("seed", range(30, 34))
def test_rows_with_changes_over_them(seed: int) -> None:
    maker = Maker(seed)
    rows = Over([ad_of(maker.row()) for _ in range(40)])
    table = Table.placed(rows)
    with few_are_many() if seed % 2 else nullcontext():
        for _ in looked_at_again(maker, table, lambda: list(map(rows.ad, range(40)))):
            for _ in range(maker.pick((1, 12))):
                rows.otherwise[maker.rng.randrange(40)].update(otherwise(maker))


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
        "D * size(evalInEachContext(E, TARGET.L)) + S > TARGET.N",
    ]
    for number in range(6):
        job = ad_of({"A": rng.randrange(50), "N": f"D + {number}", "F": "TARGET.S + 1"})
        job["L"] = ExprTree(f"{{[E = {number}], [F = 2], [S = {number}; E = 1], [X = 1]}}")
        for text in texts:
            asking.select(text, job)
            asking.evaluate(text, job, of_row=True)
