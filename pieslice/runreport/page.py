"""Lays out the report of a run, or of two, as one page of HTML that needs nothing else.

Decides the order of the parts and what stands in the first lines.

Inputs: ``ReportSide`` values (what was run, its numbers, its policy in sentences), charts, the
style and the script.  Outputs: text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attr import evolve, frozen

from pieslice.data import Record
from pieslice.reports.charts import Chart, Look
from pieslice.reports.pages import (
    Html,
    cards,
    code,
    document,
    facts,
    framed,
    lines,
    part,
    row,
    shown,
    table,
    verdict,
)
from pieslice.runreport.comparison import PARTS, ComparedRow, comparison, spreads
from pieslice.runreport.data import RunData
from pieslice.runreport.figures import figure, textures
from pieslice.runreport.metrics import RUN, Metric, people_say, plain_title
from pieslice.runreport.spread import BETTER, SPREAD, WORSE, MetricDifference
from pieslice.runreport.verdict import sentences

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
#: The column that says which configuration is better.
_B_IS: Final = "B is"


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
    """The style and the script of charts."""

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
        *_interrupted(sides),
        verdict(sentences([side.run for side in sides], [side.summaries for side in sides])),
        _cards(sides),
        *_about(sides),
        *(_compared(sides, colours) if len(sides) > 1 else _numbers(sides[0], colours)),
        *part("Worst moments", _worst(sides)),
        *part("Over time", [textures(drawn), *map(figure, drawn)]),
        *part("The policy" if len(sides) == 1 else "The policies", _policies(sides)),
        "<footer><p>Hours are weighted core hours. Drag over a chart to zoom, double-click to see "
        "everything again; a name in a legend hides its user. The words are explained in "
        "<em>Simulating a pool over days</em> of the documentation of pieslice.</p></footer>",
    ]
    return document(title, body, style=sheet.style, script=sheet.script)


def _about(sides: Sequence[ReportSide]) -> Iterator[str]:
    """What was run; of two, what they share once and then each one's own."""
    shared = [fact for fact in sides[0].facts if all(fact in side.facts for side in sides)]
    yield facts(_named(shared))
    if len(sides) > 1:
        yield '<div class="sides">'
        for letter, side in zip("AB", sides, strict=True):
            own = [fact for fact in side.facts if fact not in shared]
            yield f"<section><h3>{letter}: {shown(side.name)}</h3>{facts(_named(own))}</section>"
        yield "</div>"


def _named(found: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Facts, commands as code."""
    for name, text in found:
        yield name, code(text) if name == "command" else text


def _interrupted(sides: Sequence[ReportSide]) -> Iterator[str]:
    if not all(run["complete"] for side in sides for run in side.summaries):
        yield '<p class="note">The run was interrupted; this is of the part that ran.</p>'


def _cards(sides: Sequence[ReportSide]) -> str:
    """The numbers that are asked for first."""
    metrics = {it.key: evolve(it, digits=0) for it in RUN}
    items = [
        (" → ".join(people_say(metrics[key], side.run.summary[key]) for side in sides), told)
        for key, told in _FIRST
    ]
    return cards(items, wide=len(sides) > 1)


# --- numbers ------------------------------------------------------------------------------------


def _numbers(side: ReportSide, colours: dict[str, Look]) -> Iterator[str]:
    """Those of one configuration; with several seeds also how they spread."""
    summary = side.run.summary
    rows = [(plain_title(metric), people_say(metric, summary[metric.key])) for metric in RUN]
    content = [table(("", "of the run"), rows, "two")]
    if len(side.summaries) > 1:
        content = [_spreads(side)]
    for name, kind, metrics in PARTS:
        if summary[name]:
            found = [
                (_coloured(who, colours), *(people_say(it, numbers[it.key]) for it in metrics))
                for who, numbers in summary[name].items()
            ]
            content.append(table((kind, *map(plain_title, metrics)), found, "cells"))
    yield from part("Numbers", content)


def _spreads(side: ReportSide) -> str:
    nothing = (None,) * len(SPREAD)
    rows = [
        (
            plain_title(metric),
            *(people_say(metric, value) for value in (found.numbers if found else nothing)),
        )
        for kind, _, metric, found in spreads(side.summaries)
        if not kind
    ]
    return table((f"{len(side.seeds)} seeds", *SPREAD), rows, "cells")


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
    yield from part("Numbers", content)


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
    titles = (kind, "A", "B", "B − A", *(("±",) if several else ()), _B_IS)
    found = []
    before = ""
    for item in rows:
        if item.name != before:
            before = item.name
            name = _coloured(item.name, colours)
            found.append(f'<tr class="name"><th colspan="{len(titles)}">{name}</th></tr>')
        numbers = _difference(item.difference, item.metric, several=several)
        found.append(row(titles, (plain_title(item.metric), *numbers), (_B_IS,)))
    return framed(titles, found, "cells", (_B_IS,))


def _difference(difference: MetricDifference, metric: Metric, *, several: bool) -> tuple[str, ...]:
    return (
        people_say(metric, difference.left),
        people_say(metric, difference.right),
        people_say(metric, difference.difference, signed=True),
        *((people_say(metric, difference.margin),) if several else ()),
        _better(difference.verdict),
    )


def _better(word: str) -> str:
    if word not in (BETTER, WORSE):
        return word
    return Html(f'<span class="{word}">{"▲" if word == BETTER else "▼"} {word}</span>')


def _coloured(name: str, colours: dict[str, Look]) -> Html:
    """A name with the colour of its user."""
    look = colours.get(name)
    if look is None:
        return Html(shown(name))
    swatch = f'<span class="swatch" style="background: var(--c{look.place})"></span>'
    return Html(f"{swatch}{shown(name)}")


# --- worst moments, policies --------------------------------------------------------------------


def _worst(sides: Sequence[ReportSide]) -> Iterator[str]:
    yield '<div class="sides">'
    for letter, side in zip("AB", sides, strict=False):
        yield "<section>"
        if len(sides) > 1:
            yield f"<h3>{letter}: {shown(side.name)}</h3>"
        items = "".join(
            f"<li><details><summary>{shown(moment.text)}</summary>"
            f"<pre>{lines(moment.answer)}</pre>{_asking(commands)}</details></li>"
            for moment, commands in zip(side.run.worst, side.asking, strict=True)
        )
        yield f'<ul class="worst">{items}</ul>' if items else "<p>None: no job had to wait.</p>"
        yield "</section>"
    yield "</div>"


def _asking(commands: Sequence[str]) -> str:
    if not commands:
        return ""
    return f"<p>Ask the negotiator of that moment:</p><pre>{lines(commands)}</pre>"


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
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return shown(text)
    return "".join(code(piece) if i % 2 else shown(piece) for i, piece in enumerate(pieces))
