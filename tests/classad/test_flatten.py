"""Flattening: what is known becomes a value, the rest is left, as the real library does it."""

from __future__ import annotations

from types import ModuleType

import pytest

import classad
from tests.cases import every_case

#: Ad, expression, what is left of it.
ROWS = [
    # references
    ("[l = {[x = 1], [x = 2]}]", "l.x", "l.x"),
    ("[x = 2]", ".x + y", "2 + y"),
    ("[x = 2; d = [q = x]]", "d.q + 1", "3"),
    ("[x = 5]", "x.y", "error"),
    ("[d = [a = 1]]", "d", "d"),
    ("[x = y]", "x", "x"),
    # lists, ads and calls
    ("[l = {1, 2}]", "l[1]", "l[1]"),
    ("[l = {1, 2}]", "l[y]", "l[y]"),
    ("[x = 5]", "x[1]", "error"),
    ("[x = 5]", "z[1] + undefined[1]", "undefined + z[1]"),
    ("[x = 5]", '"abc"[x - 4] + y', "error + y"),
    ("[x = 5]", "x[y]", "5[y]"),
    ("[x = 1]", "[a = 1; b = a + y]", "[a = 1; b = 1 + y]"),
    ("[x = 1]", "[b = .x]", "[b = 1]"),
    # an ad that no attribute holds has no ad around it, one that an attribute holds has
    ("[x = 1]", "[b = x]", "[b = x]"),
    ("[x = 1]", "[b = MY.x; c = 1 + 1]", "[b = MY.x; c = 2]"),
    ("[x = 1]", "{[b = x], x}", "{[b = x], 1}"),
    ("[x = 1]", "[b = [c = x]]", "[b = [c = x]]"),
    ("[x = 1]", "[x = 7; b = [c = x]]", "[x = 7; b = [c = 7]]"),
    ("[x = 1]", "x + [b = x].b", "1 + [b = x].b"),
    ("[x = 1]", "{[b = x]}[0].b", "{[b = x]}[0].b"),
    ("[x = 1]", "ifThenElse(true, [b = x], 1).b", "ifThenElse(true, [b = x], 1).b"),
    ("[x = 1]", "([b = .x]).b", "1"),
    ("[x = 1; f = [b = x].b]", "f", "1"),
    ("[x = 1; g = [b = x]]", "g.b + [b = x].b", "1 + [b = x].b"),
    ("[x = 2]", "size({x, y})", "size({2, y})"),
    ("[x = 2]", 'strcat("a", x)', '"a2"'),
    ("[x = 1]", "nosuch(x)", "error"),
    # operators
    ("[x = 1]", "-x", "-1"),
    ("[x = 1]", "!y", "!y"),
    ("[x = 2]", "(x)", "2"),
    ("[x = 2]", "(y)", "(y)"),
    ('[x = "a"]', "x ? 1 : 2", "error"),
    ("[x = 1]", "y ? x : x + 1", "y ? 1 : 2"),
    ("[x = undefined]", "x ? y : 2", "x ? y : 2"),
    ("[x = true]", "x ? y : 2", "y"),
    ("[x = 2]", "x =?= y", "2 is y"),
    ("[x = 2]", "y - x - 1", "y - 2 - 1"),
    ("[x = 2]", "y + z", "y + z"),
    ("[x = 2]", "x + 1 + y", "3 + y"),
    ("[x = 2]", "(x + y) + (y * x)", "(2 + y) + (2 * y)"),
    ("[x = 2]", "(x * y) + (z | x)", "(2 * y) + (2 | z)"),
    ("[x = 2]", "1 + x + 2 * y", "3 + 2 * y"),
    ("[x = 2]", "x || y", "true"),
    ("[x = 2]", "y && x", "y"),
    ("[x = false]", "x || y", "false || y"),
    ("[x = false]", "y && x", "false"),
    ('[x = "s"]', "x && y", '"s" && y'),
]


def flattened(module: ModuleType, ad: str, text: str) -> classad.ExprTree:
    """What a library leaves, as an expression of ours."""
    flat = module.ClassAd(ad).flatten(module.ExprTree(text))
    if isinstance(flat, module.Value):
        return classad.ExprTree(flat.name)
    return classad.ExprTree(module.quote(flat) if isinstance(flat, str) else str(flat))


@every_case("ad, text, left", ROWS)
def test_what_is_left(ad: str, text: str, left: str) -> None:
    assert flattened(classad, ad, text).sameAs(classad.ExprTree(left))


@pytest.mark.live
@every_case("ad, text, left", ROWS)
def test_the_real_library_leaves_the_same(ad: str, text: str, left: str) -> None:
    theirs = pytest.importorskip("classad2")
    assert flattened(theirs, ad, text).sameAs(classad.ExprTree(left))
