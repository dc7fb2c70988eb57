"""Writes values as the JSON document of a command.

Decides what stands for values that JSON has no word for, which members of a class JSON shows under
which names, and that every document begins with the schema that names its fields.

An object has the fields of its attrs class.  Metadata of a field says where JSON differs
(``json_name``, ``NOT_SHOWN``, ``INLINE``); where it shows something else than the fields, and for
classes of the rooms below, ``shape`` lists what.  The same declarations make the schemas
(``pieslice.reports.schema``).

Inputs: values.  Outputs: plain values, text.  A number that JSON cannot say (infinite, not a
number) becomes null.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import MethodType
from typing import ClassVar, Final, NamedTuple, TypeVar, dataclass_transform

import attr
from attr import frozen

from pieslice.data import JsonObject, Record, indented
from pieslice.terminal import printable_json
from policy.versions import Followed, Version, parse_version

T = TypeVar("T")

#: The key of a field's metadata with the name that JSON has for it.
_NAME: Final = "json"
#: Metadata of a field that JSON does not have.
NOT_SHOWN: Final[Mapping[str, object]] = {_NAME: None}
#: Metadata of a field in whose place its own fields stand, or the items of a mapping.
INLINE: Final[Mapping[str, object]] = {_NAME: ""}


#: Metadata of a field that is left out where it is None or ``()``.
SPARSE: Final[Mapping[str, object]] = {_NAME: "?"}


def json_name(name: str) -> Mapping[str, object]:
    """Metadata of a field that JSON has under another name."""
    return {_NAME: name}


class Member(NamedTuple):
    """A member of a JSON object: its name there, and the attributes that lead to it.

    Without a name the members of the value stand in its place.  ``sparse``: left out where it is
    None or ``()``; ``constant``: its value, if that is the same of all.
    """

    name: str
    path: tuple[str, ...]
    sparse: bool = False
    constant: str | None = None

    def of(self, value: object) -> object:
        """The value of the member; None where an attribute on the way is None."""
        if self.constant is not None:
            return self.constant
        for name in self.path:
            value = None if value is None else getattr(value, name)
        return value() if isinstance(value, MethodType) else value


_SHAPES: Final[dict[type, tuple[Member, ...]]] = {}
#: Classes of values that JSON has as texts.
_TEXTS: Final[set[type]] = set()


def shape(kind: type, words: str, through: str = "") -> None:
    """Declare what JSON shows of a class, in this order.

    A word is a member, ``name`` or ``name=attribute.path`` (properties and methods, too), with
    ``?`` behind the name if it is left out where it is None or ``()``; ``name:text`` is always that
    text.  ``=attribute`` puts the members of that value here, ``*`` the fields of the class.
    ``through``: the attribute from which paths start, of a class that shows another's value; a path
    that starts with a dot starts from the class itself.
    """
    found: list[Member] = []
    for word in words.split():
        name, _, path = word.partition("=")
        bare, colon, text = name.removesuffix("?").partition(":")
        if word == "*":
            found += _fields(kind)
        elif colon:
            found.append(Member(bare, (), constant=text))
        else:
            whole = path or bare
            whole = whole[1:] if whole.startswith(".") else f"{through}.{whole}".strip(".")
            found.append(Member(bare, tuple(whole.split(".")), name.endswith("?")))
    _SHAPES[kind] = tuple(found)


@dataclass_transform(frozen_default=True)
def view(words: str) -> Callable[[type[T]], type[T]]:
    """A frozen class of one field; JSON shows ``words`` of its value, ``.name`` of the class."""

    def declared(kind: type[T]) -> type[T]:
        found = frozen(kind)
        shape(found, words, through=next(iter(kind.__annotations__)))
        return found

    return declared


def shape_text(*kinds: type) -> None:
    """Declare that JSON has values of these classes as what ``str`` makes of them."""
    _TEXTS.update(kinds)


def is_text(kind: type) -> bool:
    """Whether JSON has values of a class as what ``str`` makes of them."""
    return kind in _TEXTS or hasattr(kind, "__fspath__")


def is_shaped(kind: type) -> bool:
    """Whether it is declared what JSON shows of a class."""
    return kind in _SHAPES


def members(kind: type) -> tuple[Member, ...] | None:
    """What JSON shows of a class; None if its values are no objects."""
    return _SHAPES.get(kind) or (_fields(kind) if attr.has(kind) else None)


@cache
def _fields(kind: type) -> tuple[Member, ...]:
    """The fields of an attrs class, under the names of their metadata."""
    fields = attr.fields(kind) if attr.has(kind) else ()
    names = [(field.metadata.get(_NAME, field.name), field.name) for field in fields]
    return tuple(
        Member(own if name == "?" else name, (own,), name == "?")
        for name, own in names
        if name is not None
    )


shape_text(Version)
shape(Followed, "condor_version=version condor_version_from=origin")


def version_data(followed: Followed | None) -> JsonObject:
    """The version that is followed as two fields, none where no version matters."""
    return {} if followed is None else fields_of(followed)


def version_from_data(data: Record) -> Followed | None:
    """The version in what ``version_data`` gave; None in data without one."""
    if "condor_version" not in data:
        return None
    return Followed(parse_version(data["condor_version"]), None, data["condor_version_from"])


#: The classes of documents, by their schemas.
DOCUMENTS: Final[dict[str, type[Document]]] = {}


class Document:
    """What a command prints as JSON: the members of the class, unless ``data`` has others."""

    #: ``pieslice/NAME/VERSION``; the version counts up when a field changes its meaning or goes.
    schema: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "schema" in vars(cls):
            DOCUMENTS[cls.schema] = cls

    @property
    def followed(self) -> Followed | None:
        """The version of HTCondor whose rules it follows; None where none matters."""
        return None

    def data(self) -> object:
        """The answer for programs, without schema and version."""
        found = fields_of(self)
        found.pop("followed", None)
        return found

    def to_dict(self) -> JsonObject:
        """Plain values under documented names, the schema first."""
        found = plain(self.data())
        assert isinstance(found, dict)
        return {"schema": self.schema, **version_data(self.followed), **found}

    def to_json(self) -> str:
        """The same as the text that the command prints with ``--json``."""
        return _written(self.to_dict())


def json_text(data: object) -> str:
    """The text: two blanks of indentation, keys in a fixed order, a newline at the end.

    Letters of all languages are as they are; what would steer a terminal is escaped.
    """
    return _written(plain(data))


def _written(data: object) -> str:
    return f"{printable_json(indented(data, ascii_only=False))}\n"


def plain(value: object) -> object:
    """``value`` without infinities and other things that JSON has no word for."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    # A byte that was not UTF-8 is a lone surrogate, which no encoder takes.
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {
            key.value if isinstance(key, Enum) else key: plain(item) for key, item in value.items()
        }
    kind = value.__class__
    if is_text(kind):
        return plain(str(value))
    if isinstance(value, Enum) and not is_shaped(kind):
        return plain(value.value)
    if hasattr(value, "to_dict") and (isinstance(value, Document) or not is_shaped(kind)):
        return plain(value.to_dict())
    if members(kind) is not None:
        return fields_of(value)
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def fields_of(value: object) -> JsonObject:
    """The members of a value under their names."""
    found: JsonObject = {}
    for member in members(value.__class__) or ():
        item = member.of(value)
        if member.sparse and item in (None, ()):
            continue
        if member.name:
            found[member.name] = plain(item)
        elif isinstance(item, Mapping):
            found |= {key: plain(part) for key, part in item.items()}
        elif item is not None:
            found |= fields_of(item)
    return found
