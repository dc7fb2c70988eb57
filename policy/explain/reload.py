"""Says what of a running configuration a new one changes, and what makes each daemon act by it.

Whether condor_reconfig is enough was asked of the daemons, macro by macro; what was not asked is
not known (``policy/data/README.md``).
Inputs: the running configuration and the new one.  Outputs: ``Reload``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Final

from attr import evolve, frozen

from policy.config import Config
from policy.data.tables import reload_rows
from policy.explain.changes import Acts, ChangedMacro, changed
from policy.explain.roles import Host, host_of, readers_of
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import MAIN
from policy.publishing import LISTS, text_of


class Needs(Enum):
    """What a daemon needs to act by a new value, the least first."""

    NOTHING = "the next command reads it"
    RECONFIG = "condor_reconfig"
    UNKNOWN = "not known"
    RESTART = "restart"


@frozen
class ReloadedMacro:
    """A macro that changes, and what one of its readers needs."""

    change: ChangedMacro
    needs: Needs

    @property
    def word(self) -> str:
        """What is needed in one word."""
        return self.needs.name.lower()


@frozen
class ReloadedDaemon:
    """What changes for a daemon."""

    daemon: str
    macros: tuple[ReloadedMacro, ...]

    @property
    def needs(self) -> Needs:
        """What is enough for all of it: a restart if one macro needs that."""
        return max((one.needs for one in self.macros), key=list(Needs).index)

    @property
    def word(self) -> str:
        """The same in one word."""
        return self.needs.name.lower()

    def with_(self, needs: Needs) -> list[str]:
        """The macros that need just this."""
        return [one.change.macro for one in self.macros if one.needs is needs]


@frozen
class Reload:
    """``daemons`` in the order of DAEMON_LIST, with what is for them; those that are ``started``
    read the new files, and others are ``ended``, by DAEMON_LIST; ``everywhere``: macros that
    every daemon reads, of which it is not known what those need that were not asked; ``unread``:
    macros that no daemon of the host is known to read; ``parts``: macros that change others."""

    daemons: tuple[ReloadedDaemon, ...]
    started: tuple[str, ...]
    ended: tuple[str, ...]
    everywhere: tuple[str, ...]
    unread: tuple[str, ...]
    parts: tuple[str, ...]


def reload(running: Config, new: Config) -> Reload:
    """What changes, for whom, and what is enough."""
    host, before = host_of(new), host_of(running)
    listed = host.listed is not None and before.listed is not None
    started = tuple(one for one in host.daemons if listed and one not in before.daemons)
    ended = tuple(one for one in before.daemons if listed and one not in host.daemons)
    daemons = tuple(dict.fromkeys((*host.daemons, *before.daemons)))
    both = Host(daemons, host.listed)
    attributes = {name for one in (running, new) for name in _published(one)}
    found: dict[str, list[ReloadedMacro]] = {daemon: [] for daemon in daemons}
    everywhere, unread, parts = list[str](), list[str](), list[str]()
    for found_ in changed(running, new):
        change = _as_written(running, found_)
        if change.acts is Acts.PART:
            parts.append(change.macro)
            continue
        known = _readers(change, attributes)
        readers = [one for one in known if both.runs(one)]
        if len(known) >= len(MAIN):
            asked = [one for one in readers if find_needs(change.macro, one) is not None]
            everywhere += [] if asked == readers else [change.macro]
            readers = asked
        elif not readers:
            unread.append(change.macro)
        for daemon in readers:
            found[daemon].append(ReloadedMacro(change, _needs(change.macro, daemon, attributes)))
    of = (
        ReloadedDaemon(daemon, tuple(macros))
        for daemon, macros in found.items()
        if macros and daemon not in (*started, *ended)
    )
    return Reload(tuple(of), started, ended, tuple(everywhere), tuple(unread), tuple(parts))


def _as_written(running: Config, change: ChangedMacro) -> ChangedMacro:
    """A default that speaks of the machine, as it is written: the machine is not known here."""
    entry = running.lookup(change.macro)
    if entry is None or not entry.is_builtin or "$(DETECTED_" not in entry.raw:
        return change
    return evolve(change, before=entry.raw)


def _published(config: Config) -> Iterable[str]:
    """The attributes that the startd's lists name, case-folded."""
    seen = config.seen_by("STARTD")
    for macro in LISTS:
        yield from re.findall(r"[a-z_]\w*", text_of(seen, seen.lookup(macro)).casefold())


def _readers(change: ChangedMacro, attributes: set[str]) -> list[str]:
    prefix, _, macro = change.macro.partition(".")
    if macro and prefix.upper() in DAEMONS:
        return [prefix.upper()]
    if change.macro.casefold() in attributes:
        return ["STARTD"]
    if change.macro.upper() == "DAEMON_LIST":
        return ["MASTER"]
    known = readers_of(change.macro) or (readers_of(macro) if macro else frozenset())
    return sorted(known)


def _needs(macro: str, daemon: str, attributes: set[str]) -> Needs:
    _, _, bare = macro.partition(".")
    name = bare if bare and find_needs(macro, daemon) is None else macro
    found = find_needs(name, daemon)
    if found is None and daemon == "STARTD" and macro.casefold() in attributes:
        found = find_needs(_OF_LIST, daemon)
    return found or Needs.UNKNOWN


#: The row of the macros that STARTD_ATTRS names.
_OF_LIST: Final = "<STARTD_ATTRS>"
_HOLES: Final = {"<n>": r"\d+", "<name>": r"\w+"}


def find_needs(macro: str, daemon: str) -> Needs | None:
    """What a daemon was seen to need; None: it was not asked."""
    exact = _rows().get((macro.casefold(), daemon))
    if exact is not None:
        return exact
    for pattern, readers, needs in _patterns():
        if daemon in readers and pattern.fullmatch(macro):
            return needs
    return None


@cache
def _rows() -> Mapping[tuple[str, str], Needs]:
    return {
        (name.casefold(), daemon): Needs[needs.upper()]
        for name, (daemons, needs) in reload_rows().items()
        for daemon in daemons.split()
    }


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], list[str], Needs], ...]:
    found = []
    for name, (daemons, needs) in reload_rows().items():
        text = re.escape(name)
        for hole, what in _HOLES.items():
            text = text.replace(re.escape(hole), what)
        if text != re.escape(name):
            found.append((re.compile(text, re.IGNORECASE), daemons.split(), Needs[needs.upper()]))
    return tuple(found)
