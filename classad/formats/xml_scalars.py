"""Reads the values of the XML form that have no parts: numbers, strings, times, expressions.

Inputs: the text of an element, and who reads it.  Outputs: values.
Follows: HTCondor 25.14.1, which takes the number that a text begins with.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Protocol

from classad.ads.ad import Stored, item_of
from classad.errors import ClassAdParseError
from classad.formats.common import BLANKS, MAX_EXPRESSIONS
from classad.formats.held import Held, weight
from classad.formats.recovery import Misread
from classad.language.strtod import real_and_end
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED

_INTEGER: Final = re.compile(r"-?[0-9]+")


class Place(Protocol):
    """What reading a scalar asks of the reader."""

    tz: str | None
    #: Text of an expression -> what an ad stores for it.
    expressions: dict[str, Stored]
    held: Held

    def fail(self, message: str) -> Misread:
        """A problem at the current tag."""

    def ignore(self, message: str) -> None:
        """Text before the current tag that is no part of a value."""

    def overflow(self) -> None:
        """Say that the number before the current tag is beyond 64 bits."""

    def no_number(self, wanted: str) -> None:
        """Say that the text before the current tag is not what is wanted."""


def _integer(text: str, parser: Place) -> object:
    text = text.strip(BLANKS)
    found = _INTEGER.match(text)
    if found is None:
        parser.no_number("integer")
        return ERROR
    digits = found[0].lstrip("-").lstrip("0") or "0"
    # As few as these are beyond 64 bits already.
    number = int(digits[:20]) * (-1 if found[0][0] == "-" else 1)
    if not INT_MIN <= number <= INT_MAX:
        parser.overflow()
        return ERROR
    if found.end() < len(text):
        parser.ignore("expected `</i>`, found text")
    return number


def _real(text: str, parser: Place) -> object:
    found = real_and_end(text)
    if found is None:
        parser.no_number("real number")
        return ERROR
    number, end = found
    if text[end:].strip(BLANKS):
        parser.ignore("expected `</r>`, found text")
    return number


def _expression(text: str, parser: Place) -> object:
    known = parser.expressions.get(text)
    if known is not None:
        return known
    from classad.syntax.parser import parse_expression

    try:
        if len(parser.expressions) >= MAX_EXPRESSIONS:
            parser.expressions.clear()
        known = parser.expressions[text] = item_of(parse_expression(text, whole=True, tz=parser.tz))
        parser.held.add(weight(known))
        return known
    except ClassAdParseError as problem:
        message = _in_expression(problem, text)
    try:
        node = parse_expression(text, prefix=True, tz=parser.tz)
    except ClassAdParseError as problem:
        raise parser.fail(_in_expression(problem, text)) from None
    parser.ignore(message)
    return item_of(node)


def _in_expression(problem: ClassAdParseError, text: str) -> str:
    message = str(problem) if problem.diagnostic is None else problem.diagnostic.message
    return f"{message} in expression `{text}`"


def _time(function: str) -> Callable[[str, Place], object]:
    def read(text: str, parser: Place) -> object:
        return _expression(f'{function}("{text.strip(BLANKS)}")', parser)

    return read


def new_string(text: str, parser: Place) -> str:
    """Undo the escapes of the new syntax, all other characters standing for themselves."""
    if "\\" in text:
        from classad.syntax.lexing import unescape as unescape_string

        text = unescape_string(text)
    if "\0" in text:
        raise parser.fail("string contains a NUL character")
    return text


#: What reads each element.
SCALARS: Final[dict[str, Callable[[str, Place], object]]] = {
    "i": _integer,
    "r": _real,
    "s": new_string,
    "b": lambda text, parser: False,  # the value is in the tag
    "un": lambda text, parser: UNDEFINED,
    "er": lambda text, parser: ERROR,
    "at": _time("absTime"),
    "rt": _time("relTime"),
    "e": _expression,
}
