"""Holds what the daemons of a pool said at one moment, as a value and as a folder.

The folder is a capture as every command takes it, with ``claims.ads`` and a manifest besides.  It
is written beside its place and then renamed: a disk that is full leaves nothing half, and nothing
that was there before is overwritten.

Inputs: texts of ads in long form.  Outputs: a folder; raises ``OSError``.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.files.ads import read_long
from negotiator.capture.files import FILES
from pieslice.data import JsonData, Record, is_number

#: The parts of a capture that are ads.
PARTS: Final = ("slots", "submitters", "schedds", "jobs", "claims", "accounting", "negotiator")
_CONFIG: Final = FILES["config"][0]
_MANIFEST: Final = FILES["manifest"][0]


@frozen(eq=False)
class LiveCapture:
    """A pool at one moment; see the package for what the fields hold."""

    parts: Mapping[str, str]
    config: str
    manifest: Record

    def ads(self, part: str) -> Iterator[ClassAd]:
        """The ads of a part, in their order."""
        yield from read_long(self.parts.get(part, "").splitlines(keepends=True), part, [])

    @property
    def ended(self) -> float:
        """When the last answer had come, in seconds since the epoch."""
        return float(self.manifest["ended"])

    def write(self, folder: Path) -> None:
        """Make the folder; raises ``FileExistsError`` where there is something."""
        if os.path.lexists(folder):
            raise FileExistsError(17, "exists already, and a capture overwrites nothing", folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for name, text in self.files():
                _write(beside / name, text)
            beside.chmod(0o700)
            beside.rename(folder)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise

    def files(self) -> Iterator[tuple[str, str]]:
        """The names of the files and their texts."""
        for part in PARTS:
            if part in self.parts:
                yield FILES[part][0], self.parts[part]
        if self.config:
            yield _CONFIG, self.config
        yield _MANIFEST, f"{json.dumps(self.manifest, indent=1)}\n"


def read(folder: Path) -> LiveCapture:
    """The capture in a folder that ``write`` made; raises ``OSError`` and ``ValueError``."""
    texts = {part: _read(path) for part in PARTS if (path := folder / FILES[part][0]).is_file()}
    manifest: JsonData = json.loads(_read(folder / _MANIFEST))
    config = folder / _CONFIG
    return LiveCapture(texts, _read(config) if config.is_file() else "", manifest)


def of_files(files: Mapping[str, str]) -> LiveCapture | None:
    """The capture in files by their names; None where no manifest is among them."""
    try:
        manifest = json.loads(files.get(_MANIFEST, ""))
        ended = manifest["ended"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    if not isinstance(manifest, dict) or not is_number(ended):
        return None
    texts = {part: files[name] for part in PARTS if (name := FILES[part][0]) in files}
    return LiveCapture(texts, files.get(_CONFIG, ""), manifest)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _write(path: Path, text: str) -> None:
    with path.open("wb") as stream:
        stream.write(text.encode("utf-8", "surrogateescape"))
        stream.flush()
        os.fsync(stream.fileno())
