"""Asks the daemons of a pool through HTCondor's own tools, where there are no bindings.

What is lost: the tools sort what the collector answers, so the order of slots and submitters is
computed; they list no claims, so an idle job that has a match already counts as one that waits.

Inputs: the collector's address.  Outputs: what ``pieslice.live.daemons`` gives; raises
``DaemonError``.
Follows: the tools of 25.14.1.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from attr import define, field

from pieslice.data import JsonData
from pieslice.live.asking import is_secret
from pieslice.live.daemons import (
    AT_ONCE,
    TIMEOUT,
    DaemonError,
    Daemons,
    Located,
    Reply,
    SlowError,
)

_T = TypeVar("_T")


@define(eq=False)
class Tools:
    """The daemons, asked through ``condor_status`` and its siblings."""

    pool: str | None
    timeout: float = TIMEOUT
    questions: int = 0
    ordered: bool = False
    _dumps: dict[str, dict[str, str]] = field(factory=dict)

    def hello(self) -> JsonData:
        """Which pool this is, and who asks."""
        version = self._run("condor_version").partition("\n")[0]
        pool = self.pool or self._run("condor_config_val", "COLLECTOR_HOST").strip()
        return {"pool": pool, "bindings": version}

    def ads(self, constraint: str, names: Sequence[str]) -> Reply:
        """Ads of all types from the collector, sorted."""
        words = ("condor_status", *self._pool(), "-any", "-constraint", constraint)
        return self._ads(*words, *_long(names))

    def direct(self, daemon: Located, names: Sequence[str]) -> Reply:
        """What the negotiator says of itself now."""
        words = ("condor_status", *self._pool(), "-negotiator", "-direct", daemon["Name"])
        return self._ads(*words, *_long(names))

    def jobs(self, daemon: Located, names: Sequence[str]) -> Reply:
        """The jobs of a schedd."""
        words = ("condor_q", *self._pool(), "-name", daemon["Name"], "-allusers")
        return self._ads(*words, *_long(names))

    def claims(self, daemon: Located, names: Sequence[str]) -> Reply:
        """Nothing: no tool lists them."""
        raise DaemonError("no tool lists them; idle jobs that have a match count as waiting")

    def macro_names(self, daemon: Located) -> Sequence[str]:
        """The macros that a daemon has."""
        kind = "-schedd" if daemon.get("MyType") == "Scheduler" else "-negotiator"
        words = ("condor_config_val", *self._pool(), "-name", daemon["Name"], kind, "-dump")
        lines = (line.partition(" = ") for line in self._run(*words).splitlines())
        found = {name: value for name, equals, value in lines if equals and " " not in name}
        self._dumps[daemon["Name"]] = found
        return list(found)

    def macros(self, daemon: Located, names: Iterable[str]) -> Mapping[str, str]:
        """The values of macros in a daemon, which has been asked for their names."""
        return {name: self._dumps[daemon["Name"]][name] for name in names}

    def priorities(self, daemon: Located) -> Reply:
        """The accounting records of the negotiator."""
        return self._ads("condor_userprio", *self._pool(), "-negotiator", "-all", "-l")

    def each(
        self, located: Sequence[Located], ask: Callable[[Daemons, Located], _T]
    ) -> Sequence[_T]:
        """What is found out of each of some daemons, at most ``AT_ONCE`` at the same time."""
        with ThreadPoolExecutor(AT_ONCE) as threads:
            return list(threads.map(lambda daemon: ask(self, daemon), located))

    def _pool(self) -> list[str]:
        return ["-pool", self.pool] if self.pool else []

    def _ads(self, *words: str) -> Reply:
        began = time.perf_counter()
        lines = self._run(*words).splitlines()
        kept = (line for line in lines if not is_secret(line.partition(" ")[0]))
        text = "".join(f"{line}\n" for line in kept)
        seconds = time.perf_counter() - began
        return Reply(text, {}, 0, len(text), seconds, time.time())

    def _run(self, *words: str) -> str:
        self.questions += 1
        try:
            done = subprocess.run(words, capture_output=True, timeout=self.timeout, check=False)
        except FileNotFoundError:
            raise DaemonError(f"{words[0]}: there is no such tool here") from None
        except subprocess.TimeoutExpired:
            raise SlowError(f"{words[0]}: no answer within {self.timeout:g} s") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").split("\n")[0].strip()
            raise DaemonError(f"{words[0]}: {said or f'exit status {done.returncode}'}")
        return done.stdout.decode("utf-8", "surrogateescape")


def _long(names: Sequence[str]) -> list[str]:
    """Long form, of some attributes or of all."""
    return ["-long", *(("-attributes", ",".join(names)) if names else ())]
