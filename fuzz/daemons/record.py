"""Runs a scenario on the real negotiator and records what it decided.

Each cycle runs in a negotiator process of its own, unless the scenario says ``"process": "one"``.

Inputs: a ``System``, a scenario, the base of the ports.  Outputs: what was observed, in the schema
of recorded scenarios.  Raises ``DaemonError``.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import Final

from fuzz.daemons.accountant_log import uncharged
from fuzz.daemons.ads import Slot, expand_jobs, expand_slots
from fuzz.daemons.claims import claimed, next_jobs, next_slots
from fuzz.daemons.observe import complete, observed_cycle, version_in
from fuzz.daemons.one_process import record_in_one_process
from fuzz.daemons.pool import Pool
from fuzz.daemons.system import DaemonError, System
from pieslice.data import JsonData, Record

#: What goes away by itself: a second passed at a bad moment, or a port was taken for a moment.
_PASSING: Final = ("clock slipped", "exited at start", "in use")
_ATTEMPTS: Final = 8
#: Addresses differ from run to run.
_VOLATILE: Final = re.compile(r"ManageLease|<127\.0\.0\.1:\d+[^>]*>")
#: The part of a second in which a cycle begins that depends on the clock.
_BEGIN: Final = 0.3


def record(system: System, scenario: Record, base: int, *, keep: bool = False) -> JsonData:
    """What the negotiator decides; tries again where something passing is in the way.

    ``keep``: leave the files of the pool behind.
    """
    for attempt in range(_ATTEMPTS):
        try:
            return _without_addresses(_once(system, scenario, base, keep=keep))
        except DaemonError as error:
            if attempt == _ATTEMPTS - 1 or not passing(error):
                raise
            time.sleep(0.3 * 2**attempt)
        except subprocess.TimeoutExpired as error:
            raise DaemonError(f"no end after {error.timeout:.0f} s: {error.cmd[-1]}") from error
    raise AssertionError


def passing(error: DaemonError) -> bool:
    """Whether another attempt may not meet an error."""
    return any(word in str(error) for word in _PASSING)


def _without_addresses(observed: JsonData) -> JsonData:
    plain: JsonData = json.loads(_VOLATILE.sub("<addr>", json.dumps(observed)))
    return plain


def _once(system: System, scenario: Record, base: int, *, keep: bool) -> JsonData:
    if scenario.get("process") == "one":
        return record_in_one_process(system, scenario, base, keep=keep)
    with Pool(system, scenario, base, keep=keep) as pool:
        return _record(pool, scenario)


def _record(pool: Pool, scenario: Record) -> JsonData:
    observed: JsonData = {"scenario": scenario["name"], "cycles": []}
    accountant = scenario.get("accountant", {})
    slots = expand_slots(scenario.get("slots", ()), scenario.get("slot_defaults"), pool.address)
    jobs = expand_jobs(scenario, scenario.get("jobs", ()))
    for number, step in enumerate(scenario.get("cycles", [{}])):
        if number:
            if step.get("claim_matches", True):
                matches = observed["cycles"][-1]["matches"]
                slots, jobs = claimed(matches, slots, jobs)
            pool.withdraw(step.get("remove_slots", ()))
            slots = next_slots(scenario, step, slots, pool.address)
            jobs = next_jobs(scenario, step, jobs)
        pool.advertise(slots)
        if not pool.warm:
            pool.start_schedds(jobs)
        heard = [] if pool.warm else pool.submitters_heard()
        wanted = int((step if number else accountant).get("elapsed") or 0)
        _prepare_accountant(pool, accountant, slots, None if number == 0 else step)
        if pool.warm:
            pool.warm_up()
            pool.start_schedds(jobs)
            heard = pool.submitters_heard()
        text = pool.cycle()
        observed["negotiator"] = version_in(text)
        cycle, lines = observed_cycle(text, pool.slot_order, jobs, pool.first_schedd_port)
        timed = bool(wanted)
        complete(cycle, lines, pool.accountant_log(), heard, timed=timed)
        observed["cycles"].append(cycle)
        if timed and cycle.get("time_passed", [None])[0] != wanted:
            raise DaemonError(f"clock slipped: {cycle.get('time_passed')}")
        if timed and uncharged(pool.accountant_log()):
            raise DaemonError("clock slipped: a second passed before a match")
        pool.stop_schedds()
    return observed


def _prepare_accountant(
    pool: Pool, accountant: Record, slots: list[Slot], step: Record | None
) -> None:
    """Write the accountant's log; ``step`` is None before the first cycle.

    Where the clock matters it waits for a tick, so that no second passes in between.
    """
    now = int(time.time())
    if accountant.get("elapsed") or (step or {}).get("elapsed"):
        while time.time() - int(time.time()) > _BEGIN:
            time.sleep(0.02)
        now = int(time.time())
    if step is None:
        pool.seed_accountant(accountant, slots, now)
    else:
        pool.shift_accountant(now, int(step.get("elapsed", 0)))
