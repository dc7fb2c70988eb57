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

from classad.ads.ad import Ad, fill
from classad.errors import ClassAdParseError, Diagnostic
from classad.formats.common import A, Errors, check_errors, report, report_error, with_line_ends
from classad.source import Source

_BETWEEN: Final = re.compile(r"(?:[ \t\n\v\f\r]+|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)


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
    """Read ads in new syntax; after an error nothing more is read.  ``tz``: see ``parser``.

    >>> [ad.raw("Cpus") for ad in read_new("[Cpus = 4] [Cpus = 8]", new=Ad)]
    [4, 8]
    """
    check_errors(errors)
    text = source if isinstance(source, str) else "".join(with_line_ends(source))
    return _read(new, text, Source(text, name), diagnostics, errors, tz)


def _read(
    new: Callable[[], A],
    text: str,
    source: Source,
    diagnostics: list[Diagnostic] | None,
    errors: Errors,
    tz: str | None,
) -> Iterator[A]:
    from classad.formats.ordinary import QuickAds

    quick = QuickAds(tz)
    position = skip_blanks(text, 0)
    listed = text.startswith("{", position)
    if listed:
        position = skip_blanks(text, position + 1)
    while position < len(text):
        if listed and text[position] in ",}":
            listed = text[position] == ","
            position = skip_blanks(text, position + 1)
            continue
        try:
            ad, position = quick.fill(new(), text, position) or parse_new(
                new(), text, position, source, tz
            )
        except ClassAdParseError as problem:
            report_error(problem, diagnostics, errors)
            return
        yield ad
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
