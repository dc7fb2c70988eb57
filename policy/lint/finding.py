"""Declares what a finding is, the value behind each ``P`` number.

docs/findings.md, the rules of the SARIF report and the tests of the examples are made from
``Finding`` values.
"""

from __future__ import annotations

from typing import Final

from attr import field, frozen

from classad.errors import Diagnostic
from classad.source import Source
from policy.knobs.reading import place
from policy.language.table import Definition

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"


@frozen
class Finding:
    """One kind of finding.

    ``bad`` is a whole small configuration that has it, ``good`` one that means the same and has
    no finding at all.
    """

    id: str
    severity: str
    title: str
    doc: str
    bad: str
    good: str
    silenceable: bool = field(default=True, kw_only=True)

    def at(
        self, message: str, source: Source | None, start: int, end: int, help: str | None = None
    ) -> Diagnostic:
        """This finding at a place."""
        return Diagnostic(
            message, source, start, end, severity=self.severity, id=self.id, help=help
        )

    def on(self, entry: Definition, message: str, help: str | None = None) -> Diagnostic:
        """This finding about a definition as such."""
        source, start, end = place(entry, entry.raw)
        if entry.source is not None:
            source, start, end = entry.source, entry.start, max(entry.end, entry.start + 1)
        return self.at(message, source, start, end, help)
