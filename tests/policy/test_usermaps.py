"""User maps: the recorded answers of ``userMap``, and where maps come from."""

from __future__ import annotations

from typing import Any

import pytest

from classad.errors import Diagnostic
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse_value
from policy.config import config_from_mapping
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.maps.user_maps import UserMaps, map_name, parse_user_map, read_user_maps
from tests.policy.config_vectors import load_vectors

CASES = load_vectors("usermap.json")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_answers_agree(case: dict[str, Any]) -> None:
    maps = UserMaps({case["map_name"]: parse_user_map(case["map"])})
    context = EvalContext(user_maps=maps)
    found = {text: unparse_value(evaluate(text, context=context)) for text in case["results"]}
    assert found == case["results"]


def test_quoted_fields_prefixes_and_methods() -> None:
    text = '* "two words" "a \\"b\\""\nclaim alice x\n* al y\n'
    maps = parse_user_map(text)
    assert maps["*"].get("two words") == 'a "b"'
    assert maps["claim"].get("alice") == "x"
    assert parse_user_map(text, prefix=True)["*"].get("alice") == "y"


def test_a_map_lists_its_literal_names_once() -> None:
    found = parse_user_map("@include /more\n* bob g1\n* /b.*/ g2\n* bob g3\n")["*"]
    assert (list(found), len(found), dict(found)) == (["bob"], 1, {"bob": "g1"})


def test_a_pattern_that_is_given_up_is_about_nobody() -> None:
    found = parse_user_map("* /^(a+)+$/ g1\n* /b/ g2\n")["*"]
    assert [found.get(name) for name in ("aaa", "a" * 60 + "b")] == ["g1", "g2"]


@pytest.mark.parametrize(
    ("line", "method", "key", "result", "rest"),
    [
        ("* alice g", "*", "alice", "g", ""),
        ("  *  alice\tg  ", "*", "alice", "g", ""),
        ("CLAIM alice g", "claim", "alice", "g", ""),
        ("* alice g and more ", "*", "alice", "g", "and more"),
        ("* alice g # why", "*", "alice", "g", "# why"),
        ('* "a b" "c d" e', "*", "a b", "c d", "e"),
        ('* "a\\"b" c', "*", 'a"b', "c", ""),
        ('"*" a b', "*", "a", "b", ""),
        ('* "a" "b"c', "*", "a", "b", "c"),
        ("* a#b c", "*", "a#b", "c", ""),
        ("* /a/1 c", "*", "/a/1", "c", ""),  # no pattern: no blank behind its end
        ("* / c", "*", "/", "c", ""),
        ("* alice g\r", "*", "alice", "g", ""),
    ],
)
def test_a_line_with_a_literal_key(
    line: str, method: str, key: str, result: str, rest: str
) -> None:
    maps = parse_user_map(f"\n{line}\n", name="/m")
    ((one, answer),) = maps[method].answers(key)
    assert (one.key, answer, one.rest, one.pattern) == (key, result, rest, None)
    assert (one.file, one.number, one.written) == ("/m", 2, line.strip())
    assert set(maps) == {"*", method}
    assert list(maps[method].answers(f"{key}x")) == []
    assert list(maps[method].answers(key[:-1])) == []
    prefixes = parse_user_map(line, prefix=True)[method]
    assert [prefixes.get(name) for name in (key, f"{key}x", key[:-1])] == [result, result, None]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", None),
        ("   ", None),
        ("# * alice g", None),
        ("  # x", None),
        ("#x alice g", None),
        ("*", "it has no key"),
        ("* alice", "it has no result"),
        ("* /a/", "it has no result"),
        ("* /(/ g", "`(` is not a regular expression"),
        ("*alice g", "it has no result"),
        ('* "" g', "it has no key"),
        ('* alice ""', "it has no result"),
        ("@include", None),
        ("@include /x", None),
        ("@included alice", "it has no result"),
    ],
)
def test_a_line_that_says_nothing(line: str, why: str | None) -> None:
    skipped: list[Diagnostic] = []
    maps = parse_user_map(f"* zoe g\n{line}\n* yves g\n", name="/m", skipped=skipped)
    assert {name: len(lines) for name, lines in maps.items()} == {"*": 2}
    told = [(found.message, found.line, found.severity) for found in skipped]
    expected = (f"this line says nothing: {why}", 2, "warning")
    assert told == ([] if why is None else [expected])
    assert [(found.start, found.end) for found in skipped] == [(0, len(line))] * len(skipped)
    assert len(parse_user_map(line)["*"]) == 0  # also where nobody asks for what is skipped


