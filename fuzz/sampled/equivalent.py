"""Lists the changes that change nothing, each with its reason.

Outputs: ``EQUIVALENT``, by file, text of the line, the change as it is printed.
"""

from __future__ import annotations

from typing import Final

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {
    (
        "classad/compiled/operations.py",
        "_SMALL: Final = 2**30",
        "constant: 30 -> 31",
    ): "a bound of speed alone: numbers within 64 bits stay as they are when they are wrapped",
    (
        "classad/formats/xml.py",
        "if known is not None:",
        "guard: known is not None -> False",
    ): "a memo: the text that was seen before is parsed again, to an equal tree",
    (
        "classad/language/limits.py",
        "_usual_limit = 0",
        "constant: 0 -> 1",
    ): "the first borrower of frames sets it before anybody reads it",
    (
        "classad/language/operators.py",
        "return -rest if a < 0 else rest",
        "comparison: a < 0 -> (a <= 0)",
    ): "only 0 is treated otherwise, and its remainder is 0, whose negative is 0",
    (
        "classad/language/operators.py",
        "return quotient if (a < 0) == (b < 0) else -quotient",
        "comparison: b < 0 -> (b <= 0)",
    ): "only a divisor of 0 is treated otherwise, and that was refused before",
    (
        "classad/language/times.py",
        'if zone is None or zone == "UTC":',
        "connective: zone is None or zone == \"UTC\" -> (zone is None and zone == 'UTC')",
    ): "a short cut: UTC from the zone data has the same offset and name",
    (
        "classad/loading/cells.py",
        "self.place: Place = SimpleNamespace(position=0, line=1, start=0, block=0, dropping=False)",
        "constant: 0 -> 1",
    ): "`open` and `feed` set all three before anything reads them",
    (
        "classad/syntax/nodes.py",
        "if a is b:",
        "guard: a is b -> False",
    ): "two names of one tree are equal: the guard only saves walking through it",
    (
        "classad/table/table.py",
        "return 0, store.everything.bits",
        "constant: 0 -> 1",
    ): "rows that are asked one by one are taken out of what was found before",
    (
        "classad/table/arrays/arrays.py",
        "bits = bytearray((size + 7) // 8)",
        "constant: 7 -> 8",
    ): "a byte more at the end is a zero, which does not change the number that is made of them",
    (
        "csrc/parse.c",
        "return 1;",
        "constant: return 1; -> return 2;",
    ): "functions of this file that return it answer yes or no, asked only for being zero",
    (
        "csrc/codes.c",
        "for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) {",
        "constant: for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) { -> "
        "for (; slots[slot] != 0; slot = (slot + 2) & (room - 1)) {",
    ): "steps of two go over half of the places, which is as many as there can be pairs",
    (
        "csrc/cells.c",
        "for (size_t i = 0; i < length; i++) {",
        "comparison: for (size_t i = 0; i < length; i++) { -> "
        "for (size_t i = 0; i <= length; i++) {",
    ): "one more letter is folded, behind the name; nothing looks at it, and there is room",
}
