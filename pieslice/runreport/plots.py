"""Makes the charts of a run, or of two runs on the same axes.

Decides which panels there are and what they show.

Inputs: ``RunData`` of each run.  Outputs: ``Chart`` values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from attr import evolve, frozen

from pieslice.reports.charts import (
    OTHERS,
    UNUSED,
    Axis,
    Bar,
    Chart,
    Limit,
    Look,
    Panel,
    Series,
    looks,
    time_axis,
    wait_axis,
)
from pieslice.runreport.data import MOST_SLOTS, JobRun, RunData, UsageCurve, shown_users

#: Points of a line of waits; one job of so many may wait less than the axis shows.
_POINTS: Final = 400
_FEW: Final = 20
#: Parts of the time of a run that can be told apart on a page.
_PIXELS: Final = 1000


@frozen(eq=False)
class _Scene:
    """What the charts of some runs share: who is shown, in which look, and the axis of time."""

    runs: tuple[RunData, ...]
    #: What stands above the panels of each run.
    titles: tuple[str, ...]
    names: tuple[str, ...]
    looks: Mapping[str, Look]
    axis: Axis
    #: How many units of the axis an hour has.
    factor: float

    @property
    def others(self) -> str:
        """What the users are called who are not shown one by one."""
        return f"{len(self.looks) - len(self.names)} others"


def charts(runs: Sequence[tuple[str, RunData]]) -> tuple[Chart, ...]:
    """All charts of runs with their names; panels of two runs stand in pairs with the same axes."""
    found = tuple(run for _, run in runs)
    axis, factor = time_axis(max(run.hours for run in found))
    everybody = {name for run in found for name in run.summary["users"]}
    titles = tuple(f"{letter}: {name}" for letter, (name, _) in zip("AB", runs, strict=False))
    titles = titles if len(found) > 1 else ("",)
    scene = _Scene(found, titles, shown_users(found), looks(everybody), axis, factor)
    return tuple(make(scene) for make in _CHARTS)


def _chart(
    scene: _Scene,
    name: str,
    title: str,
    note: str,
    panels: Callable[[_Scene, RunData], Iterable[Panel]],
    axis: Axis | None = None,
) -> Chart:
    """The panels of each run, the same ones of all runs together and on one scale."""
    found = [list(panels(scene, run)) for run in scene.runs]
    together: dict[str, list[Panel]] = {}
    for run_title, mine in zip(scene.titles, found, strict=True):
        for panel in mine:
            parts = (run_title, panel.title)
            named = evolve(panel, title=", ".join(part for part in parts if part))
            together.setdefault(panel.title, []).append(named)
    pairs = [
        evolve(panel, top=max(one.top for one in pair))
        for pair in together.values()
        for panel in pair
    ]
    return Chart(name, title, note, axis or scene.axis, tuple(pairs))


def _times(scene: _Scene, run: RunData) -> tuple[float, ...]:
    """The moments of the series, and the end, until which the last of them holds."""
    return tuple(hour * scene.factor for hour in (*run.pool.hours, run.hours))


def _over_time(run: RunData, curve: UsageCurve, numbers: Sequence[float]) -> tuple[float, ...]:
    """Numbers of a name at the moments of the series; 0 before it was known."""
    known = dict(zip(curve.hours, numbers, strict=True))
    found = [known.get(hour, 0.0) for hour in run.pool.hours]
    return (*found, found[-1])


def _stacked(
    scene: _Scene,
    run: RunData,
    value: Callable[[UsageCurve], Sequence[float]],
    among: Callable[[str], bool] = lambda name: True,
) -> list[Series]:
    """A series for each user that is shown, and one for the others."""
    times = _times(scene, run)
    found = {curve.name: curve for curve in run.users if among(curve.name)}
    series = [
        Series(name, scene.looks[name], times, _over_time(run, found[name], value(found[name])))
        for name in scene.names
        if name in found
    ]
    rest = [
        _over_time(run, curve, value(curve))
        for name, curve in found.items()
        if name not in scene.names
    ]
    if rest:
        total = tuple(sum(column) for column in zip(*rest, strict=True))
        series.append(Series(scene.others, OTHERS, times, total))
    return series


# --- usage --------------------------------------------------------------------------------------


def usage(scene: _Scene) -> Chart:
    """Usage of the users, stacked, in the pool and in each group, against pool and quota."""
    note = "; ".join(
        f"{'' if len(scene.runs) == 1 else 'AB'[number] + ': '}{_unused(run)}"
        for number, run in enumerate(scene.runs)
    )
    return _chart(scene, "usage", "Usage", note, _usage)


def _usage(scene: _Scene, run: RunData) -> Iterable[Panel]:
    times = _times(scene, run)
    series = _stacked(scene, run, lambda curve: curve.usage)
    sizes = (*run.pool.quotas, run.pool.quotas[-1])
    used = (*run.pool.usage, run.pool.usage[-1])
    spare = tuple(max(0.0, size - have) for size, have in zip(sizes, used, strict=True))
    series.append(Series("unused", UNUSED, times, spare))
    label = "weighted cores"
    size = Limit(f"pool {sizes[-1]:g}", times, sizes)
    yield Panel("whole pool", label, "area", tuple(series), (size,), top=max((*sizes, *used)))
    for group in run.groups:
        mine = _stacked(
            scene,
            run,
            lambda curve: curve.usage,
            partial(_is_in, run, group.name),
        )
        if not any(group.usage) or len(mine) == len(series) - 1:
            # Nobody's, or that of everybody, which is above.
            continue
        quotas = _over_time(run, group, group.quotas)
        limit = Limit(f"quota {quotas[-1]:g}", times, quotas)
        top = max(*group.usage, *quotas, 0.0)
        yield Panel(group.name, label, "area", tuple(mine), (limit,), top=top)


def _is_in(run: RunData, group: str, user: str) -> bool:
    return run.group_of(user) == group


def _unused(run: RunData) -> str:
    """How much of the pool was in nobody's use, and how much of that while jobs waited."""
    rows = list(zip(run.pool.quotas, run.pool.usage, run.pool.idle, strict=True))
    size = sum(quota for quota, _, _ in rows)
    if not size:
        return "the pool was empty"
    unused = sum(max(0.0, quota - used) for quota, used, _ in rows) / size
    waited = sum(max(0.0, quota - used) for quota, used, idle in rows if idle > 0) / size
    slots = {stretch.slot for stretch in run.stretches}
    return (
        f"{unused:.1%} of the pool was unused, {waited:.1%} while jobs waited; "
        f"{len(slots)} slots ran jobs"
    )


