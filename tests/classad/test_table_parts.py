"""The parts that tables are made of do what their simplest definition does."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from classad import ClassAd, ExprTree, Rows, kernels
from classad.ads.expression import Expression
from classad.formats.unparse import unparse_value
from classad.language.operators import BINARY, UNARY, choose
from classad.language.values import ERROR, UNDEFINED, AbsTime
from classad.loading.long_form import load_long
from classad.table import Table, arrays
from classad.table.memo import Budget, Memo
from classad.table.store.columns import Column, cell_key, in_use, is_nested, is_open
from classad.table.vectors import (
    Vector,
    apply,
    binary,
    conditional,
    count_holding,
    logical,
    unary,
)
from tests.classad.crossed import COLUMNS, SIZE, rows

BACKENDS = [pytest.param(kernels.native, id="c"), pytest.param(None, id="python")]
SIZES = (0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 130)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "native", request.param)


# ---- sets of rows


def some(rng: Random, size: int) -> set[int]:
    return {row for row in range(size) if rng.random() < rng.choice((0.05, 0.5, 0.95))}


def test_sets_of_rows(backend: None) -> None:
    rng = Random(3)
    for size, _ in product(SIZES, range(6)):
        one, other = some(rng, size), some(rng, size)
        left, right = Rows.of(size, sorted(one)), Rows.of(size, list(other))
        for found, wanted in (
            (left, one),
            (left & right, one & other),
            (left | right, one | other),
            (left ^ right, one ^ other),
            (left - right, one - other),
            (~left, set(range(size)) - one),
            (left.copy(), one),
            (Rows.all(size), set(range(size))),
        ):
            assert list(found) == sorted(wanted)
            assert (len(found), bool(found)) == (len(wanted), bool(wanted))
            assert found.first() == min(wanted, default=None)
            assert found.mask() == bytes(row in wanted for row in range(size))
            assert [row in found for row in range(-2, size + 2)] == [
                row in wanted for row in range(-2, size + 2)
            ]
            assert found == Rows.of(size, wanted)
            assert found != Rows(size + 1, found.bits)
            assert found != sorted(wanted)
            assert repr(found) == f"<Rows {len(wanted)} of {size}>"
        for row in range(size):
            left.add(row) if row % 2 else left.discard(row)
            one.add(row) if row % 2 else one.discard(row)
        left.discard(size)
        left.discard(-1)
        assert list(left) == sorted(one)


@pytest.mark.parametrize("row", [-1, 8, 9, 2**31, -(2**31) - 1])
def test_rows_that_there_are_not(row: int) -> None:
    words = "such rows" if abs(row) > 2**30 else f"row {row}"
    with pytest.raises(IndexError, match=words):
        Rows.of(8, [3, row, 4])
    with pytest.raises(IndexError):
        Rows(8).add(row)
    Rows(8).discard(row)
    with pytest.raises(ValueError, match="8 and 9"):
        Rows(8) & Rows(9)
    with pytest.raises(ValueError, match="9 rows, not 8"):
        Table(ClassAd() for _ in range(8)).select("true", within=Rows(9))


def test_the_best_rows_in_their_order(backend: None) -> None:
    """Up to sixteen rows keep the order of equal ones (``classad.kernels``)."""
    rng = Random(4)
    for size in (1, 2, 5, 12):
        table = Table(ClassAd() for _ in range(size))
        for _ in range(12):
            chosen = some(rng, size)
            keys = [array("d", [rng.randrange(3) for _ in range(size)]) for _ in range(2)]
            wanted = sorted(chosen, key=lambda row: tuple(-key[row] for key in keys))
            assert table.order(Rows.of(size, chosen), keys) == wanted
            assert table.best(Rows.of(size, chosen), keys) == wanted[:1]
            assert table.best(Rows.of(size, chosen), keys, 3) == wanted[:3]


# ---- arrays


def test_pairs_are_numbered_as_they_come(backend: None) -> None:
    rng = Random(5)
    for size, kinds in product(SIZES, (1, 3, 50)):
        left = array("i", [rng.randrange(kinds) for _ in range(size)])
        right = array("i", [rng.randrange(kinds) for _ in range(size)])
        wanted: dict[object, int] = {}
        numbers = [wanted.setdefault(pair, len(wanted)) for pair in zip(left, right, strict=True)]
        codes, first = arrays.number_pairs(left, right)
        assert list(codes) == numbers
        assert [(left[row], right[row]) for row in first] == list(wanted)
        assert [numbers.index(number) for number in range(len(wanted))] == list(first)


def test_rows_and_bits(backend: None) -> None:
    rng = Random(6)
    for size, _ in product(SIZES, range(4)):
        chosen = sorted(some(rng, size))
        bits = sum(1 << row for row in chosen)
        assert arrays.bits_of(array("i", chosen), size) == bits
        assert list(arrays.rows_of(bits)) == chosen
        other = sum(1 << row for row in some(rng, size))
        assert arrays.without(bits, other) == bits & ~other
        codes = array("i", [rng.randrange(4) for _ in range(size)])
        table = bytes(rng.randrange(4) for _ in range(4))  # its last bit counts
        assert arrays.flag(codes, None, table, size) == sum(
            1 << row for row, code in enumerate(codes) if table[code] & 1
        )
        few = array("i", [codes[row] for row in chosen])
        assert arrays.flag(few, array("i", chosen), table, size) == sum(
            1 << row for row in chosen if table[codes[row]] & 1
        )
        kinds = bytearray(size)
        arrays.mark(kinds, array("i", chosen), 200)
        assert kinds == bytes(200 * (row in chosen) for row in range(size))
        for values in (array("i", range(size)), array("d", range(size)), array("B", range(size))):
            assert list(arrays.pick(values, array("i", chosen[::-1]))) == chosen[::-1]


@pytest.mark.parametrize("place", range(11))
@pytest.mark.parametrize("rows", [None, array("i", range(11))])
def test_a_code_beyond_the_table_is_refused(
    backend: None, place: int, rows: array[int] | None
) -> None:
    codes = array("i", [3] * 11)
    assert arrays.flag(codes, rows, b"\0\0\0\1", 11) == 2**11 - 1
    codes[place] = 4
    with pytest.raises((ValueError, IndexError)):
        arrays.flag(codes, rows, b"\0\0\0\1", 11)


# ---- columns


CELLS: list[Any] = [
    *(0, 1, -1, 2, 2**53, 2**53 + 1, 2.0**53, 0.0, -0.0, 1.0, 2.5, math.inf, -math.inf, math.nan),
    *(True, False, "", "a", "A", "1", UNDEFINED, ERROR, None, AbsTime(5, 0), AbsTime(5, 60)),
    *(ClassAd({"v": value}).raw("v") for value in ([1, 2], [1.0, 2], [], {"p": 1}, {"P": 1})),
    *(ClassAd(f"[v = {text}]").raw("v") for text in ("A + 1", "{A}", "[p = A]", "a + 1")),
]  # fmt: skip


def told(cell: Any) -> tuple[str, str]:
    """What tells a cell from others."""
    if cell.__class__ is Expression:
        return "expression", str(cell)
    return cell.__class__.__name__, "nothing" if cell is None else unparse_value(cell)


def well_formed(column: Column, cells: list[Any]) -> None:
    """A column that says of each row what it has, numbers first and rising, each once."""
    assert [told(column.values[code]) for code in column.codes] == list(map(told, cells))
    assert len(set(map(told, column.values))) == len(column.values)
    numbers = column.values[: column.ordered]
    assert all(value.__class__ in (int, float) for value in numbers)
    assert all(one <= other for one, other in pairwise(numbers))
    assert column.expressions == {n for n, value in enumerate(column.values) if is_open(value)}


def test_columns_of_any_cells(backend: None) -> None:
    rng = Random(7)
    lists = [CELLS, CELLS[::-1], CELLS[:7], CELLS[7:14], CELLS[14:16], CELLS[16:20], [None] * 3, []]
    lists += [[rng.choice(CELLS) for _ in range(rng.randrange(30))] for _ in range(60)]
    lists += [[rng.choice(CELLS[:14]) for _ in range(20)] for _ in range(30)]
    for cells in lists:
        column = Column.of(cells)
        well_formed(column, cells)
        numbers = [c for c in column.values if c.__class__ in (int, float) and c == c]
        assert column.ordered == len(numbers)
        for row in rng.sample(range(len(cells)), len(cells) // 2):
            before, cell = cells[row], rng.choice(CELLS)
            same = told(before) == told(cell)
            concerned = not same and (is_open(before) or is_open(cell))
            assert column.give([(row, cell)]) == (not same, concerned)
            cells = [*cells[:row], cell, *cells[row + 1 :]]
            assert told(column.cell(row)) == told(cell)
        assert [told(column.cell(row)) for row in range(len(cells))] == list(map(told, cells))
        used, codes = in_use(column.codes, len(column.values))
        assert used == sorted(set(column.codes))
        assert [used[code] for code in codes] == list(column.codes)


def test_cells_are_told_apart() -> None:
    """Also by the spelling of names in ads, which printing shows."""
    for one, other in product(CELLS, CELLS):
        assert (cell_key(one) == cell_key(other)) is (told(one) == told(other)), (one, other)
    assert [told(cell)[1] for cell in CELLS if is_nested(cell)] == [
        "{ 1,2 }", "{ 1.000000000000000E+00,2 }", "{  }", "[ p = 1 ]", "[ P = 1 ]", "{ A }",
        "[ p = A ]",
    ]  # fmt: skip
    assert [told(cell)[1] for cell in CELLS if is_open(cell)] == [
        "A + 1", "{ A }", "[ p = A ]", "a + 1",
    ]  # fmt: skip


def test_ads_whose_names_are_spelled_otherwise_are_other_values() -> None:
    ads = [
        ClassAd(f"[A = {text}; N = 1]") for text in ("[p = 1]", "[P = 1]", "{[p = 1]}", "{[P = 1]}")
    ]
    table = Table([*ads, *ads])
    codes, values = table.evaluate("string(A)")
    wanted = ["[ p = 1 ]", "[ P = 1 ]", "{ [ p = 1 ] }", "{ [ P = 1 ] }"]
    assert [values[code] for code in codes] == wanted * 2


# ---- parts of tables


def test_parts_see_their_rows(backend: None) -> None:
    table = Table(rows())
    store, rng = table.store, Random(8)
    names = [name.lower() for name in COLUMNS]
    for turn in range(40):
        bits = (1 << SIZE) - 1 if turn % 4 == 0 else rng.randrange(1, 1 << SIZE)
        part = store.part(bits)
        assert store.part(bits) is part
        places = [row for row in range(SIZE) if bits >> row & 1]
        assert list(range(SIZE) if part.rows is None else part.rows) == places
        for name in names:
            whole = store.column(name)
            assert whole is not None
            cells = [whole.cell(row) for row in places]
            view = part.view(name)
            assert [told(view.values[code]) for code in view.codes] == list(map(told, cells))
            assert part.rows is None or set(view.codes) == set(range(len(view.values)))
            rising = view.values[: view.ordered]
            assert all(one <= other for one, other in pairwise(rising))
            count = sum(v.__class__ in (int, float) and v == v for v in view.values)
            assert view.ordered == count
            assert view.expressions == {n for n, v in enumerate(view.values) if is_open(v)}
            assert part.has_expressions(name) is any(map(is_open, cells))
            assert part.constant(name) is (len(set(map(told, cells))) == 1)
            pieces = [
                (row, told(cell) if is_open(cell) else ("NoneType", "nothing"))
                for row, cell in zip(places, cells, strict=True)
            ]
            split = [(row, told(c)) for c, s in part.split(name) for row in arrays.rows_of(s)]
            assert sorted(split) == pieces
        chosen = tuple(sorted(rng.sample(names, rng.choice((1, 2, 3)))))
        joint = part.joint(chosen)
        columns = [store.column(name) for name in chosen]
        combinations = [[told(c.cell(row)) for c in columns if c] for row in places]
        samples = [list(map(told, cells)) for cells in joint.samples]
        assert [samples[code] for code in joint.codes] == combinations
        row, varying = part.base(chosen)
        assert varying == tuple(name for name in chosen if not part.constant(name))
        assert set(row._attrs) <= set(chosen) - set(varying)


# ---- vectors


def shown(values: Any) -> list[tuple[str, str]]:
    return [(value.__class__.__name__, repr(value)) for value in values]


MANY: list[list[Any]] = [
    [n * 3 for n in range(300)],
    [float(n) for n in range(300)],
    [*range(290), "a", True, UNDEFINED, ERROR],
    [*range(290), *(f"t{n}" for n in range(20))],
    [f"t{n % 40}" for n in range(300)],
    [*(f"t{n}" for n in range(40)), "T3", "t3 "],
    [True, False, UNDEFINED, ERROR, 1, 0, 2.5, "x", math.nan, AbsTime(1, 0)] * 3,
    [1, 2.5, True] * 9,
    [UNDEFINED] * 20,
    [ERROR, UNDEFINED] * 9,
    ["x"] * 20,
]
ONES: list[Any] = [
    *(0, 5, 5.5, -1, 10**6, "t3", "T3", "t99", "", True, False, UNDEFINED, ERROR, math.nan),
    *(math.inf, 2**53, AbsTime(1, 0)),
    # Just below and at the last values of columns, and the first ones.
    *(897, 896, 298.5, 299, 289, 288.5, 0.5, 1, 3),
]


@pytest.mark.slow
def test_vectors_of_many_values(backend: None) -> None:
    symbols = ("<", "<=", ">", ">=", "==", "!=", "=?=", "=!=", "+", "*", "/", "&&", "||", "?:")
    for values in MANY:
        rising = len([value for value in values if value.__class__ in (int, float)])
        for number, (one, symbol) in enumerate(product(ONES, symbols)):
            if len(values) > 99 and number % 4 and symbol not in ("<", ">="):
                continue
            function: Callable[..., Any] = BINARY[symbol].implementation
            many, single = Vector.of(values), Vector.constant(one)
            many.ordered = rising if rising > 200 else 0
            for left, right in ((many, single), (single, many)):
                found = binary(symbol, left, right)
                wanted = [
                    function(value, one) if left is many else function(one, value)
                    for value in values
                ]
                assert shown(found.values()) == shown(wanted), (symbol, one)
                assert list(found.judged()) == list(map(logical, wanted))
                assert shown(map(found.value, range(len(values)))) == shown(wanted)
                assert (len(found), found.step) == (len(values), 1)
                assert found.shared() is None
        for symbol, row in UNARY.items():
            found = unary(symbol, Vector.of(values))
            assert shown(found.values()) == shown(map(row.implementation, values))
        then, other = Vector.of(values[::-1]), Vector.constant("no")
        found = conditional(Vector.of(values), then, other)
        wanted = [choose(a, b, "no") for a, b in zip(values, values[::-1], strict=True)]
        assert shown(found.values()) == shown(wanted)
        joined = apply(lambda a, b: f"{a!r}{b!r}", [Vector.of(values), other])
        assert joined.values() == [f"{value!r}'no'" for value in values]


def test_what_is_known_of_vectors(backend: None) -> None:
    for values in MANY:
        vector = Vector.of(values)
        elsewhere = [n for n, value in enumerate(values) if value.__class__ in (str, AbsTime)]
        held = range(len(values)) if vector.others.__class__ is list else vector.others
        assert list(held) == elsewhere
        texts = all(value.__class__ is str for value in values)
        assert vector.texts() == (values if texts else None)
        assert vector.texts() == (values if texts else None)
        assert Vector.constant(values[0]).texts() is None
        assert shown([Vector.constant(values[0]).shared()]) == shown([values[0]])
        places = array("i", [len(values) - 1, 0, 0, len(values) // 2])
        assert shown(vector.picked(places).values()) == shown(values[place] for place in places)
        for value in values[:5]:
            near = vector.near(value)
            equal = [n for n, each in enumerate(values) if repr(each) == repr(value)]
            assert set(equal) <= set(near)
        for single, other in product((False, True), (0.0, -3.25)):
            found = vector.numbers(single, other)
            if found is not None:
                wanted = [
                    float(value) if value.__class__ in (int, float, bool) else other
                    for value in values
                ]
                wanted = list(array("f", wanted)) if single else wanted
                assert list(found) == wanted
        has_nan = any(value != value for value in values if value.__class__ is float)
        assert (vector.numbers(False, 0.0) is None) is (has_nan or kernels.native is None)
    assert [len(Vector.booleans([True, False])), Vector.booleans([True]).value(0)] == [2, True]


def test_runs_of_values_that_hold(backend: None) -> None:
    rng = Random(9)
    for size in SIZES:
        judged = bytes(rng.randrange(4) for _ in range(size))
        cuts = sorted(rng.randrange(size + 1) for _ in range(5))
        ends = array("i", [0, *cuts, size])
        wanted = [judged[a:b].count(1) for a, b in pairwise(ends)]
        assert count_holding(judged, ends).values() == wanted


# ---- what is kept


class Kept:
    def __init__(self, cost: int) -> None:
        self.cost = cost


def test_results_within_a_budget() -> None:
    """All of them go when one more would be too much; what is counted is what there is."""
    rng = Random(10)
    for limit in (0, 10, 100, 1000):
        budget = Budget(limit)
        homes: list[dict[int, Kept]] = [{}, {}, {}]
        for _ in range(300):
            home, key = rng.choice(homes), rng.randrange(6)
            before = {id(one): dict(one) for one in homes}
            if rng.random() < 0.8:
                fresh = Kept(rng.randrange(1, 40))
                total = sum(kept.cost for one in homes for k, kept in one.items())
                total += fresh.cost - (home[key].cost if key in home else 0)
                budget.add(home, key, fresh)
                if total > limit:
                    assert [len(one) for one in homes] == [int(one is home) for one in homes]
                else:
                    assert home == {**before[id(home)], key: fresh}
            else:
                low = rng.randrange(40)
                budget.drop(home, None if low > 35 else lambda kept, low=low: kept.cost < low)
                assert home == (
                    {} if low > 35 else {k: v for k, v in before[id(home)].items() if v.cost >= low}
                )
            assert budget.spent == sum(kept.cost for one in homes for kept in one.values())
            assert budget.held == budget.spent
        budget.clear()
        assert (budget.spent, homes) == (0, [{}, {}, {}])


def test_notes_are_counted() -> None:
    rng, budget = Random(11), Budget(1000)
    notes: Memo[int, int] = Memo(budget)
    sizes: dict[int, int] = {}
    for turn in range(300):
        key = rng.randrange(9)
        if rng.random() < 0.8:
            sizes[key] = rng.randrange(50)
            assert notes.keep(key, turn, sizes[key]) == turn
        elif turn % 7 == 0:
            notes.drop()
            sizes.clear()
        else:
            notes.drop(lambda each, key=key: each < key)  # type: ignore[misc]
            sizes = {each: size for each, size in sizes.items() if each >= key}
        assert (budget.noted, notes.keys()) == (sum(sizes.values()), sizes.keys())


# ---- tables as they are handed out


def test_tables_tell_what_they_hold() -> None:
    ads = rows([{"New": ExprTree("I")}, {}])
    table = Table(ads)
    assert len(table) == SIZE
    assert table.names == sorted({name for ad in ads for name in ad}, key=str.lower)
    assert set(table.keys) == {name.lower() for name in table.names}
    assert [table.has(name) for name in ("new", "NEW", "other")] == [True, True, False]
    for name in table.names:
        codes, values = table.column(name)
        cells = [ad._attrs.get(name.lower()) for ad in ads]
        assert [told(values[code]) for code in codes] == list(map(told, cells))
    codes, values = table.cells("other")
    assert [values[code] for code in codes] == [None] * SIZE
    assert list(table.ads(Rows.of(SIZE, [5, 3]))) == [ads[3], ads[5]]
    assert list(table.ads()) == ads
    with pytest.raises(KeyError, match="no ad has an attribute `other`"):
        table.column("other")


@pytest.mark.parametrize("replaced", [(), (7, 21), tuple(range(30))])
def test_ads_of_rows_that_were_loaded(backend: None, replaced: tuple[int, ...]) -> None:
    """Whether few are wanted or many, some again, and some in the place of others."""
    size, rng = 60, Random(12)
    blocks = [f"A = {n}\nB = A + {n}\n" + (f'C = "c{n}"\n' if n % 3 else "") for n in range(size)]
    table = Table.from_columns(load_long("\n".join(blocks).encode()))
    wanted = [f"A = {n}" for n in range(size)]
    for row in replaced:
        table.replace(row, ClassAd({"A": -row, "D": row}))
        wanted[row] = f"A = {-row}"

    def first(ad: ClassAd) -> str:
        return ad.printOld().splitlines()[0]

    for count in (0, 1, 2, 5, 6, 7, 30, 60):
        rows = sorted(rng.sample(range(size), count))
        assert [first(ad) for ad in table.ads(Rows.of(size, rows))] == [wanted[n] for n in rows]
    assert list(map(first, table.ads())) == wanted
    assert table.ad(7) is table.ad(7)
    assert [first(table.ad(row)) for row in range(size)] == wanted
    assert list(map(first, table.ads())) == wanted
    assert table.names == ["A", "B", "C", *(["D"] if replaced else [])]
    codes, values = table.apply(lambda ad: str(ad.eval("B")) if "B" in ad else "none", ["B"])
    sums = ["none" if n in replaced else str(2 * n) for n in range(size)]
    assert [values[code] for code in codes] == sums
    data = b"A = 1\nB = random(5) < 9\n\nA = 2\nB = unparse(A)\n\nA = 3\n"
    odd = Table.from_columns(load_long(data))
    codes, values = odd.apply(lambda ad: str(ad.eval("B")) if "B" in ad else "none", ["B"])
    assert [values[code] for code in codes] == ["True", "2", "none"]
    seen = odd.sight(["B"])
    assert (sorted(seen.names), list(arrays.rows_of(seen.row_by_row))) == (["a", "b"], [0, 1])


def test_newer_ads_by_their_names() -> None:
    """Of rows with one name the first is replaced; names are strings or integers."""
    names: list[Any] = ["a", "b", 1, 1.5, True, None, "a", ExprTree("Row + 3"), "1", 1]
    ads = [ClassAd() for _ in names]
    for ad, (row, name) in zip(ads, enumerate(names), strict=True):
        ad["Row"] = row
        if name is not None:
            ad["Name"] = name
    table = Table(ads, budget=12345)
    table.select("Row > 1")
    changed = table.update(ClassAd({"Name": name, "Row": 100}) for name in ("a", 1, "1"))
    assert list(changed) == [0, 2, 8]
    assert [ad["Row"] for ad in table.ads()] == [100, 1, 100, 3, 4, 5, 6, 7, 100, 9]
    assert list(table.select("Row > 50")) == [0, 2, 8]
    added = table.update([ClassAd({"Name": n, "Row": 7}) for n in ("b", "new", "c", "new")])
    assert (len(table), list(added)) == (12, [1, 10, 11])
    assert list(table.select("Row == 7")) == [1, 7, 10, 11]
    assert table._budget.limit == 12345
    assert list(table.update([ClassAd({"Row": 4, "X": 1})], key="Row")) == [4]
    for bad in (1.5, True, ExprTree("1 + 1")):
        with pytest.raises(ValueError, match="no Name"):
            table.update([ClassAd({"Name": bad})])
    with pytest.raises(ValueError, match="no Name"):
        table.update([ClassAd()])
