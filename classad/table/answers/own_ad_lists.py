"""Writes out lists that name the row's own ads, such as ``AvailableGPUs = { GPU_1, GPU_2 }``.

Rows with different lists then need no plans of their own: in the partner's expression an attribute
that no ad has stands for the lists.  ``countMatches`` of a partner evaluates the members in the
partner, which finds them in the row if it has none of these names itself.  Follows
``countMatches`` in classad/builtins/ads.py.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from attr import frozen

from classad.ads.ad import ListValue
from classad.ads.expression import Expression
from classad.evaluation.functions import InlineForm, form_of
from classad.language.values import UNDEFINED
from classad.syntax.nodes import Call, Reference
from classad.table.answers.predicates import PredicateCache
from classad.table.expressions.conjuncts import MARK, OPERATORS, with_children
from classad.table.expressions.partner import Partner
from classad.table.shapes import Shape, name_in
from classad.table.store.columns import Column, cell_key, is_open


@frozen(eq=False)
class _Lists:
    """An attribute that stands for the lists in ``column``; ``members``: all that these name."""

    column: str
    name: str
    members: frozenset[str]


class OwnLists:
    """The attributes of a store's rows that are such lists."""

    def __init__(self, cache: PredicateCache) -> None:
        self._cache = cache
        self._known: dict[str, _Lists | None] = {}
        self._shapes: dict[int, Shape | None] = {}
        #: What stands for attributes so far.
        self._found: list[_Lists] = []
        self._members: set[str] = set()

    def fit(self, partner: Partner) -> bool:
        """Whether a partner finds in the rows what the lists known so far name."""
        ad = partner.ad
        if ad is None or not partner.takes_constants:
            return False
        return self._members.isdisjoint(ad._attrs)

    def touched(self, names: set[str]) -> bool:
        """Whether some columns hold lists, or ads that lists name."""
        return any(
            lists.column in names or not names.isdisjoint(lists.members) for lists in self._found
        )

    def shape(self, shape: Shape, partner: Partner) -> Shape:
        """The same expression of a partner, with attributes that stand for lists."""
        if not shape.exact:
            return shape
        if shape.uid not in self._shapes:
            node = self._replaced(shape.node)
            same = node is shape.node
            known = None if same else self._cache.store.shapes.of_node(node)
            self._shapes[shape.uid] = known
        found = self._shapes[shape.uid]
        return shape if found is None or not self.fit(partner) else found

    def _replaced(self, node: Any) -> Any:
        kind = node.__class__
        if kind is Call:
            if form_of(node.name, len(node.args)) is not InlineForm.COUNT:
                return node
            item, listed = node.args[0], name_in(node.args[1], "target")
            here = not isinstance(item, Reference) or name_in(item, "my")
            lists = self._lists(listed) if here else None
            if lists is None:
                return node
            return Call(node.name, (node.args[0], Reference(lists.name, base=Reference("TARGET"))))
        if kind not in OPERATORS:
            return node
        children = node.children()
        parts = [self._replaced(part) for part in children]
        if all(one is other for one, other in zip(parts, children, strict=True)):
            return node
        return with_children(node, parts)

    def _lists(self, column: str) -> _Lists | None:
        """What stands for an attribute; None if nothing can."""
        if column not in self._known:
            self._known[column] = found = self._stand_in(column) if column else None
            if found is not None:
                self._found.append(found)
                self._members |= found.members
        return self._known[column]

    def _stand_in(self, name: str) -> _Lists | None:
        column = self._cache.store.column(name)
        if column is None or not column.expressions:
            return None
        named: dict[int, list[_Member]] = {}
        for code in column.expressions:
            members = _members(column.values[code])
            if members is None:
                return None
            named[code] = members
        names = frozenset(member.name for members in named.values() for member in members)
        lists = _Lists(name, f"{MARK}lists.{name}", names - {""})
        written = self._written(column, named)
        if written is None:
            return None
        self._cache.give(lists.name, written)
        return lists

    def _written(self, column: Column, named: dict[int, list[_Member]]) -> Column | None:
        """The lists with their members written in them; None if a member is an expression."""
        store, values, codes = self._cache.store, list(column.values), column.codes[:]
        places = {code: array("i") for code in named}
        for row, code in enumerate(codes):
            if code in places:
                places[code].append(row)
        known: dict[object, int] = {}
        for code, rows in places.items():
            values[code], count = None, len(rows)
            columns = [
                store.cells(member, rows) if member else ([cell] * count, [cell_key(cell)] * count)
                for member, cell in named[code]
            ]
            for place, row in enumerate(rows):
                key = tuple([keys[place] for _, keys in columns])
                if key not in known:
                    ads = [cells[place] for cells, _ in columns]
                    if any(map(is_open, ads)):
                        return None
                    known[key] = len(values)
                    values.append(ListValue([UNDEFINED if ad is None else ad for ad in ads]))
                codes[row] = known[key]
        return Column.of_codes(values, codes)


class _Member(NamedTuple):
    """A member of a list: the attribute that it names, or what is written there."""

    name: str
    cell: Any


def _members(cell: Any) -> list[_Member] | None:
    """The members of a list; None if it is anything else, or one of them is."""
    if cell.__class__ is not ListValue:
        return None
    found: list[_Member] = []
    for item in cell.items:
        open_ = item.__class__ is Expression
        name = name_in(item.node, "") if open_ else ""
        if open_ and not name:
            return None
        found.append(_Member(name, item))
    return found


__all__ = ["OwnLists"]
