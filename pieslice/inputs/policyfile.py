"""Refuses a policy file that the daemons do not start with.

Decides that what a command line names must parse; a captured pool's own configuration is read as
far as it can be.

Inputs: the path of a file.  Raises ``InputError`` with the first problem, and ``OSError``.
"""

from __future__ import annotations

from pathlib import Path

from negotiator.capture.configuration import CaptureSources
from negotiator.io import InputError
from policy.config import load_config
from policy.io import builtin_library
from policy.language.table import Context


def check_policy_file(path: Path) -> None:
    """Raise if the file cannot be opened, or a line of it or of its includes does not parse."""
    path.open("rb").close()
    config = load_config(
        str(path), CaptureSources(path), builtin_library(), context=Context("NEGOTIATOR")
    )
    if not config.complete:
        raise InputError(config.diagnostics[-1:])
