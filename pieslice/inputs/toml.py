"""Reads TOML; what is wrong with it is an ``InputError`` that points at the character."""

from __future__ import annotations

import tomllib
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.source import Source
from negotiator.io import InputError
from pieslice.data import JsonData

_AT: Final = late_regex(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def toml_of(source: Source) -> JsonData:
    """The document of a text; raises ``InputError``."""
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as problem:
        raise InputError([_not_toml(str(problem), source)]) from None
    except (ValueError, RecursionError) as problem:  # digits by the thousand, brackets as well
        message = f"{source.name}: not readable as TOML: {problem}"
        raise InputError([Diagnostic(message)]) from None


def _not_toml(message: str, source: Source) -> Diagnostic:
    found = _AT.search(message)
    line, column = (0, 0) if found is None or found[1] is None else map(int, found.groups())
    lines = source.text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1])) + column - 1 if line else len(source.text.rstrip())
    said = _AT.sub("", message)
    return Diagnostic(f"not TOML: {said[:1].lower()}{said[1:]}", source, start, start + 1)
