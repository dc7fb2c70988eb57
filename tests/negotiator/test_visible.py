"""The visible part of a slot does for evaluation what the whole ad does, and has less in it."""

from __future__ import annotations

import tracemalloc
from array import array
from random import Random

import pytest

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.loading.long_form import load_long
from classad.match import symmetric_match
from classad.table import Table
from negotiator.columns.rows import SlotRows
from negotiator.jobs.requests import _accepts
from negotiator.pool.slots import Slot, meets

_CONTEXT = EvalContext(now=0.0)
_SLOT = b"""Name = "slot1"
Cpus = 4
Memory = 2048
Spare = Memory - Used
Used = 1024
Weight = { Cpus, 2 }
GPU = [ Cores = 8; Grade = Memory / 1024 ]
Rank = TARGET.Wish + Spare
CurrentRank = 3
Requirements = TARGET.RequestMemory <= Spare && Kind =?= "test"
Unseen = "nobody asks"
"""


def _slot(text: bytes = _SLOT) -> Slot:
    rows = SlotRows(Table.from_columns(loaded := load_long(text)), array("i", [0]), loaded)
    return Slot(
        base=None,
        name="slot1",
        weight=1.0,
        claims=1,
        partitionable=False,
        state=None,
        user=None,
        source=rows,
        row=0,
    )


@pytest.mark.parametrize(
    "job",
    [
        '[RequestMemory = 512; Kind = "test"; Wish = TARGET.Cpus; Requirements = Cpus > 2]',
        '[RequestMemory = 4096; Kind = "test"; Requirements = TARGET.GPU.Cores > 2]',
        '[RequestMemory = Half; Half = TARGET.Spare / 2; Kind = "test"; Requirements = Own > 1;'
        " Own = TARGET.Weight[0]; Wish = TARGET.GPU.Grade]",
        "[Requirements = true]",
        "[Requirements = .LEFT.Cpus > 1 || TARGET.Cpus == 4; Wish = 1]",
        "[Requirements = TARGET.Target.Cpus > 1; Target = [Cpus = 2]]",
    ],
)
@pytest.mark.parametrize("more", [b"", b"Target = [ Cpus = 9; RequestMemory = 1 ]\n"])
def test_like_the_whole_ad(job: str, more: bytes) -> None:
    other, slot, changed = ClassAd(job), _slot(_SLOT + more), _slot(_SLOT + more)
    changed.insert("Used", 2000)
    for each in (slot, changed):
        # Of another one: a slot whose ad was made shows all of it.
        whole = _slot(_SLOT + more).base.duplicate()
        for name, value in each.changes.values():
            whole.insert(name, value)
        seen = each.seen_with(other, frozenset({"requirements", "rank", "currentrank"}))
        for name in ("Rank", "CurrentRank", "Requirements", "Absent"):
            found = seen.evaluate_attr(name, other, _CONTEXT)
            assert found is whole.evaluate_attr(name, other, _CONTEXT) or found == (
                whole.evaluate_attr(name, other, _CONTEXT)
            )
        assert symmetric_match(other, seen, _CONTEXT) == symmetric_match(other, whole, _CONTEXT)


def test_only_what_is_seen() -> None:
    slot = _slot()
    ad = slot.seen_with(ClassAd("[Wish = Cpus]"), frozenset({"rank"}))
    assert sorted(ad._attrs) == ["cpus", "memory", "rank", "spare", "used"]
    visible = slot.visible()
    visible.meeting(ClassAd("[Wish = 1]"), frozenset({"currentrank"}))
    seen = visible.meeting(ClassAd(), frozenset({"gpu", "cpus"}))
    assert {"currentrank", "gpu", "cpus"} <= set(seen._attrs)
    assert "unseen" not in visible.meeting(ClassAd(), frozenset({"gpu"}))._attrs


def test_the_whole_ad_where_it_matters() -> None:
    """What looks at the ad as such gets all of it."""
    for job in ("[Wish = .RIGHT]", "[Target = 1]"):
        slot = _slot()
        ad = slot.seen_with(ClassAd(job), frozenset({"rank"}))
        assert ad is slot.ad
        assert ad.raw("Unseen") is not None
    made = _slot()
    assert made.base is made.seen_with(ClassAd(), frozenset({"rank"}))


@pytest.mark.parametrize(
    "requirements",
    [
        'TARGET.Cpus > 2 && TARGET.Memory > RequestMemory && Kind == "test"',
        'TARGET.Cpus > 2 && TARGET.Memory > RequestMemory && Kind == "other"',
        "TARGET.Cpus && 2.5 && true",
        "0 && true",
        '"text" && true',
        "true && TARGET.Nowhere > 1",
        "true && error",
        "TARGET.Nowhere && false",
        "MY.Requirements =?= true && true",
        "true && TARGET.Requirements",
        "Cpus > 2 && (TARGET.GPU.Cores > 7 || false) && member(4, TARGET.Weight)",
        "random() < 2 && true",
        "true",
    ],
)
def test_conjunct_by_conjunct(requirements: str) -> None:
    text = f'RequestMemory = 512\nKind = "test"\nRequirements = {requirements}\n'
    job = load_long(text.encode()).ad(0, ClassAd)
    visible = _slot().visible()
    ad = visible.meeting(job, frozenset({"requirements"}))
    context = EvalContext(now=0.0, rng=Random(1))
    whole = _slot().base
    told = _accepts(job, ad, context) if visible.separable else meets(job, ad, context)
    assert told == meets(job, whole, EvalContext(now=0.0, rng=Random(1)))
    random, itself = "random" in requirements, "Requirements" in requirements
    assert visible.separable == (not random and not itself)


def test_looking_at_single_cells_leaves_nothing_behind() -> None:
    """A pool has many slots, and each is looked at one cell after the other."""
    slot = _slot()
    slot.raw("Rank")
    tracemalloc.start()
    try:
        before = tracemalloc.take_snapshot()
        for _ in range(2_000):
            slot.raw("Unseen")
        after = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    grown = sum(entry.size_diff for entry in after.compare_to(before, "filename"))
    assert grown < 20_000
