"""Names the types of data: what is read from JSON and CSV files, what is printed, numbers; writes
JSON that people read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def indented(data: object, *, ascii_only: bool = True) -> str:
    """What ``json.dumps`` makes of ``data`` with two blanks of indentation, in a third of the time.

    Raises ``ValueError`` for infinities.  ``ascii_only``: letters of other
    languages are escaped.
    """
    from json import JSONEncoder
    from json.encoder import encode_basestring, encode_basestring_ascii

    pieces: list[str] = []
    quoted = encode_basestring_ascii if ascii_only else encode_basestring
    _indent(data, "\n", pieces.append, quoted, JSONEncoder(allow_nan=False).encode)
    return "".join(pieces)


def _indent(
    data: object,
    lead: str,
    write: Callable[[str], None],
    quoted: Callable[[str], str],
    encode: Callable[[object], str],
) -> None:
    """``lead``: a newline and the indentation of what ``data`` stands in; ``encode``: for what
    holds nothing else."""
    if isinstance(data, str):
        write(quoted(data))
    elif isinstance(data, dict | list | tuple) and data:
        inner, named = f"{lead}  ", isinstance(data, dict)
        between = f"{'{' if named else '['}{inner}"
        for item in data:
            write(between)
            between = f",{inner}"
            if isinstance(data, dict):
                write(f"{quoted(item if isinstance(item, str) else encode(item))}: ")
                item = data[item]
            _indent(item, inner, write, quoted, encode)
        write(f"{lead}{'}' if named else ']'}")
    else:
        write(repr(data) if type(data) is int else encode(data))
