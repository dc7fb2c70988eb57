"""Finds the expressions in the bodies of job transforms and of routes of the job router.

Inputs: a ``Setting``.  Outputs: ``Part``, an expression with its command and its place.
Follows: the transform language of 25.14.1, asked with condor_transform_ads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attr import frozen

from classad.source import Source
from policy.knobs.declaration import Use, Wanted
from policy.knobs.reading import EXPANDED, Place
from policy.knobs.uses import Evaluated
from policy.language.table import Definition
from policy.lint.view import Setting

#: What a macro begins with that holds such a body.
HOLDERS: Final = ("JOB_TRANSFORM_", "JOB_ROUTER_ROUTE_", "JOB_ROUTER_TRANSFORM_")
_COMMAND: Final = r"(requirements)[ \t]*[=:]?|(set|default|evalset)[ \t]+(\w+)[ \t]*=?"
_LINE: Final = re.compile(rf"(?im)^[ \t]*(?:{_COMMAND})[ \t]+(\S.*)$")
_ROUTED: Final = "when a job is transformed"
_HOW: Final = {
    "REQUIREMENTS": Evaluated(Use("job", "", Wanted.CONDITION), _ROUTED),
    "EVALSET": Evaluated(Use("job", "", Wanted.ANY), _ROUTED),
    "SET": Evaluated(Use("job", "slot", Wanted.ANY), "as an attribute of the job"),
    "DEFAULT": Evaluated(Use("job", "slot", Wanted.ANY), "as an attribute of the job"),
}
_ROUTES: Final = "JOB_ROUTER_ROUTE_"
#: The router asks it of a job in more than one way: as MY, and in a constraint as TARGET.
_OF_ROUTES: Final = Evaluated(Use("either", "either", Wanted.CONDITION), _ROUTED)


@frozen
class Part:
    """``name`` says what it is; ``source`` has it from ``start`` on, where that can be told."""

    name: str
    text: str
    how: Evaluated
    source: Source | None
    start: int

    def place(self, start: int, end: int) -> Place:
        """Where some characters of it stand; those behind its end at its last one."""
        last = max(0, len(self.text) - 1)
        begin = min(start, last)
        return self.source, self.start + begin, self.start + min(max(end, begin + 1), last + 1)


def has_body(setting: Setting) -> bool:
    """Does the macro hold a transform in the language of commands?"""
    return _is_holder(setting) and not setting.entry.raw.lstrip().startswith("[")


def is_old_body(setting: Setting) -> bool:
    """Does it hold one in the old syntax, an ad in brackets?"""
    return _is_holder(setting) and setting.entry.raw.lstrip().startswith("[")


def _is_holder(setting: Setting) -> bool:
    macro = setting.macro.upper()
    return macro.startswith(HOLDERS) and not macro.endswith("_NAMES")


def parts(setting: Setting) -> Iterator[Part]:
    """The expressions of a body, but those that the transform puts together itself."""
    entry, behind = setting.entry, setting.entry.start
    routed = setting.macro.upper().startswith(_ROUTES)
    for found in _LINE.finditer(entry.raw) if has_body(setting) else ():
        command, text = (found[1] or found[2]).upper(), found[4].rstrip()
        start = _in_file(entry, behind, text)
        behind = behind if start is None else start + len(text)
        if "$" not in text and not text.endswith("\\"):
            name = command if found[3] is None else f"{command} {found[3]}"
            how = _OF_ROUTES if command == "REQUIREMENTS" and routed else _HOW[command]
            if start is None:
                yield Part(name, text, how, _value(entry), found.start(4))
            else:
                yield Part(name, text, how, entry.source, start)


def _value(entry: Definition) -> Source:
    """The value as a text of its own, for what no line of a file has."""
    if entry.source is None:
        return Source(entry.raw, entry.origin)
    # A block begins with the line that opens it, which is not in the value.
    first_line, _ = entry.source.position(entry.start)
    first_line += "@=" in entry.source.line_at(entry.start)[0]
    return Source(entry.raw, f"{entry.origin}{EXPANDED}", first_line=first_line)


def _in_file(entry: Definition, behind: int, text: str) -> int | None:
    """Where the file ends a line with a text of the value, behind the one before."""
    if entry.source is None:
        return None
    pattern = re.compile(rf"(?m){re.escape(text)}[ \t\r]*$")
    found = pattern.search(entry.source.text, behind, entry.end)
    return None if found is None else found.start()
