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
from typing import Final, cast

import attr

from pieslice.data import JsonObject
from pieslice.terminal import printable_json

#: Counts up for a schema when one of its fields changes its meaning or goes.
_VERSION: Final = 1
#: The key of a field's metadata with the name that JSON has for it.
_NAME: Final = "json"
#: Metadata of a field that JSON does not have.
NOT_TOLD: Final[Mapping[str, object]] = {_NAME: None}
#: Metadata of a field whose own fields stand in its place.
INLINE: Final[Mapping[str, object]] = {_NAME: ""}


def json_name(name: str) -> Mapping[str, object]:
    """Metadata of a field that JSON has under another name."""
    return {_NAME: name}


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

    An attrs value is a dictionary of its fields, a member of an enumeration its value; what has a
    method ``to_dict`` says itself what it is.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {
            key.value if isinstance(key, Enum) else key: plain(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    # A byte that was not UTF-8 is a lone surrogate, which no encoder takes.
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    return fields_of(cast("attr.AttrsInstance", value)) if attr.has(value.__class__) else value


def fields_of(value: attr.AttrsInstance) -> JsonObject:
    """The fields of an attrs value under the names that their metadata declare for JSON."""
    found: JsonObject = {}
    for field in attr.fields(value.__class__):
        name, item = field.metadata.get(_NAME, field.name), getattr(value, field.name)
        if name:
            found[name] = plain(item)
        elif name is not None:
            found |= fields_of(item)
    return found
