"""Says which version of HTCondor is meant, and which version's records stand for it.

A version is given as a line (``25.0``), in full (``25.0.13``) or as the CondorVersion of an ad.
Rules that changed between versions are rows of ``negotiator.versions``, names and defaults of
macros are recorded tables; both ask this module only for the order of versions.
Follows: the lines and releases of HTCondor from 23.0 to 25.14.1.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from attr import frozen

from classad.patterns import late_regex

__all__ = [
    "LINES", "NEWEST", "NOT_GIVEN", "OLDEST", "RECORDED", "Followed", "UnknownVersionError",
    "Version", "followed_version", "parse_version",
]  # fmt: skip


#: No release has so high a number.
ANY_PATCH: Final = 999


class Version(NamedTuple):
    """A release of HTCondor; compares by its numbers, so 25.10.1 is later than 25.8.2.

    A ``patch`` of ``ANY_PATCH`` stands for the newest release of a line.
    """

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return self.line if self.patch == ANY_PATCH else f"{self.line}.{self.patch}"

    @property
    def line(self) -> str:
        """The line that the release belongs to: ``25.0``."""
        return f"{self.major}.{self.minor}"


#: The version that is followed where none is given.
NEWEST: Final = Version(25, 14, 1)
#: Of older ones nothing is known.
OLDEST: Final = Version(23, 0, 0)
#: The releases whose decisions, expressions and defaults were recorded.
RECORDED: Final = (Version(23, 9, 6), Version(24, 0, 23), Version(25, 0, 13), NEWEST)
#: The long-term support lines.
LINES: Final = ("23.0", "23.10", "24.0", "24.12", "25.0")

_NUMBERS = late_regex(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?", re.ASCII)
_IN_AD = late_regex(r"\$CondorVersion:\s*(\S+)")


class UnknownVersionError(ValueError):
    """A text that is no version, or a version of which nothing is known."""


def parse_version(text: str) -> Version:
    """The version that a text names: ``25.0.13``, a line, or the CondorVersion of an ad.

    A line stands for its recorded release, else for its newest.  Raises ``UnknownVersionError``.
    """
    in_ad = _IN_AD.search(text)
    word = in_ad[1] if in_ad else text.strip().removeprefix("v")
    found = _NUMBERS.fullmatch(word)
    if found is None:
        raise UnknownVersionError(
            f"`{text.strip()}` is no version of HTCondor; write 25.0 or 25.0.13"
        )
    major, minor = int(found[1]), int(found[2])
    patch = _newest_patch(major, minor) if found[3] is None else int(found[3])
    return Version(major, minor, patch)


def _newest_patch(major: int, minor: int) -> int:
    """The patch number that stands for a line: that of the recorded release, else of the newest."""
    of_line = [v.patch for v in RECORDED if (v.major, v.minor) == (major, minor)]
    return of_line[0] if of_line else ANY_PATCH


@frozen
class Followed:
    """The version whose rules are followed, and why these.

    ``given``: the version that was given, None if none was; ``origin``: who gave it.
    """

    version: Version = NEWEST
    given: Version | None = None
    origin: str = "no version is given"

    @property
    def note(self) -> str:
        """What is to be said of a version without records of its own; empty if it has some."""
        if self.given is None or self.given in RECORDED:
            return ""
        if self.given > NEWEST:
            return f"{self.given} is newer than {NEWEST}, the newest version that is known"
        record = recorded_version(self.given)
        if record.line == self.given.line:
            return ""
        return (
            f"nothing is recorded of {self.given}: the rules that are not newer are followed; "
            f"recorded beside it: {record}"
        )

    def __str__(self) -> str:
        return f"follows {self.version}: {self.origin}"


#: What is followed where nobody names a version.
NOT_GIVEN: Final = Followed()


def followed_version(given: Version, origin: str) -> Followed:
    """The version to follow for one that is given; raises ``UnknownVersionError``.

    One that is newer than all is followed as the newest one.
    """
    if given < OLDEST:
        raise UnknownVersionError(f"{given} is older than {OLDEST}: nothing is known of its rules")
    return Followed(min(given, NEWEST), given, origin)


def recorded_version(version: Version) -> Version:
    """The release whose records stand for a version: of its line, or the newest before it.

    Of a version before all of them it is the first one.
    """
    if version in RECORDED:
        return version
    of_line = [known for known in RECORDED if known.line == version.line]
    before = [known for known in RECORDED if known <= version]
    return (of_line or before[-1:] or RECORDED[:1])[0]
