"""Makes the same calls on our binding and on the real one, and writes values of both in one form.

``answer`` and ``printed``, which either module can serve, and ``Peer``: a child process
(``fuzz.peer_child``) that has loaded the real library once and forks for every request, since what
it is asked may crash it, hang it or spoil its memory. Protocol: one JSON request a line in,
``{"do": "answer" | "printed" | "batch", "with": [...]}``; one JSON reply a line out, ``{"result":
...}`` or ``{"crashed": ...}``.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final

#: Seconds of computing after which the real library counts as hanging, and of waiting, which a busy
#: machine may need.
PATIENCE: Final = 5
WAITING: Final = 600
NAME: Final = "classad2"
#: The zone in which both sides work, if none is asked for.
ZONE: Final = "UTC"


class Crashed(Exception):  # noqa: N818 - an answer, not a mistake of ours
    """The real library crashed or hung on the case."""


def answer(module: ModuleType, expression: str, my: str, target: str = "") -> Any:
    """What evaluating gives, as JSON values that keep type and bits apart.

    Without ``target`` the expression is evaluated in MY alone.
    """
    try:
        scopes = [module.ClassAd(text) for text in (my, target) if text]
        return written(module, module.ExprTree(expression).eval(*scopes))
    except Exception:  # whatever it is: the other side has to refuse it too
        return "raised"


def printed(module: ModuleType, text: str) -> str:
    """The expression that a text is, printed in one line; empty if the text is none."""
    try:
        return str(module.ClassAd({"a": module.ExprTree(text)}).printOld())
    except Exception:  # whatever it is: the other side has to refuse it too
        return ""


def written(module: ModuleType, value: Any) -> Any:
    """A value as type and text; lists and ads member by member."""
    if isinstance(value, module.Value):
        return value.name.lower()
    if isinstance(value, list):
        return ["list", *(written(module, member) for member in value)]
    if isinstance(value, module.ClassAd):
        return ["ad", *sorted([name, written(module, value[name])] for name in value)]
    if isinstance(value, float):
        return ["float", "nan" if value != value else repr(value)]
    if isinstance(value, module.ExprTree):
        return ["expression", repr(value)]
    return [type(value).__name__, str(value)]


class Peer:
    """The real library, in a child process that works in a zone."""

    def __init__(self, zone: str = ZONE) -> None:
        self.zone = zone
        self.child: subprocess.Popen[str] | None = None

    def answer(self, expression: str, my: str, target: str = "") -> Any:
        """As the function ``answer``; raises ``Crashed``."""
        return self._ask("answer", expression, my, target)

    def printed(self, text: str) -> str:
        """As the function ``printed``; raises ``Crashed``."""
        return str(self._ask("printed", text))

    def batch(self, seed: int, families: Sequence[str] = ()) -> dict[str, Any]:
        """As ``fuzz.batches.run_batch``, goes on behind what crashes."""
        found: dict[str, Any] = self._ask("batch", seed, families)
        return found

    def _ask(self, what: str, *arguments: object) -> Any:
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "fuzz.peer_child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "TZ": self.zone},
            )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(json.dumps({"do": what, "with": arguments}) + "\n")
        self.child.stdin.flush()
        reply = json.loads(self.child.stdout.readline())
        if "crashed" in reply:
            raise Crashed(arguments[0])
        return reply["result"]

    def close(self) -> None:
        """End the child."""
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


# ---- how the child is watched --------------------------------------------------------------------


class Progress:
    """How far a forked process came, in memory that outlives it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 16)
        self.cells = memoryview(self._memory).cast("q")

    @property
    def at(self) -> int:
        """The case under way."""
        return self.cells[0]

    @property
    def done(self) -> int:
        """Evaluations that are through."""
        return self.cells[1]


def be_patient() -> None:
    """From now on this process may compute for so long; then it is ended."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    signal.alarm(WAITING)
