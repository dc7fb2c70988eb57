"""Defines functions that read single fields of times, and write spans of time as text.

The fields of an absolute time are those of the context's local zone, whatever its own zone.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``time``, ``time_tz``).
"""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from classad.builtins.support import int_of
from classad.evaluation.functions import NOTHING, ZONE, builtin
from classad.evaluation.state import EvalState
from classad.language.times import (
    break_down,
    int32_of_real,
    local_offset,
    split_span,
    wrap32,
)
from classad.language.values import ERROR, AbsTime, ClassAdValue, RelTime, Value

#: Name, what it gives: a field of ``Moment``, a place in ``split_span``; what that is; an example.
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
