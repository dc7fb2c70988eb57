"""Finds the rows that a partner's requirements accept, and those whose requirements accept it.

Requirements hold if each of their conjuncts does, wherever those are written: in the requirements
or in an attribute that they consist of.  Conjuncts that rows share are one predicate, with the rows
that have them.  The intersection of several predicates' rows is kept by the attributes that they
ask a partner for: partners that differ in one attribute differ in few of the sets to intersect.
Follows classad/match.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from classad.ads.expression import Expression
from classad.language.values import Scalar
from classad.match import half_match, is_true, symmetric_match
from classad.syntax.lazy import LazyExpression
from classad.table.answers.own_ad_lists import OwnLists
from classad.table.answers.predicates import (
    JointVerdicts,
    PartVerdict,
    Predicate,
    PredicateCache,
    grouped,
)
from classad.table.arrays import flag, rows_of
from classad.table.expressions.conjuncts import Conjunct, ExpressionTemplate, Splits
from classad.table.expressions.partner import Constants, Partner
from classad.table.memo import Answers, Memo
from classad.table.shapes import Shape

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

    def __init__(self, cache: PredicateCache, splits: Splits) -> None:
        self.cache = cache
        self._splits = splits
        #: Rows that accept some partner, and those to be asked one by one.
        self.able = 0
        self.row_by_row = 0
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
                self.row_by_row |= task.bits
            else:
                self._add(task, members)
        self.predicates = self._predicates(members.values())
        self._joint: list[JointVerdicts] | None = None

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
        cache = self.cache
        alike: dict[object, list[_Share]] = {}
        for number, member in enumerate(members):
            template = member.conjunct.template
            key = number if template is None else (template, member.open_names)
            alike.setdefault(key, []).append(member)
        found: list[Predicate] = []
        uses: Counter[ExpressionTemplate] = Counter()
        for group in alike.values():
            template = group[0].conjunct.template
            if template is None or not template.literals or len(group) < VARIED:
                for conjunct, names, bits, _ in group:
                    shape = self._splits.shape(conjunct)
                    found.append(cache.predicate(shape, True, cache.store.part(bits), names))
                continue
            for layer in _apart(group):
                found.append(self._templated(template, layer, uses[template]))
                uses[template] += 1
        return found

    def _templated(
        self, template: ExpressionTemplate, members: list[_Share], number: int
    ) -> Predicate:
        """The predicate of conjuncts of different rows, with their constants as columns."""
        shape, names = self._splits.shape_with(template, "row", number)
        store = self.cache.store
        rows = [(rows_of(member.bits), member.conjunct.values) for member in members]
        for place, name in enumerate(names):
            cells = [members[0].conjunct.values[place]] * store.size
            for numbers, values in rows:
                for row in numbers:
                    cells[row] = values[place]
            self.cache.give(name, cells)
        bits = 0
        for member in members:
            bits |= member.bits
        return self.cache.predicate(shape, True, store.part(bits), members[0].open_names)

    def _start(self) -> Iterator[_Share]:
        """The conjuncts of the requirements themselves; rows without any accept nobody."""
        store = self.cache.store
        column = store.column(REQUIREMENTS)
        if column is None:
            return
        usual = store.everything.bits & ~store.row_by_row
        yes = bytes(map(is_true, column.values))
        self.able |= flag(column.codes, None, yes, store.size) & usual
        for tree, bits in store.everything.split(REQUIREMENTS):
            if tree.__class__ is Expression:
                self.able |= bits & usual
                for conjunct in self._splits.of(tree):
                    yield _Share(conjunct, _THEMSELVES, bits & usual, conjunct.level)

    def _descend(self, task: _Share) -> list[_Share] | None:
        """The conjuncts of the attribute that a conjunct consists of; None if of no expression."""
        name, bits, store = task.conjunct.name, task.bits, self.cache.store
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
                self.row_by_row |= rows
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

    def verdicts(self, partner: Partner) -> list[PartVerdict] | None:
        """The verdicts of all predicates about a partner; None if rows are asked one by one."""
        if self.row_by_row:
            return None
        if self._joint is None:
            self._joint = grouped(self.predicates, partner, self.cache.budget)
        keys = partner.keys
        return [
            together.known.get(together.key_of(keys)) or together.ask(partner)
            for together in self._joint
        ]

    def accepting(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those accepting a partner, those yet to be evaluated, whether by chance."""
        bits &= self.able
        sure = bits & self.row_by_row
        row_by_row, chance = self.row_by_row, False
        if self._joint is None:
            self._joint = grouped(self.predicates, partner, self.cache.budget)
        keys = partner.keys
        for together in self._joint:
            # As ``find`` does, without a call: there are many of them for each request.
            verdict = together.known.get(together.key_of(keys)) or together.ask(partner)
            passing = verdict.passing
            if passing is not None:
                bits &= passing
            if verdict.row_by_row:
                row_by_row |= verdict.row_by_row
                chance |= verdict.chance
        bits |= sure
        return bits, bits & row_by_row if row_by_row else 0, chance


