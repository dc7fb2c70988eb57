"""New syntax, JSON and XML: the golden vectors, reading back what was written, and bad text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAd, ClassAdParseError, ExprTree, ParserType, parseAds, parseOne
from classad.ads.ad import make_ad
from classad.errors import Diagnostic
from classad.formats.json import format_json, read_json
from classad.formats.new import QuickAds, format_new, read_new
from classad.formats.xml import XML_FOOT, XML_HEAD, format_xml, read_xml
from classad.syntax.parser import parse_ad_prefix

ROOM = Path(__file__).parents[1] / "vectors" / "classad"


def cases(file: str, *kinds: str) -> list[Any]:
    text = (ROOM / file).read_text(encoding="utf-8", errors="surrogateescape")
    found = [json.loads(line) for line in text.splitlines()]
    return [pytest.param(case, id=case["id"]) for case in found if case.get("kind", "any") in kinds]


@pytest.mark.parametrize("case", cases("formats.jsonl", "ad_out"))
def test_read_back_in_every_shape(case: dict[str, Any]) -> None:
    ad = ClassAd(case["input"])
    (back,) = read_json(case["json_line"], errors="strict", new=ClassAd)
    assert format_json(back) == format_json(ad)
    for text in (case["xml_compact"], XML_HEAD + case["xml"] + XML_FOOT):
        (back,) = read_xml(text, errors="strict", new=ClassAd)
        assert format_xml(back) == format_xml(ad)
    (back,) = read_new(case["pretty"], errors="strict", new=ClassAd)
    assert repr(back) == repr(ad)


# --- what the vectors do not hold -------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (read_json, '[{"a": 1}, {"b": 2}]', ["[ a = 1 ]", "[ b = 2 ]"]),
        (read_json, '{"a": 1}\n{"b": 2}', ["[ a = 1 ]", "[ b = 2 ]"]),
        (read_json, '[\n{"a": 1}\n,\n{"b": 2}\n]\n', ["[ a = 1 ]", "[ b = 2 ]"]),
        (read_json, "[]", []),
        (read_json, r'{"a": "\u00e9\ud83d\ude00"}', ['[ a = "\\303\\251\\360\\237\\230\\200" ]']),
        (read_json, r'{"a": "\/Expr(\"x\\ny\")\/"}', ['[ a = "x\\ny" ]']),
        (read_json, r'{"a": "b" "\/Expr(1)\/"}', ['[ a = "b/Expr(1)/" ]']),
        (read_json, '// c\n{"a" /* d */ : 1}', ["[ a = 1 ]"]),
        (read_new, "[a=1] // c\n[b=2]", ["[ a = 1 ]", "[ b = 2 ]"]),
        (read_new, "{\n[\na = 1;\n],\n[\nb = 2\n]\n}\n", ["[ a = 1 ]", "[ b = 2 ]"]),
        (read_new, "{}", []),
        (read_new, "[]", ["[  ]"]),
        (read_xml, "<c/>", ["[  ]"]),
        (read_xml, '<c><a n="a"><l/></a></c>', ["[ a = {  } ]"]),
        (read_xml, '<!-- c --><c><a n="a"><i>1</i></a></c>', ["[ a = 1 ]"]),
        (read_xml, "<c><a n='a'><s>&quot;&#65;&amp;lt;</s></a></c>", ['[ a = "\\"A&lt;" ]']),
        (read_xml, '<c><a n="a"><s>x\\ny\\101"</s></a></c>', ['[ a = "x\\nyA\\"" ]']),
        (read_xml, '<c><a n="a"><b v="t"/></a><a n="b"><b v="f"/></a></c>', None),
        (read_xml, '<c><a n="a"><un/></a><a n="b"><er/></a></c>', None),
        (read_xml, '<c><a n="a"><i>x</i></a></c>', ["[ a = error ]"]),
        (read_xml, '<c><a n="a"><i>&#53;</i></a></c>', ["[ a = 5 ]"]),
        (read_xml, '<c><a n="a"><r>-INF</r></a></c>', ['[ a = real("-INF") ]']),
        (read_xml, '<c><a n="a"><r>NaN</r></a></c>', None),
        (read_xml, '<c><a n="a"><r>x</r></a></c>', ["[ a = error ]"]),
        (read_xml, '<c><a n="a"><i>99999999999999999999</i></a></c>', ["[ a = error ]"]),
        (read_xml, '<c><a m="b" n="a"><i>1</i></a></c>', ["[ a = 1 ]"]),
        (read_xml, '<c><a n="a"><at>2020-01-02T03:04:05+01:00</at></a></c>', None),
        (read_xml, '<c><a n="a"><rt>1+02:03:04</rt></a></c>', ['[ a = relTime("1+02:03:04") ]']),
        (read_xml, '<c><a n="c\\"d"><i> 2 </i></a></c>', ["[ 'c\"d' = 2 ]"]),
    ],
)
def test_reading(read: Callable[..., Any], text: str, expected: list[str] | None) -> None:
    ads = list(read(text, errors="strict", new=ClassAd))
    if expected is None:
        (ad,) = ads
        assert format_xml(ad, indent=False) == text
    else:
        assert [repr(ad) for ad in ads] == expected


@pytest.mark.parametrize(
    ("read", "text", "place", "words"),
    [
        (read_json, '{"a": 1\n "b": 2}', (2, 2), "expected `,` or `}`"),
        (read_json, '{"a": }', (1, 7), "expected a value"),
        (read_json, '{"a": 1', (1, 8), "the end of the text"),
        (read_json, '{"": 1}', (1, 2), "empty"),
        (read_json, '{"a": "\\/Expr(1 +)\\/"}', (1, 7), "in expression `1 +`"),
        (read_json, '{"a": "x', (1, 7), "not closed"),
        (read_json, '{"a": ' + "[" * 500, (1, 171), "nested too deeply"),
        (read_json, '{"a": 1} x', (1, 10), "expected `{`"),
        (read_json, '[{"a": 1}', (1, 10), "expected `]`"),
        (read_new, "[a = 1]\n[b = ]", (2, 6), "expected an operand"),
        (read_new, "[a = 1", (1, 1), "never closed"),
        (read_new, "{[a = 1]", (1, 9), "list of ads is not closed"),
        (read_xml, '<c><a n="a"><i>1</i></c>', (1, 21), "expected `</a>`"),
        (read_xml, '<c><a n="a"><zz>1</zz></a></c>', (1, 13), "unknown element `zz`"),
        (read_xml, '<c><a n=""><i>1</i></a></c>', (1, 4), "missing or empty"),
        (read_xml, '<c><a m="a"><i>1</i></a></c>', (1, 4), "missing or empty"),
        (read_xml, '<c><a n="a"><i>1</s></a></c>', (1, 17), "expected `</i>`"),
        (read_xml, '<c><a n="a"><s>a\\0b</s></a></c>', (1, 20), "contains a NUL character"),
        (read_xml, "<c>lost</c>", (1, 8), "expected `<a n=...>` or `</c>`, found text"),
        (read_xml, '<c><a n="a">lost<i>1</i></a></c>', (1, 17), "expected a value, found text"),
        (read_xml, '<c><a n="a"><i>1</i>lost</a></c>', (1, 25), "expected `</a>`, found text"),
        (read_xml, '<c><a n="a"><l>lost<i>1</i></l></a></c>', (1, 20), "a value or `</l>`, found"),
        (read_xml, '<c><a n="a"><i>1 + 2</i></a></c>', (1, 21), "expected `</i>`, found text"),
        (read_xml, '<c><a n="a"><r>1_000</r></a></c>', (1, 21), "expected `</r>`, found text"),
        (read_xml, '<c><a n="a"><e>x +</e></a></c>', (1, 19), "in expression `x +`"),
        (read_xml, "<c><a", (1, 4), "malformed tag"),
        (read_xml, "<c>", (1, 4), "text ends inside an ad"),
        (read_xml, "<d>", (1, 1), "expected `<c>`"),
        (read_xml, '<c><a n="a">' + "<l>" * 500, (1, 508), "nested too deeply"),
    ],
)
def test_bad_text_is_reported_with_its_place(
    read: Callable[..., Any], text: str, place: tuple[int, int], words: str
) -> None:
    problems: list[Diagnostic] = []
    list(read(text, "f", problems, new=ClassAd))
    (problem,) = problems
    assert words in problem.message
    assert (problem.line, problem.column) == place
    with pytest.raises(ClassAdParseError):
        list(read(text, "f", errors="strict", new=ClassAd))


#: What `condor_transform_ads -in:xml` of 25.14.1 makes of numbers that no tool writes, and whether
#: we say something.
XML_NUMBERS = [
    ("<i> 5 </i>", "5", None),
    ("<i>-9223372036854775808</i>", "-9223372036854775808", None),
    ("<i>1 + 2</i>", "1", "expected `</i>`, found text"),
    ("<i>1_0</i>", "1", "expected `</i>`, found text"),
    ("<i>1.5</i>", "1", "expected `</i>`, found text"),
    ("<i>0x10</i>", "0", "expected `</i>`, found text"),
    ("<i>junk</i>", "error", "this is no integer: it is an error"),
    ("<i>+5</i>", "error", "this is no integer: it is an error"),
    ("<i>- 5</i>", "error", "this is no integer: it is an error"),
    (
        "<i>9223372036854775808</i>",
        "error",
        "this number of 19 characters does not fit into 64 bits: it is an error",
    ),
    ("<r> 1.5 </r>", "1.500000000000000E+00", None),
    ("<r>.5</r>", "5.000000000000000E-01", None),
    ("<r>5.</r>", "5.000000000000000E+00", None),
    ("<r>0x10</r>", "1.600000000000000E+01", None),
    ("<r>0x.8p1</r>", "1.000000000000000E+00", None),
    ("<r>1e400</r>", 'real("INF")', None),
    ("<r>infinity</r>", 'real("INF")', None),
    ("<r>-nan</r>", 'real("NaN")', None),
    ("<r>1.5x</r>", "1.500000000000000E+00", "expected `</r>`, found text"),
    ("<r>1_000</r>", "1.000000000000000E+00", "expected `</r>`, found text"),
    ("<r>1e+</r>", "1.000000000000000E+00", "expected `</r>`, found text"),
    ("<r>0x</r>", "0.0", "expected `</r>`, found text"),
    ("<r>NAN(3)</r>", 'real("NaN")', "expected `</r>`, found text"),
    ("<r>-</r>", "error", "this is no real number: it is an error"),
    ("<r>junk</r>", "error", "this is no real number: it is an error"),
    # The tools drop the ad of these.
    ("<i></i>", "error", "this is no integer: it is an error"),
    ("<r/>", "error", "this is no real number: it is an error"),
]


@pytest.mark.parametrize(("element", "value", "said"), XML_NUMBERS)
def test_numbers_in_xml_are_what_the_tools_make_of_them(
    element: str, value: str, said: str | None
) -> None:
    text = f'<c><a n="a">{element}</a></c>'
    problems: list[Diagnostic] = []
    (ad,) = read_xml(text, "f", problems, new=ClassAd)
    assert repr(ad) == f"[ a = {value} ]"
    assert [one.message for one in problems] == ([] if said is None else [said])
    assert {one.severity for one in problems} <= {"warning"}


@pytest.mark.parametrize(
    ("element", "shown"), [("<i>junk</i>", "junk"), ("<i></i>", "</i>"), ("<r/>", "<r/>")]
)
def test_what_is_no_number_in_xml_is_shown(element: str, shown: str) -> None:
    text = f'<c><a n="a">{element}</a></c>'
    problems: list[Diagnostic] = []
    (ad,) = read_xml(text, "f", problems, new=ClassAd)
    (problem,) = problems
    assert text[problem.start : problem.end] == shown
    (strict,) = read_xml(text, errors="strict", new=ClassAd)
    assert repr(strict) == repr(ad) == "[ a = error ]"


def test_ads_before_bad_text_are_read() -> None:
    for read, text in (
        (read_json, '{"a": 1} {"b"'),
        (read_new, "[a = 1] [b"),
        (read_xml, '<c><a n="a"><i>1</i></a></c><c><a'),
    ):
        assert [repr(ad) for ad in read(text, new=ClassAd)] == ["[ a = 1 ]"]


def test_bytes_that_are_not_utf8_survive() -> None:
    ad = ClassAd('[a = "\\377x\\351"]')
    for read, write in ((read_json, format_json), (read_xml, format_xml), (read_new, format_new)):
        (back,) = read(write(ad), new=ClassAd)
        assert back == ad


# --- the short cut against the grammar --------------------------------------------------------

PIECES = st.sampled_from(
    [
        *("a", "b", "A", "true", "is", "'q r'", "=", "=", "==", "=?=", ";", ";", "[", "]"),
        *("{", "}", "(", ")", ",", "?", ":", "1", "-2", "010", "1.5", '"x"', '"a;]"', '"\\\\"'),
        *("+", "/", "//", "/*", "*/", " ", "\n", "\0", "undefined", "x[1]", "f(a;b)", "!"),
        *('absTime("2020-01-01")', '"\\n"', '"\\"', "1 ? 2 : 3", "e400"),
    ]
)


def by_grammar(text: str) -> ClassAd | None:
    try:
        node, _ = parse_ad_prefix(text)
    except ClassAdParseError:
        return None
    return ClassAd.copy_of(make_ad(node, None))


@given(st.lists(PIECES, max_size=14).map("".join))
def test_short_cut_is_the_grammar(inside: str) -> None:
    for text in (f"[{inside}]", f"[a = {inside}; b = 2]", f"[a = {inside}; a = b] rest"):
        found = QuickAds().fill(ClassAd(), text)
        if found is not None:
            slow = by_grammar(text)
            assert slow is not None
            assert (list(found[0].names()), found[0]) == (list(slow.names()), slow)
            assert found[1] == parse_ad_prefix(text)[1]


@pytest.mark.parametrize("case", cases("formats.jsonl", "ad_out"))
def test_short_cut_on_the_vectors(case: dict[str, Any]) -> None:
    found = QuickAds().fill(ClassAd(), case["input"])
    # As text: to HTCondor an infinity is not the same as itself.
    assert found is None or repr(found[0]) == repr(by_grammar(case["input"]))


@pytest.mark.parametrize(
    "text", ["[a = 1; b = x + 1]", "[\n  a = {1, 2};\n]", '[a = "x;y]"; b = x[1]]']
)
def test_short_cut_is_taken(text: str) -> None:
    assert QuickAds().fill(ClassAd(), text) is not None


def test_short_cut_makes_lists_anew_and_shares_expressions() -> None:
    first, second = read_new("[l = {1}; e = a + b] [l = {1}; e = a + b]", new=ClassAd)
    assert first.raw("l") is not second.raw("l")
    assert first.raw("e") is second.raw("e")


# --- whole members at once against token by token ---------------------------------------------

NAMES = st.text("aB_1é \"\\<&'", min_size=1, max_size=4)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
    | st.floats(allow_nan=False, allow_infinity=False, width=16)
)  # fmt: skip
PLAIN_ADS = st.dictionaries(
    NAMES,
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=4,
)


@given(PLAIN_ADS)
def test_short_cuts_of_json_and_xml(members: dict[str, Any]) -> None:
    ad = ClassAd()
    for name, value in members.items():
        ad[name] = value
    for read, text, pattern in (
        (read_json, format_json(ad), "classad.formats.json._MEMBER"),
        (read_json, format_json(ad, indent=False), "classad.formats.json._MEMBER"),
        (read_xml, format_xml(ad), "classad.formats.xml._PLAIN"),
    ):
        (quick,) = read(text, errors="strict", new=ClassAd)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pattern, re.compile("(?!)"))
            (slow,) = read(text, errors="strict", new=ClassAd)
        assert (list(quick.names()), quick) == (list(slow.names()), slow)
        assert read is read_xml or str(quick) == str(ad)


@pytest.mark.parametrize("deep", ["(" * 61 + "x" + ")" * 61, "!" * 61 + "x", "{" * 61 + "}" * 61])
def test_deep_expressions_are_read_among_others(deep: str) -> None:
    """Each is as long as those that the short cut leaves to the grammar."""
    ads = list(read_new(f"[a = 1]\n[b = {deep}; c = 2]\n[d = 3]", errors="strict", new=ClassAd))
    assert [sorted(ad) for ad in ads] == [["a"], ["b", "c"], ["d"]]
    assert str(ads[1].lookup("b")) == str(ExprTree(deep))
    assert (ads[1]["c"], ads[2]["d"]) == (2, 3)


def test_an_ad_of_more_than_a_megabyte() -> None:
    text = "x" * (1 << 20)
    for read in (parseOne(f'[a = "{text}"; b = 2]'), ClassAd(f'[a = "{text}"; b = 2]')):
        assert (read["a"], read["b"], len(read)) == (text, 2, 2)


def test_many_ads_with_other_than_ascii_are_read_one_by_one() -> None:
    """The short cut through a long text of ads begins anew behind them."""
    size, plain = 1 << 20, 'Name = "slot%d"\nCpus = %d\n\n'
    first = "".join(plain % (number, number % 64) for number in range(60_000))
    assert len(first) > size
    ads = list(parseAds(first.replace("slot17", "grün17", 1) + first, ParserType.Old))
    assert [ad["Cpus"] for ad in ads] == [number % 64 for number in range(60_000)] * 2
    assert [ad["Name"] for ad in ads[16:19]] == ["slot16", "grün17", "slot18"]
    assert ads[-1]["Name"] == "slot59999"
