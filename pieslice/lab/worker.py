"""Runs the work of a laboratory in processes beside its server: one question after another.

Of questions in the same lane the newest counts: an older one that waits is not begun, and one that
runs is ended.  A process ends with the pipe that it gets questions by, so that a server that is
killed leaves none behind.

Inputs: a kind of work and what it begins with.  Outputs: ``Worker``; answers are plain values.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from shutil import rmtree
from typing import Final, TypeAlias

from attr import frozen

from pieslice.data import Content

_ENDABLE: Final = frozenset(("edit", "follow", "suggest", "why", "rank", "tree", "export"))
#: Kind of work -> the class whose methods answer, which of them can be ended, and by how much it
#: lets others go first.
WORK: Final = {
    "trials": ("pieslice.lab.pool.trials", "Trials", _ENDABLE, 0),
    "checks": ("pieslice.lab.pool.checks", "TextChecks", frozenset(()), 5),
    "experiments": ("pieslice.lab.experiments.experiments", "Experiments", frozenset(()), 5),
}
#: Methods that say how far they are.
_TELLING: Final = frozenset(("simulate", "sweep", "fuzz"))
#: What comes of a question; ``TOLD``: how far it is.
DONE, CANCELLED, REFUSED, GONE = "done", "cancelled", "refused", "gone"
TOLD: Final = "told"


class Outdated(Exception):  # noqa: N818 - nothing went wrong
    """A newer question of the same lane has come."""


class Refused(Exception):  # noqa: N818 - its text is the answer
    """The question has no answer, and why."""


class Gone(Exception):  # noqa: N818 - its text is the answer
    """The process has ended, and what is known of that."""


#: How many more objects there are to be than at the last search for garbage before the next.
_MANY_OBJECTS: Final = 500_000
#: How many searches among new objects come before one among those that stayed, and so on.
_SELDOM: Final = (4, 2)


@frozen
class _Question:
    number: int
    lane: str
    method: str
    arguments: tuple[object, ...]


def serve(pipe: Connection, kind: str, folder: str | None = None) -> None:
    """The body of the process: answers questions until the pipe is closed.

    ``folder``: removed then.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which closes the pipe
    module, name, endable, patience = WORK[kind]
    if hasattr(os, "nice"):
        os.nice(patience)
    # Before another thread reads questions: their values import modules, too.
    work = getattr(import_module(module), name)
    inbox: SimpleQueue[_Question] = SimpleQueue()
    newest: dict[str, int] = {}

    def listen() -> None:
        try:
            while True:
                question = pipe.recv()
                newest[question.lane] = max(newest.get(question.lane, 0), question.number)
                inbox.put(question)
        except (EOFError, OSError):
            if folder is not None:
                rmtree(folder, ignore_errors=True)
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    begun = inbox.get()
    state, desk = _attempt(lambda: work(*begun.arguments))
    # The pool stays, and so do the last trials: looking through them takes longer than an edit.
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS, *_SELDOM)
    try:
        pipe.send((0, state, getattr(desk, "facts", None) if state == DONE else desk))
        while state == DONE:
            use_pause(desk, inbox.empty)
            question = inbox.get()
            pipe.send((question.number, *_answer(desk, question, newest, endable, pipe.send)))
    except OSError:
        threading.Event().wait()  # nobody wants the answer: `listen` ends the process


def use_pause(desk: object, is_free: Callable[[], bool]) -> None:
    """Do what nobody waits for, while no question has come: get ready, and search for garbage."""
    idle = getattr(desk, "idle", None)
    if idle is not None and is_free():
        # Nor does anybody want to know why it fails.
        _attempt(lambda: idle(cancelled=lambda: not is_free()))
    if is_free() and any(gc.get_count()[1:]):
        gc.collect()


def _answer(
    desk: object,
    question: _Question,
    newest: dict[str, int],
    endable: frozenset[str],
    send: Callable[[object], None],
) -> tuple[str, Content]:
    def stale() -> bool:
        return bool(question.lane) and newest[question.lane] != question.number

    if stale():
        return CANCELLED, ""
    more: dict[str, object] = {"cancelled": stale} if question.method in endable else {}
    if question.method in _TELLING:
        more["told"] = lambda value: send((question.number, TOLD, value))
    method = getattr(desk, question.method)
    return _attempt(lambda: method(*question.arguments, **more))


