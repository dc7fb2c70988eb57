"""Gives every command the options that say where its answer goes and what is said beside it.

``--json`` and ``--format`` are one option in two spellings.  A command that has some of them itself
keeps those.

Inputs: a parser; its arguments.  Outputs: options; a context in which a command runs.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pieslice.command_line import BESIDE
from pieslice.writing import naming

#: The variable of the environment that turns colours off.
_NO_COLOUR: Final = "NO_COLOR"


def add_answering(parser: argparse.ArgumentParser) -> None:
    """Add what the parser of a command does not have of the options."""
    known = parser._option_string_actions
    own = known.get("--format"), known.get("--json")
    if own[0] is None and own[1] is not None:
        parser.add_argument(
            "--format",
            action=_Form,
            dest=own[1].dest,
            choices=("text", "json"),
            default=argparse.SUPPRESS,
            help="form of the answer (default text)",
        )
    elif own[0] is not None and own[1] is None and "json" in (own[0].choices or ()):
        parser.add_argument(
            "--json",
            action="store_const",
            const="json",
            dest=own[0].dest,
            default=argparse.SUPPRESS,
            help="same as --format json",
        )
    hidden = {"action": "store_true", "help": argparse.SUPPRESS}
    for names, more in (
        (("--debug",), hidden),  # it stands before the command, too
        (("-o", "--output"), {"metavar": "F", "dest": "into", "help": "write to a file"}),
        (
            ("--no-color",),
            {"action": "store_true", "dest": "plain", "help": "no colours on a terminal"},
        ),
        (
            ("-q", "--quiet"),
            {"action": "store_true", "dest": "errors_only", "help": "no warnings and notes beside"},
        ),
    ):
        if not known.keys() & set(names):
            options: dict[str, Any] = {"default": argparse.SUPPRESS, **more}
            parser.add_argument(*names, **options)


class _Form(argparse.Action):
    """``--format`` of a command whose ``--json`` is a flag."""

    def __call__(
        self, _: object, namespace: argparse.Namespace, value: object, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, value == "json")


@contextmanager
def answering(args: argparse.Namespace) -> Iterator[None]:
    """Run a command: its answer into a file, without colours, without what stands beside it."""
    before = os.environ.get(_NO_COLOUR)
    BESIDE.errors_only = getattr(args, "errors_only", False)
    if getattr(args, "plain", False):
        os.environ[_NO_COLOUR] = "1"
    path = getattr(args, "into", "-")
    try:
        if path == "-":
            yield
        else:
            with _written(path):
                yield
    finally:
        BESIDE.errors_only = False
        if before is None:
            os.environ.pop(_NO_COLOUR, None)
        else:
            os.environ[_NO_COLOUR] = before


@contextmanager
def _written(path: str) -> Iterator[None]:
    """Keep what is printed and write it to a file at the end, all or nothing of it."""
    kept = io.StringIO()
    out, sys.stdout = sys.stdout, kept
    try:
        yield
    finally:
        sys.stdout = out
    if kept.getvalue():
        with naming(path), open(path, "wb") as file:
            file.write(kept.getvalue().encode("utf-8", "surrogateescape"))
