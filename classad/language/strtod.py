"""Reads the number that a text begins with, as C's ``strtod`` does.

Inputs: strings.  Outputs: reals.  Follows: HTCondor 25.14.1, for numbers in strings and in XML.
"""

from __future__ import annotations

import math
import re
from typing import Final

#: The longest match wins.
_NUMBER: Final = re.compile(
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
