"""Every kind of column with every operator: a table answers as the reference evaluator does.

Questions are made by ``crossed``, so that each kind of cells meets each operator, and each value of
a partner follows other ones.  The same questions go to tables that are built, loaded, placed over
others, with the sizes at which tables do things otherwise, and without the C kernels.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest

from classad import ClassAd, ExprTree, Rows, kernels, read_ads, write_ads
from classad.match import is_true
from classad.table import Table
from classad.table.store.store import Store
from fuzz.one_by_one import CONTEXT, accepts, number_of, shown
from fuzz.tables import CONVERSIONS
from fuzz.thresholds import few_are_many
from tests.classad.crossed import (
    COLUMNS,
    SHAPES,
    SIZE,
    TESTS,
    VALUES,
    Answers,
    expressions,
    partners,
    rows,
)

TEXTS = expressions()
ADS = rows()
PARTNERS = partners()
ANSWERS = Answers(ADS)
#: Each way to have a table with one question in two; one in some more of them in `make test`.
ALL = [
    pytest.param(how, 2, marks=[pytest.mark.slow, pytest.mark.long])
    for how in ("built", "few", "python", "loaded", "placed")
]


class Over:
    """Rows that stand elsewhere in another order, beside some others, with ``V`` and ``I`` put on.

    ``places`` are those of a store that has what is put on not.
    """

    def __init__(self, ads: Sequence[ClassAd], hidden: Sequence[str]) -> None:
        self._ads = ads
        self._changes = {
            name: {row: ad._attrs.get(name) for row, ad in enumerate(ads)} for name in hidden
        }
        bare = [ad.duplicate() for ad in ads]
        for name in hidden:
            for ad in bare:
                ad.pop(name, None)
        order = list(range(len(ads)))
        Random(5).shuffle(order)
        self._table = Table([ClassAd({"I": 77}), *(bare[row] for row in order), ClassAd()])
        self.places = array("i", [1 + order.index(row) for row in range(len(ads))])

    @property
    def base(self) -> Store:
        return self._table.store

    @property
    def names(self) -> set[str]:
        return set(self._changes)

    def ad(self, row: int) -> ClassAd:
        return self._ads[row]

    def changed(self, name: str) -> Mapping[int, Any]:
        return self._changes[name]


def built(how: str, folder: Path) -> tuple[Table, Answers]:
    """A table of the rows, and what is right of it."""
    if how == "loaded":
        path = folder / "ads"
        write_ads(ADS, path, "long")
        return Table.from_file(path), Answers(list(read_ads(path)))
    if how == "placed":
        return Table.placed(Over(ADS, ("i", "x", "l"))), ANSWERS
    return Table(ADS), ANSWERS


@contextmanager
def sizes(how: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few count as many, or the kernels are those in Python, where that is asked for."""
    if how == "python":
        monkeypatch.setattr(kernels, "native", None)
    with few_are_many() if how in ("few", "python", "loaded") else nullcontext():
        yield


def evaluated(table: Table, text: str, partner: ClassAd | None, **how: Any) -> list[str]:
    codes, values = table.evaluate(text, partner, context=CONTEXT, **how)
    return [shown(values[code]) for code in codes]


