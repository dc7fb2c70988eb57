"""Hands alerts to a command, or to an address of this machine.

What begins and ends in one cycle is handed over together, as a list of documents: to a command on
its standard input, with the texts in ``PIESLICE_TEXT``; to an address as the body of a POST.  Both
have some seconds; no shell, no proxy and no other machine has a part in it.

Inputs: changes, a target.  Outputs: none; raises ``OSError`` with one line.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from pieslice.alerts.course import Change
from pieslice.alerts.kinds import Target
from pieslice.alerts.telling import documents
from pieslice.terminal import printable

#: Seconds that a command or a receiver has: the next cycle must not be missed for it.
PATIENCE: Final = 10.0


def deliveries(target: Target) -> Iterator[tuple[str, Callable[[Sequence[Change], str], None]]]:
    """Where alerts of a target go: a name, and what takes them and the name of their pool."""
    if target.run:
        yield f"command `{shlex.join(target.run)}`", partial(run, target.run)
    if target.webhook is not None:
        yield target.webhook, partial(post, target.webhook)


def run(words: Sequence[str], changes: Sequence[Change], pool: str) -> None:
    """Give alerts to a command, if there are any."""
    if not changes:
        return
    lines = [f"{'begin' if one.begins else 'end'} {_line(one)}" for one in changes]
    # No name is as long as an environment may be, but all of them together may.
    text = "\n".join(lines)[:10_000]
    environment: Mapping[str, str] = {**os.environ, "PIESLICE_TEXT": text}
    try:
        done = subprocess.run(
            words,
            input=json.dumps(documents(changes, pool)),
            text=True,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"not done within {PATIENCE:g} s, and ended") from None
    if done.returncode:
        said = printable(done.stderr.strip().split("\n")[-1][:200])
        raise OSError(f"exit status {done.returncode}{f': {said}' if said else ''}")


def _line(change: Change) -> str:
    return printable(f"{change.alert.rule}: {change.alert.text}")


def post(address: str, changes: Sequence[Change], pool: str) -> None:
    """Post alerts to an address of this machine, if there are any."""
    if not changes:
        return
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    body = json.dumps(documents(changes, pool))
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
    except BrokenPipeError:
        raise OSError("it hangs up") from None
    except http.client.HTTPException as problem:
        raise OSError(f"no answer of HTTP ({type(problem).__name__})") from None
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise OSError(f"status {status}")
