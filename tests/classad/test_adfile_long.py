"""The long form: what a line means, and that the fast path means the same as the grammar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAd, ExprTree
from classad.errors import ClassAdParseError, Diagnostic
from classad.files.ads import read_long
from classad.formats import long
from classad.formats.long import LongReader
from classad.language.values import UNDEFINED
from classad.syntax.lexing import literal_value
from classad.syntax.nodes import Literal
from classad.syntax.parser import parse_expression
from tests.cases import every_case

VECTORS = Path(__file__).parents[1] / "vectors" / "classad" / "formats.jsonl"
LINES = [
    case
    for line in VECTORS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    if (case := json.loads(line))["kind"] == "long_line"
]


@every_case("case", LINES, name=lambda case: case["id"])
def test_vector(case: dict[str, Any]) -> None:
    problems: list[Diagnostic] = []
    ads = list(read_long(case["input"], "line", problems))
    if not case["ok"]:
        assert ads == []
        blank = case["input"].strip() == "" or case["input"].startswith("#")
        assert len(problems) == (0 if blank else 1)
        return
    # HTCondor's reader takes the line; only what it ignores behind the value is told of.
    assert [problem for problem in problems if problem.severity != "warning"] == []
    (ad,) = ads
    assert list(ad.names()) == case["names"]
    expected = case["new"].removeprefix("[ ").removesuffix(" ]").partition(" = ")[2]
    value = ad.raw(case["names"][0])
    assert ExprTree.from_value(value) == ExprTree(expected)


def test_blank_lines_separate_ads_and_comments_do_not() -> None:
    text = "\n\na = 1\n# note\nb = 2\n   \n\t\nc = 3\n# end"
    assert [list(ad.names()) for ad in read_long(text)] == [["a", "b"], ["c"]]


def test_first_spelling_and_last_value() -> None:
    (ad,) = read_long("Memory = 1\nMEMORY = 2\n")
    assert list(ad.names()) == ["Memory"]
    assert ad.raw("memory") == 2


def test_lines_may_come_one_by_one_with_their_ends() -> None:
    lines = iter(["a = 1\r\n", "b = x + a\n", "\r\n", 'c = "\u00e9"'])
    first, second = read_long(lines)
    assert first.raw("a") == 1
    assert first.raw("b") == ExprTree("x + a")
    assert second.raw("c") == "\u00e9"


def test_reading_is_lazy() -> None:
    def endless() -> Any:
        while True:
            yield "a = 1"
            yield ""

    ads = read_long(endless())
    assert next(ads).raw("a") == 1
    assert next(ads).raw("a") == 1


def test_equal_lines_share_an_expression() -> None:
    first, second = read_long("Requirements = a > b\n\nRequirements = a > b\nStart = a > b\n")
    assert first.raw("Requirements") is second.raw("Requirements")
    assert second.raw("Requirements") is not second.raw("Start")  # a cycle is told by the object


def test_equal_lists_and_ads_are_not_shared() -> None:
    first, second = read_long("x = {1, y}\nz = [q = 1]\n\nx = {1, y}\nz = [q = 1]\n")
    assert first.raw("x") is not second.raw("x")
    first.raw("z").insert("q", 2)
    assert second.raw("z").raw("q") == 1
    assert first.raw("z")._parent is first
    assert second.raw("z")._parent is second


def test_bad_line_is_reported_with_its_place_and_the_rest_kept() -> None:
    problems: list[Diagnostic] = []
    (ad,) = read_long("a = 1\nb = (2 +\nc = 3\n", "jobs.ads", problems, first_line=10)
    assert list(ad.names()) == ["a", "c"]
    (problem,) = problems
    assert problem.headline().startswith("jobs.ads:11:")
    assert "b = (2 +" in problem.render()
    assert "^" in problem.render()


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("  junk", 3, "line is not of the form `Name = expression`"),
        ("= 1", 1, "attribute name missing before `=`"),
        ("a = 1 +", 8, None),
        ("a =", 4, None),
        ("   a = @", 8, None),
    ],
)
def test_place_of_a_problem(line: str, column: int, message: str | None) -> None:
    problems: list[Diagnostic] = []
    assert list(read_long(line, "f", problems)) == []
    assert (problems[0].line, problems[0].column) == (1, column)
    assert message is None or problems[0].message == message


def test_each_bad_copy_is_reported() -> None:
    problems: list[Diagnostic] = []
    list(read_long("a = (\n\na = (\n", "f", problems))
    assert [problem.line for problem in problems] == [1, 3]


def test_strict_raises() -> None:
    with pytest.raises(ClassAdParseError) as caught:
        list(read_long("a = 1\njunk\n", "f", errors="strict"))
    assert "f:2:1: error" in str(caught.value)


def test_htcondor_drops_the_rest_of_the_ad() -> None:
    problems: list[Diagnostic] = []
    ads = list(read_long("a = 1\njunk\nb = 2\n\nc = 3", "f", problems, errors="htcondor"))
    assert [list(ad.names()) for ad in ads] == [["a"], ["c"]]
    assert len(problems) == 1


def test_htcondor_drops_known_lines_too() -> None:
    ads = list(read_long("b = 2\n\na = 1\njunk\nb = 2\n", errors="htcondor"))
    assert [list(ad.names()) for ad in ads] == [["b"], ["a"]]


def test_unknown_policy_for_errors_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="must be `strict`, `warn` or `htcondor`"):
        read_long("", errors="ignore")  # type: ignore[arg-type]


def test_a_reader_shares_expressions_between_sources() -> None:
    reader = LongReader(ClassAd)
    (one,) = reader.read("Rank = x * 2", "a")
    (two,) = reader.read("Rank = x * 2", "b")
    assert one.raw("Rank") is two.raw("Rank")


# --- the fast path against the grammar --------------------------------------------------------

SNIPPETS = st.sampled_from(
    [
        *("-", "0", "1", "9", "17", "9223372036854775808", ".", "e", "E", "+", "K", "x"),
        *("a", "true", "False", "undefined", "error", "\u00e9"),
        *('"', "\\", " ", "\t", "\r", "\0", "//"),
    ]
)


def by_grammar(text: str) -> Any:
    """What the grammar makes of a right-hand side: a literal's value, or None."""
    try:
        node = parse_expression(text.strip(" \t\n\v\f\r"), old=True, prefix=True)
    except ClassAdParseError:
        return None
    return node.value if isinstance(node, Literal) else None


