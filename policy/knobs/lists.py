"""Declares the macros whose items are names of other macros, as jobs of a startd's cron are.

Follows: the daemons of 25.14.1 and the manual.
"""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from typing import Final

from attr import evolve, field, frozen

from classad.errors import is_one_edit
from classad.patterns import late_regex
from policy.knobs.choices import CRON_PARTS

#: The lists of macros that become attributes of jobs.
SUBMIT_LISTS: Final = ("SUBMIT_ATTRS", "SUBMIT_EXPRS", "SYSTEM_SUBMIT_ATTRS")
#: A pattern for the macros with which jobs are submitted, but for those that ``SUBMIT_LISTS`` name.
SUBMITTED_MACROS: Final = (
    r"JOB_TRANSFORM_\w+|SUBMIT_REQUIREMENT_\w+|SYSTEM_SUBMIT_ATTRS|SUBMIT_(ATTRS|EXPRS)"
    r"|JOB_DEFAULT_REQUEST(CPUS|MEMORY|DISK|GPUS)|APPEND_REQ(UIREMENTS|_VANILLA)"
)


@frozen(slots=False)
class NameList:
    """One such macro.

    ``defined_by`` are the macros of an item, of which one has to be there, with ``<name>`` for the
    item, ``beside`` others that an item may have; ``aside`` are ends of names that belong to an
    item and are no item themselves.  ``what`` says what an item is, ``without`` what a daemon does
    with an item that nothing defines.  ``macros_only``: what an ad has without a macro is no item.
    """

    name: str
    daemon: str
    what: str
    defined_by: tuple[str, ...]
    without: str
    aside: tuple[str, ...] = field(default=())
    beside: tuple[str, ...] = field(default=())
    macros_only: bool = field(default=False)

    @property
    def lists_attributes(self) -> bool:
        """Are the items names of attributes, whose macros have just their names?"""
        return self.defined_by == ("<name>",)

    def member(self, macro: str) -> str | None:
        """The item that a macro belongs to, as it is spelled there."""
        folded = macro.casefold()
        for head, tail in self.around:
            if not head or not folded.startswith(head):
                continue
            inner = macro[len(head) : len(macro) - len(tail)]
            if inner and folded.endswith(tail) and not self._is_aside(inner):
                # A slip of the list's own name is no item.
                return None if is_one_edit(folded, self.name.casefold()) else inner
        return None

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """What macros of an item begin with, case-folded."""
        return tuple({head for head, _ in self.around if head})

    @cached_property
    def around(self) -> tuple[tuple[str, str], ...]:
        """What macros of an item have before and behind its name, case-folded."""
        parts = (one.casefold().partition("<name>") for one in (*self.defined_by, *self.beside))
        return tuple((head, tail) for head, _, tail in parts)

    def _is_aside(self, inner: str) -> bool:
        folded = f"_{inner.casefold()}"
        return any(folded.endswith(f"_{end.casefold()}") for end in (*self.aside, "names"))


def _attributes(name: str, daemon: str, ad: str) -> NameList:
    return NameList(name, daemon, "attribute", ("<name>",), f"{ad} is without it")


_PERIODIC: Final = ("reason", "subcode")
_CRON: Final = "the job is not started"
_MAPS: Final = ("CLASSAD_USER_MAPFILE_<name>", "CLASSAD_USER_MAPDATA_<name>")

#: The longest first, since the end of one may be another.
_PARTS: Final = sorted(CRON_PARTS, key=len, reverse=True)

