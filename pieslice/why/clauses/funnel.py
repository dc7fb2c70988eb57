"""Counts where the slots of a pool go for one job, step by step.

Decides the order in which the steps are told.

Inputs: a halted cycle.  Outputs: ``Funnel``: steps with what each took out and why; the
clauses that fail; what would help.  Follows: the order of tests in the cycle.
"""

from __future__ import annotations

from typing import Final

from attr import define, field, frozen

from classad.table import Rows
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Refusal
from negotiator.matching.choice import has_claim, list_for
from negotiator.matching.preemption import PREEMPTION_TESTS
from pieslice.why.clauses.change import Change, NoHelp, smallest_changes
from pieslice.why.clauses.poolmatch import PoolMatch, match_pool
from pieslice.why.clauses.table import Clause, Whose
from pieslice.why.requests.verdict import Verdicts

#: Names of slots given as examples of a cause.
MAX_EXAMPLES: Final = 3

MATCHING: Final = "do not match"
PREEMPTING: Final = "cannot be preempted"
LIMITS: Final = "over a limit"
MATCHED: Final = "matched earlier in this cycle"
NO_CLAIM: Final = "no claim id left"

_OF_PREEMPTION: Final = frozenset(test.cause for test in PREEMPTION_TESTS)
_OF_LIMITS: Final = frozenset((Refusal.SUBMITTER_LIMIT, Refusal.CONCURRENCY_LIMIT))


@frozen
class Part:
    """One cause within a step, and some of its slots.

    ``would_match``: of slots that are gone, whether both requirements are true of them; None of
    others.
    """

    cause: str
    slots: int
    examples: tuple[str, ...]
    would_match: bool | None = None


@frozen
class Step:
    """A step: so many slots ``removed``, so many ``left`` after it."""

    name: str
    removed: int
    left: int
    parts: tuple[Part, ...]


@frozen
class Funnel:
    """All steps after the slots that never came into view.

    ``in_view``: slots considered in the cycle; ``candidates``: what is left in the end.
    ``clauses``: of the requirements, over all slots in view, of which ``matching`` match, and
    ``matching_left`` of those were not matched earlier.  ``preemption_clauses``: of
    PREEMPTION_REQUIREMENTS, over the slots that it keeps.
    """

    in_view: int
    steps: tuple[Step, ...]
    candidates: int
    matching: int
    matching_left: int
    clauses: tuple[Clause, ...]
    preemption_clauses: tuple[Clause, ...]
    changes: tuple[Change, ...]
    no_help: tuple[NoHelp, ...]
    #: What was said of each slot that is left, by name.
    verdicts: dict[str, str] = field(factory=dict, repr=False)


@define(eq=False)
class _Sieve:
    """The slots by step and cause; ``would_match`` belongs to the cause."""

    parts: dict[str, dict[tuple[str, bool | None], list[str]]] = field(factory=dict)
    verdicts: dict[str, str] = field(factory=dict)

    def drop(self, step: str, cause: str, slot: str, would_match: bool | None = None) -> None:
        self.parts.setdefault(step, {}).setdefault((cause, would_match), []).append(slot)
        self.verdicts[slot] = cause


def funnel(halted: Offer, known: frozenset[str] = frozenset()) -> Funnel:
    """Put every slot through the tests of the cycle.  ``known``: HTCondor's attributes."""
    board = halted.board
    kept_list = list_for(board, halted.request, halted.asker) is not None
    if not kept_list:
        board.drop_match_list()
    match = match_pool(halted, known)
    sieve, verdicts = _Sieve(), Verdicts.at(halted, kept_list=kept_list)
    _matched_earlier(sieve, halted, match)
    by_job, by_slot = _refusing(match, Whose.JOB), _refusing(match, Whose.SLOT)
    slots = match.pairs.slots
    protected, candidates = Rows(len(slots)), 0
    for row in match.there:
        name = slots[row].name
        verdict = verdicts.of(name)
        if isinstance(verdict, Candidate):
            if has_claim(board, verdict):
                candidates += 1
                sieve.verdicts[name] = "candidate"
            else:
                sieve.drop(MATCHED, NO_CLAIM, name, True)
            continue
        cause = str(verdict)
        if verdict is Refusal.REQUIREMENTS:
            cause = _whose_fault(row in by_job, row in by_slot)
        elif verdict is Refusal.PREEMPTION_REQUIREMENTS:
            protected.add(row)
        sieve.drop(_step_of(verdict), cause, name)
    preemption = board.policy.preemption_requirements
    refusing = [] if preemption is None else match.table.of_policy(preemption, protected)
    changes = smallest_changes(halted, match, verdicts)
    return Funnel(
        len(slots),
        _steps(sieve, len(slots)),
        candidates,
        len(match.matching),
        len(match.matching & match.there),
        match.table.told(match.clauses, match.pairs.all),
        tuple(item for item in match.table.told(refusing, protected) if item.refuses),
        changes.best,
        changes.no_help,
        sieve.verdicts,
    )


def _step_of(cause: Refusal) -> str:
    """The step at which slots are refused for a cause."""
    if cause in _OF_LIMITS:
        return LIMITS
    return PREEMPTING if cause in _OF_PREEMPTION else MATCHING


def _matched_earlier(sieve: _Sieve, halted: Offer, match: PoolMatch) -> None:
    """The slots that were matched earlier in the cycle."""
    takers = {made.slot: made.submitter for made in halted.board.matches}
    slots = match.pairs.slots
    for row in match.pairs.all - match.there:
        taker = takers.get(slots[row].name)
        cause = NO_CLAIM if taker is None else f"matched by {taker}"
        sieve.drop(MATCHED, cause, slots[row].name, row in match.matching)


def _refusing(match: PoolMatch, whose: Whose) -> Rows:
    """The slots for which a clause of a side is not true."""
    found = Rows(len(match.pairs.slots))
    for clause in match.clauses:
        if clause.whose is whose:
            found |= clause.failing
    return found


def _whose_fault(job: bool, slot: bool) -> str:
    """Whose requirements are not true."""
    if job and slot:
        return "Requirements of both the job and the slot"
    return f"Requirements of the {'job' if job else 'slot'}"


def _steps(sieve: _Sieve, in_view: int) -> tuple[Step, ...]:
    steps = []
    left = in_view
    for name in (MATCHED, MATCHING, PREEMPTING, LIMITS):
        causes = sieve.parts.get(name, {})
        removed = sum(map(len, causes.values()))
        left -= removed
        parts = sorted(
            (
                Part(cause, len(slots), tuple(slots[:MAX_EXAMPLES]), would_match)
                for (cause, would_match), slots in causes.items()
            ),
            key=lambda part: (part.would_match is False, -part.slots),
        )
        steps.append(Step(name, removed, left, tuple(parts)))
    return tuple(steps)
