"""Declares ``--condor-version``, and says which version of HTCondor a command follows.

A project names the version of its pool in ``pieslice.toml``, in the folder where a command runs or
above it; it counts where neither the command line nor the ads of a pool name one.  Its ``root``
is the root of the configuration, for editors.

Inputs: a parser, its arguments, that file.  Outputs: a ``Followed``; the note about a version of
which nothing is recorded on standard error.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final, NamedTuple

from pieslice.terminal import complain

if TYPE_CHECKING:
    from policy.versions import Followed

OPTION: Final = "--condor-version"
#: What a version is called in the help of the options that take one.
FORM: Final = "25.0 or 25.0.13"
#: The file of a project, and its keys.
PROJECT: Final = "pieslice.toml"
KEY: Final = "condor-version"
ROOT: Final = "root"
_EXAMPLES: Final = {KEY: "25.0", ROOT: "condor_config"}


class ProjectError(Exception):
    """A file of a project that says nothing sensible, as text to print."""


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
    """The version that the arguments name, else that of the project, else the newest one."""
    from policy.versions import Followed

    given: Followed | None = getattr(args, "condor_version", None)
    project: Followed | None = getattr(args, "project_version", None)
    return given or project or Followed()


def say_version(followed: Followed) -> None:
    """Say what is to be said of a version without records of its own, in one line."""
    if followed.note:
        complain(f"note: {followed.note}")


class Project(NamedTuple):
    """What the file of a project says: the version of its pool, the root of its configuration."""

    followed: Followed | None = None
    root: str | None = None


def project_version() -> Followed | None:
    """The version that the project names whose folder we are in; raises ``ProjectError``."""
    path = project_above(os.getcwd())
    return None if path is None else project_at(path).followed


def project_above(folder: str) -> str | None:
    """The file of the project in a folder or above it."""
    path = os.path.join(folder, PROJECT)
    if os.path.isfile(path):
        return path
    above = os.path.dirname(folder)
    return None if above == folder else project_above(above)


def project_at(path: str) -> Project:
    """What the file of a project says; raises ``ProjectError``."""
    from classad.errors import Diagnostic
    from classad.source import Source
    from negotiator.io import InputError
    from pieslice.inputs.toml import toml_of
    from policy.versions import UnknownVersionError, followed_version, parse_version

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        found = toml_of(Source(text, path))
    except InputError as problem:
        raise ProjectError("\n".join(it.render() for it in problem.diagnostics)) from None
    except OSError as problem:
        raise ProjectError(f"error: {path}: {(problem.strerror or '').lower()}") from None
    except ValueError as problem:
        raise ProjectError(f"error: {path}: no text: {problem}") from None
    project = Project()
    for key, value in found.items():
        try:
            if key not in _EXAMPLES:
                raise UnknownVersionError(f"`{key}` is no key of a project; {KEY} and {ROOT} are")
            if not isinstance(value, str):
                raise UnknownVersionError(f'{key} is a text: {key} = "{_EXAMPLES[key]}"')
            if key == ROOT:
                project = project._replace(root=value)
                continue
            followed = followed_version(parse_version(value), f"{KEY} of {PROJECT}")
            project = project._replace(followed=followed)
        except UnknownVersionError as problem:
            start = text.index(key)
            source = Source(text, path)
            place = Diagnostic(str(problem), source, start, start + len(key))
            raise ProjectError(place.render()) from None
    return project
