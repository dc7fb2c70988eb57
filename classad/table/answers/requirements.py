"""Finds the rows that a partner's requirements accept, and those whose requirements accept it.

Requirements hold if each of their conjuncts does, wherever those are written: in the requirements
or in an attribute that they consist of.  Conjuncts that rows share are one predicate, with the rows
that have them.  The intersection of several predicates' rows is kept by the attributes that they
ask a partner for: partners that differ in one attribute differ in few of the sets to intersect.
Follows classad/match.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from classad.ads.expression import Expression
from classad.language.values import Scalar
from classad.match import is_true
from classad.syntax.unbuilt import Unbuilt
from classad.table.answers.own_ad_lists import OwnLists
from classad.table.answers.predicates import Book, Predicate, Verdict
from classad.table.arrays.arrays import flag, rows_of
from classad.table.dependence.conjuncts import Conjunct, Splits
from classad.table.dependence.partner import INSTANT, Asked, Constants, Partner, Results
from classad.table.expressions.shapes import Shape
from classad.table.expressions.templates import Template
from classad.table.memory.budget import Budget, Notes

REQUIREMENTS: Final = "requirements"
#: Levels of ``&&`` and of attributes above a conjunct; beyond them rows are asked one by one.
_LEVELS: Final = 100
#: What is under way where a conjunct stands in the requirements themselves.
_THEMSELVES: Final = frozenset({REQUIREMENTS})
#: From so many conjuncts on that differ in constants only they are one.
VARIED = 8


class _Share(NamedTuple):
    """A conjunct and the rows that have it.  ``open_names``: the attributes that it was found in.

    ``level``: how many levels there are above it.
    """

    conjunct: Conjunct
    open_names: frozenset[str]
    bits: int
    level: int = 0


def _apart(members: Iterable[_Share]) -> list[list[_Share]]:
    """Members in lists within which no row is in two of them."""
    layers: list[tuple[int, list[_Share]]] = []
    for member in members:
        for place, (bits, layer) in enumerate(layers):
            if not bits & member.bits:
                layer.append(member)
                layers[place] = bits | member.bits, layer
                break
        else:
            layers.append((member.bits, [member]))
    return [layer for _, layer in layers]


class RowSide:
    """The requirements of the rows."""

    def __init__(self, book: Book, splits: Splits) -> None:
        self.book = book
        self._splits = splits
        #: Rows that accept some partner, and those to be asked one by one.
        self.able = 0
        self.opaque = 0
        #: The columns that say which conjuncts there are.
        self._columns = {REQUIREMENTS}
        members: dict[object, _Share] = {}
        tasks = list(self._start())
        while tasks:
            task = tasks.pop()
            further = self._descend(task)
            if further is not None:
                tasks.extend(further)
            elif task.level > _LEVELS:
                self.opaque |= task.bits
            else:
                self._add(task, members)
        self.predicates = self._predicates(members.values())
        self._joint: list[JointVerdicts] | None = None
        self._partners = 0

    def _add(self, task: _Share, members: dict[object, _Share]) -> None:
        """Take the rows of a conjunct that turned out to be one."""
        conjunct, names = task.conjunct, task.open_names
        template = conjunct.template
        if template is None:
            key: object = (self._splits.shape(conjunct).uid, names)
        else:
            values = conjunct.values
            # Zeros are equal whatever their sign.
            key = (template, tuple(map(repr, values)) if 0.0 in values else values, names)
        member = members.get(key)
        bits = task.bits if member is None else member.bits | task.bits
        members[key] = _Share(conjunct, names, bits)

    def _predicates(self, members: Iterable[_Share]) -> list[Predicate]:
        """The predicates of conjuncts; those that differ in constants only are one."""
        book = self.book
        alike: dict[object, list[_Share]] = {}
        for number, member in enumerate(members):
            template = member.conjunct.template
            key = number if template is None else (template, member.open_names)
            alike.setdefault(key, []).append(member)
        found: list[Predicate] = []
        uses: Counter[Template] = Counter()
        for group in alike.values():
            template = group[0].conjunct.template
            if template is None or not template.literals or len(group) < VARIED:
                for conjunct, names, bits, _ in group:
                    shape = self._splits.shape(conjunct)
                    found.append(book.predicate(shape, True, book.store.part(bits), names))
                continue
            for layer in _apart(group):
                found.append(self._templated(template, layer, uses[template]))
                uses[template] += 1
        return found

    def _templated(self, template: Template, members: list[_Share], number: int) -> Predicate:
        """The predicate of conjuncts of different rows, with their constants as columns."""
        shape, names = self._splits.shape_with(template, "row", number)
        store = self.book.store
        rows = [(rows_of(member.bits), member.conjunct.values) for member in members]
        for place, name in enumerate(names):
            cells = [members[0].conjunct.values[place]] * store.size
            for numbers, values in rows:
                for row in numbers:
                    cells[row] = values[place]
            self.book.give(name, cells)
        bits = 0
        for member in members:
            bits |= member.bits
        return self.book.predicate(shape, True, store.part(bits), members[0].open_names)

    def _start(self) -> Iterator[_Share]:
        """The conjuncts of the requirements themselves; rows without any accept nobody."""
        store = self.book.store
        column = store.column(REQUIREMENTS)
        if column is None:
            return
        usual = store.everything.bits & ~store.opaque
        yes = bytes(map(is_true, column.values))
        self.able |= flag(column.codes, None, yes, store.size) & usual
        for tree, bits in store.everything.split(REQUIREMENTS):
            if tree.__class__ is Expression:
                self.able |= bits & usual
                for conjunct in self._splits.of(tree):
                    yield _Share(conjunct, _THEMSELVES, bits & usual, conjunct.level)

    def _descend(self, task: _Share) -> list[_Share] | None:
        """The conjuncts of the attribute that a conjunct consists of; None if of no expression."""
        name, bits, store = task.conjunct.name, task.bits, self.book.store
        if not (name and bits and store.has(name)):
            return None if bits else []
        self._columns.add(name)
        found = store.part(bits).split(name)
        if len(found) == 1 and found[0][0] is None:
            return None
        plain = task.conjunct._replace(name="", level=0)
        tasks: list[_Share] = []
        for tree, rows in found:
            if tree.__class__ is not Expression:
                tasks.append(task._replace(conjunct=plain, bits=rows))
            elif name in task.open_names:
                self.opaque |= rows
            else:
                names = task.open_names | {name}
                tasks += [
                    _Share(part, names, rows, task.level + 2 + part.level)
                    for part in self._splits.of(tree)
                ]
        return tasks

    def survives(self, names: set[str]) -> bool:
        """Whether it is still right now that some columns have changed, though not expressions."""
        if not self._columns.isdisjoint(names):
            return False
        for together in self._joint or ():
            together.forget()
        return True

    def accepting(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those accepting a partner, those yet to be evaluated, whether by chance."""
        bits &= self.able
        sure = bits & self.opaque
        opaque, chance = self.opaque, False
        if self._joint is None:
            self._joint = grouped(self.predicates, partner, self.book.budget)
        self._partners += 1
        if self._partners == ENOUGH:
            self._joint = joined(self._joint, self.book.budget)
        keys = partner.keys
        for together in self._joint:
            # As ``find`` does, without a call: there are many of them for each request.
            verdict = together.known.get(together.key_of(keys)) or together.ask(partner)
            passing = verdict.passing
            if passing is not None:
                bits &= passing
            if verdict.opaque:
                opaque |= verdict.opaque
                chance |= verdict.chance
        bits |= sure
        return bits, bits & opaque if opaque else 0, chance


