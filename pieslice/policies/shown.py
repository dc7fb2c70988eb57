"""Shows findings, repairs and steps from version to version in JSON, as other reports need not."""

from __future__ import annotations

from attr import frozen

from classad.errors import Diagnostic, Edit
from pieslice.reports.document import view
from policy.lint.causes import file_of
from policy.lint.steps import Upgrade


@frozen
class ShownEdit:
    """A repair: what is replaced, from a character up to the one that stays, and by what."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    @classmethod
    def of(cls, edit: Edit) -> ShownEdit:
        """The places of an edit in lines and columns."""
        first, last = map(edit.source.position, (edit.start, edit.end))
        return cls(edit.source.name, *first, *last, edit.text)


@view("id severity file=.file line column message help edit=.edit")
class ShownFinding:
    """A finding: its place, what is wrong, what would help."""

    found: Diagnostic

    @property
    def file(self) -> str | None:
        """The file that it is in."""
        return file_of(self.found)

    @property
    def edit(self) -> ShownEdit | None:
        """What repairs it, where that is known."""
        return None if self.found.edit is None else ShownEdit.of(self.found.edit)


@view("from=old to=new verdicts findings=.findings")
class ShownUpgrade:
    """What changes from one version to another: verdicts that are others, and findings."""

    step: Upgrade

    @property
    def findings(self) -> list[ShownFinding]:
        """The findings as JSON has them."""
        return [*map(ShownFinding, self.step.findings)]
