"""Computes calendar dates and zone offsets, and reads and prints the two time types.

The calendar is the proleptic Gregorian one on plain integers, without limits on years.  Read and
printed is what stands inside ``absTime("...")`` and ``relTime("...")``.  Inputs and outputs are
seconds, since 1970-01-01 UTC where absolute; a zone is an IANA name or a ``tzinfo``, None meaning
UTC.
Follows: the measured behaviour of HTCondor 25.14.1 (the vectors ``time`` and ``time_tz``).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from classad.errors import ClassAdValueError
from classad.language.values import AbsTime, to_bytes
from classad.patterns import late_regex

if TYPE_CHECKING:
    from datetime import datetime, tzinfo
    from zoneinfo import ZoneInfo

    Zone = str | tzinfo | None

DAY: Final = 86400
#: The Gregorian calendar, weekdays included, repeats after 400 years.
_CYCLE: Final = 146097 * DAY
_WEEK: Final = 7 * DAY
#: In no zone summer time lasted longer.
_WEEKS_OF_SUMMER: Final = 600


class BrokenDownTime(NamedTuple):
    """A broken-down time: ``month`` 1-12, ``weekday`` 0 = Sunday, ``yearday`` 0-based.

    ``epoch`` and ``zone``: what ``%s`` and ``%Z`` of ``strftime`` print.
    """

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    weekday: int
    yearday: int
    epoch: int = 0
    zone: str = ""


def wrap32(number: int) -> int:
    """Reduce an integer to 32 bits, two's complement: HTCondor keeps spans and offsets in those."""
    return (number + 2**31) % 2**32 - 2**31


def int32_of_real(real: float) -> int:
    """A real cast to a 32-bit integer; out of range and NaN give the least one, as on x86-64."""
    return int(real) if -2147483649.0 < real < 2147483648.0 else -(2**31)


