"""Reads the corpus of clean configurations and planted faults: ``tests/policy/findings_corpus``.

The first two lines of a bad file say what is planted: ``# fault: CLASS, hurts DAEMON`` and
``# at: LINE:COLUMN WORD``; lines ``# or: LINE:COLUMN WORD`` name other places that
would do.  A clean configuration is a file, or a folder whose files are read in turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from attr import frozen

CORPUS: Final = Path(__file__).resolve().parents[2] / "tests" / "policy" / "findings_corpus"
_HEADER: Final = re.compile(
    r"# fault: (\S+), hurts (\S+)\n# at: (\d+):(\d+) (.+)\n((?:# or: .+\n)*)"
)
_PLACE: Final = re.compile(r"# or: (\d+):(\d+) (.+)\n")


@frozen
class Planted:
    """One fault: its class, the daemon that it hurts, where the word is to be pointed at.

    ``others`` are further places where a finding would do: line, column, word.
    """

    path: Path
    fault: str
    hurts: str
    line: int
    column: int
    word: str
    others: tuple[tuple[int, int, str], ...] = ()

    @property
    def name(self) -> str:
        """What the manifest calls it."""
        return f"{self.fault}/{self.path.stem}"

    def places(self) -> Iterator[tuple[int, int, int]]:
        """Line and columns of the words, from 1, the end exclusive."""
        for line, column, word in ((self.line, self.column, self.word), *self.others):
            yield line, column, column + len(word)


def decoded(path: Path) -> str:
    """A file's text; bytes that are no UTF-8 are taken for Latin-1."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def clean(corpus: Path = CORPUS) -> list[Path]:
    """Configurations without a fault, files and folders."""
    return sorted((corpus / "clean").iterdir())


def planted(corpus: Path = CORPUS) -> list[Planted]:
    """Every bad file with what its header says."""
    found = []
    for path in sorted((corpus / "bad").glob("*/*.conf")):
        header = _HEADER.match(decoded(path))
        if header is None:
            raise ValueError(f"{path}: a bad file begins with `# fault:` and `# at:`")
        fault, hurts, line, column, word, rest = header.groups()
        others = tuple((int(row), int(at), other) for row, at, other in _PLACE.findall(rest))
        found.append(Planted(path, fault, hurts, int(line), int(column), word, others))
    return found


def known(corpus: Path = CORPUS) -> dict[str, dict[str, str]]:
    """The manifest: faults that are not found, clean files with a finding, each with the reason."""
    manifest: dict[str, dict[str, str]] = json.loads(
        (corpus / "manifest.json").read_text(encoding="utf-8")
    )
    return manifest


def current(missed: Iterable[str], false: Iterable[str]) -> dict[str, dict[str, str]]:
    """The manifest for what is missed and false now; reasons that it has are kept."""
    old = known()
    return {
        "missed": {name: old["missed"].get(name, "not found yet") for name in missed},
        "false": {name: old["false"].get(name, "a false finding") for name in false},
    }


def written(manifest: Mapping[str, Mapping[str, str]]) -> str:
    """The text of ``manifest.json``."""
    return json.dumps(manifest, indent=2) + "\n"
