"""Says which findings come of another one, such as a group without quota of a misspelt GROUP_QUOTA.

A cause leaves marks: a line that does not say what it should, a macro that is not set, a list
without what it had, a group under another name.  What comes of it looks for its marks.
Inputs: findings.  Outputs: the cause of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.knobs.reading import EXPANDED
from policy.language.about import AFTER_ELSE, ELIF, about

#: What goes wrong in the line itself where the value cannot be read as it should.
_OF_LINES: Final = frozenset(
    ("P103", "P104", "P107", "P120", "P121", "P122", "P123", "P124", "P213", "P423", "P603")
)
_VALUES: Final = frozenset(("P110", "P111", "P112", "P113", "P116", "P130"))
#: What is set under a name that nobody reads.
_MISNAMED: Final = frozenset(("P201", "P202", "P301"))
#: Findings about a list, or about the macro that would have been one.
_OF_LISTS: Final = frozenset(("P213", "P221", "P233"))
_OUTSIDE: Final = frozenset(("P212", "P301"))
#: A finding, and what it may come of at the same characters.
_SAME_WORD: Final = {
    **dict.fromkeys(("P110", "P111", "P112", "P113"), ("P115",)),
    "P211": ("P233",),
    "P217": ("P115",),
    "P302": ("P213", "P233"),
    "P303": ("P103", "P213", "P233", "P423"),
    "P410": ("P424",),
    "P431": ("P404", "P407"),
}
_FIRST_WORD: Final = late_regex(r"[\w.]+")
#: The first line of a block without the `=` of `@=`.
_BLOCK: Final = late_regex(r"\s*[\w.]+\s*@\s*(\w+)\s*")

_Mark = tuple[str, ...]


def causes(findings: Sequence[Diagnostic]) -> dict[int, Diagnostic]:
    """The first cause of each finding that has one, by the finding's ``id()``."""
    left: dict[_Mark, Diagnostic] = {}
    for one in findings:
        for mark in _leaves(one):
            left.setdefault(mark, one)
    direct: dict[int, Diagnostic] = {}
    for one in findings:
        cause = next((left[mark] for mark in _comes_of(one) if mark in left), None)
        cause = cause or _same_word(findings, one)
        if cause is not None and cause is not one and one.source is not None:
            direct[id(one)] = cause
    return {key: _first(direct, cause) for key, cause in direct.items()}


def _first(direct: dict[int, Diagnostic], cause: Diagnostic) -> Diagnostic:
    """The cause of the cause, and so on; where that is a circle, one of it."""
    passed: set[int] = set()
    while id(cause) in direct and id(cause) not in passed:
        passed.add(id(cause))
        cause = direct[id(cause)]
    return cause


def file_of(found: Diagnostic) -> str | None:
    """The file that a finding is in."""
    return None if found.source is None else found.source.name.removesuffix(EXPANDED)


def _leaves(one: Diagnostic) -> Iterator[_Mark]:
    """What the finding makes go wrong elsewhere."""
    id_ = one.id or ""
    if id_ in _OF_LINES:
        yield from (_line(one, number) for number in (*_continued(one), *_users(one)))
    if id_ == "P104" and about(one).kind == ELIF:
        yield ("elif", file_of(one) or "")
    if id_ == "P101":
        # What a block should have set, and the value that should have gone on in this line.
        first = _FIRST_WORD.search(_text(one).lstrip()[:80])
        yield from _marks("macro", *(() if first is None else (first[0],)))
        yield from (("block", *_line(one, number)) for number in _of_block(one))
        yield _line(one, (one.line or 1) - 1)
    elif id_ in ("P103", "P107"):
        yield ("comment", *_line(one, one.line))
    elif id_ == "P114":
        yield from _marks("circle", *about(one).circle)
    elif id_ == "P120":
        yield from _marks("macro", about(one).macro)
    elif id_ == "P222":
        yield from _items(about(one).macro, about(one).names)
    elif id_ == "P211":
        yield from _items(about(one).macro, filter(None, (about(one).meant,)))
    elif id_ == "P301":
        yield from _marks("group", about(one).group)
    if id_ in _MISNAMED:
        yield from _marks("macro", about(one).meant)
    if id_ == "P423":
        name, *items = _FIRST_WORD.findall(_text(one).casefold())
        yield from (("item", name, item) for item in items)
        yield ("anew", *_line(one, one.line))
    elif id_ in _OF_LISTS:
        yield from _marks("list", about(one).macro)


