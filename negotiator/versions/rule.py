"""Declares a rule that changed: what it was, what it is, and since which version.

A rule is one row: the first version that has the new behaviour, whose version decides, and the two
behaviours, which stand beside each other.  Code that follows a rule asks its row,
``RULE.of(version)``, and compares no versions itself.

Inputs: the ``Version`` of a daemon.  Outputs: a behaviour.
Follows: records of 23.9.6, 24.0.23, 25.0.13 and 25.14.1, played on the same scenarios; what could
not be played was read in the public sources of the releases, and says so.
"""

from __future__ import annotations

from enum import Enum
from typing import Generic, TypeVar

from attr import field, frozen

from policy.versions import LINES, Version, parse_version

T = TypeVar("T", covariant=True)


class DecidingDaemon(Enum):
    """Whose version decides about a rule."""

    NEGOTIATOR = "the negotiator"
    SCHEDD = "the schedd"
    EVALUATOR = "whoever evaluates"


@frozen
class VersionRule(Generic[T]):
    """A rule that changed.

    ``since``: the first version with the new behaviour; ``old`` and ``new``: what each behaviour
    is, for the code that follows it, None where no snapshot has what it is about (``applied`` is
    False then); ``before`` and ``after``: the same in words.  ``recorded``: real daemons showed it;
    otherwise it was read in their sources.  ``scenario``: a record that shows it.
    """

    number: str
    name: str
    before: str
    after: str
    since: Version
    daemon: DecidingDaemon
    old: T
    new: T
    scenario: str | None = None
    recorded: bool = field(default=True, kw_only=True)
    applied: bool = field(default=True, kw_only=True)

    def of(self, version: Version) -> T:
        """The behaviour of a version."""
        return self.new if version >= self.since else self.old

    def is_new(self, version: Version) -> bool:
        """Whether a version has the new behaviour."""
        return version >= self.since

    @property
    def lines(self) -> tuple[str, ...]:
        """The long-term support lines that have the new behaviour."""
        return tuple(line for line in LINES if parse_version(line) >= self.since)
