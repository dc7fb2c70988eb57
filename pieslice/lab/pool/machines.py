"""Tells on which machine each slot is, and in which rack each machine, by their names.

Inputs: names of slots.  Outputs: ``Machines``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from attr import frozen

from classad.patterns import late_regex

#: A part of the name that says which rack it is, and one that a number of the machine follows.
_PARTS: Final = late_regex(r"[0-9]+|[^0-9]+")
_RACK: Final = late_regex(r"(?:^|[.-])(rack[-_]?\w+?)(?=$|[.-])", re.IGNORECASE)
_NUMBERED: Final = late_regex(r"^(.*\d)[^\d]+\d+$")


@frozen
class Machines:
    """Machines in the order of their names, numbers counted as such.

    ``slots``: the place of the machine of each slot; ``racks``: the names of racks; ``rack``: the
    place of the rack of each machine, -1 for none.
    """

    names: tuple[str, ...]
    slots: tuple[int, ...]
    racks: tuple[str, ...]
    rack: tuple[int, ...]


def machines_of(slots: Iterable[str]) -> Machines:
    """The machines of some slots; there are racks where names tell at least two of them apart.

    >>> found = machines_of(["slot1@r2n10", "slot2@r2n10", "slot1@r2n9", "slot1@r1n1"])
    >>> found.names, found.slots
    (('r1n1', 'r2n9', 'r2n10'), (2, 2, 1, 0))
    >>> found.racks, found.rack
    (('r1', 'r2'), (0, 1, 1))
    """
    of = [slot.partition("@")[2] or slot for slot in slots]
    names = sorted(set(of), key=_counted)
    places = {name: place for place, name in enumerate(names)}
    found = [_rack(name) for name in names]
    sizes = Counter(rack for rack in found if rack)
    if len(sizes) < 2 or max(sizes.values()) < 2:
        found, sizes = [""] * len(names), Counter()
    racks = sorted(sizes, key=_counted)
    at = {rack: place for place, rack in enumerate(racks)}
    return Machines(
        tuple(names),
        tuple(places[name] for name in of),
        tuple(racks),
        tuple(at.get(rack, -1) for rack in found),
    )


def _rack(machine: str) -> str:
    """What a name says of the rack; empty: nothing."""
    named = _RACK.search(machine)
    if named:
        return named[1].lower()
    first = machine.split("@")[0].split(".")[0]
    numbered = _NUMBERED.match(first)
    return numbered[1].rstrip("-_") if numbered else ""


def _counted(name: str) -> list[tuple[int, str]]:
    """A key that sorts ``n9`` before ``n10``."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _PARTS.findall(name)]
