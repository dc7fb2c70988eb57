"""The parts of claimed slots, made by column, are those that are made slot by slot."""

from __future__ import annotations

from pathlib import Path

import pytest

import pieslice
from classad import ClassAd
from negotiator.columns.parts import parts_of
from negotiator.columns.rows import SlotRows
from negotiator.expressions.visible import Mentions
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.pool.fetch import new_slot, project

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Slots whose parts lead to other attributes, some of which are missing, nested or by the row.
ADS = """\
Name = "a"
State = "Claimed"
Requirements = START && Deep.x == 1
Start = Odd > 2 || TARGET.Wants
Odd = Even + 1
Even = 3
Deep = [ x = Far; Far = 2 ]
Far = 7
Unseen = 9

Name = "b"
State = "Claimed"
Requirements = START
Start = true
SlotWeight = Cpus * Memory
Cpus = 4
Memory = undefined
List = { Odd, 1 }
Odd = 1

Name = "c"
State = "Claimed"
Requirements = eval("Od" + "d") == 1
Odd = 1

Name = "d"
Owner = List
List = { Odd, { Even } }
Odd = 4
Even = Odd
"""


def rows_of(*paths: Path) -> SlotRows:
    slots = pieslice.read(*paths).capture.snapshot.slots
    assert isinstance(slots, LoadedSlots)
    return SlotRows.of(slots)


def part_of(ad: ClassAd) -> ClassAd:
    """The part by the definition."""
    slot = new_slot(ad, "", 1, {})
    project(slot, Mentions())
    return slot.ad


def same_parts(rows: SlotRows) -> set[int]:
    assert rows.loaded is not None
    found = set()
    for members, names in parts_of(rows, list(rows.order)):
        for row in members:
            assert rows.part(row, names) == part_of(rows.loaded.ad(row, ClassAd)), row
            found.add(row)
    return found


@pytest.mark.parametrize("name", ["campus", "tour"])
def test_parts_of_the_slots_of_a_pool(name: str) -> None:
    rows = rows_of(EXAMPLES / name)
    assert same_parts(rows) == set(rows.order)


def test_parts_lead_wherever_expressions_do(tmp_path: Path) -> None:
    (tmp_path / "slots.ads").write_text(ADS)
    (tmp_path / "jobs.ads").write_text("ClusterId = 1\nProcId = 0\nRequirements = true\n")
    (tmp_path / "condor_config").write_text("")
    slots = pieslice.read(tmp_path, now=5).capture.snapshot.slots
    assert isinstance(slots, LoadedSlots)
    rows = SlotRows.of(slots)
    found = {slots.names[list(slots.order).index(row)] for row in same_parts(rows)}
    assert {"b", "d"} <= found


def test_an_ad_with_an_attribute_that_is_named_like_a_scope_goes_by_itself(tmp_path: Path) -> None:
    (tmp_path / "slots.ads").write_text(f"{ADS}My = 3\n")
    (tmp_path / "jobs.ads").write_text("ClusterId = 1\nProcId = 0\nRequirements = true\n")
    slots = pieslice.read(tmp_path, now=5).capture.snapshot.slots
    assert isinstance(slots, LoadedSlots)
    rows = SlotRows.of(slots)
    assert list(parts_of(rows, list(rows.order))) == []
