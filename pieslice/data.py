"""Names the types of data: what is read from JSON and CSV files, what is printed, numbers; writes
JSON that people read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
#: The classes of what JSON writes over several lines.
_HOLDING: Final = (dict, list, tuple)


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

    quoted = encode_basestring_ascii if ascii_only else encode_basestring
    parts: list[str] = []
    _write(data, "\n", quoted, JSONEncoder(allow_nan=False).encode, parts.append)
    return "".join(parts)


def _write(
    data: object,
    lead: str,
    quoted: Callable[[str], str],
    encode: Callable[[object], str],
    write: Callable[[str], object],
) -> None:
    """``lead``: a newline and the indentation of what ``data`` stands in; ``encode``: for what
    holds nothing else."""
    inner, between = f"{lead}  ", ""
    if isinstance(data, str):
        write(quoted(data))
    elif not isinstance(data, _HOLDING) or not data:
        write(repr(data) if type(data) is int else encode(data))
    elif isinstance(data, dict):
        for name, item in data.items():
            key = quoted(name if isinstance(name, str) else encode(name))
            if type(item) is str:
                write(f"{between or '{'}{inner}{key}: {quoted(item)}")
            elif type(item) is int:
                write(f"{between or '{'}{inner}{key}: {item}")
            else:
                write(f"{between or '{'}{inner}{key}: ")
                _write(item, inner, quoted, encode, write)
            between = ","
        write(f"{lead}}}")
    else:
        for item in data:
            write(f"{between or '['}{inner}")
            _write(item, inner, quoted, encode, write)
            between = ","
        write(f"{lead}]")
