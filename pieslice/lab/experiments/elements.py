"""Turns HTML of ours into values of which the page makes the same elements.

The content policy of the page lets nobody write styles into markup, and the page makes no elements
of texts.

Inputs: HTML, all of whose elements are closed.  Outputs: ``Element`` values for JSON.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final, TypeAlias

#: Tag, attributes, and what is in it: a text or such a list again.
Element: TypeAlias = list[object]
#: Attributes of SVG, whose names have capitals.
_CASED: Final = {name.lower(): name for name in ("viewBox", "preserveAspectRatio", "patternUnits")}


class _Builder(HTMLParser):
    """Collects elements; the first is the whole."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[Element] = [["div", {}]]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element."""
        found: Element = [tag, {_CASED.get(name, name): value or "" for name, value in attrs}]
        self.open[-1].append(found)
        self.open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one that has nothing in it."""
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """End an element; raises ``ValueError`` for one that does not end here."""
        if self.open.pop()[0] != tag:
            raise ValueError(f"</{tag}> ends another element")

    def handle_data(self, data: str) -> None:
        """Take a text; lines between elements are none."""
        if data.strip():
            self.open[-1].append(data)


def elements(html: str) -> list[object]:
    """What is in HTML.

    >>> elements('<p class="a">one <b>two</b></p>')
    [['p', {'class': 'a'}, 'one ', ['b', {}, 'two']]]
    """
    builder = _Builder()
    builder.feed(html)
    builder.close()
    (whole,) = builder.open
    return whole[2:]
