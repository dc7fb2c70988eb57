"""Reads user maps, the tables behind the ClassAd function ``userMap``, and looks names up.

Inputs: the text of a map file; a configuration that names maps.  Outputs: mappings from name to
one string, for ``classad.evaluate.EvalContext(user_maps=...)``.
Follows: user maps of 25.14.1 (golden vectors ``usermap``); ``userMap`` with three arguments, as the
transforms of a schedd call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from attr import evolve, frozen

from classad.builtins.pcre import GaveUp, Pattern, compile_pattern
from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.source import Source
from policy.config import Config
from policy.knobs.reading import split_list
from policy.language.macros import ExpansionError
from policy.language.sources import Sources

_FIELD = late_regex(r'[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^ \t]+))')
_REGEX = late_regex(r"[ \t]*/((?:[^/\\]|\\.)*)/([A-Za-z]*)(?=[ \t]|$)")
_GROUP = late_regex(r"\\([0-9])")


#: Name and text of a file.
NamedText = tuple[str, str]


@frozen
class MapLine:
    """One line: a literal key, a prefix, or a compiled pattern, and its result.

    ``file``, ``number`` and ``written`` say where it stands and how it is written there; ``rest``
    is what follows the result and is ignored.
    """

    key: str
    result: str
    pattern: Pattern | None = None
    is_prefix: bool = False
    file: str = ""
    number: int = 0
    written: str = ""
    rest: str = ""

    @property
    def meaning(self) -> tuple[object, ...]:
        """What the answers depend on."""
        return (self.key, self.result, self.pattern is None, self.is_prefix, self.written)

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

    def __init__(self, lines: list[MapLine]) -> None:
        self._lines = lines

    def __eq__(self, other: object) -> bool:
        """Whether the lines are the same, wherever they stand; keys alone do not tell patterns."""
        if not isinstance(other, UserMap):
            return NotImplemented
        return [line.meaning for line in self._lines] == [line.meaning for line in other._lines]

    def __getitem__(self, name: str) -> str:
        for _, answer in self.answers(name):
            return answer
        raise KeyError(name)

    def answers(self, name: str) -> Iterator[tuple[MapLine, str]]:
        """The lines that are about ``name``, each with its result; only the first one counts."""
        for line in self._lines:
            answer = line.answer(name)
            if answer is not None:
                yield line, answer

    def rows(self) -> Iterator[MapLine]:
        """All lines, in their order."""
        return iter(self._lines)

    def literals(self) -> Iterator[MapLine]:
        """The lines with a literal key."""
        return (line for line in self._lines if line.pattern is None)

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

    def __eq__(self, other: object) -> bool:
        """Whether all methods of all maps have the same lines."""
        return self._maps == other._maps if isinstance(other, UserMaps) else NotImplemented

    def __repr__(self) -> str:
        return f"UserMaps({self._maps!r})"


def parse_user_map(
    text: str,
    *,
    prefix: bool = False,
    include: Callable[[str], list[NamedText]] | None = None,
    name: str = "<map>",
    skipped: list[Diagnostic] | None = None,
) -> dict[str, UserMap]:
    """The lines of a map file by case-folded method; ``*`` is always there.

    ``prefix`` makes every key a literal prefix.  ``include`` gives the names and texts that
    ``@include`` asks for; without it such lines are passed over.  ``skipped`` gathers a warning for
    each line that says nothing and is no comment.
    """
    methods: dict[str, list[MapLine]] = {"*": []}
    texts = [(name, text)]
    for part, (file, content) in enumerate(texts):
        for number, line in enumerate(content.splitlines(), 1):
            fields = line.split(None, 1)
            if fields and fields[0] == "@include":
                if part == 0 and include is not None and len(fields) > 1:
                    texts.extend(include(fields[1].strip()))
                continue
            found = _parse_line(line, prefix)
            if isinstance(found, tuple):
                placed = evolve(found[1], file=file, number=number, written=line.strip())
                methods.setdefault(found[0].casefold(), []).append(placed)
            elif found and skipped is not None:
                skipped.append(_skipped(found, line, file, number))
    return {method: UserMap(lines) for method, lines in methods.items()}


def _skipped(why: str, line: str, file: str, number: int) -> Diagnostic:
    source = Source(line, file, first_line=number)
    return Diagnostic(f"this line says nothing: {why}", source, 0, len(line), severity="warning")


def _parse_line(line: str, prefix: bool) -> tuple[str, MapLine] | str:
    """Method and meaning of a line; else why it has none, which is nothing for comments."""
    line = line.rstrip("\r\n")
    method, at = _field(line, 0)
    if not method or method.startswith("#"):
        return ""
    regex = None if prefix else _REGEX.match(line, at)
    if regex is not None:
        flags = "i" if "i" in regex[2] else ""
        key = regex[1]
        pattern = compile_pattern(("(?U)" if "U" in regex[2] else "") + key, flags)
        if pattern is None:
            return f"`{key}` is not a regular expression"
        at = regex.end()
    else:
        pattern = None
        key, at = _field(line, at)
    result, at = _field(line, at)
    if not key or not result:
        return "it has no result" if key else "it has no key"
    is_prefix = prefix and pattern is None
    return method, MapLine(key, result, pattern, is_prefix, rest=line[at:].strip())


def _field(line: str, at: int) -> tuple[str, int]:
    found = _FIELD.match(line, at)
    if found is None:
        return "", at
    quoted = found[1]
    return (found[2] if quoted is None else quoted.replace('\\"', '"')), found.end()


def included_texts(sources: Sources) -> Callable[[str], list[NamedText]]:
    """What ``@include`` gives: a file, or all files of a folder."""

    def included(path: str) -> list[NamedText]:
        paths = sources.list_files(path)
        texts = [(each, sources.read(each)) for each in (sorted(paths) if paths else [path])]
        return [(each, text) for each, text in texts if text is not None]

    return included


def macro_text(config: Config, macro: str) -> str | None:
    """The value of a macro of maps; None if it is undefined or its expansion has no end."""
    try:
        return config.text(macro)
    except ExpansionError:
        return None


def map_names(config: Config) -> list[str]:
    """The maps that the configuration names for its reader's subsystem."""
    names = f"{config.context.subsystem}_CLASSAD_USER_MAP_NAMES"
    return split_list(macro_text(config, names) or "")


