"""Finds which file of a capture holds what, reads it, and keeps what was wrong with it.

Inputs: a folder, paths that replace its files, ads that have been read already.  Outputs: ads,
texts, what a capture says of itself.
Follows: the files that an administrator saves with ``condor_status -l`` and its siblings, and the
manifest that ``pieslice capture`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, Protocol

from attr import Factory, field, frozen

from classad.errors import Diagnostic
from classad.files.ads import load_file
from negotiator.capture.ads import LoadFile, LocatedAd, read_ads, split_up
from policy.dialects import HTCONDOR, Dialect
from policy.versions import Followed

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
#: The commands of HTCondor that print what the parts of a capture are.
TOOLS: Final[Mapping[str, str]] = {
    "slots": "condor_status -l",
    "submitters": "condor_status -submitters -l",
    "schedds": "condor_status -schedd -l",
    "jobs": "condor_q -all -global -l",
    "accounting": "condor_userprio -all -l",
    "config": "condor_config_val -summary",
}


class InputError(Exception):
    """No cycle can be run; ``diagnostics`` say why, the deciding one last."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics[-1].message)
        self.diagnostics = tuple(diagnostics)


@frozen
class ConfigPaths:
    """Configurations in the order in which they are read.

    ``root``: None for that of the folder of the capture, if it has one.  ``overlays``: files that
    are read after it, ``texts``: names and contents of more that are in no file, ``defines``: names
    and texts of macros after those.  ``contents``: what some of the files contain in place of what
    is on the disk, if there is such a file there at all.
    """

    root: Path | None = None
    overlays: tuple[Path, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    contents: tuple[tuple[Path, str], ...] = ()


@frozen
class CapturePaths:
    """A folder and what is taken instead of the files in it.

    ``given``: files; ``ads``: ads of files of any name, by what they are.  ``overlays``:
    configurations that are read after the first one, ``texts``: names and contents of more that
    are in no file, ``defines``: names and texts of macros after those.  ``before``: the
    configurations that the pool had before that, each in place of the one before it; ``where``: the
    condition for slots of machines that have the last one, empty for all.  ``contents``: see
    ``ConfigPaths``.  ``needs_jobs``: whether a pool without job ads is an error;
    ``made_up_jobs``: whether there it has jobs that are made up from what runs.  ``load``: loads
    files of ads in long form; it may have kept their columns.
    """

    folder: Path | None
    given: Mapping[str, Path] = field(factory=dict)
    ads: Mapping[str, tuple[LocatedAd, ...]] = field(factory=dict)
    overlays: tuple[Path, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    #: What the pool is called where there is no folder.
    title: str | None = None
    before: tuple[ConfigPaths, ...] = ()
    where: str = ""
    contents: tuple[tuple[Path, str], ...] = ()
    needs_jobs: bool = True
    made_up_jobs: bool = False
    load: LoadFile = field(default=load_file, eq=False)

    @property
    def config(self) -> ConfigPaths:
        """The configuration that is read."""
        root = self.find("config")
        return ConfigPaths(root, self.overlays, self.texts, self.defines, self.contents)

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
        return self.in_folder(what)

    def in_folder(self, what: str) -> Path | None:
        """The first file for ``what`` in the folder that exists."""
        if self.folder is None:
            return None
        paths = (self.folder / name for name in FILES[what])
        return next((path for path in paths if path.is_file()), None)

    def name(self) -> str:
        """What the pool is called in messages."""
        if self.folder is not None:
            return self.folder.name or self.folder.resolve().name
        return self.title or str(self.given["slots"])


class StageWatch(Protocol):
    """Is told which stage begins; the stage lasts as long as the context that it returns."""

    def stage(self, name: str) -> AbstractContextManager[None]:
        """The context of a stage of this name."""


class _Silent:
    def stage(self, name: str) -> AbstractContextManager[None]:
        """A context that does nothing."""
        return nullcontext()


#: Tells nobody.
SILENT: Final[StageWatch] = _Silent()


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
        return split_up(what, ads_of(path, self.diagnostics, self.paths.load))

    def text(self, what: str) -> tuple[str, str] | None:
        """Name and text of a file, None when there is none."""
        path = self.paths.find(what)
        if path is None:
            return None
        try:
            return str(path), path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as problem:
            raise self.stop(f"{path}: {reason(problem)}") from None


def ads_of(
    path: Path, diagnostics: list[Diagnostic], load: LoadFile = load_file
) -> list[LocatedAd]:
    """The ads of a file; raises ``InputError`` if it cannot be read."""
    try:
        return read_ads(path, diagnostics, load)
    except OSError as problem:
        diagnostics.append(Diagnostic(f"{path}: {reason(problem)}"))
        raise InputError(diagnostics) from None


def reason(problem: OSError) -> str:
    """Why a file cannot be read."""
    return (problem.strerror or str(problem)).lower()


#: What ``order`` says where the collector answered slots and submitters in one query.
AS_IT_CAME: Final = "as it came"


@frozen
class Manifest:
    """``ordered``: slots and submitters stand in the order in which the negotiator sees them.

    ``times``: when the last answer had come, in seconds since the epoch, if that is known.
    """

    ordered: bool = False
    times: tuple[float, ...] = ()


def read_manifest(reader: CaptureReader) -> Manifest:
    """What is said of the capture; a folder without a manifest says nothing.

    Raises ``InputError`` if there is no such folder.
    """
    paths = reader.paths
    if paths.folder is not None and not paths.folder.is_dir():
        raise reader.stop(f"{paths.folder}: no such folder")
    # Files that replace those of the folder are not what the manifest speaks of.
    found = None if paths.has("slots") or paths.has("submitters") else reader.text("manifest")
    if found is None:
        return Manifest()
    name, text = found
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, Mapping):
        reader.warn(f"{name}: not the manifest of a capture; not used")
        return Manifest()
    for key, words in (("missing", "not in the capture"), ("uncertain", "uncertain")):
        lines = data.get(key)
        for line in lines if isinstance(lines, list) else ():
            reader.warn(f"{words}: {line}")
    ended = data.get("ended")
    ordered = data.get("order") == AS_IT_CAME
    if isinstance(ended, bool) or not isinstance(ended, int | float) or not 0 < ended < 2**62:
        return Manifest(ordered)
    return Manifest(ordered, (ended,))
