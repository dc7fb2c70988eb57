"""Finds the macros that two configurations of a pool have otherwise, and where each of them acts.

Texts that mean the same are the same (``policy.explain.meaning``); a macro that one of them does
not set has its default there.

Inputs: two ``Config`` values.  Outputs: ``ChangedMacro`` values, in the order of the files.
Follows: what the daemons of 25.14.1 do at condor_reconfig.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from attr import frozen

from classad.patterns import late_regex
from policy.config import Config
from policy.data.tables import builtin_table
from policy.explain.meaning import default_text, meaning
from policy.knobs import find_knob
from policy.knobs.declaration import Need
from policy.knobs.fields import config_for
from policy.knobs.lists import SUBMIT_LISTS, SUBMITTED_MACROS
from policy.knobs.other_daemons import DAEMONS, OTHER_KNOBS
from policy.knobs.readers import find_readers
from policy.language.macros import ExpansionError
from policy.language.table import DETECTED_ORIGIN, Definition
from policy.publishing import LISTS, POLICY, local_startds


class Acts(Enum):
    """Where a macro acts."""

    CYCLE = "in negotiation cycles"
    SLOTS = "in the ads of slots"
    JOBS = "on jobs that are submitted, or wait"
    BETWEEN = "between cycles"
    PART = "in other macros"
    NOT_FOLLOWED = "where a snapshot does not follow"
    NOWHERE = "not on who gets which slot"


@frozen
class ChangedMacro:
    """A macro with its expanded texts; None: not set, and without a default.

    ``why``: why a snapshot cannot follow.  ``place``: where the second configuration sets it, or
    the first one if only that does.
    """

    macro: str
    before: str | None
    after: str | None
    acts: Acts
    why: str
    place: str


_MADE: Final = "slots are made when a startd starts, and those of the snapshot stay as they are"
_POLLED: Final = "a startd acts by it on its jobs between cycles, which is not simulated"
_ENDED: Final = "a daemon ends by it between cycles, which is not simulated"
_TOLD: Final = "what a startd then tells of its slots is not known before"
_QUEUED: Final = "a schedd acts by it on its queue between cycles, which is not simulated"
#: Why nobody follows what daemons with local names read, but startds that have names of their own.
OTHER_LOCAL_NAME: Final = "daemons with that local name read it, and which those are is not known"
_ROUTED: Final = "routes are not taken; `pieslice route` shows them"
#: Macros that change matching though a snapshot cannot follow them, and why not.
_NOT_FOLLOWED: Final = (
    (r"NUM_SLOTS(_TYPE_\d+)?|SLOT_TYPE_\d+(_PARTITIONABLE|_BACKFILL|_NAME_PREFIX)?", _MADE),
    (r"(MAX_)?NUM_CPUS|MEMORY|DISK|RESERVED_\w+|COUNT_HYPERTHREAD_CPUS|MAX_SLOT_TYPES", _MADE),
    (r"(OFFLINE_)?MACHINE_RESOURCE_\w+|GPU_DISCOVERY_EXTRA|STARTD_DETECT_GPUS", _MADE),
    (r"(SLOT_TYPE_\d+_)?(CONSUMPTION_\w+|NUM_CLAIMS)|ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS", _MADE),
    (r"SHARED_MACHINE_RESOURCE_\w+|USE_NESTED_CUSTOM_RESOURCE_PROPS|STARTD_RESOURCE_PREFIX", _MADE),
    (r"SLOT_CONFIG_FAILURE_MODE|PROPORTIONAL_SWAP_ASSIGNMENT|(LVM|THINPOOL)_\w+", _MADE),
    (r"SLOT_TYPE_\d+_PREEMPT|(SLOT_TYPE_\d+_)?PREEMPT_VANILLA", _POLLED),
    (r"(SLOT_TYPE_\d+_)?(SUSPEND|CONTINUE|KILL|WANT_(SUSPEND|VACATE))(_VANILLA)?", _POLLED),
    (r"(SLOT_TYPE_\d+_)?(WANT_HOLD(_REASON|_SUBCODE)?|IS_?OWNER|\w+_BACKFILL)", _POLLED),
    (r"MUST_MODIFY_REQUEST_EXPRS|DEFAULT_DRAINING_START_EXPR|WITHINRESOURCELIMITS", _POLLED),
    (r"MAX_PARTITIONABLE_SLOT_CLAIM_TIME|STARTD_NOCLAIM_SHUTDOWN|HIBERNATE", _POLLED),
    (r"DAEMON_?SHUTDOWN(_?FAST)?", _ENDED),
    (r"STARTD_CRON_\w+|(SYSTEM_)?STARTD_JOB_ATTRS|STARTD_PARTITIONABLE_SLOT_ATTRS", _TOLD),
    (r"(SYSTEM_)?STARTD_(SLOT_ATTRS|LATCH_EXPRS)|STARTD_(EVAL_SLOT_ATTRS|HEALTH_EXPRS)", _TOLD),
    (r"SLOTS_CONNECTED_TO_\w+|(DISCONNECTED|STARTUP)_KEYBOARD_IDLE_BOOST|CONSOLE_DEVICES", _TOLD),
    (r"(P|D)?SLOT_REQUIREMENTS_CLAUSES|VM_(TYPE|NETWORKING|MAX_NUMBER|MEMORY)", _TOLD),
    (r"SYSTEM_PERIODIC_(RELEASE|VACATE)(_\w+)?|SYSTEM_ON_VACATE_\w+", _QUEUED),
    (r"START_(LOCAL|SCHEDULER)_UNIVERSE|MAX_JOBS_(PER_\w+|SUBMITTED)", _QUEUED),
    (r"MAX_TRANSFER_(IN|OUT)PUT_MB|MAX_MATERIALIZED_JOBS_PER_CLUSTER|CURB_MATCHMAKING", _QUEUED),
    (r"MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER|SCHEDD_PREEMPTION_\w+|(MIN_)?FLOCK_\w+", _QUEUED),
    (r"JOB_ROUTER_\w+", _ROUTED),
)  # fmt: skip
#: Where other macros act, and the daemon that reads them.
_FAMILIES: Final = (
    (rf"(SLOT_TYPE_\d+_)?({'|'.join(POLICY)})|{'|'.join(LISTS)}", Acts.SLOTS, "STARTD"),
    (r"SLOT(_TYPE_)?\d+_STARTD_ATTRS", Acts.SLOTS, "STARTD"),
    (SUBMITTED_MACROS, Acts.JOBS, "SCHEDD"),
    (r"CLAIM_WORKLIFE|MODIFY_REQUEST_EXPR_\w+|PREEMPT|POLLING_INTERVAL", Acts.BETWEEN, "STARTD"),
    (r"CLAIM_(RECYCLING_CONSIDER_LIMITS|PARTITIONABLE_LEFTOVERS)", Acts.BETWEEN, "SCHEDD"),
    (r"SCHEDD_INTERVAL", Acts.BETWEEN, "SCHEDD"),
    (r"NEGOTIATOR_INTERVAL", Acts.BETWEEN, "NEGOTIATOR"),
    (r"CLASSAD_USER_MAP\w+", Acts.CYCLE, "NEGOTIATOR"),
    (r"SYSTEM_PERIODIC_(HOLD|REMOVE)(_\w+)?", Acts.JOBS, "SCHEDD"),
)
_ANY: Final = late_regex(
    "|".join(f"(?:{pattern})" for pattern, *_ in (*_NOT_FOLLOWED, *_FAMILIES)), re.IGNORECASE
)
_REFERENCE: Final = late_regex(r"\$[A-Z_]*\(\s*([A-Za-z_][\w.]*)", re.IGNORECASE)
_NAME: Final = late_regex(r"[A-Za-z_]\w*")
_SLOT: Final = late_regex(r"SLOT(?:_TYPE_)?\d+_(\w+)", re.IGNORECASE)


def changed(before: Config, after: Config) -> list[ChangedMacro]:
    """The macros that do not mean the same."""
    names: dict[str, str] = {}
    parts: set[str] = set()
    attributes: set[str] = set()
    submitted: set[str] = set()
    for config in (before, after):
        for entry in config.scope.table:
            if entry.origin != DETECTED_ORIGIN:
                names.setdefault(entry.name.casefold(), entry.name)
                parts.update(name.casefold() for name in _REFERENCE.findall(entry.raw))
        for macro in POLICY:
            parts.update(_mentioned(config, macro))
        attributes.update(_members(config.seen_by("STARTD"), names, LISTS, "STARTD_ATTRS"))
        for local in local_startds(config).values():
            attributes.update(_members(config.seen_by("STARTD", local), (), LISTS, None))
        submitted.update(_members(config.seen_by("SCHEDD"), names, SUBMIT_LISTS, None))
    startds = {
        name.casefold() for config in (before, after) for name in local_startds(config).values()
    }
    families = _Families(parts, attributes, submitted, startds)
    found = (_changed(before, after, name, families) for name in names.values())
    return [one for one in found if one is not None]


def _mentioned(config: Config, macro: str) -> Iterator[str]:
    definition = config.seen_by("STARTD").lookup(macro)
    if definition is not None and "$" in definition.raw:
        yield from (name.casefold() for name in _REFERENCE.findall(definition.raw))


def _members(
    config: Config, names: Iterable[str], lists: Iterable[str], tail: str | None
) -> Iterator[str]:
    """What lists name, also those of a slot or its type."""
    of_slots = [name for name in names if tail and name.endswith(f"_{tail.casefold()}")]
    for macro in (*lists, *of_slots):
        text = _text(config, config.lookup(macro)) or ""
        yield from (name.casefold() for name in _NAME.findall(text))


@frozen
class _Families:
    """Names, case-folded: parts of other macros, what startds publish, what submitters add, and the
    local names of startds."""

    parts: set[str]
    attributes: set[str]
    submitted: set[str]
    startds: set[str]

    def acts(self, macro: str) -> tuple[Acts, str, str]:
        """Where a macro acts, why nobody follows, and the daemon that reads it, if that is told."""
        folded = macro.casefold()
        if _ANY.fullmatch(macro):
            for pattern, why in _NOT_FOLLOWED:
                if re.fullmatch(pattern, macro, re.IGNORECASE):
                    return Acts.NOT_FOLLOWED, why, ""
            for pattern, acts, daemon in _FAMILIES:
                if re.fullmatch(pattern, macro, re.IGNORECASE):
                    return acts, "", daemon
        knob = find_knob(macro)
        if knob is not None and knob.need is not Need.IRRELEVANT:
            return (Acts.CYCLE, "", "") if knob.honoured else (Acts.NOT_FOLLOWED, knob.reason, "")
        of_slot = _SLOT.fullmatch(macro)
        if not self.attributes.isdisjoint((folded, of_slot[1].casefold() if of_slot else folded)):
            return Acts.SLOTS, "", "STARTD"
        if folded in self.submitted:
            return Acts.JOBS, "", "SCHEDD"
        known = knob is not None or find_readers(macro) or folded in builtin_table()
        if folded in self.parts and (not known or folded == "maxvacatetime"):
            return Acts.PART, "", ""
        if folded in OTHER_KNOBS:
            return Acts.NOT_FOLLOWED, _POLLED, ""
        return Acts.NOWHERE, "", ""


def _changed(before: Config, after: Config, name: str, families: _Families) -> ChangedMacro | None:
    head, dot, macro = name.partition(".")
    # The name of a group has dots, too.
    prefix = head if dot and (head.upper() in DAEMONS or find_knob(name) is None) else ""
    macro = macro if prefix else name
    acts, why, daemon = families.acts(macro)
    local = None
    if prefix.upper() in DAEMONS:
        daemon = prefix.upper()
    elif prefix and prefix.casefold() in families.startds:
        daemon, local = "STARTD", prefix
    elif prefix and prefix != after.context.local_name:
        acts, why = Acts.NOT_FOLLOWED, OTHER_LOCAL_NAME
        macro = name
    (first, old), (second, new) = (
        _side(config, macro, daemon, local) for config in (before, after)
    )
    if (old or "").split() == (new or "").split():
        return None
    if old and new and meaning(before, macro, old) == meaning(after, macro, new):
        return None
    definition = second or first
    place = "" if definition is None else definition.place()
    return ChangedMacro(name, old, new, acts, why, place)


def _side(
    config: Config, macro: str, daemon: str, local: str | None
) -> tuple[Definition | None, str | None]:
    """What a configuration says, and the text of it or of the default."""
    knob = find_knob(macro)
    if daemon:
        config = config.seen_by(daemon, local)
    elif knob is not None:
        config = config_for(config, knob)
    definition = config.lookup(macro)
    if definition is None or not definition.raw.strip():
        startd = POLICY.get(macro.upper())
        default = startd[1] if startd else default_text(config, knob, macro)
        return definition, default
    return definition, _text(config, definition)


def _text(config: Config, definition: Definition | None) -> str | None:
    try:
        if definition is None or "\n" in definition.raw:
            return None if definition is None else definition.raw
        return " ".join(config.expand(definition).text.split())
    except ExpansionError:
        return None if definition is None else definition.raw
