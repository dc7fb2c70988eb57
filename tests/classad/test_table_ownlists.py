"""Lists that name the row's own ads say the same as lists with those ads written in them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from classad import ClassAd, EvalContext
from classad.loading.long_form import load_long
from classad.match import symmetric_match
from classad.table import Table
from classad.table.answers.own_ad_lists import OwnLists
from classad.table.expressions.partner import Partner
from classad.table.shapes import Shape
from classad.table.store.store import Store

CONTEXT = EvalContext(now=1000.0)
DEVICES = {
    "GPU_a": '[ Id = "GPU-a"; Capability = 8.0; GlobalMemoryMb = 40000 ]',
    "GPU_b": '[ Id = "GPU-b"; Capability = 7.0; GlobalMemoryMb = 16000 ]',
    "GPU_c": '[ Id = "GPU-c"; Capability = 7.5 ]',
}
#: The devices of each slot, and its list.
SLOTS = (
    ("GPU_a", "{ GPU_a }"),
    ("GPU_b GPU_c", "{ GPU_b,GPU_c }"),
    ("GPU_a GPU_b", "{ GPU_a,GPU_b }"),
    ("", "{ }"),
    ("", None),
    ("GPU_c", "{ GPU_c, GPU_missing, 3 }"),
    ("GPU_b", "undefined"),
    ("GPU_b GPU_c", "{ GPU_b,GPU_c }"),
    ("", "{ [ Capability = 9.0 ] }"),
    ("GPU_b", '"none"'),
)
REQUIRE = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"
JOBS = (
    f"[ RequestGPUs = 1; RequireGPUs = Capability >= 7.5; Requirements = {REQUIRE} ]",
    f"[ RequestGPUs = 2; RequireGPUs = Capability >= 7.0; Requirements = {REQUIRE} ]",
    f"[ RequestGPUs = 1; RequireGPUs = GlobalMemoryMb > Memory; Requirements = {REQUIRE} ]",
    f"[ RequestGPUs = 0; RequireGPUs = false; Requirements = ({REQUIRE}) && TARGET.Memory > 500 ]",
    f"[ RequestGPUs = 1; RequireGPUs = size(AvailableGPUs) == 2; Requirements = {REQUIRE} ]",
    f"[ RequestGPUs = 1; GPU_c = [Capability = 1]; RequireGPUs = Capability > 7; "
    f"Requirements = {REQUIRE} ]",
    f"[ RequestGPUs = 1; GPU_c = 5; RequireGPUs = Capability > 7; Requirements = {REQUIRE} ]",
    f"[ RequestGPUs = 1; GPU_missing = [Capability = 8]; RequireGPUs = Capability > 7; "
    f"Requirements = !({REQUIRE}) ]",
    f"[ RequestGPUs = 1; RequireGPUs = Capability > 7; HasGPUs = {REQUIRE}; "
    "Requirements = HasGPUs && TARGET.Memory > 0 ]",
    "[ RequireGPUs = Capability > 7; "
    "Requirements = countMatches(RequireGPUs, TARGET.AvailableGPUs) >= 1 ]",
    "[ AvailableGPUs = {[Capability = 9]}; RequireGPUs = Capability > 7; "
    "Requirements = countMatches(MY.RequireGPUs, AvailableGPUs) >= 1 ]",
)


def slots() -> list[ClassAd]:
    made = []
    for number, (devices, listed) in enumerate(SLOTS):
        ad = ClassAd({"Name": str(number), "Memory": 100 * number})
        for name in devices.split():
            ad[name] = ClassAd(DEVICES[name])
        if listed is not None:
            ad.insert("AvailableGPUs", ClassAd(f"[x = {listed}]").raw("x"))
        made.append(ad)
        ad["Requirements"] = True
    return made


def text_of(ads: list[ClassAd]) -> bytes:
    return "\n".join(ad.printOld() for ad in ads).encode()


class Mirrored:
    """The rows of a table from the last to the first."""

    names: frozenset[str] = frozenset()

    def __init__(self, table: Table) -> None:
        self.base: Store = table.store
        self.table = table
        self.places = array("i", range(len(table) - 1, -1, -1))

    def ad(self, row: int) -> ClassAd:
        return self.table.ad(self.places[row])

    def changed(self, name: str) -> Mapping[int, Any]:
        raise KeyError(name)


TABLES: dict[str, Callable[[list[ClassAd]], Table]] = {
    "ads": Table,
    "loaded": lambda ads: Table.from_columns(load_long(text_of(ads))),
    "placed": lambda ads: Table.placed(Mirrored(Table.from_columns(load_long(text_of(ads))))),
}


def agree(table: Table, jobs: tuple[str, ...] = JOBS) -> list[list[int]]:
    """What the table says of the jobs is what asking row by row says."""
    found = []
    for text in jobs:
        job = ClassAd(text)
        rows = list(table.match(job, context=CONTEXT))
        ads = [table.ad(row) for row in range(len(table))]
        assert rows == [n for n, ad in enumerate(ads) if symmetric_match(job, ad, CONTEXT)], text
        found.append(rows)
    return found


@pytest.mark.parametrize("kind", TABLES)
def test_jobs_that_count_devices(kind: str) -> None:
    table = TABLES[kind](slots())
    found = agree(table)
    assert agree(table, JOBS[::-1]) == found[::-1]  # whoever asks first
    ones = [sorted(9 - row for row in rows) if kind == "placed" else rows for rows in found]
    assert ones[:2] == [[0, 1, 2, 5, 7, 8], [1, 2, 7]]


def test_lists_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One shape stands for all lists, unless the job has an attribute of such a name."""
    taken: list[bool] = []
    shape_of = OwnLists.shape

    def noted(self: OwnLists, shape: Shape, partner: Partner) -> Shape:
        found = shape_of(self, shape, partner)
        if shape.exact:
            taken.append(found is not shape)
        return found

    monkeypatch.setattr(OwnLists, "shape", noted)
    table = Table(slots())
    agree(table, JOBS[:1])
    assert set(taken) == {True}
    taken.clear()
    agree(table, JOBS[6:7])
    assert set(taken) == {False}


