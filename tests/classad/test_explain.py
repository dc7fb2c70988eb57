"""Explanations: equal to evaluation, exact text, where names were found, who is to blame."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from classad import ClassAd, ExprTree, RefSet, refs
from classad.analysis.explain import explain
from classad.analysis.explanation import Explanation, because
from classad.errors import ClassAdParseError, suggest
from classad.evaluate import evaluate_full
from classad.language.values import ERROR, UNDEFINED
from pieslice.command_line import Parser
from pieslice.expressions.cli import add_commands
from tests.cases import every_case
from tests.classad.golden import ad_of, cases, context_of, encode, tree_of

JOB = ClassAd(
    """[ RequestMemory = 2048; Start = Strt; Twice = RequestMemory * 2; Nested = [ a = 1; b = cc ];
    List = { 1, x, RequestMemory + 1 }; Loop = 1 + Loop; Asks = TARGET.Rank; Empty = undefined ]"""
)
SLOT = ClassAd("[ Memory = 4096; Rank = MY.Memroy * 2; Cpus = 8 ]")


def shown(text: str, my: ClassAd | None = JOB, target: ClassAd | None = SLOT) -> list[str]:
    return explain(text, my, target).render().splitlines()


# --- the same as evaluation -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["random", "scope", "strict", "chained", "fn_ad", "op_select"])
def test_golden_values_are_explained(topic: str) -> None:
    for case in cases(topic):
        try:
            tree = tree_of(case["expr"], case)
        except (ClassAdParseError, KeyError):
            continue
        my = ad_of(case.get("my"), case) or ClassAd()
        if case.get("chained_parent") is not None:
            my.chain(ad_of(case["chained_parent"], case))
        target, context = ad_of(case.get("target"), case), context_of(case)
        explanation = explain(tree, my, target, context=context)
        value, ok = evaluate_full(tree, my, target, context=context)
        assert (encode(explanation.value), explanation.ok) == (encode(value), ok), case["id"]
        blamed = explanation.first_cause() is not None
        assert blamed == (value is UNDEFINED or value is ERROR), case["id"]


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["random", "fn_ad", "limits"])
def test_golden_explanations_print(topic: str) -> None:
    for case in list(cases(topic))[::20]:
        try:
            tree = tree_of(case["expr"], case)
        except (ClassAdParseError, KeyError):
            continue
        explanation = explain(tree, ad_of(case.get("my"), case), ad_of(case.get("target"), case))
        assert explanation.render()
        assert explanation._repr_html_()
        assert json.dumps(explanation.to_dict())


def test_failure_is_explained() -> None:
    explanation = explain("1 + time()")
    assert not explanation.ok
    assert explanation.value is ERROR
    assert because(explanation) == ("the evaluation was given no clock", None)


def test_size_is_bounded() -> None:
    ad = ClassAd("[a0 = 1]")
    for i in range(1, 14):
        ad[f"a{i}"] = ExprTree(f"a{i - 1} + a{i - 1}")
    explanation = explain("a13", ad, depth=100)
    assert explanation.value == 2**13
    assert len(list(explanation.walk())) < 10_000
    deep = ExprTree("a" + " + a" * 300)
    assert explain(deep, ClassAd("[a = 1]")).value == 301
    assert "not shown" in explain(deep, ClassAd("[a = 1]")).render()


def test_depth_limits_definitions() -> None:
    ad = ClassAd("[a = b + 1; b = c + 1; c = 1]")
    assert explain("a", ad, depth=1).render().splitlines() == [
        "a              3  in MY",
        "  = b + 1      3",
        "    b          2  in MY",
        "      = c + 1  not shown",
        "    1",
    ]


# --- the text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_tree_fits_its_width_and_breaks_what_does_not(width: int) -> None:
    text = "RemoteUserPrio > SubmitterUserPrio * 1.25 && RequestedChassis == strcat(Owner, Group)"
    told = explain(text, ClassAd('[Owner = "a"]')).render(width=width)
    assert max(map(len, told.splitlines())) <= width
    tree = "".join(told.replace("undefined", "").split())
    for part in ("RemoteUserPrio>SubmitterUserPrio*1.25", "RequestedChassis==strcat(Owner,Group)"):
        assert part in tree


def test_misspelt_attribute_of_the_target() -> None:
    assert shown("TARGET.Memroy >= RequestMemory && TARGET.Cpus > 1") == [
        "TARGET.Memroy >= RequestMemory && TARGET.Cpus > 1  undefined",
        "  TARGET.Memroy >= RequestMemory                   undefined",
        "    TARGET.Memroy                                  undefined  not in TARGET",
        "    RequestMemory                                  2048       in MY",
        "  TARGET.Cpus > 1                                  true",
        "    TARGET.Cpus                                    8          in TARGET",
        "    1",
        "undefined because `Memroy` is not in TARGET",
        "  help: did you mean `Memory`?",
    ]


def test_unscoped_name_is_looked_up_in_both_ads() -> None:
    assert shown("Memroy > 1")[1:] == [
        "  Memroy    undefined  in neither MY nor TARGET",
        "  1",
        "undefined because `Memroy` is in neither MY nor TARGET",
        "  help: did you mean `Memory`?",
    ]


def test_definitions_are_followed_into_the_other_ad() -> None:
    assert shown("Asks") == [
        "Asks                 undefined  in MY",
        "  = TARGET.Rank      undefined  in TARGET",
        "    = MY.Memroy * 2  undefined",
        "      MY.Memroy      undefined  not in TARGET",
        "      2",
        "undefined because `Memroy` is not in TARGET",
        "  help: did you mean `Memory`?",
    ]


def test_what_was_not_evaluated() -> None:
    assert shown("false && Memory > 1 || true") == [
        "false && Memory > 1 || true  true",
        "  false && Memory > 1        false",
        "    false",
        "    Memory > 1               not evaluated",
        "  true",
    ]


def test_definition_is_shown_once() -> None:
    assert shown("Twice + Twice") == [
        "Twice + Twice            8192",
        "  Twice                  4096  in MY",
        "    = RequestMemory * 2  4096",
        "      RequestMemory      2048  in MY",
        "      2",
        "  Twice                  4096  in MY, as above",
    ]


def test_member_of_a_list() -> None:
    assert shown("List[2]") == [
        "List[2]                2049",
        "  List                 { 1,x,RequestMemory + 1 }  in MY",
        "  2",
        "  = RequestMemory + 1  2049",
        "    RequestMemory      2048                       in MY",
        "    1",
    ]


def test_another_name_that_may_be_a_slip_is_a_note() -> None:
    assert shown("(Memroy > 1) || true")[-2:] == [
        "note: `Memroy` is in neither MY nor TARGET",
        "  help: did you mean `Memory`?",
    ]
    assert "note:" not in "\n".join(shown("isUndefined(Memroy) || Memroy =?= undefined"))


def test_control_characters_do_not_get_out() -> None:
    text = explain('"a\\nb" == x', ClassAd({"x": "\x1b[31m\n"})).render(old=True)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 3


@every_case(
    "text, reason, meant",
    [
        ("Start", "`Strt` is in neither MY nor TARGET", "Start"),
        ("Nested.b", "`cc` is in neither MY.Nested nor MY", None),
        ("Nested.zz", "`zz` is in neither MY.Nested nor MY", None),
        ('Nested["zz"]', '`Nested["zz"]` selects what is not there', None),
        ("Loop", "`Loop` in MY refers to itself", None),
        ("Empty", "`Empty` in MY is undefined", None),
        ("undefined", "the expression says `undefined`", None),
        ("xx ?: yy", "`yy` is in neither MY nor TARGET", None),
        ("xx ? 1 : 2", "`xx` is in neither MY nor TARGET", None),
        ("strcatt(1)", "`strcatt` is not a function", "strcat"),
        ("nofunction()", "`nofunction` is not a function", None),
        ("substr(1)", "`substr` takes 2-3 arguments, not 1", None),
        ("int()", "`int` takes 1 argument, not 0", None),
        ("1 / (RequestMemory - 2048)", "`1 / (RequestMemory - 2048)` divides by zero", None),
        ('"a" + 1', "`+` gives error for a string and an integer", None),
        ('-"a"', "`-` gives error for a string", None),
        ('int("a")', "`int` gives error for a string", None),
        ("formatTime(undefined)", "`formatTime` gives error for undefined", None),
        ('pow(undefined, "a")', "`pow` gives error for undefined and a string", None),
        ("RequestMemory.x", "`RequestMemory` is an integer, not an ad", None),
        ("x.y.z", "`x` is in neither MY nor TARGET", None),
        ('eval("Memroy")', "`Memroy` is in neither MY nor TARGET", "Memory"),
    ],
)
def test_reasons(text: str, reason: str, meant: str | None) -> None:
    found = because(explain(text, JOB, SLOT))
    assert found == (reason, None if meant is None else f"did you mean `{meant}`?")


def test_places() -> None:
    cluster, job = ClassAd("[Owner = Oner]"), ClassAd("[Cmd = 1]")
    job.chain(cluster)
    assert shown("Owner", job, None)[:2] == [
        "Owner     undefined  in MY's chained parent",
        "  = Oner  undefined  in neither MY nor MY's chained parent",
    ]
    assert because(explain("Owner", job)) == (
        "`Oner` is in neither MY nor MY's chained parent",
        "did you mean `Owner`?",
    )
    assert because(explain("TARGET.x", job)) == ("there is no TARGET", None)
    assert shown("CurrentTime", None, None)[0].split()[1] == "failed"
    assert explain("MY", JOB, SLOT).lookup is not None
    assert because(explain("x")) == ("`x` is not in MY", None)


def test_name_that_only_the_other_ad_has() -> None:
    assert because(explain("MY.Memory > 1", JOB, SLOT)) == (
        "`Memory` is not in MY",
        "TARGET has a `Memory`",
    )
    assert because(explain("TARGET.RequestMemory", JOB, SLOT)) == (
        "`RequestMemory` is not in TARGET",
        "MY has a `RequestMemory`",
    )


def test_ordinary_values_need_no_reason() -> None:
    explanation = explain("1 + 1")
    assert because(explanation) is None
    assert explanation.first_cause() is None
    assert explanation.render().splitlines() == ["1 + 1  2", "  1", "  1"]


# --- the Python interface -------------------------------------------------------------------------


def test_why() -> None:
    explanation = ExprTree("Memroy > 1").why(SLOT)
    assert isinstance(explanation, Explanation)
    cause = explanation.first_cause()
    assert cause is not None
    assert (cause.text, cause.span, cause.suggestion) == ("Memroy", (0, 6), "Memory")
    assert [item.text for item in explanation.missing()] == ["Memroy"]
    assert str(explanation) == explanation.render()
    assert repr(explanation) == "<Explanation 'Memroy > 1': <Value.Undefined: 2>>"
    assert ExprTree("time() > 0").why().value is True
    assert ExprTree("TARGET.Cpus").why(JOB, SLOT).value == 8
    with pytest.raises(TypeError):
        ExprTree("1").why(5)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        explanation.value = 1  # type: ignore[misc]


def test_html_is_escaped() -> None:
    ad = ClassAd({"a": "<b>", "c": ExprTree("a < 1")})
    assert "&lt;b&gt;" in ad._repr_html_()
    assert "<th>a</th>" in ad._repr_html_()
    assert ExprTree("a < 1")._repr_html_() == "<code>a &lt; 1</code>"
    assert "&lt;" in ExprTree("a < 1").why(ad)._repr_html_()


def test_the_tokens_of_what_is_nested_too_deeply_end_where_it_is() -> None:
    tree = ExprTree("a")
    for _ in range(600):
        tree = tree.or_(ExprTree("b")).and_(ExprTree("c"))
    *sound, last = tree.tokens()
    assert {token.kind for token in sound} == {"OPEN_PAREN"}
    assert (last.kind, last.value.message) == ("BAD", "nested too deeply")


def test_span_walk_tokens() -> None:
    tree = ExprTree("  a + f(b)")
    assert tree.span == (2, 10)
    assert [(repr(part), part.span) for part in tree.walk()] == [
        ("a + f(b)", (2, 10)),
        ("a", (2, 3)),
        ("f(b)", (6, 10)),
        ("b", (8, 9)),
    ]
    assert [repr(tree)[token.start : token.end] for token in tree.tokens()] == [
        "a", "+", "f", "(", "b", ")",
    ]  # fmt: skip
    assert ExprTree.from_value(5).span == (0, 0)


@pytest.mark.parametrize(
    ("text", "my", "target", "unscoped", "functions"),
    [
        ("1 + 1", "", "", "", ""),
        ("MY.a + self.b + a.c + .d", "a b", "", "a d", ""),
        ("target.x == Other.Y || TARGET.X", "", "x Y", "", ""),
        ("a.b.c + TARGET.p.q", "", "p", "a", ""),
        ("StrCat(x, strcat(X, size({y})))", "", "", "x y", "StrCat size"),
        ("[a = 1; b = a + c; d = MY.A + MY.e].b", "e", "", "c", ""),
        ("MY", "", "", "", ""),
        ("l[MY.i].x ?: time()", "i", "", "l", "time"),
        ("[a = .a].a", "", "", "a", ""),
    ],
)
def test_refs(text: str, my: str, target: str, unscoped: str, functions: str) -> None:
    wanted = RefSet(*(frozenset(names.split()) for names in (my, target, unscoped, functions)))
    assert refs(text) == wanted
    assert refs(ExprTree(text)) == wanted


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("Memroy", ["Memory", "Disk"], "Memory"),  # neighbours swapped
        ("memry", ["Memory"], "Memory"),  # one less
        ("Memoryy", ["Memory"], "Memory"),  # one more
        ("Nemory", ["Memory"], "Memory"),  # another one
        ("MEMORX", ["Memory"], "Memory"),
        ("memory", ["Memory"], None),  # the same but for case
        ("Mmeroy", ["Memory"], None),  # two edits
        ("Mem", ["Memory"], None),
        ("x", ["y", "xy"], None),  # too short
        ("Cpu", ["Cpus", "Gpu", "CPUx"], "Cpus"),
        ("", ["a"], None),
        ("abcd", [], None),
    ],
)
def test_one_edit(name: str, known: list[str], meant: str | None) -> None:
    assert suggest(name, known) == meant


def test_what_is_shown_has_an_end() -> None:
    """After 2,000 parts of an evaluation no more are kept, and the value is the same."""

    def sum_of(levels: int) -> str:
        return f"({sum_of(levels - 1)} + {sum_of(levels - 1)})" if levels else "1"

    def outcomes(part: Explanation) -> Counter[str]:
        return sum(map(outcomes, part.children), Counter([part.outcome]))

    assert explain(sum_of(9)).value == 512
    assert outcomes(explain(sum_of(9))) == {"evaluated": 3 * 511 + 1}
    assert explain(sum_of(11)).value == 2048
    assert outcomes(explain(sum_of(11)))["evaluated"] == 2000
    assert outcomes(explain(sum_of(11)))["not shown"] > 0
    assert outcomes(explain("-" * 300 + "1")) == {"evaluated": 120, "not shown": 1}


# --- the command ----------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *tokens: str) -> tuple[str, str]:
    parser = Parser(prog="pieslice")
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["eval", *tokens])
    assert args.run(args) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_command_prints_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "--why", "-a", "Memory=4096", "Memroy > 1", "1")
    assert out.splitlines() == [
        "Memroy > 1  undefined",
        "  Memroy    undefined  not in MY",
        "  1",
        "undefined because `Memroy` is not in MY",
        "  help: did you mean `Memory`?",
        "1",
    ]
    assert err == ""


def test_command_prints_data(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "--why", "--json", "-a", "Memory=y", "Memroy + Memory")
    fields: dict[str, Any] = json.loads(out)
    assert (fields["type"], fields["ok"]) == ("undefined", True)
    why = fields["why"]
    assert why["because"] == "`Memroy` is not in MY"
    assert why["help"] == "did you mean `Memory`?"
    first, second = why["operands"]
    assert first == {
        "expression": "Memroy",
        "span": [0, 6],
        "outcome": "evaluated",
        "type": "undefined",
        "value": "undefined",
        "lookup": {
            "found": None,
            "searched": ["MY"],
            "cycle": False,
            "elsewhere": None,
            "definition": None,
        },
        "suggestion": "Memory",
    }
    assert second["lookup"]["found"] == "MY"
    assert second["lookup"]["definition"]["expression"] == "y"


def test_command_notes_unknown_functions(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, 'true || strcatt("a")', "nofunction()")
    assert out == "true\nerror\n"
    assert err.splitlines() == [
        "<expression>:1:9: note: unknown function `strcatt`; did you mean `strcat`?",
        '   1 | true || strcatt("a")',
        "     |         ^~~~~~~",
        "<expression>:1:1: note: unknown function `nofunction`",
        "   1 | nofunction()",
        "     | ^~~~~~~~~~",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a.b.c", ["= nosuch undefined in none of MY.a.b, MY.a and MY"]),
        ("MY", ["MY [ a = [ b = [ c = nosuch ] ]; f = { f... built in"]),
        ("size(sise(1)) + strct(2)", [
            "error because `sise` is not a function",
            "help: did you mean `size`?",
            "note: `strct` is not a function",
            "help: did you mean `strcat`?",
        ]),
        ("false ? 1 : x.y > 1", ["error because `x` is an integer, not an ad"]),
        ("f[0] && false && x", ["f[0] false", "false not evaluated", "x not evaluated"]),
        # What is selected from each ad of a list stands alone.
        ("{[i = [q = 1]]}.i[0].zz", ["undefined because `zz` is not in a nested ad"]),
        # What is deeper down than is shown.
        (f"(x).a{' + 0' * 118}", ["error because `(x)` is an integer, not an ad"]),
        (f"(x).a{' + 0' * 119}", ["error because `a` is error"]),
        (" && ".join(["true"] * 130), ["true not shown"]),
    ],
)  # fmt: skip
def test_places_and_reasons_that_are_rare(text: str, lines: list[str]) -> None:
    my = ClassAd("[a = [b = [c = nosuch]]; x = 1; f = {false}]")
    said = [" ".join(line.split()) for line in explain(text, my).render().splitlines()]
    assert [line for line in lines if line not in said] == [], said


def test_nothing_is_around_the_ads_of_a_match() -> None:
    assert shown("parent.Nowhere") == [
        "'parent'.Nowhere  undefined  not found", "undefined because `Nowhere` was not found",
    ]  # fmt: skip


def test_inner_parts_are_shown_up_to_a_number() -> None:
    said = explain("strcat(" + ", ".join(f"x{number}" for number in range(80)) + ")", ClassAd())
    assert any(line.startswith("  ... and ") for line in said.render().splitlines())
