"""Turns the results of a plan's groups into sets of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from classad.table.arrays.arrays import flag
from classad.table.arrays.vectors import BAD, FALSE, TRUE, UNKNOWN
from classad.table.store.parts import Joint, Part


class Verdict:
    """The rows of a part, as bits, for which an expression is true, and for which it is an error.

    ``decided``: where it is one of these or false.  Mostly these are all rows of a part, so that
    which it is false for takes no memory.  ``opaque``: rows that have to be asked one by one;
    they are in none of the others.  ``columns``: what the verdict was made from.  ``chance``:
    asking the opaque rows draws random numbers.  ``passing``: the rows of the whole table that it
    does not rule out; None for all.
    """

    __slots__ = ("bad", "chance", "columns", "cost", "decided", "opaque", "passing", "true")

    def __init__(
        self,
        true: int,
        decided: int,
        bad: int,
        opaque: int = 0,
        columns: frozenset[str] = frozenset(),
    ) -> None:
        self.true = true
        self.decided = decided
        self.bad = bad
        self.opaque = opaque
        self.columns = columns
        self.chance = False
        self.passing: int | None = None
        self.cost = 300 + (true.bit_length() + bad.bit_length() + opaque.bit_length()) // 7

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
        if not (self.true or self.opaque):
            self.passing = outside
            return
        passing = self.true
        if self.opaque or outside:
            passing |= self.opaque | outside
        if passing != everything:
            self.passing = passing
            self.cost += 0 if passing is self.true else passing.bit_length() // 7


def verdict_of(part: Part, joint: Joint | None, results: bytes | bytearray) -> Verdict:
    """The rows of a part by what was found for them (``Sampler.judged``)."""
    if joint is None:
        (result,), bits = results, part.bits
        decided = 0 if result == UNKNOWN else bits
        verdict = Verdict(bits if result == TRUE else 0, decided, bits if result == BAD else 0)
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
    verdict = Verdict(true, decided, bad)
    verdict.count(part.bits)
    return verdict


def in_one(parts: Sequence[Verdict], whole: int) -> tuple[int, int, int]:
    """What verdicts about different rows, of ``whole``, give together: true, decided and bad."""
    if len(parts) == 1:
        return parts[0].true, parts[0].decided, parts[0].bad
    true = decided = bad = 0
    for part in parts:
        true, decided, bad = true | part.true, decided | part.decided, bad | part.bad
    return true, whole if decided == whole else decided, bad


#: Tables that leave a 1 where there was the result, and where there was any that decides.
_ONLY: Final = {wanted: bytes(r == wanted for r in range(256)) for wanted in (TRUE, BAD)}
_DECIDED: Final = bytes(r in (TRUE, FALSE, BAD) for r in range(256))
