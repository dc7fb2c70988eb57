"""Makes the JSON schema of a document from the types of its members.

Decides how a type is said in JSON Schema 2020-12.  A real number may be null, since JSON has no
infinity; an enumeration is one of its values; an object has its members and no others; a class that
stands in several places is one definition.  Docstrings are the descriptions.

Inputs: a class of documents, imported with all that its annotations name.  Outputs: the schema.
Raises ``UntypedError`` for a member whose type says nothing to JSON.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from enum import Enum
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Final, Literal, NotRequired, Union, get_args, get_origin, is_typeddict

from attr import field, frozen

from pieslice.data import JsonObject
from pieslice.reports.document import Document, is_shaped, is_text, members, plain

_WORDS: Final[Mapping[object, object]] = {
    str: "string",
    int: "integer",
    bool: "boolean",
    float: ["number", "null"],
    NoneType: "null",
}


class UntypedError(TypeError):
    """A member of a document whose type is not known or has no counterpart in JSON."""


def schema_of(kind: type[Document]) -> JsonObject:
    """The schema of the documents of a class."""
    name, version = kind.schema.split("/")[1:]
    definitions = _Definitions()
    found: JsonObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:pieslice:{name}:{version}",
        "title": kind.schema,
        "description": _description(kind).split("\n\n")[0],
        **_object(definitions.of_document(kind)),
    }
    return found | ({"$defs": definitions.found} if definitions.found else {})


def _is_from(kind: type, name: str, base: type) -> bool:
    """Whether a class takes an attribute from a certain base."""
    own = (part for part in kind.__mro__ if name in {**vars(part), **inspect.get_annotations(part)})
    return next(own) is base


def hint_of(kind: type, path: Sequence[str]) -> object:
    """The type of what a path of attributes leads to, None included if one on the way can be."""
    hint: object = kind
    none = False
    for name in path:
        parts = [part for part in _alternatives(hint) if part is not NoneType]
        none |= len(parts) < len(_alternatives(hint))
        if len(parts) != 1:
            raise UntypedError(f"{kind.__name__}: `{'.'.join(path)}` goes through {hint}")
        hint = _hint(get_origin(parts[0]) or parts[0], name)
    return Union[hint, None] if none else hint  # noqa: UP007 - of a type that is a value


def _alternatives(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _hint(kind: object, name: str) -> object:
    """The type of an attribute: of a field, a property, a method, an argument of the class."""
    assert isinstance(kind, type)
    for part in kind.__mro__:
        found: object = inspect.get_annotations(part).get(name)
        if found is None and name in vars(part):
            getter = vars(part)[name]
            getter = getattr(getter, "fget", None) or getattr(getter, "func", None) or getter
            found = getattr(getter, "__annotations__", {}).get("return")
        if found is None and name in vars(part).get("__slots__", ()):
            found = vars(part)["__init__"].__annotations__.get(name)
        found = getattr(found, "__forward_arg__", found)
        if isinstance(found, str):
            try:
                return eval(found, _names(part.__module__))
            except NameError as problem:
                raise UntypedError(f"{part.__name__}.{name}: {problem}") from None
        if found is not None:
            return found
    raise UntypedError(f"{kind.__name__} has no type for `{name}`")


@cache
def _names(name: str) -> dict[str, object]:
    """The names of a module, with those that it imports for type checkers only."""
    module = import_module(name)
    typed = {**vars(module)}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for statement in node.body:
                # What is optional is missing where a wheel is built, and no document has it.
                with suppress(ImportError):
                    exec(compile(ast.Module([statement], []), name, "exec"), typed)
    # What the module has itself is what its values are made of.
    return {**typed, **vars(module)}


def _description(kind: type) -> str:
    """The docstring, a line for each paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in (kind.__doc__ or "").split("\n\n"))


#: Of each member of an object its schema, and whether it is always there; of others under ``""``.
_Members = Mapping[str, tuple[JsonObject, bool]]


def _object(members: _Members) -> JsonObject:
    return {
        "type": "object",
        "properties": {name: said for name, (said, _) in members.items() if name},
        "required": [name for name, (_, always) in members.items() if always],
        "additionalProperties": members.get("", (False, False))[0],
    }


