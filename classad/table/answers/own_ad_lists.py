"""Writes out lists that name the row's own ads, such as ``AvailableGPUs = { GPU_1, GPU_2 }``.

Rows with different lists then need no plans of their own: in the partner's expression an attribute
that no ad has stands for the lists.  ``countMatches`` of a partner evaluates the members in the
partner, which finds them in the row if it has none of these names itself.  Follows
``countMatches`` in classad/builtins/ads.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from attr import frozen

from classad.ads.ad import ListValue
from classad.ads.expression import Expression
from classad.evaluation.functions import Form, form_of
from classad.formats.unparse import unparse
from classad.language.values import UNDEFINED
from classad.syntax.nodes import Call, Reference
from classad.table.answers.predicates import Book
from classad.table.dependence.partner import Partner
from classad.table.expressions.shapes import Shape, name_in
from classad.table.expressions.templates import MARK, OPERATORS, with_children
from classad.table.store.columns import Column, cell_key, is_open


@frozen(eq=False)
class _Lists:
    """An attribute that stands for the lists in ``column``; ``members``: all that these name."""

    column: str
    name: str
    members: frozenset[str]


class OwnLists:
    """The attributes of a store's rows that are such lists."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._known: dict[str, _Lists | None] = {}
        self._shapes: dict[int, Shape | None] = {}
        #: What stands for attributes so far, and all that these name.
        self._found: list[_Lists] = []
        self._named_there: frozenset[str] = frozenset()

    def fit(self, partner: Partner) -> bool:
        """Whether a partner finds in the rows what the lists known so far name."""
        ad = partner.ad
        if ad is None or not partner.takes_constants:
            return False
        return self._named_there.isdisjoint(ad._attrs)

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
            known = None if same else self._book.store.shapes.of_node(node, (unparse(node), -1))
            self._shapes[shape.uid] = known
        found = self._shapes[shape.uid]
        return shape if found is None or not self.fit(partner) else found

    def _replaced(self, node: Any) -> Any:
        kind = node.__class__
        if kind is Call:
            if form_of(node.name, len(node.args)) is not Form.COUNT:
                return node
            own, listed = name_in(node.args[0], "my"), name_in(node.args[1], "target")
            lists = self._lists(listed) if own else None
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
                self._named_there |= found.members
        return self._known[column]

    def _stand_in(self, name: str) -> _Lists | None:
        column = self._book.store.column(name)
        if column is None or not column.expressions:
            return None
        named = {code: _named(column.values[code]) for code in column.expressions}
        members: set[str] = set()
        for items in named.values():
            if items is None:
                return None
            members.update(item for item in items if item.__class__ is str)
        lists = _Lists(name, f"{MARK}lists.{name}", frozenset(members))
        written = self._written(lists.name, column, named)
        if written is None:
            return None
        self._book.give(lists.name, written)
        return lists

    def _written(
        self, name: str, column: Column, named: dict[int, list[Any] | None]
    ) -> Column | None:
        """The lists with their members written in them; None if a member is an expression."""
        codes, values = column.codes[:], list(column.values)
        rows = {code: array("i") for code in named}
        for row, code in enumerate(codes):
            if code in rows:
                rows[code].append(row)
        for code, places in rows.items():
            values[code] = None
            known: dict[object, int] = {}
            for row, ads in zip(places, self._members(named[code] or [], places), strict=True):
                if any(map(is_open, ads)):
                    return None
                key = tuple(map(cell_key, ads))
                number = known.get(key)
                if number is None:
                    number = known[key] = len(values) if known else code
                    made = ListValue([UNDEFINED if ad is None else ad for ad in ads])
                    values[number : number + 1] = [made]
                codes[row] = number
        return Column.of_codes(name, values, codes)

    def _members(self, items: list[Any], places: array[int]) -> Iterable[tuple[Any, ...]]:
        """What the members of a list are in some rows."""
        if not items:
            return [()] * len(places)
        store = self._book.store
        columns = [
            store.cells(item, places) if item.__class__ is str else [item.cell] * len(places)
            for item in items
        ]
        return zip(*columns, strict=True)


@frozen(eq=False)
class _Written:
    """A member of a list that is written there."""

    cell: Any


def _named(cell: Any) -> list[Any] | None:
    """The names of a list's members, and what is written in it; None if it is anything else."""
    if cell.__class__ is not ListValue:
        return None
    found: list[Any] = []
    for item in cell.items:
        if item.__class__ is not Expression:
            found.append(_Written(item))
            continue
        name = name_in(item.node, "")
        if not name:
            return None
        found.append(name)
    return found


__all__ = ["OwnLists"]