# --- the other ones -----------------------------------------------------------------------------


def queue(scene: _Scene) -> Chart:
    """Waiting jobs of the users, stacked."""

    def panels(scene: _Scene, run: RunData) -> Iterable[Panel]:
        series = _stacked(scene, run, lambda curve: curve.idle)
        yield Panel("", "jobs", "area", tuple(series), top=max(run.pool.idle))

    return _chart(scene, "queue", "Waiting jobs", "", panels)


def priorities(scene: _Scene) -> Chart:
    """Real priorities of users."""

    def panels(scene: _Scene, run: RunData) -> Iterable[Panel]:
        series = [
            Series(
                curve.name,
                scene.looks[curve.name],
                tuple(hour * scene.factor for hour in curve.hours),
                curve.priorities,
            )
            for curve in sorted(run.users, key=lambda curve: curve.name)
            if curve.name in scene.names
        ]
        top = max((max(one.y) for one in series), default=1.0)
        yield Panel("", "weighted cores", "line", tuple(series), top=top)

    return _chart(scene, "priorities", "Real priorities", "bigger is worse", panels)


def shares(scene: _Scene) -> Chart:
    """The part of the pool that each user has."""

    def panels(scene: _Scene, run: RunData) -> Iterable[Panel]:
        sizes = (*run.pool.quotas, run.pool.quotas[-1])
        series = [
            evolve(
                one,
                y=tuple(
                    100 * used / size if size else 0.0
                    for used, size in zip(one.y, sizes, strict=True)
                ),
            )
            for one in _stacked(scene, run, lambda curve: curve.usage)
        ]
        top = max((max(one.y) for one in series), default=100.0)
        yield Panel("", "% of the pool", "step", tuple(series), top=top)

    return _chart(scene, "shares", "Shares of the pool", "", panels)


