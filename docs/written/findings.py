"""Writes the reference of findings, ``docs/findings.md``, from the declarations.

Inputs: ``policy.lint.findings.FINDINGS``.  Outputs: the page as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policy.lint.findings import FINDINGS, Finding

_INTRODUCTION: Final = """\
<!-- Written by `python -m docs.written findings`; edit the declarations in policy/lint. -->

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

#: The first finding of each section, its title, and what its statements about daemons rest on; two
#: are about pieslice alone.
_SECTIONS: Final = (
    (
        "P101",
        "Reading",
        "Observed with 25.14.1: recorded starts of condor_negotiator, and what condor_config_val"
        " prints.",
    ),
    (
        "P124",
        "References",
        "Observed with 25.14.1: condor_config_val expands such a reference to nothing, or leaves"
        " it as text. What comes of the value was not asked of each daemon.",
    ),
    ("P130", "Words and bounds", ""),
    (
        "P201",
        "Names",
        "Observed with 25.14.1: which names its daemons read. That a name was meant for another"
        " is a judgement.",
    ),
    (
        "P211",
        "Lists of names",
        "Observed with 25.14.1: its startd and schedd skip what they do not find, and take"
        " quotes for a part of the name. Other daemons were not asked.",
    ),
    (
        "P221",
        "Prefixes and second assignments",
        "Observed with 25.14.1: which daemon reads a macro, and which definition counts.",
    ),
    (
        "P231",
        "Security",
        "Observed with 25.14.1: a level is read by its first letter, and an unknown method is"
        " passed over.",
    ),
    ("P241", "Macros that need others", ""),
    (
        "P242",
        "Types of slots",
        "Observed with 25.14.1: its startd makes the slots that it can, logs the rest and goes on.",
    ),
    (
        "P244",
        "Transforms",
        "Not observed with a daemon: it follows from the manual.",
    ),
    (
        "P301",
        "Groups",
        "Observed with 25.14.1: recorded starts and cycles of condor_negotiator.",
    ),
    (
        "P401",
        "Attributes and functions",
        "Which ad has an attribute was observed in ads that 25.14.1 sent; what comes of it"
        " follows from the rules of the ClassAd language.",
    ),
    (
        "P410",
        "Comparisons",
        "Not observed with a daemon: it follows from the rules of the ClassAd language.",
    ),
    (
        "P418",
        "Whole conditions",
        "Not observed with a daemon: it follows from the rules of the ClassAd language.",
    ),
    (
        "P420",
        "Slips",
        "Not observed with a daemon: it follows from the rules of the ClassAd language.",
    ),
    (
        "P424",
        "Texts",
        "Not observed with a daemon: it follows from the rules of the ClassAd language.",
    ),
    ("P429", "Depth", ""),
    (
        "P430",
        "Ranks",
        "Not observed with a daemon: it follows from what the manual says of ranks.",
    ),
    (
        "P432",
        "Kinds of values",
        "Not observed with a daemon: it follows from the rules of the ClassAd language.",
    ),
    (
        "P501",
        "Preemption",
        "Observed with 25.14.1: recorded cycles of condor_negotiator show what decides a"
        " preemption. How many it makes in a pool was not observed.",
    ),
    (
        "P601",
        "Units",
        "Not observed with a daemon: units are the manual's, and what is too small or too great"
        " is a judgement.",
    ),
    (
        "P701",
        "Versions",
        "Observed with 23.9.6 and 25.14.1, and recorded of 24.0.23 and 25.0.13: defaults,"
        " templates, and what the language makes of an expression.",
    ),
    ("P901", "Silencing", ""),
    ("P910", "What pieslice does not do", ""),
)


def findings_page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION, *_table()]
    bounds = [first for first, _, _ in _SECTIONS]
    for (first, title, basis), end in zip(_SECTIONS, [*bounds[1:], "Q"], strict=True):
        parts.append(f"## {title}\n")
        for found in FINDINGS.values():
            if first <= found.id < end:
                parts.extend(_entry(found, found.observed or basis))
    return "\n".join(parts)


def _table() -> Iterator[str]:
    yield "| Finding | Severity | |"
    yield "|---|---|---|"
    for found in FINDINGS.values():
        yield f"| {found.id} | {found.severity} | {found.title.replace('|', chr(92) + '|')} |"
    yield ""


def _entry(found: Finding, basis: str) -> Iterator[str]:
    """``basis``: what its statements about daemons rest on."""
    yield f"### {found.id}: {found.title}\n"
    yield f"{found.doc}\n"
    if basis:
        yield f"{basis}\n"
    yield f"{_silence(found)}\n"
    if len(found.between) == 1:
        yield f"Shown by {found.between[0]}: `--condor-version`.\n"
    yield f"```text\n# {found.id}\n{_visible(found.bad)}```\n"
    yield f"```text\n# right\n{found.good}```\n"


def _silence(found: Finding) -> str:
    """How not to be told of it again."""
    if len(found.between) > 1:
        step = " -> ".join(found.between)
        return (
            f"Told of a step, here {step}: `--condor-version` and `--upgrade`. Not to be silenced."
        )
    if not found.silenceable:
        return "It cannot be silenced: a daemon ends, or nothing can be said of the rest."
    fragment = " or, for a file that others complete, `--fragment`" if found.elsewhere else ""
    return f"To silence: `# pieslice: ignore {found.id} because ...`{fragment}."


def _visible(text: str) -> str:
    """An example with words for what a page cannot show."""
    text = text.replace("\0", "<NUL>")
    return text if text.endswith("\n") else f"{text}<end of the file>\n"
