"""Talks to the daemons of a pool, each answer within a time limit.

A token names its pool, the key that signed it and what it allows; from what the collector says
before it knows who asks follows why it refuses one.

The asking itself is done by ``pieslice.live.asking`` in a process of its own, which is ended when a
daemon hangs and started again for the next question.

Inputs: the collector's address, a file with a token.  Outputs: ads in long form and the values of
macros; raises ``DaemonError`` with one line that says who did not answer and why.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Final, Protocol, TypeVar

from attr import define, field, frozen

from pieslice.data import JsonData, Record
from pieslice.live.names import temporary
from policy.language.numbers import saturated

REFUSED: Final = "it is there, and refuses; --token names a file with a token that has READ rights"
_OTHER_DAEMON: Final = (
    "a daemon answers there that is no collector; is it the port of another daemon?"
)
#: Rights of which none is READ and none includes it.
_WITHOUT_READ: Final = ("ADVERTISE_MASTER", "ADVERTISE_SCHEDD", "ADVERTISE_STARTD", "ALLOW", "DENY")


def tokens_in(text: str) -> list[str]:
    """The tokens of a file, one in a line."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def flaw(text: str) -> str | None:
    """What makes a file one without a token; None if there is nothing."""
    tokens = tokens_in(text)
    if not tokens:
        return "the file is empty; condor_token_create prints a token"
    if any(_parts(token) is None for token in tokens):
        return "there is no token in it; one has three parts with dots between them"
    return None


def why_refused(text: str | None, said: Record, now: float) -> str:
    """Why a collector that can be connected to does not answer; ``text``: of the token file."""
    if said.get("read"):
        return _OTHER_DAEMON
    found = None if text is None else next(map(_parts, tokens_in(text)), None)
    if found is None:
        return REFUSED
    head, body = found
    issuer, pool = body.get("iss"), said.get("trust")
    key, keys = str(head.get("kid", "")), [str(key) for key in said.get("keys") or ()]
    if pool and issuer != pool:
        return f"the token is of another pool: it is from `{issuer}`, and this pool is `{pool}`"
    if keys and key and key not in keys:
        return f"the token is of another pool: this one has no key `{key}`"
    expires = body.get("exp")
    if isinstance(expires, int | float) and expires < now:
        return "the token has expired"
    scopes = [scope.rpartition("/")[2] for scope in str(body.get("scope", "")).split()]
    if scopes and all(scope in _WITHOUT_READ for scope in scopes):
        return f"the token gives no READ right, only {', '.join(scopes)}"
    who = body.get("sub", "?")
    return (
        f"it refuses the token of `{who}`: who has no READ right in this pool, or the token was"
        " signed with the key of another one"
    )


def _parts(token: str) -> tuple[JsonData, JsonData] | None:
    """The two readable parts of a token."""
    pieces = token.split(".")
    if len(pieces) != 3:
        return None
    try:
        head, body = (
            json.loads(base64.urlsafe_b64decode(piece + "=" * (-len(piece) % 4)))
            for piece in pieces[:2]
        )
    except ValueError:
        return None
    return (head, body) if isinstance(head, dict) and isinstance(body, dict) else None


#: Seconds that a daemon has for an answer.
TIMEOUT: Final = 20.0
#: Questions after which the process that asks is started anew: the bindings leak 2 kB each.
_RENEWED: Final = 800
#: Daemons that are asked at the same time, each by a process of its own.
AT_ONCE: Final = 6
#: What finds a daemon: attributes of its ad.
Located = Mapping[str, str]

_T = TypeVar("_T")

_SCRIPT: Final = Path(__file__).with_name("asking.py")
_INSTALL: Final = (
    "HTCondor's bindings are not installed: pip install 'pieslice[live]', or --from-tools"
)
#: How what the bindings say of any trouble with a collector begins.
_NO_COLLECTOR: Final = "failed communication with collector"
_PORT: Final = 9618
#: Parts of what the bindings say, and what it means.
_MEANINGS: Final = (
    ("No module named 'htcondor2'", _INSTALL),
    ("Failed to fetch ads from schedd", "it does not answer, or it refuses"),
)


class DaemonError(Exception):
    """A daemon that gave no answer; the text is one line."""


class RightError(DaemonError):
    """A daemon that does not let us do what is asked for, whenever it is asked."""


class SlowError(DaemonError):
    """A daemon that gave no answer within its time."""


@frozen
class Reply:
    """An answer: ads as text, or other ``values``; ``at``: when it had come, by this clock."""

    text: str
    values: JsonData
    ads: int
    size: int
    seconds: float
    at: float