class PartnerSide:
    """The requirements of partners."""

    def __init__(self, book: Book, splits: Splits, lists: OwnLists | None = None) -> None:
        """``lists``: what is known of the rows' lists, if nothing of that has changed."""
        self.book = book
        self._splits = splits
        self.lists = OwnLists(book) if lists is None else lists
        self._by_shapes: Notes[object, JointVerdicts] = Notes(book.budget)
        # The tree is kept, so that its identity is its own.
        self._by_tree: Notes[object, tuple[Expression, JointVerdicts, Constants]] = Notes(
            book.budget
        )

    def forget(self) -> None:
        """Columns have changed, though not expressions."""
        for wanted in self._by_shapes.values():
            wanted.forget()

    def accepted(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those a partner accepts, those yet to be evaluated, whether by chance."""
        value = None if partner.ad is None else partner.ad.raw(REQUIREMENTS)
        if value.__class__ is not Expression:
            return (bits if value is not None and is_true(value) else 0), 0, False
        wanted = self._wanted(value, partner)
        if wanted is None:
            # Without its conjuncts nothing is known of it, not even that it leaves chance alone.
            return bits, bits, True
        found = wanted.find(partner) or wanted.ask(partner)
        if found.passing is not None:
            bits &= found.passing
        return bits, bits & found.opaque, found.chance

    def _wanted(self, tree: Expression, partner: Partner) -> JointVerdicts | None:
        """The conjuncts of a partner's requirements; None if that cannot be told."""
        node: Any = tree._node
        text = (node.text, node.how) if node.__class__ is Unbuilt else id(tree)
        place = (text, partner.takes_constants, self.lists.fit(partner))
        known = self._by_tree.get(place)
        if known is not None:
            partner.give(known[2])
            return known[1]
        conjuncts = self._conjuncts(tree, partner)
        if conjuncts is None:
            return None
        asked, given = self._shapes(conjuncts, partner)
        partner.give(given)
        key = tuple([(shape.uid, names) for shape, names in asked])
        wanted = self._by_shapes.get(key)
        if wanted is None:
            book, everything = self.book, self.book.store.everything
            predicates = [book.predicate(shape, False, everything, names) for shape, names in asked]
            wanted = JointVerdicts(predicates, book.budget)
            self._by_shapes.keep(key, wanted, 1000 + 200 * len(asked))
        if not any(conjunct.name for conjunct in self._splits.of(tree)):
            self._by_tree.keep(place, (tree, wanted, given), 1500 + 300 * len(given.values))
        return wanted

    def _shapes(
        self, conjuncts: Iterable[tuple[Conjunct, frozenset[str]]], partner: Partner
    ) -> tuple[list[tuple[Shape, frozenset[str]]], Constants]:
        """The shapes of a partner's conjuncts, and the constants to be given to it for them."""
        uses: Counter[Template] = Counter()
        given: dict[str, Scalar] = {}
        found = []
        for conjunct, open_names in conjuncts:
            template = conjunct.template
            if template is None or not (partner.takes_constants and template.literals):
                shape = self._splits.shape(conjunct)
            else:
                shape, names = self._splits.shape_with(template, "partner", uses[template])
                uses[template] += 1
                given.update(zip(names, conjunct.values, strict=True))
            found.append((self.lists.shape(shape, partner), open_names))
        return found, Constants(given)

    def _conjuncts(
        self, tree: Expression, partner: Partner
    ) -> list[tuple[Conjunct, frozenset[str]]] | None:
        """The conjuncts, with the attributes that they were found in; None if those go too deep."""
        assert partner.ad is not None
        own = self._splits.of(tree)
        if not any(part.name or part.level > _LEVELS for part in own):
            return [(part, _THEMSELVES) for part in own]
        found: list[tuple[Conjunct, frozenset[str]]] = []
        todo = [(part, _THEMSELVES, part.level) for part in reversed(own)]
        while todo:
            conjunct, open_names, level = todo.pop()
            value: Any = partner.ad.raw(conjunct.name) if conjunct.name else None
            inner = value.__class__ is Expression
            if level > _LEVELS or (inner and conjunct.name in open_names):
                return None
            if inner:
                names = open_names | {conjunct.name}
                parts = reversed(self._splits.of(value))
                todo += [(part, names, level + 2 + part.level) for part in parts]
            else:
                found.append((conjunct, open_names))
        return found


#: Partners after which it is seen which verdicts have been the same for all.
ENOUGH: Final = 64


class JointVerdicts(Results[Verdict]):
    """The joint verdicts of predicates that all have to hold."""

    __slots__ = ("predicates", "variants")

    def __init__(self, predicates: Sequence[Predicate], budget: Budget) -> None:
        super().__init__((), budget)
        self.predicates = predicates
        self.variants = -1

    def ask(self, partner: Partner) -> Verdict:
        """The joint verdict about a partner that none was found for."""
        found = passing_all([each.verdict(partner) for each in self.predicates])
        variants = sum([len(predicate.ways) for predicate in self.predicates])
        if variants != self.variants:  # they have asked for more than the key tells
            self.forget()
            asked = chain.from_iterable(map(_asked_by, self.predicates))
            self.ask_for(tuple(dict.fromkeys(asked)))
            self.variants = variants
        return self.keep(partner, found)


def _asked_by(predicate: Predicate) -> frozenset[Asked]:
    """The attributes of partners that a predicate has read."""
    return frozenset(chain.from_iterable(way.asked for way in predicate.ways))


def grouped(
    predicates: Sequence[Predicate], partner: Partner, budget: Budget
) -> list[JointVerdicts]:
    """The predicates by the attributes that they read of such a partner."""
    reading: dict[frozenset[Asked], list[Predicate]] = {}
    for predicate in predicates:
        predicate.verdict(partner)
        reading.setdefault(_asked_by(predicate), []).append(predicate)
    homes: dict[frozenset[Asked], list[Predicate]] = {}
    for asked in sorted(reading, key=len, reverse=True):
        # What the clock decides is to be found anew at each instant, and nothing else.
        fit = (home for home in homes if asked <= home and (INSTANT in home) == (INSTANT in asked))
        homes.setdefault(next(fit, asked), []).extend(reading[asked])
    return [JointVerdicts(those, budget) for those in homes.values()]


def joined(joint: list[JointVerdicts], budget: Budget) -> list[JointVerdicts]:
    """Those with a single verdict as one, and the others."""
    alike = [each for each in joint if len(each.known) == 1 and INSTANT not in each.asked]
    for each in alike:
        each.forget()
    whole = JointVerdicts([it for each in alike for it in each.predicates], budget)
    return [whole, *(each for each in joint if each not in alike)]


def passing_all(verdicts: Sequence[Verdict]) -> Verdict:
    """The joint verdict; its ``passing`` is None if all rows pass."""
    passing: int | None = None
    opaque, chance = 0, False
    for verdict in verdicts:
        own = verdict.passing
        if own is not None:
            passing = own if passing is None else passing & own
        if verdict.opaque:
            opaque |= verdict.opaque
            chance |= verdict.chance
    found = Verdict(0, 0, 0, opaque)
    found.passing = passing
    found.chance = chance
    found.cost += 0 if passing is None else passing.bit_length() // 7
    return found
