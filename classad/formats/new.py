"""Reads and writes the new form: ``[ Name = expression; ... ]``, also in a ``{...}`` list.

Between two ads there may be blanks, comments, and the braces and commas of ``-long:new`` lists.
The grammar parses the ads.

Inputs: a text.  Outputs: ads; or the text of one ad in one line.
Follows: the new form of HTCondor 25.14.1.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from classad.ads.ad import Ad, ListValue, Stored, fill, stored_form
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic
from classad.formats.common import (
    BLANKS,
    NAME,
    UNCOUNTED,
    A,
    MemoryUse,
    Names,
    has_many_digits,
    unshared,
    weight,
)
from classad.formats.recovery import NEW, Recovering
from classad.language import bounds
from classad.patterns import late_regex
from classad.source import Source
from classad.syntax.lexing import literal_value

_OPENING: Final = late_regex(rf"[{BLANKS}]*\[")
_NAME: Final = late_regex(rf"[{BLANKS};]*([A-Za-z_][A-Za-z0-9_]*)[{BLANKS}]*=(?![=?!])")
_CLOSING: Final = late_regex(rf"[{BLANKS};]*\]")
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_QUOTED: Final = r""""(?:[^"\\\0]++|\\[^\0]|(?!))*+"|'(?:[^'\\\0]++|\\[^\0]|(?!))*+'"""
#: One level of brackets (subscripts, nested ads), no comments, no NUL.
_VALUE: Final = late_regex(
    rf"""((?:[^;\[\]"'/\0]++|/(?![/*])|{_QUOTED}"""
    rf"""|\[(?:[^\[\]"'/\0]++|/(?![/*])|{_QUOTED}|(?!))*+\]|(?!))*+)(?=[;\]])"""
)
_RESERVED: Final = frozenset({"true", "false", "undefined", "error", "is", "isnt"})

#: Nearer to the parser's limit, which counts the brackets of the ad too, it must count itself.
_MAX_BRACKETS: Final = 60
_MAX_VALUES: Final = 20_000
#: Characters of a text whose ad may take what it takes.
_SHORT: Final = 1 << 20


class QuickAds:
    """The right-hand sides understood so far.  ``tz``: zone of time literals that name none."""

    def __init__(
        self, tz: str | None = None, memory: MemoryUse = UNCOUNTED, names: Names | None = None
    ) -> None:
        self.tz = tz
        #: Text -> value or expression, and whether it is a list or ad, made anew for each ad.
        self._values: dict[str, tuple[Stored, bool]] = {}
        self._memory = memory
        self.names = Names(memory) if names is None else names

    def fill(self, ad: A, text: str, position: int = 0) -> tuple[A, int] | None:
        """Fill a new ad from the one that begins at ``position``; the ad and where that ends.

        Blanks may stand before it.  None if the grammar must decide.
        """
        found = _OPENING.match(text, position)
        if found is None:
            return None
        position = found.end()
        attrs, names, known = ad._attrs, ad._names, self._values
        spellings = self.names.of
        taken: set[int] = set()
        while (named := _NAME.match(text, position)) is not None:
            key, spelled = spellings(named[1])
            valued = _VALUE.match(text, named.end())
            if valued is None or key in _RESERVED:
                return None
            right = valued[1].strip(BLANKS)  # at once: it may be long, and is not to be kept twice
            entry = known.get(right) or self._understand(right)
            if entry is None:
                return None
            value, nested = entry
            if nested:
                value = stored_form(value, ad)
                if self._memory is not UNCOUNTED:
                    self._memory.add(weight(value))
            elif value.__class__ is Expression:
                value = unshared(value, taken)
            attrs[key] = value
            names.setdefault(key, spelled)
            position = valued.end()
        end = _CLOSING.match(text, position)
        if end is None or (not attrs and ";" in end[0]):
            return None
        return ad, end.end()

    def _understand(self, right: str) -> tuple[Stored, bool] | None:
        value: Stored = None if "\\" in right else literal_value(right)
        nested = False
        if value is None:
            if has_many_digits(right):
                return None
            tree = self._parse(right)
            if tree is None:
                return None
            value = stored_form(tree, Ad())
            if isinstance(value, Ad | ListValue):
                value, nested = tree, True
            if self._memory is not UNCOUNTED:
                self._memory.add(weight(tree))
        if len(self._values) >= _MAX_VALUES:
            self._values.clear()
        self._values[right] = (value, nested)
        return value, nested

    def _parse(self, text: str) -> Expression | None:
        from classad.syntax.parser import parse_expression

        if text.count("(") + text.count("{") + text.count("!") > _MAX_BRACKETS:
            return None
        try:
            node = parse_expression(text, tz=self.tz)
        except ClassAdParseError:
            return None
        # Text after a conditional is accepted, but not inside an ad.
        return Expression.from_node(node) if node.end == len(text) else None


_shared: Final[dict[str | None, QuickAds]] = {}


