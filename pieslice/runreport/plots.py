"""Draws the plots of a run.

Inputs: ``RunData``.  Outputs: figures by name, each with axis labels, units and a legend.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pieslice.reports.plots import FILLS, figure, hours, legend_above, line
from pieslice.runreport.data import MOST_SLOTS, Curve, RunData, Stretch

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _held(curve: Curve, last: float) -> tuple[list[float], list[float]]:
    """Hours and usage in steps, the last of which lasts until the end."""
    return [*curve.hours, last], [*curve.usage, curve.usage[-1]]


def usage(data: RunData) -> Figure:
    """Usage of each group against its quota, or, without groups, of the users stacked."""
    return _group_usage(data) if data.groups else _user_usage(data)


def _group_usage(data: RunData) -> Figure:
    groups = [curve for curve in data.groups if any(curve.usage)] or list(data.groups[:1])
    made, panes = figure(len(groups), height=1.6)
    top = 1.05 * max(max((*curve.usage, *curve.quotas)) for curve in groups)
    last = data.hours
    for pane, curve in zip(panes, groups, strict=True):
        times, used = _held(curve, last)
        pane.fill_between(
            times, used, step="post", color=FILLS[0], alpha=0.7, linewidth=0, label="usage"
        )
        quotas = [*curve.quotas, curve.quotas[-1]]
        pane.plot(
            times,
            quotas,
            label="quota",
            color="black",
            linestyle="--",
            linewidth=1.4,
            drawstyle="steps-post",
        )
        pane.set_title(curve.name, loc="left", fontsize="medium")
        pane.set_ylim(0, top or 1)
    made.supylabel("usage (weighted cores)", fontsize="medium")
    hours(panes[-1], last)
    legend_above(made, panes[0])
    return made


def _user_usage(data: RunData) -> Figure:
    made, (pane,) = figure(1, height=3.6)
    times = [*data.pool.hours, data.hours]
    below = [0.0] * len(times)
    for index, curve in enumerate(data.users):
        # A name that comes later has no rows before; those are nothing.
        known = dict(zip(*_held(curve, times[-1]), strict=True))
        above = [low + known.get(hour, 0.0) for low, hour in zip(below, times, strict=True)]
        pane.fill_between(
            times,
            below,
            above,
            step="post",
            label=curve.name,
            facecolor=FILLS[index % len(FILLS)],
            edgecolor="white",
            linewidth=0.3,
        )
        below = above
    sizes = [*data.pool.quotas, data.pool.quotas[-1]]
    pane.plot(times, sizes, label="pool", color="black", linewidth=1.4, drawstyle="steps-post")
    pane.set_ylabel("usage (weighted cores)")
    pane.set_ylim(bottom=0)
    hours(pane, times[-1])
    legend_above(made, pane)
    return made


def priorities(data: RunData) -> Figure:
    """Real priorities of users."""
    made, (pane,) = figure(1)
    for index, curve in enumerate(data.users):
        line(pane, index, list(curve.hours), list(curve.priorities), curve.name)
    pane.set_ylabel("real priority (weighted cores)")
    pane.set_ylim(bottom=0)
    hours(pane, data.hours)
    legend_above(made, pane)
    return made


def shares(data: RunData) -> Figure:
    """The part of the pool that each user has."""
    made, (pane,) = figure(1)
    sizes = dict(zip(data.pool.hours, data.pool.quotas, strict=True))
    sizes[data.hours] = data.pool.quotas[-1]
    highest = 0.0
    for index, curve in enumerate(data.users):
        times, used = _held(curve, data.hours)
        parts = [
            100 * cores / sizes[hour] if sizes[hour] else 0.0
            for hour, cores in zip(times, used, strict=True)
        ]
        highest = max(highest, *parts)
        line(pane, index, times, parts, curve.name, stepped=True)
    pane.set_ylabel("share of the pool (%)")
    pane.set_ylim(0, min(105.0, 1.25 * highest or 105.0))
    hours(pane, data.hours)
    legend_above(made, pane)
    return made


_MARKS: Final = (0, 1, 3, 10, 30, 60, 180, 360, 720, 1440, 4320, 10080, 43200)


def waits(data: RunData) -> Figure:
    """How many of each user's jobs had started after which wait; some may never have."""
    made, (pane,) = figure(1)
    names = [curve.name for curve in data.users if data.waits.get(curve.name)]
    longest = max((found[-1] / 60 for found in data.waits.values()), default=1.0)
    for index, name in enumerate(names):
        found = data.waits[name]
        submitted = data.summary["users"][name]["submitted"]
        parts = [100 * (i + 1) / submitted for i in range(len(found))]
        line(pane, index, [wait / 60 for wait in found], parts, name, stepped=True)
    pane.set_xscale("symlog", linthresh=1.0)
    pane.set_xlim(0, max(longest, 1.0) * 1.1)
    marks = [mark for mark in _MARKS if mark <= longest * 1.1] or [0]
    pane.set_xticks(marks, [str(mark) for mark in marks])
    pane.minorticks_off()
    pane.set_ylim(0, 105)
    pane.set_xlabel("wait until the first start (minutes)")
    pane.set_ylabel("jobs that had started (%)")
    if names:
        legend_above(made, pane)
    return made


def _slot_order(name: str) -> tuple[str, list[int], str]:
    """By machine, then by the numbers in the name of the slot."""
    slot, _, machine = name.partition("@")
    return machine, [int(number) for number in re.findall("[0-9]+", slot)], slot


def slots(data: RunData) -> Figure:
    """Who had which slot when; bars of work that was lost or is not done are thin."""
    everything = sorted({stretch.slot for stretch in data.stretches}, key=_slot_order)
    names = everything[:MOST_SLOTS]
    rows = {name: row for row, name in enumerate(names)}
    made, (pane,) = figure(1, height=max(2.0, 0.2 * len(names)))
    users = [curve.name for curve in data.users]
    bars: dict[str, list[Stretch]] = {name: [] for name in [*users, "others"]}
    for stretch in data.stretches:
        if stretch.slot in rows:
            bars[stretch.user if stretch.user in users else "others"].append(stretch)
    for index, (user, mine) in enumerate(bars.items()):
        colour = FILLS[index % len(FILLS)] if user in users else "#bbbbbb"
        thick = [0.8 if stretch.done else 0.3 for stretch in mine]
        pane.barh(
            [rows[stretch.slot] for stretch in mine],
            [stretch.end - stretch.begin for stretch in mine],
            left=[stretch.begin for stretch in mine],
            height=thick,
            color=colour,
            edgecolor="white",
            linewidth=0.4,
            label=user if mine else None,
        )
    pane.set_yticks(range(len(names)), names, fontsize="x-small")
    pane.set_ylim(max(len(names), 1) - 0.4, -0.6)
    pane.grid(visible=False, axis="y")
    more = f" (the first {len(names)} of {len(everything)})" if names != everything else ""
    pane.set_ylabel(f"slot{more}")
    hours(pane, data.hours)
    if names:
        legend_above(made, pane)
    return made


#: Name of a plot -> what it is titled, and how it is drawn.
PLOTS: Final[dict[str, tuple[str, Callable[[RunData], Figure]]]] = {
    "usage": ("Usage", usage),
    "priorities": ("Real priorities: bigger is worse", priorities),
    "shares": ("Shares of the pool", shares),
    "waits": ("Waits of all submitted jobs: higher is better", waits),
    "slots": ("Slots; thin bars: work that was lost, or not done at the end", slots),
}
