"""Computes and sorts as the negotiator's machine does: single precision, a double made an int.

HTCondor leaves the order of submitters, groups and candidates to ``std::sort`` of the GNU C++
library, and users can observe the order of equal ones.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from classad.kernels import sort_order
from classad.language.values import INT_MAX as LONG_MAX
from classad.language.values import INT_MIN as LONG_MIN

INT_MIN: Final = -(2**31)
INT_MAX: Final = 2**31 - 1
DBL_MAX: Final = 1.7976931348623157e308
DBL_MIN: Final = 2.2250738585072014e-308
FLT_MAX: Final = 3.4028234663852886e38
#: The last day of the year 9999, in seconds since the epoch.
END_OF_CALENDAR: Final = 253_402_214_400


def float32(number: float) -> float:
    """Round to single precision; what does not fit becomes infinite."""
    return array("f", (number,))[0]


def c_int(number: float) -> int:
    """A double as the machine turns it into a 32-bit integer: towards zero, else the minimum."""
    if math.isnan(number) or not INT_MIN - 1 < number < INT_MAX + 1:
        return INT_MIN
    return int(number)


def c_cut(number: float | None) -> int:
    """An integer attribute that is read into 32 bits: a real is cut, higher bits are lost."""
    if type(number) is int and INT_MIN <= number <= INT_MAX:
        return number
    return (whole(number) - INT_MIN) % 2**32 + INT_MIN


def c_difference(one: int, other: int) -> int:
    """The difference of two 32-bit integers as the machine has it: what does not fit wraps."""
    return (one - other - INT_MIN) % 2**32 + INT_MIN


def whole(number: float | None) -> int:
    """An attribute that should be a count or an id; 0 for what is no finite number.

    One beyond 64 bits is the nearest that is not.
    """
    if number is None or not math.isfinite(number):
        return 0
    return max(LONG_MIN, min(LONG_MAX, int(number)))


def add_up(numbers: Iterable[float]) -> float:
    """Add in order; the builtin compensates rounding errors, which the negotiator does not."""
    return deque(accumulate(numbers, initial=0.0), maxlen=1).pop()


#: Rows by columns of keys where the larger key is the better one, best first.
best_first = sort_order


def ascending(columns: Sequence[Sequence[float]]) -> list[int]:
    """Rows by columns of keys, smallest first."""
    return sort_order([[-key for key in column] for column in columns])


def stored(number: float) -> float:
    """A real number as the accountant remembers it: six decimals."""
    return float(number if number % 1 == 0 else f"{number:f}")


def remaining(elapsed: float, half_life: float) -> float:
    """The share of a priority that is left after so many seconds; as in C, none at half-life 0."""
    if half_life == 0:
        return 0.0
    try:
        return float(0.5 ** (elapsed / half_life))
    except OverflowError:
        return math.inf
