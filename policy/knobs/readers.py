"""Says of any macro which daemons read it, as what, and which of them a bad value ends.

Follows: the programs of 25.14.1, asked one macro at a time (``policy/data/README.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from classad.patterns import late_regex
from policy.data.tables import builtin_table, meanings, reader_rows
from policy.history import changed_row
from policy.knobs.declaration import Knob, KnobKind, Need
from policy.knobs.other_daemons import DAEMONS
from policy.versions import NEWEST, Version

#: The daemons whose verdicts a check gives, in the order in which a pool needs them.
MAIN: Final = ("MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD")
_KINDS: Final = {
    "integer": KnobKind.INT,
    "long": KnobKind.INT,
    "boolean": KnobKind.BOOL,
    "double": KnobKind.DOUBLE,
    "expression": KnobKind.EXPR,
    "size": KnobKind.SIZE,
}
#: Defaults of booleans that the daemons also take a word for.
_OTHER_WORDS: Final = frozenset(("auto",))
#: Types of the parameter table, and daemons that are started like the main ones.
_TYPES: Final = {"int": "integer", "bool": "boolean", "double": "double"}
ON_THEIR_OWN: Final = (
    "DEFRAG",
    "JOB_ROUTER",
    "HAD",
    "REPLICATION",
    "ROOSTER",
    "GANGLIAD",
    "CREDD",
    "KBDD",
    "SHARED_PORT",
)
#: The daemons that verdicts are given on wherever they run.  condor_gangliad needs programs that a
#: configuration does not tell of, condor_kbdd a display.
JUDGED: Final = (*MAIN, *(name for name in ON_THEIR_OWN if name not in ("GANGLIAD", "KBDD")))
#: Of the macros that end each of ``MAIN``, those that do not end others, or were not seen to:
#: condor_had and condor_replication ended before they could have read them.
_OF_CONNECTIONS: Final = (
    *("ignore_target_protocol_preference", "network_max_pending_connects", "out_lowport"),
    *("out_highport", "prefer_outbound_ipv4", "tcp_keepalive_interval"),
)
_OF_PORTS: Final = (
    *("always_reuseaddr", "bind_all_interfaces", "lowport", "highport", "in_lowport"),
    "in_highport",
)
_LATE: Final = (
    *("lock_file_update_interval", "network_max_pending_connects", "sec_token_request_lifetime"),
    *("touch_log_interval", "use_shared_port"),
)
_SPARED: Final[Mapping[str, frozenset[str]]] = {
    "CREDD": frozenset(),
    "DEFRAG": frozenset(),
    "HAD": frozenset(_LATE),
    "JOB_ROUTER": frozenset((*_OF_CONNECTIONS, *_OF_PORTS)),
    "REPLICATION": frozenset(_LATE),
    "ROOSTER": frozenset((*_OF_CONNECTIONS, *_OF_PORTS)),
    "SHARED_PORT": frozenset(_OF_CONNECTIONS),
}
_DIGITS: Final = late_regex(r"\d+")
#: A boolean of the schedd for each requirement, which sees no job.
_WARNING: Final = late_regex(r"submit_requirement_\w+_is_warning")
#: The load that a job of a daemon's cron makes, a share of 1.
_CRON_LOAD: Final = late_regex(r"(startd|schedd)_cron_(?!max_job_load)\w+_job_load")
#: Statistics of the schedd by the administrator's names: what counts, and after how many seconds.
_STATISTICS: Final = late_regex(r"schedd_(?:collect_stats_(?:by|for)|expire_stats_by)_\w+")
#: What the macros of these three begin with.
_FORMS: Final = ("submit_requirement_", "startd_cron_", "schedd_")
#: How a log is rotated: every program reads it of its own log, and of those of its levels.
_OF_LOG: Final = late_regex(r"(max_num|max|trunc)_(\w+?)_log(_on_open)?")
#: The status of a program that cannot log; it begins with its logs.
NO_LOG: Final = 44
#: How the master starts a daemon, by what the names of its macros end in.
_OF_THE_MASTER: Final = ("_ARGS", "_SOCKET_NAME", "_MODE")
#: What each is read as, and the status that a bad value is met with.
_ROTATION: Final = {
    ("max", False): ("size", NO_LOG),
    ("max_num", False): ("integer", 4),
    ("trunc", True): ("boolean", 4),
}


class Readers(NamedTuple):
    """``daemons`` read the macro; ``ended`` are those that were seen to end at a bad value, with
    their exit statuses; ``at_start`` those that expand a text, in which nothing else is bad, at
    their start, and end at a function macro that fails."""

    name: str
    kind: str
    daemons: frozenset[str]
    ended: Mapping[str, int]
    low: float | None = None
    high: float | None = None
    at_start: frozenset[str] = frozenset()

    @property
    def is_expression(self) -> bool:
        """Is the value evaluated, be it for a number or a boolean?"""
        kind = _KINDS.get(self.kind, KnobKind.STRING)
        return kind not in (KnobKind.STRING, KnobKind.SIZE)

    def knob(self, daemon: str, version: Version = NEWEST) -> Knob | None:
        """A declaration for one of the daemons of a version; None if any text is right."""
        row, kind = builtin_table().get(self.name.casefold()), _KINDS.get(self.kind)
        older = changed_row(self.name, version)
        if older is not None:
            if older[1:2] != (row or [])[1:2]:
                kind = _KINDS.get(_TYPES.get("".join(older[1:2]), ""))
            row = older
        if kind is None:
            return None
        default = row[0] if row else None
        if kind is KnobKind.BOOL and default and default.casefold() in _OTHER_WORDS:
            return None
        return Knob(
            self.name,
            kind,
            default,
            "",
            need=Need.IRRELEVANT,
            minimum=self.low,
            maximum=self.high,
            read_by=daemon,
            wide=self.kind == "long",
        )


@lru_cache(maxsize=10_000)
def find_readers(macro: str) -> Readers | None:
    """Who reads a macro; NUM_SLOTS_TYPE_7 is read as NUM_SLOTS_TYPE_1 is.  None: nobody known."""
    folded, rows = macro.casefold(), _rows()
    rotation = _OF_LOG.fullmatch(folded) if "_log" in folded else None
    of_log = _of_log(macro, *rotation.groups()) if rotation else None
    if of_log is not None:
        return of_log
    found = rows.get(folded)
    if found is None and folded.startswith(_numbered()):
        found = rows.get(_DIGITS.sub("1", folded))
    if found is not None:
        return _readers(*found)
    if not folded.startswith(_FORMS):
        return _of_other_daemons().get(folded)
    if _WARNING.fullmatch(folded):
        return Readers(macro, "boolean", frozenset(("SCHEDD",)), {"SCHEDD": 4})
    if _CRON_LOAD.fullmatch(folded):
        daemon = folded[:6].upper()
        return Readers(macro, "double", frozenset((daemon,)), {daemon: 4}, 0, 100)
    if _STATISTICS.fullmatch(folded):
        kind, ended = ("integer", {"SCHEDD": 4}) if "expire" in folded else ("string", {})
        return Readers(macro, kind, frozenset(("SCHEDD",)), ended)
    return _of_other_daemons().get(folded)


def _of_log(macro: str, what: str, whose: str, on_open: str | None) -> Readers | None:
    """Who reads how a log is rotated, and ends at what is none; None for another macro.

    Asked of 25.14.1: each of ``JUDGED``, condor_shadow and condor_starter.
    """
    kind, status = _ROTATION.get((what, on_open is not None), ("", 0))
    if macro.casefold() == "max_default_log":
        return Readers(macro, kind, frozenset(MAIN), dict.fromkeys(MAIN, status))
    for daemon in DAEMONS if kind else ():
        name, _, level = whose.partition(f"{daemon.casefold()}_")
        if whose == daemon.casefold() or (not name and f"max_master_{level}_log" in _rows()):
            ended = {daemon: status} if daemon in JUDGED else {}
            return Readers(
                macro, kind, frozenset((daemon,)), ended, 0 if what == "max_num" else None
            )
    return None


def is_of_log(macro: str) -> bool:
    """Does a macro say how a log is rotated, which every program reads first?"""
    return _OF_LOG.fullmatch(macro.casefold()) is not None


def ended_besides(macro: str) -> list[str]:
    """The daemons that end, as each of ``MAIN`` does, at a bad value of a macro that all read.

    Asked of 25.14.1, macro by macro.
    """
    folded = macro.casefold()
    if folded == "detected_cores":
        return []
    return [daemon for daemon, spared in _SPARED.items() if folded not in spared]


@cache
def _of_other_daemons() -> dict[str, Readers]:
    """Macros of other daemons: the parameter table has types, the manual readers.  Texts that
    begin with a daemon's name it expands at its start: asked of 25.14.1."""
    found: dict[str, Readers] = {}
    for name, (_, _, daemon, *_) in meanings().items():
        # What makes and renews credentials is no daemon, and takes any text.
        is_daemon = daemon in ON_THEIR_OWN and "CREDMON" not in name
        if not is_daemon or name.casefold() in _rows():
            continue
        kind, low, high = _typed(name)
        own, begins = frozenset((daemon,)), name.startswith(f"{daemon}_")
        if kind:
            found[name.casefold()] = Readers(name, kind, own, {}, low, high)
        elif begins and not name.endswith(_OF_THE_MASTER):
            found[name.casefold()] = Readers(name, "string", own, {}, at_start=own)
    return found


