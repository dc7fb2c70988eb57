"""Names the types of what is read from JSON and CSV files and of what is printed as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

#: An object of a JSON file, or a row of a table: what its fields hold depends on the file.
Record: TypeAlias = Mapping[str, Any]
#: The same where it may be changed.
JsonData: TypeAlias = dict[str, Any]
#: Anything that ``json.loads`` gives.
Content: TypeAlias = Any
#: An object that is put together to be printed.
JsonObject: TypeAlias = dict[str, object]
