"""Feeds ``pieslice check`` with torn files: bytes, tokens and lines changed, doubled and dropped.

Inputs: a seed, how many.  Outputs: the problems: exceptions, and files that take too long.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from fuzz.findings.corpus import CORPUS
from fuzz.findings.judge import checked

#: Seconds that one small file may take.
SLOW: Final = 5.0
_TOKEN: Final = re.compile(rb"\w+|\s+|[^\w\s]")
_ODD: Final = (
    b"$(", b"$$(", b")", b"(", b'"', b"\\\n", b"@=x\n", b"\x00", b"\xff", b"#", b"=?=", b"{", b"[",
    b"$INT(", b"$RANDOM_CHOICE(", b"9" * 400, b"-", b"e999", b"if ", b"endif\n", b"use ", b":",
)  # fmt: skip


def _bytes(text: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(text) + 1)
    new = bytes([chance.randrange(256)]) if chance.random() < 0.5 else chance.choice(_ODD)
    return text[:at] + new + text[at + chance.randrange(3) :]


def _tokens(text: bytes, chance: random.Random) -> bytes:
    tokens = _TOKEN.findall(text)
    at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], chance.choice((tokens[at], b"", tokens[at] * 2))
    return b"".join(tokens)


def _lines(text: bytes, chance: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(3)
    if how == 0:
        lines.insert(at, lines[other])
    elif how == 1:
        del lines[at]
    else:
        lines[at] = lines[at].rstrip(b"\n")
    return b"".join(lines)


_TEARS: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (_bytes, _tokens, _lines)


def torn(seed: int, count: int) -> Iterator[bytes]:
    """Torn files; the same ones for the same seed."""
    chance = random.Random(seed)
    sources = [path.read_bytes() for path in sorted(CORPUS.rglob("*.conf"))]
    for _ in range(count):
        text = chance.choice(sources)
        for _ in range(chance.choice((1, 1, 2, 4, 8))):
            text = chance.choice(_TEARS)(text, chance) if text.strip() else text
        yield text


def problems(seed: int, count: int) -> Iterator[tuple[bytes, str]]:
    """Files that end the check with an exception or take longer than ``SLOW``."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "torn.conf"
        for text in torn(seed, count):
            place.write_bytes(text)
            began = time.perf_counter()
            try:
                checked(place)
            except Exception as problem:
                yield text, f"{type(problem).__name__}: {problem}"
            if time.perf_counter() - began > SLOW:
                yield text, f"takes {time.perf_counter() - began:.0f} s"
