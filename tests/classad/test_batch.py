"""Many evaluations at once give what one after the other give, pair by pair."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import classad
from classad import ClassAd, EvalContext, ExprTree, Value, evaluate_many, match_many
from classad.match import symmetric_match

ATTRIBUTES = st.sampled_from(["A", "B", "Cpus", "Requirements", "Rank"])
EXPRESSIONS = st.sampled_from(
    [
        "true", "false", "undefined", "error", "0", "2", "0.5", '"x"', "{1, 2}", "[A = 1]",
        "A", "B + 1", "MY.A < TARGET.A", "TARGET.Cpus >= MY.Cpus", "TARGET.Rank", "MY.Requirements",
        "A =?= undefined", "TARGET.B && A > 0", "Requirements || true", "1 / Cpus", "other.A",
        "LEFT.Cpus == RIGHT.Cpus", "symmetricMatch", "random(10) >= 0", "time() > 1000",
        "ifThenElse(isUndefined(TARGET.A), B, TARGET.A)", "{A, TARGET.A}[1]", "nosuch(1)",
    ]
)  # fmt: skip
ADS = st.dictionaries(ATTRIBUTES, EXPRESSIONS, max_size=5).map(
    lambda items: ClassAd({name: ExprTree(text) for name, text in items.items()})
)


def test_what_is_compiled_can_be_compiled_again() -> None:
    program = classad.compile("Memory / 1024")
    assert classad.compile(program.expr).many([ClassAd({"Memory": 2048})]) == [2]


def daemons_rank(job: ClassAd, slot: ClassAd, context: EvalContext) -> float:
    number = job.get_number("Rank", slot, context)
    return 0.0 if number is None else float(number)


@pytest.mark.parametrize(("strict", "rank"), [(False, 5.0), (True, 0.0)])
def test_a_strict_rank_does_not_look_into_the_slot(strict: bool, rank: float) -> None:
    job, slot = (ClassAd(f"[Requirements = true; {more}]") for more in ("Rank = Size", "Size = 5"))
    result = match_many(job, [slot], context=EvalContext(now=5000, strict=strict))
    assert result.ranks.tolist() == [rank]


@given(ADS, st.lists(ADS, max_size=6), st.booleans(), st.booleans())
def test_match_many_is_symmetric_match_and_rank(
    job: ClassAd, slots: list[ClassAd], strict: bool, itself: bool
) -> None:
    slots = [*slots, job] if itself else slots
    result = match_many(job, slots, context=EvalContext(now=5000, strict=strict))
    context = EvalContext(now=5000, strict=strict)
    for slot, yes, rank in zip(slots, result.mask, result.ranks, strict=True):
        assert bool(yes) is symmetric_match(job, slot, context)
        assert repr(rank) == repr(daemons_rank(job, slot, context) if yes else -math.inf)


@given(EXPRESSIONS, st.lists(ADS, max_size=6), ADS, st.booleans())
def test_evaluate_many_is_eval(text: str, ads: list[ClassAd], other: ClassAd, itself: bool) -> None:
    expr = ExprTree(text)
    ads = [*ads, other] if itself else ads
    for target in (None, other):
        values = evaluate_many(expr, ads, target, context=EvalContext(now=5000))
        context = EvalContext(now=5000)
        assert [repr(expr.eval(ad, target, context=context)) for ad in ads] == list(
            map(repr, values)
        )


def test_without_a_context_it_is_the_ambient_one() -> None:
    job = ClassAd("[Requirements = f(TARGET.x); Rank = time()]")
    slots = [ClassAd({"x": x, "Requirements": True}) for x in range(3)]
    assert not any(match_many(job, slots).mask)
    with classad.functions(f=lambda x: x == 1), classad.evaluating(now=77):
        assert match_many(job, slots).ranks.tolist() == [-math.inf, 77.0, -math.inf]
        assert evaluate_many("f(x)", slots) == [False, True, False]
    assert len(set(evaluate_many("time()", [ClassAd() for _ in range(1000)]))) == 1


def test_an_evaluation_that_fails_spoils_no_other() -> None:
    ad = ClassAd("[a = 1]")
    deep = ClassAd()
    for i in range(600):
        deep[f"a{i}"] = ExprTree(f"a{i + 1}")
    deep["a"] = ExprTree("a0 + 1")
    values = evaluate_many("a + 1", [ad, deep, ad])
    assert (values[0], values[2]) == (2, 2)
    deep["Requirements"] = ExprTree("a > 1")
    good = ClassAd("[Requirements = true]")
    assert list(match_many(good, [good.duplicate(), deep, good.duplicate()]).mask) == [1, 0, 1]
    no_clock = EvalContext()
    assert evaluate_many("time()", [ad], context=no_clock) == [Value.Error]


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        ("Rank", [4.0, 8.0]),
        ("rank", [4.0, 8.0]),
        (None, [0.0, 0.0]),
        ("Name", [0.0, 0.0]),
        ("Constant", [3.0, 3.0]),
        ("Load", [0.25, 0.0]),
        ("nowhere", [0.0, 0.0]),
        (ExprTree("TARGET.Cpus > 4"), [0.0, 1.0]),
        (ExprTree("7"), [7.0, 7.0]),
    ],
)
def test_ranks(rank: Any, expected: list[float]) -> None:
    job = ClassAd('[Requirements = true; Rank = TARGET.Cpus; Name = "j"; Constant = 3]')
    slots = [
        ClassAd("[Cpus = 4; Requirements = true; Load = 0.25]"),
        ClassAd("[Cpus = 8; Requirements = 1]"),
    ]
    assert match_many(job, slots, rank=rank).ranks.tolist() == expected


def test_the_best_slot() -> None:
    job = ClassAd("[Requirements = TARGET.ok; Rank = TARGET.r]")

    def best(*pairs: tuple[bool, float]) -> int | None:
        return match_many(
            job, [ClassAd({"ok": ok, "r": r, "Requirements": True}) for ok, r in pairs]
        ).best()

    assert best() is None
    assert best((False, 1.0)) is None
    assert best((True, 1.0), (True, 3.0), (False, 9.0), (True, 3.0)) == 1
    assert best((True, math.nan), (True, -5.0)) == 1
    assert best((False, 1.0), (True, -math.inf)) == 1


def test_chained_ads() -> None:
    cluster = ClassAd("[Requirements = TARGET.Cpus >= RequestCpus; Rank = TARGET.Cpus]")
    job = ClassAd({"RequestCpus": 2})
    job.chain(cluster)
    slots = [ClassAd({"Cpus": cpus, "Requirements": True}) for cpus in (1, 4)]
    result = match_many(job, slots)
    assert (list(result.mask), result.ranks.tolist()) == ([0, 1], [-math.inf, 4.0])


def test_a_generator_is_enough() -> None:
    assert evaluate_many("a", (ClassAd({"a": i}) for i in range(3))) == [0, 1, 2]
    assert not match_many(ClassAd(), iter([ClassAd()])).mask[0]


def test_values_are_python_values() -> None:
    ad = ClassAd('[a = {1, "x", undefined}; b = [c = 1]; d = "é"; e = relTime(5)]')
    assert [evaluate_many(name, [ad])[0] for name in "abde"] == [ad.eval(name) for name in "abde"]


@pytest.mark.parametrize("wrong", [None, 5, {"a": 1}])
def test_what_is_no_ad(wrong: Any) -> None:
    with pytest.raises(TypeError, match="must be a ClassAd"):
        evaluate_many("a", [wrong])
    with pytest.raises(TypeError, match="slot must be a ClassAd"):
        match_many(ClassAd(), [wrong])
    with pytest.raises(TypeError, match="job must be a ClassAd"):
        match_many(wrong, [])
    if wrong is not None:
        with pytest.raises(TypeError, match="target must be a ClassAd"):
            evaluate_many("a", [], wrong)


def test_compile() -> None:
    program = classad.compile("TARGET.Memory >= RequestMemory")
    job, slot = ClassAd({"RequestMemory": 2}), ClassAd({"Memory": 3})
    assert program(job, slot) is True
    assert program(slot, job) is Value.Undefined
    assert program.many([job, ClassAd({"RequestMemory": 4})], slot) == [True, False]
    assert repr(program) == "<Program TARGET.Memory >= RequestMemory>"
    assert classad.compile("time()")(context=EvalContext(now=3)) == 3
    with pytest.raises(SyntaxError):
        classad.compile("1 +")


def test_numpy_arrays_or_a_hint() -> None:
    job = ClassAd("[Requirements = true; Rank = 2]")
    slots = [ClassAd("[Requirements = true]"), ClassAd()]
    try:
        import numpy as np  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        with pytest.raises(ImportError, match=r"pip install 'pieslice\[numpy\]'"):
            match_many(job, slots, numpy=True)
        return
    result = match_many(job, slots, numpy=True)
    assert result.mask.dtype == np.bool_
    assert result.mask.tolist() == [True, False]
    assert result.ranks.tolist() == [2.0, -math.inf]
    assert result.matches() == [0]
