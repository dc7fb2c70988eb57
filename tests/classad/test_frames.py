"""Ads as rows of tables.  The packages that make frames are optional: see the extras."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import classad
from classad import ClassAd, EvalContext, ExprTree, Value, to_dicts
from classad.frames.ads import _columns

WHEN = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)

ADS = [
    ClassAd(
        '[Name = "slot1"; Cpus = 4; Load = 0.5; Busy = true; Rank = Cpus * 2; '
        'L = {1, Cpus, "x"}; N = [a = 1; b = a + 1]; Mixed = 1; Time = 5]'
    ),
    ClassAd('[NAME = "é"; cpus = undefined; Load = 1; Rank = nowhere; Mixed = "y"; Gone = error]'),
]
ADS[0]["Time"] = WHEN.astimezone(timezone(timedelta(hours=-6)))


def test_dictionaries() -> None:
    first, second = to_dicts(ADS)
    assert first == {
        "Busy": True, "Cpus": 4, "L": [1, "Cpus", "x"], "Load": 0.5, "Mixed": 1,
        "N": {"a": 1, "b": "a + 1"}, "Name": "slot1", "Rank": "Cpus * 2", "Time": WHEN,
    }  # fmt: skip
    assert second == {
        "cpus": None, "Gone": None, "Load": 1, "Mixed": "y", "NAME": "é", "Rank": "nowhere",
    }  # fmt: skip
    assert list(first) == list(ADS[0])


def test_dictionaries_of_values() -> None:
    first, second = to_dicts(ADS, evaluate=True)
    assert (first["Rank"], second["Rank"]) == (8, None)
    assert first["L"] == [1, 4, "x"]
    assert first["N"] == {"a": 1, "b": 2}


def test_chosen_attributes() -> None:
    assert to_dicts(ADS, ["name", "CPUS", "nothing"]) == [
        {"name": "slot1", "CPUS": 4, "nothing": None},
        {"name": "é", "CPUS": None, "nothing": None},
    ]
    assert to_dicts([], ["a"]) == []
    with pytest.raises(TypeError, match="not one string"):
        to_dicts(ADS, "Name")


def test_attributes_of_a_chained_parent() -> None:
    job = ClassAd({"ProcId": 0})
    job.chain(ClassAd({"Owner": "alice"}))
    assert to_dicts([job], ["Owner"]) == [{"Owner": "alice"}]


def test_the_context_is_used() -> None:
    ad = ClassAd("[t = time()]")
    assert to_dicts([ad], evaluate=True, context=EvalContext(now=5)) == [{"t": 5}]


def test_text_that_is_not_utf8() -> None:
    ad = ClassAd({"a": b"caf\xe9", "b": ExprTree("f(x)")})
    assert to_dicts([ad]) == [{"a": "caf\ufffd", "b": "f(x)"}]


def test_relative_times_are_seconds() -> None:
    assert to_dicts([ClassAd({"a": timedelta(minutes=1)})]) == [{"a": 60.0}]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, None], "boolean"),
        ([1, 2], "integer"),
        ([1, 2.5], "real"),
        ([True, 1], "text"),
        (["a", Value.Error], "string"),
        (["a", 1], "text"),
        ([WHEN], "time"),
        ([[1]], "text"),
        ([{"a": 1}], "text"),
        ([None, Value.Undefined], "empty"),
    ],
)
def test_kinds_of_columns(values: list[Any], kind: str) -> None:
    ads = [ClassAd({"a": value}) for value in values]
    ((column,), count) = _columns(ads, None, False, None)
    assert (column.name, column.kind, count) == ("a", kind, len(values))


def test_columns_are_named_as_first_spelled() -> None:
    names = [column.name for column in _columns(ADS, None, False, None)[0]]
    assert names == ["Busy", "Cpus", "Gone", "L", "Load", "Mixed", "N", "Name", "Rank", "Time"]


@pytest.mark.parametrize(
    ("function", "module", "extra"),
    [
        (classad.to_pandas, "pandas", "pandas"),
        (classad.to_polars, "polars", "polars"),
        (classad.to_arrow, "pyarrow", "arrow"),
    ],
)
def test_a_missing_package_is_named(
    function: Any, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ImportError, match=rf"{module}: pip install 'pieslice\[{extra}\]'"
    ) as caught:
        function(ADS)
    assert caught.value.name == module


def _need(module: str) -> Any:
    return pytest.importorskip(module, reason=f"{module} is not installed; it is an extra")


@pytest.mark.filterwarnings("default")
def test_pandas() -> None:
    pandas = _need("pandas")
    frame = classad.to_pandas(ADS)
    assert frame.shape == (2, 10)
    types = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert types["Busy"] == "boolean"
    assert types["Cpus"] == "Int64"
    assert types["Load"] == "Float64"
    assert types["Name"] == "string"
    assert types["Mixed"] == types["L"] == types["Gone"] == "object"
    assert frame["Time"][0] == WHEN
    assert pandas.isna(frame["Time"][1])
    assert frame["Cpus"].sum() == 4
    assert pandas.isna(frame["Cpus"][1])
    assert frame["L"][0] == [1, "Cpus", "x"]
    assert frame["Load"].tolist() == [0.5, 1.0]
    assert classad.to_pandas([], ["a"]).shape == (0, 1)
    assert classad.to_pandas([ClassAd(), ClassAd()]).shape == (2, 0)
    wide = classad.to_pandas([ClassAd({"t": datetime(9999, 1, 1, tzinfo=UTC)})])
    assert wide["t"][0].year == 9999


@pytest.mark.filterwarnings("default")
def test_polars() -> None:
    polars = _need("polars")
    frame = classad.to_polars(ADS, evaluate=True)
    assert frame.shape == (2, 10)
    assert frame.schema["Busy"] == polars.Boolean
    assert frame.schema["Cpus"] == polars.Int64
    assert frame.schema["Load"] == polars.Float64
    assert frame.schema["Gone"] == polars.Null
    assert frame["Name"].to_list() == ["slot1", "é"]
    assert frame["Mixed"].to_list() == ["1", "y"]
    assert frame["L"].to_list() == ['{ 1,4,"x" }', None]
    assert frame["Load"].to_list() == [0.5, 1.0]
    assert frame["Time"].to_list() == [WHEN, None]
    assert frame["Rank"].to_list() == [8, None]
    assert classad.to_polars([], ["a"]).shape == (0, 1)


@pytest.mark.filterwarnings("default")
def test_arrow() -> None:
    arrow = _need("pyarrow")
    table = classad.to_arrow(ADS, evaluate=True)
    assert (table.num_rows, table.num_columns) == (2, 10)
    assert table.schema.field("Busy").type == arrow.bool_()
    assert table.schema.field("Cpus").type == arrow.int64()
    assert table.schema.field("Load").type == arrow.float64()
    assert table["Mixed"].to_pylist() == ["1", "y"]
    assert table["N"].to_pylist() == ["[ a = 1; b = 2 ]", None]
    assert table["Load"].to_pylist() == [0.5, 1.0]
    assert table["Time"].to_pylist() == [WHEN, None]
    infinite = classad.to_arrow([ClassAd({"x": math.inf}), ClassAd({"x": math.nan})])
    assert infinite["x"].to_pylist()[0] == math.inf
