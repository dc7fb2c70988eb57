"""Plots a forecast: real priorities and cores over hours.

Inputs: points.  Outputs: a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pieslice.forecast.model import ForecastPoint
from pieslice.reports.charts import Chart, Panel, Series, looks, time_axis
from pieslice.reports.plots import draw as drawn
from pieslice.reports.plots import save

#: Panel -> label of its axis, and which number of a point it shows.
PANELS: Final[dict[str, tuple[str, Callable[[ForecastPoint], float]]]] = {
    "priority": ("real priority (weighted cores)", lambda point: point.real_priority),
    "cores": ("usage (weighted cores)", lambda point: point.cores),
}


def draw(
    points: Sequence[ForecastPoint], path: Path, what: Sequence[str], title: str | None
) -> None:
    """Draw one panel for each of ``what``."""
    save(drawn(chart(points, what, title)), path)


def chart(points: Sequence[ForecastPoint], what: Sequence[str], title: str | None) -> Chart:
    """The forecast as a chart."""
    axis, factor = time_axis(points[-1].hour)
    colours = looks(point.name for point in points)
    panels = []
    for panel in what:
        label, value = PANELS[panel]
        series = []
        for name in dict.fromkeys(point.name for point in points):
            mine = [point for point in points if point.name == name]
            times = tuple(point.hour * factor for point in mine)
            series.append(Series(name, colours[name], times, tuple(map(value, mine))))
        top = max(map(value, points))
        panels.append(Panel("", label, "line", tuple(series), top=top))
    return Chart("forecast", title or "", "", axis, tuple(panels))
