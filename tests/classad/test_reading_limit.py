"""What is read from a text, and kept, takes six bytes for each byte of it, or is refused.

The bounds are lowered here, so that small texts reach them.
"""

from __future__ import annotations

import json
import random
import sys
import tracemalloc
from collections import deque
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

import classad
from classad import ClassAd, kernels
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic, LimitError
from classad.files.ads import load_ads, load_file
from classad.files.log import read_transaction_log
from classad.formats import common as held
from classad.formats import json as json_form
from classad.formats import long, recovery
from classad.formats import xml as xml_form
from classad.language import bounds
from classad.loading.columns import LoadedColumns
from classad.syntax import lexing
from classad.syntax.lazy import LazyExpression
from tests.classad.test_reading_memory import FORMS, slots, text_of

#: Small texts of ads of one attribute, in each form: that attribute's value, numbered.
VALUES = {
    "numbers": "#",
    "texts": '"text #"',
    "expressions": "B + #",
    "lists": "{1, {2, #}, 3}",
    "ads": "[B = #; C = [D = 2]]",
}
NAMES = {"one": "A", "own": "Own#"}


def tiny(form: str, kind: str, names: str, count: int) -> str:
    """Many ads of one attribute."""
    value, name = VALUES[kind], NAMES[names]
    made = (
        {name.replace("#", str(number)): value.replace("#", str(number))} for number in range(count)
    )
    if form == "xml" and kind in ("lists", "ads"):
        # As a document has them: not as expressions.
        value = {
            "lists": "<l><i>1</i><l><i>2</i><i>#</i></l><i>3</i></l>",
            "ads": '<c><a n="B"><i>#</i></a><a n="C"><c><a n="D"><i>2</i></a></c></a></c>',
        }[kind]
        ads = (
            f'<c><a n="{name.replace("#", str(number))}">{value.replace("#", str(number))}</a></c>'
            for number in range(count)
        )
        return f"<classads>{''.join(ads)}</classads>"
    if form in ("json", "jsonl") and kind in ("lists", "ads"):
        value = {"lists": "[1, [2, #], 3]", "ads": '{"B": #, "C": {"D": 2}}'}[kind]
        lines = (
            f'{{"{name.replace("#", str(number))}": {value.replace("#", str(number))}}}'
            for number in range(count)
        )
        return "\n".join(lines)
    return text_of(form, made)


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, float], None]:
    """Sets what a text always may take, and how many bytes for each of its bytes."""

    def lower(always: int, factor: float = 6) -> None:
        monkeypatch.setattr(bounds, "READ_ALWAYS", always)
        monkeypatch.setattr(bounds, "READ_FACTOR", factor)
        monkeypatch.setattr(held, "_PAUSE", 1 << 14)
        monkeypatch.setattr(held, "_GROUP", 1 << 12)

    return lower


def traced(read: Callable[[], object]) -> int:
    """The bytes of what a function returns."""
    read()  # what is loaded and remembered once
    tracemalloc.start()
    try:
        found = read()
        taken = tracemalloc.get_traced_memory()[0]
        del found
        return taken
    finally:
        tracemalloc.stop()


READERS: dict[str, Callable[[Path], object]] = {
    "read_ads": lambda path: list(classad.read_ads(path)),
    "parseAds": lambda path: list(classad.parseAds(path.read_text())),
    "load_ads": lambda path: load_ads(path),
}


#: All ways to have too much; `make test` tries one in five, of each form and each kind some.
_LONG = [pytest.mark.slow, pytest.mark.long]
WAYS = [
    pytest.param(*way, marks=[] if number % 5 == 0 else _LONG, id="-".join(way))
    for number, way in enumerate(product(FORMS, VALUES, NAMES, READERS))
]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "kind", "names", "reader"), WAYS)
def test_ads_that_take_too_much_are_refused(
    form: str, kind: str, names: str, reader: str, tmp_path: Path, low: Callable[[int, float], None]
) -> None:
    path = tmp_path / "ads"
    path.write_text(tiny(form, kind, names, 400))
    read = READERS[reader]
    found = read(path)
    if isinstance(found, LoadedColumns):
        if names == "one":
            low(5 * path.stat().st_size, 0)
            assert len(load_file(path)) == 400
            return  # columns of one name never take too much
        read = lambda path: list(load_file(path).to_ads(ClassAd))  # noqa: E731
    taken = traced(lambda: read(path))
    low(int(0.75 * taken), 0)
    with pytest.raises(LimitError, match=r"what is read takes more than .* `--limit-memory SIZE`"):
        read(path)
    # Not because of the text, but because they are kept.
    if reader != "load_ads":
        low(max(90_000, 3 * path.stat().st_size), 0)
        stream = classad.read_ads(path) if reader == "read_ads" else parsed(path)
        assert len(deque(stream, 1)) == 1
    # Nor is it refused if it may take more.
    low(5 * taken, 0)
    read(path)
    low(1, 1)
    with classad.limits(memory=1 << 40):
        read(path)


