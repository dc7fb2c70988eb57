"""Finds where the characters of an expanded value stand in the files.

A character of the value comes from the macro's own text, or from that of a macro that it refers to;
a stretch is shown in the innermost text that holds all of it.
Inputs: a scope, a definition, a stretch of its expanded value.  Outputs: source, start and end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

from attr import evolve, frozen

from classad.source import Source
from policy.language.macros import ExpansionError, Reference
from policy.language.scope import Scope
from policy.language.table import Definition

#: A source and a stretch of it.
Spot: TypeAlias = tuple[Source, int, int]
#: What may stand in a file between two characters of a value: continuations and indentation.
_BETWEEN: Final = frozenset(" \t\r\n\\")


@frozen
class _Site:
    """A stretch of a definition's stored text."""

    owner: Definition
    start: int
    end: int


#: Where a character is, from the macro's own text inwards.
_Path: TypeAlias = tuple[_Site, ...]


@frozen
class Origins:
    """Where the characters of a definition's expanded value come from."""

    scope: Scope
    definition: Definition

    def locate(self, start: int, end: int) -> Spot | None:
        """Where ``start:end`` of the value stands; None where that cannot be told."""
        paths = self._paths
        if paths is None or not 0 <= start < end <= len(paths):
            return None
        for site in reversed(list(_common(paths[start:end]))):
            spot = _in_source(site)
            if spot is not None:
                return spot
        return None

    def references(self) -> list[tuple[str, ...]] | None:
        """For each character of the value, the references that lead to it, outermost first.

        A reference is named by its macro and its place, so that two to one macro differ.
        """
        if self._paths is None:
            return None
        return [
            tuple(f"{inner.owner.name}@{site.start}" for site, inner in pairwise(path))
            for path in self._paths
        ]

    @cached_property
    def _paths(self) -> list[_Path] | None:
        return _paths(self.scope, self.definition)


def _paths(scope: Scope, definition: Definition) -> list[_Path] | None:
    """For each character of the expanded value, where it comes from."""
    paths: list[_Path] = list(_own(definition, ()))

    def trace(found: Reference, value: str, entry: Definition | None) -> None:
        first, last = paths[found.start], paths[found.end - 1]
        outer = list(_common([first, last]))
        here = (*first[: len(outer) - 1], outer[-1]) if outer else first
        if entry is None or entry.source is None or entry.raw != value:
            paths[found.start : found.end] = [here] * len(value)
        else:
            paths[found.start : found.end] = list(_own(entry, here))

    quiet = evolve(scope, functions=evolve(scope.functions, report=lambda message: None))
    expander = evolve(quiet.expander(), trace=trace).inside(definition.name)
    try:
        text = expander.expand(definition.raw)
    except ExpansionError:
        return None
    return paths if len(text) == len(paths) else None


def _own(owner: Definition, outer: _Path) -> Iterator[_Path]:
    """The stored text of a definition: as it was written, but for what it took over."""
    text, earlier = _written(owner), owner.previous
    if text == owner.raw:
        yield from ((*outer, _Site(owner, at, at + 1)) for at in range(len(owner.raw)))
        return
    if earlier is not None and not _references_itself(owner):
        # What `+=` appends stands behind the old value and something that joins the two.
        joint = len(owner.raw) - len(text) - len(earlier.raw)
        first = (*outer, _Site(owner, 0, 1))
        yield from _own(earlier, first)
        yield from [first] * joint
    at = 0
    for found in _itself(owner).finditer(text):
        yield from ((*outer, _Site(owner, one, one + 1)) for one in range(at, found.start()))
        here = (*outer, _Site(owner, found.start(), found.end()))
        yield from (
            [here] * len(_taken_over(owner) or "") if earlier is None else _own(earlier, here)
        )
        at = found.end()
    yield from ((*outer, _Site(owner, one, one + 1)) for one in range(at, len(text)))


def _written(owner: Definition) -> str:
    """The text to which the sites of a definition refer."""
    written, earlier = owner.written or owner.raw, owner.previous
    appended = (
        earlier is not None and owner.raw.startswith(earlier.raw) and owner.raw.endswith(written)
    )
    return written if appended or _references_itself(owner) else owner.raw


def _references_itself(owner: Definition) -> bool:
    """Is the stored text the written one with the earlier value in the place of the name?"""
    earlier = _taken_over(owner)
    if owner.written is None or earlier is None:
        return False
    replaced = _itself(owner).sub(lambda found: earlier, owner.written)
    return replaced == owner.raw and replaced != owner.written


def _taken_over(owner: Definition) -> str | None:
    """The value that a definition had before, the built-in one if it is the first of its name."""
    if owner.previous is not None:
        return owner.previous.raw
    before, *behind = _itself(owner).split(owner.written or "")
    if len(behind) != 1 or not owner.raw.startswith(before) or not owner.raw.endswith(behind[0]):
        return None
    return owner.raw[len(before) : len(owner.raw) - len(behind[0])]


def _itself(owner: Definition) -> re.Pattern[str]:
    name = re.escape(owner.name.rpartition(".")[2])
    return re.compile(rf"\$\((?:{re.escape(owner.name)}|{name})\)", re.IGNORECASE)


def _common(paths: list[_Path]) -> Iterator[_Site]:
    """Level by level, the stretch that holds all the characters, while they are in one text."""
    for level in zip(*paths, strict=False):
        owner = level[0].owner
        if any(site.owner is not owner for site in level):
            return
        yield _Site(owner, min(site.start for site in level), max(site.end for site in level))
        if any(site != level[0] for site in level):
            return


def _in_source(site: _Site) -> Spot | None:
    owner = site.owner
    if owner.source is None:
        return None
    at = list(_aligned(_written(owner), owner.source.text, owner.start, owner.end))
    if site.end > len(at):
        return None
    return owner.source, at[site.start], at[site.end - 1] + 1


def _aligned(raw: str, text: str, start: int, end: int) -> Iterator[int]:
    """The offset of each character of the stored value, as far as it stands there."""
    at = start
    for character in raw:
        while at < end and text[at] != character:
            if text[at] in _BETWEEN:
                at += 1
            elif _begins_comment(text, start, at):
                at = (text.find("\n", at, end) + 1) or end
            else:
                return
        if at >= end:
            return
        yield at
        at += 1


def _begins_comment(text: str, start: int, at: int) -> bool:
    """Is it the `#` of a line between those of a continued value?"""
    begin = text.rfind("\n", start, at)
    return text[at] == "#" and begin >= 0 and not text[begin:at].strip()
