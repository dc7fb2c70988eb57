"""Applies operators and functions to vectors: many values at once.

Of numbers, booleans, undefined and errors csrc/operate.c makes what ``classad.language.operators``
would, which the tests compare; every other value, and all of them without the C kernels, goes to
those functions one by one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from itertools import accumulate, pairwise, repeat
from struct import pack, unpack
from sys import byteorder
from typing import Any, Final, cast

from classad import kernels
from classad.kernels import checked
from classad.language.operators import BINARY, COMPARISONS, OPCODES, ORDER, UNARY, choose, truth
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, closeness
from classad.loading.columns import Tag, value_of
from classad.table.arrays import NO_NUMBERS, NO_PAYLOAD, pick

#: The operators that the kernel knows, by its number for them.
_BINARY: Final = {row.symbol: number for number, row in enumerate(OPCODES) if row.arity == 2}
_UNARY: Final = {row.symbol: number for number, row in enumerate(OPCODES) if row.arity == 1}
#: The kernel's number for a condition comes after those of the operators.
_CHOOSE: Final = len(OPCODES)
_KINDS: Final[dict[type, int]] = {int: Tag.INTEGER, float: Tag.REAL, bool: Tag.BOOLEAN}
_NUMBERS: Final = frozenset({int, float})
_ELSEWHERE: Final = int(Tag.NOTHING)
#: What a value counts as in logic, as csrc/kernels.h numbers it.
UNKNOWN: Final = 0
TRUE: Final = 1
FALSE: Final = 2
BAD: Final = 3
#: So many values are compared one by one, and so many numbers at once.
_FEW = 16
_SEVERAL = 256


class Alike(IntEnum):
    """Values of which a comparison with one value makes the same, but for strings like it."""

    STRING = 0
    UNDEFINED = 1
    OTHER = 2


_OTHER: Final = int(Alike.OTHER)
#: Where the lowest byte of a payload stands.
_LOWEST: Final = 0 if byteorder == "little" else NO_PAYLOAD.itemsize - 1
#: The same by the tag of a value, one that is elsewhere taken for a string.
_ALIKE: Final = bytes(
    {_ELSEWHERE: Alike.STRING, Tag.UNDEFINED: Alike.UNDEFINED}.get(tag, Alike.OTHER)
    for tag in range(256)
)


class NotVectorized(Exception):  # noqa: N818 - leaves a program, is no error
    """Something that cannot be done for many combinations at once."""


def logical(value: ClassAdValue) -> int:
    """What a value counts as in logic."""
    found = truth(value)
    if found is True or found is False:
        return TRUE if found else FALSE
    return UNKNOWN if found is UNDEFINED else BAD


class Vector:
    """Values, or one that stands for as many as wanted (``step`` 0).

    ``tags`` and ``payload``: as of cells that were loaded; ``others``: by position the values of
    which the tag says nothing, a list if there are no others.  ``memo``: what has been found out.
    The first ``ordered`` values are known to be numbers that rise.
    """

    __slots__ = ("_native", "_values", "memo", "ordered", "others", "payload", "step", "tags")

    def __init__(
        self, tags: bytes | bytearray, payload: array[int], others: Any, step: int = 1
    ) -> None:
        self.tags = tags
        self.payload = payload
        self.others = others
        self.step = step
        self.ordered = 0
        self.memo: dict[str, Any] = {}
        self._values: list[ClassAdValue] | None = None
        self._native: Any = None

    @classmethod
    def of(cls, values: list[ClassAdValue]) -> Vector:
        """The vector of some values."""
        kinds = set(map(type, values))
        found: Vector
        if len(kinds) == 1 and not kinds.isdisjoint(_KINDS):
            (kind,) = kinds
            payload = array("q")
            numbers: Any = values
            payload.frombytes(array("d" if kind is float else "q", numbers).tobytes())
            found = cls(bytes((_KINDS[kind],)) * len(values), payload, {})
        elif len(kinds) == 1 and not any(value is UNDEFINED or value is ERROR for value in values):
            found = cls(bytes(len(values)), NO_PAYLOAD * len(values), values)
        else:
            found = cls._mixed(values)
        found._values = values
        return found

    @classmethod
    def booleans(cls, values: Sequence[Any]) -> Vector:
        """The vector of some booleans."""
        # An array takes three times as long over a class of its own as over a plain list.
        return cls(bytes((Tag.BOOLEAN,)) * len(values), array("q", list(values)), {})

    @classmethod
    def _mixed(cls, values: list[ClassAdValue]) -> Vector:
        tags, payload = bytearray(len(values)), NO_PAYLOAD * len(values)
        others: dict[int, ClassAdValue] = {}
        for place, value in enumerate(values):
            _set(tags, payload, others, place, value)
        return cls(tags, payload, others)

    @classmethod
    def constant(cls, value: ClassAdValue) -> Vector:
        """The vector in which everything is one value."""
        found = cls.of([value])
        found.step = 0
        return found

    def values(self) -> list[ClassAdValue]:
        """The values as the evaluator has them."""
        if self._values is None:
            kinds = set(self.tags)
            whole = kinds == {Tag.INTEGER}
            self._values = list(self.payload) if whole else list(map(self.value, range(len(self))))
        return self._values

    def value(self, place: int) -> ClassAdValue:
        """One of the values."""
        if self._values is not None:
            return self._values[place]
        tag = self.tags[place]
        if tag == _ELSEWHERE:
            return self.others[place]  # type: ignore[no-any-return]
        return cast("ClassAdValue", value_of(tag, self.payload[place]))

    def __len__(self) -> int:
        return len(self.tags)

    def shared(self) -> ClassAdValue | None:
        """The value that stands for all; None if there are several."""
        return None if self.step else self.value(0)

    def texts(self) -> list[str] | None:
        """The values if there are several, and all are strings."""
        if not self.step or self.others.__class__ is not list:
            return None
        known = self.memo.get("strings")
        if known is None:
            known = self.memo["strings"] = set(map(type, self.others)) == {str}
        return self.others if known else None

    def alike(self) -> bytes:
        """What each value is to a comparison with another kind of values: an ``Alike``."""
        known: bytes | None = self.memo.get("alike")
        if known is None:
            found = bytearray(self.tags.translate(_ALIKE))
            others, listed = self.others, self.others.__class__ is list
            if not {str}.issuperset(map(type, others if listed else others.values())):
                places = enumerate(others) if listed else others.items()
                for place, value in places:
                    if value.__class__ is not str:
                        found[place] = _OTHER
            known = self.memo["alike"] = bytes(found)
        return known

    def apart(self) -> Sequence[int]:
        """The places of values that are neither strings nor undefined."""
        known: list[int] | None = self.memo.get("apart")
        if known is None:
            kinds = self.alike()
            known = self.memo["apart"] = (
                [at for at, kind in enumerate(kinds) if kind == _OTHER] if _OTHER in kinds else []
            )
        return known

    def near(self, value: ClassAdValue) -> Sequence[int]:
        """The places of the values that could be equal to this one."""
        known: dict[object, list[int]] | None = self.memo.get("near")
        if known is None:
            known = self.memo["near"] = {}
            for place, each in enumerate(self.values()):
                known.setdefault(closeness(each), []).append(place)
        return known.get(closeness(value), ())

    def picked(self, places: array[int]) -> Vector:
        """The values at some places."""
        if self.others or kernels.native is None:
            return Vector.of(list(map(self.values().__getitem__, places)))
        tags = pick(array("B", self.tags), places).tobytes()
        return Vector(tags, pick(self.payload, places), {})

    def numbers(self, single: bool, other: float) -> array[float] | None:
        """Each value as a number, ``other`` for what is none; None if one is NaN.

        ``single``: in single precision.
        """
        if kernels.native is None:
            return None
        ffi, lib = kernels.native
        out = NO_NUMBERS * len(self)
        self.native(ffi)
        _, (tags, payload) = self._native
        made = ffi.from_buffer("double[]", out)
        sound = lib.ca_numbers(len(self), tags, payload, single, other, made) == 0
        return out if sound else None

    def native(self, ffi: Any) -> Any:
        """The same as the kernel sees it."""
        if self._native is None:
            held = (
                ffi.from_buffer("unsigned char[]", self.tags),
                ffi.from_buffer("int64_t[]", self.payload),
            )
            made = ffi.new("ca_vector *", (*held, self.step))
            self._native = (made, held)  # the struct does not keep what it points to
        return self._native[0]

    def judged(self) -> bytearray:
        """What each value counts as in logic."""
        known: bytearray | None = self.memo.get("judged")
        if known is not None:
            return known
        if kernels.native is None:
            return bytearray(map(logical, self.values()))
        size = len(self.tags)
        out = bytearray(size)
        ffi, lib = kernels.native
        tags = ffi.from_buffer("unsigned char[]", self.tags)
        payload = ffi.from_buffer("int64_t[]", self.payload)
        lib.ca_judge(size, tags, payload, ffi.from_buffer("unsigned char[]", out))
        return out


def _set(
    tags: bytearray,
    payload: array[int],
    others: dict[int, ClassAdValue],
    place: int,
    value: ClassAdValue,
) -> None:
    """Put a value in its place."""
    kind = value.__class__
    tag = _KINDS.get(kind)
    if tag is not None:
        tags[place] = tag
        number: Any = value
        payload[place] = unpack("q", pack("d", number))[0] if kind is float else number
    elif value is UNDEFINED or value is ERROR:
        tags[place], payload[place] = Tag.UNDEFINED if value is UNDEFINED else Tag.ERROR, 0
    else:
        tags[place] = _ELSEWHERE
        others[place] = value


def apply(function: Callable[..., ClassAdValue], vectors: Sequence[Vector]) -> Vector:
    """What a function makes of the values at each position."""
    if not any(vector.step for vector in vectors):
        return Vector.constant(function(*[vector.value(0) for vector in vectors]))
    columns = [v.values() if v.step else repeat(v.value(0)) for v in vectors]
    return Vector.of(list(map(function, *columns)))


def binary(symbol: str, left: Vector, right: Vector) -> Vector:
    """What a binary operator makes of its operands, both evaluated."""
    function = BINARY[symbol].implementation
    if symbol in COMPARISONS and left.step != right.step:
        found = _compared(symbol in ORDER, function, left, right)
        if found is not None:
            return found
    return _operate(_BINARY.get(symbol), function, (left, right), (left, right))


def _compared(
    in_order: bool, function: Callable[..., ClassAdValue], left: Vector, right: Vector
) -> Vector | None:
    """What a comparison makes of many values and one by few calls; None if that cannot be told.

    As numbers rise the result of ``<`` and the like changes at most once.  Of ``==`` and the like
    all strings have one result but those that could be equal to the value, and so has undefined.
    """
    many, one = (left, right.value(0)) if left.step else (right, left.value(0))
    size = len(many)

    def ask(place: int) -> ClassAdValue:
        value = many.value(place)
        return function(value, one) if left.step else function(one, value)

    single: Sequence[int]
    if in_order:
        end, single = many.ordered, range(many.ordered, size)
        if end <= _SEVERAL or len(single) > _FEW or one.__class__ not in _NUMBERS or one != one:
            return None
        first, last = ask(0), ask(end - 1)
        turn = bisect_left(range(end), True, key=lambda place: ask(place) != first)
        alike, results = bytes(turn) + b"\1" * (size - turn), [first, last]
    else:
        # Where there are no others the kernel compares.
        if not many.others or len(many.apart()) > _FEW:
            return None
        alike = many.alike()
        single = [place for place in many.near(one) if alike[place] != Alike.UNDEFINED]
        single += [place for place in many.apart() if place not in single]
        if len(single) > _FEW:
            return None
        far = [alike.find(kind) for kind in (Alike.STRING, Alike.UNDEFINED)]
        while far[0] in single:
            far[0] = alike.find(Alike.STRING, far[0] + 1)
        results = [UNDEFINED if place < 0 else ask(place) for place in far]
    return _spread(alike, results, {place: ask(place) for place in single})


def _spread(
    kinds: bytes, results: Sequence[ClassAdValue], own: Mapping[int, ClassAdValue]
) -> Vector | None:
    """The vector of the result of each kind, but for places with their own.

    None if a kind's is neither a boolean nor exceptional.
    """
    if not all(it.__class__ is bool or it is UNDEFINED or it is ERROR for it in results):
        return None
    single = [Vector.of([it]) for it in results]
    tags, judged = (
        bytearray(kinds.translate(bytes(table).ljust(256, b"\0")))
        for table in ([it.tags[0] for it in single], map(logical, results))
    )
    payload = NO_PAYLOAD * len(kinds)
    if any(it.payload[0] for it in single):
        numbers = bytes(it.payload[0] for it in single)
        wide = bytearray(payload.itemsize * len(kinds))
        # An array looks at what it is made of one by one, in several times the time.
        wide[_LOWEST :: payload.itemsize] = kinds.translate(numbers.ljust(256, b"\0"))
        payload = array("q", bytes(wide))
    others: dict[int, ClassAdValue] = {}
    for place, value in own.items():
        _set(tags, payload, others, place, value)
        judged[place] = logical(value)
    found = Vector(tags, payload, others)
    found.memo["judged"] = judged
    return found


def count_holding(judged: bytes | bytearray, ends: array[int]) -> Vector:
    """How many values hold in each run of judged ones; run i ends where run i + 1 begins."""
    size = len(ends) - 1
    out = NO_PAYLOAD * size
    if kernels.native is None:
        sums = [0, *accumulate(each == TRUE for each in judged)]
        return Vector.of([sums[end] - sums[start] for start, end in pairwise(ends)])
    ffi, lib = kernels.native
    given = ffi.from_buffer("unsigned char[]", judged)
    starts, found = ffi.from_buffer("int32_t[]", ends), ffi.from_buffer("int64_t[]", out)
    checked(lib.ca_count_holding(size, starts, len(judged), given, found))
    return Vector(bytes((Tag.INTEGER,)) * size, out, {})


def unary(symbol: str, operand: Vector) -> Vector:
    """What a prefix operator makes of its operand."""
    return _operate(_UNARY.get(symbol), UNARY[symbol].implementation, (operand,), (operand,))


def conditional(condition: Vector, then: Vector, otherwise: Vector) -> Vector:
    """What a condition makes of its outcomes, all evaluated."""
    return _operate(_CHOOSE, choose, (condition, then, otherwise), (condition,))


def _operate(
    number: int | None,
    function: Callable[..., ClassAdValue],
    parts: Sequence[Vector],
    deciding: Sequence[Vector],
) -> Vector:
    """What an operator makes of its operands; what the kernel cannot do with them is done here.

    ``number``: the kernel's for it; ``deciding``: the operands that it looks into.
    """
    native = kernels.native
    # With a list of others there is none among the values that the kernel could do.
    lost = any(part.others.__class__ is list for part in deciding)
    if native is None or number is None or lost or not any(part.step for part in parts):
        return apply(function, parts)
    ffi, lib = native
    size = max(map(len, parts))
    tags, payload = bytearray(size), NO_PAYLOAD * size
    left = lib.ca_operate(
        number,
        size,
        parts[0].native(ffi),
        parts[len(parts) // 2].native(ffi),
        parts[-1].native(ffi),
        ffi.from_buffer("unsigned char[]", tags),
        ffi.from_buffer("int64_t[]", payload),
    )
    others: dict[int, ClassAdValue] = {}
    if checked(left):
        for place in [place for place, tag in enumerate(tags) if tag == _ELSEWHERE]:
            value = function(*[part.value(place if part.step else 0) for part in parts])
            _set(tags, payload, others, place, value)
    return Vector(tags, payload, others)
