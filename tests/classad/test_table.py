"""A table answers as the evaluator does for one row after the other."""

from array import array
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from classad import ClassAd, EvalContext, ExprTree, kernels
from classad.evaluate import evaluate
from classad.language.values import UNDEFINED
from classad.loading.long_form import load_long
from classad.match import half_match, is_true, symmetric_match
from classad.table import Rows, Table
from classad.table import arrays as moving

CONTEXT = EvalContext(now=1_700_000_000.0)

# --- random ads -----------------------------------------------------------------------------------

NAMES = ["a", "b", "c", "Start", "Requirements", "Rank"]
LITERALS = [
    "0", "1", "2", "-1", "3.5", "0.0", "-0.0", "2.0", "true", "false", "undefined", "error",
    '"abc"', '"ABC"', '"b"', '""', "9007199254740993", 'real("NaN")', "{1, 2}", "{a, 1}",
    "[x = 1; a = 5]", "[x = a]", "[x = MY.b; y = TARGET.c; a = 2]",
]  # fmt: skip
OPERATORS = [
    "<", "<=", ">", ">=", "==", "!=", "=?=", "=!=", "&&", "||", "+", "-", "*", "/", "&&", "||",
]  # fmt: skip
#: What follows `?:` stands in parentheses, for the language takes no sign there.
CALLS = [
    "isUndefined({})", "isError({})", "ifThenElse({}, {}, {})", "strcat({}, {})", "member({}, {})",
    "size({})", "countMatches({}, {})", "sum(evalInEachContext({}, {}))", "!({})", "-({})",
    "({}) ? {} : {}", "({}) ?: ({})", "stringListMember({}, {})", "time() > {}", "({}).x",
    "({})[{}]", "eval({})", "unparse({})", "toLower({})", "split({})", "nosuch({})",
]  # fmt: skip
REFERENCES = [
    *("{}", "{}", "MY.{}", "TARGET.{}", "TARGET.{}"),
    *("OTHER.{}", ".{}", "self.{}", "parent.{}", "TARGET.TARGET.{}", "root.{}"),
]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """A ClassAd expression, as text."""
    kind = draw(st.integers(0, 9)) if depth else draw(st.integers(0, 4))
    if kind <= 1:
        return draw(st.sampled_from(LITERALS))
    if kind <= 4:
        way = draw(st.sampled_from(REFERENCES[:5] if kind < 4 else REFERENCES))
        return way.format(draw(st.sampled_from(NAMES)))
    if kind <= 7:
        left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
        return f"({left} {draw(st.sampled_from(OPERATORS))} {right})"
    form = draw(st.sampled_from(CALLS))
    return form.format(*[draw(expressions(depth - 1)) for _ in range(form.count("{}"))])


@st.composite
def ads(draw: st.DrawFn) -> ClassAd:
    """An ad of few attributes, some of them expressions."""
    ad = ClassAd()
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        plain = name not in ("Start", "Requirements", "Rank") and draw(st.integers(0, 2))
        text = draw(st.sampled_from(LITERALS)) if plain else draw(expressions())
        ad.insert(name, ExprTree(text))
    if draw(st.integers(0, 3)):
        ad.insert("Requirements", ExprTree(draw(conjunctions())))
    return ad


