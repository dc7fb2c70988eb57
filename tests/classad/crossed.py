"""Crosses kinds of columns with operators, functions, names and partners, for tests of tables.

Rows have one column for each kind of cells; questions put every kind against every operator.  What
the reference evaluator says of a question is found once and kept, whichever table is asked.

Inputs: none.  Outputs: rows, partners, texts of expressions; answers row by row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice, product
from typing import Any, Final

from classad import ClassAd, ExprTree, Value
from fuzz.one_by_one import CONTEXT, shown, value_of

#: How many rows are unlike each other.
SIZE: Final = 24
_DAY: Final = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def _expressions(*texts: str) -> tuple[ExprTree, ...]:
    return tuple(map(ExprTree, texts))


#: What rows have, by attribute; None for nothing.  Shorter ones begin again.
COLUMNS: Final[dict[str, Sequence[Any]]] = {
    "I": (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 0, -2),
    "W": tuple(7 * (n * 11 % SIZE) - 50 for n in range(SIZE)),
    "K": (*(2**53 + n for n in range(-5, 6)), 2.0**53, 2.0**53 + 2, 2**53 + 1, -(2**53) - 1),
    "Z": (2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1, -(2**63), -(2**62) - 1, 2**63 - 2, 2**61, 0, 5,
          -1, 2**60, -(2**61)),
    "R": (0.0, -0.0, 0.5, -2.5, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, 2.0, 7.0,
          1e-300, 2.0**63, -(2.0**63), 3.25),
    "N": (1, 1.0, True, 2, 2.0, False, 0, 0.0, -0.0, 3, 7.0, -1, 2.5, 4),
    "S": ("x", "X", "y", "", "abc", "ABC", "a", "7", "z_", "x y"),
    "H": tuple(f"node{n % 20:02}" for n in range(SIZE)),
    "B": (True, False, True),
    "U": (Value.Undefined, None, 1, True, "x"),
    "E": (Value.Error, 2, False, Value.Error, "e", 0.5),
    "Q": (7,),
    "D": (_DAY, _DAY + timedelta(seconds=1), None, _DAY - timedelta(days=3), 5),
    "L": ([1, 2.5, "x"], ["X", 3], [], [True, 7, 7.0], 5, None, ["x", "y", Value.Undefined]),
    "A": ({"p": 3, "q": "x"}, {"p": 1}, None, {"p": 2, "I": 8}, 4, {"p": 3, "q": "x"}),
    "X": _expressions("I > 3", "error", "undefined", "TARGET.V", "W * 2 + I", "S", 'N + "s"'),
    "P": _expressions("I * 2 + Q"),
    "G": (1, None, 2.5, *_expressions("I % 3", "TARGET.V", "MY.X", "B ? I : Y", "V", "TARGET.I")),
    "C": _expressions("F", "F + 1", "I"),
    "F": _expressions("C", "MY.C", "3"),
    "O": (None, None, 5, None, None, None, None, 5),
    "M": (ExprTree("{I, S}"), [1, 2], ExprTree("{[p = I], [p = 2]}"), ExprTree("{A, A}"), None),
}  # fmt: skip
#: Columns that hold nothing but values.
PLAIN: Final = tuple("IWKZRNSHBUEQDO")
#: Constants, by kind.
NUMBERS: Final = (
    "0", "1", "-1", "3", "7", "2.5", "0.0", "-0.0", "1e308", "5e-324", 'real("INF")', 'real("NaN")',
    "9007199254740992", "9007199254740993", "9007199254740992.0", "4611686018427387904",
    "9223372036854775807", "-9223372036854775807", "9223372036854775808.0",
)  # fmt: skip
OTHERS: Final = (
    '""', '"x"', '"X"', '"abc"', '"7"', "true", "false", "undefined", "error", "{}", "{1}",
    "[p = 3]", 'absTime("2023-11-14T22:13:20Z")', "relTime(5)",
)  # fmt: skip
COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=", "=?=", "=!=")
ARITHMETIC: Final = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>")
LOGIC: Final = ("&&", "||")
OPERATORS: Final = (*COMPARISONS, *ARITHMETIC, *LOGIC)
#: What an attribute of a partner may be; one after the other they are told apart.
VALUES: Final[tuple[Any, ...]] = (
    0, 0.0, -0.0, False, 1, 1.0, True, "1", "x", "X", None, Value.Undefined, Value.Error, 2**53,
    2.0**53, 2**53 + 1, math.nan, math.inf, 5, _DAY, [1], [1.0], [], {"p": 3}, {"p": 3.0},
    *_expressions("2 + 3", "Y", "TARGET.I", "I", "0.0 * 1", "-0.0 * 1", "V", "TARGET.G", "W2",
                  "{I}", "[p = I]", "time() > 5", "MY.Y + 1", "B ? 1 : Y", 'strcat("x", "")'),
)  # fmt: skip


def ad_of(attributes: dict[str, Any]) -> ClassAd:
    """An ad, each of whose expressions is an object of its own."""
    ad = ClassAd()
    for name, value in attributes.items():
        if value is not None:
            ad[name] = ExprTree(str(value)) if isinstance(value, ExprTree) else value
    return ad


def rows(more: Sequence[dict[str, Any]] = ({},)) -> list[ClassAd]:
    """The rows anew; ``more``: what they have besides, in turn."""
    cells = {name: list(islice(cycle(column), SIZE)) for name, column in COLUMNS.items()}
    return [
        ad_of({**{name: column[n] for name, column in cells.items()}, **more[n % len(more)]})
        for n in range(SIZE)
    ]


def partners() -> list[ClassAd]:
    """Ads that differ in one attribute, ``V``, and have some others."""
    return [ad_of({"V": value, "Y": 3, "W2": ExprTree("Y + 2"), "Q": 2}) for value in VALUES]


class Answers:
    """What the reference evaluator says of rows, found once for each question."""

    def __init__(self, ads: Sequence[ClassAd]) -> None:
        self.ads = ads
        #: With the partner, so that its identity stays its own.
        self._known: dict[object, tuple[ClassAd | None, list[Any], list[str]]] = {}

    def values(self, text: str, partner: ClassAd | None, of_row: bool = True) -> list[Any]:
        """The value for each row; ``of_row``: evaluated in the row, not in the partner."""
        return self._found(text, partner, of_row)[1]

    def texts(self, text: str, partner: ClassAd | None, of_row: bool = True) -> list[str]:
        """The same as texts that tell types, too."""
        return self._found(text, partner, of_row)[2]

    def _found(
        self, text: str, partner: ClassAd | None, of_row: bool
    ) -> tuple[ClassAd | None, list[Any], list[str]]:
        key = text, id(partner), of_row
        found = self._known.get(key)
        if found is None:
            tree, other = ExprTree(text), ClassAd() if partner is None else partner
            if of_row:
                values = [value_of(tree, ad, partner, CONTEXT) for ad in self.ads]
            else:
                values = [value_of(tree, other, ad, CONTEXT) for ad in self.ads]
            found = self._known[key] = partner, values, list(map(shown, values))
        return found


# ---- expressions of rows -------------------------------------------------------------------------


def against_constants() -> Iterator[str]:
    """Every column, operator and some constants, on either side."""
    turn = 0
    for name, operator in product(COLUMNS, OPERATORS):
        numbers = name in "IWKZRN" or operator in COMPARISONS
        for _ in range(4 if numbers else 2):
            constants = NUMBERS if numbers and turn % 4 else OTHERS
            constant = constants[turn * 7 % len(constants)]
            left, right = (name, constant) if turn % 3 else (constant, name)
            yield f"{left} {operator} {right}"
            turn += 1


def against_columns() -> Iterator[str]:
    """Every two columns and some operators."""
    for turn, (one, other) in enumerate(product(COLUMNS, COLUMNS)):
        for step in range(2):
            yield f"{one} {OPERATORS[(turn * 4 + step * 11) % len(OPERATORS)]} {other}"


#: Conditions that are true, false, undefined and errors, in different rows.
TESTS: Final = (
    "W > 0", "U", "E", "I >= 3", "R < 2.5", "S == H", "N", "X", "B", "G > TARGET.V", "K % 2 == 0",
    "size(L) > 1", "O =?= 5", "TARGET.V", "Z > 7 * I",
)  # fmt: skip


def conditions() -> Iterator[str]:
    """What ``&& || ! ?:`` make of conditions."""
    for turn, (a, b) in enumerate(product(TESTS, TESTS)):
        c = TESTS[turn * 7 % len(TESTS)]
        yield f"{a} && {b}" if turn % 2 else f"{a} || {b}"
        yield (f"({a}) ? ({b}) : ({c})", f"ifThenElse({a}, {b}, {c})", f"!({a} || {b}) && {c}",
               f"({a} ?: {b}) && {c}", f"{a} && ({b} || !({c}))")[turn % 5]  # fmt: skip


#: Functions and other shapes of rows' expressions.
SHAPES: Final = (
    "-W", "~I", "+R", "!N", "(I)", "-(R)", "W + I * Q", "(W + I) * (Z - K)", "P + P", "P > W",
    "size(S) + size(L)", "strcat(S, I, H)", 'strcat("n", Q)', "substr(H, 4)", "toUpper(S) == S",
    "int(R)", "real(I) / Q", "string(N)", "bool(N)", "floor(R)", "ceiling(R)", "round(R)",
    "pow(I, 2)", "abs(W)", "min({I, Q, W})", "max(L)", "sum(L)", "avg({I, R})", "quantize(W, 8)",
    "isUndefined(U)", "isError(E)", "isString(N)", "isInteger(K)", "isReal(R)", "isBoolean(U)",
    "isList(L)", "isClassAd(A)", "isAbsTime(D)", "isUndefined(TARGET.V)", "isError(X + 1)",
    "member(I, L)", 'member(S, {"x", "abc"})', "member(I, {1, 2, 5})", "identicalMember(N, L)",
    "member(V, L)", "member(TARGET.V, {I, Q})", 'anyCompare("<", L, I)', 'allCompare(">", L, 0)',
    'stringListMember(S, "x,y,abc")', 'stringListIMember(S, "x,y,abc")',
    'stringListMember("x", S)', 'stringListMember(H, "node01, node02,node19")',
    'stringListSize(H, "0")', "stringListSum(S)", 'regexp("^x", S, "i")', 'regexp("0[1-3]$", H)',
    "regexp(S, H)", 'regexps("(o)", H, "<\\\\1>")', 'replace("o", H, "0")', "strcmp(S, H)",
    'stricmp(S, "X")', 'versionGE(S, "7")', 'split(H, "o")[0]', 'join(",", L)', "L[0]", "L[I]",
    "L[TARGET.V]", "M[0]", "A.p", "A.I", "A.q", 'A["p"]', "TARGET.V.p", "MY.A.p == TARGET.A.p",
    "countMatches(p > 1, M)", "M", "A", "L", "C", "countMatches(MY.X, M) >= 0", "eval(S)",
    "unparse(X)", "debug(I) > 3", "time() > W", "currentTime", 'formatTime(I * 86400, "%d")',
    "splitTime(D).Days", "interval(W)", "I ?: W", "U ?: I", "O ?: V", "X is undefined",
    "X isnt error", "X =?= I", "MY.I + TARGET.I", "TARGET.V + W", "V", "Y * I", "MY.V",
    "TARGET.No", "No", "MY.Q + TARGET.Q", "Q", "TARGET.W2 > I", "C == F", "F", "{I, V}",
    "[p = I; q = p].q", "[I = 3].I", "[a = I].a + I", "{I, W}[1]", "random(5) < 7", "nosuch(I)",
    "size(I, S)", "LEFT.I", "I > 3 ? S : W", "(B ? L : A)", "ifThenElse(B, X, G)", '"x" + S',
    "D - 5", 'D > absTime("2023-11-14T22:13:20Z")', "W << 2", "W >>> 60", "Z + Z", "Z * 2 > 0",
    "Z - 1 < Z", "-Z > 0", "K + 1 > K", "K == K + 1", "R == R", "R =?= R", "N =?= N",
    "N == N + 0.0", "I / 0", "R / 0", "Z / -1", "I % 0", "undefined && X", "true || E",
    "error || B", "W % 7 == 0 && H != S", "W > 0 == B", "substr(S, I - 3, 2)", "size(H) * I + W",
    "strcat(H, S)", "envV1ToV2(S)", "mergeEnvironment(S)", "listToArgs(L)", "argsToList(S)",
    "userHome(S)", "getField(S, I)", "allocationCost(I)", "sin(R)", "unresolved(S)",
    "evalInEachContext(p, M)",
)  # fmt: skip


def shapes() -> Iterator[str]:
    """Functions and what else there is, of which ours has a parser; with ``MY.`` in turn."""
    for text in SHAPES:
        try:
            ExprTree(text)
        except ValueError:
            continue
        yield text


def named() -> Iterator[str]:
    """Every name in every scope beside a column with many values."""
    names = ("V", "Y", "W2", "I", "X", "G", "O", "Q", "P", "S", "No", "W", "L", "A", "D")
    for turn, (name, scope) in enumerate(product(names, ("", "MY.", "TARGET."))):
        yield f"W + {scope}{name}"
        yield (
            f"strcat(H, {scope}{name})",
            f"ifThenElse(W > 0, {scope}{name}, H)",
            f"{scope}{name} =?= undefined || W > 0",
            f"W * 2 > {scope}{name}",
        )[turn % 4]


def expressions() -> list[str]:
    """All of them, each once."""
    found = [*against_constants(), *against_columns(), *conditions(), *shapes(), *named()]
    return list(dict.fromkeys(found))
