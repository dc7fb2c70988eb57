"""Reads a saved state of the accountant: ``pieslice.userprio``.

Inputs: a log, accounting ads or the folder of a capture; options.  Outputs: ``Priorities``; raise
``Error``.
"""

from __future__ import annotations

from classad.errors import Diagnostic
from pieslice.api.errors import AnyPath, ReadError, one_family, path_of
from pieslice.priorities.answers import Priorities
from pieslice.priorities.command import priorities
from pieslice.priorities.options import UsageError


def userprio(path: AnyPath, *options: str, now: float | None = None) -> Priorities:
    """What condor_userprio would print of a saved state.

    ``path``: the accountant's log, a file of accounting ads, or the folder of a capture;
    ``options``: of condor_userprio, such as ``"-all"``; ``now``: the time of the question, without
    it the last update.
    """
    diagnostics: list[Diagnostic] = []
    with one_family():
        try:
            return priorities(path_of(path), options, now, diagnostics)
        except UsageError as problem:
            raise ReadError(str(problem)) from problem
