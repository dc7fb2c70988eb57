"""The ads in the lists that rows have, as rows of their own.

What is decided here: when the value of an expression in such an ad follows from what that ad has
and from values of the partner alone.  It does if every name that the expression mentions is a plain
value there; a name that the ad lacks is the partner's, unless rows have it, too.
Inputs: vectors of lists, expressions of the partner.  Outputs: vectors, counts.
Never here: what a function makes of values.
Follows: ``countMatches`` in classad/builtins/ads.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from attr import frozen

from classad.ads.ad import Ad, ListValue
from classad.ads.expression import Expression as ExprTree
from classad.language.names import UNUSUAL, fold_name
from classad.language.values import ERROR, UNDEFINED
from classad.syntax.nodes import Node, Reference
from classad.table.arrays.vectors import Vector, count_holding
from classad.table.dependence.partner import Partner, counts_as_value
from classad.table.dependence.substitution import Reduction, Unknown
from classad.table.store.columns import PLAIN


@frozen(eq=False)
class Member(Node):
    """An attribute of the ad in a list; ``row_too``: rows have one of that name."""

    name: str
    row_too: bool


@frozen(eq=False)
class Counting(Node):
    """How many ads of a list an expression holds in."""

    lists: Any
    inner: Node

    def children(self) -> tuple[Node, ...]:
        return (self.lists, self.inner)


class Members:
    """The ads of many lists, one list after the other.

    ``ends``: how many there are up to each list, with 0 before the first; ``exceptions``: by place
    the result where there is no list.
    """

    def __init__(self, lists: Sequence[Any]) -> None:
        self.ads: list[Ad] = []
        self.ends = array("i", [0])
        self.exceptions: dict[int, Any] = {}
        for place, value in enumerate(lists):
            if value.__class__ is ListValue:
                self.ads += [item for item in value.items if _is_ad(item)]
            else:
                self.exceptions[place] = 0 if value is UNDEFINED else ERROR
            self.ends.append(len(self.ads))
        self._columns: dict[str, tuple[Vector, int]] = {}

    @classmethod
    def of(cls, lists: Vector) -> Members:
        """The members of a vector's values."""
        found: Members | None = lists.memo.get("members")
        if found is None:
            found = lists.memo["members"] = cls(lists.values())
        return found

    def column(self, name: str, row_too: bool, partner: Partner) -> Vector:
        """What each ad has for a name, or else the partner."""
        known = self._columns.get(name)
        if known is None:
            cells = [ad._attrs.get(name) for ad in self.ads]
            if not PLAIN.issuperset(map(type, cells)):
                raise Unknown
            missing = cells.count(None)
            if missing:
                cells = [UNDEFINED if cell is None else cell for cell in cells]
            known = self._columns[name] = Vector.of(cells), missing
        found, missing = known
        if missing and row_too:
            raise Unknown
        if not (missing and partner.has(name)):
            return found
        if missing < len(self.ads):
            raise Unknown
        return partner.vector(name)

    def count(self, judged: bytes | bytearray) -> Vector:
        """For each list the number of ads in which something holds."""
        found = count_holding(judged, self.ends)
        if not self.exceptions:
            return found
        counts = found.values()
        for place, value in self.exceptions.items():
            counts[place] = value
        return Vector.of(counts)


def _is_ad(item: Any) -> bool:
    """Whether a member of a list is an ad whose attributes can be told; others do not count."""
    if item.__class__ in PLAIN or item.__class__ is ListValue:
        return False
    if item.__class__ is not Ad or item._chained is not None:
        raise Unknown
    return True


class Inside(Reduction):
    """An expression of the partner, in the ads of lists."""

    def reference(self, node: Any, of_row: bool) -> Node:
        name = fold_name(node.name)
        if node.absolute or name in UNUSUAL or node.base is not None:
            raise Unknown
        if not counts_as_value(self.partner.key(name)):
            raise Unknown
        return Member(name, name in self.columns)


def counted(node: Any, partner: Partner) -> Node:
    """The expression, of the partner, that a call of ``countMatches`` evaluates in each ad.

    Not where the attribute that it names is found elsewhere, for the list is evaluated there.
    """
    if node.__class__ is not Reference:
        return node  # type: ignore[no-any-return]
    name, base = fold_name(node.name), node.base
    own = base is None or _is_my(base)
    if node.absolute or not own or name in UNUSUAL:
        raise Unknown
    tree = partner.raw(name)
    if tree.__class__ is not ExprTree or not partner.takes_constants:
        raise Unknown
    return tree.node


def _is_my(node: Any) -> bool:
    plain = node.__class__ is Reference and node.base is None and not node.absolute
    return plain and fold_name(node.name) == "my"
