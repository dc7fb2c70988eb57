"""Shares between commands: exit codes, the version, and how commands are added."""

from __future__ import annotations

import argparse
import difflib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

#: Done; the answer is no; bad usage or input; ended by Ctrl-C.
EXIT_OK: Final = 0
EXIT_NO: Final = 1
EXIT_BAD: Final = 2
EXIT_INTERRUPTED: Final = 130


def installed_version() -> str:
    """The version that is installed; a checkout that is not has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pieslice")
    except PackageNotFoundError:
        return "unknown"


class Parser(argparse.ArgumentParser):
    """Answers a command that does not exist with one line, and the nearest one."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # The hook of argparse for values; it has no public one.
        known = None if action.choices is None else [str(item) for item in action.choices]
        if known is None or value in known or not isinstance(action, argparse._SubParsersAction):
            super()._check_value(action, value)
            return
        near = difflib.get_close_matches(str(value).lower(), known, 1)
        hint = f"did you mean `{near[0]}`?" if near else f"`{self.prog} --help` lists them"
        self.exit(EXIT_BAD, f"{self.prog}: error: there is no command `{value}`; {hint}\n")


class Intermixed(Parser):
    """Takes options also between the positional arguments."""

    _inside = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments; argparse's intermixed form calls this function in its turn."""
        if self._inside:
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False


if TYPE_CHECKING:
    #: What ``add_commands`` of a command's package adds its parsers to.
    Subcommands: TypeAlias = argparse._SubParsersAction[Parser]
    #: The same for the commands of a command.
    IntermixedCommands: TypeAlias = argparse._SubParsersAction[Intermixed]
