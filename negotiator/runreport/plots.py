"""The plots of a run.

Inputs: ``RunData``.  Outputs: figures by name, each with axis labels, units and a legend.
Never here: writing files (``negotiator.plotting`` and ``command``), what the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from negotiator.plotting import COLOURS, figure, hours, legend, line
from negotiator.runreport.data import MOST_SLOTS, RunData

_HATCHES: Final = ("", "//", "..", "\\\\", "xx", "--", "++", "oo")


def usage(data: RunData) -> Any:
    """Usage of each group against its quota, or, without groups, of the users stacked."""
    return _group_usage(data) if data.groups else _user_usage(data)


def _group_usage(data: RunData) -> Any:
    groups = [curve for curve in data.groups if any(curve.usage)] or list(data.groups[:1])
    made, panes = figure(len(groups), height=1.5)
    top = 1.05 * max(max((*curve.usage, *curve.quotas)) for curve in groups)
    for index, (pane, curve) in enumerate(zip(panes, groups, strict=True)):
        colour = COLOURS[index % len(COLOURS)]
        pane.fill_between(
            curve.hours, curve.usage, step="post", color=colour, alpha=0.8, label=curve.name
        )
        quota = {"color": "black", "linestyle": "--", "linewidth": 1.4, "label": "quota"}
        pane.plot(curve.hours, curve.quotas, **quota)
        pane.set_ylim(0, top or 1)
        legend(pane, 99)
    made.supylabel("usage (weighted cores)")
    hours(panes[-1], data.pool.hours[-1])
    return made


def _user_usage(data: RunData) -> Any:
    made, (pane,) = figure(1, height=3.6)
    times = data.pool.hours
    below = [0.0] * len(times)
    for index, curve in enumerate(data.users):
        # A name that comes later has no rows before; those are nothing.
        known = dict(zip(curve.hours, curve.usage, strict=True))
        above = [low + known.get(hour, 0.0) for low, hour in zip(below, times, strict=True)]
        pane.fill_between(
            times,
            below,
            above,
            step="post",
            facecolor=COLOURS[index % len(COLOURS)],
            hatch=_HATCHES[index % len(_HATCHES)],
            edgecolor="white",
            linewidth=0.0,
            label=curve.name,
        )
        below = above
    pane.plot(times, data.pool.quotas, color="black", linewidth=1.4, label="pool")
    pane.set_ylabel("usage (weighted cores)")
    pane.set_ylim(bottom=0)
    hours(pane, times[-1])
    legend(pane, 99)
    return made


def priorities(data: RunData) -> Any:
    """Real priorities of users."""
    made, (pane,) = figure(1)
    for index, curve in enumerate(data.users):
        line(pane, index, list(curve.hours), list(curve.priorities), curve.name)
    pane.set_ylabel("real priority (weighted cores)")
    pane.set_ylim(bottom=0)
    hours(pane, data.pool.hours[-1])
    legend(pane, len(data.users))
    return made


def shares(data: RunData) -> Any:
    """The part of the pool that each user has."""
    made, (pane,) = figure(1)
    sizes = dict(zip(data.pool.hours, data.pool.quotas, strict=True))
    for index, curve in enumerate(data.users):
        parts = [
            100 * used / sizes[hour] if sizes[hour] else 0.0
            for hour, used in zip(curve.hours, curve.usage, strict=True)
        ]
        line(pane, index, list(curve.hours), parts, curve.name, stepped=True)
    pane.set_ylabel("share of the pool (%)")
    pane.set_ylim(0, 105)
    hours(pane, data.pool.hours[-1])
    legend(pane, len(data.users))
    return made


def waits(data: RunData) -> Any:
    """How many jobs of each user had started after which wait."""
    made, (pane,) = figure(1)
    names = [curve.name for curve in data.users if data.waits.get(curve.name)]
    for index, name in enumerate(names):
        found = data.waits[name]
        parts = [100 * (i + 1) / len(found) for i in range(len(found))]
        line(pane, index, [wait / 60 for wait in found], parts, name, stepped=True)
    pane.set_xscale("symlog", linthresh=1.0)
    pane.set_xlim(left=0)
    longest = max((found[-1] / 60 for found in data.waits.values()), default=1.0)
    marks = [mark for mark in (0, 1, 3, 10, 30, 60, 180, 600, 1440, 4320, 10080) if mark <= longest]
    pane.set_xticks(marks, [str(mark) for mark in marks])
    pane.minorticks_off()
    pane.set_ylim(0, 105)
    pane.set_xlabel("wait until the first start (minutes)")
    pane.set_ylabel("jobs that had started (%)")
    if names:
        legend(pane, len(names))
    return made


def slots(data: RunData) -> Any:
    """Who had which slot when; work that was lost or is not done is hatched."""
    names = sorted({stretch.slot for stretch in data.stretches})[:MOST_SLOTS]
    made, (pane,) = figure(1, height=max(2.0, 0.22 * len(names)))
    users = [curve.name for curve in data.users]
    labelled: set[str] = set()
    for stretch in data.stretches:
        if stretch.slot not in names:
            continue
        known = stretch.user in users
        colour = COLOURS[users.index(stretch.user) % len(COLOURS)] if known else "#bbbbbb"
        name = stretch.user if known else "others"
        pane.broken_barh(
            [(stretch.begin, stretch.end - stretch.begin)],
            (names.index(stretch.slot) - 0.4, 0.8),
            facecolor=colour,
            hatch="" if stretch.done else "////",
            edgecolor="white",
            linewidth=0.4,
            label=None if name in labelled else name,
        )
        labelled.add(name)
    pane.set_yticks(range(len(names)), names, fontsize="x-small")
    pane.invert_yaxis()
    pane.set_ylabel("slot")
    hours(pane, float(data.summary["hours"]))
    if labelled:
        legend(pane, 99)
    return made


#: Name of a plot -> what it is titled, and how it is drawn.
PLOTS: Final[dict[str, tuple[str, Callable[[RunData], Any]]]] = {
    "usage": ("Usage", usage),
    "priorities": ("Real priorities: bigger is worse", priorities),
    "shares": ("Shares of the pool", shares),
    "waits": ("Waits", waits),
    "slots": ("Slots; hatched: work that was lost, or not done at the end", slots),
}
