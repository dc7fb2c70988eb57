"""Parts of the column engine by themselves: slots fetched at once, their rows, sets, keys."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import pytest
from attr import evolve, fields

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from classad.kernels import OrderKey
from classad.table import Table
from classad.table.memo import DEFAULT
from fuzz.cycles import in_columns
from negotiator.columns import engines
from negotiator.columns.chance import UnsureError
from negotiator.columns.conditions import Conditions, SetAsk, SlotSets, every_slot
from negotiator.columns.engine import SlotsLeft
from negotiator.columns.engines import ColumnEngines
from negotiator.columns.fetch import fetch_columns
from negotiator.columns.rank_keys import ColumnFound, KeyMaker, Keys, Passed
from negotiator.columns.rows import SlotRows
from negotiator.columns.slots import mentioned, spread
from negotiator.matching.conditions import ExactlyTrue
from negotiator.matching.rank import NOT_PREEMPTED, presort
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.result import MatchKind
from negotiator.model.snapshot import AccountantState, Snapshot
from negotiator.pool.fetch import fetch_slots
from negotiator.pool.slots import Slot
from policy.load import policy_from_knobs

CONTEXT = EvalContext(now=1000.0)
#: Slots of which each attribute matters to what a cycle keeps of a slot.
ADS = (
    'Name = "a"; Cpus = 4; SlotWeight = 2.5; Requirements = TARGET.A > 1; State = "Unclaimed"',
    'Name = "b"; Cpus = 2; State = "Claimed"; RemoteUser = "u@d"; Requirements = Cpus > 1',
    'Name = "c"; Cpus = 3; State = "Claimed"; RemoteUser = "v@d"; AccountingGroup = "g.v@d"',
    'Name = "d"; Cpus = 8; PartitionableSlot = true; RemoteScheddName = "s1"; State = "Claimed"',
    'Name = "e"; Cpus = 8; PartitionableSlot = true; MachineResources = "Cpus";'
    " ConsumptionCpus = 1; SlotWeight = Cpus; Requirements = Cpus > 2 && TARGET.A > 1",
    'Name = "f"; Cpus = 1; WantAdRevaluate = true; Requirements = Cpus > 0 && TARGET.B',
    'Name = "g"; Cpus = 1; Absent = true',
    'Name = "h"; Cpus = 0; NegotiatorRequirements = TARGET.C; Requirements = TARGET.D',
    'Name = "i"; Cpus = 1; MyAddress = "<[::1]:9618?addrs=[--1]-9618>"; Offline = true',
    'Name = "j"; SlotWeight = Nowhere; PreemptingUser = "p@d"; RemoteUser = "u@d"; State = 5',
    'Name = "k"; Cpus = 4; Requirements = TARGET.A || SlotWeight',
    'Name = "l"; Cpus = 4; Requirements = TARGET.A > 1 || SlotWeight; SlotWeight = true',
)  # fmt: skip
KNOBS: tuple[dict[str, str], ...] = (
    {},
    {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"},
    {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
    {"SLOT_WEIGHT": "Cpus * 2"},
    {"SLOT_WEIGHT": "Cpus > 1"},
    {"SLOT_WEIGHT": "Cpus + 1", "FORCE_NEGOTIATOR_SLOT_WEIGHT": "True"},
    {"NEGOTIATOR_SLOT_CONSTRAINT": "Cpus > 1"},
    {"ALLOW_PSLOT_PREEMPTION": "True", "NEGOTIATOR_CONSIDER_PREEMPTION": "True"},
)


def ads_of(*texts: str) -> tuple[ClassAd, ...]:
    return tuple(ClassAd(f"[{text}]") for text in texts)


def snapshot(ads: tuple[ClassAd, ...]) -> Snapshot:
    return Snapshot(ads, (), (), AccountantState({}, {}, None))


def described(slot: Slot) -> dict[str, Any]:
    """All that a slot is, its ad as text."""
    found = {
        item.name: getattr(slot, item.name)
        for item in fields(Slot)
        if not item.name.startswith("_") and item.name not in ("changes", "row", "requirements")
    }
    return {**found, "sent": str(slot.requirements), "ad": sorted(str(slot.ad).splitlines())}


# --- fetching -------------------------------------------------------------------------------------


@pytest.mark.parametrize("claims", [{}, {"a": 3, "e": 0, "nobody": 9}], ids=["", "claims"])
@pytest.mark.parametrize("knobs", KNOBS, ids=lambda knobs: " ".join(knobs))
@pytest.mark.parametrize("loaded", [False, True], ids=["ads", "loaded"])
@pytest.mark.parametrize("read", [False, True], ids=["tested", "read"])
def test_slots_are_those_that_are_fetched_one_by_one(
    read: bool, loaded: bool, knobs: dict[str, str], claims: dict[str, int]
) -> None:
    """``read``: whether somebody may read the requirements of slots as a value."""
    policy = policy_from_knobs(knobs).policy
    pool = snapshot(ads_of(*ADS))
    ads = pool.slots
    if loaded:
        columns = in_columns(pool)
        assert columns is not None
        ads = columns.slots
    expected = fetch_slots(pool.slots, claims, policy, CONTEXT, read)
    found = fetch_columns(SlotRows.of(ads), claims, policy, CONTEXT, read)
    assert found is not None
    assert [slot.row for slot in found] == list(found.places())
    assert [described(slot) for slot in found] == [described(slot) for slot in expected]
    assert found.external_names() == expected.external_names()


@pytest.mark.parametrize(
    ("text", "knobs", "told"),
    [
        ("Cpus = 2", {}, True),
        # Each has the weight as a value of its own.
        ("Cpus = 2", {"SLOT_WEIGHT": "3"}, False),
        ("Cpus = 2; SlotWeight = 1", {"SLOT_WEIGHT": "3"}, True),
        ("Cpus = 2", {"SLOT_WEIGHT": "random(3)"}, False),
        ("SlotWeight = random(3)", {}, False),
        ("RemoteUser = random(3) > 1", {}, False),
        ("Cpus = 2", {"NEGOTIATOR_SLOT_CONSTRAINT": "random(3) > 1"}, False),
        ("Rank = random(3)", {}, True),
        ("SlotWeight = Requirements; Requirements = 2", {}, False),
    ],
)
def test_slots_that_chance_or_others_of_their_attributes_decide_about_are_asked_one_by_one(
    text: str, knobs: dict[str, str], told: bool
) -> None:
    policy = policy_from_knobs(knobs).policy
    found = fetch_columns(SlotRows.of(ads_of(f'Name = "a"; {text}')), {}, policy, CONTEXT)
    assert (found is not None) is told


def test_a_question_is_asked_once_for_slots_that_it_cannot_tell_apart() -> None:
    ads = ads_of(*(f'Name = "s{number}"; Kind = {number % 3}; Seldom = 0' for number in range(12)))
    policy = policy_from_knobs({}).policy
    found = fetch_columns(SlotRows.of(ads), {}, policy, CONTEXT)
    assert found is not None
    asked = []

    def kind(slot: Slot, context: EvalContext) -> object:
        asked.append(slot)
        return slot.ad.eval("Kind")

    expected = [number % 3 for number in range(12)]
    assert found.each(kind, CONTEXT, reads=["kind"]) == expected
    assert len(asked) == 3
    some = found.some(slot for slot in found if slot.row > 4)
    assert some.each(kind, CONTEXT, reads=["kind"]) == expected[5:]
    # By an expression that mentions it, of nobody in particular, and of what the cycle has changed.
    for reads, expressions, times in (
        ([], [ExprTree("Kind > 1")], 3),
        (None, [], 12),
        ([], [ExprTree("random(3) > Kind")], 12),
    ):
        asked.clear()
        given: Any = {"reads": reads, "expressions": [None, *expressions]}
        assert found.each(kind, CONTEXT, **given) == expected
        assert len(asked) == times
    found.note(["seldom"])
    for name, times in (("kind", 3), ("seldom", 12)):
        asked.clear()
        assert found.each(kind, CONTEXT, reads=["kind", name]) == expected
        assert len(asked) == times


def test_what_some_rows_have_of_a_column() -> None:
    codes = array("i", [0, 1, 1, 2])
    assert spread(codes, ["x", "y", "z"], array("i", [3, 0, 1])) == ["z", "x", "y"]
    assert spread(array("i", [0, 0]), ["x"], array("i", [1, 0, 1])) == ["x"] * 3
    assert spread(codes, ["x", "y", "z"], array("i")) == []


# --- rows from cycle to cycle ---------------------------------------------------------------------


def prepared(kept: ColumnEngines, names: list[str]) -> list[int]:
    """The rows of slots with these names."""
    ads = tuple(ClassAd({"Name": name, "Cpus": 1}) for name in names)
    policy = policy_from_knobs({}).policy
    slots = kept.fetch(ads, {}, policy, CONTEXT, False)
    left, _ = kept.prepare(slots, policy)
    assert [slot.name for slot in left.values()] == names
    return list(left)


def test_slots_keep_their_rows_as_long_as_there_is_room() -> None:
    """A quarter and sixteen of the rows are spare."""
    kept = ColumnEngines(lasting=True)
    names = [f"s{number:02}" for number in range(10)]
    assert prepared(kept, names) == list(range(10))
    assert prepared(kept, names[3:]) == list(range(3, 10))
    assert prepared(kept, names[::2]) == [0, 2, 4, 6, 8]
    more = [f"t{number:02}" for number in range(18)]
    assert prepared(kept, [*names[1:], *more[:5]]) == list(range(1, 15))
    assert prepared(kept, [*names[1:], *more]) == list(range(1, 28))
    # No row is left, and another order begins anew.
    assert prepared(kept, [*names[1:], *more, "u"]) == list(range(28))
    assert prepared(kept, [*names[1:], *more[1:], "u", "v"]) == [*range(9), *range(10, 29)]
    assert prepared(kept, names[::-1]) == list(range(10))
    assert prepared(kept, [*names[::-1], "w"]) == list(range(11))


def test_rows_that_were_loaded_are_kept_from_cycle_to_cycle() -> None:
    ads = snapshot(ads_of(*ADS))
    columns = in_columns(ads)
    assert columns is not None
    assert SlotRows.of(columns.slots) is SlotRows.of(columns.slots)
    assert SlotRows.of(columns.slots).lasting
    assert not SlotRows.of(ads.slots).lasting


def test_a_single_cycle_has_the_rows_of_its_slots() -> None:
    kept = ColumnEngines(lasting=False)
    names = [f"s{number}" for number in range(5)]
    assert prepared(kept, names[2:]) == [0, 1, 2]
    assert prepared(kept, names) == [0, 1, 2, 3, 4]


def test_tables_of_large_pools_may_keep_more(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets = []
    placed = Table.placed

    def noted(ads: Any, *, budget: int) -> Table:
        budgets.append(budget)
        return placed(ads, budget=budget)

    monkeypatch.setattr(Table, "placed", noted)
    prepared(ColumnEngines(lasting=False), ["a", "b"])
    monkeypatch.setattr(engines, "_PER_SLOT", DEFAULT)
    prepared(ColumnEngines(lasting=False), ["a", "b"])
    assert budgets == [DEFAULT, 2 * DEFAULT]


def test_the_slots_left_are_known_as_a_set_of_bits() -> None:
    one = Slot(ClassAd(), "s", 1.0, 1, False, None, None)
    for rows in ([], [0], [0, 1, 2], [1], [0, 2, 5]):
        left = SlotsLeft(dict.fromkeys(rows, one))
        assert left.bits == sum(1 << row for row in rows)
    del left[2]
    assert (left.bits, list(left)) == (0b100001, [0, 5])
    left[2] = one
    assert (left.bits, list(left)) == (0b100101, [0, 5, 2])
    left[2] = one
    assert left.bits == 0b100101


# --- sets and keys --------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [1, 15, 16, 17, 40])
@pytest.mark.parametrize("first", [0, 3])
def test_slots_by_a_value_of_theirs(many: int, first: int) -> None:
    """``first``: whether all rows are slots."""
    size = first + 2 * many
    rows = array("i", range(first, size))
    sets = SlotSets(rows, size, ["x", "y"] * many)
    x = sum(1 << row for row in range(first, size, 2))
    assert (sets.of("x"), sets.of("y"), sets.of("z")) == (x, x << 1, 0)
    assert list(sets.values) == ["x", "y"]
    assert sets.where(lambda value: value == "x") == x
    assert sets.where(lambda value: True) == x | x << 1
    assert sets.where(lambda value: False) == 0


@pytest.mark.parametrize(
    ("tree", "names"),
    [
        ("MY.A > B && TARGET.C", {"a", "b"}),
        ("5", set()),
        ("random(A) > 1", None),
        ("eval(A)", None),
    ],
)
def test_what_expressions_mention_of_an_ad(tree: str, names: set[str] | None) -> None:
    """Where chance or other attributes may decide, too, it is not told."""
    if names is None:
        with pytest.raises(UnsureError):
            mentioned(None, ExprTree(tree))
    else:
        assert mentioned(ExprTree(tree), None) == names
        assert mentioned(ExprTree("D"), ExprTree(tree)) == {*names, "d"}


@pytest.mark.parametrize(
    ("knobs", "rank", "expected"),
    [
        ({}, "5", (0.0, 5.0, 0.0, 2.0, NOT_PREEMPTED)),
        ({"NEGOTIATOR_PRE_JOB_RANK": "2.5"}, "TARGET.K", (2.5, 7.0, 0.0, 2.0, NOT_PREEMPTED)),
        ({}, 'real("NaN")', None),
        ({"NEGOTIATOR_POST_JOB_RANK": 'real("NaN")'}, "5", None),
        ({"NEGOTIATOR_POST_JOB_RANK": 'K * real("NaN")'}, "5", None),
    ],
)
def test_keys_are_made_of_ranks_that_are_numbers(
    knobs: dict[str, str], rank: str, expected: tuple[float, ...] | None
) -> None:
    none = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
    policy = policy_from_knobs({**none, **knobs}).policy
    slot = Slot(ClassAd("[K = 7]"), "s", 1.0, 1, False, None, None)
    table = Table([slot.ad])
    maker = KeyMaker({0: slot}, table, policy)
    request = ClassAd(f"[Rank = {rank}]")
    ask = SetAsk(None, request, None, CONTEXT, table=table)  # type: ignore[arg-type]
    if expected is None:
        with pytest.raises(UnsureError):
            maker.keys(ask, Passed(1))
    else:
        assert tuple(maker.keys(ask, Passed(1)).at(0)) == expected


def test_an_expression_that_is_not_there_is_true_of_every_slot() -> None:
    slot = Slot(ClassAd(), "s", 1.0, 1, False, None, None)
    asked = Conditions({0: slot}, Table([slot.ad]), policy_from_knobs({}).policy)
    assert asked.way(ExactlyTrue(lambda policy: None)) is every_slot
    assert asked.way(ExactlyTrue(lambda policy: ExprTree("true"))) is not every_slot


def test_the_keys_of_a_row() -> None:
    key = OrderKey(array("d", [5.0, 7.0]), array("i", [0, 1, 0]))
    kinds = bytearray([0, 1, 2])
    keys = Keys(array("i", [0, 1, 2]), 3, 1.0, key, 3.0, kinds, key)
    assert [tuple(keys.at(row)) for row in range(3)] == [
        (1.0, 5.0, 3.0, 2.0, 5.0), (1.0, 7.0, 3.0, 1.0, 7.0), (1.0, 5.0, 3.0, 0.0, 5.0),
    ]  # fmt: skip
    assert [keys.kind(row) for row in range(3)] == [
        MatchKind.NONE, MatchKind.RANK, MatchKind.PRIORITY,
    ]  # fmt: skip
    plain = Keys(array("i", [2]), 3, 1.0, key, 3.0)
    assert tuple(plain.at(2)) == (1.0, 5.0, 3.0, 2.0, NOT_PREEMPTED)
    assert plain.kind(2) is MatchKind.NONE


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 33, 200])
def test_candidates_in_order_one_after_another_or_the_last_first(size: int) -> None:
    """The best come first, whichever place is asked for, and how many there are is known."""
    ranks = array("d", [float(row * 7 % size) if size % 7 else float(row) for row in range(size)])
    key = OrderKey(ranks, array("i", range(size)))
    slot = Slot(ClassAd(), "s", 2.5, 1, False, None, None)
    slots: Mapping[int, Slot] = dict.fromkeys(range(size), slot)
    keys = Keys(array("i", range(size)), size, 0.0, key, 0.0)
    expected = sorted(range(size), key=lambda row: -ranks[row])
    found = ColumnFound(keys, slots)
    assert len(found) == size
    assert [found[place].position for place in range(size)] == expected
    other = ColumnFound(keys, slots)
    assert [other[place].position for place in (size - 1, 0)] == [expected[-1], expected[0]]
    best = other.first_best()
    assert best is not None
    assert (best.position, best.cost, best.kind) == (expected[0], 2.5, MatchKind.NONE)
    for place in (-1, size):
        with pytest.raises(IndexError):
            found[place]
    assert ColumnFound(evolve(keys, rows=array("i")), slots).first_best() is None


def order_of(slots: Sequence[ClassAd], places: Sequence[int]) -> LoadedSlots:
    """Loaded slots in another pool order."""
    assert isinstance(slots, LoadedSlots)
    names = [slots.names[place] for place in places]
    return LoadedSlots(slots.loaded, array("i", [slots.order[place] for place in places]), names)


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("sorted_by", ["0", "MY.Kind", "-MY.Kind", "MY.Kind == 1", "MY.Kind % 2"])
def test_rows_rise_in_the_order_in_which_loaded_slots_are_asked(
    sorted_by: str, lasting: bool
) -> None:
    """Whatever the pool order, and however ranks sort the slots once more."""
    ads = ads_of(*(f'Name = "s{n}"; Cpus = 1; Kind = {n}; Memory = 9' for n in range(4)))
    columns = in_columns(snapshot(ads))
    assert columns is not None
    kept = ColumnEngines(lasting=lasting)
    knobs = {"NEGOTIATOR_PRE_JOB_RANK": sorted_by, "NEGOTIATOR_IGNORE_JOB_RANKS": "True"}
    policy = policy_from_knobs(knobs).policy
    for places in permutations(range(4)):
        slots = order_of(columns.slots, places)
        fetched = kept.fetch(slots, {}, policy, CONTEXT, False)
        ranked = presort(fetched, policy, CONTEXT)
        left, _ = kept.prepare(ranked, policy)
        assert sorted(left) == list(left)
        assert [slot.name for slot in left.values()] == [slot.name for slot in ranked]
        assert max(left) < 4


def test_a_name_that_some_slots_have_is_wanted_of_jobs_by_those_without_it() -> None:
    """Whoever mentions it has it: then no job is asked for it."""
    policy = policy_from_knobs({}).policy
    texts = ('Name = "a"; Foo = 2; Requirements = Foo > 1', 'Name = "b"', 'Name = "c"; Bar = 1')
    more = 'Name = "d"; Start = Bar > 1 && TARGET.Baz'
    for chosen in (texts, (*texts, more), (texts[1],), (more, texts[0])):
        pool = snapshot(ads_of(*chosen))
        columns = in_columns(pool)
        assert columns is not None
        found = fetch_columns(SlotRows.of(columns.slots), {}, policy, CONTEXT)
        assert found is not None
        expected = fetch_slots(pool.slots, {}, policy, CONTEXT)
        assert found.external_names() == expected.external_names()
        assert "foo" not in found.external_names()
        assert ("bar" in found.external_names()) is (more in chosen)


def test_slots_keep_their_rows_while_they_come_in_the_same_order() -> None:
    known = SimpleNamespace(_names={"a": 0, "b": 1, "c": 4})

    def rows(names: str, size: int = 8) -> Sequence[int] | None:
        return ColumnEngines._by_name(known, list(names), size)  # type: ignore[arg-type]

    assert rows("abc") == [0, 1, 4]
    assert rows("ac") == [0, 4]
    assert rows("acxy") == [0, 4, 5, 6]
    # Another order, two of one name, and more than there is room for.
    assert [rows("ba"), rows("axb"), rows("aab"), rows("acxy", 6)] == [None] * 4
    assert rows("acxy", 7) == [0, 4, 5, 6]
