"""Compiled expressions give the values of the reference evaluator: every operator, operands of all
kinds, looked up in all ways, in each of the surroundings that an ad can have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product

import pytest

from classad import ClassAd, ExprTree
from classad.ads.ad import Ad, make_ad
from classad.compiled.compiler import HOT, specialise
from classad.compiled.python_source import compile_node, run_of
from classad.compiled.state import compiled
from classad.evaluate import EvalContext, evaluate_exactly, evaluate_full
from classad.evaluation.state import NO_CONTEXT
from classad.formats.unparse import unparse_value
from classad.language.operators import BINARY, UNARY
from classad.syntax.nodes import AdExpr
from classad.syntax.parser import parse_expression

#: One or more values of each kind, as they are written.
VALUES = (
    "undefined", "error", "true", "false", "0", "3", "-1", "9007199254740993",
    "-9223372036854775807 - 1", "1.5", "9.007199254740992E+15", "real(\"NaN\")", "-1e308 * 10",
    '"abc"', '"ABC"', '"\u00e9"', '"\u00c9"', '"k"', '"\u212a"',
    'absTime("2026-01-02T03:04:05+00:00")', "relTime(3600)", "{ 1 }", "[ x = 1 ]",
)  # fmt: skip
FEW = ("undefined", "error", "true", "3", "1.5", '"abc"')
LOGICAL = ("undefined", "error", "true", "false", "0", "3", "1.5", '"abc"', "{ 1 }")
#: How an operand is written that is the attribute ``A`` or ``B``.
WAYS = ("{0}", "MY.{0}", "TARGET.{0}", "{0}e", "(true ? {0} : 0)")
SURROUNDINGS = (
    "alone", "matched", "partner", "chained", "chained and matched", "nested", "shadowed",
    "shadowed by a chained parent",
)  # fmt: skip


def ad(text: str) -> ClassAd:
    node = parse_expression(text)
    assert isinstance(node, AdExpr)
    return make_ad(node, None)


def scene(surroundings: str, values: tuple[str, ...]) -> tuple[ClassAd, ClassAd | None]:
    """An ad, with its partner if it has one, in which ``A``, ``B`` ... have some values.

    ``Ae``, ``Be`` are expressions that come to the same.
    """
    named = [(chr(ord("A") + place), value) for place, value in enumerate(values)]
    inside = "; ".join(f"{name} = {value}; {name}e = {name}" for name, value in named)
    holder = ad(f"[{inside}]")
    if surroundings == "matched":
        return holder, ad(f"[{inside}]")
    if surroundings == "partner":
        return ad("[Other = 1]"), holder
    if surroundings in ("chained", "chained and matched"):
        child = ad("[Other = 1]")
        child.chain(holder)
        return child, ad(f"[{inside}]") if surroundings != "chained" else None
    if surroundings == "nested":
        inner = ad(f"[{inside}; Inner = [Other = 1]]")._attrs["inner"]
        assert isinstance(inner, Ad)
        return inner, None
    if surroundings == "shadowed":
        return ad(f"[Target = [{inside}]; My = [{inside}]; {inside}]"), ad("[Other = 1]")
    if surroundings == "shadowed by a chained parent":
        holder.chain(ad("[Target = [A = 17]; My = [A = 17]]"))
        return holder, ad("[A = 18]")
    return holder, None


def forms(text: str) -> Iterator[tuple[str, ExprTree]]:
    """An expression in both of its compiled forms."""
    single = ExprTree(text)
    compiled(single)
    single.run = run_of(compile_node(single.node))
    yield "operation by operation", single
    whole = ExprTree(text)
    compiled(whole)
    specialise(whole)
    yield "as a whole", whole


Scenes = list[tuple[ClassAd, ClassAd | None]]


def check(texts: Iterable[str], scenes: Scenes) -> None:
    """Compare both compiled forms of expressions with the reference evaluator in all scenes."""
    for text in texts:
        plain = ExprTree(text)
        compiled = list(forms(text))
        for my, target in scenes:
            left = None if target is None else my
            wanted = _shown(*evaluate_exactly(plain, my, left, target, NO_CONTEXT))
            for way, tree in compiled:
                found = _shown(*evaluate_full(tree, my, target))
                assert found == wanted, f"{text} {way} in {my!r} with {target!r}"


def _shown(value: object, fine: bool) -> tuple[type, str, bool]:
    return value.__class__, unparse_value(value), fine


@cache
def pairs() -> Scenes:
    """All pairs of values in a match, some in the other surroundings."""
    rest = [where for where in SURROUNDINGS if where != "matched"]
    return [scene("matched", pair) for pair in product(VALUES, repeat=2)] + [
        scene(where, pair) for where in rest for pair in product(FEW, repeat=2)
    ]


#: Of the ways of writing both operands one in five, and all of them.
SHARES = [5, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.long])]


@pytest.mark.slow
@pytest.mark.parametrize("every", SHARES)
@pytest.mark.parametrize("symbol", BINARY)
def test_binary_operators(symbol: str, every: int) -> None:
    ways = list(product(WAYS, WAYS))[len(symbol) % every :: every]
    check((f"({a.format('A')}) {symbol} ({b.format('B')})" for a, b in ways), pairs())


@pytest.mark.slow
@pytest.mark.parametrize("every", SHARES)
@pytest.mark.parametrize("symbol", BINARY)
def test_binary_operators_on_constants(symbol: str, every: int) -> None:
    single = [scene("matched", (value,)) for value in VALUES]
    for constant, way in list(product(VALUES, WAYS[:3]))[len(symbol) % every :: every]:
        operand = way.format("A")
        check([f"{operand} {symbol} ({constant})", f"({constant}) {symbol} {operand}"], single)
    both = [f"({a}) {symbol} ({b})" for a, b in list(product(VALUES, repeat=2))[::every]]
    check(both, single[:1])


#: Operations on one value, and those that choose.
OTHERS = (
    *(f"{symbol}({{0}})" for symbol in UNARY), "{0}", "!({0} && {0})", "isUndefined({0})",
    "isError({0})", "ifThenElse({0}, 1, {0})", "({0}) ? 1 : {0}", "({0}) ? time() : 1 / 0",
    "ifThenElse({0}, 1, time())", "{0} ?: time()", "size({0})", "strcat({0}, 1, {0}, 2)",
    "({0})[0]", "({{1, 2}})[{0}]", "({0}).x", "({0})[\"x\"]", "{{ {0} }}[0]", "[ y = {0} ].y",
    "member({0}, {{ 1, {0} }})", "unknownFunction({0})", "isError({0}, 2)", "{0} ?: {0} ?: 1",
    "-(1 + ({0}) * 2.0)", "({0}) + (A == 1) - 1", "evalInEachContext({0}, {{ [ A = 2 ] }})", ".A",
    "parent.A", "self.A",
)  # fmt: skip


@pytest.mark.slow
def test_other_operations() -> None:
    scenes = [scene(where, (value,)) for where in SURROUNDINGS for value in VALUES]
    check((form.format(way.format("A")) for form, way in product(OTHERS, WAYS)), scenes)


@pytest.mark.parametrize("symbol", ["&&", "||"])
def test_rows_of_logic(symbol: str) -> None:
    scenes = [scene("matched", three) for three in product(LOGICAL, repeat=3)]
    forms = (
        "{0} {3} {1} {3} {2}",
        "!{0} {3} TARGET.{1} {3} !!{2}",
        "{0} {3} ({1} {3} {2})",
        "{0} {3} {1} {3} time()",
    )
    texts = [form.format("A", "B", "C", symbol) for form in forms]
    check([*texts, f"A && B || C {symbol} A", f"A == 3 {symbol} B {symbol} C ?: 1"], scenes)


def test_nesting_that_python_has_no_room_for() -> None:
    """Python allows 20 loops within each other, of which each row of logic is one."""
    logic = choices = "B"
    for level in range(30):
        logic = f"(A {('&&', '||')[level % 2]} {logic})"
        choices = f"ifThenElse(A, {choices}, C)" if level % 2 else f"(C ? C : {choices})"
    scenes = [scene("matched", three) for three in product(LOGICAL[:6], repeat=3)]
    check([logic, choices], scenes)


@pytest.mark.parametrize("surroundings", SURROUNDINGS)
def test_a_value_stays_when_the_expression_is_written_as_a_whole(surroundings: str) -> None:
    texts = ("A + Ae * 2 > 5", "MY.A + 1", "TARGET.A + 1", "A && Ae && TARGET.A", "Outer.Ae + Ae")
    my, target = scene(surroundings, ("3",))
    for text in texts:
        tree = ExprTree(text)
        values = {_shown(*evaluate_full(tree, my, target)) for _ in range(2 * HOT + 10)}
        left = None if target is None else my
        assert values == {_shown(*evaluate_exactly(tree, my, left, target, NO_CONTEXT))}, text


def test_operands_are_evaluated_from_left_to_right() -> None:
    holder = ad("[A = random(1000000); B = random(1000000); N = [C = B]]")
    for text in (
        "A - N.C",
        "A - B",
        "A < N.C",
        "(A - B) * N.C",
        "A - (B - A)",
        "strcat(A, B, N.C)",
    ):
        wanted = evaluate_exactly(ExprTree(text), holder, None, None, EvalContext(seed=5))
        for way, tree in forms(text):
            assert evaluate_full(tree, holder, context=EvalContext(seed=5)) == wanted, (text, way)
