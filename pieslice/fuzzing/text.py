"""Writes counterexamples as text and as documents.

Inputs: a ``SearchResult``.  Outputs: lines; ``Counterexamples``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import ClassVar

from attr import Factory, frozen

from pieslice.fuzzing.finding import BrokenProperty, EvaluationStep
from pieslice.fuzzing.search import SearchResult
from pieslice.reports.document import Document, view
from pieslice.reports.layout import wrap
from policy.versions import Followed


@frozen
class PolicyReading:
    """How a policy is read: where it is, the options of reading as words, by which version."""

    path: str
    options: tuple[str, ...] = ()
    followed: Followed = Factory(Followed)


def outcome_lines(
    outcome: SearchResult, policy: PolicyReading, seed: int, width: int
) -> Iterator[str]:
    """Everything as text."""
    yield f"{policy.path}: {policy.followed}"
    kept = [
        name for name, _ in outcome.tested if name not in {f.property for f in outcome.findings}
    ]
    pairs = f"{outcome.examples:,} pairs, seed {seed}"
    if outcome.findings:
        broken = ", ".join(dict.fromkeys(finding.property for finding in outcome.findings))
        yield f"broken: {broken} ({pairs})"
    if kept:
        yield f"no counterexample: {', '.join(kept)}" + ("" if outcome.findings else f" ({pairs})")
    for finding in outcome.findings:
        yield ""
        yield from finding_lines(finding, policy, width)


def finding_lines(finding: BrokenProperty, policy: PolicyReading, width: int) -> Iterator[str]:
    """One counterexample."""
    yield from wrap(f"{finding.property}: {finding.says}", width, "  ")
    yield f"  {finding.macro}, {finding.place}"
    yield from wrap(f"  clause: {' '.join(finding.clause.split())}", width, "    ")
    for number, step in enumerate(finding.steps, 1):
        head = f"{number}. " if len(finding.steps) > 1 else ""
        when = f"after {step.at} s " if step.at else ""
        yield f"  {head}{when}{step.sentence}"
        for title, values in ((step.side, step.my), ("job", step.target)):
            for name, value in _plain(step, values).items():
                yield f"     {title:>5}  {name} = {value}"
        for name in sorted(step.added):
            value = step.my.get(name, step.target.get(name, ""))
            yield f"     cycle  {name} = {value}"
    found = commands(finding, policy)
    if found:
        yield "  replay:"
    for line in found:
        yield from _continued(line, width)


def _continued(line: str, width: int) -> Iterator[str]:
    """A command for a shell, its lines ended by backslashes between words."""
    text = "    "
    for word in map(shlex.quote, shlex.split(line)):
        if text.strip() and len(text) + len(word) + 3 > width:
            yield f"{text} \\"
            text = f"      {word}"
        else:
            text += f" {word}" if text.strip() else word
    yield text


def _plain(step: EvaluationStep, values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in step.added}


def commands(finding: BrokenProperty, policy: PolicyReading) -> list[str]:
    """A command for each step that evaluates it again."""
    return [command(step, policy) for step in finding.steps if step.value]


def command(step: EvaluationStep, policy: PolicyReading) -> str:
    """The command that evaluates a step again."""
    words = ["pieslice", "policy", "eval", step.policy or policy.path, step.macro, *policy.options]
    if step.define:
        words += ["-D", f"{step.macro}={step.define}"]
    for scope, values in (("MY", step.my), ("TARGET", step.target)):
        for name, value in values.items():
            words += ["-a", f"{name if name in step.added else f'{scope}.{name}'}={value}"]
    words += ["--now", str(step.now)]
    return shlex.join(words)


@frozen
class TestedProperty:
    """A property and what it says."""

    name: str
    says: str


@view(
    "after=at now macro says=sentence value slot?=.slot my?=.my job=.job cycle=.cycle"
    " replay=.replay"
)
class ReplayedStep:
    """One evaluation of a counterexample; ``replay``: the command that repeats it.

    Of each ad the attributes that were read, as ClassAd texts; ``cycle``: those that a cycle adds.
    """

    step: EvaluationStep
    policy: PolicyReading

    def slot(self) -> dict[str, str] | None:
        """What was read of MY, where that is a slot."""
        return _plain(self.step, self.step.my) if self.step.side == "slot" else None

    def my(self) -> dict[str, str] | None:
        """What was read of MY, where that is something else."""
        return _plain(self.step, self.step.my) if self.step.side != "slot" else None

    def job(self) -> dict[str, str]:
        """What was read of TARGET."""
        return _plain(self.step, self.step.target)

    def cycle(self) -> dict[str, str | None]:
        """What a cycle adds of that."""
        read = {**self.step.target, **self.step.my}
        return {name: read.get(name) for name in sorted(self.step.added)}

    def replay(self) -> str | None:
        """The command; None if nothing was evaluated."""
        return command(self.step, self.policy) if self.step.value else None


@view("property macro place clause says steps=.steps")
class Counterexample:
    """A property that does not hold: the macro responsible, its place, the clause that decides."""

    found: BrokenProperty
    policy: PolicyReading

    def steps(self) -> list[ReplayedStep]:
        """The evaluations that show it, in their order."""
        return [ReplayedStep(step, self.policy) for step in self.found.steps]


@frozen
class Counterexamples(Document):
    """Counterexamples to properties of a policy."""

    schema: ClassVar[str] = "pieslice/fuzz/1"
    followed: Followed
    policy: str
    seed: int
    pairs: int
    properties: Sequence[TestedProperty]
    counterexamples: Sequence[Counterexample]

    @classmethod
    def of(cls, outcome: SearchResult, policy: PolicyReading, seed: int) -> Counterexamples:
        """What a search has found."""
        found = [Counterexample(one, policy) for one in outcome.findings]
        tested = [TestedProperty(*pair) for pair in outcome.tested]
        return cls(policy.followed, policy.path, seed, outcome.examples, tested, found)
