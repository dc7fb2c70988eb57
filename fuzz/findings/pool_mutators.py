"""Plants faults that one line does not show: in transforms, in lists that belong together.

Inputs: the text of a file.  Outputs: ``Mutation``; see ``fuzz.findings.mutators``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fuzz.findings.mutators import MUTATORS, Mutation, Mutator, Statement, slips

#: Commands with an attribute of HTCondor's own, in the body of a transform.
_COMMAND: Final = re.compile(
    r"(?m)^([ \t]+)(SET|DEFAULT|EVALSET|COPY|DELETE)([ \t]+)(Request\w+|Accounting\w+|JobPrio)\b"
)
_SET: Final = re.compile(r"(?m)^([ \t]+)SET[ \t]+(\w+)[ \t]+(?=[^=\s])")
_HOST: Final = re.compile(r"(?m)^[ \t]*HAD_LIST[ \t]*=.*?([\w.$()-]+)(:[\w$()]+)[ \t]*$")
_CONTROLLER: Final = re.compile(r"(?m)^[ \t]*MASTER_NEGOTIATOR_CONTROLLER[ \t]*=.*\n")
_OF_HAD: Final = re.compile(r"(?m)^[ \t]*DAEMON_LIST[ \t]*=.*\bHAD\b")
_REQUIREMENTS: Final = re.compile(r"(?m)^([ \t]+)REQUIREMENTS[ \t]+(?![=:]).*\n")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def transform_attribute_slip(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A command is about an attribute that is misspelt."""
    for found in _COMMAND.finditer(text):
        changed = text[: found.start(4)] + slips(found[4]) + text[found.end(4) :]
        yield Mutation(changed, (_line(text, found.start()),), told=slips(found[4]))


def command_of_old(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """``set_X = ...`` of the old syntax for SET."""
    for found in _SET.finditer(text):
        changed = f"{text[: found.start()]}{found[1]}set_{found[2]} = {text[found.end() :]}"
        yield Mutation(changed, (_line(text, found.start()),), told=f"set_{found[2]}")


def requirements_again(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A transform with REQUIREMENTS gets others."""
    for found in _REQUIREMENTS.finditer(text):
        line = _line(text, found.start())
        again = f"{found[1]}REQUIREMENTS JobUniverse == 5\n"
        changed = text[: found.end()] + again + text[found.end() :]
        yield Mutation(changed, (line, line + 1), told=again.strip())


def had_without_port(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """The last machine of HAD_LIST has no port."""
    for found in _HOST.finditer(text):
        changed = text[: found.start(2)] + text[found.end(2) :]
        yield Mutation(changed, (_line(text, found.start(2)),), told=found[1])


def had_of_another(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """The last machine of HAD_LIST is none of the other lists."""
    for found in _HOST.finditer(text):
        changed = text[: found.start(1)] + "cm9." + text[found.start(1) :]
        lines = [item.line for item in items if item.plain in ("HAD_LIST", "REPLICATION_LIST")]
        yield Mutation(changed, tuple(lines), told=f"cm9.{found[1]}")


def nobody_controls(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """HAD is started, and MASTER_NEGOTIATOR_CONTROLLER is gone."""
    started = _OF_HAD.search(text)
    for found in _CONTROLLER.finditer(text) if started is not None else ():
        changed = text[: found.start()] + "\n" + text[found.end() :]
        assert started is not None
        yield Mutation(changed, (_line(text, started.end()),), told="no controller")


#: All classes of faults -> what plants them.
EVERY: Final[Mapping[str, Mutator]] = {
    **MUTATORS,
    **{
        function.__name__.replace("_", "-"): function
        for function in (
            transform_attribute_slip, command_of_old, requirements_again, had_without_port,
            had_of_another, nobody_controls,
        )
    },
}  # fmt: skip
