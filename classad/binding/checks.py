"""Checks arguments of the public interface; the exceptions say what to do instead.

Inputs: what a caller gave, and what it stands for.  Outputs: the argument itself, or an exception.
"""

from __future__ import annotations

from typing import Final, Protocol, TypeVar

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.errors import V1Warning, suggest

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
