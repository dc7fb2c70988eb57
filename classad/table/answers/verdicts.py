"""Verdicts, and what the evaluations of one plan have in common.

What is decided here: how bits follow from results, and what need not be found again for another
partner: rows of which nothing differs have one of four verdicts, and groups of rows that ask a
partner for less than the plan as a whole keep theirs under that.
Inputs: plans, results.  Outputs: ``Verdict`` objects.
Never here: evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from classad.binding.ad import ClassAd
from classad.table.arrays.arrays import flag
from classad.table.dependence.partner import KeyOf, Partner, key_of
from classad.table.dependence.plans import Group, Plan
from classad.table.memory.budget import Budget
from classad.table.sampling.sampler import BAD, FALSE, NOBODY, TRUE, UNKNOWN, Results
from classad.table.store.parts import Part

#: Combinations up to which an expression is evaluated as a whole.
_WHOLE: Final = 64
#: Groups from which on what each of them says is kept.
SEVERAL: Final = 4


class Verdict:
    """What an expression is for the rows of a part: bits of those where it is true, and an error.

    ``told``: where it is one of these or false.  Mostly these are all rows of a part, so that
    which it is false for takes no memory.  ``odd``: rows that have to be asked one by one; they are
    in none of the others.  ``columns``: what the verdict was made from.  ``chance``: asking the odd
    rows draws random numbers.
    """

    __slots__ = (
        "bad", "chance", "columns", "cost", "odd", "passing", "told", "true", "used", "within"
    )  # fmt: skip

    def __init__(
        self, true: int, told: int, bad: int, odd: int = 0, columns: frozenset[str] = frozenset()
    ) -> None:
        self.true = true
        self.told = told
        self.bad = bad
        self.odd = odd
        self.columns = columns
        self.chance = False
        #: The rows that it tells of; None for all.
        self.within: int | None = None
        #: The rows of the whole table that it does not rule out; None for all.
        self.passing: int | None = None
        self.used = 0
        self.cost = 300 + (true.bit_length() + bad.bit_length() + odd.bit_length()) // 7

    @property
    def false(self) -> int:
        """The rows where it is false."""
        return self.told ^ self.true ^ self.bad

    def count(self, there: int) -> None:
        """Count the memory of what is told, unless it is these rows, which are there already."""
        if self.told is not there:
            self.cost += self.told.bit_length() // 7


class Way:
    """A plan, and what of evaluating it is the same for all partners.

    ``columns``: all that decide; ``odd``: the rows that they do not decide.
    """

    __slots__ = (
        "_alone",
        "_answers",
        "_keys",
        "_looked",
        "_wide",
        "columns",
        "effort",
        "odd",
        "plan",
    )

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.columns = frozenset[str]().union(*(group.columns for group in plan.groups))
        self.odd = 0
        for group in plan.groups:
            self.odd |= group.part.bits if group.odd else 0
        several = len(plan.groups) >= SEVERAL and not plan.clock
        self._keys: list[KeyOf] | None = None
        if several:
            self._keys = [key_of(group.asked) for group in plan.groups]
        self._renew()

    def _renew(self) -> None:
        #: How many evaluations it takes, about; 0 if nobody has looked.
        self.effort = 0
        self._wide: bool | None = None
        self._alone: ClassAd | None = None
        self._looked = False
        self._answers: dict[int, Verdict] = {}

    def forget(self, budget: Budget) -> None:
        """Columns have changed."""
        self._renew()
        for group in self.plan.groups if self._keys is not None else ():
            budget.drop(group.told)

    @property
    def wide(self) -> bool:
        """Whether there are too many combinations to evaluate them all."""
        if self._wide is None:
            self._wide = any(map(_is_wide, self.plan.groups))
        return self._wide

    @property
    def alone(self) -> ClassAd | None:
        """What all rows have; None if something in which they differ decides."""
        if not self._looked:
            self._looked = True
            (group, *others), chance = self.plan.groups, self.plan.random
            if not (others or chance or group.odd or group.circular):
                row, varying = group.part.base(group.columns)
                self._alone = None if varying else row
        return self._alone

    def answer(self, result: int, part: Part, outside: int) -> Verdict:
        """The verdict if all rows of the one group there is have a result.

        ``outside``: the rows of the table that are not in it.
        """
        found = self._answers.get(result)
        if found is None:
            found = self._answers[result] = _alike(part, result, self.columns)
            found.cost = 300  # these are there already
            found.passing = None if found.true else outside
        return found

    def told(self, place: int, partner: Partner) -> tuple[Any, Verdict | None]:
        """The key of what a group has said to a partner, and that if it is known."""
        if self._keys is None:
            return None, None
        key = self._keys[place](partner.keys)
        return (key,), self.plan.groups[place].told.get((key,))


def _is_wide(group: Group) -> bool:
    size = 1
    for name in group.columns:
        size *= group.part.cardinality(name)
    return size > _WHOLE


def verdict_of(part: Part, found: Results) -> Verdict:
    """The rows of a part by what was found for them."""
    joint, results, _ = found
    if joint is None:
        return _alike(part, results[0])

    def rows(table: bytes) -> int:
        return flag(joint.codes, part.rows, bytes(results.translate(table)), part.size)

    unsure = UNKNOWN in results or NOBODY in results
    told = rows(_TOLD) if unsure else part.bits
    bad = rows(_ONLY[BAD]) if BAD in results else 0
    if TRUE not in results:
        true = 0
    elif FALSE in results or unsure:
        true = rows(_ONLY[TRUE])
    else:
        true = told ^ bad  # all the rows that are left
    verdict = Verdict(true, told, bad)
    verdict.count(part.bits)
    return verdict


def _alike(part: Part, result: int, columns: frozenset[str] = frozenset()) -> Verdict:
    """The verdict if all rows of a part have a result."""
    true, false, bad = (part.bits if result == wanted else 0 for wanted in (TRUE, FALSE, BAD))
    return Verdict(true, true or false or bad, bad, 0, columns)


def in_one(parts: Sequence[Verdict], whole: int) -> tuple[int, int, int]:
    """What verdicts about different rows, of ``whole``, tell together: true, told and bad."""
    if len(parts) == 1:
        return parts[0].true, parts[0].told, parts[0].bad
    true = told = bad = 0
    for part in parts:
        true, told, bad = true | part.true, told | part.told, bad | part.bad
    return true, whole if told == whole else told, bad


#: Tables that leave a 1 where there was the result, and where there was any that is told.
_ONLY: Final = {wanted: bytes(r == wanted for r in range(256)) for wanted in (TRUE, BAD)}
_TOLD: Final = bytes(r in (TRUE, FALSE, BAD) for r in range(256))
