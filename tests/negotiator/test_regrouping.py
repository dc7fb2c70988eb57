"""For which ads flattening is said to matter, expression by expression and value by value."""

from __future__ import annotations

from random import Random

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext, as_tree
from negotiator.expressions.flattening import Flattener
from negotiator.expressions.regrouping import Level, regrouping_of
from tests.cases import every_case

CONTEXT = EvalContext(now=0.0, rng=Random(0))
#: What the ad has for K: the columns of the table below; None: nothing.
VALUES = (
    "true", "false", "2", "0", '"text"', "undefined", "error", None, "TARGET.X", "random(5) > 9",
)  # fmt: skip


@every_case(
    "requirements, tested, read",
    [
        # Ads for which it matters where requirements are only tested, and where they are read as
        # a value; one string if that is the same.  The last one is another value each time.
        ("TARGET.U || K", "Y-Y-Y-Y--Y", None),  # true and errors come before what is unknown
        ("K || TARGET.U", "---------Y", None),  # they come first anyhow
        ("TARGET.U && K", "---------Y", "YYYYY-Y--Y"),  # neither makes requirements true
        ("(TARGET.U =?= 1) || K", "----Y-Y--Y", None),  # the left side is no error
        ("TARGET.V || (TARGET.U && K)", "----Y-Y--Y", "YYYYY-Y--Y"),
        ("TARGET.V || TARGET.U || TARGET.W && K", "Y-Y-YYYYYY", "YYYYYYYYYY"),
        ("!(TARGET.U && K)", "YYYYY-Y--Y", None),
        ("(TARGET.U && K) =?= TARGET.V", "YYYYY-Y--Y", None),
        ("(TARGET.U > 1 && K) =?= TARGET.V", "YYYYY-Y--Y", None),
        ("K =?= TARGET.U", "---------Y", None),
        ("TARGET.U + K > 5", "---------Y", None),
        ("1 + TARGET.U + K > 5", "YYYYYYYYYY", None),  # values are gathered
        ('unparse(K) == "K"', "YYYYYYY-YY", None),
        ("countMatches(x > K, TARGET.Ads) > 0", "YYYYYYY-YY", None),
        # It matters whether there is a K, and what an expression leads to.
        ("countMatches(K, TARGET.Ads) > 0", "-------YYY", None),
        ("countMatches(TARGET.W, MY.Ads) > 0", "YYYYYYYYYY", None),
        ("countMatches(x > TARGET.W, MY.Ads) > 0", "YYYYYYYYYY", None),
        ('eval("K")', "YYYYYYYYYY", None),
        # L is K && TARGET.W.
        ("L && TARGET.U", "---------Y", None),
        ("TARGET.U || L", "----Y-Y--Y", None),
        ("!L", "---------Y", None),
        ("L =?= TARGET.U", "Y-Y------Y", None),
        ("time() > 5", "----------", None),
        ("random(5) > 2", "YYYYYYYYYY", None),
    ],
)
def test_the_ads_for_which_it_matters(requirements: str, tested: str, read: str | None) -> None:
    for is_read, expected in ((False, tested), (True, read or tested)):
        flattener = Flattener(CONTEXT, read=is_read)
        found = ""
        for value in VALUES:
            ad = ClassAd({"L": as_tree("K && TARGET.W"), "Requirements": as_tree(requirements)})
            if value is not None:
                ad["K"] = as_tree(value)
            found += "Y" if flattener.matters(ad) else "-"
        assert found == expected


@pytest.mark.parametrize(
    ("requirements", "with_rank", "without"),
    [
        ("CurrentRank > 1", True, False),
        ("MY.CurrentRank > 1", True, False),
        ("TARGET.CurrentRank > 1", False, False),
        ("RemoteUserPrio > 1", False, False),
        ("PreemptingRank > 1", False, False),
    ],
)
def test_what_the_cycle_overwrites(requirements: str, with_rank: bool, without: bool) -> None:
    """A cycle sets ``CurrentRank`` of slots that have a ``PreemptingRank``."""
    for text, expected in (("PreemptingRank = 1;", with_rank), ("", without)):
        ad = ClassAd(f"[{text} Requirements = {requirements}]")
        assert Flattener(CONTEXT).matters(ad) is expected
    ad = ClassAd(f"[RemoteUserPrio = 2; Requirements = {requirements}]")
    assert Flattener(CONTEXT).matters(ad) is (requirements == "RemoteUserPrio > 1")


_TRUE, _LOGICAL, _WHOLE = Level.TRUE, Level.LOGICAL, Level.WHOLE


def told(text: str, level: Level) -> str:
    """The names that an expression leads to, with what of them counts, and the functions.

    The number behind them is that of the places at which ads can differ.
    """
    found = regrouping_of(ExprTree(text), level)
    assert found.read == {name for name, _ in found.names}
    names = sorted(f"{name}:{counts.name[0]}" for name, counts in found.names)
    return " ".join([*names, *sorted(found.called), str(len(found.hazards))])


