"""Finds out what each file named on a command line is.

Decides how a path is told to be the folder of a capture, a history, a scenario, a transaction log,
a configuration, recorded decisions, or ads, and which ads are slots, jobs, submitters, schedds and
accounting records, in whatever form and mixture they come.

Inputs: paths as given.  Outputs: ``Inputs``: where each part of a pool is to be read from; raises
``InputError`` where nothing can be made of a path.  Follows: ``MyType`` of the ads that the
collector and the schedds hand out; ads without it are told by attributes that only their kind has.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attr import define, field, frozen

from classad.errors import Diagnostic
from classad.patterns import late_regex
from negotiator.capture.ads import (
    LocatedAd,
    begins_as,
    content_of,
    is_log,
    load_columns,
    read_ads,
)
from negotiator.capture.files import FILES, CapturePaths, InputError
from pieslice.data import JsonObject, Record

if TYPE_CHECKING:
    from pathlib import Path

#: ``MyType``, folded -> what the ad is.  Other types are of no use to a cycle.
KINDS: Final[Mapping[str, str]] = {
    "machine": "slots",
    "job": "jobs",
    "submitter": "submitters",
    "scheduler": "schedds",
    "accounting": "accounting",
    "negotiator": "negotiator",
}
#: Attributes that tell the kind of an ad without ``MyType``; the first that are all there.
_MARKS: Final = (
    ("jobs", ("ClusterId", "ProcId")),
    ("submitters", ("ScheddName", "IdleJobs")),
    ("accounting", ("NumSubmittors",)),
    ("accounting", ("Name", "Priority", "PriorityFactor")),
    ("slots", ("Name", "Cpus")),
)
_ACCOUNTANT_KEY: Final = late_regex(r"^10[1-4] (Customer|Resource|Accountant)\.", re.MULTILINE)
_CONFIG_NAME: Final = late_regex(r"condor_config.*|.*\.(conf|config)")


@frozen
class Inputs:
    """A pool's parts, or a scenario; ``scenario`` is the object in the file ``paths.title``.

    ``history``: in place of the folder of a capture, one of the captures in that file.
    """

    paths: CapturePaths
    scenario: Record | None = None
    history: Path | None = None

    @property
    def complete(self) -> bool:
        """Whether slots come from somewhere, and jobs if they have to."""
        needed = ("slots", "jobs") if self.paths.needs_jobs else ("slots",)
        parts = all(self.paths.has(what) for what in needed)
        whole = (self.paths.folder, self.scenario, self.history)
        return parts or any(one is not None for one in whole)


@define(eq=False)
class _Heap:
    """What the paths so far were."""

    diagnostics: list[Diagnostic]
    folder: Path | None = None
    given: dict[str, Path] = field(factory=dict)
    ads: dict[str, list[LocatedAd]] = field(factory=dict)
    overlays: list[Path] = field(factory=list)
    scenario: Record | None = None
    history: Path | None = None

    def stop(self, message: str, *, help: str | None = None) -> InputError:
        return InputError([*self.diagnostics, Diagnostic(message, help=help)])


def sort_out(paths: Sequence[Path], diagnostics: list[Diagnostic]) -> Inputs:
    """Tell what each path is; trouble that a run survives is added to ``diagnostics``."""
    heap = _Heap(diagnostics)
    for path in paths:
        try:
            if not path.exists():
                stream = "a pool is not read from standard input; save it to a file"
                help = stream if str(path) == "-" else None
                raise heap.stop(f"{path}: no such folder or file", help=help)
            if path.is_dir():
                _add_folder(heap, path)
            else:
                _add_file(heap, path)
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
            raise heap.stop(f"{path}: {why}") from None
    if heap.scenario is not None and len(paths) > 1:
        raise heap.stop("a scenario is a whole pool; it stands alone")
    found = CapturePaths(
        heap.folder,
        heap.given,
        {kind: tuple(ads) for kind, ads in heap.ads.items()},
        tuple(heap.overlays),
        title=", ".join(map(str, paths)) if paths and heap.folder is None else None,
    )
    return Inputs(found, heap.scenario, heap.history)


def _add_folder(heap: _Heap, path: Path) -> None:
    _check_first(heap, path, "folder")
    heap.folder = path


def _check_first(heap: _Heap, path: Path, what: str) -> None:
    if heap.folder is not None or heap.history is not None:
        raise heap.stop(f"`{path}` is a second {what}; a pool has one folder or one history")


def _is_history(head: bytes) -> bool:
    """Whether a file that begins so is one; most are not even databases."""
    if not head.startswith(b"SQLite"):
        return False
    from pieslice.recording.store import is_history

    return is_history(head)


def _add_file(heap: _Heap, path: Path) -> None:
    try:
        kind = file_kind(path)
    except ArchiveError as problem:
        raise heap.stop(str(problem), help=UNPACK) from None
    if kind.what == "history":
        _check_first(heap, path, "history")
        heap.history = path
    elif kind.what == "scenario":
        heap.scenario = kind.data
    elif kind.what == "config":
        _add_config(heap, path)
    elif kind.what == "ads":
        _add_ads(heap, path)
    else:
        heap.given[kind.what] = path


@frozen(eq=False)
class FileKind:
    """What a file is.

    ``what``: a part of a pool by its name in ``CapturePaths``, ``history``, ``scenario``, or
    ``ads`` of kinds that only the ads tell.  ``data``: the object of a scenario or of decisions.
    """

    what: str
    data: Record | None = None


class ArchiveError(ValueError):
    """A file is an archive of files."""


#: What is to be done with an archive.
UNPACK: Final = "unpack it, and give the folder"
#: Archives by what stands in them where, and by their names where they are compressed.
_ARCHIVES: Final = ((0, b"PK\x03\x04"), (257, b"ustar"), (0, b"7z\xbc\xaf\x27\x1c"))
_ARCHIVE_NAME: Final = late_regex(r".*\.(tar(\.\w+)?|t[gbx]z2?|tzst|zip|7z|rar)", re.IGNORECASE)


def file_kind(path: Path) -> FileKind:
    """Tell what a file is; raises ``OSError``, and ``ArchiveError`` for an archive."""
    head = begins_as(path)
    if _is_history(head):
        return FileKind("history")
    if _ARCHIVE_NAME.fullmatch(path.name) or any(
        head[at : at + len(mark)] == mark for at, mark in _ARCHIVES
    ):
        raise ArchiveError(f"{path}: an archive, which is not unpacked")
    if is_log(path):
        text = head.decode("utf-8", "surrogateescape")
        return FileKind("accountant_log" if _ACCOUNTANT_KEY.search(text) else "jobs")
    of_folder = next((what for what in ("claims", "manifest") if path.name in FILES[what]), None)
    if of_folder is not None:
        return FileKind(of_folder)
    if _CONFIG_NAME.fullmatch(path.name):
        return FileKind("config")
    data = _json_object(path)
    if data is None:
        return FileKind("ads")
    # A recorded scenario, one without a recording, or decisions to compare with.
    if isinstance(data.get("scenario"), dict):
        return FileKind("scenario", data)
    if isinstance(data.get("slots"), list):
        return FileKind("scenario", {"scenario": data})
    return FileKind("expected", data)


def _add_config(heap: _Heap, path: Path) -> None:
    """The first configuration is that of the pool, others are read after it."""
    if "config" in heap.given:
        heap.overlays.append(path)
    else:
        heap.given["config"] = path


def _json_object(path: Path) -> JsonObject | None:
    """The JSON object in a file, None for anything else, a single ad among it."""
    if not begins_as(path).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    try:
        data = json.loads(content_of(path))
    except (ValueError, RecursionError):
        return None
    known = {"scenario", "slots", "matches", "rejections"}
    return data if isinstance(data, dict) and known & set(data) else None


def _add_ads(heap: _Heap, path: Path) -> None:
    unknown = 0
    problems: list[Diagnostic] = []
    ads = read_ads(path, problems)
    for ad in ads:
        kind = kind_of(ad)
        if kind is None:
            unknown += 1
        else:
            heap.ads.setdefault(kind, []).append(ad)
    if unknown == len(ads):
        # That no line of it is sound is nothing new then.
        raise heap.stop(f"{path}: {NO_ADS}", help="a configuration is given with --config")
    heap.diagnostics += problems
    if unknown:
        message = f"{path}: {unknown} ads of other kinds are ignored"
        heap.diagnostics.append(Diagnostic(message, severity="note"))


#: What is said of a file that is nothing else, and has no ads of use.
NO_ADS: Final = "no ads of slots, jobs, submitters, schedds or accounting records in it"


def count_kinds(path: Path, diagnostics: list[Diagnostic]) -> Counter[str | None]:
    """How many ads of which kinds a file of ads has; raises ``OSError``.

    Faster than reading them where each says its type.
    """
    loaded = load_columns(path)
    column = None if loaded is None else loaded.column("MyType")
    if loaded is None or column is None or column.present != loaded.n_rows:
        return Counter(kind_of(ad) for ad in read_ads(path, diagnostics))
    diagnostics += loaded.diagnostics
    return Counter(
        KINDS.get(value.lower()) if isinstance(value, str) else None
        for value in loaded.values(column)
    )


def kind_of(ad: LocatedAd) -> str | None:
    """What an ad is; None if a cycle has no use for it."""
    my_type = ad.text("MyType")
    if my_type is not None:
        return KINDS.get(my_type.lower())
    for kind, names in _MARKS:
        if all(ad.ad.raw(name) is not None for name in names):
            return kind
    return None
