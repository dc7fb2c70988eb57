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
from policy.language.about import about
from policy.lint.causes import causes, file_of
from policy.lint.finding import ERROR, WARNING

#: Findings about a word, which is the cause wherever it stands.
_ABOUT_WORDS: Final = re.compile(r"P(120|4\d\d)")
_WORD: Final = re.compile(r"\$\([\w.]+\)|[A-Za-z_][\w.]*")
#: Findings that come in crowds when one list lost what it had: they are one cause by that list.
_OF_LISTS: Final = ("P212", "P301")
#: Findings about the items of one list.
_OF_ITEMS: Final = ("P211",)
#: Findings that are one cause if they say the same of what would set them right.
_BY_HELP: Final = ("P205", "P241", "P301")
#: Findings at which a daemon ends.
_ENDING: Final = frozenset(("P101", "P110", "P111", "P114"))
#: Places that are listed one by one.
_LISTED: Final = 8


@frozen
class Block:
    """One cause: the finding to show, further places, and what comes of it."""

    first: Diagnostic
    more: list[Diagnostic] = field(factory=list)
    consequences: list[Block] = field(factory=list)

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
            yield one._as_consequence(self.first)
        if self.more:
            yield f"  also at {self._places()}"

    def _as_consequence(self, cause: Diagnostic) -> str:
        """One line about what comes of a cause, with its places where they are others."""
        found = self.first
        where = "" if _spot(found) == _spot(cause) else f", {self._place(found, cause)}"
        tail = f"; {found.help}" if found.help else ""
        more = f"; also at {self._places()}" if self.more else ""
        return f"  so{where}: {found.severity}[{found.id}]: {found.message}{tail}{more}"

    def _places(self) -> str:
        """The other places, the file only where it is another one."""
        shown, before = [], self.first
        for one in self.more[:_LISTED]:
            shown.append(self._place(one, before))
            before = one
        rest = len(self.more) - _LISTED
        return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")

    @staticmethod
    def _place(found: Diagnostic, before: Diagnostic) -> str:
        """A place, seen from the one that was named before: in the same line it is a word."""
        if _spot(found) == _spot(before) and found.source is not None:
            return f"`{found.source.text[found.start : found.end]}`"
        name = file_of(found)
        return f"line {found.line}" if name == file_of(before) else f"{name}:{found.line}"


def _spot(found: Diagnostic) -> tuple[str | None, int | None]:
    return file_of(found), found.line


def blocks(findings: Sequence[Diagnostic]) -> list[Block]:
    """The findings by cause, in the order of the first place of each."""
    found: dict[tuple[str | None, str | None, str], Block] = {}
    block_of: dict[int, Block] = {}
    caused = causes(findings)
    for one in findings:
        if id(one) not in caused:
            block = found.setdefault(_key(one), Block(one))
            block_of[id(one)] = block
            if block.first is not one:
                block.more.append(one)
    inner: dict[tuple[int, tuple[str | None, str | None, str]], Block] = {}
    for one in findings:
        if id(one) in caused:
            block = block_of[id(caused[id(one)])]
            key = id(block), _key(one)
            if key in inner:
                inner[key].more.append(one)
            else:
                inner[key] = Block(one)
                block.consequences.append(inner[key])
    return list(found.values())


def _key(found: Diagnostic) -> tuple[str | None, str | None, str]:
    """What makes two findings one cause."""
    round_ = about(found).circle
    if round_:
        return found.id, found.severity, " ".join(sorted(set(round_)))
    if found.id in _BY_HELP and found.help:
        return found.id, found.severity, found.help
    if found.id in _OF_LISTS:
        return found.id, found.severity, about(found).needs
    if found.id in _OF_ITEMS:
        return found.id, found.severity, about(found).macro
    if found.source is not None and _ABOUT_WORDS.fullmatch(found.id or ""):
        marked = found.source.text[found.start : found.end]
        if _WORD.fullmatch(marked):
            return found.id, found.severity, marked.casefold()
    return found.id, found.severity, found.message


def worst_first(found: Iterable[Block]) -> list[Block]:
    """What ends a daemon, other errors, warnings, notes; else as they come."""
    order = {ERROR: 1, WARNING: 2}

    def rank(block: Block) -> int:
        ends = {block.first.id, *(one.first.id for one in block.consequences)} & _ENDING
        return 0 if ends and block.severity == ERROR else order.get(block.severity, 3)

    return sorted(found, key=rank)
