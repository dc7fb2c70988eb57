"""Function macros and references: what the real library makes of them, in ``functions.txt``."""

from __future__ import annotations

from pathlib import Path

from policy.config import config_from_mapping
from policy.io import builtin_library

FUNCTIONS = Path(__file__).parent / "corpus" / "functions.txt"
MACROS = {
    "HUNDRED": "100", "FIVE": "5", "THREE": "3", "TWO": "2", "ONE": "1", "NEG": "-1",
    "BIG": "9223372036854775808", "HALF": "0.5", "TEXT": "abcd", "QUOTED": '"a b"', "EMPTY": "",
    "LIST": "x, y, z", "PATH1": "/one/two/three.tar.gz", "WPATH": "\\one\\two.x", "REL": "a/b.c",
    "SPACED": "/a b/c d.e", "NOEXT": "name", "DOTS": "/a.b/c.d.e", "TRAIL": "/a/b/",
    "UNFINISHED": "1 +", "MADE": "1 +$(EMPTY)", "MADE2": "1 $(ONE)", "SAME": "x x, x,,x",
    "MIXED": "a b, c d",
}  # fmt: skip


def test_function_macros_and_references() -> None:
    expected: dict[str, tuple[str, list[str]]] = {}
    last = ""
    for line in FUNCTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("! "):
            expected[last][1].append(line[2:])
        elif line.startswith("="):
            expected[last] = line[2:], []
        elif not line.startswith("# "):
            last = line
    assert len(expected) > 180
    found = {}
    for text in expected:
        entry = config_from_mapping({**MACROS, "MADE_OF_IT": text}, builtin_library())
        definition = entry.lookup("MADE_OF_IT")
        assert definition is not None
        expanded = entry.expand(definition)
        found[text] = expanded.text, list(expanded.problems)
    assert found == expected
