"""Expressions that differ in constants only are read once, and mean what each of them does."""

from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree, kernels
from classad.ads.expression import Expression
from classad.formats.unparse import unparse
from classad.language.rules import OLD
from classad.loading.long_form import load_long
from classad.match import symmetric_match
from classad.syntax.lazy import LazyExpression
from classad.table import Table
from classad.table.answers import requirements
from classad.table.expressions.conjuncts import Splits, _conjuncts_of, constants_of
from classad.table.shapes import Shapes

CONTEXT = EvalContext(now=1_700_000_000.0)
needs_c = pytest.mark.skipif(
    kernels.native is None, reason="only the C parser leaves expressions to be read later"
)


def tree_of(text: str) -> ExprTree:
    (ad,) = load_long(f"A = {text}\n".encode()).to_ads(ClassAd)
    tree = ad.raw("A")
    assert tree.__class__ is Expression
    assert tree._node.__class__ is LazyExpression
    return tree


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A > 17 && B == 1.5", [17, 1.5]),
        ('Owner =!= "x y" && slot1 > 0', ["x y", 0]),
        ("A1 + 007 > 1e5 - 0x10 + 1. + .5", []),
        ("a.b2 > 123456789012345678 && 1234567890123456789 < x", [123456789012345678]),
        (r'A == "a\"b"', None),
        ("'odd 1' > 2", None),
        ("A > 1 // 2", None),
        ("A > 1 /* 2 */", None),
        ('A == "unfinished', None),
    ],
)
def test_constants_in_plain_spelling(text: str, values: list[Any] | None) -> None:
    found = constants_of(text)
    assert (None if found is None else found[1]) == values


def test_what_is_left_tells_kinds_apart() -> None:
    whole, real, string = constants_of("A > 1"), constants_of("A > 1.0"), constants_of('A > "1"')
    assert whole is not None
    assert real is not None
    assert string is not None
    assert len({whole[0], real[0], string[0]}) == 3
    assert whole[0] == (constants_of("A > 22") or ("",))[0]


@needs_c
@pytest.mark.parametrize(
    ("one", "other", "values"),
    [
        ("A > 17 && (B < 2)", "A > 18 && (B < 3)", [(18,), (3,)]),
        ("A > -5 && -(7) < B", "A > -6 && -(8) < B", [(-6,), (8,)]),
        ('regexp("a", B) || A > 1.5', 'regexp("b", B) || A > 2.5', [("b", 2.5)]),
        ("A > - 5", "A > - 0", [(0,)]),
    ],
)
def test_equal_templates(one: str, other: str, values: list[tuple[Any, ...]]) -> None:
    splits = Splits(Shapes())
    first, second = splits.of(tree_of(one)), splits.of(tree_of(other))
    assert [part.template for part in first] == [part.template for part in second]
    assert None not in [part.template for part in first]
    assert [part.values for part in second] == values
    for part, (alone, _) in zip(second, _conjuncts_of(tree_of(other).node), strict=True):
        assert unparse(splits.shape(part).node) == unparse(alone)


@needs_c
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A > 17", "A > 17.0"),
        ("countMatches(X > 1, {1})", "countMatches(X > 2, {1})"),
        ("A[1] > 2 && unparse(1) > 3", "A[2] > 2 && unparse(2) > 3"),
        ("member(A, {1, 2})", "member(A, {1, 3})"),
        ("nosuch(1)", "nosuch(2)"),
    ],
)
def test_different_templates(one: str, other: str) -> None:
    splits = Splits(Shapes())
    first, second = splits.of(tree_of(one)), splits.of(tree_of(other))
    assert first[0].template is not second[0].template


@needs_c
def test_texts_in_old_and_new_syntax_stay_apart() -> None:
    splits = Splits(Shapes())
    old, new = (ExprTree.from_node(tree_of("A > 1").node) for _ in range(2))
    old._node, new._node = LazyExpression("A > 1", OLD, False), LazyExpression("A > 1", 0, False)
    assert splits.of(old)[0].template is not splits.of(new)[0].template


# --- in tables ------------------------------------------------------------------------------------

