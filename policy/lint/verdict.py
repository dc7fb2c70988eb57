"""Gives the daemon's own verdict on a configuration: would condor_negotiator start?

Inputs: a ``Config`` read to its end, over lines that cannot be read.  Outputs: ``Verdict`` and all
findings.
Follows: golden vectors ``negotiator-startup``: exit status 1 where the configuration cannot be
read, 4 where a value stops the daemon.
"""

from __future__ import annotations

from attr import frozen

from classad.errors import Diagnostic
from policy.config import Config
from policy.lint.findings import lint
from policy.lint.support import NOT_RUN
from policy.load import load_policy


@frozen
class Verdict:
    """``status`` is the exit status, 0 for a daemon that starts."""

    status: int
    text: str

    @property
    def starts(self) -> bool:
        """Would the daemon start?"""
        return self.status == 0


def examine(config: Config) -> tuple[Verdict, list[Diagnostic]]:
    """The verdict and the findings."""
    context = config.context
    loaded = load_policy(config, subsystem=context.subsystem, local_name=context.local_name)
    invalid = [found for found in loaded.diagnostics if found.severity == "error"]
    findings = lint(config, loaded)
    unreadable = [found for found in config.diagnostics if found.severity == "error"]
    unknown = any(found.id == NOT_RUN.id for found in findings)
    return _verdict(unreadable, invalid, unknown), findings


def _verdict(unreadable: list[Diagnostic], invalid: list[Diagnostic], programs: bool) -> Verdict:
    if unreadable:
        return Verdict(1, f"condor_negotiator would not start: exit status 1, {_at(unreadable[0])}")
    if invalid:
        return Verdict(4, f"condor_negotiator would not start: exit status 4, {_at(invalid[0])}")
    tail = ", as far as can be told without running programs" if programs else ""
    return Verdict(0, f"condor_negotiator would start{tail}")


def _at(found: Diagnostic) -> str:
    if found.source is None:
        return found.message
    return f"{found.source.name}:{found.line}: {found.message}"
