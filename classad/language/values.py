"""Defines the values of the ClassAd language as Python objects.

Numbers, booleans and strings are plain Python objects, told apart by their exact class (``True`` is
a boolean, ``1`` an integer, ``1.0`` a real):

=============  ==========================================================================
ClassAd type   Python object
=============  ==========================================================================
undefined      ``UNDEFINED`` (compare with ``is``)
error          ``ERROR`` (compare with ``is``)
boolean        ``bool``
integer        ``int`` within 64 bits, signed (every producer wraps)
real           ``float``
string         ``str``; a byte that is not UTF-8 is a lone surrogate (``surrogateescape``)
absolute time  ``AbsTime``: seconds since the epoch and the zone offset, both seconds
relative time  ``RelTime``: seconds, a float
list           ``classad.ads.ad.ListValue``: members stay unevaluated
ad             ``classad.ads.ad.Ad``
=============  ==========================================================================

Follows: ``Value`` of the Python module classad2 25.14.1 (names and numbers).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Final, NamedTuple, Protocol, TypeAlias

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1


class Value(IntEnum):
    """The exceptional values, with the numbers that classad2 gives them.

    Both are true in a boolean context and equal to the integers 1 and 2, as in classad2:
    compare with ``is``.
    """

    Error = 1
    Undefined = 2


ERROR: Final = Value.Error
UNDEFINED: Final = Value.Undefined


class AbsTime(NamedTuple):
    """An instant: ``secs`` since 1970-01-01 UTC and the zone's ``offset`` east of UTC (seconds)."""

    secs: int
    offset: int


class RelTime(NamedTuple):
    """A span of time in seconds."""

    secs: float


class ListLike(Protocol):
    """A list, as the lower packages see it: ``classad.ads.ad.ListValue``."""

    @property
    def items(self) -> tuple[object, ...]:
        """The members: values, or expressions that were not evaluated."""

    @property
    def computed(self) -> bool:
        """Whether a function made it, which is another type to ``=?=``."""


class AdLike(Protocol):
    """An ad, as the lower packages see it: ``classad.ads.ad.Ad``."""

    @property
    def computed(self) -> bool:
        """Whether it is a detached copy, which is another type to ``=?=``."""

    def raw(self, name: str) -> object:
        """The stored value or expression of an attribute, or None."""


#: A value that is neither a list nor an ad.
Scalar: TypeAlias = bool | int | float | str | Value | AbsTime | RelTime
#: What an expression evaluates to.
ClassAdValue: TypeAlias = Scalar | ListLike | AdLike
#: What a condition comes to: true, false, undefined or error.
Truth: TypeAlias = bool | Value
#: The scalar functions of operators.
BinaryRule: TypeAlias = Callable[[ClassAdValue, ClassAdValue], ClassAdValue]
#: An argument that is evaluated when it is asked for.
Thunk: TypeAlias = Callable[[], ClassAdValue]


def wrap64(number: int) -> int:
    """Reduce an integer to 64 bits, two's complement, as the machine does."""
    if INT_MIN <= number <= INT_MAX:
        return number
    return (number - INT_MIN) % 2**64 + INT_MIN


def truncating_divide(a: int, b: int) -> int:
    """C's division of integers; ``b`` is not 0."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def to_bytes(text: str) -> bytes:
    """The bytes that a string stands for."""
    return text.encode("utf-8", "surrogateescape")


def from_bytes(raw: bytes | bytearray) -> str:
    """The string of some bytes, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


def fold(text: str) -> bytes:
    """The key by which strings compare without case: ASCII letters lowered, bytes otherwise."""
    if text.isascii():
        return text.lower().encode()
    return to_bytes(text).lower()


#: Kinds of values that equal only what they are close to.
SCALARS: Final = frozenset({str, int, float, bool})


def closeness(value: ClassAdValue) -> bytes | float | None:
    """What equal strings and equal numbers have in common; None for other values."""
    if value.__class__ is str:
        return fold(value)
    return float(value) if isinstance(value, float | int) and value.__class__ in SCALARS else None
