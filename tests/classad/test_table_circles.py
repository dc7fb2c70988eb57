"""References in a circle, asked of a table, are what they are in each row."""

import itertools
from typing import Any

import pytest

from classad import ClassAd, ExprTree, Value
from classad.evaluate import evaluate
from classad.loading.long_form import load_long
from classad.match import symmetric_match
from classad.syntax.nodes import Node
from classad.table import Table
from classad.table.answers.sampling import Step, _Compiler
from tests.cases import every_case
from tests.classad.test_table_ownlists import Mirrored

FORMS = [
    "B",
    "C",
    "A",
    "A =?= undefined",
    "B + 1",
    "C ?: 3",
    "TARGET.X",
    "isUndefined(B) && C",
    "5",
]
QUESTIONS = ["A =!= 5", "TARGET.A =?= undefined", "X =!= TARGET.C", "TARGET.B ?: TARGET.A"]
JOBS = [
    "[Requirements = TARGET.A =?= undefined]",
    "[X = 4; Requirements = TARGET.B =!= TARGET.C]",
    "[X = TARGET.A; Requirements = X =!= 5]",
    "[X = TARGET.B =?= undefined; Requirements = isUndefined(TARGET.A) || TARGET.C > 2]",
]


def texts() -> list[dict[str, str]]:
    forms = itertools.product(FORMS, FORMS, FORMS[::2])
    return [
        {"A": a, "B": b, "C": c, "N": str(number % 3), "Requirements": "A =!= N"}
        for number, (a, b, c) in enumerate(forms)
        if number % 3 == 0 or a == "A"
    ]


def shown(value: Any) -> tuple[type, str]:
    return value.__class__, repr(value)


def agrees(table: Table, rows: list[ClassAd]) -> None:
    for text in JOBS:
        job = ClassAd(text)
        expected = [row for row, ad in enumerate(rows) if symmetric_match(job, ad)]
        assert list(table.match(job)) == expected
        for question in QUESTIONS:
            codes, values = table.evaluate(question, job, row_is="target")
            found = [shown(values[code]) for code in codes]
            assert found == [shown(evaluate(question, job, ad)) for ad in rows], question


def test_loaded_rows() -> None:
    text = "\n".join("".join(f"{k} = {v}\n" for k, v in ad.items()) for ad in texts())
    loaded = load_long(text.encode())
    table = Table.from_columns(loaded)
    agrees(table, list(load_long(text.encode()).to_ads(ClassAd)))
    asked = table.matching._row_side
    assert asked is not None
    assert any(
        group.circular and not group.row_by_row
        for predicate in asked.predicates
        for variant in predicate.variants
        for plan in variant.plans.values()
        for group in plan.groups
    )


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("text", ["A =?= undefined", "C =?= undefined"])
def test_one_expression_for_two_attributes(text: str, shared: bool) -> None:
    """Which expression is under way is told by the object, so it matters that there is but one."""
    rows = []
    for number in range(60):
        row = ClassAd({"A": ExprTree("B"), "B": ExprTree(text), "C": ExprTree(text)})
        if shared and number % 2:
            row.insert("C", row.raw("B"))
        row["N"] = number % 3
        row["Requirements"] = True
        rows.append(row)
    table = Table(rows)
    agrees(table, rows)
    tree = ExprTree("A =?= undefined")
    for row, same in ((0, True), (2, True), (2, False)):
        ad = ClassAd({"A": ExprTree("B"), "B": tree, "C": tree, "N": 1, "Requirements": True})
        if same:
            ad.insert("C", ad.raw("B"))
        rows[row] = ad
        table.replace(row, ad)
        agrees(table, rows)
        tree = ExprTree("A =?= undefined")


@pytest.mark.parametrize("text", ["A =?= undefined", "C =?= undefined"])
def test_one_expression_for_two_attributes_of_an_ad_in_the_place_of_a_loaded_row(text: str) -> None:
    row = f"A = B\nB = {text}\nC = {text}\nN = 1\nRequirements = true\n"
    table = Table.from_columns(load_long("\n".join([row] * 9).encode()))
    for number in (2, 3):
        ad = ClassAd(table.ad(number))
        ad.insert("C", ad.raw("B"))
        table.replace(number, ad)
    mirrored = Table.placed(Mirrored(table))
    rows = [mirrored.ad(number) for number in range(9)]
    assert rows[6].raw("B") is rows[6].raw("C")
    agrees(mirrored, rows)


def test_an_ad_that_gets_a_parent() -> None:
    """Its columns do not change, but it has to be asked by itself, and later no longer."""
    rows = [ClassAd({"N": number, "Requirements": ExprTree("N > 1")}) for number in range(4)]
    rows[0]["Hidden"] = 2  # so that there is such a column
    table = Table(rows)
    job = ClassAd("[Requirements = TARGET.Hidden =!= 1]")
    assert list(table.match(job)) == [2, 3]
    child = ClassAd({"N": 2, "Requirements": ExprTree("N > 1")})
    child.chain(ClassAd({"Hidden": 1}))
    table.replace(2, child)
    assert list(table.match(job)) == [3]
    table.replace(2, rows[2])
    assert list(table.match(job)) == [2, 3]


