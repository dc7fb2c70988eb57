"""Writes times as ``strftime`` does in the C locale, for fields that need not be a real date.

``formatTime`` understands the conversion specifications here, with the flags, widths and modifiers
of the C library HTCondor is built on.

Inputs: a format and broken-down fields (a split-time ad may say month 13 or day 0: such fields
print as they are).  Output: a text of at most 1022 bytes; the specification that would pass that
limit and all after it are left out, as with HTCondor's fixed buffer.
Follows: formatTime in the ClassAd language reference; measured on 25.14.1 (vectors ``time``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from classad.language.times import BrokenDownTime
from classad.language.values import from_bytes, to_bytes, truncating_divide
from classad.patterns import late_regex

_LIMIT: Final = 1023
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class _Spec(NamedTuple):
    """One parsed specification: padding flag, case flags, width (0: none)."""

    pad: str
    upper: bool
    change_case: bool
    width: int


class _Overflow(Exception):  # noqa: N818 - control flow, never seen by a caller
    """The text would not fit the buffer."""


def _remainder(number: int, by: int) -> int:
    return number - by * truncating_divide(number, by)


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _week_days(yearday: int, weekday: int) -> int:
    return yearday - _remainder(yearday - weekday + 4 + 378, 7) + 3


def _iso(at: BrokenDownTime) -> tuple[int, int]:
    """Year and week of ISO 8601."""
    year = at.year
    days = _week_days(at.yearday, at.weekday)
    if days < 0:
        year -= 1
        days = _week_days(at.yearday + 365 + _leap(year), at.weekday)
    else:
        next_year = _week_days(at.yearday - 365 - _leap(year), at.weekday)
        if next_year >= 0:
            year, days = year + 1, next_year
    return year, truncating_divide(days, 7) + 1


def _name(names: tuple[str, ...], index: int, length: int | None) -> str:
    return names[index][:length] if 0 <= index < len(names) else "?"


def _hour12(at: BrokenDownTime) -> int:
    if at.hour > 12:
        return at.hour - 12
    return 12 if at.hour == 0 else at.hour


#: letter -> (digits, default padding, value)
_NUMBERS: Final[dict[str, tuple[int, str, Callable[[BrokenDownTime], int]]]] = {
    "C": (1, "0", lambda at: truncating_divide(at.year, 100) - (_remainder(at.year, 100) < 0)),
    "d": (2, "0", lambda at: at.day),
    "e": (2, "_", lambda at: at.day),
    "g": (2, "0", lambda at: _iso(at)[0] % 100),
    "G": (1, "0", lambda at: _iso(at)[0]),
    "H": (2, "0", lambda at: at.hour),
    "I": (2, "0", _hour12),
    "j": (3, "0", lambda at: at.yearday + 1),
    "k": (2, "_", lambda at: at.hour),
    "l": (2, "_", _hour12),
    "m": (2, "0", lambda at: at.month),
    "M": (2, "0", lambda at: at.minute),
    "S": (2, "0", lambda at: at.second),
    "u": (1, "0", lambda at: _remainder(at.weekday + 6, 7) + 1),
    "U": (2, "0", lambda at: truncating_divide(at.yearday - at.weekday + 7, 7)),
    "V": (2, "0", lambda at: _iso(at)[1]),
    "w": (1, "0", lambda at: at.weekday),
    "W": (2, "0", lambda at: truncating_divide(at.yearday - _remainder(at.weekday + 6, 7) + 7, 7)),
    "y": (2, "0", lambda at: at.year % 100),
    "Y": (1, "0", lambda at: at.year),
}

#: letter -> the format it stands for
_COMPOSED: Final[dict[str, str]] = {
    "c": "%a %b %e %H:%M:%S %Y",
    "D": "%m/%d/%y",
    "F": "%Y-%m-%d",
    "r": "%I:%M:%S %p",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "x": "%m/%d/%y",
    "X": "%H:%M:%S",
}

#: letter -> text; the letters whose case ``#`` raises rather than lowers are a, A, b, B, h.
_TEXTS: Final[dict[str, Callable[[BrokenDownTime], str]]] = {
    "a": lambda at: _name(_DAYS, at.weekday, 3),
    "A": lambda at: _name(_DAYS, at.weekday, None),
    "b": lambda at: _name(_MONTHS, at.month - 1, 3),
    "B": lambda at: _name(_MONTHS, at.month - 1, None),
    "h": lambda at: _name(_MONTHS, at.month - 1, 3),
    "n": lambda at: "\n",
    "p": lambda at: "PM" if at.hour > 11 else "AM",
    "P": lambda at: "pm" if at.hour > 11 else "am",
    "t": lambda at: "\t",
    "Z": lambda at: at.zone,
    "%": lambda at: "%",
}

#: The modifiers that make a specification ill-formed, which is then copied as it stands.
_REFUSED: Final = {
    "E": frozenset("aAbBhdDeFgGHIjklmMSUVwW"),
    "O": frozenset("aAcDFxXY"),
}

_SPECIFICATION: Final = late_regex(
    r"%(?P<flags>[_\-0^#]*)(?P<width>[0-9]*)(?P<modifier>[EO]?)(.?)", re.S
)


def strftime(format: str, at: BrokenDownTime) -> str:
    """The format with its specifications replaced."""
    if format.isascii():
        return _expand(format, at, upper=False)
    narrow = to_bytes(format).decode("latin-1")
    return from_bytes(_expand(narrow, at, upper=False).encode("latin-1"))


def _expand(format: str, at: BrokenDownTime, *, upper: bool) -> str:
    done = ""
    position = 0
    while position < len(format):
        percent = format.find("%", position)
        if percent < 0:
            percent = len(format)
        done += format[position:percent]
        if percent == len(format):
            break
        found = _SPECIFICATION.match(format, percent)
        assert found is not None
        try:
            item = _specification(found, at, upper=upper)
        except _Overflow:
            break
        if len(done) + len(item) >= _LIMIT:
            break
        done += item
        position = found.end()
    return done[: _LIMIT - 1]


def _specification(match: re.Match[str], at: BrokenDownTime, *, upper: bool) -> str:
    flags, width_text, modifier, letter = match.groups()
    width = int(width_text[:10] or "0")
    if width >= _LIMIT:
        raise _Overflow
    pads = [flag for flag in flags if flag in "_-0"]
    spec = _Spec(pads[-1] if pads else "", upper or "^" in flags, "#" in flags, width)
    if modifier and letter in _REFUSED[modifier]:
        return _as_it_stands(match.group(), spec)
    if letter in _NUMBERS:
        digits, pad, value = _NUMBERS[letter]
        return _number(value(at), max(digits, width), pad, spec)
    if letter in _TEXTS:
        return _padded(_cased(_TEXTS[letter](at), letter, spec), spec)
    if letter in _COMPOSED:
        return _padded(_expand(_COMPOSED[letter], at, upper=spec.upper), spec)
    if letter == "s":
        return _number(at.epoch, 1, "0", spec)
    if letter == "z":
        # HTCondor never fills in the offset.
        return _padded("+", spec) + _number(0, max(4, width), "0", spec)
    return _as_it_stands(match.group(), spec)


def _as_it_stands(specification: str, spec: _Spec) -> str:
    """What is no specification, copied; of its letters ``^`` raises those of ASCII."""
    if spec.upper:
        specification = specification.encode("latin-1").upper().decode("latin-1")
    return _padded(specification, spec)


def _cased(text: str, letter: str, spec: _Spec) -> str:
    if letter in "pZ" and spec.change_case:
        return text.lower()
    if letter == "P":
        return text
    if spec.upper or (spec.change_case and letter in "aAbBh"):
        return text.upper()
    return text


def _padded(text: str, spec: _Spec) -> str:
    return text.rjust(spec.width, "0" if spec.pad == "0" else " ")


def _number(value: int, digits: int, default_pad: str, spec: _Spec) -> str:
    text = str(value)
    pad = spec.pad or default_pad
    if pad == "0" and len(text) < digits:
        return text.zfill(digits)
    if pad == "_":
        text = text.rjust(digits)
    return _padded(text, spec)
