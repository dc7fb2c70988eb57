"""Shows tables of ads: in one line, and as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from classad.binding.ad import ClassAd
from classad.formats.unparse import unparse_value

#: How many characters the one line has before its end, how many columns a notebook, and how wide.
_LINE: Final = 72
_COLUMNS: Final = 12
_CELL: Final = 40


def table_line(rows: int, names: Sequence[str]) -> str:
    """A table in one line."""
    ending = "" if rows == 1 else "s"
    attributes = "" if len(names) == 1 else "s"
    said = f"Table {rows} row{ending}, {len(names)} attribute{attributes}"
    left = _LINE - len(said)
    for place, name in enumerate(names):
        left -= 2 + len(name)
        if left < 0:
            return f"<{said}{', ' if place else ': '}...>"
        said += f"{', ' if place else ': '}{name}"
    return f"<{said}>"


def table_html(line: str, names: Sequence[str], first: Iterable[ClassAd]) -> str:
    """The first rows of a table; all text is escaped."""
    shown = names[:_COLUMNS]
    heads = "".join(f"<th>{escape(_short(name))}</th>" for name in shown)
    rows = "".join(f"<tr>{''.join(_cell(ad, name) for name in shown)}</tr>" for ad in first)
    return (
        f"<p><code>{escape(line)}</code></p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _cell(ad: ClassAd, name: str) -> str:
    stored = ad.raw(name)
    return (
        f"<td><code>{'' if stored is None else escape(_short(unparse_value(stored)))}</code></td>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _CELL else text[: _CELL - 3] + "..."