def quick_ad(ad: Ad, text: str, tz: str | None) -> bool:
    """Fill a new ad from the one at the beginning of a text, if that is ordinary.

    What earlier calls have understood is used again.
    """
    if len(text) > _SHORT:
        quick = QuickAds(tz, MemoryUse("<ad>", len(text)))
    elif (known := _shared.get(tz)) is not None:
        quick = known
    else:
        quick = _shared[tz] = QuickAds(tz)
    if quick.fill(ad, text) is not None:
        return True
    ad._attrs.clear()
    ad._names.clear()
    return False


# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_BETWEEN: Final = late_regex(r"(?:[ \t\n\v\f\r]++|//[^\n]*+|#[^\n]*+|/\*.*?\*/|(?!))*+", re.DOTALL)


def skip_blanks(text: str, position: int) -> int:
    """Where the blanks and comments that start at ``position`` end."""
    found = _BETWEEN.match(text, position)
    return position if found is None else found.end()


def parse_new(ad: A, text: str, position: int, source: Source, tz: str | None) -> tuple[A, int]:
    """Fill an ad from the one at ``position``; the ad and where that ends.

    ``ClassAdParseError`` if none starts there.
    """
    from classad.syntax.parser import parse_ad_prefix

    node, end = parse_ad_prefix(text, position, source=source, tz=tz)
    fill(ad, node)
    return ad, end


class NewReader(Recovering[A]):
    """Reads ads one by one, simple ones without the grammar."""

    shape, opening = NEW, NEW.opening
    _begun = False
    #: Whether the brace of a ``-long:new`` list is open.
    _listed = False

    @cached_property
    def quick(self) -> QuickAds:
        """What reads simple ads."""
        return QuickAds(self.tz, self.memory, self.names)

    def next_ad(self) -> A | None:
        """The ad that comes next; None for what stands between ads, and at the end."""
        if bounds.entered:
            bounds.glance("reading ads")
        position = self.position = skip_blanks(self.whole, self.position)
        mark = self.whole[position : position + 1]
        opens = mark == "{" and not self._begun
        self._begun = True
        if not mark:
            self._end()
        elif opens or (self._listed and mark in ",}"):
            self._listed = mark != "}"
            self.position += 1
        else:
            found = self.quick.fill(self.new(), self.whole, position)
            if found is None:
                return self.recovered(position)
            ad, self.position = found
            return self.names.share(ad)
        return None

    def recovered(self, position: int) -> A | None:
        """What is sound of the ad at a place, read by the grammar; None if nothing is."""
        try:
            ad: A | None = self._parsed(self.new(), position)
        except ClassAdParseError as problem:
            ad = self._sound(self.new(), position) if self.errors == "warn" else None
            if ad is None and not self.lose_ad(problem, position):
                self._end()
        if ad is None:
            return None
        self.names.adopt(ad)
        return self.names.share(ad)

    def _end(self) -> None:
        """There is nothing more to read."""
        self.over, self.position = True, len(self.whole)
        if self._listed:
            unclosed = Diagnostic("list of ads is not closed", self.source, self.position)
            self.report(unclosed)

    def _parsed(self, ad: A, position: int) -> A:
        """The ad at a place, behind which reading goes on."""
        from classad.syntax.parser import parse_ad_prefix

        node, self.position = parse_ad_prefix(self.whole, position, source=self.source, tz=self.tz)
        fill(ad, node)
        self.overflows(node, self.source)
        return ad

    def _sound(self, ad: A, position: int) -> A | None:
        """The ad at a place without what does not parse; None if its end is not clear."""
        problems: list[Diagnostic] = []
        if self.whole[position] != NEW.opening:
            return None
        begin, limit = position + 1, self.next_beginning(position)
        while True:
            end = self.attribute_end(begin, limit)
            if end is None:
                return None
            self._insert(ad, begin, end, problems)
            begin = end + 1
            if self.whole[end] == "]":
                break
        for problem in problems:
            self.report(problem)
        self.position = begin
        return ad

    def _insert(self, ad: Ad, begin: int, end: int, problems: list[Diagnostic]) -> None:
        """Insert the attribute between two places."""
        text = f"[{self.whole[begin:end]}]"
        try:
            parse_new(ad, text, 0, Source(text), self.tz)
            self.memory.add(NAME)
        except ClassAdParseError as problem:
            found = problem.diagnostic
            assert found is not None  # the parser has a place for every error
            shift = begin - 1
            start, end = found.start + shift, found.end + shift
            problems.append(
                Diagnostic(
                    found.message, self.source, start, end, help=found.help, lost="attribute"
                )
            )


#: Reads ads in new syntax; see ``Recovering.read``.
read_new: Final = NewReader.read


def format_new(ad: Ad) -> str:
    """An ad in new syntax, in one line.

    >>> from classad import ClassAd
    >>> format_new(ClassAd({"Cpus": 4, "Arch": "X86_64"}))
    '[ Arch = "X86_64"; Cpus = 4 ]'
    """
    from classad.formats.unparse import unparse_value

    return unparse_value(ad)
