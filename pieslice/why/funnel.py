"""Counts where the slots of a pool go for one job, step by step.

Decides the order in which the steps are told.

Inputs: a halted cycle.  Outputs: ``Funnel``: steps with what each took out and why; the
clauses that fail; what would help.  Follows: the order of tests in the cycle.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from attr import define, field, frozen

from negotiator.matching.candidate import Candidate, Tally
from negotiator.matching.candidates import consider, per_slot_limits_have_room
from negotiator.matching.choice import has_claim, list_for
from negotiator.matching.preemption import PREEMPTION_TESTS
from negotiator.matching.refusal import Refusal
from negotiator.pool.consumption import consumed, request_for
from negotiator.pool.slots import Slot
from pieslice.why.change import Change, smallest_changes
from pieslice.why.clauses import Clause, ClauseTable, Pair, Whose
from pieslice.why.moments import HaltedCycle

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
    """One cause within a step, and some of its slots."""

    cause: str
    slots: int
    examples: tuple[str, ...]


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
    ``clauses``: of the requirements, ``preemption_clauses``: of PREEMPTION_REQUIREMENTS.
    """

    in_view: int
    steps: tuple[Step, ...]
    candidates: int
    clauses: tuple[Clause, ...]
    preemption_clauses: tuple[Clause, ...]
    changes: tuple[Change, ...]
    #: What was said of each slot that is left, by name.
    verdicts: dict[str, str] = field(factory=dict, repr=False)


@define(eq=False)
class _Sieve:
    halted: HaltedCycle
    parts: dict[str, dict[str, list[str]]] = field(factory=dict)
    verdicts: dict[str, str] = field(factory=dict)

    def drop(self, step: str, cause: str, slot: str) -> None:
        self.parts.setdefault(step, {}).setdefault(cause, []).append(slot)
        self.verdicts[slot] = cause


def funnel(halted: HaltedCycle, known: frozenset[str] = frozenset()) -> Funnel:
    """Put every slot through the tests of the cycle.  ``known``: HTCondor's attributes."""
    board = halted.board
    kept_list = list_for(board, halted.request, halted.asker) is not None
    if not kept_list:
        board.drop_match_list()
    sieve = _Sieve(halted)
    _matched_earlier(sieve)
    table, preemption = (ClauseTable(board.context, known) for _ in range(2))
    reachable, candidates = set(), 0
    for position, slot in list(board.slots.items()):
        verdict = verdict_of(halted, position, slot, kept_list=kept_list)
        if isinstance(verdict, Candidate) and not has_claim(board, verdict):
            sieve.drop(MATCHED, NO_CLAIM, slot.name)
            continue
        if isinstance(verdict, Candidate):
            candidates += 1
            sieve.verdicts[slot.name] = "candidate"
            continue
        cause = str(verdict)
        if verdict is Refusal.REQUIREMENTS:
            cause = _whose_fault(table, halted, slot)
            if isinstance(
                verdict_of(halted, position, slot, kept_list=kept_list, matched=True), Candidate
            ):
                reachable.add(slot.name)
        elif verdict is Refusal.PREEMPTION_REQUIREMENTS and board.policy.preemption_requirements:
            pair = Pair(slot.name, halted.request.ad, slot.ad)
            preemption.add_policy(pair, board.policy.preemption_requirements)
        sieve.drop(_step_of(verdict), cause, slot.name)
    in_view = len(board.by_name)
    return Funnel(
        in_view,
        _steps(sieve, in_view),
        candidates,
        table.result(),
        preemption.result(),
        smallest_changes(table, frozenset(reachable)),
        sieve.verdicts,
    )


def _step_of(cause: Refusal) -> str:
    """The step at which slots are refused for a cause."""
    if cause in _OF_LIMITS:
        return LIMITS
    return PREEMPTING if cause in _OF_PREEMPTION else MATCHING


def verdict_of(
    halted: HaltedCycle, position: int, slot: Slot, *, kept_list: bool, matched: bool = False
) -> Candidate | Refusal:
    """What the cycle says of one slot.  ``matched``: as if it matched."""
    board, allowance = halted.board, halted.allowance
    before = len(board.enlarged)
    found = consider(board, position, slot, halted.request.ad, halted.asker, matched=matched)
    for change in board.enlarged[before:]:
        change.restore()
    del board.enlarged[before:]
    if isinstance(found, Refusal):
        return found
    permits = allowance.permits_cached if kept_list else allowance.permits
    if not permits(found.kind, found.cost):
        return Refusal.SUBMITTER_LIMIT
    if not per_slot_limits_have_room(board, slot, halted.request.ad, Tally()):
        return Refusal.CONCURRENCY_LIMIT
    return found


def _matched_earlier(sieve: _Sieve) -> None:
    """The slots that were matched earlier in the cycle."""
    board = sieve.halted.board
    there = {slot.name for slot in board.slots.values()}
    takers = {match.slot: match.submitter for match in board.matches}
    for name in board.by_name:
        if name in there:
            continue
        taker = takers.get(name)
        cause = NO_CLAIM if taker is None else f"matched by {taker}"
        sieve.drop(MATCHED, cause, name)


def _whose_fault(table: ClauseTable, halted: HaltedCycle, slot: Slot) -> str:
    """Whose requirements are not true, or what else keeps the two from matching."""
    request = halted.request.ad
    if slot.resources:
        amounts = consumed(slot.ad, slot.resources, request, halted.board.context)
        request = request if amounts is None else request_for(request, amounts)
    sides = {whose for whose, _ in table.add(Pair(slot.name, request, slot.ad))}
    if len(sides) == 2:
        return "Requirements of both the job and the slot"
    return f"Requirements of the {'job' if Whose.JOB in sides else 'slot'}"


def _steps(sieve: _Sieve, in_view: int) -> tuple[Step, ...]:
    steps = []
    left = in_view
    for name in (MATCHED, MATCHING, PREEMPTING, LIMITS):
        causes = sieve.parts.get(name, {})
        removed = sum(map(len, causes.values()))
        left -= removed
        parts = sorted(
            (
                Part(cause, len(slots), tuple(slots[:MAX_EXAMPLES]))
                for cause, slots in causes.items()
            ),
            key=lambda part: -part.slots,
        )
        steps.append(Step(name, removed, left, tuple(parts)))
    return tuple(steps)


def causes(funnel: Funnel) -> Counter[str]:
    """All causes with their counts."""
    return Counter({part.cause: part.slots for step in funnel.steps for part in step.parts})
