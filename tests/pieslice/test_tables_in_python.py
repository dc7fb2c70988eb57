"""Tables of answers and of pools in Python: shown, filtered, sorted, read by other packages."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pieslice
from classad import ClassAd, Table
from pieslice.negotiate.answer import Cycle
from pieslice.reports.result import Cell, DataTable

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")

CELLS: st.SearchStrategy[Cell] = st.none() | st.integers(-9, 9) | st.sampled_from(["a", "b", "C"])
TABLES = st.lists(st.tuples(CELLS, st.integers(0, 3))).map(
    lambda rows: DataTable("some", ("left", "right"), tuple(rows))
)


@pytest.fixture(scope="module")
def pool() -> pieslice.Pool:
    return pieslice.read(CAMPUS)


@pytest.fixture(scope="module")
def cycle(pool: pieslice.Pool) -> Cycle:
    return pool.negotiate()


# --- tables of answers ----------------------------------------------------------------------------


@given(TABLES)
def test_sorting_keeps_the_rows_and_puts_what_is_missing_last(table: DataTable) -> None:
    for descending in (False, True):
        found = table.sort("left", descending=descending)
        assert sorted(map(repr, found.rows)) == sorted(map(repr, table.rows))
        kinds = [None if cell is None else isinstance(cell, str) for cell in found["left"]]
        known = [kind for kind in kinds if kind is not None]
        assert kinds == [*known, *[None] * (len(kinds) - len(known))]
        assert known == sorted(known, reverse=descending)


@given(TABLES)
def test_columns_after_the_first_decide_between_equal_rows(table: DataTable) -> None:
    found = table.sort("right", "left").rows
    assert [row[1] for row in found] == sorted(row[1] for row in table.rows)  # type: ignore[type-var]
    for number in range(4):
        mine = tuple(row for row in found if row[1] == number)
        assert mine == table.filter(right=number).sort("left").rows


@given(TABLES, st.integers(-9, 9))
def test_an_expression_a_function_and_a_value_filter_alike(table: DataTable, number: int) -> None:
    by_value = table.filter(left=number)
    assert by_value.rows == table.filter(f"left == {number}").rows
    assert by_value.rows == table.filter(lambda row: row["left"] == number).rows
    rest = table.filter(f"(left == {number}) =!= true")
    assert len(rest) + len(by_value) == len(table)


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.filter("lef > 1"),
        lambda table: table.filter(lef=1),
        lambda table: table.sort("lef"),
        lambda table: table["lef"],
    ],
)
def test_a_column_that_there_is_not_is_an_error_with_those_that_there_are(ask: Any) -> None:
    with pytest.raises(KeyError, match="no column `lef`; there are left, right"):
        ask(DataTable("some", ("left", "right"), ()))


def test_a_table_shows_its_rows_at_the_prompt(cycle: Cycle) -> None:
    text = repr(cycle.matches)
    assert text.startswith("matches: 20 rows, 12 columns\n")
    assert text.count("\n  slot") == 0
    assert sum(f" {slot} " in text for slot in cycle.matches["slot"]) == 10
    assert text.endswith("\n  and 10 more rows")
    assert "--" not in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_an_answer_names_its_tables(pool: pieslice.Pool, cycle: Cycle) -> None:
    for answer in (cycle, pool.rank("15.0"), pool.quotas(), pieslice.check(CAMPUS)):
        assert answer.tables
        assert set(answer.tables) <= set(dir(answer))
        assert all(isinstance(getattr(answer, name), DataTable) for name in answer.tables)


def test_other_packages_read_tables_of_answers_as_they_are(cycle: Cycle) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for name in cycle.tables:
        table = getattr(cycle, name)
        found = pyarrow.table(table)
        assert (found.num_rows, found.column_names) == (len(table), list(table.columns))
        assert found.to_pylist() == list(table)


def test_polars_reads_them_too(cycle: Cycle) -> None:
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(cycle.matches)["slot"].to_list() == cycle.matches["slot"]


def test_a_column_of_texts_and_numbers_is_one_of_texts_for_others() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    mixed = DataTable("some", ("x",), ((1,), ("a",), (None,)))
    assert pyarrow.table(mixed).to_pylist() == [{"x": "1"}, {"x": "a"}, {"x": None}]


def test_a_match_of_a_free_slot_is_free(pool: pieslice.Pool, cycle: Cycle) -> None:
    ways = cycle.matches["kind"]
    assert (ways.count("free"), ways.count("priority")) == (5, 15)
    assert pool.rank("15.0").slots["kind"][0] == "free"
    # JSON is read by programs, and stays.
    assert [match["kind"] for match in cycle.to_dict()["matches"]].count("none") == 5


# --- tables of a pool -----------------------------------------------------------------------------


def test_a_pool_has_its_ads_in_tables(pool: pieslice.Pool) -> None:
    facts = pool.capture.facts
    assert [len(pool.slots), len(pool.jobs)] == [facts.slots, facts.jobs]
    assert len(pool.submitters.filter("IdleJobs > 0")) == 5
    assert all(isinstance(one, Table) for one in (pool.slots, pool.jobs, pool.claims))
    assert set(pool.claims["Name"]) < set(pool.slots["Name"])
    assert len(pool.claims.filter('State == "Claimed"')) == len(pool.claims) == 47


def test_what_is_done_with_a_table_changes_no_pool(pool: pieslice.Pool) -> None:
    slots = pool.slots
    slots.ad(0)["Name"] = "another"
    assert "another" not in pool.slots["Name"]


def test_tables_of_ads_are_filtered_and_sorted_by_expressions() -> None:
    ads = [{"Cpus": 4}, {"Cpus": "x"}, {"Cpus": 8}, {}, {"Cpus": 1.5}]
    table = Table(map(ClassAd, ads))
    rows = [ad.get("Cpus") for ad in table.sort("Cpus")]
    assert rows == [1.5, 4, 8, "x", None]
    assert [ad.get("Cpus") for ad in table.sort("-Cpus")][:3] == [8, 4, 1.5]
    assert table.filter("Cpus > 2")["Cpus"] == [4, 8]
    assert list(table.filter("Cpus > 2")) == [table.ad(row) for row in table.select("Cpus > 2")]
    assert table.columns == table.names
    assert table.cached_bytes == table.held


# --- the order of arguments -----------------------------------------------------------------------


def test_the_pool_of_a_simulation_stands_first_or_has_its_name() -> None:
    jobs = [{"user": "ann", "per_hour": 30}]
    first = pieslice.simulate(3, jobs, days=0.01)
    named = pieslice.simulate(jobs, pool=3, days=0.01)  # type: ignore[misc]
    assert first.to_json() == named.to_json()
    assert list(inspect.signature(pieslice.simulate).parameters)[:3] == [
        "pool", "workload", "policies",
    ]  # fmt: skip
    grid = {"PRIORITY_HALFLIFE": [600]}
    assert (
        pieslice.sweep(3, copy.copy(jobs), grid, days=0.01, jobs=1).table.rows
        == pieslice.sweep(jobs, grid, pool=3, days=0.01, jobs=1).table.rows  # type: ignore[misc]
    )