def waits(scene: _Scene) -> Chart:
    """How many of each user's jobs had started after which wait; some may never have."""
    found = (wait for run in scene.runs for name in scene.names for wait in run.waits.get(name, ()))
    # Few jobs that hardly waited are told by where the lines begin.
    some = sorted(wait for wait in found if wait > 0) or [1.0]
    axis = wait_axis(some[len(some) // _FEW], some[-1])

    def panels(scene: _Scene, run: RunData) -> Iterable[Panel]:
        series = [
            _started(run, name, scene.looks[name], axis)
            for name in scene.names
            if run.waits.get(name)
        ]
        yield Panel("", "% of jobs started", "step", tuple(series), top=100.0)

    note = (
        "of all submitted jobs; higher is better, a line that stays below 100 % leaves jobs waiting"
    )
    return _chart(scene, "waits", "Waits until the first start", note, panels, axis)


def _started(run: RunData, name: str, look: Look, axis: Axis) -> Series:
    """The part of a user's jobs that had started after a wait; jobs of no wait begin the line."""
    found = run.waits[name]
    submitted = run.summary["users"][name]["submitted"]
    step = max(1, len(found) // _POINTS)
    # The last of those is always there.
    ranks = sorted({*range(step - 1, len(found), step), len(found) - 1})
    x, y = [axis.first], [0.0]
    for rank in ranks:
        place = math.log10(max(found[rank], 1.0))
        part = 100 * (rank + 1) / submitted
        if place <= x[-1]:
            y[-1] = part
        else:
            x.append(place)
            y.append(part)
    return Series(name, look, (*x, axis.last), (*y, y[-1]))


def _slot_order(name: str) -> tuple[str, list[int], str]:
    """By machine, then by the numbers in the name of the slot."""
    slot, _, machine = name.partition("@")
    return machine, [int(number) for number in re.findall("[0-9]+", slot)], slot


def _visible(run: RunData) -> list[JobRun]:
    """The stretches without those that begin and end where another one of the slot has begun."""
    pixel = run.hours / _PIXELS
    found: list[JobRun] = []
    last: dict[str, int] = {}
    for one in run.stretches:
        begin, end = (int(hour / pixel) if pixel else 0 for hour in (one.begin, one.end))
        if begin < end or last.get(one.slot) != begin:
            found.append(one)
        last[one.slot] = begin
    return found


def slots(scene: _Scene) -> Chart:
    """Who had which slot when; bars of work that was lost or is not done are thin."""
    known = {stretch.slot for run in scene.runs for stretch in run.stretches}
    everything = sorted(known, key=_slot_order)
    names = everything[:MOST_SLOTS]
    rows = {name: row for row, name in enumerate(names)}

    def panels(scene: _Scene, run: RunData) -> Iterable[Panel]:
        users = {name: number for number, name in enumerate((*scene.names, scene.others))}
        bars = [
            Bar(
                rows[one.slot],
                users.get(one.user, len(scene.names)),
                one.begin * scene.factor,
                one.end * scene.factor,
                not one.done,
            )
            for one in _visible(run)
            if one.slot in rows
        ]
        used = {bar.series for bar in bars}
        numbers = {number: place for place, number in enumerate(sorted(used))}
        series = [
            Series(name, scene.looks.get(name, OTHERS), (), ())
            for name, number in users.items()
            if number in used
        ]
        bars = [evolve(bar, series=numbers[bar.series]) for bar in bars]
        yield Panel("", "", "bars", tuple(series), rows=tuple(names), bars=tuple(bars))

    more = f"; the first {len(names)} of {len(everything)} slots" if names != everything else ""
    if any(len(_visible(run)) < len(run.stretches) for run in scene.runs):
        more += f"; of several in a {_PIXELS}th of the time one"
    note = f"thin bars: work that was lost, or not done at the end{more}"
    return _chart(scene, "slots", "Slots", note, panels)


_CHARTS: Final = (usage, queue, shares, priorities, waits, slots)
#: What the charts are called.
NAMES: Final = tuple(make.__name__ for make in _CHARTS)
