"""Captures the running pools that a command line names where others name files.

Decides which argument is the address of a collector: nothing of that name is there, and it looks
like ``HOST``, ``HOST:PORT`` or ``[ADDRESS]:PORT``, or like a list of these, the collectors of a
pool: ``A,B``.

Inputs: arguments.  Outputs: paths, those of captures in folders that last as long as the process;
raises ``InputError`` where a pool does not answer.
"""

from __future__ import annotations

import argparse
import os
import re
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from classad.errors import Diagnostic
from classad.patterns import late_regex

if TYPE_CHECKING:
    from pathlib import Path

    from pieslice.live.capture import LiveCapture

_NAME: Final = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)"
_HOST: Final = late_regex(rf"(?:{_NAME}\.)+{_NAME}|(?:(?:{_NAME}\.)*{_NAME}|\[[0-9a-fA-F:]+\]):\d+")
#: A name in the domain of this machine.
_ALONE: Final = late_regex(_NAME)
#: What stands last in names of files that are not there, and in no name of a host.
_SUFFIXES: Final = frozenset(
    (
        *("ads", "json", "jsonl", "xml", "conf", "config", "log", "txt", "toml", "csv", "gz"),
        *("bz2", "xz", "zst", "zip", "tar", "new", "old", "parquet", "history"),
    )
)


def is_address(text: str) -> bool:
    """Whether an argument can only be the address of a collector, or those of several."""
    return not os.path.exists(text) and may_be_address(text, short=False)


def may_be_address(text: str, *, short: bool = True) -> bool:
    """The same of an argument that names no file that is there; ``short``: also names alone."""
    return all(
        _HOST.fullmatch(host) is not None and host.rpartition(".")[2].lower() not in _SUFFIXES
        for host in text.split(",")
        if not (short and _ALONE.fullmatch(host))
    )


def names_pool(args: argparse.Namespace) -> bool:
    """Whether one of the arguments that may name a running pool does."""
    values = [getattr(args, name) for name in getattr(args, "running", None) or ()]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return any(is_address(str(item)) for item in flat if item is not None)


def name_captures(args: argparse.Namespace) -> list[Diagnostic]:
    """Put captures in the place of running pools, in the arguments that may name some.

    ``args.called`` has their addresses by folder.  Gives the notes that say so; raises
    ``InputError`` where a pool does not answer.
    """
    notes: list[Diagnostic] = []
    known: dict[str, Path] = {}
    args.called = {}

    def taken(value: str | Path) -> str | Path:
        text = str(value)
        if not is_address(text):
            return value
        if text not in known:
            known[text] = _kept(text, args, notes)
            args.called[str(known[text])] = text
        return type(value)(known[text])

    for name in args.running:
        value = getattr(args, name)
        if isinstance(value, list):
            setattr(args, name, [taken(item) for item in value])
        elif value is not None:
            setattr(args, name, taken(value))
    return notes


def captured(items: Sequence[str], args: argparse.Namespace, notes: list[Diagnostic]) -> list[Path]:
    """The paths of the arguments; a pool is captured once for all of them.

    Its configuration is named, too: what a command line gives is read on top of it.
    """
    from pathlib import Path

    from negotiator.capture.files import FILES

    known: dict[str, Path] = getattr(args, "captured", {})
    args.captured = known
    for item in items:
        if item not in known and is_address(item):
            known[item] = _kept(item, args, notes)
    own = (known[item] / FILES["config"][0] for item in items if item in known)
    return [*(known.get(item, Path(item)) for item in items), *filter(Path.is_file, own)]


def _kept(pool: str, args: argparse.Namespace, notes: list[Diagnostic]) -> Path:
    """The folder of a capture that is made now."""
    # Most command lines name no running pool.
    from negotiator.capture.files import InputError
    from pieslice.live.daemons import Bindings, DaemonError
    from pieslice.live.taking import Memory, take

    try:
        with Bindings(pool, token_of(args)) as daemons:
            capture = take(daemons, Memory())
        folder = folder_of(capture, pool)
    except DaemonError as problem:
        message = f"{pool}: no such folder or file; asked as a running pool: {problem}"
        raise InputError([Diagnostic(message)]) from None
    except OSError as problem:
        raise InputError([Diagnostic(f"{problem.filename}: {problem.strerror}")]) from None
    message = f"pool {pool} was captured for this answer; `pieslice capture` keeps one"
    notes.append(Diagnostic(message, severity="note"))
    return folder


def token_of(args: argparse.Namespace) -> Path | None:
    """The file that ``--token`` names."""
    from pathlib import Path  # most commands know files by their names

    return None if args.token is None else Path(args.token)


def folder_of(capture: LiveCapture, name: str) -> Path:
    """A folder with a capture; it goes when the capture is forgotten, at the end of the process."""
    from pieslice.live.names import temporary

    place = temporary("pool")
    weakref.finalize(_LIFE, place.cleanup)
    # Answers call the pool by the name of the folder; on Windows names of files have no colons.
    others = r"[^\w.-]" if os.name == "nt" else r"[^\w.:,\[\]-]"
    from pathlib import Path

    folder = Path(place.name, re.sub(others, "_", name))
    capture.write(folder)
    return folder


class _Life:
    """As long as this, temporary folders are there."""


_LIFE: Final = _Life()
