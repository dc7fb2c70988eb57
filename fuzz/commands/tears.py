"""Damages files: bytes, numbers, words, lines and the compression that they come in.

Inputs: bytes and a source of chance.  Outputs: other bytes, the same for the same seed.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from random import Random
from typing import Final

_NUMBERS: Final = (
    *b"0 -0 -1 1 0.5 1e308 -1e308 1e-308 1e999 nan inf 1e30 0x10 010 1e 2147483648".split(),
    *b"-2147483649 9223372036854775807 -9223372036854775808 18446744073709551616".split(),
    *b"253402300800 99999999999999999".split(),
    *(b"9" * 5000, "\N{SUPERSCRIPT TWO}".encode(), "\N{ARABIC-INDIC DIGIT THREE}".encode()),
)
#: What an attribute or a macro is set to.
_VALUES: Final = (
    *(b'real("INF")', b'-real("INF")', b'real("NaN")', b"1e300", b"-1e300", b"1.5", b"-1", b"0"),
    *(b"9223372036854775807", b"-9223372036854775808", b"2147483648", b"1000000000"),
    *(b'"x"', b'""', b"true", b"undefined", b"error", b"{1}", b"[a = 1]", b"time()", b"Name"),
)
_WORDS: Final = (
    *b'undefined error true false null [] {} () "" \' " \\ \\" $( $(A) $(A:$(B)) % # ='.split(),
    *b"=?= && || ? : ; , . / .. <c> </c> &amp; &#0; @ < > 101 102 103 105 106 107".split(),
    *b"if else endif use include \xff \xc3\x28 \xed\xa0\x80 \xe2\x80\xae \x1b[2J \x00 \x07".split(),
    *(b"\r", b"\t", b"\n", b"\n\n", b"\\\n", "\U0001f40d".encode()),
    *(b"(" * 3000, b"[a=" * 500, b'{"a":' * 500, b"!" * 5000, b"1+" * 5000, b"x" * 70_000),
)
_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_VALUE: Final = re.compile(rb"(?m)(?<==)[^=\n]+$")
_WORD: Final = re.compile(rb"[A-Za-z_][\w.]*|\"[^\"\n]*\"|[^\s\w]")


def _put(data: bytes, start: int, stop: int, piece: bytes) -> bytes:
    return data[:start] + piece + data[stop:]


def _span(data: bytes, chance: Random, most: int) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.randrange(most))


def _flip(data: bytes, chance: Random) -> bytes:
    start = chance.randrange(len(data))
    return _put(data, start, start + 1, bytes([data[start] ^ (1 << chance.randrange(8))]))


def _drop(data: bytes, chance: Random) -> bytes:
    return _put(data, *_span(data, chance, 40), b"")


def _double(data: bytes, chance: Random) -> bytes:
    start, stop = _span(data, chance, 200)
    return _put(data, stop, stop, data[start:stop])


def _insert(data: bytes, chance: Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    return _put(data, start, start, chance.choice(_WORDS))


def _cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _found(pattern: re.Pattern[bytes], pieces: tuple[bytes, ...]) -> Callable[..., bytes]:
    def replace(data: bytes, chance: Random) -> bytes:
        found = pattern.search(data, chance.randrange(len(data)))
        found = found or pattern.search(data)
        return data if found is None else _put(data, *found.span(), chance.choice(pieces))

    return replace


def _swap_lines(data: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _pack(data: bytes, chance: Random) -> bytes:
    packed = chance.choice((gzip.compress, lzma.compress, bz2.compress))(data)
    return _cut(packed, chance) if chance.random() < 0.5 else _flip(packed, chance)


_TEARS: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    _found(_NUMBER, _NUMBERS),
    _found(_NUMBER, _NUMBERS),
    _found(_VALUE, _VALUES),
    _found(_VALUE, _VALUES),
    _found(_WORD, _WORDS),
    _found(_WORD, _NUMBERS),
    _insert,
    _flip,
    _drop,
    _double,
    _cut,
    _swap_lines,
    _pack,
)


def torn(data: bytes, chance: Random) -> bytes:
    """The file, damaged in one to five places."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        if data:
            data = chance.choice(_TEARS)(data, chance)
    return data
