"""Tells what changed between two captures, and builds the later one from the earlier one.

A file is kept as columns of texts if it is a list of ads in long form, as ``condor_status -l``
prints them; the text comes back byte by byte.

A file of ads changes in its rows (as runs of old rows and of new ones, so that order is kept) and
in single values, attribute by attribute: a whole number that follows a whole number is kept as the
difference, which is the same for all ads whose clocks went on alike.  Of any other text the part is
kept that is not at the beginning or the end of the old one, as logs grow.

Inputs: the files of captures by name.  Outputs: plain data for a frame; the files again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from attr import define

from classad.patterns import late_regex
from pieslice.data import Content, JsonObject, Record

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
_EDGES: Final = late_regex(r"(\n*)(.*?)(\n*)", re.DOTALL)


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


#: The files of a capture: columns where they are lists of ads.
Files: TypeAlias = dict[str, Columns | str]

_WHOLE: Final = late_regex(r"0|-?[1-9][0-9]{0,17}", re.ASCII)


def files_of(texts: Mapping[str, str]) -> Files:
    """The files as they are kept."""
    return {name: _held(name, text) for name, text in texts.items()}


def _held(name: str, text: str) -> Columns | str:
    columns = columns_of(text) if name.endswith(".ads") else None
    return text if columns is None else columns


def texts_of(files: Files) -> dict[str, str]:
    """The files as they were."""
    return {
        name: text_of(held) if isinstance(held, Columns) else held for name, held in files.items()
    }


# --- a capture by itself ------------------------------------------------------------------------


def whole(files: Files) -> JsonObject:
    """All of a capture, as a frame that needs no other."""
    return {name: _whole(held) for name, held in files.items()}


def _whole(held: Columns | str) -> JsonObject:
    if isinstance(held, str):
        return {"text": held}
    return {
        "edges": [held.before, held.after],
        "names": _listed(held.names),
        "values": {name: _listed(column) for name, column in held.values.items()},
    }


def _listed(items: Sequence[Names | str | None]) -> list[object]:
    """Distinct values, and the number of each item's value; no numbers where all are the same."""
    numbers: dict[Names | str | None, int] = {}
    places = [numbers.setdefault(item, len(numbers)) for item in items]
    return [list(numbers), places if len(numbers) > 1 else len(places)]


def built(data: Record) -> Files:
    """The capture of a frame that needs no other."""
    return {name: _built(part) for name, part in data.items()}


def _built(part: Record) -> Columns | str:
    if "text" in part:
        text = part["text"]
        if not isinstance(text, str):
            raise TypeError("no text")
        return text
    names, places = part["names"]
    before, after = part["edges"]
    values = {name: _unlisted(*pair) for name, pair in part["values"].items()}
    return Columns(_unlisted([tuple(item) for item in names], places), values, before, after)


def _unlisted(distinct: list[Content], places: list[int] | int) -> Content:
    if isinstance(places, int):
        return distinct * places
    return [distinct[place] for place in places]


# --- what changed -------------------------------------------------------------------------------


def changed(old: Files, new: Files) -> JsonObject:
    """What turns one capture into the other; files that are alike are left out."""
    parts = {name: _changed(old.get(name), held) for name, held in new.items()}
    return {
        "gone": [name for name in old if name not in new],
        "files": {name: part for name, part in parts.items() if part is not None},
    }


def _changed(old: Columns | str | None, new: Columns | str) -> JsonObject | None:
    if isinstance(old, str) and isinstance(new, str):
        return None if old == new else _cut(old, new)
    if isinstance(old, Columns) and isinstance(new, Columns):
        return _columns_changed(old, new)
    return _whole(new)


def _cut(old: str, new: str) -> JsonObject:
    start = _alike(old, new, min(len(old), len(new)))
    end = _alike(old[::-1], new[::-1], min(len(old), len(new)) - start)
    return {"keep": [start, end], "text": new[start : len(new) - end]}


