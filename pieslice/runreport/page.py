"""Lays out the report of a run, or of two, as one page of HTML that needs nothing else.

Decides the order of the parts and what stands in the first lines.

Inputs: ``ReportSide`` values (what was run, its numbers, its policy in sentences), charts, the
style and the script.  Outputs: text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attr import frozen

from pieslice.data import Record
from pieslice.reports.charts import Chart, Look
from pieslice.runreport.comparison import PARTS, ComparedRow, comparison, spread_cells, spreads
from pieslice.runreport.data import RunData
from pieslice.runreport.figures import figure, palette, shown, textures
from pieslice.runreport.metrics import RUN, Metric, cell, signed
from pieslice.runreport.spread import BETTER, SPREAD, WORSE, MetricDifference

#: Topic, text, places, depth.
Said = tuple[str, str, str, int]
#: The numbers that stand first, with what they are called there.
_FIRST: Final = (
    ("utilisation", "of the pool in use"),
    ("goodput_hours", "core hours of completed jobs"),
    ("badput_hours", "core hours lost"),
    ("preemptions", "preemptions"),
    ("wait_median", "median wait"),
    ("never_started", "jobs never started"),
)
_LEFT: Final = ' class="verdict"'


@frozen(eq=False)
class ReportSide:
    """A configuration that was run: the first of its runs, the summaries of all its seeds."""

    #: What the page calls it.
    name: str
    facts: tuple[tuple[str, str], ...]
    run: RunData
    seeds: tuple[int, ...]
    summaries: tuple[Record, ...]
    policy: tuple[Said, ...]
    #: For each of the worst moments the commands that ask the negotiator about it.
    asking: tuple[tuple[str, ...], ...] = ()


@frozen
class Sheet:
    """The style and the script of the page."""

    style: str
    script: str


def page(
    title: str,
    sides: Sequence[ReportSide],
    drawn: Sequence[Chart],
    colours: dict[str, Look],
    sheet: Sheet,
) -> str:
    """The whole page."""
    body = [
        f"<h1>{shown(title)}</h1>",
        *_about(sides),
        *_interrupted(sides),
        _cards(sides),
        *(_compared(sides, colours) if len(sides) > 1 else _numbers(sides[0], colours)),
        *_part("Worst moments", _worst(sides)),
        *_part("Over time", [textures(drawn), *map(figure, drawn)]),
        *_part("The policy" if len(sides) == 1 else "The policies", _policies(sides)),
        "<footer><p>Hours are weighted core hours. Drag over a chart to zoom, double-click to see "
        "everything again; a name in a legend hides its user. The words are explained in "
        "<em>Simulating a pool over days</em> of the documentation of pieslice.</p></footer>",
    ]
    return document(title, body, sheet)


def document(title: str, body: Sequence[str], sheet: Sheet) -> str:
    """A page that needs nothing else."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{shown(title)}</title>",
            f"<style>\n{palette()}{sheet.style}</style></head><body>",
            *body,
            f"<script>\n{sheet.script}</script></body></html>\n",
        ]
    )


def _part(title: str, content: Iterable[str]) -> Iterator[str]:
    yield f'<details class="part" open><summary><h2>{shown(title)}</h2></summary>'
    yield from content
    yield "</details>"


def _about(sides: Sequence[ReportSide]) -> Iterator[str]:
    """What was run; of two, what they share once and then each one's own."""
    shared = [fact for fact in sides[0].facts if all(fact in side.facts for side in sides)]
    yield _facts(shared)
    if len(sides) > 1:
        yield '<div class="sides">'
        for letter, side in zip("AB", sides, strict=True):
            own = [fact for fact in side.facts if fact not in shared]
            yield f"<section><h3>{letter}: {shown(side.name)}</h3>{_facts(own)}</section>"
        yield "</div>"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(
        f"<dt>{shown(name)}</dt><dd>{_code(text) if name == 'command' else shown(text)}</dd>"
        for name, text in facts
    )
    return f'<dl class="about">{rows}</dl>' if rows else ""


def _code(text: str) -> str:
    return f"<code>{shown(text)}</code>"


