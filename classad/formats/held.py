"""Bounds the memory of the ads that are read from a text, by an estimate.

An object of Python is larger than ``A = 1``: a file of tiny ads would take fifty times its size.
What an ad takes is estimated when it has been read, from the sizes of its tables; ads that nobody
has any more are not counted, so that a program which looks at one ad after the other may read any
file.  The process is not measured: what other threads take is no reason to refuse a file.

Inputs: ads and values, as readers make them.  Outputs: none, or ``LimitError``.
"""

from __future__ import annotations

import gc
from sys import getsizeof
from typing import Final
from weakref import ref

from classad.ads.ad import SIMPLE, Ad, ListValue, Stored
from classad.ads.expression import Expression
from classad.language import bounds
from classad.syntax.unbuilt import Unbuilt

#: Bytes of an ad without its tables; of a value in them, and of a place in a list.
_AD: Final = 136
_VALUE: Final = 48
ITEM: Final = 48
#: Bytes of a list, and of an ad or an attribute of one, in another value: copies are made of them
#: when the whole value is stored.
LIST: Final = 272
PART: Final = 640
#: Bytes of a name that was not known, with what remembers it.
NAME: Final = 320
#: Bytes of an expression that is only a text, and of a node of its tree.
EXPRESSION: Final = 352
_NODE: Final = 112
#: Ads that are counted together: if the last one of them is there, all are taken to be.
_GROUP: Final = 1 << 20
#: After so many bytes more it is looked which groups are still there.
_PAUSE: Final = 1 << 24


class Held:
    """What has been read from one text and is still there.

    ``size``: bytes of the text so far; ``kept``: bytes of what the reader itself keeps meanwhile.
    """

    def __init__(self, name: str = "<text>", size: int = 0, kept: int = 0) -> None:
        self.name = name
        self.size = size
        self._kept = kept
        #: Bytes of the ads since the last group, and of the one that is being read.
        self._open = 0
        self._groups: list[tuple[ref[Ad], int]] = []
        self._closed = 0
        self._room = _PAUSE

    def add(self, amount: int) -> None:
        """Count bytes of the ad that is being read; raises ``LimitError``."""
        self._open += amount
        if self._open > self._room:
            self._look()

    def count(self, ad: Ad) -> None:
        """Count an ad that has been read, without its nested values; raises ``LimitError``."""
        attrs = ad._attrs
        self._open += _AD + getsizeof(attrs) + _VALUE * len(attrs)
        if self._open > _GROUP:
            self._groups.append((ref(ad), self._open))
            self._closed += self._open
            self._room -= self._open
            self._open = 0
            if self._room < 0:
                self._look()

    def _look(self) -> None:
        total, most = self._total(), bounds.allowance(self.size)
        if total > most:
            gc.collect()  # ads that hold lists go only so
            total = self._total()
            if total > most:
                raise bounds.too_large(self.name, self.size)
        self._room = self._open + max(_PAUSE, total // 32)

    def _total(self) -> int:
        """The bytes of what is still there."""
        self._groups = [group for group in self._groups if group[0]() is not None]
        self._closed = sum(amount for _, amount in self._groups)
        return self._kept + self._closed + self._open


class _Unheld(Held):
    """Counts nothing."""

    def add(self, amount: int) -> None:
        """Count nothing."""

    def count(self, ad: Ad) -> None:
        """Count nothing."""


#: For what is not kept as it is read, and for short texts.
UNHELD: Final = _Unheld()


def weight(value: Stored) -> int:
    """The bytes of a value, without those of its place in an ad or a list."""
    total, left = 0, [value]
    while left:
        value = left.pop()
        kind = value.__class__
        if kind in SIMPLE:
            total += _VALUE
        elif kind is ListValue:
            total += _AD + ITEM * len(value.items)
            left += [item for item in value.items if item.__class__ not in SIMPLE]
        elif isinstance(value, Ad):
            tables = getsizeof(value._attrs) + getsizeof(value._names)
            total += _AD + tables + _VALUE * len(value._attrs)
            left += [item for item in value._attrs.values() if item.__class__ not in SIMPLE]
        else:
            total += _of_tree(value)
    return total


def _of_tree(tree: Expression) -> int:
    node = tree._node
    if isinstance(node, Unbuilt):
        return EXPRESSION + len(node.text)
    from classad.syntax.nodes import walk

    return EXPRESSION + _NODE * sum(1 for _ in walk(node))
