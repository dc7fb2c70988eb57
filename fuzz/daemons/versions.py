"""Writes down what older versions of HTCondor have instead of the parameter table of 25.14.1.

``python -m fuzz.daemons.versions OLD NEW > policy/data/versions.json`` makes the rows of
``policy/data/versions.json`` from the recorded tables under ``tests/vectors/config``.  OLD and NEW
are folders with the systems of 23.9.6 and 25.14.1 that ``setup.sh`` makes: which names their
programs hold tells names that are read although the table of a version has no row for them.
``policy/data/README.md`` describes the table.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from policy.data.tables import meanings, reader_rows

_RECORDED: Final = Path(__file__).parents[2] / "tests" / "vectors" / "config"
#: The files of the recorded tables, newest first; the programs of the last one are at hand.
_TABLES: Final = {
    "25.0.13": "defaults-25.0.json.gz",
    "24.0.23": "defaults-24.0.json.gz",
    "23.9.6": "defaults-23.9.json.gz",
}
_PLACES: Final = ("usr/bin", "usr/sbin", "usr/lib", "usr/libexec", "usr/share/condor")
_WORD: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_.]{2,}")

#: A row of the table, or a word for what else is known of a name; None: it is not read.
Cell: TypeAlias = "list[str] | str | None"


def words_of(folder: Path) -> frozenset[str]:
    """The words that the programs and libraries of HTCondor in a system hold, case-folded."""
    found: set[bytes] = set()
    for place in _PLACES:
        for path in (folder / place).rglob("*"):
            if path.is_file() and re.search("condor|classad", str(path.relative_to(folder))):
                found.update(_WORD.findall(path.read_bytes()))
    return frozenset(word.decode("ascii").casefold() for word in found)


def rows_of(file: str) -> dict[str, list[str]]:
    """The rows of a recorded table: default, type and range."""
    data = (_RECORDED / file).read_bytes()
    table = json.loads(gzip.decompress(data) if file.endswith(".gz") else data)
    return {name: row_of(row) for name, row in table["params"].items()}


def row_of(row: Mapping[str, Any]) -> list[str]:
    """A row as ``defaults.json`` has it."""
    bounds = row.get("range", [])
    return [row["default"], *([row.get("type", "")] if "type" in row or bounds else []), *bounds]


def cells(name: str, tables: Iterable[Mapping[str, list[str]]], *, in_old: bool) -> list[Cell]:
    """What each version, newest first, has of a name; ``=`` is what the one before has.

    The newest has its row in ``defaults.json`` or in a declaration (``=``), or none.  A name that
    no table has is not recorded for the versions between; one that the newest table lacks is read
    by those alone that have it.
    """
    newest, *older = tables
    before: Cell = newest.get(name)
    read = in_old and before is not None
    known = before is not None or any(name in table for table in older)
    found: list[Cell] = ["=" if before is not None else None if known else "read"]
    for place, table in enumerate(older, 1):
        lacking = "read" if read else "?" if not known and place < len(older) else None
        cell: Cell = table.get(name, lacking)
        found.append("=" if cell == before else cell)
        before = cell
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="the system of 23.9.6")
    parser.add_argument("new", type=Path, help="the system of 25.14.1")
    args = parser.parse_args()
    old, new = words_of(args.old), words_of(args.new)
    tables = [rows_of("defaults.json"), *map(rows_of, _TABLES.values())]
    names = {name for table in tables for name in table}
    folded = {name.casefold() for name in names}
    # Names that only the programs have: those that are no words of the old ones are newer.
    names |= {
        name
        for name in (*meanings(), *reader_rows())
        if name.casefold() not in folded | old and name.casefold() in new
    }
    rows = {}
    for name in sorted(names, key=str.casefold):
        found = cells(name, tables, in_old=name.casefold() in old)
        if any(cell != "=" for cell in found[1:]):
            rows[name] = found
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in rows.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
