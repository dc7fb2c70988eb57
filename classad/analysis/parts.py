"""Lays out an expression and its parts as lines of text: expression, value, where it was found.

Decides what is cut and broken so that all fits.

Inputs: ``ShownPart``, a width.  Outputs: lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Final, NamedTuple

from attr import frozen

#: Widest expression and value that a line of the tree shows, and how wide a tree is.
TEXT_WIDTH: Final = 64
VALUE_WIDTH: Final = 40
WIDTH: Final = 80
#: An expression is not cut to less than this for the sake of what stands behind it.
_LEAST: Final = 30


@frozen
class ShownPart:
    """A part of an expression as people read it.

    ``value`` is empty where ``text`` says it; ``remark``: where a name was found, what went wrong;
    ``below``: operands, the definition of a name.
    """

    text: str
    value: str = ""
    remark: str = ""
    below: tuple[ShownPart, ...] = ()


class _Line(NamedTuple):
    indent: int
    text: str
    value: str
    remark: str


def cut(text: str, width: int) -> str:
    """The text in one line of limited width, without what would move the cursor."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return text if len(text) <= width else f"{text[: width - 3]}..."


def aligned(part: ShownPart, width: int) -> Iterator[str]:
    """Expression, value and remark in columns: expressions are broken so that all of them fit."""
    rows = [
        (
            cut(f"{'  ' * min(line.indent, 20)}{line.text}", TEXT_WIDTH),
            cut(line.value, VALUE_WIDTH),
            line.remark,
        )
        for line in _lines(part)
    ]
    values = max((len(value) for _, value, remark in rows if remark), default=0)
    behind = max(
        len(value) + 2 if not remark else values + 4 + len(remark) for _, value, remark in rows
    )
    most = min(TEXT_WIDTH, max(width - behind, _LEAST))
    wide = max(min(len(text), most) for text, _, _ in rows)
    for text, value, remark in rows:
        first, *more = wrapped(text, wide, "    ")
        line = f"{first:<{wide}}  {value:<{values}}  {remark}".rstrip()
        if remark and len(line) > width:
            line = line.removesuffix(remark).rstrip()
            more += wrapped(f"{' ' * (width // 2)}{remark}", width)
        yield from (line, *more)


def wrapped(text: str, width: int, lead: str = "  ") -> list[str]:
    """A text in lines, those after the first one further in than it."""
    begin = " " * (len(text) - len(text.lstrip()))
    return wrap(text, width, subsequent_indent=begin + lead, break_on_hyphens=False)


def _lines(part: ShownPart, indent: int = 0) -> Iterator[_Line]:
    """The lines of a part and all below it."""
    yield _Line(indent, part.text, part.value, part.remark)
    for other in part.below:
        yield from _lines(other, indent + 1)
