"""Classes that are records, under the names that attrs has: ``frozen``, ``define``, ``field``, ...

Type checkers take them for those of attrs, so what they know of attrs holds here.  A class has
slots for its fields from the beginning; ``__init__``, ``__eq__``, ``__hash__`` and what is known of
the fields are made when they are first asked for, since a command imports many classes that it
makes no value of.  Importing attrs and making all methods at once was a third of a short command.

What differs from attrs: annotations are texts, and the order of defaults is not checked.  ``light``
is ``frozen`` for type checkers alone, for what is made by the thousand: in half the time.
``__attrs_attrs__`` is there for programs that ask attrs for the fields of a class.
"""

from __future__ import annotations

from functools import cached_property, partial
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

__all__ = [
    "Factory", "asdict", "astuple", "define", "evolve", "field", "fields", "fields_dict", "frozen",
    "has", "light",
]  # fmt: skip

#: Compiles methods; ``pieslice.kept_code`` puts in its place what keeps what it compiles.
compile_code: Callable[[str, str, str], CodeType] = compile

#: A value of any class: of fields, which their declarations give classes, and of members.
_Value: TypeAlias = Any
#: Members that hold a function.
_WRAPPED: Final = (property, classmethod, staticmethod)
#: What is in place of a value that there is not.
NOTHING: Final[_Value] = type("Nothing", (), {"__slots__": (), "__repr__": lambda _: "NOTHING"})()


class _Factory:
    """Stands for a default that is made for each value; ``takes_self``: of the value itself."""

    __slots__ = ("factory", "takes_self")

    def __init__(self, factory: Callable[..., _Value], takes_self: bool = False) -> None:
        self.factory = factory
        self.takes_self = takes_self


class _Field:
    """A field as it is declared; its name and annotation come from the class."""

    name = alias = ""
    type: object = None

    def __init__(
        self,
        *,
        default: _Value = NOTHING,
        factory: Callable[[], _Value] | None = None,
        converter: Callable[[_Value], _Value] | None = None,
        init: bool = True,
        repr: bool = True,
        eq: bool = True,
        kw_only: bool | None = None,
        metadata: dict[_Value, _Value] | None = None,
    ) -> None:
        self.default = default if factory is None else _Factory(factory)
        self.converter = converter
        self.init, self.repr, self.eq, self.kw_only = init, repr, eq, kw_only
        self.metadata = metadata or {}


class _Late:
    """A member of a class that is made when it is first asked for, and takes this one's place."""

    __slots__ = ("make", "name", "record")

    def __init__(self, record: _Record, name: str, make: Callable[[_Record], _Value]) -> None:
        self.record, self.name, self.make = record, name, make

    def __get__(self, value: object, kind: type) -> _Value:
        made = self.make(self.record)
        setattr(self.record.kind, self.name, made)
        return made.__get__(value, kind) if callable(made) else made


class _Kept(cached_property[_Value]):
    """A ``cached_property`` without a lock, which takes longer than most that is kept."""

    def __get__(self, value: _Value, kind: type | None = None) -> _Value:
        if value is None:
            return self
        found = value.__dict__[self.attrname] = self.func(value)
        return found


