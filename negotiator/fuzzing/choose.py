"""Which properties are tested: those that are asked for, else those that the policy speaks of.

Inputs: a ``Study``, names of properties.  Outputs: ``Property`` objects; raises ``NoSuchProperty``.
Never here: what a property means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from classad.errors import suggest
from negotiator.fuzzing.properties import Guard, Margin, Property, QuotaSafe, Total
from negotiator.fuzzing.study import Study, compares_priorities
from negotiator.fuzzing.thrash import NoThrash

_ALONE: Final[dict[str, type[Property]]] = {
    found.name: found for found in (NoThrash, Margin, Guard, QuotaSafe)
}
NAMES: Final = (Total.name, *_ALONE)


class NoSuchProperty(Exception):  # noqa: N818 - its text is the message
    """A name that is no property, or one that says nothing about the policy at hand."""


def chosen(study: Study, wanted: Iterable[str], knob: str | None = None) -> list[Property]:
    """The properties to test."""
    names = list(dict.fromkeys(wanted))
    tests = [test for name in names for test in _named(study, name)] if names else None
    found = list(_usual(study)) if tests is None else tests
    if knob is not None:
        found = [test for test in found if _is_about(test, knob)]
        if not found:
            raise NoSuchProperty(f"nothing to test about {knob}: the policy does not set it")
    return found


def _is_about(test: Property, knob: str) -> bool:
    macro = test.subject.macro if isinstance(test, Total) else "PREEMPTION_REQUIREMENTS"
    return macro.casefold() == knob.casefold()


def _named(study: Study, name: str) -> Iterator[Property]:
    if name == Total.name:
        yield from _totals(study)
    elif name in _ALONE:
        if name == Guard.name and not study.intent.min_run_time:
            raise NoSuchProperty(
                "guard: the policy names no minimum run time; say it with --min-run-time"
            )
        if name == QuotaSafe.name and len(study.policy.groups) < 2:
            raise NoSuchProperty("quota-safe: the policy configures no groups")
        yield _ALONE[name](study)
    else:
        near = suggest(name, NAMES)
        tail = f"did you mean `{near}`?" if near else f"known are {', '.join(NAMES)}"
        raise NoSuchProperty(f"no property `{name}`; {tail}")


def _totals(study: Study) -> Iterator[Property]:
    for subject in study.subjects:
        yield Total(study, subject)


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
