"""What requirements are split into, and what the values of the parts depend on."""

from __future__ import annotations

import pytest

from classad import ClassAd
from classad.formats.unparse import unparse
from negotiator.expressions.dependence import Analyst, conjuncts


def parts(text: str) -> list[str] | None:
    found = conjuncts(ClassAd(text))
    return None if found is None else [unparse(node) for node in found]


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        ("A && (B && C)", ["A", "B", "C"]),
        ("X && C", ["TARGET.U > 1", "N", "C"]),
        ("MY.X && C", ["TARGET.U > 1", "N", "C"]),
        ("self.x && C", ["TARGET.U > 1", "N", "C"]),
        ("TARGET.X && C", ["TARGET.X", "C"]),
        ("Y.X && C", ["Y.X", "C"]),
        ("Y.MY.X && C", ["Y.MY.X", "C"]),
        ("MY.Y.X && C", ["MY.Y.X", "C"]),
        (".X && C", [".X", "C"]),
        ("MY.N && Nowhere", ["MY.N", "Nowhere"]),
        ("X || C", ["X || C"]),
        ("Around && C", ["Around", "C"]),
        ("Requirements && C", ["Requirements", "C"]),
        ("true", ["true"]),
        ("{ A }", ["false"]),
    ],
)
def test_conjuncts(requirements: str, expected: list[str]) -> None:
    """Own attributes are looked into, but for those under way."""
    around = "Around = Around"
    assert (
        parts(f"[X = TARGET.U > 1 && N; N = 1; {around}; Requirements = {requirements}]")
        == expected
    )


def test_an_ad_without_requirements_has_no_conjuncts() -> None:
    assert parts("[X = 1]") is None


AD = """[
    One = 1; Real = 1.0; Zero = 0.0; Minus = -0.0; Led = TARGET.Cpus + Nowhere + One;
    Around = Around + 1; List = { 1 }; Requirements = true
]"""


@pytest.mark.parametrize(
    ("text", "other", "steady"),
    [
        ("One + MY.Real", (), True),
        ("TARGET.Memory > MY.Nowhere", ("memory",), True),
        ("Nowhere", ("nowhere",), True),
        ("Led > 1", ("cpus", "nowhere"), True),
        ("Around", (), True),
        ("time() > One", (), True),
        ("random(5) > One", (), False),
        ("nosuch(5)", (), False),
        ("List[0]", (), False),
        ("[a = 1].a", (), False),
    ],
)
def test_what_a_value_depends_on(text: str, other: tuple[str, ...], steady: bool) -> None:
    ad = ClassAd(AD)
    node = ClassAd(f"[x = {text} ?: 1]").raw("x").node
    found = Analyst().dependence(node, ad)
    assert (found.other, found.steady) == (other, steady)


def test_values_that_differ_are_told_apart() -> None:
    """The number 1 and the real 1.0, and the signs of zero, are different values."""
    node = ClassAd("[x = V + 1]").raw("x").node
    analyst = Analyst()
    own = [
        analyst.dependence(node, ClassAd(f"[V = {value}]")).own
        for value in ("1", "1.0", "true", '"1"', "0.0", "-0.0", "undefined", "error")
    ]
    assert len(set(own)) == len(own)
    assert analyst.dependence(node, ClassAd("[V = 1]")).own == own[0]
