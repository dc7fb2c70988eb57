"""Makes regular expressions that are compiled when they are first used.

A command imports a hundred patterns and uses less than half of them; compiling one takes as long as
importing half a module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import AnyStr, cast


class _Late:
    """A pattern; what is asked of it first makes it, and each method that was used stays."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make: Callable[[], object] = make

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._make(), name)
        setattr(self, name, value)
        return value


def late_regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern like that of ``re.compile``, whose mistakes show when it is first used."""
    return cast("re.Pattern[AnyStr]", _Late(lambda: re.compile(text, flags)))
