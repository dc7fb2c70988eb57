"""Writes the texts of the page as new files, and shows what they change as a unified diff.

Decides where each text goes, and that no file is written that is there already.

Inputs: the texts as they are on the disk, those of the page, a folder.  Outputs: paths; a diff;
raises ``SavingError``, and then nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

from negotiator.capture.files import reason
from pieslice.api.errors import Error
from pieslice.lab.texts import EditedTexts


class SavingError(Error):
    """Why nothing was written."""


def changed_files(texts: EditedTexts, overlay: str) -> dict[str, str]:
    """The texts by the names of their files; ``overlay``: that of the text after all files."""
    found = dict(texts.files)
    if texts.overlay.strip():
        if overlay in found or overlay == ".." or not overlay or Path(overlay).name != overlay:
            raise SavingError(f"`{overlay}` is no name for the file of the overlay")
        found[overlay] = texts.overlay
    return found


def difference(contents: Mapping[str, str], texts: EditedTexts, overlay: str) -> str:
    """What the texts change as a unified diff; ``contents``: files as they are on the disk."""
    return "".join(
        line
        for name, text in changed_files(texts, overlay).items()
        for line in _difference(name, contents.get(name), text)
    )


def _difference(name: str, before: str | None, after: str) -> Iterator[str]:
    old = "/dev/null" if before is None else f"a/{name}"
    sides = (before or "").splitlines(keepends=True), after.splitlines(keepends=True)
    for line in unified_diff(*sides, old, f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def save(texts: EditedTexts, folder: str, overlay: str) -> list[str]:
    """Write the changed texts as new files below a folder; gives their paths."""
    place = Path(folder).expanduser()
    files = changed_files(texts, overlay)
    if not files:
        raise SavingError("nothing is changed")
    if not folder.strip() or not place.is_absolute():
        raise SavingError("give the full path of a folder")
    if not place.is_dir():
        raise SavingError(f"{place}: no such folder")
    for name in files:
        if (place / name).exists() or (place / name).is_symlink():
            raise SavingError(f"{place / name} is there already: nothing is written in its place")
    written: list[Path] = []
    try:
        for name, text in files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                written.append(path)
                stream.write(text.encode("utf-8", "surrogateescape"))
    except OSError as problem:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise SavingError(f"{place}: {reason(problem)}") from None
    return [str(path) for path in written]
