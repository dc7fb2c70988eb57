"""Gives ``ClassAd`` and ``ExprTree`` the habits of version 1 of HTCondor's Python bindings.

For programs that were written for that version, which ended with HTCondor 24:

>>> import classad.v1 as classad
>>> ad = classad.ClassAd({"Memory": 2048})
>>> ad["Requirements"] = classad.Attribute("Memory") > 1024
>>> bool(ad["Requirements"]), ad["Requirements"].eval()
(True, True)

An expression that is read from an ad remembers the ad; its truth is that of its value; its
operators build expressions; nested ads are dictionaries, absolute times naive ``datetime`` objects
in local time; ``keys``, ``values`` and ``items`` are iterators; ads and expressions can be hashed.

Inputs and outputs: those of ``classad``, which does the work.
Follows: the module ``classad`` of the wheel htcondor 24.12.24; tests/classad/v1_programs.jsonl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from functools import wraps
from typing import Any, Self

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.binding import ad as current
from classad.binding import ambient, functions
from classad.binding import expr as builders
from classad.binding.ambient import registerLibrary
from classad.binding.expr import ExprBuilder
from classad.binding.functions import Input, ParserType, lastError, quote, version
from classad.errors import (
    ClassAdEnumError,
    ClassAdEvaluationError,
    ClassAdException,
    ClassAdInternalError,
    ClassAdOSError,
    ClassAdParseError,
    ClassAdTypeError,
    ClassAdValueError,
)
from classad.language.values import ERROR, UNDEFINED
from classad.language.values import Value as CurrentValue
from classad.syntax.lazy import LazyExpression

__all__ = [
    "Attribute",
    "ClassAd",
    "ClassAdEnumError",
    "ClassAdEvaluationError",
    "ClassAdException",
    "ClassAdInternalError",
    "ClassAdOSError",
    "ClassAdParseError",
    "ClassAdTypeError",
    "ClassAdValueError",
    "ExprTree",
    "Function",
    "Literal",
    "Parser",
    "Value",
    "lastError",
    "parse",
    "parseAds",
    "parseNext",
    "parseOld",
    "parseOldAds",
    "parseOne",
    "quote",
    "register",
    "registerLibrary",
    "unquote",
    "version",
]

Parser = ParserType

#: What goes in and comes out: Python users know what, a type checker cannot.
PythonValue = Any


class Value(Enum):
    """The values that are no Python values; undefined is false, error has no truth."""

    Error = 1
    Undefined = 2

    def __bool__(self) -> bool:
        if self is Value.Error:
            raise ClassAdEvaluationError("Unable to evaluate expression.")
        return False

    def __int__(self) -> int:
        raise ClassAdValueError("Unable to convert expression to numeric type.")

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"classad.classad.Value.{self.name}"


Value.names = {member.name: member for member in Value}  # type: ignore[attr-defined]


# --- values out and in ----------------------------------------------------------------------

_VALUES = {UNDEFINED: Value.Undefined, ERROR: Value.Error}


def _out(value: PythonValue, scope: ClassAd | None = None) -> PythonValue:
    """What version 1 hands out for a value; ``scope``: the ad that an expression was read from."""
    if isinstance(value, CurrentValue):
        return _VALUES[value]
    if isinstance(value, Expression):
        tree = ExprTree.sharing(value)
        tree.scope = scope
        return tree
    if isinstance(value, Ad):
        nested = ClassAd.copy_of(value)
        return dict(nested.items())
    if isinstance(value, list):
        return [_out(item) for item in value]
    if isinstance(value, datetime):
        return value.astimezone().replace(tzinfo=None)
    return value


def _in(value: PythonValue) -> PythonValue:
    """What ``classad`` takes for a value that a program of version 1 has."""
    if isinstance(value, Value):
        return UNDEFINED if value is Value.Undefined else ERROR
    if isinstance(value, list | tuple):
        return [_in(item) for item in value]
    if isinstance(value, Mapping) and not isinstance(value, Ad):
        return {name: _in(item) for name, item in value.items()}
    return value


# --- expressions ----------------------------------------------------------------------------


class ExprTree(ExprBuilder):
    """An expression; one that was read from an ad is evaluated in that.

    What its operators build has no ad of its own.
    """

    __slots__ = ("scope",)

    #: The ad that this was read from.
    scope: ClassAd | None

    def __init__(self, expr: str | Expression) -> None:
        if not isinstance(expr, str | Expression):
            raise TypeError("expr must be a text or an ExprTree")
        super().__init__(expr)
        self.scope = None

    @classmethod
    def from_node(cls, node: Any | LazyExpression) -> Self:
        """The expression with this syntax tree, read from no ad."""
        self = super().from_node(node)
        self.scope = None
        return self

    def eval(self, scope: Ad | None = None) -> PythonValue:  # type: ignore[override]
        """The value in ``scope``, or in the ad that the expression was read from."""
        return _out(super().eval(_first(scope, self.scope)))

    def simplify(self, scope: Ad | None = None, target: Ad | None = None) -> ExprTree:
        """The value as a literal expression; see ``eval``."""
        return ExprTree.sharing(super().simplify(_first(scope, self.scope), target))

    def __bool__(self) -> bool:
        value = self.eval()
        return bool(value)

    def __getitem__(self, index: int) -> PythonValue:
        value = _out(super().eval(Ad()))
        if isinstance(value, list | str) and isinstance(index, int):
            return value[index]
        raise ClassAdValueError("ClassAd expression is unsubscriptable.")

    def __reduce__(self) -> tuple[type[ExprTree], tuple[str]]:
        return (ExprTree, (repr(self),))


def _taking_values(name: str) -> Callable[[ExprTree, object], ExprTree]:
    """A method that builds an expression, also from a ``Value`` of this module."""
    build = getattr(ExprBuilder, name)

    @wraps(build)
    def method(self: ExprTree, other: object) -> ExprTree:
        built: ExprTree = build(self, _in(other))
        return built

    return method


for _operator in ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "truediv", "mod"):
    setattr(ExprTree, f"__{_operator}__", _taking_values(f"__{_operator}__"))
for _name in ("and_", "or_", "is_", "isnt_"):
    setattr(ExprTree, _name, _taking_values(_name))


def _first(*scopes: Ad | None) -> Ad:
    """The first ad there is, or an empty one."""
    return next((scope for scope in scopes if scope is not None), Ad())


def Attribute(name: str) -> ExprTree:  # noqa: N802 - HTCondor's name
    """A reference to an attribute."""
    return ExprTree.from_node(builders.Attribute(name).node)


def Literal(value: object) -> ExprTree:  # noqa: N802 - HTCondor's name
    """A constant; an expression is evaluated."""
    if isinstance(value, Expression):
        return ExprTree.sharing(value).simplify()
    return ExprTree.from_node(builders.Literal(_in(value)).node)


def Function(name: str, *args: object) -> ExprTree:  # noqa: N802 - HTCondor's name
    """A call of a ClassAd function."""
    return ExprTree.from_node(builders.Function(name, *map(_in, args)).node)


def register(function: Callable[..., object], name: str | None = None) -> None:
    """Let expressions call a Python function, which is given the values of version 1."""

    @wraps(function)
    def call(*args: PythonValue, **state: PythonValue) -> PythonValue:
        given = {key: ClassAd.copy_of(ad) for key, ad in state.items() if isinstance(ad, Ad)}
        return _in(function(*map(_out, args), **{**state, **given}))

    ambient.register(call, name)


# --- ads ------------------------------------------------------------------------------------


class ClassAd(current.ClassAd):
    """An ad, from a text in new syntax or a dictionary."""

    __slots__ = ()

    def __init__(self, input: str | Mapping[str, object] | None = None) -> None:
        super().__init__(None if input is None else _in(input))

    def __getitem__(self, key: str) -> PythonValue:
        return _out(super().__getitem__(key), self)

    def __setitem__(self, key: str, value: object) -> None:
        try:
            super().__setitem__(key, _in(value))
        except ClassAdTypeError as problem:
            raise ClassAdValueError(str(problem)) from None

    def __delitem__(self, key: str) -> None:
        """Remove an attribute, if there is one."""
        if key in self:
            super().__delitem__(key)

    def keys(self) -> Iterator[str]:  # type: ignore[override]
        """The names, one after the other."""
        return iter(self)

    def values(self) -> Iterator[PythonValue]:  # type: ignore[override]
        """The values, one after the other."""
        return (self[name] for name in self)

    def items(self) -> Iterator[tuple[str, PythonValue]]:  # type: ignore[override]
        """Names and values, one after the other."""
        return ((name, self[name]) for name in self)

    def eval(self, attr: str) -> PythonValue:  # type: ignore[override]
        """The value of an attribute in this ad; ``KeyError`` if there is none."""
        return _out(super().eval(attr))

    def lookup(self, attr: str) -> ExprTree:
        """The expression of an attribute, which remembers this ad."""
        tree: ExprTree = _out(super().lookup(attr), self)
        return tree

    def flatten(self, expr: Expression) -> PythonValue:
        """What is left of an expression when the attributes of this ad are put in."""
        return _out(super().flatten(ExprTree.sharing(expr)))

    def externalRefs(self, expr: Expression) -> list[str]:  # noqa: N802
        """Names that an expression needs from elsewhere."""
        return [name for name in super().externalRefs(ExprTree.sharing(expr)) if name]

    def internalRefs(self, expr: Expression) -> list[str]:  # noqa: N802
        """Attributes of this ad that an expression uses."""
        return [name for name in super().internalRefs(ExprTree.sharing(expr)) if name]

    def __hash__(self) -> int:  # type: ignore[override]
        return object.__hash__(self)

    def __reduce__(self) -> tuple[type[ClassAd], tuple[str]]:
        return (ClassAd, (repr(self),))


def unquote(input: str) -> str:
    """The string that a ClassAd string literal stands for."""
    try:
        return functions.unquote(input)
    except ClassAdParseError:
        raise
    except ValueError as problem:
        raise ClassAdParseError(str(problem)) from None


# --- many ads -------------------------------------------------------------------------------


def parseAds(  # noqa: N802 - HTCondor's name
    input: Input, parser: ParserType = ParserType.Auto
) -> Iterator[ClassAd]:
    """The ads of a text, a file or lines, one after the other."""
    return map(ClassAd.copy_of, functions.parseAds(input, parser))


def parseNext(  # noqa: N802 - HTCondor's name
    input: Input, parser: ParserType = ParserType.Auto
) -> ClassAd:
    """The first ad of a text, or the next of a file; ``StopIteration`` if there is no more."""
    ad = functions.parseNext(input, parser)
    if ad is None:
        raise StopIteration("All input ads processed")
    return ClassAd.copy_of(ad)


def parseOne(  # noqa: N802 - HTCondor's name
    input: Input, parser: ParserType = ParserType.Auto
) -> ClassAd:
    """All ads of a text or file merged into one."""
    return ClassAd.copy_of(functions.parseOne(input, parser))


def parse(input: Input) -> ClassAd:
    """The first ad of a text or file in new syntax."""
    return ClassAd.copy_of(functions.parse(input))


def parseOld(input: Input) -> ClassAd:  # noqa: N802 - HTCondor's name
    """The ads of a text or file in old syntax, merged."""
    return ClassAd.copy_of(functions.parseOld(input))


def parseOldAds(input: Iterable[str] | Input) -> Iterator[ClassAd]:  # noqa: N802 - HTCondor's name
    """The ads of a text or file in old syntax."""
    return parseAds(input, ParserType.Old)
