"""Knows what attributes can be where an expression is evaluated.

``Surroundings`` joins the table of attributes, what the negotiator adds, and what the configuration
itself publishes, for one knob's use.
Inputs: a ``Use`` and names.  Outputs: the abstract value of an attribute, and why it is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor, inf
from typing import Final

from attr import field, frozen

from classad.language.values import INT_MAX, INT_MIN
from classad.patterns import late_regex
from policy.attributes import DATE, Availability, find_attribute
from policy.config import Config
from policy.ephemeral import AdKind, Ephemeral, Presence, find_ephemeral
from policy.knobs.declaration import Use
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.values.domain import (
    ANY_TEXT,
    ANYTHING,
    BOTH,
    NOTHING,
    Abstract,
    join,
    of_its_kinds,
)
from policy.values.evaluation import Key
from policy.values.functions import CLOCK

#: No attribute in such a unit is greater: years, exabytes, a million cores.
_GREATEST: Final[Mapping[str, int]] = {
    "s": 2**33,
    DATE: 2**33,
    "min": 2**27,
    "B": 2**60,
    "KiB": 2**50,
    "MiB": 2**40,
    "cpus": 2**20,
    "GPUs": 2**16,
    "%": 2**20,
}
_GREATEST_WHOLE: Final = 2**40
_GREATEST_REAL: Final = 3.0e38
_LEAST_PRIORITY: Final = 0.5
#: States of a slot that somebody has.
_CLAIMED: Final = frozenset(("Claimed", "Preempting"))
#: What a slot does that has a job.
_AT_WORK: Final = frozenset(("Busy", "Suspended", "Vacating", "Killing"))
#: Status of a job that is offered to a free slot.
_IDLE: Final = (1, 1)
#: All that GROUP_SORT_EXPR sees.
_OF_GROUPS: Final[Mapping[str, Abstract]] = {
    "accountinggroup": ANY_TEXT,
    **dict.fromkeys(
        ("groupquota", "groupresourcesinuse", "groupresourcesallocated", "sortkey"),
        Abstract(real=(0.0, _GREATEST_REAL), unit="weighted slots"),
    ),
}
#: Kinds of ads in the table, by what ``Use`` calls them.
_KINDS: Final[Mapping[str, str]] = {"slot": "slot", "request": "job", "job": "job"}
_HERE: Final[Mapping[str, AdKind]] = {"slot": AdKind.SLOT, "request": AdKind.REQUEST}
#: The same for what condor_submit writes into jobs.
_OF_MATCH: Final[Mapping[str, AdKind]] = {"slot": AdKind.SLOT, "job": AdKind.REQUEST}


@frozen
class Surroundings:
    """Where an expression is evaluated.

    ``published``: what is known of attributes that the configuration puts into ads, by case-folded
    name.  ``free``: nobody has claimed the slot, and the job is idle.  ``undefaulted``: attributes
    that a job has only if its user says so, case-folded.
    """

    use: Use
    published: Mapping[str, Abstract] = field(factory=dict)
    free: bool = False
    undefaulted: frozenset[str] = frozenset()
    _known: dict[tuple[str, str], tuple[Key, Abstract]] = field(
        factory=dict, init=False, eq=False, repr=False
    )

    @property
    def _is_of_match(self) -> bool:
        """Does it become a part of a job's Requirements or Rank?"""
        return (self.use.my, self.use.target) == ("job", "slot")

    def look_up(self, scope: str, name: str) -> tuple[Key, Abstract]:
        """The attribute that a reference finds, and what it can be."""
        known = self._known.get((scope, name))
        if known is None:
            known = self._known[scope, name] = self._looked_up(scope, name.casefold())
        return known

    def _looked_up(self, scope: str, folded: str) -> tuple[Key, Abstract]:
        if scope:
            return (scope, folded), self._in(scope, folded)
        if folded == "currenttime":
            return ("my", folded), CLOCK
        mine, there = self._found(self.use.my, folded)
        if there:
            return ("my", folded), mine
        others, _ = self._found(self.use.target, folded)
        if mine.empty:
            return ("target", folded), self._missing(others, self.use.target, folded)
        # One that is there and comes to undefined is not looked for in the other ad.
        either = join(mine, self._missing(others, self.use.target, folded))
        return ("", folded), either._replace(undefined=True)

    def _in(self, scope: str, folded: str) -> Abstract:
        kind = self.use.my if scope == "my" else self.use.target
        if folded == "currenttime" and kind:
            return CLOCK
        value, _ = self._found(kind, folded)
        return self._missing(value, kind, folded)

    def _missing(self, value: Abstract, kind: str, folded: str) -> Abstract:
        """The value of an attribute that may not be there."""
        return value if self._found(kind, folded)[1] else value._replace(undefined=True)

    def _found(self, kind: str, folded: str) -> tuple[Abstract, bool]:
        """What an ad has under a name, nothing if it never has one; and whether it always has."""
        if not kind:
            return NOTHING, False
        if kind == "either":
            return ANYTHING, False
        if kind == "group":
            known = _OF_GROUPS.get(folded)
            return (NOTHING, False) if known is None else (known, True)
        if folded in self.published:
            return self.published[folded], False
        added = find_ephemeral(folded)
        if added is not None and self.use.matching and added.ad is _HERE.get(kind):
            return _of_ephemeral(added), added.presence is Presence.ALWAYS
        row = find_attribute(folded)
        if row is not None and row.ads:
            moment = row.ads.get(_KINDS.get(kind, kind))
            if moment is None or (self.free and moment is Availability.CLAIMED):
                return NOTHING, False
            if self.use.at_submission and moment is Availability.LATER:
                return NOTHING, False
            value = _of_type(row.type, row.unit, row.range, row.values)
            if self.free and row.name == "State":
                value = value._replace(texts=value.texts and value.texts - _CLAIMED)
            elif self.free and row.name == "Activity":
                value = value._replace(texts=value.texts and value.texts - _AT_WORK)
            elif self.free and row.name == "JobStatus":
                value = value._replace(whole=_IDLE)
            given = folded not in self.undefaulted or _KINDS.get(kind) != "job"
            return value, given and moment is Availability.ALWAYS
        if added is not None and self._is_of_match and added.ad is _OF_MATCH.get(kind):
            # The schedd and the startd evaluate it too, and find nothing.
            return _of_ephemeral(added), False
        if added is not None and not added.kept and added.presence is not Presence.CLAIM:
            local = added.ad is AdKind.MATCH and kind == "slot"
            return (ANYTHING, False) if local else (NOTHING, False)
        return ANYTHING, False


