"""Draws charts for a page: SVG that stretches to any width, with text beside it in HTML.

Decides what the page shows without its script, and what it tells the script.  The drawing has no
text: it is stretched, the names and numbers around it are not.

Inputs: charts.  Outputs: HTML.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pieslice.data import JsonObject
from pieslice.reports.charts import (
    TEXTURES,
    Axis,
    Chart,
    Look,
    Panel,
    Series,
    marks_to,
)
from pieslice.reports.pages import shown
from pieslice.terminal import printable

#: The drawing is so wide and so high, whatever it is stretched to.
_WIDTH: Final = 1000.0
_HEIGHT: Final = 100.0
#: Pixels: of a panel, of a row of bars.
_TALL: Final = 170
_ROW: Final = 13
_DASHES: Final = ("", "7 4", "2 3", "10 3 2 3")


def textures(charts: Iterable[Chart]) -> str:
    """The patterns that areas with a texture are filled with."""
    used = sorted({(look.place, look.texture) for chart in charts for _, look in chart.legend})
    patterns = "".join(_pattern(Look(place, texture)) for place, texture in used if texture)
    return f'<svg class="patterns" aria-hidden="true"><defs>{patterns}</defs></svg>'


def _pattern(look: Look) -> str:
    number = look.texture % TEXTURES
    lines = ("", "M0 8L8 0", "M4 2v4", "M0 0L8 8M0 8L8 0")[number]
    return (
        f'<pattern id="{_name(look)}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect width="8" height="8" style="fill: {_colour(look)}"/>'
        f'<path d="{lines}" class="hatch"/></pattern>'
    )


def _name(look: Look) -> str:
    return f"t{look.place + 2}-{look.texture}"


def _colour(look: Look) -> str:
    return {-1: "var(--others)", -2: "var(--unused)"}.get(look.place) or f"var(--c{look.place})"


def _fill(look: Look) -> str:
    return f"url(#{_name(look)})" if look.texture else _colour(look)


def figure(chart: Chart) -> str:
    """A chart with its title, legend, panels and axis, and what the script needs."""
    parts = [
        f'<figure class="chart" id="{chart.name}" data-unit="{chart.axis.unit}">',
        f"<figcaption><h3>{shown(chart.title)}</h3>",
        f"<p>{shown(chart.note)}</p>" if chart.note else "",
        "</figcaption>",
        _legend(chart),
        *(_panel(chart, panel) for panel in chart.panels),
        _axis(chart.axis),
        f'<script type="application/json">{_data(chart)}</script>',
        "</figure>",
    ]
    return "\n".join(part for part in parts if part)


def _legend(chart: Chart) -> str:
    lines = chart.panels[0].kind in ("step", "line")
    items = []
    for name, look in chart.legend:
        mark = (
            f'<path d="M0 7h22" style="stroke: {_colour(look)}" stroke-width="3" '
            f'stroke-dasharray="{_DASHES[look.texture % TEXTURES]}"/>'
            if lines
            else f'<rect width="22" height="14" rx="2" style="fill: {_fill(look)}"/>'
        )
        items.append(
            f'<li><button type="button" data-name="{shown(name)}" data-colour="{_colour(look)}" '
            f'aria-pressed="true"><svg viewBox="0 0 22 14" aria-hidden="true">{mark}</svg>'
            f"<span>{shown(name)}</span></button></li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>' if items else ""


# --- panels -------------------------------------------------------------------------------------


def _panel(chart: Chart, panel: Panel) -> str:
    bars = panel.kind == "bars"
    height = max(3, len(panel.rows)) * _ROW if bars else _TALL
    title = f"<h4>{shown(panel.title)}</h4>" if panel.title else ""
    unit = f'<span class="unit">{shown(panel.label)}</span>' if panel.label else ""
    label = " ".join(part for part in (chart.title, panel.title) if part)
    marks = marks_to(panel.top)
    top = marks[-1]
    sides = _rows(panel.rows) if bars else _marks(marks)
    limits = "" if bars else _limits(panel, top)
    drawing = "".join([*([] if bars else _grid(marks)), *_drawn(panel, chart.axis, top)])
    return (
        f'<div class="panel {panel.kind}" data-top="{top:g}"><div class="head">{title}{unit}</div>'
        f'<div class="plot" style="height: {height}px">{sides}{limits}'
        f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{shown(label)}">{drawing}</svg><div class="cursor"></div></div></div>'
    )


def _marks(marks: Sequence[float]) -> str:
    return "".join(
        f'<span class="y" style="top: {100 - 100 * mark / marks[-1]:.4g}%">{mark:,.10g}</span>'
        for mark in marks
    )


def _rows(rows: Sequence[str]) -> str:
    return "".join(
        f'<span class="y row" style="top: {100 * (number + 0.5) / len(rows):.4g}%" '
        f'title="{shown(row)}">{shown(row)}</span>'
        for number, row in enumerate(rows)
    )


def _limits(panel: Panel, top: float) -> str:
    return "".join(
        f'<span class="limit" style="top: {100 - 100 * limit.y[-1] / top:.4g}%">'
        f"{shown(limit.name)}</span>"
        for limit in panel.limits
    )


def _grid(marks: Sequence[float]) -> Iterator[str]:
    for mark in marks:
        yield f'<path class="grid" d="M0 {_down(mark, marks[-1])}H{_WIDTH:g}"/>'


def _drawn(panel: Panel, axis: Axis, top: float) -> Iterator[str]:
    yield '<g class="zoom">'
    if panel.kind == "bars":
        yield from _bars(panel, axis)
    elif panel.kind == "area":
        yield from _areas(panel, axis, top)
    else:
        for number, series in enumerate(panel.series):
            dash = _DASHES[series.look.texture % TEXTURES]
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            yield (
                f'<path class="line" data-s="{number}" style="stroke: {_colour(series.look)}"'
                f'{dashes} d="{_path(series.x, series.y, axis, top, panel.kind == "step")}"/>'
            )
    for limit in panel.limits:
        yield f'<path class="quota" d="{_path(limit.x, limit.y, axis, top, True)}"/>'
    yield "</g>"


def _areas(panel: Panel, axis: Axis, top: float) -> Iterator[str]:
    below = [0.0] * len(panel.series[0].x if panel.series else ())
    for number, series in enumerate(panel.series):
        above = [low + more for low, more in zip(below, series.y, strict=True)]
        there = _path(series.x, above, axis, top, True)
        back = _path(series.x, below, axis, top, True)
        # The way back is stepped at the same places: it is walked from its other end.
        yield (
            f'<path class="fill" data-s="{number}" style="fill: {_fill(series.look)}" '
            f'd="{there}{_reversed(back)}Z"/>'
        )
        below = above


def _path(x: Sequence[float], y: Sequence[float], axis: Axis, top: float, stepped: bool) -> str:
    """A line through the points; places where nothing changes are left out."""
    if not x:
        return ""
    parts = [f"M{_right(x[0], axis)} {_down(y[0], top)}"]
    for place in range(1, len(x)):
        here, level = _right(x[place], axis), _down(y[place], top)
        if not stepped:
            parts.append(f"L{here} {level}")
        elif place == len(x) - 1 or y[place] != y[place - 1]:
            parts.append(f"H{here}V{level}")
    return "".join(parts)


def _reversed(path: str) -> str:
    """A stepped path from its end to its beginning, as the rest of an area."""
    if not path:
        return ""
    first, *steps = path[1:].split("H")
    x, y = first.split(" ")
    corners = [(x, y), *((a, b) for a, b in (step.split("V") for step in steps))]
    parts = [f"L{corners[-1][0]} {corners[-1][1]}"]
    for (_, level), (here, _) in zip(corners[-2::-1], corners[:0:-1], strict=True):
        parts.append(f"H{here}V{level}")
    return "".join([*parts, f"H{corners[0][0]}"])


def _right(value: float, axis: Axis) -> str:
    share = (value - axis.first) / (axis.last - axis.first) if axis.last > axis.first else 0.0
    return f"{_WIDTH * share:.6g}"


def _down(value: float, top: float) -> str:
    return f"{_HEIGHT - _HEIGHT * value / top:.5g}"


def _bars(panel: Panel, axis: Axis) -> Iterator[str]:
    row = _HEIGHT / max(len(panel.rows), 1)
    for bar in panel.bars:
        series = panel.series[bar.series]
        left, right = (float(_right(place, axis)) for place in (bar.begin, bar.end))
        high = row * (0.3 if bar.thin else 0.82)
        told = f"{series.name}: {bar.begin:.2f} to {bar.end:.2f} {axis.unit}"
        yield (
            f'<rect data-s="{bar.series}" style="fill: {_fill(series.look)}" x="{left:.6g}" '
            f'y="{(bar.row + 0.5) * row - high / 2:.5g}" width="{max(right - left, 0.4):.5g}" '
            f'height="{high:.4g}"><title>{shown(told)}</title></rect>'
        )


def _axis(axis: Axis) -> str:
    spans = "".join(
        f'<span style="left: {float(_right(place, axis)) / 10:.5g}%">{shown(name)}</span>'
        for place, name in axis.marks
    )
    return (
        f'<div class="axis"><div class="marks">{spans}</div>'
        f'<div class="label">{shown(axis.label)}</div></div>'
    )


# --- what the script needs ----------------------------------------------------------------------


def _data(chart: Chart) -> str:
    axis = chart.axis
    data: JsonObject = {
        "first": axis.first,
        "last": axis.last,
        "marks": [[place, name] for place, name in axis.marks],
        "panels": [
            {"series": [_numbers(series) for series in panel.series]} for panel in chart.panels
        ],
    }
    shared = {s.x for panel in chart.panels for s in panel.series}
    if len(shared) == 1:
        data["x"] = [_short(value) for value in shared.pop()]
        for panel in data["panels"]:  # type: ignore[attr-defined]
            for series in panel["series"]:
                del series["x"]
    # Nothing in it ends the element.
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _numbers(series: Series) -> JsonObject:
    return {
        "name": printable(series.name),
        "x": [_short(value) for value in series.x],
        "y": [_short(value) for value in series.y],
    }


def _short(value: float) -> float:
    return float(f"{value:.5g}")
