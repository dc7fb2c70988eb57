"""Ads for which flattening is said not to matter: their requirements keep their truth.

Both ways of telling are compared with flattening itself, for ads alone and for rows of a table.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random

import pytest

from classad import ClassAd, ClassAdParseError, ExprTree, kernels, parseOne
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.evaluate import EvalContext, as_tree
from classad.evaluation.functions import EAGER, USAGE, Builtin
from classad.language.rules import BEFORE_25_13_2
from classad.loading.long_form import load_long
from classad.match import half_match
from classad.syntax.nodes import same_tree
from classad.table import Table
from negotiator.columns.fetch import TableRows
from negotiator.expressions.flattening import Flattener, lead_to_requirements
from negotiator.expressions.regrouping import Level, regrouping_of
from tests.cases import every_case

_VECTORS = Path(__file__).parents[1] / "vectors" / "classad"
_CONTEXT = EvalContext(now=0.0, rng=Random(0))
_OLD = EvalContext(now=0.0, rng=Random(0), language=BEFORE_25_13_2)
#: What requirements of one ad are, that knows K and Known, and not U and Other.
_REQUIREMENTS = [
    *("TARGET.U || K", "U || K", "TARGET.U > 1 || K", "TARGET.U && K", "K && TARGET.U", "K || U"),
    *("(TARGET.U && K) || TARGET.V", "!(TARGET.U && K)", "!(TARGET.U > 1 && K)", "!(U && K)"),
    *(
        "U || V || K && U",
        "U || V || K && W",
        "(TARGET.U =?= 1) || K",
        "isUndefined(TARGET.U) || K",
    ),
    *("nosuch(U) || V", "V || nosuch(U)", "V && nosuch(U)", "(V && K) =?= V", "(V && true) == 2"),
    *("1 + U + 2 * V + 3 > 5", "U + 2 == 3", "V + 1 && U", "K ? U : V", "(K || V) ? U : W"),
    *("Led && V", "V || Led", "V && (Led || U)", "(U || Led) && V", "ifThenElse(V && K, U, V)"),
    *("V || false", "V || error", "error || V", "V || undefined", "V && undefined || U"),
    *("countMatches(x > K, TARGET.Ads) > 0", "countMatches(K, TARGET.Ads) > 0", "{U, K}[1]"),
    *('unparse(K) == "K"', 'eval("K")', "member(U, {1, 2}) || K", "U || MY.K || V", "Deep || V"),
    'V || "a"',
    *("countMatches(x > TARGET.W, TARGET.Ads) > 1", "countMatches(TARGET.K, TARGET.Ads) > 0"),
    *("countMatches(Deeper, TARGET.Ads) > 0", "countMatches((Deeper), TARGET.Ads) > 1"),
]
#: The same with an operand that is known in part, on either side.
_NESTED = [
    text.format(f"{sign}(K {inner} TARGET.U)")
    for text, inner, sign in product(
        ["V || {}", "{} || V", "V && {}", "{} && V", "!(V && {})"],
        ["||", "&&", ">", "=?="],
        ["", "!"],
    )
]
#: The same with ``?:``, which older versions flatten to something else.
_CHOICES = ["(K ?: 3) == 3", "Led ?: TARGET.U", "V && (TARGET.U ?: K)", "V && ((K ?: U) || W)"]
#: Requirements that lead to another attribute, of which more or less counts then.
_LEADING = ["Led", "Led && V", "V || Led", "!Led", "Led =?= V", "(Led || V) && Deep"]
_KNOWN = ["true", "false", "0", "2", '"text"', "undefined", "error", "3 < 2", "nosuch(1)", None]
_OTHERS = ["true", "false", "2", '"text"', "undefined", "error", None]


def slot(requirements: str, known: str | None) -> ClassAd:
    ad = ClassAd({"Led": as_tree("K && TARGET.U"), "Deep": as_tree("TARGET.V || K")})
    ad["Deeper"] = as_tree("x > K")
    ad["Requirements"] = as_tree(requirements)
    if known is not None:
        ad["K"] = as_tree(known)
    return ad


def partners() -> list[ClassAd]:
    found = []
    for u, v in product(_OTHERS, _OTHERS):
        ad = ClassAd("[Ads = {[x = 1], [x = 3; K = true]}; W = 1]")
        for name, text in (("U", u), ("V", v)):
            if text is not None:
                ad[name] = as_tree(text)
        found.append(ad)
    return found


_PARTNERS = partners()


def changed(ad: ClassAd, context: EvalContext = _CONTEXT) -> bool:
    """Whether flattening changes what the requirements say of some partner."""
    flat = Flattener(context).flattened(ad)
    if flat is None:
        return False
    after = ad.duplicate()
    after.insert("Requirements", flat)
    return any(half_match(ad, it, _CONTEXT) != half_match(after, it, _CONTEXT) for it in _PARTNERS)


@pytest.mark.slow
@every_case(
    "requirements, context",
    [
        *product([*_REQUIREMENTS, *_NESTED, *_CHOICES], [_CONTEXT]),
        *product([*_CHOICES, *_REQUIREMENTS[:6]], [_OLD]),
    ],
)
def test_what_is_left_alone_keeps_its_truth(requirements: str, context: EvalContext) -> None:
    ads = [slot(requirements, known) for known in _KNOWN]
    table = TableRows(Table(ads), context)
    flattener = Flattener(context)
    together = flattener.to_flatten(table, ("requirements",), Level.TRUE)
    for row, ad in enumerate(ads):
        alone = ad.duplicate()
        flattener.flatten(alone)
        differs = changed(ad, context)
        assert together >> row & 1 or not differs, ad
        if not differs:
            continue
        assert repr(alone.raw("Requirements")) != repr(ad.raw("Requirements")), ad


@pytest.mark.slow
@every_case("last", ["W", "K", "V + 1", "W && V + 1", *_REQUIREMENTS[-12:]])
def test_conjuncts_of_a_text_are_as_true_as_flattening_makes_the_whole(last: str) -> None:
    flattener = Flattener(_CONTEXT)
    for first, known in product([*_REQUIREMENTS, "K"], _KNOWN[::3]):
        ad = slot("true", known)
        for text in (f"({first}) && {last}", f"({last}) && K && ({first})", f"Led && {first}"):
            written = "".join(f"{name} = {ad.raw(name)}\n" for name in ad if name != "Requirements")
            read = parseOne(f"{written}Requirements = {text}\n")
            whole, parts = read.duplicate(), read.duplicate()
            left = flattener.flattened(read)
            if left is not None:
                whole.insert("Requirements", left)
            flattener.flatten(parts)
            for partner in _PARTNERS[::4]:
                assert half_match(parts, partner, _CONTEXT) == half_match(whole, partner, _CONTEXT)


@pytest.mark.skipif(
    kernels.native is None, reason="only the C parser leaves expressions to be read later"
)
def test_jobs_share_the_conjuncts_that_are_not_flattened() -> None:
    need = "countMatches(MY.Need, TARGET.Ads) >= 1"
    text = f"TARGET.Memory >= Memory && {need}"
    left = []
    for memory in (1, 2):
        ad = parseOne(f"Memory = {memory}\nLeast = 2\nNeed = x > Least\nRequirements = {text}\n")
        Flattener(_CONTEXT).flatten(ad)
        left.append(ad.raw("Requirements"))
    assert left[0] is left[1]
    assert str(left[0]) == "TARGET.Memory >= Memory && countMatches(x > 2,TARGET.Ads) >= 1"


@pytest.mark.slow
@every_case("led", _REQUIREMENTS)
def test_what_requirements_lead_to_is_looked_at(led: str) -> None:
    """What is known of expressions from other ads, in which more of them counts, too."""
    flattener = Flattener(_CONTEXT)
    for requirements, known in product(_LEADING, _KNOWN[::3]):
        ad = slot(requirements, known)
        ad["Led"] = as_tree(led)
        beside = ad.duplicate()
        beside["Deep"] = as_tree("TARGET.W > 1")
        by_itself = ClassAd({"Led": ad["Led"], "Requirements": as_tree("Led =?= 1")})
        for each in (ad, beside, by_itself):
            alone = each.duplicate()
            flattener.flatten(alone)
            if changed(each):
                assert repr(alone.raw("Requirements")) != repr(each.raw("Requirements")), each


def expressions() -> list[Expression]:
    """Those above and those of the vectors."""
    texts = set(_REQUIREMENTS)
    for topic in ("flatten_refs", "random", "scope"):
        lines = (_VECTORS / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines()
        texts.update(json.loads(line)["expr"] for line in lines[:3000])
    found = []
    for text in sorted(texts):
        try:
            found.append(ExprTree(text))
        except ClassAdParseError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("level", [Level.TRUE, Level.LOGICAL])
def test_what_is_harmless_as_a_whole_is_so_where_less_counts(level: Level) -> None:
    for tree in expressions():
        whole, less = regrouping_of(tree, Level.WHOLE), regrouping_of(tree, level)
        assert whole.hazards or not less.hazards, tree
        assert {name for name, _ in less.names} <= {name for name, _ in whole.names}, tree
        assert less.called <= whole.called, tree


def test_most_requirements_are_left_as_they_are() -> None:
    """Those of usual slots and jobs: what is not shared is slow."""
    start = ClassAd(
        "[Start = true; Cpus = 4; Memory = 9; KeyboardIdle = 99; HasDocker = true;"
        " Fits = MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0"
        " && (TARGET.WantDocker isnt true || HasDocker) && (KeyboardIdle > 9 || Memory > 1);"
        " Requirements = Start && Fits]"
    )
    job = ClassAd(
        '[RequestCpus = 1; Requirements = (TARGET.Arch == "X86_64") && (TARGET.Cpus >= RequestCpus)'
        " && (TARGET.HasFileTransfer || (TARGET.FileSystemDomain == MY.FileSystemDomain))]"
    )
    for ad in (start, job):
        before = ad.raw("Requirements")
        Flattener(_CONTEXT).flatten(ad)
        assert ad.raw("Requirements") is before


def test_who_reads_requirements_sees_them_flattened() -> None:
    ad = ClassAd("[Requirements = TARGET.U && true]")
    Flattener(_CONTEXT).flatten(ad)
    assert repr(ad.raw("Requirements")) == "TARGET.U && true"
    Flattener(_CONTEXT, read=True).flatten(ad)
    assert repr(ad.raw("Requirements")) == "TARGET.U"
    ad = ClassAd("[Requirements = TARGET.U && true; Rank = isBoolean(MY.Requirements) ? 1 : 0]")
    Flattener(_CONTEXT).flatten(ad)
    assert repr(ad.raw("Requirements")) == "TARGET.U"


@pytest.mark.parametrize(
    ("operand", "left"),
    [
        ("TARGET.U", "TARGET.U"),
        ("-TARGET.U", " -TARGET.U"),
        ("(1 + TARGET.U)", "(1 + TARGET.U)"),
        ("isString(TARGET.U)", "isString(TARGET.U)"),
        ("!TARGET.U", "K &&  !TARGET.U"),
        ("(TARGET.U > 1)", "K && (TARGET.U > 1)"),
        ("TARGET.U == 1", "K && TARGET.U == 1"),
        ("TARGET.U is 1", "K && TARGET.U is 1"),
        ("(TARGET.U || TARGET.V)", "K && (TARGET.U || TARGET.V)"),
    ],
)
def test_what_can_be_no_condition_is_left_by_itself(operand: str, left: str) -> None:
    """Of ``true && X`` it leaves ``X``, which is another value unless it is a condition."""
    ad = ClassAd(f"[K = true; Requirements = K && {operand}]")
    Flattener(_CONTEXT, read=True).flatten(ad)
    assert repr(ad.raw("Requirements")) == left


@pytest.mark.parametrize(
    ("rank", "left"),
    [
        ("isBoolean(MY.Requirements) ? 1 : 0", "TARGET.U"),
        ("REQUIREMENTS =?= true ? 1 : 0", "TARGET.U"),
        ("KFlops + 1", "TARGET.U && true"),
    ],
)
def test_who_mentions_requirements_sees_them_flattened(rank: str, left: str) -> None:
    """Also where the expressions are texts of a file, which nobody has parsed yet."""
    loaded = load_long(f"Requirements = TARGET.U && true\nRank = {rank}\n".encode())
    for ad in (
        *loaded.to_ads(ClassAd),
        ClassAd(f"[Requirements = TARGET.U && true; Rank = {rank}]"),
    ):
        Flattener(_CONTEXT).flatten(ad)
        assert repr(ad.raw("Requirements")) == left


def test_ads_that_are_left_with_the_same_requirements_share_them() -> None:
    one, other = (ClassAd(f"[K = {k}; Requirements = TARGET.U && K > 1]") for k in (2, 3))
    flattener = Flattener(_CONTEXT, read=True)
    for ad in (one, other):
        flattener.flatten(ad)
        assert repr(ad.raw("Requirements")) == "TARGET.U"
    assert one.raw("Requirements").node is other.raw("Requirements").node


@pytest.mark.parametrize(
    "text",
    [
        "[A = TARGET.U + 1; Requirements = 2 * A > 9]",
        "[A = -1; Requirements = TARGET.U > A && nosuch(1)]",
        "[A = TARGET.U ? 1 : 2; Requirements = A == 2 || random(2) > 5]",
        r"""[A = "b\\"; Requirements = TARGET.U == strcat("\"", A)]""",
        "[A = real(\"INF\"); Requirements = TARGET.'a b' > A]",
    ],
)
def test_what_is_left_keeps_its_structure(text: str) -> None:
    """Whatever its text would be read as."""
    ad = ClassAd(text)
    left = flatten(ad, ad.raw("Requirements"), inline=True, context=_CONTEXT, partner="RIGHT")
    flattened = Flattener(_CONTEXT).flattened(ad)
    assert left.tree is not None
    assert isinstance(flattened, Expression)
    assert same_tree(flattened.node, left.tree)


def test_what_an_ad_inherits_may_matter() -> None:
    parent, ad = ClassAd("[K = random(5) > 9]"), ClassAd("[Requirements = TARGET.U > 1 || K]")
    assert not Flattener(_CONTEXT).matters(ad)
    ad.chain(parent)
    assert Flattener(_CONTEXT).matters(ad)


def test_what_expressions_settle_depends_on_the_names_they_have() -> None:
    ad, other = ClassAd("[Requirements = TARGET.U > 1 || K; K = random(5) > 9]"), ClassAd()
    other._attrs["requirements"], other._attrs["l"] = ad.raw("Requirements"), ad.raw("K")
    assert Flattener(_CONTEXT).matters(ad)
    assert not Flattener(_CONTEXT).matters(other)
    assert Flattener(_CONTEXT).matters(ad)


def test_what_expressions_lead_to_is_asked_of_each_context() -> None:
    """The same expressions call what one context has by the name of a builtin."""
    ad = ClassAd('[Requirements = TARGET.U > K; K = strlen("two")]')
    length = Builtin("strlen", "test", 1, 1, EAGER, USAGE, "", "", (), lambda state, text: 2)
    asked = EvalContext(now=0.0, functions={"strlen": length})
    assert [Flattener(context).matters(ad) for context in (_CONTEXT, asked, _CONTEXT)] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("parent", "child", "leads"),
    [
        ("Rank = Requirements", "A = 1", True),
        ("Rank = A", "A = B", False),
        ("Rank = A; B = MY.Requirements", "A = B", True),
        ("B = TARGET.Requirements", "Rank = A; A = B", True),
        ("Rank = Requirements", "Rank = 1", False),
        ("Rank = A; A = Requirements", "A = 2", False),
        ("Rank = A; A = C", "C = A", False),
    ],
)
def test_what_is_inherited_leads_to_requirements_as_what_is_not(
    parent: str, child: str, leads: bool
) -> None:
    """Jobs of a cluster may have it in common: the ad of each is chained to that of the cluster."""
    cluster, job = ClassAd(f"[{parent}]"), ClassAd(f"[{child}]")
    job.chain(cluster)
    both = ClassAd({**dict(cluster.items()), **dict(ClassAd(f"[{child}]").items())})
    assert lead_to_requirements([job], "rank") is leads
    assert lead_to_requirements([both], "rank") is leads
    assert lead_to_requirements([ClassAd(), both, job], "rank", "no") is leads


@pytest.mark.parametrize(
    "other", ["2", "2.0", "-0.0", '"2"', "undefined", "true", "{2}", "[a = 2]"]
)
def test_what_is_left_follows_what_the_ad_holds(other: str) -> None:
    """Whatever was flattened before, also by another flattener."""
    text = "[Requirements = countMatches(MY.Need, TARGET.Ads) > 0; Need = Depth > MY.K; K = {}]"

    def left(value: str) -> object:
        ad = ClassAd(text.format(value))
        found = flatten(ad, ad.raw("Requirements"), inline=True, context=_CONTEXT, partner="RIGHT")
        now = Flattener(_CONTEXT).flattened(ad)
        assert isinstance(now, Expression)
        assert found.tree is not None
        assert same_tree(now.node, found.tree)
        return str(now)

    for value in ("0.0", other, "0.0", "1", other):
        left(value)


def test_what_depends_on_the_time_is_flattened_each_time() -> None:
    ad = ClassAd("[Requirements = countMatches(x > 1, TARGET.Ads) > 0 && TARGET.U > time()]")
    one, two = (
        str(Flattener(EvalContext(now=now, rng=Random(0))).flattened(ad.duplicate()))
        for now in (1000.0, 2000.0)
    )
    assert "1000" in one
    assert "2000" in two
