"""Expressions evaluated in the ads of lists, for all rows at once."""

from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ClassAd, EvalContext, ExprTree, kernels
from classad.loading.long_form import load_long
from classad.match import symmetric_match
from classad.table import Table
from classad.table.answers.sampling import ListMembers
from classad.table.vectors import count_holding
from fuzz.one_by_one import shown, value_of
from fuzz.thresholds import few_are_many
from tests.cases import every_case

CONTEXT = EvalContext(now=1_700_000_000.0)
BACKENDS = [pytest.param(kernels.native, id="c"), pytest.param(None, id="python")]
DEVICES = [
    "[ Id = {n}; Capability = 7.5; Memory = {m} ]",
    "[ Id = {n}; Capability = 8.{d}; Memory = {m}; Model = \"M{d}\" ]",
    "[ Id = {n}; Capability = 8.0; Memory = undefined; Model = \"m{d}\" ]",
]  # fmt: skip
ODD_DEVICES = [
    "undefined", "error", "7", '"text"', "{{ [ Id = 1 ] }}", "[ Id = {n}; Memory = Id * {m} ]",
    "[ Capability = Cpus; Memory = {m} ]", "[ Id = [ A = 1 ]; Memory = {{ 1 }} ]",
]  # fmt: skip
JOBS = [
    "Want = Capability >= 7.{d} && Memory >= Least\n"
    "Requirements = countMatches(MY.Want, TARGET.G) > 0",
    "Want = Memory > 10 * Least || Id == {d}\nRequirements = countMatches(Want, G) != 1",
    "Requirements = countMatches(Memory >= {m}, TARGET.G) >= 2 && TARGET.Cpus > {d}",
    'Want = Model == "M{d}"\nRequirements = countMatches(Want, TARGET.G) >= 1 || Cpus == 7',
    "Want = Cpus > {d}\nRequirements = countMatches(Want, TARGET.G) > 1",
    "Want = nosuch =?= undefined && size(Model) > {d}\n"
    "Requirements = countMatches(Want, TARGET.G) > 0",
    "Want = MY.Memory > {m}\nRequirements = countMatches(Want, TARGET.G) > 0",
    "Want = TARGET.Cpus > {d}\nRequirements = countMatches(Want, TARGET.G) > 0",
    "Want = 5\nRequirements = countMatches(Want, TARGET.G) > 0",
    "Requirements = countMatches(TARGET.Test, TARGET.G) > 0",
    "Requirements = countMatches(Test, G) > 0",
    "Want = Other > {d}\nOther = Least + 1\nRequirements = countMatches(Want, TARGET.G) > {d}",
    "Requirements = sum(evalInEachContext(Memory, TARGET.G)) > {m}",
    "Want = Test\nRequirements = countMatches(Want, TARGET.G) > 0",
]  # fmt: skip


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "native", request.param)


def pool(opaque: bool, alike: bool = False) -> str:
    """Slots with lists of up to four devices; ``odd``: of other members; ``alike``: one list."""
    forms = DEVICES + (ODD_DEVICES if opaque else [])
    ads = []
    for number in range(60):
        devices = [
            forms[(number * 7 + n) % len(forms)].format(n=n, m=500 * (number % 8 + n), d=n)
            for n in range(number % 5)
        ]
        value = f"{{ {', '.join(devices)} }}"
        if alike:
            value = (
                f"{{ {DEVICES[0].format(n=1, m=900, d=1)}, {DEVICES[1].format(n=2, m=5, d=2)} }}"
            )
        elif number % 17 == 3:
            value = ["undefined", "error", "3", "[ Id = 1 ]"][number % 4]
        lists = "" if number % 19 == 5 and not alike else f"G = {value}\n"
        ads.append(
            f"{lists}Cpus = {number % 9}\nTest = Memory > {number % 4}000\n"
            "Requirements = TARGET.Least > 0\n"
        )
    return "\n".join(ads)