#: Where transforms, routes and job scripts name an attribute that they set, delete or look for.
_SETS: Final = late_regex(
    r"(?im)^\s*(?:(?:EVALSET|EVALMACRO|SET|DEFAULT|DELETE)\s+(\w+)|COPY\s+\w+\s+(\w+)"
    r"|RENAME\s+(\w+)\s+(\w+)|(?:if|elif)\s+!?\s*defined\s+MY\.(\w+)"
    # The same in the language of old, in square brackets.
    r"|(?:EVAL_)?SET_(\w+)\s*=|COPY_\w+\s*=\s*\"(\w+)\")"
)
#: What a line begins with that names one.
_FIRST_OF_SETS: Final = "cCdDeEiIrRsS"
_RESOURCE: Final = late_regex(r"(?i)machine_resource_(?:inventory_)?(\w+)")
_WORD: Final = late_regex(r"[A-Za-z_][A-Za-z0-9_]*")
_DEFAULTS: Final = ("RequestCpus", "RequestMemory", "RequestDisk")


def names_of_its_own(entries: Iterable[Definition]) -> Iterator[str]:
    """The names of attributes that definitions put into ads, or take from them."""
    for entry in entries:
        macro = entry.name.rpartition(".")[2]
        if macro.upper().endswith(("_ATTRS", "_EXPRS")):
            yield from _WORD.findall(entry.raw)
        raw = entry.raw
        if "\n" in raw or raw.lstrip()[:1] in _FIRST_OF_SETS:
            for names in _SETS.findall(raw):
                yield from filter(None, names)
        resource = _RESOURCE.fullmatch(macro) if macro[:1] in "mM" else None
        if resource is not None:
            name = resource[1]
            yield from (
                name,
                *(f"{of}{name}" for of in ("Total", "Request", "Detected", "Assigned")),
            )


def undefaulted(config: Config) -> frozenset[str]:
    """What a job lacks unless it asks: with ``JOB_DEFAULT_REQUESTDISK = undefined``, or nothing,
    condor_submit of 25.14.1 leaves RequestDisk out."""
    found = set()
    for name in _DEFAULTS:
        try:
            text = config.text(f"JOB_DEFAULT_{name.upper()}")
        except ExpansionError:
            continue
        if (text or "").strip().casefold() in ("", "undefined"):
            found.add(name.casefold())
    return frozenset(found)


def _of_ephemeral(added: Ephemeral) -> Abstract:
    least = -inf
    if added.unit in ("priority", "weighted slots"):
        least = _LEAST_PRIORITY if added.unit == "priority" else 0.0
    value = _of_type(added.type, added.unit, (least, inf), ())
    # The negotiator puts in reals as such, while ads of others may have integers in their place.
    return value._replace(whole=None if value.real else value.whole, single=added.rounded)


def set_by_files(folded: str) -> Abstract:
    """What a transform may make of an attribute: any value of the type that daemons give it."""
    row = find_attribute(folded)
    if row is None or "job" not in row.ads:
        return ANYTHING
    return of_its_kinds(_of_type(row.type, row.unit, row.range, row.values))._replace(unit=row.unit)


def _of_type(
    type_: str, unit: str, limits: tuple[float, float], values: tuple[str, ...]
) -> Abstract:
    if type_ == "boolean":
        return Abstract(truths=BOTH)
    if type_ == "string":
        return Abstract(texts=frozenset(values)) if values else ANY_TEXT
    if type_ in ("integer", "real"):
        most = _GREATEST.get(unit, _GREATEST_WHOLE)
        low, high = limits
        whole = ceil(max(low, -most, INT_MIN)), floor(min(high, most, INT_MAX))
        if type_ == "integer":
            return Abstract(whole=whole, unit=unit)
        real = max(low, -_GREATEST_REAL), min(high, _GREATEST_REAL)
        return Abstract(whole=whole, real=real, unit=unit)
    return Abstract(other=True) if type_ in ("list", "ad", "time") else ANYTHING
