"""Ends work that takes more time or memory than its caller allows: ``with limits(time=10):``.

A caller enters ``limits``; loops below it call ``checkpoint``, which raises ``LimitError``
when a bound is passed.  Nothing is interrupted from outside, so that no data is left half changed:
a program may go on behind the block, and other threads and tasks, which have bounds of their own,
do not notice.  While no block is open ``entered`` is 0, and that is all that a loop looks at.

Every evaluation is bound by the depth and work limits of HTCondor 25.14.1; ``more_frames`` lends
deep ones more Python frames.

Inputs: bounds, the machine's clock, the memory of the process.  Outputs: none, or an exception.
Follows: section 4, "limits while evaluating", of the language notes; vectors ``limits.jsonl``.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ContextDecorator, contextmanager
from contextvars import ContextVar, Token
from time import monotonic
from typing import Any, Final

from classad.errors import LimitError
from classad.extras import load

#: Operators, dereferences and selection steps that may be under way at one time.
MAX_DEPTH: Final = 400
#: Nodes that one evaluation may visit.
MAX_WORK: Final = 10_000_000
#: Evaluations of ``ad["name"]`` that may be under way; each of them counts its depth from zero.
MAX_RESTARTS: Final = 400
#: Depth that the fast evaluator sets aside for the expression it starts with: taller ones, and
#: chains of references that come near the limit, are evaluated by the exact one.
FAST_HEIGHT: Final = 200
#: Python frames lent to an exact evaluation (about eight for each level, plus parsing).
LENT_FRAMES: Final = 12_000


class EvaluationFailure(Exception):  # noqa: N818 - an outcome, not a mistake
    """The whole evaluation fails; its result is the error value with ``ok`` false."""


class NeedExact(Exception):  # noqa: N818 - a signal inside the evaluator
    """The coarse accounting of the fast evaluator is not enough: evaluate again, exactly."""


_frames_lock = threading.Lock()
_borrowers = 0
_usual_limit = 0


@contextmanager
def more_frames() -> Iterator[None]:
    """Raise the interpreter's recursion limit for one evaluation.

    The limit belongs to the whole process, so it goes back only when the last borrower is done.
    """
    global _borrowers, _usual_limit
    here = _stack_depth()
    with _frames_lock:
        if _borrowers == 0:
            _usual_limit = sys.getrecursionlimit()
        _borrowers += 1
        sys.setrecursionlimit(max(sys.getrecursionlimit(), here + LENT_FRAMES))
    try:
        yield
    finally:
        with _frames_lock:
            _borrowers -= 1
            if _borrowers == 0:
                sys.setrecursionlimit(max(_usual_limit, 50))


def _stack_depth() -> int:
    """Frames below this one on the caller's stack."""
    frame = sys._getframe()
    count = 0
    while (back := frame.f_back) is not None:
        frame = back
        count += 1
    return count


#: Bytes that a compressed file may unpack to, unless somebody asks for another limit.
MOST_UNPACKED: Final = 4 << 30
#: Bytes that what is read from a text may take for each byte of it, and what it always may, unless
#: somebody asks for another limit.
READ_FACTOR: Final = 6
READ_ALWAYS: Final = 512 << 20
#: How that is done.
ANOTHER: Final = "`--limit-memory SIZE`, or `limits(memory=BYTES)`, sets another limit"
#: What an expression takes for each of its parts, at most: measured.
_PART: Final = 160
#: How many blocks with a bound on time or memory are open in this process.
entered = 0
_lock = threading.Lock()
#: Evaluations and their parts are many and short: one in so many looks at the clock.
_SELDOM: Final = 64
_glances = 0
#: Seconds between two looks at the memory, which take as long as many at the clock.
_PAUSE: Final = 0.01
#: Bytes below which nobody asks whether there is room for them.
_SMALL: Final = 1 << 20
_UNITS: Final = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


class _Bounds:
    """What a block allows: of time and memory no more than the blocks around it."""

    __slots__ = ("deadline", "highest", "look", "memory", "time", "unpacked")

    def __init__(
        self, time: float | None, memory: int | None, unpacked: int | None, around: _Bounds | None
    ) -> None:
        now = monotonic()
        self.time, self.deadline = time, None if time is None else now + time
        self.memory, self.highest = memory, None if memory is None else resident() + memory
        self.unpacked, self.look = unpacked, now
        if around is None:
            return
        if around.deadline is not None and (self.deadline or around.deadline) >= around.deadline:
            self.time, self.deadline = around.time, around.deadline
        if around.highest is not None and (self.highest or around.highest) >= around.highest:
            self.memory, self.highest = around.memory, around.highest
        if unpacked is None:
            self.unpacked = around.unpacked


_CURRENT: Final[ContextVar[_Bounds | None]] = ContextVar("classad_limits", default=None)


