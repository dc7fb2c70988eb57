"""Defines the exceptions of ``import pieslice``: one family, each with file, line and caret.

Inputs: the exceptions of the rooms below.  Outputs: ``Error`` and its subclasses.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import classad.errors
from classad.errors import ClassAdException, ClassAdParseError, Diagnostic
from classad.files.log import DamagedLogError
from negotiator.io import InputError
from pieslice.command_line import EMPTY_NAME
from pieslice.inputs.configuration import Misuse
from pieslice.negotiate.selection import UnknownNameError
from pieslice.recording.store import HistoryError
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.why.asked import UnknownJobError, UnknownScopeError, UnknownSlotError
from policy.versions import Followed, UnknownVersionError, followed_version, parse_version

AnyPath: TypeAlias = str | os.PathLike[str]


class Error(Exception):
    """What cannot be done; ``str`` has the file, the line and a caret where there are any.

    ``diagnostics``: the same as values.
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self) -> tuple[type[Error], tuple[str, tuple[Diagnostic, ...]]]:
        return type(self), (str(self), self.diagnostics)


class ReadError(Error):
    """A file cannot be read, or says what cannot be used."""


class NotFoundError(Error, LookupError):
    """There is no job, slot, user or group of that name."""


class Cancelled(Error):  # noqa: N818 - nothing went wrong
    """An edit of a session was ended by the function that it was given."""


class LimitError(Error, classad.errors.LimitError):
    """The time or the memory of a ``limits`` block is used up."""


def path_of(name: AnyPath) -> Path:
    """The path of that name; raises ``ReadError`` for an empty one, which is no current folder."""
    if not os.fspath(name):
        raise ReadError(EMPTY_NAME)
    return Path(name)


def given_version(text: str | None) -> Followed | None:
    """The version of HTCondor that a program names; raises ``ReadError`` for one unknown."""
    if text is None:
        return None
    try:
        return followed_version(parse_version(text), "as given")
    except UnknownVersionError as problem:
        raise ReadError(str(problem)) from problem


@contextmanager
def one_family() -> Iterator[None]:
    """Turn what the rooms below raise into exceptions of this family."""
    try:
        yield
    except classad.errors.LimitError as problem:
        raise LimitError(str(problem)) from problem
    except InputError as problem:
        errors = [item for item in problem.diagnostics if item.severity == "error"]
        shown = errors or problem.diagnostics[-1:]
        text = "\n".join(item.render() for item in shown)
        raise ReadError(text, problem.diagnostics) from problem
    except DamagedLogError as problem:
        raise ReadError(problem.diagnostic.render(), (problem.diagnostic,)) from problem
    except ClassAdParseError as problem:
        known = () if problem.diagnostic is None else (problem.diagnostic,)
        raise ReadError(str(problem), known) from problem
    except OSError as problem:
        why = problem.strerror or str(problem)
        why = f"{why[:1].lower()}{why[1:]}"
        raise ReadError(f"{problem.filename}: {why}" if problem.filename else why) from problem
    except (Misuse, ClassAdException, HistoryError, RunError, WorkloadError) as problem:
        raise ReadError(str(problem)) from problem
    except (UnknownJobError, UnknownScopeError, UnknownSlotError, UnknownNameError) as problem:
        raise NotFoundError(str(problem)) from problem
