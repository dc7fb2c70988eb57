"""Turns a transform in the old syntax, an ad in brackets, into lines of commands.

The tools still do, the schedd and the router since 25 do not.
Inputs: the text of a macro.  Outputs: lines of commands.
Follows: condor_transform_ads 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

from typing import Final

from classad.ads.ad import Ad
from classad.errors import ClassAdParseError
from policy.transforms.job import text_of

#: What an attribute of the ad begins with, and the command that it is, in the order they are run.
_COMMANDS: Final = (
    ("copy_", "COPY"), ("delete_", "DELETE"), ("set_", "SET"), ("eval_set_", "EVALSET"),
)  # fmt: skip


def commands_of(text: str) -> str | None:
    """The commands that an ad in brackets stands for; None if it does not parse."""
    from classad.formats.new import read_new

    try:
        ads = list(read_new(text, new=Ad, errors="strict"))
    except ClassAdParseError:
        return None
    return _commands(ads[0]) if ads else None


def _commands(ad: Ad) -> str:
    lines = []
    requirements = ad.raw("Requirements")
    if requirements is not None:
        lines.append(f"REQUIREMENTS {text_of(requirements)}")
    for head, command in _COMMANDS:
        for name in ad.names():
            if name.lower().startswith(head):
                lines.append(_line(command, name[len(head) :], ad.raw(name)))
    return "\n".join(lines)


def _line(command: str, name: str, value: object) -> str:
    if command == "DELETE":
        return f"DELETE {name}"
    if command == "COPY":
        return f"COPY {name} {value}"
    return f"{command} {name} {text_of(value)}"