@st.composite
def conjunctions(draw: st.DrawFn) -> str:
    """What requirements look like."""
    parts = draw(st.lists(expressions(2), min_size=1, max_size=4))
    return " && ".join(
        draw(st.sampled_from(["true", "TARGET.b >= a", "a < 2", *parts])) for _ in parts
    )


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same; lists and ads by their text."""
    if left.__class__ is not right.__class__:
        return False
    return repr(left) == repr(right)


@pytest.fixture(params=["c", "python"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(kernels, "native", None)
    elif kernels.native is None:
        pytest.skip("the C kernels are not built here")
    return str(request.param)


# --- against one row after the other -------------------------------------------------------------


def check_match(rows: list[ClassAd], job: ClassAd, table: Table) -> None:
    wanted = [r for r, ad in enumerate(rows) if symmetric_match(job, ad, CONTEXT)]
    assert list(table.match(job, context=CONTEXT)) == wanted
    wanted = [r for r, ad in enumerate(rows) if half_match(job, ad, CONTEXT)]
    assert list(table.accepted_by(job, context=CONTEXT)) == wanted
    wanted = [r for r, ad in enumerate(rows) if half_match(ad, job, CONTEXT)]
    assert list(table.accepting(job, context=CONTEXT)) == wanted


CIRCLE = ["[Requirements = Start; Start = TARGET.Requirements]", "[Requirements = TARGET.Start]"]
#: Jobs that differ in an expression whose own value is undefined in both.
SEEN = [
    f"[Requirements = countMatches(Rank, {{[b = 1]}}) > 0; Rank = {name}]" for name in ("b", "c")
]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(ads(), max_size=8), st.lists(ads(), min_size=1, max_size=4))
@example([ClassAd(CIRCLE[0])], [ClassAd(CIRCLE[1])])
@example([ClassAd("[Requirements = true; a = 1]")], [ClassAd(text) for text in SEEN])
def test_matches_are_those_of_each_pair(rows: list[ClassAd], jobs: list[ClassAd]) -> None:
    table = Table(rows)
    for job in [*jobs, *jobs]:
        check_match(rows, job, table)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(
    st.lists(ads(), min_size=1, max_size=8), st.lists(ads(), min_size=1, max_size=3), expressions()
)
def test_values_are_those_of_each_row(rows: list[ClassAd], jobs: list[ClassAd], text: str) -> None:
    table, tree = Table(rows), ExprTree(text)
    for job in [None, *jobs]:
        found = list(table.select(tree, job, context=CONTEXT))
        wanted = [evaluate(tree, ad, job, context=CONTEXT) for ad in rows]
        assert found == [row for row, value in enumerate(wanted) if is_true(value)]
        codes, values = table.evaluate(tree, job, context=CONTEXT)
        assert all(same(values[c], value) for c, value in zip(codes, wanted, strict=True))
        if job is not None:
            codes, values = table.evaluate(tree, job, row_is="target", context=CONTEXT)
            wanted = [evaluate(tree, job, ad, context=CONTEXT) for ad in rows]
            assert all(same(values[c], value) for c, value in zip(codes, wanted, strict=True))
            found = list(table.select(tree, job, row_is="target", context=CONTEXT))
            assert found == [row for row, value in enumerate(wanted) if is_true(value)]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(ads(), min_size=2, max_size=6), st.lists(ads(), min_size=2, max_size=4), st.data())
def test_a_replaced_row_is_another_one(
    rows: list[ClassAd], jobs: list[ClassAd], data: st.DataObject
) -> None:
    table = Table(rows)
    for job in jobs:
        check_match(rows, job, table)
        row = data.draw(st.integers(0, len(rows) - 1))
        changed = rows[row].duplicate() if data.draw(st.booleans()) else data.draw(ads())
        changed.insert("a", data.draw(st.sampled_from([1, 2.5, "abc"])))
        rows[row] = changed
        table.replace(row, changed)
        check_match(rows, job, table)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(ads(), min_size=1, max_size=6), st.lists(ads(), min_size=1, max_size=3))
def test_loaded_rows_are_as_their_ads(rows: list[ClassAd], jobs: list[ClassAd]) -> None:
    text = "\n".join(ad.printOld() for ad in rows if len(ad))
    loaded = load_long(text.encode())
    table = Table.from_columns(loaded)
    again = list(load_long(text.encode()).to_ads(ClassAd))
    for job in jobs:
        check_match(again, job, table)


# --- made by hand --------------------------------------------------------------------------------


def pool(backend: str) -> tuple[list[ClassAd], Table]:
    rows = []
    for number in range(300):
        ad = ClassAd({"Cpus": number % 17, "Memory": 64 * (number % 91), "Name": f"slot{number}"})
        ad.insert("Load", number / 7)
        ad.insert("Start", ExprTree("TARGET.RequestCpus <= Cpus" if number % 3 else "TARGET.Ok"))
        ad.insert("Requirements", ExprTree("Start && TARGET.RequestMemory <= MY.Memory"))
        if number % 5 == 0:
            ad.insert("Gpu", ExprTree(f"[Cap = {number % 4}.5]"))
            ad.insert("Gpus", ExprTree("{Gpu}"))
        rows.append(ad)
    return rows, Table(rows)


JOBS = [
    "[RequestCpus = 3; RequestMemory = 100; Requirements = TARGET.Memory >= RequestMemory]",
    "[RequestCpus = 3; RequestMemory = Size * 2; Size = 900; Ok = true; "
    "Requirements = (TARGET.Memory >= RequestMemory) || (TARGET.Load < 1.0)]",
    "[RequestCpus = Cpus - 1; RequestMemory = 5; Ok = 0; "
    "Requirements = countMatches(MY.Need, TARGET.Gpus) > 0; Need = Cap > 2]",
    "[RequestCpus = Cpus - 1; RequestMemory = 5; Ok = 0; "
    "Requirements = countMatches(MY.Need, TARGET.Gpus) > 0; Need = Cap > 1]",
    '[RequestCpus = 0; RequestMemory = 0; Ok = 1; Requirements = TARGET.Name != "SLOT7"]',
    "[RequestCpus = 0; RequestMemory = 0; "
    "Requirements = !(Memory < 1000 || Cpus == 3) && Load > 9]",
    "[RequestCpus = 1; RequestMemory = 0; Requirements = TARGET.Nothing =?= undefined ? Cpus : 0]",
    "[RequestCpus = 1]",
    "[RequestCpus = 1; Requirements = 1.5; RequestMemory = 3]",
]


@pytest.mark.slow
def test_a_pool(backend: str) -> None:
    rows, table = pool(backend)
    for text in [*JOBS, *JOBS]:
        check_match(rows, ClassAd(text), table)


def test_only_rows_within_are_found(backend: str) -> None:
    _, table = pool(backend)
    job = ClassAd(JOBS[0])
    some = Rows.of(300, range(0, 300, 2))
    found = table.match(job, within=some, context=CONTEXT)
    assert found == table.match(job, context=CONTEXT) & some
    with pytest.raises(ValueError, match="10 rows"):
        table.match(job, within=Rows.all(10))


def test_a_row_may_match_itself() -> None:
    """No match is made of one ad, so TARGET is undefined."""
    ad = ClassAd("[a = 1; Requirements = TARGET.a =?= undefined]")
    assert list(Table([ad, ad.duplicate()]).match(ad)) == [0]


def test_chance_is_drawn_as_one_after_the_other_would() -> None:
    rows = [ClassAd("[Requirements = random() < 0.5]") for _ in range(40)]
    job = ClassAd("[Requirements = random(10) > 3]")
    table = Table(rows)
    for _ in range(2):
        wanted = [
            row
            for seeded in [EvalContext(seed=5)]
            for row, ad in enumerate(rows)
            if symmetric_match(job, ad, seeded)
        ]
        assert list(table.match(job, context=EvalContext(seed=5))) == wanted


def test_rows_that_refuse_draw_nothing() -> None:
    """The job's requirements come second, so its random numbers are those of the willing rows."""
    starts = ["TARGET.Size > N % 5", "random(4) > 0", "[ x = 1 ].x == 1 && N > 3"]
    job = ClassAd("[Size = 2; Requirements = random(10) > 3 && TARGET.N != 7]")
    for some in (starts[:1], starts[::2], starts):
        rows = [
            ClassAd(f"[N = {number}; Requirements = {some[number % len(some)]}]")
            for number in range(60)
        ]
        alone, context = EvalContext(now=0.0, seed=3), EvalContext(now=0.0, seed=3)
        expected = [row for row, ad in enumerate(rows) if symmetric_match(job, ad, alone)]
        table = Table(rows)
        assert list(table.match(job, context=context)) == expected
        assert context.rng.random() == alone.rng.random()