def read_user_map(
    config: Config, sources: Sources, name: str, skipped: list[Diagnostic] | None = None
) -> dict[str, UserMap] | None:
    """The map called ``name``; None where the configuration has none or its file has no text."""
    macro = f"CLASSAD_USER_MAPFILE_{name}"
    path = macro_text(config, macro)
    if path is None:
        macro = f"CLASSAD_USER_MAPDATA_{name}"
    text = macro_text(config, macro) if path is None else sources.read(path)
    if text is None:
        return None
    flag = macro_text(config, f"CLASSAD_USER_MAP_PREFIX_{name}") or ""
    return parse_user_map(
        text,
        prefix=flag[:1] in "tT1" and flag != "",
        include=included_texts(sources),
        name=path or macro,
        skipped=skipped,
    )


def read_user_maps(config: Config, sources: Sources) -> UserMaps:
    """The maps that the configuration names for its reader's subsystem."""
    found = ((name, read_user_map(config, sources, name)) for name in map_names(config))
    return UserMaps({name: methods for name, methods in found if methods is not None})


# --- which line answers, and why others do not ----------------------------------------------------


@frozen
class Mapped:
    """What a map says about a name; ``line`` is None if it says nothing.

    ``groups`` are the items of the result; ``group`` is the one that a job gets that asks for
    ``preferred``.  ``beaten`` would have answered if the line had not; ``near`` differ in case.
    """

    name: str
    line: MapLine | None = None
    result: str | None = None
    groups: tuple[str, ...] = ()
    group: str | None = None
    preferred: str | None = None
    beaten: tuple[MapLine, ...] = ()
    near: tuple[MapLine, ...] = ()


def map_name(lines: UserMap, name: str, preferred: str | None = None) -> Mapped:
    """What ``lines`` say about ``name``."""
    answers = list(lines.answers(name))
    if not answers:
        near = tuple(one for one in lines.literals() if one.key.casefold() == name.casefold())
        return Mapped(name, preferred=preferred, near=near)
    line, result = answers[0]
    groups = tuple(item for item in (item.strip() for item in result.split(",")) if item)
    asked = (item for item in groups if preferred and item.casefold() == preferred.casefold())
    return Mapped(
        name,
        line,
        result,
        groups,
        next(asked, groups[0] if groups else None),
        preferred,
        tuple(one for one, _ in answers[1:]),
    )
