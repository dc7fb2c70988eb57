"""Shows the rules of a cycle that changed between versions of HTCondor.

Inputs: none, or two versions.  Outputs: ``VersionRules``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from attr import frozen

from negotiator.versions.rule import VersionRule
from negotiator.versions.table import RULES, changed_between
from pieslice.reports.document import shape
from pieslice.reports.layout import Block, Line
from pieslice.reports.result import Result
from policy.versions import Followed, Version


def rules_between(one: Followed | None, other: Followed | None) -> VersionRules:
    """The rules that two versions do not have in common; all that changed without versions."""
    if one is None or other is None:
        return VersionRules(RULES)
    return VersionRules(tuple(changed_between(one.version, other.version)), (one, other))


@frozen(eq=False, repr=False)
class VersionRules(Result):
    """The rules of the negotiation that changed between versions of HTCondor.

    ``between``: the two versions that they tell apart.
    """

    schema: ClassVar[str] = "pieslice/versions/1"
    rules: tuple[VersionRule[object], ...]
    between: tuple[Followed, Followed] | None = None

    def summary(self) -> str:
        return self._title()

    def _title(self) -> str:
        count = f"{len(self.rules)} rule{'' if len(self.rules) == 1 else 's'}"
        if self.between is None:
            return f"{count} of the negotiation changed from 23.0 to 25.14.1"
        one, other = (side.version for side in self.between)
        return f"{count} differ{'s' if len(self.rules) == 1 else ''} between {one} and {other}"

    def blocks(self) -> Sequence[Block]:
        found: list[Block] = [Line(self._title(), heading=True)]
        for rule in self.rules:
            found.append(Line(f"{rule.number}. {rule.name} ({_since(rule)})", heading=True))
            for label, text in self._sides(rule):
                found.append(Line(f"  {label}: {text}"))
            found.append(Line(f"  {_evidence(rule)}"))
        return found

    def _sides(self, rule: VersionRule[object]) -> Iterator[tuple[str, str]]:
        """What the rule was and is, or what it is in each of two versions."""
        if self.between is None:
            yield "before", rule.before
            yield "since", rule.after
            return
        for side in self.between:
            yield str(side.version), rule.after if rule.is_new(side.version) else rule.before

    @property
    def versions(self) -> tuple[Version, ...]:
        """The two versions, if it is about two."""
        return tuple(side.version for side in self.between or ())


shape(
    VersionRule,
    "number name before since=after first_version=since lines daemon recorded applied scenario",
)
shape(VersionRules, "versions rules")


def _since(rule: VersionRule[object]) -> str:
    lines = f"; lines {', '.join(rule.lines)}" if rule.lines else "; no long-term line"
    return f"since {rule.since}{lines}; version of {rule.daemon.value}"


def _evidence(rule: VersionRule[object]) -> str:
    """How it is known, and whether it is followed."""
    how = "recorded" if rule.recorded else "read in the source, not recorded"
    shown = f"; shown by {rule.scenario}" if rule.scenario else ""
    return f"{how}{shown}{'' if rule.applied else '; not applied: no pool tells what it needs'}"