@every_case("text, tested, condition, whole", [
        ("U", "u:T 0", "u:L 0", "u:W 0"),
        ("MY.U", "u:T 0", "u:L 0", "u:W 0"),
        ("self.U", "u:T 0", "u:L 0", "u:W 0"),
        ("(U)", "u:T 0", "u:L 0", "u:W 0"),
        ("U && V", "u:T v:T 0", "u:L v:L 1", "u:L v:L 3"),
        ("U && (V || W)", "u:T v:L w:T 1", "u:L v:L w:L 2", "u:L v:L w:L 3"),
        ("U || V", "u:L v:T 1", "u:L v:L 1", "u:L v:L 1"),
        ("TARGET.U || V", "v:T 1", "v:L 1", "v:L 1"),
        ("TARGET.U || V && W", "v:T w:T 1", "v:L w:L 2", "v:L w:L 2"),
        ("U || V || W", "u:L v:L w:T 2", "u:L v:L w:L 2", "u:L v:L w:L 2"),
        ("U || V || W && X", "u:L v:L w:T x:T 4", "u:L v:L w:L x:L 5", "u:L v:L w:L x:L 5"),
        ("U || V || W && TARGET.X", "u:L v:L w:T 3", "u:L v:L w:L 3", "u:L v:L w:L 3"),
        ("U || V || (W && X)", "u:L v:L w:T x:T 2", "u:L v:L w:L x:L 3", "u:L v:L w:L x:L 3"),
        ("U || V && W && X", "u:L v:T w:T x:T 1", "u:L v:L w:L x:L 3", "u:L v:L w:L x:L 3"),
        ("(U =?= 1) || V", "u:W v:T 1", "u:W v:L 1", "u:W v:L 1"),
        ("(U =?= 1) || (V is 2 && U > 3)", "u:W v:W 1", "u:W v:W 2", "u:W v:W 2"),
        ("1 || V", "v:T 1", "v:L 1", "v:L 1"),
        ("(U + V) && W", "u:W v:W w:T 0", "u:W v:W w:L 1", "u:W v:W w:L 3"),
        ("U || V + 1", "u:L v:W 2", "u:L v:W 2", "u:L v:W 2"),
        ("isUndefined(U) || V", "u:W v:T isundefined 1", "u:W v:L isundefined 1",
         "u:W v:L isundefined 1"),
    ])  # fmt: skip
def test_what_of_a_value_counts(text: str, tested: str, condition: str, whole: str) -> None:
    levels = (_TRUE, _LOGICAL, _WHOLE)
    assert [told(text, level) for level in levels] == [tested, condition, whole]


def test_a_sum_among_conjuncts_of_which_the_truth_counts() -> None:
    found = [told("U + 1 && V", level) for level in (_TRUE, _LOGICAL, _WHOLE)]
    assert found == ["u:W v:T 1", "u:W v:L 2", "u:W v:L 4"]


@every_case(
    "text, always",
    [
        ("TARGET.U", "0"),
        ("Other.U", "0"),
        ("Box.U", "box:W 0"),
        ("MY.Box.U", "box:W 0"),
        ("TARGET.Box.U", "0"),
        ("!U", "u:L 0"),
        ("-U", "u:W 0"),
        ("U > 1", "u:W 0"),
        ("U ? V : W", "u:W v:W w:W 0"),
        ("!(U && V)", "u:L v:L 1"),
        ("(U && V) =?= W", "u:L v:L w:W 3"),
        ("(U && V > 1) =?= W", "u:L v:W w:W 2"),  # what is left is a condition again
        ("(!U && V) =?= W", "u:L v:L w:W 2"),
        ("(U && (V || X)) =?= W", "u:L v:L w:W x:L 3"),
        ("(U && -V) =?= W", "u:L v:W w:W 3"),
        # A value that is not known comes before nothing, nor does one that is no error before
        # another.
        ("U || TARGET.V", "u:L 0"),
        ("U || (TARGET.V > 1)", "u:L 0"),
        ("U || nosuch(TARGET.V)", "u:L nosuch 1"),
        ("U || (TARGET.V && TARGET.W)", "u:L 0"),
        ("U || (TARGET.V ? W : X)", "u:L w:W x:W 0"),
        ("V || true", "v:L 1"),
        ("V || (U =?= 1)", "u:W v:L 1"),
        ("(U =?= 1) || (V =!= 2)", "u:W v:W 0"),
        ("(U =?= 1) || !(V =!= 2)", "u:W v:W 0"),
        ("(U =?= 1) || (V is 2 && U isnt 3)", "u:W v:W 0"),
        ("(U =?= 1) || true", "u:W 0"),
        ('(U =?= 1) || "a"', "u:W 1"),
        ("true || (U =?= 1)", "u:W 0"),
        ('"a" || (U =?= 1)', "u:W 1"),
        # Operands are gathered.
        ("1 + U + 2", "u:W 1"),
        ("1 + (U + 2)", "u:W 0"),
        ("U - V - W", "u:W v:W w:W 0"),
        ("(U * V) == 2", "u:W v:W 0"),
        ("U * V + W", "u:W v:W w:W 1"),
        # Some functions look at the text of what they are given, or into other ads.
        ("member(U, {1, V})", "u:W v:W member 0"),
        ("nosuch(U)", "u:W nosuch 0"),
        ("countMatches(U > K, TARGET.Ads)", "k:W u:W countmatches 1"),
        ("countMatches(U, TARGET.Ads)", "u:W countmatches 1"),
        ("unparse(K)", "k:W unparse 1"),
        ("ifThenElse(U && V, W, X)", "u:L v:L w:W x:W ifthenelse 3"),
        ("[a = U; b = V]", "u:W v:W 0"),
    ],
)
def test_what_counts_however_much_of_the_whole_counts(text: str, always: str) -> None:
    assert [told(text, level) for level in (_TRUE, _LOGICAL, _WHOLE)] == [always] * 3


def test_of_an_expression_that_is_nested_deeply_all_counts() -> None:
    for depth, expected in ((190, "u:L strcat 0"), (250, "u:W strcat 1")):
        text = f"{'!' * depth}U =?= strcat()"
        assert told(text, _TRUE) == expected