STARTS = [
    "TARGET.Size < {n} && Memory > {m} && TARGET.Owner != \"u{k}\"",
    "TARGET.Size >= {m} && TARGET.Size <= {n} && TARGET.Size > {k}",
    "(TARGET.Size * {k}.5 > Memory) && Inner",
    "ifThenElse(TARGET.Size > {n}, TARGET.Own =?= {k}, Memory != -{m})",
    "regexp(\"u{k}\", TARGET.Owner) || Memory % {m}0 > {k}",
    "TARGET.Gone =?= undefined && TARGET.Size - {n} < 0 && true",
    "TARGET.Size > {k} == (Memory > {m}) && {k}",
]  # fmt: skip
WANTS = [
    "Memory > {n} && Memory < {m}00 && TARGET.Label != \"l{k}\"",
    "TARGET.Memory - {k} * Size > {n} && Memory - {m} * Size > {n}",
    "TARGET.Inner =!= {k} && Extra",
    "(stringListMember(\"{k}\", TARGET.Tags) || Size > {m}) && Memory >= -{n}",
    "Memory > {n}.25 && TARGET.Memory > {k}.0 && countMatches(X > {k}, TARGET.List) >= 1",
]  # fmt: skip


def slots() -> str:
    ads = []
    for number in range(120):
        at = {"n": number % 40, "m": 1 + number % 7, "k": number % 5}
        start = STARTS[number % len(STARTS)].format(**at)
        ads.append(
            f"Start = {start}\nInner = TARGET.Own > {number % 9} && Memory > {number % 30}\n"
            f"Requirements = Start && TARGET.Size > {number % 3}\nMemory = {number * 7 % 50}\n"
            f'Label = "l{number % 6}"\nTags = "{number % 4},{number % 6}"\n'
            f"List = {{ [ X = {number % 4} ], [ X = 2 ] }}\n"
        )
    return "\n".join(ads)


def jobs() -> list[ClassAd]:
    found = []
    for number in range(40):
        at = {"n": number % 11, "m": 1 + number % 3, "k": number % 5}
        want = WANTS[number % len(WANTS)].format(**at)
        extra = f"Extra = Memory > {number % 13}\n" if number % 2 else "Extra = true\n"
        bound = "Bound = { 1, Size }\n" if number % 7 == 6 else ""
        text = (
            f"Requirements = {want}\nSize = {number % 8}\nOwn = {number % 4}\n"
            f'Owner = "u{number % 6}"\n{extra}{bound}'
        )
        found += load_long(text.encode()).to_ads(ClassAd)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("varied", [1, 8, 1000])
def test_matches(monkeypatch: pytest.MonkeyPatch, varied: int) -> None:
    monkeypatch.setattr(requirements, "VARIED", varied)
    text = slots()
    loaded = load_long(text.encode())
    table, rows = Table.from_columns(loaded), list(load_long(text.encode()).to_ads(ClassAd))
    for number, job in enumerate(jobs()):
        expected = [r for r, ad in enumerate(rows) if symmetric_match(job, ad, CONTEXT)]
        assert list(table.match(job, context=CONTEXT)) == expected
        if number % 5 == 4:  # a slot with other constants
            row = number * 3
            other = rows[row].duplicate()
            other["Start"] = ExprTree(STARTS[0].format(n=number, m=2, k=1))
            rows[row] = other
            table.replace(row, other)
    assert not any(name.startswith("\0") for name in table.names)


@needs_c
def test_fewer_predicates_than_conjuncts() -> None:
    text = "\n".join(
        f'Requirements = TARGET.Size < {n} && TARGET.Owner != "u{n}" && Memory > 1\nMemory = {n}\n'
        for n in range(100)
    )
    table = Table.from_columns(load_long(text.encode()))
    for number in range(60):
        text = f'Requirements = Memory != {number} && Memory > -{number}\nSize = 50\nOwner = "u7"\n'
        (job,) = load_long(text.encode()).to_ads(ClassAd)
        expected = [row for row in range(51, 100) if row != number]
        assert list(table.match(job)) == expected
    rows = table.matching._row_side
    assert rows is not None
    assert len(rows.predicates) == 3
    assert len(table._cache._predicates) < 8