@pytest.mark.parametrize(
    ("pattern", "result", "name", "answer"),
    [
        ("/^a/", "g", "alice", "g"),
        ("/^a/", "g", "Alice", None),
        ("/^a/i", "g", "Alice", "g"),
        ("/^A/i", "g", "alice", "g"),
        ("/l/", "g", "alice", "g"),
        ("/a\\/b/", "g", "xa/b", "g"),
        ("/a b/", "g", "a b", "g"),
        ("/(.*)@(.*)/", "\\2-\\1", "alice@x.org", "x.org-alice"),
        ("/(.*)@(.*)/", "\\0!", "alice@x.org", "alice@x.org!"),
        ("/(.*)@(.*)/", "\\3", "alice@x.org", "\\3"),
        ("/(.*)@(.*)/", "\\9\\1", "a@x", "\\9a"),
        ("/(a)|(b)/", "<\\1\\2>", "b", "<b>"),
        ("/(a+)/U", "<\\1>", "aaa", "<a>"),
        ("/(a+)/", "<\\1>", "aaa", "<aaa>"),
        ("/(A+)/iU", "<\\1>", "aaa", "<a>"),
        ("/^(..)/", "\\1", "\u00e9a", "\u00e9"),  # two bytes
        ("/a/b", "g", "xa", "g"),  # another letter behind it changes nothing
    ],
)
def test_a_line_with_a_pattern(pattern: str, result: str, name: str, answer: str | None) -> None:
    found = parse_user_map(f"* {pattern} {result} rest\n")["*"]
    assert found.get(name) == answer
    assert (list(found), len(found), list(found.literals())) == ([], 0, [])
    # A map of prefixes has no patterns: what looks like one is the beginning of a name.
    if " " not in pattern:
        prefixes = parse_user_map(f"* {pattern} g\n", prefix=True)["*"]
        assert (prefixes.get(name), prefixes.get(f"{pattern}x")) == (None, "g")


def test_the_first_line_that_answers_wins() -> None:
    text = "* alice g1\n* /^a/ g2\n* alice g3\n* bob g4\n"
    found = parse_user_map(text)["*"]
    assert [answer for _, answer in found.answers("alice")] == ["g1", "g2", "g3"]
    mapped = map_name(found, "alice")
    assert (mapped.result, [one.number for one in mapped.beaten]) == ("g1", [2, 3])
    with pytest.raises(KeyError):
        found["zoe"]


@pytest.mark.parametrize(
    ("name", "preferred", "result", "groups", "group", "near"),
    [
        ("alice", None, "a, b,c", ("a", "b", "c"), "a", 0),
        ("alice", "b", "a, b,c", ("a", "b", "c"), "b", 0),
        ("alice", "C", "a, b,c", ("a", "b", "c"), "c", 0),
        ("alice", "x", "a, b,c", ("a", "b", "c"), "a", 0),
        ("alice", "", "a, b,c", ("a", "b", "c"), "a", 0),
        ("bob", None, ", ,", (), None, 0),
        ("bob", "a", ", ,", (), None, 0),
        ("Alice", None, None, (), None, 1),
        ("zoe", "a", None, (), None, 0),
    ],
)
def test_the_group_of_a_name(
    name: str,
    preferred: str | None,
    result: str | None,
    groups: tuple[str, ...],
    group: str | None,
    near: int,
) -> None:
    found = map_name(parse_user_map('* alice "a, b,c"\n* bob ", ,"\n')["*"], name, preferred)
    assert (found.name, found.preferred, found.result) == (name, preferred, result)
    assert (found.groups, found.group, len(found.near)) == (groups, group, near)
    number = {"alice": 1, "bob": 2}.get(name)
    assert (None if found.line is None else found.line.number) == number
    assert found.line is None or found.line.file == "<map>"