def test_the_clock_is_not_remembered() -> None:
    table = Table([ClassAd({"T": 100, "Requirements": True})])
    job = ClassAd("[Requirements = time() < TARGET.T]")
    for now in (50.0, 200.0, 50.0):
        assert len(table.match(job, context=EvalContext(now=now))) == (now < 100)


def test_a_small_budget_changes_nothing(backend: str) -> None:
    rows, _ = pool(backend)
    table = Table(rows, budget=2000)
    for text in [*JOBS, *JOBS]:
        check_match(rows, ClassAd(text), table)


def test_ranks_and_orders(backend: str) -> None:
    rows, table = pool(backend)
    job = ClassAd("[Rank = TARGET.Cpus * 10 + (TARGET.Memory > 900)]")
    rank = table.rank(job)
    wanted = [evaluate(ExprTree("Rank"), job, ad) for ad in rows]
    assert rank.tolist() == wanted
    some = Rows.of(300, range(100, 200))
    best = table.best(some, [rank], 3)
    assert best == sorted(some, key=lambda row: -wanted[row])[:3]
    order = table.order(some, [rank, array("d", range(300))])
    assert order == sorted(some, key=lambda row: (-wanted[row], -row))
    assert table.rank(ClassAd({"Rank": 2.5})).tolist() == [2.5] * 300
    assert table.rank(ClassAd()).tolist() == [0.0] * 300


