"""Finds which file of a capture holds what, and what stands in where one is missing.

Inputs: a folder, paths that replace its files, ads that have been read already.  Outputs: where
each part of a pool is to be read from.
Follows: the files that an administrator saves with ``condor_status -l`` and its siblings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attr import field, frozen

from classad.errors import Diagnostic
from negotiator.capture.ads import LocatedAd

if TYPE_CHECKING:
    from pathlib import Path

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
    "claims": ("claims.ads",),
    "manifest": ("capture.json",),
}
#: What only the folder of a capture has.
_OF_FOLDERS: Final = ("negotiator", "claims", "manifest")


class InputError(Exception):
    """No cycle can be run; ``diagnostics`` say why, the deciding one last."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics[-1].message)
        self.diagnostics = tuple(diagnostics)


@frozen
class CapturePaths:
    """A folder and what is taken instead of the files in it.

    ``given``: files; ``ads``: ads of files of any name, by what they are.  ``overlays``:
    configurations that are read after the first one, ``texts``: names and contents of more that
    are in no file, ``defines``: names and texts of macros after those.
    """

    folder: Path | None
    given: Mapping[str, Path] = field(factory=dict)
    ads: Mapping[str, tuple[LocatedAd, ...]] = field(factory=dict)
    overlays: tuple[Path, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    #: What the pool is called where there is no folder.
    title: str | None = None

    @staticmethod
    def overridable() -> tuple[str, ...]:
        """What can be given by name."""
        return tuple(name for name in FILES if name not in _OF_FOLDERS)

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
