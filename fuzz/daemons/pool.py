"""Starts a private pool on the loopback interface and runs cycles of its negotiator.

A collector, one schedd for each schedd of the scenario, and slots that are only ads.  Every port is
fixed: ``base`` + 10 the collector, + 11 and on the schedds, + 19 the negotiator, + 90 the slots.

Inputs: a ``System``, a scenario, the base of the ports.  Outputs: the text of the negotiator's log
and the accountant's log.  Raises ``DaemonError``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from fuzz.daemons.accountant_log import seeded, shifted
from fuzz.daemons.ads import LONG_AGO, Job, Slot, merge, quoted, schedds_of
from fuzz.daemons.config import DEBUG, POOL, configuration
from fuzz.daemons.queue_log import queue_log
from fuzz.daemons.system import DaemonError, System, version_of
from fuzz.daemons.wire import HOST, Listener, port_is_free, reschedule, send_slots
from negotiator.scenario.expand import domain_of
from negotiator.sessions.spins import HEARD_MODULUS
from pieslice.data import JsonData, Record

_FOLDER: Final = "/tmp/pieslice-daemons"
_FINISHED: Final = "- Finished Negotiation Cycle -"
#: Seconds.
_TICK: Final = 0.02
_START: Final = 20.0
_SETTLE: Final = 30.0
_CYCLE: Final = 300.0

Daemon = subprocess.Popen[bytes]


class Pool:
    """The processes of a pool and their files; to be used in a ``with`` statement."""

    def __init__(self, system: System, scenario: Record, base: int, *, keep: bool = False) -> None:
        self.system, self.scenario, self.base, self.keep = system, scenario, base, keep
        self.collector_port, self.negotiator_port = base + 10, base + 19
        self.first_schedd_port = base + 11
        # condor_advertise of 23.9 makes no private ads.
        self._plain = not version_of(system).startswith("23.")
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", scenario["name"])[:60]
        self.folder = f"{_FOLDER}/{os.getpid()}-{safe}"
        self.domain = str(scenario.get("uid_domain", "test"))
        self.address = f"<{HOST}:{base + 90}>"
        self.timeout = float(scenario.get("timeout", _CYCLE))
        self.negotiator: Daemon | None = None
        self.slot_order: list[str] = []
        self._running: list[Daemon] = []
        self._schedds: list[Daemon] = []
        self._claim_ids = 0
        self._listener: Listener | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def warm(self) -> bool:
        """Whether a cycle without submitters precedes each cycle in the same process.

        The table of group quotas, from which the Remote* group attributes come, is empty in the
        first cycle of a negotiator.
        """
        config = self.scenario.get("config", {})
        return bool(self.scenario.get("warm", "GROUP_NAMES" in config))

    # ---- files and processes

    def path(self, inner: str = "") -> Path:
        """Where a file of the pool is for us."""
        return self.system.outside(self.folder + (f"/{inner}" if inner else ""))

    def write(self, inner: str, text: str) -> None:
        """Write a file that the daemons own."""
        path = self.path(inner)
        path.write_text(text, encoding="utf-8")
        os.chown(path, self.system.uid, self.system.gid)

    def _make_folders(self, daemon: str) -> None:
        for name in ("", "log", "spool", "execute", "lock", "run"):
            path = self.path(f"{daemon}/{name}")
            path.mkdir(parents=True, exist_ok=True)
            os.chown(path, self.system.uid, self.system.gid)

    def _configure(self, daemon: str) -> None:
        self._make_folders(daemon)
        debug = DEBUG
        if self.scenario.get("capture_slot_ads"):
            debug = debug.replace("D_MACHINE", "D_MACHINE:2")
        text = configuration(
            self.folder,
            daemon,
            port=self.collector_port,
            domain=domain_of(self.scenario, daemon),
            debug=debug,
            knobs=self.scenario.get("config", {}),
        )
        self.write(f"{daemon}/config", text)

    def _variables(self, daemon: str) -> dict[str, str]:
        return {"CONDOR_CONFIG": f"{self.folder}/{daemon}/config"}

    def tool(self, *arguments: str, timeout: float = 60.0, check: bool = True) -> str:
        """Run a program to its end; returns what it prints."""
        command = self.system.command(arguments, self._variables("cm"))
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        if check and done.returncode:
            told = f"{done.stdout[-800:]} {done.stderr[-800:]}"
            raise DaemonError(f"{arguments[0]} failed ({done.returncode}): {told}")
        return done.stdout

    def _daemon(self, daemon: str, *arguments: str) -> Daemon:
        """Start a daemon, which never outlives us."""
        command = ["setpriv", "--pdeathsig", "KILL", *arguments]
        with self.path(f"{daemon}/log/stdio").open("ab") as output:
            process = subprocess.Popen(
                self.system.command(command, self._variables(daemon)),
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._running.append(process)
        return process

    def _stop(self, process: Daemon, *, gently: bool = False) -> None:
        if gently and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
        if process.poll() is None:
            process.kill()
            process.wait()
        if process in self._running:
            self._running.remove(process)

    def _await_file(self, inner: str, process: Daemon, what: str) -> None:
        path = self.path(inner)
        end = time.time() + _START
        while time.time() < end:
            if path.exists() and path.stat().st_size > 0:
                return
            if process.poll() is not None:
                raise DaemonError(f"{what} exited at start: see {path.parent}")
            time.sleep(_TICK)
        raise DaemonError(f"{what} did not come up")

    def _start(self) -> None:
        parent = self.system.outside(_FOLDER)
        parent.mkdir(parents=True, exist_ok=True)
        parent.chmod(0o755)
        shutil.rmtree(self.path(), ignore_errors=True)
        self.path().mkdir()
        os.chown(self.path(), self.system.uid, self.system.gid)
        self._configure("cm")
        for port in (self.collector_port, self.first_schedd_port, self.negotiator_port):
            if not port_is_free(port):
                raise DaemonError(f"port {port} is in use; choose another --port-base")
        self._listener = Listener(self.base + 90)
        collector = ("condor_collector", "-f", "-p", str(self.collector_port))
        process = self._daemon("cm", *collector)
        self._await_file("cm/log/.collector_address", process, "collector")

    def close(self) -> None:
        """Stop everything, and remove the files."""
        for process in list(self._running):
            self._stop(process)
        if self._listener is not None:
            self._listener.close()
        if not self.keep:
            shutil.rmtree(self.path(), ignore_errors=True)

    # ---- slots

    def advertise(self, slots: Sequence[Slot]) -> None:
        """Put slots into the collector, wait until all are there, and note its order of them."""
        if not slots:
            return
        special = [
            (slot.ad, self._private_ad(slot)) for slot in slots if not (self._plain and slot.plain)
        ]
        if special:
            send_slots(self.collector_port, special)
        plain = [slot for slot in slots if self._plain and slot.plain]
        if plain:
            self._advertise_plain(plain)
        end = time.time() + _SETTLE
        while True:
            self.slot_order = self.tool("condor_status", "-sort", "no", "-af", "Name").split()
            there = len(self.slot_order)
            if there >= len(slots):
                return
            if time.time() > end:
                raise DaemonError(f"only {there} of {len(slots)} slots in the collector")
            time.sleep(0.05)

    def _private_ad(self, slot: Slot) -> dict[str, str] | None:
        """A private ad with fresh claim ids: no two are alike, as with a real startd."""
        first = self._claim_ids + 1
        self._claim_ids += slot.claims
        numbers = range(first, self._claim_ids + 1)
        ids = [f"{self.address}#{LONG_AGO}#{i}#0123456789abcdef" for i in numbers]
        if not ids:
            return None
        own = {
            "MyType": quoted("Machine"),
            "Name": slot.ad["Name"],
            "ClaimIdList": quoted(",".join(ids)),
        }
        return merge(own, slot.private)

    def _advertise_plain(self, slots: Sequence[Slot]) -> None:
        texts = ("".join(f"{key} = {text}\n" for key, text in slot.ad.items()) for slot in slots)
        self.write("cm/slots.ads", "\n".join(texts))
        file = f"{self.folder}/cm/slots.ads"
        kind = ("-fake-private-ad", "UPDATE_STARTD_AD")
        told = self.tool("condor_advertise", "-multiple", *kind, file, timeout=300)
        match = re.search(r"Sent (\d+) of (\d+)", told)
        if not match or {int(match[1]), int(match[2])} != {len(slots)}:
            raise DaemonError(f"condor_advertise: {told}")

    def withdraw(self, names: Iterable[str]) -> None:
        """Take slots out of the collector."""
        for name in names:
            self.invalidate("STARTD", "Machine", f"Name == {quoted(name)}")

    def invalidate(self, kind: str, type_: str, condition: str) -> None:
        """Take the ads of a kind that fulfil a condition out of the collector."""
        query = f'MyType = "Query"\nTargetType = "{type_}"\nRequirements = {condition}\n'
        self.write("cm/invalid.ad", query)
        file = f"{self.folder}/cm/invalid.ad"
        self.tool("condor_advertise", f"INVALIDATE_{kind}_ADS", file, check=kind != "SUBMITTOR")

    # ---- schedds

    def start_schedds(self, jobs: Sequence[Job]) -> None:
        """Start the schedds with their queues, and wait until their submitters are there."""
        expected: dict[tuple[str, str], list[int]] = {}
        for number, name in enumerate(schedds_of(jobs)):
            own = [job for job in jobs if job.schedd == name]
            self._configure(name)
            self.write(f"{name}/spool/job_queue.log", queue_log(own, own[0].domain))
            self.path(f"{name}/log/.schedd_address").unlink(missing_ok=True)
            port = str(self.first_schedd_port + number)
            process = self._daemon(name, "condor_schedd", "-f", "-p", port)
            self._await_file(f"{name}/log/.schedd_address", process, "schedd")
            self._schedds.append(process)
            for job in own:
                if job.ad.get("JobStatus", "1") == "1":
                    group = job.ad.get("AccountingGroup")
                    submitter = group.strip('"') if group else job.owner
                    key = (f"{submitter}@{job.domain}", f"{name}@{POOL}")
                    # What something else manages may be idle or not.
                    sure = not any(name.lower() == "managed" for name in job.ad)
                    counts = expected.setdefault(key, [0, 0])
                    counts[0] += sure
                    counts[1] += 1
        self._await_submitters(expected)
        if self.scenario.get("submitter_ads"):
            self._change_submitters(self.scenario["submitter_ads"])

    def _await_submitters(self, expected: dict[tuple[str, str], list[int]]) -> None:
        query = (
            "condor_status",
            "-submitters",
            "-natural",
            "-af",
            "Name",
            "ScheddName",
            "IdleJobs",
        )
        end = time.time() + _SETTLE
        while True:
            rows = [line.split() for line in self.tool(*query).splitlines()]
            seen = {
                (row[0], row[1]): int(row[2]) for row in rows if len(row) == 3 and row[2].isdigit()
            }
            if all(low <= seen.get(key, 0) <= high for key, (low, high) in expected.items()):
                return
            if time.time() > end:
                raise DaemonError(f"submitter ads: expected {expected}, have {seen}")
            time.sleep(0.1)

    def submitters_heard(self) -> list[JsonData]:
        """The submitter ads in the order of the collector's walk, with what orders equal ones.

        Empty if one schedd sent all of them in one second: the order then follows from the
        scenario.  Several schedds come in an order of their own.
        """
        query = ("condor_status", "-submitters", "-sort", "no", "-af", "Name", "ScheddName")
        rows = [line.split() for line in self.tool(*query, "LastHeardFrom").splitlines()]
        if len({(schedd, heard) for _, schedd, heard in rows}) <= 1:
            return []
        return [
            {"name": name, "schedd": schedd.partition("@")[0], "heard": int(heard) % HEARD_MODULUS}
            for name, schedd, heard in rows
        ]

    def _change_submitters(self, changes: Record) -> None:
        """Change attributes of the submitter ads, by name, after the schedds sent them."""
        texts = []
        for block in self.tool("condor_status", "-submitters", "-l").split("\n\n"):
            pairs = (line.split(" = ", 1) for line in block.splitlines() if " = " in line)
            ad = dict(pairs)
            name = ad.get("Name", "").strip('"')
            if name in changes:
                changed = merge(ad, changes[name])
                texts.append("".join(f"{key} = {text}\n" for key, text in changed.items()))
        self.write("cm/submitters.ads", "\n".join(texts))
        file = f"{self.folder}/cm/submitters.ads"
        self.tool("condor_advertise", "-multiple", "UPDATE_SUBMITTOR_AD", file)

    def stop_schedds(self) -> None:
        """Stop the schedds and forget their submitters."""
        for process in self._schedds:
            self._stop(process)
        self._schedds = []
        self.invalidate("SUBMITTOR", "Submitter", "true")
        if self._listener is not None:
            self._listener.drop()

    # ---- accountant

    def seed_accountant(self, accountant: Record, slots: Sequence[Slot], now: int) -> None:
        """Write the accountant's log before the first negotiator starts."""
        text = seeded(accountant, slots, self.address, self.domain, now)
        self.write("cm/spool/Accountantnew.log", text)

    def shift_accountant(self, now: int, elapsed: int) -> None:
        """Have the next cycle see ``elapsed`` seconds since the last update."""
        self.write("cm/spool/Accountantnew.log", shifted(self.accountant_log(), now, elapsed))

    def accountant_log(self) -> str:
        """The text of the accountant's log."""
        path = self.path("cm/spool/Accountantnew.log")
        return path.read_text(encoding="utf-8", errors="replace")

    # ---- cycles

    @property
    def negotiator_log(self) -> Path:
        """The log of the negotiator."""
        return self.path("cm/log/NegotiatorLog")

    def start_negotiator(self) -> None:
        """Start a negotiator with an empty log."""
        if self.negotiator_log.exists():
            self.negotiator_log.rename(self.path("cm/log/NegotiatorLog.old"))
        port = str(self.negotiator_port)
        self.negotiator = self._daemon("cm", "condor_negotiator", "-f", "-p", port)

    def warm_up(self) -> None:
        """Start a negotiator and let it run one cycle without submitters."""
        self.start_negotiator()
        self._await_cycles(1)

    def cycle(self) -> str:
        """Run a cycle in a process of its own, or the second of a warm one; the whole log."""
        if self.warm:
            with reschedule(self.negotiator_port):
                text = self._await_cycles(2)
            assert self.negotiator is not None
            self._stop(self.negotiator, gently=True)  # it has yet to flush the accountant's log
            return text
        if self.negotiator_log.exists():
            self.negotiator_log.rename(self.path("cm/log/NegotiatorLog.old"))
        program = ("condor_negotiator", "-f", "-p", str(self.negotiator_port), "-z")
        self.tool(*program, timeout=self.timeout, check=False)
        text = self.negotiator_log.read_text(encoding="utf-8", errors="replace")
        if "Finished Negotiation Cycle" not in text:
            raise DaemonError("no cycle was completed:\n" + text[-3000:])
        return text

    def _await_cycles(self, count: int) -> str:
        return self.await_log(lambda text: text.count(_FINISHED) >= count, 0, self.timeout)

    def await_log(self, enough: Callable[[str], bool], begin: int, seconds: float) -> str:
        """The negotiator's log from a byte on, once there is enough of it."""
        assert self.negotiator is not None
        end = time.time() + seconds
        while time.time() < end:
            if self.negotiator_log.exists():
                with self.negotiator_log.open(encoding="utf-8", errors="replace") as file:
                    file.seek(begin)
                    text = file.read()
                if enough(text):
                    return text
            if self.negotiator.poll() is not None:
                break
            time.sleep(_TICK)
        raise DaemonError("the negotiator did not finish a cycle")
