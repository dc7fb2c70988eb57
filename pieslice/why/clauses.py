"""Counts which clauses of whose requirements are true of how many slots, and the values in them.

Decides what a clause is (a conjunct, own attributes that are expressions taken apart) and which
facts about it are told.

Inputs: a request and the slots of a pool, as the cycle has them.  Outputs: ``Clause`` values: how
many slots each is true of, how many are left after it, how many it alone refuses, the values of
what it mentions, what is undefined and what was probably meant; blocks for
``pieslice.reports.layout``.  Follows: ``condor_q -better-analyze`` for the idea of counting clause
by clause, ``pieslice eval --why`` for the words about undefined names.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Final

from attr import Factory, define, field, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.errors import suggest
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse
from classad.language.names import SIDES
from classad.language.values import ERROR, UNDEFINED
from classad.match import is_true
from classad.patterns import late_regex
from classad.syntax.nodes import Literal, Node, Reference
from classad.table import Rows, Table
from classad.table.arrays import flag, pick
from classad.table.expressions.partner import Partner
from classad.table.store.columns import put_cell
from classad.table.table import Seat
from negotiator.engines import table_of
from negotiator.matching.conditions import Ask, EnoughToConsume, Pair
from negotiator.pool.slots import Slot, Slots
from pieslice.expressions.dependence import conjuncts, own_names
from pieslice.why.lists import (
    OpenedList,
    inside_of,
    open_lists,
    references,
    value_text,
)
from policy.ephemeral import find_ephemeral

#: Different values of an operand that are listed.
MAX_VALUES: Final = 4
#: Slots whose attributes are searched for a name that may have been meant.
SEARCHED: Final = 200
#: The owner of names such as ``CurrentTime``.
BUILT_IN: Final = "built in"
#: What stands for the test of a consumption policy.
CONSUMES: Final = "it has what its consumption policy takes for the job"
_SCOPE: Final = late_regex(r"\b(?:my|target)\.", re.IGNORECASE)


class Whose(Enum):
    """Whose requirements a clause belongs to."""

    JOB = "job"
    SLOT = "slot"
    POLICY = "policy"


@frozen
class ClauseOperand:
    """A name in a clause.  ``owner``: ``job`` or ``slot``, None if no ad has it.

    ``values``: the most frequent ones as text, each with the number of slots; ``others`` more
    slots have yet other values.  ``lowest`` and ``highest`` if all values are numbers.
    """

    name: str
    owner: str | None
    values: tuple[tuple[str, int], ...]
    others: int = 0
    lowest: float | None = None
    highest: float | None = None
    suggestion: str | None = None
    note: str | None = None


@frozen
class Clause:
    """A clause, counted over slots.

    ``slots`` have it, which is all of them for the clauses of the job; it is ``true`` of some by
    itself and ``refuses`` the others, ``alone`` those that nothing else refuses: what dropping it
    would gain.  ``left``: slots of which it and all clauses before it are true.  ``undefined`` and
    ``error``: of the refused ones, those for which it is neither true nor false.
    """

    whose: Whose
    text: str
    slots: int
    true: int
    left: int
    refuses: int
    alone: int
    undefined: int
    error: int
    #: What it mentions, as it is in the slots that it refuses.
    operands: tuple[ClauseOperand, ...]
    example: str
    #: Its conditions over lists, as they are for the example.
    lists: tuple[OpenedList, ...] = ()


#: A clause as a key.
ClauseKey = tuple[Whose, str]


@frozen(eq=False)
class Counted:
    """A clause with the rows of the slots that have it, and of those for which it is true."""

    whose: Whose
    text: str
    tree: Expression
    having: Rows
    true: Rows

    @property
    def key(self) -> ClauseKey:
        """The clause as a key."""
        return self.whose, self.text

    @property
    def failing(self) -> Rows:
        """The slots that it refuses."""
        return self.having - self.true


@define(eq=False)
class Pairs:
    """A request against slots, which are the rows of a table.

    Slots with a consumption policy see the request as what it would take of them; ``lacking``:
    those that have not got that.
    """

    request: ClassAd
    slots: Sequence[Slot]
    context: EvalContext
    table: Table
    seen: dict[int, ClassAd]
    lacking: Rows
    #: The request, as the table is asked about it.
    partner: Partner = Factory(
        lambda self: self.table.partner(self.request, self.context), takes_self=True
    )

    @classmethod
    def of(cls, ask: Ask, slots: Slots, like: Pairs | None = None) -> Pairs:
        """``like``: another request and the same slots."""
        seen, lacking = {}, []
        consumes = EnoughToConsume().ready(ask)
        if like is None:
            rows = [row for row, slot in enumerate(slots) if slot.resources]
        else:
            rows = list(like.seen)
        for row in rows:
            pair = Pair(slots[row], ask.request, slots[row].weight)
            if consumes is not None and not consumes(pair):
                lacking.append(row)
            seen[row] = pair.request
        table = table_of(slots) if like is None else like.table
        return cls(ask.request, slots, ask.context, table, seen, Rows.of(len(slots), lacking))

    @property
    def all(self) -> Rows:
        """Every slot."""
        return Rows.all(len(self.slots))

    def sides(self, row: int, whose: Whose) -> tuple[ClassAd, ClassAd]:
        """MY and TARGET of a clause."""
        slot = self.slots[row].ad
        request = self.seen.get(row, self.request)
        return (request, slot) if whose is Whose.JOB else (slot, request)

    def owners(self, part: Reference, whose: Whose, within: Rows) -> Counter[str | None]:
        """Which side of a clause has an attribute, counted over some slots.

        The ads of slots are not made for that.
        """

        def owner(row: int, code: int) -> str | None:
            job_has = self.seen.get(row, self.request).raw(part.name) is not None
            has = job_has, cells[code] is not None
            return owner_of(part, whose, *(has if whose is Whose.JOB else has[::-1]))

        codes, cells = self.table.cells(part.name)
        if self.seen:
            return Counter(owner(row, codes[row]) for row in within)
        found: Counter[str | None] = Counter()
        for code, count in Counter(pick(codes, within.numbers())).items():
            found[owner(-1, code)] += count
        return found

    def values(
        self, tree: Expression, whose: Whose, within: Rows
    ) -> tuple[array[int], list[object]]:
        """What an expression is for each slot: codes, and a value for each code."""
        seat, apart = self._seat(whose), self._apart(whose, within)
        codes, values = self.table.evaluate(tree, self.partner, row_is=seat, within=within)
        if not apart:
            return codes, values
        codes, values = array("i", codes), list(values)
        for row in apart:
            codes[row] = len(values)
            values.append(evaluate(tree, *self.sides(row, whose), context=self.context))
        return codes, values

    def true(self, tree: Expression, whose: Whose, within: Rows) -> Rows:
        """The slots of some for which an expression is true, or a number that is not zero."""
        seat, apart = self._seat(whose), self._apart(whose, within)
        found = self.table.select(tree, self.partner, row_is=seat, within=within)
        for row in apart:
            found.discard(row)
            if is_true(evaluate(tree, *self.sides(row, whose), context=self.context)):
                found.add(row)
        return found

    def _seat(self, whose: Whose) -> Seat:
        return "target" if whose is Whose.JOB else "my"

    def _apart(self, whose: Whose, within: Rows) -> list[int]:
        """The slots that see the request otherwise, each of which is asked by itself."""
        return [] if whose is Whose.POLICY else [row for row in self.seen if row in within]


@define(eq=False)
class ClauseTable:
    """The clauses of a request and of slots; equal texts of different slots are one clause."""

    pairs: Pairs
    #: Attributes that HTCondor knows: they are no slips, even where they are missing.
    known: frozenset[str] = frozenset()
    _trees: dict[int, tuple[Node, Expression, str]] = field(factory=dict)
    _of_slots: list[tuple[Expression, str, Rows]] | None = None

    def for_request(self, pairs: Pairs) -> ClauseTable:
        """The same for another request and the same slots."""
        return ClauseTable(pairs, self.known, self._trees, self._of_slots)

    def requirements(self) -> list[Counted]:
        """Those of both sides: the job's in their order, then the slots', the most frequent first.

        Clauses are in the order in which they stand in the first slot that has them.
        """
        everywhere = self.pairs.all
        found = self._consumption()
        found += [
            self.count(tree, text, Whose.JOB, everywhere)
            for tree, text in self.clauses(self.pairs.request)
        ]
        for tree, text, having in self.of_slots():
            found.append(self.count(tree, text, Whose.SLOT, having))
        return found

    def _consumption(self) -> list[Counted]:
        """The test of slots with a consumption policy, which comes before all requirements."""
        having = Rows.of(len(self.pairs.slots), self.pairs.seen)
        if not having:
            return []
        tree = Expression.from_node(Literal(UNDEFINED))
        return [Counted(Whose.SLOT, CONSUMES, tree, having, having - self.pairs.lacking)]

    def of_slots(self) -> list[tuple[Expression, str, Rows]]:
        """The clauses of the slots, each with those that have it."""
        if self._of_slots is None:
            codes, values = self._each()
            having: dict[str, tuple[Expression, Rows]] = {}
            for code, clauses in enumerate(values):
                only = bytes(code) + b"\1" + bytes(len(values) - code - 1)
                some = Rows(len(codes), flag(codes, None, only, len(codes)))
                for tree, text in clauses:
                    first, others = having.get(text, (tree, Rows(len(codes))))
                    having[text] = (first, others | some)
            self._of_slots = sorted(
                ((tree, text, those) for text, (tree, those) in having.items()),
                key=lambda item: -len(item[2]),
            )
        return self._of_slots

    def _each(self) -> tuple[array[int], list[list[tuple[Expression, str]]]]:
        """The clauses of each slot, found once for all whose conjuncts are the same expressions."""
        table = self.pairs.table
        if table.sight(["Requirements"]).row_by_row:
            return table.apply(lambda ad: [*self.clauses(ad)], ["Requirements"])
        columns: dict[str, tuple[array[int], list[Any]]] = {}
        todo = ["requirements"]
        while todo:
            name = todo.pop()
            columns[name] = table.cells(name)
            trees = [cell.node for cell in columns[name][1] if isinstance(cell, Expression)]
            todo += {own for tree in trees for own in own_names(tree)} - columns.keys()
        keys = []
        for name, (codes, cells) in columns.items():
            # Of an own attribute only expressions are taken apart.
            whole = name == "requirements"
            own = [
                n if whole or isinstance(cell, Expression) else -1 for n, cell in enumerate(cells)
            ]
            keys.append(pick(array("i", own), codes))
        numbers: dict[tuple[int, ...], int] = {}
        found = array("i", (numbers.setdefault(k, len(numbers)) for k in zip(*keys, strict=True)))
        firsts = dict(zip(reversed(found), range(len(found) - 1, -1, -1), strict=True))
        values = []
        for number in range(len(numbers)):
            ad = ClassAd()
            for name, (codes, cells) in columns.items():
                put_cell(ad, name, cells[codes[firsts[number]]])
            values.append([*self.clauses(ad)])
        return found, values

    def of_policy(self, expr: Expression, within: Rows) -> list[Counted]:
        """Those of an expression of the policy, whose MY is the slot."""
        holder = ClassAd()
        holder.insert("Requirements", expr)
        return [self.count(*clause, Whose.POLICY, within) for clause in self.clauses(holder)]

    def clauses(self, ad: ClassAd) -> Iterator[tuple[Expression, str]]:
        """The different clauses of an ad's requirements."""
        nodes = conjuncts(ad)
        told = set()
        for node in [Literal(UNDEFINED)] if nodes is None else nodes:
            known = self._trees.get(id(node))
            if known is None:
                # The node is kept so that its identity stays its own.
                text = unparse(node).strip()
                known = self._trees[id(node)] = (node, Expression.from_node(node), text)
            if known[2] not in told:
                told.add(known[2])
                yield known[1:]

    def count(self, tree: Expression, text: str, whose: Whose, within: Rows) -> Counted:
        """For which of some slots a clause is true."""
        return Counted(whose, text, tree, within, self.pairs.true(tree, whose, within))

    def _neither(self, clause: Counted, refused: Rows) -> tuple[int, int]:
        """For how many of the slots that it refuses a clause is undefined, and for how many an
        error.
        """
        if not refused or clause.text is CONSUMES:
            return 0, 0
        codes, values = self.pairs.values(clause.tree, clause.whose, refused)
        uses = Counter(pick(codes, refused.numbers()))
        undefined, error = (
            sum(count for code, count in uses.items() if values[code] is what)
            for what in (UNDEFINED, ERROR)
        )
        return undefined, error

    def told(self, counted: Sequence[Counted], among: Rows) -> tuple[Clause, ...]:
        """The counts among some slots."""
        once, more = Rows(among.size), Rows(among.size)
        for clause in counted:
            more |= once & clause.failing
            once |= clause.failing
        found = []
        left = among
        for clause in counted:
            failing = clause.failing & among
            left = left - failing
            example = failing.first()
            undefined, error = self._neither(clause, failing)
            found.append(
                Clause(
                    clause.whose,
                    clause.text,
                    len(clause.having & among),
                    len(clause.true & among),
                    len(left),
                    len(failing),
                    len(failing - more),
                    undefined,
                    error,
                    self.operands(clause.tree.node, clause.whose, failing),
                    "" if example is None else self.pairs.slots[example].name,
                    () if example is None else self.opened(clause, example),
                )
            )
        return tuple(found)

    def opened(self, clause: Counted, row: int) -> tuple[OpenedList, ...]:
        """The conditions over lists in a clause, as they are for a slot."""
        my, target = self.pairs.sides(row, clause.whose)
        name = self.pairs.slots[row].name
        return open_lists(clause.tree.node, my, target, name, self.pairs.context)

    def operands(self, node: Node, whose: Whose, within: Rows) -> tuple[ClauseOperand, ...]:
        """What a clause mentions, with the values it has in some slots."""
        if not within:
            return ()
        elsewhere = inside_of(node)
        named = [part for part in references(node) if id(part) not in elsewhere]
        parts = {unparse(part).lower(): part for part in reversed(named)}
        return tuple(self._operand(part, whose, within) for part in reversed(parts.values()))

    def _operand(self, part: Reference, whose: Whose, within: Rows) -> ClauseOperand:
        """One name of a clause."""
        codes, values = self.pairs.values(Expression.from_node(part), whose, within)
        uses = Counter(pick(codes, within.numbers()))
        owners = self.pairs.owners(part, whose, within)
        if owners[None] and not any(values[code] is UNDEFINED for code in uses):
            owners = Counter({BUILT_IN: len(within)})
        counts: Counter[str] = Counter()
        for code, count in uses.items():
            counts[value_text(values[code])] += count
        common = sorted(counts.items(), key=lambda item: -item[1])[:MAX_VALUES]
        numbers = [float(v) for code in uses if (v := values[code]).__class__ in (int, float)]
        whole = len(numbers) == len(uses)
        missing = owners[None] == len(within)
        added = find_ephemeral(part.name) if missing else None
        del owners[None]
        return ClauseOperand(
            unparse(part),
            owners.most_common()[0][0] if owners else None,
            tuple(common),
            len(within) - sum(count for _, count in common),
            min(numbers) if whole and numbers else None,
            max(numbers) if whole and numbers else None,
            self._suggestion(part.name, within) if missing else None,
            None if added is None else f"the negotiator adds it when {added.presence.value}",
        )

    def _suggestion(self, name: str, within: Rows) -> str | None:
        """The name that was probably meant by one that nobody has."""
        if name.lower() in self.known or self.pairs.table.has(name):
            return None  # other slots have it
        names = set(self.pairs.request.names())
        for _, row in zip(range(SEARCHED), within, strict=False):
            names.update(self.pairs.slots[row].names())
        return suggest(name, names)


def owner_of(part: Reference, whose: Whose, my_has: object, target_has: object) -> str | None:
    """Which of two ads has the attribute; None if there is none of that name."""
    mine, other = ("job", "slot") if whose is Whose.JOB else ("slot", "job")
    scope = scope_of(part)
    if scope != "target" and my_has:
        return mine
    if scope != "my" and target_has:
        return other
    return None


def scope_of(part: Reference) -> str | None:
    """``my`` or ``target``; None for a name without a scope."""
    return SIDES.get(part.scope)
