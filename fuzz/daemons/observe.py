"""Puts together what is recorded of a cycle: the negotiator's log and the accountant's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fuzz.daemons.accountant_log import customers
from fuzz.daemons.ads import Job, Slot, schedds_of
from fuzz.daemons.log import cycle_lines, quiet, read_cycle
from pieslice.data import JsonData


def observed_cycle(
    text: str, slots: Sequence[Slot], jobs: Sequence[Job], first_port: int
) -> tuple[JsonData, list[str]]:
    """The record of the last cycle of a log, and the lines of that cycle worth keeping."""
    whole, cycle = cycle_lines(text)
    schedds = {first_port + number: name for number, name in enumerate(schedds_of(jobs))}
    return read_cycle(whole, [slot.name for slot in slots], schedds), quiet(cycle)


def complete(cycle: JsonData, lines: list[str], accountant: str, *, timed: bool) -> JsonData:
    """The record with what the accountant keeps and the log; ``timed``: priorities were updated.

    Without ``timed`` what depends on the clock only is left out.
    """
    if not timed:
        cycle.pop("priority_updates", None)
        cycle.pop("time_passed", None)
    cycle["customers_after"] = customers(accountant, timed="time_passed" in cycle)
    cycle["log"] = lines
    return cycle


def version_in(text: str) -> str:
    """The version of HTCondor that wrote a log."""
    match = re.search(r"CondorVersion: (\S+)", text)
    return match[1] if match else "unknown"
