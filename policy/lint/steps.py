"""Says what the step from one version to another changes for a configuration.

Inputs: a configuration as two versions read it.  Outputs: ``Upgrade``: findings, and the verdicts
that are others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from policy.config import Config
from policy.language.about import about
from policy.lint.names import UNREAD
from policy.lint.upgrade import changes
from policy.lint.verdict import Examination, Verdict, examine
from policy.lint.wholes import TOO_DEEP
from policy.versions import Version

#: Kinds of findings that are told in another way here.
_TOLD: Final = frozenset((TOO_DEEP.id,))


@frozen
class Upgrade:
    """What changes: findings, and the verdicts on daemons that are others by the new version."""

    old: Version
    new: Version
    findings: tuple[Diagnostic, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def starts(self) -> bool:
        """Would all daemons of the new version start, as far as they did before?"""
        return all(verdict.starts for verdict in self.verdicts)


def upgrade(
    old: Config, new: Config, *, asked: bool = False, fragment: bool | None = None
) -> Upgrade:
    """What changes from the version of one configuration to that of the other.

    ``asked`` and ``fragment``: see ``examine``.
    """
    before = examine(old, asked=asked, fragment=fragment)
    after = examine(new, asked=asked, fragment=fragment)
    same = {verdict.text for verdict in before.verdicts}
    found = (*changes(old, new), *_appearing(before, after, new.version))
    verdicts = tuple(verdict for verdict in after.verdicts if verdict.text not in same)
    return Upgrade(old.version, new.version, found, verdicts)


def _appearing(before: Examination, after: Examination, new: Version) -> Iterator[Diagnostic]:
    """What a check finds by the new version alone."""
    known = {_key(found) for found in before.findings}
    for found in after.findings:
        if _key(found) not in known and found.id not in _TOLD:
            if not about(found).version:
                found.message = f"in {new}: {found.message}"
            yield found


def _key(found: Diagnostic) -> tuple[object, ...]:
    return (
        found.id,
        None if found.source is None else found.source.name,
        found.position,
        "" if found.id == UNREAD.id else found.message,
    )
