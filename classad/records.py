"""Declares records: classes with typed fields, their constructor, comparison and text.

``@define`` and ``@frozen`` mean what they mean in the package attrs, whose plugins type checkers
have, and the functions of attrs (``fields``, ``asdict``, ``evolve``, ...) work with records; but
attrs writes and compiles up to five methods of each class while it is imported, a fifth of the time
of a whole command.  Here a constructor and a comparison are compiled when they are first called.
Records have slots, ``functools.cached_property`` as well, unless they say ``slots=False``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from reprlib import recursive_repr
from types import CellType, MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attr import Factory as Factory
    from attr import asdict as asdict
    from attr import define as define
    from attr import evolve as evolve
    from attr import field as field
    from attr import fields as fields
    from attr import frozen as frozen
    from attr import has as has

_NOTHING: Any = type("NOTHING", (), {"__repr__": lambda self: "NOTHING"})()
_NO_METADATA: Mapping[Any, Any] = MappingProxyType({})
_assign = object.__setattr__
#: Records of classes that are made here, these classes, their methods, and what makes one of these.
_Record = Any
_Class = Any
_Method = Callable[..., Any]
_Maker = Callable[[_Class], _Method]
#: The name of a method that is not compiled yet.
_LATER = "later"


class FrozenInstanceError(AttributeError):
    """Somebody changes a field of a frozen record."""


class _Factory:
    """A default that is made anew for each record."""

    __slots__ = ("factory", "takes_self")

    def __init__(self, factory: Callable[..., object], takes_self: bool = False) -> None:
        self.factory, self.takes_self = factory, takes_self


class Field:
    """A field of a record, as ``fields`` gives it; the names are those of attrs."""

    __slots__ = (
        "alias", "converter", "default", "eq", "inherited", "init", "kw_only", "metadata", "name",
        "repr", "type",
    )  # fmt: skip
    eq_key = order = order_key = hash = on_setattr = validator = None

    def __init__(
        self,
        default: object = _NOTHING,
        *,
        factory: Callable[[], object] | None = None,
        init: bool = True,
        eq: bool = True,
        repr: bool = True,
        kw_only: bool = False,
        converter: Callable[[Any], object] | None = None,
        metadata: Mapping[Any, Any] | None = None,
    ) -> None:
        self.default = default if factory is None else _Factory(factory)
        self.init, self.eq, self.repr, self.kw_only = init, eq, repr, kw_only
        self.converter = converter
        self.metadata = _NO_METADATA if metadata is None else MappingProxyType(dict(metadata))
        self.name = self.alias = ""
        self.type: object = None
        self.inherited = False

    def __repr__(self) -> str:
        return f"Field({self.name!r}, type={self.type!r}, default={self.default!r})"

    def named(self, name: str, type: object) -> Field:
        """The same, under its name; a parameter of the constructor has no underscore before it."""
        self.name, self.alias, self.type = name, name.lstrip("_"), type
        return self

    def passed_on(self) -> Field:
        """The same of a class derived from the one that declares it."""
        if self.inherited:
            return self
        copy = Field.__new__(Field)
        for name in Field.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.inherited = True
        return copy


def _collected(cls: type, kw_only: bool) -> tuple[Field, ...]:
    """The fields of a class: those of its bases first, each where it was declared last."""
    own = {}
    hints = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - `inspect` takes long to import
    for name, said in hints.items():
        if "ClassVar" in str(said):
            continue
        value = cls.__dict__.get(name, _NOTHING)
        one = value if isinstance(value, Field) else Field(value)
        one.kw_only |= kw_only
        own[name] = one.named(name, said)
    below: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:-1]):
        for one in base.__dict__.get("__attrs_attrs__", ()):
            if not one.inherited and one.name not in own:
                below.pop(one.name, None)
                below[one.name] = one.passed_on()
    found = (*below.values(), *own.values())
    optional = ""
    for one in found:
        if not one.init or one.kw_only:
            continue
        if one.default is not _NOTHING:
            optional = one.name
        elif optional:
            raise TypeError(f"{cls.__name__}: `{one.name}` has no default and follows `{optional}`")
    return found


# --- methods that are compiled when they are first called ----------------------------------------


def _compiled(cls: type, name: str, lines: list[str], known: dict[str, Any]) -> _Method:
    """A method of a class out of its lines."""
    exec(compile("\n ".join(lines), f"<{cls.__qualname__}.{name}>", "exec"), known)
    method: _Method = known[name]
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
    setattr(cls, name, method)
    return method


def _constructor(cls: _Class) -> _Method:
    """``__init__`` of a record."""
    positional, named, body = ["self"], list[str](), list[str]()
    hints: dict[str, object] = {"return": None}
    known: dict[str, Any] = {"_set_of": _assign.__get__, "NOTHING": _NOTHING}
    slotted, is_frozen = cls.__dict__["__record__"]
    for number, one in enumerate(cls.__attrs_attrs__):
        default, value = one.default, one.alias
        made = isinstance(default, _Factory)
        if default is not _NOTHING:
            known[f"default_{number}"] = default.factory if made else default
        given = f"default_{number}"
        if made:
            given += "(self)" if default.takes_self else "()"
        if one.init:
            hints[one.alias] = one.type
            word = one.alias
            if default is not _NOTHING:
                word += "=NOTHING" if made else f"=default_{number}"
            (named if one.kw_only else positional).append(word)
            value = f"{given} if {one.alias} is NOTHING else {one.alias}" if made else one.alias
        elif default is _NOTHING:
            continue
        else:
            value = given
        if one.converter is not None:
            known[f"convert_{number}"] = one.converter
            value = f"convert_{number}({value})"
        if not is_frozen:
            body.append(f"self.{one.name} = {value}")
        elif slotted:
            body.append(f"_set({one.name!r}, {value})")
        else:
            body.append(f"_dict[{one.name!r}] = {value}")
    if is_frozen:
        body.insert(0, "_set = _set_of(self)" if slotted else "_dict = self.__dict__")
    if hasattr(cls, "__attrs_post_init__"):
        body.append("self.__attrs_post_init__()")
    words = ", ".join([*positional, *(["*", *named] if named else [])])
    method = _compiled(cls, "__init__", [f"def __init__({words}):", *(body or ["pass"])], known)
    method.__annotations__ = hints
    return method


def _compared(cls: _Class) -> _Method:
    """``__eq__`` of a record."""
    names = [one.name for one in cls.__attrs_attrs__ if one.eq]
    same = " and ".join(f"self.{name} == other.{name}" for name in names) or "True"
    lines = [
        "def __eq__(self, other):",
        "if other.__class__ is not self.__class__: return NotImplemented",
        f"return {same}",
    ]
    return _compiled(cls, "__eq__", lines, {})


def _hashed(cls: _Class) -> _Method:
    """``__hash__`` of a frozen record."""
    names = [one.name for one in cls.__attrs_attrs__ if one.eq]
    values = "".join(f"self.{name}, " for name in names)
    known: dict[str, object] = {"kind": hash(cls.__qualname__)}
    return _compiled(
        cls, "__hash__", ["def __hash__(self):", f"return hash((kind, {values}))"], known
    )


def _later(cls: _Class, make: _Maker) -> _Method:
    """A method that becomes another one of its class when it is first called."""

    def method(self: object, *args: object, **named: object) -> object:
        return make(cls)(self, *args, **named)

    method.__name__ = _LATER
    return method


class _Signature:
    """The signature of a record's constructor, for ``inspect``."""

    def __get__(self, record: object, cls: _Class) -> object:
        from inspect import signature

        cls = next(base for base in cls.__mro__ if "__init__" in base.__dict__)
        made: _Method = cls.__dict__["__init__"]
        found = signature(_constructor(cls) if made.__name__ == _LATER else made)
        return found.replace(parameters=list(found.parameters.values())[1:])