def test_strict_semantics_are_evaluated_row_by_row() -> None:
    context = EvalContext(strict=True)
    rows = [ClassAd("[a = 1; Requirements = a == 1]"), ClassAd("[Requirements = a == 1]")]
    job = ClassAd("[a = 1; Requirements = true]")
    wanted = [r for r, ad in enumerate(rows) if symmetric_match(job, ad, context)]
    assert list(Table(rows).match(job, context=context)) == wanted


def test_many_jobs_at_once_are_matched_one_by_one() -> None:
    slots = [ClassAd(f"[Cpus = {n}; Requirements = TARGET.Prio > MY.Cpus]") for n in range(4)]
    jobs = [ClassAd(f"[Prio = {n}; Requirements = TARGET.Cpus >= 1]") for n in (1, 3, 9)]
    table = Table(slots)
    within = table.select("Cpus != 2")
    for context in (None, EvalContext(strict=True)):
        found = table.match_many(jobs, within=within, context=context)
        assert [[*rows] for rows in found] == [[], [1], [1, 3]]


def test_values_under_strict_semantics_are_those_of_each_row() -> None:
    """There TARGET is not looked in for what the row has not."""
    strict = EvalContext(strict=True)
    table = Table([ClassAd("[a = 1]"), ClassAd("[b = 2]")])
    target = ClassAd("[a = 5; b = 7]")
    for context, wanted in ((strict, [1, None]), (None, [1, 5])):
        codes, values = table.evaluate("a", target, context=context)
        found = [values[code] for code in codes]
        assert found == [UNDEFINED if value is None else value for value in wanted]
        numbers = table.numbers("a", target, context=context)
        assert [*numbers] == [float(value or 0) for value in wanted]


def test_a_column_is_told_by_codes_and_values() -> None:
    table = Table([ClassAd({"Cpus": 4}), ClassAd({"Cpus": 8}), ClassAd({"cpus": 4}), ClassAd()])
    codes, values = table.column("CPUS")
    assert [values[code] for code in codes] == [4, 8, 4, None]
    with pytest.raises(KeyError):
        table.column("Memory")


