"""Tells what changed between two captures, and builds the later one from the earlier one.

A file of ads changes in its rows (as runs of old rows and of new ones, so that order is kept) and
in single values, attribute by attribute: a whole number that follows a whole number is kept as the
difference, which is the same for all ads whose clocks went on alike.  Of any other text the part is
kept that is not at the beginning or the end of the old one, as logs grow.

Inputs: the files of captures by name.  Outputs: plain data for a frame; the files again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from pieslice.data import Content, JsonObject, Record
from pieslice.recording.columns import Column, Columns, Names, columns_of, text_of

#: The files of a capture: columns where they are lists of ads.
Files: TypeAlias = dict[str, Columns | str]

_WHOLE: Final = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)


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
