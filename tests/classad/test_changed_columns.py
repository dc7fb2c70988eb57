"""Loaded columns in which rows have another value of an attribute: the ads are as if edited."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAd
from classad.files.ads import read_long
from classad.loading.columns import LoadedColumns
from classad.loading.long_form import load_long
from classad.table import Table
from policy.language.expressions import parse

TEXT: Final = (
    'Name = "a"\nStart = true\nRank = 0\nSite = "x"\n\n'
    'Name = "b"\nStart = MY.Cpus > 1\nCpus = 2\n\n'
    'Name = "c"\n'
)
VALUES: Final = st.sampled_from(
    ("true", "7", "-2.5", '"west"', "MY.Cpus > 3", "undefined", "error", "{ 1,2 }", None)
)
EDITS: Final = st.lists(
    st.tuples(
        st.sampled_from(("Start", "Site", "Cpus", "New", "new")),
        st.dictionaries(st.integers(0, 2), VALUES),
    ),
    max_size=4,
)


@given(EDITS)
def test_the_ads_are_those_that_one_gets_by_editing_each(
    edits: list[tuple[str, dict[int, str | None]]],
) -> None:
    ads: list[ClassAd] = list(read_long(TEXT))
    columns: LoadedColumns = load_long(TEXT.encode())
    for name, texts in edits:
        cells = {}
        for row, text in texts.items():
            if text is None:
                ads[row].remove(name)
                cells[row] = None
            else:
                ads[row].insert(name, parse(text))
                cells[row] = ads[row].raw(name)
        columns = columns.changed(name, cells)
    assert list(columns.to_ads(ClassAd)) == ads
    assert [columns.ad(row, ClassAd) for row in range(3)] == ads
    table = Table.from_columns(columns)
    for name in ("Start", "Site", "Cpus", "New"):
        codes, values = table.cells(name)
        told = [None if value is None else str(value) for value in map(values.__getitem__, codes)]
        raw = [ad.raw(name) for ad in ads]
        assert [one is None for one in told] == [one is None for one in raw]


def test_columns_that_were_loaded_stay_as_they_were() -> None:
    columns = load_long(TEXT.encode())
    before = list(columns.to_ads(ClassAd))
    columns.changed("Start", {0: None, 1: False, 2: 3})
    assert list(columns.to_ads(ClassAd)) == before
