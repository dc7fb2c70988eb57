"""Keeps what has been read of a cycle, and where in the cycle the next line of the log is.

Outputs: ``Reader``; its ``out`` is the record of the cycle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from attr import define, field

from fuzz.daemons.group_log import group_event
from pieslice.data import JsonData

#: What is kept of a slot's ad as the negotiator has it.
_OF_A_SLOT: Final = re.compile(
    r"(?i)(remote|preempting|currentrank|slotweight$|negotiatormatchexpr)"
)


def _nothing_read() -> JsonData:
    return {
        "significant_attributes": [], "trimmed": [], "groups": {"events": []}, "pies": [],
        "matches": [], "rejections": [], "requests": [], "evaluations": [],
        "priority_updates": [], "remarks": [],
    }  # fmt: skip


@define(eq=False)
class Reader:
    """What has been read, and where in the cycle the next line is.

    A pie is a call of the spinning pie, a turn one submitter's part of a spin, a scan one look at
    all slots for a request.
    """

    schedds: Mapping[int, str]
    out: JsonData = field(factory=_nothing_read)
    #: The slots in the order in which scans test them, and the one that was tested last.
    slot_order: list[str] = field(factory=list)
    last_tested: str | None = None
    slot_ads: dict[str, dict[str, str]] = field(factory=dict)
    pie: JsonData | None = None
    spin: JsonData | None = None
    turn: JsonData | None = None
    request: JsonData | None = None
    scan: JsonData | None = None
    group: str | None = None
    quota: float | None = None
    floor_next: bool = False
    preemption: JsonData | None = None
    _known: set[str] = field(factory=set)

    def group_line(self, text: str) -> bool:
        """Take in a line, if it is about groups."""
        event = group_event(text)
        if event is None:
            return False
        self.out["groups"]["events"].append(event)
        if event["event"] == "negotiate":
            self.group, self.quota, self.pie = event["group"], event["limit"], None
        return True

    def schedd(self, address: str) -> str:
        """The schedd at an address."""
        match = re.match(r"<[^>]*?:(\d+)", address)
        return self.schedds.get(int(match[1]), address) if match else address

    def job_ad(self, ad: Mapping[str, str]) -> None:
        """Take in the ad of a request: the ephemeral attributes in it, and once all names."""
        if self.request is None:
            return
        own = {key: text for key, text in ad.items() if key.lower().startswith("submitt")}
        self.request["submitter_attributes"] = own
        others = sorted((key for key in ad if key not in own), key=str.lower)
        self.out.setdefault("request_attributes", others)

    def slot_ad(self, ad: Mapping[str, str]) -> None:
        """Take in the ad of a slot, if it is the first of that slot."""
        name = ad.get("Name", "").strip('"')
        if name and name not in self.slot_ads:
            kept = {key: text for key, text in ad.items() if _OF_A_SLOT.match(key)}
            self.slot_ads[name] = kept

    def start_pie(self) -> JsonData:
        """Begin a call of the spinning pie."""
        self.pie = {
            "group": self.group, "quota": self.quota, "floor_round": self.floor_next,
            "spins": [], "end": None,
        }  # fmt: skip
        self.out["pies"].append(self.pie)
        self.floor_next = False
        self.spin = self.turn = None
        return self.pie

    def end_turn(self) -> None:
        """Whatever comes is about no submitter so far."""
        self.turn = self.request = self.scan = None

    def add_turn(self, **fields: object) -> None:
        """Begin a submitter's turn in the spin."""
        self.turn = {**fields, "outcome": None}
        if self.spin is not None:
            self.spin["submitters"].append(self.turn)

    @property
    def place(self) -> JsonData:
        """The spin and the pie that a line belongs to."""
        assert self.spin is not None
        return {"spin": self.spin["spin"], "pie": len(self.out["pies"]) - 1}

    def current_scan(self) -> JsonData:
        """The scan for the request; begins with the first slot tested."""
        if self.scan is None:
            assert self.request is not None
            self.last_tested = None
            self.scan = {
                "job": self.request["job"], "submitter": self.request["submitter"], **self.place,
                "tested": 0, "matched": [], "preemption_requirements_false": [],
                "lower_startd_rank": [], "not_higher_startd_rank": [], "unclaimed_ignored": [],
                "same_user": [],
            }  # fmt: skip
            self.out["evaluations"].append(self.scan)
        return self.scan

    def tested(self, name: str) -> None:
        """A slot is tested.

        A scan passes over slots that another schedd has claimed: a slot that no scan before has
        tested comes behind the one that this scan tested before it.
        """
        if name not in self._known:
            before = self.last_tested
            at = 0 if before is None else self.slot_order.index(before) + 1
            self.slot_order.insert(at, name)
            self._known.add(name)
        self.last_tested = name

    def _completed(self, slot_names: Sequence[str]) -> list[str]:
        """The order of all slots: the given one, unless the negotiator has sorted them."""
        if [name for name in slot_names if name in self._known] == self.slot_order:
            return list(slot_names)
        return self.slot_order + [name for name in slot_names if name not in self._known]

    def finished(self, slot_names: Sequence[str]) -> JsonData:
        """All that was read, with the orders that follow from it.

        ``slot_names``: all slots in the order in which the collector returns them.
        """
        out = self.out
        if not out["groups"]["events"]:
            del out["groups"]
        out["slot_order"] = order = self._completed(slot_names)
        positions = {name: position for position, name in enumerate(order)}
        out["evaluations"] = [
            {
                key: [positions[name] for name in value] if isinstance(value, list) else value
                for key, value in scan.items()
                if value != [] or key == "matched"
            }
            for scan in out["evaluations"]
        ]
        if self.slot_ads:
            out["slot_ads"] = self.slot_ads
        turns = (
            turn for pie in out["pies"] for spin in pie["spins"] for turn in spin["submitters"]
        )
        out["submitter_order"] = list(dict.fromkeys(turn["name"] for turn in turns))
        return out
