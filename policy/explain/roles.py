"""Says which daemons a configuration is for, and what its host is in the pool.

DAEMON_LIST names them where the files set it.  A part of a configuration has none: it is for the
daemons that read what it sets.
Inputs: a ``Config``.  Outputs: ``Host``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from attr import frozen

from classad.patterns import late_regex
from policy.config import Config
from policy.explain.words import listing
from policy.knobs import find_knob
from policy.knobs.declaration import Need
from policy.knobs.lists import memberships
from policy.knobs.other_daemons import DAEMONS, OTHER_KNOBS
from policy.knobs.readers import MAIN, find_readers
from policy.language.macros import ExpansionError
from policy.language.numbers import read_integer
from policy.language.table import DETECTED_ORIGIN, Definition

if TYPE_CHECKING:
    from policy.explain.sentences import Origin

_LIST: Final = "DAEMON_LIST"
#: What a configuration sets that is not only a part of another one.
_OF_WHOLES: Final = (_LIST, "LOCAL_CONFIG_DIR", "LOCAL_CONFIG_FILE", "RELEASE_DIR")
#: Without one of these a host does nothing for its pool.
_MAIN_WORK: Final = ("COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD")
#: A macro that more daemons than these read says of none of them that the files are for it.
_FEW: Final = 2
#: Types that slots may have.
_MOST_TYPES: Final = 10


class Role(Enum):
    """What a host is for its pool, in the order in which a job comes by."""

    ACCESS = "access point"
    CENTRAL = "central manager"
    EXECUTE = "execute node"


#: The daemon that makes a host what it is.
_OF_DAEMONS: Final = {
    "SCHEDD": Role.ACCESS, "JOB_ROUTER": Role.ACCESS, "NEGOTIATOR": Role.CENTRAL,
    "COLLECTOR": Role.CENTRAL, "STARTD": Role.EXECUTE,
}  # fmt: skip
#: Readers by the beginning of a name, where no daemon reads it at its start.
_BY_NAME: Final = (
    *((f"{daemon}_", daemon) for daemon in ("SCHEDD", "STARTD", "NEGOTIATOR", "MASTER", "DEFRAG")),
    *(("SYSTEM_PERIODIC_", "SCHEDD"), ("SUBMIT_REQUIREMENT_", "SCHEDD"), ("FLOCK_", "SCHEDD")),
    *(("SLOT_TYPE_", "STARTD"), ("NUM_SLOTS_", "STARTD"), ("MACHINE_RESOURCE_", "STARTD")),
    *(("ROOSTER_", "ROOSTER"), ("JOB_ROUTER_", "JOB_ROUTER"), ("MACHINEMAXVACATETIME", "STARTD")),
    *(("APPEND_", "SCHEDD"), ("DEFAULT_RANK", "SCHEDD"), ("JOB_DEFAULT_", "SCHEDD")),
    ("MODIFY_REQUEST_EXPR_", "STARTD"),
)
_BEGINS: Final = tuple(begin for begin, _ in _BY_NAME)
_BETWEEN_NAMES: Final = late_regex(r"[\s,]+")
_OF_A_TYPE: Final = late_regex(r"^slot_type_\d+_")
#: Programs of a host's daemons, and condor_submit, which hosts with a schedd have.
STARTED_BY: Final = {
    "STARTER": "STARTD", "SHADOW": "SCHEDD", "GRIDMANAGER": "SCHEDD", "SUBMIT": "SCHEDD",
    "DAGMAN": "SCHEDD", "TRANSFERER": "REPLICATION", "PREEN": "MASTER",
}  # fmt: skip


@frozen
class Host:
    """``daemons``: the kinds of those that run, as ``STARTD``; ``listed``: where DAEMON_LIST is
    set and to what, None if the files do not say which daemons run; ``adds``: it only adds daemons
    to those of another file's DAEMON_LIST; ``variable``: of the environment, which has the list."""

    daemons: tuple[str, ...]
    listed: tuple[Origin, str] | None = None
    adds: bool = False
    variable: str = ""

    @property
    def roles(self) -> tuple[Role, ...]:
        """What the host is, in the order of a job's life."""
        found = {_OF_DAEMONS.get(daemon) for daemon in self.daemons}
        # A gateway has a collector for itself; who shares out the pool has a negotiator.
        if len(found - {None}) > 1 and not self.runs("NEGOTIATOR", "HAD"):
            found.discard(Role.CENTRAL)
        return tuple(role for role in Role if role in found)

    @property
    def role_names(self) -> list[str]:
        """The names of the roles."""
        return [role.value for role in self.roles]

    @property
    def title(self) -> str:
        """The roles as a phrase: ``execute node``; of none of them, the daemons."""
        if self.roles == (Role.CENTRAL,) and not self.runs("NEGOTIATOR", "HAD"):
            return "collector"
        return listing(role.value for role in self.roles) or self.programs

    @property
    def programs(self) -> str:
        """The daemons as a phrase: ``condor_master and condor_startd``."""
        return listing(f"condor_{name.lower()}" for name in self.daemons)

    def runs(self, *daemons: str) -> bool:
        """Does one of these run?"""
        return not set(daemons).isdisjoint(self.daemons)

    def reads(self, macro: str) -> bool:
        """Does a daemon that runs, or one of its programs and tools, read a macro?"""
        known = readers_of(macro)
        return not known or self.runs(*known) or "TOOL" in known


