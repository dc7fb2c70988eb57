"""Defines functions that read single fields of times, and write spans of time as text.

The fields of an absolute time are those of the context's local zone, whatever its own zone.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``time``, ``time_tz``).
"""

from __future__ import annotations

from classad.builtins.support import int_of
from classad.evaluation.functions import ZONE, builtin
from classad.evaluation.state import EvalState
from classad.language.times import (
    Moment,
    break_down,
    int32_of_real,
    local_offset,
    split_span,
    wrap32,
)
from classad.language.values import ERROR, AbsTime, ClassAdValue, RelTime, Value

_NOT_EVEN_UNDEFINED = "undefined, error and other types give error"


def _local_moment(state: EvalState, value: ClassAdValue) -> Moment | None:
    """The fields of an absolute time in the local zone, whatever its own."""
    if value.__class__ is not AbsTime:
        return None
    return break_down(value.secs + local_offset(value.secs, state.zone))


@builtin(
    "getYear",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=['getYear(absTime("2020-07-02T03:04:05Z")) -> 2020'],
)
def get_year(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The year of an absolute time, in the local zone."""
    at = _local_moment(state, value)
    return ERROR if at is None else at.year


@builtin(
    "getMonth",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=['getMonth(absTime("2020-07-02T03:04:05Z")) -> 7'],
)
def get_month(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The month of an absolute time, 1 to 12, in the local zone."""
    at = _local_moment(state, value)
    return ERROR if at is None else at.month


@builtin(
    "getDayOfYear",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=['getDayOfYear(absTime("2020-01-02T03:04:05Z")) -> 1'],
)
def get_day_of_year(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The day of the year of an absolute time, from 0, in the local zone."""
    at = _local_moment(state, value)
    return ERROR if at is None else at.yearday


@builtin(
    "getDayOfMonth",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=['getDayOfMonth(absTime("2020-01-02T03:04:05Z")) -> 2'],
)
def get_day_of_month(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The day of the month of an absolute time, from 1, in the local zone."""
    at = _local_moment(state, value)
    return ERROR if at is None else at.day


@builtin(
    "getDayOfWeek",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=['getDayOfWeek(absTime("2020-01-02T03:04:05Z")) -> 4'],
)
def get_day_of_week(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The day of the week of an absolute time, 0 for Sunday, in the local zone."""
    at = _local_moment(state, value)
    return ERROR if at is None else at.weekday


def _span_field(value: ClassAdValue, index: int) -> ClassAdValue:
    """A field of a relative time, rounded toward zero, or error."""
    if value.__class__ is not RelTime:
        return ERROR
    return split_span(int32_of_real(value.secs))[index]


@builtin(
    "getDays",
    args=1,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=["getDays(relTime(90061)) -> 1"],
)
def get_days(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The whole days of a relative time."""
    return _span_field(value, 0)


@builtin(
    "getHours",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=["getHours(relTime(7200)) -> 2"],
)
def get_hours(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The hours of an absolute time in the local zone, or of a relative time beyond its days."""
    at = _local_moment(state, value)
    return _span_field(value, 1) if at is None else at.hour


@builtin(
    "getMinutes",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=["getMinutes(relTime(150)) -> 2"],
)
def get_minutes(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The minutes of an absolute time in the local zone, or of a relative time."""
    at = _local_moment(state, value)
    return _span_field(value, 2) if at is None else at.minute


@builtin(
    "getSeconds",
    args=1,
    reads=ZONE,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=["getSeconds(relTime(-90061)) -> -1"],
)
def get_seconds(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The seconds of an absolute time in the local zone, or of a relative time."""
    at = _local_moment(state, value)
    return _span_field(value, 3) if at is None else at.second


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