def in_bits(numbers: Sequence[float]) -> list[str]:
    return list(map(repr, numbers))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "every"),
    [("built", 7), ("few", 7), ("python", 31), ("loaded", 23), ("placed", 23), *ALL],
)
def test_values_of_rows(
    how: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, answers = built(how, tmp_path)
    with sizes(how, monkeypatch):
        for turn, text in enumerate(TEXTS):
            if turn % every != (how == "few"):
                continue
            partner = PARTNERS[turn * 5 % len(PARTNERS)] if turn % 3 else None
            assert evaluated(table, text, partner) == answers.texts(text, partner), text
            values = answers.values(text, partner)
            yes = [row for row, value in enumerate(values) if is_true(value)]
            assert list(table.select(text, partner, context=CONTEXT)) == yes, text
            if turn % 3 == 0:
                some = Rows.of(SIZE, Random(turn).sample(range(SIZE), turn % SIZE))
                found = table.select(text, partner, within=some, context=CONTEXT)
                assert list(found) == [row for row in yes if row in some], text
            if turn % 4 == 0:
                convert = CONVERSIONS[turn // 4 % len(CONVERSIONS)]
                numbers = table.numbers(text, partner, convert=convert, context=CONTEXT)
                assert in_bits(numbers) == in_bits(list(map(convert, values))), text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "every"),
    [("built", 31), ("few", 31), ("python", 67), ("loaded", 47), ("placed", 47), *ALL],
)
def test_values_of_partners(
    how: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a partner says of the rows: as an expression, in its requirements and its rank."""
    table, answers = built(how, tmp_path)
    with sizes(how, monkeypatch):
        for turn, text in enumerate(TEXTS):
            if turn % every != (how == "few"):
                continue
            partner = PARTNERS[turn * 3 % len(PARTNERS)]
            found = evaluated(table, text, partner, row_is="target")
            assert found == answers.texts(text, partner, False), text
            job = partner.duplicate()
            job["Requirements"] = ExprTree(text)
            job["Rank"] = ExprTree(f"({text}) + Y" if turn % 2 else text)
            values = answers.values("Requirements", job, False)
            yes = [row for row, value in enumerate(values) if is_true(value)]
            assert list(table.accepted_by(job, context=CONTEXT)) == yes, text
            ranks = list(map(number_of, answers.values("Rank", job, False)))
            assert in_bits(table.rank(job, context=CONTEXT)) == in_bits(ranks), text


def requiring(texts: Sequence[str]) -> list[ClassAd]:
    return rows([{"Requirements": ExprTree(text)} for text in texts])


#: Requirements that differ in their constants, in their conjuncts, in where these stand.
CONJUNCTS = (
    *("TARGET.Y > {}", "I < {}", 'S != "{}" && TARGET.Y < 9', "TARGET.V is {}", "W * {} < Y + 90"),
    *("MY.I >= {} && B", "G && TARGET.Y =!= {}", "(N < {} || TARGET.V =?= {}) && Q > {}", "P"),
    *("P && TARGET.Y == 3", "MY.X && I < {}", "U isnt true && (H > \"node{}\" || E isnt 2)", "C"),
    *("TARGET.Y + {} > I && TARGET.Y + 1 > {}", "TARGET.V", "!(I == {}) && !(I == -{})", "U"),
)  # fmt: skip


def varied() -> Iterator[list[str]]:
    """Lists of requirements."""
    for number, text in enumerate(CONJUNCTS):
        yield [text.replace("{}", str(turn % (3 + number))) for turn in range(SIZE)]
        rng = Random(number)
        yield [
            " && ".join(rng.sample(CONJUNCTS, 2)).replace("{}", str(rng.randrange(6)))
            for _ in range(SIZE)
        ]


@pytest.mark.slow
@pytest.mark.parametrize(("how", "every"), [("built", 2), ("few", 3), ("python", 11)])
def test_requirements_of_rows(how: str, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [TEXTS[start : start + SIZE] for start in range(0, len(TEXTS), 3 * SIZE)]
    with sizes(how, monkeypatch):
        for turn, texts in enumerate([*varied(), *lists]):
            if turn % every:
                continue
            ads = requiring(texts)
            table = Table(ads)
            for step in range(5):
                job = PARTNERS[(turn * 7 + step * 11) % len(PARTNERS)].duplicate()
                job["Requirements"] = ExprTree(TESTS[(turn + step) % len(TESTS)])
                yes = [row for row, ad in enumerate(ads) if accepts(ad, job)]
                assert list(table.accepting(job, context=CONTEXT)) == yes, texts
                both = [row for row in yes if accepts(job, ads[row])]
                assert list(table.match(job, context=CONTEXT)) == both, texts


#: Expressions in which a partner's ``V`` matters.
READING = (
    "TARGET.V", "I + TARGET.V", "TARGET.V < I", "TARGET.V =?= I", "I * TARGET.V + W",
    "S == TARGET.V", "G", "G =?= TARGET.V", "TARGET.V && B", "B || TARGET.V", "TARGET.V ? I : S",
    "TARGET.V ?: I", "strcat(I, TARGET.V)", "isUndefined(TARGET.V)", "member(TARGET.V, L)",
    "size(TARGET.V)", "W > TARGET.V && I < TARGET.V", "TARGET.V.p", "TARGET.V[0]",
    "regexp(TARGET.V, H)", "X + Q", 'stringListMember(TARGET.V, "x,1")', "V", "{I, TARGET.V}",
    "R * TARGET.V", "N == TARGET.V", "TARGET.V / TARGET.V > I", "unparse(TARGET.V)",
    "countMatches(TARGET.V, M) > 0",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("how", ["built", "few"])
def test_partners_are_told_apart(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One table, one expression, partner after partner, in two orders."""
    with sizes(how, monkeypatch):
        for turn, text in enumerate(READING):
            table = Table(ADS)
            order = PARTNERS[how == "few" :: 2] + Random(turn).sample(PARTNERS, 20)
            for step, partner in enumerate(order):
                of_row = (step + turn) % 3 != 0
                seat: Any = "my" if of_row else "target"
                found = evaluated(table, text, partner, row_is=seat)
                assert found == ANSWERS.texts(text, partner, of_row), (text, str(partner))
                if of_row:
                    yes = list(map(is_true, ANSWERS.values(text, partner)))
                    chosen = table.select(text, partner, context=CONTEXT)
                    assert [row in chosen for row in range(SIZE)] == yes, (text, str(partner))


CHANGES: dict[str, Callable[[int], dict[str, Any]]] = {
    "a number": lambda n: {"I": 40 + n},
    "another kind": lambda n: {"I": "x" if n % 2 else 2.5, "S": n, "B": Ellipsis},
    "an expression": lambda n: {"I": ExprTree("Q + 1"), "P": ExprTree(f"I + {n}")},
    "no expression": lambda n: {"X": n, "G": 2, "P": 5, "C": 1},
    "a list": lambda n: {"L": [n, "x"], "M": [n], "A": {"p": n}},
    "something new": lambda n: {"V": n, "Y": ExprTree("I"), "New": 1},
    "nothing": lambda n: {"W": Ellipsis, "G": Ellipsis},
}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["built", "few", "loaded", "python"])
def test_answers_after_rows_have_changed(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that was found before is asked again of other rows."""
    texts = [*READING, *SHAPES[:40], *TEXTS[:: len(TEXTS) // 60]]
    with sizes(how, monkeypatch):
        for what, change in CHANGES.items():
            table, answers = built(how, tmp_path)
            ads = list(answers.ads)
            for step in range(3):
                asked = texts[step :: 5 if how == "built" else 11]
                for turn, text in enumerate(asked):
                    partner = PARTNERS[turn * 3 % len(PARTNERS)]
                    asking = Answers(ads) if step else answers
                    assert evaluated(table, text, partner) == asking.texts(text, partner), what
                for row in range(step, SIZE, 9):
                    ads[row] = ad = ads[row].duplicate()
                    for name, value in change(row).items():
                        if value is Ellipsis:
                            ad.pop(name, None)
                        else:
                            ad[name] = value
                    table.replace(row, ad)


def test_values_are_all_kinds() -> None:
    """What is crossed here has each kind of cell, of value and of verdict."""
    kinds = {cell.__class__.__name__ for column in COLUMNS.values() for cell in column}
    assert kinds >= {"int", "float", "bool", "str", "Value", "datetime", "list", "dict", "NoneType"}
    assert len(VALUES) == len(PARTNERS)
    found = {text.split(" ")[0] for one in TEXTS[::9] for text in ANSWERS.texts(one, PARTNERS[0])}
    assert found >= {"int", "float", "bool", "str", "Value"}