def _comes_of(one: Diagnostic) -> Iterator[_Mark]:
    """The marks that would explain the finding."""
    id_ = one.id or ""
    if id_ in ("P101", "P102"):
        yield ("block", *_line(one, one.line))
    if id_ == "P101" and about(one).kind == AFTER_ELSE:
        yield ("elif", file_of(one) or "")
    elif id_ in _VALUES:
        yield _line(one, one.line)
        yield from _marks("circle", *about(one).circle)
    elif id_ == "P222":
        yield ("anew", *_line(one, one.line))
    elif id_ == "P211":
        yield from _marks("macro", *about(one).names)
    elif id_ == "P241":
        yield from _marks("macro", about(one).needs)
    elif id_ == "P303":
        name = about(one).group.casefold()
        yield from (("macro", f"group_quota_{kind}{name}") for kind in ("", "dynamic_"))
        yield ("group", name)
        yield ("comment", *_line(one, one.line))
    if id_ in _OUTSIDE:
        list_ = about(one).needs.casefold()
        for item in about(one).names:
            yield from (("item", list_, end) for end in _ends(item.casefold()))
        yield ("macro", list_)
        yield ("list", list_)


def _of_block(one: Diagnostic) -> range:
    """The numbers of the lines that a block would have, the one with its tag among them."""
    first = None if one.source is None else _BLOCK.fullmatch(_text(one))
    if first is None or one.source is None or one.line is None:
        return range(0)
    below = one.source.text.split("\n")[one.line :]
    ends = (at for at, text in enumerate(below, one.line + 1) if text.strip() == f"@{first[1]}")
    return range(one.line + 1, next(ends, one.line) + 1)


def _line(one: Diagnostic, number: int | None) -> _Mark:
    return "line", file_of(one) or "", str(number)


def _marks(what: str, *names: str) -> Iterator[_Mark]:
    """A mark for each name that there is."""
    return ((what, name.casefold()) for name in names if name)


def _items(list_: str, names: Iterable[str]) -> Iterator[_Mark]:
    return (("item", list_.casefold(), name.casefold()) for name in names)


def _ends(macro: str) -> Iterator[str]:
    """``b_c`` and ``c`` of ``A_b_c``: one of them is the item that the macro is for."""
    parts = macro.split("_")
    return ("_".join(parts[begin:]) for begin in range(len(parts)))


def _text(one: Diagnostic) -> str:
    """The line that the finding is in."""
    return "" if one.source is None else one.source.line_at(one.start)[0]


def _same_word(findings: Iterable[Diagnostic], one: Diagnostic) -> Diagnostic | None:
    """The finding about the same characters that is the cause."""
    wanted = _SAME_WORD.get(one.id or "", ())
    for cause in findings if wanted else ():
        overlap = cause.start < one.end and one.start < cause.end
        if cause.id in wanted and cause.source is one.source and overlap:
            return cause
    return None


def _continued(one: Diagnostic) -> Iterator[int | None]:
    """The line of a finding, and those into which its statement goes on."""
    yield one.line
    if one.source is None or one.line is None:
        return
    text, number = one.source.text, one.line
    end = text.find("\n", one.start)
    while end > 0 and text[end - 1] == "\\":
        number += 1
        yield number
        end = text.find("\n", end + 1)


def _users(hole: Diagnostic) -> Iterator[int]:
    """The lines of the same file where a macro with a hole is used, by others of them too."""
    macro = about(hole).macro
    if hole.id != "P120" or not macro or hole.source is None:
        return
    text = hole.source.text
    todo, done = [macro], set()
    while todo:
        name = todo.pop()
        done.add(name.casefold())
        used = re.compile(rf"(?im)^[ \t]*([\w.]+)[ \t]*=[^\n]*\$\({re.escape(name)}\)")
        for found in used.finditer(text):
            yield text.count("\n", 0, found.start(1)) + 1
            if found[1].casefold() not in done:
                todo.append(found[1])