def _interrupted(sides: Sequence[ReportSide]) -> Iterator[str]:
    if not all(run["complete"] for side in sides for run in side.summaries):
        yield '<p class="note">The run was interrupted; this is of the part that ran.</p>'


def _cards(sides: Sequence[ReportSide]) -> str:
    """The numbers that are asked for first."""
    items = []
    for key, told in _FIRST:
        values = [_brief(key, side.run.summary[key]) for side in sides]
        items.append(f"<li><b>{shown(' → '.join(values))}</b><span>{shown(told)}</span></li>")
    style = "cards two" if len(sides) > 1 else "cards"
    return f'<ul class="{style}">{"".join(items)}</ul>'


def _brief(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key == "utilisation":
        return f"{value:.1%}"
    if key.startswith("wait"):
        return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"
    return f"{value:,.0f}"


# --- numbers ------------------------------------------------------------------------------------


def _numbers(side: ReportSide, colours: dict[str, Look]) -> Iterator[str]:
    """Those of one configuration; with several seeds also how they spread."""
    summary = side.run.summary
    rows = [(metric.title, (cell(summary[metric.key], metric.digits),)) for metric in RUN]
    content = [_table(("", "of the run"), rows, "two")]
    if len(side.summaries) > 1:
        content = [_spreads(side)]
    for part, kind, metrics in PARTS:
        if summary[part]:
            table = [
                (name, tuple(cell(numbers[metric.key], metric.digits) for metric in metrics))
                for name, numbers in summary[part].items()
            ]
            titles = (kind, *(metric.title for metric in metrics))
            content.append(_table(titles, table, "cells", colours))
    yield from _part("Numbers", content)


def _spreads(side: ReportSide) -> str:
    rows = [
        (metric.title, spread_cells(found, metric))
        for kind, _, metric, found in spreads(side.summaries)
        if not kind
    ]
    return _table((f"{len(side.seeds)} seeds", *SPREAD), rows, "cells")


def _compared(sides: Sequence[ReportSide], colours: dict[str, Look]) -> Iterator[str]:
    """Every number of A and B, and what B is."""
    left, right = sides
    rows = comparison(left.summaries, right.summaries)
    several = len(left.summaries) > 1
    content = []
    if several:
        content.append(
            f"<p>Means of {len(left.seeds)} seeds, {left.seeds[0]} to {left.seeds[-1]}; ± is the "
            "95 % interval of B − A over pairs with the same seed. The charts are those of seed "
            f"{left.seeds[0]}.</p>"
        )
    else:
        content.append("<p>One workload: no spread is known (simulate --seeds N).</p>")
    for kind, title in (("", "Pool"), ("user", "Users"), ("group", "Groups")):
        mine = [row for row in rows if row.kind == kind and _says_something(kind, row, rows)]
        if mine:
            content.append(f"<h3>{title}</h3>")
            content.append(_difference_table(kind, mine, several=several, colours=colours))
    yield from _part("Numbers", content)


def _says_something(kind: str, row: ComparedRow, rows: Sequence[ComparedRow]) -> bool:
    """Groups that nobody has used are left out."""
    return not kind or any(
        one.difference.left or one.difference.right
        for one in rows
        if (one.kind, one.name) == (kind, row.name)
    )


def _difference_table(
    kind: str, rows: Sequence[ComparedRow], *, several: bool, colours: dict[str, Look]
) -> str:
    """The numbers of the pool, or those of users or groups below the name of each."""
    titles = (kind, "A", "B", "B − A", *(("±",) if several else ()), "B is")
    lines = []
    before = ""
    for row in rows:
        if row.name != before:
            before = row.name
            name = f"{_swatch(row.name, colours)}{shown(row.name)}"
            lines.append(f'<tr class="name"><th colspan="{len(titles)}">{name}</th></tr>')
        lines.append(
            _row(titles, row.metric.title, _difference(row.difference, row.metric, several=several))
        )
    return _framed(titles, lines, "cells")


def _difference(found: MetricDifference, metric: Metric, *, several: bool) -> tuple[str, ...]:
    digits = metric.digits
    return (
        cell(found.left, digits),
        cell(found.right, digits),
        signed(found.difference, digits),
        *((cell(found.margin, digits),) if several else ()),
        found.verdict,
    )


def _table(
    titles: Sequence[str],
    rows: Iterable[tuple[str, tuple[str, ...]]],
    style: str,
    colours: dict[str, Look] | None = None,
) -> str:
    """A table whose rows begin with a name, that of a user with its colour."""
    lines = [_row(titles, name, numbers, colours) for name, numbers in rows]
    return _framed(titles, lines, style)


def _framed(titles: Sequence[str], lines: Iterable[str], style: str) -> str:
    heads = "".join(
        f"<th{_LEFT if title == 'B is' else ''}>{shown(title)}</th>" for title in titles
    )
    return (
        f'<table class="{style}"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _row(
    titles: Sequence[str],
    name: str,
    numbers: Sequence[str],
    colours: dict[str, Look] | None = None,
) -> str:
    first = f"<td>{_swatch(name, colours or {})}{shown(name)}</td>"
    cells = (_cell(title, text) for title, text in zip(titles[1:], numbers, strict=True))
    return f"<tr>{first}{''.join(cells)}</tr>"


def _swatch(name: str, colours: dict[str, Look]) -> str:
    look = colours.get(name)
    if look is None:
        return ""
    return f'<span class="swatch" style="background: var(--c{look.place})"></span>'


def _cell(title: str, text: str) -> str:
    said = f' data-title="{shown(title)}"'
    if text in (BETTER, WORSE):
        sign = "▲" if text == BETTER else "▼"
        return f'<td class="verdict"{said}><span class="{text}">{sign} {text}</span></td>'
    kind = _LEFT if title == "B is" else ""
    return f"<td{kind}{said}>{shown(text)}</td>"


# --- worst moments, policies --------------------------------------------------------------------


def _worst(sides: Sequence[ReportSide]) -> Iterator[str]:
    yield '<div class="sides">'
    for letter, side in zip("AB", sides, strict=False):
        yield "<section>"
        if len(sides) > 1:
            yield f"<h3>{letter}: {shown(side.name)}</h3>"
        items = "".join(
            f"<li><details><summary>{shown(moment.text)}</summary>"
            f"<pre>{_lines(moment.answer)}</pre>{_asking(commands)}</details></li>"
            for moment, commands in zip(side.run.worst, side.asking, strict=True)
        )
        yield f'<ul class="worst">{items}</ul>' if items else "<p>None: no job had to wait.</p>"
        yield "</section>"
    yield "</div>"


def _asking(commands: Sequence[str]) -> str:
    if not commands:
        return ""
    return f"<p>Ask the negotiator of that moment:</p><pre>{_lines(commands)}</pre>"


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(map(shown, texts))


def _policies(sides: Sequence[ReportSide]) -> Iterator[str]:
    texts = [{text for _, text, _, _ in side.policy} for side in sides]
    if len(sides) > 1 and texts[0] == texts[1]:
        yield "<p>Both say the same.</p>"
    yield '<div class="sides">'
    for number, side in enumerate(sides):
        other = texts[1 - number] if len(sides) > 1 else texts[0]
        yield '<section class="policy">'
        if len(sides) > 1:
            yield f"<h3>{'AB'[number]}: {shown(side.name)}</h3>"
            yield "<p><small>Marked: not said of the other one.</small></p>"
        yield from _policy(side.policy, other)
        yield "</section>"
    yield "</div>"


def _policy(sentences: Sequence[Said], other: set[str]) -> Iterator[str]:
    topic = None
    for about, text, places, depth in sentences:
        if about != topic:
            topic = about
            yield f"<h4>{shown(about)}</h4>"
        indent = f' style="margin-left: {1.5 * depth}rem"' if depth else ""
        kind = "" if text in other else ' class="differs"'
        yield f"<p{kind}{indent}>{_marked(text)} <small>{shown(places)}</small></p>"


def _marked(text: str) -> str:
    """Text with what is in backticks set as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return shown(text)
    return "".join(_code(part) if i % 2 else shown(part) for i, part in enumerate(parts))
