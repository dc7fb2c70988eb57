"""Writes what was found about the installation as one page of text.

Inputs: checks.  Outputs: text.  Only the standard library is used, since
anything else may be what is broken.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pieslice.terminal import printable

State = Literal["ok", "absent", "doubtful", "broken"]


class PartCheck(NamedTuple):
    """What was found about one part; ``absent``: it is optional and not there."""

    name: str
    state: State
    text: str
    help: str = ""


def text(version: str, checks: Sequence[PartCheck], width: int) -> str:
    """The page, in lines of at most ``width`` characters."""
    names = max(len(check.name) for check in checks)
    broken = [check.name for check in checks if check.state == "broken"]
    verdict = f"broken: {', '.join(broken)}" if broken else "usable"
    lines = [f"pieslice {version}: {verdict}", ""]
    for check in checks:
        lead = f"  {check.state:<8}  {check.name:<{names}}  "
        room = max(width - len(lead), 20)
        said = [check.text, *([check.help] if check.help else [])]
        cut = [line for part in said for line in _wrapped(printable(part), room)]
        lines += [
            (lead if place == 0 else " " * len(lead)) + line for place, line in enumerate(cut)
        ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _wrapped(words: str, room: int) -> list[str]:
    return textwrap.wrap(words, room, break_on_hyphens=False) or [""]
