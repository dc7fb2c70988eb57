"""Checks numbers that seem to be in another unit than the macro's.

Follows: units of the macros in the manual; what is too small or too great is a judgement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.operators import MIRRORED
from classad.syntax.nodes import Binary, Node, Reference
from classad.syntax.unparse import unparse
from policy.attributes import DATE, SECONDS
from policy.knobs import shares as shares
from policy.lint.expressions import Held, held
from policy.lint.finding import WARNING, Finding
from policy.lint.trees import bare, comparisons
from policy.lint.view import Setting, View
from policy.values.domain import PLAIN, single_number

NOT_SECONDS: Final = Finding(
    "P601",
    WARNING,
    "a time that seems not to be in seconds",
    "Times are in seconds: a half-life of 24 is 24 seconds, an interval of 60000 is 16 hours.",
    "PRIORITY_HALFLIFE = 24\n",
    "PRIORITY_HALFLIFE = 24 * $(HOUR)\n",
)
SHORT_AGE: Final = Finding(
    "P602",
    WARNING,
    "a minimum run time that seems not to be in seconds",
    "Ages and run times are in seconds; less than half a minute protects nothing.",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > 4 && RemoteUserPrio > 1000\n",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > 4 * 3600 && RemoteUserPrio > 1000\n",
)
NOT_MEBIBYTES: Final = Finding(
    "P603",
    WARNING,
    "an amount of memory that seems not to be in MiB",
    "Memory and RequestMemory are in MiB, Disk and RequestDisk in KiB.",
    "NEGOTIATOR_SLOT_CONSTRAINT = Memory > 8589934592\n",
    "NEGOTIATOR_SLOT_CONSTRAINT = Memory > 8192\n",
)
SMALL_FACTOR: Final = Finding(
    "P604",
    WARNING,
    "a priority factor below 1",
    "Factors below 1 count as 1. The usual default is 1000; a better factor is a smaller one.",
    "DEFAULT_PRIO_FACTOR = 0.5\n",
    "DEFAULT_PRIO_FACTOR = 500\n",
)

DATE_AS_DURATION: Final = Finding(
    "P605",
    WARNING,
    "a date that is used as a duration",
    "Attributes such as QDate, JobStart and EnteredCurrentState are instants, in seconds since"
    " 1970. How long ago that was is `time() - QDate`.",
    "SYSTEM_PERIODIC_REMOVE = EnteredCurrentStatus > 7 * 86400\n",
    "SYSTEM_PERIODIC_REMOVE = time() - EnteredCurrentStatus > 7 * 86400\n",
)
GIGABYTES: Final = Finding(
    "P606",
    WARNING,
    "an amount of memory that seems to be in GiB",
    "Memory and RequestMemory are in MiB: 16 of them are next to nothing.",
    "START = TARGET.RequestMemory <= 16\n",
    "START = TARGET.RequestMemory <= 16 * 1024\n",
)

_LEAST_AGE: Final = 30.0
#: For how long a job runs or waits, in seconds, nobody asks for less than this.
_LEAST_RUN: Final = 200.0
_RUNS: Final = frozenset(
    (
        *("remotewallclocktime", "totaljobruntime", "jobduration", "committedtime"),
        *("cumulativeslottime", "totalclaimruntime", "remoteusercpu"),
    )
)
#: What may well be decided within seconds.
_QUICK: Final = frozenset(
    (
        *("continue", "suspend", "kill", "want_suspend", "want_vacate", "preempt"),
        *("system_periodic_release", "runbenchmarks", "is_owner", "isowner"),
    )
)
#: The greatest plausible number, by unit.
_GREATEST: Final = {"MiB": 2.0**25, "KiB": 1e12}
_GIGABYTES: Final = (2.0, 32.0)
_MEMORY: Final = frozenset(("memory", "requestmemory", "totalmemory", "memoryusage"))
#: Before this an instant is a duration that somebody took for one.
_FIRST_DATE: Final = 1e9
#: Expressions that are times themselves.
_TIMES: Final = frozenset(("maxjobretirementtime", "claim_worklife", "machinemaxvacatetime"))


def check_units(view: View) -> Iterator[Diagnostic]:
    """Everything about units."""
    for setting in view.settings:
        knob = setting.knob
        if knob is not None and knob.plausible is not None and knob.unit == "s":
            yield from _time(setting, *knob.plausible)
    for setting in view.of(shares.GROUP_PRIO_FACTOR):
        reading = setting.reading
        if reading is not None and reading.diagnostic is None and reading.number() < 1:
            message = f"{setting.macro}: {reading.number():g} is no priority factor, 1 is used"
            yield SMALL_FACTOR.on(setting.entry, message)
    for one in held(view):
        for node in comparisons(one.tree):
            yield from _compared(one, node)
        if one.name.casefold() in _TIMES:
            yield from _whole_time(one)


def _time(setting: Setting, least: float, most: float) -> Iterator[Diagnostic]:
    reading = setting.reading
    if reading is None or reading.diagnostic is not None:
        return
    value = reading.number()
    if value != 0 and not least <= value <= most:
        message = f"{setting.name} is {value:g} seconds"
        yield NOT_SECONDS.on(setting.entry, message, "times are in seconds")


def _whole_time(one: Held) -> Iterator[Diagnostic]:
    """An expression that is a number of seconds, and a small one."""
    value = single_number(one.evaluation.value)
    if value is not None and 1 < value < _LEAST_AGE:
        message = f"{one.name} is {value:g} seconds"
        yield NOT_SECONDS.at(message, *one.spot(one.tree), "times are in seconds")


def _sides(one: Held, node: Binary) -> Iterator[tuple[Node, str, Node]]:
    """Each side with what it is compared with, and how."""
    yield bare(node.left), node.operator, bare(node.right)
    yield bare(node.right), MIRRORED.get(node.operator, node.operator), bare(node.left)


def _compared(one: Held, node: Binary) -> Iterator[Diagnostic]:
    for side, operator, other in _sides(one, node):
        mine, theirs = one.evaluation.alone(side), one.evaluation.alone(other)
        where = one.spot(node)
        if mine.unit == DATE:
            if theirs.unit == SECONDS or _is_short(_number(one, other)):
                message = f"`{unparse(side)}` is an instant, and `{unparse(other)}` a duration"
                help_text = f"did you mean `time() - {unparse(side)}`?"
                yield DATE_AS_DURATION.at(message, *where, help_text if _is_name(side) else None)
            continue
        value = _number(one, other)
        if value is None or theirs.unit not in (PLAIN, ""):
            continue
        found = _amount(side, mine.unit, value)
        if found is None and one.name.casefold() not in _QUICK:
            found = _age(side, mine.unit, operator, value)
        if found is not None:
            yield found[0].at(found[1], *where)


def _number(one: Held, node: Node) -> float | None:
    """The number that a side is, whatever it is computed from."""
    return single_number(one.evaluation.alone(node))


def _is_short(value: float | None) -> bool:
    return value is not None and 1 < abs(value) < _FIRST_DATE


def _is_name(side: Node) -> bool:
    return isinstance(side, Reference)


def _amount(side: Node, unit: str, value: float) -> tuple[Finding, str] | None:
    if unit not in _GREATEST:
        return None
    if value > _GREATEST[unit]:
        message = f"`{unparse(side)}` is in {unit}, and no slot has {value:g} of them"
        return NOT_MEBIBYTES, message
    named = isinstance(side, Reference) and side.name.casefold() in _MEMORY
    if named and _GIGABYTES[0] <= value < _GIGABYTES[1]:
        return GIGABYTES, f"`{unparse(side)}` is in MiB, and {value:g} of them are very few"
    return None


def _age(side: Node, unit: str, operator: str, value: float) -> tuple[Finding, str] | None:
    if unit != SECONDS or operator not in (">", ">=") or value <= 1:
        return None
    run = isinstance(side, Reference) and side.name.casefold() in _RUNS
    if value < (_LEAST_RUN if run else _LEAST_AGE):
        return SHORT_AGE, f"`{unparse(side)}` is in seconds, and {value:g} of them are very few"
    return None
