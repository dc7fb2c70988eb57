"""Declares ``--condor-version``, and says which version of HTCondor a command follows.

Inputs: a parser, its arguments.  Outputs: a ``Followed``; the note about a version of which
nothing is recorded on standard error.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from pieslice.terminal import complain

if TYPE_CHECKING:
    from policy.versions import Followed

OPTION: Final = "--condor-version"
#: What a version is called in the help of the options that take one.
FORM: Final = "25.0 or 25.0.13"


def add_version(parser: argparse.ArgumentParser) -> None:
    """The version whose rules are followed."""
    parser.add_argument(
        OPTION,
        type=version_from(OPTION),
        metavar="V",
        help=f"the version of HTCondor whose rules are followed: {FORM} (default 25.14.1)",
    )


class version_from:  # noqa: N801 - argparse calls it as it calls ``int``
    """Reads the argument of an option, ``origin``, that takes a version."""

    def __init__(self, origin: str) -> None:
        self.origin: Final = origin

    def __call__(self, text: str) -> Followed:
        # Reading a command line without the option imports no library.
        from policy.versions import UnknownVersionError, followed_version, parse_version

        try:
            return followed_version(parse_version(text), self.origin)
        except UnknownVersionError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None


def version_of(args: argparse.Namespace) -> Followed:
    """The version that the arguments name, else the newest one."""
    from policy.versions import Followed

    given: Followed | None = getattr(args, "condor_version", None)
    return Followed() if given is None else given


def say_version(followed: Followed) -> None:
    """Say what is to be said of a version without records of its own, in one line."""
    if followed.note:
        complain(f"pieslice: {followed.note}")
