"""Keeps the files that are dropped on a page, and says what is missing of a pool.

Decides which of them are read: a folder with slots in it is the folder of a capture, other
files are told by what they hold, as on a command line.

Inputs: names and bytes.  Outputs: rows for the page, ``DroppedPool``; raises ``Refused``.
The files are in a private folder that goes with the process.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from attr import Factory, frozen

from negotiator.capture.files import FILES, TOOLS, CapturePaths, reason
from pieslice.data import JsonObject
from pieslice.inputs.sorting import NO_ADS
from pieslice.lab.start.taken import DroppedFile, taken_for
from pieslice.lab.worker import Refused
from pieslice.live.names import temporary

#: Bytes of all files, and how many there may be.
MOST_BYTES: Final = 1 << 30
MOST_FILES: Final = 2000
#: Characters of a name, folders and all.
_LONGEST: Final = 500
#: Of which characters no name is, besides those that cannot be shown; others are only on Windows.
_NEVER: Final = frozenset('\\:*?"<>|' if os.name == "nt" else "\\")
#: What a pool without a part is like; the parts in the order in which they are missed.
_WITHOUT: Final[Mapping[str, str]] = {
    "slots": "there is no pool",
    "jobs": "nothing can be matched",
    "config": "every macro has HTCondor's default",
    "accounting": "every user has real priority 0.5 and no usage",
    "submitters": "submitters are made from the jobs",
    "schedds": "all jobs are taken to be of one schedd",
}


class TooMuch(Refused):
    """There is no room for more."""


@frozen
class DroppedPool:
    """What the files are, as a command line would name them.

    ``items``: folders and files; ``named``: files by part; ``also``: read after the configuration.
    ``title``: what a pool of files is called.
    """

    items: Sequence[Path]
    named: Mapping[str, Path] = Factory(dict)
    also: Sequence[Path] = ()
    title: str = ""


class Dropped:
    """The files of a page."""

    def __init__(self) -> None:
        """Make the folder."""
        self._place = temporary("lab")
        #: Where loose files are; its name is that of their pool.
        self.folder: Final = Path(self._place.name).resolve() / "pool"
        self._files: dict[str, DroppedFile] = {}
        #: The folders of captures among them: those with slots in a file of the right name.
        self._folders: list[str] = []
        self._bytes: dict[str, int] = {}
        self._pasted = 0

    def close(self) -> None:
        """Remove them."""
        self._place.cleanup()

    @contextmanager
    def coming(self, name: str) -> Iterator[Callable[[bytes], None]]:
        """Takes the bytes of a file piece by piece; the file is there when all have come."""
        path = self._path(name)
        if name not in self._bytes and len(self._bytes) >= MOST_FILES:
            raise TooMuch(f"more than {MOST_FILES:,} files")
        self._bytes[name] = 0
        self._files.pop(name, None)
        with self._kept(name, path), path.open("wb") as stream:

            def take(piece: bytes) -> None:
                self._bytes[name] += len(piece)
                if sum(self._bytes.values()) > MOST_BYTES:
                    raise TooMuch(f"the files have more than {MOST_BYTES >> 30} GiB together")
                stream.write(piece)

            yield take

    def know(self, name: str) -> DroppedFile:
        """Tell what a file is that has come."""
        found = self._files[name] = taken_for(name, self._path(name))
        self._look()
        return found

    def paste(self, text: str) -> DroppedFile:
        """Take a text: ads, or a configuration where it has none."""
        if not text.strip():
            raise Refused("the text is empty")
        self._pasted += 1
        name = f"pasted-{self._pasted}.ads"
        with self.coming(name) as take:
            take(text.encode("utf-8", "surrogateescape"))
        found = self.know(name)
        if found.what:
            return found
        self.forget(name)
        if not found.said.startswith(NO_ADS):  # a table for people, or JSON that is none
            raise Refused(found.said)
        name = f"pasted-{self._pasted}.conf"
        with self.coming(name) as take:
            take(text.encode("utf-8", "surrogateescape"))
        return self.know(name)

    def forget(self, name: str) -> None:
        """Remove a file; raises ``Refused`` if there is none of that name."""
        if name not in self._bytes:
            raise Refused(f"there is no file `{name}`")
        self._path(name).unlink(missing_ok=True)
        self._files.pop(name, None)
        del self._bytes[name]
        self._look()

    def told(self) -> JsonObject:
        """What there is, and what is missing, for the page."""
        parts = {part for one in list(self._files.values()) for part in one.parts}
        whole = parts & {"scenario", "history"}
        if "accountant_log" in parts:
            parts.add("accounting")
        missing = [] if whole or not parts else [one for one in _WITHOUT if one not in parts]
        return {
            "files": [self.row(one) for _, one in sorted(self._files.items())],
            "missing": [
                {"part": part, "without": _WITHOUT[part], "command": command(part)}
                for part in missing
            ],
            "ready": bool(whole or "slots" in parts),
            "most": {"bytes": MOST_BYTES, "files": MOST_FILES},
        }

    def row(self, one: DroppedFile) -> JsonObject:
        """A file for the page."""
        unused = self._unused(one)
        said = f"{one.said}; {unused}" if unused else one.said
        used = bool(one.what) and not unused
        return {"name": one.name, "taken": one.taken, "said": said, "used": used}

    def pool(self) -> DroppedPool:
        """What is read."""
        folders, loose = self._folders, []
        for one in list(self._files.values()):
            if one.what and not self._of_folder(one) and not self._unused(one):
                loose.append(one)
        loose.sort(key=lambda one: one.name)
        kinds = Counter(part for one in loose for part in one.parts)
        named, items, also = {}, [self.folder / one for one in folders], []
        for one in loose:
            path = self.folder / one.name
            if one.what == "config" and folders and self._has(folders[0], "config"):
                also.append(path)
            elif one.ads and len(one.ads) == 1 and kinds[one.parts[0]] == 1 and _alone(one):
                named[one.parts[0]] = path
            else:
                items.append(path)
        titles = (one.name for one in loose if not folders and "slots" in one.parts)
        return DroppedPool(items, named, also, next(titles, ""))

    def shown(self, text: str) -> str:
        """A message with the names that the page has for files."""
        return text.replace(f"{self.folder}/", "").replace(str(self.folder), ".")

    def _path(self, name: str) -> Path:
        """Where a file of that name is; raises ``Refused`` for a name that leads elsewhere."""
        parts = name.split("/")
        bad = any(one in ("", ".", "..") or one.strip() != one for one in parts)
        if bad or len(name) > _LONGEST or not name.isprintable() or _NEVER & set(name):
            raise Refused(f"`{ascii(name)[1:61]}` is no name of a file here")
        return self.folder.joinpath(*parts)

    @contextmanager
    def _kept(self, name: str, path: Path) -> Iterator[None]:
        """Nothing is left of a file that does not come whole."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield
        except BaseException as problem:
            with suppress(OSError):
                path.unlink()
            self._bytes.pop(name, None)
            if isinstance(problem, OSError):
                raise Refused(f"{name}: {reason(problem)}") from None
            raise

    # --- folders ----------------------------------------------------------------------------------

    def _look(self) -> None:
        self._folders = sorted(
            name.rpartition("/")[0]
            for name, one in list(self._files.items())
            if "slots" in one.parts and name.rpartition("/")[2] in FILES["slots"]
        )

    def _of_folder(self, one: DroppedFile) -> bool:
        """Whether it is read as a part of the folder that it is in."""
        folder, _, name = one.name.rpartition("/")
        return folder in self._folders and any(name in FILES.get(it, ()) for it in one.parts)

    def _has(self, folder: str, part: str) -> str | None:
        """The file of a folder that is read for a part."""
        paths = CapturePaths(self.folder / folder)
        found = paths.in_folder(part)
        return None if found is None else found.name

    def _unused(self, one: DroppedFile) -> str:
        """Why a file of a folder is not read, if it is not."""
        folder, _, name = one.name.rpartition("/")
        if self._of_folder(one):
            for part in one.parts:
                first = self._has(folder, part)
                if first is not None and first != name and name in FILES.get(part, ()):
                    return f"not read: {first} is there"
        inside = [it for it in self._folders if not it or one.name.startswith(f"{it}/")]
        if one.what == "config" and inside and not self._of_folder(one):
            root = self._has(inside[0], "config")
            if root is not None and folder:
                return f"read where {root} includes it"
        return ""


def command(part: str) -> str:
    """What makes the file of a part."""
    return f"{TOOLS[part]} > mypool/{FILES[part][0]}"


def commands() -> str:
    """The commands that fill the folder of a capture."""
    return "\n".join(["mkdir mypool", *map(command, TOOLS)])


def _alone(one: DroppedFile) -> bool:
    """Whether the file may be named for its one part."""
    return one.parts[0] in CapturePaths.overridable()
