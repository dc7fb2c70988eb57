"""On which machine a slot is, and in which rack: by names alone."""

from __future__ import annotations

import pytest

from pieslice.lab.pool.machines import machines_of


def racks(*machines: str) -> dict[str, str]:
    """The rack of each machine, empty for none."""
    found = machines_of(f"slot1@{name}" for name in machines)
    names = (*found.racks, "")
    return {name: names[rack] for name, rack in zip(found.names, found.rack, strict=True)}


def test_slots_of_a_machine_have_its_name_behind_the_first_at() -> None:
    found = machines_of(["slot1_2@b", "slot1@b", "slot2@a@host", "nameless"])
    assert found.names == ("a@host", "b", "nameless")
    assert [found.names[place] for place in found.slots] == ["b", "b", "a@host", "nameless"]


def test_numbers_in_names_are_counted() -> None:
    assert machines_of(["slot1@n10", "slot1@n9", "slot1@n100"]).names == ("n9", "n10", "n100")


@pytest.mark.parametrize(
    "names",
    [
        {"r1n1": "r1", "r1n2": "r1", "r2n1": "r2"},
        {"wn-3-01": "wn-3", "wn-3-02": "wn-3", "wn-12-01": "wn-12"},
        {"n1.rack2.x.org": "rack2", "n2.Rack2.x.org": "rack2", "n3.rack10.x.org": "rack10"},
        {"c01-node07.x.org": "c01", "c01-node08.x.org": "c01", "head": "", "c02-node01": "c02"},
    ],
    ids=lambda it: next(iter(it)),
)
def test_racks_are_in_names(names: dict[str, str]) -> None:
    assert racks(*names) == names


@pytest.mark.parametrize(
    "names",
    [("node1", "node2"), ("r1n1", "r1n2"), ("r1n1", "r2n1"), ("a", "b"), (), ("x86-1", "big")],
    ids=str,
)
def test_names_that_tell_no_racks_apart_have_none(names: tuple[str, ...]) -> None:
    assert set(racks(*names).values()) <= {""}