def _alike(one: str, other: str, most: int) -> int:
    """How many characters two texts begin alike with, of so many."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _columns_changed(old: Columns, new: Columns) -> JsonObject | None:
    runs = _runs(old, new)
    names = _moved(old.names, runs)
    cells = {}
    for name, column in new.values.items():
        before = _moved(old.values.get(name) or [None] * len(old), runs)
        if before != column:
            cells[name] = _cells(before, column)
    lost = [name for name in old.values if name not in new.values]
    rows = [row for row, (one, other) in enumerate(zip(names, new.names, strict=True))
            if one != other]  # fmt: skip
    found: JsonObject = {}
    if runs != [[0, len(old)]]:
        found["runs"] = runs
    if rows:
        found["names"] = [_gaps(rows), _listed([new.names[row] for row in rows])]
    for key, value in (("cells", cells), ("lost", lost)):
        if value:
            found[key] = value
    if (old.before, old.after) != (new.before, new.after):
        found["edges"] = [new.before, new.after]
    return found or None


def _runs(old: Columns, new: Columns) -> list[list[int]]:
    """The rows of the new file: first row and number of runs of the old one; -1 for new rows."""
    places = {key: row for row, key in enumerate(old.keys_of_ads())}
    runs: list[list[int]] = []
    for key in new.keys_of_ads():
        row = places.get(key, -1)
        last = runs[-1] if runs else [-2, 0]
        if row == -1 == last[0] or (row >= 0 and row == last[0] + last[1] and last[0] >= 0):
            last[1] += 1
        else:
            runs.append([row, 1])
    return runs


def _moved(items: Sequence[Content], runs: Iterable[Sequence[int]]) -> list[Content]:
    """The old items at their new places; None in new rows."""
    found: list[Content] = []
    for first, count in runs:
        found += [None] * count if first < 0 else items[first : first + count]
    return found


def _cells(old: Column, new: Column) -> list[object]:
    """Rows, as gaps (None: all), and new values (one: for all of these rows)."""
    rows = [row for row, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    values = [_step(old[row], new[row]) for row in rows]
    same = len(set(values)) == 1 and len({value.__class__ for value in values}) == 1
    return [None if len(rows) == len(new) else _gaps(rows), values[:1] if same else values]


def _step(old: str | None, new: str | None) -> str | int | None:
    if old is None or new is None or not (_WHOLE.fullmatch(old) and _WHOLE.fullmatch(new)):
        return new
    return int(new) - int(old)


def _gaps(rows: Sequence[int]) -> list[int]:
    return [row - before for row, before in zip(rows, (0, *rows), strict=False)]


def apply(files: Files, data: Record) -> None:
    """Turn a capture into the one that follows, in place."""
    for name in data["gone"]:
        del files[name]
    for name, part in data["files"].items():
        old = files.get(name)
        if "keep" in part and isinstance(old, str):
            start, end = part["keep"]
            files[name] = old[:start] + part["text"] + old[len(old) - end :]
        elif isinstance(old, Columns) and "values" not in part and "text" not in part:
            _apply(old, part)
        else:
            files[name] = _built(part)


def _apply(old: Columns, part: Record) -> None:
    runs = part.get("runs")
    if runs is not None:
        old.names = _moved(old.names, runs)
        old.values = {name: _moved(column, runs) for name, column in old.values.items()}
    if "names" in part:
        gaps, (names, places) = part["names"]
        for row, item in zip(_rows(gaps), _unlisted(list(map(tuple, names)), places), strict=True):
            old.names[row] = item
    for name in part.get("lost", ()):
        del old.values[name]
    for name, (gaps, values) in part.get("cells", {}).items():
        column = old.values.setdefault(name, [None] * len(old))
        rows = range(len(old)) if gaps is None else _rows(gaps)
        news = values * len(rows) if len(values) == 1 else values
        for row, value in zip(rows, news, strict=True):
            column[row] = str(int(column[row] or 0) + value) if isinstance(value, int) else value
    old.before, old.after = part.get("edges", (old.before, old.after))


def _rows(gaps: Iterable[int]) -> list[int]:
    found, row = [], 0
    for gap in gaps:
        row += gap
        found.append(row)
    return found
