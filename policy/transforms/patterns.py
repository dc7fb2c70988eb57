"""Matches the names of attributes with the patterns of COPY, RENAME and DELETE.

Inputs: a pattern with its options, names.  Outputs: the names that match, and what a replacement
makes of each.
Follows: condor_transform_ads 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from classad.builtins.pcre import GaveUp, Pattern, PatternMatch, compile_pattern
from classad.patterns import late_regex

_GROUP = late_regex(rb"\\([0-9])")


@lru_cache(maxsize=512)
def compiled(pattern: str, options: str) -> Pattern | None:
    """The pattern, None if it is ill-formed; case never matters.

    ``options``: ``m`` lets ``^`` match at lines, ``U`` makes repetitions short, ``g`` ties the
    pattern to the beginning.
    """
    how = "i" + "m" * ("m" in options)
    if compile_pattern(pattern, how) is None:
        return None
    text = rf"\A(?:{pattern})" if "g" in options else pattern
    return compile_pattern(f"(?U){text}" if "U" in options else text, how)


@lru_cache(maxsize=65_536)
def _match(pattern: str, options: str, name: str) -> PatternMatch | None:
    """The match of a pattern in a name; jobs have the same names again and again."""
    found = compiled(pattern, options)
    try:
        return None if found is None else found.search(name.encode("utf-8", "surrogateescape"))
    except GaveUp:
        return None


def matching(pattern: str, options: str, names: Iterable[str]) -> list[tuple[str, PatternMatch]]:
    """The names that match, each with its match."""
    found = ((name, _match(pattern, options, name)) for name in names)
    return [(name, match) for name, match in found if match is not None]


def replaced(template: str, name: str, match: PatternMatch) -> str:
    r"""The template with ``\0`` to ``\9`` put in; a group that there is not stays as text."""
    subject = name.encode("utf-8", "surrogateescape")

    def group(matched: re.Match[bytes]) -> bytes:
        number = int(matched[1])
        if number >= len(match.spans):
            return matched[0]
        start, end = match.spans[number]
        return subject[start:end] if start >= 0 else b""

    text = _GROUP.sub(group, template.encode("utf-8", "surrogateescape"))
    return text.decode("utf-8", "surrogateescape")
