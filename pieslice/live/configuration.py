"""Reads the configuration that decides a cycle from the daemons that have it.

Decides which macros those are: of the negotiator those that its policy reads, of the schedds those
that a schedd reads to offer its jobs.  They are asked again only when a daemon has read its
configuration again.

Inputs: the daemons, their ads.  Outputs: the text of a configuration; what of it is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import define, field, frozen

from pieslice.live.daemons import DaemonError, Daemons, Located, SlowError
from policy.knobs import Need, find_knob

#: What a shadow has to know of the negotiator besides its policy.
TIMES: Final = ("NEGOTIATOR_INTERVAL", "NEGOTIATOR_CYCLE_DELAY", "NEGOTIATOR_MIN_INTERVAL")
_MORE: Final = (*TIMES, "UPDATE_INTERVAL")
_SCHEDD: Final = "SCHEDD"

Macros = Mapping[str, str]


@frozen
class Configuration:
    """The text of a configuration, the negotiator's macros, and what is not known of them.

    ``of_schedds``: the values of the schedds' macros, which may be expressions.  ``silent``: what
    of it is missing because daemons did not answer; ``slow``: the names of schedds whose time for
    an answer is used up.
    """

    text: str
    macros: Macros
    missing: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    slow: frozenset[str] = frozenset()
    of_schedds: tuple[str, ...] = ()


@define
class DaemonMacros:
    """The macros of daemons as of the last time that they read their configurations."""

    _known: dict[tuple[str, ...], Macros] = field(factory=dict)

    def of(self, daemons: Daemons, daemon: Located, subsystem: str) -> Macros:
        """The macros of a daemon; raises ``DaemonError``."""
        key = tuple(
            daemon.get(name, "") for name in ("MyAddress", "DaemonLastReconfigTime", "Name")
        )
        if key not in self._known:
            names = wanted(daemons.macro_names(daemon), subsystem)
            found = daemons.macros(daemon, names)
            # Several daemons are asked at the same time.
            for other in list(self._known):
                if other[0] == key[0]:
                    del self._known[other]
            self._known[key] = found
        return self._known[key]


def wanted(names: Iterable[str], subsystem: str) -> list[str]:
    """The macros of a daemon that decide a cycle."""
    more = _MORE if subsystem != _SCHEDD else ()
    return [name for name in names if name.upper() in more or _decides(name, subsystem)]


def _decides(name: str, subsystem: str) -> bool:
    knob = find_knob(name)
    if knob is None or knob.need is Need.IRRELEVANT:
        return False
    return (knob.read_by == _SCHEDD) == (subsystem == _SCHEDD)


def read_configuration(
    daemons: Daemons, known: DaemonMacros, negotiator: Located | None, schedds: Sequence[Located]
) -> Configuration:
    """What the daemons have been told; without a negotiator HTCondor's defaults are left."""
    missing: list[str] = []
    silent: list[str] = []
    lines: list[str] = []
    macros: Macros = {}
    if negotiator is None:
        missing.append("configuration: no negotiator has an ad in the collector")
    else:
        try:
            macros = known.of(daemons, negotiator, "NEGOTIATOR")
        except DaemonError as problem:
            silent.append(f"configuration: {problem}")
        lines += [f"# of the negotiator {negotiator.get('Name', '')}", *_lines(macros)]
    first: tuple[str, Macros] | None = None
    slow, values = set(), list[str]()
    for schedd, found in zip(schedds, _of_schedds(daemons, known, schedds), strict=True):
        name = schedd.get("Name", "")
        if isinstance(found, DaemonError):
            silent.append(f"configuration: {found}")
            slow |= {name} if isinstance(found, SlowError) else set()
            continue
        values += found.values()
        if first is None:
            first = name, found
            lines += [f"# of the schedd {name}", *_lines(found, f"{_SCHEDD}.")]
        else:
            missing += _other(first, name, found)
    text = "".join(f"{line}\n" for line in lines)
    lacking = (*silent, *missing)
    return Configuration(text, macros, lacking, tuple(silent), frozenset(slow), tuple(values))


def _of_schedds(
    daemons: Daemons, known: DaemonMacros, schedds: Sequence[Located]
) -> Sequence[Macros | DaemonError]:
    """The macros of each schedd, or why there are none."""

    def ask(daemons: Daemons, schedd: Located) -> Macros | DaemonError:
        try:
            return known.of(daemons, schedd, _SCHEDD)
        except DaemonError as problem:
            return problem

    return daemons.each(schedds, ask)


def _other(first: tuple[str, Macros], name: str, macros: Macros) -> Iterable[str]:
    """What a schedd has otherwise than the first one, whose values count for all."""
    for macro, value in macros.items():
        if first[1].get(macro) != value:
            yield (
                f"{macro} of schedd {name} is {value}, that of {first[0]} is"
                f" {first[1].get(macro, 'not set')} and counts for all"
            )


def _lines(macros: Macros, prefix: str = "") -> Iterable[str]:
    for name, value in macros.items():
        if "\n" in value:
            yield from (f"{prefix}{name} @=end", value, "@end")
        else:
            yield f"{prefix}{name} = {value}"