def test_a_partner_that_stands_in_an_ad_does_not_see_it() -> None:
    """As neither ad of a match does: Y is undefined, whatever the ad around the job has."""
    rows = [ClassAd({"A": number, "F": ExprTree("TARGET.X > A")}) for number in range(200)]
    job = ClassAd("[X = Y + 1; Wants = X > TARGET.A]")
    job._parent = ClassAd({"Y": 2})
    table = Table(rows)
    for row_is, text in (("my", "F"), ("my", "TARGET.Wants"), ("target", "MY.X > TARGET.A")):
        codes, values = table.evaluate(text, job, row_is=row_is)
        assert {values[code] for code in codes} == {Value.Undefined}
    assert list(table.select("F is undefined", job)) == list(range(200))


def tall(text: str, levels: int) -> str:
    return "!" * levels + text


#: The depth at which an evaluation fails lies between the first and the last of them.
HEIGHTS = [(90, 90, 90), (200, 30, 200), (30, 200, 200), (200, 200, 30), (240, 5, 240)]


@pytest.mark.slow
@pytest.mark.parametrize("heights", HEIGHTS)
@pytest.mark.parametrize("last", ["A =?= undefined", "N =?= 1"])
@every_case("targets", list(itertools.product([False, True], repeat=3)))
def test_expressions_that_are_deep_only_together(
    heights: tuple[int, int, int], last: str, targets: tuple[bool, bool, bool]
) -> None:
    """No expression is too deep alone; a chain of them is, in a circle or not, through both ads."""
    ads: tuple[dict[str, str], dict[str, str]] = {"N": "0"}, {"N": "1"}
    names = iter(("B", "C", last))
    where = 0
    for name, height, target in zip("ABC", heights, targets, strict=True):
        there = where ^ target
        word = next(names)
        ads[where][name] = tall(f"{'TARGET.' if target else ''}{word}", height)
        where = there
    row, partner = ({name: ExprTree(text) for name, text in ad.items()} for ad in ads)
    rows = [ClassAd({**row, "N": number % 3}) for number in range(9)]
    job = ClassAd(partner)
    table = Table(rows)
    for question in ("TARGET.A", tall("TARGET.A", 30), "TARGET.A =!= TARGET.N", "TARGET.B"):
        codes, values = table.evaluate(question, job, row_is="target")
        found = [shown(values[code]) for code in codes]
        assert found == [shown(evaluate(question, job, ad)) for ad in rows], question


@pytest.mark.parametrize("height", [20, 120, 200, 240])
def test_a_circle_that_is_deep_only_when_it_is_entered_elsewhere(height: int) -> None:
    """From ``A`` the tall expressions lead back at once; from ``C`` one leads to the other."""
    row = {"A": "B", "B": "C =?= TARGET.Y", "C": "TARGET.X"}
    job = ClassAd(
        {"X": ExprTree(tall("TARGET.B", height)), "Y": ExprTree(tall("TARGET.A", height))}
    )
    rows = [ClassAd({"N": n % 3, **{k: ExprTree(v) for k, v in row.items()}}) for n in range(9)]
    table = Table(rows)
    for question in ("TARGET.A =?= TARGET.C", "TARGET.C =?= TARGET.A", "TARGET.N =?= TARGET.C"):
        codes, values = table.evaluate(question, job, row_is="target")
        found = [shown(values[code]) for code in codes]
        assert found == [shown(evaluate(question, job, ad)) for ad in rows], question


@pytest.mark.parametrize("height", [140, 160, 190])
@pytest.mark.parametrize("levels", [60, 90])
def test_a_circle_that_is_too_deep_only_behind_what_it_is_part_of(levels: int, height: int) -> None:
    """The conjuncts behind the first one are levels above it: alone it would have a value."""
    row = {"A": "B", "B": "C =?= TARGET.Y", "C": "TARGET.X"}
    row["Requirements"] = "(A =?= C || true)" + " && N =!= 77" * levels
    job = ClassAd(
        {"X": ExprTree(tall("TARGET.B", height)), "Y": ExprTree(tall("TARGET.A", height))}
    )
    job["Requirements"] = True
    rows = [ClassAd({"N": n % 3, **{k: ExprTree(v) for k, v in row.items()}}) for n in range(9)]
    expected = [number for number, ad in enumerate(rows) if symmetric_match(job, ad)]
    assert list(Table(rows).match(job)) == expected
    assert bool(expected) == (levels + 2 * height < 400)


def test_a_circle_is_left_where_it_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled for rows of which all have the circle ends with its members."""
    compiled: list[Node] = []
    step = _Compiler.step

    def counting(self: _Compiler, node: Node, of_row: bool) -> Step:
        compiled.append(node)
        return step(self, node, of_row)

    monkeypatch.setattr(_Compiler, "step", counting)
    circle = "A = B + 1\nB = C + 1\nC = A + 1\n"
    ads = "".join(f"{circle}Cpus = {number % 7}\n\n" for number in range(300))
    table = Table.from_columns(load_long(ads.encode()))
    some = [number for number in range(300) if number % 7 > 3]
    assert list(table.select("A =?= undefined && Cpus > 3")) == some
    assert 0 < len(compiled) < 60
