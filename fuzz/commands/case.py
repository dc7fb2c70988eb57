"""Draws a case: a command, damaged files, options that nobody means, where the answer goes.

Inputs: a seed, a number, the shop.  Outputs: ``Case``, made from these alone.
"""

from __future__ import annotations

import shlex
from enum import Enum
from pathlib import Path
from random import Random
from typing import Final

from attr import frozen

from fuzz.commands.shop import COMMANDS, Command
from fuzz.commands.tears import torn
from fuzz.commands.values import drawn, parser_of
from pieslice.cli import build_parser

#: How many commands have options that are drawn, and how many of these have two.
_WITH_OPTIONS: Final = 0.4
_WITH_TWO: Final = 0.3
#: How many read the damaged file from their standard input, where they name it.
_FROM_INPUT: Final = 0.15


class Output(Enum):
    """Where the answer goes."""

    TERMINAL = "a terminal"
    PIPE = "a pipe"
    FULL = "a full disk"
    LEFT = "a pipe that nobody reads"


@frozen
class Case:
    """Words, damaged files by their names in the shop, input, and what the command may write."""

    words: tuple[str, ...]
    files: dict[str, bytes]
    piped: bytes
    output: Output
    writes: tuple[str, ...]

    def __str__(self) -> str:
        into = "" if self.output is Output.TERMINAL else f" > {self.output.value}"
        return f"{shlex.join(self.words)}{' < damaged' if self.piped else ''}{into}"


def draw(seed: int, number: int, shop: Path, only: str = "") -> Case:
    """The case of a number."""
    chance = Random(f"{seed}:{number}")
    known = [command for command in COMMANDS if command.words.startswith(only)]
    command = chance.choices(known, [one.weight for one in known])[0]
    names = [name for name in command.files if (shop / name).is_file()]
    chosen = chance.sample(names, min(len(names), chance.choice((1, 1, 1, 2))))
    files = {name: torn((shop / name).read_bytes(), chance) for name in chosen}
    words = shlex.split(command.words)
    piped = b""
    if chosen and chosen[0] in words and chance.random() < _FROM_INPUT:
        piped = files.pop(chosen[0])
        words = ["-" if word == chosen[0] else word for word in words]
    writes = tuple("-" if piped and name == chosen[0] else name for name in command.writes)
    words += _options(command, chance, bool(files or piped))
    output = chance.choices(list(Output), (6, 2, 1, 1))[0]
    return Case(tuple(words), files, piped, output, writes)


def _options(command: Command, chance: Random, damaged: bool) -> list[str]:
    if damaged and chance.random() > _WITH_OPTIONS:
        return []
    parser = parser_of(build_parser(), shlex.split(command.words))
    found = drawn(parser, chance)
    return found + (drawn(parser, chance) if chance.random() < _WITH_TWO else [])
