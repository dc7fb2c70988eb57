"""Counts where the slots of a pool go for one job, step by step, and shows it.

Decides the order in which the steps are told.  One request is matched with all slots of the cycle
at once, those matched earlier included; the tests of the cycle say what becomes of each that is
left.

Inputs: a halted cycle.  Outputs: ``PoolMatch``: the slots as rows, the clauses counted, the rows
that match; ``Verdicts``; ``Funnel``: steps with what each took out and why; blocks for
``pieslice.reports.layout``.  Follows: ``negotiator.matching.candidates`` and ``conditions``, whose
ordered table of tests decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from attr import define, evolve, field, frozen

from classad import ClassAd
from classad.table import Rows
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Refusal, Tally
from negotiator.matching.candidates import Tester, per_slot_limits_have_room
from negotiator.matching.choice import has_claim, list_for
from negotiator.matching.conditions import Ask, BothRequirements, Pair
from negotiator.matching.engine import refused
from negotiator.matching.preemption import PREEMPTION_TESTS
from negotiator.model.result import CycleResult, MatchKind
from pieslice.reports.document import NOT_SHOWN
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, plural
from pieslice.why.clause_tables import clause_blocks
from pieslice.why.clauses import (
    Clause,
    ClauseKey,
    ClauseTable,
    Counted,
    Pairs,
    Whose,
)
from pieslice.why.moments import request_for

#: Names of slots given as examples of a cause.
MAX_EXAMPLES: Final = 3

MATCHING: Final = "do not match"
PREEMPTING: Final = "cannot be preempted"
LIMITS: Final = "over a limit"
MATCHED: Final = "matched earlier in this cycle"
NO_CLAIM: Final = "no claim id left"

_OF_PREEMPTION: Final = frozenset(test.cause for test in PREEMPTION_TESTS)
_OF_LIMITS: Final = frozenset((Refusal.SUBMITTER_LIMIT, Refusal.CONCURRENCY_LIMIT))


# --- what matches ---------------------------------------------------------------------------------


@frozen(eq=False)
class PoolMatch:
    """A request and the slots of a cycle.  ``there``: those that are not matched yet."""

    table: ClauseTable
    clauses: tuple[Counted, ...]
    matching: Rows
    there: Rows

    @property
    def pairs(self) -> Pairs:
        """The request against the slots."""
        return self.table.pairs

    def without(self, dropped: Iterable[ClauseKey]) -> Rows:
        """The slots that match if some clauses are not there."""
        gone = frozenset(dropped)
        if not gone:
            return self.matching
        found = self.pairs.all
        for clause in self.clauses:
            if clause.key not in gone:
                found = found - clause.failing
        return found

    def refused(self, whose: Whose) -> Rows:
        """The slots for which a clause of a side is not true."""
        found = Rows(len(self.pairs.slots))
        for clause in self.clauses:
            if clause.whose is whose:
                found |= clause.failing
        return found

    def groups(self) -> list[tuple[tuple[Counted, ...], Rows]]:
        """The slots that do not match, by the clauses that refuse them; fewest clauses first."""
        rest = self.pairs.all - self.pairs.lacking - self.matching
        found: list[tuple[tuple[Counted, ...], Rows]] = [((), rest)] if rest else []
        for clause in self.clauses:
            failing = clause.failing
            if not failing:
                continue
            parts = []
            for failed, rows in found:
                refused = rows & failing
                if not refused:
                    parts.append((failed, rows))
                    continue
                parts.append(((*failed, clause), refused))
                if refused != rows:
                    parts.append((failed, rows - refused))
            found = parts
        return sorted(
            (group for group in found if group[0]),
            key=lambda group: (len(group[0]), -len(group[1])),
        )


def match_pool(
    halted: Offer, known: frozenset[str] = frozenset(), like: PoolMatch | None = None
) -> PoolMatch:
    """The request of a halted cycle.  ``known``: HTCondor's attributes.

    ``like``: a match of another request at the same moment.
    """
    board, ask = halted.board, _ask(halted)
    pairs = Pairs.of(ask, board.pool, None if like is None else like.pairs)
    table = ClauseTable(pairs, known) if like is None else like.table.for_request(pairs)
    size = len(pairs.slots)
    apart = Rows.of(size, pairs.seen)
    matching = pairs.table.match(ask.request, within=pairs.all - apart, context=ask.context)
    meets = BothRequirements().ready(ask)
    for row in apart - pairs.lacking:
        slot = pairs.slots[row]
        if meets is None or meets(Pair(slot, pairs.seen[row], slot.weight)):
            matching.add(row)
    if like is None:
        left = {slot.name for slot in board.slots.values()}
        there = Rows.of(size, (row for row, slot in enumerate(pairs.slots) if slot.name in left))
    else:
        there = like.there
    return PoolMatch(table, tuple(table.requirements()), matching, there)


def with_job(halted: Offer, ad: ClassAd) -> Offer:
    """The same moment if the first job of the request had another ad."""
    board, terms = halted.board, halted.terms
    jobs = board.jobs[terms.submitter, terms.schedd]
    job = evolve(halted.request.jobs[0], ad=ad)
    if jobs.shown is not None:
        job.autocluster = jobs.shown.autocluster_of(ad)
    return evolve(halted, request=request_for(board, terms, job))


# --- what the cycle says --------------------------------------------------------------------------


@frozen(eq=False)
class Verdicts:
    """The tests of the cycle, made ready for the request of a halted cycle."""

    halted: Offer
    tester: Tester
    positions: dict[str, int]
    matched: Callable[[Pair], bool]
    #: The slots that are refused, by position, where that is known without a look at each.
    refused: Mapping[int, Refusal]

    @classmethod
    def at(cls, halted: Offer, match: PoolMatch) -> Verdicts:
        """What is said of the request of the halted cycle, whose ``match`` is known.

        Its limits are others if its candidates come from the list of a request before.
        """
        board, permits = halted.board, halted.allowance.permits_cached
        if list_for(board, halted.request, halted.asker) is None:
            board.drop_match_list()
            permits = halted.allowance.permits
        positions = {slot.name: position for position, slot in board.slots.items()}
        slots = match.pairs.slots
        matching = frozenset(slots[row].name for row in match.matching)

        def matched(pair: Pair) -> bool:
            return pair.slot.name in matching

        ask = _ask(halted, permits)
        fitting = map(positions.__getitem__, matching & positions.keys())
        tester = Tester(ask, matched=matched)
        return cls(halted, tester, positions, matched, refused(ask, fitting))

    def of_request(self, halted: Offer) -> Verdicts:
        """What is said at the same moment of slots that match another request."""
        ask = _ask(halted, halted.allowance.permits)
        tester = Tester(ask, matched=lambda pair: True)
        fitting = self.positions.values()
        return evolve(self, halted=halted, tester=tester, refused=refused(ask, fitting))

    def without_limit(self) -> Verdicts:
        """The same as if the submitter had no limit."""
        return evolve(self, tester=Tester(_ask(self.halted), matched=self.matched), refused={})

    def by_tests(self, name: str) -> Candidate | Refusal:
        """What the cycle says of a slot that is left, as if no concurrency limit were reached."""
        board = self.halted.board
        position = self.positions[name]
        known = self.refused.get(position)
        if known is not None:
            return known
        before = len(board.enlarged)
        found = self.tester.verdict(position, board.slots[position])
        for change in board.enlarged[before:]:
            change.restore()
        del board.enlarged[before:]
        return found

    def of(self, name: str) -> Candidate | Refusal:
        """What the cycle says of a slot that is left."""
        board, found = self.halted.board, self.by_tests(name)
        if isinstance(found, Candidate) and not per_slot_limits_have_room(
            board, found.slot, self.halted.request.ad, Tally()
        ):
            return Refusal.CONCURRENCY_LIMIT
        return found


def _ask(halted: Offer, permits: Callable[[MatchKind, float], bool] | None = None) -> Ask:
    return Ask(halted.board, halted.request.ad, halted.asker, halted.board.context, permits)


# --- step by step ---------------------------------------------------------------------------------


@frozen
class FunnelCause:
    """One cause within a step, and some of its slots.

    ``would_match``: of slots that are gone, whether both requirements are true of them; None of
    others.
    """

    cause: str
    slots: int
    examples: tuple[str, ...]
    would_match: bool | None = None


@frozen
class FunnelStep:
    """A step: so many slots ``removed``, so many ``left`` after it."""

    name: str
    removed: int
    left: int
    parts: tuple[FunnelCause, ...]


@frozen
class Funnel:
    """All steps after the slots that never came into view.

    ``in_view``: slots considered in the cycle; ``candidates``: what is left in the end.
    ``clauses``: of the requirements, over all slots in view, of which ``matching`` match, and
    ``matching_left`` of those were not matched earlier.  ``preemption_clauses``: of
    PREEMPTION_REQUIREMENTS, over the slots that it keeps, those first that keep the most.
    """

    in_view: int
    steps: tuple[FunnelStep, ...]
    candidates: int
    matching: int
    matching_left: int
    clauses: tuple[Clause, ...]
    preemption_clauses: tuple[Clause, ...]
    #: What was said of each slot that is left, by name.
    verdicts: dict[str, str] = field(repr=False, metadata=NOT_SHOWN)


@define(eq=False)
class Sieve:
    """The slots by step and cause; ``would_match`` belongs to the cause."""

    parts: dict[str, dict[tuple[str, bool | None], list[str]]] = field(factory=dict)
    verdicts: dict[str, str] = field(factory=dict)

    def drop(self, step: str, cause: str, slot: str, would_match: bool | None = None) -> None:
        """Take a slot out."""
        self.parts.setdefault(step, {}).setdefault((cause, would_match), []).append(slot)
        self.verdicts[slot] = cause

    def steps(self, in_view: int) -> tuple[FunnelStep, ...]:
        """In the order of the cycle; within a step those that would match first, then the most."""
        steps, left = [], in_view
        for name in (MATCHED, MATCHING, PREEMPTING, LIMITS):
            causes = self.parts.get(name, {})
            removed = sum(map(len, causes.values()))
            left -= removed
            parts = sorted(
                (
                    FunnelCause(cause, len(slots), tuple(slots[:MAX_EXAMPLES]), would_match)
                    for (cause, would_match), slots in causes.items()
                ),
                key=lambda part: (part.would_match is False, -part.slots),
            )
            steps.append(FunnelStep(name, removed, left, tuple(parts)))
        return tuple(steps)


def funnel(halted: Offer, match: PoolMatch, verdicts: Verdicts) -> Funnel:
    """Put every slot through the tests of the cycle."""
    board, slots, sieve = halted.board, match.pairs.slots, Sieve()
    takers = {made.slot: made.submitter for made in board.matches}
    for row in match.pairs.all - match.there:
        name = slots[row].name
        cause = f"matched by {takers[name]}" if name in takers else NO_CLAIM
        sieve.drop(MATCHED, cause, name, row in match.matching)
    by_job, by_slot = match.refused(Whose.JOB), match.refused(Whose.SLOT)
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
        step, cause = PREEMPTING if verdict in _OF_PREEMPTION else MATCHING, str(verdict)
        if verdict in _OF_LIMITS:
            step = LIMITS
        if verdict is Refusal.REQUIREMENTS:
            whose = "the job" if row in by_job else "the slot"
            if row in by_job and row in by_slot:
                whose = "both the job and the slot"
            cause = f"Requirements of {whose}"
        elif verdict is Refusal.PREEMPTION_REQUIREMENTS:
            protected.add(row)
        sieve.drop(step, cause, name)
    preemption = board.policy.preemption_requirements
    refusing = []
    if preemption is not None and protected.first() is not None:
        refusing = match.table.of_policy(preemption, protected)
    return Funnel(
        len(slots),
        sieve.steps(len(slots)),
        candidates,
        len(match.matching),
        len(match.matching & match.there),
        match.table.told(match.clauses, match.pairs.all),
        tuple(sorted(match.table.told(refusing, protected), key=lambda one: -one.refuses)),
        sieve.verdicts,
    )


# --- words ----------------------------------------------------------------------------------------


def tally(funnel: Funnel, result: CycleResult, pool: int, *, full: bool) -> str:
    """``of 56 slots: 20 matched earlier in this cycle, 17 do not match, ...``.

    ``pool``: all slots, those included that the negotiator did not see; ``full``: a concurrency
    limit has no room.
    """
    unseen = pool - result.pool.slots
    parts = [f"{unseen} not seen by the negotiator"] if unseen else []
    if result.trimmed:
        parts.append(f"{len(result.trimmed)} not considered")
    for step in funnel.steps:
        if step.name in (PREEMPTING, LIMITS):
            parts += [f"{part.slots} {_as_clause(part.cause)}" for part in step.parts]
        elif step.removed:
            fit = sum(part.slots for part in step.parts if part.would_match)
            of = f" ({fit or 'none'} would match)" if step.name == MATCHED else ""
            parts.append(f"{step.removed} {step.name}{of}")
    if funnel.candidates:
        limited = " but for the concurrency limit" if full else ""
        parts.append(f"{plural(funnel.candidates, 'candidate')}{limited}")
    return f"of {plural(pool, 'slot')}: {', '.join(parts) or 'none'}"


def _as_clause(cause: str) -> str:
    """A cause behind the number of its slots."""
    if cause in _OF_LIMITS:
        return f"over the {cause}"
    is_sentence = cause.startswith(("PREEMPTION", "startd"))
    return f"where {cause}" if is_sentence else cause


def funnel_blocks(
    funnel: Funnel, result: CycleResult, pool: int, full: Sequence[str]
) -> list[Block]:
    """The steps as a table; ``full``: the concurrency limits that have no room."""
    trimmed: dict[str, list[str]] = {}
    for item in result.trimmed:
        trimmed.setdefault(item.cause.value, []).append(item.name)
    left = result.pool.slots
    rows = [("", str(pool), "in the pool", "")]
    if pool > left:
        why = "NEGOTIATOR_SLOT_CONSTRAINT, or absent"
        rows.append((str(pool - left), str(left), "not seen", why))
    for cause, slots in trimmed.items():
        left -= len(slots)
        rows.append((str(len(slots)), str(left), "not considered", f"{cause}: {slots[0]}"))
    for step in funnel.steps:
        for part in step.parts:
            left -= part.slots
            more = ", ..." if part.slots > 1 else ""
            fit = "" if part.would_match is not False else ", would not match"
            cause = f"{part.cause}{fit}: {part.examples[0]}{more}"
            rows.append((str(part.slots), str(left), step.name, cause))
    columns = (
        TextColumn("out", right=True),
        TextColumn("left", right=True, bar=True),
        TextColumn("slots", prose=True),
        TextColumn("cause and examples", prose=True),
    )
    after = "" if funnel.candidates == left else ", from the match list of its autocluster"
    if full:
        after += f"; all of them excluded by concurrency limit {', '.join(full)}"
    end = Line(f"  {plural(funnel.candidates, 'candidate')} left{after}")
    return [Line("slots", heading=True), TextTable(columns, tuple(rows)), end]


def requirement_blocks(funnel: Funnel, pool: int, *, every: bool = False) -> list[Block]:
    """The clauses of both sides over a pool of so many slots, and how many slots match; ``every``:
    all clauses, each in full."""
    seen = f"all {plural(pool, 'slot')}"
    if funnel.in_view < pool:
        seen = f"{funnel.in_view} of {plural(pool, 'slot')}: those that the cycle considers"
    blocks = clause_blocks(f"Requirements, over {seen}", funnel.clauses, every=every)
    gone = funnel.matching - funnel.matching_left
    end = f"  {plural(funnel.matching, 'slot')} match{'es' if funnel.matching == 1 else ''}"
    if gone:
        end += f", {gone} of them matched earlier in this cycle"
    return [*blocks, Line(end)]
