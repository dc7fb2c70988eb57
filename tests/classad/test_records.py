"""Records are what attrs would make of the same declarations, without its work at import."""

from __future__ import annotations

import copy
import inspect
import pickle
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import attr
import pytest

from classad import records


def declared(by: ModuleType) -> SimpleNamespace:
    """Classes of every kind that there is here, declared by attrs or by our own module."""
    define, frozen, field = by.define, by.frozen, by.field

    @frozen
    class Point:
        """A place."""

        KINDS: ClassVar[int] = 2
        x: int
        y: float = 0.5
        tags: list[str] = field(factory=list)
        _hidden: int = field(default=3, repr=False, eq=False)

        @property
        def double(self) -> int:
            return 2 * self.x

    @frozen
    class Named(Point):
        name: str = field(default="n", kw_only=True)
        x: int = 7

        def describe(self) -> str:
            return f"{super().double} of {__class__.__name__}"  # type: ignore[name-defined]

    @define
    class Counter:
        count: int = 0
        seen: dict[str, Any] = field(factory=dict, init=False)
        unset: int = field(init=False)
        same: Any = by.Factory(lambda self: self.count, takes_self=True)

        def __attrs_post_init__(self) -> None:
            self.seen[str(self.count)] = self

        @cached_property
        def square(self) -> int:
            return self.count**2

    @frozen(eq=False, repr=False)
    class Plain:
        value: Any = field(default=(), converter=tuple)

    @frozen(kw_only=True, slots=False)
    class Wide:
        a: int
        b: str = "b"

        @cached_property
        def both(self) -> str:
            return f"{self.a}{self.b}"

    @define(eq=False)
    class Own:
        value: int

        def __repr__(self) -> str:
            return f"<{self.value}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.value % 2 == other.value % 2

    return SimpleNamespace(
        Point=Point, Named=Named, Counter=Counter, Plain=Plain, Wide=Wide, Own=Own
    )


def made(of: SimpleNamespace) -> Iterator[Callable[[], object]]:
    """What somebody may do with them; both kinds have to answer the same."""
    point, counter = of.Point(1, 2.0, ["t"]), of.Counter(4)
    yield lambda: [repr(it) for it in (point, of.Named(), of.Named(1, name="m"), of.Own(3))]
    yield lambda: of.Named(2, name="q").describe()
    yield lambda: [point == of.Point(1, 2.0, ["t"], hidden=9), point == of.Point(2), point != 1]
    yield lambda: [of.Point(1) == of.Named(1, 0.5), of.Plain(1) == of.Plain(1)]
    yield lambda: hash(of.Wide(a=1)) == hash(of.Wide(a=1))
    yield lambda: {of.Wide(a=1): 5}[of.Wide(a=1, b="b")]
    yield lambda: [kind.__hash__ is None for kind in (of.Counter, of.Own)]
    yield lambda: hash(counter)
    yield lambda: of.Point()
    yield lambda: of.Point(1, 2.0, [], 3, 4)
    yield lambda: of.Point(1, other=2)
    yield lambda: of.Wide(1)
    yield lambda: setattr(point, "x", 2)
    yield lambda: setattr(point, "z", 2)
    yield lambda: delattr(point, "x")
    yield lambda: setattr(of.Wide(a=1), "a", 2)
    yield lambda: setattr(counter, "other", 2)
    yield lambda: (setattr(counter, "count", 5), counter.count, counter.same)
    yield lambda: (of.Counter(3).square, of.Wide(a=1).both, point.double, of.Point.KINDS)
    yield lambda: counter.unset
    yield lambda: list(of.Counter(2).seen)
    yield lambda: (of.Point(1).tags is of.Point(1).tags, of.Plain([1, 2]).value)
    yield lambda: [hasattr(it, "__dict__") for it in (point, counter, of.Named(), of.Wide(a=1))]
    yield lambda: [it() is not None for it in map(weakref.ref, (point, of.Named(), of.Wide(a=1)))]
    yield lambda: [list(inspect.signature(kind).parameters) for kind in vars(of).values()]
    yield lambda: [kind.__match_args__ for kind in vars(of).values()]
    yield lambda: [repr(copy.copy(it)) for it in (point, of.Named(3), of.Wide(a=1))]
    yield lambda: copy.deepcopy(point) == point
    yield lambda: of.Plain.__eq__ is object.__eq__
    yield lambda: [kind.__qualname__.rsplit(".")[-1] for kind in vars(of).values()]
    yield lambda: of.Point.__doc__


def answer(ask: Callable[[], object]) -> object:
    """What it gives, or the kind of exception."""
    try:
        return ask()
    except AttributeError:
        return AttributeError
    except TypeError:
        return TypeError


ASKED = len(list(made(declared(attr))))


@pytest.mark.parametrize("number", range(ASKED))
def test_records_do_what_classes_of_attrs_do(number: int) -> None:
    ours, theirs = (list(made(declared(by)))[number] for by in (records, attr))
    assert answer(ours) == answer(theirs)


@pytest.mark.parametrize("by", [records, attr], ids=["records", "attrs"])
def test_functions_of_attrs_and_of_records_work_with_records(by: Any) -> None:
    of = declared(records)
    named = by.evolve(of.Named(x=1, hidden=2), name="m", hidden=8)
    assert by.asdict(named) == {"y": 0.5, "tags": [], "_hidden": 8, "name": "m", "x": 1}
    nested = of.Plain([{"k": (of.Plain([1]),)}])
    assert by.asdict(nested) == {"value": [{"k": [{"value": [1]}]}]} or by is attr
    assert [one.name for one in by.fields(of.Named)] == ["y", "tags", "_hidden", "name", "x"]
    assert [by.has(it) for it in (of.Named, int)] == [True, False]


def test_declaring_a_record_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_ = records._compiled
    monkeypatch.setattr(
        records,
        "_compiled",
        lambda cls, name, *more: compiled.append(name) or compile_(cls, name, *more),
    )
    of = declared(records)
    assert compiled == []
    assert of.Point(1) == of.Point(1)
    of.Point(2)
    assert compiled == ["__init__", "__eq__"]


def test_a_field_without_default_does_not_follow_one_with_a_default() -> None:
    with pytest.raises(TypeError, match="`b` has no default and follows `a`"):

        @records.define
        class _Wrong:
            a: int = 1
            b: int  # type: ignore[misc]


@records.frozen
class Kept:
    """A record that a pickle can name."""

    a: int
    _b: tuple[int, ...] = ()


def test_pickles_of_records_are_equal_to_them() -> None:
    kept = Kept(1, (2, 3))
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_a_record_that_holds_itself_has_a_text() -> None:
    @records.define(eq=False)
    class Ring:
        inside: list[Any] = records.field(factory=list)

    ring = Ring()
    ring.inside.append(ring)
    assert repr(ring).endswith("Ring(inside=[...])")
