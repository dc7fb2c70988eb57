"""Records scenarios whose cycles all run in one negotiator process.

The process begins with one cycle without submitters and lives as long as the scenario: what it
remembers from cycle to cycle (turns of groups, quotas of the cycle before) is in force.

Inputs: a ``System``, a scenario with ``"process": "one"``, the base of the ports.  Outputs: what
was observed.  Raises ``DaemonError``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import Final

from fuzz.daemons.ads import Job, expand_jobs, expand_slots, quoted
from fuzz.daemons.claims import claimed, next_jobs, next_slots
from fuzz.daemons.observe import complete, observed_cycle, version_in
from fuzz.daemons.pool import Pool
from fuzz.daemons.system import DaemonError, System
from fuzz.daemons.wire import reschedule
from pieslice.data import JsonData, Record

_FINISHED: Final = "- Finished Negotiation Cycle -"
#: The time at the begin of the line that tells it.
_FINISHED_AT: Final = re.compile(rf"^(\S+ \S+) .*{_FINISHED}", re.MULTILINE)
#: The default factor of a customer, which setting once more changes nothing.  Others would: 10000
#: becomes 9999.999997 on the wire.
_FACTOR: Final = 1000.0
_PORTS_PER_CYCLE: Final = 8
#: Seconds that a cycle may take.
_LIMIT: Final = 60.0
_TICK: Final = 0.02


class LastingPool(Pool):
    """A pool whose negotiator lives as long as the scenario."""

    _read = 0
    _cycles = 0
    #: When the last cycle ended, as the log prints it.
    finished_at = ""

    def start_schedds(self, jobs: Sequence[Job]) -> None:
        """Start the schedds on fresh ports: the negotiator keeps its connections to schedds."""
        self.first_schedd_port = self.base + 21 + _PORTS_PER_CYCLE * self._cycles
        self._cycles += 1
        super().start_schedds(jobs)

    def withdraw(self, names: Iterable[str]) -> None:
        """Take slots out of the collector, all at once."""
        joined = ",".join(sorted(names))
        if joined:
            condition = f"stringListMember(Name, {quoted(joined)})"
            self.invalidate("STARTD", "Machine", condition)

    def first_cycle(self) -> str:
        """Start the negotiator; the log of its cycle without submitters."""
        self.start_negotiator()
        return self._next_log()

    def next_cycle(self) -> str:
        """The log of the next cycle."""
        with reschedule(self.negotiator_port):
            return self._next_log()

    def _next_log(self) -> str:
        text = self.await_log(lambda text: _FINISHED in text, self._read, _LIMIT)
        self._read += len(text.encode())
        self.finished_at = _FINISHED_AT.findall(text)[-1]
        return text

    def flush(self) -> None:
        """Have the accountant write everything to its log: any command that sets something does."""
        known = self.scenario.get("accountant", {}).get("customers", {})
        name = next((key for key, row in known.items() if row.get("factor") == _FACTOR), None)
        if name is None:
            raise DaemonError(f"one process needs a customer whose factor is {_FACTOR}")
        user = name if "@" in name else f"{name}@{self.domain}"
        line = f"103 Customer.{user} PriorityFactor "
        before = self.accountant_log().count(line)
        self.tool("condor_userprio", "-setfactor", user, f"{_FACTOR:.0f}")
        end = time.time() + _LIMIT
        while self.accountant_log().count(line) == before:  # the command waits for no answer
            if time.time() > end:
                raise DaemonError("the accountant's log was not written")
            time.sleep(_TICK)


def record_in_one_process(
    system: System, scenario: Record, base: int, *, keep: bool = False
) -> JsonData:
    """What the negotiator decides in all cycles; no time passes for the accountant."""
    with LastingPool(system, scenario, base, keep=keep) as pool:
        observed: JsonData = {"scenario": scenario["name"], "cycles": []}
        slots = expand_slots(scenario["slots"], scenario.get("slot_defaults"), pool.address)
        jobs = expand_jobs(scenario, scenario["jobs"])
        for number, step in enumerate(scenario.get("cycles", [{}])):
            if number:
                matches = observed["cycles"][-1]["matches"]
                slots, jobs = claimed(matches, slots, jobs)
                pool.withdraw(step.get("remove_slots", ()))
                slots = next_slots(scenario, step, slots, pool.address)
                jobs = next_jobs(scenario, step, jobs)
            pool.advertise(slots)
            if not number:
                accountant = {"customers": scenario.get("accountant", {}).get("customers", {})}
                pool.seed_accountant(accountant, slots, int(time.time()))
                observed["negotiator"] = version_in(pool.first_cycle())
            pool.start_schedds(jobs)
            heard = pool.submitters_heard()
            before = pool.finished_at
            cycle, lines = observed_cycle(
                pool.next_cycle(), pool.slot_order, jobs, pool.first_schedd_port
            )
            pool.flush()
            complete(cycle, lines, pool.accountant_log(), heard, timed=False)
            if pool.finished_at == before:
                cycle["same_second"] = True
            observed["cycles"].append(cycle)
            pool.stop_schedds()
        return observed
