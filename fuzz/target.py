"""Describes a target: a joint, the property that must hold there, its cases and the check.

A case is made of JSON values only, so that it can be written down and tried again.

Outputs: ``Target``, ``Unavailable`` and the table of ``fuzz/README.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attr import frozen


class Unavailable(Exception):  # noqa: N818 - not a failure
    """The target cannot run here; the text says what is missing."""


@frozen
class Target:
    """One row: ``check`` raises when the property does not hold for a case of ``cases``.

    ``joint``: what is compared.  ``law``: the property in one line.  ``examples``: how many cases
    the profile ``ci`` tries.  ``vector``: a failing case as a line for tests/vectors.
    """

    name: str
    joint: str
    law: str
    cases: Callable[[], Any]
    check: Callable[[Any], None]
    examples: int = 200
    vector: Callable[[Any], dict[str, Any]] = lambda case: {"case": case}


def table(targets: Iterable[Target]) -> str:
    """The targets as the table of the README."""
    lines = ["| Target | Joint | Property | Once more |", "|---|---|---|---|"]
    for target in targets:
        again = f"`python -m fuzz {target.name} --replay FILE`"
        lines.append(f"| `{target.name}` | {target.joint} | {target.law} | {again} |")
    return "\n".join(lines) + "\n"