class _Record:
    """What is declared of one class."""

    __slots__ = ("declared", "frozen", "kind", "kw_only")
    kind: type

    def __init__(self, declared: dict[str, _Value], frozen: bool, kw_only: bool) -> None:
        self.declared, self.frozen, self.kw_only = declared, frozen, kw_only

    def fields(self) -> tuple[_Field, ...]:
        """Those of the bases, and behind them those of the class, in the order of declaration."""
        found: dict[str, _Field] = {}
        for base in self.kind.__mro__[:0:-1]:
            for one in fields(base) if "__attrs_attrs__" in base.__dict__ else ():
                found.pop(one.name, None)
                found[one.name] = one
        hints = self.kind.__annotations__
        for name, value in self.declared.items():
            one = value if value.__class__ is _Field else _Field(default=value)
            one.name, one.alias, one.type = name, name.lstrip("_"), hints[name]
            if one.kw_only is None:
                one.kw_only = self.kw_only
            found.pop(name, None)
            found[name] = one
        return tuple(found.values())

    def method(self, words: str, lines: list[str], known: dict[str, _Value]) -> _Value:
        """A method of the class: its name and parameters, its lines, and what they know."""
        kind = self.kind
        text = "\n ".join((f"def {words}:", *(lines or ["pass"])))
        exec(compile_code(text, f"<{kind.__module__}.{kind.__qualname__}>", "exec"), known)
        made = known.pop(words.partition("(")[0])
        made.__module__, made.__qualname__ = kind.__module__, f"{kind.__qualname__}.{made.__name__}"
        return made

    def init(self) -> _Value:
        """``__init__``: an argument a field, those that have to be named behind the others."""
        known: dict[str, _Value] = {"NOTHING": NOTHING}
        arguments, named, lines = ["self"], list[str](), list[str]()
        for one in fields(self.kind):
            name, value = one.name, one.alias
            made = f"default_{name}" if one.default is not NOTHING else ""
            if made:
                known[made] = one.default
            if one.default.__class__ is _Factory:
                known[made] = one.default.factory
                made += "(self)" if one.default.takes_self else "()"
                if one.init:
                    value = f"{made} if {value} is NOTHING else {value}"
            if one.init:
                preset = "" if not made else "=NOTHING" if made[-1] == ")" else f"={made}"
                (named if one.kw_only else arguments).append(one.alias + preset)
            elif made:
                value = made
            else:
                continue
            if one.converter is not None:
                known[f"convert_{name}"] = one.converter
                value = f"convert_{name}({value})"
            lines.append(self.assignment(name, value, known))
        if hasattr(self.kind, "__attrs_post_init__"):
            lines.append("self.__attrs_post_init__()")
        if named:
            arguments += ["*", *named]
        return self.method(f"__init__({', '.join(arguments)})", lines, known)

    def assignment(self, name: str, value: str, known: dict[str, _Value]) -> str:
        """A line that gives a new value one of its fields."""
        if not self.frozen:
            return f"self.{name} = {value}"
        slot = getattr(self.kind, name, None)
        if slot.__class__ is not MemberDescriptorType:
            known["set_any"] = object.__setattr__
            return f"set_any(self, {name!r}, {value})"
        known[f"set_{name}"] = slot.__set__
        return f"set_{name}(self, {value})"

    def eq(self) -> _Value:
        """``__eq__``: of values of the very same class, field by field."""
        same = [f"self.{one.name} == other.{one.name}" for one in fields(self.kind) if one.eq]
        lines = [
            "if other.__class__ is not self.__class__: return NotImplemented",
            f"return {' and '.join(same) or 'True'}",
        ]
        return self.method("__eq__(self, other)", lines, {})

    def hash(self) -> _Value:
        """``__hash__``: of what is compared."""
        values = "".join(f"self.{one.name}, " for one in fields(self.kind) if one.eq)
        return self.method("__hash__(self)", [f"return hash(({values}))"], {})

    def match_args(self) -> tuple[str, ...]:
        """``__match_args__``: what a pattern without names stands for."""
        return tuple(one.name for one in fields(self.kind) if one.init and not one.kw_only)


def _refuse(self: object, name: str, *value: object) -> NoReturn:
    raise AttributeError(f"`{name}` of a frozen {self.__class__.__name__} stays as it is")


def _set_state(self: object, state: _Value) -> None:
    """Fill in a copy, or what was sent from another process."""
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            object.__setattr__(self, name, value)


def _repr(self: _Value) -> str:
    kind = self.__class__
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(kind) if one.repr)
    return f"{kind.__qualname__.rpartition('>.')[2]}({', '.join(shown)})"


def _define(
    kind: type | None = None,
    *,
    frozen: bool = False,
    unsafe_hash: bool = False,
    eq: bool = True,
    repr: bool = True,
    kw_only: bool = False,
    slots: bool = True,
) -> _Value:
    """The class as a record; ``frozen``: its fields stay, so what is compared has a hash.

    ``unsafe_hash``: it has one although nothing but a type checker sees to it.
    """
    if kind is None:
        words: dict[str, _Value] = {"frozen": frozen, "unsafe_hash": unsafe_hash, "eq": eq}
        return partial(_define, **words, repr=repr, kw_only=kw_only, slots=slots)
    own = dict(kind.__dict__)
    declared = {
        name: own.pop(name, NOTHING)
        for name, hint in own.get("__annotations__", {}).items()
        if not hint.startswith(("ClassVar", "typing.ClassVar"))
    }
    record = _Record(declared, frozen, kw_only)
    added: dict[str, _Value] = {"__attrs_attrs__": _Late(record, "__attrs_attrs__", _Record.fields)}
    if "__init__" not in own:
        added["__init__"] = _Late(record, "__init__", _Record.init)
    if "__match_args__" not in own:
        added["__match_args__"] = _Late(record, "__match_args__", _Record.match_args)
    if frozen:
        added["__setattr__"] = added["__delattr__"] = _refuse
        added["__setstate__"] = _set_state
    if repr and "__repr__" not in own:
        added["__repr__"] = _repr
    if eq and "__eq__" not in own:
        added["__eq__"] = _Late(record, "__eq__", _Record.eq)
        if "__hash__" not in own:
            is_hashed = frozen or unsafe_hash
            added["__hash__"] = _Late(record, "__hash__", _Record.hash) if is_hashed else None
    record.kind = _with_slots(kind, own | added, declared) if slots else _in_place(kind, added)
    return record.kind


