"""What is kept of a plan for other partners is right for them, also after rows have changed."""

from itertools import product
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree, kernels
from classad.language.values import ERROR
from classad.match import half_match, is_true
from classad.table import Table
from classad.table.answers.predicates import PartVerdict, Predicate, verdict_of
from classad.table.store.columns import Joint, Part
from classad.table.vectors import BAD, FALSE, TRUE, UNKNOWN

CONTEXT = EvalContext(now=100.0)


@pytest.mark.parametrize("native", [kernels.native, None], ids=["c", "python"])
def test_bits_of_results(monkeypatch: pytest.MonkeyPatch, native: Any) -> None:
    monkeypatch.setattr(kernels, "native", native)
    table = Table([ClassAd({"A": number}) for number in range(5)])
    store = table.store
    for part in (store.everything, store.part(0b10110)):
        view = part.view("a")
        joint = Joint(view.codes, [], 0)
        for results in (
            [TRUE, FALSE, TRUE, FALSE, TRUE],
            [TRUE] * 5,
            [FALSE, BAD, BAD, TRUE, FALSE],
            [UNKNOWN, UNKNOWN, TRUE, TRUE, BAD],
            [UNKNOWN] * 5,
        ):
            own = bytearray(results[value] for value in view.values)
            found = verdict_of(part, joint, own)
            for wanted, bits in ((TRUE, found.true), (FALSE, found.false), (BAD, found.bad)):
                rows = [row for row in range(5) if part.bits >> row & 1 and results[row] == wanted]
                assert bits == sum(1 << row for row in rows)
            same = verdict_of(part, None, bytes([results[1]]))
            assert same.true == (part.bits if results[1] == TRUE else 0)
    assert isinstance(part, Part)


RANKS = [
    "TARGET.Size", "TARGET.Size * 2", "TARGET.Owner == \"a\" ? 3 : Own", "Own + 1", "0",
    "TARGET.Gone", "TARGET.Size + strlen(TARGET.Owner)", "error",
]  # fmt: skip


@pytest.mark.parametrize("bits", [0b11111, 0b10110])
@pytest.mark.parametrize("result", [TRUE, FALSE, BAD, UNKNOWN])
def test_one_result_for_all_rows_of_a_part(result: int, bits: int) -> None:
    """Where no column is read there is one: it is that of each of these rows, and of no other."""
    store = Table([ClassAd({"A": number}) for number in range(5)]).store
    found = verdict_of(store.part(bits), None, bytes([result]))
    assert found.true == (bits if result == TRUE else 0)
    assert found.false == (bits if result == FALSE else 0)
    assert found.bad == (bits if result == BAD else 0)
    assert found.decided == (0 if result == UNKNOWN else bits)


def test_groups_of_rows_that_ask_for_different_attributes() -> None:
    rows = [
        ClassAd({"Rank": ExprTree(RANKS[n % len(RANKS)]), "Own": n % 5, "CurrentRank": n % 3})
        for n in range(80)
    ]
    table = Table(rows)
    prefers = ExprTree("MY.Rank > MY.CurrentRank")
    jobs = [ClassAd({"Size": n % 4, "Owner": "ab"[n % 2]}) for n in range(12)]
    jobs.append(ClassAd({"Size": ExprTree("TARGET.Own")}))
    jobs.append(ClassAd({"Gone": 7}))
    for step in range(6):
        for job in jobs:
            expected = [
                row
                for row, ad in enumerate(rows)
                if is_true(prefers.eval(ad, job, context=CONTEXT))
            ]
            assert list(table.select(prefers, job, context=CONTEXT)) == expected
        for row in range(step, 80, 17):
            rows[row] = rows[row].duplicate()
            rows[row]["CurrentRank" if step % 2 else "Own"] = 9 - step
            if step == 4:
                rows[row]["Rank"] = ExprTree("TARGET.Size - 1")
            table.replace(row, rows[row])


def test_rows_that_were_all_alike() -> None:
    rows = [ClassAd({"Cpus": 4, "Requirements": ExprTree("TARGET.Size < 3")}) for _ in range(40)]
    table = Table(rows)
    for step in range(3):
        for size in range(1, 6):
            job = ClassAd({"Requirements": ExprTree("TARGET.Cpus >= Size"), "Size": size})
            expected = [
                row
                for row, ad in enumerate(rows)
                if half_match(ad, job, CONTEXT) and half_match(job, ad, CONTEXT)
            ]
            assert list(table.match(job, context=CONTEXT)) == expected
        rows[step * 7] = ClassAd({"Cpus": step, "Requirements": ExprTree("TARGET.Size < 3")})
        table.replace(step * 7, rows[step * 7])


#: Logic over attributes each of which is true, false, undefined or an error.
LOGIC = [
    "P && Q", "P || Q", "!P && Q", "P ? Q : R", "ifThenElse(P, Q, R)", "(P && Q) || R",
    "P && (Q || R)", "(P ? Q : R) && Q", "!(P && Q) ? R : !Q", "(P || Q) ? (Q && R) : (P || R)",
]  # fmt: skip


@pytest.mark.parametrize("text", [form for e in LOGIC for form in (e, f"!({e})")])
def test_logic_is_put_together_from_its_operands(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("classad.table.expressions.plans._WHOLE", 1)
    composed: list[PartVerdict | None] = []
    compose = Predicate._composed

    def watched(*given: Any) -> PartVerdict | None:
        composed.append(compose(*given))
        return composed[-1]

    monkeypatch.setattr(Predicate, "_composed", watched)
    kinds = ["true", "false", "undefined", "error"]
    rows = [ClassAd(f"[P = {p}; Q = {q}; R = {r}]") for p, q, r in product(kinds, repeat=3)]
    table = Table([*rows, ClassAd("[P = true; Requirements = TARGET.X]")])
    found = table.select(text, ClassAd(), context=CONTEXT)
    tree = ExprTree(text)
    values = [tree.eval(row, ClassAd(), context=CONTEXT) for row in rows]
    assert [row for row in found if row < len(rows)] == [
        row for row, value in enumerate(values) if is_true(value)
    ]
    verdict = composed[-1]  # the outermost is ready last
    assert verdict is not None
    for bits, wanted in ((verdict.true, True), (verdict.false, False), (verdict.bad, ERROR)):
        expected = [row for row, value in enumerate(values) if value is wanted]
        assert [row for row in range(len(rows)) if bits >> row & 1] == expected
