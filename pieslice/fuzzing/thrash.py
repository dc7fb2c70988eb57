"""Tests the property no-thrash: preemptions that lead back to where they began.

A slot goes from its holder to another job and comes back, directly or over a third job, while
nothing but the claim changes.  Every cycle is set up anew: priorities age by the accountant's own
rule with what each holds, usage follows the claim, the new job has run since the cycle in which it
got the slot.

Inputs: a ``Study``, cases of two or three parties.  Outputs: ``Finding``s.  Follows: the order of a
cycle: priorities age first, then claims are counted, then ads decorated.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from attr import frozen

from classad.ads.expression import Expression
from classad.syntax.nodes import Literal
from negotiator.matching.refusal import Refusal
from negotiator.model.result import MatchKind
from pieslice.fuzzing.case import Case
from pieslice.fuzzing.cycle import (
    PreparedCase,
    begin_cycle,
    claims_of,
    customers,
    first_slot_ad,
    slot_ad,
    weight_in,
)
from pieslice.fuzzing.finding import Finding, Step, step
from pieslice.fuzzing.properties import Property, allowing, short
from pieslice.fuzzing.readings import read
from pieslice.fuzzing.sample import Sample

#: Pairs of a sample for each suspect that is played through.
PER_PLAY: Final = 400
_TAKES: Final = (MatchKind.PRIORITY, MatchKind.RANK)


@frozen(eq=False)
class Move:
    """One preemption: what the cycle had before it, and how it took the slot."""

    prepared: PreparedCase
    place: int
    kind: MatchKind


@frozen(eq=False)
class NoThrash(Property):
    """No back and forth, no cycle of three."""

    name = "no-thrash"
    doc = "no two or three jobs preempt each other in turns while nothing but the claim changes"

    def suspects(self, sample: Sample, rng: Random) -> Iterator[Case]:
        requirements = self.study.policy.preemption_requirements
        pairs = sample.allowed(requirements) if self.study.policy.consider_preemption else []
        played = max(8, sample.pairs // PER_PLAY)
        rng.shuffle(pairs)
        # What is taken by a hair is the easiest to take back.
        close = sorted(pairs, key=lambda pair: _gap(sample, *pair))
        pairs = close[:played] + pairs[:played]
        if "Rank" in self.study.fixed or "Rank" in self.study.domains.slot:
            # The slot's own rank may preempt as well.
            pairs += [
                (rng.randrange(len(sample.parties)), rng.randrange(len(sample.cases)))
                for _ in range(played)
            ]
        for row, column in pairs:
            if sample.cases[column].free:
                continue
            third = rng.randrange(len(sample.parties)) if rng.random() < 0.5 else None
            case = sample.case(row, column, third)
            users = {party.user for party in case.parties}
            if len(users) == len(case.parties) and settled(case):
                yield case

    def check(self, case: Case) -> Finding | None:
        if case.free or not settled(case):
            return None
        order = [*range(1, len(case.parties)), 0]
        moves = self.play(case, order)
        if moves is None:
            return None
        steps, clause, macro = [], "", ""
        for move in moves:
            shown_step, clause, macro = self.step_of(move, case)
            steps.append(shown_step)
        names = [short(case.parties[place].user) for place in (0, *order)]
        weight = moves[0].prepared.slot.weight
        slot = "the slot" if weight == 1 else f"the slot, which weighs {weight:g},"
        says = (
            f"within {steps[-1].at} s {slot} goes from {' to '.join(names)}: "
            f"{len(moves)} preemptions, and it is where it was"
        )
        return Finding(self.name, macro, self.place_of(macro), clause, says, tuple(steps), case)

    def play(self, case: Case, order: list[int]) -> list[Move] | None:
        """The preemptions if each of the parties takes the slot in turn, None if one does not."""
        policy = self.study.policy
        ad = first_slot_ad(case)
        weight = weight_in(policy, ad, case.now)
        holder, now = 0, case.now
        state = customers(case.parties, now)
        moves = []
        for place in order:
            claims = claims_of(case, case.parties[holder], weight)
            cycle = begin_cycle(policy, now, state, claims, case.quotas)
            requests = tuple(cycle.request(party) for party in case.parties)
            prepared = PreparedCase(cycle, cycle.slots([ad])[0], requests)
            verdict = prepared.verdict(case, place)
            if isinstance(verdict, Refusal) or verdict not in _TAKES:
                return None
            moves.append(Move(prepared, place, verdict))
            cycle.accountant.charge(case.parties[place].user, weight)
            state, taken = cycle.accountant.state(), now
            holder, now = place, now + case.pause
            ad = slot_ad(case, case.parties[holder], taken, taken, now)
        return moves

    def step_of(self, move: Move, case: Case) -> tuple[Step, str, str]:
        """A preemption as a step, the clause and the macro that allow it."""
        if move.kind is MatchKind.PRIORITY:
            shown_step, clause = allowing(self.study, move.prepared, case, move.place)
            return shown_step, clause, "PREEMPTION_REQUIREMENTS"
        prepared, slot = move.prepared, move.prepared.slot
        request = prepared.requests[move.place]
        user, held = case.parties[move.place].user, slot.user or ""
        sentence = f"{short(user)} preempts {short(held)} by the slot's RANK"
        raw = slot.ad.raw("Rank")
        tree = raw if raw.__class__ is Expression else Expression.from_node(Literal(raw))
        found = read(tree, slot.ad, request, prepared.cycle.context)
        return step("RANK", found.only(found.mattering()), sentence, case.now), str(tree), "RANK"


def _gap(sample: Sample, row: int, column: int) -> float:
    """How far the priorities of a request and of the holder of a slot are apart."""
    holder, asker = sample.cases[column].parties[0].priority, sample.parties[row].priority
    return max(holder, asker) / min(holder, asker)


def settled(case: Case) -> bool:
    """Whether nobody holds more than its priority has got used to.

    A submitter that has just started hundreds of jobs loses its good priority at once, whatever
    the policy says; that is not the doing of this claim.
    """
    return all(party.usage <= party.priority for party in case.parties)
