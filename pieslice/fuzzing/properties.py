"""Tests properties of a single decision: total, margin, guard, quota-safe.

Decides when one evaluation of an expression of the policy, or one preemption, is wrong.

Inputs: a ``Study``, samples, cases.  Outputs: cases that look wrong and, after the cycle's own code
has been asked, ``BrokenProperty``s.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from random import Random
from typing import ClassVar, Final

from attr import evolve, frozen

from classad import ClassAd
from classad.evaluate import EvalContext, evaluate
from classad.language.values import ERROR, UNDEFINED
from negotiator.model.result import MatchKind
from negotiator.sessions.rounds import sort_ad
from pieslice.fuzzing.case import FuzzCase, Values
from pieslice.fuzzing.cycle import CycleStart, PreparedCase, job_ad, prepared_case, value_of
from pieslice.fuzzing.domains import TIMES
from pieslice.fuzzing.finding import (
    BrokenProperty,
    EvaluationStep,
    deciding_clause,
    kind_of,
    step,
    unconditional,
    undefined_matters,
)
from pieslice.fuzzing.readings import read
from pieslice.fuzzing.sample import Sample
from pieslice.fuzzing.schema import AdValue
from pieslice.fuzzing.study import StudiedExpression, Study, StudyContext, clauses, is_about_quotas
from policy.knobs.declaration import Wanted

#: What an expression about jobs or groups alone is tried on for each sample; all cases of a sample
#: have the same quotas.
_ALONE: Final = {StudyContext.JOB: 100, StudyContext.GROUP: 4}
#: Relative error that single precision may bring into a comparison of priorities.
_SINGLE: Final = 1e-6
_REQUIREMENTS: Final = "PREEMPTION_REQUIREMENTS"
_OF_HELD_JOBS: Final = "SYSTEM_PERIODIC_RELEASE"
#: What every job on hold has.
_HELD: Final[Values] = {
    "JobStatus": 5, "HoldReasonCode": 26, "HoldReasonSubCode": 0, "HoldReason": "by a policy",
    "NumHolds": 1,
}  # fmt: skip
#: What it has besides where it was tried before: what condor_schedd writes when it starts a shadow.
_TRIED: Final[Values] = {"JobRunCount": 1, "NumShadowStarts": 1, "JobStartDate": 1_699_999_000}
#: HoldReasonCodes of a try: the job's files, its folder, its program, what it uses.
_OF_A_TRY: Final = frozenset((*range(6, 15), *range(32, 37)))
#: The place of an expression that the policy does not set, or sets to nothing.
NOT_SET: Final = "set to nothing"


@frozen(eq=False)
class Property(ABC):
    """Something that a policy keeps; ``whole``: its ads must not lose what they always have."""

    study: Study

    name: ClassVar[str] = ""
    doc: ClassVar[str] = ""
    whole: ClassVar[bool] = False

    @abstractmethod
    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        """Cases of a sample that may break it."""

    @abstractmethod
    def check(self, case: FuzzCase) -> BrokenProperty | None:
        """What is wrong in a case."""

    def evaluated(self, sample: Sample) -> int:
        """How many pairs of a sample it looks at."""
        return sample.pairs

    def title(self) -> str:
        """The name with its argument."""
        return self.name

    def place_of(self, macro: str) -> str:
        """Where the policy says what a macro is."""
        subject = self.study.subject(macro)
        return NOT_SET if subject is None else subject.place


@frozen(eq=False)
class Total(Property):
    """Every expression has a value of the kind it is for."""

    subject: StudiedExpression

    name = "total"
    doc = "no expression of the policy is ever UNDEFINED, ERROR or of the wrong type"
    whole = True

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        if self.subject.where is not StudyContext.PAIR:
            seen = set[int]()
            for _ in range(_ALONE[self.subject.where]):
                row, column = rng.randrange(len(sample.parties)), rng.randrange(len(sample.cases))
                if self.subject.where is StudyContext.JOB and row in seen:
                    continue  # it sees the job alone
                seen.add(row)
                yield sample.case(row, column)
            return
        for row, values in enumerate(sample.values(self.subject.tree)):
            for column, value in enumerate(values):
                wrong = not self.fits(value)
                if wrong and self._is_asked(sample.cases[column]):
                    yield sample.case(row, column)

    def _is_asked(self, case: FuzzCase) -> bool:
        """Whether the expression is evaluated for a slot that is so: without preemption nobody
        looks at one that is claimed."""
        if case.free:
            return not self.subject.claimed
        return self.study.policy.consider_preemption

    def fits(self, value: AdValue) -> bool:
        """Whether a value is of the right kind."""
        kind = value.__class__
        if self.subject.wanted is Wanted.TRUTH:
            return kind is bool
        return kind is bool or kind is int or kind is float

    def check(self, case: FuzzCase) -> BrokenProperty | None:
        subject = self.subject
        if subject.macro.upper().startswith(_OF_HELD_JOBS):
            case = held(case)
        for my, target, context in self.ads(case):
            value = evaluate(subject.tree, my, target, context=context)
            if self.fits(value):
                continue
            missing = value is UNDEFINED or value is ERROR
            said = kind_of(value)
            says = f"{subject.macro} is {said}; it should be {subject.wanted.value}"
            found = read(subject.tree, my, target, context)
            clause = deciding_clause(found, subject.text) if missing else subject.text
            found = found.only(found.mattering())
            shown_step = step(subject.macro, found, f"it is {said}", case.now)
            shown_step = evolve(shown_step, side=subject.where.name.lower().replace("pair", "slot"))
            return BrokenProperty(
                self.name, subject.macro, subject.place, clause, says, (shown_step,), case
            )
        return None

    def matters(self, case: FuzzCase) -> bool:
        """Does a daemon something else than is meant, where the value is undefined?"""
        subject = self.subject
        if subject.wanted not in (Wanted.TRUTH, Wanted.CONDITION):
            return True
        if subject.macro.upper().startswith(_OF_HELD_JOBS):
            case = held(case)
        for my, target, context in self.ads(case):
            job, slot = (my, None) if target is None else (target, my)
            value = evaluate(subject.tree, my, target, context=context)
            if not self.fits(value):
                return value is not UNDEFINED or undefined_matters(subject.tree, job, slot, context)
        return True

    def ads(self, case: FuzzCase) -> Iterator[tuple[ClassAd, ClassAd | None, EvalContext]]:
        """What the expression is evaluated in."""
        context = EvalContext(now=case.now, language=self.study.policy.language)
        if self.subject.where is StudyContext.JOB:
            yield job_ad(case.parties[1]), None, context
            return
        prepared = prepared_case(self.study.policy, case)
        cycle = prepared.cycle
        if self.subject.where is StudyContext.GROUP:
            for group in cycle.tree.groups:
                ad = sort_ad(group, cycle.accountant.usage(group.name))
                yield ad, None, context
            return
        yield prepared.slot.ad, prepared.requests[1], cycle.context

    def evaluated(self, sample: Sample) -> int:
        return _ALONE.get(self.subject.where, sample.pairs)


def held(case: FuzzCase) -> FuzzCase:
    """The case with a job that is on hold, as the schedd asks it: such a job says why, and a try
    that failed has left its count."""
    first, second, *others = case.parties
    drawn = {name: value for name, value in second.job.items() if name.casefold() != "jobstatus"}
    known = {name.casefold(): value for name, value in drawn.items()}
    tried = known.get("holdreasoncode") in _OF_A_TRY
    has = {**_HELD, **(_TRIED if tried else {})}
    drawn |= {name: value for name, value in has.items() if name.casefold() not in known}
    return evolve(case, parties=(first, evolve(second, job=drawn), *others))


@frozen(eq=False)
class ByPriority(Property):
    """Base of those about single preemptions that PREEMPTION_REQUIREMENTS allows."""

    #: Suspects of a sample that are looked at closely.
    CLOSELY: ClassVar[int] = 50
    #: Case-folded names that are shown if they are read, whether or not they decide.
    shown: ClassVar[frozenset[str]] = frozenset()

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        pairs = [
            pair for pair in sample.allowed(self.study.requirements) if self.looks(sample, *pair)
        ]
        for row, column in rng.sample(pairs, min(self.CLOSELY, len(pairs))):
            yield sample.case(row, column)

    @abstractmethod
    def looks(self, sample: Sample, row: int, column: int) -> bool:
        """Whether an allowed preemption looks wrong."""

    @abstractmethod
    def wrong(self, prepared: PreparedCase, case: FuzzCase) -> str | None:
        """What is wrong with a preemption by priority, as a sentence."""

    def exempt(self, prepared: PreparedCase) -> bool:
        """Whether a preemption is none of its business."""
        return False

    def check(self, case: FuzzCase) -> BrokenProperty | None:
        prepared = prepared_case(self.study.policy, case)
        if prepared.verdict(case, 1) is not MatchKind.PRIORITY or self.exempt(prepared):
            return None
        says = self.wrong(prepared, case)
        if says is None:
            return None
        first, clause = allowing(self.study, prepared, case, 1, self.shown)
        place = self.place_of(_REQUIREMENTS)
        return BrokenProperty(self.name, _REQUIREMENTS, place, clause, says, (first,), case)


def allowing(
    study: Study,
    prepared: PreparedCase,
    case: FuzzCase,
    place: int,
    shown: frozenset[str] = frozenset(),
) -> tuple[EvaluationStep, str]:
    """The step in which PREEMPTION_REQUIREMENTS allows a preemption, and the clause that does."""
    tree = study.policy.preemption_requirements
    context = prepared.cycle.context
    slot, request = prepared.slot.ad, prepared.requests[place]
    sentence = f"{short(case.parties[place].user)} preempts {short(prepared.slot.user or '')}"
    if tree is None:
        return unconditional(_REQUIREMENTS, sentence, prepared.cycle.now, case.now), "there is none"
    found = read(tree, slot, request, context)
    shown_step = step(_REQUIREMENTS, found.only(found.mattering(shown)), sentence, case.now)
    subject = study.subject(_REQUIREMENTS)
    text = str(tree) if subject is None else subject.text
    return shown_step, deciding_clause(found, text)


def short(user: str) -> str:
    """A submitter's name without the domain."""
    return user.rpartition("@")[0] or user


