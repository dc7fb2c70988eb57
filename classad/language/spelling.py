"""Writes names and values without parts, and reads numbers as C's ``strtod`` does.

Inputs: names and ClassAd values.  Outputs: their text in new or old syntax; reals.  Light on
purpose, so that writers of ads need not load the syntax tree.
Follows: HTCondor 25.14.1; vectors ``unparse`` and ``real_format``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from classad.language.names import fold_name
from classad.language.times import format_abstime, format_reltime
from classad.language.values import AbsTime, RelTime, Value
from classad.patterns import late_regex

#: Names that print in quotes although they look like identifiers.
RESERVED: Final = frozenset({"error", "false", "is", "isnt", "parent", "true", "undefined"})

_IDENTIFIER: Final = late_regex(r"[A-Za-z_][A-Za-z0-9_]*+")
_PLAIN_STRING: Final = late_regex(r"[ !#-\[\]-~]*+")
_ESCAPES: Final = dict(zip("\a\b\f\n\r\t\v\\", "abfnrtv\\", strict=True))
_ESCAPED: Final = late_regex(r"[^ -\[\]-~]")


def attribute_order(name: str) -> tuple[int, str]:
    """Sort key of an attribute in a printed ad."""
    length = len(name) if name.isascii() else len(name.encode("utf-8", "surrogatepass"))
    return length, fold_name(name)


def quote_string(text: str, old: bool = False) -> str:
    """A string literal.  In old syntax only the double quote is escaped."""
    if _PLAIN_STRING.fullmatch(text):
        return f'"{text}"'
    return '"' + _escape(text, old, '"') + '"'


def quote_name(name: str, old: bool) -> str:
    """An attribute name, in single quotes unless it is an identifier and not reserved."""
    if _IDENTIFIER.fullmatch(name) and name.lower() not in RESERVED:
        return name
    return "'" + _escape(name, old, "'") + "'"


def _escape(text: str, old: bool, quote: str) -> str:
    if not old:
        text = _ESCAPED.sub(_escape_character, text)
    return text.replace(quote, "\\" + quote)


def _escape_character(match: re.Match[str]) -> str:
    char = match[0]
    letter = _ESCAPES.get(char)
    if letter is not None:
        return "\\" + letter
    return "".join(f"\\{byte:03o}" for byte in _bytes_of(char))


def _bytes_of(char: str) -> bytes:
    try:
        return char.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return char.encode("utf-8", "surrogatepass")


def format_real(number: float, old: bool = False) -> str:
    """A real.  New syntax has 15 decimals and so may lose the last bit, as HTCondor's does."""
    if number == 0.0:
        return f"{number:.1f}"
    if number != number:
        return 'real("NaN")'
    if number in (float("inf"), float("-inf")):
        return 'real("INF")' if number > 0 else 'real("-INF")'
    if not old:
        return f"{number:.15E}"
    text = f"{number:.16G}"
    return text if "." in text or "E" in text else text + ".0"


_WRITERS: Final[dict[type, Callable[..., str]]] = {
    bool: lambda value, old: "true" if value else "false",
    int: lambda value, old: str(value),
    float: format_real,
    str: quote_string,
    Value: lambda value, old: value.name.lower(),
    AbsTime: lambda value, old: f'absTime("{format_abstime(value)}")',
    RelTime: lambda value, old: f'relTime("{format_reltime(value.secs)}")',
}


def scalar_text(value: object, old: bool = False) -> str | None:
    """The text of a value without parts; None for a list, an ad or an expression."""
    writer = _WRITERS.get(value.__class__)
    return None if writer is None else writer(value, old)


#: The longest match wins.
_NUMBER: Final = late_regex(
    r"""[ \t-\r]*
    (?: (?P<hex>[-+]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][-+]?[0-9]+)?)
      | (?P<decimal>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
      | (?P<word>[-+]?(?:infinity|inf|nan)) )""",
    re.VERBOSE | re.IGNORECASE,
)


def leading_real(text: str) -> float | None:
    """The number at the start of a string, or None."""
    found = real_and_end(text)
    return None if found is None else found[0]


def real_and_end(text: str) -> tuple[float, int] | None:
    """The number at the start of a string and where it ends, or None."""
    found = _NUMBER.match(text)
    if found is None:
        return None
    digits = found["hex"]
    if not digits:
        return float(found["decimal"] or found["word"]), found.end()
    try:
        return float.fromhex(digits), found.end()
    except OverflowError:
        return (-math.inf if digits[0] == "-" else math.inf), found.end()
