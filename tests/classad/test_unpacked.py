"""Compressed files: what is read of one that is cut, damaged or too large, to the byte."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

import classad
from classad.errors import ClassAdParseError, Diagnostic
from classad.files import compressed
from classad.files.ads import load_ads
from classad.files.compressed import Unpacked

TEXT = b"".join(b"a%d = %d\n" % (number, number * number) for number in range(40))
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda text: gzip.compress(text, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def unpacked(data: bytes, kind: str, sizes: tuple[int, ...] = (7,)) -> tuple[bytes, Unpacked]:
    """What comes out, asked for in pieces of these sizes, and what it came from."""
    stream = Unpacked(io.BytesIO(data), kind)
    text, number = b"", 0
    while piece := stream.read(sizes[number % len(sizes)]):
        text, number = text + piece, number + 1
    assert stream.read(5) == b""
    return text, stream


def told(stream: Unpacked) -> str:
    found = stream.diagnostic("f")
    assert found is None or (found.lost, found.severity) == ("rest", "error")
    return "" if found is None else found.message


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("piece", [1, 16, 1 << 20])
def test_no_more_than_the_limit_is_unpacked(
    kind: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "_PIECE", piece)
    data, size = PACKED[kind](TEXT), len(TEXT)
    for limit in (0, 1, 15, 16, 17, 100, size - 1, size, size + 1):
        with classad.limits(unpacked=limit):
            text, stream = unpacked(data, kind, (7, 100, 1))
        assert text == TEXT[:limit]
        lines = TEXT[:limit].count(b"\n") + 1
        cut = (
            f"f: the unpacked text ends in line {lines}, behind {limit} bytes: more is not unpacked"
        )
        assert told(stream) == (cut if limit < size else "")


@pytest.mark.parametrize("kind", PACKED)
def test_a_file_that_is_cut_gives_what_is_before_the_cut(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "_PIECE", 32)
    data = PACKED[kind](TEXT)
    assert unpacked(data, kind)[0] == TEXT
    assert told(unpacked(data, kind)[1]) == ""
    for end in range(10, len(data), 9):
        text, stream = unpacked(data[:end], kind)
        assert TEXT.startswith(text)
        where = f"in line {text.count(bytes([10])) + 1}, behind {len(text)} bytes"
        assert told(stream) == f"f: the unpacked text ends {where}: the file is cut off"


def test_a_damaged_file_is_told_from_one_that_is_cut() -> None:
    data = bytearray(PACKED["bzip2"](TEXT))
    data[len(data) // 2] ^= 0xFF
    text, stream = unpacked(bytes(data), "bzip2")
    assert TEXT.startswith(text)
    assert told(stream).endswith("the file is damaged")


@pytest.mark.parametrize(
    ("text", "ads"),
    [
        ('[\n{"a": 1},\n{"a": 2}\n]\n', 2), ("[a = 1]\n[a = 2]\n", 2),
        ("<classads>\n<c><a n=\"a\"><i>1</i></a></c>\n</classads>\n", 1),
    ],
)  # fmt: skip
def test_ads_of_other_forms_are_loaded_with_what_is_lost(
    text: str, ads: int, tmp_path: Path
) -> None:
    whole, packed, cut = (tmp_path / name for name in ("whole", "packed", "cut"))
    whole.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode(), mtime=0))
    cut.write_bytes(gzip.compress(text.encode(), mtime=0)[:-9])
    for path in (whole, packed):
        problems: list[Diagnostic] = []
        found = load_ads(path, diagnostics=problems)
        assert isinstance(found, list)
        assert [ad["a"] for ad in found] == list(range(1, ads + 1))
        assert problems == []
    problems = []
    load_ads(cut, diagnostics=problems)
    assert "the file is cut off" in problems[-1].message
    with pytest.raises(ClassAdParseError):
        load_ads(cut, errors="strict")
