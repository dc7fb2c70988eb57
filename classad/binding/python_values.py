"""Converts ClassAd values to Python values, and checks arguments, for the public interface.

Lists, times and scalars have Python classes of their own.  What an ad or an expression is shown as
is registered by the modules of ``ClassAd`` and ``ExprTree``, which convert values themselves.

Inputs: the result of an evaluation, or what an ad stores.  Outputs: Python values; ads and lists
are copies.
Follows: the conversions of classad2 25.14.1.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from classad.ads.ad import Ad, ListValue, Stored
from classad.ads.expression import Expression
from classad.errors import V1Warning, suggest
from classad.language.values import AbsTime, RelTime, Value, to_bytes

#: What the Python interface hands out: a scalar, a list, a ``datetime``, a ``ClassAd``, an
#: ``ExprTree``.  Python users know which, a type checker cannot.
PythonValue: TypeAlias = Any

#: ``Ad`` and ``Expression`` -> what makes the object that Python users see of one.
FACTORIES: Final[dict[type, Callable[..., PythonValue]]] = {}

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def to_python(value: Stored) -> PythonValue:
    """The Python object for the result of an evaluation."""
    kind = value.__class__
    if kind is str:
        return _text(value)
    if kind is bool or kind is int or kind is float or kind is Value:
        return value
    if kind is ListValue:
        return [item_to_python(item) for item in value.items]
    if kind is AbsTime:
        return _EPOCH + timedelta(seconds=value.secs)
    if kind is RelTime:
        return value.secs
    if isinstance(value, Ad):
        return FACTORIES[Ad](value)
    return value


def item_to_python(item: Stored) -> PythonValue:
    """The Python object for what an ad or a list stores: expressions stay expressions."""
    if item.__class__ is Expression:
        # An ad keeps literals, lists and ads as values; of those only a relative time is left.
        from classad.syntax.nodes import Literal

        node = item.node
        return to_python(node.value) if isinstance(node, Literal) else FACTORIES[Expression](item)
    return to_python(item)


def _text(value: str) -> str:
    """A string, refused as classad2 does when its bytes are not UTF-8."""
    if value.isascii():
        return value
    to_bytes(value).decode("utf-8")
    return value


A = TypeVar("A", bound=Ad)

#: What to do with an ad or expression of HTCondor's own module.
COPY_HELP: Final = "it belongs to HTCondor's own module: `from_classad2` copies it"
#: What to call instead with what was given.
MATCH_HELP: Final = "for the ads that match an ad call `match`"
RANK_HELP: Final = "for the numbers of an expression call `numbers`"
SELECT_HELP: Final = "for the ads in which an expression is true call `select`"


#: What warnings about habits of version 1 end with.
_V1_HELP: Final = (
    "(HTCondor's bindings did otherwise before version 25; `import classad.v1 as classad` does it "
    "their way)"
)


def warn_of_v1(expr: Expression, what: str) -> None:
    """Warn of a use of an expression that gave another result in version 1 of the bindings.

    To be called by the method that is used.  An expression without attributes has no other value.
    """
    from warnings import warn

    from classad.syntax.nodes import Reference, walk

    if any(isinstance(node, Reference) for node in walk(expr.node)):
        warn(f"the expression `{expr!r}` {what} {_V1_HELP}", V1Warning, stacklevel=3)


class _Names(Protocol):
    """What many ads have attributes of."""

    @property
    def names(self) -> list[str]:
        """The attributes that some ad has."""

    def has(self, name: str) -> bool:
        """Whether some ad has an attribute."""


def is_htcondors(item: object) -> bool:
    """Whether an object is an ad or expression of ``classad2``."""
    return any(kind.__module__.partition(".")[0] == "classad2" for kind in type(item).__mro__)


def checked_ad(ad: object, kind: type[A], what: str, help: str = "") -> A:
    """An ad of a class.  ``what``: the argument's name; ``help``: what else to call."""
    if isinstance(ad, kind):
        return ad
    advice = COPY_HELP if is_htcondors(ad) else help
    raise TypeError(f"{what} must be a ClassAd{advice and '; '}{advice}")


def known_name(name: object, table: _Names) -> str:
    """A name that some ad of a table has; else ``KeyError``."""
    if not isinstance(name, str):
        raise TypeError("attribute names are strings")
    if table.has(name):
        return name
    near = suggest(name, table.names)
    advice = f"did you mean `{near}`?" if near else "`names` lists what they have"
    raise KeyError(f"no ad has an attribute `{name}`; {advice}")
