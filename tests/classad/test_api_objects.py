"""Which objects an ad hands out, and that equal expressions of one ad stay apart."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import classad
from classad import ClassAd, ExprTree, ParserType
from classad.adfile import read_ads

NEW = "[A = B is undefined; B = B is undefined; C = A; F = 2 + 2; G = 2 + 2]"
LONG = "A = B =?= undefined\nB = B =?= undefined\nC = A\nF = 2 + 2\nG = 2 + 2\n"
JSON = (
    r'{"A": "\/Expr(B is undefined)\/", "B": "\/Expr(B is undefined)\/",'
    r' "C": "\/Expr(A)\/", "F": "\/Expr(2 + 2)\/", "G": "\/Expr(2 + 2)\/"}'
)
XML = (
    '<classads><c><a n="A"><e>B is undefined</e></a><a n="B"><e>B is undefined</e></a>'
    '<a n="C"><e>A</e></a><a n="F"><e>2 + 2</e></a><a n="G"><e>2 + 2</e></a></c></classads>'
)


def _assigned() -> ClassAd:
    """The same ad, one expression object given for two attributes."""
    same, sum_ = ExprTree("B is undefined"), ExprTree("2 + 2")
    ad = ClassAd({"A": same, "B": same, "C": ExprTree("A")})
    ad["F"] = sum_
    ad["G"] = ad["F"]
    return ad


def _from_file(text: str) -> ClassAd:
    # Twice, so that the expressions of the second ad are known already.
    return list(read_ads(io.StringIO(f"{text}\n{text}")))[1]


WAYS: dict[str, Callable[[], ClassAd]] = {
    "text": lambda: ClassAd(NEW),
    "old": lambda: classad.parseOne(LONG, ParserType.Old),
    "dict": _assigned,
    "long file": lambda: _from_file(LONG + "\n"),
    "new file": lambda: _from_file(NEW),
    "json file": lambda: _from_file(JSON),
    "xml file": lambda: next(read_ads(io.StringIO(XML))),
}


@pytest.mark.parametrize("way", WAYS)
def test_equal_expressions_of_one_ad_are_not_one_cycle(way: str) -> None:
    ad = WAYS[way]()
    # C follows A, then B, and only there the cycle closes: B is undefined, so B is true.
    assert ad.eval("C") is False
    assert ad.eval("B") is False
    assert ad["C"].eval(ad) is False


@pytest.mark.parametrize("way", WAYS)
def test_each_reading_gives_an_object_of_its_own(way: str) -> None:
    ad = WAYS[way]()
    assert ad["F"] is not ad["G"]
    assert ad.get("F") is not ad.get("F")
    assert ad.lookup("F") is not ad.lookup("F")
    assert ad["F"] == ad["G"] == ad.lookup("F")
    assert type(ad["F"]) is ExprTree


def test_what_was_handed_out_shares_what_is_compiled() -> None:
    ad = ClassAd("[Answer = Left + Right; Left = 40; Right = 2]")
    first = ad["Answer"]
    assert first.eval(ad) == 42
    again = ad["Answer"]
    assert again.run is first.run
    # Often enough for the expression to be translated.
    assert {again.eval(ad) for _ in range(500)} == {42}
    assert {ad["Answer"].eval(ad) for _ in range(5)} == {42}
    other = ClassAd("[Left = 1; Right = 1]")
    other["Answer"] = again
    assert other.eval("Answer") == 2


def test_an_object_is_unchanged_when_the_ad_is() -> None:
    ad = ClassAd("[Rank = Cpus * 2; Cpus = 3]")
    rank = ad["Rank"]
    ad["Rank"] = 1
    assert rank.eval(ad) == 6


def test_builders_go_wherever_expressions_go() -> None:
    ad = ClassAd({"Bar": 1})
    condition = classad.Attribute("Foo") == classad.Attribute("Bar")
    flat = ad.flatten(condition)
    assert flat.sameAs(ExprTree("Foo == 1"))
    assert ad.flatten(classad.Attribute("Bar") + 1) == 2
    assert ad.internalRefs(condition) == ["Bar"]
    assert ad.externalRefs(condition) == ["Foo"]
    assert condition.simplify(ClassAd({"Foo": 2, "Bar": 2})) == ExprTree("true")
    assert condition.eval(ClassAd({"Foo": 2, "Bar": 2})) is True
