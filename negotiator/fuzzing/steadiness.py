"""Properties that compare two evaluations: stable-declared, monotone, same, and a user's own.

What is decided here: which evaluations are compared.  ``stable-declared``: before and after another
match of the same cycle.  ``monotone``: with a smaller and a greater value of one attribute.
``same``: by two policies.  A user's own property is an expression that must be true of the slot
(MY), the request (TARGET) and ``Verdict``, what the cycle makes of the two.
Inputs: a ``Study``, cases.  Outputs: ``Finding``s.
Never here: rules of the cycle.
Follows: usage is live within a cycle: each match is charged before the next request is decorated.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, ClassVar, Final

from attr import evolve, frozen

from classad.evaluate import evaluate
from classad.expr import ExprTree
from negotiator.fuzzing.case import Case, without
from negotiator.fuzzing.crowd import Crowd
from negotiator.fuzzing.finding import Finding, deciding_clause, step
from negotiator.fuzzing.properties import Property, short
from negotiator.fuzzing.stage import Scene, scene_of, value_of
from negotiator.fuzzing.study import Study, Subject, Where, value_text
from negotiator.preemption import Refusal
from negotiator.rank import policy_rank
from negotiator.result import MatchKind
from policy.ephemeral import find_ephemeral
from policy.lint.trees import names

#: What a user's own property is called where it needs the name of a macro.
MACRO: Final = "PROPERTY"
#: Pairs of a crowd that are looked at.
SAMPLE: Final = 150


@frozen(eq=False)
class Sampled(Property):
    """Base of those that are tried on some pairs of each crowd."""

    occupied: ClassVar[bool] = True

    def suspects(self, crowd: Crowd, rng: Random) -> Iterator[Case]:
        for _ in range(min(SAMPLE, crowd.pairs)):
            row, column = rng.randrange(len(crowd.requests)), rng.randrange(len(crowd.slots))
            case = crowd.case(row, column)
            if case.free if self.occupied else False:
                continue
            if case.free or case.parties[0].user != case.parties[1].user:
                yield case

    def evaluated(self, crowd: Crowd) -> int:
        return min(SAMPLE, crowd.pairs)


@frozen(eq=False)
class StableDeclared(Sampled):
    """What is declared stable stays the same after another match."""

    subject: Subject

    name = "stable-declared"
    doc = "an expression declared stable has the same value after another match of the cycle"

    def check(self, case: Case) -> Finding | None:
        if case.free:
            return None
        subject, scene = self.subject, scene_of(self.study.policy, case)
        before = value_of(subject.tree, scene, 1)
        user = case.parties[1].user
        first = self._step(scene, "at first", case)
        scene.stage.accountant.charge(user, scene.slot.weight)
        scene.stage.decorate(scene.requests[1], user)
        after = value_of(subject.tree, scene, 1)
        if alike(before, after):
            return None
        second = self._step(scene, f"after {short(user)} was matched once more", case)
        says = (
            f"{subject.macro} is declared stable, but one match of {short(user)} changes it"
            f" from {value_text(before)} to {value_text(after)}"
        )
        changing = ", ".join(
            name for name in first.added if _read(first, name) != _read(second, name)
        )
        clause = f"reads {changing}" if changing else subject.text
        steps = (first, second)
        return Finding(self.name, subject.macro, subject.place, clause, says, steps, case)

    def _step(self, scene: Scene, tells: str, case: Case) -> Any:
        tree, context = self.subject.tree, scene.stage.context
        ad, request = scene.slot.ad, scene.requests[1]
        return step(self.subject.macro, tree, ad, request, context, tells, case.now)


def _read(told: Any, name: str) -> str | None:
    found: str | None = told.my.get(name, told.target.get(name))
    return found


def alike(one: Any, other: Any) -> bool:
    """Whether two values are the same, kind and all."""
    return one.__class__ is other.__class__ and (one is other or one == other)


@frozen(eq=False)
class Monotone(Sampled):
    """More of an attribute never makes less of the value."""

    subject: Subject
    attribute: str
    rising: bool

    name = "monotone"
    doc = "a greater value of the attribute never turns true into anything else or lowers a rank"

    def title(self) -> str:
        return f"monotone:{'' if self.rising else '-'}{self.attribute}"

    def check(self, case: Case) -> Finding | None:
        if case.free:
            return None
        scene = scene_of(self.study.policy, case)
        found = [(self._value(scene, number), number) for number in sorted(self._numbers())]
        for place, (low, one) in enumerate(found):
            for high, other in found[place + 1 :]:
                if _size(high) < _size(low) if self.rising else _size(high) > _size(low):
                    return self._finding(case, scene, one, other)
        return None

    def _finding(self, case: Case, scene: Scene, *numbers: Any) -> Finding:
        subject, said = self.subject, self.attribute
        steps, values = [], []
        for number in numbers:
            value = value_text(self._value(scene, number))
            tells = f"{said} = {value_text(number)}: {value}"
            ads = scene.slot.ad, scene.requests[1]
            steps.append(
                step(subject.macro, subject.tree, *ads, scene.stage.context, tells, case.now)
            )
            values.append(value)
        more = "less" if self.rising else "more"
        says = f"{subject.macro} gets {more} with {said}: from {values[0]} to {values[1]}"
        text = " ".join(subject.text.split())
        found = self.title(), subject.macro, subject.place, text, says, tuple(steps), case
        return Finding(*found)

    def _value(self, scene: Scene, number: Any) -> Any:
        """The value of the expression with another value of the attribute."""
        slot, request = scene.slot.ad, scene.requests[1]
        in_request = self.attribute in request and self.attribute not in slot
        (request if in_request else slot).insert(self.attribute, number)
        return evaluate(self.subject.tree, slot, request, context=scene.stage.context)

    def _numbers(self) -> set[Any]:
        domains = self.study.domains
        spelled = self.attribute.casefold()
        for side in (domains.slot, domains.job):
            for name, values in side.items():
                if name.casefold() == spelled:
                    return {v for v in values if v.__class__ in (int, float)}
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


def _size(value: Any) -> float:
    """Truth or a number as a number; what is neither is less than all of them."""
    return float(value) if value.__class__ in (bool, int, float) else float("-inf")


@frozen(eq=False)
class Same(Property):
    """Two policies decide alike."""

    other: Study
    where: str

    name = "same"
    doc = "the other policy decides alike: verdict, PREEMPTION_RANK and the ranks of the negotiator"
    whole = True

    def title(self) -> str:
        return f"same:{self.where}"

    def suspects(self, crowd: Crowd, rng: Random) -> Iterator[Case]:
        one, two = self.study.policy, self.other.policy
        for mine, theirs in (
            (one.preemption_requirements, two.preemption_requirements),
            (one.preemption_rank, two.preemption_rank),
            (one.pre_job_rank, two.pre_job_rank),
            (one.post_job_rank, two.post_job_rank),
        ):
            yield from self._differing(crowd, mine, theirs)
        for _ in range(20):
            yield crowd.case(rng.randrange(len(crowd.requests)), rng.randrange(len(crowd.slots)))

    def _differing(
        self, crowd: Crowd, mine: ExprTree | None, theirs: ExprTree | None
    ) -> Iterator[Case]:
        if mine is None or theirs is None or str(mine) == str(theirs):
            return
        rows = zip(crowd.values(mine), crowd.values(theirs), strict=True)
        for row, (left, right) in enumerate(rows):
            for column, (one, other) in enumerate(zip(left, right, strict=True)):
                if not alike(one, other):
                    yield crowd.case(row, column)

    def check(self, case: Case) -> Finding | None:
        mine = scene_of(self.study.policy, case)
        theirs = scene_of(self.other.policy, self._theirs(case))
        one, other = mine.verdict(case, 1), theirs.verdict(case, 1)
        if one is not other:
            macro = _macro_of(one, other)
            says = f"{word(one)} here, {word(other)} with {self.where}"
            return self._told(case, mine, theirs, macro, says)
        if isinstance(one, Refusal):
            return None
        for macro, first, second in (
            ("PREEMPTION_RANK", "preemption_rank", "preemption_rank"),
            ("NEGOTIATOR_PRE_JOB_RANK", "pre_job_rank", "pre_job_rank"),
            ("NEGOTIATOR_POST_JOB_RANK", "post_job_rank", "post_job_rank"),
        ):
            if macro == "PREEMPTION_RANK" and one is MatchKind.NONE:
                continue
            left = _rank(getattr(self.study.policy, first), mine)
            right = _rank(getattr(self.other.policy, second), theirs)
            if left != right:
                says = f"{macro} is {left:.9g} here and {right:.9g} with {self.where}"
                return self._told(case, mine, theirs, macro, says)
        return None

    def _theirs(self, case: Case) -> Case:
        """The case with what the other policy puts into slots."""
        slot = dict(case.slot)
        for name in self.study.fixed:
            slot = without(slot, name)
        return evolve(case, slot={**self.other.fixed, **slot})

    def _told(self, case: Case, mine: Scene, theirs: Scene, macro: str, says: str) -> Finding:
        subject = self.study.subject(macro) or self.other.subject(macro)
        steps: tuple[Any, ...] = ()
        clause = "" if subject is None else " ".join(subject.text.split())
        for study, scene, where in ((self.study, mine, ""), (self.other, theirs, self.where)):
            own = study.subject(macro)
            if own is None:
                continue
            context, ad, request = scene.stage.context, scene.slot.ad, scene.requests[1]
            tells = f"with {where}" if where else "with this policy"
            told = step(macro, own.tree, ad, request, context, tells, case.now)
            steps += (evolve(told, policy=where),)
        place = "HTCondor's default" if subject is None else subject.place
        return Finding(self.title(), macro, place, clause, says, steps, case)


def _rank(tree: ExprTree | None, scene: Scene) -> float:
    return policy_rank(tree, scene.slot.ad, scene.requests[1], scene.stage.context)


def _macro_of(one: Any, other: Any) -> str:
    found = {one, other}
    if Refusal.REQUIREMENTS in found:
        return "START"
    if MatchKind.RANK in found or Refusal.STARTD_RANK in found:
        return "RANK"
    return "PREEMPTION_REQUIREMENTS"


def word(verdict: MatchKind | Refusal) -> str:
    """A verdict as ``Verdict`` has it."""
    if isinstance(verdict, Refusal):
        return "refused"
    return {MatchKind.NONE: "unclaimed", MatchKind.RANK: "rank", MatchKind.PRIORITY: "priority"}[
        verdict
    ]


@frozen(eq=False)
class Holds(Sampled):
    """A user's own property."""

    text: str
    tree: ExprTree
    occupied = False

    name = "holds"
    doc = "the expression is true of every slot (MY), job (TARGET) and Verdict"

    def title(self) -> str:
        return f"holds:{self.text}"

    def suspects(self, crowd: Crowd, rng: Random) -> Iterator[Case]:
        allowed = crowd.allowed(self.study.requirements)
        for row, column in rng.sample(allowed, min(SAMPLE // 2, len(allowed))):
            yield crowd.case(row, column)
        yield from super().suspects(crowd, rng)

    def check(self, case: Case) -> Finding | None:
        scene = scene_of(self.study.policy, case)
        verdict = word(scene.verdict(case, 1))
        ad, request, context = scene.slot.ad, scene.requests[1], scene.stage.context
        ad.insert("Verdict", verdict)
        ad.insert("RunTime", case.run_time)
        value = evaluate(self.tree, ad, request, context=context)
        if value is True:
            return None
        told = step(MACRO, self.tree, ad, request, context, f"the verdict is {verdict}", case.now)
        told = evolve(told, define=self.text)
        clause = deciding_clause(self.tree, self.text, ad, request, context)
        says = f"`{self.text}` is {value_text(value)}; the verdict is {verdict}"
        return Finding(self.title(), MACRO, "as given", clause, says, (told,), case)


def monotone_subjects(study: Study, attribute: str) -> list[Subject]:
    """The expressions about pairs that read an attribute."""
    wanted = attribute.casefold()
    return [
        subject
        for subject in study.subjects
        if subject.where is Where.PAIR and wanted in names(subject.tree.node)
    ]
