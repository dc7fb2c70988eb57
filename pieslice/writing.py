"""Names the file in an error of writing it: Python names it only where a file cannot be opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


@contextmanager
def naming(path: PathLike[str] | str) -> Iterator[None]:
    """What is done within is done to this file."""
    try:
        yield
    except OSError as problem:
        if problem.filename is None:
            problem.filename = str(path)
        raise
