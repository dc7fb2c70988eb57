"""Says what a diagnostic of a configuration is about, for code that goes by it.

A message is for people: verdicts, causes and blocks are made from these fields.
"""

from __future__ import annotations

from typing import Final

from attr import evolve, frozen

from classad.errors import Diagnostic
from policy.language.table import Definition

#: All daemons, as the one that ends.
EVERY: Final = "*"
#: Kinds of what one number has: a line of a file that is not quoted, an ``if`` behind ``else`` or
#: another word for ``elif``, a branch behind the last one, a program that is not run, a file that
#: is not here, a macro that a list or a text of its own lacks.
UNQUOTED: Final = "unquoted"
ELIF: Final = "elif"
AFTER_ELSE: Final = "after else"
NOT_RUN: Final = "not run"
NOT_READ: Final = "not read"
PART: Final = "part"


@frozen(kw_only=True)
class About:
    """What a diagnostic is about; empty is what does not apply.

    ``macro`` is the macro whose name or value it is, or the list; ``definition`` where it is set.
    ``kind`` tells apart what has one number.  ``names`` are the other names that it speaks of:
    items, macros, groups.  ``meant`` is the macro that was meant, ``group`` the accounting group.
    ``needs`` is the macro or list that is lacking, or that lacks it.  ``circle`` are macros that
    refer to each other.  ``ends`` is the subsystem of the daemon that ends when it reads the value,
    or ``EVERY``, all of them with ``status``, and ``goes_on`` how a report goes on.  ``version``:
    the message names the version.
    """

    macro: str = ""
    definition: Definition | None = None
    kind: str = ""
    names: tuple[str, ...] = ()
    meant: str = ""
    group: str = ""
    needs: str = ""
    circle: tuple[str, ...] = ()
    ends: str = ""
    status: int = 4
    goes_on: str = ""
    version: bool = False


_NOTHING: Final = About()


def about(finding: Diagnostic) -> About:
    """What a diagnostic is about; an ``About`` without any field where nobody said it."""
    return finding.about if isinstance(finding.about, About) else _NOTHING


def change_about(finding: Diagnostic, **changes: object) -> None:
    """Say further what a diagnostic is about."""
    finding.about = evolve(about(finding), **changes)  # type: ignore[arg-type]
