"""Writes the completion scripts of bash, zsh and fish from the parsers of the commands.

Decides which arguments are completed as files and folders: those whose placeholder says so.

Inputs: the parser of ``pieslice``.  Outputs: a script.  The scripts are shtab's.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pieslice.command_line import commands_of, parsers_of, place_named
from pieslice.manual.topics import topic_names

if TYPE_CHECKING:
    from pieslice.command_line import Parser

SHELLS: Final = ("bash", "zsh", "fish")


def completion_script(parser: Parser, shell: str) -> str:
    """The script that a shell reads to complete the commands, their options and their files."""
    import shtab

    for command in parsers_of(parser):
        for action in command._actions:
            if action.metavar == "TOPIC":
                action.choices = [*topic_names(), *commands_of(parser)]
            kind = _files(action)
            if kind is not None:
                # An attribute that shtab looks for.
                action.complete = kind  # type: ignore[attr-defined]
    return shtab.complete(parser, shell)


def _files(action: argparse.Action) -> Mapping[str, object] | None:
    import shtab

    if action.choices is not None or action.nargs == 0:
        return None
    placeholder = action.metavar[0] if isinstance(action.metavar, tuple) else action.metavar
    place = place_named(placeholder)
    if place is None:
        return None
    return shtab.FILE if place == "file" else shtab.DIRECTORY
