"""Reads and writes the new form: ``[ Name = expression; ... ]``, also in a ``{...}`` list.

Between two ads there may be blanks, comments, and the braces and commas of ``-long:new`` lists.
The grammar parses the ads.

Inputs: a text.  Outputs: ads; or the text of one ad in one line.
Follows: the new form of HTCondor 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from classad.ads.ad import Ad, ListValue, Stored, fill, stored_form
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic, Lost
from classad.formats.common import (
    BLANKS,
    NAME,
    UNHELD,
    A,
    Errors,
    Held,
    Names,
    check_errors,
    has_many_digits,
    note_bytes,
    overflows,
    report,
    report_error,
    unshared,
    weight,
    with_line_ends,
)
from classad.formats.long import literal_value
from classad.formats.recovery import NEW, Beginnings, attribute_end
from classad.language import bounds
from classad.source import Source

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


# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_BETWEEN: Final = re.compile(r"(?:[ \t\n\v\f\r]++|//[^\n]*+|#[^\n]*+|/\*.*?\*/|(?!))*+", re.DOTALL)


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


def read_new(
    source: str | Iterable[str],
    name: str = "<text>",
    diagnostics: list[Diagnostic] | None = None,
    *,
    new: Callable[[], A],
    errors: Errors = "warn",
    tz: str | None = None,
) -> Iterator[A]:
    """Read ads in new syntax.  ``tz``: see ``parser``.

    What does not parse costs its attribute, else its ad, else the rest, and is a diagnostic;
    without ``errors="warn"`` nothing more is read after it.

    >>> [ad.raw("Cpus") for ad in read_new("[Cpus = 4] [Cpus = 8]", new=Ad)]
    [4, 8]
    """
    check_errors(errors)
    text = source if isinstance(source, str) else "".join(with_line_ends(source))
    return _read(new, text, Source(text, name), diagnostics, errors, tz)


class Recovery:
    """Reads ads of a text one by one; what of it does not parse is reported and passed over."""

    def __init__(
        self,
        source: Source,
        diagnostics: list[Diagnostic] | None,
        errors: Errors,
        tz: str | None,
        held: Held,
    ) -> None:
        self._held = held
        self._source = source
        self._text = source.text
        self._diagnostics = diagnostics
        self._errors = errors
        self._tz = tz
        self._beginnings = Beginnings(source.text, NEW.opening)

    def read(self, new: Callable[[], A], position: int) -> tuple[A | None, int]:
        """What is sound of the ad at ``position``, None if nothing is, and where to go on."""
        try:
            return self._parsed(new(), position)
        except ClassAdParseError as problem:
            whole = problem
        behind = self._beginnings.next(position) if self._errors == "warn" else None
        limit = len(self._text) if behind is None else behind
        sound = self._sound(new(), position, limit) if self._errors == "warn" else None
        if sound is not None:
            return sound
        lost: Lost = "rest" if behind is None else "ad"
        report_error(whole, self._diagnostics, self._errors, lost)
        return None, limit

    def _parsed(self, ad: A, position: int) -> tuple[A, int]:
        """The ad at ``position``, and where it ends."""
        from classad.syntax.parser import parse_ad_prefix

        node, end = parse_ad_prefix(self._text, position, source=self._source, tz=self._tz)
        fill(ad, node)
        for found in overflows(node, self._source) if self._errors != "strict" else ():
            report(found, self._diagnostics, self._errors)
        return ad, end

    def _sound(self, ad: A, position: int, limit: int) -> tuple[A, int] | None:
        """The ad at ``position`` without what does not parse; None if its end is not clear."""
        problems: list[Diagnostic] = []
        if self._text[position] != NEW.opening:
            return None
        begin = position + 1
        while True:
            end = attribute_end(self._text, begin, NEW, limit)
            if end is None or self._text[end] in ")}":
                return None
            self._insert(ad, begin, end, problems)
            begin = end + 1
            if self._text[end] == "]":
                break
        for problem in problems:
            report(problem, self._diagnostics, self._errors)
        return ad, begin

    def _insert(self, ad: Ad, begin: int, end: int, problems: list[Diagnostic]) -> None:
        """Insert the attribute between two places."""
        text = f"[{self._text[begin:end]}]"
        try:
            parse_new(ad, text, 0, Source(text), self._tz)
            self._held.add(NAME)
        except ClassAdParseError as problem:
            found = problem.diagnostic
            assert found is not None  # the parser has a place for every error
            shift = begin - 1
            problems.append(
                Diagnostic(
                    found.message,
                    self._source,
                    found.start + shift,
                    found.end + shift,
                    help=found.help,
                    lost="attribute",
                )
            )


def _read(
    new: Callable[[], A],
    text: str,
    source: Source,
    diagnostics: list[Diagnostic] | None,
    errors: Errors,
    tz: str | None,
) -> Iterator[A]:

    note_bytes(source, diagnostics, errors)
    held = Held(source.name, len(text), len(text))
    quick = QuickAds(tz, held)
    recovery = Recovery(source, diagnostics, errors, tz, held)
    position = skip_blanks(text, 0)
    listed = text.startswith("{", position)
    if listed:
        position = skip_blanks(text, position + 1)
    while position < len(text):
        if bounds.entered:
            bounds.glance("reading ads")
        if listed and text[position] in ",}":
            listed = text[position] == ","
            position = skip_blanks(text, position + 1)
            continue
        found = quick.fill(new(), text, position)
        if found is None:
            ad, position = recovery.read(new, position)
            if ad is not None:
                quick.names.adopt(ad)
        else:
            ad, position = found
        if ad is not None:
            yield quick.names.share(ad)
        position = skip_blanks(text, position)
    if listed:
        report(Diagnostic("list of ads is not closed", source, position), diagnostics, errors)


def format_new(ad: Ad) -> str:
    """An ad in new syntax, in one line.

    >>> from classad import ClassAd
    >>> format_new(ClassAd({"Cpus": 4, "Arch": "X86_64"}))
    '[ Arch = "X86_64"; Cpus = 4 ]'
    """
    from classad.formats.unparse import unparse_value

    return unparse_value(ad)
