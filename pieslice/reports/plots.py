"""Draws with matplotlib, the optional extra ``plot``.

Decides the look of all plots (colours that the colour-blind can tell apart, lines that differ in
dashes too, so that they can be told apart in print) and the formats of files.

Inputs: a path, figures.  Outputs: files.  Raises ``ImportError`` that says what to install.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from classad.extras import load
from pieslice.data import JsonObject

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, the darkest first.
COLOURS: Final = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933",
)  # fmt: skip
#: For areas, which have no dashes: they differ in how dark they are, too.
FILLS: Final = (
    "#0072B2", "#E69F00", "#F0E442", "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7",
)  # fmt: skip
DASHES: Final = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
FORMATS: Final = (".png", ".svg", ".pdf")
_MANY: Final = 8
#: Dots per inch.
_DOTS: Final = 130
#: Names longer than this stand two to a line, in characters.
_LONG: Final = 20


def check_format(path: Path) -> None:
    """Raises ``ValueError`` for a file that cannot be drawn to."""
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(f"{path}: plots are written to {known} files")


def figure(panels: int, *, height: float = 3.2) -> tuple[Figure, list[Axes]]:
    """A figure with panels above each other that share the horizontal axis."""
    load("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(8.0, 0.8 + height * panels), layout="constrained")
    FigureCanvasAgg(made)
    axes = made.subplots(panels, 1, sharex=True, squeeze=False)
    panes = [row[0] for row in axes]
    for pane in panes:
        pane.grid(True, color="#dddddd", linewidth=0.6)
        pane.set_axisbelow(True)
        for side in ("top", "right"):
            pane.spines[side].set_visible(False)
    return made, panes


def line(
    pane: Axes,
    index: int,
    x: Sequence[float],
    y: Sequence[float],
    label: str,
    *,
    stepped: bool = False,
) -> None:
    """A line that differs from its neighbours in colour and dashes."""
    style = DASHES[index % len(DASHES)]
    pane.plot(
        x,
        y,
        color=COLOURS[index % len(COLOURS)],
        linestyle=style,
        linewidth=1.8,
        label=label,
        drawstyle="steps-post" if stepped else "default",
    )


def hours(pane: Axes, last: float) -> None:
    """A time axis from 0 with marks at whole hours that people think in."""
    step = next((step for step in (1, 2, 6, 12, 24, 48, 168) if last / step <= 10), 720)
    pane.set_xticks(range(0, int(last) + 1, step))
    pane.set_xlim(0, last)
    pane.set_xlabel("time (hours)")


def legend(pane: Axes, count: int) -> None:
    """The legend; beside the panel when there is much in it."""
    if count > _MANY:
        pane.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    else:
        pane.legend(fontsize="small", framealpha=0.9)


def legend_above(made: Figure, pane: Axes) -> None:
    """The legend above everything: for panels that are filled from edge to edge."""
    handles, labels = pane.get_legend_handles_labels()
    columns = 2 if max(map(len, labels)) > _LONG else 4
    made.legend(
        handles,
        labels,
        fontsize="small",
        loc="outside upper center",
        ncols=columns,
        frameon=False,
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
        path.write_bytes(as_png(made))
        return

    dated: JsonObject = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "pieslice", "svg.fonttype": "path"}):
        made.savefig(path, dpi=_DOTS, metadata=dated.get(path.suffix.lower()))
