"""Defines functions of the clock, the calendar and the time types.

The local zone and the clock are those of the evaluation's context; the fields of an absolute time
are those of the local zone, whatever its own zone.  HTCondor keeps spans and
zone offsets in 32 bits, which shows in conversions.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``time``, ``time_tz``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from classad.builtins.support import int_of, is_ad
from classad.evaluation.functions import CLOCK, NOTHING, ZONE, ResultKind, builtin
from classad.evaluation.state import EvalState
from classad.language.bounds import EvaluationFailure
from classad.language.time_format import strftime
from classad.language.times import (
    BrokenDownTime,
    break_down,
    int32_of_real,
    local_offset,
    seconds_of,
    split_span,
    standard_time,
    wrap32,
)
from classad.language.values import (
    ERROR,
    UNDEFINED,
    AbsTime,
    ClassAdValue,
    RelTime,
    Value,
    truncating_divide,
)

if TYPE_CHECKING:
    from classad.ads.ad import Ad

_NO_ARGUMENTS = "none: there are no arguments"


def _here(state: EvalState, secs: int) -> AbsTime:
    return AbsTime(secs, local_offset(secs, state.zone))


@builtin(
    "time",
    args=0,
    result=ResultKind.CLOCK,
    reads=CLOCK,
    exceptional=_NO_ARGUMENTS,
    examples=["isInteger(time()) -> true"],
)
def seconds_now(state: EvalState) -> int:
    """Seconds since 1970-01-01 UTC."""
    return int(state.now())


def _declare_clock(name: str, kind: str, doc: str, of: Callable[[AbsTime], ClassAdValue]) -> None:
    """Declare a function of the present instant in the local zone."""

    @builtin(
        name,
        args=0,
        reads=CLOCK | ZONE,
        exceptional=_NO_ARGUMENTS,
        doc=doc,
        examples=[f"is{kind}({name}()) -> true"],
    )
    def clock(state: EvalState) -> ClassAdValue:
        return of(_here(state, int(state.now())))


_declare_clock(
    "currentTime", "AbsTime", "The present instant in the local zone.", lambda now: now
)  # fmt: skip
_declare_clock(
    "dayTime", "RelTime", "The time of day, counted from midnight in the local zone.",
    lambda now: RelTime(float((now.secs + now.offset) % 86400)),
)  # fmt: skip
_declare_clock(
    "timezoneOffset", "RelTime", "The offset of the local zone now, positive east of UTC.",
    lambda now: RelTime(float(now.offset)),
)  # fmt: skip


def _seconds(value: ClassAdValue) -> int | Value:
    """The seconds that ``absTime`` takes an argument for, or the exceptional value."""
    if value.__class__ is int:
        return wrap32(value)
    if value.__class__ is float:
        return int32_of_real(value)
    if value.__class__ is RelTime:
        return int32_of_real(value.secs)
    return UNDEFINED if value is UNDEFINED else ERROR


@builtin(
    "absTime",
    args=(0, 2),
    fails=True,
    reads=ZONE,
    reads_alone=CLOCK,
    exceptional="undefined gives undefined; a zone offset of another type than number or "
    "relative time gives error, one of -1 with an integer fails the whole evaluation",
    examples=[
        'absTime("2020-01-02T03:04:05Z") -> absTime("2020-01-02T03:04:05-00:00")',
        'absTime(5, 3600) -> absTime("1970-01-01T01:00:05+01:00")',
    ],
)
def abs_time(state: EvalState, *arguments: ClassAdValue) -> ClassAdValue:
    """An instant from seconds since 1970 UTC, with the local or the given offset; now, if none.

    A literal text is read while the expression is parsed; any other string is returned as it is.
    """
    if not arguments:
        return _here(state, int(state.now()))
    value = arguments[0]
    offset: int | Value | None = None
    if len(arguments) == 2:
        offset = _seconds(arguments[1])
        if isinstance(offset, Value):
            return ERROR
        if offset == -1 and value.__class__ is int:
            raise EvaluationFailure("absTime was given the zone offset -1")
    if value.__class__ is AbsTime or value.__class__ is str:
        return value
    secs = _seconds(value)
    if isinstance(secs, Value):
        return secs
    return _here(state, secs) if offset is None else AbsTime(secs, offset)


@builtin(
    "relTime",
    args=1,
    examples=[
        'relTime(3723) -> relTime("01:02:03")',
        'relTime("1:02:03") -> 3.723000000000000E+03',
        "relTime(true) -> error",
    ],
)
def rel_time(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """A span from a number of seconds.

    A literal text is read while the expression is parsed and gives a real number of seconds; any
    other string counts as 0.
    """
    if value.__class__ is int:
        return RelTime(float(wrap32(value)))
    if value.__class__ is float:
        return RelTime(value)
    if value.__class__ is RelTime:
        return value
    if value.__class__ is AbsTime:
        return RelTime(float(value.secs))
    if value.__class__ is str:
        return RelTime(0.0)
    return UNDEFINED if value is UNDEFINED else ERROR


@builtin(
    "splitTime",
    args=1,
    reads=ZONE,
    examples=[
        "splitTime(relTime(3723)).Hours -> 1",
        'splitTime(absTime("2020-01-02T03:04:05Z")).Year -> 2020',
    ],
)
def split_time(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The fields of a time as an ad; a number is taken as an instant in the local zone."""
    if value.__class__ is RelTime:
        return _ad_of_span(value.secs)
    if value.__class__ is int or value.__class__ is float:
        value = _here(state, value if value.__class__ is int else int32_of_real(value))
    if value.__class__ is not AbsTime:
        return UNDEFINED if value is UNDEFINED else ERROR
    at = break_down(value.secs + value.offset)
    return _ad(
        Type="AbsoluteTime", Year=at.year, Month=at.month, Day=at.day, Hours=at.hour,
        Minutes=at.minute, Seconds=at.second, Offset=value.offset,
    )  # fmt: skip


