"""Tables as Python users see them: sequences of ads that show themselves, are copied and shared."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classad import (
    ClassAd,
    ClassAdTypeError,
    EvalContext,
    ExprTree,
    Rows,
    Table,
    Value,
    evaluate_many,
)
from classad.evaluate import evaluate
from classad.language.values import AbsTime, RelTime
from classad.loading.long_form import load_long
from fuzz.tables import at_once

LONG = 'Name = "a"\nCpus = 4\nLoad = 0.5\n\nname = "b"\nCpus = Total\nTags = {1, "x"}\n'


def loaded() -> Table:
    return Table.from_columns(load_long(LONG.encode()))


def of_ads() -> Table:
    return Table(loaded().ads())


# --- a sequence -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [loaded, of_ads])
def test_a_table_is_a_sequence_of_ads(make: Callable[[], Table]) -> None:
    table = make()
    assert [ad["Name"] for ad in table] == ["a", "b"]
    assert (table[0]["Name"], table[-1]["Name"]) == ("a", "b")
    for row in (2, -3):
        with pytest.raises(IndexError, match=f"there is no row {row} in a table of 2"):
            table[row]
    assert [name in table for name in ("cpus", "Load", "Cpu", "a")] == [True, True, False, False]
    assert table[1] in table
    assert ClassAd({"Name": "c"}) not in table
    assert 4 not in table
    assert table["cpus"] == [4, ExprTree("Total")]
    assert table["Load"] == [0.5, None]
    with pytest.raises(KeyError, match="did you mean `Cpus`"):
        table["Cpu"]
    assert list(table.head(1)) == list(table[:1]) == [table[0]]
    assert table[::-1]["Name"] == ["b", "a"]
    assert len(table[5:]) == 0
    assert table[table.select("Cpus == 4")]["Name"] == ["a"]
    assert table[[False, True]]["Name"] == ["b"]
    for wrong in ([True], [0, 1], Rows.of(3, [1]), [True, None], 1.5):
        with pytest.raises((ClassAdTypeError, ValueError, TypeError)):
            table[wrong]
    with pytest.raises(ClassAdTypeError, match="True or False for each of its 2 rows"):
        table[[0, 1]]
    with pytest.raises(
        ClassAdTypeError, match="for some attributes of them give the names to `to_"
    ):
        table[["Name", "Cpus"]]


def test_a_part_of_a_table_is_a_table_of_its_own() -> None:
    table = of_ads()
    part = table[1:]
    part.replace(0, ClassAd({"Name": "c"}))
    assert (part["Name"], table["Name"]) == (["c"], ["a", "b"])
    assert part.update([ClassAd({"Name": "d"})]).size == 2


def test_ads_replace_the_rows_of_their_names_and_the_rest_are_added() -> None:
    table = Table([*of_ads(), ClassAd({"Name": 7}), ClassAd({"Name": 1.5}), ClassAd()])
    assert list(
        table.update([ClassAd({"Name": "a", "Cpus": 9}), ClassAd({"Name": 7, "Cpus": 1})])
    ) == [0, 2]
    assert [table[row].get("Cpus") for row in (0, 2)] == [9, 1]
    assert list(table.update([ClassAd({"Name": "a"}), ClassAd({"Name": "c", "Cpus": 2})])) == [0, 5]
    assert (len(table), table[5]["Cpus"], "Cpus" in table[0]) == (6, 2, False)
    with pytest.raises(ValueError, match="an ad has no Name to tell its row by"):
        table.update([ClassAd({"Name": 1.5})])


def test_a_column_has_its_values_once() -> None:
    codes, values = Table([ClassAd({"A": 1}), ClassAd(), ClassAd({"a": 1})]).column("a")
    assert [values[code] for code in codes] == [1, None, 1]
    with pytest.raises(KeyError):
        of_ads().column("Nothing")
    with pytest.raises(TypeError, match="attribute names are strings"):
        of_ads().column(5)  # type: ignore[arg-type]


def test_parts_of_tables_from_arrow_are_the_same_rows() -> None:
    pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")
    ads = [*KINDS, ClassAd({"x": "text", "y": "b"}), ClassAd({"x": 7, "z": "c"})]
    table = Table.from_arrow(Table(ads))
    table.replace(1, ClassAd({"x": 2, "y": "d"}))
    ads[1] = table[1]
    for rows in (slice(2, 9), slice(None, None, -2), slice(20, None), slice(0, 3), slice(-2, None)):
        assert table[rows] == Table(ads[rows])
        assert table[rows][1:] == Table(ads[rows][1:])
    found = table.select("isString(y)")
    assert table[found]["y"] == ["d", "b"]
    assert list(table[found].select('y == "b"')) == [1]


def test_masks_of_other_packages() -> None:
    numpy = pytest.importorskip("numpy")
    assert loaded()[numpy.array([True, False])]["Name"] == ["a"]
    assert loaded()[numpy.int64(1)]["Name"] == "b"
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")
    assert loaded()[pyarrow.array([False, True])]["Name"] == ["b"]


def test_a_table_is_shown_in_one_line() -> None:
    assert repr(loaded()) == "<Table 2 rows, 4 attributes: Cpus, Load, Name, Tags>"
    assert repr(Table([])) == "<Table 0 rows, 0 attributes>"
    assert repr(Table([ClassAd({"a": 1})])) == "<Table 1 row, 1 attribute: a>"
    wide = repr(Table([ClassAd({f"Attribute{number}": 1 for number in range(100)})]))
    assert len(wide) <= 80
    assert wide.endswith(", ...>")


def test_a_notebook_shows_the_first_rows() -> None:
    ads = [ClassAd({"Name": "<b>", "Long": "x" * 100, "A<": row}) for row in range(9)]
    html = Table([*ads, ClassAd({"Rank": ExprTree('TARGET.a < "&"')})])._repr_html_()
    assert "&lt;Table 10 rows, 4 attributes" in html
    assert html.count("<tr>") == 6
    assert "<b>" not in html
    assert "x" * 50 not in html
    assert "<th>A&lt;</th>" in html


@pytest.mark.parametrize(
    ("target", "strict"),
    [("[My = [Cpus = 1]]", False), ("[Target = 3]", False), ("[Cpus = 1]", True), ("[]", True)],
)
def test_names_that_mislead(target: str, strict: bool) -> None:
    """A target with an attribute ``My``, or strict semantics: each row is asked by itself."""
    partner, context = ClassAd(target), EvalContext(strict=strict)
    rows = [ClassAd(f"[Cpus = {cpus}; Requirements = Cpus > 1]") for cpus in (1, 2, 3, 1, 2)]
    for text in ("Cpus > 1", "MY.Cpus > 2", "TARGET.Cpus == 1", "Nope == 1", "MY.Cpus < 2"):
        wanted = [evaluate(text, row, partner, context=context) for row in rows]
        table = Table(rows)
        found = [row for row, value in enumerate(wanted) if value is True]
        assert list(table.select(text, partner, context=context)) == found
        codes, values = table.evaluate(text, partner, context=context)
        assert [values[code] for code in codes] == wanted


# --- values ---------------------------------------------------------------------------------------

KINDS = [
    ClassAd({"x": value})
    for value in (1, 2.5, True, "a", None, Value.Error, AbsTime(5, 3600), RelTime(1.5), [1, "b"])
] + [ClassAd("[x = [a = 1; b = a]]"), ClassAd("[x = y + 1; y = 2]"), ClassAd(), ClassAd("[x = x]")]


@pytest.mark.parametrize("text", ["x", "{x}", "[y = x]", "x + 1", 'relTime("5")', "MY.x"])
def test_values_are_those_of_eval(text: str) -> None:
    context = EvalContext(now=5.0)
    codes, values = Table(KINDS).evaluate(text, context=context)
    found = [values[code] for code in codes]
    wanted = [ExprTree(text).eval(ad, context=context) for ad in KINDS]
    assert [(type(value), repr(value)) for value in found] == [
        (type(value), repr(value)) for value in wanted
    ]
    assert list(map(repr, found)) == list(map(repr, evaluate_many(text, KINDS, context=context)))


def test_columns_have_the_values_of_ads() -> None:
    for table in (Table(KINDS), Table(KINDS)[:]):
        assert [(type(value), repr(value)) for value in table["x"]] == [
            (type(ad.get("x")), repr(ad.get("x"))) for ad in KINDS
        ]


def test_a_list_that_fails_as_a_whole_is_an_error() -> None:
    """The evaluation goes on, as in HTCondor's library."""
    chain = "; ".join(f"A{number} = A{number + 1}" for number in range(500))
    ad = ClassAd(f"[{chain}; A500 = {{[a = 1]}}; n = countMatches(true, A0)]")
    with pytest.raises(Exception, match="failed to evaluate"):
        ad.eval("A0")
    asked = {
        "n": Value.Error, "isError(n)": True, "n || true": Value.Error, "true || n": True,
        "evalInEachContext(1, A0)": Value.Error, "{evalInEachContext(1, A0) =?= error}[0]": True,
        "ifThenElse(isError(evalInEachContext(a, A0)), 7, 8)": 7,
    }  # fmt: skip
    asked["n || true"] = ExprTree("error || true").eval()
    for text, wanted in asked.items():
        assert ExprTree(text).eval(ad) == wanted, text
        codes, values = Table([ad, ad]).evaluate(text)
        assert [values[code] for code in codes] == [wanted, wanted], text


