"""Keeps what statements read and change: the ad of a job, as a tool or as the schedd has it.

A tool has one ad.  The schedd has an ad of each job behind which stands that of its cluster, which
a transform sees and never changes: patterns match names of the former only, and what is deleted
from the latter becomes undefined in the former.
Inputs: ads.  Outputs: ``TransformedJob``; the ad that it was made from is not changed.
Follows: condor_transform_ads and condor_schedd 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

from typing import Final

from attr import define, frozen

from classad.ads.ad import Ad, ListValue, Stored
from classad.ads.expression import Expression
from classad.formats.unparse import unparse_value
from classad.language.values import UNDEFINED

#: Attributes that the schedd lets no transform write: with an error, and in silence.
_REFUSED: Final = frozenset({"clusterid", "owner"})
_KEPT: Final = frozenset({"procid"})
#: The texts of some expressions, by identity.
_TEXTS: Final[dict[int, tuple[Expression, str]]] = {}
_MOST_TEXTS: Final = 1000


@frozen
class ChangedAttribute:
    """An attribute before and after, None where the ad has none."""

    attribute: str
    before: Stored
    after: Stored


@define(eq=False)
class TransformedJob:
    """The ad of a job while rules run; ``is_schedd``: by the rules of the schedd."""

    ad: Ad
    is_schedd: bool = False

    @classmethod
    def of(cls, ad: Ad) -> TransformedJob:
        """A job of a tool."""
        return cls(Ad.copy_of(ad))

    @classmethod
    def in_schedd(cls, own: Ad, cluster: Ad | None) -> TransformedJob:
        """A job of a schedd, with the ad of its cluster."""
        ad = Ad.copy_of(own)
        ad.chain(cluster)
        return cls(ad, is_schedd=True)

    def names(self) -> list[str]:
        """The names that patterns see, in the order in which they are processed."""
        return sorted(self.ad.names())

    def get(self, name: str) -> Stored:
        """The stored value or expression, None where there is none."""
        return self.ad.raw(name)

    def set(self, name: str, value: Stored) -> ChangedAttribute:
        """Give an attribute a value or an expression."""
        before = self.ad.raw(name)
        self.ad.insert(name, value)
        return ChangedAttribute(name, before, self.ad.raw(name))

    def delete(self, name: str) -> ChangedAttribute | None:
        """Take an attribute away; None if there is none."""
        before = self.ad.raw(name)
        if before is None:
            return None
        self.ad.remove(name)
        if self.ad.raw(name) is not None:
            self.ad.insert(name, UNDEFINED)
        return ChangedAttribute(name, before, self.ad.raw(name))


def is_writable(name: str) -> bool:
    """Does the schedd let a transform write an attribute of this name?"""
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[:1].isdigit()
    return plain and name.lower() not in _REFUSED


def is_kept(name: str) -> bool:
    """Does the schedd keep the attribute as it was, without a word?"""
    return name.lower() in _KEPT


def text_of(value: Stored) -> str:
    """An attribute as ClassAd text, as HTCondor prints it."""
    if value.__class__ is not Expression:
        return unparse_value(value, old=True)
    # Jobs of one kind share their expressions.
    known = _TEXTS.get(id(value))
    if known is None or known[0] is not value:
        if len(_TEXTS) >= _MOST_TEXTS:
            _TEXTS.clear()
        known = _TEXTS[id(value)] = (value, unparse_value(value, old=True))
    return known[1]


def bare_text(value: Stored) -> str:
    """An attribute as ``$(MY.name)`` puts it: a string without quotes and escapes."""
    return value if isinstance(value, str) else text_of(value)


def macro_text(value: Stored) -> str:
    """A value as EVALMACRO puts it: of a string the characters, of an ad a line an attribute."""
    if isinstance(value, ListValue):
        return "{ " + ",".join(_member_text(item) for item in value.items) + " }"
    return value if isinstance(value, str) else _member_text(value)


def _member_text(value: Stored) -> str:
    if isinstance(value, Ad):
        names = sorted(value.names(), key=str.casefold)
        return "".join(f"{name} = {text_of(value.raw(name))}\n" for name in names)
    return macro_text(value) if isinstance(value, ListValue) else text_of(value)
