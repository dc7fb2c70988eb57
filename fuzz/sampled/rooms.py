"""Names the modules that decide, which pyproject.toml declares for coverage."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path


def deciding(root: Path) -> list[str]:
    """The files of a tree that decide, evaluate, charge or write, by their names in it."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    run = settings["tool"]["coverage"]["run"]
    found = (path for part in run["source"] for path in (root / part).rglob("*.py"))
    names = (path.relative_to(root).as_posix() for path in found)
    return sorted(name for name in names if not any(fnmatch(name, it) for it in run["omit"]))