@frozen(eq=False)
class ClaimedByPriority(ByPriority):
    """Base of those that do not speak of what groups are owed."""

    def exempt(self, prepared: PreparedCase) -> bool:
        tree = self.study.policy.preemption_requirements
        if tree is None:
            return False
        return any(
            is_about_quotas(clause) and value_of(clause, prepared, 1) is True
            for clause in clauses(tree)
        )


@frozen(eq=False)
class Margin(ClaimedByPriority):
    """Priorities must differ by the margin."""

    name = "margin"
    doc = "nobody is preempted by a submitter whose priority is not better by the margin"
    shown = frozenset(("remoteuserprio", "submitteruserprio", "submittorprio"))

    def looks(self, sample: Sample, row: int, column: int) -> bool:
        remote = sample.cases[column].parties[0].priority
        return self.too_close(remote, sample.parties[row].priority)

    def too_close(self, remote: float, submitter: float) -> bool:
        """Whether the margin is not kept; a greater priority is worse."""
        return remote < submitter * (1.0 + self.study.intent.margin) * (1.0 - _SINGLE)

    def wrong(self, prepared: PreparedCase, case: FuzzCase) -> str | None:
        holder, asker = case.parties[0], case.parties[1]
        if not self.too_close(holder.priority, asker.priority):
            return None
        better = holder.priority / asker.priority - 1.0
        says = f"better by only {better:.2%}"
        if better < 0:
            says = f"worse by {asker.priority / holder.priority - 1.0:.0%}"
        return (
            f"{short(asker.user)} preempts {short(holder.user)} with a priority that is"
            f" {says if better else 'the same'}; the margin is {self.study.intent.margin:.0%}"
        )


