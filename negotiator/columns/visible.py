"""As much of a slot's ad as evaluating a few attributes of it can see.

Decision here: which attributes of a slot may matter where it meets another ad: those that are asked
for, what their expressions mention in either ad, and so on.  Where that cannot be told, or the ad
is there already, it is the whole ad.  Inputs: a slot, the ads that it meets.  Outputs: an ad.

Never here: evaluation, what is asked.
Follows: ``classad.table.expressions.shapes`` for what an expression can see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from classad import ClassAd
from classad.ads.expression import Expression as ExprTree
from classad.syntax.nodes import Node
from classad.table.expressions.shapes import MINE, OTHERS, NestedShape, Shape
from classad.table.store.columns import PLAIN
from classad.table.store.parts import put_cell
from classad.table.store.store import MISLEADING
from negotiator.expressions.known import conjuncts_of

if TYPE_CHECKING:
    from negotiator.pool.slots import Slot

_MANY: Final = 100_000


class _Mentioned(Shape):
    """What an expression mentions; it is not made ready to be evaluated."""

    __slots__ = ()

    def __init__(self, node: Node) -> None:
        self.odd = self.clock = self.random = self.exact = False
        self.names = tuple(set(self._walk(node)))


class _Together(Shape):
    """What some expressions mention."""

    __slots__ = ()

    def __init__(self, parts: Iterable[Shape]) -> None:
        self.odd = self.clock = self.random = self.exact = False
        names: set[tuple[int, str]] = set()
        for part in parts:
            names.update(part.names)
            self.odd |= part.odd
            self.random |= part.random
        self.names = tuple(names)


class Mention(NamedTuple):
    """What a value mentions: names that may be those of its own ad, and of the other one.

    ``value``: kept, so that its identity stays its own.
    """

    value: Any
    shape: Shape
    own: frozenset[str]
    others: frozenset[str]

    @classmethod
    def of(cls, value: Any, shape: Shape) -> Mention:
        """What follows from the names of a shape."""
        own = frozenset([name for where, name in shape.names if where != OTHERS])
        others = frozenset([name for where, name in shape.names if where != MINE])
        return cls(value, shape, own, others)


class Mentions:
    """What the expressions met so far mention."""

    def __init__(self) -> None:
        self._known: dict[int, Mention] = {}

    def of(self, value: Any) -> Mention:
        """What a value that is not plain mentions."""
        known = self._known.get(id(value))
        if known is None:
            if len(self._known) >= _MANY:
                self._known.clear()
            tree = value.__class__ is ExprTree
            shape = self._of_tree(value) if tree else NestedShape(-1, value)
            known = self._known[id(value)] = Mention.of(value, shape)
        return known

    def _of_tree(self, tree: ExprTree) -> Shape:
        parts = conjuncts_of(tree)
        if parts is None:
            return _Mentioned(tree.node)
        return _Together([self.of(part).shape for part in parts])


def _misleads(read: Callable[[str], Any]) -> bool:
    """Whether names do not mean what they say, in an ad that is read so."""
    return any(read(name) is not None for name in MISLEADING)


class Glimpse:
    """A slot's ad that is put together as it is needed.

    ``separable``: the requirements of the ad met last may be evaluated conjunct by conjunct.
    """

    def __init__(self, slot: Slot) -> None:
        """``slot``: it does not change meanwhile."""
        self.separable = False
        self._slot = slot
        self._ad = ClassAd()
        self._mentions = slot.mentions
        self._known: dict[str, Any] = {}
        if self._mentions is not None and _misleads(self._cell):
            self._mentions = None

    def meeting(self, other: ClassAd, names: frozenset[str]) -> ClassAd:
        """An ad that does for evaluating attributes of either ad in both.

        ``names``: of these, in lower case.
        """
        mentions = self._mentions
        self.separable = other._chained is None and other._parent is None
        if mentions is None or not self._reach(other, mentions, names):
            self._mentions, self.separable = None, False
            return self._slot.ad
        return self._ad

    def _reach(self, other: ClassAd, mentions: Mentions, names: frozenset[str]) -> bool:
        """Put in all that can be seen; whether that can be told."""
        theirs = other.raw if other._chained is not None else other._attrs.get
        if _misleads(theirs):
            return False
        # First what the slot is asked for, then what the other ad is.
        todo, seen = [set(names), set(names)], [set[str](), set[str]()]
        asked: Sequence[Callable[[str], Any]] = (self._cell, theirs)
        while todo[0] or todo[1]:
            side = 0 if todo[0] else 1
            new, todo[side] = todo[side], set()
            seen[side] |= new
            for value in map(asked[side], new):
                if value.__class__ in PLAIN:
                    continue
                _, shape, own, others = mentions.of(value)
                if shape.odd:
                    return False
                # Nothing may refer to the whole.
                if shape.random or "requirements" in own or "requirements" in others:
                    self.separable = False
                todo[side] |= own - seen[side]
                todo[1 - side] |= others - seen[1 - side]
        return True

    def _cell(self, name: str) -> Any:
        """What the slot has for an attribute, which is put in."""
        if name in self._known:
            return self._known[name]
        value = self._known[name] = self._slot.cell(name)
        if value.__class__ not in PLAIN:
            put_cell(self._ad, name, value)
        elif value is not None:
            self._ad._attrs[name] = value
            self._ad._names[name] = name
        return value