def _in_place(kind: type, added: dict[str, _Value]) -> type:
    for name in added["__attrs_attrs__"].record.declared.keys() & kind.__dict__.keys():
        delattr(kind, name)
    for name, member in added.items():
        setattr(kind, name, member)
    return kind


def _with_slots(kind: type, members: dict[str, _Value], declared: dict[str, _Value]) -> type:
    """The class once more, with slots, which a class has from its beginning or never."""
    bases = {name for base in kind.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    slots = [name for name in declared if name not in bases]
    for name in ("__dict__", "__weakref__"):
        members.pop(name, None)
    base = kind.__base__
    assert base is not None
    if not base.__weakrefoffset__:
        slots.append("__weakref__")
    inner: list[_Value] = []
    for name, member in members.items():
        if member.__class__ is cached_property:
            if not base.__dictoffset__ and "__dict__" not in slots:
                slots.append("__dict__")  # where it keeps its value
            members[name] = _Kept(member.func)
            member = member.func
        elif member.__class__ in _WRAPPED:
            member = getattr(member, "fget", None) or getattr(member, "__func__", None)
        if member.__class__ is FunctionType and "__class__" in member.__code__.co_freevars:
            inner.append(member)
    made = type(kind)(kind.__name__, kind.__bases__, members | {"__slots__": tuple(slots)})
    for member in inner:  # `super()` there, and `__class__`, mean the class that stays
        cell = member.__closure__[member.__code__.co_freevars.index("__class__")]
        if cell.cell_contents is kind:
            cell.cell_contents = made
    return made


def _has(kind: type) -> bool:
    """Whether a class is a record."""
    return hasattr(kind, "__attrs_attrs__")


def _fields(kind: type) -> tuple[_Field, ...]:
    """The fields of a class, those of its bases first."""
    found: tuple[_Field, ...] = kind.__attrs_attrs__  # type: ignore[attr-defined]
    return found


def _fields_dict(kind: type) -> dict[str, _Field]:
    """The fields of a class by their names."""
    return {one.name: one for one in fields(kind)}


def _evolve(value: _Value, **changes: _Value) -> _Value:
    """A value like another one, but for some of its fields."""
    kind = value.__class__
    for one in kind.__attrs_attrs__:
        if one.init and one.alias not in changes:
            changes[one.alias] = getattr(value, one.name)
    return kind(**changes)


def _plain(value: _Value) -> _Value:
    """Records as dictionaries and what holds several as a list, in dictionaries, too."""
    if _has(value.__class__):
        return _asdict(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _asdict(value: _Value, recurse: bool = True) -> dict[str, _Value]:
    """The fields of a value by their names."""
    found = {one.name: getattr(value, one.name) for one in fields(value.__class__)}
    return {name: _plain(one) for name, one in found.items()} if recurse else found


def _astuple(value: _Value, recurse: bool = True) -> tuple[_Value, ...]:
    """The values of the fields in their order; ``recurse``: those that are records as tuples."""
    found = (getattr(value, one.name) for one in fields(value.__class__))
    return tuple(_astuple(one) if recurse and _has(one.__class__) else one for one in found)


if TYPE_CHECKING:
    from attr import (
        Factory,
        asdict,
        astuple,
        define,
        evolve,
        field,
        fields,
        fields_dict,
        frozen,
        has,
    )
    from attr import frozen as light
else:
    Factory, field, has, evolve = _Factory, _Field, _has, _evolve
    define, frozen = _define, partial(_define, frozen=True)
    light = partial(_define, unsafe_hash=True)
    fields, fields_dict, asdict, astuple = _fields, _fields_dict, _asdict, _astuple
