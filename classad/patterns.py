"""Makes regular expressions that are compiled when they are first used, and what else may be kept;
finds things by patterns for their names.

A command imports a hundred patterns and uses less than half of them; compiling one takes as long as
importing half a module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import compress
from types import CodeType
from typing import Any, AnyStr, Final, Generic, TypeAlias, TypeVar, cast

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


_Thing = TypeVar("_Thing")


class ByName(Generic[_Thing]):
    """Things by their names, to look for with many patterns: most fit none of thousands."""

    def __init__(self, things: Iterable[_Thing], names: Iterable[str]) -> None:
        self._things: Final = tuple(things)
        self._names: Final = tuple(names)
        self._known: Final = frozenset(self._names)
        self._lines: Final = "".join(f"\n{name}" for name in self._known)
        self._found: dict[int, tuple[re.Pattern[str], list[_Thing]]] = {}

    def fitting(self, names: re.Pattern[str]) -> list[_Thing]:
        """Those whose names, of one line each, a pattern matches, which has no flags."""
        known = self._found.get(id(names))
        if known is not None:
            return known[1]
        words = names.pattern.split("|")
        is_plain = "".join(words).replace("_", "").isalnum()
        fits = self._known.intersection(words) if is_plain else self._in_lines(names)
        found = [*compress(self._things, map(fits.__contains__, self._names))] if fits else []
        self._found[id(names)] = names, found
        return found

    def _in_lines(self, names: re.Pattern[str]) -> set[str]:
        """The names that a pattern matches; all are searched at once."""
        found = _of_lines(names).finditer(self._lines) if self._lines else ()
        return {one[0][1:] for one in found}


@cache
def _of_lines(names: re.Pattern[str]) -> re.Pattern[str]:
    """What matches each line that a pattern matches, with the line feed before it."""
    return late_regex(rf"\n(?:{names.pattern})$", re.MULTILINE)
