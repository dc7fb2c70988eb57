"""Says what JSON has of the checks of the installation.

Inputs: checks.  Outputs: ``DoctorDocument``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attr import frozen

from pieslice.doctor.page import PartCheck
from pieslice.reports.document import Document, shape


@frozen
class DoctorDocument(Document):
    """What was found about the installation."""

    schema: ClassVar[str] = "pieslice/doctor/1"
    version: str
    checks: Sequence[PartCheck]

    @property
    def usable(self) -> bool:
        """Whether nothing is broken."""
        return all(check.state != "broken" for check in self.checks)


shape(PartCheck, "name state text help")
shape(DoctorDocument, "version usable checks")
