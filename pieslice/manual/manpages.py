"""Writes a manual page for every command from its parser.

Completion scripts of bash, zsh and fish are made from the same parsers, by shtab.

Inputs: the parser of ``pieslice``.  Outputs: file names and texts in the macros of man(7).  The
pages have no date: equal parsers give equal bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pieslice.command_line import parsers_of

if TYPE_CHECKING:
    from pieslice.command_line import Parser


from collections.abc import Mapping
from typing import TYPE_CHECKING

from pieslice.command_line import commands_of, place_named
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


_SECTION: Final = 1


def man_pages(parser: Parser, version: str) -> dict[str, str]:
    """File name -> text, for ``pieslice`` and all its commands."""
    commands = list(parsers_of(parser))
    return {
        f"{_name(command)}.{_SECTION}": "\n".join(_page(command, commands, version)) + "\n"
        for command in commands
    }


def _name(command: Parser) -> str:
    return command.prog.replace(" ", "-")


def _page(command: Parser, commands: list[Parser], version: str) -> Iterator[str]:
    yield f'.TH {_name(command).upper()} {_SECTION} "" "pieslice {version}" "pieslice"'
    yield from (".SH NAME", f"{_text(_name(command))} \\- {_text(_purpose(command, commands))}")
    yield from (".SH SYNOPSIS", ".nf")
    lead = "usage: "
    yield from (_text(line[len(lead) :]) for line in command.format_usage().rstrip().split("\n"))
    yield ".fi"
    if command.description:
        yield from (".SH DESCRIPTION", *_prose(command.description))
    for group in command._action_groups:
        yield from _group(command, group)
    if command.epilog:
        yield from (".SH NOTES", *_prose(command.epilog))
    if command.examples:
        yield ".SH EXAMPLES"
        for line, purpose in command.examples:
            yield from (".TP", f"\\fB{_text(line)}\\fR", _text(purpose))
    others = [other for other in commands if other is not command and _are_near(other, command)]
    yield from (".SH SEE ALSO", ", ".join(f"\\fB{_text(_name(o))}\\fR({_SECTION})" for o in others))


def _are_near(one: Parser, other: Parser) -> bool:
    """Whether one is a command of the other, or both are commands of the same."""
    first, second = one.prog.split(), other.prog.split()
    return first[:-1] in (second, second[:-1]) or first == second[:-1]


def _purpose(command: Parser, commands: list[Parser]) -> str:
    """What the command above says of this one."""
    told = {
        f"{above.prog} {item.dest}": item.help
        for above in commands
        for action in above._actions
        if isinstance(action, argparse._SubParsersAction)
        for item in action._choices_actions
    }
    return told.get(command.prog) or (command.description or "").rstrip(".")


def _group(command: Parser, group: argparse._ArgumentGroup) -> Iterator[str]:
    formatter = command._get_formatter()
    shown = [item for item in group._group_actions if item.help != argparse.SUPPRESS]
    if shown:
        yield f'.SH "{_text(str(group.title).upper())}"'
    for action in shown:
        if isinstance(action, argparse._SubParsersAction):
            for item in action._choices_actions:
                yield from _item(item.dest, item.help or "")
        else:
            head = formatter._format_action_invocation(action)
            yield from _item(head, formatter._expand_help(action) if action.help else "")


def _item(head: str, text: str) -> Iterator[str]:
    yield from (".TP", f"\\fB{_text(head)}\\fR", *_prose(text))


def _prose(text: str) -> Iterable[str]:
    return [_text(line) for line in text.strip().split("\n")]


def _text(line: str) -> str:
    """A line with the signs that troff takes for its own."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line