# --- copies ---------------------------------------------------------------------------------------


def copies(table: Table) -> Iterator[Table]:
    yield pickle.loads(pickle.dumps(table))
    yield pickle.loads(pickle.dumps(table, protocol=2))
    yield copy.deepcopy(table)


def test_tables_are_copied_exactly() -> None:
    chained, cluster = ClassAd({"ProcId": 1, "Rank": ExprTree("Prio * 2")}), ClassAd({"Prio": 5})
    chained.chain(cluster)
    odd = ClassAd({"r": 0.1 + 0.2, "inf": float("inf"), "s": b"caf\xe9", "t": AbsTime(1, 90)})
    asked = of_ads()
    assert list(asked.select("Cpus > 3")) == [0]
    replaced = loaded()
    replaced.replace(0, ClassAd({"Name": "z"}))
    for table in (loaded(), asked, replaced, Table([chained, odd, *KINDS]), Table([], budget=5)):
        for twin in copies(table):
            assert twin == table
            assert [list(ad.names()) for ad in twin] == [list(ad.names()) for ad in table]
            assert list(twin.select("Cpus > 3")) == list(table.select("Cpus > 3"))
            assert list(twin.select("Rank == 10")) == list(table.select("Rank == 10"))


def test_a_copy_is_a_table_of_its_own() -> None:
    table = of_ads()
    for twin in copies(table):
        twin.replace(0, ClassAd({"Name": "z"}))
        assert (twin["Name"], table["Name"]) == (["z", "b"], ["a", "b"])


