"""Decides whether the schedd takes a job: SUBMIT_REQUIREMENT_NAMES and what they name.

A requirement is evaluated with the schedd's ad as MY and the job as TARGET, which it may also call
SCHEDD and JOB.  The job is taken if each is true; one that is false, undefined or no condition
refuses it, unless the requirement only warns.
Inputs: a configuration as the schedd sees it, the ads of the schedd and of a job.  Outputs: why the
job is refused, and of what it is warned.
Follows: condor_schedd 25.14.1 (JOB and SCHEDD since 8.7.6).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attr import frozen

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.evaluate import EvalContext, evaluate
from policy.config import Config
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.transforms.rules import expression
from policy.transforms.running import is_truth
from policy.transforms.transforms import split_names

NAMES: Final = "SUBMIT_REQUIREMENT_NAMES"
_HEAD: Final = "SUBMIT_REQUIREMENT_"


@frozen
class Requirement:
    """One requirement; ``definition`` is where it stands."""

    name: str
    condition: Expression
    definition: Definition
    reason: Expression | None = None
    is_warning: Expression | None = None


@frozen
class NotMet:
    """A requirement that a job does not meet; ``reason`` is what its user is told."""

    requirement: Requirement
    reason: str

    def diagnostic(self) -> Diagnostic:
        """The same as an error at the requirement."""
        found = self.requirement.definition
        message = f"submit requirement {self.requirement.name}: {self.reason}"
        return Diagnostic(message, found.source, found.start, max(found.end, found.start + 1))


@frozen
class Acceptance:
    """``refusal`` is None for a job that is taken."""

    refusal: NotMet | None = None
    warnings: tuple[NotMet, ...] = ()


def read_requirements(config: Config) -> tuple[list[Requirement], list[Diagnostic]]:
    """The requirements in their order, and what is wrong with those that the schedd ignores."""
    found, problems = [], []
    for name in split_names(config.text(NAMES) or ""):
        definition = config.lookup(f"{_HEAD}{name}")
        if definition is None or not definition.raw.strip():
            problems.append(Diagnostic(f"{_HEAD}{name} is not set", severity="warning"))
            continue
        condition = _expression(config, f"{_HEAD}{name}")
        if condition is None:
            message = f"the schedd ignores {_HEAD}{name}, which is no expression"
            spot = definition.source, definition.start, definition.end
            problems.append(Diagnostic(message, *spot, severity="warning"))
            continue
        reason = _expression(config, f"{_HEAD}{name}_REASON")
        is_warning = _expression(config, f"{_HEAD}{name}_IS_WARNING")
        found.append(Requirement(name, condition, definition, reason, is_warning))
    return found, problems


def _expression(config: Config, macro: str) -> Expression | None:
    try:
        return expression((config.text(macro) or "").strip())
    except ExpansionError:
        return None


def judge(
    requirements: Iterable[Requirement], job: Ad, schedd: Ad | None, context: EvalContext
) -> Acceptance:
    """Whether a job is taken by a schedd, of which nothing is known if it has no ad."""
    my = Ad()
    my.chain(schedd)
    my.attach("JOB", job)
    my.attach("SCHEDD", Ad() if schedd is None else schedd)
    warnings: list[NotMet] = []
    for one in requirements:
        if is_truth(evaluate(one.condition, my, job, context=context)):
            continue
        not_met = NotMet(one, _reason(one, my, job, context))
        warns = one.is_warning is not None and is_truth(
            evaluate(one.is_warning, my, job, context=context)
        )
        if not warns:
            return Acceptance(not_met, tuple(warnings))
        warnings.append(not_met)
    return Acceptance(None, tuple(warnings))


def _reason(one: Requirement, my: Ad, job: Ad, context: EvalContext) -> str:
    value = None if one.reason is None else evaluate(one.reason, my, job, context=context)
    return value if isinstance(value, str) else "not met"
