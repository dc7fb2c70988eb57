"""Lays out pages of HTML that need nothing else: no server, no other file, no script to be read.

Decides what stands where on every page: the title, a verdict, cards with the numbers that are asked
for first, parts that can be folded, tables that become cards on a phone.

Inputs: text, numbers as text; fragments that are HTML already are ``Html``.  Outputs: HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from pieslice.reports.charts import COLOURS, COLOURS_ON_DARK
from pieslice.terminal import printable

#: Columns of words, which are broken; numbers are not.
_WORDS: Final = ' class="words"'


class Html(str):
    """Text that is markup; any other is shown as it stands."""

    __slots__ = ()


def shown(text: str) -> str:
    """Text for a page: neither markup nor control characters."""
    return text if isinstance(text, Html) else escape(printable(text))


def code(text: str) -> Html:
    """Text as code."""
    return Html(f"<code>{shown(text)}</code>")


def lines(texts: Iterable[str]) -> str:
    """Lines for ``pre``."""
    return "\n".join(map(shown, texts))


def palette() -> str:
    """The colours as variables of CSS, on white paper and on dark."""
    light, dark = (
        " ".join(f"--c{place}: {colour};" for place, colour in enumerate(colours))
        for colours in (COLOURS, COLOURS_ON_DARK)
    )
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


def document(
    title: str,
    body: Iterable[str],
    *,
    style: str = "",
    script: str = "",
    refresh: int | None = None,
) -> str:
    """A whole page; ``style`` and ``script``: what it has besides, ``refresh``: seconds."""
    sheet = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    again = "" if refresh is None else f'<meta http-equiv="refresh" content="{refresh}">'
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="en"><head><meta charset="utf-8">{again}',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{shown(title)}</title>",
            f"<style>\n{palette()}{sheet}{style}</style></head><body>",
            *body,
            *([f"<script>\n{script}</script>"] if script else ()),
            "</body></html>\n",
        ]
    )


def part(title: str, content: Iterable[str]) -> Iterator[str]:
    """A part with its heading, which folds it."""
    yield f'<details class="part" open><summary><h2>{shown(title)}</h2></summary>'
    yield from content
    yield "</details>"


def verdict(sentences: Iterable[str]) -> str:
    """What somebody reads who reads nothing else."""
    told = "".join(f"<p>{shown(sentence)}</p>" for sentence in sentences)
    return f'<div class="lead">{told}</div>' if told else ""


def cards(items: Iterable[tuple[str, str]], *, wide: bool = False) -> str:
    """Numbers with what they are of."""
    told = "".join(f"<li><b>{shown(value)}</b><span>{shown(of)}</span></li>" for value, of in items)
    return f'<ul class="{"cards two" if wide else "cards"}">{told}</ul>'


def facts(items: Iterable[tuple[str, str]]) -> str:
    """Names and what they are."""
    rows = "".join(f"<dt>{shown(name)}</dt><dd>{shown(text)}</dd>" for name, text in items)
    return f'<dl class="about">{rows}</dl>' if rows else ""


def cell(title: str, text: str, kind: str = "") -> str:
    """A cell that knows the title of its column, for where there is no room for heads."""
    return f'<td{kind} data-title="{shown(title)}">{shown(text)}</td>'


def framed(
    titles: Sequence[str], rows: Iterable[str], style: str, words: Sequence[str] = ()
) -> str:
    """A table around rows; ``words``: titles of columns that have words, not numbers."""
    heads = "".join(
        f"<th{_WORDS if title in words else ''}>{shown(title)}</th>" for title in titles
    )
    return (
        f'<table class="{style}"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table>"
    )


def row(titles: Sequence[str], texts: Sequence[str], words: Sequence[str] = ()) -> str:
    """A row of a table, which begins with a name."""
    cells = (
        cell(title, text, _WORDS if title in words else "")
        for title, text in zip(titles[1:], texts[1:], strict=True)
    )
    return f"<tr><td>{shown(texts[0])}</td>{''.join(cells)}</tr>"


def table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], style: str, words: Sequence[str] = ()
) -> str:
    """A table of rows that begin with a name."""
    return framed(titles, (row(titles, texts, words) for texts in rows), style, words)


def bar(pieces: Iterable[tuple[float, str]], of: str) -> Html:
    """A bar with pieces of it in colours; shares from 0 to 1; ``of``: what it says in words."""
    drawn = "".join(
        f'<i style="width: {100 * min(max(share, 0.0), 1.0):.2f}%; background: {colour}"></i>'
        for share, colour in pieces
    )
    return Html(f'<span class="bar" role="img" aria-label="{shown(of)}">{drawn}</span>')
