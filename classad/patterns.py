"""Makes regular expressions that are compiled when they are first used, and what else may be kept.

A command imports a hundred patterns and uses less than half of them; compiling one takes as long as
importing half a module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, AnyStr, TypeAlias, cast

#: A pattern for texts or for bytes.
AnyPattern: TypeAlias = re.Pattern[Any]

#: Compiles them; ``pieslice.kept_code`` puts in its place what keeps what it compiles.
compile_regex: Callable[[Any, int], AnyPattern] = re.compile

#: Compiles what functions of ours are made from; no text out of an input.
compile_code: Callable[[str, str, str], CodeType] = compile


def _made(text: str, make: Callable[[str], Any]) -> Any:
    return make(text)


#: What is made of a text, of plain values alone; what keeps them may have it from another process.
kept: Callable[[str, Callable[[str], Any]], Any] = _made


class _Late:
    """A pattern; what is asked of it first makes it, and each method that was used stays."""

    def __init__(self, make: Callable[[], object], text: str | bytes) -> None:
        self._make: Callable[[], object] = make
        self.pattern = text

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._make(), name)
        setattr(self, name, value)
        return value


def late_regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern like that of ``re.compile``, whose mistakes show when it is first used."""
    return cast("re.Pattern[AnyStr]", _Late(lambda: compile_regex(text, flags), text))


def any_of(patterns: Iterable[re.Pattern[str]], flags: int = 0) -> re.Pattern[str]:
    """A pattern that matches where one of others does, which refer to none of their groups."""
    return late_regex("|".join(f"(?:{pattern.pattern})" for pattern in patterns), flags)