@frozen(eq=False)
class Guard(ClaimedByPriority):
    """Jobs have their minimum run time."""

    name = "guard"
    doc = "no job younger than the minimum run time is preempted by priority"
    shown = TIMES

    @property
    def least(self) -> int:
        """The minimum run time in seconds."""
        return self.study.intent.min_run_time or 0

    def looks(self, sample: Sample, row: int, column: int) -> bool:
        return sample.cases[column].run_time < self.least

    def wrong(self, prepared: PreparedCase, case: FuzzCase) -> str | None:
        if case.run_time >= self.least:
            return None
        claim = ""
        if case.claim_age > case.run_time:
            claim = f", on a claim of {case.claim_age} s,"
        return (
            f"{short(case.parties[1].user)} preempts a job that has run for {case.run_time} s"
            f"{claim} and should have {self.least} s"
        )


#: A group, what it uses and its quota, in slot weights.
Owed = tuple[str, float, float]


@frozen(eq=False)
class QuotaSafe(ByPriority):
    """Groups keep what they are owed."""

    name = "quota-safe"
    doc = "no slot is taken from a group below its quota for one above its own"

    def looks(self, sample: Sample, row: int, column: int) -> bool:
        holder, asker = sample.cases[column].parties[0].user, sample.parties[row].user
        return self._robbed(sample.cycle, holder, asker) is not None

    def wrong(self, prepared: PreparedCase, case: FuzzCase) -> str | None:
        found = self._robbed(prepared.cycle, case.parties[0].user, case.parties[1].user)
        if found is None:
            return None
        (poor, had, owed), (rich, has, own) = found
        return (
            f"group `{poor}` uses {had:g} of its quota {owed:g} and loses a slot to"
            f" group `{rich}`, which uses {has:g} with a quota of {own:g}"
        )

    def _robbed(self, cycle: CycleStart, holder: str, asker: str) -> tuple[Owed, Owed] | None:
        poor, rich = cycle.tree.assigned(holder), cycle.tree.assigned(asker)
        if poor is rich or cycle.tree.root in (poor, rich):
            return None
        had, has = cycle.accountant.usage(poor.name), cycle.accountant.usage(rich.name)
        if had >= poor.quota or has <= rich.quota:
            return None
        return (poor.name, had, poor.quota), (rich.name, has, rich.quota)
