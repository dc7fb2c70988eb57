"""Starts a laboratory: its workers, its server, the browser; or writes its page.

Inputs: parsed arguments.  Outputs: the address on standard output, or a file; the exit code.
"""

from __future__ import annotations

import argparse
import socket
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from time import time

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
        reading = reading_of(args)
        if args.export is not None:
            return _export(args, reading, overlay)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, sys.stderr)
        return EXIT_BAD
    return _serve(args, reading, overlay)


def _serve(args: argparse.Namespace, reading: PoolReading, overlay: str) -> int:
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
            lambda: start(reading, args.seed),
            sockets[0].getsockname()[1],
            words=input_words(args),
            overlay=overlay,
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


def _export(args: argparse.Namespace, reading: PoolReading, overlay: str) -> int:
    """Write a page that needs no server."""
    from pieslice.api.errors import Error
    from pieslice.lab.export import page
    from pieslice.lab.trials import Trials

    texts = EditedTexts(overlay)
    try:
        trials = Trials(reading, args.seed)
        data = trials.page_data(texts, input_words(args), time())
    except Error as problem:
        complain(str(problem))
        return EXIT_BAD
    begin_to_write()
    with naming(args.export):
        Path(args.export).write_bytes(page(data).encode())
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
