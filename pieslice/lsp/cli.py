"""Reads the command line of ``pieslice lsp``."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.terminal import complain

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands, version: str) -> None:
    """Add ``lsp``."""
    parser = subcommands.add_parser(
        "lsp",
        help="serve editors: findings, hover, completion, definitions, renaming",
        description="Serve an editor by the language server protocol on standard input and output:"
        " findings of check, hover, completion, definitions, references, renaming, repairs. An"
        " editor starts it; docs/editors says how.",
        epilog="exit status: 0 the editor ended it, 1 the editor is gone",
        examples=(("pieslice lsp --help", "what an editor runs is `pieslice lsp`"),),
    )
    parser.add_argument(
        "--stdio", action="store_true", help="nothing else is there; editors give it all the same"
    )
    parser.set_defaults(run=partial(_serve, version))


def _serve(version: str, args: argparse.Namespace) -> int:
    from classad.extras import load

    load("pygls")
    if sys.stdin.isatty():
        complain("note: editors start this and speak their protocol to it; Ctrl-D ends it")
    from pieslice.lsp.serving import serve

    if serve(version, debug=args.debug):
        return EXIT_OK
    complain("pieslice lsp: the editor is gone: the input ended before its `shutdown`")
    return EXIT_NO
