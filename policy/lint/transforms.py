"""Checks the commands of job transforms.

Follows: the transform language of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic, suggest
from policy.knobs.reading import Place
from policy.lint.finding import WARNING, Finding
from policy.lint.places import stretch
from policy.lint.view import Setting, View

NO_COMMAND: Final = Finding(
    "P244",
    WARNING,
    "a transform or a route with a command that does not exist",
    "A line is a command such as SET or DEFAULT, or an assignment to a macro of the transform. The"
    " schedd looks at transforms when a job is submitted, and then one that it cannot read is an"
    " error.",
    "JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  DEFUALT RequestMemory 2048\n@end\n",
    "JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  DEFAULT RequestMemory 2048\n@end\n",
    observed="Observed with 25.14.1: its schedd logs `is not a valid transform keyword`, and"
    " condor_submit fails with `Failed to apply a required job transform`. Routes were not asked"
    " about.",
)
_HOLDERS: Final = ("JOB_TRANSFORM_", "JOB_ROUTER_ROUTE_")
_COMMANDS: Final = (
    *("NAME", "REQUIREMENTS", "UNIVERSE", "SET", "DEFAULT", "EVALSET", "EVALMACRO", "COPY"),
    *("RENAME", "DELETE", "TRANSFORM", "if", "elif", "else", "endif"),
)
_LINE: Final = re.compile(r"(?m)^[ \t]*([A-Za-z]\w*)[ \t]+(?![=:@+])\S")


def check_transforms(view: View) -> Iterator[Diagnostic]:
    """Words at the beginning of a line that are nearly a command."""
    for setting in view.settings:
        text = setting.entry.raw
        if not setting.macro.upper().startswith(_HOLDERS) or text.lstrip().startswith("["):
            continue
        for line in _LINE.finditer(text):
            yield from _command(setting, line)


def _command(setting: Setting, line: re.Match[str]) -> Iterator[Diagnostic]:
    if line[1].upper() in _COMMANDS or line[1].lower() in _COMMANDS:
        return
    meant = suggest(line[1].upper(), list(_COMMANDS))
    if meant is not None:
        message = f"`{line[1]}` is no command of a transform"
        yield NO_COMMAND.at(message, *_place(setting, line), f"did you mean `{meant}`?")


def _place(setting: Setting, line: re.Match[str]) -> Place:
    """Where the word stands in the block; blanks at the beginnings of lines are gone from it."""
    source, begin = setting.entry.source, setting.entry.start
    at = -1 if source is None else source.text.find(line[0].strip(), begin)
    if at < 0:
        return stretch(setting, setting.entry.raw, *line.span(1))
    return source, at, at + len(line[1])
