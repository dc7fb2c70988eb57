"""Serves the real library from a process that forks for every request.

Run by ``fuzz.peer.Peer``, which has the protocol, as ``python -m fuzz.peer_child``.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any, Final

from fuzz.batches import run_batch
from fuzz.peer import NAME, Crashed, Progress, answer, be_patient, printed

#: Exit code of a forked process that failed in Python.
MISTAKE: Final = 99


def forked(work: Callable[[], Any]) -> Any:
    """What ``work`` returns in a process of its own; raises ``Crashed``.

    When nobody is left who could ask, both processes end.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        be_patient()
        try:
            with os.fdopen(writing, "w") as out:
                json.dump(work(), out)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(MISTAKE)
    os.close(writing)
    # Nobody asks anything before the answer: what is seen of the questions meanwhile is their end.
    seen, _, _ = select.select([reading, sys.stdin], [], [])
    if reading not in seen:
        os.kill(child, signal.SIGKILL)
        os._exit(0)
    with os.fdopen(reading) as results:
        text = results.read()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == MISTAKE:
        raise RuntimeError("a mistake of the comparison itself: see its error stream")
    if status != 0 or not text:
        raise Crashed(str(status))
    return json.loads(text)


def _batch(theirs: ModuleType, seed: int, families: Sequence[str]) -> dict[str, Any]:
    """All cases of a batch; what crashes is noted and left behind."""
    progress = Progress()
    suspects: list[Any] = []
    crashes: list[Any] = []
    start = 0
    run = partial(run_batch, theirs, seed, families, zone=os.environ["TZ"], now=time.time())
    while True:
        try:
            suspects += forked(partial(run, start=start, progress=progress))
        except Crashed:
            crashes.append([seed, progress.at])
            start = progress.at + 1
            continue
        return {"evaluations": progress.done, "suspects": suspects, "crashes": crashes}


def main() -> None:
    # Loading HTCondor's configuration switches the library to the meaning that the daemons use.
    os.environ["CONDOR_CONFIG"] = "ONLY_ENV"
    importlib.import_module("htcondor2")
    theirs = importlib.import_module(NAME)
    work: dict[str, Callable[..., Any]] = {
        "answer": lambda *case: forked(lambda: answer(theirs, *case)),
        "printed": lambda *case: forked(lambda: printed(theirs, *case)),
        "batch": lambda seed, families: _batch(theirs, seed, families),
    }
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"result": work[request["do"]](*request["with"])}
        except Crashed as problem:
            reply = {"crashed": str(problem)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
