"""Writes what check says of each case of ``corpus/lines.txt``: ``python -m tests.policy.lines``.

A case is a few lines of configuration, and behind ``>`` what is said of them: number, severity,
line, columns, message and help.  An empty line ends it.  Lines with ``#`` before a case are its
heading.  Cases are written by hand, what is said of them is looked at when it changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.findings import lint

LINES = Path(__file__).parent / "corpus" / "lines.txt"


class Case(NamedTuple):
    """One case."""

    heading: str
    config: str
    said: str

    @property
    def written(self) -> str:
        """As it stands in the file."""
        return f"{self.heading}{self.config}{self.said}"


def cases() -> Iterator[Case]:
    """All cases, in the order of the file."""
    for block in LINES.read_text(encoding="utf-8").strip("\n").split("\n\n"):
        parts: tuple[list[str], list[str], list[str]] = ([], [], [])
        for line in block.splitlines(keepends=True):
            part = 2 if line.startswith("> ") else 0 if line.startswith("## ") else 1
            parts[part].append(line if line.endswith("\n") else f"{line}\n")
        yield Case(*map("".join, parts))


def said(config: str) -> str:
    """What check says, a line for each finding."""
    read = load_config(
        "pool.conf",
        MemorySources({"pool.conf": config}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=True,
        leave_out=True,
    )
    lines = []
    for found in lint(read):
        text = found.message if found.help is None else f"{found.message} -- {found.help}"
        columns = f"{found.column}+{found.end - found.start}"
        lines.append(f"> {found.id} {found.severity} {found.line}:{columns} {text}\n")
    return "".join(lines) or "> nothing\n"


if __name__ == "__main__":
    found = [case._replace(said=said(case.config)).written for case in cases()]
    LINES.write_text("\n".join(found), encoding="utf-8")
