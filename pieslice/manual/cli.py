"""Reads the command lines of ``pieslice help`` and ``pieslice completion``."""

from __future__ import annotations

import argparse
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pieslice.command_line import EXIT_BAD, EXIT_OK, commands_of, nearest
from pieslice.inputs.configuration import guarded
from pieslice.manual.manpages import SHELLS
from pieslice.manual.topics import topic_names, topic_text, topic_title
from pieslice.terminal import complain, terminal_width
from pieslice.writing import naming

if TYPE_CHECKING:
    from pieslice.command_line import Parser, Subcommands


#: The number of a finding of ``pieslice check``.
_FINDING: Final = r"p\d{3}"


def add_commands(subcommands: Subcommands, root: Parser, version: str) -> None:
    """Add ``help`` and ``completion``, which tell of all commands of ``root``."""
    manual = subcommands.add_parser(
        "help",
        help="show the help of a command, or a page about a topic",
        description="Show the help of a command, or a page about a topic. Without arguments, list"
        " topics and commands.",
        examples=(
            ("pieslice help", "which topics there are"),
            ("pieslice help captures", "how a pool is saved"),
            ("pieslice help policy diff", "as `pieslice policy diff --help`"),
        ),
    )
    manual.add_argument(
        "words", nargs="*", metavar="TOPIC", help="a topic, a command or the number of a finding"
    )
    manual.add_argument(
        "--man", type=Path, metavar="DIR", help="write manual pages of all commands to a folder"
    )
    manual.set_defaults(run=guarded(partial(_help, root, version)))
    completion = subcommands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a completion script for bash, zsh or fish.",
        examples=(
            (
                "pieslice completion bash > ~/.local/share/bash-completion/completions/pieslice",
                "bash",
            ),
            ("pieslice completion zsh > ~/.zfunc/_pieslice", "zsh; ~/.zfunc is in $fpath"),
            ("pieslice completion fish > ~/.config/fish/completions/pieslice.fish", "fish"),
        ),
    )
    completion.add_argument("shell", choices=SHELLS, help="the shell")
    completion.set_defaults(run=partial(_completion, root))


def _help(root: Parser, version: str, args: argparse.Namespace) -> int:
    if args.man is not None:
        _write_man_pages(root, version, args.man)
        return EXIT_OK
    if not args.words:
        print("\n".join(_contents(root)))
        return EXIT_OK
    topic = "-".join(args.words).lower()
    topics = topic_names()
    if topic in topics:
        sys.stdout.write(topic_text(topic))
        return EXIT_OK
    if re.fullmatch(_FINDING, topic):
        return _explain(topic)
    command, known = root, topics
    for word in args.words:
        commands = commands_of(command)
        if word not in commands:
            return _unknown(word, [*known, *commands])
        command, known = commands[word], []
    command.print_help()
    return EXIT_OK


def _explain(number: str) -> int:
    from pieslice.policies.rules import explanation, finding_of
    from pieslice.policies.texts import wrapped_lines

    lines = wrapped_lines(explanation(finding_of(number)), terminal_width(sys.stdout))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return EXIT_OK


def _write_man_pages(root: Parser, version: str, folder: Path) -> None:
    from pieslice.manual.manpages import man_pages

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages(root, version).items():
        with naming(folder / name):
            (folder / name).write_text(text, encoding="utf-8")


def _contents(root: Parser) -> list[str]:
    from textwrap import wrap

    widest = max(map(len, topic_names()))
    topics = [f"  {name:<{widest}}  {topic_title(name)}" for name in topic_names()]
    commands = wrap(f"  {' '.join(commands_of(root))}", 80, subsequent_indent="  ")
    heads = ("topics (pieslice help TOPIC):", "commands (pieslice help COMMAND):")
    return [heads[0], *topics, "", heads[1], *commands]


def _unknown(word: str, known: list[str]) -> int:
    near = nearest(word, known)
    hint = f"did you mean `{near}`?" if near else "`pieslice help` lists them"
    complain(f"error: there is no topic `{word}`; {hint}")
    return EXIT_BAD


def _completion(root: Parser, args: argparse.Namespace) -> int:
    from pieslice.manual.manpages import completion_script

    print(completion_script(root, args.shell))
    return EXIT_OK
