"""Plots a forecast: real priorities and cores over hours.

Inputs: points.  Outputs: a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pieslice.forecast.model import Point
from pieslice.reports.plots import figure, hours, legend, line, save

#: Panel -> label of its axis, and which number of a point it shows.
PANELS: Final[dict[str, tuple[str, Callable[[Point], float]]]] = {
    "priority": ("real priority (weighted cores)", lambda point: point.real_priority),
    "cores": ("usage (weighted cores)", lambda point: point.cores),
}


def draw(points: Sequence[Point], path: Path, what: Sequence[str], title: str | None) -> None:
    """Draw one panel for each of ``what``."""
    made, panes = figure(len(what))
    names = list(dict.fromkeys(point.name for point in points))
    for pane, panel in zip(panes, what, strict=True):
        label, value = PANELS[panel]
        for index, name in enumerate(names):
            mine = [point for point in points if point.name == name]
            line(pane, index, [point.hour for point in mine], [value(p) for p in mine], name)
        pane.set_ylabel(label)
        pane.set_ylim(bottom=0)
        pane.margins(x=0.01)
        legend(pane, len(names))
    hours(panes[-1], points[-1].hour)
    if title:
        made.suptitle(title)
    save(made, path)
