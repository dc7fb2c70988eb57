"""Tables from files and frames, and what becomes of them when ads change."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from classad import ClassAd, ClassAdParseError, ExprTree, Table
from classad.ads.ad import is_value
from classad.loading.long_form import load_long

LONG = 'Name = "a"\nCpus = 4\nLoad = 0.5\n\nname = "b"\nCpus = Total\nTags = {1, "x"}\n'


def table() -> Table:
    return Table.from_columns(load_long(LONG.encode()))


def test_files_of_every_form_give_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    for text in (
        LONG,
        '[Name = "a"; Cpus = 4; Load = 0.5]\n[Name = "b"; Cpus = Total; Tags = {1, "x"}]\n',
        '[{"Name": "a", "Cpus": 4, "Load": 0.5},'
        ' {"Name": "b", "Cpus": "\\/Expr(Total)\\/", "Tags": [1, "x"]}]',
    ):
        path.write_text(text)
        found = Table.from_file(path)
        assert list(found.ads()) == list(table().ads())
        assert found.names == ["Cpus", "Load", "Name", "Tags"]


def test_bad_lines_raise_or_are_collected(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    for text in ('Name = "a"\nCpus = (\n', '[Name = "a"]\n[Cpus = (]'):
        path.write_text(text)
        with pytest.raises(ClassAdParseError):
            Table.from_file(path)
        problems: list[object] = []
        assert len(Table.from_file(path, diagnostics=problems)) == 1
        assert len(problems) == 1


def test_what_becomes_of_bad_lines_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    path.write_text('Name = "a"\nCpus = (\nMemory = 5\n\nName = "b"\n')
    problems: list[object] = []
    with pytest.raises(ClassAdParseError):
        Table.from_file(path, errors="strict", diagnostics=problems)
    found = Table.from_file(path, errors="warn")
    assert [dict(ad) for ad in found.ads()] == [{"Name": "a", "Memory": 5}, {"Name": "b"}]
    # The daemons take nothing that stands behind a bad line of an ad.
    found = Table.from_file(path, errors="htcondor", diagnostics=problems)
    assert [dict(ad) for ad in found.ads()] == [{"Name": "a"}, {"Name": "b"}]
    with pytest.raises(ValueError, match="errors"):
        Table.from_file(path, errors="loud")  # type: ignore[arg-type]


def test_columns_are_codes_and_values() -> None:
    codes, values = table().column("CPUS")
    assert [str(values[code]) for code in codes] == ["4", "Total"]
    codes, values = table().column("Load")
    assert [values[code] for code in codes] == [0.5, None]
    codes, values = table().cells("Nowhere")
    assert [values[code] for code in codes] == [None, None]
    with pytest.raises(KeyError, match="no ad has an attribute `Cpu`; did you mean `Cpus`"):
        table().column("Cpu")
    with pytest.raises(TypeError, match="attribute names are strings"):
        table().column(5)  # type: ignore[arg-type]


def test_a_single_ad_of_loaded_columns_is_that_of_all() -> None:
    some = table()
    assert [some.ad(1), some.ad(0)] == list(table().ads())[::-1]
    assert [ad["Name"] for ad in some.ads(some.select('Name == "b"'))] == ["b"]


def test_update_replaces_by_name_and_appends() -> None:
    for some in (table(), Table(table().ads())):
        assert list(some.select("Cpus > 3")) == [0]
        newer = [ClassAd({"Name": "b", "Cpus": 8}), ClassAd({"Name": "c", "Cpus": 1})]
        assert list(some.update(newer)) == [1, 2]
        assert list(some.select("Cpus > 3")) == [0, 1]
        assert len(some) == 3
        assert list(some.update([ClassAd({"Name": "c", "Cpus": 16})])) == [2]
        assert list(some.select("Cpus > 3")) == [0, 1, 2]
        with pytest.raises(ValueError, match="has no Name"):
            some.update([ClassAd({"Cpus": 1})])


def test_a_replaced_row_of_loaded_columns_is_in_columns_made_later() -> None:
    some = table()
    some.replace(0, ClassAd({"Name": "a", "Cpus": 2, "Disk": 5}))
    assert list(some.select("Cpus == 2 && Load =?= undefined && Disk == 5")) == [0]
    assert list(some.select("Tags[0] == 1")) == [1]


def test_arrow_there_and_back() -> None:
    pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")
    made = table().to_arrow(["Name", "Cpus", "Load"], faithful=False, lost=[])
    assert made.to_pydict() == {"Name": ["a", "b"], "Cpus": ["4", "Total"], "Load": [0.5, None]}
    some = table().to_arrow(["Load"], table().select('Name == "a"'))
    assert some.to_pydict() == {"Load": [0.5]}
    again = Table.from_arrow(made)
    assert list(again.ads())[1] == ClassAd({"Name": "b", "Cpus": "Total"})


def test_pandas_rows_become_ads() -> None:
    pandas = pytest.importorskip("pandas", reason="the extra `pandas` is optional")
    frame = pandas.DataFrame({"Name": ["a", "b"], "Cpus": [4, 8], "Load": [0.5, None]})
    found = list(Table.from_pandas(frame).ads())
    assert found == [
        ClassAd({"Name": "a", "Cpus": 4, "Load": 0.5}),
        ClassAd({"Name": "b", "Cpus": 8}),
    ]
    assert type(found[0]["Cpus"]) is int


def test_python_objects_of_pandas_become_values() -> None:
    pandas = pytest.importorskip("pandas", reason="the extra `pandas` is optional")
    pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")
    mixed = pandas.Series([1, "b", None, ExprTree("Cpus * 2")], dtype=object)
    times = pandas.to_datetime(["2024-01-01"] * 4)
    found = list(Table.from_pandas(pandas.DataFrame({"Mixed": mixed, "T": times})).ads())
    assert [ad.get("Mixed") for ad in found] == [1, "b", None, ExprTree("Cpus * 2")]
    assert found[0]["T"] == datetime(2024, 1, 1, tzinfo=UTC)
    assert [len(ad) for ad in found] == [2, 2, 1, 2]
    only = Table.from_pandas(pandas.DataFrame({"Mixed": mixed}))
    assert list(only.select("Mixed == 1")) == [0]


def test_a_row_of_the_few_that_read_an_attribute_is_replaced() -> None:
    """Where few rows read an attribute, they have a column of their own."""
    ads = [ClassAd({"Name": str(row), "X": row}) for row in range(100)]
    for row, ad in enumerate(ads):
        ad.insert("Requirements", ExprTree("X > TARGET.Y && true" if row < 3 else "true"))
    table, job = Table(ads), ClassAd("[Y = 1; Requirements = true]")
    assert list(table.match(job))[:3] == [2, 3, 4]
    ads[0]["X"] = 5
    table.replace(0, ads[0])
    assert list(table.match(job))[:3] == [0, 2, 3]
    ads[1].insert("X", ExprTree("3 + 4"))
    table.replace(1, ads[1])
    assert list(table.match(job))[:3] == [0, 1, 2]
    del ads[0]["X"]
    table.replace(0, ads[0])
    assert list(table.match(job))[:3] == [1, 2, 3]


def test_lists_and_ads_are_told_from_expressions() -> None:
    texts = (
        *("{ 1, Cpus }", "{ }", "{ 1 }[0]", "{ {1}, 2 }", '{ "}" }', "[ a = 1 ]", "[ a = 1 ].a"),
        *("[ a = {1}[0] ]", "{1} =?= {2}", "Cpus", "{ 1 } }", '"{}"', "[ a = 1 ] ]"),
    )
    loaded = load_long("\n\n".join(f"X = {text}" for text in texts).encode())
    column = loaded.column("X")
    assert column is not None
    for number in range(len(loaded.texts)):
        told = is_value(loaded.expression("x", number))
        assert loaded.are_values("x", [number]) == told, loaded.texts[number]
