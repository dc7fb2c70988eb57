"""Reads the command line of ``pieslice lab``, and runs it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pieslice.command_line import whole_number
from pieslice.inputs.options import INPUT_HELP, add_course, add_inputs, add_local_name
from pieslice.lab.pool import CYCLES

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``lab``."""
    parser = subcommands.add_parser(
        "lab",
        help="edit a policy in the browser, and see at once who pays for it",
        description="Open a page in the browser in which the policy of a pool is edited, and which"
        " shows at once what changes: who gets and loses which slots, and why. It is served on"
        " 127.0.0.1 alone, nothing leaves this machine, and no file is changed. Without POOL the"
        " page asks for one: files are dropped or pasted there. A page that was saved is"
        " FILE.pieslice: it names its pool. Needs the extra lab.",
        epilog="exit status: 0 ended by Ctrl-C, or the page is written, 2 the pool cannot be read,"
        " the daemons would not start with the text of --edit, or bad usage",
        examples=(
            ("pieslice lab", "a page to drop files on, with an example"),
            ("pieslice lab mypool", "a captured pool"),
            ("pieslice lab mypool --edit new_config --export page.html", "what comes of a change"),
            ("pieslice lab mypool --no-browser --port 8765", "the address alone, for ssh -L"),
        ),
    )
    parser.add_argument("inputs", nargs="*", metavar="POOL", help=f"{INPUT_HELP}; a saved page")
    add_inputs(parser)
    add_local_name(parser)
    add_course(parser, CYCLES)
    parser.add_argument(
        "--edit", metavar="F", help="begin with this text, which is read after the configuration"
    )
    parser.add_argument(
        "--export",
        metavar="F",
        help="write a page that needs no server, with the answers about who gains or loses, and"
        " open nothing",
    )
    parser.add_argument(
        "--anonymous",
        action="store_true",
        help="replace names of users and machines, and paths, as capture --anonymize does: on the"
        " page, in its links and exported pages",
    )
    parser.add_argument(
        "--port",
        type=whole_number("a port from 0 to 65535", 0, 65_535),
        default=0,
        metavar="N",
        help="port on 127.0.0.1 (default: a free one)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, and open no browser"
    )
    # Slots alone are enough to see who has what.
    parser.set_defaults(run=_lab, needs_jobs=False)


def _lab(args: argparse.Namespace) -> int:
    from pieslice.lab.worker import spawn

    # They import while this process does, which takes as long as all the rest.
    served = (args.inputs or args.slots) and args.export is None and not args.anonymous
    workers = spawn() if served else None
    try:
        from pieslice.lab.command import run_lab

        return run_lab(args, workers)
    finally:
        for one in workers or ():
            one.close()
