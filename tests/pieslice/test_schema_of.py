"""The schema of a class takes what is printed of its values, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Literal, NotRequired, TypedDict

import pytest
from attr import evolve, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from pieslice.reports.document import (
    INLINE,
    NOT_SHOWN,
    SPARSE,
    Document,
    json_name,
    json_text,
    shape,
    shape_text,
    version_data,
    version_from_data,
    view,
)
from pieslice.reports.schema import UntypedError, schema_of
from policy.versions import Followed, Version

jsonschema = pytest.importorskip("jsonschema")


class Way(Enum):
    """A word of a fixed set."""

    FREE = "free"
    BY_RANK = "rank"


class Place:
    """What JSON has as a text."""

    def __str__(self) -> str:
        return "here"


class Numbers(TypedDict):
    """A dictionary of known keys."""

    count: int
    mean: NotRequired[float]


@frozen
class Leaf:
    """Something that stands in several places.

    ``weight``: in slot weights.
    """

    weight: float = field(metadata=json_name("slot_weight"))
    way: Way
    below: tuple[Leaf, ...] = ()


@view("weight twice=.twice")
class Doubled:
    """A leaf, seen otherwise."""

    leaf: Leaf

    @property
    def twice(self) -> float:
        """Double the weight."""
        return 2 * self.leaf.weight


@frozen
class Everything(Document):
    """All that a document can have."""

    schema: ClassVar[str] = "pieslice/everything/3"
    text: str
    number: int
    flag: bool
    leaf: Leaf
    maybe: Leaf | None
    pairs: Sequence[tuple[str, int]]
    named: Mapping[str, float | None]
    by_way: Mapping[Way, int]
    both: Mapping[Literal["in", "out"], int]
    numbers: Numbers
    doubled: Doubled
    place: Place
    inner: Leaf = field(metadata=INLINE)
    more: Mapping[str, bool] = field(metadata=INLINE)
    why: str | None = field(default=None, metadata=SPARSE)
    secret: object = field(default=None, metadata=NOT_SHOWN)
    followed: Followed | None = None

    def verdict(self) -> str:
        """What came of it."""
        return "done"


shape(Everything, "* kind:everything verdict")
shape_text(Place)

reals = st.floats()
ways = st.sampled_from(Way)
leaves = st.recursive(
    st.builds(Leaf, reals, ways), lambda inner: st.builds(Leaf, reals, ways, st.tuples(inner))
)
values = st.builds(
    Everything,
    text=st.text(),
    number=st.integers(),
    flag=st.booleans(),
    leaf=leaves,
    maybe=st.none() | leaves,
    pairs=st.lists(st.tuples(st.text(), st.integers())),
    named=st.dictionaries(st.text(), st.none() | reals),
    by_way=st.dictionaries(ways, st.integers()),
    both=st.fixed_dictionaries({"in": st.integers(), "out": st.integers()}),
    numbers=st.fixed_dictionaries({"count": st.integers()}, optional={"mean": reals}),
    doubled=st.builds(Doubled, leaves),
    place=st.just(Place()),
    inner=leaves,
    more=st.dictionaries(st.sampled_from(("a", "b")), st.booleans()),
    why=st.none() | st.text(min_size=1),
    followed=st.none() | st.just(Followed(Version(25, 0, 13), None, "as told")),
)
SCHEMA = schema_of(Everything)


def check(data: object) -> None:
    jsonschema.validate(data, SCHEMA, jsonschema.Draft202012Validator)


@given(values)
def test_what_is_printed_fits_the_schema(value: Everything) -> None:
    check(json.loads(value.to_json()))
    assert json_text(value.to_dict()) == value.to_json()


ONE = Everything(
    "a", 1, True, Leaf(1.0, Way.FREE), None, [("b", 2)], {"c": 3.0}, {}, {"in": 1, "out": 2},
    {"count": 1}, Doubled(Leaf(2.0, Way.FREE)), Place(), Leaf(4.0, Way.BY_RANK), {"e": True},
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("text", None), ("number", 1.5), ("flag", "yes"), ("leaf", {}), ("maybe", 3),
        ("pairs", [["b"]]), ("pairs", [["b", 2, 3]]), ("named", {"c": "d"}),
        ("by_way", {"none": 1}),
        ("both", {"in": 1}), ("numbers", {"mean": 1.0}), ("numbers", {"count": 1, "mode": 2}),
        ("place", 1), ("way", "priority"), ("kind", "nothing"), ("other", "no truth value"),
        ("schema", "pieslice/everything/2"), ("why", None),
    ],
)  # fmt: skip
def test_what_is_never_printed_does_not_fit(name: str, wrong: object) -> None:
    data = json.loads(ONE.to_json())
    check(data)
    with pytest.raises(jsonschema.ValidationError):
        check({**data, name: wrong})


def test_a_member_is_missing_only_where_it_may_be() -> None:
    data = json.loads(ONE.to_json())
    optional = {"why", "condor_version", "condor_version_from", "e"}
    assert set(SCHEMA["required"]) == set(data) - optional  # type: ignore[call-overload]
    for name in data:
        rest = {key: value for key, value in data.items() if key != name}
        if name in optional:
            check(rest)
        else:
            with pytest.raises(jsonschema.ValidationError):
                check(rest)


def test_names_are_those_of_the_declarations() -> None:
    data = json.loads(ONE.to_json())
    assert data["leaf"] == {"slot_weight": 1.0, "way": "free", "below": []}
    assert (data["slot_weight"], data["way"], data["e"]) == (4.0, "rank", True)
    assert data["doubled"] == {"weight": 2.0, "twice": 4.0}
    assert (data["kind"], data["verdict"], data["place"]) == ("everything", "done", "here")
    assert not {"secret", "inner", "more", "why", "followed"} & set(data)


def test_a_definition_says_what_its_class_says() -> None:
    definitions: dict[str, Any] = SCHEMA["$defs"]  # type: ignore[assignment]
    assert SCHEMA["description"] == "All that a document can have."
    assert definitions["Leaf"]["description"].endswith("``weight``: in slot weights.")


def test_a_version_is_two_fields_and_comes_back() -> None:
    followed = Followed(Version(24, 0, 23), None, "as told")
    data = evolve(ONE, followed=followed).to_dict()
    assert (data["condor_version"], data["condor_version_from"]) == ("24.0.23", "as told")
    assert version_from_data(data) == version_from_data(version_data(followed)) == followed


@pytest.mark.parametrize("hint", ["Gone", "complex", "object | Gone"])
def test_a_type_that_json_has_not_is_an_error(hint: str) -> None:
    kind = type("Odd", (Document,), {"__annotations__": {"x": hint}, "schema": "pieslice/odd/1"})
    with pytest.raises(UntypedError, match=r"x|complex"):
        schema_of(frozen(kind))
