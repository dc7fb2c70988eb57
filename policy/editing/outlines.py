"""Gives the outline of a text: sections, macros, conditionals; and what of it can be folded.

A section begins with a comment that is a heading: in a frame of signs, or between rows of them.
Inputs: a text.  Outputs: ``Symbol`` trees, ``Fold`` values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import define, field, frozen

from classad.patterns import late_regex
from policy.editing.texts import Form, WrittenStatement, text_of

#: ``## Title``, ``# --- Title ---``, ``# == Title``, ``#### Title ####``.
_FRAMED: Final = late_regex(r"#(?:#+|[ \t]*[-=*#~]{2,})[ \t]*(\w.*?)[ \t]*[-=*#~]*")
_ROW: Final = late_regex(r"#[ \t]*[-=*#~]{3,}[ \t]*")
_TITLE: Final = late_regex(r"#+[ \t]*(\w.*?)[ \t#]*")
_SHOWN: Final = 60


@define
class Symbol:
    """An entry of an outline; ``start:end`` is all of it, ``name_start:name_end`` its name.

    ``sort``: ``section``, ``macro``, ``condition`` or ``statement``.
    """

    name: str
    sort: str
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    below: list[Symbol] = field(factory=list)


@frozen
class Fold:
    """Lines, from 0, both included, of which the first stays when they are folded."""

    first: int
    last: int
    is_comment: bool = False


def symbols(text: str) -> list[Symbol]:
    """The outline of a text."""
    top: list[Symbol] = []
    section: Symbol | None = None
    open_ifs: list[Symbol] = []
    headings = list(_headings(text))
    for one in text_of(text).statements:
        while headings and headings[0].start < one.start:
            if section is not None:
                section.end = headings[0].start
            section, open_ifs = headings.pop(0), []
            top.append(section)
        keyword = one.name if one.form is Form.CONDITION else ""
        for outer in (section, *open_ifs):
            if outer is not None:
                outer.end = max(outer.end, one.end)
        if keyword in ("endif", "else", "elif") and open_ifs:
            if keyword == "endif":
                open_ifs.pop()
            continue
        symbol = _symbol(text, one)
        around = open_ifs[-1] if open_ifs else section
        (top if around is None else around.below).append(symbol)
        if keyword == "if":
            open_ifs.append(symbol)
    return [*top, *headings]


def _symbol(text: str, one: WrittenStatement) -> Symbol:
    detail = " ".join(text[one.value_start : min(one.end, one.value_start + 300)].split())
    detail = detail if len(detail) <= _SHOWN else f"{detail[: _SHOWN - 3]}..."
    sort, name = ("macro" if one.assigns else "statement"), one.name or "="
    if one.form is Form.CONDITION:
        sort, name, detail = "condition", f"{one.name} {detail}", ""
    elif one.form is Form.USE:
        name = f"use {one.word}"
    end = max(one.start, min(one.end, one.name_end))
    return Symbol(name, sort, detail, one.start, one.end, one.start, end)


def _headings(text: str) -> Iterator[Symbol]:
    lines, at = text.split("\n"), 0
    document = text_of(text)
    for number, line in enumerate(lines):
        bare = line.strip()
        before = lines[number - 1].strip() if number else ""
        behind = lines[number + 1].strip() if number + 1 < len(lines) else ""
        found = _FRAMED.fullmatch(bare) if bare.startswith("#") else None
        if found is None and _ROW.fullmatch(before) and _ROW.fullmatch(behind):
            found = _TITLE.fullmatch(bare)
        begin = at + line.find(bare) if bare else at
        if found is not None and document.comment_at(begin) is not None:
            end = begin + len(bare)
            start = at + found.start(1) + line.find(bare)
            yield Symbol(found[1], "section", "", begin, end, start, start + len(found[1]))
        at += len(line) + 1


def folds(text: str) -> list[Fold]:
    """What of a text can be folded: sections, conditionals, long statements, rows of comments."""
    document, found = text_of(text), list[Fold]()
    for symbol in _all(symbols(text)):
        last = text[: symbol.end].rstrip()
        found.append(Fold(document.line_of(symbol.start), last.count("\n")))
    run: list[int] = []
    for number, line in enumerate([*text.split("\n"), ""]):
        if line.lstrip().startswith("#"):
            run.append(number)
            continue
        if len(run) > 1:
            found.append(Fold(run[0], run[-1], is_comment=True))
        run = []
    unique = {fold.first: fold for fold in found if fold.last > fold.first}
    return sorted(unique.values(), key=lambda fold: fold.first)


def _all(several: list[Symbol]) -> Iterator[Symbol]:
    todo = list(reversed(several))
    while todo:
        one = todo.pop()
        yield one
        todo.extend(reversed(one.below))
