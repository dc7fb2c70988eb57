"""User maps: the tables behind the ClassAd function ``userMap``.

What is decided here: how a map file is read and which of its lines answers for a name.
Inputs: the text of a map file; a configuration that names maps.  Outputs: mappings from name to
one string, for ``classad.evaluate.EvalContext(user_maps=...)``.
Never here: opening files, what ``userMap`` makes of the string.
Follows: user maps of 25.14.1 (golden vectors ``usermap``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from attr import frozen

from classad.builtins.pcre import GaveUp, Pattern, compile_pattern
from policy.config import Config
from policy.sources import Sources
from policy.typed import split_list

_FIELD = re.compile(r'[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^ \t]+))')
_REGEX = re.compile(r"[ \t]*/((?:[^/\\]|\\.)*)/([A-Za-z]*)(?=[ \t]|$)")
_GROUP = re.compile(r"\\([0-9])")


@frozen
class _Line:
    """One line: a literal key, a prefix, or a compiled pattern, and its result."""

    key: str
    result: str
    pattern: Pattern | None = None
    is_prefix: bool = False

    def answer(self, name: str) -> str | None:
        """The result for ``name``, or None if the line is not about it."""
        if self.pattern is None:
            fits = name.startswith(self.key) if self.is_prefix else name == self.key
            return self.result if fits else None
        subject = name.encode("utf-8", "surrogateescape")
        try:
            found = self.pattern.search(subject)
        except GaveUp:
            return None
        if found is None:
            return None
        groups = [
            "" if start < 0 else subject[start:end].decode("utf-8", "surrogateescape")
            for start, end in found.spans
        ]

        def group(reference: re.Match[str]) -> str:
            number = int(reference[1])
            return groups[number] if number < len(groups) else reference[0]

        return _GROUP.sub(group, self.result)


class UserMap(Mapping[str, str]):
    """The lines of one method; the first that answers wins."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines

    def __getitem__(self, name: str) -> str:
        for line in self._lines:
            answer = line.answer(name)
            if answer is not None:
                return answer
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(line.key for line in self._lines if line.pattern is None))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class UserMaps(Mapping[str, UserMap]):
    """All maps by case-folded name; ``name.method`` asks for lines of another method than ``*``."""

    def __init__(self, maps: Mapping[str, Mapping[str, UserMap]]) -> None:
        self._maps = {name.casefold(): methods for name, methods in maps.items()}

    def __getitem__(self, name: str) -> UserMap:
        folded = name.casefold()
        if folded in self._maps:
            return self._maps[folded]["*"]
        stem, _, method = folded.rpartition(".")
        return self._maps[stem][method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._maps)

    def __len__(self) -> int:
        return len(self._maps)


def parse_user_map(
    text: str, *, prefix: bool = False, include: Callable[[str], list[str]] | None = None
) -> dict[str, UserMap]:
    """The lines of a map file by case-folded method; ``*`` is always there.

    ``prefix`` makes every key a literal prefix.  ``include`` gives the texts that ``@include``
    asks for; without it such lines are passed over.
    """
    methods: dict[str, list[_Line]] = {"*": []}
    texts = [text]
    for number, part in enumerate(texts):
        for line in part.splitlines():
            fields = line.split(None, 1)
            if fields and fields[0] == "@include":
                if number == 0 and include is not None and len(fields) > 1:
                    texts.extend(include(fields[1].strip()))
                continue
            found = _parse_line(line, prefix)
            if found is not None:
                methods.setdefault(found[0].casefold(), []).append(found[1])
    return {method: UserMap(lines) for method, lines in methods.items()}


def _parse_line(line: str, prefix: bool) -> tuple[str, _Line] | None:
    """Method and meaning of a line; None for comments and lines with a field missing or empty."""
    line = line.rstrip("\r\n")
    method, at = _field(line, 0)
    if not method or method.startswith("#"):
        return None
    regex = None if prefix else _REGEX.match(line, at)
    if regex is not None:
        result, _ = _field(line, regex.end())
        pattern = _compiled(regex[1], regex[2])
        if not result or pattern is None:
            return None
        return method, _Line(regex[1], result, pattern)
    key, at = _field(line, at)
    result, _ = _field(line, at)
    if not key or not result:
        return None
    return method, _Line(key, result, is_prefix=prefix)


def _field(line: str, at: int) -> tuple[str, int]:
    found = _FIELD.match(line, at)
    if found is None:
        return "", at
    quoted = found[1]
    return (found[2] if quoted is None else quoted.replace('\\"', '"')), found.end()


def _compiled(pattern: str, flags: str) -> Pattern | None:
    return compile_pattern(("(?U)" if "U" in flags else "") + pattern, "i" if "i" in flags else "")


def read_user_maps(config: Config, sources: Sources) -> UserMaps:
    """The maps that the configuration names for its reader's subsystem."""

    def included(path: str) -> list[str]:
        paths = sources.list_files(path)
        texts = [sources.read(each) for each in (sorted(paths) if paths is not None else [path])]
        return [text for text in texts if text is not None]

    maps = {}
    for name in split_list(config.text(f"{config.context.subsystem}_CLASSAD_USER_MAP_NAMES") or ""):
        path = config.text(f"CLASSAD_USER_MAPFILE_{name}")
        text = config.text(f"CLASSAD_USER_MAPDATA_{name}") if path is None else sources.read(path)
        if text is not None:
            flag = config.text(f"CLASSAD_USER_MAP_PREFIX_{name}") or ""
            maps[name] = parse_user_map(
                text, prefix=flag[:1] in "tT1" and flag != "", include=included
            )
    return UserMaps(maps)