def days_of_date(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01; a month or day out of range carries over."""
    year += (month - 1) // 12
    month = (month - 1) % 12 + 1
    shifted = year - (month < 3)
    month_index = (month + 9) % 12
    leap_days = shifted // 4 - shifted // 100 + shifted // 400
    return 365 * shifted + leap_days + (153 * month_index + 2) // 5 + day - 719469


def date_of_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days from 1970-01-01."""
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_index = (5 * day_of_year + 2) // 153
    month = month_index + 3 if month_index < 10 else month_index - 9
    year = year_of_era + era * 400 + (month < 3)
    return year, month, day_of_year - (153 * month_index + 2) // 5 + 1


def seconds_of(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int:
    """Seconds from 1970-01-01 of fields on the same clock; fields out of range carry over."""
    return days_of_date(year, month, day) * DAY + hour * 3600 + minute * 60 + second


def break_down(secs: int) -> BrokenDownTime:
    """The fields of a number of seconds (UTC, or already shifted to a zone)."""
    days, rest = divmod(secs, DAY)
    year, month, day = date_of_days(days)
    yearday = days - days_of_date(year, 1, 1)
    return BrokenDownTime(
        year, month, day, rest // 3600, rest // 60 % 60, rest % 60, (days + 4) % 7, yearday
    )


def _tzinfo(zone: str | tzinfo) -> tzinfo:
    return _zone_info(zone) if isinstance(zone, str) else zone


@lru_cache(maxsize=32)
def _zone_info(zone: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as problem:
        raise ClassAdValueError(f"unknown time zone `{zone}`{_why_none()}") from problem


def _why_none() -> str:
    """What to add to the message if no zone at all is known."""
    from zoneinfo import available_timezones

    none = not available_timezones() - {"UTC"}
    return "; there is no time zone database: pip install tzdata" if none else ""


def check_zone(zone: str) -> None:
    """Raise ``ClassAdValueError`` for a zone that is not known."""
    _zone_info(zone)


def _python_range(secs: int) -> int:
    """An equivalent number of seconds within the years 400 to 9600 (datetime stops at 9999)."""
    if -49545388800 <= secs <= 240779059200:
        return secs
    return (secs + 49545388800) % _CYCLE + (_CYCLE * 20 if secs > 0 else 0) - 49545388800


def local_offset(secs: int, zone: str | tzinfo) -> int:
    """Seconds east of UTC in force at an instant."""
    from datetime import datetime

    offset = datetime.fromtimestamp(_python_range(secs), tz=_tzinfo(zone)).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def offset_of_wall_clock(wall: int, zone: Zone) -> int:
    """Seconds east of UTC for a clock on the wall of the zone.

    A time that occurs twice is taken as the second one, a time that is skipped has the offset
    after the gap: what HTCondor's two-step conversion (standard time first) comes to.
    """
    if zone is None or zone == "UTC":
        return 0
    from datetime import datetime, timedelta

    naive = datetime(1970, 1, 1) + timedelta(seconds=_python_range(wall))
    offset = naive.replace(tzinfo=_tzinfo(zone), fold=1).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def standard_time(wall: int, zone: tzinfo) -> tuple[int, str]:
    """Offset and abbreviation of a zone's standard time at a wall-clock time.

    In summer time it is the next one that will be, as the C library has it.
    """
    local = _on_the_wall(wall, zone)
    if local.dst():
        local = _next_standard(wall // _WEEK, zone)
    offset = local.utcoffset()
    return 0 if offset is None else int(offset.total_seconds()), local.tzname() or ""


def _on_the_wall(wall: int, zone: tzinfo) -> datetime:
    from datetime import datetime, timedelta

    return datetime(1970, 1, 1, tzinfo=zone) + timedelta(seconds=_python_range(wall))


@lru_cache(maxsize=1024)
def _next_standard(week: int, zone: tzinfo) -> datetime:
    """The begin of the first week behind this one in standard time; in war it is years away."""
    later = (_on_the_wall(n * _WEEK, zone) for n in range(week + 1, week + _WEEKS_OF_SUMMER))
    return next((moment for moment in later if not moment.dst()), _on_the_wall(week * _WEEK, zone))


def _split_zone(text: str) -> tuple[str, int | None]:
    """The text without its zone, and the zone's offset; None if it names no zone."""
    stripped = text.rstrip(" \t\n\v\f\r")
    if stripped.endswith(("z", "Z")):
        return stripped[:-1] + text[len(stripped) :], 0
    if re.search(r".[-+]..:..\Z", text, re.DOTALL) and text[-5] not in "-+":
        # The colon goes even if what is around it turns out to be no zone.
        text = text[:-3] + text[-2:]
    found = re.search(r"(?<=.)([-+])([0-9]{2})([0-9]{2})\Z", text, re.DOTALL)
    if not found:
        return text, None
    sign, hours, minutes = found.groups()
    offset = int(hours) * 3600 + int(minutes) * 60
    return text[: found.start()], -offset if sign == "-" else offset


def _date_fields(text: str) -> list[int] | None:
    """Year, month, day, hour, minute, second; the missing ones are 1 for month and 0 else."""
    fields = [0, 1, 0, 0, 0, 0]
    position = 0
    for index in range(6):
        width = 4 if index == 0 else 2
        found = re.compile("[0-9]+").search(text, position)
        if found is None or found.start() + width > len(text):
            if index == 0:
                return None
            break
        fields[index] = int(found[0][:width])
        position = found.start() + width
    return None if re.compile("[0-9]").search(text, position) else fields


def parse_abstime_literal(text: str, zone: Zone = None) -> AbsTime | None:
    """The value of ``absTime("text")`` in a zone, or None if the text is ill-formed.

    Four digits of year, then optional pairs of digits with anything between, then an optional
    zone (``Z``, ``+hh:mm``, ``+hhmm``).  A missing day counts as day 0.
    """
    if not text.isascii():
        text = to_bytes(text).decode("latin-1")
    text, offset = _split_zone(text)
    fields = _date_fields(text)
    if fields is None:
        return None
    year, month, day, hour, minute, second = fields
    wall = seconds_of(year, month, day, hour, minute, second)
    wall_offset = offset_of_wall_clock(wall, zone)
    if wall - wall_offset == -1:
        # The C library says "no such time" with -1, so that second cannot be written.
        return None
    if offset is None:
        offset = wall_offset
    return AbsTime(wall - offset, offset)


#: A relative time written backwards, as HTCondor reads it: a colon before the last number belongs
#: to the minutes, the next one to the hours.
_REVERSED_SPAN: Final = late_regex(
    r"""[ \t-\r]*+
    (?> (?: (?=[sS0-9]) [sS]?+ [ \t-\r]*+ (?P<seconds>[0-9]*+(?>(?:\.[0-9]*+)?)) )? ) [ \t-\r]*+
    (?> (?: [mM:] [ \t-\r]*+ (?P<minutes>[0-9]*+) )? ) [ \t-\r]*+
    (?> (?: [hH:] [ \t-\r]*+ (?P<hours>[0-9]*+) )? ) [ \t-\r]*+
    (?> (?: [dD+] [ \t-\r]*+ (?P<days>[0-9]*+) )? ) [ \t-\r]*+
    (?> (?P<sign>-)? ) [ \t-\r]*+""",
    re.VERBOSE,
)


def _reversed_integer(digits: str | None) -> int:
    number = int(digits[::-1]) if digits and len(digits) < 4000 else 0
    return number if number < 2**31 else 0


def parse_reltime_literal(text: str) -> float | None:
    """The seconds of ``relTime("text")``, or None if the text is ill-formed.

    ``[-][days+][[hours:]minutes:]seconds[.fraction]`` or the units ``d h m s``, each part
    optional.  Whole parts beyond 32 bits count as 0 and their sum wraps at 32 bits.
    """
    found = _REVERSED_SPAN.fullmatch(text[::-1])
    if found is None:
        return None
    reversed_seconds = found["seconds"]
    seconds = 0.0
    if reversed_seconds and reversed_seconds != ".":
        seconds = float(reversed_seconds[::-1])
    whole = wrap32(
        _reversed_integer(found["days"]) * DAY
        + _reversed_integer(found["hours"]) * 3600
        + _reversed_integer(found["minutes"]) * 60
    )
    total = whole + seconds
    return -total if found["sign"] else total


def format_abstime(time: AbsTime) -> str:
    """``2020-01-02T03:04:05+01:00``; zone zero is printed ``-00:00``."""
    at = break_down(time.secs + time.offset)
    sign = "+" if time.offset > 0 else "-"
    zone_minutes = abs(time.offset) // 60
    return (
        f"{at.year}-{at.month:02}-{at.day:02}T{at.hour:02}:{at.minute:02}:{at.second:02}"
        f"{sign}{zone_minutes // 60:02}:{zone_minutes % 60:02}"
    )


def split_span(whole: int) -> tuple[int, int, int, int]:
    """Days, hours, minutes and seconds of a whole number of seconds, each rounded toward zero."""
    sign = -1 if whole < 0 else 1
    rest = abs(whole)
    return (
        sign * (rest // DAY),
        sign * (rest // 3600 % 24),
        sign * (rest // 60 % 60),
        sign * (rest % 60),
    )


def _join_span(sign: str, days: int, hours: int, minutes: int, seconds: str) -> str:
    if days:
        return f"{sign}{days}+{hours:02}:{minutes:02}:{seconds}"
    if hours:
        return f"{sign}{hours:02}:{minutes:02}:{seconds}"
    if minutes:
        return f"{sign}{minutes:02}:{seconds}"
    return sign + seconds


def format_reltime(secs: float) -> str:
    """The text inside ``relTime("...")`` as printing writes it: ``1+02:03:04`` or ``03:4.5``.

    Six significant digits of seconds.  Beyond 32 bits the fields are those of -2**31.
    """
    size = abs(secs)
    days, hours, minutes, seconds = split_span(int32_of_real(size))
    fraction = size - math.floor(size) if math.isfinite(size) else math.nan
    return _join_span("-" if secs < 0 else "", days, hours, minutes, f"{seconds + fraction:02g}")


def reltime_text(secs: float) -> str:
    """What functions such as ``string`` make of a relative time: as printed, fraction dropped."""
    whole = int32_of_real(secs)
    # INVARIANT: abs(-2**31) does not fit 32 bits; there HTCondor writes every field negative.
    days, hours, minutes, seconds = split_span(whole if whole == -(2**31) else abs(whole))
    return _join_span("-" if whole < 0 else "", days, hours, minutes, f"{seconds:02}")
