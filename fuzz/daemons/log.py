"""Reads one cycle of the negotiator's log into the schema of recorded scenarios.

Inputs: the lines of the cycle without time stamps, the names of the slots, the schedd behind each
port.  Outputs: the record of a cycle, but for what the accountant keeps after it.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from fuzz.daemons.log_lines import read_line
from fuzz.daemons.log_reader import Reader
from pieslice.data import JsonData

_STAMP: Final = re.compile(r"^\d\d/\d\d/\d\d \d\d:\d\d:\d\d ")
_NOISE: Final = re.compile(
    "|".join(
        (
            "Directory::Rewind",
            "Trying to query collector",
            "Trying to update collector",
            "Attempting to send update",
            "SocketCache:",
            "File descriptor limits",
        )
    )
)
_ATTRIBUTE: Final = re.compile(r"^([A-Za-z_][A-Za-z0-9_.]*) = (.*)$")
_JOB_AD: Final = "Searching for a matching machine for the following job ad"
_SLOT_AD: Final = "Testing whether the job matches with the following machine ad"
#: Beginnings of lines that are many and that the record has already.
_BULKY: Final = (
    r"Job \d+\.\d+ does",
    r"Searching for a matching",
    r"Testing whether",
    r"Accountant::",
    r"\(ACCOUNTANT\)",
    r"\(Accountant\)",
    r"Customername",
    r"CustomerName=",
    r"RecentUsage=",
    r"GroupWeightedResourcesUsed",
    r"[A-Za-z_][A-Za-z0-9_.]* = ",
    r"Ignoring ",
    r"PREEMPTION_REQUIREMENTS prevents",
    r"IncrementLimit",
    r"DecrementLimit",
    r"Socket to ",
    r"Started NEGOTIATE",
    r"    Sending SEND_",
    r"    Getting reply",
    r"Prefetch ",
    r"Waiting on ",
    r"    Got (JOB_INFO|NO_MORE)",
    r"Starting prefetch",
    r"Assigned \d+ units",
    r"\d+ seconds so far",
    r"Using resource request list",
    r"    Send END_NEG",
    r"      Sending PERM",
    r"      Notifying",
    r"Added match",
    r"  Getting ",
    r"Phase 1",
    r"  Sorting",
    r"Entering comp",
    r"Checking Matches",
    r"Previous Limits",
    r"Current Limits",
    r"      Successfully matched",
    r"Start of sorting",
    r"Finished sorting",
    r"Finished RRL",
    r"Job \d+\.\d+ is",
    r"Job \d+\.\d+ has",
    r"Customer ",
    r"Reaping",
    r"State was",
    r"Failed to evaluate",
    r"There were \d+ pref",
    r" resources used by",
    r"Got ads",
)
_DROPPED: Final = re.compile("|".join(_BULKY))


def cycle_lines(text: str) -> tuple[list[str], list[str]]:
    """The lines of the last cycle, without time stamps, and before it those of the start."""
    lines = [_STAMP.sub("", line) for line in text.splitlines() if not _NOISE.search(line)]
    begins = [i for i, line in enumerate(lines) if "Started Negotiation Cycle" in line]
    if not begins:
        return lines, lines
    last = begins[-1]
    ends = (i for i in range(last, len(lines)) if "Finished Negotiation Cycle" in lines[i])
    cycle = lines[last : next(ends, len(lines) - 1) + 1]
    # The accountant's start-up lines come before the first cycle.
    starts = (i for i, line in enumerate(lines) if "Accountant::Initialize" in line)
    return lines[next(starts, last) : begins[0]] + cycle, cycle


def quiet(lines: Sequence[str]) -> list[str]:
    """The lines without the bulky ones."""
    return [line for line in lines if not _DROPPED.match(line)]


def read_cycle(
    lines: Sequence[str], slot_names: Sequence[str], schedds: Mapping[int, str]
) -> JsonData:
    """The record of a cycle; its first fields are orders, matches and rejections."""
    reader = Reader(schedds)
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(_JOB_AD):
            ad, at = _ad_at(lines, at)
            reader.job_ad(ad)
        elif line.startswith(_SLOT_AD):
            ad, at = _ad_at(lines, at)
            reader.slot_ad(ad)
        else:
            read_line(reader, line)
    cycle = reader.finished(slot_names)
    first = ("slot_order", "submitter_order", "matches", "rejections")
    return {**{key: cycle[key] for key in first}, **cycle}


def _ad_at(lines: Sequence[str], at: int) -> tuple[dict[str, str], int]:
    """The ad that is printed from a line on, and the line behind it."""
    ad = {}
    while at < len(lines):
        match = _ATTRIBUTE.match(lines[at])
        if not match:
            break
        ad[match[1]] = match[2]
        at += 1
    return ad, at