def _typed(name: str) -> tuple[str, int | None, int | None]:
    """The kind and the range that the parameter table has for a macro."""
    _, *typed = builtin_table().get(name.casefold(), [""])
    kind, *bounds = typed or [""]
    low, high = (
        int(text) if text.removeprefix("-").isdecimal() else None for text in (*bounds, "", "")[:2]
    )
    return _TYPES.get(kind, ""), low, high


@cache
def _numbered() -> tuple[str, ...]:
    """What names with a number begin with, for which ``_rows`` has 1."""
    return tuple({folded.partition("1")[0] for folded in _rows() if "1" in folded})


@cache
def _rows() -> dict[str, tuple[Any, ...]]:
    """The name and the fields of each row, by case-folded name."""
    return {name.casefold(): (name, *row) for name, row in reader_rows().items()}


def _readers(
    name: str, kind: object, daemons: object, ended: object, low: object = None, high: object = None
) -> Readers:
    readers = frozenset(MAIN if daemons == "all" else str(daemons).split())
    least, most = (bound if isinstance(bound, (int, float)) else None for bound in (low, high))
    marked = (word.partition("/") for word in str(ended).split())
    if kind == "string":
        start = frozenset(MAIN if ended == "all" else str(ended).split())
        return Readers(name, kind, readers, {}, at_start=start)
    statuses = {daemon: int(status or 4) for daemon, _, status in marked}
    return Readers(name, str(kind), readers, statuses, least, most)


def longer_name(macro: str) -> str | None:
    """The only macro with one word more at its end; CGROUP_MEMORY_LIMIT is one without."""
    found = _by_beginning().get(macro.casefold(), ())
    return found[0] if len(found) == 1 else None


@cache
def _by_beginning() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted({*reader_rows(), *meanings()}):
        found.setdefault(name.casefold().rpartition("_")[0], []).append(name)
    return found


def reader_names() -> tuple[str, ...]:
    """Every name that some program of HTCondor reads."""
    return tuple(reader_rows())
