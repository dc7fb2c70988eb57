"""Starts a laboratory: its workers, its server, the browser; or writes its page.

Inputs: parsed arguments.  Outputs: the address on standard output, or a file; the exit code.
"""

from __future__ import annotations

import argparse
import socket
import sys
import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time

from attr import frozen

from classad.extras import load
from negotiator.io import InputError
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.options import input_words
from pieslice.inputs.pool import PoolReading, reading_of
from pieslice.lab.texts import EditedTexts
from pieslice.lab.worker import Gone, Refused, Worker
from pieslice.limiting import begin_to_write
from pieslice.reports.output import MAX_BESIDE, show_diagnostics
from pieslice.terminal import complain
from pieslice.writing import naming

#: Seconds in which requests may end after Ctrl-C.
_PATIENCE = 1


def run_lab(args: argparse.Namespace) -> int:
    """Run ``pieslice lab`` until Ctrl-C, or write its page."""
    try:
        overlay = "" if args.edit is None else _text_of(Path(args.edit))
        job = _Job(reading_of(args), args.seed, input_words(args), overlay)
        with ExitStack() as stack:
            if args.anonymous:
                place = stack.enter_context(TemporaryDirectory(prefix="pieslice-"))
                job = _anonymous(job, Path(place))
            return _serve(args, job) if args.export is None else _export(job, Path(args.export))
    except InputError as problem:
        show_diagnostics(problem.diagnostics, sys.stderr)
        return EXIT_BAD


@frozen
class _Job:
    """How a pool is read, the words of a command line that name it, the text to begin with."""

    reading: PoolReading
    seed: int
    words: list[str]
    overlay: str


def _anonymous(job: _Job, place: Path) -> _Job:
    """The same under other names, with a copy of the pool in a folder."""
    from pieslice.lab.handover import renamed

    copy = renamed(job.reading, place)
    show_diagnostics(copy.diagnostics, sys.stderr, beside=MAX_BESIDE)
    return _Job(copy.reading, job.seed, ["POOL"], copy.mask.lines(job.overlay))


def _serve(args: argparse.Namespace, job: _Job) -> int:
    """Serve the page until Ctrl-C."""
    load("starlette")
    uvicorn = load("uvicorn")
    try:
        sockets = listen(args.port)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        complain(f"pieslice lab: error: --port {args.port}: {reason}")
        return EXIT_BAD
    from pieslice.lab.server import Lab, application

    try:
        lab = Lab(
            lambda: start(job.reading, job.seed),
            sockets[0].getsockname()[1],
            words=job.words,
            overlay=job.overlay,
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
    try:
        with suppress(KeyboardInterrupt):
            print(f"pieslice lab: {lab.address}\nCtrl-C ends it", flush=True)
            if not args.no_browser:
                with suppress(webbrowser.Error):
                    webbrowser.open(lab.address)
            server.run(sockets=sockets)
    finally:
        lab.close()
    return EXIT_OK


def _export(job: _Job, target: Path) -> int:
    """Write a page that needs no server."""
    from pieslice.api.errors import Error
    from pieslice.lab.export import page
    from pieslice.lab.trials import Trials

    texts = EditedTexts(job.overlay)
    try:
        trials = Trials(job.reading, job.seed)
        data = trials.page_data(texts, job.words, time())
    except Error as problem:
        complain(str(problem))
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


def start(reading: PoolReading, seed: int) -> tuple[Worker, Worker]:
    """Workers that have read a pool; raises ``Refused`` or ``Gone``."""
    trials, checks = Worker("trials"), Worker("checks")
    try:
        trials.begin(reading, seed)
        checks.begin(reading, *trials.ready())
        checks.ready()
    except BaseException:
        trials.close()
        checks.close()
        raise
    return trials, checks


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
