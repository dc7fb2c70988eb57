"""Puts findings of one cause together, for reports that people read.

Inputs: findings in the order of files and lines.  Outputs: ``Block`` values, worst first on
request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attr import field, frozen

from classad.errors import Diagnostic
from policy.knobs.reading import EXPANDED
from policy.lint.finding import ERROR, WARNING

#: Findings about a word, which is the cause wherever it stands.
_ABOUT_WORDS: Final = re.compile(r"P(120|4\d\d)")
_WORD: Final = re.compile(r"\$\([\w.]+\)|[A-Za-z_][\w.]*")
#: What is the cause of a value in the same line that a daemon cannot read: an undefined macro, for
#: instance, leaves a hole.
_CAUSES: Final = frozenset(
    ("P103", "P104", "P120", "P121", "P122", "P123", "P124", "P213", "P423", "P603")
)
_CONSEQUENCES: Final = frozenset(("P110", "P111", "P112", "P113"))
_HOLE: Final = re.compile(r"leaves a hole in (\S+)$")
#: Cause and what comes of it at the same characters.
_SAME_WORD: Final = {
    "P303": ("P103", "P213"),
    "P410": ("P424",),
    "P431": ("P404", "P407"),
}
#: Findings that come in crowds when one list lost what it had: they are one cause by that list.
_OF_LIST: Final = re.compile(r"(?:not in|is in no) (\w+)")
_OF_LISTS: Final = ("P212", "P301")
#: Findings at which a daemon ends.
_ENDING: Final = frozenset(("P101", "P110", "P111", "P114"))
#: Places that are listed one by one.
_LISTED: Final = 8


@frozen
class Block:
    """One cause: the finding to show, further places, and what comes of it."""

    first: Diagnostic
    more: list[Diagnostic] = field(factory=list)
    consequences: list[Diagnostic] = field(factory=list)

    @property
    def severity(self) -> str:
        """The worst of cause and consequences."""
        all_ = {self.first.severity, *(one.severity for one in self.consequences)}
        return ERROR if ERROR in all_ else WARNING if WARNING in all_ else self.first.severity

    def lines(self) -> Iterator[str]:
        """The block for people."""
        yield self.first.headline()
        if self.first.source is not None:
            yield self.first.source.excerpt(self.first.start, self.first.end)
        if self.first.help:
            yield f"  help: {self.first.help}"
        for one in self.consequences:
            tail = f"; {one.help}" if one.help else ""
            yield f"  so: {one.severity}[{one.id}]: {one.message}{tail}"
        if self.more:
            yield f"  also at {self._places()}"

    def _places(self) -> str:
        """The other places, the file only where it is another one."""
        shown, file = [], file_of(self.first)
        for one in self.more[:_LISTED]:
            name = file_of(one)
            shown.append(f"line {one.line}" if name == file else f"{name}:{one.line}")
            file = name
        rest = len(self.more) - _LISTED
        return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def file_of(found: Diagnostic) -> str | None:
    """The file that a finding is in."""
    return None if found.source is None else found.source.name.removesuffix(EXPANDED)


def blocks(findings: Sequence[Diagnostic]) -> list[Block]:
    """The findings by cause, in the order of the first place of each."""
    found: dict[tuple[str | None, str | None, str], Block] = {}
    causes: dict[tuple[str | None, int | None], Block] = {}
    rest: list[Diagnostic] = []
    for one in findings:
        if one.id in _CONSEQUENCES or one.id in _SAME_WORD:
            rest.append(one)
            continue
        block = _take(found, one)
        if one.id in _CAUSES:
            for line in (one.line, *_users(one)):
                causes.setdefault((file_of(one), line), block)
    for one in rest:
        cause = causes.get((file_of(one), one.line)) if one.id in _CONSEQUENCES else None
        cause = cause or _same_word(found.values(), one)
        if cause is not None and one.source is not None:
            cause.consequences.append(one)
        else:
            _take(found, one)
    order = {id(one): number for number, one in enumerate(findings)}
    return sorted(found.values(), key=lambda block: order[id(block.first)])


def _take(found: dict[tuple[str | None, str | None, str], Block], one: Diagnostic) -> Block:
    """Put a finding into the block of its cause."""
    block = found.setdefault(_key(one), Block(one))
    if block.first is not one:
        block.more.append(one)
    return block


def _same_word(found: Iterable[Block], one: Diagnostic) -> Block | None:
    """The block whose first finding is about the same characters and is the cause."""
    causes = _SAME_WORD.get(one.id or "", ())
    for block in found:
        cause = block.first
        overlap = cause.start < one.end and one.start < cause.end
        if cause.id in causes and cause.source is one.source and overlap:
            return block
    return None


def _users(hole: Diagnostic) -> Iterator[int]:
    """The lines of the same file where a macro with a hole is used, by others of them too."""
    named = _HOLE.search(hole.message)
    if named is None or hole.source is None:
        return
    text = hole.source.text
    todo, done = [named[1]], set()
    while todo:
        name = todo.pop()
        done.add(name.casefold())
        used = re.compile(rf"(?im)^[ \t]*([\w.]+)[ \t]*=[^\n]*\$\({re.escape(name)}\)")
        for found in used.finditer(text):
            yield text.count("\n", 0, found.start(1)) + 1
            if found[1].casefold() not in done:
                todo.append(found[1])


def _key(found: Diagnostic) -> tuple[str | None, str | None, str]:
    """What makes two findings one cause."""
    if found.id in _OF_LISTS:
        of_list = _OF_LIST.search(found.message)
        return found.id, found.severity, of_list[1] if of_list else ""
    if found.source is not None and _ABOUT_WORDS.fullmatch(found.id or ""):
        marked = found.source.text[found.start : found.end]
        if _WORD.fullmatch(marked):
            return found.id, found.severity, marked.casefold()
    return found.id, found.severity, found.message


def worst_first(found: Iterable[Block]) -> list[Block]:
    """What ends a daemon, other errors, warnings, notes; else as they come."""
    order = {ERROR: 1, WARNING: 2}

    def rank(block: Block) -> int:
        ends = {block.first.id, *(one.id for one in block.consequences)} & _ENDING
        return 0 if ends and block.severity == ERROR else order.get(block.severity, 3)

    return sorted(found, key=rank)
