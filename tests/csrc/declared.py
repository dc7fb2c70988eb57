"""Writes csrc/declared.h: what C has to know of the declarations in Python.

Run ``python -m tests.csrc.declared`` after a change of an operator's row, of the kinds of nodes
(``classad.syntax.native``) or of cells (``classad.loading.columns``); a test compares.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Final

from classad.language.operators import BINARY, OPCODES, TOKENS, UNARY, OperatorKind
from classad.loading.columns import Tag
from classad.syntax.native import NODE_KINDS

HEADER: Final = Path(__file__).parents[2] / "csrc" / "declared.h"
#: Signs that are no operators.
_SIGNS: Final = {
    "?": "QMARK", ":": "COLON", ",": "COMMA", ";": "SEMICOLON", "=": "BOUND_TO",
    "(": "OPEN_PAREN", "[": "OPEN_BOX", "{": "OPEN_BRACE", "=?": "UNSURE",
}  # fmt: skip
#: Tokens behind which a ``-`` is a subtraction.
_OPERANDS: Final = {")": "CLOSE_PAREN", "]": "CLOSE_BOX", "}": "CLOSE_BRACE"}
#: The last ones are the kinds of nodes without operands, in their order.
_OTHERS: Final = ("DOT", "NAME", "QUOTED", *NODE_KINDS[: NODE_KINDS.index("REFERENCE")], "KINDS")


def header() -> str:
    """The text of ``declared.h``."""
    rows = {**UNARY, **BINARY}
    tokens = ["END", *(rows[symbol].token for symbol in TOKENS), *_SIGNS.values()]
    tags = [f"{name}_CELL" for name in vars(Tag) if name.isupper()]
    tags[0], tags[-1] = "NOTHING", "WAITING"
    # The longest sign that fits is meant, so it comes first; `?:` may have blanks inside.
    kinds = {symbol: row.token for symbol, row in rows.items() if symbol != "?:"}
    signs = sorted(
        {**kinds, **_SIGNS, **_OPERANDS}.items(), key=lambda sign: (sign[0][0], -len(sign[0]))
    )
    first = {text[0]: place for place, (text, _) in reversed(list(enumerate(signs, 1)))}
    binding = {
        row.token: row.precedence for row in BINARY.values() if row.kind is not OperatorKind.CHOICE
    }
    parts = (
        "/* Made by tests/csrc/declared.py from the declarations in Python. */",
        "#ifndef CA_DECLARED_H\n#define CA_DECLARED_H\n",
        "/* Kinds of nodes: classad/syntax/native.py. */",
        _enum("CA_", NODE_KINDS),
        "/* What a cell is: Tag in classad/loading/columns.py. */",
        _enum("CA_", tags),
        "/* Operators that are applied here: classad/language/operators.py. */",
        _enum("CA_", [str(row.opcode) for row in OPCODES]),
        "/* Kinds of tokens.  Operators come first, as OPERATORS of classad/syntax/native.py has",
        " * them; behind those from CA_T_CLOSE_PAREN on a `-` is a subtraction. */",
        _enum("CA_T_", [*tokens, *_OPERANDS.values(), *_OTHERS]),
        "/* How tightly binary operators bind, and what signs mean, by their first character. */",
        _table("BINDINGS", (f"[CA_T_{token}] = {level}" for token, level in binding.items())),
        _table("SIGNS", ('{"", 0}', *(f'{{"{text}", CA_T_{token}}}' for text, token in signs))),
        _table("FIRST_SIGNS", (f"['{char}'] = {place}" for char, place in first.items())),
        "#endif",
    )
    return "\n".join(parts) + "\n"


def _enum(prefix: str, names: Iterable[str]) -> str:
    names = dict.fromkeys(names)
    return f"enum {{\n{_filled((prefix + name for name in names), '')}\n}};\n"


def _table(name: str, entries: Iterable[str]) -> str:
    return f"#define CA_{name} {{ \\\n{_filled(entries, ' ' + chr(92))} \\\n}}\n"


def _filled(entries: Iterable[str], end: str) -> str:
    """Entries in lines of usual length."""
    joined = [entry.replace(" ", "\0") for entry in entries]
    lines = wrap(", ".join(joined), 94, break_long_words=False, break_on_hyphens=False)
    return f"{end}\n".join("    " + line.replace("\0", " ") for line in lines)


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="ascii")
