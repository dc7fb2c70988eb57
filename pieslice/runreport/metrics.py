"""Declares the numbers that sum up a run, a user and a group: the fields of ``summary.json``.

Decides their titles and decimals, which of them are compared, and whether more of it is better.

Inputs: a number.  Outputs: its text; the column of a table.  ``pieslice.simulation.summary``
makes the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, NotRequired, TypedDict, get_origin, get_type_hints

from attr import frozen

from pieslice.reports.layout import TextColumn
from pieslice.reports.progress import duration
from pieslice.reports.whatif import WhatIfData

#: Whether more of something is better.
MORE, LESS, NEITHER = 1, -1, 0


@frozen
class Metric:
    """A field of a summary; ``better``: whether more of it is better, less, or neither."""

    key: str
    title: str
    digits: int
    better: int = NEITHER


def metrics_of(kind: type) -> tuple[Metric, ...]:
    """The fields that have a title, decimals, and maybe whether more is better."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        Metric(name, *hint.__metadata__)
        for name, hint in hints.items()
        if get_origin(hint) is Annotated
    )


class RunMetrics(TypedDict):
    """What is compared of runs; waits are those of jobs that started, None if none did."""

    hours: Annotated[float, "simulated hours", 1]
    cycles: Annotated[int, "negotiation cycles", 0]
    utilisation: Annotated[float, "utilisation", 4, MORE]
    submitted: Annotated[int, "jobs submitted", 0]
    completed: Annotated[int, "jobs completed", 0, MORE]
    never_started: Annotated[int, "jobs that never started", 0, LESS]
    goodput_hours: Annotated[float, "goodput (core hours)", 1, MORE]
    badput_hours: Annotated[float, "badput (core hours)", 1, LESS]
    unfinished_hours: Annotated[float, "unfinished (core hours)", 1]
    preemptions: Annotated[int, "preemptions", 0, LESS]
    jobs_preempted_again: Annotated[int, "jobs preempted again", 0, LESS]
    lost_with_machines: Annotated[int, "jobs lost with machines", 0, LESS]
    wait_mean: Annotated[float | None, "mean wait (s)", 0, LESS]
    wait_median: Annotated[float | None, "median wait (s)", 0, LESS]
    wait_95: Annotated[float | None, "95 % wait (s)", 0, LESS]
    jain_index: Annotated[float | None, "Jain's index", 4, MORE]


class UserNumbers(TypedDict):
    """The numbers of a user; ``share``: of all usage, ``entitled_hours``: its fair share.

    What one user has more another one has less, so neither is better.
    """

    usage_hours: Annotated[float, "usage (h)", 1]
    share: Annotated[float, "share", 4]
    entitled_hours: Annotated[float, "entitled (h)", 1]
    completed: Annotated[int, "completed", 0, MORE]
    preemptions: Annotated[int, "preempted", 0, LESS]
    badput_hours: Annotated[float, "badput (h)", 1, LESS]
    wait_mean: Annotated[float | None, "mean wait (s)", 0, LESS]
    wait_95: Annotated[float | None, "95 % wait (s)", 0, LESS]
    wait_median: float | None
    goodput_hours: float
    submitted: int
    never_started: int
    lost_with_machines: int
    group: str


class GroupNumbers(TypedDict):
    """The numbers of an accounting group."""

    usage_hours: Annotated[float, "usage (h)", 1]
    entitled_hours: Annotated[float, "entitled (h)", 1]
    over_quota_hours: Annotated[float, "over quota (h)", 1, LESS]


class RunNumbers(RunMetrics):
    """The numbers of a run; hours are weighted core hours, waits are in seconds.

    ``unservable``: jobs that no slot of the pool takes, even if it is free and whole; they are no
    part of anybody's due.
    """

    condor_version: NotRequired[str]
    condor_version_from: NotRequired[str]
    what_if: NotRequired[WhatIfData]
    complete: bool
    cycles_with_matchmaking: int
    unservable: int
    pool_hours: float
    users: dict[str, UserNumbers]
    groups: dict[str, GroupNumbers]


RUN: Final = metrics_of(RunMetrics)
USER: Final = metrics_of(UserNumbers)
GROUP: Final = metrics_of(GroupNumbers)
#: Those of a user and a group in the text of a comparison; a page and JSON have all.
COMPARED: Final = frozenset({"usage_hours", "badput_hours", "wait_mean", "over_quota_hours"})
#: Titles where there is no room for whole ones.
BRIEF: Final = {"utilisation": "util", "completed": "done", "preemptions": "preempt"}


def cell(value: float | None, digits: int) -> str:
    """A number with so many decimals; a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign; what rounds to nothing has none."""
    if value is None:
        return "-"
    rounded = round(value, digits) + 0.0
    return ("+" if rounded > 0 else "") + cell(rounded, digits)


#: Those that are parts of a whole.
_PARTS: Final = frozenset({"utilisation", "share"})


def plain_title(metric: Metric) -> str:
    """The title where the numbers below it say their unit themselves."""
    return metric.title.removesuffix(" (s)")


def people_say(metric: Metric, value: float | None, *, signed: bool = False) -> str:
    """A number as it is said: waits in the unit that fits, parts in percent."""
    if value is None:
        return "-"
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    if metric.key.startswith("wait"):
        return f"{sign}{duration(abs(value))}"
    if metric.key in _PARTS:
        return f"{sign}{abs(value):.1%}".replace("%", " %")
    text = f"{abs(value):,.{metric.digits}f}"
    return f"{sign}{text}" if text.strip("0.") else text


def number_column(key: str, title: str, dropped: Mapping[str, int]) -> TextColumn:
    """The column of a number; its unit stands below its title; ``dropped``: priorities by key."""
    word, _, unit = title.partition(" (")
    return TextColumn(
        word,
        f"({unit}" if unit else "",
        right=True,
        drop=dropped.get(key, 0),
        brief=BRIEF.get(key, ""),
    )
