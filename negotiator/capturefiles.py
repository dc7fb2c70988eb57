"""Which file of a capture holds what, and reading it.

What lives here: the names of the files in a folder, what is taken instead of them, and how trouble
with a file is told.
Inputs: a folder, paths that replace its files, ads that have been read already.  Outputs:
``LocatedAd`` lists and texts; ``CaptureReader`` gathers the diagnostics.  Raises ``InputError``
where a file that is there cannot be read.
Never here: what the ads mean (``negotiator.io``), which kind of file a path is
(``negotiator.inputs``).
Follows: the files that an administrator saves with ``condor_status -l`` and its siblings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from attr import Factory, field, frozen

from classad.errors import Diagnostic
from negotiator.adsource import LocatedAd, read_ads
from negotiator.userprio.rows import is_numbered, split_numbered

#: Names of the files of a capture; of several the first that is there.
FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "slots": ("slots.ads",),
    "jobs": ("jobs.ads", "job_queue.log"),
    "submitters": ("submitters.ads",),
    "schedds": ("schedds.ads",),
    "accounting": ("accounting.ads", "userprio.ads"),
    "accountant_log": ("Accountantnew.log",),
    "config": ("condor_config",),
    "expected": ("expected.json",),
    "negotiator": ("negotiator.ads",),
}


class InputError(Exception):
    """No cycle can be run; ``diagnostics`` say why, the deciding one last."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics[-1].message)
        self.diagnostics = tuple(diagnostics)


@frozen
class CapturePaths:
    """A folder and what is taken instead of the files in it.

    ``given``: files; ``ads``: ads of files of any name, by what they are.  ``overlays``:
    configurations that are read after the first one, ``defines``: names and texts after those.
    """

    folder: Path | None
    given: Mapping[str, Path] = field(factory=dict)
    ads: Mapping[str, tuple[LocatedAd, ...]] = field(factory=dict)
    overlays: tuple[Path, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    #: What the pool is called where there is no folder.
    title: str | None = None

    @staticmethod
    def overridable() -> tuple[str, ...]:
        """What can be given by name."""
        return tuple(name for name in FILES if name != "negotiator")

    def has(self, what: str) -> bool:
        """Whether ``what`` is given by itself, not by way of the folder."""
        return what in self.given or what in self.ads

    def find(self, what: str) -> Path | None:
        """The file given for ``what``, else the first one in the folder that exists."""
        if what in self.given:
            return self.given[what]
        # Accounting ads that are given by name are meant; the log of the folder is older news.
        if what == "accountant_log" and self.has("accounting"):
            return None
        if self.folder is None:
            return None
        paths = (self.folder / name for name in FILES[what])
        return next((path for path in paths if path.is_file()), None)

    def name(self) -> str:
        """What the pool is called in messages."""
        if self.folder is not None:
            return self.folder.name or self.folder.resolve().name
        return self.title or str(self.given["slots"])


@frozen(eq=False)
class CaptureReader:
    """The paths and what was wrong with the files so far."""

    paths: CapturePaths
    diagnostics: list[Diagnostic] = Factory(list)

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
        try:
            return split_up(what, read_ads(path, self.diagnostics))
        except OSError as problem:
            raise self.stop(f"{path}: {reason(problem)}") from None

    def text(self, what: str) -> tuple[str, str] | None:
        """Name and text of a file, None when there is none."""
        path = self.paths.find(what)
        if path is None:
            return None
        try:
            return str(path), path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as problem:
            raise self.stop(f"{path}: {reason(problem)}") from None


def split_up(what: str, ads: Sequence[LocatedAd]) -> list[LocatedAd]:
    """The ads; the one big ad with numbered attributes becomes an ad for each record."""
    if what != "accounting":
        return list(ads)
    found: list[LocatedAd] = []
    for ad in ads:
        parts = split_numbered(ad.ad) if is_numbered(ad.ad) else [ad.ad]
        found += [LocatedAd(part, ad.source) for part in parts]
    return found


def reason(problem: OSError) -> str:
    """Why a file cannot be read."""
    return (problem.strerror or str(problem)).lower()
