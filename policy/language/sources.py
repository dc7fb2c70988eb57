"""Declares the interface through which configuration texts are got.

Inputs and outputs: file names as text; contents as text.  ``policy.io`` reads the file system;
``MemorySources`` serves texts from a mapping (recorded scenarios, tests).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from attr import Factory, frozen


class ProgramsNotRun(Exception):  # noqa: N818 - a refusal, not a failure
    """Raised by ``Sources.run`` when it does not run programs at all."""


class Sources(Protocol):
    """What the reader of a configuration may ask for."""

    def read(self, path: str) -> str | None:
        """The text of a file, or None if it cannot be read."""

    def list_files(self, directory: str) -> list[str] | None:
        """Full paths of the regular entries of a directory, or None if there is none."""

    def place(self, path: str) -> str:
        """Where the file that a configuration calls ``path`` really lies."""

    def outside(self, path: str) -> bool:
        """Whether a file lies outside the folder of the configuration."""

    def forbids(self, path: str) -> bool:
        """Whether a file is not to be read for where it lies."""

    def run(self, command: str) -> str | None:
        """The output of a program, None if there is no such program; see ``ProgramsNotRun``."""


@frozen
class MemorySources:
    """Files from a mapping of full path to text."""

    files: Mapping[str, str] = Factory(dict)
    runner: Callable[[str], str | None] | None = None

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def list_files(self, directory: str) -> list[str] | None:
        stem = directory.rstrip("/") + "/"
        found = [path for path in self.files if path.startswith(stem)]
        return [path for path in found if "/" not in path[len(stem) :]] if found else None

    def place(self, path: str) -> str:
        return path

    def outside(self, path: str) -> bool:
        return False

    def forbids(self, path: str) -> bool:
        return False

    def run(self, command: str) -> str | None:
        if self.runner is None:
            raise ProgramsNotRun
        return self.runner(command)
