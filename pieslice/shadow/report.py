"""Tells how predictions of cycles went: a line for each cycle, and a table of all.

Inputs: outcomes.  Outputs: blocks of text, a page of HTML, metrics in the text form of Prometheus.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import ClassVar, Final

from attr import frozen

from pieslice.reports.html import html_of
from pieslice.reports.layout import Block, Column, Line, Table, Wrapped
from pieslice.reports.result import Result
from pieslice.shadow.outcome import Outcome

#: How many cycles the page shows one by one.
RECENT: Final = 20
_METRICS: Final = {
    "cycles": "Cycles that were predicted.",
    "exact": "Cycles that went exactly as predicted.",
    "still": "Cycles before which nothing moved after the capture.",
    "still_exact": "Cycles before which nothing moved, that went exactly as predicted.",
    "predicted": "Matches that were predicted.",
    "matches": "Matches that happened.",
    "agreeing": "Matches that were predicted and seen.",
    "predicted_rejections": "Rejections that were predicted.",
    "rejections": "Rejections that happened.",
}


def cycle_line(outcome: Outcome) -> str:
    """A cycle in one line of at most 80 columns."""
    verdict = "exact" if outcome.exact else "differs"
    moved = "still" if outcome.still else f"moved: {outcome.moved.text()}"
    return (
        f"{_clock(outcome.time)} {verdict:<7} matches {outcome.predicted}/{outcome.matches}"
        f" rejections {outcome.predicted_rejections}/{outcome.rejections}; {moved}"
    )


def differences(outcome: Outcome) -> list[Block]:
    """What was predicted and not seen, and the other way round."""
    found: list[Block] = []
    if outcome.exact:
        return found
    for label, pairs in (
        ("predicted only", outcome.only_predicted),
        ("happened only", outcome.only_seen),
    ):
        found += [Wrapped(label, (user, slot), indent=2) for user, slot in pairs]
    return found


@frozen(eq=False, repr=False)
class Score(Result):
    """All cycles that a shadow followed; ``totals`` also counts those before ``recent``."""

    schema: ClassVar[str] = "pieslice/shadow/1"
    pool: str
    totals: Mapping[str, int]
    recent: Sequence[Outcome] = ()

    def summary(self) -> str:
        return f"{self.totals['exact']} of {self.totals['cycles']} cycles exact"

    def data(self) -> Mapping[str, object]:
        return {
            "pool": self.pool,
            "totals": self.totals,
            "recent": [item.data() for item in self.recent],
        }

    def blocks(self) -> Sequence[Block]:
        count = self.totals
        rows = (
            ("cycles", count["exact"], count["cycles"]),
            ("still ones", count["still_exact"], count["still"]),
        )
        columns = (Column(""), Column("exact", right=True), Column("of", right=True), _PERCENT)
        shown = tuple((name, str(good), str(of), _percent(good, of)) for name, good, of in rows)
        decisions = (Column(""), Column("predicted", right=True), Column("happened", right=True))
        return [
            Line(f"pool {self.pool}: predictions", heading=True),
            Table(columns, shown),
            Line(),
            Table(
                decisions,
                (
                    ("matches", str(count["predicted"]), str(count["matches"])),
                    ("rejections", str(count["predicted_rejections"]), str(count["rejections"])),
                ),
            ),
        ]


_PERCENT: Final = Column("share", "%", right=True)


def _percent(good: int, of: int) -> str:
    return f"{100 * good / of:.1f}" if of else "-"


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.gmtime(seconds))


def page(score: Score) -> str:
    """The score and the last cycles as a page that loads itself again every minute."""
    rows = tuple((cycle_line(item),) for item in reversed(score.recent))
    body = html_of([*score.blocks(), Line("last cycles", heading=True), Table((Column(""),), rows)])
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8">'
        '<meta http-equiv="refresh" content="60">'
        f"<title>pieslice shadow: {escape(score.pool)}</title>"
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:0 1em 0 0;text-align:left}"
        f"</style></head><body>{body}</body></html>\n"
    )


def prometheus(score: Score) -> str:
    """The totals as metrics, for the textfile collector of a node exporter."""
    pool = score.pool.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    lines = []
    for name, text in _METRICS.items():
        metric = f"pieslice_shadow_{name}_total"
        lines += [f"# HELP {metric} {text}", f"# TYPE {metric} counter"]
        lines.append(f'{metric}{{pool="{pool}"}} {score.totals[name]}')
    if score.recent:
        metric = "pieslice_shadow_last_cycle_timestamp_seconds"
        lines += [f"# HELP {metric} When the last cycle began.", f"# TYPE {metric} gauge"]
        lines.append(f'{metric}{{pool="{pool}"}} {score.recent[-1].time}')
    return "".join(f"{line}\n" for line in lines)
