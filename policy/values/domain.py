"""Defines abstract values: sets of ClassAd values that are small enough to reckon with.

An ``Abstract`` says which of the language's kinds of values may occur, and of each kind which:
truth values one by one, numbers from a least to a greatest, strings as a set.  It never claims too
little: a value that can occur is in it.
Besides it may know the unit of its numbers, and whether they have been through single precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isnan
from typing import Final, NamedTuple, TypeAlias, TypeVar

from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, ClassAdValue, Truth, fold

_N = TypeVar("_N", int, float)
#: Least and greatest number, both included.
Whole: TypeAlias = tuple[int, int]
Real: TypeAlias = tuple[float, float]

#: More strings than these are any string.
MOST_TEXTS: Final = 64
#: The unit of a number that was written as such.
PLAIN: Final = "1"
ALL_WHOLE: Final = (INT_MIN, INT_MAX)
ALL_REAL: Final = (-inf, inf)
BOTH: Final = frozenset({True, False})


class Abstract(NamedTuple):
    """A set of values; a tuple, since thousands are made for a few hundred expressions.

    ``texts`` None is any string, of those whose folded form is in ``folded`` if that is set.
    ``other``: lists, ads and times.  ``nan``: not a number.  ``unit``: empty if unknown.
    """

    undefined: bool = False
    error: bool = False
    truths: frozenset[bool] = frozenset()
    whole: Whole | None = None
    real: Real | None = None
    nan: bool = False
    texts: frozenset[str] | None = frozenset()
    folded: frozenset[bytes] | None = None
    other: bool = False
    unit: str = ""
    single: bool = False

    def __eq__(self, other: object) -> bool:
        """Are they the same set?  What is known of its numbers besides does not count."""
        return isinstance(other, Abstract) and self[:-2] == other[:-2]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-2])

    @property
    def has_text(self) -> bool:
        """May it be a string?"""
        return self.texts is None or bool(self.texts)

    @property
    def has_number(self) -> bool:
        """May it be a number or a truth value, which operators take for one?"""
        return bool(self.truths) or self.is_measured

    @property
    def is_measured(self) -> bool:
        """May it be an integer or a real?"""
        return self.whole is not None or self.real is not None or self.nan

    @property
    def defined(self) -> bool:
        """May it be anything but undefined and error?"""
        return self.has_number or self.has_text or self.other

    @property
    def empty(self) -> bool:
        """Is there no value that it can be?"""
        return not (self.defined or self.undefined or self.error)

    def condition(self) -> Abstract:
        """What it may be as a condition: true, false, undefined, error."""
        error = self.error or self.has_text or self.other
        return Abstract(self.undefined, error, frozenset(self.decides()))

    def decides(self) -> set[bool]:
        """Which truth values it may be as a condition."""
        found = set(self.truths)
        if not self.is_measured:
            return found
        for part in (self.whole, self.real):
            if part is not None:
                found |= {True} if part != (0, 0) else set()
                found |= {False} if part[0] <= 0 <= part[1] else set()
        if self.nan:
            found.add(True)
        return found

    def outcomes(self) -> list[Truth]:
        """The same one by one; no set, since error equals true there."""
        found: list[Truth] = [*self.decides()]
        found += [UNDEFINED] if self.undefined else []
        found += [ERROR] if self.error or self.has_text or self.other else []
        return found

    def numbers(self) -> list[Whole | Real]:
        """Its numbers as intervals: of truth values, integers, reals."""
        found: list[Whole | Real] = []
        if self.truths:
            found.append((int(min(self.truths)), int(max(self.truths))))
        if self.whole is not None:
            found.append(self.whole)
        if self.real is not None:
            found.append(self.real)
        return found

    def hull(self) -> Real | None:
        """The least and the greatest number, of whatever kind."""
        parts = self.numbers()
        if not parts:
            return None
        return float(min(part[0] for part in parts)), float(max(part[1] for part in parts))

    def contains(self, value: ClassAdValue) -> bool:
        """Is this one of its values?"""
        if value is UNDEFINED:
            return self.undefined
        if value is ERROR:
            return self.error
        if isinstance(value, bool):
            return value in self.truths
        if isinstance(value, int):
            return self.whole is not None and self.whole[0] <= value <= self.whole[1]
        if isinstance(value, float):
            if isnan(value):
                return self.nan
            return self.real is not None and self.real[0] <= value <= self.real[1]
        if isinstance(value, str):
            if self.texts is not None:
                return value in self.texts
            return self.folded is None or fold(value) in self.folded
        return self.other

    def defined_only(self) -> Abstract:
        """Its values without undefined and error."""
        return self._replace(undefined=False, error=False)


NOTHING: Final = Abstract()
UNDEFINED_ONLY: Final = Abstract(undefined=True)
ERROR_ONLY: Final = Abstract(error=True)
ANY_NUMBER: Final = Abstract(whole=ALL_WHOLE, real=ALL_REAL, nan=True)
ANY_TEXT: Final = Abstract(texts=None)
ANYTHING: Final = Abstract(True, True, BOTH, ALL_WHOLE, ALL_REAL, True, None, None, True)


def truths(values: Iterable[Truth]) -> Abstract:
    """The value of a condition that may be these."""
    undefined = error = False
    known: set[bool] = set()
    for value in values:
        if isinstance(value, bool):
            known.add(value)
        elif value is UNDEFINED:
            undefined = True
        else:
            error = True
    return Abstract(undefined, error, frozenset(known))


def constant(value: ClassAdValue) -> Abstract:
    """The one value."""
    if value is UNDEFINED:
        return UNDEFINED_ONLY
    if value is ERROR:
        return ERROR_ONLY
    if isinstance(value, bool):
        return Abstract(truths=frozenset({value}))
    if isinstance(value, int):
        return Abstract(whole=(int(value), int(value)), unit=PLAIN)
    if isinstance(value, float):
        if isnan(value):
            return Abstract(nan=True)
        return Abstract(real=(value, value), unit=PLAIN)
    if isinstance(value, str):
        return Abstract(texts=frozenset({value}))
    return Abstract(other=True)


def single_value(given: Abstract) -> ClassAdValue | None:
    """The one value that it can be, if it is a scalar and there is only one."""
    if given.other or given.nan:
        return None
    numbers = (given.whole is not None) + (given.real is not None)
    kinds = given.undefined + given.error + bool(given.truths) + numbers + given.has_text
    if kinds != 1:
        return None
    if given.undefined or given.error:
        return UNDEFINED if given.undefined else ERROR
    if len(given.truths) == 1:
        return next(iter(given.truths))
    for part in (given.whole, given.real):
        if part is not None and part[0] == part[1] and part[0] != 0.0:
            return part[0]
    if given.whole == (0, 0):
        return 0
    if given.texts is not None and len(given.texts) == 1:
        return next(iter(given.texts))
    return None


def single_number(given: Abstract) -> float | None:
    """The one number that it can be; a truth value is none."""
    value = single_value(given)
    return float(value) if value.__class__ in (int, float) else None


def of_its_kinds(given: Abstract) -> Abstract:
    """All values of the kinds that it can be, and undefined."""
    return Abstract(
        True,
        given.error,
        BOTH if given.truths else frozenset(),
        ALL_WHOLE if given.is_measured else None,
        ALL_REAL if given.is_measured else None,
        given.is_measured,
        None if given.has_text else frozenset(),
        other=given.other,
    )


def join(left: Abstract, right: Abstract) -> Abstract:
    """What is one or the other."""
    texts, folded = _either_text(left, right)
    return Abstract(
        left.undefined or right.undefined,
        left.error or right.error,
        left.truths | right.truths,
        _hull(left.whole, right.whole),
        _hull(left.real, right.real),
        left.nan or right.nan,
        texts,
        folded,
        left.other or right.other,
        _joint_unit(left, right),
        left.single or right.single,
    )


def meet(left: Abstract, right: Abstract) -> Abstract:
    """What is both; unit and precision are the left one's."""
    texts, folded = _both_text(left, right)
    return Abstract(
        left.undefined and right.undefined,
        left.error and right.error,
        left.truths & right.truths,
        _common(left.whole, right.whole),
        _common(left.real, right.real),
        left.nan and right.nan,
        texts,
        folded,
        left.other and right.other,
        left.unit,
        left.single,
    )


