"""The cases of ``corpus/lines.txt``: a few lines of configuration, and the findings in them.

Behind ``>`` stands a finding: its number, its line, its column and how many characters it marks.
An empty line ends a case; lines with ``##`` before one are the heading of those that follow.  They
say what only just is a fault and what only just is none; words of findings stand elsewhere.
"""

from __future__ import annotations

from itertools import accumulate, groupby
from pathlib import Path
from typing import Final, NamedTuple

from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.findings import Finding, lint

LINES: Final = Path(__file__).parent / "corpus" / "lines.txt"


class Case(NamedTuple):
    """A configuration, and its findings: number, line, column, characters."""

    heading: str
    config: str
    expected: list[str]


def case_of(block: str) -> Case:
    """A case as it stands in the file."""
    lines = block.splitlines()
    heading = [line for line in lines if line.startswith("## ")]
    config = [line for line in lines if not line.startswith(("## ", "> "))]
    expected = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    return Case(
        "\n".join(heading), "\n".join([*config, ""]), [it for it in expected if it != "nothing"]
    )


def sections() -> dict[str, list[Case]]:
    """All cases by their headings, in the order of the file."""
    cases = [
        case_of(block) for block in LINES.read_text(encoding="utf-8").strip("\n").split("\n\n")
    ]
    headings = accumulate((case.heading for case in cases), lambda last, new: new or last)
    return {
        heading.removeprefix("## "): [case for case, _ in group]
        for heading, group in groupby(zip(cases, headings, strict=True), key=lambda it: it[1])
    }


def findings_in(config: str) -> list[Finding]:
    """What ``pieslice check`` finds for a negotiator."""
    read = load_config(
        "pool.conf",
        MemorySources({"pool.conf": config}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=True,
        leave_out=True,
    )
    return list(lint(read))
