"""Keeps services that follow pools going: in step with systemd, several pools in one process.

The service manager that started a process with ``Type=notify`` is told when it is ready, what it
does, that it is alive, and that it ends.  It is alive while each of its pools has been got on with
within the time that the watchdog of the unit allows: one that hangs has the whole restarted.

Each pool is followed in a thread of its own, as they mostly wait for daemons; what they find is
taken by the thread that writes it.

Inputs: the environment, pools, a function that follows one.  Outputs: datagrams to the service
manager; what was found, pool by pool.
Follows: sd_notify(3) and systemd.service(5).
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Final, TypeVar

from attr import define, field

from pieslice.live.daemons import DaemonError

#: Seconds that threads have to end in.
_PATIENCE: Final = 2.0
#: What stands for the name of a pool in names of files.
PLACE: Final = "{pool}"

_T = TypeVar("_T")
#: Waits for so many seconds; raises ``EndedError`` when nobody wants what is waited for any more.
Pause = Callable[[float], object]


class EndedError(Exception):
    """Nobody wants to know any more."""


@define(eq=False)
class Service:
    """The service manager that started this process; does nothing where there is none.

    ``address``: of its socket; ``within``: seconds in which it wants to hear that we are alive.
    """

    address: str | None = None
    within: float | None = None
    _heard: dict[str, float] = field(factory=dict)
    _told: float = float("-inf")

    def ready(self, names: Sequence[str], status: str) -> None:
        """Tell that the service has begun; ``names``: of what has to be got on with."""
        self._heard = dict.fromkeys(names, time.monotonic())
        self._tell("READY=1", f"STATUS={status}")

    def status(self, text: str) -> None:
        """Tell what the service does, in one line."""
        self._tell(f"STATUS={' '.join(text.split())}")

    def alive(self, name: str) -> None:
        """Note that something has been got on with, and tell of it if that holds for everything."""
        now = time.monotonic()
        self._heard[name] = now
        if self.within is None or now - self._told < self.within / 4:
            return
        if now - min(self._heard.values()) < self.within:
            self._told = now
            self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """Tell that the service ends."""
        self._tell("STOPPING=1")

    def _tell(self, *lines: str) -> None:
        if not self.address:
            return
        # An address that begins with `@` is one without a file.
        address = self.address if self.address[0] != "@" else f"\0{self.address[1:]}"
        with (
            contextlib.suppress(OSError),  # it is there for us, not we for it
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stream,
        ):
            stream.sendto("\n".join(lines).encode("utf-8", "surrogateescape"), address)


def service(environment: Mapping[str, str] = os.environ) -> Service:
    """The service manager of this process, as the environment names it."""
    microseconds = environment.get("WATCHDOG_USEC", "")
    meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    within = int(microseconds) / 1e6 if meant and microseconds.isdecimal() else 0.0
    return Service(environment.get("NOTIFY_SOCKET"), within or None)


def tidy() -> None:
    """Give back the memory that is not needed until the next cycle.

    The collector by itself lets as much pile up as a quarter of what stays, and the C library
    keeps what was freed.
    """
    gc.collect()
    if _TRIM is not None:
        _TRIM(0)


def _trim() -> Callable[[int], object] | None:
    """What gives freed memory back, where the C library has it."""
    with contextlib.suppress(ImportError, OSError, AttributeError, TypeError):
        import ctypes

        return ctypes.CDLL(None).malloc_trim
    return None


_TRIM: Final = _trim()


def together(
    pools: Sequence[str | None], follow: Callable[[str | None, Pause], Iterator[_T]]
) -> Iterator[tuple[str | None, _T]]:
    """What is found of each of some pools, as it comes.

    ``follow`` gets a pool and what it has to wait with.  What it raises is raised here.
    """
    if len(pools) == 1:
        # `time.sleep` is looked up when it is called.
        yield from ((pools[0], item) for item in follow(pools[0], lambda span: time.sleep(span)))
        return
    ended = threading.Event()
    found: SimpleQueue[tuple[str | None, _T] | BaseException | None] = SimpleQueue()

    def pause(span: float) -> None:
        if ended.wait(span):
            raise EndedError

    def run(pool: str | None) -> None:
        try:
            for item in follow(pool, pause):
                found.put((pool, item))
                pause(0)
            found.put(None)
        except EndedError:
            pass
        except BaseException as problem:
            found.put(problem)

    threads = [threading.Thread(target=run, args=(pool,), daemon=True) for pool in pools]
    for thread in threads:
        thread.start()
    try:
        going = len(threads)
        while going:
            item = found.get()
            if isinstance(item, BaseException):
                raise item
            if item is None:
                going -= 1
            else:
                yield item
    finally:
        ended.set()
        end = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(end - time.monotonic(), 0.0))


def path_of(path: Path | None, pool: str | None) -> Path | None:
    """The file of a pool: its name stands where ``{pool}`` does."""
    if path is None:
        return None
    return Path(str(path).replace(PLACE, re.sub(r"[^\w.-]", "_", pool or "pool")))


def refuse_shared(path: Path | None, option: str, pools: Sequence[str | None]) -> None:
    """Raise ``DaemonError`` if several pools would write to one file, or a pool is named twice."""
    if len(set(pools)) < len(pools):
        raise DaemonError("a pool is named twice")
    if path is not None and len({path_of(path, pool) for pool in pools}) < len(pools):
        raise DaemonError(
            f"{option}: several pools need files of their own; write {PLACE} where the name of a"
            f" pool is to stand, as in `{path.with_name(f'{path.stem}-{PLACE}{path.suffix}')}`"
        )
