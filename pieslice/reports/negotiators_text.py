"""Describes what several negotiators have in common, in words and as JSON.

Inputs: the outcome of each and their ``Overlap``.  Outputs: blocks for ``pieslice.reports.layout``;
plain values.
"""

from __future__ import annotations

from collections.abc import Iterable

from pieslice.data import Record
from pieslice.reports.layout import Block, Line
from pieslice.reports.negotiators import Overlap, Shared
from pieslice.reports.text import plural


def overlap_blocks(found: Overlap) -> list[Block]:
    """What more than one negotiator has its hands on, and what none."""
    title = "what the negotiators have in common"
    if found.none:
        text = f"{title}: nothing, and each slot and submitter belongs to one of them"
        return [Line(text, level="good")]
    blocks: list[Block] = [Line(title, heading=True)]
    for what, shared in (("slot", found.slots), ("submitter", found.submitters)):
        for by, names in _grouped(shared).items():
            text = f"{plural(len(names), what)} seen by {' and '.join(by)}: {_some(names)}"
            blocks.append(Line(f"  {text}", level="bad"))
    for what, unseen in (("slot", found.unseen_slots), ("submitter", found.unseen_submitters)):
        if unseen:
            blocks.append(Line(f"  {plural(len(unseen), what)} seen by none: {_some(unseen)}"))
    for slot, takers in found.contested:
        said = ", ".join(f"by {name} for {user}" for name, user in takers)
        text = f"{slot} is matched {said}; the first to claim it gets it"
        blocks.append(Line(f"  {text}", level="bad"))
    return blocks


def _grouped(shared: Iterable[Shared]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for item in shared:
        found.setdefault(item.by, []).append(item.name)
    return found


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join([*listed[:4], "..."] if len(listed) > 4 else listed)


def overlap_data(found: Overlap) -> Record:
    """The same for programs."""
    return {
        "slots": [{"slot": item.name, "seen_by": list(item.by)} for item in found.slots],
        "submitters": [
            {"submitter": item.name, "seen_by": list(item.by)} for item in found.submitters
        ],
        "unseen_slots": list(found.unseen_slots),
        "unseen_submitters": list(found.unseen_submitters),
        "contested": [
            {"slot": slot, "takers": [{"negotiator": n, "submitter": user} for n, user in takers]}
            for slot, takers in found.contested
        ],
    }