def _joint_unit(left: Abstract, right: Abstract) -> str:
    if not left.is_measured or not right.is_measured:
        return left.unit if left.is_measured else right.unit
    if left.unit == right.unit or right.unit == PLAIN:
        return left.unit
    return right.unit if left.unit == PLAIN else ""


def _hull(a: tuple[_N, _N] | None, b: tuple[_N, _N] | None) -> tuple[_N, _N] | None:
    if a is None or b is None:
        return b if a is None else a
    return min(a[0], b[0]), max(a[1], b[1])


def _common(a: tuple[_N, _N] | None, b: tuple[_N, _N] | None) -> tuple[_N, _N] | None:
    if a is None or b is None:
        return None
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else None


_Texts: TypeAlias = tuple[frozenset[str] | None, frozenset[bytes] | None]


def _forms(given: Abstract) -> frozenset[bytes] | None:
    if given.texts is not None:
        return frozenset(fold(text) for text in given.texts)
    return given.folded


def _either_text(left: Abstract, right: Abstract) -> _Texts:
    if left.texts is not None and right.texts is not None:
        both = left.texts | right.texts
        return (both, None) if len(both) <= MOST_TEXTS else (None, None)
    mine, others = _forms(left), _forms(right)
    if mine is None or others is None or len(mine | others) > MOST_TEXTS:
        return None, None
    return None, mine | others


def _both_text(left: Abstract, right: Abstract) -> _Texts:
    if left.texts is None and right.texts is None:
        if left.folded is None or right.folded is None:
            return None, right.folded if left.folded is None else left.folded
        common = left.folded & right.folded
        return (None, common) if common else (frozenset(), None)
    known, other = (left, right) if left.texts is not None else (right, left)
    assert known.texts is not None
    if other.texts is not None:
        return known.texts & other.texts, None
    if other.folded is None:
        return known.texts, None
    return frozenset(text for text in known.texts if fold(text) in other.folded), None