class limits(ContextDecorator):  # noqa: N801 - reads as a function, as `contextlib.suppress` does
    """Bound what is done in a block: time in seconds, memory and unpacked files in bytes.

    ``time``: until then functions of these packages that are called in the block must be done.
    ``memory``: by so much the memory of the process may grow meanwhile; what other threads take
    counts, too.  Without it what is read from a text may take 6 bytes for each of its bytes, and
    512 MiB in any case.  ``unpacked``: to so much a compressed file may unpack, 4 GiB without it;
    the rest is not read.  Raises ``LimitError``.  A block within another one can only lower time
    and memory.  It holds for this thread or task, and for what ``asyncio.to_thread`` hands on.

    >>> import classad
    >>> with classad.limits(time=10, memory=1 << 30):
    ...     classad.ExprTree("1 + 1").eval()
    2
    """

    def __init__(
        self, time: float | None = None, memory: int | None = None, unpacked: int | None = None
    ) -> None:
        for name, bound in (("time", time), ("memory", memory), ("unpacked", unpacked)):
            if bound is not None and not bound >= 0:
                raise ValueError(f"{name}: `{bound}` is not a number of at least 0")
        self._asked = (time, memory, unpacked)
        self._tokens: list[Token[_Bounds | None]] = []

    def _recreate_cm(self) -> limits:
        """Give each call of a decorated function bounds of its own."""
        return limits(*self._asked)

    def __enter__(self) -> None:
        self._tokens.append(_CURRENT.set(_Bounds(*self._asked, _CURRENT.get())))
        self._count(1)

    def __exit__(self, *problem: object) -> None:
        self._count(-1)
        _CURRENT.reset(self._tokens.pop())

    def _count(self, step: int) -> None:
        global entered
        if self._asked[:2] != (None, None):
            with _lock:
                entered += step


def checkpoint(doing: str) -> None:
    """Raise ``LimitError`` if a bound is passed; ``doing``: what is ended by that."""
    bounds = _CURRENT.get() if entered else None
    if bounds is None:
        return
    now = monotonic()
    if bounds.deadline is not None and now >= bounds.deadline:
        raise LimitError(f"the time limit of {bounds.time:g} s is used up while {doing}")
    if bounds.highest is not None and now >= bounds.look:
        bounds.look = now + _PAUSE
        _hold(bounds, bounds.highest, 0, doing)


def are_timed() -> bool:
    """Whether there is a bound on the time."""
    bounds = _CURRENT.get() if entered else None
    return bounds is not None and bounds.deadline is not None


def glance(doing: str = "evaluating expressions") -> None:
    """``checkpoint`` now and then, for what is done often."""
    global _glances
    _glances += 1
    if _glances % _SELDOM == 0:
        checkpoint(doing)


def make_room(size: int, doing: str = "evaluating expressions") -> None:
    """Raise ``LimitError`` if so many bytes more are more than what is allowed."""
    bounds = _CURRENT.get() if entered and size > _SMALL else None
    if bounds is not None and bounds.highest is not None:
        _hold(bounds, bounds.highest, size, doing)


def _hold(bounds: _Bounds, highest: int, more: int, doing: str) -> None:
    if resident() + more > highest:
        size = in_units(bounds.memory or 0)
        raise LimitError(f"the memory limit of {size} is used up while {doing}")


def unpacked_limit() -> int:
    """The bytes that a compressed file may unpack to."""
    bounds = _CURRENT.get()
    return MOST_UNPACKED if bounds is None or bounds.unpacked is None else bounds.unpacked


def allowance(size: int) -> int:
    """The bytes that what is read from a text of ``size`` bytes may take."""
    bounds = _CURRENT.get()
    if bounds is None or bounds.memory is None:
        return max(READ_ALWAYS, READ_FACTOR * size)
    return bounds.memory


def most_parts(size: int) -> int:
    """How many parts an expression, or an ad, of ``size`` characters may have."""
    return allowance(size) // _PART


def too_many(most: int) -> str:
    """What is said of a text that has more parts."""
    return f"this text has more than {most} parts"


def too_large(name: str, size: int) -> LimitError:
    """What is raised where what is read from a text takes more than ``allowance``."""
    bounds = _CURRENT.get()
    if bounds is not None and bounds.memory is not None:
        most = in_units(bounds.memory)
        return LimitError(f"{name}: the memory limit of {most} is used up while reading")
    return LimitError(
        f"{name}: what is read takes more than {in_units(allowance(size))} ({READ_FACTOR} bytes "
        f"for each byte of the text, {in_units(READ_ALWAYS)} at least); {ANOTHER}"
    )


def remaining() -> tuple[float | None, int | None, int | None]:
    """What is left of time, and the other bounds: ``limits`` of a process that helps this one."""
    bounds = _CURRENT.get()
    if bounds is None:
        return None, None, None
    left = None if bounds.deadline is None else max(bounds.deadline - monotonic(), 0.0)
    return left, bounds.memory, bounds.unpacked


def in_units(size: int) -> str:
    """A number of bytes in the largest unit of which it is at least one."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"


def resident() -> int:
    """The memory that the process has at present, in bytes; elsewhere than on Linux by psutil."""
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb", 0) as file:
            return int(file.read().split()[1]) * _PAGE
    process: Any = load("psutil").Process()
    found: int = process.memory_info().rss
    return found


def _page() -> int:
    import mmap

    return mmap.PAGESIZE


_PAGE: Final = _page()