def test_tables_from_arrow_are_copied(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")
    table = Table.from_arrow(Table([*KINDS, ClassAd({"y": "b", "z": "c"})]))
    for twin in copies(table):
        assert twin == table
        assert list(twin.select('y == "b" && z == "c"')) == [len(KINDS)]


# --- threads --------------------------------------------------------------------------------------


def test_of_rows_with_one_name_the_first_gets_the_newer_ad() -> None:
    table = Table([ClassAd({"Name": name, "Cpus": 1}) for name in "aba"])
    assert list(table.update([ClassAd({"Name": "a", "Cpus": 9})])) == [0]
    assert table["Cpus"] == [9, 1, 1]


def slots(count: int = 60) -> list[ClassAd]:
    return [
        ClassAd(
            f'[Name = "s{row}"; Cpus = {row % 7}; Memory = {row * 37 % 11}; Half = Memory / 2;'
            f" Requirements = TARGET.Want <= Cpus && TARGET.Most >= Half; Rank = TARGET.Want]"
        )
        for row in range(count)
    ]


def jobs() -> list[ClassAd]:
    return [
        ClassAd(
            f"[Want = {number % 5}; Most = {number % 4}; Rank = TARGET.Memory - {number};"
            f" Requirements = TARGET.Memory > {number % 6} || TARGET.Cpus == {number}]"
        )
        for number in range(24)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1 << 29, 3000])
def test_threads_get_the_answers_that_one_gets(budget: int) -> None:
    """Also when there is no room, so that what was found is forgotten again and again."""
    ads, queue = slots(), jobs()
    texts = [f"Half + {number} > Cpus * Want" for number in range(24)]

    def answers(table: Table, number: int) -> tuple[Any, ...]:
        job = queue[number]
        codes, values = table.evaluate(texts[number], job)
        return (
            list(table.match(job)), list(table.select(texts[number], job)),
            table.rank(job).tolist(), [values[code] for code in codes],
            list(table.accepting(job)), table["Half"], table.names,
        )  # fmt: skip

    wanted = [repr(answers(Table(slots()), number)) for number in range(24)]
    for table in (Table(ads, budget=budget), Table(slots(), budget=budget)):

        def ask(thread: int, table: Table = table) -> None:
            for turn in range(48):
                number = (turn * (thread + 1) + thread) % 24
                assert repr(answers(table, number)) == wanted[number]

        at_once(ask)


def test_threads_change_a_table_row_by_row() -> None:
    table, count = Table(slots(40)), 40

    def change(thread: int) -> None:
        for turn in range(30):
            for row in range(thread, count, 4):
                table.replace(row, ClassAd({"Name": f"s{row}", "Cpus": turn, "Memory": -turn}))
            mine = Rows.of(count, range(thread, count, 4))
            assert table.select(f"Cpus == {turn} && Memory + Cpus == 0", within=mine) == mine

    at_once(change)
    assert table["Cpus"] == [29] * count
    assert list(table.select("Cpus == 29 && Memory == -29")) == list(range(count))


def test_threads_add_rows() -> None:
    table = Table([ClassAd({"Name": "first", "N": 0})])

    def add(thread: int) -> None:
        for turn in range(20):
            table.update([ClassAd({"Name": f"{thread}.{turn}", "N": turn})])
            assert table.select(f'Name == "{thread}.{turn}" && N == {turn}')

    at_once(add)
    assert len(table) == 81
    assert sorted(table["Name"])[:2] == ["0.0", "0.1"]