class Daemons(Protocol):
    """Those who answer the questions of a capture."""

    #: Whether ads of the collector come in its order; questions so far.
    ordered: bool
    questions: int

    def hello(self) -> JsonData:
        """Which pool this is, and who asks."""

    def ads(self, constraint: str, names: Sequence[str]) -> Reply:
        """Ads of all types from the collector."""

    def direct(self, daemon: Located, names: Sequence[str]) -> Reply:
        """What the negotiator says of itself now."""

    def jobs(self, daemon: Located, names: Sequence[str]) -> Reply:
        """The jobs of a schedd."""

    def claims(self, daemon: Located, names: Sequence[str]) -> Reply:
        """The claims of a schedd."""

    def macro_names(self, daemon: Located) -> Sequence[str]:
        """The macros that a daemon has."""

    def macros(self, daemon: Located, names: Iterable[str]) -> Mapping[str, str]:
        """The values of macros in a daemon."""

    def priorities(self, daemon: Located) -> Reply:
        """The accounting records of the negotiator."""

    def each(
        self, located: Sequence[Located], ask: Callable[[Daemons, Located], _T]
    ) -> Sequence[_T]:
        """What is found out of each of some daemons, which are asked at the same time."""


@define(eq=False)
class Bindings:
    """The daemons, asked through ``htcondor2``; a context manager."""

    pool: str | None
    token: Path | None = None
    timeout: float = TIMEOUT
    ordered: bool = True
    #: Questions, bytes of answers and seconds so far.
    questions: int = 0
    size: int = 0
    seconds: float = 0.0
    _process: subprocess.Popen[bytes] | None = None
    _tokens: tempfile.TemporaryDirectory[str] | None = None
    _rest: bytearray = field(factory=bytearray)
    #: Whether the collector has answered before.
    _reached: bool = False
    #: Those who ask at the same time.
    _others: list[Bindings] = field(factory=list)
    #: Whether nobody waits for answers any more; a process that is just beginning ends, too.
    _stopped: bool = False

    def __enter__(self) -> Bindings:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that asks."""
        self._end()
        if self._tokens is not None:
            self._tokens.cleanup()
            self._tokens = None
        while self._others:
            self._others.pop().close()

    # --- questions ----------------------------------------------------------------------------

    def hello(self) -> JsonData:
        """Which pool this is, and who asks."""
        return self._ask(self._collector(), do="hello").values

    def ads(self, constraint: str, names: Sequence[str]) -> Reply:
        """Ads of all types from the collector, in its order."""
        request = {"constraint": constraint, "names": list(names)}
        reply = self._ask(self._collector(), do="ads", **request)
        self._reached = True
        return reply

    def direct(self, daemon: Located, names: Sequence[str]) -> Reply:
        """What the negotiator says of itself now."""
        return self._ask("negotiator", do="direct", daemon=dict(daemon), names=list(names))

    def jobs(self, daemon: Located, names: Sequence[str]) -> Reply:
        """The jobs of a schedd."""
        return self._ask(
            _name(daemon), do="jobs", daemon=dict(daemon), constraint="true", names=list(names)
        )

    def claims(self, daemon: Located, names: Sequence[str]) -> Reply:
        """The claims of a schedd."""
        return self._ask(_name(daemon), do="claims", daemon=dict(daemon), names=list(names))

    def macro_names(self, daemon: Located) -> Sequence[str]:
        """The macros that a daemon has."""
        found = self._ask(_name(daemon), do="names", daemon=dict(daemon)).values["names"]
        return [str(name) for name in found]

    def macros(self, daemon: Located, names: Iterable[str]) -> Mapping[str, str]:
        """The values of macros in a daemon."""
        reply = self._ask(_name(daemon), do="values", daemon=dict(daemon), names=list(names))
        return {str(name): str(value) for name, value in reply.values["values"].items()}

    def priorities(self, daemon: Located) -> Reply:
        """The accounting records of the negotiator."""
        return self._ask("negotiator", do="priorities", daemon=dict(daemon))

    def cycle(self, daemon: Located) -> None:
        """Have the negotiator begin a cycle, where it lets us."""
        self._ask("negotiator", do="cycle", daemon=dict(daemon))

    def each(
        self, located: Sequence[Located], ask: Callable[[Daemons, Located], _T]
    ) -> Sequence[_T]:
        """What is found out of each of some daemons, at most ``AT_ONCE`` at the same time."""
        while len(self._others) < min(len(located), AT_ONCE) - 1:
            self._others.append(Bindings(self.pool, self.token, self.timeout))
        free: SimpleQueue[Bindings] = SimpleQueue()
        for asker in (self, *self._others):
            free.put(asker)

        def one(daemon: Located) -> _T:
            asker = free.get()
            try:
                return ask(asker, daemon)
            finally:
                free.put(asker)

        try:
            with ThreadPoolExecutor(len(self._others) + 1) as threads:
                try:
                    return list(threads.map(one, located))
                except BaseException:
                    # Ctrl-C, for example: no thread is to wait for its daemon.
                    threads.shutdown(wait=False, cancel_futures=True)
                    for asker in (self, *self._others):
                        asker._stopped = True
                        asker._end()
                    raise
                finally:
                    self._add_up()
        finally:
            for asker in (self, *self._others):
                asker._stopped = False

    def _add_up(self) -> None:
        """Count what the others have asked as asked here."""
        for other in self._others:
            self.questions += other.questions
            self.size += other.size
            self.seconds += other.seconds
            other.questions, other.size, other.seconds = 0, 0, 0.0

    def _collector(self) -> str:
        return f"collector {self.pool}" if self.pool else "collector"

    def _meaning(self, who: str, head: JsonData) -> str:
        """What an error of the bindings means, in one line."""
        said = str(head["error"])
        if said.lower().startswith(_NO_COLLECTOR) and who != self._collector():
            return "it does not answer; it may be restarting"
        if said.lower().startswith(_NO_COLLECTOR) and self.pool:
            return self._why_no_collector(self.pool)
        found = next((means for begin, means in _MEANINGS if begin.lower() in said.lower()), None)
        return said or str(head["kind"]) if found is None else found

    def _why_no_collector(self, pool: str) -> str:
        """Why the collector does not answer."""
        nobody = why_not_reached(pool)
        if nobody is not None:
            hint = "it may be restarting" if self._reached else "is that the collector's port?"
            return f"{nobody}; {hint}"
        said = self._ask(self._collector(), do="why").values
        if self._reached and said.get("read"):
            return "it did not answer, and does now; it may have been restarted"
        text = None if self.token is None else self.token.read_text("utf-8", "replace")
        return why_refused(text, said, time.time())

    # --- the process --------------------------------------------------------------------------

    def _ask(self, who: str, **request: object) -> Reply:
        self.questions += 1
        process = self._started()
        if self._stopped:
            self._end()
            raise DaemonError(f"{who}: not asked any more")
        assert process.stdin is not None
        assert process.stdout is not None
        end = time.monotonic() + self.timeout
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            head = json.loads(self._line(process.stdout, end))
            body = self._bytes(process.stdout, head["bytes"], end)
        except TimeoutError:
            self._end()
            raise SlowError(f"{who}: no answer within {self.timeout:g} s") from None
        except (OSError, EOFError, ValueError):
            self._end()
            raise DaemonError(f"{who}: the process that asks ended in the middle") from None
        self.size += len(body)
        self.seconds += head["seconds"]
        if "error" in head:
            kind = RightError if head["kind"] == "PermissionError" else DaemonError
            raise kind(f"{who}: {self._meaning(who, head)}")
        text = body.decode("utf-8", "surrogateescape")
        return Reply(text, head, head.get("ads", 0), len(body), head["seconds"], time.time())

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            if self.questions % _RENEWED:
                return self._process
            self._end()
        self._rest.clear()
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT), self.pool or "", self._token_folder()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the command, which ends this process in order.
            start_new_session=True,
        )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                _close(stream)

    def _token_folder(self) -> str:
        """A folder that has the token alone; empty where none is named."""
        if self.token is None:
            return ""
        if self._tokens is None:
            try:
                text = self.token.read_bytes()
            except OSError as problem:
                why = (problem.strerror or str(problem)).lower()
                raise DaemonError(f"{self.token}: {why}") from None
            problem_of = flaw(text.decode("utf-8", "replace"))
            if problem_of is not None:
                raise RightError(f"{self.token}: {problem_of}")
            self._tokens = temporary("token")
            copy = os.open(Path(self._tokens.name, "token"), os.O_CREAT | os.O_WRONLY, 0o600)
            with os.fdopen(copy, "wb") as stream:
                stream.write(text)
        return self._tokens.name

    def _line(self, stream: IO[bytes], end: float) -> bytes:
        while b"\n" not in self._rest:
            self._more(stream, end)
        line, _, rest = bytes(self._rest).partition(b"\n")
        self._rest[:] = rest
        return line

    def _bytes(self, stream: IO[bytes], count: int, end: float) -> bytes:
        while len(self._rest) < count:
            self._more(stream, end)
        found = bytes(self._rest[:count])
        del self._rest[:count]
        return found

    def _more(self, stream: IO[bytes], end: float) -> None:
        ready, _, _ = select.select([stream], [], [], max(end - time.monotonic(), 0))
        if not ready:
            raise TimeoutError
        found = os.read(stream.fileno(), 1 << 20)
        if not found:
            raise EOFError
        self._rest += found


def _close(stream: IO[bytes]) -> None:
    # It may hold a request that the process never read.
    with contextlib.suppress(OSError):
        stream.close()


def why_not_reached(pool: str) -> str | None:
    """Why nothing can be connected to where a pool's collectors should be; None if it can."""
    found = []
    for address in pool.split(","):
        host, port = split_address(address)
        try:
            socket.create_connection((host, port), timeout=5).close()
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
            found.append(f"nobody answers at port {port} of {host} ({why})")
        else:
            return None
    return ", ".join(found)


def split_address(pool: str) -> tuple[str, int]:
    """Host and port of ``HOST``, ``HOST:PORT`` or ``[ADDRESS]:PORT``."""
    host, colon, port = pool.rpartition(":")
    if not colon or not port.isdecimal() or (":" in host and not host.endswith("]")):
        return pool.strip("[]"), _PORT
    return host.strip("[]"), saturated(port)


def _name(daemon: Located) -> str:
    return daemon.get("Name", "daemon")
