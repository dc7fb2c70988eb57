"""Checks and explains configurations: ``pieslice.check``, ``pieslice.policy``.

``pieslice.userprio`` reads a saved state of the accountant.

Inputs: paths.  Outputs: ``Check`` and ``Policy``; raise ``Error``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from classad.errors import Diagnostic
from pieslice.api.errors import AnyPath, ReadError, given_version, one_family, path_of
from pieslice.inputs.configuration import SUBSYSTEM, ConfigurationReader
from pieslice.policies.answers import Check, Policy, explain_configuration
from pieslice.policies.checked import check_configuration
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


def check(
    path: str | os.PathLike[str],
    *,
    subsystem: str | None = None,
    local_name: str | None = None,
    define: Mapping[str, str] | None = None,
    fragment: bool | None = None,
    condor_version: str | None = None,
    upgrade: str | None = None,
) -> Check:
    """Check a configuration: the root file, a folder with condor_config, or a folder of files.

    ``subsystem``: the daemon whose verdict is wanted, without it that of all whose macros are set;
    ``define``: macros after all files; ``fragment``: whether other files complete this one,
    without it as the configuration looks; ``condor_version``: the version that reads, ``25.0`` or
    ``25.0.13``, without it that of a captured pool, else 25.14.1; ``upgrade``: the version of which
    it is asked what changes on the way there.
    """
    with one_family():
        reader = _reader(subsystem, local_name, define, condor_version)
        found = check_configuration(
            os.fspath(path),
            reader,
            asked=subsystem is not None,
            fragment=fragment,
            to=given_version(upgrade),
        )
    return Check(found)


def policy(
    path: str | os.PathLike[str],
    *,
    subsystem: str | None = None,
    local_name: str | None = None,
    define: Mapping[str, str] | None = None,
    condor_version: str | None = None,
) -> Policy:
    """Read a configuration as condor_negotiator does, or another daemon, and explain it.

    ``condor_version``: the version that reads, ``25.0`` or ``25.0.13``, without it 25.14.1.
    """
    with one_family():
        reader = _reader(subsystem, local_name, define, condor_version)
        return explain_configuration(os.fspath(path), reader)


def _reader(
    subsystem: str | None,
    local_name: str | None,
    define: Mapping[str, str] | None,
    version: str | None,
) -> ConfigurationReader:
    name, defines = (subsystem or SUBSYSTEM).upper(), tuple((define or {}).items())
    given = version is not None
    return ConfigurationReader(
        name, local_name, defines, followed=given_version(version), given=given
    )
