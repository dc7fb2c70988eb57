"""Tells how predictions of cycles went: a line for each cycle, and a table of all.

Inputs: outcomes.  Outputs: blocks of text, metrics in the text form of Prometheus.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

from attr import frozen

from pieslice.reports.layout import Block, Line, TextColumn, TextTable, Wrapped, plural
from pieslice.reports.result import Result
from pieslice.shadow.outcome import PredictedCycle, TotalName
from policy.versions import Followed

#: How many cycles the page shows one by one.
RECENT: Final = 20
_METRICS: Final[Mapping[TotalName, str]] = {
    "cycles": "Cycles that were predicted.",
    "exact": "Cycles that went exactly as predicted.",
    "still": "Cycles before which nothing moved after the capture.",
    "still_exact": "Cycles before which nothing moved, that went exactly as predicted.",
    "predicted": "Matches that were predicted.",
    "matches": "Matches that happened.",
    "agreeing": "Matches that were predicted and seen.",
    "predicted_rejections": "Rejections that were predicted.",
    "rejections": "Rejections that happened.",
    "seen": "Matches that happened and left a claim that was seen.",
    "still_seen": "Matches that were seen in cycles before which nothing moved.",
    "still_agreeing": "Matches that were predicted and seen in cycles before which nothing moved.",
    "silent": "Cycles around which a daemon did not answer.",
    "uncertain": "Cycles of which the capture before does not decide everything.",
}


def cycle_line(outcome: PredictedCycle) -> str:
    """A cycle in one line of at most 80 columns."""
    verdict = "exact" if outcome.exact else "differs"
    moved = "still" if outcome.still else f"moved: {outcome.moved.text()}"
    if not outcome.moved and not outcome.still:
        moved = "not whole" if outcome.silent else "uncertain"
    return (
        f"{_clock(outcome.time)} {verdict:<7} matches {outcome.predicted}/{outcome.matches}"
        f" rejections {outcome.predicted_rejections}/{outcome.rejections}; {moved}"
    )


def differences(outcome: PredictedCycle) -> list[Block]:
    """Who did not answer; what was predicted and not seen, and the other way round."""
    found: list[Block] = []
    if outcome.silent:
        found.append(Line(f"  no answer: {'; '.join(outcome.silent)}"))
    if outcome.uncertain:
        found.append(Line(f"  uncertain: {'; '.join(outcome.uncertain)}"))
    if outcome.seen < outcome.matches:
        told = f"the negotiator counts {plural(outcome.matches, 'match')}"
        found.append(Line(f"  {told}, {outcome.seen} seen as a claim or the wish for one"))
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
    totals: Mapping[TotalName, int]
    recent: Sequence[PredictedCycle] = ()
    #: The version that the last capture told; None before the first.
    followed: Followed | None = None

    def summary(self) -> str:
        count = self.totals
        said = f"{count['exact']} of {plural(count['cycles'], 'cycle')} as predicted"
        return f"{said}, {count['agreeing']} of {plural(count['seen'], 'match')}"

    def blocks(self) -> Sequence[Block]:
        count = self.totals
        rows = (
            ("all", _share(count, "exact", "cycles"), _share(count, "agreeing", "seen")),
            (
                "still ones",
                _share(count, "still_exact", "still"),
                _share(count, "still_agreeing", "still_seen"),
            ),
        )
        columns = (
            TextColumn(""),
            *(TextColumn("cycles exact", right=True), TextColumn("of", right=True), _PERCENT),
            *(TextColumn("matches exact", right=True), TextColumn("of", right=True), _PERCENT),
        )
        shown = tuple((label, *cycles, *matches) for label, cycles, matches in rows)
        lines: list[Block] = [
            Line(f"pool {self.pool}: {self.summary()}", heading=True),
            TextTable(columns, shown),
        ]
        if count["silent"]:
            lines.append(Line(f"{count['silent']} of the cycles with daemons that did not answer"))
        if count["uncertain"]:
            lines.append(Line(f"{count['uncertain']} of the cycles not decided by their captures"))
        decisions = (
            TextColumn(""),
            TextColumn("predicted", right=True),
            TextColumn("happened", right=True),
        )
        return [
            *lines,
            Line(),
            TextTable(
                decisions,
                (
                    ("matches", str(count["predicted"]), str(count["matches"])),
                    ("rejections", str(count["predicted_rejections"]), str(count["rejections"])),
                ),
            ),
        ]


_PERCENT: Final = TextColumn("share", "%", right=True)


def _share(count: Mapping[TotalName, int], good: TotalName, of: TotalName) -> tuple[str, str, str]:
    """A number, of which it is a part, and how large a part."""
    part, whole = count[good], count[of]
    return str(part), str(whole), f"{100 * part / whole:.1f}" if whole else "-"


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.gmtime(seconds))


def told_cycles(score: Score) -> Iterator[str]:
    """The last cycles in lines, the newest first."""
    for item in reversed(score.recent):
        yield cycle_line(item)
        if item.silent:
            yield f"  no answer: {'; '.join(item.silent)}"
        if item.uncertain:
            yield f"  uncertain: {'; '.join(item.uncertain)}"


def prometheus(score: Score) -> str:
    """The totals as metrics, for the textfile collector of a node exporter."""
    pool = {"pool": score.pool}
    lines: list[str] = []
    for name, text in _METRICS.items():
        samples = [(pool, score.totals[name])]
        lines += metric(f"pieslice_shadow_{name}_total", text, "counter", samples)
    if score.recent:
        last = [(pool, score.recent[-1].time)]
        what = "pieslice_shadow_last_cycle_timestamp_seconds"
        lines += metric(what, "When the last cycle began.", "gauge", last)
    return "".join(f"{line}\n" for line in lines)


def metric(
    name: str, text: str, kind: str, samples: Iterable[tuple[Mapping[str, str], float]]
) -> Iterator[str]:
    """The lines of a metric: what it is, and its samples by their labels."""
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        shown = ",".join(f'{label}="{_escaped(said)}"' for label, said in labels.items())
        yield f"{name}{{{shown}}} {value}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