def _attempt(do: Callable[[], Content]) -> tuple[str, Content]:
    """What comes of it, with the answer or the reason."""
    from classad.errors import LimitError
    from negotiator.io import InputError
    from pieslice.api import errors

    try:
        return DONE, do()
    except errors.Cancelled:
        return CANCELLED, ""
    except InputError as problem:
        return REFUSED, "\n".join(one.render() for one in problem.diagnostics)
    except (errors.Error, LimitError, OSError) as problem:
        return REFUSED, str(problem)
    except MemoryError:
        return REFUSED, "the memory is exhausted"
    except RecursionError:
        return REFUSED, "the input is nested too deeply"
    except Exception as problem:
        return REFUSED, f"internal error ({type(problem).__name__}): {problem}"


class Worker:
    """A process that works; questions are asked from one event loop."""

    def __init__(self, kind: str, folder: Path | None = None) -> None:
        """Start the process, which does nothing yet.

        ``folder``: goes when the process that starts it is killed.
        """
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        given = theirs, kind, folder and str(folder)
        self._process = context.Process(target=serve, args=given, daemon=True)
        self._process.start()
        theirs.close()
        self._lock, self._beginning = threading.Lock(), threading.Lock()
        self._begun: tuple[str, Content] | None = None
        self._last = 0
        self._waiting: dict[int, Callable[[str, Content], None]] = {}
        #: What it began with.
        self.given: tuple[object, ...] = ()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def begin(self, *given: object) -> None:
        """Hand over what it begins with."""
        self.given = given
        with suppress(OSError):  # `ready` says that it has ended
            self._pipe.send(_Question(0, "", "", given))

    def ready(self) -> Content:
        """Wait until it has begun, and give what it says then; raises ``Refused`` or ``Gone``."""
        with self._beginning:
            if self._begun is None:
                try:
                    _, *told = self._pipe.recv()
                except (EOFError, OSError):
                    told = [GONE, self._reason()]
                self._begun = told[0], told[1]
                threading.Thread(target=self._listen, daemon=True).start()
        state, answer = self._begun
        if state != DONE:
            raise (Gone if state == GONE else Refused)(answer)
        return answer

    async def ask(
        self,
        method: str,
        *arguments: object,
        lane: str = "",
        told: Callable[[Content], None] | None = None,
    ) -> Content:
        """An answer; raises ``Outdated``, ``Refused`` or ``Gone``.

        ``told``: is given how far a long one is.
        """
        # Those that wait for the beginning may go on in another order than they came in.
        with self._lock:
            self._last += 1
            number = self._last
        if self._begun is None:
            await asyncio.to_thread(self.ready)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[str, Content]] = loop.create_future()

        def finish(state: str, answer: Content) -> None:
            if state == TOLD:
                if told is not None:
                    told(answer)
            elif not future.done():
                future.set_result((state, answer))

        def settle(state: str, answer: Content) -> None:
            with suppress(RuntimeError):  # nobody waits: the loop is closed
                loop.call_soon_threadsafe(finish, state, answer)

        with self._lock:
            self._waiting[number] = settle
        try:
            self._pipe.send(_Question(number, lane, method, arguments))
        except OSError:
            raise Gone(self._reason()) from None
        state, answer = await future
        if state == DONE:
            return answer
        raise {CANCELLED: Outdated, REFUSED: Refused}.get(state, Gone)(answer)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join(1)
        self._pipe.close()

    def _listen(self) -> None:
        try:
            while True:
                number, state, answer = self._pipe.recv()
                with self._lock:
                    find = self._waiting.get if state == TOLD else self._waiting.pop
                    settle = find(number, None)
                if settle is not None:
                    settle(state, answer)
        except (EOFError, OSError):
            reason = self._reason()
            with self._lock:
                left, self._waiting = list(self._waiting.values()), {}
            for settle in left:
                settle(GONE, reason)

    def _reason(self) -> str:
        self._process.join(1)
        code = self._process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
        return f"the process that tries policies has ended {how}"


#: Those for trials and for checks.
Workers: TypeAlias = tuple[Worker, Worker]


def begun(workers: Workers, reading: object, *given: object) -> Workers:
    """The same, the first of which has read a pool; raises ``Refused`` or ``Gone``.

    ``given``: what trials begin with besides.
    """
    trials, checks = workers
    try:
        trials.begin(reading, *given)
        checks.begin(reading, *trials.ready())  # who asks it waits until it is ready
    except BaseException:
        trials.close()
        checks.close()
        raise
    return workers


def spawn(folder: Path | None = None) -> Workers:
    """Workers that wait for a pool; ``folder``: see ``Worker``."""
    return Worker("trials", folder), Worker("checks")
