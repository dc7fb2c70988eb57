"""Puts together what is recorded of a cycle: the negotiator's log and the accountant's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fuzz.daemons.accountant_log import customers
from fuzz.daemons.ads import Job, schedds_of
from fuzz.daemons.log import cycle_lines, quiet, read_cycle
from pieslice.data import JsonData


def observed_cycle(
    text: str, slot_order: Sequence[str], jobs: Sequence[Job], first_port: int
) -> tuple[JsonData, list[str]]:
    """The record of the last cycle of a log, and the lines of that cycle worth keeping."""
    whole, cycle = cycle_lines(text)
    schedds = {first_port + number: name for number, name in enumerate(schedds_of(jobs))}
    return read_cycle(whole, slot_order, schedds), quiet(cycle)


def complete(
    cycle: JsonData, lines: list[str], accountant: str, heard: list[JsonData], *, timed: bool
) -> None:
    """Complete a record with what the accountant keeps, the submitter ads and the log.

    ``heard``: the submitter ads, if not all of them came in one second; ``timed``: priorities were
    updated.  Without it what depends on the clock only is left out.
    """
    if not timed:
        cycle.pop("priority_updates", None)
        cycle.pop("time_passed", None)
    cycle["customers_after"] = customers(accountant, timed="time_passed" in cycle)
    if heard:
        cycle["submitter_ads"] = heard
    cycle["log"] = lines


def version_in(text: str) -> str:
    """The version of HTCondor that wrote a log."""
    match = re.search(r"CondorVersion: (\S+)", text)
    return match[1] if match else "unknown"