def test_what_is_included() -> None:
    asked = []

    def include(path: str) -> list[tuple[str, str]]:
        asked.append(path)
        return [("/b", "* bob g2\n@include /c\n"), ("/d", "* dan g3\n")]

    maps = parse_user_map("@include  /b and d \n* alice g1\n", include=include, name="/a")
    assert asked == ["/b and d"]  # a file that is included includes nothing
    found = [next(maps["*"].answers(name))[0] for name in ("alice", "bob", "dan")]
    assert [(one.file, one.number) for one in found] == [("/a", 2), ("/b", 1), ("/d", 1)]
    assert parse_user_map("@include /b\n* alice g1\n")["*"].get("bob") is None


@pytest.mark.parametrize("line", ["@include", "@include  ", "\t@include"])
def test_an_include_that_names_nothing_asks_for_nothing(line: str) -> None:
    asked: list[str] = []

    def include(path: str) -> list[tuple[str, str]]:
        asked.append(path)
        return []

    found = parse_user_map(f"{line}\n* alice g1\n", include=include)["*"].get("alice")
    assert (found, asked) == ("g1", [])


@pytest.mark.parametrize(
    ("flag", "is_prefix"),
    [("True", True), ("t", True), ("1", True), ("TRUE", True), ("tea", True), ("False", False),
     ("0", False), ("yes", False), ("", False), ("10", True)],
)  # fmt: skip
def test_a_map_of_prefixes(flag: str, is_prefix: bool) -> None:
    knobs = {
        "NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "A",
        "CLASSAD_USER_MAPDATA_A": "* al g",
        "CLASSAD_USER_MAP_PREFIX_A": flag,
    }
    context = Context("NEGOTIATOR")
    config = config_from_mapping(knobs, builtin_library(), context=context)
    maps = read_user_maps(config, MemorySources({}))
    assert maps["a"].get("alice") == ("g" if is_prefix else None)


def test_maps_by_name_and_method() -> None:
    maps = UserMaps({"A.B": parse_user_map("* x g1\nm x g2\n"), "C": parse_user_map("m x g3\n")})
    found = {name: dict(maps[name]) for name in ("a.b", "A.B", "a.B.M", "c", "c.m")}
    assert found == {
        "a.b": {"x": "g1"}, "A.B": {"x": "g1"}, "a.B.M": {"x": "g2"}, "c": {}, "c.m": {"x": "g3"},
    }  # fmt: skip
    assert (list(maps), len(maps)) == (["a.b", "c"], 2)
    for name in ("d", "a", "c.x", "a.b.x"):
        with pytest.raises(KeyError):
            maps[name]


def test_maps_are_named_by_the_configuration() -> None:
    config = config_from_mapping(
        {
            "NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "Groups Inline Gone",
            "CLASSAD_USER_MAPFILE_Groups": "/groups.map",
            "CLASSAD_USER_MAPDATA_Inline": "* bob g2",
            "CLASSAD_USER_MAPFILE_Gone": "/gone",
        },
        builtin_library(),
        context=Context("NEGOTIATOR"),
    )
    files = {"/groups.map": "* alice g1\n@include /more\n", "/more/a": "* carol g3\n"}
    maps = read_user_maps(config, MemorySources(files))
    assert sorted(maps) == ["groups", "inline"]
    assert [maps["GROUPS"].get(user) for user in ("alice", "carol", "bob")] == ["g1", "g3", None]
    assert maps["inline"].get("bob") == "g2"