def test_what_is_no_ad_is_refused() -> None:
    with pytest.raises(TypeError, match="row of a table"):
        Table([{"a": 1}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="job must be"):
        Table().match("a")  # type: ignore[arg-type]


#: Values of one attribute, of every kind that a comparison tells apart.
MANY: list[Any] = [
    *(0, 1, -1, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**62),
    *(0.0, -0.0, 0.5, 1.0, 7.0, -1.5, 1e300, -1e300, 2.0**53, float("inf"), float("-inf")),
    *(True, False, "a", "A", "b", "B", "", "é", "É", "7"),
]
CONSTANTS = [
    "0", "1", "7", "-1", "0.5", "1.0", "9007199254740992.0", "9007199254740993", "true", '"A"',
    '"b"', '"é"', "undefined", "error", "TARGET.n", "TARGET.n + 1", 'real("NaN")', "1e300", "{1}",
]  # fmt: skip
STEPS = ["a", "a + {}", "{} - a", "a * {}", "a / {}", "({} + a) * 2", "MY.a - 9223372036854775807"]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(MANY) | st.integers(-9, 9) | st.floats(-9, 9), min_size=12),
    st.booleans(),
    st.data(),
)
def test_comparisons_with_constants(values: list[Any], numbers: bool, data: st.DataObject) -> None:
    if numbers:  # of one type, so that sums are understood as well
        values = [value for value in values if value.__class__ is int] + list(range(12))
    rows = [ClassAd({"a": value}) for value in values] + [ClassAd(), ClassAd("[a = undefined]")]
    table, job = Table(rows), ClassAd({"n": data.draw(st.sampled_from(MANY))})
    for _ in range(4):
        side = data.draw(st.sampled_from(STEPS)).format(data.draw(st.sampled_from(CONSTANTS)))
        sides = [side, data.draw(st.sampled_from(CONSTANTS))]
        operator = data.draw(st.sampled_from(OPERATORS[:8]))
        text = f" {operator} ".join(sides if data.draw(st.booleans()) else sides[::-1])
        for tree in (ExprTree(text), ExprTree(f"!({text})"), ExprTree(f"isError({text})")):
            wanted = [r for r, ad in enumerate(rows) if is_true(evaluate(tree, ad, job))]
            assert list(table.select(tree, job, context=CONTEXT)) == wanted, str(tree)


# --- rows and kernels -----------------------------------------------------------------------------


@given(st.sets(st.integers(0, 99)), st.sets(st.integers(0, 99)))
def test_rows_are_sets(left: set[int], right: set[int]) -> None:
    a, b = Rows.of(100, left), Rows.of(100, right)
    assert set(a & b) == left & right
    assert set(a | b) == left | right
    assert set(a ^ b) == left ^ right
    assert set(a - b) == left - right
    assert set(~a) == set(range(100)) - left
    assert list(a) == sorted(left)
    assert (len(a), bool(a), a.first()) == (len(left), bool(left), min(left, default=None))
    assert a.mask() == bytes(row in left for row in range(100))


def test_rows_change() -> None:
    rows = Rows.all(3)
    rows.discard(1)
    rows.discard(1)
    assert list(rows) == [0, 2]
    rows.add(1)
    assert rows == Rows.all(3)
    with pytest.raises(IndexError):
        rows.add(3)
    with pytest.raises(IndexError):
        Rows.of(3, [3])
    with pytest.raises(IndexError):
        Rows.of(3, [1 << 40])
    other = rows.copy()
    other.discard(0)
    assert (list(other), rows) == ([1, 2], Rows.all(3))
    assert repr(other) == "<Rows 2 of 3>"
    with pytest.raises(ValueError, match="rows of tables of 3 and 4 rows"):
        rows & Rows.all(4)


