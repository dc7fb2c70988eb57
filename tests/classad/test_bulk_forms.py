"""Bulk forms of functions give for many calls at once what the function gives call by call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from classad.ads.ad import ListValue
from classad.evaluation.functions import Booleans, load
from classad.evaluation.state import EvalState
from classad.language.values import ERROR, UNDEFINED, AbsTime, ClassAdValue

LONG = "x" * 200 + "a"


class Given:
    """The values that calls have for one argument; ``one``: all have the same."""

    def __init__(self, values: Sequence[ClassAdValue], one: bool) -> None:
        self._values, self._one = list(values), one
        self.memo: dict[str, object] = {}

    def shared(self) -> ClassAdValue | None:
        return self._values[0] if self._one else None

    def texts(self) -> list[str] | None:
        found = [value for value in self._values if isinstance(value, str)]
        return None if self._one or len(found) < len(self._values) else found

    def values(self) -> list[ClassAdValue]:
        return self._values


def a_list(*items: ClassAdValue) -> ListValue:
    return ListValue(items)


#: Values that differ from call to call: strings, lists, anything.
ITEMS = ("a", "A", "b", "", " a", "a;b", "ac", "B", "\u00e9", "a,b")
TEXTS = ("a, b", "B;A", "", "a", "b a", " a ,c", "a;b", "A", "\u00c9,\u00e9", "a,b")
SUBJECTS = ("a", "A", "ba", "", "b", "a\nb", "ab", "\u00e9", "aa", "c")
LISTS = (
    a_list("a", "B"), a_list(), a_list(1, 2.0), a_list(True, UNDEFINED), a_list("A", ERROR),
    a_list(2**53 + 1), a_list(-0.0, "b"), a_list(1.0), a_list("1"), a_list(0, float("nan")),
)  # fmt: skip
OTHERS = (*LISTS[:7], UNDEFINED, ERROR, "a")
STRANGE = (*LISTS[:9], a_list(AbsTime(5, 0), "a"))
ANYTHING = ("a", 1, UNDEFINED, ERROR, a_list("a"), 2.5, True, "b", "", "c")
OWN: dict[str, Sequence[Sequence[ClassAdValue]]] = {
    "stringListMember": (ITEMS, TEXTS, ANYTHING),
    "stringListIMember": (ITEMS, TEXTS, ANYTHING),
    "regexp": (SUBJECTS, (*SUBJECTS[:9], LONG), ANYTHING),
    "member": (ITEMS, LISTS, OTHERS, STRANGE, ANYTHING),
}
ONE: dict[str, Sequence[ClassAdValue]] = {
    "stringListMember": ("a", "b", "", "a;b", ";", ", ", "a, B;c", UNDEFINED, ERROR, 1),
    "stringListIMember": ("a", "B", "", "A;b", ";", ", ", "a, B;c", UNDEFINED, ERROR, 1),
    "regexp": ("a", "^A", "(", "a*b+c?", "a*b+c?d*", "[ab]$", "i", "", "\\w", UNDEFINED, ERROR, 1),
    "member": (
        "a", "b", 1, 1.0, True, False, 0, -0.0, 2**53, 2.0**53, "1", UNDEFINED, ERROR, a_list("a"),
        AbsTime(5, 0), float("nan"),
    ),
}  # fmt: skip
#: Which arguments differ from call to call (``o``) where there is a bulk answer for some values.
TOGETHER = {
    "stringListMember": {"1o", "1o1", "o1", "o11"},
    "stringListIMember": {"1o", "1o1", "o1", "o11"},
    "regexp": {"1o", "1o1"},
    "member": {"1o"},
}
#: How many questions of those that are asked have an answer, so that a bulk form is of use.
ANSWERED = {"stringListMember": 224, "stringListIMember": 224, "regexp": 45, "member": 48}


def test_every_bulk_form_is_asked() -> None:
    assert {it.name for it in load().values() if it.bulk is not None} == set(OWN)


def columns(name: str, place: str) -> list[tuple[Sequence[ClassAdValue], bool]]:
    if place == "o":
        return [(values, False) for values in OWN[name]]
    return [([value] * 10, True) for value in ONE[name]]


@pytest.mark.parametrize("name", OWN)
def test_many_calls_at_once_give_what_each_gives(name: str) -> None:
    function = load()[name.lower()]
    assert function.bulk is not None
    state, answered, shapes = EvalState(), 0, set()
    kept: dict[int, Given] = {}
    for count in range(function.min_args, (function.max_args or 3) + 1):
        for shape in map("".join, product("o1", repeat=count)):
            for chosen in product(*(columns(name, place) for place in shape)):
                given = [
                    kept.setdefault(id(values), Given(values, one)) if not one
                    else Given(values, one) for values, one in chosen
                ]  # fmt: skip
                found = function.bulk(given)
                if found is None:
                    continue
                answered += 1
                shapes.add(shape)
                alone = [
                    function.impl(state, *row) for row in zip(*(v for v, _ in chosen), strict=True)
                ]
                assert plain(found) == plain(alone), (shape, [values for values, _ in chosen])
                if isinstance(found, Booleans):
                    assert {value.__class__ for value in found} == {bool}
    assert (shapes, answered) == (TOGETHER[name], ANSWERED[name])


def plain(values: Sequence[ClassAdValue]) -> list[Any]:
    """Values that are equal only if they are the same."""
    return [(value.__class__, value) for value in values]
