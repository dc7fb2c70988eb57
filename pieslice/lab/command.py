"""Starts a laboratory: its workers, its server, the browser; or writes its page.

Inputs: parsed arguments.  Outputs: the address on standard output, or a file; the exit code.
"""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import webbrowser
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from time import time
from typing import TYPE_CHECKING, TypeAlias

from attr import evolve, frozen

from classad.errors import Diagnostic
from classad.extras import load
from negotiator.io import InputError
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.options import input_words
from pieslice.inputs.pool import PoolReading, reading_of
from pieslice.lab.pool import CYCLES
from pieslice.lab.sharing.saved import SUFFIX, SavedPage, is_saved, read_saved
from pieslice.lab.texts import OVERLAY, EditedTexts, called
from pieslice.lab.worker import Gone, Refused, Workers, begun, spawn
from pieslice.limiting import begin_to_write
from pieslice.live.names import temporary
from pieslice.reports.output import MAX_BESIDE, show_diagnostics
from pieslice.terminal import complain
from pieslice.writing import naming

if TYPE_CHECKING:
    from pieslice.lab.start.desk import Desk
    from pieslice.lab.start.dropped import DroppedPool

#: Cycles that can be looked at, and the seconds between two, None for ``NEGOTIATOR_INTERVAL``.
Course: TypeAlias = tuple[int, float | None]
#: The pool of commands that stand on a page for others.
ANYWHERE = ["POOL"]
#: Seconds in which requests may end after Ctrl-C.
_PATIENCE = 1


def run_lab(args: argparse.Namespace, workers: Workers | None = None) -> int:
    """Run ``pieslice lab`` until Ctrl-C, or write its page.

    ``workers``: started for the pool that is given; None without one.
    """
    try:
        saved = _saved(args)
        overlay = "" if args.edit is None else _text_of(Path(args.edit))
        if not names_pool(args):
            return _serve(args, _without_pool(args, overlay))
        given = reading_of(args), args.seed, input_words(args), overlay
        job = _Job(*given, (args.cycles, args.interval), workers, saved)
        with ExitStack() as stack:
            if args.anonymous:
                place = Path(stack.enter_context(temporary("anonymous")))
                job = _anonymous(job, place)
                if args.export is None:
                    # They remove the copy if this process is killed.
                    job = evolve(job, workers=spawn(place))
            return (
                _serve(args, job)
                if args.export is None
                else _export(job, Path(args.export), args.edit)
            )
    except InputError as problem:
        show_diagnostics(problem.diagnostics, sys.stderr)
        return EXIT_BAD


@frozen
class _Job:
    """How a pool is read, the words of a command line that name it, the text to begin with.

    ``workers``: that are started already; ``saved``: in place of the text to begin with.
    """

    reading: PoolReading
    seed: int
    words: list[str]
    overlay: str
    course: Course
    workers: Workers | None = None
    saved: SavedPage | None = None

    @property
    def texts(self) -> EditedTexts:
        """The texts to begin with."""
        return EditedTexts(self.overlay) if self.saved is None else self.saved.texts

    @property
    def path(self) -> str:
        """The path or host that alone names the pool; empty where there is more to it."""
        # What a saved page has by itself.
        more = [word for name in self.reading.local_names for word in ("--local-name", name)]
        more += ["--made-up-jobs"] if self.reading.inputs.paths.made_up_jobs else []
        if sorted(self.words[1:]) != sorted(more) or self.words == ANYWHERE:
            return ""
        path = Path(self.words[0])
        return str(path.absolute()) if path.exists() else self.words[0]


def _saved(args: argparse.Namespace) -> SavedPage | None:
    """The saved page among the inputs, which names the pool where nothing else does."""
    found = [one for one in map(str, args.inputs) if is_saved(one)]
    if not found:
        return None
    if len(found) > 1:
        raise InputError([Diagnostic(f"{found[1]}: one {SUFFIX} file at a time")])
    if args.edit is not None:
        raise InputError([Diagnostic(f"--edit: {found[0]} has a text already")])
    saved = read_saved(Path(found[0]))
    args.inputs = [one for one in args.inputs if not is_saved(str(one))]
    if not names_pool(args):
        args.inputs = [saved.found_pool()]
    if args.local_name is None and saved.negotiator:
        args.local_name = [saved.negotiator]
    args.made_up_jobs |= saved.made_up
    return saved


def _anonymous(job: _Job, place: Path) -> _Job:
    """The same under other names, with a copy of the pool in a folder."""
    from pieslice.lab.sharing.handover import renamed

    copy = renamed(job.reading, place)
    show_diagnostics(copy.diagnostics, sys.stderr, beside=MAX_BESIDE)
    overlay = copy.mask.lines(job.overlay)
    return evolve(job, reading=copy.reading, words=ANYWHERE, overlay=overlay)


def _without_pool(args: argparse.Namespace, overlay: str) -> str:
    """The text to begin with where the page asks for a pool; raises ``InputError``."""
    if args.export is not None:
        raise InputError([Diagnostic("--export: give a pool")])
    if args.anonymous and overlay:
        raise InputError([Diagnostic("--edit with --anonymous: give a pool")])
    return overlay


