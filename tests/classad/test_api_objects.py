"""Which objects an ad hands out, and that equal expressions of one ad stay apart."""

from __future__ import annotations

import io
import json
import operator
from collections.abc import Callable

import pytest

import classad
from classad import ClassAd, ExprTree, ParserType
from classad.files.ads import read_ads, write_ads

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
    "merged": lambda: classad.parseOne(" ".join(f"[{part}]" for part in NEW[1:-1].split(";"))),
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


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
def test_a_builder_may_stand_on_the_right(symbol: str) -> None:
    rules = {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
        "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor,
        "<<": operator.lshift, ">>": operator.rshift,
    }  # fmt: skip
    built = rules[symbol](12, classad.Attribute("x"))
    assert built.sameAs(ExprTree(f"12 {symbol} x"))
    assert built.eval(ClassAd({"x": 2})) == ExprTree(f"12 {symbol} 2").eval()


def test_only_expressions_are_the_same_as_expressions() -> None:
    with pytest.raises(TypeError, match="expr must be an ExprTree"):
        ExprTree("1").sameAs(1)  # type: ignore[arg-type]


def test_references_of_a_circle_cannot_be_told() -> None:
    with pytest.raises(classad.ClassAdValueError, match="internal references"):
        ClassAd("[a = a]").internalRefs(ExprTree("a"))


def test_attributes_iterate_by_length_then_without_case() -> None:
    ad = ClassAd(
        "[zzz = 1; Mm = 2; a = 3; _x = 4; Cpus = 5; B = 6; ab = 7; 'é' = 8; xA = 9; x_ = 10]"
    )
    names = ["a", "B", "_x", "ab", "Mm", "x_", "xA", "é", "zzz", "Cpus"]
    assert list(ad) == list(ad.keys()) == names
    assert [line.split(" = ")[0].strip("'") for line in ad.printOld().splitlines()] == names
    assert list(json.loads(ad.printJson())) == names
    assert list(ClassAd(repr(ad))) == names
    assert [ad.popitem()[0] for _ in names] == names


def test_references_are_in_alphabetical_order() -> None:
    ad = ClassAd("[zz = yy; b = ab; yy = c; ab = 1; c = 2]")
    assert ad.internalRefs(ExprTree("zz + b")) == ["ab", "b", "c", "yy", "zz"]
    assert ad.externalRefs(ExprTree("zzz + TARGET.Zq + d + e.f")) == [
        "d",
        "e.f",
        "TARGET.Zq",
        "zzz",
    ]


def test_the_long_form_of_the_tools_is_alphabetical() -> None:
    out = io.StringIO()
    write_ads([ClassAd("[Rank = 1; Cpus = 2; B = 3; Aa = 4]")], out)
    assert out.getvalue().strip().splitlines() == ["Aa = 4", "B = 3", "Cpus = 2", "Rank = 1"]
