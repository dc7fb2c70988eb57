"""Calendar arithmetic and the two time literals."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import pytest

from classad.errors import ClassAdValueError
from classad.evaluate import EvalContext, evaluate
from classad.language.times import (
    break_down,
    check_zone,
    date_of_days,
    days_of_date,
    format_abstime,
    format_reltime,
    local_offset,
    offset_of_wall_clock,
    parse_abstime_literal,
    parse_reltime_literal,
    reltime_text,
    seconds_of,
    standard_time,
)
from classad.language.values import AbsTime


def test_dates_agree_with_the_standard_library() -> None:
    epoch = datetime.date(1970, 1, 1)
    for ordinal in range(1, 3_652_059, 997):
        date = datetime.date.fromordinal(ordinal)
        days = (date - epoch).days
        assert date_of_days(days) == (date.year, date.month, date.day)
        assert days_of_date(date.year, date.month, date.day) == days
        moment = break_down(days * 86400)
        assert moment.weekday == date.isoweekday() % 7
        assert moment.yearday == date.timetuple().tm_yday - 1


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2020-01-02T03:04:05Z", None, AbsTime(1577934245, 0)),
        ("2020-01-02T03:04:05+05:30", None, AbsTime(1577914445, 19800)),
        ("20200102030405", "UTC", AbsTime(1577934245, 0)),
        ("2020", None, AbsTime(1577750400, 0)),
        ("2020-13-45", "Asia/Kolkata", AbsTime(1613241000, 19800)),
        ("2020-03-08T02:30:00", "America/Chicago", AbsTime(1583652600, -18000)),
        ("2020-11-01T01:30:00", "America/Chicago", AbsTime(1604215800, -21600)),
        ("1969-12-31T23:59:59Z", None, None),
        ("1969-12-31T17:59:59Z", "America/Chicago", None),
        ("1969-12-31T23:59:59Z", "America/Chicago", AbsTime(-1, 0)),
        ("202", None, None),
        ("2020-01-02T03:04:05.5", None, None),
        ("2020-01-02T03:04:05+1:00", None, None),
        ("54-:-:1:2:", None, AbsTime(-60434294400, 0)),
        ("-09:55", None, None),
    ],
)
def test_absolute_time_literal(text: str, zone: str | None, expected: AbsTime | None) -> None:
    assert parse_abstime_literal(text, zone) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0.0),
        ("1d2h3m4s", 93784.0),
        ("2+03:04:05", 183845.0),
        ("-1:00", -60.0),
        ("1:2m", 3720.0),
        ("5.s", 5.0),
        ("5.", None),
        ("1d1d", None),
        ("1e5", None),
        ("30000d", -1702967296.0),
        ("99999999999d", 0.0),
        ("9" * 400, float("inf")),
    ],
)
def test_relative_time_literal(text: str, expected: float | None) -> None:
    assert parse_reltime_literal(text) == expected


def test_printing() -> None:
    assert format_abstime(AbsTime(1577571905, 362340)) == "2020-01-02T03:04:05+100:39"
    assert format_abstime(AbsTime(0, 0)) == "1970-01-01T00:00:00-00:00"
    assert format_abstime(AbsTime(-62167219200, 0)) == "0-01-01T00:00:00-00:00"
    assert format_reltime(93784.0) == "1+02:03:04"
    assert format_reltime(-61.5) == "-01:1.5"
    assert format_reltime(-0.0) == "00"
    assert format_reltime(-23040.266666666666) == "-06:24:0.266667"
    assert format_reltime(1e10) == "-24855+-3:-14:-8"
    assert format_reltime(1e-7) == "1e-07"  # which no literal may be, as in HTCondor
    assert parse_reltime_literal(format_reltime(1e-7)) is None
    assert reltime_text(-61.5) == "-01:01"
    assert reltime_text(-0.5) == "00"
    assert reltime_text(1e10) == "--24855+-3:-14:-8"


def test_offsets_outside_the_years_of_datetime() -> None:
    assert local_offset(300_000_000_000 * 5, "America/Chicago") in (-18000, -21600)
    assert local_offset(-(10**12), "America/Chicago") == -21036
    assert offset_of_wall_clock(-(10**12), "America/Chicago") == -21036


@pytest.mark.parametrize(
    ("zone", "day", "standard"),
    [
        ("Europe/London", (1942, 3, 1), (0, "GMT")),  # all of that year was summer
        ("Europe/Moscow", (1992, 6, 20), (10800, "MSK")),  # no longer EET, as in January
        ("Africa/Casablanca", (2018, 6, 22), (3600, "+01")),
        ("America/New_York", (2026, 7, 1), (-18000, "EST")),
        ("UTC", (2026, 7, 1), (0, "UTC")),
    ],
)
def test_standard_time_is_the_next_one(
    zone: str, day: tuple[int, int, int], standard: tuple[int, str]
) -> None:
    assert standard_time(seconds_of(*day, 12, 0, 0), ZoneInfo(zone)) == standard
    assert local_offset(0, "UTC") == 0


def test_an_unknown_zone_is_refused() -> None:
    check_zone("Asia/Kolkata")
    with pytest.raises(ClassAdValueError, match="unknown time zone `Mars/Base`"):
        check_zone("Mars/Base")


def test_a_machine_without_zones_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoneinfo.available_timezones", lambda: {"UTC"})
    with pytest.raises(ClassAdValueError, match="no time zone database: pip install tzdata"):
        check_zone("Nowhere/Here")


def test_years_beyond_a_c_int() -> None:
    """D-301: HTCondor prints uninitialised memory there."""
    assert evaluate("formatTime(9223372036854775807)") == "Sun Dec  4 15:30:07 292277026596"
    assert evaluate("splitTime(9223372036854775807).Year") == 292277026596


def test_summer_time_in_far_years() -> None:
    """D-308: the C library counts days in an int."""
    berlin = EvalContext(tz=ZoneInfo("Europe/Berlin"))
    assert evaluate('formatTime(236350108349971, "%H:%M")', context=berlin) == "12:59"
    assert evaluate("splitTime(236350108349971).Offset", context=berlin) == 7200


def test_zones_with_unusual_summer_time() -> None:
    """D-302: HTCondor assumes that summer time is one hour ahead of standard time."""
    assert parse_abstime_literal("2020-12-01", "Europe/Dublin") == AbsTime(1606780800, 0)
    assert parse_abstime_literal("2020-12-29", "Australia/Lord_Howe") == AbsTime(1609160400, 39600)


def test_a_format_that_passes_the_buffer() -> None:
    """D-305: HTCondor shows the buffer; we stop before what does not fit."""
    assert evaluate('formatTime(0, "%Y %99999999999d")') == "1970 "
    assert evaluate(f'formatTime(0, "{"a" * 2000}")') == "a" * 1022
    assert evaluate(f'formatTime(0, "{"%Y," * 300}")') == "1970," * 204


@pytest.mark.parametrize(
    ("fields", "format", "text"),
    [
        ("[Year = 2021; Month = 2; Day = 3; Hours = 4]", "%-d|%5d|%_H|%05e|%^a|%#p|%EY|%Oc", None),
        ("[Year = -105; Month = 12; Day = 31]", "%C %5C %y %G %a %w", "-2 -0002 95 -104 ? -4"),
        ("[Year = 2020; Month = 13; Day = 40]", "%F %j %b %a", "2020-13-40 406 ? Tue"),
        ("[]", "%c", "Sun Jan  0 00:00:00 1900"),
        (
            "[Year = 2021; Month = 2; Day = 3]",
            "%#a %#A %#b %#B %#h",
            "WED WEDNESDAY FEB FEBRUARY FEB",
        ),
        ("[Year = 2021; Month = 2; Day = 3]", "%#p %#c", "am Wed Feb  3 00:00:00 2021"),
    ],
)
def test_formats(fields: str, format: str, text: str | None) -> None:
    expected = "3|00003| 4|00003|WED|am|2021|%Oc" if text is None else text
    assert evaluate(f'formatTime({fields}, "{format}")') == expected


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (1104537600, "2004-W53 04"),  # 1 January 2005 is of the last week of 2004
        (1230681600, "2009-W01 09"),  # 31 December 2008 is of the first week of 2009
        (1609459200, "2020-W53 20"),
        (1625097600, "2021-W26 21"),
    ],
)
def test_weeks_belong_to_the_year_of_their_thursday(time: int, text: str) -> None:
    assert evaluate(f'formatTime({time}, "%G-W%V %g")') == text


def test_weeks_at_the_ends_of_years_agree_with_the_standard_library() -> None:
    """Those of centuries among them, which are leap years every 400 years."""
    for year in (*range(1890, 2110), *range(2390, 2410)):
        for day in range(-4, 5):
            at = datetime.date(year, 1, 1) + datetime.timedelta(days=day)
            iso = at.isocalendar()
            wanted = (
                f"{iso.year} {iso.week:02} {iso.weekday} {iso.year % 100:02} {at:%U %W %j %w %a}"
            )
            fields = f"[Year = {at.year}; Month = {at.month}; Day = {at.day}]"
            assert evaluate(f'formatTime({fields}, "%G %V %u %g %U %W %j %w %a")') == wanted


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("%I %l %p %P", "03  3 PM pm"), ("%s", "1625151600"), ("%z", "+0000"), ("%q", "%q"),
        ("%#p", "pm"), ("%Ey", "21"),
    ],
)  # fmt: skip
def test_fields_that_are_rare(format: str, text: str) -> None:
    assert evaluate(f'formatTime(1625151600, "{format}")') == text


SHIFTED = [
    ("absTime(100, 0) - relTime(5.9)", 95),
    ("absTime(100, 0) + relTime(-5.9)", 95),
    ("relTime(5.9) + absTime(100, 0)", 105),
    # A span is cast to 32 bits: one that does not fit is -2**31.
    ("absTime(0, 0) + relTime(2147483647.5)", 2**31 - 1),
    ("absTime(100, 0) + relTime(3e9)", 100 - 2**31),
    ("relTime(3e9) + absTime(100, 0)", 100 - 2**31),
    ("absTime(100, 0) - relTime(3e9)", 100 + 2**31),
    ("absTime(100, 0) - relTime(-3e9)", 100 + 2**31),
    ("absTime(100, 0) - relTime(1e18)", 100 + 2**31),
    ('absTime(0, 0) - relTime(real("INF"))', 2**31),
    ('absTime(0, 0) + relTime(real("-INF"))', -(2**31)),
    ('absTime(0, 0) - relTime(real("NaN"))', 2**31),
]


@pytest.mark.parametrize(("text", "seconds"), SHIFTED)
def test_a_time_is_moved_by_whole_seconds(text: str, seconds: int) -> None:
    assert evaluate(text) == AbsTime(seconds, 0)


@pytest.mark.live
@pytest.mark.parametrize(("text", "seconds"), SHIFTED)
def test_the_real_library_moves_a_time_alike(text: str, seconds: int) -> None:
    theirs = pytest.importorskip("classad2")
    assert theirs.ExprTree(text).eval().timestamp() == seconds


@pytest.mark.parametrize(("secs", "first"), [(-90061, "Days"), (-3661, "Hours"), (-61, "Minutes")])
def test_the_sign_of_a_span_goes_to_its_first_field(secs: int, first: str) -> None:
    fields = evaluate(f"splitTime(relTime({secs}))")
    signs = {name: fields.raw(name) for name in ("Days", "Hours", "Minutes", "Seconds")}
    assert {name for name, value in signs.items() if value < 0} == {first}


def test_days_of_fields_are_those_of_the_calendar() -> None:
    """Of fields that are a date: centuries are leap years if 400 divides them."""
    for year in range(1500, 2801, 20):
        for month, day in ((1, 1), (2, 28), (3, 1), (12, 31)):
            date = datetime.date(year, month, day)
            shown = f'formatTime([Year = {year}; Month = {month}; Day = {day}], "%j %w")'
            assert evaluate(shown) == f"{date:%j %w}", date


@pytest.mark.parametrize("cycles", [1, 19, 20, 21, 400, -2, -3])
# A leap day, and the ends of standard and of summer time, where a day more or less shows.
@pytest.mark.parametrize("secs", [1_709_164_800, 1_710_053_999, 1_710_054_000, 1_730_613_600])
def test_a_zone_does_the_same_every_400_years(secs: int, cycles: int) -> None:
    cycle = 146_097 * 86_400
    # Before it had time zones a city had its own time.
    near = secs if cycles > 0 else secs - cycle
    there = local_offset(secs + cycles * cycle, "America/New_York")
    assert there == local_offset(near, "America/New_York")


@pytest.mark.parametrize(
    ("text", "secs"),
    [
        ("2147483647", 2147483647), ("2147483648", 2147483648), ("4294967296", 4294967296),
        ("2147483647:00", -60), ("2147483648:00", 0), ("4294967295:00", 0),
        ("2147483647+00:00:00", -86400), ("2147483648+00:00:00", 0), ("4294967297+00:00:00", 0),
    ],
)  # fmt: skip
def test_days_hours_and_minutes_beyond_32_bits_are_none(text: str, secs: float) -> None:
    assert parse_reltime_literal(text) == secs
