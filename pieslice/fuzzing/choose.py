"""Chooses the properties to test: those that are asked for, else those that the policy speaks of.

Inputs: a ``Study``, names of properties, what their arguments name.  Outputs: ``Property`` objects;
raises ``NoSuchProperty``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attr import field, frozen

from classad.ads.expression import Expression
from pieslice.fuzzing.agreement import Holds, Same
from pieslice.fuzzing.properties import Guard, Margin, Property, QuotaSafe, Total
from pieslice.fuzzing.steadiness import Monotone, StableDeclared, monotone_subjects
from pieslice.fuzzing.study import Study, compares_priorities, known_macros
from pieslice.fuzzing.thrash import NoThrash
from pieslice.reports.names import meant_or_known

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
