"""Reads the lines of the negotiator's log about accounting groups.

Inputs: a line.  Outputs: the event that it tells, in the schema of recorded scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from fuzz.daemons.numbers import NUMBER, named_numbers, number
from pieslice.data import JsonData

_Tell = Callable[[re.Match[str]], JsonData]


def _event(name: str, **fields: int | Callable[[re.Match[str]], object]) -> _Tell:
    """An event with fields: the text of a group of the pattern by its number, or a function."""

    def tell(match: re.Match[str]) -> JsonData:
        told: JsonData = {"event": name}
        for field, source in fields.items():
            told[field.rstrip("_")] = match[source] if isinstance(source, int) else source(match)
        return told

    return tell


def _number(group: int) -> Callable[[re.Match[str]], object]:
    return lambda match: number(match[group])


def _integer(group: int) -> Callable[[re.Match[str]], object]:
    return lambda match: int(match[group])


def _step(name: str) -> _Tell:
    """An event whose name ends in the first group; the third has named numbers."""
    return lambda match: {
        "event": f"{name}{match[1]}",
        "group": match[2],
        **named_numbers(match[3]),
    }


_Q: Final = "group quotas: "
_PATTERNS: Final[tuple[tuple[re.Pattern[str], _Tell], ...]] = tuple(
    (re.compile(pattern), tell)
    for pattern, tell in (
        (
            rf"{_Q}assigning group quotas from {NUMBER} available( weighted)? slots",
            _event("total", quota=_number(1), weighted=lambda match: bool(match[2])),
        ),
        (
            rf"{_Q}subtree (\S+) receiving quota= {NUMBER}",
            _event("subtree", group=1, quota=_number(2)),
        ),
        (
            rf"{_Q}group (\S+), allocated {NUMBER} for static children, "
            rf"{NUMBER} for dynamic children",
            _event("children", group=1, static=_number(2), dynamic=_number(3)),
        ),
        (
            rf"{_Q}WARNING: (static|dynamic) quota for group (\S+) "
            rf"rescaled from {NUMBER} to {NUMBER}",
            _event("rescaled", group=2, kind=1, from_=_number(3), to=_number(4)),
        ),
        (
            rf"{_Q}group (\S+) assigned quota= {NUMBER}",
            _event("assigned", group=1, quota=_number(2)),
        ),
        (rf"{_Q}fairshare \((\d)\): group= (\S+) (.*)", _step("fairshare")),
        (
            rf"{_Q}allocate-surplus \((\w+)\): (?:.*, )?group=? ?(\S+) (?:allocated )?(.*)",
            _step("surplus"),
        ),
        (rf"{_Q}recover-remainders? \((\d)\): group= (\S+) (.*)", _step("remainders")),
        (rf"{_Q}allocation round (\d+)", _event("round", round=_integer(1))),
        (
            rf"{_Q}autoregroup mode: allocating {NUMBER} to group (\S+)",
            _event("autoregroup", group=2, quota=_number(1)),
        ),
        (
            rf"{_Q}autoregroup mode: appended (\d+) submitters to group (\S+) negotiation",
            _event("autoregroup-appended", group=2, submitters=_integer(1)),
        ),
        (
            rf"{_Q}group= (\S+) (quota= .*)",
            lambda match: {"event": "allocation", "group": match[1], **named_numbers(match[2])},
        ),
        (
            rf"{_Q}groups= (.*)",
            lambda match: {"event": "summary", **named_numbers("groups= " + match[1])},
        ),
        (rf"{_Q}entering RR iteration n= {NUMBER}", _event("rr", n=_number(1))),
        (rf"Group (\S+) - sortkey= {NUMBER}", _event("sortkey", group=1, key=_number(2))),
        (r"Group (\S+) - skipping, (.*)", _event("skip", group=1, why=2)),
        (
            rf"Group (\S+) - BEGIN NEGOTIATION with a quota limit of {NUMBER}",
            _event("negotiate", group=1, limit=_number(2)),
        ),
        (
            rf"{_Q}Group (\S+) +allocated= {NUMBER} +usage= {NUMBER}",
            _event("usage", group=1, allocated=_number(2), usage=_number(3)),
        ),
        (
            rf"{_Q}Group (\S+) - resetting requested to {NUMBER}",
            _event("reset-requested", group=1, requested=_number(2)),
        ),
        (
            rf"Round (\d+) totals: allocated= {NUMBER} usage= {NUMBER}",
            _event("round-totals", round=_integer(1), allocated=_number(2), usage=_number(3)),
        ),
    )
)
_ABOUT_GROUPS: Final = re.compile(r"group quotas?:|Group \S+ (-|allocated)|Round ")


def group_event(line: str) -> JsonData | None:
    """The event of a line, None of a line that is about something else."""
    if not _ABOUT_GROUPS.match(line):
        return None
    for pattern, tell in _PATTERNS:
        match = pattern.match(line)
        if match:
            return tell(match)
    if line.startswith("group quota"):
        return {"event": "text", "text": line}
    return None
