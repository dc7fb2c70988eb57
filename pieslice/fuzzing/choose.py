"""Chooses the properties to test: those that are asked for, else those that the policy speaks of.

The property no-thrash is tested here: preemptions that lead back to where they began, though
nothing but the claim changes.

Inputs: a ``Study``, names of properties, what their arguments name.  Outputs: ``Property`` objects;
raises ``NoSuchProperty``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Final

from attr import field, frozen

from classad.ads.expression import Expression
from classad.syntax.nodes import Literal
from negotiator.matching.candidate import Refusal
from negotiator.model.result import MatchKind
from pieslice.fuzzing.agreement import Holds, Same
from pieslice.fuzzing.case import FuzzCase
from pieslice.fuzzing.cycle import (
    PreparedCase,
    begin_cycle,
    claims_of,
    customers,
    first_slot_ad,
    slot_ad,
    weight_in,
)
from pieslice.fuzzing.finding import BrokenProperty, EvaluationStep, step
from pieslice.fuzzing.properties import Guard, Margin, Property, QuotaSafe, Total, allowing, short
from pieslice.fuzzing.readings import read
from pieslice.fuzzing.sample import Sample
from pieslice.fuzzing.steadiness import Monotone, StableDeclared, monotone_subjects
from pieslice.fuzzing.study import Study, compares_priorities, known_macros
from pieslice.reports.names import meant_or_known

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

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
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

    def check(self, case: FuzzCase) -> BrokenProperty | None:
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
        return BrokenProperty(
            self.name, macro, self.place_of(macro), clause, says, tuple(steps), case
        )

    def play(self, case: FuzzCase, order: list[int]) -> list[Move] | None:
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

    def step_of(self, move: Move, case: FuzzCase) -> tuple[EvaluationStep, str, str]:
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


def settled(case: FuzzCase) -> bool:
    """Whether nobody holds more than its priority has got used to.

    A submitter that has just started hundreds of jobs loses its good priority at once, whatever
    the policy says; that is not the doing of this claim.
    """
    return all(party.usage <= party.priority for party in case.parties)


_ALONE: Final[dict[str, type[Property]]] = {
    found.name: found for found in (NoThrash, Margin, Guard, QuotaSafe)
}
#: All properties, in the order of the documentation.
ALL: Final[tuple[type[Property], ...]] = (
    Total, NoThrash, Margin, Guard, QuotaSafe, StableDeclared, Monotone, Same, Holds,
)  # fmt: skip
NAMES: Final = tuple(found.name for found in ALL)
_STABLE: Final = ("PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK")


class NoSuchProperty(Exception):  # noqa: N818 - its text is the message
    """A name that is no property, or one that says nothing about the policy at hand."""


@frozen(eq=False)
class Named:
    """What arguments of properties name: other policies by path, expressions by text."""

    others: Mapping[str, Study] = field(factory=dict)
    expressions: Mapping[str, Expression] = field(factory=dict)


def chosen(
    study: Study, wanted: Iterable[str], named: Named, knob: str | None = None
) -> list[Property]:
    """The properties to test."""
    names = list(dict.fromkeys(wanted))
    tests = [test for name in names for test in _named(study, name, named)] if names else None
    found = list(_usual(study)) if tests is None else tests
    if knob is not None:
        found = [test for test in found if _is_about(test, knob)]
        if not found:
            raise NoSuchProperty(_nothing_about(study, knob))
    return found


def split_name(text: str) -> tuple[str, str]:
    """The name of a property and its argument."""
    name, _, argument = text.partition(":")
    return name.strip(), argument.strip()


def _nothing_about(study: Study, knob: str) -> str:
    known = {name.casefold(): name for name in known_macros()}
    name = known.get(knob.casefold())
    if name is None:
        tail = meant_or_known(knob, tuple(known.values()))
        return f"`{knob}` is no expression that can be tested{tail}"
    if study.subject(name) is None:
        return f"nothing to test about {name}: the policy does not set it"
    return f"nothing to test about {name}: none of the properties asked for is about it"


def _is_about(test: Property, knob: str) -> bool:
    subject = test.subject if isinstance(test, Total | StableDeclared | Monotone) else None
    macro = "PREEMPTION_REQUIREMENTS" if subject is None else subject.macro
    return macro.casefold() == knob.casefold()


def _named(study: Study, text: str, named: Named) -> Iterator[Property]:
    name, argument = split_name(text)
    if name in _ALONE or name in (Total.name, StableDeclared.name):
        if argument:
            raise NoSuchProperty(f"{name} takes no argument, not `{argument}`")
        yield from _plain(study, name)
    elif name in NAMES:
        if not argument:
            example = {"monotone": "RemoteUserPrio", "same": "other.conf"}.get(name, "EXPRESSION")
            raise NoSuchProperty(f"{name} needs an argument, as in `{name}:{example}`")
        yield from _with_argument(study, name, argument, named)
    else:
        raise NoSuchProperty(f"no property `{name}`{meant_or_known(name, NAMES)}")


def _plain(study: Study, name: str) -> Iterator[Property]:
    if name == Total.name:
        yield from _totals(study)
    elif name == StableDeclared.name:
        yield from _stable(study, _STABLE)
    elif name == Guard.name and not study.intent.min_run_time:
        raise NoSuchProperty(
            "guard: the policy names no minimum run time; say it with --min-run-time"
        )
    elif name == QuotaSafe.name and len(study.policy.groups) < 2:
        raise NoSuchProperty("quota-safe: the policy configures no groups")
    else:
        yield _ALONE[name](study)


def _with_argument(study: Study, name: str, argument: str, named: Named) -> Iterator[Property]:
    if name == Monotone.name:
        attribute = argument.lstrip("-")
        subjects = monotone_subjects(study, attribute)
        if not subjects:
            raise NoSuchProperty(f"monotone: no expression of the policy reads `{attribute}`")
        for subject in subjects:
            test = Monotone(study, subject, attribute, not argument.startswith("-"))
            if len(test.numbers()) < 2:
                raise NoSuchProperty(f"monotone: no two numbers are known for `{attribute}`")
            yield test
    elif name == Same.name:
        yield Same(study, named.others[argument], argument)
    else:
        yield Holds(study, argument, named.expressions[argument])


def _totals(study: Study) -> Iterator[Property]:
    for subject in study.subjects:
        yield Total(study, subject)


def _stable(study: Study, macros: Iterable[str]) -> Iterator[Property]:
    for macro in macros:
        subject = study.subject(macro)
        if subject is not None:
            yield StableDeclared(study, subject)


def _usual(study: Study) -> Iterator[Property]:
    """What no sane policy breaks, and what this one seems to intend."""
    yield from _totals(study)
    tree = study.policy.preemption_requirements
    if not study.policy.consider_preemption:
        return
    yield NoThrash(study)
    if tree is not None and compares_priorities(tree):
        yield Margin(study)
    if study.intent.min_run_time:
        yield Guard(study)
    if len(study.policy.groups) > 1:
        yield QuotaSafe(study)
    yield from _stable(study, sorted(study.declared))