def _serve(args: argparse.Namespace, job: _Job | str) -> int:
    """Serve the page until Ctrl-C; of a pool, or one that asks for a pool, with its first text."""
    load("starlette")
    uvicorn = load("uvicorn")
    try:
        sockets = listen(args.port)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        complain(f"pieslice lab: error: --port {args.port}: {reason}")
        return EXIT_BAD
    from pieslice.lab.laboratory import Lab
    from pieslice.lab.server import application

    port = sockets[0].getsockname()[1]
    try:
        if isinstance(job, str):
            lab = Lab(None, port, desk=desk(args), overlay=job)
        else:
            begun = iter([job.workers])
            begin = partial(start, job.reading, job.seed, course=job.course)
            lab = Lab(
                lambda: begin(workers=next(begun, None)),
                port,
                words=job.words,
                overlay=job.overlay,
                saved=job.saved,
                path=job.path,
            )
    except (Refused, Gone) as problem:
        complain(str(problem))
        return EXIT_BAD
    server = uvicorn.Server(
        uvicorn.Config(
            application(lab),
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE,
        )
    )

    def end(*_: object) -> None:
        server.should_exit = True

    # The server takes signals once it runs. An exception that Ctrl-C raises before that can be
    # lost: Python drops those of finalizers.
    before = signal.signal(signal.SIGINT, end)
    try:
        print(f"pieslice lab: {lab.address}\nCtrl-C ends it", flush=True)
        if not args.no_browser:
            # Some browsers run until they are closed, and need the server meanwhile.
            Thread(target=_browse, args=(lab.address,), daemon=True).start()
        server.run(sockets=sockets)
    finally:
        signal.signal(signal.SIGINT, before)
        lab.close()
    return EXIT_OK


def _browse(address: str) -> None:
    """Open the page, if there is a browser."""
    with suppress(webbrowser.Error):
        webbrowser.open(address)


def _export(job: _Job, target: Path, edit: str | None) -> int:
    """Write a page that needs no server; ``edit``: the file of the overlay."""
    from pieslice.api.errors import Error
    from pieslice.lab.pool.trials import Trials
    from pieslice.lab.sharing.export import page

    texts, saved = job.texts, job.saved
    try:
        trials = Trials(job.reading, job.seed, *job.course)
        if saved is not None and trials.identity != saved.identity:
            raise Error(f"{saved.path}: of another pool, {saved.name}")
        shown = (None, None) if saved is None else (saved.view, saved.question)
        data = trials.page_data(texts, job.words, time(), *shown)
    except Error as problem:
        complain(called(str(problem), edit or OVERLAY))
        return EXIT_BAD
    text = page(data).encode()
    begin_to_write()
    with naming(target):
        target.write_bytes(text)
    print(f"{target}: {len(text) / 1000:.0f} kB")
    show_diagnostics(trials.diagnostics(texts), sys.stderr, beside=MAX_BESIDE)
    return EXIT_OK


def _text_of(path: Path) -> str:
    with naming(path):
        return path.read_bytes().decode("utf-8", "surrogateescape")


def names_pool(args: argparse.Namespace) -> bool:
    """Whether a pool is given."""
    return bool(args.inputs or args.slots)


def desk(args: argparse.Namespace) -> Desk:
    """Where a pool is put together of files that are dropped, read with the options given."""
    from pieslice.lab.start.desk import Desk
    from pieslice.lab.start.dropped import Dropped

    dropped = Dropped()
    place = dropped.folder.parent
    spare = partial(spawn, place)

    def begin(reading: PoolReading, workers: Workers | None) -> Workers:
        return start(reading, args.seed, workers or spare(), (args.cycles, args.interval))

    return Desk(partial(dropped_reading, args, place), begin, spare, dropped)


def dropped_reading(args: argparse.Namespace, place: Path, pool: DroppedPool) -> PoolReading:
    """What the arguments ask for if the pool is what was dropped; raises ``InputError``.

    ``place``: a folder for a copy under other names.
    """
    given = argparse.Namespace(**vars(args))
    given.inputs = list(map(str, pool.items))
    given.also = [*map(str, pool.also), *(args.also or ())]
    for part, path in pool.named.items():
        setattr(given, part, str(path))
    reading = reading_of(given)
    if args.anonymous:
        from pieslice.lab.sharing.handover import renamed

        return renamed(reading, Path(mkdtemp(dir=place))).reading
    if not pool.title:
        return reading
    paths = evolve(reading.inputs.paths, title=pool.title)
    return evolve(reading, inputs=evolve(reading.inputs, paths=paths))


def start(
    reading: PoolReading,
    seed: int,
    workers: Workers | None = None,
    course: Course = (CYCLES, None),
) -> Workers:
    """Workers, the first of which has read a pool; raises ``Refused`` or ``Gone``.

    ``course``: cycles that can be looked at, and the seconds between two.
    """
    return begun(workers or spawn(), reading, seed, *course)


def listen(port: int) -> list[socket.socket]:
    """Sockets of a port of this machine's own addresses, 0 for a free one; raises ``OSError``."""
    first = socket.create_server(("127.0.0.1", port))
    found = [first]
    with suppress(OSError):  # a machine without version 6, or another program has the port there
        second = socket.create_server(
            ("::1", first.getsockname()[1]), family=socket.AF_INET6, dualstack_ipv6=False
        )
        found.append(second)
    return found