@given(st.lists(st.integers(0, 6), max_size=70), st.data())
def test_kernels_agree(codes: list[int], data: st.DataObject) -> None:
    if kernels.native is None:
        return
    left = array("i", codes)
    right = array("i", [data.draw(st.integers(0, 2)) for _ in codes])
    count = len(codes)
    kinds = bytes(data.draw(st.integers(1, 2)) for _ in codes)
    cells = array("q", [code - 3 if code % 2 else -(code << 60) for code in codes])
    places = st.sets(st.integers(0, 99), min_size=count, max_size=count)
    rows = array("i", sorted(data.draw(places)))
    table = bytes(data.draw(st.integers(0, 1)) for _ in range(7))
    numbers = array("d", range(100))
    native = kernels.native
    found: list[list[Any]] = []
    for way in (native, None):
        kernels.native = way  # type: ignore[misc]
        try:
            found.append(
                [
                    moving.number_pairs(left, right),
                    moving.number_pairs(memoryview(cells), memoryview(kinds)),
                    moving.flag(left, rows, table, 100),
                    moving.flag(left, None, table, len(left)),
                    moving.rows_of(moving.flag(left, rows, table, 100)),
                    moving.pick(array("i", range(100)), rows),
                    moving.pick(numbers, rows),
                    moving.pick(array("B", range(100)), rows),
                ]
            )
        finally:
            kernels.native = native  # type: ignore[misc]
    assert found[0] == found[1]


ARITHMETIC = (
    "A * B - C",
    "(A + TARGET.J) * 2 - B / C",
    "1.0e10 * (A =?= undefined) + B % C",
    "A - B - MY.C * TARGET.J < 3",
    "Rank * 10 - A - B",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", ARITHMETIC)
def test_operators_on_many_combinations(text: str) -> None:
    """More combinations than are evaluated as a whole: operands are, then pairs of their values."""
    cells = ["1", "2", "-3", "0", "2.5", "true", '"x"', "undefined", "9223372036854775807", "1e300"]
    rows = [
        ClassAd(f"[A = {a}; B = {b}; C = {c}; Rank = {rank}]")
        for a, rank in zip(cells, ["TARGET.J", "A + 1"] * 5, strict=True)
        for b in cells
        for c in [*cells[:6], "error"]
    ]
    table = Table(rows)
    for job in (ClassAd("[J = 2]"), ClassAd("[J = 0.5; A = 1]"), ClassAd("[J = B; B = 7]")):
        for row_is in ("my", "target"):
            codes, values = table.evaluate(text, job, row_is=row_is)
            true = {row for row, code in enumerate(codes) if is_true(values[code])}
            assert set(table.select(text, job, row_is=row_is)) == true
            for row, ad in enumerate(rows):
                my, target = (ad, job) if row_is == "my" else (job, ad)
                expected = evaluate(text, my, target)
                found = values[codes[row]]
                assert (type(found), repr(found)) == (type(expected), repr(expected)), (row, text)


def test_what_was_looked_at_for_some_rows_is_not_taken_for_all() -> None:
    """The conjunct with ``regexp`` is only evaluated where START has left rows, which depends on
    an attribute that the job's own requirements do not read."""
    slots = Table(
        ClassAd(
            f'[Label = "{number:04}"; Half = {number % 2}; Requirements = TARGET.Half =!= MY.Half]'
        )
        for number in range(600)
    )
    want = 'Requirements = regexp("[0-4]$", TARGET.Label) && strcat(TARGET.Label, "x") != "0004x"'
    jobs = [ClassAd(f"[Half = {half}; {want}]") for half in (0, 1, 2, 0, 1)]
    for job in jobs:
        expected = [row for row in range(600) if symmetric_match(job, slots.ad(row))]
        assert list(slots.match(job)) == expected
        some = Rows.of(600, range(100))
        assert list(slots.accepted_by(job, within=some)) == [
            row for row in range(100) if row % 10 < 5 and row != 4
        ]
        assert len(slots.accepted_by(job)) == 299
