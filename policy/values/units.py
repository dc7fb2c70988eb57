"""Reckons with units: what a sum, a product or a quotient is in.

A unit is a word of the table of attributes; empty is unknown, ``1`` a plain number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policy.attributes import BYTES, DATE, SECONDS
from policy.values.domain import PLAIN, single_number

if TYPE_CHECKING:
    from policy.values.domain import Abstract

_BY_BYTES: Final = {size: unit for unit, size in BYTES.items()}


def combined(symbol: str, a: Abstract, b: Abstract) -> str:
    """The unit of ``a symbol b``."""
    one, other = a.unit, b.unit
    if symbol == "+":
        return _sum(one, other)
    if symbol == "-":
        if one == other == DATE:
            return SECONDS
        return "" if other == DATE else _sum(one, other)
    if symbol == "*":
        if one == PLAIN:
            return _scaled(b, a, 1)
        return _scaled(a, b, 1) if other == PLAIN else ""
    if symbol == "/":
        return _scaled(a, b, -1) if other == PLAIN else ""
    return one if symbol == "%" and other == PLAIN and one != DATE else ""


def _sum(one: str, other: str) -> str:
    if one == other or other == PLAIN:
        return one
    if one == PLAIN:
        return other
    return DATE if {one, other} == {DATE, SECONDS} else ""


def _scaled(given: Abstract, factor: Abstract, sign: int) -> str:
    """The unit of an amount times or over a plain number; 1024 changes the unit of memory."""
    unit = given.unit
    if unit == PLAIN:
        return PLAIN
    number = single_number(factor)
    if unit == DATE or number is None:
        return ""
    if unit in BYTES:
        return _of_memory(unit, number, sign)
    if unit in (SECONDS, "min") and number in (60, 3600, 86400):
        return ""
    return unit


def _of_memory(unit: str, number: float, sign: int) -> str:
    """MiB times 1024 are KiB in number; 1000 and its like leave nothing certain."""
    if number in (1024, 1024**2, 1024**3):
        size = BYTES[unit] / number if sign > 0 else BYTES[unit] * number
        return _BY_BYTES.get(int(size), "")
    return unit if abs(number) < 512 else ""
