"""Lists the mechanical changes of a C source: other operators, constants, conditions, guards.

Follows the layout that the C core has: binary operators stand between blanks, a condition behind
``if (`` or ``while (``.  Comments, texts and lines of the preprocessor stay.

Inputs: the text of a file.  Outputs: ``Change`` values, each of whole lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fuzz.sampled.changes import Change

_SILENT: Final = re.compile(
    r"""/\*[\s\S]*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^#(?:.*\\\n)*.*$""", re.MULTILINE
)
_OPERATORS: Final = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "connective": {"&&": "||", "||": "&&"},
    "arithmetic": {
        "+": "-", "-": "+", "*": "/", "/": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
    },
}  # fmt: skip
_KINDS: Final = {old: (kind, new) for kind, them in _OPERATORS.items() for old, new in them.items()}
_OPERATOR: Final = re.compile(r"(?<=[^\s,(] )(?:[<>=!]=|<<|>>|&&|\|\||[<>+\-*/&|])(?=\s)")
_CONSTANT: Final = re.compile(r"(?<![\w.])\d+(?![\w.])")
_CONDITION: Final = re.compile(r"\b(?:if|while) \(")
_LEAVES: Final = re.compile(r"\)\s+(?:return|continue|break|goto)\b")


def changes(text: str) -> list[Change]:
    """All changes of a source, in its order."""
    code = _SILENT.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), text)
    return sorted(set(_all(text, code)))


def _all(text: str, code: str) -> Iterator[Change]:
    for found in _OPERATOR.finditer(code):
        kind, new = _KINDS[found[0]]
        yield _change(text, found.start(), found.end(), new, kind)
    for found in _CONSTANT.finditer(code):
        yield _change(text, found.start(), found.end(), str(int(found[0]) + 1), "constant")
    for found in _CONDITION.finditer(code):
        start, stop = found.end(), _closing(code, found.end())
        yield _change(text, start, stop, f"!({text[start:stop]})", "condition")
        if found[0] == "if (" and _LEAVES.match(code, stop):
            yield _change(text, start, stop, "0", "guard")


def _closing(code: str, start: int) -> int:
    """Where the bracket closes that stands before a place."""
    depth = 1
    for found in re.compile(r"[()]").finditer(code, start):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.start()
    raise ValueError("a bracket that does not close")


def _change(text: str, start: int, stop: int, new: str, kind: str) -> Change:
    """A change of whole lines: an operator alone would not say which one of its line it is."""
    first = text.rindex("\n", 0, start) + 1
    first += len(text[first:]) - len(text[first:].lstrip(" "))
    last = text.index("\n", stop)
    changed = text[first:start] + new + text[stop:last]
    return Change(first, last, changed, text.count("\n", 0, start) + 1, kind)
