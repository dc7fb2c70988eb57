"""Finds where the characters of an expanded value stand in the files.

A character of the value comes from the macro's own text, or from that of a macro that it refers to;
a stretch is shown in the innermost text that holds all of it.
Inputs: a scope, a definition, a stretch of its expanded value.  Outputs: source, start and end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby, repeat
from operator import attrgetter
from typing import Final, TypeAlias

from attr import define, evolve, field, frozen

from classad.source import Source
from policy.language.macros import ExpansionError, MacroReference
from policy.language.scope import Scope
from policy.language.table import Definition

#: A source and a stretch of it.
Spot: TypeAlias = tuple[Source, int, int]
#: What may stand in a file between two characters of a value: continuations and indentation.
_BETWEEN: Final = frozenset(" \t\r\n\\")


# There is one for each character: no frozen class, which takes three times as long to make.
@define(eq=False)
class _Site:
    """A stretch of a definition's stored text.

    ``outer``: the reference that led there, as a stretch of the text around it; chains of macros
    are long, so that what characters have in common is one object.  ``depth``: how many there are.
    """

    owner: Definition
    start: int
    end: int
    outer: _Site | None
    depth: int

    def around(self) -> Iterator[_Site]:
        """This stretch and those around it, outwards."""
        site: _Site | None = self
        while site is not None:
            yield site
            site = site.outer


def _inside(owner: Definition, start: int, end: int, outer: _Site | None) -> _Site:
    return _Site(owner, start, end, outer, 0 if outer is None else outer.depth + 1)


@frozen(slots=False)
class Origins:
    """Where the characters of a definition's expanded value come from."""

    scope: Scope
    definition: Definition
    _placed: dict[int, list[int]] = field(factory=dict, init=False, eq=False, repr=False)

    def locate(self, start: int, end: int) -> Spot | None:
        """Where ``start:end`` of the value stands; None where that cannot be told."""
        sites = self._sites
        if sites is None or not 0 <= start < end <= len(sites):
            return None
        for site in _common(list(self._ends(sites, start, end))).around():
            spot = self._in_source(site)
            if spot is not None:
                return spot
        return None

    def references(self) -> list[tuple[str, ...]] | None:
        """For each character of the value, the references that lead to it, outermost first.

        A reference is named by its macro and its place, so that two to one macro differ.
        """
        owner = self.definition
        if "$" not in owner.raw and _written(owner) == owner.raw:
            return [()] * len(owner.raw)
        if self._sites is None:
            return None
        led: dict[tuple[_Site, str], tuple[str, ...]] = {}
        found: list[tuple[str, ...]] = []
        for _, sites in groupby(self._sites, attrgetter("outer", "owner")):
            same = list(sites)
            found += [_references(same[0], led)] * len(same)
        return found

    def unread(self) -> list[bool]:
        """For each character of the value, is it of what a macro adds to that no file has set?

        A built-in value stands there, and what files have that are read before is not known.
        """
        return [_is_unread(site) for site in self._sites or ()]

    def _ends(self, sites: list[_Site], start: int, end: int) -> Iterator[_Site]:
        """The first and the last site of every stretch of one text in ``start:end``."""
        for index in range(bisect_right(self._runs, start) - 1, len(self._runs)):
            begin = max(self._runs[index], start)
            if begin >= end:
                return
            behind = self._runs[index + 1] if index + 1 < len(self._runs) else len(sites)
            yield sites[begin]
            yield sites[min(behind, end) - 1]

    def _in_source(self, site: _Site) -> Spot | None:
        owner = site.owner
        if owner.source is None:
            return None
        at = self._placed.get(id(owner))
        if at is None:
            at = list(_aligned(_written(owner), owner.source.text, owner.start, owner.end))
            self._placed[id(owner)] = at
        if site.end > len(at):
            return None
        return owner.source, at[site.start], at[site.end - 1] + 1

    @cached_property
    def _sites(self) -> list[_Site] | None:
        return _sites(self.scope, self.definition)

    @cached_property
    def _runs(self) -> list[int]:
        """Where the sites begin that follow one another in one text, in one reference."""
        sites = self._sites or []
        return [0, *(at for at in range(1, len(sites)) if not _goes_on(sites[at - 1], sites[at]))]


def _is_unread(site: _Site) -> bool:
    """Is it the place of a value from before the first definition of a name?"""
    owner = site.owner
    if owner.previous is not None:
        return False
    written = owner.written or owner.raw
    if _itself(owner).fullmatch(_written(owner), site.start, site.end) is not None:
        return True
    # `+=` puts what it appends behind the value.
    return (
        owner.extends_unread
        and _itself(owner).search(written) is None
        and (site.end <= len(owner.raw) - len(written))
    )


def _references(site: _Site, led: dict[tuple[_Site, str], tuple[str, ...]]) -> tuple[str, ...]:
    """The references that lead to a site; ``led``: those that lead to what is in a reference."""
    steps = []
    found: tuple[str, ...] = ()
    while site.outer is not None:
        step = (site.outer, site.owner.name)
        if step in led:
            found = led[step]
            break
        steps.append(step)
        site = site.outer
    for step in reversed(steps):
        outer, name = step
        found = led[step] = (*found, f"{name}@{outer.start}")
    return found