class PartnerSide:
    """The requirements of partners."""

    def __init__(
        self, cache: PredicateCache, splits: Splits, lists: OwnLists | None = None
    ) -> None:
        """``lists``: what is known of the rows' lists, if nothing of that has changed."""
        self.cache = cache
        self._splits = splits
        self.lists = OwnLists(cache) if lists is None else lists
        self._by_shapes: Memo[object, JointVerdicts] = Memo(cache.budget)
        # The tree is kept, so that its identity is its own.
        self._by_tree: Memo[object, tuple[Expression, JointVerdicts, Constants]] = Memo(
            cache.budget
        )

    def forget(self) -> None:
        """Columns have changed, though not expressions."""
        for wanted in self._by_shapes.values():
            wanted.forget()

    def verdict(self, partner: Partner) -> PartVerdict | None:
        """The verdict of a partner's requirements; None if those are no expression, or too deep."""
        value = None if partner.ad is None else partner.ad.raw(REQUIREMENTS)
        wanted = self._wanted(value, partner) if value.__class__ is Expression else None
        return None if wanted is None else wanted.find(partner.keys) or wanted.ask(partner)

    def accepted(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those a partner accepts, those yet to be evaluated, whether by chance."""
        found = self.verdict(partner)
        if found is None:
            value = None if partner.ad is None else partner.ad.raw(REQUIREMENTS)
            if value.__class__ is not Expression:
                return (bits if value is not None and is_true(value) else 0), 0, False
            # Without its conjuncts nothing is known of it, not even that it leaves chance alone.
            return bits, bits, True
        if found.passing is not None:
            bits &= found.passing
        return bits, bits & found.row_by_row, found.chance

    def _wanted(self, tree: Expression, partner: Partner) -> JointVerdicts | None:
        """The conjuncts of a partner's requirements; None if that cannot be told."""
        node: Any = tree._node
        text = (node.text, node.how) if node.__class__ is LazyExpression else id(tree)
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
            cache, everything = self.cache, self.cache.store.everything
            predicates = [
                cache.predicate(shape, False, everything, names) for shape, names in asked
            ]
            wanted = JointVerdicts(predicates, cache.budget)
            self._by_shapes.keep(key, wanted, 1000 + 200 * len(asked))
        if not any(conjunct.name for conjunct in self._splits.of(tree)):
            self._by_tree.keep(place, (tree, wanted, given), 1500 + 300 * len(given.values))
        return wanted

    def _shapes(
        self, conjuncts: Iterable[tuple[Conjunct, frozenset[str]]], partner: Partner
    ) -> tuple[list[tuple[Shape, frozenset[str]]], Constants]:
        """The shapes of a partner's conjuncts, and the constants to be given to it for them."""
        uses: Counter[ExpressionTemplate] = Counter()
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


class Matching:
    """Which rows match a job, by the requirements of both."""

    def __init__(self, cache: PredicateCache) -> None:
        self._cache = cache
        self._store = cache.store
        self._splits = Splits(cache.store.shapes)
        self._row_side: RowSide | None = None
        self._partner_side = PartnerSide(cache, self._splits)
        #: By the keys of partners that come again, see ``keep``.
        self._answers: dict[object, Answers] = {}

    def known(self, key: object) -> Answers:
        """What is known of partners with a key; nothing where rows are asked one by one."""
        return (None if self._store.row_by_row else self._answers.get(key)) or Answers()

    def keep(self, key: object, answers: Answers) -> None:
        """Keep answers that hold for all rows, until some row changes or others need the room.

        Partners with this key are the same to all that reads of them what is in ``Shapes.read``.
        """
        self._cache.budget.add(self._answers, key, answers)

    def lists_differ(self, names: set[str]) -> bool:
        """Whether what these columns hold stands in lists that were written out for partners."""
        return self._partner_side.lists.touched(names)

    def forget(self, names: set[str] | None) -> None:
        """Rows have been replaced: columns have changed; None: expressions in them, too."""
        self._cache.budget.drop(self._answers)
        if self._row_side is not None and (names is None or not self._row_side.survives(names)):
            self._row_side = None
        if names is None:
            self._partner_side = PartnerSide(self._cache, self._splits)
        else:
            self._partner_side.forget()

    def begin_again(self, names: set[str] | None) -> None:
        """All rows may be others; ``names``: the columns that differ, None: any."""
        self._cache.budget.drop(self._answers)
        self._row_side = None
        lists = self._partner_side.lists
        same = names is not None and not lists.touched(names)
        self._partner_side = PartnerSide(self._cache, self._splits, lists if same else None)

    def matching(self, partner: Partner, bits: int, sides: tuple[bool, bool]) -> int:
        """Of some rows those that match; ``sides``: whether the job and the rows have a say."""
        found = self.decided(partner, bits, sides)
        if found is not None:
            return found
        willing = 0
        if all(sides):
            bits, willing = self._willing(partner, bits)
        return self.one_by_one(partner, bits, sides, willing)

    def _willing(self, partner: Partner, bits: int) -> tuple[int, int]:
        """The rows that have to be asked where random numbers decide, and those that accept a job.

        Rows that refuse it without a random number are not asked: the job's own requirements come
        second.
        """
        assert self._row_side is not None
        one_by_one = bits & partner.row_by_row
        accepting, ask, chance = self._row_side.accepting(partner, bits & ~one_by_one)
        if chance or self._row_side.row_by_row:
            return bits, 0
        return accepting | one_by_one, accepting & ~ask

    def decided(
        self, partner: Partner, bits: int, sides: tuple[bool, bool], *, thorough: bool = False
    ) -> int | None:
        """The rows that match; None if random numbers decide.

        ``thorough``: also None if random numbers would be drawn in vain.
        """
        job, context = partner.ad, partner.context
        assert job is not None
        job_side, rows_side = sides
        ask_job = ask_row = 0
        chance = False
        row_by_row = bits & partner.row_by_row
        if row_by_row:
            bits ^= row_by_row
        if rows_side:  # first, since more of it is known from other jobs
            if self._row_side is None:
                self._row_side = RowSide(self._cache, self._splits)
            bits, ask_row, chance = self._row_side.accepting(partner, bits)
            chance |= thorough and self._row_side.row_by_row != 0
        if job_side and (bits or chance or thorough):
            bits, ask_job, by_chance = self._partner_side.accepted(partner, bits)
            chance |= by_chance
        if chance:
            return None
        ask_job &= bits
        ask_row &= bits
        if row_by_row:
            bits |= row_by_row
            ask_job |= row_by_row if job_side else 0
            ask_row |= row_by_row if rows_side else 0
        for row in rows_of(ask_job | ask_row):
            ad = self._store.ad(row)
            refused = ask_row >> row & 1 and not half_match(ad, job, context)
            if refused or (ask_job >> row & 1 and not half_match(job, ad, context)):
                bits ^= 1 << row
        return bits

    def by_columns(self, partner: Partner) -> tuple[int, ...] | None:
        """Sets of rows, which are kept anyway: what all have in common are the rows that match.

        None if columns do not tell of each row.
        """
        if partner.row_by_row or partner.redefines_scope_names or partner.ad is None:
            return None
        if self._row_side is None:
            self._row_side = RowSide(self._cache, self._splits)
        verdicts = self._row_side.verdicts(partner)
        own = None if verdicts is None else self._partner_side.verdict(partner)
        if verdicts is None or own is None:
            return None
        sets = [self._row_side.able]
        for found in (*verdicts, own):
            if found.row_by_row:
                return None
            if found.passing is not None:
                sets.append(found.passing)
        return tuple(sets)

    def one_by_one(
        self, partner: Partner, bits: int, sides: tuple[bool, bool], willing: int = 0
    ) -> int:
        """The same by asking every row; the ``willing`` ones are known to accept the job."""
        job, context = partner.ad, partner.context
        assert job is not None
        job_side, rows_side = sides
        for row in rows_of(bits):
            ad = self._store.ad(row)
            if willing >> row & 1:
                yes = half_match(job, ad, context)
            elif rows_side and job_side:
                yes = symmetric_match(job, ad, context)
            else:
                yes = half_match(ad, job, context) if rows_side else half_match(job, ad, context)
            if not yes:
                bits ^= 1 << row
        return bits
