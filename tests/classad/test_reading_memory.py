"""Reading takes memory in proportion to the text, by factors that docs/limits.md states.

Allocations are counted, at small sizes; what grows faster than the text is seen by comparing two.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import classad
from classad import ClassAd, kernels
from classad.files.ads import load_file

LONG = [pytest.mark.slow, pytest.mark.long]
#: Ad -> text, and what stands before, between and behind.
FORMS: dict[str, tuple[Callable[[dict[str, str]], str], str, str, str]] = {
    "long": (lambda ad: "\n".join(f"{k} = {v}" for k, v in ad.items()), "", "\n\n", "\n"),
    "new": (lambda ad: "[" + "; ".join(f"{k} = {v}" for k, v in ad.items()) + "]", "", "\n", ""),
    "json": (lambda ad: f"{{{', '.join(map(_member, ad.items()))}}}", "[\n", ",\n", "\n]"),
    "jsonl": (lambda ad: f"{{{', '.join(map(_member, ad.items()))}}}", "", "\n", "\n"),
    "xml": (lambda ad: f"<c>{''.join(map(_element, ad.items()))}</c>", "<classads>", "", ""),
}


def _member(item: tuple[str, str]) -> str:
    name, text = item
    plain = text[0] == '"' or text.isdigit()
    value = text if plain else json.dumps(f"/Expr({text})/").replace("/", "\\/")
    return f'"{name}": {value}'


def _element(item: tuple[str, str]) -> str:
    name, text = item
    if text[0] == '"':
        return f'<a n="{name}"><s>{escape(text[1:-1])}</s></a>'
    return f'<a n="{name}"><e>{escape(text)}</e></a>'


def text_of(form: str, ads: Iterator[dict[str, str]]) -> str:
    """The ads as a file."""
    write, head, between, foot = FORMS[form]
    return head + between.join(map(write, ads)) + foot


def texts(size: int) -> Iterator[dict[str, str]]:
    """One ad with one long text."""
    yield {"a": '"' + "x" * size + '"'}


def escapes(size: int) -> Iterator[dict[str, str]]:
    """The same of nothing but escapes."""
    yield {"a": '"' + "\\\\" * (size // 2) + '"'}


def slots(size: int) -> Iterator[dict[str, str]]:
    """Ads as pools have them."""
    for number in range(size // 1000):
        ad = {f"SomeAttribute{place}": f'"value {place} of a slot"' for place in range(20)}
        ad["Name"] = f'"slot{number}@node"'
        yield ad | {f"Number{place}": str(place * number) for place in range(10)}


def many_names(size: int) -> Iterator[dict[str, str]]:
    """Ads with a name of their own each."""
    for number in range(size // 40):
        yield {"Name": f'"slot{number}"', f"own{number:07}": str(number)}


def one_with_many_names(size: int) -> Iterator[dict[str, str]]:
    """One ad with many names."""
    yield {f"attribute{number:07}": str(number) for number in range(size // 25)}


#: Texts, and how many bytes each byte of them may take, whatever the form.
FACTORS: dict[str, tuple[Callable[[int], Iterator[dict[str, str]]], float]] = {
    "texts": (texts, 6),
    "escapes": (escapes, 6),
    "slots": (slots, 6),
    "many names": (many_names, 40),
    "one ad": (one_with_many_names, 40),
}


def taken(path: Path, text: str) -> float:
    """The most bytes that are allocated while a file is read, for each byte of it."""
    size = path.write_text(text, encoding="ascii")
    del text
    tracemalloc.start()
    try:
        ads = list(classad.read_ads(path, diagnostics=[]))
        assert ads
        return tracemalloc.get_traced_memory()[1] / size
    finally:
        tracemalloc.stop()


#: Each kind and each form is among those that `make test` tries.
PAIRS = [
    pytest.param(kind, form, marks=[] if (row + column) % 5 == 0 else LONG, id=f"{kind}-{form}")
    for row, kind in enumerate(FACTORS)
    for column, form in enumerate(FORMS)
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "form"), PAIRS)
def test_reading_takes_memory_in_proportion(kind: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / "ads"
    make, most = FACTORS[kind]
    taken(path, text_of(form, make(4000)))  # what is loaded and compiled once
    small, large = (
        # The lesser of two: what fills a bounded cache, or another thread takes, is no part of it.
        min(taken(path, text_of(form, make(size))) for _ in range(2))
        for size in (75_000, 300_000)
    )
    assert large < most
    # Not more for each byte where there are more of them.
    assert large < 1.4 * small + 0.5


@pytest.mark.parametrize("form", FORMS)
def test_names_that_all_slots_have_are_kept_once(form: str, tmp_path: Path) -> None:
    path = tmp_path / "ads"
    path.write_text(text_of(form, slots(20_000)), encoding="ascii")
    ads = list(classad.read_ads(path))
    assert len(ads) == 20
    assert len({id(ad._names) for ad in ads}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, partial(lzma.compress, preset=0)])
def test_a_compressed_file_takes_the_memory_of_its_text(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "ads"
    text = text_of("long", slots(600_000))
    plain = taken(path, text)
    path.write_bytes(pack(text.encode()))
    list(classad.read_ads(path))  # what is loaded once
    tracemalloc.start()
    try:
        ads = list(classad.read_ads(path))
        packed = tracemalloc.get_traced_memory()[1] / len(text)
    finally:
        tracemalloc.stop()
    assert len(ads) == 600
    assert packed < min(plain + 1, 6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["many names", "one ad"])
def test_ads_of_loaded_columns_take_memory_in_proportion(kind: str, tmp_path: Path) -> None:
    """As the slots of a cycle do: no list of all rows is made for an attribute of one ad."""
    path = tmp_path / "ads"

    def most(size: int) -> float:
        length = path.write_text(text_of("long", FACTORS[kind][0](size)))
        tracemalloc.start()
        try:
            loaded = load_file(path)
            assert sum(1 for _ in loaded.to_ads(ClassAd)) == len(loaded)
            return tracemalloc.get_traced_memory()[1] / length
        finally:
            tracemalloc.stop()

    most(4000)
    small, large = most(60_000), most(240_000)
    assert large < (140 if kernels.native is None else 60)
    assert large < 1.4 * small


#: Loads a file given as an argument and tells how much the process has grown by its most.  What
#: `getrusage` tells of that begins with the memory of the process that started this one.
GROWN = """
import sys
from pathlib import Path
from classad import Table
from classad.files.ads import load_file
def most():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
Table.from_columns(load_file(sys.argv[1]))
before = most()
table = Table.from_columns(load_file(sys.argv[2]))
print(len(table), most() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pages are counted by Linux")
@pytest.mark.parametrize("kind", ["many names", "one ad"])
def test_a_file_of_many_names_is_a_table_of_proportional_size(kind: str, tmp_path: Path) -> None:
    """What the loader in C takes is counted, too."""
    little, much = tmp_path / "little", tmp_path / "much"
    little.write_text(text_of("long", FACTORS[kind][0](40_000)))
    size = much.write_text(text_of("long", FACTORS[kind][0](1_200_000)))
    command = [sys.executable, "-c", GROWN, str(little), str(much)]
    rows, kilobytes = map(int, subprocess.check_output(command).split())
    assert rows == (30_000 if kind == "many names" else 1)
    assert 5 * size < 1024 * kilobytes < (140 if kernels.native is None else 40) * size


@pytest.mark.slow
def test_ads_of_their_own_names_are_as_any_others() -> None:
    """Columns that stand for few characters each are left to the reader, one ad by the other."""
    count = 5000
    ordinary = "".join(f"Name = {number}\nCpus = 4\n\n" for number in range(count))
    own = "".join(f"Own{row} = {row}\nB{row} = {{{row}}}\n\n" for row in range(count))
    ads = list(classad.parseAds(own + ordinary + own))
    assert len(ads) == 3 * count
    for first in (0, 2 * count):
        found = [{name: ad.eval(name) for name in ad} for ad in ads[first : first + count]]
        assert found == [{f"Own{row}": row, f"B{row}": [row]} for row in range(count)]
    assert [ad["Name"] for ad in ads[count : 2 * count]] == list(range(count))


@pytest.mark.parametrize("kind", ["many names", "one ad"])
def test_a_table_of_many_names_takes_memory_in_proportion(kind: str) -> None:
    def most(size: int) -> float:
        text = text_of("new", FACTORS[kind][0](size))
        ads = list(classad.read_ads(text.splitlines()))
        tracemalloc.start()
        try:
            table = classad.Table(ads)
            assert len(table.select("Name =!= 1")) == len(ads)
            return tracemalloc.get_traced_memory()[1] / len(text)
        finally:
            tracemalloc.stop()

    most(4000)
    small, large = most(60_000), most(240_000)
    assert large < 120
    assert large < 1.4 * small
