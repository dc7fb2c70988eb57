"""Lays out the report as one page of HTML that needs nothing else.

Decides the layout and the order of the parts.

Inputs: the summary, pictures as PNG, sentences about the policy, the worst moments.  Outputs: text.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from pieslice.data import Record
from pieslice.simulate.summary import GROUP_COLUMNS, LINES, USER_COLUMNS, cell

_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a1a1a; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .9em; }
th, td { padding: .15rem .55rem; text-align: right; border-bottom: 1px solid #ddd;
  font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
img { max-width: 100%; height: auto; }
.note { background: #fff3cd; border-left: 4px solid #e69f00; padding: .4rem .8rem; }
small { color: #555; } code { background: #f3f3f3; }
@media print { body { max-width: none; margin: 0; } figure { break-inside: avoid; } }
"""

#: Title and picture.
Picture = tuple[str, bytes]
#: Topic, text, places, depth.
Said = tuple[str, str, str, int]


def page(
    title: str,
    summary: Record,
    pictures: Iterable[Picture],
    policy: Sequence[Said],
    worst: Sequence[str],
) -> str:
    """The whole page."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
    ]
    if not summary["complete"]:
        parts.append('<p class="note">The run was interrupted; this is of the part that ran.</p>')
    parts.append("<h2>Summary</h2>")
    parts.append(_summary(summary))
    parts.append(_table("user", summary["users"], USER_COLUMNS))
    if summary["groups"]:
        parts.append(_table("group", summary["groups"], GROUP_COLUMNS))
    parts.append("<h2>Worst moments</h2>")
    items = "".join(f"<li>{escape(text)}</li>" for text in worst)
    parts.append(f"<ul>{items}</ul>" if worst else "<p>None: no job had to wait.</p>")
    parts.append("<h2>Over time</h2>")
    for name, picture in pictures:
        data = base64.b64encode(picture).decode("ascii")
        image = f'<img alt="{escape(name)}" src="data:image/png;base64,{data}">'
        parts.append(f"<figure><figcaption>{escape(name)}</figcaption>{image}</figure>")
    parts.append("<h2>The policy</h2>")
    parts += _policy(policy)
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _summary(summary: Record) -> str:
    rows = "".join(
        f"<tr><td>{escape(title)}</td><td>{cell(summary[key], digits)}</td></tr>"
        for key, title, digits in LINES
    )
    return f"<table>{rows}</table>"


def _table(what: str, rows: Mapping[str, Record], columns: Sequence[tuple[str, str, int]]) -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for _, title, _ in columns)
    lines = [f'<div class="wide"><table><tr><th>{what}</th>{titles}</tr>']
    for name, row in rows.items():
        cells = "".join(f"<td>{cell(row[key], digits)}</td>" for key, _, digits in columns)
        lines.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    return "".join([*lines, "</table></div>"])


def _policy(sentences: Sequence[Said]) -> Iterable[str]:
    topic = None
    for about, text, places, depth in sentences:
        if about != topic:
            topic = about
            yield f"<h3>{escape(about)}</h3>"
        indent = f' style="margin-left: {1.5 * depth}rem"' if depth else ""
        yield f"<p{indent}>{_marked(text)} <small>{escape(places)}</small></p>"


def _marked(text: str) -> str:
    """Text with what is in backticks set as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(
        f"<code>{escape(part)}</code>" if i % 2 else escape(part) for i, part in enumerate(parts)
    )
