"""Finds the rows in which an expression is true, false or an error, as bits, and keeps them.

The bits of ``&& || ! ?:`` and ``ifThenElse`` follow from those of the operands where that saves
evaluations.  An evaluation that fails counts as an error, which nothing in logic that gets to see
it makes true.  Follows the tables of logic in classad/language/operators.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from classad.evaluation.functions import InlineForm, form_of, may_move
from classad.language.operators import LOGIC
from classad.syntax.nodes import Binary, Call, Conditional, Unary, bare
from classad.table.answers.sampling import Sampler
from classad.table.arrays import flag, without
from classad.table.expressions.partner import INSTANT, Partner
from classad.table.expressions.plans import EvaluationPlan, PlannedRows, Variants
from classad.table.memo import Budget, Memo, PartnerAttribute, PartnerMemo
from classad.table.shapes import Shape
from classad.table.store.columns import Column, Joint, Part
from classad.table.store.store import Store
from classad.table.vectors import BAD, FALSE, TRUE, UNKNOWN

#: Tables that leave a 1 where there was the result, and where there was any that decides.
_ONLY: Final = {wanted: bytes(r == wanted for r in range(256)) for wanted in (TRUE, BAD)}
_DECIDED: Final = bytes(r in (TRUE, FALSE, BAD) for r in range(256))


class PartVerdict:
    """The rows of a part, as bits, for which an expression is true, and for which it is an error.

    ``decided``: where it is one of these or false.  Mostly these are all rows of a part, so that
    which it is false for takes no memory.  ``row_by_row``: rows that have to be asked one by one;
    they are in none of the others.  ``columns``: what the verdict was made from.  ``chance``:
    asking these draws random numbers.  ``passing``: the rows of the whole table that it does not
    rule out; None for all.
    """

    __slots__ = ("bad", "chance", "columns", "cost", "decided", "passing", "row_by_row", "true")

    def __init__(
        self,
        true: int,
        decided: int,
        bad: int,
        row_by_row: int = 0,
        columns: frozenset[str] = frozenset(),
    ) -> None:
        self.true = true
        self.decided = decided
        self.bad = bad
        self.row_by_row = row_by_row
        self.columns = columns
        self.chance = False
        self.passing: int | None = None
        self.cost = 300 + (true.bit_length() + bad.bit_length() + row_by_row.bit_length()) // 7

    @property
    def false(self) -> int:
        """The rows where it is false."""
        return self.decided ^ self.true ^ self.bad

    def count(self, there: int) -> None:
        """Count the memory of what is decided, unless it is these rows, which are there already."""
        if self.decided is not there:
            self.cost += self.decided.bit_length() // 7

    def rule_out(self, outside: int, everything: int) -> None:
        """Note which rows pass; ``outside``: those that it says nothing about."""
        if not (self.true or self.row_by_row):
            self.passing = outside
            return
        passing = self.true
        if self.row_by_row or outside:
            passing |= self.row_by_row | outside
        if passing != everything:
            self.passing = passing
            self.cost += 0 if passing is self.true else passing.bit_length() // 7


def verdict_of(part: Part, joint: Joint | None, results: bytes | bytearray) -> PartVerdict:
    """The rows of a part by what was found for them (``Sampler.judged``)."""
    if joint is None:
        (result,), bits = results, part.bits
        decided = 0 if result == UNKNOWN else bits
        verdict = PartVerdict(bits if result == TRUE else 0, decided, bits if result == BAD else 0)
        verdict.cost = 300  # these are there already
        return verdict

    def rows(table: bytes) -> int:
        return flag(joint.codes, part.rows, bytes(results.translate(table)), part.size)

    unsure = UNKNOWN in results
    decided = rows(_DECIDED) if unsure else part.bits
    bad = rows(_ONLY[BAD]) if BAD in results else 0
    if TRUE not in results:
        true = 0
    elif FALSE in results or unsure:
        true = rows(_ONLY[TRUE])
    else:
        true = decided ^ bad  # all the rows that are left
    verdict = PartVerdict(true, decided, bad)
    verdict.count(part.bits)
    return verdict


def in_one(parts: Sequence[PartVerdict], whole: int) -> tuple[int, int, int]:
    """What verdicts about different rows, of ``whole``, give together: true, decided and bad."""
    if len(parts) == 1:
        return parts[0].true, parts[0].decided, parts[0].bad
    true = decided = bad = 0
    for part in parts:
        true, decided, bad = true | part.true, decided | part.decided, bad | part.bad
    return true, whole if decided == whole else decided, bad


class Predicate(Variants[PartVerdict]):
    """A boolean expression of the rows of a part against any partner."""

    def __init__(
        self,
        shape: Shape,
        of_row: bool,
        part: Part,
        store: Store,
        cache: PredicateCache,
        open_names: frozenset[str],
    ) -> None:
        super().__init__(shape, of_row, part, store, open_names)
        self._cache = cache
        operands = _operands(bare(shape.node))
        #: Each can be asked by itself.
        self._operands = () if may_move(*operands[:-1]) else operands
        #: The rows that it says nothing about.
        self._outside = store.everything.bits ^ part.bits

    def verdict(self, partner: Partner) -> PartVerdict:
        """For which rows it holds against a partner."""
        found = self.known(partner)
        if found is None:
            variant, plan = self.planned(partner)
            found = self._evaluate(plan, partner)
            found.rule_out(self._outside, self._store.everything.bits)
            variant.keep(partner.keys, found)
        return found

    def _evaluate(self, plan: EvaluationPlan, partner: Partner) -> PartVerdict:
        if self._operands and not plan.row_by_row and plan.wide:
            return self._composed(partner, plan.columns)
        sampler = Sampler(self.shape, self.of_row, partner)

        def judge(group: PlannedRows) -> PartVerdict:
            return verdict_of(group.part, *sampler.judged(group))

        if len(plan.groups) == 1 and not plan.row_by_row:
            found = judge(plan.groups[0])
            found.columns = plan.columns
        else:
            parts = [group.result(partner, judge) for group in plan.groups if not group.row_by_row]
            found = PartVerdict(*in_one(parts, self.part.bits), plan.row_by_row, plan.columns)
            found.count(self.part.bits)
        found.chance = plan.random
        return found

    # --- logic ----------------------------------------------------------------------------------

    def _composed(self, partner: Partner, columns: frozenset[str]) -> PartVerdict:
        """The verdict from those of the operands, which decide the rows that it decides."""
        node = bare(self.shape.node)
        parts = [self._operand(operand).verdict(partner) for operand in self._operands]
        assert not any(part.row_by_row for part in parts)
        found = self._logic(node, parts, columns)
        found.count(parts[0].decided)
        return found

    def _logic(self, node: Any, parts: list[PartVerdict], columns: frozenset[str]) -> PartVerdict:
        if len(parts) == 1:
            (a,) = parts
            return PartVerdict(a.false, a.decided, a.bad, 0, columns)
        if len(parts) == 3:
            c, a, b = parts
            true = c.true & a.true | c.false & b.true
            decided = c.bad | c.true & a.decided | c.false & b.decided
            return PartVerdict(true, decided, c.bad | c.true & a.bad | c.false & b.bad, 0, columns)
        a, b = parts
        if isinstance(node, Binary) and node.operator == "&&":
            true, bad = a.true & b.true, a.bad | without(b.bad, a.false)
            settled = a.false | b.false
        else:
            true, bad = a.true | without(b.true, a.bad), a.bad | without(b.bad, a.true)
            settled = true
        # Where both are decided so is the result; where one is not, only if the other decides.
        decided = a.decided if a.decided == b.decided else a.decided & b.decided | settled | bad
        return PartVerdict(true, decided, bad, 0, columns)

    def _operand(self, node: Any) -> Predicate:
        shape = self._store.shapes.of(node)
        return self._cache.predicate(shape, self.of_row, self.part, self._open)


def _operands(node: Any) -> tuple[Any, ...]:
    """The operands of an expression that is one of logic; of others none."""
    if isinstance(node, Binary) and node.operator in LOGIC:
        return (node.left, node.right)
    if isinstance(node, Unary) and node.operator == "!":
        return (node.operand,)
    if isinstance(node, Conditional):
        return (node.condition, node.then, node.otherwise)
    choice = isinstance(node, Call) and form_of(node.name, len(node.args)) is InlineForm.CHOICE
    return node.args if choice else ()


class PredicateCache:
    """The predicates of a table, one for equal expressions."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self.store = store
        self.budget = budget
        self._predicates: Memo[object, Predicate] = Memo(budget)

    def predicate(
        self, shape: Shape, of_row: bool, part: Part, open_names: frozenset[str] = frozenset()
    ) -> Predicate:
        """The predicate of an expression for a part."""
        key = (shape.uid, of_row, part.uid, open_names)
        found = self._predicates.get(key)
        if found is None:
            found = Predicate(shape, of_row, part, self.store, self, open_names)
            self._predicates.keep(key, found, 1000)
        return found

    def give(self, name: str, cells: Sequence[Any] | Column) -> None:
        """Let rows have something that their ads have not."""
        if self.store.give(name, cells):
            self.forget({name})

    def forget(self, names: set[str] | None, split: set[str] | None = None) -> None:
        """Columns have changed; None: expressions in them, so everything is to be found anew.

        ``split``: the columns in which expressions have changed, where that is known.
        """
        if names is None:
            self._predicates.drop()
            self.budget.clear()
            return
        for predicate in self._predicates.values():
            predicate.forget(names, split)


