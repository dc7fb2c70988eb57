"""Findings that were looked at and are accepted: the file of ``pieslice check --accepted``.

A line has the number, the file and the line of text that the finding stands in, so that it counts
wherever that line moves to, and no longer once it says something else.
Inputs: texts, findings.  Outputs: findings that are left, lines; opens no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.source import Source
from policy.knobs.reading import EXPANDED
from policy.lint.finding import NOTE
from policy.lint.findings import FINDINGS
from policy.lint.support import NO_REASON, may_be_silenced

#: What a file of accepted findings begins with.
HEAD: Final = "# Findings that `pieslice check --accepted` does not report: number, file, line\n"
_LINE: Final = late_regex(r"(P\d{3})\s+(\S+?):\s*(.*)")


@frozen
class Accepted:
    """A finding that is accepted, by what the file has in its line; ``at`` is the line of the
    list."""

    id: str
    file: str
    text: str
    at: int = 0

    def __str__(self) -> str:
        return f"{self.id} {self.file}: {self.text}".rstrip()

    @property
    def key(self) -> tuple[str, str, str]:
        """What two have in common that are the same."""
        return self.id, self.file, self.text


def accepted_in(source: Source) -> Iterator[Accepted | Diagnostic]:
    """The lines of such a file; those that are none, as findings."""
    at = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        found = _LINE.fullmatch(line.strip())
        if found is not None and found[1] in FINDINGS:
            yield Accepted(found[1], found[2], found[3], number)
        elif line.strip() and not line.lstrip().startswith("#"):
            what = "is no accepted finding: `P222 FILE: LINE`"
            message = f"there is no finding {found[1]}" if found else f"this {what}"
            yield NO_REASON.at(message, source, at, at + len(line))
        at += len(line) + 1


def acceptable(found: Diagnostic, folder: str) -> Accepted | None:
    """How a finding is written down; None for what cannot be accepted."""
    if not may_be_silenced(found, FINDINGS) or found.source is None or found.line is None:
        return None
    name = found.source.name.removesuffix(EXPANDED)
    text = found.source.text.split("\n")[found.line - 1] if found.source.quoted else ""
    file = name.removeprefix(folder).lstrip("/") or name.rpartition("/")[2]
    return Accepted(found.id or "", file, " ".join(text.split()))


def key_of(found: Diagnostic, folder: str) -> tuple[str, str, str] | None:
    """What a finding has in common with a line that accepts it; None where no line can."""
    one = acceptable(found, folder)
    return None if one is None else one.key


def idle(accepted: Iterable[Accepted], source: Source) -> Iterator[Diagnostic]:
    """A note for each line whose finding is there no more."""
    lines = source.text.split("\n")
    for one in accepted:
        start = sum(len(line) + 1 for line in lines[: one.at - 1])
        message = "this is not found any more"
        note = NO_REASON.at(message, source, start, start + len(lines[one.at - 1]))
        note.severity = NOTE
        yield note


def written(findings: Iterable[Diagnostic], folder: str) -> str:
    """The text of a file that accepts all that can be accepted."""
    lines = (acceptable(found, folder) for found in findings if found.severity != NOTE)
    known = dict.fromkeys(str(one) for one in lines if one is not None)
    return HEAD + "".join(f"{line}\n" for line in known)
