"""``classad.limits`` ends hostile evaluations and endless reading, and nothing else.

The clock of these tests moves by a second whenever somebody looks at it: a limit of so many seconds
is one of so many looks.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import sys
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import classad
from classad.builtins import pcre
from classad.evaluate import evaluate, evaluate_full
from classad.language import bounds
from tests.classad.golden import PARSE_ERROR, check, encode, tree_of

#: Searches of a pattern of this kind take twice as long for each character.
SLOW = "(x+x+)+[yz]"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that tells how often it was asked."""
    monkeypatch.setattr(bounds, "monotonic", count(0.0, 1.0).__next__)


def doubling(text: str, levels: int, first: object = 1) -> classad.ClassAd:
    """An ad whose attribute ``e`` takes ``text`` twice for each level."""
    ad = classad.ClassAd({"a0": first})
    for level in range(1, levels + 1):
        ad[f"a{level}"] = classad.ExprTree(text.replace("?", f"a{level - 1}"))
    ad["e"] = classad.ExprTree(f"a{levels}")
    return ad


HOSTILE = {
    "sums": doubling("? + ?", 40),
    "lists": doubling("sum({?, ?})", 40),
    "texts": doubling("size(strcat(?, ?))", 40),
    "conditions": doubling("ifThenElse(? > 0, ?, 2)", 40),
    "subscripts": doubling("{?, ?}[0] + {?, ?}[1]", 30),
    "searches": classad.ClassAd(
        {"s": ("x" * 14 + " ") * 4000, "e": classad.ExprTree(f'regexp("{SLOW}", s)')}
    ),
    "replacements": doubling('replaceAll("x", ?, "xxxxxxxxxx")', 20, "x" * 100),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_expressions_are_ended(name: str, looks: None) -> None:
    with pytest.raises(classad.LimitError, match=r"^the time limit of 20 s is used up while "):  # noqa: SIM117
        with classad.limits(time=20):
            HOSTILE[name].eval("e")
    assert bounds.entered == 0


def test_the_compiled_form_is_ended(looks: None) -> None:
    # At HTCondor's own limit it would give the error value.
    with pytest.raises(classad.LimitError), classad.limits(time=20):
        evaluate_full("e", HOSTILE["sums"])


@pytest.mark.parametrize("name", ["sums", "conditions"])
def test_the_exact_evaluator_is_ended(name: str, looks: None) -> None:
    context = classad.EvalContext(strict=True)
    with pytest.raises(classad.LimitError), classad.limits(time=20):
        classad.ExprTree("e").eval(HOSTILE[name], context=context)


def test_an_evaluation_goes_on_as_before_behind_the_block(looks: None) -> None:
    ad = doubling("? + ?", 10)
    ad["long"] = classad.ExprTree("f")
    ad["f"] = classad.ExprTree("e + e")
    with pytest.raises(classad.LimitError), classad.limits(time=5):
        HOSTILE["sums"].eval("e")
    assert (ad.eval("e"), ad.eval("long")) == (1024, 2048)


def test_what_ends_in_time_is_the_same() -> None:
    ad = doubling("? + ?", 10)
    ad["t"] = classad.ExprTree('replaceAll("[ab]+x?", "aabbx-ab", "<\\\\0>")')
    plain = ad.eval("e"), ad.eval("t")
    with classad.limits(time=1000, memory=1 << 40):
        assert (ad.eval("e"), ad.eval("t")) == plain == (1024, "<aabbx>-<ab>")


SUBJECTS = ("", "aab", "xaab\nb", "b" * 9 + "a", "aXbxx\naa", "äab", "x" * 40)
PATTERNS = ("a*b", "^a", "a$", "(?<=a)b", "(a)|(b)", "b*?$", r"\Aa", r"x{2,}", "(?i)AX", "", "ä")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("options", ["", "m", "is"])
@pytest.mark.parametrize("soon_done", [0, 2000])
def test_a_search_under_a_limit_finds_the_same(
    pattern: str, options: str, soon_done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pcre, "_SOON_DONE", soon_done)
    compiled = pcre.compile_pattern(pattern, options)
    assert compiled is not None
    compiled = compiled._replace(quick=None)
    for subject in (text.encode() for text in SUBJECTS):
        for start in range(0, len(subject) + 1, 2):
            plain = compiled.search(subject, start)
            with classad.limits(time=1000):
                assert compiled.search(subject, start) == plain
                assert compiled.matches(subject) == compiled.matches(subject)


@pytest.mark.parametrize("soon_done", [0, 2000])
def test_recorded_calls_have_the_same_value_under_a_limit(
    soon_done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pcre, "_SOON_DONE", soon_done)
    every = 2 if soon_done else 3

    def limited(case: dict[str, Any]) -> Any:
        # An engine that goes on by place is never asked to: `(*` and `\\G`.
        if case["value"] == PARSE_ERROR or "(*" in case["expr"] or "\\G" in case["expr"]:
            return case["value"]
        with classad.limits(time=1000, memory=1 << 40):
            return encode(evaluate(tree_of(case["expr"], case)))

    check("calls_regex", limited, lambda case: case["value"], every)


def test_a_search_that_gives_up_does_so_under_a_limit() -> None:
    ad = classad.ClassAd({"s": "x" * 60, "e": classad.ExprTree(f'regexp("{SLOW}", s)')})
    plain = ad.eval("e")
    with classad.limits(time=1000):
        assert ad.eval("e") is plain is classad.Value.Error


def test_a_pattern_that_cannot_be_searched_by_place_is_refused_in_time() -> None:
    text = "x" * 22
    expression = classad.ExprTree(f'regexp("(*SKIP){SLOW}", "{text}")')
    with pytest.raises(classad.LimitError, match="takes too many steps"), classad.limits(time=1000):
        expression.eval()
    with classad.limits(memory=1 << 40):
        assert expression.eval() is False


# ---- memory


@pytest.mark.parametrize(
    "text", ["strcat(?, ?)", 'join("", ?, ?)', r'replaceAll("x+", ?, "\\0\\0")']
)
def test_texts_that_would_not_fit_are_not_made(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "resident", lambda: 7 << 20)
    longest = 0
    make_room = bounds.make_room

    def noted(size: int) -> None:
        nonlocal longest
        make_room(size)
        longest = max(longest, size)

    monkeypatch.setattr(bounds, "make_room", noted)
    with pytest.raises(classad.LimitError) as caught, classad.limits(memory=50 << 20):
        doubling(text, 30, "x" * 100_000).eval("e")
    said = "the memory limit of 50 MiB is used up while evaluating expressions"
    assert str(caught.value) == said
    assert longest <= 50 << 20


def test_memory_that_grows_is_noticed(looks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "resident", count(1 << 20, 1 << 20).__next__)
    with pytest.raises(classad.LimitError, match="memory limit of 10 MiB"):  # noqa: SIM117
        with classad.limits(memory=10 << 20):
            HOSTILE["sums"].eval("e")


def test_the_memory_of_the_process_is_known() -> None:
    def grows() -> bool:
        before = bounds.resident()
        held = b"x" * (64 << 20)
        return bounds.resident() - before > len(held) // 2

    # Threads of other tests, and the system, may take back as much meanwhile.
    assert any(grows() for _ in range(5))


def test_elsewhere_than_on_linux_the_memory_needs_a_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setitem(__import__("sys").modules, "psutil", None)
    with pytest.raises(ImportError, match=r"pieslice\[limits\]"), classad.limits(memory=1):
        pass
    assert bounds.entered == 0
    with classad.limits(time=1):
        pass


def test_elsewhere_than_on_linux_the_memory_is_asked_of_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = SimpleNamespace(memory_info=lambda: SimpleNamespace(rss=7 << 20))
    psutil = SimpleNamespace(Process=lambda: process)
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setitem(sys.modules, "psutil", psutil)
    assert bounds.resident() == 7 << 20


# ---- whom a limit concerns


def test_a_limit_is_that_of_its_thread(looks: None) -> None:
    found: list[object] = []

    def work() -> None:
        found.append(doubling("? + ?", 12).eval("e"))

    with classad.limits(time=3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with pytest.raises(classad.LimitError):
            HOSTILE["sums"].eval("e")
    assert found == [4096]


def test_a_limit_is_that_of_its_task_and_the_threads_of_it(looks: None) -> None:
    async def limited() -> str:
        with classad.limits(time=10):
            await asyncio.sleep(0)
            try:
                await asyncio.to_thread(HOSTILE["sums"].eval, "e")
            except classad.LimitError:
                return "ended"
        return "done"

    async def free() -> object:
        await asyncio.sleep(0)
        return doubling("? + ?", 12).eval("e")

    async def both() -> list[object]:
        return await asyncio.gather(limited(), free())

    assert asyncio.run(both()) == ["ended", 4096]


def test_a_block_inside_can_only_lower_a_limit(looks: None) -> None:
    with classad.limits(time=10, unpacked=7), classad.limits(time=1000):
        with pytest.raises(classad.LimitError, match="limit of 10 s"):
            HOSTILE["sums"].eval("e")
        assert bounds.unpacked_limit() == 7
    with (
        classad.limits(time=1000),
        pytest.raises(classad.LimitError, match="limit of 2 s"),
        classad.limits(time=2),
    ):
        HOSTILE["sums"].eval("e")


def test_a_block_inside_has_its_own_limit_of_what_is_unpacked() -> None:
    with classad.limits(unpacked=7):
        with classad.limits(unpacked=1000):
            assert bounds.unpacked_limit() == 1000
        assert bounds.unpacked_limit() == 7


def test_ads_in_new_syntax_are_read_as_long_as_there_is_time(
    looks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "_SELDOM", 1)
    (tmp_path / "ads").write_text("[a = 1]\n" * 100)
    with classad.limits(time=1000):
        assert len(list(classad.read_ads(tmp_path / "ads"))) == 100
    with pytest.raises(classad.LimitError, match="while reading ads"), classad.limits(time=20):
        list(classad.read_ads(tmp_path / "ads"))


def test_a_block_inside_can_only_lower_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "resident", lambda: 1 << 20)
    with classad.limits(memory=600):
        with (
            classad.limits(memory=1 << 40),
            pytest.raises(classad.LimitError, match="limit of 600 bytes is used up"),
        ):
            bounds.make_room(2 << 20)
        with classad.limits(time=9):
            assert bounds.remaining()[1:] == (600, None)
        assert bounds.remaining() == (None, 600, None)
    assert bounds.remaining() == (None, None, None)


def test_a_function_can_be_limited(looks: None) -> None:
    @classad.limits(time=5)
    def often() -> object:
        return doubling("? + ?", 6).eval("e")

    # Each call has a time of its own.
    assert [often() for _ in range(10)] == [64] * 10


def test_a_limit_of_unpacked_files_costs_evaluations_nothing() -> None:
    with classad.limits(unpacked=10):
        assert bounds.entered == 0


@pytest.mark.parametrize("name", ["time", "memory", "unpacked"])
def test_a_limit_is_no_negative_number(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: `-1` is not a number of at least 0"):
        classad.limits(**{name: -1})


def test_a_limit_is_not_taken_for_bad_input() -> None:
    assert not issubclass(classad.LimitError, classad.ClassAdException)


# ---- reading

FOREVER = {
    "long": ("", "a = {n}\nb = a + {n}\n\n"),
    "new": ("", "[a = {n}; b = a + {n}]\n"),
    "json": ("[\n", '{{"a": {n}}},\n'),
    "jsonl": ("", '{{"a": {n}, "b": "\\/Expr(a + {n})\\/"}}\n'),
    "xml": ("<classads>\n", '<c><a n="a"><i>{n}</i></a></c>\n'),
}


@pytest.mark.parametrize("form", FOREVER)
def test_endless_input_is_ended(form: str, looks: None) -> None:
    head, each = FOREVER[form]

    def lines() -> Iterator[str]:
        yield head
        for number in count():
            yield from each.format(n=number).splitlines(keepends=True)

    with pytest.raises(classad.LimitError, match="reading ads"), classad.limits(time=50):
        for _ in classad.read_ads(lines()):
            pass


@pytest.mark.parametrize("form", FOREVER)
def test_a_text_of_many_ads_is_ended(
    form: str, looks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("classad.files.ads._PIECE", 1000)
    head, each = FOREVER[form]
    text = head + "".join(map(each.format_map, ({"n": n} for n in range(4000))))
    path = tmp_path / "ads.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(classad.LimitError), classad.limits(time=20):
        list(classad.read_ads(io.StringIO(text)))
    with pytest.raises(classad.LimitError), classad.limits(time=20):
        classad.Table.from_file(path, diagnostics=[])


@pytest.mark.parametrize(
    ("head", "each", "end"),
    [
        ('{"a": 1', ', "a{n}": {n}', "}"),
        ('{"a": [1', ", {n}", "]}"),
        ("<classads><c>", '<a n="a{n}"><l><i>{n}</i></l></a>', "</c></classads>"),
    ],
    ids=["members in JSON", "elements in JSON", "members in XML"],
)
def test_an_ad_that_goes_on_is_ended(head: str, each: str, end: str, looks: None) -> None:
    text = head + "".join(each.replace("{n}", str(n)) for n in range(4000)) + end
    with pytest.raises(classad.LimitError, match="reading ads"), classad.limits(time=20):
        list(classad.read_ads(io.StringIO(text)))
