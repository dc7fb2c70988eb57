"""Checks types of slots: resources that the machine does not have, or not so many of them.

Follows: the startd of 25.14.1, which makes the slots that it can and logs the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from classad.errors import Diagnostic
from policy.config import Config
from policy.language.host import HostFacts
from policy.language.numbers import integer_literal
from policy.language.table import DETECTED_ORIGIN, Definition
from policy.lint.finding import WARNING, Finding
from policy.lint.places import stretch
from policy.lint.view import Setting, View

NO_RESOURCE: Final = Finding(
    "P242",
    WARNING,
    "a slot type with a resource that the machine does not have",
    "Besides cpus, memory, disk, swap and gpus a slot has what MACHINE_RESOURCE_<name> or"
    " MACHINE_RESOURCE_INVENTORY_<name> declares. The startd logs `Unknown attribute`, and makes"
    " the slots without it.",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    "MACHINE_RESOURCE_scratch = 500\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
)
TOO_MANY: Final = Finding(
    "P243",
    WARNING,
    "types of slots that need more than the machine",
    "The startd makes slots until the machine is given away. For the others it logs `Can't allocate"
    " slot` and goes on, with a broken slot in their place. Told are more CPUs than NUM_CPUS, and"
    " shares of more than 100 %.",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 3\nSLOT_TYPE_1 = cpus=4\n",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=4\n",
)
_TYPE: Final = re.compile(r"SLOT_TYPE_(\d+)", re.IGNORECASE)
_SHARE: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*[=:]\s*([^,\s]+)")
_PART: Final = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)%|(\d{1,18})/(\d{1,18})")
#: What the startd takes the first letter of a resource for.
_LETTERS: Final = {
    "c": "cpus", "m": "memory", "r": "memory", "s": "swap", "v": "swap", "d": "disk", "g": "gpus",
}  # fmt: skip
#: What every machine has, as the startd abbreviates it.
_FULL: Final = frozenset(
    (
        *("c", "cpu", "cpus", "m", "mem", "memory", "r", "ram", "s", "swap", "v", "vm"),
        *("virt", "virtualmemory", "virtual_memory", "d", "disk", "gpu", "gpus"),
    )
)


def check_slots(view: View) -> Iterator[Diagnostic]:
    """Everything about types of slots."""
    needed: dict[str | None, int] = {}
    last: dict[str | None, Setting] = {}
    shares: dict[tuple[str | None, str], Fraction] = {}
    for setting in view.settings:
        if not _TYPE.fullmatch(setting.macro):
            continue
        last[setting.prefix] = setting  # each startd of a prefix has types of its own
        text = setting.text()
        for share in _SHARE.finditer(text):
            name = share[1].casefold()
            if name not in _FULL and not _is_declared(view, name):
                place = stretch(setting, text, *share.span(1))
                message = f"no MACHINE_RESOURCE_{share[1]} says how much of it there is"
                yield NO_RESOURCE.at(message, *place, "the slots are made without it")
            elif name in ("c", "cpu", "cpus"):
                more = _number(share[2]) * _number(setting.beside(f"NUM_{_type(setting.macro)}"))
                needed[setting.prefix] = needed.get(setting.prefix, 0) + more
            found = _taken(setting, shares, share)
            if found is not None:
                yield found
    for prefix, cpus in needed.items():
        yield from _too_many(last[prefix], cpus)


def _taken(
    setting: Setting, shares: dict[tuple[str | None, str], Fraction], share: re.Match[str]
) -> Diagnostic | None:
    """A type that takes what the types before it have left none of, in parts of the machine."""
    part, name = _part(share[2]), share[1].casefold()
    if name in _FULL:
        name = _LETTERS[name[0]]
    number = _number(setting.beside(f"NUM_{_type(setting.macro)}"))
    if part is None or not number:
        return None
    key = setting.prefix, name
    before = shares.get(key, Fraction(0))
    shares[key] = before + part * number
    if before > 1 or shares[key] <= 1:
        return None
    message = f"the types of slots take {float(shares[key]):.0%} of the {name}"
    text = setting.text()
    place = stretch(setting, text, share.start(1), share.end(2))
    return TOO_MANY.at(message, *place, "the startd makes a broken slot of what is not there")


def _part(text: str) -> Fraction | None:
    """A part of the machine, ``75%`` or ``1/4``; None for a number or for `auto`."""
    found = _PART.fullmatch(text)
    if found is None or (found[3] is not None and not int(found[3])):
        return None
    return Fraction(found[1]) / 100 if found[1] else Fraction(int(found[2]), int(found[3]))


def _is_declared(view: View, name: str) -> bool:
    return any(f"machine_resource_{kind}{name}" in view.defined for kind in ("", "inventory_"))


def _number(text: str) -> int:
    return max(integer_literal(text) or 0, 0)


def _type(macro: str) -> str:
    return f"SLOTS_{macro.partition('_')[2]}"


def _too_many(last: Setting, needed: int) -> Iterator[Diagnostic]:
    cpus = _number(last.beside("NUM_CPUS"))
    if 0 < cpus < needed and not _is_assumed(last.config, "NUM_CPUS"):
        message = f"the slots need {needed} CPUs, NUM_CPUS is {cpus}"
        yield TOO_MANY.at(message, *stretch(last, last.text(), 0, len(last.text())))


def _is_assumed(config: Config, name: str) -> bool:
    """Does a number come from the machine, of which the caller has told nothing?"""
    if config.text("DETECTED_CPUS") != str(HostFacts().detected_cpus):
        return False
    used: list[Definition | None] = [config.lookup(name)]
    for entry in used:
        if entry is not None and entry.origin == DETECTED_ORIGIN:
            return True
        if entry is not None:
            used += (found for _, found in config.scope.used_by(entry) if found not in used)
    return False