@pytest.mark.slow
@every_case("form", JOBS)
@pytest.mark.parametrize("kind", ["even", "odd", "alike"])
def test_counts(backend: None, kind: str, form: str) -> None:
    text = pool(kind == "odd", kind == "alike")
    table = Table.from_columns(load_long(text.encode()))
    rows = list(load_long(text.encode()).to_ads(ClassAd))
    for number in range(4):
        own = form.format(d=number % 3, m=400 * number)
        (job,) = load_long(f"{own}\nLeast = {300 * number + 1}\n".encode()).to_ads(ClassAd)
        expected = [row for row, ad in enumerate(rows) if symmetric_match(job, ad, CONTEXT)]
        assert list(table.match(job, context=CONTEXT)) == expected


def test_they_are_counted_together(backend: None, monkeypatch: pytest.MonkeyPatch) -> None:
    text, counted = pool(False), []
    count = ListMembers.count
    monkeypatch.setattr(
        ListMembers,
        "count",
        lambda self, judged: counted.append(len(judged)) or count(self, judged),
    )
    table = Table.from_columns(load_long(text.encode()))
    for number in range(3):
        own = JOBS[0].format(d=5)
        (job,) = load_long(f"{own}\nLeast = {number + 1}\n".encode()).to_ads(ClassAd)
        table.match(job, context=CONTEXT)
    assert len(counted) == 3
    assert min(counted) > 60


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=20))
def test_runs_are_counted(runs: list[list[int]]) -> None:
    ends = array("i", [0])
    for run in runs:
        ends.append(ends[-1] + len(run))
    judged = bytes([each for run in runs for each in run])
    expected = [run.count(1) for run in runs]
    found: list[Any] = []
    for native in (kernels.native, None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "native", native)
            found.append(count_holding(judged, ends).values())
    assert found == [expected, expected]


@pytest.mark.slow
@pytest.mark.parametrize(
    "wants", ["P > X", "P > X && Q isnt 1", "P > Lim", "P > TARGET.X", "P > MY.X"]
)
@pytest.mark.parametrize("x", [1, 3, 9, "TARGET.A", "A - 6", "undefined"])
def test_names_in_lists_are_the_rows_before_they_are_the_partners(wants: str, x: Any) -> None:
    devices = ("{[P = 2], [P = 5; Q = 1]}", "{One, Two}", "{Two, [P = 7]}", "{}")
    rows = [
        ClassAd(f"[A = {number}; One = [P = 2]; Two = [P = {number}; Q = 1]; Devices = {each}]")
        for number in range(8)
        for each in devices
    ]
    for number in range(0, len(rows), 3):
        rows[number]["X"] = number % 7
    job = ClassAd(f"[X = {x}; Lim = X; Wants = {wants}]")
    other = ClassAd(f"[X = 4; Lim = X; Wants = {wants}]")
    for text in (
        "countMatches(MY.Wants, TARGET.Devices) > 0", "countMatches(Wants, Devices)",
        "size(evalInEachContext(MY.Wants, TARGET.Devices)) + X", "X + countMatches(Wants, Devices)",
    ):  # fmt: skip
        table, tree = Table(rows), ExprTree(text)
        for one in (job, other, job):
            wanted = [shown(value_of(tree, one, row)) for row in rows]
            codes, values = table.evaluate(tree, one, row_is="target", context=CONTEXT)
            assert [shown(values[code]) for code in codes] == wanted, text


@pytest.mark.slow
@pytest.mark.parametrize("seat", ["my", "target"])
def test_expressions_that_are_evaluated_in_other_ads_read_the_row(seat: Any) -> None:
    """Though in nearly all rows they come to what they would in an empty ad."""
    rows = [ClassAd(f"[M = {number}; P = {number * 2}]") for number in range(300)]
    table, job = Table(rows), ClassAd("[K = 3]")
    for number in range(0, 300, 23):
        for where in ("P", "M * 2", "TARGET.P", "MY.M + MY.M"):
            text = f"evalInEachContext({where} =?= {number * 2}, {{[Q = 1]}})[0] || M + P < 0"
            tree = ExprTree(text)
            pairs = [(row, job) if seat == "my" else (job, row) for row in rows]
            codes, values = table.evaluate(tree, job, row_is=seat, context=CONTEXT)
            assert [shown(values[code]) for code in codes] == [
                shown(value_of(tree, *pair)) for pair in pairs
            ], text


