"""Writes values as lines of text, as ``-autoformat`` of HTCondor's tools prints them.

Inputs: the letters after ``-af:``, titles, values.  Outputs: lines.
Follows: ``-autoformat`` in the manual page of ``condor_status`` (HTCondor 25.14.1), without ``j``,
``T`` and ``Y``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from classad.ads.expression import Expression
from classad.formats.unparse import unparse, unparse_value
from classad.syntax.nodes import Reference

#: What may stand after ``-af:``.
MODIFIERS: Final = ",tnlVrgh"


def attribute_of(tree: Expression) -> str | None:
    """The attribute that an expression is nothing but the name of."""
    node = tree.node
    if isinstance(node, Reference) and node.base is None and not node.absolute:
        return node.name
    return None


class Cell(NamedTuple):
    """A value as text.

    ``room``: the width that is kept for it before anything is written, without its quotes;
    ``width``: that of its column from its line on.
    """

    text: str
    room: int
    width: int


class Layout:
    """How the values of an ad are written.

    >>> layout = Layout(",l")
    >>> list(layout.lines(["Name", "Cpus"], [[layout.cell("a"), layout.cell(8)]]))
    ['Name = a, Cpus = 8']
    """

    def __init__(self, modifiers: str = "", shown: Callable[[str], str] = str) -> None:
        """Raises ``ValueError`` for letters that do not exist or exclude each other.

        ``shown``: what is written for the text of a value.
        """
        self.shown = shown
        given = set(modifiers)
        unknown = sorted(given - set(MODIFIERS))
        if unknown:
            known = " ".join(MODIFIERS[1:])
            raise ValueError(f"`{unknown[0]}` is no modifier of -af; there are `,` {known}")
        for first, second in (("l", "h"), ("n", ",")):
            if first in given and second in given:
                raise ValueError(f"`{first}` and `{second}` exclude each other in -af")
        self.raw = "r" in given
        self.quoted = "V" in given
        self._labels = "l" in given
        self._headings = "h" in given
        self._before = "\n" if "g" in given else ""
        blank = "" if "g" in given else "\t" if "t" in given else " "
        self._between = ("," if "," in given else "\n" if "n" in given else "") + blank

    def text(self, value: object) -> str:
        """A value, or with ``raw`` what stands there in its place."""
        if value is None:
            return "undefined"
        if isinstance(value, Expression):
            return unparse(value.node, True)
        if value.__class__ is str and not (self.quoted or self.raw):
            return str(value)
        return unparse_value(value, True)

    def cell(self, value: object) -> Cell:
        """A value as it is written, and the room that it asks for below a heading.

        Numbers and strings ask for room, reals for all their digits; with ``raw`` everything does.
        """
        text = self.shown(self.text(value))
        kind = value.__class__
        if self.raw:
            return Cell(text, len(text), len(text))
        if kind is str:
            return Cell(text, len(str(value)), len(text))
        if kind is float:
            digits = len(f"{value:.15E}")
            return Cell(text, digits, digits)
        return Cell(text, len(text), len(text)) if kind is int else Cell(text, 0, 0)

    def lines(
        self, titles: Sequence[str], rows: Iterable[Sequence[Cell]], *, ahead: bool = True
    ) -> Iterator[str]:
        """The lines, each possibly several, without the last line end.

        ``ahead``: below headings there is room for every row from the first line on, as
        ``condor_status`` has it; else a column grows from row to row, as with ``condor_userprio``.
        """
        if self._headings:
            yield from self._table(titles, rows, ahead)
            return
        labels = [f"{title} = " if self._labels else "" for title in titles]
        for row in rows:
            cells = [label + cell.text for label, cell in zip(labels, row, strict=True)]
            yield self._before + self._between.join(cells)

    def _table(
        self, titles: Sequence[str], rows: Iterable[Sequence[Cell]], ahead: bool
    ) -> Iterator[str]:
        """The values below their titles."""
        widths = list(map(len, titles))
        if ahead:
            rows = list(rows)
            for row in rows:
                widths = [max(width, cell.room) for width, cell in zip(widths, row, strict=True)]
        yield self._set(titles, widths)
        for row in rows:
            widths = [max(width, cell.width) for width, cell in zip(widths, row, strict=True)]
            yield self._set([cell.text for cell in row], widths)

    def _set(self, texts: Sequence[str], widths: Sequence[int]) -> str:
        cells = [text.ljust(width) for text, width in zip(texts, widths, strict=True)]
        return self._before + self._between.join(cells)
