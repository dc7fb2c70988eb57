"""Tests a policy against another one or against a user's own property.

``same``: two policies make the same of a slot and a request.  A user's own property is an
expression that must be true of the slot (MY), the request (TARGET) and ``Verdict``, what the cycle
makes of the two.

Inputs: a ``Study``, another one or an expression, cases.  Outputs: ``BrokenProperty``s.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from attr import evolve, frozen

from classad.ads.expression import Expression
from classad.evaluate import evaluate
from classad.syntax.nodes import Literal
from negotiator.matching.candidate import Refusal
from negotiator.matching.rank import policy_rank
from negotiator.model.result import MatchKind
from pieslice.fuzzing.case import FuzzCase
from pieslice.fuzzing.cycle import PreparedCase, prepared_case
from pieslice.fuzzing.finding import BrokenProperty, compared, deciding_clause, step
from pieslice.fuzzing.properties import Property
from pieslice.fuzzing.readings import alike, read
from pieslice.fuzzing.sample import Sample
from pieslice.fuzzing.schema import AdValue, value_text
from pieslice.fuzzing.steadiness import SAMPLE, reading
from pieslice.fuzzing.study import Study

#: What a user's own property is called where it needs the name of a macro.
MACRO: Final = "PROPERTY"
#: The ranks of the negotiator by macro: where the policy has them.
_RANKS: Final = {
    "PREEMPTION_RANK": "preemption_rank",
    "NEGOTIATOR_PRE_JOB_RANK": "pre_job_rank",
    "NEGOTIATOR_POST_JOB_RANK": "post_job_rank",
}
_OF_SLOTS: Final = frozenset(("START", "RANK"))
_TRUE: Final = Expression.from_node(Literal(True))
_ZERO: Final = Expression.from_node(Literal(0))
_VERDICTS: Final = ("priority", "rank", "unclaimed", "refused")


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

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        for macro, mine in _expressions(self.study).items():
            pairs = _differing(sample, mine, _expressions(self.other)[macro])
            rng.shuffle(pairs)
            if macro in _RANKS:
                # They are only asked for where there is a match.
                pairs = [pair for pair in pairs if not isinstance(sample.verdict(*pair), Refusal)]
            for row, column in pairs[:SAMPLE]:
                yield sample.case(row, column)
        for _ in range(20):
            yield sample.case(rng.randrange(len(sample.requests)), rng.randrange(len(sample.slots)))

    def check(self, case: FuzzCase) -> BrokenProperty | None:
        mine, theirs = (
            prepared_case(study.policy, self._as_set_up(study, case))
            for study in (self.study, self.other)
        )
        one, other = mine.verdict(case, 1), theirs.verdict(case, 1)
        if word(one) != word(other):
            macro = _macro_of(one, other)
            says = f"{word(one)} here, {word(other)} with {self.where}"
            return self._finding(case, mine, theirs, macro, says)
        if isinstance(one, Refusal):
            return None
        for macro, name in _RANKS.items():
            if macro == "PREEMPTION_RANK" and one is MatchKind.NONE:
                continue
            left = _rank(getattr(self.study.policy, name), mine)
            right = _rank(getattr(self.other.policy, name), theirs)
            if left != right:
                says = f"{macro} is {left:.9g} here and {right:.9g} with {self.where}"
                return self._finding(case, mine, theirs, macro, says)
        return None

    def _as_set_up(self, study: Study, case: FuzzCase) -> FuzzCase:
        """The case with what a policy puts into slots instead of what this one does."""
        slot = {name: value for name, value in case.slot.items() if name not in self.study.fixed}
        return evolve(case, slot={**study.fixed, **slot})

    def _finding(
        self, case: FuzzCase, mine: PreparedCase, theirs: PreparedCase, macro: str, says: str
    ) -> BrokenProperty:
        subject = self.study.subject(macro) or self.other.subject(macro)
        tree = _expressions(self.study)[macro]
        clause = str(tree) if subject is None else " ".join(subject.text.split())
        found, sentences, others = [], [], []
        for study, prepared, where in ((self.study, mine, ""), (self.other, theirs, self.where)):
            tree = _expressions(study)[macro]
            if tree is None or (macro in _OF_SLOTS and study.subject(macro) is None):
                continue  # nothing that could be evaluated again
            found.append(reading(tree, prepared))
            sentences.append(f"with {where}" if where else "with this policy")
            others.append(where)
        rows = zip(compared(macro, found, sentences, case.now), others, strict=True)
        steps = tuple(evolve(each, policy=where) for each, where in rows)
        place = "HTCondor's default" if subject is None else subject.place
        return BrokenProperty(self.title(), macro, place, clause, says, steps, case)


def _expressions(study: Study) -> dict[str, Expression | None]:
    """What decides about a slot and a request, by macro; None is nothing at all."""
    policy = study.policy
    found: dict[str, Expression | None] = {
        "START": study.fixed.get("Requirements", _TRUE),
        "RANK": study.fixed.get("Rank", _ZERO),
        "PREEMPTION_REQUIREMENTS": policy.preemption_requirements,
    }
    return found | {macro: getattr(policy, name) for macro, name in _RANKS.items()}


def _differing(
    sample: Sample, mine: Expression | None, theirs: Expression | None
) -> list[tuple[int, int]]:
    """The pairs for which two expressions have different values."""
    if mine is None or theirs is None or str(mine) == str(theirs):
        return []
    rows = zip(sample.values(mine), sample.values(theirs), strict=True)
    return [
        (row, column)
        for row, (left, right) in enumerate(rows)
        for column, (one, other) in enumerate(zip(left, right, strict=True))
        if not alike(one, other)
    ]


def _rank(tree: Expression | None, prepared: PreparedCase) -> float:
    return policy_rank(tree, prepared.slot.ad, prepared.requests[1], prepared.cycle.context)


def _macro_of(one: MatchKind | Refusal, other: MatchKind | Refusal) -> str:
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
class Holds(Property):
    """A user's own property."""

    text: str
    tree: Expression

    name = "holds"
    doc = "the expression is true of every slot (MY), job (TARGET) and Verdict"
    whole = True

    def title(self) -> str:
        return f"holds:{self.text}"

    def suspects(self, sample: Sample, rng: Random) -> Iterator[FuzzCase]:
        ads = [slot.ad for slot in sample.slots]
        wrong: dict[str, list[list[AdValue]]] = {}
        with sample.having(ads, "RunTime", [case.run_time for case in sample.cases]):
            for verdict in _VERDICTS:
                with sample.having(ads, "Verdict", [verdict] * len(ads)):
                    wrong[verdict] = sample.evaluate(self.tree)
        pairs = [
            (row, column)
            for row, party in enumerate(sample.parties)
            for column, slot in enumerate(sample.slots)
            if any(values[row][column] is not True for values in wrong.values())
            and not sample.is_own(row, column)
        ]
        rng.shuffle(pairs)
        for row, column in pairs:
            verdict = word(sample.verdict(row, column))
            if wrong[verdict][row][column] is not True:
                yield sample.case(row, column)

    def check(self, case: FuzzCase) -> BrokenProperty | None:
        prepared = prepared_case(self.study.policy, case)
        verdict = word(prepared.verdict(case, 1))
        ad, request, context = prepared.slot.ad, prepared.requests[1], prepared.cycle.context
        ad.insert("Verdict", verdict)
        ad.insert("RunTime", case.run_time)
        value = evaluate(self.tree, ad, request, context=context)
        if value is True:
            return None
        found = read(self.tree, ad, request, context)
        shown = step(MACRO, found.only(found.mattering()), f"the verdict is {verdict}", case.now)
        shown = evolve(shown, define=self.text)
        clause = deciding_clause(found, self.text)
        says = f"`{self.text}` is {value_text(value)}; the verdict is {verdict}"
        return BrokenProperty(self.title(), MACRO, "as given", clause, says, (shown,), case)
