"""Writes the reference of findings, ``docs/findings.md``, from the declarations.

Inputs: ``policy.lint.findings.SECTIONS``.  Outputs: the page as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policy.lint.findings import COMPLETED, SECTIONS, Finding, declared

_INTRODUCTION: Final = """\
<!-- Written by `python -m pieslice.documents findings`; edit the declarations in policy/lint. -->

# Findings

What `pieslice check` finds in a configuration. An *error* stops a daemon or spoils an expression, a
*warning* is something that HTCondor accepts and nobody means, a *note* is for information.

A comment in the configuration silences a finding for the statement that it stands in or above. It
needs a reason, and what stops a daemon cannot be silenced:

```text
# pieslice: ignore P505 because all jobs here run for less than ten minutes
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio
```
"""


def findings_page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION, *_table()]
    for title, module in SECTIONS:
        parts.append(f"## {title}\n")
        for found in declared(module):
            parts.extend(_entry(found))
    return "\n".join(parts)


def _table() -> Iterator[str]:
    yield "| Finding | Severity | |"
    yield "|---|---|---|"
    for _, module in SECTIONS:
        for found in declared(module):
            yield f"| {found.id} | {found.severity} | {found.title.replace('|', chr(92) + '|')} |"
    yield ""


def _entry(found: Finding) -> Iterator[str]:
    yield f"### {found.id}: {found.title}\n"
    yield f"{found.doc}\n"
    yield f"{_silence(found)}\n"
    yield f"```text\n# {found.id}\n{_visible(found.bad)}```\n"
    yield f"```text\n# right\n{found.good}```\n"


def _silence(found: Finding) -> str:
    """How not to be told of it again."""
    if not found.silenceable:
        return "It cannot be silenced: a daemon ends, or nothing can be said of the rest."
    fragment = " or, for a file that others complete, `--fragment`" if found.id in COMPLETED else ""
    return f"To silence: `# pieslice: ignore {found.id} because ...`{fragment}."


def _visible(text: str) -> str:
    """An example with words for what a page cannot show."""
    text = text.replace("\0", "<NUL>")
    return text if text.endswith("\n") else f"{text}<end of the file>\n"
