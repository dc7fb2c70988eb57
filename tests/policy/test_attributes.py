"""The table of attributes: what it says, and whether captured pools agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.daemons import advertised
from policy.attributes import Availability, attribute_rows, find_attribute
from policy.data.tables import attribute_table

ROOT = Path(__file__).parents[2]
POOLS = [ROOT / "examples" / "campus", *sorted((ROOT / "tests" / "vectors" / "pools").iterdir())]
UNITS = {
    *("", "s", "min", "date", "B", "KiB", "MiB", "cpus", "GPUs", "cpu s", "jobs", "load", "rank"),
    *("weighted slots", "job priority", "%", "priority"),
}


@pytest.mark.slow
@pytest.mark.parametrize("folder", POOLS, ids=lambda folder: folder.name)
def test_the_table_says_what_a_captured_pool_shows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert advertised.main([str(folder)]) == 0, capsys.readouterr().out


def test_the_rows_are_in_order_and_use_known_words() -> None:
    names = list(attribute_table())
    assert names == sorted(names, key=str.casefold)
    assert len({name.casefold() for name in names}) == len(names)
    for row in attribute_rows().values():
        assert row.type in ("", "boolean", "integer", "real", "string", "list", "ad", "time"), row
        assert row.unit in UNITS, row
        assert set(row.ads) <= {"slot", "job", "schedd", "submitter"}, row
        assert row.range[0] <= row.range[1]


def test_what_a_row_says() -> None:
    state = find_attribute("STATE")
    assert state is not None
    assert "Unclaimed" in state.values
    assert state.ads == {"slot": Availability.ALWAYS}
    owner = find_attribute("RemoteOwner")
    assert owner is not None
    assert owner.ads == {"slot": Availability.CLAIMED}
    opsys = find_attribute("OpSys")
    assert opsys is not None
    assert not opsys.values
    assert "LINUX" in opsys.spellings
    memory = find_attribute("memory")
    assert memory is not None
    assert (memory.unit, memory.range[0]) == ("MiB", 0)
    assert find_attribute("Memroy") is None


def test_what_a_pool_shows_otherwise_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "slots.ads").write_text('State = 3\nSlotID = "a"\nFoo = 1\n\nActivity = "Lazy"\n')
    assert advertised.main([str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "State: is integer in a slot ad, not string" in said
    assert '"Lazy" is not among its values' in said
    assert "Activity: some slot ads do not have it" not in said
    assert "State: some slot ads do not have it" in said
    assert "new: Foo integer slot" in said