def parsed(path: Path) -> object:
    return classad.parseAds(path.read_text())


@pytest.mark.parametrize("form", FORMS)
def test_ads_as_pools_have_them_are_far_from_the_limit(
    form: str, tmp_path: Path, low: Callable[[int, float], None]
) -> None:
    path = tmp_path / "ads"
    path.write_text(text_of(form, slots(300_000)))
    low(100_000, 5.5)
    for read in READERS.values():
        found = read(path)
        assert (len(found) if isinstance(found, list | LoadedColumns) else 0) == 300
    if form == "long":
        assert len(list(load_file(path).to_ads(ClassAd))) == 300


def test_ads_that_are_gone_are_not_counted(low: Callable[[int, float], None]) -> None:
    """Those that are there still are, wherever they stand."""
    text = tiny("long", "numbers", "one", 5000)
    low(400_000, 0)
    kept = [ad for number, ad in enumerate(classad.parseAds(text)) if number < 250]
    assert len(kept) == 250
    with pytest.raises(LimitError):
        list(classad.parseAds(text))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_an_ad_of_many_names_is_refused_before_it_is_whole(
    form: str, tmp_path: Path, low: Callable[[int, float], None]
) -> None:
    path = tmp_path / "ads"
    path.write_text(text_of(form, iter([{f"A{number}": str(number) for number in range(1000)}])))
    low(130_000, 0)
    with pytest.raises(LimitError):
        next(classad.read_ads(path))
    with pytest.raises(LimitError):
        next(classad.parseAds(path.read_text()))
    low(700_000, 0)
    assert len(next(classad.read_ads(path))) == 1000