def _sites(scope: Scope, definition: Definition) -> list[_Site] | None:
    """For each character of the expanded value, where it comes from."""
    sites = _own(definition, None)

    def trace(reference: MacroReference, value: str, entry: Definition | None) -> None:
        here = _joined(sites[reference.start], sites[reference.end - 1])
        if entry is None or entry.source is None or entry.raw != value:
            sites[reference.start : reference.end] = [here] * len(value)
        else:
            sites[reference.start : reference.end] = _own(entry, here)

    quiet = evolve(scope, functions=evolve(scope.functions, report=lambda message: None))
    expander = quiet.expander()._replace(trace=trace).inside(definition.name)
    try:
        text = expander.expand(definition.raw)
    except ExpansionError:
        return None
    return sites if len(text) == len(sites) else None


def _own(owner: Definition, outer: _Site | None) -> list[_Site]:
    """The stored text of a definition: as it was written, but for what it took over."""
    found: list[_Site] = []
    # A macro may be appended to a thousand times: a function that calls itself ends too early.
    under_way = [_pieces(owner, outer)]
    while under_way:
        for piece in under_way[-1]:
            if not isinstance(piece, list):
                under_way.append(_pieces(*piece))
                break
            found += piece
        else:
            under_way.pop()
    return found


def _each(owner: Definition, start: int, end: int, outer: _Site | None) -> list[_Site]:
    """The characters of a stretch."""
    places, depth = range(start, end), 0 if outer is None else outer.depth + 1
    behind = range(start + 1, end + 1)
    return list(map(_Site, repeat(owner), places, behind, repeat(outer), repeat(depth)))


def _pieces(
    owner: Definition, outer: _Site | None
) -> Iterator[list[_Site] | tuple[Definition, _Site]]:
    """The sites of a stored text; for an earlier value that definition and what it stands in."""
    text, earlier = _written(owner), owner.previous
    if text == owner.raw:
        yield _each(owner, 0, len(text), outer)
        return
    if earlier is not None and not _references_itself(owner):
        # What `+=` appends stands behind the old value and something that joins the two.
        joint = len(owner.raw) - len(text) - len(earlier.raw)
        first = _inside(owner, 0, 1, outer)
        yield earlier, first
        yield [first] * joint
    at = 0
    for found in _itself(owner).finditer(text):
        yield _each(owner, at, found.start(), outer)
        here = _inside(owner, found.start(), found.end(), outer)
        if earlier is None:
            yield [here] * len(_taken_over(owner) or "")
        else:
            yield earlier, here
        at = found.end()
    yield _each(owner, at, len(text), outer)


def _written(owner: Definition) -> str:
    """The text to which the sites of a definition refer."""
    written, earlier = owner.written or owner.raw, owner.previous
    appended = (
        earlier is not None and owner.raw.startswith(earlier.raw) and owner.raw.endswith(written)
    )
    return written if appended or _references_itself(owner) else owner.raw


def _references_itself(owner: Definition) -> bool:
    """Is the stored text the written one with the earlier value in the place of the name?"""
    name = owner.name.rpartition(".")[2].casefold()
    if owner.written is None or f"{name})" not in owner.written.casefold():
        return False
    earlier = _taken_over(owner)
    if earlier is None:
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


def _goes_on(before: _Site, site: _Site) -> bool:
    # What is in one reference is of one text.
    one_text = before.outer is site.outer
    return one_text and before.start <= site.start and before.end <= site.end


def _common(sites: list[_Site]) -> _Site:
    """The innermost stretch that holds all of them."""
    common = sites[0]
    above: dict[_Site, _Site] = {}
    for site in sites:
        joined = _joined(common, _at(site, common.depth, above))
        if joined.depth != common.depth:
            above.clear()
        common = joined
    return common


def _at(site: _Site, depth: int, above: dict[_Site, _Site]) -> _Site:
    """The site around one that lies so deep, or itself; ``above``: those that are known."""
    passed = []
    while site.depth > depth and (outer := site.outer) is not None:
        if site in above:
            site = above[site]
            break
        passed.append(site)
        site = outer
    above.update(dict.fromkeys(passed[1:], site))
    return site


def _joined(one: _Site, other: _Site) -> _Site:
    """The innermost stretch that holds both, in the outermost text where they part."""
    one, other = _at(one, other.depth, {}), _at(other, one.depth, {})
    parted = None
    for left, right in zip(one.around(), other.around(), strict=True):
        if left is right:
            break
        if left.owner is not right.owner or (left.start, left.end) != (right.start, right.end):
            parted = left, right
    if parted is None:
        return one
    left, right = parted
    if left.owner is not right.owner:
        assert left.outer is not None  # the outermost are all of the definition itself
        return left.outer
    start, end = min(left.start, right.start), max(left.end, right.end)
    return _inside(left.owner, start, end, left.outer)


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
