"""Draws charts with matplotlib, the optional extra ``plot``.

Decides the look of files (sizes, hatches, dashes, where names stand) and their formats.

Inputs: a chart, a path.  Outputs: figures, files.  Raises ``ImportError`` that says what to
install.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from classad.extras import load
from pieslice.data import JsonObject
from pieslice.reports.charts import Axis, Chart, Look, Panel, marks_to
from pieslice.reports.layout import shortened
from pieslice.terminal import printable
from pieslice.writing import naming

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Dash: TypeAlias = Literal["-", "--", ":", "-."]

FORMATS: Final = (".png", ".svg", ".pdf")
#: By texture; the first is none.
_HATCHES: Final = ("", "///", "...", "xxx")
_DASHES: Final[tuple[Dash, ...]] = ("-", "--", ":", "-.")
#: Dots per inch.
_DOTS: Final = 130
#: Names longer than this stand two to a line, and are shortened, in characters.
_LONG: Final = 20
_LONGEST: Final = 40
_INK: Final = "#222222"
#: Between areas.
_EDGE: Final = "white"
_THIN: Final = 0.3


def check_format(path: Path) -> None:
    """Raises ``ValueError`` for a file that cannot be drawn to."""
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(f"{path}: plots are written to {known} files")


def draw(chart: Chart) -> Figure:
    """The chart as a figure."""
    load("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    heights = [_height(panel) for panel in chart.panels]
    made = Figure(figsize=(8.0, 1.1 + sum(heights)), layout="constrained")
    FigureCanvasAgg(made)
    axes = made.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
    for pane, panel in zip((row[0] for row in axes), chart.panels, strict=True):
        _frame(pane, panel)
        _DRAWN[panel.kind](pane, panel)
    _time(axes[-1][0], chart.axis)
    _legend(made, chart)
    return made


def _height(panel: Panel) -> float:
    if panel.kind == "bars":
        return max(2.0, 0.2 * len(panel.rows))
    return 2.6


def _plain(name: str) -> str:
    """A name as it is: neither control characters nor mathematics."""
    text = printable(name).replace("$", r"\$")
    # A label that begins with an underscore is no label to matplotlib.
    return f" {text}" if text.startswith("_") else text


def _frame(pane: Axes, panel: Panel) -> None:
    pane.grid(True, color="#dddddd", linewidth=0.6)
    pane.set_axisbelow(True)
    for side in ("top", "right"):
        pane.spines[side].set_visible(False)
    pane.set_ylabel(panel.label)
    pane.set_title(_plain(panel.title), loc="left", fontsize="medium")
    if panel.kind == "bars":
        pane.set_yticks(range(len(panel.rows)), [*map(_plain, panel.rows)], fontsize="x-small")
        pane.set_ylim(max(len(panel.rows), 1) - 0.4, -0.6)
        pane.grid(visible=False, axis="y")
        return
    marks = marks_to(panel.top)
    pane.set_yticks(marks)
    pane.set_ylim(0, marks[-1])
    for limit in panel.limits:
        pane.plot(
            limit.x, limit.y, color=_INK, linestyle="--", linewidth=1.4, drawstyle="steps-post"
        )
        place = (1.01, limit.y[-1] / marks[-1])
        pane.annotate(
            _plain(limit.name), place, xycoords="axes fraction", fontsize="small", va="center"
        )


def _areas(pane: Axes, panel: Panel) -> None:
    """Stacked steps."""
    below = [0.0] * len(panel.series[0].x if panel.series else ())
    for series in panel.series:
        above = [low + more for low, more in zip(below, series.y, strict=True)]
        pane.fill_between(
            series.x,
            below,
            above,
            step="post",
            facecolor=series.look.colour,
            edgecolor=_EDGE,
            linewidth=_THIN,
            hatch=_hatch(series.look),
        )
        below = above


def _hatch(look: Look) -> str:
    return _HATCHES[look.texture % len(_HATCHES)]


def _dash(look: Look) -> Dash:
    return _DASHES[look.texture % len(_DASHES)]


def _lines(pane: Axes, panel: Panel) -> None:
    for series in panel.series:
        pane.plot(
            series.x,
            series.y,
            color=series.look.colour,
            linestyle=_dash(series.look),
            linewidth=1.8,
            drawstyle="steps-post" if panel.kind == "step" else "default",
        )


def _bars(pane: Axes, panel: Panel) -> None:
    for number, series in enumerate(panel.series):
        mine = [bar for bar in panel.bars if bar.series == number]
        pane.barh(
            [bar.row for bar in mine],
            [bar.end - bar.begin for bar in mine],
            left=[bar.begin for bar in mine],
            height=[0.3 if bar.thin else 0.8 for bar in mine],
            facecolor=series.look.colour,
            edgecolor=_EDGE,
            linewidth=_THIN,
            hatch=_hatch(series.look),
        )


_DRAWN: Final = {"area": _areas, "step": _lines, "line": _lines, "bars": _bars}


def _time(pane: Axes, axis: Axis) -> None:
    pane.set_xlim(axis.first, axis.last)
    pane.set_xticks([place for place, _ in axis.marks], [name for _, name in axis.marks])
    pane.set_xlabel(axis.label)


def _legend(made: Figure, chart: Chart) -> None:
    """The title and the names above everything, in the order of the chart."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    lines = chart.panels[0].kind in ("step", "line")
    handles = [
        Line2D([], [], color=look.colour, linestyle=_dash(look), linewidth=1.8)
        if lines
        else Patch(facecolor=look.colour, edgecolor=_EDGE, linewidth=_THIN, hatch=_hatch(look))
        for _, look in chart.legend
    ]
    labels = [_plain(name) for name in shortened([name for name, _ in chart.legend], _LONGEST)]
    made.legend(
        handles,
        labels,
        fontsize="small",
        loc="outside upper center",
        ncols=2 if max(map(len, labels), default=0) > _LONG else 4,
        frameon=False,
        title=_plain(chart.title) or None,
        title_fontproperties={"weight": "bold", "size": "large"},
    )


def as_png(made: Figure) -> bytes:
    """A figure as a picture with few colours, which takes a third of the room."""
    load("matplotlib")
    from PIL import Image

    plain, small = io.BytesIO(), io.BytesIO()
    made.savefig(plain, format="png", dpi=_DOTS)
    with Image.open(plain) as picture:
        picture.convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return small.getvalue()


def save(made: Figure, path: Path) -> None:
    """Write a figure; equal figures make equal files."""
    load("matplotlib")
    import matplotlib

    if path.suffix.lower() == ".png":
        with naming(path):
            path.write_bytes(as_png(made))
        return

    dated: JsonObject = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with (
        matplotlib.rc_context({"svg.hashsalt": "pieslice", "svg.fonttype": "path"}),
        naming(path),
    ):
        made.savefig(path, dpi=_DOTS, metadata=dated.get(path.suffix.lower()))
