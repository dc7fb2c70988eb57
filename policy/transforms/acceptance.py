"""Decides whether the schedd takes a job: SUBMIT_REQUIREMENT_NAMES and what they name.

A requirement is evaluated with the schedd's ad as MY and the job as TARGET, which it may also call
SCHEDD and JOB.  The job is taken if each is true; one that is false, undefined or no condition
refuses it, unless the requirement only warns.  What is no condition has no reason of its own.
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
from classad.language.values import ClassAdValue
from policy.config import Config
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean
from policy.language.table import Definition
from policy.transforms.rules import expression
from policy.transforms.running import is_truth
from policy.transforms.transforms import split_names

NAMES: Final = "SUBMIT_REQUIREMENT_NAMES"
_HEAD: Final = "SUBMIT_REQUIREMENT_"
_SCOPES: Final = {"JOB": "TARGET", "SCHEDD": "MY"}


@frozen
class Requirement:
    """One requirement; ``definition`` is where it stands."""

    name: str
    condition: Expression
    definition: Definition
    reason: Expression | None = None
    is_warning: bool = False


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
        found.append(requirement(config, name, condition, definition))
    return found, problems


def requirement(
    config: Config, name: str, condition: Expression, definition: Definition
) -> Requirement:
    """A requirement with what its user is told, and whether that is all."""
    reason = _expression(config, f"{_HEAD}{name}_REASON")
    try:
        flag = config.text(f"{_HEAD}{name}_IS_WARNING") or ""
    except ExpansionError:
        flag = ""
    warns = read_boolean(flag, config.scope.functions.evaluate) is True
    return Requirement(name, condition, definition, reason, warns)


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
    add_scopes(my)
    warnings: list[NotMet] = []
    for one in requirements:
        value = evaluate(one.condition, my, job, context=context)
        if is_truth(value):
            continue
        not_met = NotMet(one, _reason(one, value, my, job, context))
        if not one.is_warning:
            return Acceptance(not_met, tuple(warnings))
        warnings.append(not_met)
    return Acceptance(None, tuple(warnings))


def add_scopes(my: Ad) -> None:
    """Let what is evaluated in an ad call it SCHEDD, and the ad of the job JOB."""
    for scope, ad in _SCOPES.items():
        if my.raw(scope) is None:
            my.insert(scope, expressions.parse(ad))


def _reason(one: Requirement, _value: ClassAdValue, my: Ad, job: Ad, context: EvalContext) -> str:
    if _value.__class__ not in (bool, int, float):
        return f"Submit requirement {one.name} evaluated to non-boolean"
    value = None if one.reason is None else evaluate(one.reason, my, job, context=context)
    return value if isinstance(value, str) else "not met"