@frozen
class _Definitions:
    """The definitions of a schema, by the names of their classes."""

    found: JsonObject = field(factory=dict)
    kinds: dict[str, type] = field(factory=dict)

    def of_document(self, kind: type[Document]) -> _Members:
        """The schema's name, the version that is followed, the class's own members or ``data``."""
        found: _Members = {"schema": ({"const": kind.schema}, True)}
        if not _is_from(kind, "followed", Document):
            found = {**found, **self.inline(hint_of(kind, ("followed",)))}
        if not _is_from(kind, "data", Document):
            return {**found, **self.inline(_hint(kind, "data"))}
        own = self.of_class(kind)
        return {**found, **{name: own[name] for name in own if name != "followed"}}

    def of_class(self, kind: type) -> _Members:
        """The members of an attrs class or a dictionary."""
        if is_typeddict(kind):
            return {name: self._item(kind, name) for name in inspect.get_annotations(kind)}
        found: _Members = {}
        for member in members(kind) or ():
            if member.constant is not None:
                found = {**found, member.name: ({"const": member.constant}, True)}
                continue
            hint = hint_of(kind, member.path)
            if member.sparse:
                there = tuple(part for part in _alternatives(hint) if part is not NoneType)
                found = {**found, member.name: (self._union(there), False)}
            elif member.name:
                found = {**found, member.name: (self.said(hint), True)}
            else:
                found = {**found, **self.inline(hint)}
        return found

    def _item(self, kind: type, name: str) -> tuple[JsonObject, bool]:
        """An item of a dictionary."""
        hint = _hint(kind, name)
        if get_origin(hint) is NotRequired:
            return self.said(get_args(hint)[0]), False
        return self.said(hint), bool(vars(kind)["__total__"])

    def inline(self, hint: object) -> _Members:
        """The members of an object that stand in another one."""
        if isinstance(kind := get_origin(hint), type) and issubclass(kind, Mapping):
            return {"": (self.said(get_args(hint)[1]), False)}
        parts = [part for part in _alternatives(hint) if part is not NoneType]
        if len(parts) != 1 or not isinstance(parts[0], type):
            raise UntypedError(f"no members in {hint}")
        always = len(parts) == len(_alternatives(hint))
        found = self.of_class(parts[0])
        return {name: (said, there and always) for name, (said, there) in found.items()}

    def said(self, hint: object) -> JsonObject:
        """The schema of values of a type."""
        if hint in _WORDS:
            return {"type": _WORDS[hint]}
        origin, args = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            return self._union(args)
        if origin is Annotated:
            return self.said(args[0])
        if origin is Literal:
            return {"enum": list(args)}
        if hint is object:
            return {}
        kind = origin or hint
        if not isinstance(kind, type):
            raise UntypedError(f"no schema for {hint}")
        if is_text(kind):
            return {"type": "string"}
        if hasattr(kind, "to_dict") and not (is_shaped(kind) or issubclass(kind, Document)):
            return self.said(_hint(kind, "to_dict"))
        if members(kind) is not None or is_typeddict(kind):
            return self._reference(kind)
        if issubclass(kind, Enum):
            return {"enum": [plain(member) for member in kind]}
        if issubclass(kind, Mapping):
            return self._mapping(*args)
        if issubclass(kind, Sequence | Set | Iterable) and args:
            return self._list(kind, args)
        raise UntypedError(f"no schema for {hint}")

    def _union(self, args: Sequence[object]) -> JsonObject:
        parts = [self.said(part) for part in args]
        others = [part for part in parts if list(part) != ["type"]]
        words: dict[object, None] = {}
        for part in parts:
            if list(part) == ["type"]:
                found = part["type"]
                words.update(dict.fromkeys(found if isinstance(found, list) else [found]))
        if "number" in words:
            words.pop("integer", None)
        joined: JsonObject = {"type": [*words] if len(words) > 1 else next(iter(words), "")}
        if len(others) == len(parts) == 1:
            return others[0]
        return {"anyOf": [*others, *([joined] if words else [])]} if others else joined

    def _list(self, kind: type, args: Sequence[object]) -> JsonObject:
        if issubclass(kind, tuple) and args[-1] is not Ellipsis:
            parts = [*map(self.said, args)]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "items": False}
        return {"type": "array", "items": self.said(args[0])}

    def _mapping(self, key: object, value: object) -> JsonObject:
        """An object whose names are not fields; of names that are listed all are there, or any."""
        said = self.said(value)
        if get_origin(key) is Literal:
            return _object(dict.fromkeys(get_args(key), (said, True)))
        if isinstance(key, type) and issubclass(key, Enum):
            return _object({str(plain(member)): (said, False) for member in key})
        return {"type": "object", "additionalProperties": said}

    def _reference(self, kind: type) -> JsonObject:
        name = kind.__name__
        if self.kinds.setdefault(name, kind) is not kind:
            raise UntypedError(f"two classes are called {name}")
        if name not in self.found:
            self.found[name] = None
            of = self.of_document(kind) if issubclass(kind, Document) else self.of_class(kind)
            self.found[name] = {"description": _description(kind), **_object(of)}
        return {"$ref": f"#/$defs/{name}"}
