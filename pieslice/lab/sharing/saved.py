"""Reads a ``.pieslice`` file: what a page had changed and showed, for a repository.

It is JSON, with texts line by line, so that a difference of two versions can be read.  What it has
is what a link has, the name and the path of its pool besides.

Inputs: a path.  Outputs: ``SavedPage``; raises ``InputError``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from negotiator.io import InputError
from pieslice.data import Content, JsonObject
from pieslice.lab.texts import EditedTexts
from pieslice.writing import naming

SUFFIX: Final = ".pieslice"
#: The version of the form, which stands under ``_HEAD``; that of links is the same.
VERSION: Final = 1
_HEAD: Final = "pieslice lab"
#: Bytes of a file.
_MOST: Final = 8 << 20
_ASKED: Final = ("job", "user", "group")


@frozen
class SavedPage:
    """What the file has.

    ``identity``: of the pool, see ``trials.identity``; ``pool``: its path, empty where it is not
    known.  ``view``, ``question``: what the page showed and answered, as it has them.
    ``negotiator``: the local name of the pool's, empty for the one that has none; ``made_up``:
    whether its jobs are made up from what runs.
    """

    path: Path
    name: str
    identity: str
    pool: str
    texts: EditedTexts
    view: JsonObject
    question: JsonObject | None
    negotiator: str = ""
    made_up: bool = False

    def content(self) -> JsonObject:
        """What the page is sent."""
        return {
            "identity": self.identity,
            "name": self.path.name,
            "content": {
                "overlay": self.texts.overlay,
                "files": dict(self.texts.files),
                "view": self.view,
                "question": self.question,
            },
        }

    def found_pool(self) -> str:
        """Where the pool is: at its path, from the folder of the file on, or beside the file."""
        if not self.pool:
            raise _refused(f"{self.path}: names no pool", f"pieslice lab POOL {self.path}")
        known = self.path.parent / self.pool
        if known.exists():
            return str(known)
        beside = self.path.parent / known.name
        if beside.exists():
            return str(beside)
        if "/" in self.pool or "\\" in self.pool:
            help = f"pieslice lab POOL {self.path}"
            raise _refused(f"{self.path}: its pool, {self.pool}, is not there", help)
        return self.pool  # a host


def is_saved(name: str) -> bool:
    """Whether a word of a command line names such a file."""
    return name.endswith(SUFFIX)


def read_saved(path: Path) -> SavedPage:
    """Read a file."""
    with naming(path), path.open("rb") as stream:
        found = stream.read(_MOST + 1)
    if len(found) > _MOST:
        raise _refused(f"{path}: larger than {_MOST >> 20} MiB, and no page is", None)
    try:
        data = json.loads(found)
        version = data[_HEAD]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise _refused(f"{path}: damaged, or not saved by `pieslice lab`", None) from None
    if version != VERSION:
        which = f"of another version of the laboratory, {version!r}"
        raise _refused(f"{path}: {which}; this one reads {VERSION}", None)
    try:
        return _page(path, data)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise _refused(f"{path}: damaged", None) from None


def _page(path: Path, data: Content) -> SavedPage:
    pool, question, view = data["pool"], data["question"], data["view"]
    files = tuple(sorted((_text(name), _lines(text)) for name, text in data["files"].items()))
    if not all(isinstance(it, str) for it in view.values()):
        raise ValueError("a view is of texts")
    if question is not None:
        given = question["what"], _text(question["name"]), question.get("slot")
        if given[0] not in _ASKED or not isinstance(given[2], str | None):
            raise ValueError("no question")
        question = dict(zip(("what", "name", "slot"), given, strict=True))
    return SavedPage(
        path,
        _text(pool["name"]),
        _text(pool["identity"]),
        _text(pool["path"]),
        EditedTexts(_lines(data["overlay"]), files),
        dict(view),
        question,
        _text(pool.get("negotiator", "")),
        pool.get("made_up") is True,
    )


def _lines(found: list[object]) -> str:
    """A text of its lines."""
    if not isinstance(found, list):
        raise TypeError("no lines")
    return "\n".join(map(_text, found))


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise TypeError(f"{found!r} is no text")
    return found


def _refused(text: str, help: str | None) -> InputError:
    return InputError([Diagnostic(text, help=help)])