# --- predicates that all have to hold ---------------------------------------------------------


class JointVerdicts(PartnerMemo[PartVerdict]):
    """The joint verdicts of predicates that all have to hold."""

    __slots__ = ("counted", "predicates")

    def __init__(self, predicates: Sequence[Predicate], budget: Budget) -> None:
        super().__init__((), budget)
        self.predicates = predicates
        self.counted = -1

    def ask(self, partner: Partner) -> PartVerdict:
        """The joint verdict about a partner that none was found for."""
        found = passing_all([each.verdict(partner) for each in self.predicates])
        counted = sum([len(predicate.variants) for predicate in self.predicates])
        if counted != self.counted:  # they have asked for more than the key tells
            self.forget()
            asked = chain.from_iterable(map(_asked_by, self.predicates))
            self.ask_for(tuple(dict.fromkeys(asked)))
            self.counted = counted
        return self.keep(partner.keys, found)


def _asked_by(predicate: Predicate) -> frozenset[PartnerAttribute]:
    """The attributes of partners that a predicate has read."""
    return frozenset(chain.from_iterable(variant.asked for variant in predicate.variants))


def grouped(
    predicates: Sequence[Predicate], partner: Partner, budget: Budget
) -> list[JointVerdicts]:
    """The predicates by the attributes that they read of such a partner."""
    reading: dict[frozenset[PartnerAttribute], list[Predicate]] = {}
    for predicate in predicates:
        predicate.verdict(partner)
        reading.setdefault(_asked_by(predicate), []).append(predicate)
    homes: dict[frozenset[PartnerAttribute], list[Predicate]] = {}
    for asked in sorted(reading, key=len, reverse=True):
        # What the clock decides is to be found anew at each instant, and nothing else.
        fit = (home for home in homes if asked <= home and (INSTANT in home) == (INSTANT in asked))
        homes.setdefault(next(fit, asked), []).extend(reading[asked])
    return [JointVerdicts(those, budget) for those in homes.values()]


def passing_all(verdicts: Sequence[PartVerdict]) -> PartVerdict:
    """The joint verdict; its ``passing`` is None if all rows pass."""
    passing: int | None = None
    row_by_row, chance = 0, False
    for verdict in verdicts:
        own = verdict.passing
        if own is not None:
            passing = own if passing is None else passing & own
        if verdict.row_by_row:
            row_by_row |= verdict.row_by_row
            chance |= verdict.chance
    found = PartVerdict(0, 0, 0, row_by_row)
    found.passing = passing
    found.chance = chance
    found.cost += 0 if passing is None else passing.bit_length() // 7
    return found
