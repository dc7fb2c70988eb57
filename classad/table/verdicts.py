"""Verdicts, and what the evaluations of one plan have in common.

What is decided here: how bits follow from results, and what need not be found again for another
partner: rows of which nothing differs have one of four verdicts, and groups of rows that ask a
partner for less than the plan as a whole keep theirs under that.
Inputs: plans, results.  Outputs: ``Verdict`` objects.
Never here: evaluation.
"""

from __future__ import annotations

from typing import Any, Final

from classad.ad import ClassAd
from classad.table.budget import Budget
from classad.table.moving import flag
from classad.table.partner import KeyOf, Partner, key_of
from classad.table.parts import Part
from classad.table.plans import Group, Plan
from classad.table.tables import BAD, FALSE, NOBODY, TRUE, UNKNOWN, Results

#: Combinations up to which an expression is evaluated as a whole.
_WHOLE: Final = 64
#: Groups from which on what each of them says is kept.
SEVERAL: Final = 4


class Verdict:
    """What an expression is for the rows of a part: bits of those where it is true, false, error.

    ``odd``: rows that have to be asked one by one; they are in none of the others.  ``columns``:
    what the verdict was made from.  ``chance``: asking the odd rows draws random numbers.
    """

    __slots__ = (
        "bad", "chance", "columns", "cost", "false", "odd", "passing", "true", "used", "within"
    )  # fmt: skip

    def __init__(
        self, true: int, false: int, bad: int, odd: int = 0, columns: frozenset[str] = frozenset()
    ) -> None:
        self.true = true
        self.false = false
        self.bad = bad
        self.odd = odd
        self.columns = columns
        self.chance = False
        #: The rows that it tells of; None for all.
        self.within: int | None = None
        #: The rows of the whole table that it does not rule out; None for all.
        self.passing: int | None = None
        self.used = 0
        bits = true.bit_length() + false.bit_length() + bad.bit_length() + odd.bit_length()
        self.cost = 300 + bits // 7


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
            budget.drop(group.told, lambda _: True)

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
            true, false, bad = (part.bits if result == wanted else 0 for wanted in _WANTED)
            found = self._answers[result] = Verdict(true, false, bad, 0, self.columns)
            found.cost = 300  # these are there already
            found.passing = None if true else outside
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
        true, false, bad = (part.bits if results[0] == wanted else 0 for wanted in _WANTED)
        return Verdict(true, false, bad)
    kinds = [wanted for wanted in _WANTED if wanted in results]
    bits = dict.fromkeys(_WANTED, 0)
    last = 0
    if kinds and UNKNOWN not in results and NOBODY not in results:
        last = kinds.pop()  # all the rows that are left have this one
        bits[last] = part.bits
    for wanted in kinds:
        table = bytes(results.translate(_ONLY[wanted]))
        bits[wanted] = flag(joint.codes, part.rows, table, part.size)
        if last:
            bits[last] ^= bits[wanted]
    return Verdict(bits[TRUE], bits[FALSE], bits[BAD])


_WANTED: Final = (TRUE, FALSE, BAD)
#: Tables that leave a 1 where there was the result.
_ONLY: Final = {wanted: bytes(r == wanted for r in range(256)) for wanted in _WANTED}
