"""Converts to and from HTCondor's own Python module ``classad2``, when its wheel is installed.

Numbers, booleans and strings go over as values, since printing a real keeps 16 digits only;
everything else goes over as the text of its expression.  No other module imports a package of
HTCondor.

Inputs and outputs: ads and expressions of either library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

from classad.binding.ad import ClassAd
from classad.binding.convert import CANNOT_CONVERT
from classad.binding.expr import ExprTree
from classad.binding.python_values import is_htcondors
from classad.errors import ClassAdTypeError
from classad.language.values import to_bytes

if TYPE_CHECKING:
    from types import ModuleType

#: An ad or expression of classad2, or one of its values: compiled classes without types.
Theirs: TypeAlias = Any

_HINT: Final = "this needs HTCondor's Python bindings: pip install htcondor"
_VALUES: Final = frozenset({bool, int, float, str})


def from_classad2(item: Theirs) -> ClassAd | ExprTree:
    """The ad or expression of ``classad2`` as one of this package.

    Nested ads and lists come along; the ad is copied.  ``TypeError`` for anything else.
    """
    kinds = {kind.__name__ for kind in type(item).__mro__} if is_htcondors(item) else set()
    if "ClassAd" in kinds:
        ad = ClassAd()
        for name in item:
            ad[name] = _ours(item, name)
        return ad
    if "ExprTree" in kinds:
        return ExprTree(repr(item))
    raise ClassAdTypeError(f"{CANNOT_CONVERT} it is no ad or expression of classad2")


@overload
def to_classad2(item: ClassAd) -> Theirs: ...
@overload
def to_classad2(item: ExprTree) -> Theirs: ...
def to_classad2(item: ClassAd | ExprTree) -> Theirs:
    """An ad or expression of this package as one of ``classad2``.

    What an ad inherits from a chained parent does not come along.  ``ImportError``: the wheel
    ``htcondor`` is not installed.  ``TypeError`` for anything but an ad or expression.
    """
    if not isinstance(item, ClassAd | ExprTree):
        raise ClassAdTypeError("item must be a ClassAd or an ExprTree")
    theirs = _classad2()
    if isinstance(item, ExprTree):
        return theirs.ExprTree(repr(item))
    ad = theirs.ClassAd()
    for name in item.names():
        value = item.raw(name)
        if value.__class__ in _VALUES:
            # classad2 takes bytes for strings that are not UTF-8.
            odd = isinstance(value, str) and not value.isascii()
            ad[name] = to_bytes(str(value)) if odd else value
        else:
            ad[name] = theirs.ExprTree(repr(item.lookup(name)))
    return ad


def _ours(ad: Theirs, name: str) -> Theirs:
    """What our ad stores for an attribute of theirs."""
    try:
        value = ad[name]
    except UnicodeDecodeError:  # a string whose bytes are not UTF-8
        return ExprTree(repr(ad.lookup(name)))
    if hasattr(value, "lookup"):
        return from_classad2(value)
    text = "" if value.__class__ in _VALUES - {float} else repr(ad.lookup(name))
    # What they hand out as a number of seconds may be a relative time.
    by_value = not text or (value.__class__ is float and not text.startswith("relTime"))
    return value if by_value else ExprTree(text)


def _classad2() -> ModuleType:
    from importlib import import_module

    try:
        return import_module("classad2")
    except ImportError as problem:
        raise ImportError(_HINT, name="classad2") from problem
