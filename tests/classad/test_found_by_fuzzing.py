"""What comparing millions of random expressions with the real library brought to light."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.analysis.flatten import flatten
from classad.binding.python_values import to_python
from classad.evaluate import EvalContext, evaluate, evaluate_exactly, evaluate_full
from classad.formats.unparse import unparse, unparse_value
from fuzz.language import CONTEXT, written_whole
from tests.cases import every_case

#: Expression and its value in MY, printed in new syntax; "fails": the whole evaluation does.
IN_MY = """[
  A0 = 9; q = 8; m = 7; u = q; A5 = [A0 = 5; z = A0; w = m; n = [y = A0; k = m; t = z]]; A1 = 3;
  n = [x = 5; l = {[d = 1]}; v = evalInEachContext(A1, l); w = evalInEachContext(u, l); u = x];
  R = {[x = [y = z + b]; q = u], 2}; C = [
    B = {(true ? [] : [])}; L = {(true ? {(true ? [] : [])} : 1)}; y = 7; e = (true ? [a = y] : 1).a
  ]; k = [x = 2; h = .x]; P = {[z = [p = 4]]};
  S = ([Year = 2020]).x; F = absTime(5, -1)
]"""
SEEN = [
    ("quantize(7, 1e-8)", "7"),
    ("quantize(7, 1.25e-7)", "7.000000000000000E+00"),
    ("quantize(-7, 1e-300)", "-7"),
    ("quantize(7.3, 3e-10)", "7.300000000000000E+00"),
    ('"a" ? F : 1', "fails"),
    ("{} ? 1 : F", "fails"),
    ("error ? 1 : F", "error"),
    ("undefined ? F : F", "undefined"),
    ('ifThenElse("a", 1, F)', "error"),
    ("error && F", "error"),
    ("error || F", "error"),
    ("true && {} && F", "error"),
    ("false || {} || F", "error"),
    ("{} && F", "fails"),
    ("{} || F", "fails"),
    ("undefined && F", "fails"),
    ("undefined || F", "fails"),
    ("allCompare(undefined, F, 2)", "undefined"),
    ('allCompare("<", undefined, F)', "undefined"),
    ('anyCompare("<", 7, F)', "error"),
    ('anyCompare("zz", {1}, F)', "error"),
    ('anyCompare("<", {1}, F)', "fails"),
    ("evalInEachContext(S, {[x = 1]})", "{ undefined }"),
    ("countMatches(S, {[x = 1]})", "0"),
    ("evalInEachContext(A5.z, {[x = 1]})", "{ 9 }"),
    ("evalInEachContext(A5.w, {[x = 1]})", "{ 7 }"),
    ("evalInEachContext([q = 1; r = q].r, {[x = 1]})", "{ 8 }"),
    ("evalInEachContext(A5.n.y, {[x = 1]})", "{ 9 }"),
    ("evalInEachContext(A5.n.t, {[x = 1]})", "{ undefined }"),
    ("evalInEachContext(n.u, {[y = 1]})", "{ undefined }"),
    ("evalInEachContext(n.u, n.l)", "{ 5 }"),
    ("n.v", "undefined"),
    ("n.w", "{ 5 }"),
    ("evalInEachContext({m}[0], {[x = 1]})", "{ 7 }"),
    ("evalInEachContext(sum({m}), {[m = 2]})", "{ 2 }"),
    # Case counts for nothing, and what stands between Z and a stands before either.
    ('"_" < "a"', "true"),
    ('"_" < "A"', "true"),
    ('"_" < "0"', "false"),
    ("sum(evalInEachContext(relTime(-1.5), {[x = 1]}))", "-1.000000000000000E+00"),
    ("isReal({[x = relTime(1.5)]}.x[0])", "true"),
    ("isRelTime({relTime(1.5)}[0])", "true"),
    ("evalInEachContext(relTime(3e9), {[x = 1]})[0]", "-2.147483648000000E+09"),
    ('anyCompare("<", evalInEachContext(relTime(5), {[x = 1], undefined}), 2)', "false"),
    ('listToArgs({"", "", "b", "", "c", ""}, 1)', '"b  c "'),
    ('listToArgs({"", ""}, 1)', '""'),
    # What is selected from a list are the values of its members.
    ("unresolved(R.x)", '"b,z"'),
    ('unresolved(R.x, "z")', "true"),
    ("unresolved(F.x)", "undefined"),
    ("evalInEachContext(R.q, {[R = {[q = 3]}]})", "{ { 8,error } }"),
    ("evalInEachContext(F.x, {[x = 1], [F = [x = 4]]})", "{ error,4 }"),
    # Ads and lists belong to the ad in which the list around them stands.
    ("(C.B).y", "{ 7 }"),
    ("sum(C.B.y)", "7"),
    ("C.L.y", "{ { 7 } }"),
    ("(C.L[0]).y", "{ 7 }"),
    ("evalInEachContext(y + 1, C.B)", "{ 8 }"),
    ("countMatches(y == 7, C.B)", "1"),
    ("[y = {(true ? [w = m] : 1)}].y.w", "{ 7 }"),
    ("evalInEachContext([a = m].a + x, {[x = 1; m = 2]})", "{ 8 }"),
    ("evalInEachContext(C.e, {[x = 1; y = 3]})", "{ 7 }"),
    ("evalInEachContext(K[0].w, {[K = {(true ? [] : 1)}; w = 1]})", "{ 1 }"),
    # A copy of an ad stands alone, and is an ad like others for what is evaluated in it.
    ('evalInEachContext(1 + .x, {MY["k"]})', "{ 3 }"),
    ('evalInEachContext(1 + self.x, {MY["k"]})', "{ 3 }"),
    ('evalInEachContext(1 + root.x, {MY["k"]})', "{ 3 }"),
    ('evalInEachContext(0 + h, {MY["k"]})', "{ 2 }"),
    ('MY["k"]["h"]', "2"),
    ('MY["k"].h', "undefined"),
    ('k["h"]', "undefined"),
    ("evalInEachContext(1 + .p, (P).z)", "{ 5 }"),
    ("error ?: 1", "error"),
    ("undefined ?: 1", "1"),
]


#: MY, TARGET and the value of ``n.v``: an ad in a list has the partner of the ad right around it.
IN_A_MATCH = [
    ("A1 = zz; l = {[d = 1]}; n = [v = evalInEachContext(A1, l)]", "zz = 3", "{ 3 }"),
    ("A1 = zz; n = [l = {[d = 1]}; v = evalInEachContext(A1, n.l)]", "zz = 3", "{ undefined }"),
    ("A1 = zz; n = [l = {[d = 1]}; v = evalInEachContext(A1, l)]", "zz = 3", "undefined"),
    ("A1 = zz; l = {[d = 1]}; n = [zz = 7; v = evalInEachContext(A1, l)]", "", "{ undefined }"),
    ("A1 = zz; n = [zz = 7; v = evalInEachContext(A1, {[d = 1]})]", "", "{ 7 }"),
    ("l = {[d = 1]}; n = [v = evalInEachContext(TARGET.A1, l)]", "zz = 3; A1 = zz", "{ 3 }"),
    ("n = [v = evalInEachContext(TARGET.A1, TARGET.l)]", "zz = 3; A1 = zz", "undefined"),
    ("zz = 8; n = [v = evalInEachContext(A1, {[d = 1]})]", "A1 = d + zz", "{ undefined }"),
    ("n = [v = evalInEachContext(A1, {[d = 1]})]", "A1 = d + zz; zz = 3", "{ undefined }"),
    ('A1 = zz; n = [zz = 7; v = evalInEachContext(A1, eval("{[d = 1]}"))]', "", "{ undefined }"),
    ('n = [v = evalInEachContext(A1, eval("{[d = 1]}"))]', "A1 = MY.zz; zz = 3", "{ 3 }"),
    ("A1 = zz; n = [v = evalInEachContext(A1, {MY, parent, root})]", "zz = 3", "{ 3,3,undefined }"),
]


@pytest.mark.parametrize(("my", "target", "value"), IN_A_MATCH)
def test_ads_in_lists_have_the_partner_of_what_is_around_them(
    my: str, target: str, value: str
) -> None:
    ads = ClassAd(f"[{my}]"), ClassAd(f"[{target}]")
    exact = evaluate_exactly(ExprTree("n.v"), ads[0], *ads, CONTEXT)
    for found, ok in (exact, evaluate_full("n.v", *ads, context=CONTEXT)):
        assert (unparse_value(found), ok) == (value, True)


@pytest.mark.live
@pytest.mark.parametrize(("my", "target", "value"), IN_A_MATCH)
def test_the_real_library_gives_them_that_partner(my: str, target: str, value: str) -> None:
    from classad.strategies.texts import Case
    from fuzz.language import ours_of, peer

    pytest.importorskip("classad2")
    case = Case("n.v", f"[{my}]", f"[{target}]")
    assert peer().answer(*case) == ours_of(case)


@every_case("expression, value", SEEN, name=lambda case: case[0])
def test_value_by_every_evaluator(expression: str, value: str) -> None:
    my = evaluate(IN_MY)
    exact = evaluate_exactly(ExprTree(expression), my, None, None, CONTEXT)
    closures = evaluate_full(ExprTree(expression), my, context=CONTEXT)
    tree = ExprTree(expression)
    assert written_whole(tree)
    for found, ok in (exact, closures, evaluate_full(tree, my, context=CONTEXT)):
        assert (unparse_value(found) if ok else "fails") == value


@pytest.mark.live
@every_case("expression, value", SEEN, name=lambda case: case[0])
def test_the_real_library_says_so(expression: str, value: str) -> None:
    from classad.strategies.texts import Case
    from fuzz.language import ours_of, peer

    pytest.importorskip("classad2")
    case = Case(expression, IN_MY)
    assert peer().answer(*case) == ours_of(case)


def test_ads_in_a_chained_parent_stay_there_for_every_evaluator() -> None:
    parent, child = ClassAd("[a = 1; v = [x = parent.a].x + a]"), ClassAd("[a = 20]")
    child.chain(parent)
    tree = ExprTree("v + [x = parent.a].x")
    exact = evaluate_exactly(tree, child, None, None, CONTEXT)
    assert exact == evaluate_full(tree, child, context=CONTEXT) == (41, True)


def test_relative_times_in_lists_made_of_values() -> None:
    """They become literals: what was D-107."""
    value: Any = evaluate("evalInEachContext(relTime(-1.5), {[x = 1]})", context=EvalContext(now=0))
    assert to_python(value) == [-1.0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [("countMatches(x > 1, {})", "0"), ("evalInEachContext(x, {})", "{{ error,error }}")],
)
def test_visiting_a_list_that_a_function_made(expression: str, value: str) -> None:
    """D-307."""
    my = ClassAd('[l = split("a b"); m = {"a", "b"}]')
    for name in ("l", "m", 'split("a b")'):
        text = expression.replace("{}", name)
        assert unparse_value(evaluate(text, my)) == value.replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("-90071992547", "? -6 -885-09-26 269"),
        ("-84234544550", "? -6 -700-09-18 262"),
        ("-62135596801", "Mon 1 0-12-31 366"),
        ("9007199254740990", "Wed 3 285428751-11-12 316"),
        ("[Year = 2; Month = 4; Day = -48]", "Mon 1 2-04--48 042"),
        ("[Year = 449678029; Month = 15; Day = -40]", "Wed 3 449678029-15--40 386"),
    ],
)
def test_days_of_week_and_year_of_times_far_away(time: str, text: str) -> None:
    assert evaluate(f'formatTime({time}, "%a %w %Y-%m-%d %j")') == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("L =?= {}", "L is { }"),
        ("(true ? L : X) =?= {}", "L is { }"),
        ("X isnt split(S)", "X isnt split(S)"),
        ("{L, S} =?= {}", '{ L,"a b" } is { }'),
        ("member(X, L)", "member(X,L)"),
        ("(T ?: L) =?= X", "(T ?: L) is X"),
        ("L[X]", "L[X]"),
        ("size(L)", None),
        ("L =?= 5", None),
    ],
)
def test_flattening_around_a_list_that_a_function_made(text: str, left: str | None) -> None:
    """D-309."""
    ad, other = ClassAd('[L = split(S); S = "a b"; T = undefined]'), ClassAd("[X = 1]")
    flat = flatten(ad, text)
    shown = None if flat.tree is None else " ".join(unparse(flat.tree).split())
    assert shown == left
    for match in (other, ClassAd()):
        value = evaluate(ExprTree(text), ad, match)
        again = flat.value if flat.tree is None else evaluate(flat.tree, ad, match)
        assert (type(again), repr(again)) == (type(value), repr(value))
    # Where attributes are written out, so is the list.
    inlined = flatten(ad, "X is L", inline=True).tree
    assert " ".join(unparse(inlined).split()) == 'X is { "a","b" }'
