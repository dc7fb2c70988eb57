"""Requirements of rows and partners as conjunctions of predicates.

What is decided here: that requirements hold if each of their conjuncts does, wherever those are
written: in the requirements or in an attribute that they consist of.  Conjuncts that rows share are
kept together, with the rows that have them, and so is what all of them together say to partners
that are the same to them.
Inputs: requirements of ads.  Outputs: the rows that a partner accepts, and that accept it.
Never here: evaluation.
Follows: classad/match.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from classad.deferred import Unbuilt
from classad.expr import ExprTree
from classad.match import is_true
from classad.nodes import Binary, Node, Parens, Reference
from classad.scopes import UNUSUAL, fold_name
from classad.table.partner import Asked, Partner
from classad.table.predicates import Book, Predicate, Verdict
from classad.table.shapes import Shape, text_of
from classad.unparse import unparse

REQUIREMENTS: Final = "requirements"
#: Levels of ``&&`` and of attributes above a conjunct; beyond them rows are asked one by one.
_LEVELS: Final = 100


class Conjunct(NamedTuple):
    """``name``: the own attribute that it consists of, or nothing."""

    shape: Shape
    name: str
    level: int


class Splits:
    """The conjuncts of the expressions met so far."""

    def __init__(self, book: Book) -> None:
        self._shapes = book.store.shapes
        self._known: dict[Any, list[Conjunct]] = {}

    def of(self, tree: ExprTree) -> list[Conjunct]:
        """The conjuncts of an expression, from left to right."""
        text = text_of(tree)
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = list(self._split(tree))
        return found

    def _split(self, tree: ExprTree) -> Iterator[Conjunct]:
        held: Any = tree._node
        text, how = (held.text, held.how) if held.__class__ is Unbuilt else ("", -1)
        todo: list[tuple[Any, int]] = [(held.node() if text else held, 0)]
        while todo:
            node, level = todo.pop()
            if node.__class__ is Parens:
                todo.append((node.inner, level + 1))
            elif node.__class__ is Binary and node.operator == "&&":
                todo.append((node.right, level + 1))
                todo.append((node.left, level + 1))
            else:
                spelled = text[node.start : node.end] or unparse(node)
                shape = self._shapes.of_node(node, (spelled, how))
                yield Conjunct(shape, _own_name(node), level)


def _own_name(node: Node) -> str:
    """The attribute of the ad itself that a node is nothing but a reference to, or nothing."""
    if not isinstance(node, Reference) or node.absolute:
        return ""
    name = fold_name(node.name)
    base: Any = node.base
    if name in UNUSUAL or base is None:
        return "" if name in UNUSUAL else name
    own = isinstance(base, Reference) and base.base is None and not base.absolute
    return name if own and fold_name(base.name) == "my" else ""


class _Task(NamedTuple):
    """A conjunct of some rows.  ``open_names``: the attributes in which it was found."""

    conjunct: Conjunct
    bits: int
    open_names: frozenset[str]
    level: int


class _Kept:
    """What several predicates say together to partners that are the same to all of them."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._asked: tuple[Asked, ...] = ()
        self._variants = -1
        self._known: dict[tuple[Any, ...], Verdict] = {}

    def find(self, partner: Partner) -> Verdict | None:
        """What was found for such a partner before."""
        found = self._known.get(self._key(partner))
        if found is not None:
            found.used = self._book.budget.now
        return found

    def keep(self, partner: Partner, predicates: Iterable[Predicate], verdict: Verdict) -> None:
        """Keep what was found; nothing of it may depend on the instant."""
        variants = [variant for predicate in predicates for variant in predicate.variants]
        if any(variant.clock for variant in variants):
            return
        if len(variants) != self._variants:
            asked: set[Any] = set().union(*(variant.asked for variant in variants))
            self._asked = tuple(sorted(asked, key=repr))
            self._variants = len(variants)
            self._book.budget.drop(self._known, lambda _: True)
        self._book.budget.add(self._known, self._key(partner), verdict)

    def _key(self, partner: Partner) -> tuple[Any, ...]:
        return tuple(map(partner.keys.__getitem__, self._asked))


