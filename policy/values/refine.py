"""Narrows what a value can be, once a condition that it stands in is known to hold or not.

Inputs: an abstract value, the comparison and its outcome.  Outputs: those of its values that the
comparison allows, perhaps none.
"""

from __future__ import annotations

from math import ceil, floor, inf, nextafter
from typing import Final

from attr import evolve

from classad.language.operators import IDENTITY, MIRRORED
from classad.language.values import INT_MAX, INT_MIN, UNDEFINED, fold
from policy.values.domain import (
    ALL_REAL,
    ALL_WHOLE,
    BOTH,
    Abstract,
    Real,
    Whole,
    meet,
    single_value,
)

_OPPOSITE: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
#: Beyond these integers are not exact as doubles.
_EXACT: Final = 2.0**53


def as_condition(value: Abstract, outcome: bool) -> Abstract:
    """What the value is where it decides as a condition so."""
    if not outcome:
        zero = Abstract(truths=frozenset({False}), whole=(0, 0), real=(0.0, 0.0))
        return meet(value, zero)
    whole, real = value.whole, value.real
    if whole is not None:
        low, high = whole[0] + (whole[0] == 0), whole[1] - (whole[1] == 0)
        whole = (low, high) if low <= high else None
    if real == (0.0, 0.0):
        real = None
    kept = evolve(value.defined_only(), whole=whole, real=real, other=False)
    return evolve(kept, texts=frozenset(), folded=None, truths=value.truths & {True})


def compared(value: Abstract, symbol: str, other: Abstract, outcome: bool) -> Abstract:
    """What the value is where ``value symbol other`` comes to ``outcome``."""
    if symbol in IDENTITY:
        return _identified(value, other, outcome is (symbol == "=?="))
    nan = (symbol == "!=") is outcome
    if not outcome:
        symbol = _OPPOSITE[symbol]
    unordered = nan and other.nan
    real, whole = (ALL_REAL, ALL_WHOLE) if unordered else _bounds(symbol, other)
    allowed = Abstract(
        truths=BOTH if other.has_number else frozenset(),
        whole=whole,
        real=real,
        nan=nan and other.has_number,
        texts=None if other.has_text else frozenset(),
        other=other.other,
    )
    return meet(_without_texts(value, symbol, other), _with_texts(allowed, symbol, other))


def mirrored(symbol: str) -> str:
    """The comparison that says the same with its sides exchanged."""
    return MIRRORED.get(symbol, symbol)


def _bounds(symbol: str, other: Abstract) -> tuple[Real | None, Whole | None]:
    hull = other.hull()
    if hull is None:
        return None, None
    if symbol == "!=":
        return ALL_REAL, ALL_WHOLE
    low, high = hull
    if symbol in ("<", "<="):
        low = -inf
    elif symbol in (">", ">="):
        high = inf
    # Of the bounds as they are: the next number below that of 2**53 + 1 is two less than it.
    known_low, known_high = abs(low) < _EXACT, abs(high) < _EXACT
    if symbol == "<":
        high = nextafter(high, -inf)
    elif symbol == ">":
        low = nextafter(low, inf)
    least = ceil(low) if known_low else INT_MIN
    most = floor(high) if known_high else INT_MAX
    real = (low, high) if low <= high else None
    return real, (least, most) if least <= most else None


def _with_texts(allowed: Abstract, symbol: str, other: Abstract) -> Abstract:
    if symbol != "==" or other.texts is None or not other.texts:
        return allowed
    return evolve(allowed, folded=frozenset(fold(text) for text in other.texts))


def _without_texts(value: Abstract, symbol: str, other: Abstract) -> Abstract:
    """``!=`` a known string takes its spellings out of a set."""
    known = single_value(other)
    if symbol != "!=" or not isinstance(known, str) or value.texts is None:
        return value
    left = frozenset(text for text in value.texts if fold(text) != fold(known))
    return evolve(value, texts=left)


def _identified(value: Abstract, other: Abstract, same: bool) -> Abstract:
    if same:
        return meet(value, other)
    known = single_value(other)
    if known is UNDEFINED:
        return evolve(value, undefined=False)
    if isinstance(known, bool):
        return evolve(value, truths=value.truths - {known})
    if isinstance(known, str) and value.texts is not None:
        return evolve(value, texts=value.texts - {known})
    return value
