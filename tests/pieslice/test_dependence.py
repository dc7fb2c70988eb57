"""What the value of an expression depends on, and the conjuncts that requirements come to."""

from __future__ import annotations

import pytest

from classad import ClassAd
from classad.syntax.parser import parse_expression
from classad.syntax.unparse import unparse
from pieslice.expressions.dependence import Analyst, conjuncts

AD = """[
    Cpus = 4; Start = TARGET.Owner != "x" && Cpus > Least; Least = 2; Names = {"a"};
    Inner = [A = 1]; Loop = Loop && true
]"""


@pytest.mark.parametrize(
    ("text", "other", "steady"),
    [
        ("Cpus > 2 && MY.Absent", (), True),
        ("Absent + TARGET.Memory", ("absent", "memory"), True),
        ("Start", ("owner",), True),
        ("member(Owner, Names)", ("owner",), False),
        ("MY.Inner.A", (), False),
        ("[A = 1].A", (), False),
        ("time() > 5 && strcat(Wish)", ("wish",), True),
        ("random(3) > 1", (), False),
        ("nosuch(1)", (), False),
    ],
)
def test_what_a_value_depends_on(text: str, other: tuple[str, ...], steady: bool) -> None:
    found = Analyst().dependence(parse_expression(text), ClassAd(AD))
    assert (found.other, found.steady) == (other, steady)


def test_ads_with_the_same_of_what_is_read_are_told_from_others() -> None:
    analyst, tree = Analyst(), parse_expression("Cpus > Absent")
    texts = ("4", "4.0", "true", '"4"', "0.0", "-0.0", "undefined", "error")
    keys = [
        analyst.dependence(tree, ClassAd(text)).own
        for text in ("[Cpus = 4; Other = 1]", "[]", *(f"[Cpus = {it}]" for it in texts))
    ]
    assert keys[0] == keys[2]
    assert len(set(keys)) == 9


@pytest.mark.parametrize(
    ("requirements", "found"),
    [
        ("Start && (Cpus == 4 && MY.Least)", ['TARGET.Owner != "x"', "Cpus > Least", "Cpus == 4",
                                             "MY.Least"]),
        ("Requirements && .Start && TARGET.Start && Cpus", ["Requirements", ".Start",
                                                            "TARGET.Start", "Cpus"]),
        ("MY.Start && self.Least", ['TARGET.Owner != "x"', "Cpus > Least", "self.Least"]),
        ("Inner.MY.Start && MY.Inner.Start", ["Inner.MY.Start", "MY.Inner.Start"]),
        ("Loop", ["Loop", "true"]),
        ("true", ["true"]),
        ('"yes"', ['"yes"']),
        ("{true}", ["false"]),
        ("[A = true]", ["false"]),
        (None, None),
    ],
)  # fmt: skip
def test_the_conjuncts_of_requirements(requirements: str | None, found: list[str] | None) -> None:
    ad = ClassAd(AD)
    if requirements is not None:
        ad.update(ClassAd(f"[Requirements = {requirements}]"))
    parts = conjuncts(ad)
    assert found == (None if parts is None else [unparse(part) for part in parts])
