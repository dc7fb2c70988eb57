"""Writes plain values as the JSON document of a command.

Decides what stands for values that JSON has no word for, and that every document begins with the
schema that names its fields.

Inputs: plain values.  Outputs: text.  A number that JSON cannot say (infinite, not a number)
becomes null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import Enum
from typing import Final

import attr

from pieslice.data import JsonObject
from pieslice.terminal import printable_json

#: Counts up for a schema when one of its fields changes its meaning or goes.
_VERSION: Final = 1


def schema_name(name: str) -> str:
    """The name of a schema in documents."""
    return f"pieslice/{name}/{_VERSION}"


def document(name: str, data: Mapping[str, object]) -> JsonObject:
    """The document of a schema."""
    return {"schema": schema_name(name), **data}


def json_text(data: object) -> str:
    """The text: two blanks of indentation, keys in a fixed order, a newline at the end.

    Letters of all languages are as they are; what would steer a terminal is escaped.
    """
    text = json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{printable_json(text)}\n"


def plain(value: object) -> object:
    """``value`` without infinities and other things that JSON has no word for.

    A frozen value is a dictionary of its fields, a member of an enumeration its value.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    # A byte that was not UTF-8 is a lone surrogate, which no encoder takes.
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    kind = value.__class__
    if attr.has(kind):
        return {field.name: plain(getattr(value, field.name)) for field in attr.fields(kind)}
    return value