# --- methods that all records share --------------------------------------------------------------


@recursive_repr("...")
def _text(self: _Record) -> str:
    """The name of the class with the fields that are shown."""
    cls = self.__class__
    shown = (one.name for one in cls.__attrs_attrs__ if one.repr)
    inside = ", ".join(f"{name}={getattr(self, name, _NOTHING)!r}" for name in shown)
    return f"{cls.__qualname__.rsplit('>.', 1)[-1]}({inside})"


def _refuse(self: object, name: str, value: object = None) -> None:
    """Nobody changes a frozen record."""
    raise FrozenInstanceError(f"{self.__class__.__name__}.{name} does not change")


def _state(self: _Record) -> dict[str, object]:
    """What is pickled: the fields by name."""
    return {one.name: getattr(self, one.name) for one in self.__class__.__attrs_attrs__}


def _restore(self: object, state: Mapping[str, object]) -> None:
    for name, value in state.items():
        _assign(self, name, value)


def _replaced(self: _Record, /, **changes: object) -> _Record:
    return _evolve(self, **changes)


def _cached(self: object, name: str) -> object:
    """The value of a cached property that has a slot, which is empty."""
    for cls in self.__class__.__mro__:
        make = cls.__dict__.get("__cached__", _NO_METADATA).get(name)
        if make is not None:
            value = make(self)
            _assign(self, name, value)
            return value
    raise AttributeError(f"{self.__class__.__name__!r} object has no attribute {name!r}")


# --- the class -----------------------------------------------------------------------------------