def test_what_only_some_members_lack_is_looked_for_in_the_partner_by_these_alone() -> None:
    rows = [
        ClassAd(f"[N = {number}; G = {{[P = 1], [Q = {number}], [P = 9]}}]") for number in range(20)
    ]
    job = ClassAd("[P = 5; Want = P > 3; Requirements = countMatches(MY.Want, TARGET.G) == 2]")
    with few_are_many():
        table = Table(rows)
        assert list(table.match(job, context=CONTEXT)) == []
        assert list(table.accepted_by(job, context=CONTEXT)) == list(range(20))
        text = "countMatches(MY.Want, TARGET.G)"
        codes, values = table.evaluate(text, job, row_is="target", context=CONTEXT)
        assert {values[code] for code in codes} == {2}


@pytest.mark.parametrize(
    ("members", "counted"),
    [
        ("[Cap = {n}], [Cap = {m}]", [0, 0, 1, 2, 2, 2]),
        ("[Cap = {n}], 7, {{ [Cap = 9] }}", [0, 0, 0, 1, 1, 1]),
        ("{n}, {m}", [0, 0, 0, 0, 0, 0]),
    ],
)
def test_where_all_rows_have_lists(backend: None, members: str, counted: list[int]) -> None:
    """Also of members that are no ads."""
    lists = [members.format(n=number, m=number + 1) for number in range(6)]
    table = Table(ClassAd(f"[G = {{ {inner} }}; Requirements = true]") for inner in lists)
    with few_are_many():
        for least in (1, 2):
            wanted = f"countMatches(MY.Want, TARGET.G) >= {least}"
            job = ClassAd(f"[Want = Cap > 2; Requirements = {wanted}]")
            assert list(table.match(job)) == [
                row for row, number in enumerate(counted) if number >= least
            ]


#: What stands behind a count of the partner's attribute is evaluated in the partner.
MOVING = [
    "countMatches(TARGET.Want, MY.G) >= {m} && TARGET.Least < MY.Cpus && Cpus > {d}",
    "(Cpus > 0 && countMatches(TARGET.Want, {{[Memory = 9]}}) >= 0) && MY.Least <= {d}",
    "TARGET.Least > 0 && countMatches(Want, {{[Memory = 9]}}) >= 0 && Least =?= {d}",
    "Usable && Cpus > {d}",
]


@pytest.mark.parametrize("shared", [True, False])
def test_behind_a_count_of_the_partners_attribute_all_rows_are_asked_there(shared: bool) -> None:
    texts = [text.format(m=n % 2, d=n % 3) for n in range(4) for text in MOVING]
    usable = "Usable = countMatches(TARGET.Want, G) == 0 && Least < 3"
    rows = [
        ClassAd(f"[Requirements = {text}; G = {{}}; {usable}; Cpus = {2 if shared else n % 4}]")
        for n, text in enumerate(texts)
    ]
    jobs = [
        ClassAd(f"[Want = Memory > 5; Least = {least}; Cpus = {n}; Requirements = {required}]")
        for n, least in enumerate((0, 1, 2, 5))
        for required in (
            "true",
            "countMatches(TARGET.Usable, {}) == 0 && Cpus < 3 && TARGET.Cpus > 0",
        )
    ]
    with few_are_many():
        table = Table(rows)
        for job in [*jobs, *jobs]:
            wanted = [n for n, row in enumerate(rows) if symmetric_match(job, row, CONTEXT)]
            assert list(table.match(job, context=CONTEXT)) == wanted