def host_of(config: Config) -> Host:
    """The daemons that DAEMON_LIST names, or those that the files are for."""
    return config.once(_host_of)


def _host_of(config: Config) -> Host:
    entry, variable = config.seen_by("MASTER").lookup(_LIST), ""
    if entry is not None and not config.scope.functions.environment:
        with suppress(ExpansionError):  # what has no end is made from nothing
            variable = next(iter(config.scope.variables_of(entry)), "")
    if entry is not None and not entry.is_builtin and not variable:
        whole = True
        try:
            text = config.seen_by("MASTER").expand(entry).text
            whole = all(found is not None for _, found in config.scope.used_by(entry))
        except ExpansionError:
            text = entry.raw
        names = _BETWEEN_NAMES.split(text.strip())
        kinds = dict.fromkeys(_kind(config, name) for name in names if name and "$" not in name)
        adds = _adds(entry) and set(kinds).isdisjoint(_MAIN_WORK)
        if kinds or whole:  # of a list that only another file's macro is in nothing is known
            from policy.explain.sentences import origin_of  # which parts do not need

            return Host(tuple(kinds), (origin_of(_LIST, entry), " ".join(text.split())), adds)
    parts = (*_OF_DAEMONS, "DEFRAG")
    concerned = dict.fromkeys(daemon for daemon in _concerned(config) if daemon in parts)
    return Host(tuple(concerned) or (config.context.subsystem,), variable=variable)


def may_run(config: Config, daemon: str) -> bool:
    """Does DAEMON_LIST have a daemon, or may it, as far as these files tell?"""
    host = host_of(config)
    return host.listed is None or host.adds or host.runs(daemon)


def may_read(config: Config, macro: str) -> bool:
    """Does a daemon that runs here read a macro, or may one?

    It may where no file has DAEMON_LIST, and where the first that has it adds to that of others.
    """
    entry = config.seen_by("MASTER").lookup(_LIST)
    if entry is None or entry.is_builtin:
        return True
    host = host_of(config)
    return host.listed is None or host.reads(macro) or _adds(entry)


def is_whole(config: Config) -> bool:
    """Does a configuration say which daemons run or where its files are, as no part of one does?"""
    return config.once(_is_whole)


def _is_whole(config: Config) -> bool:
    set_ = (config.scope.table.get(name) for name in _OF_WHOLES if name != _LIST)
    # That a folder was named to the reader is no statement of its files.
    if any(entry is not None and entry.origin != DETECTED_ORIGIN for entry in set_):
        return True
    if config.scope.table.get(_LIST) is None:
        return False
    host = host_of(config)
    return (host.listed is not None or bool(host.variable)) and not host.adds


def makes_no_slot(config: Config) -> bool:
    """Is a startd told to have none, so that nobody asks what its slots are like?"""
    evaluate = config.scope.functions.evaluate

    def number(name: str) -> int:
        try:
            return read_integer(config.text(name) or "1", evaluate) or 0
        except ExpansionError:
            return 1

    if number("NUM_SLOTS"):
        return False
    types = (f"NUM_SLOTS_TYPE_{type_}" for type_ in range(1, _MOST_TYPES + 1))
    return not any(config.lookup(name) is not None and number(name) for name in types)


def _adds(entry: Definition) -> bool:
    """Does the first DAEMON_LIST of the files add to one that is not among them?"""
    return f"$({_LIST})" in (list(entry.chain())[-1].written or "").upper()


def _kind(config: Config, name: str) -> str:
    """The kind of a daemon of DAEMON_LIST: by its program, else by its name."""
    try:
        program = (config.text(name) or "").rpartition("/")[2].removeprefix("condor_").upper()
    except ExpansionError:
        program = ""
    if program in DAEMONS:
        return program
    upper = name.upper()
    return next((kind for kind in sorted(DAEMONS, reverse=True) if upper.startswith(kind)), upper)


def _concerned(config: Config) -> Iterator[str]:
    """The daemons that read what is set, of macros that few read."""
    for entry in config.scope.table:
        if entry.origin == DETECTED_ORIGIN or entry.is_builtin:
            continue
        prefix, _, macro = entry.name.partition(".")
        if macro and prefix.upper() in DAEMONS:
            yield prefix.upper()
            continue
        found = readers_of(entry.name) or readers_of(macro)
        if len(found) <= _FEW:
            yield from sorted(found)


@lru_cache(maxsize=10_000)
def readers_of(macro: str) -> frozenset[str]:
    """The daemons that are known to read a macro, or to start what does; none if nobody is."""
    knob = find_knob(macro)
    if knob is not None and knob.need is not Need.IRRELEVANT:
        return frozenset((knob.read_by,))
    folded = macro.casefold()
    bare = _OF_A_TYPE.sub("", folded) if folded.startswith("slot") else folded
    other = OTHER_KNOBS.get(bare)
    if other is not None:
        return frozenset((other.read_by,))
    members = frozenset(names.daemon for names, _ in memberships(macro))
    known = find_readers(macro)
    upper = macro.upper()
    by_name = _BY_NAME if upper.startswith(_BEGINS) else ()
    named = next((daemon for begin, daemon in by_name if upper.startswith(begin)), None)
    own = named is not None and not upper.endswith("_HOST")
    if known is not None and not (own and known.daemons >= set(MAIN)):
        return frozenset(STARTED_BY.get(daemon, daemon) for daemon in known.daemons)
    return members if len(members) == 1 else frozenset(() if named is None else (named,))
