"""Lists the numbers that sum up a run, a user and a group.

Decides their titles and decimals, which of them are compared, and whether more of it is better.

Inputs: a number.  Outputs: its text; the column of a table.  Follows: the fields of
``summary.json``, which ``pieslice.simulation.summary`` makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import frozen

from pieslice.reports.layout import Column

#: Whether more of something is better.
MORE, LESS, NEITHER = 1, -1, 0


@frozen
class Metric:
    """A field of a summary; ``better``: whether more of it is better, less, or neither."""

    key: str
    title: str
    digits: int
    better: int = NEITHER


RUN: Final = (
    Metric("hours", "simulated hours", 1),
    Metric("cycles", "negotiation cycles", 0),
    Metric("utilisation", "utilisation", 4, MORE),
    Metric("submitted", "jobs submitted", 0),
    Metric("completed", "jobs completed", 0, MORE),
    Metric("never_started", "jobs that never started", 0, LESS),
    Metric("goodput_hours", "goodput (core hours)", 1, MORE),
    Metric("badput_hours", "badput (core hours)", 1, LESS),
    Metric("unfinished_hours", "unfinished (core hours)", 1),
    Metric("preemptions", "preemptions", 0, LESS),
    Metric("jobs_preempted_again", "jobs preempted again", 0, LESS),
    Metric("lost_with_machines", "jobs lost with machines", 0, LESS),
    Metric("wait_mean", "mean wait (s)", 0, LESS),
    Metric("wait_median", "median wait (s)", 0, LESS),
    Metric("wait_95", "95 % wait (s)", 0, LESS),
    Metric("jain_index", "Jain's index", 4, MORE),
)
#: What one user has more another one has less, so neither is better.
USER: Final = (
    Metric("usage_hours", "usage (h)", 1),
    Metric("share", "share", 4),
    Metric("entitled_hours", "entitled (h)", 1),
    Metric("completed", "completed", 0, MORE),
    Metric("preemptions", "preempted", 0, LESS),
    Metric("badput_hours", "badput (h)", 1, LESS),
    Metric("wait_mean", "mean wait (s)", 0, LESS),
    Metric("wait_95", "95 % wait (s)", 0, LESS),
)
GROUP: Final = (
    Metric("usage_hours", "usage (h)", 1),
    Metric("entitled_hours", "entitled (h)", 1),
    Metric("over_quota_hours", "over quota (h)", 1, LESS),
)
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


def number_column(key: str, title: str, dropped: Mapping[str, int]) -> Column:
    """The column of a number; its unit stands below its title; ``dropped``: priorities by key."""
    word, _, unit = title.partition(" (")
    return Column(
        word,
        f"({unit}" if unit else "",
        right=True,
        drop=dropped.get(key, 0),
        brief=BRIEF.get(key, ""),
    )
