"""Shares between commands: exit codes, the version, how commands are added, and how wrong usage is
answered.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias

from pieslice.terminal import printable, terminal_width

#: Done; the answer is no; bad usage or input; ended by Ctrl-C.
EXIT_OK: Final = 0
EXIT_NO: Final = 1
EXIT_BAD: Final = 2
EXIT_INTERRUPTED: Final = 130


class Losses:
    """Counts what the input of a command lost because it could not be read.

    Whoever tells of it counts it here; ``pieslice.cli`` makes exit status 1 of it.
    """

    def __init__(self) -> None:
        self.count = 0


#: Those of the command that runs.
LOSSES: Final = Losses()


class Beside:
    """Says what stands beside an answer; ``errors_only``: no warnings and no notes."""

    errors_only: bool = False


#: That of the command that runs.
BESIDE: Final = Beside()

#: What is said of a name without characters, as that of a variable of the shell that is not set:
#: it would be the current folder.
EMPTY_NAME: Final = "the name is empty"
#: The placeholders of files, some of which may be folders, and of folders.
_FILES: Final = frozenset(
    ("F", "FILE", "PATH", "POOL", "SOURCE", "POLICY", "HISTORY", "RUNNING", "W", "A", "B")
)
_FOLDERS: Final = {"DIR", "RUN"}
#: What argparse says of what is no number.
_INVALID: Final = r"invalid (int|float) value: '(.*)'"
#: Numbers of options, and days of what is simulated or foretold: more are slips.
_MOST: Final = 1e12
CENTURY: Final = 36_525

#: As many commands below one are named where one of them is missing.
_FEW_COMMANDS: Final = 6
#: What is said of the option ``--now``.
NOW_HELP: Final = "the time: seconds since the epoch or ISO 8601, local time unless it has a zone"

#: Positional arguments that take options as well: those of a command below, and all the rest.
_TO_THE_END: Final = (argparse.PARSER, argparse.REMAINDER)

#: A command as it is typed, and what it is good for.
Example: TypeAlias = tuple[str, str]


class HelpFormatter(argparse.HelpFormatter):
    """Help as wide as the terminal; 80 columns in a pipe, whatever the environment says."""

    def __init__(self, prog: str, **more: Any) -> None:
        more.setdefault("width", terminal_width(sys.stdout) - 2)
        super().__init__(prog, **more)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        # As from Python 3.13 on: `-o, --output F`, the value once.
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


def installed_version() -> str:
    """The version of the package."""
    return str(sys.modules["pieslice"].__version__)


class Parser(argparse.ArgumentParser):
    """A parser whose help has examples; it answers wrong usage in one line, with the nearest word.

    Options may stand anywhere, also between the positional arguments.  ``examples``: shown at the
    end of the help and of the manual page.
    """

    _inside = False

    def __init__(self, *args: Any, examples: Sequence[Example] = (), **more: Any) -> None:
        more.setdefault("formatter_class", HelpFormatter)
        more.setdefault("allow_abbrev", False)
        super().__init__(*args, **more)
        self.examples = tuple(examples)

    def format_help(self) -> str:
        """The help of argparse, and the examples."""
        text = super().format_help()
        if self.examples:
            text += "\nexamples:\n" + "".join(f"{line}\n" for line in self._example_lines())
        return text

    def _example_lines(self) -> Iterator[str]:
        room = terminal_width(sys.stdout) - 2
        widest = max(len(command) for command, _ in self.examples)
        beside = widest + max(len(purpose) for _, purpose in self.examples) + 6 <= room
        for command, purpose in self.examples:
            if beside:
                yield f"  {command:<{widest}}  # {purpose}"
            else:
                yield from (f"  # {purpose}", f"  {command}")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line."""
        message = re.sub(_INVALID, r"`\2` is not a \1 number", message).replace(
            "a int ", "a whole "
        )
        message = message.replace("a float number", "a number")
        if message.startswith("the following arguments are required"):
            message += f"; `{self.prog} --help` shows the usage"
        self.exit(EXIT_BAD, f"error: {printable(message)}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments; those that nobody knows are an error of the command that they follow."""
        if self._inside:
            # argparse's intermixed form calls this function for the options, then for the rest.
            return super().parse_known_args(args, namespace)
        found, unknown = self.read_arguments(args, namespace)
        if unknown:
            self.error(self._about(unknown[0]))
        return found, []

    def read_arguments(self, args: Any, namespace: Any) -> Any:
        """What argparse makes of the arguments, and what it leaves."""
        if any(action.nargs in _TO_THE_END for action in self._get_positional_actions()):
            return super().parse_known_args(args, namespace)
        words = sys.argv[1:] if args is None else args
        usage, self._inside = self.usage, True
        if not any(word.startswith("-") and "h" in word for word in words):
            self.usage = usage or ""  # which argparse puts together first, and help alone shows
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.usage, self._inside = usage, False

    def _about(self, word: str) -> str:
        if not word.startswith("-") or word == "-":
            return f"`{word}` is one argument too many"
        name = word.partition("=")[0]
        known = [
            option
            for action in self._actions
            if action.help != argparse.SUPPRESS
            for option in action.option_strings
        ]
        return f"no option `{name}`; {self._near(name, known)}"

    def _near(self, word: str, known: Iterable[str]) -> str:
        near = nearest(word, known)
        return f"did you mean `{near}`?" if near else f"`{self.prog} --help` lists the options"

    def _first_of(self, known: Sequence[str], word: str) -> str:
        """What to type: a command before a word that may be a pool or a file, if they are few."""
        if len(known) > _FEW_COMMANDS:
            return f"`{self.prog} --help` lists them"
        *most, last = known
        named = f"{', '.join(most)} or {last}" if most else last
        return f"`{self.prog}` takes {named} first, as in `{self.prog} {known[0]} {word}`"

    def _get_values(self, action: argparse.Action, arg_strings: Any) -> Any:
        # A hook, too: before Python 3.13 argparse makes a list without items of `--option=--`.
        if action.nargs is None and action.option_strings and arg_strings == ["--"]:
            self.error(f"argument {'/'.join(action.option_strings)}: `--` is no value")
        names = action.metavar if isinstance(action.metavar, tuple) else repeat(action.metavar)
        for word, name in zip(arg_strings, names, strict=False):
            place = place_named(name)
            if place and not word:
                raise argparse.ArgumentError(action, EMPTY_NAME)
            is_path = isinstance(action.type, type) and issubclass(action.type, os.PathLike)
            if place and word == "-" and action.option_strings and is_path:
                # Elsewhere it is a standard stream; a file of that name is hard to get rid of.
                raise argparse.ArgumentError(action, f"`-` is no {place} here")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # The hook of argparse for values; it has no public one.
        if action.choices is None or value in action.choices:
            return
        known = [str(item) for item in action.choices]
        if isinstance(action, argparse._SubParsersAction):
            near = nearest(value, known)
            hint = f"did you mean `{near}`?" if near else self._first_of(known, value)
            self.error(f"there is no command `{value}`; {hint}")
        near = nearest(str(value), known)
        hint = f"did you mean `{near}`?" if near else f"it takes {', '.join(known)}"
        raise argparse.ArgumentError(action, f"there is no `{value}`; {hint}")


def place_named(placeholder: str | None) -> Literal["file", "folder"] | None:
    """What an argument with this placeholder names, if it is the name of a file or a folder."""
    if not placeholder:
        return None
    if placeholder.partition(" ")[0].removeprefix("[").removesuffix("]") in _FILES:
        return "file"
    return "folder" if placeholder in _FOLDERS else None


def commands_of(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    """The commands of a command, by their names."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


class _NotAsked:
    """Stands for the parser of a command that was not asked for, and forgets its options."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **more: None if name.startswith("get") else self

    def __setattr__(self, name: str, value: object) -> None:
        pass


class OneCommand(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Makes the parser of the command ``asked``, or all without one: few are ever read."""

    asked: str | None = None

    def add_parser(self, name: str, **more: Any) -> Any:
        """The parser of a command."""
        wanted = self.asked is None or self.asked == name
        return super().add_parser(name, **more) if wanted else _NotAsked()


def parsers_of(parser: Parser) -> Iterator[Parser]:
    """A command and all commands below it."""
    yield parser
    for command in commands_of(parser).values():
        yield from parsers_of(command)


def number(text: str, what: str, fine: Callable[[float], bool]) -> float:
    """The number that an argument is; raises ``ArgumentTypeError`` if it is not ``what``.

    Larger ones than ``_MOST`` are slips.
    """
    try:
        found = float("" if "_" in text else text)
    except ValueError:
        found = math.nan
    if not fine(found) or found > _MOST:
        most = f" and at most {_MOST:g}" if found > _MOST else ""
        raise argparse.ArgumentTypeError(f"`{text}` is not {what}{most}")
    return found


def moment_in(text: str) -> float | None:
    """Seconds since the epoch from a number or an ISO 8601 time, local unless it has a zone."""
    from datetime import datetime

    for read in (float, datetime.fromisoformat):
        try:
            found = read(text)
            at = datetime.fromtimestamp(found) if isinstance(found, float) else found
            return found if isinstance(found, float) else at.timestamp()
        except (ValueError, OverflowError, OSError):
            continue
    return None


def moment(text: str) -> float:
    """The time that an argument is."""
    found = moment_in(text)
    if found is None:
        message = f"`{text}` is neither seconds since the epoch nor an ISO 8601 time"
        raise argparse.ArgumentTypeError(message)
    return found


def whole_number(what: str, least: int = 0, most: int = 10**18 - 1) -> Callable[[str], int]:
    """What reads an argument that is ``what``: a whole number in these bounds."""

    def read(text: str) -> int:
        # Python reads no more than 4,300 digits.
        number = int(text) if text.isdecimal() and len(text) <= 18 else -1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"`{text}` is not {what}")
        return number

    read.__name__ = "whole_number"  # as `argparse` calls it
    return read


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like one that is not known; empty if none is.

    Commands and options are few: a word may be like one of them by more than the single slip
    that ``classad.errors.suggest`` looks for among thousands of names.
    """
    import difflib

    words = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), words, 1)
    return words[found[0]] if found else ""


if TYPE_CHECKING:
    #: What ``add_commands`` of a command's package adds its parsers to.
    Subcommands: TypeAlias = argparse._SubParsersAction[Parser]
