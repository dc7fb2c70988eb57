"""Writes the page about versions, ``docs/versions.md``, from the rows of ``negotiator.versions``.

``python -m docs.written versions`` prints it.
"""

from __future__ import annotations

from typing import Final

from negotiator.versions.table import RULES
from policy.versions import LINES, RECORDED

_PAGE: Final = """\
<!-- Written by `python -m docs.written versions`; edit the rows in negotiator/versions. -->

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
