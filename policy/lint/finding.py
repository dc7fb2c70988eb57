"""Declares what a finding is, the value behind each ``P`` number.

docs/findings.md, the rules of the SARIF report and the tests of the examples are made from
``Finding`` values.
"""

from __future__ import annotations

import re
from typing import Final

from attr import field, frozen

from classad.errors import Diagnostic
from classad.source import Source
from policy.knobs.reading import place
from policy.language.table import Definition

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"
#: How far before a value its name is looked for, over continued lines.
_REACH: Final = 2000


@frozen
class Finding:
    """One kind of finding.

    ``bad`` is a whole small configuration that has it, ``good`` one that means the same and has
    no finding at all.  ``observed`` says what daemons of 25.14.1 were seen to do, where that is
    more than what holds for the whole section of docs/findings.md.  ``between``: a version that has
    the finding, or two of which the step from the first to the second has it; none for 25.14.1.
    """

    id: str
    severity: str
    title: str
    doc: str
    bad: str
    good: str
    silenceable: bool = field(default=True, kw_only=True)
    observed: str = field(default="", kw_only=True)
    between: tuple[str, ...] = field(default=(), kw_only=True)

    def at(
        self, message: str, source: Source | None, start: int, end: int, help: str | None = None
    ) -> Diagnostic:
        """This finding at a place."""
        return Diagnostic(
            message, source, start, end, severity=self.severity, id=self.id, help=help
        )

    def named(self, entry: Definition, message: str, help: str | None = None) -> Diagnostic:
        """This finding about the name of a definition."""
        spot = name_place(entry)
        if spot is None:
            return self.on(entry, message, help)
        return self.at(message, *spot, help)

    def on(self, entry: Definition, message: str, help: str | None = None) -> Diagnostic:
        """This finding about a definition as such."""
        source, start, end = place(entry, entry.raw)
        if entry.source is not None:
            source, start, end = entry.source, entry.start, max(entry.end, entry.start + 1)
        return self.at(message, source, start, end, help)


def name_place(entry: Definition) -> tuple[Source, int, int] | None:
    """Where a definition has its name: at the beginning of the last line before its value that
    begins with the name."""
    source = entry.source
    if source is None or entry.template is not None:
        return None
    pattern = re.compile(rf"(?im)^[ \t:]*({re.escape(entry.name)})(?![\w.])")
    begin = max(0, source.text.rfind("\n", 0, entry.start) - _REACH)
    found = list(pattern.finditer(source.text, begin, entry.start))
    return (source, found[-1].start(1), found[-1].end(1)) if found else None