class RowSide:
    """The requirements of the rows."""

    def __init__(self, book: Book, splits: Splits) -> None:
        self.book = book
        self._splits = splits
        #: Rows that accept some partner, and those to be asked one by one.
        self.able = 0
        self.odd = 0
        members: dict[tuple[int, frozenset[str]], int] = {}
        shapes: dict[int, Shape] = {}
        tasks = list(self._start())
        while tasks:
            task = tasks.pop()
            further = self._descend(task)
            if further is not None:
                tasks.extend(further)
            elif task.level > _LEVELS:
                self.odd |= task.bits
            else:
                shape = task.conjunct.shape
                shapes[shape.uid] = shape
                key = (shape.uid, task.open_names)
                members[key] = members.get(key, 0) | task.bits
        self.predicates = [
            book.predicate(shapes[uid], True, book.store.part(bits), open_names)
            for (uid, open_names), bits in members.items()
        ]
        self._kept = _Kept(book)

    def _start(self) -> Iterator[_Task]:
        """The conjuncts of the requirements themselves; rows without any accept nobody."""
        store = self.book.store
        column = store.column(REQUIREMENTS)
        if column is None:
            return
        usual = store.everything.bits & ~store.odd
        yes = [code for code, cell in enumerate(column.values) if is_true(cell)]
        if yes:
            accepting = set(yes)
            rows = (row for row, code in enumerate(column.codes) if code in accepting)
            self.able |= sum_bits(rows, store.size) & usual
        for tree, bits in store.everything.split(REQUIREMENTS):
            if tree.__class__ is ExprTree:
                self.able |= bits & usual
                for conjunct in self._splits.of(tree):
                    yield _Task(conjunct, bits & usual, frozenset({REQUIREMENTS}), conjunct.level)

    def _descend(self, task: _Task) -> list[_Task] | None:
        """The conjuncts of the attribute that a conjunct consists of; None if of no expression."""
        name, bits, store = task.conjunct.name, task.bits, self.book.store
        if not (name and bits and store.has(name)):
            return None if bits else []
        found = store.part(bits).split(name)
        if len(found) == 1 and found[0][0] is None:
            return None
        plain = Conjunct(task.conjunct.shape, "", 0)
        tasks: list[_Task] = []
        for tree, rows in found:
            if tree.__class__ is not ExprTree:
                tasks.append(task._replace(conjunct=plain, bits=rows))
            elif name in task.open_names:
                self.odd |= rows
            else:
                names = task.open_names | {name}
                tasks += [
                    _Task(part, rows, names, task.level + 2 + part.level)
                    for part in self._splits.of(tree)
                ]
        return tasks

    def accepting(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those that accept a partner, those to be asked, and whether by chance."""
        bits &= self.able
        kept = self._kept.find(partner)
        if kept is None:
            kept = self._whole(partner)
        return bits & kept.true, bits & (kept.odd | self.odd), bool(kept.bad)

    def _whole(self, partner: Partner) -> Verdict:
        everything = self.book.store.everything.bits
        rows, odd, chance = everything, 0, False
        for predicate in self.predicates:
            verdict = predicate.verdict(partner)
            if verdict.passing is not None:
                rows &= verdict.passing
            odd |= verdict.odd
            chance |= verdict.chance
        found = Verdict(rows | self.odd, 0, int(chance), odd)
        self._kept.keep(partner, self.predicates, found)
        return found


class PartnerSide:
    """The requirements of partners."""

    def __init__(self, book: Book, splits: Splits) -> None:
        self.book = book
        self._splits = splits
        self._kept: dict[Any, _Kept] = {}

    def accepted(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those that a partner accepts, those to be asked, and whether by chance."""
        value = None if partner.ad is None else partner.ad.raw(REQUIREMENTS)
        if value.__class__ is not ExprTree:
            return (bits if value is not None and is_true(value) else 0), 0, False
        text = text_of(value)
        kept = self._kept.get(text)
        if kept is not None:
            found = kept.find(partner)
            if found is not None:
                return bits & found.true, bits & found.odd, bool(found.bad)
        found = self._whole(value, text, partner, bits)
        return bits & found.true, bits & found.odd, bool(found.bad)

    def _whole(self, tree: ExprTree, text: Any, partner: Partner, wanted: int) -> Verdict:
        """What all conjuncts say together, at least about the rows that are wanted."""
        everything = self.book.store.everything
        predicates = self._predicates(tree, partner)
        if predicates is None:
            # Without its conjuncts nothing is known of it, not even that it leaves chance alone.
            return Verdict(everything.bits, 0, 1, everything.bits)
        rows, odd, chance, partial = everything.bits, 0, False, False
        # What is known or costs little leaves fewer rows to what costs more.
        for predicate in sorted(predicates, key=lambda p: p.effort(partner)):
            verdict = predicate.verdict(partner, rows & wanted)
            # What it does not tell of must have been ruled out by others, for all or for now.
            partial |= verdict.within is not None and bool(rows & ~verdict.within)
            if verdict.passing is not None:
                rows &= verdict.passing
            odd |= verdict.odd
            chance |= verdict.chance
        found = Verdict(rows, 0, int(chance), odd)
        if not partial and all(not conjunct.name for conjunct in self._splits.of(tree)):
            kept = self._kept.get(text)
            if kept is None:
                kept = self._kept[text] = _Kept(self.book)
            kept.keep(partner, predicates, found)
        return found

    def _predicates(self, tree: ExprTree, partner: Partner) -> list[Predicate] | None:
        """The predicates of all conjuncts; None if that cannot be told."""
        assert partner.ad is not None
        everything = self.book.store.everything
        found: list[Predicate] = []
        todo = [(part, frozenset({REQUIREMENTS}), part.level) for part in self._splits.of(tree)]
        todo.reverse()
        while todo:
            conjunct, open_names, level = todo.pop()
            value = partner.ad.raw(conjunct.name) if conjunct.name else None
            if level > _LEVELS or (value.__class__ is ExprTree and conjunct.name in open_names):
                return None
            if value.__class__ is ExprTree:
                names = open_names | {conjunct.name}
                parts = [(p, names, level + 2 + p.level) for p in self._splits.of(value)]
                todo += reversed(parts)
                continue
            found.append(self.book.predicate(conjunct.shape, False, everything, open_names))
        return found


def sum_bits(rows: Iterable[int], size: int) -> int:
    """Row numbers as a set."""
    data = bytearray(size // 8 + 1)
    for row in rows:
        data[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(data, "little")


__all__ = ["PartnerSide", "RowSide", "Splits"]
