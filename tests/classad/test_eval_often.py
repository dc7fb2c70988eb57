"""An expression has the same value however often, and for whomever in between, it is evaluated.

After some hundred evaluations the closures of an expression are replaced by generated Python.  Here
expressions are evaluated long enough for that, in ads of very different kinds one after the other:
alone and with a partner, nested, chained to a parent, with names that stand for something else
than usual.  The reference evaluator says what each answer has to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree, Value, evaluate_many
from classad.ads.ad import Ad
from classad.binding.python_values import to_python
from classad.evaluate import evaluate
from classad.evaluation.functions import ANYTHING, EAGER, LAZY, Builtin, Laziness
from classad.evaluation.state import EvalState
from classad.language.values import ClassAdValue
from classad.match import half_match
from fuzz.one_by_one import CONTEXT, accepts, shown, value_of

#: Evaluations after which every form of an expression has served.
OFTEN = 1100
Pair = tuple[ClassAd, ClassAd | None]

#: Ads that differ in what they have for the names that expressions mention.
PLAIN = '[a = 1; b = 2.5; c = "x"; d = true; u = undefined]'
NESTED = (
    '[a = 3; b = a + 1; s = "X"; inner = [a = b * 2; c = s; n = 7; deep = [b = a + n; x = c];'
    ' s = "É"; k = "k"; w = sum({a, 1}); v = join("+", {a, b})]; l = {a, inner, 5};'
    ' d = inner.a > 7; x = inner.deep.b; e = error; k = "K"; w = max({a, b}); v = "+"]'
)
CIRCLES = "[a = b + 1; b = c ?: 4; c = a; d = d || true; x = MY.x; inner = [a = a; b = x; c = .b]]"
ERRORS = '[a = error; b = 1 / 0; c = a ?: 1; d = "no"; x = nosuch(1); inner = error; l = 5]'
LARGE = (
    "[a = 9223372036854775807; b = -a; c = 9007199254740993; d = 1e308; n = 1073741824;"
    " x = c + 0.0; inner = [a = a + 1; b = d * 10]]"
)
MISLEADING = (
    "[a = 11; b = MY.a; my = [a = 77; c = 78; x = b]; target = [a = 99; t = 98; x = a];"
    " inner = [b = TARGET.t; c = MY.a; a = 5]]"
)
TEXTS = '[a = "A"; b = "a"; c = strcat(a, b); d = a == b; x = a =?= b; inner = [a = c; s = "é"]]'
#: Reals and whole numbers that are one double, letters that are one only for some.
ALIKE = (
    '[a = 9007199254740992.0; x = 9007199254740992.0; c = 9007199254740993; b = 2.5; s = "é";'
    " n = 1073741824; d = true; u = undefined; e = error]",
    '[a = 9007199254740993; x = 9007199254740993.0; b = "É"; s = "É"; c = 9.3e18; n = 1073741825]',
    '[a = true; x = 1; b = 1.0; s = "\u212a"; c = "K"; n = 1073741823; d = 1; l = {1}]',
)
PARTNERS = (
    '[t = 4; a = 40; x = TARGET.a + 1; r = TARGET.inner.a; e = error; s = "x"]',
    "[t = TARGET.t; a = b; b = TARGET.b; inner = [t = 6; x = a; a = TARGET.x]; target = 5]",
    "[]",
)


def _chained(child: str, *parents: str) -> ClassAd:
    """An ad chained to a parent, which is chained to its own."""
    ad = ClassAd(child)
    if parents:
        ad.chain(_chained(*parents))
    return ad


def _inner(ad: ClassAd) -> ClassAd:
    """The nested ad as users see one, with the same ad around it."""
    inner = ad.raw("inner")
    assert isinstance(inner, Ad)
    seen = ClassAd.copy_of(inner)
    seen._parent = inner._parent
    return seen


def family() -> list[Pair]:
    """Ads and partners in which one expression leads to very different places."""
    ads = [ClassAd(text) for text in (PLAIN, NESTED, CIRCLES, ERRORS, LARGE, MISLEADING, TEXTS)]
    plain, nested, circles, errors, _, misleading, _ = ads
    one, other, empty = map(ClassAd, PARTNERS)
    chained = [
        _chained("[c = a + 1; x = b]", NESTED),
        _chained("[a = 8; n = MY.d]", "[b = a; inner = [a = b; c = TARGET.t]]", NESTED),
        _chained("[x = 1]", MISLEADING),
        _chained("[inner = [b = a; d = l]; t = MY.inner.b]", CIRCLES),
    ]
    ads += map(ClassAd, ALIKE)
    pairs: list[Pair] = [(ad, None) for ad in (*ads, *chained)]
    pairs += [(ad, partner) for ad in (*ads, *chained) for partner in (one, other)]
    pairs += [(_inner(ad), None) for ad in (nested, circles, misleading, *chained[:2])]
    pairs += [(_inner(ad), one) for ad in (nested, circles, misleading, *chained[:2])]
    pairs += [(_inner(nested), plain), (plain, _inner(nested)), (chained[0], _inner(misleading))]
    pairs += [(_inner(_inner_of(nested, "inner")), None), (one, chained[1]), (other, chained[2])]
    pairs += [(empty, one), (one, empty), (empty, None), (nested, circles), (circles, nested)]
    pairs += [(plain, misleading), (misleading, nested), (errors, one), (one, errors)]
    pairs += [(plain, chained[0]), (chained[0], chained[1]), (chained[3], other), (one, one)]
    return pairs


def _inner_of(ad: ClassAd, name: str) -> ClassAd:
    """A nested ad whose own nested ad is called otherwise, under the usual name."""
    inner = ad.raw(name)
    assert isinstance(inner, Ad)
    holder = ClassAd()
    holder["inner"] = inner.raw("deep")
    return holder


NAMES = ("a", "b", "c", "d", "x", "n", "s", "t", "u", "l", "inner", "nosuch")
SCOPES = ("", "", "", "MY.", "TARGET.", "inner.", "TARGET.inner.", "parent.", "inner.deep.")
LITERALS = ("1", "2.5", '"x"', '"É"', "true", "false", "undefined", "error", "4", "1073741823")
CALLS = (
    "isUndefined({0})", "isError({0})", "ifThenElse({0}, {1}, {2})", "strcat({0}, {1})",
    "size({0})", "int({0})", "member({0}, l)", "isInteger({0})", 'eval("b")', "unparse(b)",
    "countMatches(a > 1, l)", "evalInEachContext(b, l)[0]", "round({0})", "join(s, {0}, {1})",
)  # fmt: skip
OPERATORS = (
    "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "=?=", "=!=", "&&", "||", "&&", "||",
    "?:", "&", "|", "^", "<<", ">>",
)  # fmt: skip
FORMS = ("{{{0}, {1}}}[0]", "[z = {0}; a = 6].z", "[a = {0}].a", '[z = {0}]["z"]', "{{{0}}}.a")


def expression(rng: Random, depth: int) -> str:
    """A random expression."""
    if depth <= 0 or rng.random() < 0.15:
        if rng.random() < 0.75:
            return rng.choice(SCOPES) + rng.choice(NAMES)
        return rng.choice(LITERALS)
    parts = [expression(rng, depth - 1) for _ in range(3)]
    dice = rng.randrange(20)
    if dice < 12:
        return f"({parts[0]} {rng.choice(OPERATORS)} {parts[1]})"
    if dice < 13:
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"
    if dice < 15:
        return f"({rng.choice('!-+~')}({parts[0]}))"
    if dice < 18:
        return rng.choice(CALLS).format(*parts)
    return rng.choice(FORMS).format(*parts)


#: Names with a meaning of their own, names below others, calls that evaluate members elsewhere, and
#: operands that the generated forms have a way of their own for.
SPECIAL = (
    "self.a", "MY.self.b", "TARGET.self.a", "parent.a", "parent.parent.b", "MY.parent.a", "root.a",
    "toplevel.b", "MY.toplevel.a", ".a", ".inner.a", ".MY.a", ".target.a", "inner.MY.a", "my.MY.a",
    "inner.target.t", "TARGET.TARGET.a", "LEFT.a", "RIGHT.t", "other.t", "lctx.a", "MY.inner.MY.a",
    "CurrentTime > 5", "MY.CurrentTime - a", "symmetricMatch", "isClassAd(my)", "isClassAd(target)",
    "isClassAd(self)", "isClassAd(parent)", "isClassAd(MY.my)", "isClassAd(other)", "my.a", "adhoc",
    "max({a, b}) + max({inner.w, a})", "member(inner.w, {a, 2})", "w + inner.w", "inner.v", "v",
    "member(a, {inner.w, 40})", "strcat(inner.v, a, {a}[0])", "sum({inner.w, a, TARGET.w})",
    "anyCompare(\"<\", {a, inner.w}, b)", "join(inner.v, {a, TARGET.w})", "min(TARGET.w, {a})",
    "identicalMember(TARGET.w, {a, inner.a, b})", "stringListMember(s, c, inner.v)", "size()",
    "size(a, b)", "isError()", "isUndefined(a, b)", "isError(e)", "isError(nosuch(1))",
    "ifThenElse(a)", "ifThenElse(s, a, time())", "ifThenElse(e, a, b)", "(s ? a : time())",
    "(s ? time() : b)", "(e ? a : time())", "(u ? a : b)", "!a", "!s", "!(a > b)", "-s", "!u", "!e",
    "e ?: 1", "u ?: e", "a && e && b", "d && s && e", "d && u && e && a", "d || s || e", "u || e",
    "u || d || s", "u && s && false", "1 && 2.5 && s", "0 || b", "d && a > 0 && b", "e || d",
    "(a > 0) + (b > 0)", "(a =?= 1) + 1", "(a > 0) + a", "a * a", "n * n", "c * c + b", "d * 10",
    "d + d", "-d - d", "c + 1 > 9007199254740992.0", "c == 9007199254740992.0", "x == c",
    "c > 9007199254740993", "x < 9007199254740993", "x >= 9007199254740993", "a < 9.3e18", "a > d",
    "a == 9223372036854775807.0", "s == \"x\"", "s != \"X\"", "s == \"É\"", "s < c", "c >= b",
    "n =?= 1073741824", "c =?= 9007199254740993", "c == s", "s == b", "s < b", "n + 1", "n * n",
    "a == b", "inner.s == \"É\"", "inner.s == \"K\"", "s == \"k\"", "inner.k == \"K\"",
    "a =?= 1", "a =!= 1.0", "s =?= \"x\"", "s =!= \"X\"", "a =?= true", "d =!= true", "d =?= 1",
    "true == a", "true < b", "d == d", "d < true", "1 == d", "a + true", "true + true", "\"s\" + a",
    "2.5 + a", "a + 2.5 + s", "1 + u", "u < 1", "l == l", "{1} =?= {1}", "inner.a.b",
    "[a = 5; b = a; c = MY.a; d = TARGET.a; e = parent.a].d", "[a = b; b = parent.b].a",
    "{a, [a = 9; b = a]}[1].b", "{[b = a]}[0].b", "[q = [z = a]; a = 3].q.z", "{inner}.b",
    "[my = [a = 4]; r = MY.a].r", "[target = [t = 4]; r = TARGET.t].r", "eval(\"MY.a\") + a",
    "evalInEachContext(MY.a, {inner, [a = 2]})", "evalInEachContext(b, {inner, [a = 2]})",
    "countMatches(TARGET.t > 3, {inner, [a = 2]})", "unresolved(a + nosuch)", "unparse(x)",
)  # fmt: skip


#: Operands that are no conditions, and what fails as a whole where it is evaluated at all.
NO_CONDITIONS = (
    "s && false", "s || d", "s && d && e", "l && false", "l || true", "s || true || e",
    "d && a && 2.5", "false || s || true", "isError(s ? a : absTime(1, -1))", "a && s && false",
    "isError(s ? absTime(1, -1) : a)", "isError(e ? absTime(1, -1) : a)", "e && absTime(1, -1)",
    "isError(ifThenElse(s, absTime(1, -1), a))", "isError(u ? absTime(1, -1) : a)", "d ? s : l",
    "isError(l ? 1 : absTime(1, -1))", "isError(false && absTime(1, -1))", "u || s || true",
    "isError(d && e && absTime(1, -1))", "isError(a && 0 && absTime(1, -1))",
    "isError(false || 1 || absTime(1, -1))", "isError(s && absTime(1, -1))",
    "isError(true || absTime(1, -1))", "u && s", "s ?: a",
)  # fmt: skip


def known_forms() -> Iterator[str]:
    """Each scope with each name, in operators that treat their operands differently."""
    for scope in ("", "MY.", "TARGET.", "inner.", "parent."):
        for name in ("a", "b", "x", "t", "nosuch"):
            yield f"{scope}{name} + 1"
            yield f"{scope}{name} =?= undefined"
            yield f"{scope}{name} > a && d"
            yield f"({scope}{name} ?: b) * 2 < 9 || {scope}{name} == s"
    yield from SPECIAL
    yield from NO_CONDITIONS


def is_kept(text: str, pairs: list[Pair]) -> None:
    """Evaluate an expression in all pairs in turn, again and again."""
    tree = ExprTree(text)
    wanted = [shown(value_of(tree, my, target, CONTEXT)) for my, target in pairs]
    rounds = OFTEN // len(pairs) + 1
    for turn in range(rounds):
        found = [evaluate(tree, my, target, context=CONTEXT) for my, target in pairs]
        if turn % 8 == 0 or turn > rounds - 3:
            for (my, target), value, right in zip(pairs, found, wanted, strict=True):
                assert shown(value) == right, (turn, text, str(my), str(target))


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return [(my, target) for my, target in family() if my is not target]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_each_scope_in_each_ad(part: int, pairs: list[Pair]) -> None:
    for number, text in enumerate(known_forms()):
        if number % 4 == part:
            is_kept(text, pairs)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_expressions(seed: int, pairs: list[Pair]) -> None:
    rng = Random(seed)
    for _ in range(10):
        is_kept(expression(rng, rng.choice((2, 3))), rng.sample(pairs, 24))


def test_operands_are_evaluated_from_left_to_right() -> None:
    """Random numbers are drawn in the order of the operands, however an expression is evaluated."""
    ads = [ClassAd("[r = random(9); a = r * 2; l = {random(9), r}]"), ClassAd("[r = 4; a = 1]")]
    for text in (
        "r - random(100) * 2", "r < random(10)", "random(9) + r", "r == (random(3) ?: a)", "r + a",
        "r =?= random(4) + a", "strcat(r, random(9), a)", "(r > 3) + (random(9) > 4) * 2 + a",
        "r && random(2) && a", "max({random(9), r}) - a", "(r > 4 ? random(9) : a) - r", "a % -r",
        "l[0] - a * 10 + l[1] * 100", "r - (a - (r * 100 + random(1000)))",
    ):  # fmt: skip
        tree = ExprTree(text)
        for turn in range(OFTEN // 2):
            for ad in ads:
                found = evaluate(tree, ad, context=EvalContext(seed=turn))
                if turn % 50 == 0 or turn > OFTEN // 2 - 8:
                    assert shown(found) == shown(value_of(tree, ad, None, EvalContext(seed=turn)))


@pytest.mark.parametrize("seed", range(20, 24))
def test_attributes_that_are_asked_for_by_name(seed: int) -> None:
    """Attributes of fresh ads become hot themselves, through others and by their names."""
    rng = Random(seed)
    pairs = [pair for pair in family() if pair[0] is not pair[1]]
    for ad in {id(my): my for my, _ in pairs}.values():
        for name in rng.sample(NAMES[:9], 3):
            if name not in ad:
                ad[name] = ExprTree(expression(rng, 1))
    for text in ("x", "inner.b", "a + b", "MY.c ?: TARGET.x", "[q = b; b = a].q", "c", "s == d"):
        is_kept(text, pairs)


def test_values_as_the_interface_gives_them(pairs: list[Pair]) -> None:
    alone = [(my, target) for my, target in pairs if target is None and my._parent is None]
    for text in ("a + b", "inner.a", "x", "d || c", "{a, b}[1]", "MY.b * 2 > a", "inner.deep.b"):
        tree = ExprTree(text)
        wanted = [repr(to_python(value_of(tree, my, None))) for my, _ in alone]
        for turn in range(OFTEN // len(alone)):
            found = [tree.eval(my) for my, _ in alone]
            many = evaluate_many(tree, [my for my, _ in alone], context=CONTEXT)
            if turn % 20 == 0 or turn > 98:
                assert list(map(repr, found)) == wanted, text
                assert list(map(repr, many)) == wanted, text


@pytest.mark.parametrize(
    "requirements",
    [
        "TARGET.a > 3 && b isnt undefined",
        "inner.a < TARGET.t || x",
        "MY.a =?= TARGET.x || TARGET.inner.a > 1",
        "t > 3 && (a ?: 5) >= 1",
        "d && s == TARGET.s",
        "a",
    ],
)
def test_requirements(requirements: str) -> None:
    pairs = [(my, target) for my, target in family() if target is not None and my is not target]
    for my in {id(my): my for my, _ in pairs}.values():
        my["Requirements"] = ExprTree(requirements)
    wanted = [accepts(my, target) for my, target in pairs if target is not None]
    for turn in range(OFTEN // 4):
        found = [half_match(my, target, CONTEXT) for my, target in pairs if target is not None]
        assert found == wanted, turn


def test_one_text_in_ads_of_their_own() -> None:
    """Each ad has an expression object of its own, and partners come and go."""
    ads = [ClassAd(f"[a = {n}; r = TARGET.t + a + (inner.b ?: 1); inner = [b = a + {n}]]")
           for n in range(4)]  # fmt: skip
    partners = [ClassAd(f"[t = {n}; x = TARGET.r * 2]") for n in range(3)]
    for _ in range(OFTEN // 2):
        for n, ad in enumerate(ads):
            for t, partner in enumerate(partners):
                value: Any = evaluate("TARGET.x", ad, partner)
                assert value == 2 * (t + n + n + n)


@pytest.mark.parametrize("laziness", [EAGER, LAZY])
def test_functions_of_the_context_see_the_ad_of_their_call(laziness: Laziness) -> None:
    """An argument that called a function in another ad leaves no trace behind."""

    def impl(state: EvalState, *values: Any) -> ClassAdValue:
        if laziness is LAZY:
            values = tuple([value() for value in values])
        assert state.ad is not None
        return f"{state.ad._attrs['name']}({', '.join(map(str, values))})"

    whose = Builtin("whose", "test", 0, None, laziness, ANYTHING, "", "", (), impl)
    context = EvalContext(now=1.0, functions={"whose": whose})
    my = ClassAd('[name = "my"; a = whose(TARGET.b, whose(), n); n = 1]')
    target = ClassAd('[name = "target"; b = whose(TARGET.n)]')
    for text, wanted in (("a", "my(target(1), my(), 1)"), ("whose(TARGET.b)", "my(target(1))")):
        tree = ExprTree(text)
        assert value_of(tree, my, target, context) == wanted
        for _ in range(OFTEN):
            assert evaluate(tree, my, target, context=context) == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("L.b", [7, 3]),
        ("{Inner, [b = 3]}.b", [7, 3]),
        ("{b, [b = 3]}.b", [Value.Error, 3]),
        ("{{Inner}}.b", [[7]]),
    ],
)
def test_what_is_selected_from_each_member_of_a_list(text: str, value: object) -> None:
    """As classad2 25.14.1 says."""
    ad, tree = ClassAd("[Inner = [a = 1; b = 7]; L = {Inner, [b = 3]}; b = 9]"), ExprTree(text)
    for _ in range(3):
        assert tree.eval(ad) == value
