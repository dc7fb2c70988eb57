"""Reads numbers as HTCondor's logs print them."""

from __future__ import annotations

import re
from typing import Final

#: A number in a pattern: one group.
NUMBER: Final = r"([-+0-9.eEinfa]+)"
_NAMED: Final = re.compile(rf"([A-Za-z-]+)= ?{NUMBER}")


def number(text: str) -> int | float:
    """An integer where it is one, else a real; raises ``ValueError``."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def named_numbers(text: str) -> dict[str, int | float]:
    """The numbers of a text such as ``quota= 3 usage=2.5``."""
    found = {}
    for match in _NAMED.finditer(text):
        try:
            found[match[1]] = number(match[2])
        except ValueError:
            continue
    return found
