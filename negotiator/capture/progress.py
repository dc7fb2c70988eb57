"""Names the stages of reading a capture, for a caller who shows how long each takes."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol


class Progress(Protocol):
    """Is told which stage begins; the stage lasts as long as the context that it returns."""

    def stage(self, name: str) -> AbstractContextManager[None]:
        """The context of a stage of this name."""


class _Silent:
    def stage(self, name: str) -> AbstractContextManager[None]:
        """A context that does nothing."""
        return nullcontext()


#: Tells nobody.
SILENT: Final[Progress] = _Silent()
