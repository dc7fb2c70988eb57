"""Tells which texts a policy under edit has, and where in them something is.

Inputs: how a pool is read, texts from the page.  Outputs: ``EditedTexts``, ``PolicyFiles``, marks.
Positions are lines and columns from 0, columns in units of UTF-16, as browsers count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from attr import Factory, evolve, field, frozen

from classad.errors import Diagnostic
from classad.source import Source
from negotiator.capture.configuration import read_config
from pieslice.api.errors import ReadError
from pieslice.api.other_policy import edited_files, other_policy
from pieslice.data import JsonObject
from pieslice.inputs.pool import PoolReading
from policy.config import Config
from policy.editing.positions import Positions
from policy.versions import Version

#: What the page calls the text that is read after all files.
OVERLAY: Final = "overlay"
#: What the readers call it.
_READ_AS: Final = "<with_config>"


@frozen
class EditedTexts:
    """What the page has: ``overlay``, and whole texts of those files that were changed."""

    overlay: str = ""
    files: tuple[tuple[str, str], ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything differs from the running policy."""
        return bool(self.files or self.overlay.strip())


@frozen
class PolicyFiles:
    """The files of a pool's configuration by the names that the page has for them.

    ``now`` and ``version``: of the reader.
    """

    reading: PoolReading
    now: float
    version: Version
    paths: Mapping[str, Path] = field(factory=dict)
    #: Text of each as it is on the disk.
    contents: Mapping[str, str] = Factory(dict)

    @classmethod
    def of(cls, reading: PoolReading, now: float, version: Version) -> PolicyFiles:
        """Those of a pool; none of a scenario or a history, which have theirs inside."""
        alone = cls(reading, now, version)
        if reading.inputs.scenario is not None or reading.inputs.history is not None:
            return alone
        texts = {one.name: one.text for one in alone.config(EditedTexts()).texts}
        found = {name: text for name, text in texts.items() if os.path.isfile(name)}
        added = {str(one) for one in reading.inputs.paths.overlays}
        own = [os.path.dirname(os.path.abspath(name)) for name in found if name not in added]
        root = os.path.commonpath(own or ["/"])
        named = {os.path.relpath(name, root): name for name in found if name not in added}
        for name in found:
            if name in added:  # from elsewhere, and read after them
                short = os.path.basename(name)
                named[name if short in named else short] = name
        paths = {short: Path(name).absolute() for short, name in named.items()}
        return evolve(alone, paths=paths, contents={a: found[b] for a, b in named.items()})

    @property
    def checkable(self) -> bool:
        """Whether the configuration is one that a check can read."""
        return self.reading.inputs.scenario is None and self.reading.inputs.history is None

    def edited(self, texts: EditedTexts) -> dict[str, str]:
        """The texts of changed files by full path; raises ``ReadError`` for another file."""
        for name, _ in texts.files:
            if name not in self.paths:
                raise ReadError(f"the configuration has no file `{name}`")
        return {str(self.paths[name]): text for name, text in texts.files}

    def reading_with(self, texts: EditedTexts) -> PoolReading:
        """How the pool is read with those texts."""
        reading = self.reading
        if texts.files:
            reading = edited_files(reading, self.edited(texts)).reading
        if texts.overlay.strip():
            reading = other_policy(reading, texts.overlay).reading
        return reading

    def config(self, texts: EditedTexts) -> Config:
        """The configuration with those texts, as the negotiator reads it."""
        reading = self.reading_with(texts)
        names = reading.local_names
        return read_config(
            reading.inputs.paths.config,
            self.now,
            local_name=names[0] if names else None,
            version=self.version,
        )[0]

    def name_of(self, source: Source) -> str | None:
        """What the page calls a text; None for one that it does not have."""
        if source.name == _READ_AS:
            return OVERLAY
        path = Path(source.name).absolute()
        return next((name for name, known in self.paths.items() if known == path), None)

    def source(self, config: Config, name: str) -> Source | None:
        """A text of the page as the reader had it."""
        return next((one for one in config.texts if self.name_of(one) == name), None)

    def marks(self, found: Iterable[Diagnostic]) -> list[JsonObject]:
        """Findings for the page, each where it is."""
        return [self.mark(one) for one in found]

    def mark(self, found: Diagnostic) -> JsonObject:
        """A finding; ``file`` is None for one that is in no text of the page."""
        # It imports all findings, and most pools are read without one.
        from policy.editing.actions import place_of

        place = place_of(found)
        file = None if place is None else self.name_of(place.source)
        row: JsonObject = {
            "severity": found.severity, "id": found.id, "message": called(found.message),
            "help": called(found.help or ""), "file": file,
            "where": found.source and found.source.name,
        }  # fmt: skip
        if place is None or file is None:
            return row
        positions = Positions(place.source.text)
        row |= span(positions, place.start, place.end)
        edit = found.edit
        if edit is not None and edit.source.name == place.source.name:
            row["fix"] = {**span(positions, edit.start, edit.end), "text": edit.text}
        return row


def called(text: str, name: str = OVERLAY) -> str:
    """Words of a reader with the name of the overlay: that of the page, or of its file."""
    return text.replace(_READ_AS, name)


def span(positions: Positions, start: int, end: int) -> JsonObject:
    """A stretch of a text."""
    return {"from": list(positions.position(start)), "to": list(positions.position(end))}
