"""Turns a file of ads into columns of texts, and back into the same bytes.

A file is held if it is a list of ads in long form, as ``condor_status -l`` prints them: lines
``Name = value``, an empty line between two ads.  Values are kept as texts, which nothing reads.

Inputs: the text of a file.  Outputs: ``Columns``, None for any other text; the text again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from attr import define

#: The values of an attribute, None in ads that do not have it.
Column: TypeAlias = list[str | None]
#: The attributes of an ad in their order.
Names: TypeAlias = tuple[str, ...]

_EQUALS: Final = " = "
#: The first that an ad has all of tells it from others of its file.
_KEYS: Final[tuple[Names, ...]] = (
    ("GlobalJobId",),
    ("ClusterId", "ProcId"),
    ("ScheddName", "Name"),
    ("Name",),
)
_EDGES: Final = re.compile(r"(\n*)(.*?)(\n*)", re.DOTALL)


@define(eq=False)
class Columns:
    """A file of ads.  ``names``: of each ad; ``before`` and ``after``: line ends at the edges."""

    names: list[Names]
    values: dict[str, Column]
    before: int = 0
    after: int = 1

    def __len__(self) -> int:
        return len(self.names)

    def copy(self) -> Columns:
        """Itself with lists of its own."""
        values = {name: list(column) for name, column in self.values.items()}
        return Columns(list(self.names), values, self.before, self.after)

    def keys_of_ads(self) -> list[Names]:
        """What tells each ad from the others: texts of its values, numbered where they repeat."""
        seen: dict[Names, int] = {}
        found = []
        for row in range(len(self)):
            key = self._key(row)
            again = seen[key] = seen.get(key, 0) + 1
            found.append(key if again == 1 else (*key, str(again)))
        return found

    def _key(self, row: int) -> Names:
        for names in _KEYS:
            parts = [self.value(row, name) for name in names]
            if all(part is not None for part in parts):
                return tuple(part or "" for part in parts)
        return ()

    def value(self, row: int, name: str) -> str | None:
        """The text of a value."""
        column = self.values.get(name)
        return None if column is None else column[row]


def columns_of(text: str) -> Columns | None:
    """The ads of a text; None if they would not give the same text again."""
    found = _EDGES.fullmatch(text)
    assert found is not None
    if not found[2]:
        return None
    shapes: dict[Names, Names] = {}
    columns = Columns([], {}, len(found[1]), len(found[3]))
    for row, ad in enumerate(found[2].split("\n\n")):
        pairs = [line.partition(_EQUALS) for line in ad.split("\n")]
        names = tuple(name for name, _, _ in pairs)
        columns.names.append(shapes.setdefault(names, names))
        for name, _, value in pairs:
            column = columns.values.get(name)
            if column is None:
                column = columns.values[name] = [None] * row
            elif len(column) > row:
                return None
            elif len(column) < row:
                column += [None] * (row - len(column))
            column.append(value)
    for column in columns.values.values():
        column += [None] * (len(columns) - len(column))
    return columns if text_of(columns) == text else None


def text_of(columns: Columns) -> str:
    """The text of the file."""
    middle = "\n\n".join(_ads(columns))
    return "\n" * columns.before + middle + "\n" * columns.after


def _ads(columns: Columns) -> Iterator[str]:
    """The text of each ad; those with the same attributes are filled into one form."""
    texts: list[str] = [""] * len(columns)
    rows: dict[Names, list[int]] = {}
    for row, names in enumerate(columns.names):
        rows.setdefault(names, []).append(row)
    for names, places in rows.items():
        form = "\n".join(f"{name.replace('%', '%%')}{_EQUALS}%s" for name in names)
        picked: Sequence[Sequence[str | None]] = [
            [column[place] for place in places]
            for column in (columns.values[name] for name in names)
        ]
        for place, values in zip(places, zip(*picked, strict=True), strict=True):
            texts[place] = form % values
    return iter(texts)
