"""Checks what an expression refers to: attributes and functions.

Follows: ``policy.ephemeral``; the startd sees none of the negotiator's attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from classad.errors import Diagnostic, suggest
from policy.data.tables import attribute_names
from policy.ephemeral import (
    EPHEMERAL,
    GROUP_USAGE,
    USER_USAGE,
    Ad,
    Ephemeral,
    Presence,
    find_ephemeral,
)
from policy.knobs import matching as matching
from policy.knobs.shares import GROUP_SORT_EXPR
from policy.lint.finding import ERROR, WARNING, Finding
from policy.lint.names import near
from policy.lint.places import spot
from policy.lint.trees import guarded, references, scope_of
from policy.lint.view import Setting, View

UNKNOWN_ATTRIBUTE: Final = Finding(
    "P401",
    WARNING,
    "an attribute that nobody defines, spelled almost like one that exists",
    "An attribute that is in neither ad is undefined, and so is nearly everything computed from"
    " it.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmiterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
ELSEWHERE: Final = Finding(
    "P402",
    WARNING,
    "an attribute of the negotiator where it does not exist",
    "The negotiator adds priorities, usage and quotas for the time of a match. Expressions that"
    " the startd or the schedd evaluate, constraints of the negotiator and slot weights do not see"
    " them.",
    "START = RemoteUserPrio > 1000\n",
    "START = Owner =!= UNDEFINED\n",
)
NOT_NOW: Final = Finding(
    "P403",
    WARNING,
    "an attribute that this configuration never defines",
    "Group attributes need GROUP_NAMES, `slot<i>_` attributes need NEGOTIATOR_CROSS_SLOT_PRIOS.",
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
    "GROUP_NAMES = group_a\nGROUP_QUOTA_group_a = 5\n"
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
)
WRONG_AD: Final = Finding(
    "P404",
    WARNING,
    "an attribute in the wrong ad",
    "In expressions of the negotiator MY is the slot and TARGET the request: `Remote...` attributes"
    " are in the slot, `Submitter...` attributes in the request.",
    "PREEMPTION_REQUIREMENTS = TARGET.RemoteUserPrio > MY.SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = MY.RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2\n",
)
UNGUARDED: Final = Finding(
    "P405",
    WARNING,
    "a rank that is undefined for free slots",
    "A slot that nobody uses has no `Remote...` attributes. A rank that uses one without a test is"
    " undefined there, and such slots come last.",
    "NEGOTIATOR_PRE_JOB_RANK = 1000 - RemoteUserPrio\n",
    "NEGOTIATOR_PRE_JOB_RANK = ifThenElse(isUndefined(RemoteUserPrio), 1000, -RemoteUserPrio)\n",
)
UNKNOWN_FUNCTION: Final = Finding(
    "P406",
    ERROR,
    "a function that does not exist, or with a wrong number of arguments",
    "Such a call is an error value, and so is nearly everything computed from it.",
    "NEGOTIATOR_PRE_JOB_RANK = ifThen(PartitionableSlot, 1, 0)\n",
    "NEGOTIATOR_PRE_JOB_RANK = ifThenElse(PartitionableSlot, 1, 0)\n",
)

_WHEN_USED: Final = (Presence.PREEMPTION, Presence.PREEMPTION_GROUPS)
_DAEMON_FUNCTIONS: Final = frozenset(name.casefold() for name in (USER_USAGE, GROUP_USAGE))


@cache
def known_attributes() -> tuple[str, ...]:
    """Attributes of captured ads and those that the negotiator adds."""
    own = (entry.name for entry in EPHEMERAL if "<" not in entry.name)
    return (*attribute_names(), *own)


def check_attributes(view: View) -> Iterator[Diagnostic]:
    """Everything about what expressions refer to."""
    for setting in view.expressions():
        if setting.knob is not GROUP_SORT_EXPR:
            yield from _attributes(view, setting)
        yield from _functions(setting)


def _attributes(view: View, setting: Setting) -> Iterator[Diagnostic]:
    assert setting.tree is not None
    assert setting.reading is not None
    safe = guarded(setting.tree)
    said: set[str] = set()
    for node in references(setting.tree):
        folded = node.name.casefold()
        if folded in said:
            continue
        entry = find_ephemeral(node.name)
        where = spot(setting, node)
        if entry is not None:
            found = _misplaced(view, setting, entry, scope_of(node), folded in safe)
        else:
            found = _unknown(view, setting, node.name)
        if found is not None:
            said.add(folded)
            kind, message, help_text = found
            yield kind.at(message, *where, help_text)


_Found = tuple[Finding, str, str | None] | None


def _misplaced(
    view: View, setting: Setting, entry: Ephemeral, scope: str | None, safe: bool
) -> _Found:
    name = entry.name
    use = None if setting.knob is None or not setting.knob.matches else setting.knob.use
    if use is None:
        local = entry.presence is Presence.CLAIM or entry.ad is Ad.MATCH
        if local or entry.kept or safe:
            return None
        return ELSEWHERE, f"`{name}` does not exist for {setting.name}", _where(entry)
    grouped = entry.presence in (Presence.GROUPS, Presence.PREEMPTION_GROUPS)
    if grouped and not view.groups and not safe:
        return NOT_NOW, f"`{name}` is undefined: GROUP_NAMES is empty", None
    crossing = bool(view.value(matching.NEGOTIATOR_CROSS_SLOT_PRIOS))
    if entry.presence is Presence.CROSS_SLOT and not crossing:
        return NOT_NOW, f"`{name}` needs NEGOTIATOR_CROSS_SLOT_PRIOS", None
    wrong = {Ad.REQUEST: "my", Ad.SLOT: "target"}.get(entry.ad)
    if scope is not None and scope == wrong:
        right = "TARGET" if wrong == "my" else "MY"
        return WRONG_AD, f"`{scope.upper()}.{name}` is undefined", f"it is `{right}.{name}`"
    if not use.claimed_only and entry.presence in _WHEN_USED and not safe:
        if entry.name == "CurrentRank":
            return None
        message = f"`{name}` makes {setting.name} undefined for slots that are free"
        return UNGUARDED, message, f"test it: `ifThenElse(isUndefined({name}), ..., ...)`"
    return None


def _where(entry: Ephemeral) -> str:
    side = "request" if entry.ad is Ad.REQUEST else "slot ad"
    return f"the negotiator adds it to the {side} while it matches"


def _unknown(view: View, setting: Setting, name: str) -> _Found:
    folded = name.casefold()
    if view.config.lookup(name) is not None or _is_published(view, folded):
        return None
    meant = near(name, known_attributes())
    if meant is None:
        return None
    message = f"unknown attribute `{name}` in {setting.name}"
    return UNKNOWN_ATTRIBUTE, message, f"did you mean `{meant}`?"


def _is_published(view: View, folded: str) -> bool:
    """Does the configuration define an attribute of this name, for some daemon?"""
    if any(setting.macro.casefold() == folded for setting in view.settings):
        return True
    lists = ("_ATTRS", "_EXPRS", "_RESOURCE_NAMES")
    return any(
        folded in setting.entry.raw.casefold().replace(",", " ").split()
        for setting in view.settings
        if setting.macro.upper().endswith(lists)
    )


def _functions(setting: Setting) -> Iterator[Diagnostic]:
    from classad.evaluation.functions import load
    from classad.syntax.nodes import Call, walk

    assert setting.tree is not None
    assert setting.reading is not None
    for node in walk(setting.tree):
        if not isinstance(node, Call) or node.name.casefold() in _DAEMON_FUNCTIONS:
            continue
        where = spot(setting, node)
        declared = load().get(node.name.casefold())
        if declared is None:
            meant = suggest(node.name, [known.name for known in load().values()])
            help_text = None if meant is None else f"did you mean `{meant}`?"
            yield UNKNOWN_FUNCTION.at(f"no function `{node.name}`", *where, help_text)
        elif not declared.accepts(len(node.args)):
            message = f"`{node.name}` takes {declared.arity} arguments, not {len(node.args)}"
            yield UNKNOWN_FUNCTION.at(message, *where)
