"""Folders like site-packages in which pip has put packages called ``classad`` over each other.

Made of the names of the files that the wheels of htcondor 24.12.24 and classad 0.4.1 bring, in the
order in which pip would write them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Distribution and version -> the files of its package ``classad``, with what matters of them.
FOREIGN = {
    ("htcondor", "24.12.24"): {
        "__init__.py": "from .classad import *\n",
        "classad.so": "",
    },
    ("classad", "0.4.1"): {
        "__init__.py": "from classad._base_expression import ClassAd\n",
        "_base_expression.py": "ClassAd = dict\n",
        "_grammar.py": "",
    },
}


def install_ours(place: Path) -> None:
    """Copy our packages, as pip does."""
    for package in ("classad", "policy", "pieslice"):
        shutil.copytree(
            ROOT / package,
            place / package,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    grammar = place / "classad" / "grammar"
    shutil.copytree(ROOT / "grammar", grammar, dirs_exist_ok=True)
    _record(place, "pieslice", "0.1", "classad/v1.py")


def install_foreign(place: Path, distribution: tuple[str, str]) -> None:
    """Write the files of another package called ``classad``."""
    folder = place / "classad"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FOREIGN[distribution].items():
        (folder / name).write_text(text)
    _record(place, *distribution, *(f"classad/{name}" for name in FOREIGN[distribution]))


def remove_foreign(place: Path, distribution: tuple[str, str]) -> None:
    """Remove what its record lists, as ``pip uninstall`` does."""
    for name in FOREIGN[distribution]:
        (place / "classad" / name).unlink()
    shutil.rmtree(place / f"{distribution[0]}-{distribution[1]}.dist-info")


def _record(place: Path, name: str, version: str, *files: str) -> None:
    info = place / f"{name}-{version}.dist-info"
    info.mkdir(exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata)
    (info / "top_level.txt").write_text("classad\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