@given(st.lists(SNIPPETS, max_size=7).map("".join))
def test_fast_path_is_the_grammar(text: str) -> None:
    fast = literal_value(text)
    if fast is not None:
        slow = by_grammar(text)
        assert (type(fast), repr(fast)) == (type(slow), repr(slow))


@given(st.integers(-(10**18) + 1, 10**18 - 1) | st.floats() | st.booleans())
def test_fast_path_takes_plain_numbers(value: float) -> None:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    if text.lstrip("-") in ("inf", "nan"):
        return
    fast = literal_value(f" {text} ")
    assert (type(fast), fast) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' "plain"', "plain"),
        (' "back\\slash"', "back\\slash"),
        (" UNDEFINED", UNDEFINED),
        (" 1e400", float("inf")),
        (" -0.0", -0.0),
        (' "it\'s # no // comment"', "it's # no // comment"),
    ],
)
def test_fast_path_literals(text: str, value: Any) -> None:
    assert repr(literal_value(text)) == repr(value)


@pytest.mark.parametrize(
    "text", [" 010", " 1.", " 1 junk", ' "a\\"b"', ' "a" "b"', " - 5", " x", "", ' "a\0"']
)
def test_left_to_the_grammar(text: str) -> None:
    assert literal_value(text) is None


def test_what_is_known_of_lines_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "_MAX_LINES", 2)
    text = "".join(f"A = {number % 3} + B\nB = {number}\n\n" for number in range(9))
    ads = list(read_long(text))
    assert [ad.eval("A") for ad in ads] == [number % 3 + number for number in range(9)]
