"""Divides kept cases and lines into the parts that are one test each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar


class Headed(Protocol):
    """A case; ``heading`` is empty for those that have that of the one before."""

    @property
    def heading(self) -> str: ...


T = TypeVar("T", bound=Headed)
Sections = Mapping[str, Callable[[], Iterator[str]]]


def parts(cases: Iterable[T], together: int) -> dict[str, list[T]]:
    """So many cases of one heading in a part, by its name."""
    of_heading: dict[str, list[T]] = {}
    heading = ""
    for case in cases:
        heading = case.heading or heading
        of_heading.setdefault(heading, []).append(case)
    found: dict[str, list[T]] = {}
    for heading, listed in of_heading.items():
        for first in range(0, len(listed), together):
            name = f"{heading.removeprefix('## ').strip()} from {first}"
            found[name] = listed[first : first + together]
    return found


def kept_sections(path: Path) -> dict[str, list[str]]:
    """The lines of a file by the heading that they stand below."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        else:
            found[next(reversed(found))].append(line)
    return found


def write_sections(path: Path, sections: Sections) -> None:
    """Write what each section says below its heading."""
    written = [
        f"## {name}\n" + "".join(f"{line}\n" for line in of()) for name, of in sections.items()
    ]
    path.write_text("".join(written), encoding="utf-8")
