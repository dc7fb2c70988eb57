"""Which group a user map gives to a name, and why.

What is decided here: what is told about an answer: the line that gave it, later lines that would
have, and keys that differ only in case.  Inputs: a ``UserMap``, a name, the group that was asked
for.  Outputs: ``Mapped``; lines of text.
Never here: reading maps (``policy.maps.user_maps``), files.
Follows: ``userMap`` with three arguments, as the transforms of a schedd call it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attr import frozen

from policy.maps.user_maps import MapLine, UserMap

_INDENT = "  "


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

    def as_json(self) -> dict[str, Any]:
        """Fields for programs."""
        line = self.line
        return {
            "name": self.name,
            "result": self.result,
            "groups": list(self.groups),
            "group": self.group,
            "file": None if line is None else line.file,
            "line": None if line is None else line.number,
            "text": None if line is None else line.written,
            "beaten": [{"file": one.file, "line": one.number} for one in self.beaten],
        }


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


def mapped_lines(found: Mapped) -> Iterator[str]:
    """The answer and why."""
    if found.line is None:
        yield f"{found.name}: no mapping"
        for one in found.near:
            yield f"{_INDENT}{_place(one)} is for `{one.key}`: keys are compared with their case"
        return
    yield f"{found.name}: {found.result}"
    yield f"{_INDENT}{_place(found.line)}: {found.line.written}"
    if found.line.rest and not found.line.rest.startswith("#"):
        yield f"{_INDENT}`{found.line.rest}` is ignored: a result with blanks needs quotes"
    if found.group is not None and (len(found.groups) > 1 or found.preferred is not None):
        yield f"{_INDENT}a job gets {found.group}{_choice(found)}"
    for one in found.beaten:
        yield f"{_INDENT}{_place(one)} comes too late: {one.written}"


def _choice(found: Mapped) -> str:
    if found.preferred is None:
        return ", the first, unless it asks for another one of them"
    asked = found.group is not None and found.group.casefold() == found.preferred.casefold()
    return ", which it asks for" if asked else f", the first: `{found.preferred}` is not listed"


def _place(line: MapLine) -> str:
    return f"{line.file}:{line.number}"
