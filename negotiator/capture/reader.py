"""Reads the files of a capture, and keeps what was wrong with them."""

from __future__ import annotations

from pathlib import Path

from attr import Factory, frozen

from classad.errors import Diagnostic
from negotiator.capture.ads import LocatedAd, read_ads, split_up
from negotiator.capture.files import FILES, CapturePaths, InputError
from policy.dialects import HTCONDOR, Dialect
from policy.versions import Followed


@frozen(eq=False)
class CaptureReader:
    """The paths, whose rules are meant, and what was wrong with the files so far.

    ``version``: that is given for the whole pool; None: its daemons tell theirs.  ``fallback``: for
    a pool whose daemons tell none.
    """

    paths: CapturePaths
    dialect: Dialect = HTCONDOR
    diagnostics: list[Diagnostic] = Factory(list)
    version: Followed | None = None
    fallback: Followed = Factory(Followed)

    def warn(self, message: str, *, severity: str = "warning", help: str | None = None) -> None:
        """Note something that a cycle can do without."""
        self.diagnostics.append(Diagnostic(message, severity=severity, help=help))

    def stop(self, message: str, *, help: str | None = None) -> InputError:
        """The error for something that a cycle cannot do without."""
        self.warn(message, severity="error", help=help)
        return InputError(self.diagnostics)

    def missing(self, what: str) -> str:
        """The name of a file that is not there."""
        folder = self.paths.folder
        return str(folder / FILES[what][0]) if folder is not None else f"{what} ads"

    def ads(self, what: str) -> list[LocatedAd] | None:
        """The ads of a kind, None when there are none; a file that is unreadable ends the run."""
        if what not in self.paths.given and what in self.paths.ads:
            return split_up(what, self.paths.ads[what])
        path = self.paths.find(what)
        if path is None:
            return None
        return split_up(what, ads_of(path, self.diagnostics))

    def text(self, what: str) -> tuple[str, str] | None:
        """Name and text of a file, None when there is none."""
        path = self.paths.find(what)
        if path is None:
            return None
        try:
            return str(path), path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as problem:
            raise self.stop(f"{path}: {reason(problem)}") from None


def ads_of(path: Path, diagnostics: list[Diagnostic]) -> list[LocatedAd]:
    """The ads of a file; raises ``InputError`` if it cannot be read."""
    try:
        return read_ads(path, diagnostics)
    except OSError as problem:
        diagnostics.append(Diagnostic(f"{path}: {reason(problem)}"))
        raise InputError(diagnostics) from None


def reason(problem: OSError) -> str:
    """Why a file cannot be read."""
    return (problem.strerror or str(problem)).lower()