def _ad(**attributes: ClassAdValue) -> Ad:
    from classad.ads.ad import Ad

    ad = Ad()
    for name, value in attributes.items():
        ad.insert(name, value)
    return ad


def _ad_of_span(secs: float) -> Ad:
    size = abs(secs)
    days, hours, minutes, whole = split_span(int32_of_real(size))
    seconds: float = whole + (size - math.floor(size) if math.isfinite(size) else math.nan)
    if secs < 0:
        # The sign goes to the first field that is not zero.
        if days > 0:
            days = -days
        elif hours > 0:
            hours = -hours
        elif minutes > 0:
            minutes = -minutes
        else:
            seconds = -seconds
    return _ad(Type="RelativeTime", Days=days, Hours=hours, Minutes=minutes, Seconds=seconds)


def _yearday(year: int, month: int, day: int) -> int:
    """The 0-based day of the year of fields that need not be a date, as HTCondor counts.

    That is the rule of *Calendrical Calculations* in C's arithmetic: 32 bits, quotients and
    remainders towards zero, so that a remainder below zero is none of those that rule out a leap
    year.
    """
    leap = year % 4 == 0 and year - 400 * truncating_divide(year, 400) not in (100, 200, 300)
    after_february = 0 if month <= 2 else -1 if leap else -2
    return wrap32(truncating_divide(wrap32(367 * month - 362), 12) + after_february + day - 1)


def _weekday(year: int, yearday: int) -> int:
    """The day of the week (0 = Sunday) as HTCondor counts: below 0 before the year 1."""
    before = year - 1
    days = 365 * before + truncating_divide(before, 4) - truncating_divide(before, 100)
    days = wrap32(days + truncating_divide(before, 400) + yearday + 1)
    return days - 7 * truncating_divide(days, 7)


def _counted(
    year: int, month: int, day: int, hour: int, minute: int, second: int
) -> BrokenDownTime:
    """The fields with both days as HTCondor counts them."""
    yearday = _yearday(year, month, day)
    return BrokenDownTime(year, month, day, hour, minute, second, _weekday(year, yearday), yearday)


def _fields_of_ad(state: EvalState, ad: Ad) -> BrokenDownTime:
    """The fields of a split-time ad; what is missing or no integer counts as 0, month as 1."""

    def field(name: str, default: int = 0) -> int:
        stored = ad.raw(name)
        value: object = default if stored is None else state.member(stored, ad, ad)
        return wrap32(value) if value.__class__ is int else default

    year, month, day = field("Year", 1900), field("Month", 1), field("Day")
    hour, minute, second = field("Hours"), field("Minutes"), field("Seconds")
    return _counted(year, month, day, hour, minute, second)


