"""Checks numbers that seem to be in another unit than the macro's.

Follows: units of the macros in the manual; what is too small or too great is a judgement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.operators import MIRRORED
from classad.syntax.nodes import Binary, Call, Node, Reference, walk
from policy.knobs import matching as matching
from policy.knobs import shares as shares
from policy.lint.finding import WARNING, Finding
from policy.lint.places import spot
from policy.lint.trees import bare, comparisons, names, number
from policy.lint.view import Setting, View

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

_LEAST_AGE: Final = 30.0
#: The greatest plausible number and its unit, by attribute.
_AMOUNTS: Final = {
    "memory": (1e8, "MiB"),
    "requestmemory": (1e8, "MiB"),
    "totalmemory": (1e8, "MiB"),
    "disk": (1e12, "KiB"),
    "requestdisk": (1e12, "KiB"),
}
_SINCE: Final = frozenset(("enteredcurrentstate", "enteredcurrentactivity", "jobstart"))
_AGES: Final = frozenset(("totaljobruntime", "totalclaimruntime"))


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
    for setting in view.expressions():
        yield from _amounts(setting)
    for setting in view.of(matching.PREEMPTION_REQUIREMENTS):
        yield from _ages(setting)


def _time(setting: Setting, least: float, most: float) -> Iterator[Diagnostic]:
    reading = setting.reading
    if reading is None or reading.diagnostic is not None:
        return
    value = reading.number()
    if value != 0 and not least <= value <= most:
        message = f"{setting.name} is {value:g} seconds"
        yield NOT_SECONDS.on(setting.entry, message, "times are in seconds")


def _sides(node: Binary) -> Iterator[tuple[Node, str, float]]:
    """What is compared with which number."""
    for side, other, operator in (
        (node.left, node.right, node.operator),
        (node.right, node.left, MIRRORED.get(node.operator, node.operator)),
    ):
        value = number(other)
        if value is not None:
            yield bare(side), operator, value


def _amounts(setting: Setting) -> Iterator[Diagnostic]:
    assert setting.tree is not None
    assert setting.reading is not None
    for node in comparisons(setting.tree):
        for side, _, value in _sides(node):
            if not isinstance(side, Reference) or side.name.casefold() not in _AMOUNTS:
                continue
            most, unit = _AMOUNTS[side.name.casefold()]
            if value > most:
                where = spot(setting, node)
                message = f"`{side.name}` is in {unit}, and no slot has {value:g} of them"
                yield NOT_MEBIBYTES.at(message, *where)


def _ages(setting: Setting) -> Iterator[Diagnostic]:
    if setting.tree is None or setting.reading is None:
        return
    for node in comparisons(setting.tree):
        for side, operator, value in _sides(node):
            if operator in (">", ">=") and 0 < value < _LEAST_AGE and _is_age(side):
                where = spot(setting, node)
                yield SHORT_AGE.at(f"the job may be {value:g} seconds old", *where)


def _is_age(node: Node) -> bool:
    if isinstance(node, Reference):
        return node.name.casefold() in _AGES
    if not isinstance(node, Binary) or node.operator != "-":
        return False
    clock = "currenttime" in names(node.left) or any(
        isinstance(inner, Call) and inner.name.casefold() == "time" for inner in walk(node.left)
    )
    return clock and bool(names(node.right) & _SINCE)
