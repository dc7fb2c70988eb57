"""Looks a name up in a user map and says which line answers, and why others do not.

Inputs: a ``UserMap``, a name, the group that was asked for.  Outputs: ``Mapped``.
Follows: ``userMap`` with three arguments, as the transforms of a schedd call it.
"""

from __future__ import annotations

from attr import frozen

from policy.maps.user_maps import MapLine, UserMap


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

    def as_json(self) -> dict[str, object]:
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
