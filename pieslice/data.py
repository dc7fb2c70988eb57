"""Names the types of data: what is read from JSON and CSV files, what is printed, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: An object of a JSON file, or a row of a table: what its fields hold depends on the file.
Record: TypeAlias = Mapping[str, Any]
#: The same where it may be changed.
JsonData: TypeAlias = dict[str, Any]
#: Anything that ``json.loads`` gives.
Content: TypeAlias = Any
#: An object that is put together to be printed.
JsonObject: TypeAlias = dict[str, object]


def is_number(value: object) -> TypeIs[int | float]:
    """Whether a value is an integer or a real.

    Truth values are neither, nor are undefined and error, which Python takes for integers.
    """
    return value.__class__ in (int, float)
