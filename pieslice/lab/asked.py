"""Reads what the page asks: objects of JSON, whose fields may be anything.

Inputs: such objects.  Outputs: texts, numbers, what an experiment is; raises ``ValueError``,
``KeyError`` or ``TypeError``.
"""

from __future__ import annotations

import math
from typing import Final

from pieslice.data import Record
from pieslice.lab.texts import EditedTexts

#: Characters of the name of a page.
_PAGE: Final = 40


def texts(asked: Record) -> EditedTexts:
    """The texts of a policy."""
    files = asked.get("files", {})
    if not isinstance(files, dict):
        raise ValueError("files are no object")
    pairs = tuple(sorted((text(name), text(content)) for name, content in files.items()))
    return EditedTexts(text(asked.get("overlay", "")), pairs)


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def number(value: object) -> float:
    """A finite number."""
    if value.__class__ not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return value


def lane(asked: Record, name: str) -> str:
    """Of several pages each has lanes of its own."""
    return f"{name} {text(asked.get('page', ''))[:_PAGE]}"


def cycle(asked: Record) -> int:
    """The cycle that it is about, counted from 1."""
    found = asked.get("cycle", 1)
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(f"{found!r} is no number of a cycle")
    return found