#: Values of very many parts in old and new syntax, for a scale.
LARGE: dict[str, Callable[[int], str]] = {
    "a list": lambda scale: "{" + ",".join(["1"] * 120_000 * scale) + "}",
    "a list of names": lambda scale: "{" + ",".join(["B"] * 120_000 * scale) + "}",
    "a sum": lambda scale: "B" + "+1" * 120_000 * scale,
    "an ad": lambda scale: "[" + ";".join(f"a{n}=1" for n in range(60_000 * scale)) + "]",
    "lists": lambda scale: "{" + ",".join(["{}"] * 80_000 * scale) + "}",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
@pytest.mark.parametrize("form", ["long", pytest.param("new", marks=_LONG), "jsonl", "xml"])
def test_a_value_of_too_many_parts_costs_its_attribute(
    form: str,
    kind: str,
    tmp_path: Path,
    low: Callable[[int, float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # In new syntax each takes half a minute: what the C parser refuses is read once more, and only
    # where the whole ad is long.
    value = LARGE[kind](5 if form == "new" else 1)
    most = 500_000 if form == "new" else 100_000
    path = tmp_path / "ads"
    path.write_text(text_of(form, iter([{"A": "1", "B": value, "C": "2 + A"}, {"D": "1"}])))
    low(80_000_000, 0)
    # Of texts from this length on parts are counted; each is said to take more than it does.
    monkeypatch.setattr("classad.syntax.parser._LONG", 1 << 16)
    monkeypatch.setattr(bounds, "_PART", 80_000_000 // most)
    problems: list[Diagnostic] = []
    first, second = classad.read_ads(path, diagnostics=problems)
    assert [set(first), set(second)] == [{"A", "C"}, {"D"}]
    assert (first.eval("C"), second["D"]) == (3, 1)
    (problem,) = problems
    assert problem.lost == "attribute"
    assert f"more than {most} parts" in problem.message
    assert problem.help is None or "--limit-memory SIZE" in problem.help
    with pytest.raises(ClassAdParseError, match=f"more than {most} parts"):
        list(classad.read_ads(path))
    if form == "long":
        loaded = load_file(path)
        assert [item.message for item in loaded.diagnostics] == [problem.message]
        assert loaded.names == ["A", "C", "D"]


@pytest.mark.slow
def test_an_expression_of_too_many_parts_is_no_expression(
    low: Callable[[int, float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of texts from this length on parts are counted.
    monkeypatch.setattr("classad.syntax.parser._LONG", 1 << 16)
    low(160 * 100_000, 0)
    exactly = "B" + "+1" * 49_999 + " " * 10_000
    assert classad.ExprTree(exactly) is not None
    with pytest.raises(ClassAdParseError, match="more than 100000 parts") as caught:
        classad.ExprTree(exactly + "+1")
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.start == len(exactly) + 1
    # A text is one part, however long; so is a name.
    low(160, 0)
    assert classad.ExprTree('"' + "x, " * 60_000 + '"').eval() == "x, " * 60_000
    assert classad.ExprTree("  " + "x" * 120_000) is not None


@pytest.mark.slow
def test_a_limit_of_the_caller_takes_the_place_of_this_one(
    low: Callable[[int, float], None], tmp_path: Path
) -> None:
    low(1, 1)
    with classad.limits(memory=1 << 40):
        assert len(classad.ExprTree(LARGE["a list"](1)).eval()) == 120_000
    path = tmp_path / "ads"
    path.write_text(tiny("long", "numbers", "one", 20_000))
    with classad.limits(time=1000), pytest.raises(LimitError, match="at least"):
        list(classad.read_ads(path))
    # What the process has grown by is looked at, too; which of the two is first does not matter.
    low(1 << 30, 6)
    used_up = r"the memory limit of 195.3 KiB is used up"
    with classad.limits(memory=200_000), pytest.raises(LimitError, match=used_up):
        list(classad.read_ads(path))


def test_columns_that_take_too_much_are_refused(
    low: Callable[[int, float], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ads"
    path.write_text("".join(f"A{number} = 1\n" for number in range(2000)))
    low(850 * 2000, 0)
    assert len(load_file(path).columns) == 2000
    low(850 * 2000 - 1, 0)
    with pytest.raises(LimitError, match=f"^{path}: what is read takes more"):
        load_file(path)
    with pytest.raises(LimitError):
        classad.Table.from_file(path)
    monkeypatch.setattr(kernels, "native", None)
    with pytest.raises(LimitError):
        load_file(path)


def test_ads_made_of_columns_are_refused_if_they_are_kept_and_take_too_much(
    low: Callable[[int, float], None], tmp_path: Path
) -> None:
    path = tmp_path / "ads"
    path.write_text("".join(f"A = {number}\n\n" for number in range(2000)))
    loaded = load_file(path)
    taken = traced(lambda: list(loaded.to_ads(ClassAd)))
    low(int(0.75 * taken), 0)
    with pytest.raises(LimitError, match=f"^{path}: what is read takes more"):
        list(loaded.to_ads(ClassAd))
    assert len(deque(loaded.to_ads(ClassAd), 1)) == 1


def test_problems_that_take_too_much_are_refused(
    low: Callable[[int, float], None], tmp_path: Path
) -> None:
    path = tmp_path / "ads"
    path.write_text("A = 1\n" + "x\n" * 1002)
    low(512 * 1000, 0)
    problems: list[Diagnostic] = []
    with pytest.raises(LimitError, match=f"^{path}: "):
        list(classad.read_ads(path, diagnostics=problems))
    assert len(problems) == 1001
    low(512 * 1001, 0)
    assert len(list(classad.read_ads(path, diagnostics=[]))) == 1


@pytest.mark.parametrize("begun", [False, True])
def test_a_log_that_takes_too_much_is_refused(
    begun: bool, low: Callable[[int, float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("classad.files.log._PAUSE", 100)
    ads = "".join(f"101 {number} * *\n103 {number} A {number}\n" for number in range(1000))
    text = ("105 \n" + ads + "106 \n") if begun else ads
    taken = traced(lambda: read_transaction_log(text, "log"))
    low(int(0.75 * taken), 0)
    with pytest.raises(LimitError, match=r"^log: what is read takes more"):
        read_transaction_log(text, "log")
    low(4 * taken, 0)
    assert len(read_transaction_log(text, "log").table) == 1000
    # An ad that is gone takes nothing.
    low(300_000, 0)
    gone = "".join(f"101 {number} * *\n102 {number}\n" for number in range(5000))
    assert read_transaction_log(gone, "log").table == {}


# --- long texts are taken in pieces ---------------------------------------------------------------


def test_escapes_of_long_texts_mean_what_they_mean_in_short_ones() -> None:
    """Wherever the text is cut."""
    rng = random.Random(7)
    new = ["\\n", "\\\\", "\\101", "\\7", "\\303\\251", "\\x", "x", "7", "\\", "é", "\n", '\\"']
    coded = ["\\n", "\\\\", "\\u0041", "\\ud83d\\ude00", "\\/", "x", "0041", "é"]
    entities = ["&amp;", "&#65;", "&", ";", "&lt", "x", "&bad;", "\n"]
    for length in (10, 30_000, 200_000):
        body = "".join(rng.choices(new, k=length))
        assert lexing.replaced(
            lexing._ESCAPE, lexing._escape_value, body, lexing._PIECES
        ) == lexing._ESCAPE.sub(lexing._escape_value, body)
        body = "".join(rng.choices(coded, k=length))
        assert json_form.unescape(body) == json.loads(f'"{body}"')
        body = "".join(rng.choices(entities, k=length))
        assert xml_form.unescape(body) == xml_form._ENTITY.sub(xml_form._entity, body)


@pytest.mark.parametrize("form", ["jsonl", "xml"])
def test_expressions_are_forgotten_and_read_again(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "MAX_EXPRESSIONS", 3)
    path = tmp_path / "ads"
    path.write_text(text_of(form, ({"A": f"B + {number % 5}", "B": "1"} for number in range(20))))
    assert [ad.eval("A") for ad in classad.read_ads(path)] == [1, 2, 3, 4, 5] * 4


def test_lines_of_long_texts_are_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "_PIECE", 10)
    rng = random.Random(8)
    for _ in range(500):
        text = "".join(rng.choices(["\n", "a", "bcdefghijklmnop"], k=rng.randrange(30)))
        assert list(long._lines_of(text)) == text.split("\n")


@pytest.mark.parametrize("ends", ["\n", ""])
def test_a_line_longer_than_the_pieces_is_one_line(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("classad.files.ads._PIECE", 16)
    path = tmp_path / "ads"
    text = "é" * 1000
    path.write_text(f'\ufeffA = 1\n\nB = "{text}"\nC = {{1, {{2}}}}{ends}', encoding="utf-8")
    first, second = load_file(path).to_ads(ClassAd)
    assert (first["A"], second["B"]) == (1, text)
    assert second.eval("C") == [1, [2]]


def test_what_values_weigh() -> None:
    text = '{"N": 1, "L": [1, "b", [3]], "A": {"x": 1, "yy": [4]}, "E": "\\/Expr(B + 1)\\/"}'
    (ad,) = json_form.read_json(text, errors="strict", new=ClassAd)
    found = {name: held.weight(value) for name, value in ad._attrs.items()}
    inner = ad._attrs["a"]
    tables = sys.getsizeof(inner._attrs) + sys.getsizeof(inner._names)
    assert found == {
        "n": 48,
        # A list and its places, and that of the list in it.
        "l": (136 + 48 * 3) + (136 + 48),
        "a": (136 + tables + 48 * 2) + (136 + 48),
        "e": 352 + 112 * 3,
    }
    # One of which only the text is there.
    assert held.weight(Expression.from_node(LazyExpression("B + 12", 0, False))) == 352 + 6


def test_what_is_read_is_counted_to_the_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at after 16 MiB, and what the reader keeps counts as what it has read."""
    pause = 1 << 24
    monkeypatch.setattr(bounds, "READ_ALWAYS", pause + 1)
    count = held.MemoryUse("f")
    count.add(pause)
    count.add(1)  # looked at, and just as much as is allowed
    monkeypatch.setattr(bounds, "READ_ALWAYS", pause)
    kept = held.MemoryUse("f", kept=pause)
    kept.add(pause)
    with pytest.raises(LimitError, match=r"^f: what is read takes more than 16 MiB"):
        kept.add(1)
    much = held.MemoryUse("f", size=10 * pause)
    much.add(3 * pause)
    with pytest.raises(LimitError):
        held.MemoryUse("f").add(pause + 1)


def test_names_that_ads_share_are_counted_once(tmp_path: Path) -> None:
    class Counted(held.MemoryUse):
        def add(self, amount: int) -> None:
            amounts.append(amount)

    amounts: list[int] = []
    path = tmp_path / "ads"
    path.write_text("A = 1\nB = 2\n\nA = 3\nB = 4\n")
    loaded = load_file(path)
    shapes = [loaded._shape(0, Counted()) for _ in range(2)]
    assert shapes[0] is shapes[1]
    assert amounts == [
        sum(map(sys.getsizeof, (shapes[0].names, shapes[0].keys, shapes[0].columns)))
    ]
