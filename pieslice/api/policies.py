"""Checks and explains configurations: ``pieslice.check``, ``pieslice.policy``.

Inputs: paths.  Outputs: ``Check`` and ``Policy``; raise ``Error``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pieslice.api.errors import one_family
from pieslice.inputs.configuration import SUBSYSTEM, Reader
from pieslice.policies.answers import Check, Policy, check_configuration, explain_configuration


def check(
    path: str | os.PathLike[str],
    *,
    subsystem: str | None = None,
    local_name: str | None = None,
    define: Mapping[str, str] | None = None,
    fragment: bool | None = None,
) -> Check:
    """Check a configuration: the root file, a folder with condor_config, or a folder of files.

    ``subsystem``: the daemon whose verdict is wanted, without it that of all whose macros are set;
    ``define``: macros after all files; ``fragment``: whether other files complete this one,
    without it as the configuration looks.
    """
    with one_family():
        reader = _reader(subsystem, local_name, define)
        asked = subsystem is not None
        return check_configuration(os.fspath(path), reader, asked=asked, fragment=fragment)


def policy(
    path: str | os.PathLike[str],
    *,
    subsystem: str | None = None,
    local_name: str | None = None,
    define: Mapping[str, str] | None = None,
) -> Policy:
    """Read a configuration as condor_negotiator does, or another daemon, and explain it."""
    with one_family():
        return explain_configuration(os.fspath(path), _reader(subsystem, local_name, define))


def _reader(
    subsystem: str | None, local_name: str | None, define: Mapping[str, str] | None
) -> Reader:
    name = (subsystem or SUBSYSTEM).upper()
    return Reader(name, local_name, tuple((define or {}).items()))