LISTS: Final = (
    *(
        NameList(
            f"{daemon}_CRON_JOBLIST", daemon, "job", (f"{daemon}_CRON_<name>_EXECUTABLE",), _CRON,
            aside=("max",),  # STARTD_CRON_MAX_JOB_LOAD is for all jobs
            beside=tuple(f"{daemon}_CRON_<name>_{part}" for part in _PARTS),
        )
        for daemon in ("STARTD", "SCHEDD")
    ),
    *(
        NameList(
            f"SYSTEM_PERIODIC_{verb}_NAMES", "SCHEDD", "expression",
            (f"SYSTEM_PERIODIC_{verb}_<name>",), "it counts for nothing", _PERIODIC,
        )
        for verb in ("HOLD", "RELEASE", "REMOVE", "VACATE")
    ),
    NameList(
        "JOB_TRANSFORM_NAMES", "SCHEDD", "transform",
        ("JOB_TRANSFORM_<name>",), "no job is transformed by it",
    ),
    NameList(
        "SUBMIT_REQUIREMENT_NAMES", "SCHEDD", "requirement",
        ("SUBMIT_REQUIREMENT_<name>",), "it is not asked for", ("reason", "is_warning"),
    ),
    NameList(
        "SUBMIT_TEMPLATE_NAMES", "SUBMIT", "template",
        ("SUBMIT_TEMPLATE_<name>",), "there is no such template",
    ),
    NameList(
        "JOB_ROUTER_ROUTE_NAMES", "JOB_ROUTER", "route",
        ("JOB_ROUTER_ROUTE_<name>",), "there is no such route",
    ),
    NameList(
        "JOB_ROUTER_CREATE_IDTOKEN_NAMES", "JOB_ROUTER", "token",
        ("JOB_ROUTER_CREATE_IDTOKEN_<name>",), "no such token is made",
    ),
    *(
        NameList(
            f"JOB_ROUTER_{moment}_ROUTE_TRANSFORM_NAMES", "JOB_ROUTER", "transform",
            ("JOB_ROUTER_TRANSFORM_<name>",), "the router is off then, and routes no job",
        )
        for moment in ("PRE", "POST")
    ),
    *(
        NameList(
            f"DOCKER_{which}VOLUMES", daemon, "volume",
            ("DOCKER_VOLUME_DIR_<name>",), "it is not mounted", ("mount_if",),
        )
        for which, daemon in (("MOUNT_", "STARTER"), ("", "STARTD"))
    ),
    *(
        NameList(f"{daemon}_CLASSAD_USER_MAP_NAMES", daemon, "map", _MAPS, "userMap() is undefined")
        for daemon in ("SCHEDD", "NEGOTIATOR", "STARTD", "COLLECTOR", "STARTER", "JOB_ROUTER")
    ),
    _attributes("STARTD_ATTRS", "STARTD", "the machine's ad"),
    _attributes("STARTD_EXPRS", "STARTD", "the machine's ad"),
    NameList(
        "STARTD_LATCH_EXPRS", "STARTD", "expression", ("<name>",),
        "condor_startd logs `Latch expression ... not found in config`", macros_only=True,
    ),
    *(
        NameList(
            f"{which}SLOT_REQUIREMENTS_CLAUSES", "STARTD", "clause", ("<name>",),
            "condor_startd ignores it: no job has to fulfil it", macros_only=True,
        )
        for which in ("", "P", "D")
    ),
    _attributes("STARTD_PARTITIONABLE_SLOT_ATTRS", "STARTD", "the slot's ad"),
    _attributes("SCHEDD_ATTRS", "SCHEDD", "the schedd's ad"),
    _attributes("SUBMIT_ATTRS", "SUBMIT", "the job's ad"),
    _attributes("SUBMIT_EXPRS", "SUBMIT", "the job's ad"),
    _attributes("MASTER_ATTRS", "MASTER", "the master's ad"),
    _attributes("COLLECTOR_ATTRS", "COLLECTOR", "the collector's ad"),
    _attributes("NEGOTIATOR_ATTRS", "NEGOTIATOR", "the negotiator's ad"),
    _attributes("NEGOTIATOR_MATCH_EXPRS", "NEGOTIATOR", "the matched job's ad"),
)  # fmt: skip
#: By case-folded name.
LISTS_BY_NAME: Final = {found.name.casefold(): found for found in LISTS}


_OF_A_SLOT: Final = late_regex(r"slot(_type_)?\d+_(?=startd_attrs)", re.IGNORECASE)


def find_list(macro: str) -> NameList | None:
    """The list that a macro is, which a slot or a type of slots may have for itself."""
    folded = macro.casefold()
    bare = _OF_A_SLOT.sub("", folded, 1) if folded.startswith("slot") else folded
    found = LISTS_BY_NAME.get(bare)
    return (
        found
        if found is None or bare == folded
        else evolve(found, name=macro, without="the slot's ad is without it")
    )


#: By so many letters at the beginning a list of names is found that a macro may be an item of.
_FIRST: Final = 4


@cache
def _by_letters() -> dict[str, list[NameList]]:
    """The lists by the first letters of what the macros of their items begin with."""
    found: dict[str, list[NameList]] = {}
    for names in LISTS:
        for letters in dict.fromkeys(head[:_FIRST] for head in names.beginnings):
            found.setdefault(letters, []).append(names)
    return found


@lru_cache(maxsize=10_000)
def memberships(macro: str) -> tuple[tuple[NameList, str], ...]:
    """The lists that a macro may define an item of, each with the item as it is spelled there."""
    folded = macro.casefold()
    possible = [
        names
        for names in _by_letters().get(folded[:_FIRST], ())
        if folded.startswith(names.beginnings)
    ]
    if not possible:
        return ()
    found = ((names, names.member(macro)) for names in possible)
    return tuple((names, item) for names, item in found if item is not None)


#: Ends of macros whose value is a list of names, hosts, users or methods.
_LISTED_ENDS: Final = (
    *("_NAMES", "_JOBLIST", "_ATTRS", "_EXPRS", "_METHODS", "DAEMON_LIST", "COLLECTOR_HOST"),
    *("CONDOR_HOST", "FLOCK_TO", "FLOCK_FROM", "_VOLUMES", "CONDOR_VIEW_HOST", "SUPER_USERS"),
    *("HAD_LIST", "REPLICATION_LIST"),
)


def is_list(macro: str) -> bool:
    """Is the value a list of plain names, in which a quote is part of a name?"""
    folded = macro.upper()
    return folded.endswith(_LISTED_ENDS) or folded.startswith(("ALLOW_", "DENY_"))
