"""Reads simple ads in new syntax without the grammar, for speed.

An attribute is taken as a whole up to the next ``;`` or ``]`` when no deeper nesting, comment or
unusual name is in the way.  Equal right-hand sides are understood once, literals by a regular
expression, others by the grammar.  For anything else, and for every text that does not parse, the
answer is None: the grammar decides about the ad.

Inputs: a text and a position.  Outputs: an ad and where it ends, or None.
Follows: whatever the grammar gives; ``test_adfile_formats`` compares the two.
"""

from __future__ import annotations

import re
from typing import Final

from classad.ads.ad import Ad, ListValue, Stored, stored_form
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError
from classad.formats.common import BLANKS, A, Names, has_many_digits, unshared
from classad.formats.held import UNHELD, Held, weight
from classad.formats.long import literal_value

_OPENING: Final = re.compile(rf"[{BLANKS}]*\[")
_NAME: Final = re.compile(rf"[{BLANKS};]*([A-Za-z_][A-Za-z0-9_]*)[{BLANKS}]*=(?![=?!])")
_CLOSING: Final = re.compile(rf"[{BLANKS};]*\]")
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_QUOTED: Final = r""""(?:[^"\\\0]++|\\[^\0]|(?!))*+"|'(?:[^'\\\0]++|\\[^\0]|(?!))*+'"""
#: One level of brackets (subscripts, nested ads), no comments, no NUL.
_VALUE: Final = re.compile(
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

    def __init__(self, tz: str | None = None, held: Held = UNHELD) -> None:
        self.tz = tz
        #: Text -> value or expression, and whether it is a list or ad, made anew for each ad.
        self._values: dict[str, tuple[Stored, bool]] = {}
        self._held = held
        self.names = Names(held)

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
                if self._held is not UNHELD:
                    self._held.add(weight(value))
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
            if self._held is not UNHELD:
                self._held.add(weight(tree))
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
        quick = QuickAds(tz, Held("<ad>", len(text)))
    elif (known := _shared.get(tz)) is not None:
        quick = known
    else:
        quick = _shared[tz] = QuickAds(tz)
    if quick.fill(ad, text) is not None:
        return True
    ad._attrs.clear()
    ad._names.clear()
    return False
