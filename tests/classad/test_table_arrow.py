"""Tables of ads as tables of Arrow, Polars and DuckDB, there and back.  The packages are extras."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from classad import (
    ClassAd,
    ClassAdParseError,
    ClassAdTypeError,
    ClassAdValueError,
    ExprTree,
    Table,
    Value,
    read_ads,
)
from classad.frames import reading, scattered
from classad.language.values import AbsTime, RelTime
from tests.cases import every_case

pa = pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")

parquet = pytest.importorskip("pyarrow.parquet")

VECTORS = Path(__file__).parents[1] / "vectors"
#: The keys under which vectors have ads, as dictionaries of texts.
ADS = ("my", "target", "left", "right", "chained_parent", "ad")


#: How values beyond all numbers are printed.
BEYOND = ('real("INF")', 'real("-INF")', 'real("NaN")')


def vector_ads(of_expressions: bool, every: int) -> Iterator[ClassAd]:
    """Ads of the vectors, or one of each expression; one in ``every`` of them."""
    seen: set[str] = set()
    for path in sorted((VECTORS / "classad").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            found = json.loads(line)
            given = [found[key] for key in ADS if isinstance(found.get(key), dict)]
            if of_expressions:
                given = [{"x": found["expr"]}] if isinstance(found.get("expr"), str) else []
            for texts in given:
                key = json.dumps(texts, sort_keys=True)
                if key not in seen:
                    seen.add(key)
                    if len(seen) % every == 0:
                        yield of_texts(texts)


def of_texts(texts: dict[str, str]) -> ClassAd:
    """The ad of some texts, without those that are no expressions or print as what is none."""
    ad = ClassAd()
    for name, text in texts.items():
        try:
            read = ExprTree(text)
            # Some times print as other ones or as what no literal may be, with HTCondor as well,
            # and what values beyond all numbers print as is a call in a text.
            if ExprTree(str(read)) != read or str(read) in BEYOND:
                continue
        except (ClassAdParseError, TypeError):
            continue
        ad[name] = read
    return ad


MIXED = [
    ClassAd({"i": 1, "r": 1, "s": "a", "b": True, "t": AbsTime(5, 0), "d": RelTime(1.5)}),
    ClassAd({"i": 2**63 - 1, "r": 0.1 + 0.2, "s": "é", "b": False, "t": AbsTime(-5, 3600)}),
    ClassAd({"i": None, "r": Value.Error, "s": ExprTree("i * 2"), "d": RelTime(1e-7)}),
    ClassAd("[i = [a = 1; b = a + 1]; r = {1, 2.5, x}; T = undefined; s = error; m = 1]"),
    ClassAd(),
    ClassAd({"m": "x", "r": -0.0, "n": math.nan, "o": math.inf, "u": AbsTime(10**15, 90)}),
    ClassAd({"m": 0.1 + 0.2, "n": "text", "o": 2, "s": b"caf\xe9"}),
    ClassAd({"m": math.nan, "n": -math.inf, "o": True, "b": None}),
]


def test_what_was_written_comes_back() -> None:
    table = Table(MIXED)
    back = Table.from_arrow(table.to_arrow())
    assert back == table
    assert Table.from_arrow(back.to_arrow()) == table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of_expressions", "every", "least"),
    [
        (True, 40, 700),
        pytest.param(True, 1, 30_000, marks=[pytest.mark.slow, pytest.mark.long]),
        (False, 2, 500),
    ],
)
def test_every_ad_of_the_vectors_comes_back(
    tmp_path: Path, of_expressions: bool, every: int, least: int
) -> None:
    table = Table(vector_ads(of_expressions, every))
    assert len(table) > least
    assert Table.from_arrow(table.to_arrow()) == table
    table.to_parquet(tmp_path / "ads.parquet")
    assert parquet.read_table(tmp_path / "ads.parquet").equals(table.to_arrow())


def test_files_of_parquet_are_read_in_part_or_whole(tmp_path: Path) -> None:
    table = Table(MIXED)
    table.to_parquet(tmp_path / "ads.parquet")
    assert Table.from_parquet(tmp_path / "ads.parquet") == Table.from_parquet(tmp_path) == table
    some = Table.from_parquet(str(tmp_path), ["i", "u"])
    assert some == Table.from_arrow(table.to_arrow(["i", "u"]))
    assert Table.from_parquet(tmp_path, ["I", "U"]) == some
    with pytest.raises(KeyError, match=r"has no column `Nope`'$"):
        Table.from_parquet(tmp_path, ["i", "Nope"])
    Table([ClassAd({"Memory": 1})]).to_parquet(tmp_path / "ads.parquet")
    with pytest.raises(KeyError, match=r"has no column `Memry`; did you mean `Memory`\?"):
        Table.from_parquet(tmp_path, ["Memry"])


@pytest.mark.slow
@pytest.mark.parametrize("pool", sorted((VECTORS / "pools").iterdir()), ids=lambda path: path.name)
def test_every_ad_of_the_pools_comes_back(pool: Path) -> None:
    for path in (pool / "slots.ads", pool / "jobs.ads"):
        table = Table.from_file(path)
        back = Table.from_arrow(table.to_arrow())
        assert back == table == Table(read_ads(path))
        assert list(back.select("Cpus > 1")) == list(table.select("Cpus > 1"))


def test_tables_are_equal_to_the_last_bit() -> None:
    for one, other in ((0.1 + 0.2, 0.3), (1, 1.0), (1, True), (0.0, -0.0), (None, Value.Error)):
        assert Table([ClassAd({"a": one})]) != Table([ClassAd({"a": other})])
    assert Table([ClassAd({"a": math.nan})]) == Table([ClassAd({"A": math.nan})])
    assert Table([]) != Table([ClassAd()])
    assert Table([]) != []


def test_inherited_attributes_are_written_as_a_rows_own() -> None:
    job, cluster = ClassAd({"ProcId": 1}), ClassAd({"Owner": "alice", "ProcId": 0})
    job.chain(cluster)
    table = Table([job])
    assert table.to_arrow().to_pydict() == {"Owner": ["alice"], "ProcId": [1]}
    assert Table.from_arrow(table.to_arrow()) == table


SAMPLES: list[tuple[Any, list[Any], list[Any]]] = [
    (pa.int8(), [1, None], [1, None]),
    (pa.uint64(), [2**63 - 1, None], [2**63 - 1, None]),
    (pa.float32(), [0.5, None], [0.5, None]),
    (pa.decimal128(20, 0), [Decimal(7), None], [7, None]),
    (pa.decimal128(20, 2), [Decimal("0.10"), None], [0.1, None]),
    (pa.bool_(), [True, None], [True, None]),
    (pa.string(), ["é", None], ["é", None]),
    (pa.large_string(), ["é", None], ["é", None]),
    (pa.string_view(), ["é", None], ["é", None]),
    (pa.binary(), [b"a", None], ["a", None]),
    (pa.binary(1), [b"a", None], ["a", None]),
    (pa.dictionary(pa.int8(), pa.int64()), [5, None], [5, None]),
    (pa.dictionary(pa.int8(), pa.string()), ["x", None], ["x", None]),
    (pa.null(), [None, None], [None, None]),
    (pa.date32(), [date(1960, 1, 1), None], [datetime(1960, 1, 1, tzinfo=UTC), None]),
    (pa.date64(), [date(1960, 1, 1), None], [datetime(1960, 1, 1, tzinfo=UTC), None]),
    (pa.timestamp("s"), [datetime(2024, 1, 1), None], [datetime(2024, 1, 1, tzinfo=UTC), None]),
    (pa.duration("ms"), [timedelta(seconds=-1.5), None], [-1.5, None]),
    (pa.time32("s"), [time(0, 1), None], [60.0, None]),
    (pa.list_(pa.int64()), [[1, None], None], [[1, Value.Undefined], None]),
    (pa.list_(pa.string(), 1), [["a"], None], [["a"], None]),
    (pa.large_list(pa.bool_()), [[], None], [[], None]),
    (
        pa.struct([("a", pa.int64()), ("b", pa.list_(pa.float64()))]),
        [{"a": None, "b": [1.5]}, None],
        [ClassAd({"b": [1.5]}), None],
    ),
    (pa.map_(pa.string(), pa.int64()), [[("a", 1)], None], [ClassAd({"a": 1}), None]),
]


@every_case("kind, given, wanted", SAMPLES, name=str)
def test_every_type_of_arrow_becomes_values(kind: Any, given: list[Any], wanted: list[Any]) -> None:
    cells = pa.array(given, kind)
    table = Table.from_arrow(pa.table({"x": cells, "y": [1, 2]}))
    codes, values = table.cells("x")
    assert [values[code] for code in codes] == wanted
    if wanted[0] is not None:
        assert [type(values[code]) for code in codes] == list(map(type, wanted))
    later = Table.from_arrow(pa.table({"x": pa.concat_arrays([cells, cells])[1:3]}))
    codes, values = later.cells("x")
    assert [values[code] for code in codes] == [wanted[1], wanted[0]]
    chunks = Table.from_arrow(pa.table({"x": pa.chunked_array([cells, cells[:0], cells])}))
    codes, values = chunks.cells("x")
    assert [values[code] for code in codes] == [*wanted, *wanted]


def test_a_zone_gives_each_time_its_offset() -> None:
    when = [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC), None]
    table = Table.from_arrow(pa.table({"t": pa.array(when, pa.timestamp("us", "Europe/Berlin"))}))
    assert [ad._attrs.get("t") for ad in table] == [
        AbsTime(1704067200, 3600), AbsTime(1719792000, 7200), None,
    ]  # fmt: skip
    assert table["t"] == when
    plain: list[str] = []
    written = table.to_arrow(faithful=False, lost=plain)
    assert written["t"].to_pylist() == when
    assert plain == ["`t`: the offset of the zone is gone in 2 rows"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (pa.array([1, 2**63], pa.uint64()), "`x`, row 1: 9223372036854775808 does not fit"),
        (pa.array([None, Decimal(2**63)], pa.decimal128(38, 0)), "`x`, row 1: 92233720368547"),
        (pa.array([0, 1500], pa.timestamp("ms")), "`x`, row 1: .* has a fraction of a second"),
        (pa.array([[0], [], [1, 2**63]], pa.list_(pa.uint64())), "`x`, row 2: 9223372036854775808"),
        (pa.array([None, {"a": 2**63}], pa.struct([("a", pa.uint64())])), "`x`, row 1: "),
    ],
)
def test_what_an_ad_cannot_hold_is_named_with_column_and_row(cells: Any, message: str) -> None:
    with pytest.raises(ClassAdValueError, match="column " + message):
        Table.from_arrow(pa.table({"x": cells}))


def test_tables_that_cannot_be_read_say_why() -> None:
    intervals = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    with pytest.raises(ClassAdTypeError, match=r"column `x`: ads have no values for .*interval"):
        Table.from_arrow(pa.table({"x": intervals}))
    with pytest.raises(ClassAdValueError, match="`Cpus` and `cpus` are one attribute"):
        Table.from_arrow(pa.table({"Cpus": [1], "cpus": [2]}))
    with pytest.raises(ClassAdValueError, match="column 0 has the name ''"):
        Table.from_arrow(pa.table({"": [1]}))
    with pytest.raises(ClassAdTypeError, match="__arrow_c_stream__"):
        Table.from_arrow([{"a": 1}])
    with pytest.raises(ClassAdTypeError, match="this ChunkedArray is one without: make a frame"):
        Table.from_arrow(pa.chunked_array([[1, 2]]))
    lost = pa.array([0], pa.timestamp("s", "Nowhere/Land"))
    with pytest.raises(ClassAdValueError, match=r"column `x`: .*Nowhere/Land"):
        Table.from_arrow(pa.table({"x": lost}))


@pytest.mark.parametrize("text", ["2 +", "=real x", "=absTime 1", "=relTime", "=", "1\0", ""])
def test_companions_that_say_nothing_are_refused(text: str) -> None:
    exact = pa.table({"x": ["1", "2"], "x:classad": [None, text]})
    with pytest.raises(ClassAdValueError, match=r"`x:classad`, row 1: `.*` is no expression"):
        Table.from_arrow(exact)


def test_the_plain_form_says_what_it_loses() -> None:
    table = Table(MIXED)
    lost: list[str] = []
    plain = table.to_arrow(["i", "r", "s", "d", "b"], faithful=False, lost=lost)
    assert plain.column_names == ["i", "r", "s", "d", "b"]
    assert lost == [
        "`i`: what is no string is text in 3 rows",
        "`i`: undefined or error is missing in 1 row",
        "`r`: what is no string is text in 4 rows",
        "`r`: undefined or error is missing in 1 row",
        "`s`: what is no string is text in 1 row",
        "`s`: undefined or error is missing in 1 row",
        "`s`: bytes that are no UTF-8 are replaced in 1 row",
        "`d`: parts of microseconds are rounded in 1 row",
        "`b`: undefined or error is missing in 1 row",
    ]
    with pytest.warns(UserWarning, match="`d`: parts of microseconds are rounded in 1 row"):
        table.to_arrow(["d"], faithful=False)
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    for frame in (table.to_arrow, table.to_pandas, table.to_polars):
        with pytest.warns(UserWarning, match="rounded") as said:
            frame(["d"], faithful=False)
        assert [warning.filename for warning in said] == [__file__]


def test_types_of_the_columns_written() -> None:
    ads = [ClassAd({"i": 1, "r": 1.5, "b": True, "s": "a", "t": AbsTime(5, 0), "d": RelTime(1.5)})]
    fields = {"i": pa.int64(), "r": pa.float64(), "b": pa.bool_(), "t": pa.timestamp("s", "UTC")}
    fields |= {"d": pa.duration("us"), "s": pa.dictionary(pa.int32(), pa.string())}
    for table in (Table(ads * 2), Table.from_arrow(Table(ads * 2))):
        made = table.to_arrow()
        assert {field.name: field.type for field in made.schema} == fields
        assert table.to_arrow(["s"], dictionaries=False).schema.field("s").type == pa.string()
    assert Table(ads).to_arrow(["s", "x"]).schema.types == [pa.string(), pa.null()]


LISTS: list[tuple[list[Any], Any]] = [
    ([[1, 2], [], [None], None], pa.list_(pa.int64())),
    ([[True], [None, False]], pa.list_(pa.bool_())),
    ([[0.5, math.nan, -math.inf]], pa.list_(pa.float64())),
    ([["a", "é"], []], pa.list_(pa.string())),
    ([[]], pa.string()),
    ([[None]], pa.string()),
    ([[1, 2.5]], pa.string()),
    ([[1], [2.5]], pa.string()),
    ([[1], "a"], pa.string()),
    ([[], "a"], pa.string()),
    ([[Value.Error, 1]], pa.string()),
    ([[[1]]], pa.string()),
    ([[b"caf\xe9"]], pa.string()),
    ([[ExprTree("x")]], pa.string()),
]


@pytest.mark.parametrize(("values", "kind"), LISTS, ids=str)
def test_lists_of_one_kind_are_lists(values: list[Any], kind: Any) -> None:
    table = Table([ClassAd({"x": value}) for value in values])
    made = table.to_arrow(dictionaries=False)
    assert made.schema.field("x").type == kind
    assert Table.from_arrow(made) == table
    assert Table.from_arrow(table.to_arrow()) == table


def test_rows_and_changes_are_written() -> None:
    columns = {"Name": list("abcd"), "Cpus": [1, 2, None, 4], "Load": [0.5, None, 1.0, 2.0]}
    table = Table.from_arrow(pa.table(columns))
    table.ad(0)["Cpus"] = 8
    table.replace(1, ClassAd({"Name": "z", "Cpus": 3, "Load": 7}))
    wanted = {"Cpus": [8, 3, None, 4], "Load": [0.5, 7.0, 1.0, 2.0], "Name": list("zzzz")}
    wanted["Name"] = ["a", "z", "c", "d"]
    assert table.to_arrow(["Cpus", "Load", "Name"]).to_pydict() == {
        **wanted, "Load:classad": [None, "7", None, None],
    }  # fmt: skip
    assert table.to_arrow(["Cpus"], table.select("Cpus >= 4")).to_pydict() == {"Cpus": [8, 4]}
    assert Table.from_arrow(table.to_arrow()) == table


def scattered_ad(row: int) -> ClassAd:
    """An ad of which few have what the mixed ones have, and some an attribute of their own."""
    ad = ClassAd(MIXED[row // 30]) if row % 30 == 7 and row < 240 else ClassAd()
    ad["Name"], ad["Cpus"] = f"slot{row}", row % 4
    if row % 3 == 0:
        ad[f"Only{row % 60}"] = row
    return ad


SCATTERED = list(map(scattered_ad, range(300)))


def has_few(table: Table) -> bool:
    loaded = table._store.loaded
    return loaded is not None and any(column.rows is not None for column in loaded.columns)


def test_attributes_of_few_rows_are_written_and_read_as_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = Table(SCATTERED)
    arrow = table.to_arrow()
    back = Table.from_arrow(arrow)
    assert has_few(back)
    # Some reals and times have no text that is read again.
    texts = [ad.printOld() for row, ad in enumerate(SCATTERED) if row not in (67, 157, 187, 217)]
    (tmp_path / "ads").write_text("\n".join(texts), "utf-8")
    loaded = Table.from_file(tmp_path / "ads")
    assert has_few(loaded)
    with monkeypatch.context() as plainly:
        plainly.setattr(scattered, "FEW", 10**6)
        plainly.setattr(reading, "FEW", 10**6)
        whole = Table.from_arrow(arrow)
        assert not has_few(whole)
        assert Table(SCATTERED).to_arrow().equals(arrow)
        as_ads = Table(read_ads(tmp_path / "ads")).to_arrow()
    assert back == whole == table
    assert [list(ad) for ad in back] == [list(ad) for ad in whole]
    assert [list(back[row]) for row in (0, 7, 37)] == [list(whole[row]) for row in (0, 7, 37)]
    assert back.to_arrow().equals(arrow)
    assert loaded.to_arrow().equals(as_ads)
    assert pickle.loads(pickle.dumps(back)) == back
    for one in (table, back, loaded):
        rows = one.select("i isnt undefined || Only30 > 0")
        assert len(rows) > 5
        some = one.to_arrow(None, rows)
        assert Table.from_arrow(some) == one[rows]
        assert one.to_arrow(["m", "Only3"], ~rows).num_rows == len(~rows)
    for part in (slice(3, 250), slice(None, None, -7), slice(35, 38), slice(8, 9)):
        assert back[part] == whole[part] == table[part]


def test_changes_of_attributes_of_few_rows_are_written() -> None:
    arrow = Table(SCATTERED).to_arrow()
    tables = [Table(SCATTERED), Table.from_arrow(arrow)]
    for table in tables:
        table.replace(7, ClassAd({"Name": "a"}))
        table.replace(8, ClassAd({"i": 5, "s": "new", "m": ExprTree("x + 1")}))
        changed = ClassAd(table[67])
        changed["s"] = "changed"
        table.replace(67, changed)
    one, other = tables
    assert one == other
    assert other.to_arrow().equals(one.to_arrow())
    assert Table.from_arrow(other.to_arrow()) == one
    assert other[8]["s"] == "new"


def test_a_cell_of_few_that_cannot_be_held_is_named() -> None:
    cells = pa.array([None] * 60 + [2**63] + [None] * 9, pa.uint64())
    with pytest.raises(ClassAdValueError, match="column `a`, row 60: 9223372036854775808 does not"):
        Table.from_arrow(pa.table({"a": cells}))
    texts = pa.array([None] * 60 + ["1 +"])
    with pytest.raises(ClassAdValueError, match="column `a:classad`, row 60: `1 \\+` is no"):
        Table.from_arrow(pa.table({"a": pa.nulls(61, pa.int64()), "a:classad": texts}))
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1] + [None] * 98), pa.array([None, "x"]))
    assert [len(ad) for ad in Table.from_arrow(pa.table({"a": words}))] == [0, 1, *[0] * 98]
    lists = pa.array(
        [[1] if row in (3, 50) else None for row in range(99)], pa.list_view(pa.int8())
    )
    assert [row for row, ad in enumerate(Table.from_arrow(pa.table({"a": lists}))) if ad] == [3, 50]


def test_tables_without_columns_or_rows() -> None:
    for ads in ([], [ClassAd(), ClassAd()]):
        table = Table(ads)
        assert table.to_arrow().num_rows == len(ads)
        back = Table.from_arrow(table.to_arrow())
        assert back == table
        assert list(back.select("true")) == list(range(len(ads)))
    empty = Table.from_arrow(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], "string")}))
    assert (len(empty), empty.names, list(empty)) == (0, [], [])


def test_companions_are_not_attributes() -> None:
    assert Table.from_arrow(pa.table({"a:classad": ["x"]})).names == ["a:classad"]
    with pytest.raises(ClassAdValueError, match="`a:classad` has the name of a companion"):
        Table([ClassAd({"a": 1, "a:classad": 2})]).to_arrow()


def test_readers_batches_and_streams() -> None:
    whole = pa.table({"Name": ["a", "b"], "Cpus": [1, 2]})
    wanted = Table.from_arrow(whole)
    for given in (whole.to_batches()[0], whole.to_reader(), wanted):
        assert Table.from_arrow(given) == wanted
    assert pa.table(wanted).to_pydict() == wanted.to_arrow().to_pydict()


@pytest.mark.filterwarnings("default")
def test_polars_there_and_back() -> None:
    polars = pytest.importorskip("polars", reason="the extra `polars` is optional")
    table = Table([*MIXED, *MIXED])
    assert Table.from_arrow(table.to_polars()) == table
    assert Table.from_arrow(polars.DataFrame(table)) == table
    frame = table.to_polars()
    assert frame["s"].to_list()[:3] == ["a", "é", "i * 2"]
    some = Table.from_arrow(frame.filter(polars.col("m").is_not_null()))
    rows = [row for row, ad in enumerate(table) if frame["m"][row] is not None]
    assert some == Table(table.ad(row) for row in rows)
    assert len(rows) == 8


def test_duckdb_there_and_back() -> None:
    duckdb = pytest.importorskip("duckdb", reason="the package duckdb is not installed")
    table = Table([ClassAd({"Name": name, "Cpus": cpus}) for name, cpus in (("a", 1), ("b", 8))])
    connection = duckdb.connect()
    connection.register("slots", table)
    found = connection.sql("select Name, Cpus * 2 as Cpus from slots where Cpus > 4")
    assert list(Table.from_arrow(found)) == [ClassAd({"Name": "b", "Cpus": 16})]


@pytest.mark.filterwarnings("default")
def test_pandas_there_and_back() -> None:
    pandas = pytest.importorskip("pandas", reason="the extra `pandas` is optional")
    when = datetime(2024, 1, 2, tzinfo=UTC)
    ads = [ClassAd({"i": 1, "r": 0.5, "b": True, "s": "a", "t": when}), ClassAd("[I = i + 1]")]
    frame = Table(ads).to_pandas()
    assert list(frame.columns) == ["b", "i", "i:classad", "r", "s", "t"]
    kinds = [str(kind) for kind in frame.dtypes]
    assert kinds[:2] == ["boolean", "string"]
    assert kinds[3:5] == ["Float64", "string"]
    assert frame["t"][0] == when
    assert pandas.isna(frame["r"][1])
    assert Table.from_pandas(frame) == Table(ads)
    lost: list[str] = []
    plain = Table(ads).to_pandas(["i"], faithful=False, lost=lost)
    assert plain["i"].tolist() == ["1", "i + 1"]
    assert lost == ["`i`: what is no string is text in 2 rows"]
    assert str(Table(ads[:1]).to_pandas(["i"])["i"].dtype) == "Int64"