def test_devices_that_come_and_go() -> None:
    ads = slots()
    table = Table(ads)
    agree(table)
    for name, value in (
        ("GPU_c", ClassAd("[Capability = 6.0]")),
        ("GPU_missing", ClassAd("[Capability = 10]")),
        ("AvailableGPUs", ClassAd("[x = {GPU_b}]").raw("x")),
        ("GPU_b", ClassAd("[x = GPU_c]").raw("x")),  # an expression: the lists stay as they are
        ("GPU_b", ClassAd("[Capability = 10]")),
    ):
        for row in (1, 5):
            ads[row].insert(name, value)
            table.replace(row, ads[row])
            agree(table)


@pytest.mark.parametrize("kind", ["ads", "loaded"])
def test_a_device_that_only_a_list_names_is_another_one(kind: str) -> None:
    """No column was made of it, only the cells of some rows were looked at."""
    ads = slots()
    table = TABLES[kind](ads)
    agree(table, JOBS[:2])
    for row, capability in ((1, 6.0), (5, 6.0), (7, 9.0), (1, 8.0)):
        ad = ClassAd(table.ad(row))
        ad["GPU_c"] = ClassAd({"Id": "GPU-c", "Capability": capability})
        table.replace(row, ad)
        agree(table, JOBS[:2])


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    "listed", ['split("GPU_a GPU_b")', "{ GPU_a, MY.GPU_b }", "{ 1 + 1, GPU_a }", "Others"]
)
def test_what_only_a_slot_itself_can_tell_is_asked_of_it(kind: str, listed: str) -> None:
    ads = slots()
    ads[2].insert("AvailableGPUs", ClassAd(f"[x = {listed}]").raw("x"))
    ads[2].insert("Others", ClassAd("[x = { GPU_a, GPU_b }]").raw("x"))
    agree(TABLES[kind](ads))


@pytest.mark.parametrize("kind", TABLES)
def test_a_device_that_depends_on_its_slot_is_not_written_into_lists(kind: str) -> None:
    """Beside it in the list stands one that depends on nothing; the job has another Memory."""
    ads = slots()
    for row in (1, 7):
        device = ClassAd("[x = Memory > 300 ? [Capability = 8] : GPU_none]").raw("x")
        ads[row].insert("GPU_b", device)
    jobs = (*JOBS[:2], JOBS[1].replace("[ ", "[ Memory = 500; "))
    found = agree(TABLES[kind](ads), jobs)
    ones = [sorted(9 - row for row in rows) if kind == "placed" else rows for rows in found]
    assert ones == [[0, 1, 2, 5, 7, 8], [2, 7], [2, 7]]


def test_a_slot_that_is_replaced_stands_beside_those_in_columns() -> None:
    ads = slots()
    table = TABLES["loaded"](ads)
    ads[1]["GPU_c"] = ClassAd({"Capability": 6.0})
    table.replace(1, ads[1])
    assert list(table.match(ClassAd(JOBS[0]), context=CONTEXT)) == [0, 2, 5, 7, 8]


class Changing(Mirrored):
    """The same rows, of which some attributes may be otherwise."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.otherwise: dict[int, dict[str, Any]] = {}

    @property
    def names(self) -> set[str]:  # type: ignore[override]
        return set().union(*self.otherwise.values())

    def ad(self, row: int) -> ClassAd:
        place = self.places[row]
        ad = ClassAd() if place < 0 else self.table.ad(place).duplicate()
        for name, value in self.otherwise.get(row, {}).items():
            ad.insert(name, value)
        return ad

    def changed(self, name: str) -> Mapping[int, Any]:
        return {row: each[name] for row, each in self.otherwise.items() if name in each}


def test_devices_that_are_otherwise_are_looked_at_again() -> None:
    rows = Changing(Table(slots()))
    table = Table.placed(rows)
    before = agree(table, JOBS[:2])
    assert sorted(9 - row for row in before[0]) == [0, 1, 2, 5, 7, 8]
    # The slots 1 and 7 have the devices b and c; of slot 7 both are weaker now.
    weak = ClassAd("[Capability = 6.0]")
    rows.otherwise[9 - 7] = {"gpu_b": weak, "gpu_c": weak}
    table.refresh()
    assert [9 - row for row in agree(table, JOBS[:2])[0]] == [8, 5, 2, 1, 0]
    rows.otherwise[9 - 1] = {"gpu_c": weak}
    table.refresh()
    assert [[9 - row for row in each] for each in agree(table, JOBS[:2])] == [[8, 5, 2, 0], [2]]
    rows.otherwise.clear()
    table.refresh()
    assert agree(table, JOBS[:2]) == before
    rows.places = array("i", [-1 if place == 2 else place for place in rows.places])
    table.refresh()
    assert [9 - row for row in agree(table, JOBS[:2])[0]] == [8, 7, 5, 1, 0]
    assert [ad.get("Name") for ad in table.ads()] == [*"9876543", None, "1", "0"]
