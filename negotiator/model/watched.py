"""Slot ads that can be looked at as often as one likes: a change of one is seen by its stamp."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final

from classad import ClassAd

_STAMPS: Final = count(1)
#: What passes with the time: an ad tells it anew whenever it is sent.
PASSING: Final[Mapping[str, str]] = {
    name.lower(): name for name in ("MyCurrentTime", "TotalJobRunTime", "RetirementTimeRemaining")
}


def _changing(name: str) -> Callable[..., Any]:
    """The method of an ad that changes it, which gives the ad another stamp."""
    method = getattr(ClassAd, name)

    def change(self: WatchedAd, *given: object, **named: object) -> Any:
        self.stamp = next(_STAMPS)
        return method(self, *given, **named)

    change.__name__, change.__doc__ = name, method.__doc__
    return change


class WatchedAd(ClassAd):
    """An ad with a ``stamp``: as long as it is the same the ad is; 0 if the ad is as it was made.

    Equal to an ordinary ad with the same attributes; a copy is an ordinary ad.
    """

    __slots__ = ()
    stamp = 0

    insert = _changing("insert")
    attach = _changing("attach")
    insert_plain = _changing("insert_plain")
    remove = _changing("remove")
    chain = _changing("chain")
    clear = _changing("clear")
    __delitem__ = _changing("__delitem__")

    def __eq__(self, other: object) -> bool:
        """As of an ordinary ad."""
        if isinstance(other, ClassAd) and other.__class__ in (ClassAd, WatchedAd):
            return self.same_attributes(other)
        return super().__eq__(other)

    __hash__ = None


def pass_time(ad: ClassAd, values: Mapping[str, int]) -> None:
    """Let an ad tell what it says anew whenever it is sent, some of ``PASSING``.

    A watched ad keeps its stamp, unless it has not told it before.
    """
    if values.keys() <= ad._attrs.keys():
        ad._attrs.update(values)
    else:
        for key, value in values.items():
            ad.insert(PASSING[key], value)
