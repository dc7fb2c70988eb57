"""Builds the smallest part of an ad that gives some attributes the same values as the whole ad.

An attribute may matter where the ad meets another one if it is asked for, if an expression of
either ad that may matter mentions it, and so on.  Where that cannot be told it is the whole ad.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from classad import ClassAd
from classad.ads.ad import node_of_value
from classad.ads.expression import Expression
from classad.syntax.nodes import Node
from classad.table.shapes import MINE, OTHERS, Shape
from classad.table.store.columns import PLAIN, put_cell
from classad.table.store.store import SCOPE_NAMES
from negotiator.expressions.known import conjuncts_of
from negotiator.expressions.memo import ExpressionMemo


class _Mentioned(Shape):
    """The names that an expression mentions, without its measures."""

    __slots__ = ()

    def __init__(self, node: Node) -> None:
        self.row_by_row = self.clock = self.random = self.exact = False
        self.names = tuple(set(self._walk(node)))


class _JointMention(Shape):
    """The names that some expressions mention together."""

    __slots__ = ()

    def __init__(self, parts: Iterable[Shape]) -> None:
        self.row_by_row = self.clock = self.random = self.exact = False
        names: set[tuple[int, str]] = set()
        for part in parts:
            names.update(part.names)
            self.row_by_row |= part.row_by_row
            self.random |= part.random
        self.names = tuple(names)


class Mention(NamedTuple):
    """The names that a value mentions, of its own ad and of the other one.

    ``value``: kept, so that its identity stays its own.
    """

    value: object
    shape: Shape
    own: frozenset[str]
    others: frozenset[str]

    @classmethod
    def of(cls, value: object, shape: Shape) -> Mention:
        """What follows from the names of a shape."""
        own = frozenset([name for where, name in shape.names if where != OTHERS])
        others = frozenset([name for where, name in shape.names if where != MINE])
        return cls(value, shape, own, others)


class Mentions:
    """What the expressions met so far mention."""

    def __init__(self) -> None:
        self._known: ExpressionMemo[int, Mention] = ExpressionMemo(times=10)

    def of(self, value: object) -> Mention:
        """What a value that is not plain mentions."""
        known = self._known.get(id(value))
        if known is None:
            tree = value if isinstance(value, Expression) else None
            shape = _Mentioned(node_of_value(value)) if tree is None else self._of_tree(tree)
            known = self._known.keep(id(value), Mention.of(value, shape))
        return known

    def _of_tree(self, tree: Expression) -> Shape:
        parts = conjuncts_of(tree)
        if parts is None:
            return _Mentioned(tree.node)
        return _JointMention([self.of(part).shape for part in parts])


def _misleads(ad: ClassAd) -> bool:
    """Whether an ad has attributes named like scopes, so that names mean something else."""
    if ad._chained is None:
        return not SCOPE_NAMES.isdisjoint(ad._attrs)
    return any(ad.raw(name) is not None for name in SCOPE_NAMES)


class VisiblePart:
    """An ad that is put together as it is needed.

    ``separable``: the requirements of the ad met last may be evaluated conjunct by conjunct.
    """

    def __init__(
        self, cell: Callable[[str], object], whole: Callable[[], ClassAd], mentions: Mentions | None
    ) -> None:
        """``cell``: what the ad has for an attribute (a folded name); ``whole``: all of it.

        ``mentions``: what its expressions mention; None to go by the whole ad.
        """
        self.separable = False
        self._read = cell
        self._whole = whole
        self._ad = ClassAd()
        self._mentions = mentions
        self._known: dict[str, object] = {}
        if mentions is not None and any(cell(name) is not None for name in SCOPE_NAMES):
            self._mentions = None

    def meeting(self, other: ClassAd, names: frozenset[str]) -> ClassAd:
        """An ad in which attributes of both ads have the same values as with the whole ad.

        ``names``: of these, in lower case.
        """
        mentions = self._mentions
        self.separable = other._chained is None and other._parent is None
        if mentions is None or not self._reach(other, mentions, names):
            self._mentions, self.separable = None, False
            return self._whole()
        return self._ad

    def _reach(self, other: ClassAd, mentions: Mentions, names: frozenset[str]) -> bool:
        """Add every attribute that can matter; False if that is not known."""
        if _misleads(other):
            return False
        theirs = other.raw if other._chained is not None else other._attrs.get
        # First what this ad is asked for, then what the other one is.
        todo, seen = [set(names), set(names)], [set[str](), set[str]()]
        asked: Sequence[Callable[[str], object]] = (self._cell, theirs)
        while todo[0] or todo[1]:
            side = 0 if todo[0] else 1
            new, todo[side] = todo[side], set()
            seen[side] |= new
            for value in map(asked[side], new):
                if value.__class__ in PLAIN:
                    continue
                _, shape, own, others = mentions.of(value)
                if shape.row_by_row:
                    return False
                # Nothing may refer to the whole.
                if shape.random or "requirements" in own or "requirements" in others:
                    self.separable = False
                todo[side] |= own - seen[side]
                todo[1 - side] |= others - seen[1 - side]
        return True

    def _cell(self, name: str) -> object:
        """What the ad has for an attribute, which is put in."""
        if name in self._known:
            return self._known[name]
        value = self._known[name] = self._read(name)
        if value.__class__ not in PLAIN:
            put_cell(self._ad, name, value)
        elif value is not None:
            self._ad._attrs[name] = value
            self._ad._names[name] = name
        return value
