"""Says what a reload changes for each daemon, and whether condor_reconfig is enough.

Inputs: a ``Reload``.  Outputs: lines for people; what JSON shows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pieslice.reports.document import shape
from policy.explain.reload import Needs, Reload, ReloadedDaemon, ReloadedMacro, reload
from policy.explain.words import code, listing

__all__ = ["Reload", "reload", "reload_lines"]

shape(Reload, "daemons started ended everywhere unread parts")
shape(ReloadedDaemon, "daemon needs=word macros")
shape(
    ReloadedMacro,
    "macro=change.macro before=change.before after=change.after place=change.place needs=word",
)


def reload_lines(running: str, reload: Reload) -> Iterator[str]:
    """What changes for each daemon and what is enough, then what is known of nobody."""
    for of in reload.daemons:
        yield f"{_program(of.daemon)}: {_ENOUGH[of.needs](of)}"
        for one in of.macros:
            change = one.change
            sides = (_value(text) for text in (change.before, change.after))
            yield f"  {change.macro}: {' -> '.join(sides)}  ({one.needs.value})"
    for daemon in reload.started:
        yield f"{_program(daemon)}: is started, and reads the new files"
    for daemon in reload.ended:
        yield f"{_program(daemon)}: is ended"
    for what, names in (
        ("read by every daemon; of those not named above it is not known what they need",
         reload.everywhere),
        ("parts of the macros above", reload.parts),
        ("no daemon of this host is known to read", reload.unread),
    ):  # fmt: skip
        if names:
            yield f"{what}: {listing(names)}"
    if not (
        reload.daemons
        or reload.started
        or reload.ended
        or reload.everywhere
        or reload.parts
        or reload.unread
    ):
        yield f"nothing changes from {running}"


def _program(daemon: str) -> str:
    return f"condor_{daemon.lower()}"


def _value(text: str | None) -> str:
    return "not set" if text is None else code(text) if text.strip() else "empty"


_ENOUGH: Final[dict[Needs, Callable[[ReloadedDaemon], str]]] = {
    Needs.NOTHING: lambda of: "nothing is to be done, the next command reads it",
    Needs.RECONFIG: lambda of: "condor_reconfig is enough",
    Needs.UNKNOWN: lambda of: (
        f"not known whether condor_reconfig is enough for {listing(of.with_(Needs.UNKNOWN))}"
    ),
    Needs.RESTART: lambda of: f"a restart is needed for {listing(of.with_(Needs.RESTART))}",
}