def _rebuilt(cls: type, found: tuple[Field, ...], extra: dict[str, object]) -> type:
    """A class of the same content, with slots."""
    content = {k: v for k, v in cls.__dict__.items() if k not in ("__dict__", "__weakref__")}
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    slots = []
    for one in found:
        content.pop(one.name, None)
        if not one.inherited and one.name not in taken:
            slots.append(one.name)
    made = {name: it.func for name, it in content.items() if isinstance(it, cached_property)}
    if made:
        hints = dict(content.get("__annotations__", {}))
        for name, function in made.items():
            del content[name]
            slots.append(name)
            if "return" in function.__annotations__:
                hints[name] = function.__annotations__["return"]
        content["__annotations__"] = hints
        content["__cached__"], content["__getattr__"] = made, _cached
    if not any("__weakref__" in base.__dict__ for base in cls.__mro__[1:-1]):
        slots.append("__weakref__")
    content |= extra | {"__slots__": tuple(slots), "__qualname__": cls.__qualname__}
    for name, method in (("__getstate__", _state), ("__setstate__", _restore)):
        content.setdefault(name, method)
    record = type(cls)(cls.__name__, cls.__bases__, content)
    for cell in _cells(chain(content.values(), made.values())):
        if cell.cell_contents is cls:
            cell.cell_contents = record
    return record


def _cells(content: Iterator[object]) -> Iterator[CellType]:
    """What the functions of a class refer to; ``super()`` is one of these."""
    for it in content:
        functions = (it.fget, it.fset, it.fdel) if isinstance(it, property) else (it,)
        for function in functions:
            inner = getattr(function, "__func__", function)
            for cell in getattr(inner, "__closure__", None) or ():
                try:
                    cell.cell_contents  # noqa: B018
                except ValueError:
                    continue
                yield cell


def _record(cls: type, frozen: bool, eq: bool, repr: bool, kw_only: bool, slots: bool) -> type:
    """The class with what its fields make of it."""
    found = _collected(cls, kw_only)
    frozen = frozen or any(base.__dict__.get("__record__", (0, False))[1] for base in cls.__mro__)
    own = cls.__dict__
    extra: dict[str, object] = {
        "__attrs_attrs__": found,
        "__record__": (slots, frozen),
        "__signature__": _Signature(),
        "__match_args__": tuple(one.name for one in found if one.init and not one.kw_only),
    }
    late: list[tuple[str, _Maker]] = []
    if "__init__" not in own:
        late.append(("__init__", _constructor))
    if eq and "__eq__" not in own:
        late.append(("__eq__", _compared))
        if frozen and "__hash__" not in own:
            late.append(("__hash__", _hashed))
        elif "__hash__" not in own:
            extra["__hash__"] = None
    if repr and "__repr__" not in own:
        extra["__repr__"] = _text
    if frozen and "__setattr__" not in own:
        extra["__setattr__"] = extra["__delattr__"] = _refuse
    if "__replace__" not in own:
        extra["__replace__"] = _replaced
    if slots:
        cls = _rebuilt(cls, found, extra)
    else:
        for one in found:
            if one.name in own:
                delattr(cls, one.name)
        for name, value in extra.items():
            setattr(cls, name, value)
    for name, make in late:
        setattr(cls, name, _later(cls, make))
    return cls


def _declared(frozen: bool) -> Any:
    def declare(
        cls: type | None = None,
        *,
        eq: bool = True,
        repr: bool = True,
        kw_only: bool = False,
        slots: bool = True,
    ) -> Any:
        if cls is None:
            return lambda cls: _record(cls, frozen, eq, repr, kw_only, slots)
        return _record(cls, frozen, eq, repr, kw_only, slots)

    return declare


# --- records as values ---------------------------------------------------------------------------


def _evolve(record: _Record, /, **changes: object) -> _Record:
    """A record like another, with other values of some fields."""
    cls = record.__class__
    for one in cls.__attrs_attrs__:
        if one.init and one.alias not in changes:
            changes[one.alias] = getattr(record, one.name)
    return cls(**changes)


def _has(cls: type) -> bool:
    """Whether a class is one of records."""
    return hasattr(cls, "__attrs_attrs__")


def _fields(cls: _Class) -> tuple[Field, ...]:
    """The fields of a class of records, in order."""
    found: tuple[Field, ...] = cls.__attrs_attrs__
    return found


def _asdict(record: _Record, recurse: bool = True) -> dict[str, Any]:
    """The fields by name; what is in records, lists and dictionaries of them as well."""
    plain = _plain if recurse else lambda value: value
    return {one.name: plain(getattr(record, one.name)) for one in record.__class__.__attrs_attrs__}


def _plain(value: Any) -> Any:
    if _has(value.__class__):
        return _asdict(value)
    if isinstance(value, (tuple, list, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value


if not TYPE_CHECKING:
    define, frozen = _declared(False), _declared(True)
    field, Factory, evolve, fields, asdict, has = Field, _Factory, _evolve, _fields, _asdict, _has
