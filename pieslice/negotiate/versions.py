"""Shows the rules of a cycle that changed between versions of HTCondor.

Inputs: none, or two versions.  Outputs: ``VersionRules``, and the page ``docs/versions.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from attr import frozen

from negotiator.versions.rule import Rule
from negotiator.versions.table import RULES, changed_between
from pieslice.reports.layout import Block, Line
from pieslice.reports.result import Result
from policy.versions import LINES, RECORDED, Followed


def rules_between(one: Followed | None, other: Followed | None) -> VersionRules:
    """The rules that two versions do not have in common; all that changed without versions."""
    if one is None or other is None:
        return VersionRules(RULES)
    return VersionRules(tuple(changed_between(one.version, other.version)), (one, other))


@frozen(eq=False, repr=False)
class VersionRules(Result):
    """Rules that changed; ``between``: the two versions that they tell apart."""

    schema: ClassVar[str] = "pieslice/versions/1"
    rules: tuple[Rule[object], ...]
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

    def _sides(self, rule: Rule[object]) -> Iterator[tuple[str, str]]:
        """What the rule was and is, or what it is in each of two versions."""
        if self.between is None:
            yield "before", rule.before
            yield "since", rule.after
            return
        for side in self.between:
            yield str(side.version), rule.after if rule.is_new(side.version) else rule.before

    def data(self) -> Mapping[str, object]:
        return {
            "versions": [str(side.version) for side in self.between or ()],
            "rules": [
                {
                    "number": rule.number,
                    "name": rule.name,
                    "before": rule.before,
                    "since": rule.after,
                    "first_version": str(rule.since),
                    "lines": rule.lines,
                    "daemon": rule.daemon.value,
                    "recorded": rule.recorded,
                    "applied": rule.applied,
                    "scenario": rule.scenario or None,
                }
                for rule in self.rules
            ],
        }


def _since(rule: Rule[object]) -> str:
    lines = f"; lines {', '.join(rule.lines)}" if rule.lines else "; no long-term line"
    return f"since {rule.since}{lines}; version of {rule.daemon.value}"


def _evidence(rule: Rule[object]) -> str:
    """How it is known, and whether it is followed."""
    how = "recorded" if rule.recorded else "read in the source, not recorded"
    shown = f"; shown by {rule.scenario}" if rule.scenario else ""
    return f"{how}{shown}{'' if rule.applied else '; not applied: no pool tells what it needs'}"


_PAGE = """\
<!-- Written by `python -m pieslice.documents versions`; edit the rows in negotiator/versions. -->

# Versions of HTCondor

A pool is decided by the rules of its own daemons. `pieslice` follows the version in the
CondorVersion of the negotiator's ad (without one, of the collector's), for each schedd that of its
own ad. `--condor-version 24.0` or `24.0.23` takes the place of all of them. A version between those
below follows the rules that are not newer than it; what is newer than 25.14.1 follows 25.14.1; what
is older than 23.0 is refused.

For what tells no version, a configuration for instance, a project may name one in `pieslice.toml`,
which is looked for in the folder where a command runs and in those above it:

```toml
condor-version = "24.0"
```

Without any it is 25.14.1. The head of every answer that depends on the version says which was
followed, and whence: `follows 24.0.23: CondorVersion of the negotiator's ad`. Its JSON has
`condor_version` and `condor_version_from`. What prints values alone, as `eval`, `select` and
`config show` do, or what HTCondor's own tools print, as `userprio` does, has no head. `forecast`
without a configuration, `when` and `history` follow no version: they count what is recorded.

`pieslice versions A B` prints the rows in which two versions differ, and
`pieslice diff POOL --versions A B` what that changes on a pool.

Recorded are decisions of {recorded}; long-term support lines are {lines}.

"""


def versions_page() -> str:
    """The page of docs/ about versions."""
    recorded = ", ".join(map(str, RECORDED[:-1])) + f" and {RECORDED[-1]}"
    parts = [_PAGE.format(recorded=recorded, lines=", ".join(LINES))]
    parts.append("| | rule | new since | lines with it | whose version | known |")
    parts.append("|---|---|---|---|---|---|")
    for rule in RULES:
        known = "recorded" if rule.recorded else "read"
        known += "" if rule.applied else ", not applied"
        lines = ", ".join(rule.lines) or "none"
        cells = (rule.number, rule.name, str(rule.since), lines, rule.daemon.value, known)
        parts.append(f"| {' | '.join(cells)} |")
    for rule in RULES:
        parts += ["", f"## {rule.number}. {rule.name}", ""]
        parts += [f"Before {rule.since}: {rule.before}", "", f"Since {rule.since}: {rule.after}"]
        if rule.scenario:
            parts += ["", f"Shown by the scenario `{rule.scenario}`."]
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n"
