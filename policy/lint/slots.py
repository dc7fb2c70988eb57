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
from policy.lint.finding import Per, finding
from policy.lint.view import Item, Setting, View

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


@finding(
    "P242",
    "a slot type with a resource that the machine does not have",
    "Besides cpus, memory, disk, swap and gpus a slot has what MACHINE_RESOURCE_<name> or"
    " MACHINE_RESOURCE_INVENTORY_<name> declares. The startd logs `Unknown attribute`, and makes"
    " the slots without it.",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    "MACHINE_RESOURCE_scratch = 500\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    of=r"SLOT_TYPE_\d+",
)
def no_resource(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for share in _SHARE.finditer(setting.text()):
        declared = (f"machine_resource_{kind}{share[1].casefold()}" for kind in ("", "inventory_"))
        if share[1].casefold() not in _FULL and view.defined.isdisjoint(declared):
            message = f"no MACHINE_RESOURCE_{share[1]} says how much of it there is"
            help_text = "the slots are made without it"
            yield setting.say(no_resource, message, Item.of(share, 1), help_text)


@finding(
    "P243",
    "types of slots that need more than the machine",
    "The startd makes slots until the machine is given away. For the others it logs `Can't allocate"
    " slot` and goes on, with a broken slot in their place. Told are more CPUs than NUM_CPUS, and"
    " shares of more than 100 %.",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 3\nSLOT_TYPE_1 = cpus=4\n",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=4\n",
    per=Per.CONFIGURATION,
)
def too_many(view: View) -> Iterator[Diagnostic]:
    """Types that take what those before them have left none of; each prefix has its own."""
    needed: dict[str | None, int] = {}
    last: dict[str | None, Setting] = {}
    shares: dict[tuple[str | None, str], Fraction] = {}
    for setting in view.settings:
        if not _TYPE.fullmatch(setting.macro):
            continue
        prefix, last[setting.prefix] = setting.prefix, setting
        number = _number(setting.beside(f"NUM_SLOTS_{setting.macro.partition('_')[2]}"))
        for share in _SHARE.finditer(setting.text()):
            name, part = share[1].casefold(), _part(share[2])
            if name in ("c", "cpu", "cpus"):
                needed[prefix] = needed.get(prefix, 0) + _number(share[2]) * number
            name = _LETTERS[name[0]] if name in _FULL else name
            before = shares.get((prefix, name), Fraction(0))
            after = shares[prefix, name] = before + (part or 0) * number
            if before <= 1 < after:
                message = f"the types of slots take {float(after):.0%} of the {name}"
                where = Item(share[0], share.start(1), share.end(2))
                help_text = "the startd makes a broken slot of what is not there"
                yield setting.say(too_many, message, where, help_text)
    for prefix, cpus in needed.items():
        has = _number(last[prefix].beside("NUM_CPUS"))
        if 0 < has < cpus and not _is_assumed(last[prefix].config, "NUM_CPUS"):
            message = f"the slots need {cpus} CPUs, NUM_CPUS is {has}"
            yield last[prefix].say(too_many, message, last[prefix].whole())


def _part(text: str) -> Fraction | None:
    """A part of the machine, ``75%`` or ``1/4``; None for a number or for `auto`."""
    found = _PART.fullmatch(text)
    if found is None or (found[3] is not None and not int(found[3])):
        return None
    return Fraction(found[1]) / 100 if found[1] else Fraction(int(found[2]), int(found[3]))


def _number(text: str) -> int:
    return max(integer_literal(text) or 0, 0)


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
