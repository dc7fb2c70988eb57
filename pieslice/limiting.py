"""Declares and enforces the limits that every command takes: ``--limit-time`` and its sisters.

Decides what a duration and a size on the command line are, and that a command which does not look
at its limits is interrupted soon after, as by Ctrl-C.

Inputs: a parser; its arguments.  Outputs: options; a context in which a command runs, which raises
``UsedUp``.  Follows: ``classad.language.bounds``, which has the limits themselves.
"""

from __future__ import annotations

import argparse
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

#: Seconds after the end of the time in which a command should have noticed.
GRACE: Final = 1.0
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_BYTES: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_AMOUNT: Final = r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([a-z]?)(?:(?<=[a-z])i?b)?"


def add_limits(parser: argparse.ArgumentParser, *, shown: bool) -> None:
    """Add the options: shown to a parser's help, else only accepted, behind the command's name."""

    def add(name: str, kind: Callable[[str], float], metavar: str, text: str) -> None:
        help_text = text if shown else argparse.SUPPRESS
        default = None if shown else argparse.SUPPRESS
        parser.add_argument(name, type=kind, metavar=metavar, help=help_text, default=default)

    add("--limit-time", duration, "T", "end after so much time: 10, 10s, 5m, 2h (default: none)")
    add(
        "--limit-memory",
        size,
        "SIZE",
        "end at so much more memory: 512M, 2G (default: 6 x what is read)",
    )
    add("--limit-unpacked", size, "SIZE", "unpack at most so much of a file (default: 4G)")


def duration(text: str) -> float:
    """Seconds, or a number and one of s, m, h and d."""
    found = _amount(text, _SECONDS)
    if found is None or found <= 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a time above 0 such as 10s, 5m or 2h")
    return found


def size(text: str) -> int:
    """Bytes, or a number and one of k, M, G and T."""
    found = _amount(text, _BYTES)
    if found is None or found < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a size above 0 such as 512M or 2G")
    return int(found)


def _amount(text: str, units: dict[str, int]) -> float | None:
    found = re.fullmatch(_AMOUNT, text, re.IGNORECASE)
    unit = None if found is None else units.get(found[2].lower())
    return None if found is None or unit is None else float(found[1]) * unit


class _Watch:
    """What interrupts the command that runs, if anything does."""

    timer: threading.Timer | None = None


_WATCH: Final = _Watch()


def begin_to_write() -> None:
    """An answer is complete: from now on no limit of the time interrupts, and cuts, it.

    Who reads it may be slower than the command was.
    """
    if _WATCH.timer is not None:
        _WATCH.timer.cancel()
        _WATCH.timer.join()  # one that has just rung is heard before anything is written


class UsedUp(Exception):  # noqa: N818 - an outcome, not a mistake
    """A limit of the command line ended the command."""


@contextmanager
def limited(args: argparse.Namespace) -> Iterator[None]:
    """Hold a command to the limits of its arguments, and of reading; raises ``UsedUp``."""
    asked = (args.limit_time, args.limit_memory, args.limit_unpacked)
    with ExitStack() as stack:
        if args.limit_memory is not None:
            stack.enter_context(_fence(args.limit_memory))
        if args.limit_time is not None:
            stack.enter_context(_interrupted(args.limit_time))
        if asked != (None, None, None):
            from classad.language.bounds import limits

            stack.enter_context(limits(*asked))
        try:
            yield
        except RuntimeError as problem:
            from classad.errors import LimitError

            if isinstance(problem, LimitError):
                raise UsedUp(str(problem)) from problem
            raise


@contextmanager
def _fence(memory: int) -> Iterator[None]:
    """Have the system refuse memory beyond the limit at once, where it can; Linux does."""
    try:
        import resource

        kind = resource.RLIMIT_DATA
        soft, hard = resource.getrlimit(kind)
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[5]) * resource.getpagesize()
        most = taken + memory
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, hard))
    except (ImportError, AttributeError, OSError, ValueError):
        yield
        return
    try:
        yield
    except MemoryError:
        from classad.language.bounds import in_units

        raise UsedUp(f"the memory limit of {in_units(memory)} is used up") from None
    finally:
        resource.setrlimit(kind, (soft, hard))


@contextmanager
def _interrupted(seconds: float) -> Iterator[None]:
    """Interrupt what does not look at the time; only a main thread can be."""
    import signal

    over = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def end(number: int, frame: FrameType | None) -> None:
        if over.is_set():
            raise UsedUp(_said(seconds))
        if callable(before):
            before(number, frame)
        elif before != signal.SIG_IGN:
            raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGINT, end)
    except ValueError:
        yield
        return
    timer = threading.Timer(min(seconds + GRACE, threading.TIMEOUT_MAX), _interrupt, [over])
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # there is no memory for its stack
        signal.signal(signal.SIGINT, before)
        raise MemoryError from None
    _WATCH.timer = timer
    try:
        yield
    except KeyboardInterrupt:
        if not over.is_set():
            raise
    finally:
        _WATCH.timer = None
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)
    if over.is_set():
        raise UsedUp(_said(seconds))


def _said(seconds: float) -> str:
    return f"the time limit of {seconds:g} s is used up"


def _interrupt(over: threading.Event) -> None:
    """As Ctrl-C does: also while the main thread waits for something."""
    import signal

    over.set()
    if hasattr(signal, "pthread_kill"):
        main = threading.main_thread().ident
        assert main is not None  # it has started
        signal.pthread_kill(main, signal.SIGINT)
    else:
        import _thread

        _thread.interrupt_main()
