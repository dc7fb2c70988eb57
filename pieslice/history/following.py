"""Adds captures of running pools to histories, once or again and again.

Folders of captures are added by hand, running pools while they run.

Inputs: parsed arguments.  Outputs: histories; lines on standard output and standard error.  Raises
``HistoryError`` where a history cannot be opened, ``DaemonError`` where a pool that is asked once
does not answer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.moments import shown_time
from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings, DaemonError
from pieslice.live.service import Pause, path_of, refuse_shared, service, tidy, together
from pieslice.live.taking import Memory, take
from pieslice.recording.facts import newest_time
from pieslice.recording.store import HistoryError, Recorder
from pieslice.reports.layout import plural
from pieslice.shadow.history import keeping
from pieslice.shadow.keeping import ended_in_order
from pieslice.terminal import complain, printable

_DAY = 86_400.0
_MB = 1_000_000


def add_captures(
    path: Path,
    folders: Sequence[Path],
    time: float | None,
    days: float | None,
    megabytes: float | None,
) -> Iterator[str]:
    """Add captures, and drop old ones."""
    with Recorder(path) as recorder:
        if recorder.dropped is not None:
            yield f"{path}: {recorder.dropped}"
        for folder in folders:
            texts = _texts(folder)
            moment = recorder.append(_time(folder, texts, time), texts)
            size = f"{moment.size} bytes in {moment.stored}"
            yield f"{path}: capture {moment.number} of {shown_time(moment.time)}, {size}"
        gone = recorder.bound(
            seconds=None if days is None else days * _DAY,
            size=None if megabytes is None else round(megabytes * _MB),
        )
        if gone:
            yield f"{path}: {plural(gone, 'old capture')} dropped"


def _texts(folder: Path) -> dict[str, str]:
    """The files of a capture."""
    if not folder.is_dir():
        raise HistoryError(f"{folder}: no such folder")
    try:
        texts = {
            file.name: file.read_bytes().decode("utf-8", "surrogateescape")
            for file in sorted(folder.iterdir())
            if file.is_file() and not file.name.startswith(".")
        }
    except OSError as problem:
        raise HistoryError(f"{problem.filename}: {problem.strerror or problem}".lower()) from None
    if not {"slots.ads", "jobs.ads"} <= set(texts):
        raise HistoryError(f"{folder}: no capture: slots.ads and jobs.ads are needed")
    return texts


def _time(folder: Path, texts: dict[str, str], time: float | None) -> float:
    found = newest_time(texts) if time is None else time
    if found is None:
        raise HistoryError(f"{folder}: no ad tells the time: give --time")
    return found


#: Seconds that a pool has at most between two signs of life, whatever ``--every`` says.
_STEP: Final = 60.0


#: A clock that nobody sets.
_now: Final = time.monotonic


def record_pools(args: argparse.Namespace, pools: Sequence[str]) -> int:
    """Capture pools, and keep the captures, until Ctrl-C or SIGTERM if ``--every`` is given."""
    refuse_shared(args.history, "HISTORY", pools)
    manager = service()
    taken = lost = 0
    with ended_in_order(), ExitStack() as stack:
        histories = {pool: path_of(args.history, pool) for pool in pools}
        keep = {
            pool: stack.enter_context(keeping(path, args.keep, complain, args.max_size))
            for pool, path in histories.items()
        }
        manager.ready(pools, "waiting for the first answer")

        def follow(pool: str | None, pause: Pause) -> Iterator[LiveCapture]:
            return _captures(args, str(pool), pause, partial(manager.alive, str(pool)))

        try:
            for pool, capture in together(pools, follow):
                if not keep[str(pool)](capture):
                    lost += 1
                    continue
                taken += 1
                at = shown_time(capture.ended)
                lacks = "".join(f", lacks {'; '.join(capture.manifest['missing'])}".splitlines())
                line = f"{histories[str(pool)]}: capture of {pool} at {at}"
                print(printable(line + (lacks if capture.manifest["missing"] else "")), flush=True)
                manager.status(f"{plural(taken, 'capture')}, the last one at {at}")
        except KeyboardInterrupt:
            print(file=sys.stderr)
        finally:
            manager.stopping()
    if args.every is not None:
        print(f"{plural(taken, 'capture')} of {plural(len(pools), 'pool')}")
    return EXIT_BAD if lost and args.every is None else EXIT_OK


def _captures(
    args: argparse.Namespace, pool: str, pause: Pause, alive: Callable[[], object]
) -> Iterator[LiveCapture]:
    """Captures of a pool: one, or one every so many seconds for ever."""
    memory = Memory()
    said = ""
    with Bindings(pool, args.token, args.timeout) as daemons:
        while True:
            began = _now()
            alive()
            try:
                yield take(daemons, memory)
                tidy()
                said = ""
            except DaemonError as problem:
                if args.every is None:
                    raise
                if str(problem) != said:
                    complain(f"{pool}: waiting: {problem}")
                said = str(problem)
            if args.every is None:
                return
            while (left := began + args.every - _now()) > 0:
                pause(min(left, _STEP))
                alive()
