"""Sums and products of columns as doubles, without a value of the language for each row.

What is decided here: when a double says all that is wanted of a value.  Reals are doubles; whole
numbers are as long as neither they nor what is made of them get beyond 2**53; booleans count as
whole numbers; NaN stands for what is no number, which no sum or product turns into one.  Where
that is not so, nothing is said, and the operators of the language have to be asked.
Inputs: values and codes, results of operands.  Outputs: ``Doubles``.
Never here: plans, caches.
Follows: classad/language/operators.py.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from math import isfinite, nan
from typing import Any, Final, NamedTuple

from classad.table.arrays.arrays import ANY_ZERO, ONE_ZERO, TWO_ZEROS, compute, pick_numbers

#: The operators that are known here.
OPERATORS: Final = frozenset("+-*")
#: What a column may have.
WHOLE: Final = 1
REAL: Final = 2
#: Whole numbers up to here are doubles.
_EXACT: Final = 2**53


class Doubles:
    """A number for each row.  ``kinds``: whether there may be WHOLE and REAL ones among them.

    ``values``: None once something has been made of them, which is what is wanted of most.
    ``codes``: the place of each row's number among them; None if there is one for each row.
    """

    __slots__ = ("__weakref__", "codes", "columns", "kinds", "numbers", "tables", "values")

    def __init__(self, values: array[float], kinds: int) -> None:
        self.values: array[float] | None = values
        self.kinds = kinds
        self.codes: array[int] | None = None
        #: The rows' columns that it was made from.
        self.columns: frozenset[str] = frozenset()
        #: What was made of the values, and of those of all rows.
        self.tables: dict[Callable[[Any], float], array[float]] = {}
        self.numbers: dict[Callable[[Any], float], array[float]] = {}

    def serves(self, convert: Callable[[Any], float]) -> bool:
        """Whether it can be converted, or has been."""
        return self.values is not None or convert in self.tables


class Numbers(NamedTuple):
    """Values as doubles, NaN standing for what is no number; ``kinds``: as of ``Doubles``."""

    table: array[float]
    kinds: int

    def at(self, codes: array[int]) -> Doubles:
        """The numbers that rows with these codes have."""
        return Doubles(pick_numbers(self.table, codes), self.kinds)


def numbers_of(values: Sequence[Any]) -> Numbers | None:
    """Values as doubles; None if doubles do not do."""
    table, kinds = array("d"), 0
    for value in values:
        kind = value.__class__
        if kind is float:
            if not isfinite(value):
                return None
            kinds |= REAL
            table.append(value)
        elif kind is int or kind is bool:
            if not -_EXACT <= value <= _EXACT:
                return None
            kinds |= WHOLE
            table.append(float(value))
        else:
            table.append(nan)
    return Numbers(table, kinds)


def combined(operator: str, left: Doubles, right: Doubles) -> Doubles | None:
    """What an operator makes of two columns; None if doubles do not do."""
    whole = left.kinds & right.kinds & WHOLE
    kinds = whole | (left.kinds | right.kinds) & REAL
    zeros = ONE_ZERO if kinds == WHOLE else ANY_ZERO if whole else TWO_ZEROS
    most = float(_EXACT) if whole else sys.float_info.max
    assert left.values is not None
    assert right.values is not None
    values = compute(operator, left.values, right.values, most, zeros)
    return None if values is None else Doubles(values, kinds)
