"""A record is, to whoever uses it, the class that attrs makes of the same declaration."""

from __future__ import annotations

import copy
import inspect
import pickle
import weakref
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

import attr
import pytest

from classad import records

BOTH = pytest.mark.parametrize("of", [attr, records], ids=["attrs", "records"])


def shapes(of: Any) -> dict[str, Any]:
    """Classes of every kind of field, declared with the words of a module."""

    @of.frozen
    class Plain:
        first: int
        second: str = "b"
        tags: list[str] = of.Factory(list)
        shared: ClassVar[int] = 3

    @of.frozen
    class Below(Plain):
        second: str = "c"
        third: float = 0.5

    @of.frozen(eq=False, repr=False)
    class Alone:
        _hidden: int
        named: bool = of.field(default=True, kw_only=True)

    @of.define
    class Changing:
        count: int = of.field(default=2, converter=abs)
        twice: int = of.field(default=of.Factory(lambda self: 2 * self.count, takes_self=True))
        aside: int = of.field(default=0, eq=False, repr=False, metadata={"json": None})
        inner: list[int] = of.field(factory=list, init=False)

        def __attrs_post_init__(self) -> None:
            self.inner.append(self.count)

    @of.frozen(kw_only=True, slots=False)
    class Named(Plain):
        last: int

    @of.frozen
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.name.lower() == other.name.lower()

        def __hash__(self) -> int:
            return hash(self.name.lower())

        def __repr__(self) -> str:
            return f"<{self.name}>"

    return {kind.__name__: kind for kind in (Plain, Below, Alone, Changing, Named, Own)}


OURS, THEIRS = shapes(records), shapes(attr)
NAMES = sorted(OURS)

#: Calls that each class takes.
CALLS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Plain": [((1,), {}), ((1, "b"), {"tags": []}), ((2,), {"second": "x"})],
    "Below": [((1, ["t"]), {}), ((1,), {"second": "c", "third": 0.5, "tags": ["t"]})],
    "Alone": [((1,), {}), ((), {"hidden": 1, "named": False})],
    "Changing": [((), {}), ((-2,), {}), ((1, 5), {"aside": 9}), ((1, 5), {"aside": 8})],
    "Named": [((1,), {"last": 2}), ((), {"first": 1, "last": 2})],
    "Own": [(("a",), {}), (("A",), {}), (("b",), {})],
}


def values(kinds: dict[str, Any], name: str) -> list[Any]:
    return [kinds[name](*words, **named) for words, named in copy.deepcopy(CALLS[name])]


@pytest.mark.parametrize("name", NAMES)
def test_values_are_written_and_compared_as_those_of_attrs(name: str) -> None:
    ours, theirs = values(OURS, name), values(THEIRS, name)
    if name != "Alone":  # which has the text of every object
        assert list(map(repr, ours)) == list(map(repr, theirs))
    for one, wanted in zip(ours, theirs, strict=True):
        assert [one == other for other in ours] == [wanted == other for other in theirs]
        assert one != wanted


@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_the_same_have_one_hash_where_they_have_any(name: str) -> None:
    for kinds in (OURS, THEIRS):
        made = values(kinds, name)
        if name in ("Plain", "Below", "Named", "Changing"):  # lists, or values that change
            with pytest.raises(TypeError, match="unhashable"):
                hash(made[0])
        else:
            hashes = [hash(one) for one in made]
            assert all(
                (hashes[i] == hashes[j]) >= (made[i] == made[j])
                for i in range(len(made))
                for j in range(len(made))
            )


