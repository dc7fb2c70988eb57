"""Lists and ads of constants that are alike but for these are what reading each of them gives."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ClassAd, ExprTree, Table
from classad.ads.ad import ListValue
from classad.loading.long_form import load_long
from classad.table.store.constant_lists import Literals

MEMBERS = [
    "1", "-2", "- 3", "0", "1.5", "-0.0", "007", "1e3", "0x1F", "123456789012345678",
    "12345678901234567890", '"a"', '""', '"a b, {c}; 7"', '"\\""', '"é"', "true", "UNDEFINED",
    "error", "Cpus", "Cpus + 1", "{ 1 }", "[ x = 1 ]", "(5)", "'7'", 'absTime("2020-01-01")',
]  # fmt: skip
PLAIN = ["1", "-2", "1.5", "-0.0", '"a"', '""', '"a b, {c}; 7"', "true", "UNDEFINED"]


def parts(value: Any) -> Any:
    """All that a value is, with types and spellings."""
    if value.__class__ is ListValue:
        return ["list", value.scope.__class__, *map(parts, value.items)]
    if isinstance(value, ClassAd):
        members = [(key, value._names[key], parts(item)) for key, item in value._attrs.items()]
        return ["ad", value._parent.__class__, *members]
    return value.__class__, repr(value)


def check(texts: list[str]) -> None:
    loaded = load_long("\n\n".join(f"A = {text}" for text in texts).encode())
    codes, values = Table.from_columns(loaded).column("A")
    for code, ad in zip(codes, loaded.to_ads(ClassAd), strict=True):
        assert parts(values[code]) == parts(ad.raw("A"))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(MEMBERS), max_size=4), min_size=1, max_size=6))
def test_lists_of_anything(lists: list[list[str]]) -> None:
    check(["{ " + ", ".join(members) + " }" for members in lists])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(MEMBERS), max_size=3), min_size=1, max_size=6))
def test_ads_of_anything(lists: list[list[str]]) -> None:
    names = ["One", "two", "ONE"]
    for count in (2, 3):
        pairs = [zip(names[:count], members, strict=False) for members in lists]
        check(["[ " + "; ".join(f"{n} = {text}" for n, text in some) + " ]" for some in pairs])


@pytest.mark.parametrize("tail", ["", " 5", ' "x"', " && 5"])
def test_what_stands_behind(tail: str) -> None:
    check([f"{{ 1, 2 }}{tail}", f"{{ 3, 4 }}{tail}", f"[ A = 1 ]{tail}", f"[ A = 2 ]{tail}"])


def test_texts_that_are_alike_are_read_once() -> None:
    read: list[str] = []

    def value(literals: Literals, text: str) -> Any:
        def tree() -> ExprTree:
            read.append(text)
            return ExprTree(text)

        return literals.value(text, tree)

    literals = Literals(ClassAd())
    for member in PLAIN:
        for text in (f"{{ 1, {member}, 2 }}", f"[ A = 1; B = {member}; C = 2 ]"):
            read.clear()
            value(literals, text)
            assert value(literals, text.replace("1", "7").replace("2", "8")) is not None
            assert read in ([text], [])
    for text in ("{ Cpus }", "{ 1, Cpus }", "{ { 1 } }", "1 + 2", "( { 1 } )"):
        assert value(literals, text) is None
