"""What does not parse costs its attribute or its ad; a cut file gives the ads before the cut."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pytest

import classad.files.compressed
from classad import ClassAdParseError, Table, read_ads
from classad.errors import Diagnostic

#: Text, how often what is lost, the ads that are left in JSON.
LOST: dict[str, tuple[str, list[str], list[str]]] = {
    "value in JSON": (
        '[{"a": 1}, {"b": 1x, "c": [1, {"d": "}"}]}, {"e": 3}]',
        ["attribute"],
        ["[ a = 1 ]", '[ c = { 1,[ d = "}" ] } ]', "[ e = 3 ]"],
    ),
    "nested value in JSON": (
        '{"a": [1, {"b": oops}], "c": 2}\n{"d": 3}',
        ["attribute"],
        ["[ c = 2 ]", "[ d = 3 ]"],
    ),
    "expression in JSON": (r'{"a": "\/Expr(1 +)\/", "b": 2}', ["attribute"], ["[ b = 2 ]"]),
    "line of JSON lines": (
        '{"a": 1}\n{"b": "never closed}\n{"c": 3}\nno ad\n{"d": {]}\n{"e": 5}\n',
        ["ad", "ad", "ad"],
        ["[ a = 1 ]", "[ c = 3 ]", "[ e = 5 ]"],
    ),
    "ad that ends early in JSON": (
        '[\n{\n  "a": {\n    "x": 1\n}\n,\n{\n  "b": 2\n}\n]\n',
        ["ad"],
        ["[ b = 2 ]"],
    ),
    "NUL in JSON": (
        '[{"a\\u0000": 1, "b": "\\u0000", "c\0": 2, "d": 3}]',
        ["attribute"] * 3,
        ["[ d = 3 ]"],
    ),
    "numbers that JSON does not have": (
        '{"a": -01, "b": 0x1.8, "c": 01, "d": 0x10, "e": 1}',
        ["attribute"] * 4,
        ["[ e = 1 ]"],
    ),
    "end of JSON": ('[{"a": 1}, {"b": 2', ["rest"], ["[ a = 1 ]"]),
    "value in new syntax": (
        '[a = 1]\n[b = 1 +; c = "]"; d = {1, [e = 2]}; f = ]\n[g = 3]',
        ["attribute", "attribute"],
        ["[ a = 1 ]", '[ c = "]"; d = { 1,[ e = 2 ] } ]', "[ g = 3 ]"],
    ),
    "ad in new syntax": (
        '{\n[a = 1],\n[b = "],\n[c = (2; d = 1],\n[e = 3]\n}',
        ["ad", "ad"],
        ["[ a = 1 ]", "[ e = 3 ]"],
    ),
    "indented ad in new syntax": (
        '{\n  [a = 1],\n  [b = "],\n  [c = [d =\n    [e = 1]]],\n  [f = 3]\n}\n',
        ["ad"],
        ["[ a = 1 ]", "[ c = [ d = [ e = 1 ] ] ]", "[ f = 3 ]"],
    ),
    "indented ad in JSON": (
        '[\n  {"a": 1},\n  {"b": "\n},\n  {"f": 3,\n "g":\n   {"h": 1}}\n]\n',
        ["ad"],
        ["[ a = 1 ]", "[ f = 3; g = [ h = 1 ] ]"],
    ),
    "NUL in new syntax": ("['a\0' = 1; b = 2]", ["attribute"], ["[ b = 2 ]"]),
    "elements in an attribute of XML": (
        '<c><a n="a"><q><l><i>1</i><b v="t"/></l></q></a><a n="b"><i>2</i></a></c><c/>',
        ["attribute"],
        ["[ b = 2 ]", "[ ]"],
    ),
    "empty elements beside an unknown one in XML": (
        '<c><a n="a"><l><i>1</i><l/><c/><q>3</q></l></a><a n="b"><l/></a></c>\n<c/>',
        ["attribute"],
        ["[ b = { } ]", "[ ]"],
    ),
    "end of an element in XML": ("<c><q/></c><c/>", ["attribute"], ["[ ]", "[ ]"]),
    "value in XML": (
        '<c>\n<a n="a"><q/></a>\n<a n="b"><l><c><a n="x"><i>1</i></a></c></l></a>\n</c>\n'
        '<c><a n="c"><e>1 +</e></a></c>\n<c><a n="d"><i>3</i></a></c>',
        ["attribute", "attribute"],
        ["[ b = { [ x = 1 ] } ]", "[ ]", "[ d = 3 ]"],
    ),
    "ad in XML": (
        '<c><a n="a"><l></a></c>\n<c><a n="b"><i>2</i></a></c>\n',
        ["ad"],
        ["[ b = 2 ]"],
    ),
    "NUL in the long form": ("a\0b = 1\nc = 2\n", ["attribute"], ["[ c = 2 ]"]),
}


def read(text: str, errors: str = "warn") -> tuple[list[str], list[Diagnostic]]:
    problems: list[Diagnostic] = []
    ads = list(read_ads(io.StringIO(text), diagnostics=problems, errors=errors))  # type: ignore[arg-type]
    return [" ".join(repr(ad).split()) for ad in ads], problems


@pytest.mark.parametrize("name", LOST)
def test_a_bad_value_costs_its_attribute_or_its_ad(name: str) -> None:
    text, lost, left = LOST[name]
    ads, problems = read(text)
    assert ads == left
    assert [item.lost for item in problems] == lost
    assert all(item.severity == "error" for item in problems)
    with pytest.raises(ClassAdParseError):
        read(text, "strict")


def test_htcondors_own_reader_stops_at_the_first_error() -> None:
    for name in ("value in JSON", "value in new syntax"):
        ads, problems = read(LOST[name][0], "htcondor")
        assert (len(ads), [item.lost for item in problems]) == (1, ["rest"])


@pytest.mark.slow
def test_reading_on_takes_time_in_proportion() -> None:
    for one, between, count, left in (
        ('{"a": 1x}', ", ", 3000, 3000),
        ('{"a": [1}', "\n", 3000, 0),
        ("[a = 1 +]", " ", 300, 300),
        ("[a = (1]", "\n", 300, 0),
    ):
        text = between.join([one] * count)
        ads, problems = read(f"[{text}]" if between == ", " else text)
        assert (len(ads), len(problems)) == (left, count)


@pytest.mark.parametrize(
    "text",
    [f'{{"a": {"9" * 5000}}}', f"[a = {'9' * 5000}]", f"a = {'9' * 5000}"],
    ids=["json", "new", "long"],
)
def test_a_number_beyond_64_bits_is_said_and_nothing_is_lost(text: str) -> None:
    ads, [problem] = read(text)
    assert ads == ["[ a = 0 ]"]
    assert (problem.severity, problem.lost) == ("warning", None)
    assert "5000 characters" in problem.message
    assert read(text, "strict")[0] == ads


def test_such_a_number_in_xml_is_an_error_as_in_htcondor() -> None:
    ads, [problem] = read(f'<c><a n="a"><i>{"9" * 5000}</i></a></c>')
    assert ads == ["[ a = error ]"]
    assert problem.severity == "warning"


def test_bytes_that_are_no_text_are_kept_and_said_once() -> None:
    for data in (b'{"a": "\xff", "b": "\xfe"}', b'[a = "\xff"; b = "\xfe"]'):
        problems: list[Diagnostic] = []
        [ad] = read_ads(io.BytesIO(data), diagnostics=problems)
        assert (ad.raw("a"), ad.raw("b")) == ("\udcff", "\udcfe")
        assert ["not UTF-8" in item.message for item in problems] == [True]


# --- compressed files -----------------------------------------------------------------------

PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
NUMBERS = [str(number**7 % 1_000_003) for number in range(4000)]
FORMS = {
    "long": "".join(f'N = {i}\nX = "{x}"\n\n' for i, x in enumerate(NUMBERS)),
    "json": "".join(f'{{"N": {i}, "X": "{x}"}}\n' for i, x in enumerate(NUMBERS)),
    "new": "".join(f'[N = {i}; X = "{x}"]\n' for i, x in enumerate(NUMBERS)),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", PACK)
def test_a_cut_file_gives_the_ads_before_the_cut(ending: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"ads{ending}"
    packed = b"".join(PACK[ending](FORMS[form].encode()) for _ in range(2))
    path.write_bytes(packed[: len(packed) * 3 // 4])
    problems: list[Diagnostic] = []
    ads = list(read_ads(path, diagnostics=problems))
    assert [ad["N"] for ad in ads] == [i % 4000 for i in range(len(ads))]
    assert all(ad["X"] == NUMBERS[ad["N"]] for ad in ads)
    assert len(ads) > 2000
    assert f"{path}: the unpacked text ends in line" in problems[-1].message
    assert problems[-1].message.endswith("the file is cut off")
    assert problems[-1].lost == "rest"
    table = Table.from_file(path, diagnostics=[])
    assert len(table) == len(ads)
    with pytest.raises(ClassAdParseError, match=r"is cut off|expected|closed|of the form"):
        list(read_ads(path))


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "ads.xz"
    packed = bytearray(lzma.compress(FORMS["long"].encode()))
    packed[len(packed) // 2] ^= 0x55
    path.write_bytes(packed)
    problems: list[Diagnostic] = []
    list(read_ads(path, diagnostics=problems))
    assert problems[-1].message.endswith("the file is damaged")


def test_a_file_unpacks_to_no_more_than_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "ads.gz"
    path.write_bytes(gzip.compress(FORMS["long"].encode()))
    problems: list[Diagnostic] = []
    with classad.limits(unpacked=1000):
        ads = list(read_ads(path, diagnostics=problems))
        table = Table.from_file(path, diagnostics=problems)
    assert 0 < len(ads) == len(table) < 60
    assert "behind 1000 bytes: more is not unpacked" in problems[0].message


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"A": 1 + 2, "B": 3}', "[ B = 3 ]"),
        ('{"B": 3, "A": 1 2}', "[ B = 3 ]"),
        ('{"B": 3, "A": [1] x, "C": 4}', "[ B = 3; C = 4 ]"),
        # Where a comma is missing, the value before it is a whole one.
        ('{"A": 1 "B": 3}', "[ A = 1 ]"),
        ('{"A": 1, + "B": 3}', "[ A = 1 ]"),
    ],
)
def test_what_stands_behind_a_value_in_json_is_lost_with_it(text: str, kept: str) -> None:
    ads, [problem] = read(text)
    assert ads == [kept]
    assert problem.lost == "attribute"