@pytest.mark.parametrize("name", NAMES)
def test_arguments_and_patterns_are_those_of_attrs(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    assert [
        (one.name, one.kind) for one in inspect.signature(ours.__init__).parameters.values()
    ] == [(one.name, one.kind) for one in inspect.signature(theirs.__init__).parameters.values()]
    assert ours.__match_args__ == theirs.__match_args__


@pytest.mark.parametrize("name", NAMES)
def test_fields_are_those_of_attrs(name: str) -> None:
    def told(kind: type) -> list[tuple[Any, ...]]:
        return [
            (one.name, one.alias, one.init, bool(one.kw_only), bool(one.eq), dict(one.metadata))
            for one in attr.fields(kind)
        ]

    assert told(OURS[name]) == told(THEIRS[name])
    assert list(records.fields_dict(OURS[name])) == list(attr.fields_dict(THEIRS[name]))
    assert records.has(OURS[name])
    assert not records.has(dict)


@pytest.mark.parametrize("evolve", [attr.evolve, records.evolve])
def test_another_value_is_made_by_the_names_of_arguments(evolve: Any) -> None:
    one = OURS["Below"](1, ["t"])
    assert evolve(one, third=2.0) == OURS["Below"](1, ["t"], "c", 2.0)
    hidden = evolve(OURS["Alone"](1), hidden=4)
    assert (hidden._hidden, hidden.named) == (4, True)
    with pytest.raises(TypeError):
        evolve(one, fourth=1)


@BOTH
def test_records_in_records_become_dictionaries_in_dictionaries(of: ModuleType) -> None:
    kinds = OURS if of is records else THEIRS
    plain, named = kinds["Plain"], kinds["Named"]
    value = plain(named(first=1, last=2), (plain(3),), {"k": plain(4)})
    low: dict[str, Any] = {"second": "b", "tags": []}
    assert of.asdict(value) == {
        "first": {"first": 1, **low, "last": 2},
        "second": [{"first": 3, **low}],
        "tags": {"k": {"first": 4, **low}},
    }
    assert of.asdict(value, recurse=False)["first"] is value.first
    assert of.astuple(value, recurse=False) == (value.first, value.second, value.tags)


@BOTH
def test_what_a_call_lacks_or_has_too_much_is_an_error_each_time(of: ModuleType) -> None:
    kinds = shapes(of)
    for _ in range(2):
        with pytest.raises(TypeError):
            kinds["Plain"]()
        with pytest.raises(TypeError):
            kinds["Alone"](1, False)


@BOTH
def test_a_class_has_slots_unless_it_is_said_otherwise(of: ModuleType) -> None:
    kinds = shapes(of)
    assert not hasattr(kinds["Below"](1), "__dict__")
    assert hasattr(kinds["Named"](first=1, last=2), "__dict__")
    assert weakref.ref(value := kinds["Below"](1))() is value
    assert "second" not in kinds["Alone"].__dict__


@BOTH
def test_a_member_that_is_kept_is_worked_out_once_and_super_is_the_base(of: Any) -> None:
    class Base:
        def told(self) -> str:
            return "base"

    @of.frozen
    class Kept(Base):
        number: int
        calls: list[int] = of.Factory(list)

        @cached_property
        def double(self) -> int:
            self.calls.append(1)
            return 2 * self.number

        def told(self) -> str:
            return f"{super().told()} of {__class__.__name__}"  # type: ignore[name-defined]

    kept = Kept(4)
    assert [kept.double, kept.double, len(kept.calls)] == [8, 8, 1]
    assert kept.told() == "base of Kept"


@BOTH
def test_a_class_below_makes_its_base_by_hand(of: Any) -> None:
    @of.define
    class Base:
        one: int

    class Below(Base):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(one)
            self.two = two

    below = Below(1, 2)
    assert (below.one, below.two, Below(1, 3)) == (1, 2, below)
    assert Base(1) != below


@records.frozen
class Sent:
    """What is sent from process to process."""

    number: int
    names: tuple[str, ...] = ()


def test_values_are_sent_and_copied() -> None:
    one = Sent(1, ("a",))
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)


@BOTH
def test_fields_of_a_frozen_value_stay(of: ModuleType) -> None:
    for one in (*values(shapes(of), "Below"), *values(shapes(of), "Named")):
        with pytest.raises(AttributeError):
            one.first = 3
        with pytest.raises(AttributeError):
            del one.first
        assert one.first == 1
    changing = shapes(of)["Changing"](1)
    changing.count = 7
    assert changing.count == 7
