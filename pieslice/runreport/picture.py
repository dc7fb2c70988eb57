"""Shows one chart in a notebook, or writes it to a file.

Decides that a notebook gets the page of a report in a frame of its own, so that neither changes
the looks of the other; the drawing needs no package.

Inputs: a chart.  Outputs: HTML, files; figures of matplotlib.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attr import frozen

from pieslice.reports.charts import Chart
from pieslice.reports.layout import plural
from pieslice.reports.pages import document
from pieslice.reports.plots import check_format, draw, save
from pieslice.runreport.figures import figure, textures
from pieslice.runreport.page import Sheet
from pieslice.terminal import printable
from pieslice.writing import naming

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pixels in a notebook: of what stands around the panels, of a panel, of a row of bars.
_AROUND, _PANEL, _ROW = 200, 230, 14
_HTML: Final = (".html", ".htm")


@frozen(eq=False, repr=False)
class Picture:
    """A chart: a notebook shows it, ``save`` writes it."""

    chart: Chart

    @property
    def html(self) -> str:
        """The chart as a page that needs nothing else."""
        body = [textures([self.chart]), figure(self.chart)]
        charts = sheet()
        return document(self.chart.title, body, style=charts.style, script=charts.script)

    def figure(self) -> Figure:
        """The chart as a figure of matplotlib; needs the extra ``plot``."""
        return draw(self.chart)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an ``.html`` file or, with the extra ``plot``, ``.png``, ``.svg`` or ``.pdf``."""
        file = Path(path)
        if file.suffix.lower() in _HTML:
            with naming(file):
                file.write_text(self.html, encoding="utf-8", errors="backslashreplace")
            return
        check_format(file)
        save(self.figure(), file)

    def __repr__(self) -> str:
        panels = plural(len(self.chart.panels), "panel")
        return f"<Picture {printable(self.chart.title)}: {panels}>"

    def _repr_html_(self) -> str:
        height = _AROUND + sum(max(_PANEL, _ROW * len(panel.rows)) for panel in self.chart.panels)
        return (
            f'<iframe srcdoc="{escape(self.html)}" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>'
        )


def sheet() -> Sheet:
    """The style and the script of charts."""
    here = Path(__file__).parent
    found = ((here / f"charts.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return Sheet(*found)
