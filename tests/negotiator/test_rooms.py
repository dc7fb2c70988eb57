"""Folders of the negotiator import in one order, and one file imports the room of speed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Each imports only what stands before it.
ORDER = (
    "model", "versions", "expressions", "groups", "accounting", "pool", "claims", "jobs",
    "matching", "columns", "sessions", "engines", "cycle", "capture", "whatif", "io", "scenario",
    "strategies",
)  # fmt: skip


def imports() -> Iterator[tuple[str, str]]:
    """Pairs of modules of the negotiator of which one imports the other, anywhere in it."""
    for path in sorted((ROOT / "negotiator").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found = [node.module or ""]
            else:
                continue
            yield from ((name, module) for module in found if module.startswith("negotiator."))


def room(module: str) -> str:
    return module.split(".")[1]


def test_folders_import_in_one_order() -> None:
    wrong = [
        f"{one} imports {other}"
        for one, other in imports()
        if room(one) in ORDER and ORDER.index(room(other)) > ORDER.index(room(one))
    ]
    assert not wrong, "\n".join(wrong)


def test_one_file_imports_the_room_of_speed() -> None:
    importers = {
        one for one, other in imports() if room(other) == "columns" and room(one) != "columns"
    }
    assert importers == {"negotiator.engines"}


def test_rules_name_no_table() -> None:
    """What decides asks slots, not tables of them."""
    rules = {"groups", "accounting", "pool", "claims", "jobs", "matching", "sessions", "cycle"}
    wrong = []
    for path in sorted((ROOT / "negotiator").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        text = path.read_text(encoding="utf-8")
        if room(name) in rules and "classad.table" in text:
            wrong.append(name)
    assert not wrong
