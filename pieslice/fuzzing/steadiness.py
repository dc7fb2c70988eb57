"""Tests properties that compare two evaluations: stable-declared, monotone.

Decides which evaluations are compared.  ``stable-declared``: before and after another match of the
same cycle.  ``monotone``: with a smaller and a greater value of one attribute.

Inputs: a ``Study``, cases.  Outputs: ``BrokenProperty``s.  Follows: usage is live within a cycle:
each match is charged before the next request is decorated.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from attr import frozen

from classad.ads.expression import Expression
from classad.evaluate import evaluate
from pieslice.data import is_number
from pieslice.fuzzing.case import FuzzCase
from pieslice.fuzzing.cycle import PreparedCase, prepared_case, value_of
from pieslice.fuzzing.finding import BrokenProperty, EvaluationStep, compared
from pieslice.fuzzing.properties import Property, short
from pieslice.fuzzing.readings import Readings, alike, read
from pieslice.fuzzing.sample import Sample
from pieslice.fuzzing.schema import AdValue, value_text
from pieslice.fuzzing.study import StudiedExpression, Study, StudyContext
from policy.ephemeral import AdKind, find_ephemeral
from policy.lint.trees import names

#: Pairs of a sample that are looked at closely.
SAMPLE: Final = 150


@frozen(eq=False)
class StableDeclared(Property):
    """What is declared stable stays the same after another match."""

    subject: StudiedExpression

    name = "stable-declared"
    doc = "an expression declared stable has the same value after another match of the cycle"

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        for _ in range(min(SAMPLE, sample.pairs)):
            row, column = rng.randrange(len(sample.requests)), rng.randrange(len(sample.slots))
            if not (sample.cases[column].free or sample.is_own(row, column)):
                yield sample.case(row, column)

    def evaluated(self, sample: Sample) -> int:
        return min(SAMPLE, sample.pairs)

    def check(self, case: FuzzCase) -> BrokenProperty | None:
        if case.free:
            return None
        subject, prepared = self.subject, prepared_case(self.study.policy, case)
        before = value_of(subject.tree, prepared, 1)
        user = case.parties[1].user
        prepared.cycle.accountant.charge(user, prepared.slot.weight)
        prepared.cycle.decorate(prepared.requests[1], user)
        after = value_of(subject.tree, prepared, 1)
        if alike(before, after):
            return None
        first, second = prepared_case(self.study.policy, case), prepared
        found = [reading(subject.tree, each) for each in (first, second)]
        sentences = ("at first", f"after {short(user)} was matched once more")
        steps = compared(subject.macro, found, sentences, case.now)
        says = (
            f"{subject.macro} is declared stable, but one match of {short(user)} changes it"
            f" from {value_text(before)} to {value_text(after)}"
        )
        changing = ", ".join(
            name
            for name in sorted(steps[0].added)
            if _value(steps[0], name) != _value(steps[1], name)
        )
        clause = f"reads {changing}" if changing else subject.text
        return BrokenProperty(self.name, subject.macro, subject.place, clause, says, steps, case)


def _value(shown: EvaluationStep, name: str) -> str | None:
    return shown.my.get(name, shown.target.get(name))


def reading(tree: Expression, prepared: PreparedCase) -> Readings:
    """What an expression reads of the slot and of the request."""
    return read(tree, prepared.slot.ad, prepared.requests[1], prepared.cycle.context)


@frozen(eq=False)
class Monotone(Property):
    """More of an attribute never makes less of the value."""

    subject: StudiedExpression
    attribute: str
    rising: bool

    name = "monotone"
    doc = "a greater value of the attribute never turns true into anything else or lowers a rank"

    def title(self) -> str:
        return f"monotone:{'' if self.rising else '-'}{self.attribute}"

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        ads = [slot.ad for slot in sample.slots]
        if self._in_request:
            ads = list(sample.requests)
        less: list[list[AdValue]] = []
        pairs: set[tuple[int, int]] = set()
        for number in sorted(self.numbers()):
            with sample.having(ads, self.attribute, [number] * len(ads)):
                more = sample.evaluate(self.subject.tree)
            pairs.update(self._wrong(less, more))
            less = more
        for row, column in rng.sample(sorted(pairs), min(SAMPLE, len(pairs))):
            if not (sample.cases[column].free or sample.is_own(row, column)):
                yield sample.case(row, column)

    def _wrong(
        self, less: list[list[AdValue]], more: list[list[AdValue]]
    ) -> Iterator[tuple[int, int]]:
        """Where the value changes in the wrong direction; rows that are alike are compared once."""
        known: dict[tuple[int, int], list[int]] = {}
        for row, (lows, highs) in enumerate(zip(less, more, strict=False)):
            key = id(lows), id(highs)
            if key not in known:
                rows = enumerate(zip(lows, highs, strict=True))
                known[key] = [column for column, found in rows if self._falls(*found)]
            for column in known[key]:
                yield row, column

    def _falls(self, low: AdValue, high: AdValue) -> bool:
        return _size(high) < _size(low) if self.rising else _size(high) > _size(low)

    @property
    def _in_request(self) -> bool:
        """Whether it is an attribute of requests, not of slots."""
        domains, wanted = self.study.domains, self.attribute.casefold()
        added = find_ephemeral(self.attribute)
        if added is not None:
            return added.ad is AdKind.REQUEST
        in_slot = any(name.casefold() == wanted for name in domains.slot)
        return not in_slot and any(name.casefold() == wanted for name in domains.job)

    def check(self, case: FuzzCase) -> BrokenProperty | None:
        if case.free:
            return None
        prepared = prepared_case(self.study.policy, case)
        found = [(self._value(prepared, number), number) for number in sorted(self.numbers())]
        for place, (low, one) in enumerate(found):
            for high, other in found[place + 1 :]:
                if self._falls(low, high):
                    return self._finding(case, prepared, one, other)
        return None

    def _finding(self, case: FuzzCase, prepared: PreparedCase, *numbers: float) -> BrokenProperty:
        subject, said = self.subject, self.attribute
        found, sentences, values = [], [], []
        for number in numbers:
            values.append(value_text(self._value(prepared, number)))
            sentences.append(f"{said} = {value_text(number)}: {values[-1]}")
            found.append(reading(subject.tree, prepared))
        kept = frozenset((said.casefold(),))
        steps = compared(subject.macro, found, sentences, case.now, kept)
        more = "less" if self.rising else "more"
        says = f"{subject.macro} gets {more} with {said}: from {values[0]} to {values[1]}"
        text = " ".join(subject.text.split())
        return BrokenProperty(self.title(), subject.macro, subject.place, text, says, steps, case)

    def _value(self, prepared: PreparedCase, number: float) -> AdValue:
        """The value of the expression with another value of the attribute."""
        slot, request = prepared.slot.ad, prepared.requests[1]
        ad = request if self._in_request else slot
        ad.insert(self.attribute, number)
        found: AdValue = evaluate(self.subject.tree, slot, request, context=prepared.cycle.context)
        return found

    def numbers(self) -> set[float]:
        """The values that are compared."""
        domains = self.study.domains
        spelled = self.attribute.casefold()
        for side in (domains.slot, domains.job):
            for name, values in side.items():
                if name.casefold() == spelled:
                    return {v for v in values if is_number(v)}
        found = find_ephemeral(self.attribute)
        if found is not None and found.unit == "priority":
            return {
                round(max(0.5, size * ratio), 6)
                for size in domains.sizes[:3]
                for ratio in domains.ratios
            }
        if found is not None:
            return set(domains.usage)
        return set(domains.seconds)


def _size(value: AdValue) -> float:
    """Truth or a number as a number; what is neither is less than all of them."""
    return float(value) if isinstance(value, bool) or is_number(value) else float("-inf")


def monotone_subjects(study: Study, attribute: str) -> list[StudiedExpression]:
    """The expressions about pairs that read an attribute."""
    wanted = attribute.casefold()
    return [
        subject
        for subject in study.subjects
        if subject.where is StudyContext.PAIR and wanted in names(subject.tree.node)
    ]
