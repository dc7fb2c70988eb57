"""Makes rows and partners of tables that are hard to answer for at once.

Rows have different expressions for one attribute, requirements that differ in constants, in
conjuncts and in the attributes that they lead to, errors and undefined values, and numbers near the
ends of what doubles and integers can hold; so that a table has several groups and parts of rows.

Inputs: a seed.  Outputs: attributes of ads, texts of expressions; ads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from classad import ClassAd, ExprTree

#: Numbers at which doubles, integers and sums of them change their ways.
EDGES: tuple[int | float, ...] = (
    2**53 - 1, 2**53, 2**53 + 1, 2.0**53, -(2**53) - 1, 2**62 - 1, 2**62, 2**62 + 1, 2.0**62,
    -(2**62), 2**63 - 2, 2**63 - 1, -(2**63), -(2**63) + 1, 2.0**63, -(2.0**63), 2.0**64, 1e308,
    -1e308, 0.0, -0.0, 0.5, 1e-300,
)  # fmt: skip
#: Attributes of rows, and of partners; each may have any, though.
OF_ROWS = ("A", "B", "C", "D", "E", "F", "G", "S")
OF_PARTNERS = ("X", "Y", "Z", "W", "T")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "=?=", "=!=")


class Maker:
    """Makes ads and expressions of one source of numbers."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def pick(self, values: Sequence[Any]) -> Any:
        return values[self.rng.randrange(len(values))]

    def often(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    # ---- expressions

    def name(self, *, far: bool = False) -> str:
        """A reference, mostly to what there is: ``far`` in an expression of the partner."""
        here, there = (OF_PARTNERS, OF_ROWS) if far else (OF_ROWS, OF_PARTNERS)
        dice = self.rng.randrange(10)
        if dice < 5:
            return str(self.pick(("", "", "MY.")) + self.pick(here))
        if dice < 9:
            return str(self.pick(("", "TARGET.", "TARGET.")) + self.pick(there))
        return str(self.pick(("MY.", "TARGET.", "")) + self.pick((*OF_ROWS, *OF_PARTNERS, "No")))

    def constant(self) -> str:
        dice = self.rng.randrange(12)
        if dice < 6:
            return str(self.rng.randrange(16))
        if dice < 8:
            return repr(self.pick(EDGES))
        return str(self.pick(("2.5", '"b"', '"B"', "true", "false", "undefined", "error")))

    def number(self, depth: int, *, far: bool) -> str:
        if depth <= 0 or self.often(25):
            return self.name(far=far) if self.often(70) else self.constant()
        if self.often(10):
            return str(self.pick(_WITHIN[far]))
        sides = [self.number(depth - 1, far=far) for _ in range(2)]
        if self.often(10):
            return f"ifThenElse({self.test(depth - 1, far=far)}, {sides[0]}, {sides[1]})"
        if self.often(6):
            return f"({sides[0]} ?: {sides[1]})"
        return f"({sides[0]} {self.pick(('+', '-', '*', '+', '*', '/', '%'))} {sides[1]})"

    def test(self, depth: int, *, far: bool) -> str:
        dice = self.rng.randrange(20) if depth > 0 else 0
        if dice < 9:
            left = self.number(min(depth, 1) if self.often(80) else 2, far=far)
            right = self.number(0, far=far)
            return f"{left} {self.pick(COMPARISONS)} {right}"
        parts = [self.test(depth - 1, far=far) for _ in range(2)]
        if dice < 15:
            return f"({parts[0]} {self.pick(('&&', '||'))} {parts[1]})"
        if dice < 16:
            return f"!({parts[0]})"
        if dice < 17:
            return f"({self.name(far=far)} ? {parts[0]} : {parts[1]})"
        if dice < 18 and self.often(50):
            return str(self.pick(_MEMBERS[far]))
        if dice < 18:
            asks = (f"isUndefined({self.name(far=far)})", f"isError({self.name(far=far)})")
            return str(self.pick((*asks, f"!({self.name(far=far)})")))
        return self.name(far=far)

    # ---- ads

    def row(self) -> dict[str, Any]:
        """What a row has: plain values, and a few expressions that others have, too."""
        rng = self.rng
        found: dict[str, Any] = {
            "A": rng.randrange(14),
            "B": self.pick((0, 1, 2, 2.5, 3, -4, 7.0, 12, 13)),
            "C": self.pick((1, 2.5, "b", "B", "c", True, None, None)),
            "D": self.pick(EDGES),
            "E": self.pick((True, False, None, ExprTree("undefined"), ExprTree("error"))),
            "F": self.pick(_F),
            "G": self.pick(_G),
            "S": self.pick(("x", "X", "y", None)),
            "L": self.pick(
                ([1, 2.5, "x"], ["X", 3], [], [True, 7, 7.0], 5, None, ExprTree("{A, S}"))
            ),
            "N": self.pick(({"p": 3, "A": 1}, {"p": ExprTree("A + 1")}, {"p": "x"}, None)),
            "Devices": self.pick((*_DEVICES, None)),
            "D1": {"p": rng.randrange(4), "q": self.pick((1, 2.5, "x"))},
            "D2": {"p": rng.randrange(4), "A": 3},
        }
        if self.often(10):
            found["X"] = rng.randrange(4)
        if self.often(80):
            found["Requirements"] = self.pick(
                (
                    ExprTree(f"TARGET.X > {rng.randrange(12)} && Y =!= {rng.randrange(3)}"),
                    ExprTree(f"Start && TARGET.X >= {rng.randrange(6)}"),
                    ExprTree("Start"),
                    ExprTree("F && TARGET.Y < 4 || E"),
                    ExprTree(f"(TARGET.Z + A > {rng.randrange(9)}) && E isnt false && W ?: G"),
                    ExprTree(f'TARGET.T == "{self.pick("xyz")}" || MY.A < TARGET.X'),
                    ExprTree(f"debug(TARGET.X) != {rng.randrange(6)} && TARGET.X > 1"),
                    ExprTree(f"TARGET.X > {rng.randrange(6)} && TARGET.X > {rng.randrange(12)}"),
                    ExprTree(" && ".join(["TARGET.X > A", *["TARGET.Y > 0"] * 110])),
                    True,
                    1,
                    False,
                    ExprTree("error"),
                )
            )
            found["Start"] = self.pick(_STARTS)
        found["Rank"] = self.pick((ExprTree("TARGET.X * 2 + B"), ExprTree("F"), 3, "s", None))
        return found

    def partner(self) -> dict[str, Any]:
        rng = self.rng
        found: dict[str, Any] = {
            "X": self.pick((rng.randrange(14), 2.5, None, ExprTree("Y + 1"), ExprTree("TARGET.A"))),
            "Y": self.pick((0, 1, 2, 3.5, ExprTree("error"), ExprTree("undefined"), None)),
            "Z": self.pick((*EDGES, 3, ExprTree("X * 2"))),
            "W": self.pick((True, False, ExprTree("A > 6"), ExprTree("error"), None)),
            "T": self.pick(("x", "Y", "z", None)),
            "Wants": self.pick((ExprTree("p > 1"), ExprTree("p > X && q isnt 1"), True, None)),
        }
        if self.often(10):
            found["A"] = rng.randrange(4)
        if self.often(90):
            text = f"({self.test(1, far=True)}) && {self.test(2, far=True)}"
            wanted = (
                "TARGET.A > X && TARGET.E",
                f"F && TARGET.B < {rng.randrange(14)} && W",
                f'A > {rng.randrange(9)} && strcat(A, B, X) != "122" && size(strcat(A, B, D)) > Y',
                f'W && join("-", A, B) > "{rng.randrange(10)}" && strcat(A, TARGET.G) != "31"',
                text,
            )
            found["Requirements"] = self.pick((ExprTree(self.pick(wanted)), ExprTree(text), True))
        rank = f"{self.number(2, far=True)} + {self.number(2, far=True)}"
        found["Rank"] = self.pick((ExprTree(rank), ExprTree("A * X + B"), ExprTree(rank), 2, None))
        return found

    # ---- what rows and partners have from elsewhere

    def related(self, ads: Sequence[ClassAd], more: Sequence[ClassAd]) -> None:
        """Let some ads inherit from others, or stand in them."""
        for ad in ads:
            dice = self.rng.randrange(8)
            if dice < 4:
                for name in self.rng.sample(sorted(ad), self.rng.randrange(3)):
                    del ad[name]
            if dice in (0, 2):
                ad.chain(self.pick(more))
            if dice in (1, 2):
                ad._parent = self.pick(more)


#: Numbers and tests that look into lists and nested ads, in rows and in partners.
_WITHIN = (
    ("L[0]", "size(L)", "N.p", "N.A", "size(S)", "L[A]", "sum(L)", "max({A, B, TARGET.X})"),
    ("TARGET.L[0]", "size(TARGET.L)", "TARGET.N.p", "N.p", "size(T)", "sum(TARGET.L)", "L[X]"),
)
_MEMBERS = (
    ("member(3, L)", "member(TARGET.T, L)", 'regexp("^x", S, "i")', 'stringListMember(S, "x,y")',
     "member(A, {1, 2, TARGET.X})", "identicalMember(7, L)", "N is undefined", "L =?= {}"),
    ("member(X, TARGET.L)", "member(T, L)", 'regexp("y|x", TARGET.S)', 'regexp(T, S, "i")',
     "countMatches(MY.Wants, TARGET.Devices) > 0", "countMatches(Wants, TARGET.Devices) == 1",
     "countMatches(p > 1, TARGET.Devices) >= Y", "countMatches(MY.Wants, Devices) < 2"),
)  # fmt: skip
_DEVICES = (*map(ExprTree, ("{D1, D2}", "{D1}", "{D2, D1, [p = 2]}", "{}")), [{"p": 2}, {"p": 1}])
_F = tuple(
    map(ExprTree, ("A > 3", "error", "undefined", "TARGET.X > A", "B * 2 + A", "G", 'A + "s"'))
)
_G = (1, 0, 2.5, *map(ExprTree, ("B > 2 && E", "A % 3", "MY.F", "TARGET.Y", "E ? A : B")))
_STARTS = (
    True,
    *map(
        ExprTree,
        (
            "TARGET.X > 2 && E", "TARGET.W || A < 7", "F", "G && TARGET.X < 9 && S =?= T", "Start",
            "error", "A / 0 > 1 || TARGET.Y is undefined",
        ),
    ),
)  # fmt: skip


def ad_of(attributes: Mapping[str, Any]) -> ClassAd:
    """An ad, each of whose expressions is an object of its own."""
    ad = ClassAd()
    for name, value in attributes.items():
        if value is not None:
            ad[name] = ExprTree(str(value)) if isinstance(value, ExprTree) else value
    return ad