@builtin(
    "formatTime",
    args=(0, 2),
    result=ResultKind.TEXT,
    reads=ZONE,
    reads_alone=CLOCK,
    exceptional="undefined, error and types other than number, absolute time and ad give error",
    examples=[
        'formatTime(absTime("2020-01-02T03:04:05Z"), "%F %T") -> "2020-01-02 03:04:05"',
        'formatTime([Year = 2020; Month = 2; Day = 29], "%d %b") -> "29 Feb"',
    ],
)
def format_time(state: EvalState, *arguments: ClassAdValue) -> ClassAdValue:
    """A time as text by a ``strftime`` format; without a format as ``%c``, without a time now."""
    value = arguments[0] if arguments else int(state.now())
    format = arguments[1] if len(arguments) == 2 else "%c"
    if format.__class__ is not str:
        return ERROR
    if value.__class__ is int or value.__class__ is float:
        value = _here(state, value if value.__class__ is int else int32_of_real(value))
    if value.__class__ is AbsTime:
        at = break_down(value.secs + value.offset)
        if at.year == wrap32(at.year):
            at = _counted(*at[:6])
    elif is_ad(value):
        at = _fields_of_ad(state, value)
    else:
        return ERROR
    wall = seconds_of(*at[:6])
    offset, name = standard_time(wall, state.zone)
    return strftime(format, at._replace(epoch=wall - offset, zone=name))


#: Name, what it gives: a field of ``BrokenDownTime``, a place in ``split_span``; what that is; an
#: example.
_FIELDS: Final = (
    ("getYear", "year", None, "year of an absolute time, in the local zone",
     'absTime("2020-07-02T03:04:05Z")', 2020),
    ("getMonth", "month", None, "month of an absolute time, 1 to 12, in the local zone",
     'absTime("2020-07-02T03:04:05Z")', 7),
    ("getDayOfYear", "yearday", None,
     "day of the year of an absolute time, from 0, in the local zone",
     'absTime("2020-01-02T03:04:05Z")', 1),
    ("getDayOfMonth", "day", None,
     "day of the month of an absolute time, from 1, in the local zone",
     'absTime("2020-01-02T03:04:05Z")', 2),
    ("getDayOfWeek", "weekday", None,
     "day of the week of an absolute time, 0 for Sunday, in the local zone",
     'absTime("2020-01-02T03:04:05Z")', 4),
    ("getDays", None, 0, "whole days of a relative time", "relTime(90061)", 1),
    ("getHours", "hour", 1,
     "hours of an absolute time in the local zone, or of a relative time beyond its days",
     "relTime(7200)", 2),
    ("getMinutes", "minute", 2,
     "minutes of an absolute time in the local zone, or of a relative time", "relTime(150)", 2),
    ("getSeconds", "second", 3,
     "seconds of an absolute time in the local zone, or of a relative time",
     "relTime(-90061)", -1),
)  # fmt: skip


def _declare(name: str, field: str | None, place: int | None, doc: str, of: str, is_: int) -> None:
    """Declare the function for one field of a time; that of a span is rounded toward zero."""
    of_moment = None if field is None else attrgetter(field)

    @builtin(
        name,
        args=1,
        reads=NOTHING if field is None else ZONE,
        exceptional="undefined, error and other types give error",
        doc=f"The {doc}.",
        examples=[f"{name}({of}) -> {is_}"],
    )
    def field_of(state: EvalState, value: ClassAdValue) -> ClassAdValue:
        if value.__class__ is AbsTime and of_moment is not None:
            at = break_down(value.secs + local_offset(value.secs, state.zone))
            return int(of_moment(at))
        if value.__class__ is RelTime and place is not None:
            return split_span(int32_of_real(value.secs))[place]
        return ERROR


for _row in _FIELDS:
    _declare(*_row)


@builtin(
    "interval",
    args=1,
    exceptional="undefined and error give error",
    examples=['interval(3661) -> "1:01:01"', 'interval(-90061) -> "-1+01:01:01"'],
)
def interval(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """A number of seconds as ``days+hh:mm:ss``, without leading zero fields."""
    seconds = int_of(value)
    if seconds.__class__ is Value:
        return ERROR
    seconds = wrap32(seconds)
    days, hours, minutes, rest = (abs(field) for field in split_span(seconds))
    sign = "-" if seconds < 0 else ""
    if days:
        return f"{sign}{days}+{hours:02}:{minutes:02}:{rest:02}"
    if hours:
        return f"{sign}{hours}:{minutes:02}:{rest:02}"
    return f"{sign}{minutes}:{rest:02}" if minutes else f"{sign}{rest}"
