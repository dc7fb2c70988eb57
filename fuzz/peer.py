"""The same calls on our binding and on the real one, and values of both in one written form.

What lives here: ``answer`` and ``printed``, which either module can serve, and ``Peer``, the real
one in a child process, since it may crash or hang.  Run as a program it is that child: one JSON
case a line in, one JSON answer a line out.
Never here: judging.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import subprocess
import sys
from types import ModuleType
from typing import Any, Final

#: Seconds after which the real library counts as hanging.
PATIENCE: Final = 10.0
NAME: Final = "classad2"


class Crashed(Exception):  # noqa: N818 - an answer, not a mistake of ours
    """The real library crashed or hung on the case."""


def answer(module: ModuleType, expression: str, my: str, target: str) -> Any:
    """What evaluating gives, as JSON values that keep type and bits apart."""
    try:
        scopes = module.ClassAd(my), module.ClassAd(target)
        return written(module, module.ExprTree(expression).eval(*scopes))
    except Exception as failure:  # whatever it is: the other side has to raise the same
        return f"raised {type(failure).__name__}"


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
    """The real library, in a child process that is started again after a crash."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[str] | None = None

    def answer(self, expression: str, my: str, target: str) -> Any:
        """As the function ``answer``; raises ``Crashed``."""
        return self._ask(expression, my, target)

    def printed(self, text: str) -> str:
        """As the function ``printed``; raises ``Crashed``."""
        return str(self._ask(text))

    def _ask(self, *case: str) -> Any:
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "fuzz.peer"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(json.dumps(case) + "\n")
        self.child.stdin.flush()
        ready, _, _ = select.select([self.child.stdout], [], [], PATIENCE)
        line = self.child.stdout.readline() if ready else ""
        if not line:
            self.close()
            raise Crashed(case[0])
        return json.loads(line)

    def close(self) -> None:
        """End the child."""
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


def main() -> None:
    # Loading HTCondor's configuration switches the library to the meaning that the daemons use.
    os.environ["CONDOR_CONFIG"] = "ONLY_ENV"
    importlib.import_module("htcondor2")
    module = importlib.import_module(NAME)
    for line in sys.stdin:
        case = json.loads(line)
        known = answer(module, *case) if len(case) > 1 else printed(module, *case)
        print(json.dumps(known), flush=True)


if __name__ == "__main__":
    main()
