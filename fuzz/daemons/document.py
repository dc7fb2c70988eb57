"""Writes recorded scenarios as JSON with one line for each small list or object."""

from __future__ import annotations

import json
from typing import Final

from pieslice.data import Content

_WIDTH: Final = 100
_SHORT_ITEM: Final = 40
#: From this depth on an object of scalars stands in one line, up to this length.
_DEEP: Final = 3
_LONG_LINE: Final = 600


def document(value: Content, indent: int = 0) -> str:
    """The text of a value that stands ``indent`` blanks deep."""
    flat = json.dumps(value)
    if not isinstance(value, dict | list) or len(flat) + indent < _WIDTH or _dense(value, indent):
        return flat
    pad = " " * indent
    if isinstance(value, list):
        items = [f"{pad} {document(item, indent + 1)}" for item in value]
        return "[\n" + ",\n".join(items) + f"\n{pad}]"
    items = [
        f"{pad} {json.dumps(key)}: {document(item, indent + 1)}" for key, item in value.items()
    ]
    return "{\n" + ",\n".join(items) + f"\n{pad}}}"


def _dense(value: Content, indent: int) -> bool:
    """Whether a long list or object stands in one line all the same."""
    if isinstance(value, list):
        if all(isinstance(item, int | float) for item in value):
            return True
        plain = not any(isinstance(item, dict | list) for item in value)
        return plain and all(len(json.dumps(item)) < _SHORT_ITEM for item in value)
    nested = any(
        isinstance(item, dict)
        or (isinstance(item, list) and any(isinstance(part, dict | list) for part in item))
        for item in value.values()
    )
    return indent > _DEEP and len(json.dumps(value)) < _LONG_LINE and not nested
