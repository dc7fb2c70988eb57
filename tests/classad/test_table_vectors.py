"""What is evaluated for many values at once is what is evaluated one after the other."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ClassAd, EvalContext, kernels
from classad.ads.ad import ListValue
from classad.evaluate import evaluate
from classad.evaluation.functions import load
from classad.evaluation.state import EvalState
from classad.language.operators import BINARY, COMPARISONS, UNARY, choose
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, AbsTime, RelTime
from classad.match import symmetric_match
from classad.table import Table
from classad.table.vectors import Vector, binary, conditional, logical, unary

CONTEXT = EvalContext(now=50.0)
BULK = {name: declared.bulk for name, declared in load().items() if declared.bulk is not None}
BACKENDS = [pytest.param(kernels.native, id="c"), pytest.param(None, id="python")]
VALUES: list[Any] = [
    0, 1, -1, 2, 3, 7, -7, INT_MAX, INT_MIN, 2**53 + 1, 0.0, -0.0, 0.5, -2.5, 1e308, -1e308, 5e-324,
    math.inf, -math.inf, math.nan, True, False, UNDEFINED, ERROR, "", "abc", "ABC", "1",
    AbsTime(5, 0), RelTime(1.5),
]  # fmt: skip
SYMBOLS = sorted(BINARY)


def shown(values: list[Any]) -> list[tuple[type, str]]:
    return [(value.__class__, repr(value)) for value in values]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ('A < relTime("5")', [0, 1, 2, 3, 4]),
        ("A < relTime(5)", []),
        ('relTime("5") <= relTime(0) || A > 0', []),
        ('isReal(relTime("5")) && A > 37', [38, 39]),
        ('(relTime("5") ? A : 0) > 37', [38, 39]),
    ],
)
def test_a_relative_time_that_is_written_down_is_a_real(condition: str, rows: list[int]) -> None:
    table = Table([ClassAd({"A": number}) for number in range(40)])
    assert list(table.select(condition, ClassAd())) == rows


def test_attributes_of_all_rows_that_go_in_circles() -> None:
    table = Table([ClassAd(f"[A = {n}; B = C; C = B; D = D]") for n in range(40)])
    assert list(table.select("B =?= A || A > 37", ClassAd())) == [38, 39]
    assert list(table.select("countMatches(true, D) >= 0 && A > 37", ClassAd())) == [38, 39]
    job = ClassAd("[N = countMatches(true, TARGET.D) == 0; M = TARGET.B =?= undefined]")
    assert list(table.select("TARGET.N && TARGET.M && A > 37", job)) == [38, 39]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "native", request.param)


def test_a_vector_has_the_values_it_was_made_of(backend: None) -> None:
    for values in (VALUES, VALUES[:10], VALUES[10:19], VALUES[20:22], VALUES[24:28], VALUES[22:24]):
        vector = Vector.of(values)
        assert shown([vector.value(place) for place in range(len(values))]) == shown(values)
        vector._values = None
        assert shown(vector.values()) == shown(values)
        assert list(Vector.of(values).judged()) == list(map(logical, values))


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_integers_that_are_one_number_as_doubles(backend: None, symbol: str) -> None:
    function = BINARY[symbol].implementation
    near: list[Any] = [
        *(one + more for one in (2**53, 2**62, -(2**62)) for more in (-1, 0, 1)),
        *(INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1, 2.0**53, 2.0**62, -(2.0**62)),
    ]
    left = [one for one in near for _ in near]
    right = near * len(near)
    expected = list(map(function, left, right))
    assert shown(binary(symbol, Vector.of(left), Vector.of(right)).values()) == shown(expected)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_binary_operators(backend: None, symbol: str) -> None:
    function = BINARY[symbol].implementation
    pairs = [(a, b) for a in VALUES for b in VALUES]
    left, right = Vector.of([a for a, _ in pairs]), Vector.of([b for _, b in pairs])
    expected = shown([function(a, b) for a, b in pairs])
    assert shown(binary(symbol, left, right).values()) == expected
    numbers = VALUES[:20]
    for one in VALUES:
        for values in (VALUES, numbers):
            column, constant = Vector.of(values), Vector.constant(one)
            made = binary(symbol, column, constant)
            assert shown(made.values()) == shown([function(value, one) for value in values])
            made = binary(symbol, constant, column)
            assert shown(made.values()) == shown([function(one, value) for value in values])
    both = binary(symbol, Vector.constant(3), Vector.constant(2.0))
    assert (both.step, shown(both.values())) == (0, shown([function(3, 2.0)]))


@given(
    st.lists(st.sampled_from(["a", "A", "b", "ab", "", UNDEFINED]) | st.sampled_from(VALUES)),
    st.lists(st.text("abAB", max_size=2), min_size=20, max_size=40),
    st.sampled_from(["a", "AB", "x", *VALUES]),
    st.sampled_from(sorted(COMPARISONS)),
)
def test_many_strings_some_of_them_undefined_compare_with_one_value_as_each_does(
    some: list[Any], texts: list[str], one: Any, symbol: str
) -> None:
    values = [*some, *texts, *[UNDEFINED] * 20]
    function = BINARY[symbol].implementation
    for made, expected in (
        (
            binary(symbol, Vector.of(values), Vector.constant(one)),
            [function(v, one) for v in values],
        ),
        (
            binary(symbol, Vector.constant(one), Vector.of(values)),
            [function(one, v) for v in values],
        ),
    ):
        assert shown(made.values()) == shown(expected)
        assert list(made.judged()) == list(map(logical, expected))


@pytest.mark.parametrize("symbol", ["==", "!=", "=?=", "=!="])
def test_strings_that_one_differs_from_are_not_compared_one_by_one(
    symbol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, pairs = BINARY[symbol], list[tuple[Any, Any]]()

    def compare(a: Any, b: Any) -> Any:
        pairs.append((a, b))
        return row.implementation(a, b)

    monkeypatch.setitem(BINARY, symbol, row._replace(implementation=compare))
    many = Vector.of([*[f"gpu{n}" for n in range(2000)], *[UNDEFINED] * 2000, 5])
    binary(symbol, many, Vector.constant("GPU7"))
    assert len(pairs) < 10


@pytest.mark.parametrize("symbol", sorted(UNARY))
def test_prefix_operators(backend: None, symbol: str) -> None:
    function = UNARY[symbol].implementation
    assert shown(unary(symbol, Vector.of(VALUES)).values()) == shown(list(map(function, VALUES)))


def test_conditions(backend: None) -> None:
    some = VALUES[::3]
    triples = [(a, b, c) for a in VALUES for b in some for c in some]
    parts = [Vector.of([triple[place] for triple in triples]) for place in range(3)]
    assert shown(conditional(*parts).values()) == shown([choose(*triple) for triple in triples])


TEXTS = st.lists(st.text("abAB01, ;-.\n\tä", max_size=8), min_size=2, max_size=40)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.text("abAB01, .*[]^$-", max_size=6), st.sampled_from(["", ",", "; ", "i", "x"]))
def test_functions_of_many_strings(texts: list[str], fixed: str, further: str) -> None:
    for name in BULK.keys() - {"member"}:
        bulk = BULK[name]
        impl = load()[name].impl
        for more in ([], [further]):
            given_ = [Vector.constant(fixed), Vector.of(texts), *map(Vector.constant, more)]
            expected = [impl(None, fixed, text, *more) for text in texts]
            found = bulk(given_)
            if found is not None:
                assert found == expected, name


def test_a_pattern_is_searched_for_in_long_texts() -> None:
    texts = ["x" * 200 + "slot1", "slot", "y" * 200]
    table = Table([ClassAd({"Name": text}) for text in texts])
    assert [*table.select('regexp("slot[0-9]", Name)')] == [0]
    assert [*table.select('regexp("^[xs]", Name)')] == [0, 1]


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.text("abAB01, ;", max_size=20), st.sampled_from(["", ",", "; "]))
def test_one_list_of_strings_and_many_items(texts: list[str], fixed: str, further: str) -> None:
    for name in ("stringlistmember", "stringlistimember"):
        impl = load()[name].impl
        for more in ([], [further]):
            given_ = [Vector.of(texts), Vector.constant(fixed), *map(Vector.constant, more)]
            expected = [impl(None, text, fixed, *more) for text in texts]
            found = BULK[name](given_)
            assert found is not None
            assert found == expected, name


ITEMS = st.sampled_from(["a", "A", "b", "", 1, 1.0, True, False, 0, -0.0, 2**53, 2**53 + 1])
ODD_ITEMS = st.sampled_from([UNDEFINED, ERROR, AbsTime(1, 0), float("nan")])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(ITEMS | ODD_ITEMS, max_size=4), min_size=2), ITEMS | ODD_ITEMS)
def test_members_of_many_lists(contents: list[list[Any]], value: Any) -> None:
    lists: list[Any] = [ListValue(items) for items in contents]
    lists += [UNDEFINED, ERROR, "a", ListValue([]), ListValue([ListValue(["a"]), "b"])]
    state = EvalState()
    impl = load()["member"].impl
    for some in (lists, lists[: len(contents)], lists[:-1]):
        found = BULK["member"]([Vector.constant(value), Vector.of(some)])
        if found is not None:
            assert shown(found) == shown([impl(state, value, one) for one in some])


def test_members_are_looked_up_in_all_lists_at_once() -> None:
    lists = Vector.of([ListValue(["CMS", 1]), UNDEFINED, ListValue(["cms"]), ListValue([])])
    found = BULK["member"]([Vector.constant("cms"), lists])
    assert found is not None
    assert found == [True, UNDEFINED, True, False]
    again = BULK["member"]([Vector.constant(1), lists])
    assert again == [True, UNDEFINED, False, False]


# --- in tables ------------------------------------------------------------------------------------

CONJUNCTS = [
    "TARGET.A - {} * TARGET.B > 10",
    "TARGET.A / {} != TARGET.B % 3 || TARGET.C",
    'regexp("[0-{}]$", TARGET.Label) && TARGET.A > 3',
    '!stringListMember("{}", TARGET.Tags, ",")',
    "(TARGET.B > {} ? TARGET.A : TARGET.Label) =!= 7",
    "ifThenElse(TARGET.C, TARGET.A + Own, TARGET.B) > {}",
    'strcat(TARGET.Label, "-", TARGET.A) != "n{}-5"',
    "size(split(TARGET.Tags)[0]) + TARGET.A > {}",
    "time() > TARGET.A + {}",
    "TARGET.D + {} > 100",
]


def pool() -> list[ClassAd]:
    opaque = ["undefined", "error", '"12"', "true", "{ 1 }", "1.5", "[ x = 1 ]"]
    rows = []
    for number in range(150):
        a = opaque[number % 7] if number % 9 == 4 else str(number * 37 % 101)
        b = "" if number % 11 == 3 else f"B = {number % 13};"
        rows.append(
            ClassAd(
                f"[A = {a}; {b} C = {['true', 'false', '3.5', 'undefined'][number % 4]};"
                f' Label = "n{number}"; Tags = "{number % 5},{number % 8},x";'
                f" D = {'A + TARGET.Own' if number % 3 else 'A * 2'};"
                f" Requirements = TARGET.Own * A < {number} || B =?= undefined]"
            )
        )
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("form", CONJUNCTS)
def test_jobs_with_constants_of_their_own(backend: None, form: str) -> None:
    rows = pool()
    table = Table(rows)
    for number in range(12):
        own = ["Own = 3", "Own = 2.5", "Own = E; E = 4", ""][number % 4]
        job = ClassAd(f"[{own}; Requirements = {form.format(number)}]")
        expected = [row for row, ad in enumerate(rows) if symmetric_match(job, ad, CONTEXT)]
        assert list(table.match(job, context=CONTEXT)) == expected
        text = form.format(number)
        codes, values = table.evaluate(text, job, row_is="target", context=CONTEXT)
        alone = [evaluate(text, job, ad, context=CONTEXT) for ad in rows]
        assert shown([values[code] for code in codes]) == shown(alone)


def test_an_attribute_that_only_some_jobs_have() -> None:
    """A job that has the attribute itself is planned apart from one that finds it in the row."""
    rows = [ClassAd(f"[A = {number}; Requirements = true]") for number in range(5)]
    table = Table(rows)
    for own, expected in (("A = 1;", [0, 1, 2, 3, 4]), ("", [1, 2, 3, 4]), ("A = -1;", [])):
        assert list(table.match(ClassAd(f"[{own} Requirements = A > 0]"))) == expected
